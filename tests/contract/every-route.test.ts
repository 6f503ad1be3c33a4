/** One server, and of every route at least one success and one refusal: the requests of scripts/answers. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { askSite } from '../../scripts/answers/record.ts'
import { openSite } from '../../scripts/answers/site.ts'
import { cloneDatabase } from '../harness/postgres.ts'

test('every route succeeds and refuses with the statuses and codes that are written down', {
  timeout: 600_000,
}, async () => {
  await using database = await cloneDatabase()
  await using site = await openSite(path.resolve(import.meta.dirname, '../..'), database.url)
  const { recorder } = await askSite(site)
  expect(recorder.missing()).toEqual([])
  const outcomes = Object.entries(recorder.answers).map(([name, { status, body }]) => {
    const code = /"code":\s*"([A-Z_]+)"/.exec(body)?.[1]
    return `${status}${code === undefined ? '' : ` ${code}`}  ${name}\n`
  })
  await expect(outcomes.join('')).toMatchFileSnapshot('every-route.txt')
})
