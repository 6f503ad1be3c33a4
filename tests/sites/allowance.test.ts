import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSiteAllowances } from '#sites/hosting'
import { sites } from '#sites/site-routes'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { type Answer, type Published, publish, visit } from './visitor.ts'

const dayMs = 24 * 60 * 60 * 1000
const day = '2026-11-27'
const noonMs = Date.parse(`${day}T12:00:00Z`)

let world: World
let clock: MovableClock
beforeAll(async () => {
  clock = new MovableClock(noonMs)
  world = await boot({ clock })
})
afterAll(() => world[Symbol.asyncDispose]())

const files = { 'index.html': 'سلام'.repeat(200), 'style.css': 'x' }
const siteWith = async (limits: Record<string, number>): Promise<Published> => {
  const site = await publish(await world.key(), { files })
  await limit(site, limits)
  return site
}
const limit = ({ id }: Published, limits: Record<string, number>) =>
  world.app.db.query({ text: 'update sites.sites set limits = $2::jsonb where site_id = $1' }, [
    id,
    JSON.stringify(limits),
  ])
const used = async ({ id }: { id: string }, on = day): Promise<{ requests: number; bytes: number }> => {
  const [row] = await world.app.db.query<{ requests: bigint; bytes: bigint }>(
    { text: 'select requests, bytes from sites.usage_days where site_id = $1 and day = $2' },
    [id, on],
  )
  return { requests: Number(row?.requests ?? 0), bytes: Number(row?.bytes ?? 0) }
}
/** Asks once through another process of this database, which ends thereafter and gives back what it did not use. */
async function askElsewhere(site: Published, path: string): Promise<Answer> {
  const handler = sites.apps(world.app)
  const server = createServer((message, response) =>
    handler.handle({
      ...{ message, response, host: new URL(site.url).hostname, pathPrefix: '', clientAddress: '127.0.0.1' },
      ...{ secure: false, timeLimit: undefined },
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await visit(`http://127.0.0.1:${port}`, path)
  await handler[Symbol.asyncDispose]()
  server.close()
  return answer
}
const midnight = () => {
  const nowMs = clock.nowMs()
  return Math.ceil((nowMs + 1) / dayMs) * dayMs - nowMs
}

test('a site answers exactly as many requests as its day has, then says until when, and opens again at midnight', async () => {
  const site = await siteWith({ daily_requests: 7 })
  for (let count = 0; count < 7; count++) {
    const path = ['/', '/style.css', '/missing', '/index.html'][count % 4]!
    expect((await site.get(path, { method: count % 2 ? 'HEAD' : 'GET' })).status).not.toBe(503)
  }
  const refused = await site.get('/')
  expectUsedUp(refused)
  expect(Number(refused.headers['retry-after'])).toBe(midnight() / 1000)
  expect(await used(site)).toMatchObject({ requests: 7 })
  clock.moveMs(midnight() - 1)
  expectUsedUp(await site.get('/'))
  clock.moveMs(1)
  expect((await site.get('/')).status).toBe(200)
  clock.moveMs(noonMs - clock.nowMs())
})

function expectUsedUp(answer: Answer): void {
  expect(answer.status).toBe(503)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.text).toContain('۳:۳۰ بامداد به وقت تهران')
}

test('a site sends exactly as many bytes as its day has, and what is small still goes when what is large no longer does', async () => {
  const measured = await siteWith({})
  expect((await askElsewhere(measured, '/')).text).toBe(files['index.html'])
  const { requests, bytes: one } = await used(measured)
  expect(requests).toBe(1)
  expect(one).toBeGreaterThan(Buffer.byteLength(files['index.html']))
  const exact = await siteWith({ daily_bytes: one * 3 })
  for (let count = 0; count < 3; count++) expect((await exact.get('/')).status).toBe(200)
  expectUsedUp(await exact.get('/'))
  const less = await siteWith({ daily_bytes: one * 3 - 1 })
  for (let count = 0; count < 2; count++) expect((await less.get('/')).status).toBe(200)
  expectUsedUp(await less.get('/'))
  expect((await less.get('/style.css')).status).toBe(200)
  expect((await used(less)).bytes).toBeLessThan(one * 3)
})

test('a limit that is raised counts within seconds', async () => {
  const site = await siteWith({ daily_requests: 0 })
  expectUsedUp(await site.get('/'))
  await limit(site, { daily_requests: 1 })
  clock.moveMs(5_000)
  expect((await site.get('/')).status).toBe(200)
  expectUsedUp(await site.get('/'))
})

test('however many processes take, no day gives more than its limit, and what they do not use is given back', async () => {
  const site = await siteWith({})
  const limits = { requests: 1_000, bytes: 50_000 }
  const { db, log } = world.app
  const processes = Array.from({ length: 6 }, () =>
    openSiteAllowances({ clock, db, log, limitsOf: () => limits }),
  )
  const visited = { accountId: world.account, siteId: site.id }
  const answers = await Promise.all(
    processes.flatMap((one) =>
      Array.from({ length: 400 }, (_, index) =>
        one.of(visited.accountId, visited.siteId).take({ requests: 1, bytes: index % 50 }),
      ),
    ),
  )
  const taken = answers.filter(Boolean).length
  const row = await used(site)
  expect(row.requests).toBeLessThanOrEqual(limits.requests)
  expect(row.bytes).toBeLessThanOrEqual(limits.bytes)
  expect(taken).toBeLessThanOrEqual(row.requests)
  // What one of them holds in advance the others do not get: at most an eighth of what was left.
  expect(taken).toBeGreaterThan(limits.requests * 0.7)
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  expect((await used(site)).requests).toBe(taken)
})

test('what was taken in advance and not used before midnight is given back to the day that it is of', async () => {
  const site = await siteWith({})
  const { db, log } = world.app
  const own = new MovableClock(noonMs)
  await using one = openSiteAllowances({
    clock: own,
    db,
    log,
    limitsOf: () => ({ requests: 100, bytes: 1_000 }),
  })
  const allowance = one.of(world.account, site.id)
  expect(await allowance.take({ requests: 1, bytes: 10 })).toBe(true)
  expect((await used(site)).requests).toBeGreaterThan(1)
  own.moveMs(dayMs)
  expect(await allowance.take({ requests: 1, bytes: 20 })).toBe(true)
  await until(async () => (await used(site)).requests === 1)
  expect(await used(site)).toEqual({ requests: 1, bytes: 10 })
  await one[Symbol.asyncDispose]()
  expect(await used(site, '2026-11-28')).toEqual({ requests: 1, bytes: 20 })
})

test('bytes that a visitor did not take are given back', async () => {
  const site = await siteWith({})
  const { db, log } = world.app
  const one = openSiteAllowances({ clock, db, log, limitsOf: () => ({ requests: 10, bytes: 100 }) })
  const allowance = one.of(world.account, site.id)
  expect(await allowance.take({ requests: 1, bytes: 100 })).toBe(true)
  expect(await allowance.take({ requests: 1, bytes: 30 })).toBe(false)
  allowance.refund({ bytes: 30 })
  expect(await allowance.take({ requests: 1, bytes: 30 })).toBe(true)
  await one[Symbol.asyncDispose]()
  expect(await used(site)).toEqual({ requests: 2, bytes: 100 })
})

test('what was used is written down for ninety days, and no longer', async () => {
  const site = await siteWith({})
  const { db, log } = world.app
  await db.query(
    {
      text: `insert into sites.usage_days (account_id, site_id, day, requests)
        select $1, $2, $3::date - days, 1 from unnest(array[90, 91, 400]) days`,
    },
    [world.account, site.id, day],
  )
  await using one = openSiteAllowances({
    clock: new MovableClock(noonMs),
    db,
    log,
    limitsOf: () => ({ requests: 9, bytes: 9 }),
  })
  expect(await one.of(world.account, site.id).take({ requests: 1, bytes: 1 })).toBe(true)
  const rows = await db.query<{ days: number }>(
    { text: 'select $2::date - day as days from sites.usage_days where site_id = $1 order by days' },
    [site.id, day],
  )
  expect(rows.map(({ days }) => days)).toEqual([0, 90])
})
