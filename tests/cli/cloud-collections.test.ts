/** `kherad cloud collections`: the real command against a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestCloud, type World } from '../harness/world.ts'
import { kherad, type Ran } from './command-line.ts'

let world: World
let cloud: TestCloud
let secret: string
beforeAll(async () => {
  world = await boot()
  const key = await world.key()
  secret = key.secret
  cloud = await world.cloud('فروشگاه', key)
})
afterAll(() => world[Symbol.asyncDispose]())

const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  kherad(
    { KHERAD_KEY: secret, KHERAD_LOCALE: locale, KHERAD_BASE_URL: world.url },
    'cloud',
    'collections',
    ...words,
  )

test('a collection is made, listed, read and deleted by the name of its cloud', async () => {
  const made = await run(['create', 'فروشگاه', 'goods', '--public-read'], 'fa')
  expect([made.code, made.out]).toEqual([0, 'مجموعهٔ goods ساخته شد.\n'])
  for (const data of [{ نام: 'سیب' }, { نام: 'نان' }])
    await cloud.client.post(`/v1/cloud/${cloud.id}/database`, { action: 'insert', table: 'goods', data })
  const listed = await run(['list', cloud.ref], 'fa')
  expect(listed.out).toMatch(/goods\s+همه\s+۲/)
  expect((await run(['list', cloud.ref, '--json'])).json).toMatchObject([
    { name: 'goods', public_read: true, rows: 2 },
  ])
  const page = await run(['rows', cloud.id, 'goods', '--offset', '1'], 'fa')
  expect(page.out.trim().split('\n')).toHaveLength(1)
  expect(page.err).toBe('۱ ردیف پس از ۱ ردیف نخست، از ۲ ردیف\n')
  expect((await run(['delete', cloud.ref, 'goods', '--confirm', 'good'])).code).toBe(2)
  const gone = await run(['delete', cloud.ref, 'goods', '--confirm', 'goods'])
  expect([gone.code, gone.out]).toEqual([0, 'goods and its 2 rows are deleted.\n'])
  expect((await run(['list', cloud.ref, '--json'])).json).toEqual([])
})

test('what is wrong is said in a sentence, with an exit code', async () => {
  expect(await run(['rows', cloud.ref, 'missing'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('missing'),
  })
  expect((await run(['rows', cloud.ref, 'goods', '--offset', '2001'])).code).toBe(2)
  expect((await run(['create', cloud.ref, 'a b'], 'fa')).err).toContain('نام مجموعه')
  expect((await run(['list', 'none'])).code).toBe(1)
})
