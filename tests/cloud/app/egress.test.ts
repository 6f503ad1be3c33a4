import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CloudAllowances, setCloudLimits } from '#cloud/clouds'
import { boot, MovableClock, type TestCloud, type World } from '../../harness/world.ts'
import { type AppArea, serveAreas } from './area-server.ts'

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

/** With limits of its own. */
const cloudWith = async (limits: Record<string, number>): Promise<TestCloud> => {
  const cloud = await world.newCloud()
  await setCloudLimits(world.app, keyOf(cloud), limits)
  await world.app.clouds.refresh(keyOf(cloud))
  return cloud
}
const keyOf = ({ id }: TestCloud) => ({ accountId: world.account, cloudId: id })
const used = async ({ id }: TestCloud): Promise<{ bytes: number; calls: number }> => {
  const [row] = await world.app.db.query<{ egress_bytes: bigint; function_calls: bigint }>(
    { text: 'select egress_bytes, function_calls from clouds.usage_days where cloud_id = $1 and day = $2' },
    [id, day],
  )
  return { bytes: Number(row?.egress_bytes ?? 0), calls: Number(row?.function_calls ?? 0) }
}

const area: AppArea = {
  prefix: '/echo',
  name: 'echo',
  handle: async ({ path }) => ({
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    body: path === '/stream' ? Readable.from([Buffer.alloc(600), Buffer.alloc(600)]) : Buffer.alloc(1_000),
  }),
  failureReply: (failure) => ({ status: failure.status, body: { code: failure.code } }),
}
async function ask(cloud: TestCloud, path = '') {
  await using server = await serveAreas(world, cloud, [area])
  const reply = await fetch(`${server.url}/echo${path}`, { headers: { apikey: cloud.publicKey } })
  const text = await reply.text().catch(() => 'cut')
  return { status: reply.status, text, headers: reply.headers }
}

test('answers of a cloud end exactly with its bytes of the day, in the words of their part, until midnight UTC', async () => {
  const measured = await cloudWith({})
  const one = await costOf(measured)
  const cloud = await cloudWith({ daily_egress_bytes: 3 * one })
  for (let count = 0; count < 3; count++) expect((await ask(cloud)).status).toBe(200)
  const refused = await ask(cloud)
  expect([refused.status, refused.text]).toEqual([429, '{"code":"CLOUD_EGRESS_LIMIT"}'])
  expect(Number(refused.headers.get('retry-after'))).toBe(dayMs / 2 / 1000)
  expect((await used(cloud)).bytes).toBe(3 * one)
  const less = await cloudWith({ daily_egress_bytes: 3 * one - 1 })
  for (let count = 0; count < 2; count++) expect((await ask(less)).status).toBe(200)
  expect((await ask(less)).status).toBe(429)
  clock.moveMs(dayMs / 2)
  expect((await ask(cloud)).status).toBe(200)
  clock.moveMs(-dayMs / 2)
})

/** What one answer is on the wire: its status line, its headers without those of Node and of the listener, and its body. */
async function costOf(cloud: TestCloud): Promise<number> {
  const { headers } = await ask(cloud)
  let bytes = 30 + 1_000
  for (const [name, value] of headers)
    if (!['date', 'connection', 'keep-alive', 'x-content-type-options'].includes(name))
      bytes += name.length + value.length + 4
  return bytes
}

test('a stream that reaches the end of the day is cut, so that nobody takes a part for the whole', async () => {
  const measured = await cloudWith({})
  const head = (await costOf(measured)) - 1_000
  const cloud = await cloudWith({ daily_egress_bytes: head + 1_300 })
  expect(await ask(cloud, '/stream')).toMatchObject({ status: 200 })
  const short = await cloudWith({ daily_egress_bytes: head + 700 })
  expect(await ask(short, '/stream')).toMatchObject({ status: 200, text: 'cut' })
})

test('however many processes answer, no day has more bytes than its limit, and what one does not use is given back', async () => {
  const max = 50_000_000
  const cloud = await cloudWith({ daily_egress_bytes: max })
  const processes = Array.from({ length: 4 }, () => new CloudAllowances(world.app))
  const answers = await Promise.all(
    processes.flatMap((one) =>
      Array.from({ length: 300 }, async () => one.takeEgress(keyOf(cloud), 100_000)),
    ),
  )
  const taken = answers.filter(Boolean).length * 100_000
  expect(taken).toBeLessThanOrEqual(max)
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  expect((await used(cloud)).bytes).toBe(taken)
  await using last = new CloudAllowances(world.app)
  if (taken < max) expect(await last.takeEgress(keyOf(cloud), max - taken)).toBe(true)
  expect(await last.takeEgress(keyOf(cloud), 1)).toBe(false)
})

test('however many processes call functions, no day has more calls than its limit, and what one does not use is given back', async () => {
  const max = 500
  const cloud = await cloudWith({ daily_function_calls: max })
  const processes = Array.from({ length: 4 }, () => new CloudAllowances(world.app))
  const calls = await Promise.allSettled(
    processes.flatMap((one) => Array.from({ length: 300 }, () => one.takeCall(keyOf(cloud), max))),
  )
  const taken = calls.filter(({ status }) => status === 'fulfilled').length
  const { calls: counted } = await used(cloud)
  expect(counted).toBeLessThanOrEqual(max)
  expect(taken).toBeLessThanOrEqual(counted)
  expect(taken).toBeGreaterThan(max * 0.7)
  const refused = calls.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(refused.reason).toMatchObject({ code: 'CLOUD_CALL_LIMIT', more: { retryAfterMs: dayMs / 2 } })
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  expect((await used(cloud)).calls).toBe(taken)
  await using last = new CloudAllowances(world.app)
  for (let left = max - taken; left > 0; left--) await last.takeCall(keyOf(cloud), max)
  await expect(last.takeCall(keyOf(cloud), max)).rejects.toMatchObject({ code: 'CLOUD_CALL_LIMIT' })
})
