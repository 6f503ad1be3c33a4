import { expect, test } from 'vitest'
import { cloneDatabase } from '../harness/postgres.ts'
import { startProcess } from '../harness/processes.ts'
import { DatabaseProxy } from './database-proxy.ts'

/** Why a server did not start. */
const refusalOf = (start: Promise<unknown>): Promise<string> =>
  start.then(
    () => 'it started',
    (error: Error) => error.message,
  )

test.each([
  ['while secrets are read', /select key_id from secrets\.seal/],
  ['while the process joins the others', /ledger\.processes/],
])(
  'a database that is lost %s is named in a sentence of both languages, not with a stack',
  async (_, statement) => {
    await using database = await cloneDatabase()
    await using proxy = await DatabaseProxy.open(database.url)
    void proxy.loseReply(statement)
    const refusal = await refusalOf(startProcess({ databaseUrl: proxy.url, fromSource: true }))
    expect(refusal).toMatch(/پایگاه داده در 127\.0\.0\.1:\d+\/\w+ پاسخ نمی‌دهد/)
    expect(refusal).toMatch(/The database at 127\.0\.0\.1:\d+\/\w+ does not answer/)
    expect(refusal).not.toMatch(/at process|node:internal/)
  },
)

test('a host that is no address of this machine is refused in a sentence of both languages, not with a stack', async () => {
  await using database = await cloneDatabase()
  const env = { KHERAD_HOST: 'nowhere.invalid' }
  const refusal = await refusalOf(startProcess({ databaseUrl: database.url, fromSource: true, env }))
  expect(refusal).toMatch(/nowhere\.invalid:\d+ نشانی این دستگاه نیست/)
  expect(refusal).toMatch(/is no address of this machine: set KHERAD_HOST/)
  expect(refusal).not.toMatch(/node:dns|at process/)
})
