/** The money of calls, on a real database: one hold that rolls, steps that are written before they are paid for, one receipt. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { questionTurn, startPaidTurn, worstCaseOf } from '#core/inference'
import type { Model } from '#core/models'
import { revokeKey, setAccountState, setKey } from '#platform/auth'
import type { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { type HoldOptions, type Payer, setCaps } from '#platform/ledger'
import { beginCall, freeProcesses, readCall, requestCallEnd, type StepKind } from '#voice/realtime'
import { until } from '../harness/until.ts'
import { boot, type KeyOptions, MovableClock, type World } from '../harness/world.ts'
import { type CallWish, callOf, costing, startCall, type TestCall } from './calls.ts'

let world: World
let payer: Payer
const clock = new MovableClock()
beforeAll(async () => {
  world = await boot({ clock })
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  payer = await newPayer()
})

const newPayer = async (options: KeyOptions = {}): Promise<Payer> => {
  const { keyId } = await world.key(options)
  return { accountId: world.account, projectId: world.project, keyId }
}
const start = (wish: Partial<CallWish> = {}): Promise<TestCall> => startCall(world.app, { payer, ...wish })
const receiptOf = async ({ receiptId }: TestCall) =>
  (await world.app.ledger.receipt(world.account, world.project, receiptId))!
const rowOf = async ({ callId }: TestCall) =>
  (await readCall(world.app.db, { accountId: world.account, callId }))!
const stepsOf = ({ callId }: TestCall) =>
  world.app.db.query<{ kind: string; worst: bigint; cost: bigint | null; lost: bigint }>(
    { text: 'select kind, worst, cost, lost from realtime.steps where call_id = $1 order by position' },
    [callId],
  )
const take = (call: TestCall, worst: bigint, kind: StepKind = 'text') =>
  call.money.step({ kind, model: 'sandbox/fast', worst })
const none = { quantities: {} }
const sound = async () => expect(await world.app.ledger.violations()).toEqual([])
const linesOf = (detail: unknown) =>
  (detail as { steps: { step: string; microcredits: number; discarded?: true; ambiguous?: true }[] }).steps

test('a hold is what was spent, what is under way and the next turn; the receipt has each step, and they are the charge', async () => {
  const before = await world.balance()
  const call = await start({ held: 100n })
  await call.money.connected()
  expect((await rowOf(call)).status).toBe('active')
  const heard = await take(call, 30n, 'transcription')
  expect(await stepsOf(call)).toEqual([{ kind: 'transcription', worst: 30n, cost: null, lost: 0n }])
  const early = await take(call, 20n, 'transcription')
  early.done(costing(7n), { quantities: { seconds: 1.2 } }, { discarded: true })
  heard.done(costing(12n), { quantities: { seconds: 3 } })
  expect(call.money.spent).toBe(19n)
  await call.money.writeEnds()
  expect((await stepsOf(call)).map(({ cost }) => cost)).toEqual([12n, 7n])
  const text = await take(call, 50n)
  // The next speech begins while this answer is under way.
  expect(await call.money.reserve(100n)).toBe(true)
  expect(call.money.held).toBe(19n + 50n + 100n)
  expect(await world.balance()).toEqual({ available: before.available - 169n, held: before.held + 169n })
  text.done(costing(41n), { quantities: { input_tokens: 30, output_tokens: 4, searches: 2 } })
  await call.money.writeEnds()
  expect(await call.money.reserve(10n)).toBe(true)
  expect(call.money.held).toBe(70n)
  await sound()
  call.money.turns = 2
  clock.moveMs(61_500)
  const ended = await call.money.end('client', { facts: { loss: 0.02 } })
  expect(ended).toMatchObject({ status: 'ended', reason: 'client', turns: 2, charged: 60n })
  expect(await world.balance()).toEqual({ available: before.available - 60n, held: before.held })
  const receipt = await receiptOf(call)
  expect(receipt).toMatchObject({ state: 'completed', status_code: 201, charged: 60n, ambiguous: false })
  expect(receipt.quantities).toEqual({ seconds: 62, turns: 2, searches: 2 })
  expect(receipt.detail).toMatchObject({
    outcome: 'completed',
    call: { reason: 'client', transport: 'webrtc', seconds: 62, turns: 2, steps: 3, loss: 0.02 },
    tokens: { input: 30, cachedInput: 0, output: 4, reasoning: 0 },
    steps: [
      { step: 'transcription', model: 'sandbox/fast', microcredits: 12, quantities: { seconds: 3 } },
      { step: 'transcription', microcredits: 7, quantities: { seconds: 2 }, discarded: true },
      { step: 'text', microcredits: 41 },
    ],
  })
  expect(await stepsOf(call)).toEqual([])
  // A second end changes nothing.
  expect(await call.money.end('failed')).toEqual(ended)
  await sound()
})

test('a paid answer within a step is held, charged and explained by it, and what it writes is written with its cost', async () => {
  const { app } = world
  const model = app.models.find('sandbox/fast') as Model
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'سلام' }] }]
  const turn = { ...questionTurn({ messages, maxOutputTokens: 50 }, model), stream: true }
  const { microcredits: worst } = worstCaseOf(app, { model, turn, allowed: undefined })
  const call = await start({ held: worst })
  await call.money.connected()
  clock.moveMs(2_000)
  const step = await call.money.step({ kind: 'text', model: model.id, worst })
  const paid = await startPaidTurn(app, {
    ...{ model, turn, endpoint: '/v1/realtime/calls', requestId: step.stepId, showsReasoning: false },
    ...{ caller: await app.keys.callerOf(payer.accountId, payer.keyId), receivedMs: clock.nowMs() },
    part: step.part,
  })
  await new Promise<void>((done, failed) => paid.start({ part() {}, flush() {}, done, failed }))
  const { chargedMicrocredits: cost } = await paid.finish({ statusCode: 200 })
  expect(cost).toBeGreaterThan(0n)
  step.done(undefined, { quantities: { pieces: 1 } })
  expect(call.money.spent).toBe(cost)
  const other = await take(call, 20n, 'transcription')
  const hold = await other.part.hold({ microcredits: 15n } as HoldOptions)
  const settlement = { microcredits: 15n, lostMicrocredits: 4n, state: 'completed', statusCode: 200 } as const
  const failing = hold.settleWith(settlement, () => Promise.reject(new Error('no room')))
  await expect(failing).rejects.toThrow('no room')
  await hold.settleWith(settlement, (tx) =>
    tx
      .updateTable('realtime.calls')
      .set({ file_id: step.stepId })
      .where('call_id', '=', call.callId)
      .execute()
      .then(() => {}),
  )
  expect((await rowOf(call)).file_id).toBe(step.stepId)
  expect((await stepsOf(call))[1]).toMatchObject({ cost: 11n, lost: 4n })
  other.done(undefined, none)
  const row = await call.money.end('client')
  expect(row.charged).toBe(cost + 11n)
  const { detail } = await receiptOf(call)
  expect(linesOf(detail)).toMatchObject([
    {
      step: 'text',
      model: model.id,
      microcredits: Number(cost),
      quantities: { pieces: 1, input_tokens: expect.any(Number) },
    },
    { step: 'transcription', microcredits: 11 },
  ])
  expect((detail as { attempts: unknown }).attempts).toMatchObject([
    { attempt_id: `${step.stepId}-1`, microcredits: Number(cost), outcome: 'answered', started_ms: 2_000 },
  ])
  await sound()
})

test('a step that reserve and balance do not bear is refused at the edge, has no row, and leaves the call as it was', async () => {
  const capped = await newPayer({ caps: { cap: 100n } })
  const call = await start({ payer: capped, held: 40n })
  const first = await take(call, 40n)
  await expect(take(call, 61n)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  expect(await stepsOf(call)).toHaveLength(1)
  const second = await take(call, 60n)
  expect(call.money.held).toBe(100n)
  expect(await call.money.reserve(1n)).toBe(false)
  first.done(costing(10n), none)
  await call.money.writeEnds()
  expect(await call.money.reserve(31n)).toBe(false)
  expect(await call.money.reserve(30n)).toBe(true)
  second.done(costing(0n), none)
  expect(await call.money.end('credits')).toMatchObject({ charged: 10n, reason: 'credits' })
  await expect(take(call, 0n)).rejects.toThrow('The call has ended')
  await sound()
})

test('steps at once never take more than is held, whatever their order, and what two of them need together is held', async () => {
  const call = await start({ held: 50n })
  const steps = await Promise.all([30n, 30n, 10n, 40n, 0n, 25n].map((worst) => take(call, worst)))
  expect(call.money.held).toBe(135n)
  await sound()
  const [{ total }] = (await world.app.db.query<{ total: bigint }>(
    { text: 'select sum(worst)::bigint as total from realtime.steps where call_id = $1' },
    [call.callId],
  )) as [{ total: bigint }]
  expect(total).toBe(135n)
  for (const step of steps) step.done(costing(0n), none)
  await call.money.end('client')
})

test('what a hold gives back is taken by no step while it is given back', async () => {
  const call = await start({ held: 100n })
  const lock = await world.app.db.pool.connect()
  await lock.query('begin')
  await lock.query(`select from ledger.balances where account_id = '${world.account}' for update`)
  const reserved = call.money.reserve(10n)
  await until(async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await world.app.db.query({ text }, [])).length > 0
  })
  const [small, large] = [take(call, 10n), take(call, 50n)]
  await small
  expect(await stepsOf(call)).toMatchObject([{ worst: 10n }])
  await lock.query('rollback')
  lock.release()
  expect(await reserved).toBe(true)
  await large
  expect(call.money.held).toBe(60n)
  for (const step of [await small, await large]) step.done(costing(0n), none)
  await call.money.end('client')
  await sound()
})

test('a step costs at most what was taken for it; the rest is the loss of the platform, in its books', async () => {
  const call = await start({ held: 10n })
  const step = await take(call, 10n)
  step.done(costing(14n), none)
  // A second word of it is not heard.
  step.done(costing(1n), none)
  expect(await call.money.end('client')).toMatchObject({ charged: 10n })
  const { rows } = await world.app.db.pool.query<{ amount: bigint }>(
    `select amount from ledger.entries where receipt_id = $1 and book = 'loss'`,
    [call.receiptId],
  )
  expect(rows).toEqual([{ amount: -4n }])
  await sound()
})

test.each([
  ['relay', 'error', 'a step of a call cost more than was taken for it'],
  ['passthrough', 'warn', expect.stringContaining('made more than was taken for it')],
] as const)(
  'a step of a %s beyond what was taken for it is logged at the level %s',
  async (engine, level, what) => {
    const logged: unknown[] = []
    for (const one of ['warn', 'error'] as const)
      vi.spyOn(world.app.log, one).mockImplementation((fields, message) => {
        const { step } = fields as { step?: string }
        if (step) logged.push([one, step, message])
      })
    const call = await start({ held: 10n, engine })
    const step = await take(call, 10n, 'response')
    step.done(costing(14n), none)
    await call.money.end('client')
    vi.restoreAllMocks()
    expect(logged).toEqual([[level, step.stepId, what]])
  },
)

test('who is told to end a call is told once, and why: revoked, no model any more, a cap below what is held, asked, expired', async () => {
  const { realtime, db } = world.app
  const now = () => new Date(clock.nowMs())
  const told = async (change: (call: TestCall, payer: Payer) => Promise<unknown>, reason: string) => {
    const own = await newPayer()
    const call = await start({ payer: own, held: 60n, obeys: false })
    await call.money.connected()
    await realtime.tick()
    expect(call.told).toEqual([])
    await change(call, own)
    await realtime.tick()
    await realtime.tick()
    expect(call.told).toEqual([reason])
    await call.money.end(call.told[0]!)
    expect(await rowOf(call)).toMatchObject({ reason, charged: 0n })
  }
  await told((_, { keyId }) => db.tx((tx) => revokeKey(tx, keyId, now())), 'revoked')
  await told((_, { keyId }) => db.tx((tx) => setKey(tx, keyId, { models: ['sandbox/fast'] })), 'revoked')
  const capAt = (keyId: string, cap: bigint) =>
    db.tx((tx) => setCaps(tx, world.account, 'key', keyId, { cap }, { now: now() }))
  await told((_, { keyId }) => capAt(keyId, 59n), 'credits')
  await told((call) => requestCallEnd(db, { accountId: world.account, callId: call.callId }, now()), 'client')
  await told(async () => clock.moveMs(1_800_000), 'expired')
  const capped = await start({ held: 60n, obeys: false })
  await capped.money.connected()
  await capAt(payer.keyId, 60n)
  await realtime.tick()
  expect(capped.told).toEqual([])
  await capped.money.end('client')
})

/** The process has looked at its calls since; a look that was under way may have come before. */
const looked = async () => {
  await world.app.realtime.tick()
  await world.app.realtime.tick()
}

