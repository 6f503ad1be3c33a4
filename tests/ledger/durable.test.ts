/** Holds in the transaction of what they pay for: they hang on no process, and end only where their owner ends them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '#platform/ids'
import { ClaimTaken, type DurableHoldAsk, holdIn, type Payer, settleIn } from '#platform/ledger'
import { boot, type KeyOptions, MovableClock, type World } from '../harness/world.ts'

let world: World
let payer: Payer
const clock = new MovableClock()
beforeAll(async () => {
  world = await boot({ clock })
  payer = await newPayer()
})
afterAll(() => world[Symbol.asyncDispose]())

const now = () => new Date(clock.nowMs())
const newPayer = async (options: KeyOptions = {}): Promise<Payer> => {
  const { keyId } = await world.key(options)
  return { accountId: world.account, projectId: world.project, keyId }
}

const askOf = (receiptId: string, more: Partial<DurableHoldAsk> = {}): DurableHoldAsk => ({
  payer,
  receiptId,
  endpoint: '/v1/test',
  microcredits: 5n,
  accepted: { statusCode: 202, reply: '{"ok":1}' },
  ...more,
})
const hold = (receiptId: string, more: Partial<DurableHoldAsk> = {}) =>
  world.app.db.tx((tx) => holdIn(tx, askOf(receiptId, more), now()))
const settle = (receiptId: string, microcredits: bigint, state: 'completed' | 'failed' = 'completed') =>
  world.app.db.tx((tx) =>
    settleIn(
      tx,
      {
        accountId: world.account,
        receiptId,
        microcredits,
        state,
        statusCode: 202,
        thresholdsPercent: [50, 80, 100],
      },
      now(),
    ),
  )
const receipt = async (id: string) => (await world.app.ledger.receipt(world.account, world.project, id))!
const sound = async () => expect(await world.app.ledger.broken()).toEqual([])

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
    await holdIn(tx, askOf(id, { claim }), now())
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
  expect(await world.app.ledger.earlier(world.account, id, 1_000)).toMatchObject({
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
