/** Calls of several processes on one database: killed, taken for dead, without the database, and all at once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '#platform/errors'
import type { HoldOptions, Payer } from '#platform/ledger'
import { CallOver, type OpenStep } from '#voice/realtime'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import { compileCache } from '../../harness/compile-cache.ts'
import fc from '../../harness/fast-check.ts'
import { until } from '../../harness/until.ts'
import { costing, startCall, type TestCall } from '../../voice/calls.ts'
import type { CallJob } from './calls-main.ts'
import { type CallsProcess, openCallsProcess } from './calls-process.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site[Symbol.asyncDispose]())

const payerOf = ({ account, project, keyId }: Person): Payer => ({
  accountId: account,
  projectId: project,
  keyId,
})
const none = { quantities: {} }
/** The statement, as it is sent. */
const commit = /Q.{4}commit\0/s
const openProcess = (leaseMs = 4_000, databaseUrl = site.databaseUrl): Promise<CallsProcess> =>
  openCallsProcess({ databaseUrl, leaseMs, onError: (what) => errors.push(what) })
const errors: string[] = []
const noHold = async (person: Person): Promise<void> => {
  const open = `select from realtime.calls where account_id = $1 and ended_at is null`
  await until(async () => (await site.db.query({ text: open }, [person.account])).length === 0)
  expect((await site.balances(person)).held).toBe(0n)
}
/** Ends what dead processes have left; opened when they are dead, so that it takes no living one for dead. */
const openSweeper = (): Promise<CallsProcess> => openProcess(1_000)
interface Detail {
  steps: { microcredits: number; ambiguous?: true }[]
  more?: { microcredits: number; steps: number }[]
  call: { reason: string; steps: number }
}
const chargeOf = async (person: Person, receiptId: string) => {
  const receipt = (await site.receipts(person)).find(({ receipt_id: id }) => id === receiptId)!
  const { steps, more = [], call } = receipt.detail as unknown as Detail
  const lines = [...steps, ...more].reduce((sum, { microcredits }) => sum + BigInt(microcredits), 0n)
  expect(lines).toBe(receipt.charged)
  return { charged: receipt.charged, steps, more, call, state: receipt.state }
}

