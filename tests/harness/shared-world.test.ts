/** What `sharedWorld` promises the tests that use it. */
import { expect, test, vi } from 'vitest'
import { expectNone } from './expect-none.ts'
import { checkFile } from './file-checks.ts'
import { sharedWorld } from './shared-world.ts'
import { fakeUpstream, json } from './upstream.ts'
import { upstreamConfig } from './world.ts'

test('worlds share a server and have an account, credits and models of their own', async () => {
  await using upstream = await fakeUpstream()
  await using one = await sharedWorld({ credits: 5 })
  await using two = await sharedWorld({ credits: 7, config: upstreamConfig(upstream.url) })
  expect(two.url).toBe(one.url)
  expect(await one.balance()).toEqual({ available: 5_000_000n, held: 0n })
  expect(await two.balance()).toEqual({ available: 7_000_000n, held: 0n })
  const key = await two.key()
  expect((await key.chat({})).body.model).toBe('test/model')
  // It held all that there is.
  await two.settled()
  const offline = await key.chat({ model: 'sandbox/fast' })
  expect(offline.status, offline.text).toBe(200)
  expect(upstream.calls).toHaveLength(1)
})

test('models end with their world, and with them what was learnt of their provider', async () => {
  await using upstream = await fakeUpstream()
  upstream.reply(json(429, {}, { 'retry-after': '60' }))
  {
    await using world = await sharedWorld({ config: upstreamConfig(upstream.url) })
    const key = await world.key()
    expect((await key.chat({})).status).toBe(429)
    // It rests for a minute, and is not asked before.
    const asked = upstream.calls.length
    expect((await key.chat({})).status).toBe(429)
    expect(upstream.calls).toHaveLength(asked)
  }
  {
    await using world = await sharedWorld()
    const key = await world.key()
    expect((await key.chat({ model: 'test/model' })).status).toBe(404)
    expect((await key.chat({})).body.model).toBe('sandbox/fast')
  }
  upstream.reset()
  await using world = await sharedWorld({ config: upstreamConfig(upstream.url) })
  const before = upstream.calls.length
  expect((await (await world.key()).chat({})).status).toBe(200)
  expect(upstream.calls).toHaveLength(before + 1)
})

test('a setting of the server is refused', async () => {
  await expect(sharedWorld({ config: 'budgets: { thresholds_percent: [10] }' })).rejects.toThrow(/budgets/)
  await expect(sharedWorld({ config: 'defaults: { markup: 2 }' })).rejects.toThrow(/defaults/)
})

test('of two open worlds with the same models the newer one answers, and then the older one again', async () => {
  await using first = await fakeUpstream()
  await using second = await fakeUpstream()
  await using outer = await sharedWorld({ config: upstreamConfig(first.url) })
  const key = await outer.key()
  {
    await using _inner = await sharedWorld({ config: upstreamConfig(second.url) })
    expect((await key.chat({})).status).toBe(200)
    expect([first.calls.length, second.calls.length]).toEqual([0, 1])
    const { body } = await key.get('/v1/models')
    const ids = body.data.map(({ id }: { id: string }) => id)
    expect(ids[0]).toBe('test/model')
    expect(new Set(ids).size).toBe(ids.length)
  }
  expect((await key.chat({})).status).toBe(200)
  expect([first.calls.length, second.calls.length]).toEqual([1, 1])
})

test('a world that was forgotten is found after the file, and its models go', async () => {
  await using upstream = await fakeUpstream()
  const left = await sharedWorld({ config: upstreamConfig(upstream.url) })
  await expect(checkFile()).rejects.toThrow(/every world of this file is disposed/)
  expect(left.app.models.find('test/model')).toBeUndefined()
  await checkFile()
})

test('books that do not balance are found after the file', async () => {
  await using world = await sharedWorld()
  const change = (by: number) =>
    world.app.db.query(
      { text: `update ledger.meters set balance = balance + $2 where scope = 'account' and account_id = $1` },
      [world.account, by],
    )
  await change(1)
  await expect(world.app.ledger.violations()).resolves.toMatchObject([{ account_id: world.account }])
  await world[Symbol.asyncDispose]()
  await expect(checkFile()).rejects.toThrow(/the ledger keeps its invariants/)
  await change(-1)
  await checkFile()
})

test('an answer that is not as its route declares it fails the test in which it was given', async () => {
  const world = await sharedWorld()
  const key = await world.key()
  const balance = vi.spyOn(world.app.ledger, 'balance')
  balance.mockResolvedValue({ balance: -5_000_000n, held: 0n })
  await key.get('/v1/balance')
  balance.mockRestore()
  await expect(world[Symbol.asyncDispose]()).rejects.toThrow(/every answer is as its route declares it/)
})

test('what must be empty fails with its first members, however many there are', () => {
  expectNone([], 'nothing is left')
  expect(() => expectNone(['one'], 'nothing is left')).toThrow('nothing is left')
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ at, text: 'x'.repeat(200) }))
  expect(() => expectNone(rows, 'nothing is left')).toThrow('20 of 5000')
})