test('a suspended account has its calls ended within a tick', async () => {
  const { account, project, client } = await world.stranger()
  const other = { accountId: account, projectId: project, keyId: client.keyId }
  const call = await start({ payer: other })
  await call.money.connected()
  await world.app.db.tx((tx) => setAccountState(tx, account, 'suspended'))
  await looked()
  expect(call.told).toEqual(['revoked'])
  await call.money.end('revoked')
})

test('a call that is not connected in fifteen seconds is ended for nothing, also where its process was never given it', async () => {
  const { realtime, db } = world.app
  const late = await start()
  const lost = callOf({ payer }, realtime.processId)
  await db.tx((tx) => beginCall(tx, lost, new Date(clock.nowMs())))
  const read = () => readCall(db, { accountId: world.account, callId: lost.callId })
  clock.moveMs(14_999)
  await realtime.tick()
  expect([late.told, (await read())!.status]).toEqual([[], 'starting'])
  clock.moveMs(1)
  await realtime.tick()
  expect(late.told).toEqual(['disconnected'])
  await late.money.end('disconnected')
  expect(await read()).toMatchObject({ status: 'ended', reason: 'disconnected', charged: 0n })
  expect((await receiptOf(late)).quantities).toBeNull()
  expect(realtime.busy).toBe(0)
})