test('killed between two steps and within one, another process settles the call: what was written is charged, and the step under way at its worst', async () => {
  const person = await site.person({ credits: 10_000n })
  const job: CallJob = {
    ...{ databaseUrl: site.databaseUrl, leaseMs: 4_000, payer: payerOf(person) },
    ...{ worst: 100, cost: 30, steps: 3 },
  }
  const child = spawn(process.execPath, ['tests/campaign/voice/calls-main.ts', JSON.stringify(job)], {
    cwd: path.resolve(import.meta.dirname, '../../..'),
    env: { ...compileCache, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  let begun = 0
  for await (const line of createInterface(child.stdout!))
    if (line === 'begun' && ++begun === 4) child.kill('SIGKILL')
  expect((await gone)[1]).toBe('SIGKILL')
  expect((await site.balances(person)).held).toBe(190n)
  await using _living = await openSweeper()
  await noHold(person)
  const [receipt] = await site.receipts(person)
  const { charged, steps, call, state } = await chargeOf(person, receipt!.receipt_id)
  expect([charged, call.reason, state]).toEqual([190n, 'failed', 'failed'])
  expect(steps.map(({ ambiguous = false }) => ambiguous)).toEqual([false, false, false, true])
  expect(await site.balances(person)).toEqual({ balance: 9_810n, held: 0n })
  const rows = await site.db.query<{ status: string; reason: string; seen: boolean }>(
    { text: `select status, reason, ended_at = tick_at as seen from realtime.calls where account_id = $1` },
    [person.account],
  )
  expect(rows).toEqual([{ status: 'ended', reason: 'failed', seen: true }])
})

test('a process that was taken for dead begins nothing more, learns it within a tick, and its call is charged once', async () => {
  const person = await site.person({ credits: 1_000n })
  await using zombie = await openProcess()
  const call = await startCall(zombie, { payer: payerOf(person), held: 100n, obeys: false })
  await call.money.connected()
  const open = await call.money.step({ kind: 'text', model: 'sandbox/fast', worst: 40n })
  await zombie.seemDead()
  await using living = await openSweeper()
  await noHold(person)
  await expect(call.money.step({ kind: 'speech', model: 'sandbox/fast', worst: 1n })).rejects.toThrow(
    'has ended',
  )
  await expect(call.money.reserve(50n)).rejects.toThrow('has ended')
  open.done(costing(5n), none)
  expect(call.told).toEqual(['failed'])
  expect(await call.money.end('client')).toMatchObject({ reason: 'failed', charged: 40n })
  expect((await chargeOf(person, call.receiptId)).charged).toBe(40n)
  expect(living.realtime.busy).toBe(0)
  expect(await site.balances(person)).toEqual({ balance: 960n, held: 0n })
})

test('two that settle a call at once charge it once, and tell of its end once', async () => {
  const person = await site.person({ credits: 1_000n })
  await using one = await openProcess()
  const call = await startCall(one, { payer: payerOf(person), held: 100n })
  const step = await call.money.step({ kind: 'text', model: 'sandbox/fast', worst: 40n })
  step.done(costing(30n), none)
  await call.money.writeEnds()
  const lock = await site.lock(person)
  await one.seemDead()
  await using _others = await openSweeper()
  const own = call.money.end('client')
  await until(() => site.isWaiting('"realtime"."calls"'))
  await lock[Symbol.asyncDispose]()
  expect(await own).toMatchObject({ charged: 30n })
  await noHold(person)
  expect(await site.balances(person)).toEqual({ balance: 970n, held: 0n })
  const told = await site.db.query(
    { text: `select from events.outbox where account_id = $1 and type = 'realtime.ended'` },
    [person.account],
  )
  expect(told).toHaveLength(1)
})

test('while the database is away a call goes on and what it asks for waits; a lost reply is asked for again, and counts once', async () => {
  const person = await site.person({ credits: 1_000n })
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await using calls = await openProcess(600_000, proxy.url)
  const call = await startCall(calls, { payer: payerOf(person), held: 100n })
  await call.money.connected()
  const take = (worst: bigint) => call.money.step({ kind: 'text', model: 'sandbox/fast', worst })
  const first = await take(40n)
  proxy.away()
  const late = [take(30n), take(80n)]
  first.done(costing(10n), none)
  const reserved = call.money.reserve(50n)
  await calls.realtime.tick()
  expect(call.told).toEqual([])
  proxy.back()
  const [second, third] = await Promise.all(late)
  expect(await reserved).toBe(true)
  await call.money.writeEnds()
  await call.money.reserve(0n)
  expect(call.money.held).toBe(10n + 30n + 80n)
  const lost = proxy.loseReply(commit)
  const fourth = take(25n)
  await lost
  second!.done(costing(30n), none)
  third!.done(costing(20n), none)
  ;(await fourth).done(costing(5n), none)
  await call.money.writeEnds()
  const lostEnd = proxy.loseReply(commit)
  const ending = call.money.end('client')
  await lostEnd
  expect(await ending).toMatchObject({ charged: 65n, reason: 'client' })
  expect((await chargeOf(person, call.receiptId)).call).toMatchObject({ reason: 'client', steps: 4 })
  expect(await site.balances(person)).toEqual({ balance: 935n, held: 0n })
})

test('a call ends as failed once the database has been away for twenty seconds, and is settled when it is back', async () => {
  const person = await site.person({ credits: 1_000n })
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  let nowMs = 0
  await using calls = await openCallsProcess({
    ...{ databaseUrl: proxy.url, leaseMs: 600_000, nowMs: () => nowMs },
    onError: (what) => errors.push(what),
  })
  const call = await startCall(calls, { payer: payerOf(person), held: 100n })
  await call.money.connected()
  await calls.realtime.tick()
  proxy.away()
  nowMs = 20_000
  await calls.realtime.tick()
  expect(call.told).toEqual([])
  nowMs = 20_001
  await calls.realtime.tick()
  expect(call.told).toEqual(['failed'])
  proxy.back()
  await noHold(person)
  expect((await chargeOf(person, call.receiptId)).charged).toBe(0n)
})

test('of more than five hundred steps the receipt sums up the rest, and all of it is the charge', async () => {
  const person = await site.person({ credits: 1_000_000n })
  await using calls = await openProcess()
  const call = await startCall(calls, { payer: payerOf(person), held: 100_000n })
  await call.money.connected()
  for (let at = 0; at < 620; at++) {
    const kind = at % 2 === 0 ? ('text' as const) : ('speech' as const)
    const step = await call.money.step({ kind, model: `test/${kind}`, worst: 100n })
    step.done(costing(BigInt(at % 7)), { quantities: at % 2 === 0 ? { input_tokens: 3 } : { characters: 5 } })
  }
  const ended = await call.money.end('client')
  const { steps, more, charged } = await chargeOf(person, call.receiptId)
  expect([steps.length, ended.charged]).toEqual([500, charged])
  expect(more).toMatchObject([
    { step: 'speech', model: 'test/speech', steps: 60, quantities: { characters: 300 } },
    { step: 'text', model: 'test/text', steps: 60, quantities: { input_tokens: 180 } },
  ])
  const [receipt] = await site.receipts(person)
  expect(receipt!.detail).toMatchObject({ tokens: { input: 930 } })
})

/** What the test knows of a call, to hold its receipt against. */
interface Known {
  call: TestCall
  process: number
  steps: { worst: bigint; isPaid: boolean; step?: OpenStep; cost?: bigint }[]
  isCrashed: boolean
}

/** One thing that happens, to the call and with the amounts that the numbers choose. */
interface Happening {
  what: 'begin' | 'reserve' | 'step' | 'done' | 'paid' | 'end' | 'crash' | 'tick' | 'wait'
  which: number
  worst: number
  percent: number
}
const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.oneof(
    { weight: 2, arbitrary: fc.constant('begin' as const) },
    { weight: 3, arbitrary: fc.constant('reserve' as const) },
    { weight: 6, arbitrary: fc.constant('step' as const) },
    { weight: 5, arbitrary: fc.constant('done' as const) },
    { weight: 3, arbitrary: fc.constant('paid' as const) },
    { weight: 1, arbitrary: fc.constantFrom('end' as const, 'crash' as const, 'tick' as const) },
    { weight: 3, arbitrary: fc.constant('wait' as const) },
  ),
  which: fc.nat(1_000),
  worst: fc.nat(120),
  percent: fc.nat(100),
})

test('whatever happens to calls of three processes at once, nobody overspends, and each is charged once what its steps cost', async () => {
  const worlds = fc.array(happening, { minLength: 30, maxLength: 90 })
  await fc.assert(fc.asyncProperty(worlds, happens), { numRuns: 12, endOnFailure: true })
})

/** Eight for each process, which has ten connections: whoever waits five seconds for one, as behind others for one row, is refused. */
const maxAtOnce = 24

async function happens(all: Happening[]): Promise<void> {
  const credits = 900n
  const person = await site.person({ credits })
  await using stack = new AsyncDisposableStack()
  const open = async () => stack.use(await openProcess(600_000))
  const processes = await Promise.all([open(), open(), open()])
  const known: Known[] = []
  let running: Promise<unknown>[] = []
  const act = async ({ what, which, worst, percent }: Happening): Promise<void> => {
    const process = which % 3
    const calls = processes[process]!
    const at = known[which % Math.max(1, known.length)]
    if (what === 'begin') {
      const call = await startCall(calls, { payer: payerOf(person), held: BigInt(worst) })
      known.push({ call, process, steps: [], isCrashed: false })
    } else if (what === 'crash') {
      processes[process] = await open()
      for (const one of known) if (one.process === process) one.isCrashed = true
      await calls.seemDead()
    } else if (what === 'tick') await calls.realtime.tick()
    else if (!at) return
    else if (what === 'reserve') await at.call.money.reserve(BigInt(worst))
    else if (what === 'end') await at.call.money.end('client')
    else if (what === 'done') endOne(at, which, percent)
    else await stepOf(at, { isPaid: what === 'paid', worst: BigInt(worst), percent })
  }
  for (const one of all) {
    if (one.what === 'wait' || running.length === maxAtOnce) await Promise.all(running.splice(0))
    if (one.what !== 'wait') running.push(act(one).catch(refusal))
    const { balance, held } = await site.balances(person)
    expect(balance - held).toBeGreaterThanOrEqual(0n)
  }
  await Promise.all(running)
  running = known.filter(({ isCrashed }) => !isCrashed).map(({ call }) => call.money.end('client'))
  await Promise.all(running)
  for (const calls of processes) await calls.seemDead()
  await using _living = await openSweeper()
  await noHold(person)
  let total = 0n
  for (const one of known) total += await expectCharged(person, one)
  expect(await site.balances(person)).toEqual({ balance: credits - total, held: 0n })
  expect(await site.db.query({ text: 'select * from ledger.violations' }, [])).toEqual([])
}

async function stepOf(
  at: Known,
  { isPaid, worst, percent }: { isPaid: boolean; worst: bigint; percent: number },
): Promise<void> {
  const one: Known['steps'][number] = { worst, isPaid }
  at.steps.push(one)
  const step = await at.call.money.step({ kind: 'text', model: 'sandbox/fast', worst })
  one.step = step
  if (!isPaid) return
  // A paid call that needs more than was taken for its step, and costs a part of it.
  const asked = worst + BigInt(percent)
  const hold = await step.part.hold({ microcredits: asked } as HoldOptions)
  one.worst = asked
  if (at.call.money.isEnding) return
  one.cost = (asked * BigInt(percent)) / 100n
  await hold.settle({ microcredits: one.cost, state: 'completed', statusCode: 200 })
  step.done(undefined, none)
}

function endOne({ steps, call }: Known, which: number, percent: number): void {
  if (call.money.isEnding) return
  const open = steps.filter(({ step, cost, isPaid }) => step && !isPaid && cost === undefined)
  const one = open[which % Math.max(1, open.length)]
  if (!one) return
  one.cost = (one.worst * BigInt(percent)) / 100n
  one.step!.done(costing(one.cost), none)
}

/** Exactly what its steps cost; of a process that died, of some at their worst. Answers the charge. */
async function expectCharged(person: Person, { call, steps, isCrashed }: Known): Promise<bigint> {
  const { charged } = await chargeOf(person, call.receiptId)
  const begun = steps.filter(({ step }) => step)
  const exact = begun.reduce((sum, { cost, worst }) => sum + (cost ?? worst), 0n)
  if (!isCrashed) expect(charged).toBe(exact)
  const least = begun.reduce((sum, { cost = 0n }) => sum + cost, 0n)
  const most = steps.reduce((sum, { worst }) => sum + worst, 0n)
  expect(charged).toBeGreaterThanOrEqual(least)
  expect(charged).toBeLessThanOrEqual(most)
  return charged
}

/** What a call may be refused. */
function refusal(error: unknown): void {
  if (error instanceof CallOver) return
  if (!(error instanceof Failure) || error.status !== 402) throw error
}

test('no errors were logged', () => {
  expect(errors).toEqual([])
})
