/** What the operator does to published sites: on the database, while a server serves them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSite, type Site } from '../crash/site.ts'
import type { Client } from '../harness/client.ts'
import type { ServerProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import { publish, refusalOf, siteBody } from '../sites/published.ts'
import { visit } from '../sites/visitor.ts'
import { done, kherad, refused } from './command-line.ts'

const stack = new AsyncDisposableStack()
let site: Site
let server: ServerProcess
let key: Client
let env: Record<string, string>

beforeAll(async () => {
  site = stack.use(await openSite())
  server = await site.start()
  key = site.client(server, await site.person())
  env = { DATABASE_URL: site.databaseUrl, KHERAD_DATA: site.dataDir, KHERAD_LOCALE: 'en' }
})
afterAll(() => stack.disposeAsync())

const seen = async (slug: string): Promise<number> =>
  (await visit(`http://${slug}.localhost:${new URL(server.appsUrl).port}`, '/')).status

test('a site is taken down by its slug and restored by its id, and visitors notice without a restart', async () => {
  const { id } = await publish(key, siteBody('reported', { slug: 'reported-shop' }))
  await until(async () => (await seen('reported-shop')) === 200)
  const down = await done(env, 'site', 'takedown', 'reported-shop', '--reason', 'phishing')
  expect(down).toMatchObject({
    id,
    slug: 'reported-shop',
    taken_down_reason: 'phishing',
    taken_down_at: expect.any(String),
  })
  await until(async () => (await seen('reported-shop')) !== 200)
  expect(refusalOf(await key.post(`/v1/sites/${id}`, siteBody('reported')))).toEqual([
    403,
    'SITE_TAKEN_DOWN',
    undefined,
  ])
  const listed = await kherad(env, 'site', 'all')
  expect(listed.out).toContain('taken down')
  expect(await done(env, 'site', 'restore', id)).toMatchObject({
    taken_down_at: null,
    taken_down_reason: null,
  })
  await until(async () => (await seen('reported-shop')) === 200)
  const { data } = await done(env, 'audit', 'list', '--operation', 'sites.')
  expect(data.slice(0, 2)).toMatchObject([
    { operation: 'sites.restore', target: { kind: 'site', id }, after: { taken_down: false, reason: null } },
    {
      operation: 'sites.takedown',
      target: { kind: 'site', id },
      after: { taken_down: true, reason: 'phishing' },
    },
  ])
})

test('limits of one site stand in place of those of the configuration until they are taken back', async () => {
  const { id, usage } = await publish(key, siteBody('popular', { slug: 'popular-shop' }))
  const usageOf = async () => (await key.get(`/v1/sites/${id}`)).body.usage
  const set = await done(
    env,
    'site',
    'limits',
    'popular-shop',
    '--daily-requests',
    '0',
    '--daily-bytes',
    '5000',
    '--files',
    '1',
  )
  expect(set.limits).toEqual({ daily_requests: 0, daily_bytes: 5000, files: 1 })
  expect(await usageOf()).toMatchObject({ max_requests: 0, max_bytes: 5000 })
  const two = siteBody('popular', {
    files: [...siteBody('x').files, ...siteBody('y').files.map((one) => ({ ...one, path: 'b.html' }))],
  })
  expect((await key.post(`/v1/sites/${id}`, two)).status).toBe(400)
  const back = await done(
    env,
    'site',
    'limits',
    'popular-shop',
    '--daily-requests',
    'none',
    '--files',
    'none',
  )
  expect(back.limits).toEqual({ daily_bytes: 5000 })
  expect(await usageOf()).toMatchObject({ max_requests: usage.max_requests, max_bytes: 5000 })
  expect((await key.post(`/v1/sites/${id}`, two)).status).toBe(202)
})

test('what is no site, no limit or no change is refused', async () => {
  for (const named of ['nobody', '01890000-0000-7000-8000-000000000000'])
    expect(await refused(env, 'site', 'takedown', named)).toMatchObject({ exit: 1, code: 'SITE_NOT_FOUND' })
  for (const [option, value] of [
    ['--files', '0'],
    ['--daily-bytes', '-1'],
    ['--domains', '1001'],
    ['--file-bytes', 'many'],
  ] as const)
    expect(await refused(env, 'site', 'limits', 'nobody', option, value)).toMatchObject({ exit: 2 })
  expect(await refused(env, 'site', 'limits', 'nobody')).toMatchObject({ exit: 2 })
})
