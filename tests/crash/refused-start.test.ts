import { expect, test } from 'vitest'
import { cloneDatabase } from '../harness/postgres.ts'
import { startProcess } from '../harness/processes.ts'

test('a host that is no address of this machine is refused in a sentence of both languages, not with a stack', async () => {
  await using database = await cloneDatabase()
  const start = startProcess({ databaseUrl: database.url, env: { KHERAD_HOST: 'nowhere.invalid' } })
  const refusal = await start.then(
    () => 'it started',
    (error: Error) => error.message,
  )
  expect(refusal).toMatch(/nowhere\.invalid:\d+ نشانی این دستگاه نیست/)
  expect(refusal).toMatch(/is no address of this machine: set KHERAD_HOST/)
  expect(refusal).not.toMatch(/node:dns|at process/)
})