test('a key has as many calls as it may over all processes, and one more is refused before its hold', async () => {
  const { db, realtime } = world.app
  const before = await world.balance()
  const begin = () =>
    db.tx((tx) =>
      beginCall(tx, callOf({ payer, callsOfKey: 2 }, realtime.processId), new Date(clock.nowMs())),
    )
  const outcomes = await Promise.allSettled([begin(), begin(), begin(), begin()])
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Failure).code] : []))
  expect(refused).toEqual(['CONCURRENCY_LIMITED', 'CONCURRENCY_LIMITED'])
  expect((await world.balance()).held).toBe(before.held + 200n)
  clock.moveMs(15_000)
  await looked()
  await begin()
  clock.moveMs(15_000)
  await looked()
  expect(await world.balance()).toEqual(before)
})

test('a process takes as many calls as it may, those that are being prepared included, and none while it is stopped', async () => {
  await using own = await boot({ clock })
  const { realtime } = own.app
  const places = Array.from({ length: 8 }, () => realtime.reservePlace()!)
  expect(places.every((place) => place !== undefined)).toBe(true)
  expect(realtime.reservePlace()).toBeUndefined()
  places[3]![Symbol.dispose]()
  places[3]![Symbol.dispose]()
  expect(realtime.busy).toBe(7)
  expect(await freeProcesses(own.app.db, own.app.processes.leaseMs)).toHaveLength(1)
  await realtime.drain(0)
  expect(realtime.reservePlace()).toBeUndefined()
  expect(await freeProcesses(own.app.db, own.app.processes.leaseMs)).toEqual([])
})

