/** Rate limits: exact across processes, answered with the time to wait, free of charge. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type Caps, type MeterScope, setCaps } from '#platform/ledger'
import { sharedWorld } from '../harness/shared-world.ts'
import { answer, fakeUpstream, type Script } from '../harness/upstream.ts'
import { boot, MovableClock, upstreamConfig, type World } from '../harness/world.ts'

const limit = (world: World, scope: MeterScope, id: string, limits: Caps): Promise<boolean> =>
  world.app.db.tx((tx) => setCaps(tx, world.account, scope, id, limits))

test('a key may begin so many calls in any minute, and is told when to come back', async () => {
  const clock = new MovableClock(Date.UTC(2026, 10, 20, 12, 0, 0))
  await using world = await boot({ clock })
  const key = await world.key()
  const other = await world.key()
  expect(await limit(world, 'key', key.keyId, { ratePerMinute: 5 })).toBe(true)

  const begin = async () => (await key.chat({ max_tokens: 4 })).status
  expect(await begin()).toBe(200)
  clock.moveMs(10_000)
  expect([await begin(), await begin(), await begin(), await begin()]).toEqual([200, 200, 200, 200])
  await world.settled()
  const before = await world.balance()
  const refused = await key.chat({ max_tokens: 4 })
  expect(refused.status).toBe(429)
  expect(refused.body.error).toMatchObject({
    code: 'RATE_LIMITED',
    type: 'rate_limit_error',
    execution_started: false,
  })
  expect(refused.headers.get('retry-after')).toBe('50')
  expect(refused.headers.get('retry-after-ms')).toBe('50000')
  expect(await world.balance()).toEqual(before)
  expect((await other.chat({ max_tokens: 4 })).status).toBe(200)

  // The first of the five leaves the minute, then the other four.
  clock.moveMs(50_000)
  expect([await begin(), await begin()]).toEqual([200, 429])
  clock.moveMs(10_000)
  expect([await begin(), await begin(), await begin(), await begin(), await begin()]).toEqual([
    200, 200, 200, 200, 429,
  ])
})

test('limits of project and account bind all their keys together; a lifted limit is felt within a second', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock })
  const keys = [await world.key(), await world.key(), await world.key({ project: await world.newProject() })]
  await limit(world, 'project', world.project, { ratePerMinute: 2 })
  await limit(world, 'account', world.account, { ratePerMinute: 3 })
  const [one, two, elsewhere] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]]
  expect([(await one.chat({})).status, (await two.chat({})).status]).toEqual([200, 200])
  expect((await one.chat({})).body.error.message).toContain('project')
  expect((await elsewhere.chat({})).status).toBe(200)
  const refused = await elsewhere.chat({}, { 'accept-language': 'fa' })
  expect(refused.status).toBe(429)
  expect(refused.body.error.message).toContain('حساب')
  await limit(world, 'project', world.project, { ratePerMinute: null })
  await limit(world, 'account', world.account, { ratePerMinute: null })
  clock.moveMs(1_001)
  expect([(await one.chat({})).status, (await elsewhere.chat({})).status]).toEqual([200, 200])
})

test('so many calls of a key may be under way, streams included, and each that ends makes room', async () => {
  await using upstream = await fakeUpstream()
  await using world = await sharedWorld({ config: upstreamConfig(upstream.url) })
  const key = await world.key()
  await limit(world, 'key', key.keyId, { concurrency: 2 })
  const released = Promise.withResolvers<Script>()
  upstream.reply(() => released.promise)
  const running = [key.chat({}), key.chat({ stream: true })]
  await upstream.call(1)
  const refused = await key.chat({})
  expect(refused.status).toBe(429)
  expect(refused.body.error).toMatchObject({ code: 'CONCURRENCY_LIMITED', type: 'rate_limit_error' })
  expect(refused.headers.get('retry-after-ms')).toBe('1000')
  expect(upstream.calls).toHaveLength(2)
  released.resolve(answer())
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
  await world.settled()
  upstream.reply(answer())
  expect((await key.chat({})).status).toBe(200)
})

test('of many at once exactly as many begin as the limit allows', async () => {
  await using world = await boot({ clock: new MovableClock() })
  const key = await world.key()
  await limit(world, 'key', key.keyId, { ratePerMinute: 20 })
  const seen = await Promise.all(Array.from({ length: 60 }, () => key.chat({ max_tokens: 4 })))
  expect(seen.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(seen.filter(({ status }) => status === 429)).toHaveLength(40)
})

test('a repeat under an idempotency key is answered even when the limit is used up, and a refusal does not burn the key', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock })
  const key = await world.key()
  await limit(world, 'key', key.keyId, { ratePerMinute: 1 })
  const first = await key.chat({}, { 'idempotency-key': 'a' })
  expect((await key.chat({}, { 'idempotency-key': 'b' })).status).toBe(429)
  const again = await key.chat({}, { 'idempotency-key': 'a' })
  expect([again.status, again.text]).toEqual([200, first.text])
  clock.moveMs(61_000)
  expect((await key.chat({}, { 'idempotency-key': 'b' })).status).toBe(200)
})

test('the OpenAI client waits as told and then succeeds', async () => {
  const clock = new MovableClock(Math.floor(Date.now() / 1000) * 1000)
  await using world = await boot({ clock })
  const key = await world.key()
  await limit(world, 'key', key.keyId, { ratePerMinute: 1 })
  await key.chat({})
  clock.moveMs(59_500)
  let asked = 0
  const client = new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: key.secret,
    fetch: (input, init) => {
      asked++
      if (asked === 2) clock.moveMs(2_000)
      return fetch(input, init)
    },
  })
  const done = await client.chat.completions.create({
    model: 'sandbox/fast',
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(done.choices[0]?.finish_reason).toBe('stop')
  expect(asked).toBe(2)
})
