/** Durable holds, made in the transaction of what they pay for: they depend on no process, and only their owner ends them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '#platform/ids'
import {
  ClaimTaken,
  type DurableHoldOptions,
  extendHoldInTx,
  holdInTx,
  type Payer,
  type Quantities,
  resizeHoldInTx,
  setCaps,
  settleHoldInTx,
} from '#platform/ledger'
import { until } from '../../harness/until.ts'
import { boot, type KeyOptions, MovableClock, type World } from '../../harness/world.ts'

let world: World
let payer: Payer
const clock = new MovableClock()
beforeAll(async () => {
  // Nothing is swept but by these tests.
  world = await boot({ clock, timing: { sweepMs: 2 ** 31 - 1 } })
  payer = await newPayer()
})
afterAll(() => world[Symbol.asyncDispose]())

const now = () => new Date(clock.nowMs())
const newPayer = async (options: KeyOptions = {}): Promise<Payer> => {
  const { keyId } = await world.key(options)
  return { accountId: world.account, projectId: world.project, keyId }
}

const askOf = (receiptId: string, more: Partial<DurableHoldOptions> = {}): DurableHoldOptions => ({
  payer,
  receiptId,
  endpoint: '/v1/test',
  microcredits: 5n,
  accepted: { statusCode: 202, reply: '{"ok":1}' },
  ...more,
})
const hold = (receiptId: string, more: Partial<DurableHoldOptions> = {}) =>
  world.app.db.tx((tx) => holdInTx(tx, askOf(receiptId, more), now()))
const settle = (
  receiptId: string,
  microcredits: bigint,
  state: 'completed' | 'failed' = 'completed',
  quantities?: Quantities,
) =>
  world.app.db.tx((tx) =>
    settleHoldInTx(
      tx,
      {
        accountId: world.account,
        receiptId,
        microcredits,
        state,
        statusCode: 202,
        quantities,
        thresholdsPercent: [50, 80, 100],
      },
      now(),
    ),
  )
const extend = (receiptId: string, step: string, microcredits: bigint, lifetimeMs?: number) =>
  world.app.db.tx((tx) =>
    extendHoldInTx(
      tx,
      {
        accountId: world.account,
        receiptId,
        step,
        microcredits,
        ...(lifetimeMs !== undefined && { lifetimeMs }),
      },
      now(),
    ),
  )
const rehold = (receiptId: string, from: bigint, to: bigint) =>
  world.app.db.tx((tx) => resizeHoldInTx(tx, { accountId: world.account, receiptId, from, to }))
const receipt = async (id: string) => (await world.app.ledger.receipt(world.account, world.project, id))!
const sound = async () => expect(await world.app.ledger.violations()).toEqual([])

test('it lives until it is settled: no sweep ends it, however long it takes', async () => {
  const id = uuidv7()
  const before = await world.balance()
  await hold(id)
  await sound()
  clock.moveMs(400 * 86_400_000)
  expect(await world.app.ledger.sweep()).toBe(0)
  expect(await world.balance()).toEqual({ available: before.available - 5n, held: before.held + 5n })
  expect(await receipt(id)).toMatchObject({ state: 'running', status_code: 202, held: 5n })
  expect(await settle(id, 3n)).toEqual({ chargedMicrocredits: 3n, lossMicrocredits: 0n })
  expect(await receipt(id)).toMatchObject({
    state: 'completed',
    status_code: 202,
    charged: 3n,
    ambiguous: false,
  })
  expect(await world.balance()).toEqual({ available: before.available - 3n, held: before.held })
  await sound()
})

test('settled twice it is charged once', async () => {
  const id = uuidv7()
  await hold(id)
  await settle(id, 4n)
  expect(await settle(id, 5n, 'failed')).toMatchObject({ chargedMicrocredits: 4n })
  expect(await receipt(id)).toMatchObject({ state: 'completed', charged: 4n })
  await sound()
})

test('a transaction that fails leaves no hold, no receipt and no claim', async () => {
  const id = uuidv7()
  const claim = { key: 'undone', fingerprint: 'f' }
  const before = await world.balance()
  const failing = world.app.db.tx(async (tx) => {
    await holdInTx(tx, askOf(id, { claim }), now())
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await receipt(id)).toBeUndefined()
  expect(await world.balance()).toEqual(before)
  await hold(id, { claim })
  await settle(id, 0n)
})

test('a claim is taken once; who comes second is told whose it is, and the answer is there at once', async () => {
  const id = uuidv7()
  const claim = { key: 'once', fingerprint: 'f' }
  await hold(id, { claim })
  const second = hold(uuidv7(), { claim })
  await expect(second).rejects.toBeInstanceOf(ClaimTaken)
  await expect(second).rejects.toMatchObject({ receiptId: id })
  expect(await world.app.ledger.earlierReceipt(world.account, id, 1_000)).toMatchObject({
    state: 'running',
    status_code: 202,
    reply: '{"ok":1}',
  })
  // A failed one keeps its claim: it was accepted.
  await settle(id, 2n, 'failed')
  await expect(hold(uuidv7(), { claim })).rejects.toBeInstanceOf(ClaimTaken)
  await sound()
})

test('it is refused as any hold is: balance, budget, rate and calls under way', async () => {
  await expect(hold(uuidv7(), { microcredits: 10n ** 15n })).rejects.toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
  })
  const capped = await newPayer({ caps: { cap: 4n } })
  await expect(hold(uuidv7(), { payer: capped })).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    detail: { scope: 'key', needMicrocredits: 5n, haveMicrocredits: 4n },
  })
  const slow = await newPayer({ caps: { ratePerMinute: 1 } })
  const first = uuidv7()
  await hold(first, { payer: slow })
  await expect(hold(uuidv7(), { payer: slow })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await settle(first, 0n)
  const single = await newPayer({ caps: { concurrency: 1 } })
  const open = uuidv7()
  await hold(open, { payer: single })
  await expect(hold(uuidv7(), { payer: single })).rejects.toMatchObject({ code: 'CONCURRENCY_LIMITED' })
  await settle(open, 0n)
  await hold(uuidv7(), { payer: single }).then(() => undefined)
  const { rows } = await world.app.db.pool.query('select receipt_id from ledger.holds')
  for (const { receipt_id: id } of rows) await settle(id, 1n)
  await sound()
})

test('what goes beyond the hold is charged as far as there is room, and is a loss beyond that', async () => {
  const id = uuidv7()
  const capped = await newPayer({ caps: { cap: 10n } })
  await hold(id, { payer: capped })
  expect(await settle(id, 12n)).toEqual({ chargedMicrocredits: 10n, lossMicrocredits: 2n })
  await sound()
})

test('a step extends it once, however often it asks, and what it promises is what is held', async () => {
  const id = uuidv7()
  const before = await world.balance()
  await hold(id)
  expect(await extend(id, 'first', 7n)).toBe(12n)
  expect(await extend(id, 'second', 3n)).toBe(15n)
  expect(await extend(id, 'first', 7n)).toBe(15n)
  expect(await world.balance()).toEqual({ available: before.available - 15n, held: before.held + 15n })
  expect(await receipt(id)).toMatchObject({ state: 'running', held: 15n })
  await sound()
  expect(await settle(id, 14n)).toEqual({ chargedMicrocredits: 14n, lossMicrocredits: 0n })
  expect(await extend(id, 'first', 7n)).toBeUndefined()
  expect(await extend(id, 'third', 1n)).toBeUndefined()
  expect(await world.balance()).toEqual({ available: before.available - 14n, held: before.held })
  await sound()
})

test('a step that fails extends nothing, and may ask again', async () => {
  const id = uuidv7()
  await hold(id)
  const failing = world.app.db.tx(async (tx) => {
    const ask = { accountId: world.account, receiptId: id, step: 'first', microcredits: 7n }
    expect(await extendHoldInTx(tx, ask, now())).toBe(12n)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await receipt(id)).toMatchObject({ held: 5n })
  expect(await extend(id, 'first', 8n)).toBe(13n)
  await settle(id, 0n)
  await sound()
})

test('what is not free is refused, exactly at the edge, by balance and caps, and the hold stays as it was', async () => {
  const { available } = await world.balance()
  const id = uuidv7()
  await hold(id)
  await expect(extend(id, 'first', available - 4n)).rejects.toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
    detail: { needMicrocredits: available - 4n, haveMicrocredits: available - 5n },
  })
  expect(await extend(id, 'first', available - 5n)).toBe(available)
  expect((await world.balance()).available).toBe(0n)
  await settle(id, 0n)
  const capped = await newPayer({ caps: { cap: 20n } })
  const other = uuidv7()
  await hold(other, { payer: capped })
  await expect(extend(other, 'first', 16n)).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    detail: { scope: 'key', needMicrocredits: 16n, haveMicrocredits: 15n },
  })
  expect(await receipt(other)).toMatchObject({ held: 5n })
  const { keyId } = capped
  await world.app.db.tx((tx) => setCaps(tx, world.account, 'key', keyId, { monthCap: 12n }, { now: now() }))
  await expect(extend(other, 'first', 8n)).rejects.toMatchObject({ detail: { scope: 'key_month' } })
  expect(await extend(other, 'first', 7n)).toBe(12n)
  await sound()
  await settle(other, 12n)
  await sound()
})

test('an owner makes it larger and smaller, each change once, and what it promises is what is held', async () => {
  const id = uuidv7()
  const before = await world.balance()
  await hold(id)
  expect(await rehold(id, 5n, 40n)).toBe(true)
  // The same once more, as after a reply that was lost.
  expect(await rehold(id, 5n, 40n)).toBe(true)
  expect(await world.balance()).toEqual({ available: before.available - 40n, held: before.held + 40n })
  expect(await receipt(id)).toMatchObject({ state: 'running', held: 40n })
  expect(await rehold(id, 40n, 0n)).toBe(true)
  // What arrives late finds it elsewhere.
  expect(await rehold(id, 5n, 40n)).toBe(false)
  expect(await world.balance()).toEqual(before)
  expect(await rehold(id, 0n, 9n)).toBe(true)
  await sound()
  expect(await settle(id, 9n)).toEqual({ chargedMicrocredits: 9n, lossMicrocredits: 0n })
  expect(await rehold(id, 9n, 10n)).toBe(false)
  await sound()
})

test('a change that balance or a cap does not bear is refused at the edge, one that is undone has not been, and it stays as it was', async () => {
  const { available } = await world.balance()
  const id = uuidv7()
  await hold(id)
  await expect(rehold(id, 5n, available + 1n)).rejects.toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
    detail: { needMicrocredits: available - 4n, haveMicrocredits: available - 5n },
  })
  const failing = world.app.db.tx(async (tx) => {
    expect(await resizeHoldInTx(tx, { accountId: world.account, receiptId: id, from: 5n, to: 6n })).toBe(true)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await rehold(id, 5n, available)).toBe(true)
  expect((await world.balance()).available).toBe(0n)
  await settle(id, 0n)
  const capped = await newPayer({ caps: { cap: 20n } })
  const other = uuidv7()
  await hold(other, { payer: capped })
  await expect(rehold(other, 5n, 21n)).rejects.toMatchObject({
    code: 'BUDGET_EXCEEDED',
    detail: { scope: 'key', needMicrocredits: 16n, haveMicrocredits: 15n },
  })
  // A cap below what is held lets it shrink, and no more.
  const { keyId } = capped
  await world.app.db.tx((tx) => setCaps(tx, world.account, 'key', keyId, { cap: 2n }, { now: now() }))
  await expect(rehold(other, 5n, 6n)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  expect(await rehold(other, 5n, 4n)).toBe(true)
  await settle(other, 4n)
  await sound()
})

test('one that was accepted without an answer to repeat is told to be under way, and to be done', async () => {
  const id = uuidv7()
  const claim = { key: 'unanswered', fingerprint: 'f' }
  await hold(id, { claim, accepted: { statusCode: 201 } })
  await expect(hold(uuidv7(), { claim })).rejects.toMatchObject({ receiptId: id })
  const earlier = () => world.app.ledger.earlierReceipt(world.account, id, 1_000)
  expect(await earlier()).toMatchObject({ state: 'running', status_code: 201, reply: null })
  await settle(id, 1n)
  expect(await earlier()).toMatchObject({ state: 'completed', reply: null })
  await sound()
})

test('one with a lifetime is charged when it is over, unless a step put that off', async () => {
  const [short, long] = [uuidv7(), uuidv7()]
  const before = await world.balance()
  for (const id of [short, long]) await hold(id, { lifetimeMs: 60_000 })
  expect(await extend(long, 'first', 0n, 120_000)).toBe(5n)
  // A shorter life than it has changes nothing.
  expect(await extend(long, 'second', 1n, 10)).toBe(6n)
  clock.moveMs(61_000)
  expect(await world.app.ledger.sweep()).toBe(1)
  expect(await receipt(short)).toMatchObject({ state: 'failed', ambiguous: true, charged: 5n })
  expect(await receipt(long)).toMatchObject({ state: 'running', held: 6n })
  clock.moveMs(60_000)
  expect(await world.app.ledger.sweep()).toBe(1)
  // Its owner comes late with what it did cost: the rest goes back.
  await settle(long, 2n)
  expect(await receipt(long)).toMatchObject({ state: 'completed', ambiguous: false, charged: 2n })
  expect(await world.balance()).toEqual({ available: before.available - 7n, held: before.held })
  await sound()
})

test('a step that is done again after a crash has its whole life again, and promises nothing twice', async () => {
  const id = uuidv7()
  await hold(id, { lifetimeMs: 1_000 })
  expect(await extend(id, 'first', 2n, 10_000)).toBe(7n)
  clock.moveMs(9_000)
  expect(await extend(id, 'first', 2n, 10_000)).toBe(7n)
  clock.moveMs(9_000)
  expect(await world.app.ledger.sweep()).toBe(0)
  expect(await receipt(id)).toMatchObject({ state: 'running', held: 7n })
  await settle(id, 7n)
  await sound()
})

test('what is extended while a sweep waits for the lock is not swept', async () => {
  const id = uuidv7()
  await hold(id, { lifetimeMs: 1_000 })
  clock.moveMs(2_000)
  const { swept } = await world.app.db.tx(async (tx) => {
    const ask = {
      accountId: world.account,
      receiptId: id,
      step: 'first',
      microcredits: 1n,
      lifetimeMs: 60_000,
    }
    expect(await extendHoldInTx(tx, ask, now())).toBe(6n)
    const swept = world.app.ledger.sweep()
    await until(async () => {
      const { rows } = await world.app.db.pool.query(
        `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%ledger.sweep%'`,
      )
      return rows.length > 0
    })
    return { swept }
  })
  expect(await swept).toBe(0)
  expect(await receipt(id)).toMatchObject({ state: 'running', held: 6n })
  await settle(id, 6n)
  await sound()
})

test('usage in other units stands on the receipt and adds up in the usage of the day', async () => {
  const used = [{ pictures: 2 }, { pictures: 1, seconds: 30 }, undefined]
  const ids = used.map(() => uuidv7())
  for (const [at, quantities] of used.entries()) {
    await hold(ids[at]!, { endpoint: '/v1/pictures', referenceId: at === 1 ? 'order-1' : undefined })
    await settle(ids[at]!, 1n, 'completed', quantities)
    // Settled again it is counted once.
    await settle(ids[at]!, 1n, 'completed', quantities)
  }
  const read = async (text: string) => (await world.app.db.pool.query(text)).rows
  for (const [at, quantities] of used.entries())
    expect((await receipt(ids[at]!)).quantities).toEqual(quantities ?? null)
  expect(
    await read(
      `select quantities, requests from ledger.usage_days where endpoint = '/v1/pictures' order by reference_id`,
    ),
  ).toEqual([
    { quantities: { pictures: 2 }, requests: 2n },
    { quantities: { pictures: 1, seconds: 30 }, requests: 1n },
  ])
  expect(
    await read(`select quantities from ledger.usage_referenced where endpoint = '/v1/pictures'`),
  ).toEqual([{ quantities: { pictures: 1, seconds: 30 } }])
  await sound()
})