test('who does not end a call that it was told to end has it settled all the same', async () => {
  const call = await start({ obeys: false })
  const step = await take(call, 60n)
  step.done(costing(25n), none)
  await take(call, 5n)
  // As if that had been twenty seconds ago. Only while it is told: deadlines of the whole process count by the same clock.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() - 20_001)
  const isTold = world.app.realtime.end(call.callId, 'client')
  vi.restoreAllMocks()
  expect(isTold).toBe(true)
  expect(world.app.realtime.end(uuidv7(), 'client')).toBe(false)
  await world.app.realtime.tick()
  await until(async () => (await rowOf(call)).status === 'ended')
  expect(await rowOf(call)).toMatchObject({ reason: 'client', charged: 30n })
  expect(linesOf((await receiptOf(call)).detail)).toMatchObject([
    { microcredits: 25 },
    { microcredits: 5, ambiguous: true },
  ])
})

test('what has ended pays with its rest for what comes next in the same moment', async () => {
  const capped = await newPayer({ caps: { cap: 1_000n } })
  const call = await start({ payer: capped, held: 700n })
  const first = await take(call, 700n)
  await expect(take(call, 700n)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  first.done(costing(100n), none)
  const second = await take(call, 700n)
  second.done(costing(100n), none)
  expect(await call.money.reserve(800n)).toBe(true)
  const third = await take(call, 800n)
  third.done(costing(50n), none)
  expect(await call.money.ensureFree(750n)).toBe(true)
  expect(await call.money.ensureFree(751n)).toBe(false)
  expect(await call.money.end('client')).toMatchObject({ charged: 250n })
  await sound()
})

test('time that costs credits is held ahead, warned of when the balance ends, and paid by begun seconds', async () => {
  const price = (seconds: number) => BigInt(seconds) * 10n
  const capped = await newPayer({ caps: { cap: 1_000n } })
  const call = await start({ payer: capped, held: 750n, timeCost: (seconds) => costing(price(seconds)) })
  await call.money.connected()
  // Of its time alone it warns: also where the process looks at the balance by itself meanwhile.
  expect(await call.money.reserve(0n)).toBe(true)
  expect(await call.money.ensureFree(650n)).toBe(true)
  const tick = async (ms: number) => {
    clock.moveMs(ms)
    await call.money.tick()
    // One that was under way may have counted by the time before.
    await call.money.tick()
  }
  expect(await stepsOf(call)).toMatchObject([{ kind: 'seconds', worst: 100n, cost: null }])
  const ticks = async (count: number) => {
    for (let at = 0; at < count; at++) await tick(5_000)
  }
  const state = async () => [call.money.held, (await stepsOf(call))[0]!.worst, call.warnings]
  await ticks(7)
  // 35 s: 45 s are taken, 30 s are left.
  expect(await state()).toEqual([750n, 450n, 0])
  await ticks(1)
  // All that the cap has left, since it does not bear a minute.
  expect(await state()).toEqual([1_000n, 500n, 0])
  await ticks(4)
  expect(await state()).toEqual([1_000n, 700n, 0])
  await ticks(2)
  expect(await state()).toEqual([1_000n, 800n, 1])
  await world.app.db.tx((tx) =>
    setCaps(tx, world.account, 'key', capped.keyId, { cap: 1_150n }, { now: new Date(clock.nowMs()) }),
  )
  await ticks(1)
  expect(await state()).toEqual([1_150n, 850n, 1])
  await ticks(6)
  expect(await state()).toEqual([1_150n, 1_150n, 2])
  expect(call.told).toEqual([])
  await ticks(1)
  expect(call.told).toEqual(['credits'])
  const ended = await call.money.end('credits')
  expect(ended.charged).toBe(1_100n)
  expect((await receiptOf(call)).quantities).toEqual({ seconds: 110 })
  await sound()
})
