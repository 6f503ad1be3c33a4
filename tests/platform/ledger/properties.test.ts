/**
 * The SQL of the ledger against a small model.
 *
 * Mutation check: each of these parts of migrations/0023-settlements.sql was broken by hand, and a file of this folder, the upgrade test
 * or the simulator's conformance failed.
 *   hold_set: balance, concurrency or rate off by one; a cap or a monthly cap without the holds; the monthly spending not reset with the new
 *     month; the month going back with a late clock; the months of two accounts in one set; an ended call not noticed
 *   is_claimed: claims of holds, of settlements, or two in one set not noticed; a freed claim still taken
 *   settle_set: overruns or repeats settled as a set; holds or spending of an earlier month counted in this one; the bound of the hold,
 *     the loss, the claim, what few settlements have, or thresholds left out
 *   mend: refunded to all meters but the key's; the claim kept; the charge not copied to the journal, or still in its settlement
 *   sweep: a started call refunded; grant: a repeated transfer counted; rehold: over the balance; record: a running call not seen
 *   lock: not taken; lock_idle: not taken, or waits; commit: what is busy done all the same
 *   0025-lost-parts.sql: a part that is lost charged; not refunded, or not counted, where it was charged as ambiguous before
 *   the upgrade: balances, claims of running calls, or the end of their rows lost
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import type { Failure } from '#platform/errors'
import { ClaimTaken, grant, type Hold, type Ledger, setCaps } from '#platform/ledger'
import fc from '../../harness/fast-check.ts'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { startMs, until } from '../../harness/until.ts'
import { MovableClock } from '../../harness/world.ts'
import { apply, expected, openBooksDatabase, openPeople, type Person, written } from './books.ts'
import { type HoldOp, LedgerModel, type SettleOp } from './model.ts'

const stack = new AsyncDisposableStack()
const processId = randomUUID()
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
/** Nothing happens by itself. */
const stillTiming = { processLeaseMs: 2 ** 31 - 1, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }
/** Of hundreds of holds at once none is refused because a busy machine takes them late. */
const patient = { timing: stillTiming, thresholdsPercent: [50, 80, 100], holdTimeoutMs: 120_000 }
let db: Db

beforeAll(async () => {
  db = (await openBooksDatabase(stack)).db
  await db.query({ text: 'insert into ledger.processes (process_id) values ($1)' }, [processId])
})
afterAll(() => stack.disposeAsync())

type Step =
  | {
      do: 'apply'
      settles: SettlePick[]
      holds: HoldPick[]
      skewMs: number
    }
  | { do: 'grant'; who: number; amount: number; again: boolean }
  | { do: 'caps'; who: number; scope: 0 | 1 | 2; cap: number | null; monthCap: number | null }
  | { do: 'limits'; who: number; scope: 0 | 1 | 2; ratePerMinute: number | null; concurrency: number | null }
  | { do: 'sweep' }
  | { do: 'move'; days: number }
  | { do: 'tick'; seconds: number }
interface SettlePick {
  ambiguous: boolean
  pick: number
  percent: number
  failed: boolean
  freeClaim: boolean
  withinHold: boolean
  /** Of what it used. */
  lostPercent: number
}
interface HoldPick {
  who: number
  amount: number
  claim: number | null
  /** Sends an operation of before once more instead. */
  again: number | null
  started: boolean
  freeIfLost: boolean
  process: HoldOp['process']
  lifeDays: number
}

const who = fc.nat(3)

const holdPick: fc.Arbitrary<HoldPick> = fc.record({
  who,
  amount: fc.oneof(fc.nat(60), fc.constant(0)),
  claim: fc.option(fc.nat(2), { nil: null }),
  again: fc
    .option(fc.nat(50), { freq: 1, nil: null })
    .map((value) => (value !== null && value % 3 === 0 ? value : null)),
  started: fc.boolean(),
  freeIfLost: fc.boolean(),
  process: fc.constantFrom('alive', 'alive', 'dead', null),
  lifeDays: fc.integer({ min: 1, max: 60 }),
})
const settlePick = fc.record({
  /** Of the operations whose end was never seen, when there are any. */
  ambiguous: fc.boolean(),
  pick: fc.nat(60),
  percent: fc.constantFrom(0, 0, 40, 99, 100, 100, 101, 150, 900),
  failed: fc.boolean(),
  freeClaim: fc.boolean(),
  withinHold: fc.boolean(),
  lostPercent: fc.constantFrom(0, 0, 0, 30, 100, 120),
})
const cap = fc.option(fc.nat(250), { freq: 2, nil: null })
const limit = fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2, nil: null })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('apply' as const),
      settles: fc.array(settlePick, { maxLength: 4 }),
      holds: fc.array(holdPick, { maxLength: 6 }),
      skewMs: fc.constantFrom(0, 0, 0, -2_500, -40 * 86_400_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      who,
      amount: fc.integer({ min: -60, max: 200 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('caps' as const),
      who,
      scope: fc.constantFrom(0, 1, 2),
      cap,
      monthCap: cap,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('limits' as const),
      who,
      scope: fc.constantFrom(0, 1, 2),
      ratePerMinute: limit,
      concurrency: limit,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('move' as const), days: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('tick' as const), seconds: fc.integer({ min: 1, max: 70 }) }),
  },
)

/** One run: the same steps in the database and in the model. */
class Run {
  readonly model = new LedgerModel()
  readonly ops: HoldOp[] = []
  readonly people: Person[]
  nowMs = Date.UTC(2026, 0, 10)
  #lastGrant: string | undefined

  constructor(model: LedgerModel, people: Person[]) {
    this.model = model
    this.people = people
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'apply') await this.#apply(one)
    else if (one.do === 'grant') await this.#grant(one)
    else if (one.do === 'caps') await this.#caps(one)
    else if (one.do === 'limits') await this.#limits(one)
    else if (one.do === 'sweep') await this.#sweep()
    else this.nowMs += one.do === 'move' ? one.days * 86_400_000 : one.seconds * 1_000
  }

  async #apply(one: Extract<Step, { do: 'apply' }>): Promise<void> {
    const settles = this.ops.length === 0 ? [] : one.settles.map((pick) => this.#settleOp(pick))
    let holds = one.holds.map((pick) => this.#holdOp(pick))
    // Clocks that disagree: told of one account only, since a batch of several turns the month of all of them.
    if (one.skewMs !== 0) holds = holds.filter(({ account }) => account === this.people[0]!.account)
    // The committer never has one operation twice in a batch.
    holds = holds.filter((op, index) => holds.findIndex(({ id }) => id === op.id) === index)
    const atMs = this.nowMs + one.skewMs
    const wanted = [
      ...this.model.settleAll(settles),
      ...holds.map((op, index) => this.model.hold(op, settles.length + index, atMs)),
    ]
    for (const op of holds) if (!this.ops.includes(op)) this.ops.push(op)
    expect(await apply(db, { settles, holds }, atMs, processId)).toEqual(wanted)
  }

  #settleOp({ ambiguous, pick, percent, lostPercent, ...how }: SettlePick): SettleOp {
    const unseen = this.ops.filter(({ id }) => this.model.papers.get(id)?.ambiguous)
    const among = ambiguous && unseen.length > 0 ? unseen : this.ops
    const { id, account, amount } = among[pick % among.length]!
    const actual = (amount * BigInt(percent)) / 100n
    return { id, account, actual, lost: (actual * BigInt(lostPercent)) / 100n, ...how }
  }

  #holdOp(pick: HoldPick): HoldOp {
    if (pick.again !== null && this.ops.length > 0) return this.ops[pick.again % this.ops.length]!
    return {
      id: randomUUID(),
      ...this.people[pick.who]!,
      idempotencyKey: pick.claim === null ? null : `claim-${pick.claim}`,
      amount: BigInt(pick.amount),
      started: pick.started,
      freeIfLost: pick.freeIfLost,
      process: pick.process,
      expiresAtMs: this.nowMs + pick.lifeDays * 86_400_000,
    }
  }

  async #grant(one: Extract<Step, { do: 'grant' }>): Promise<void> {
    const { account } = this.people[one.who]!
    const transferId = one.again && this.#lastGrant ? this.#lastGrant : randomUUID()
    this.#lastGrant = transferId
    // A transfer belongs to its account: the same id on another is another.
    const accepted = this.model.grant(account, `${account} ${transferId}`, BigInt(one.amount))
    const given = db.tx((tx) =>
      grant(
        tx,
        { accountId: account, transferId, microcredits: BigInt(one.amount), reason: 'test' },
        new Date(this.nowMs),
      ),
    )
    if (accepted) expect(await given).toBe(this.model.balances.get(account)!.balance)
    else await expect(given).rejects.toThrow()
  }

  async #caps({ who: index, scope, cap: total, monthCap }: Extract<Step, { do: 'caps' }>): Promise<void> {
    const person = this.people[index]!
    const name = (['account', 'project', 'key'] as const)[scope]
    const caps = {
      cap: total === null ? null : BigInt(total),
      monthCap: monthCap === null ? null : BigInt(monthCap),
    }
    this.model.setCaps(person[name], caps)
    expect(await db.tx((tx) => setCaps(tx, person.account, name, person[name], caps))).toBe(true)
  }

  async #limits(one: Extract<Step, { do: 'limits' }>): Promise<void> {
    const person = this.people[one.who]!
    const name = (['account', 'project', 'key'] as const)[one.scope]
    const { ratePerMinute, concurrency } = one
    this.model.setCaps(person[name], { ratePerMinute, concurrency })
    const limits = { ratePerMinute, concurrency }
    expect(await db.tx((tx) => setCaps(tx, person.account, name, person[name], limits))).toBe(true)
  }

  async #sweep(): Promise<void> {
    const rows = await db.query<{ receipt_id: string }>(
      { text: `select receipt_id from ledger.sweep(interval '1 day', $1, 1000)` },
      [new Date(this.nowMs)],
    )
    const mine = new Set(this.ops.map(({ id }) => id))
    expect(
      rows
        .map((row) => row.receipt_id)
        .filter((id) => mine.has(id))
        .sort(),
    ).toEqual(this.model.sweep(this.nowMs).sort())
  }
}

/** Rare by chance: charged as ambiguous in one month, mended in the next after others have spent there. */
const someHold = { who: 0, claim: null, again: null, started: true, freeIfLost: false, lifeDays: 60 }
const mendedInAnotherMonth: Step[] = [
  { do: 'apply', settles: [], holds: [{ ...someHold, amount: 50, process: 'dead' }], skewMs: 0 },
  { do: 'sweep' },
  { do: 'move', days: 40 },
  { do: 'apply', settles: [], holds: [{ ...someHold, amount: 60, process: 'alive' }], skewMs: 0 },
  {
    do: 'apply',
    settles: [
      {
        ambiguous: true,
        pick: 0,
        percent: 40,
        failed: false,
        freeClaim: false,
        withinHold: false,
        lostPercent: 0,
      },
    ],
    holds: [],
    skewMs: 0,
  },
]

const alive = { ...someHold, process: 'alive' } as const
const settle = {
  ambiguous: false,
  pick: 0,
  percent: 100,
  failed: false,
  freeClaim: false,
  withinHold: false,
  lostPercent: 0,
}
/** Lost with its process, which has only slept: what it then says is the platform's loss, in place of the whole hold. */
const lostAndMended: Step[] = [
  {
    do: 'apply',
    settles: [],
    holds: [{ ...someHold, freeIfLost: true, amount: 50, process: 'dead' }],
    skewMs: 0,
  },
  { do: 'sweep' },
  { do: 'apply', settles: [{ ...settle, ambiguous: true, percent: 40 }], holds: [], skewMs: 0 },
]
/** Of two calls a part is lost: one is mended after it was charged as ambiguous, the other costs more than its hold. */
const partlyLost: Step[] = [
  {
    do: 'apply',
    settles: [],
    holds: [
      { ...someHold, amount: 50, process: 'dead' },
      { ...alive, amount: 50 },
    ],
    skewMs: 0,
  },
  { do: 'sweep' },
  {
    do: 'apply',
    settles: [
      { ...settle, ambiguous: true, percent: 101, lostPercent: 30 },
      { ...settle, pick: 1, percent: 150, lostPercent: 30 },
    ],
    holds: [],
    skewMs: 0,
  },
]
/** One account is in the next month already, by a clock that is ahead; a batch then holds for it and for another account. */
const twoMonthsInABatch: Step[] = [
  { do: 'apply', settles: [], holds: [{ ...alive, amount: 10 }], skewMs: 40 * 86_400_000 },
  {
    do: 'apply',
    settles: [],
    holds: [
      { ...alive, amount: 10 },
      { ...alive, who: 3, amount: 10 },
    ],
    skewMs: 0,
  },
]
/** Two calls cost more than they hold, and what is free pays for one of them. */
const twoOverruns: Step[] = [
  {
    do: 'apply',
    settles: [],
    holds: [
      { ...alive, amount: 60 },
      { ...alive, amount: 60 },
    ],
    skewMs: 0,
  },
  {
    do: 'apply',
    settles: [
      { ...settle, percent: 150 },
      { ...settle, pick: 1, percent: 150 },
    ],
    holds: [],
    skewMs: 0,
  },
]

const broken = () => db.query({ text: 'select * from ledger.violations' }, [])

test('whatever happens in whatever order, the ledger is that of a model kept by hand', {
  timeout: startMs,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const model = new LedgerModel()
      const run = new Run(model, await openPeople(db, model))
      for (const { account } of run.people) model.grant(account, `${account} start`, 150n)
      await db.tx(async (tx) => {
        for (const account of new Set(run.people.map((one) => one.account))) {
          await grant(
            tx,
            { accountId: account, transferId: randomUUID(), microcredits: 150n, reason: 'start' },
            new Date(),
          )
        }
      })
      for (const one of steps) await run.take(one)
      expect(await written(db, run.people)).toEqual(expected(run.model))
      expect(await broken()).toEqual([])
    }),
    {
      numRuns: 60,
      examples: [[mendedInAnotherMonth], [lostAndMended], [partlyLost], [twoMonthsInABatch], [twoOverruns]],
    },
  )
})

test('settlements and the sweeper after the same holds at once: each call is charged what it cost, whoever was first', async () => {
  const clock = new MovableClock(Date.UTC(2026, 0, 10))
  await using ledgers = new AsyncDisposableStack()
  const own = ledgers.use(await openLedgerAlone({ db, clock, log: quiet, ...patient }))
  const other = ledgers.use(await openLedgerAlone({ db, clock, log: quiet, ...patient }))
  const [person] = (await openPeople(db)) as [Person]
  await db.tx((tx) =>
    grant(
      tx,
      { accountId: person.account, transferId: randomUUID(), microcredits: 100_000n, reason: 'test' },
      new Date(),
    ),
  )
  const holds = await Promise.all(Array.from({ length: 300 }, () => own.hold(holdOptions(person, 100n))))
  clock.moveMs(61_000)
  const sweeping = until(() => other.sweep())
  const settling = holds.map(async (hold, index) => {
    for (let turn = 0; turn < index / 3; turn++) await pause(0)
    // The last ones leave something to sweep, however late the first sweep is.
    if (index >= 290) await sweeping
    await hold.settle({ microcredits: 7n, state: 'completed', statusCode: 200 })
  })
  await Promise.all(settling)
  expect(await sweeping).toBeGreaterThan(0)
  const rows = await db.query<{ state: string; ambiguous: boolean; charged: bigint; n: bigint }>(
    {
      text: 'select state, ambiguous, charged, count(*) as n from ledger.receipts where account_id = $1 group by 1, 2, 3',
    },
    [person.account],
  )
  expect(rows).toEqual([{ state: 'completed', ambiguous: false, charged: 7n, n: 300n }])
  expect(await own.balance(person.account)).toEqual({ balance: 100_000n - 2_100n, held: 0n })
  expect(await broken()).toEqual([])
})

const holdOptions = (person: Person, amount: bigint, more: { id?: string; claim?: string } = {}) => ({
  payer: { accountId: person.account, projectId: person.project, keyId: person.key },
  receiptId: more.id ?? randomUUID(),
  endpoint: '/test',
  microcredits: amount,
  started: true,
  lifetimeMs: 60_000,
  ...(more.claim !== undefined && { claim: { key: more.claim, fingerprint: 'same' } }),
})

/** What came of one call through the group committer. */
type End =
  | { held: false; scope: string; need: bigint; have: bigint }
  | { held: true; charged: bigint; loss: bigint }
  | { claimed: string }

async function call(
  ledger: Ledger,
  person: Person,
  plan: { amount: number; percent: number; claim: number | null; turns: number },
): Promise<End> {
  const amount = BigInt(plan.amount)
  const claim = plan.claim === null ? {} : { claim: `claim-${plan.claim}` }
  let hold: Hold
  try {
    hold = await ledger.hold(holdOptions(person, amount, claim))
  } catch (error) {
    if (error instanceof ClaimTaken) return { claimed: error.receiptId }
    const {
      scope = 'balance',
      needMicrocredits,
      haveMicrocredits,
    } = (error as Failure).detail as {
      scope?: string
      needMicrocredits: bigint
      haveMicrocredits: bigint
    }
    return { held: false, scope, need: needMicrocredits, have: haveMicrocredits }
  }
  // Others come in between.
  for (let turn = 0; turn < plan.turns; turn++) await pause(0)
  const settled = await hold.settle({
    microcredits: (amount * BigInt(plan.percent)) / 100n,
    state: 'completed',
    statusCode: 200,
  })
  return { held: true, charged: settled.chargedMicrocredits, loss: settled.lossMicrocredits }
}

test('two processes that settle and hold at once through their group commits never overspend a balance or a cap, and lose nothing', {
  timeout: startMs,
}, async () => {
  const clock = new MovableClock(Date.UTC(2026, 0, 10))
  await using ledgers = new AsyncDisposableStack()
  const two = [
    ledgers.use(await openLedgerAlone({ db, clock, log: quiet, ...patient })),
    ledgers.use(await openLedgerAlone({ db, clock, log: quiet, ...patient })),
  ] as const
  const plan = fc.record({
    ledger: fc.nat(1),
    who,
    amount: fc.nat(60),
    percent: fc.constantFrom(0, 50, 100, 100, 130),
    claim: fc.option(fc.nat(1), { freq: 1, nil: null }),
    turns: fc.nat(5),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 20, maxLength: 80 }),
      fc.nat(400),
      fc.nat(300),
      async (plans, credits, monthCap) => {
        const people = await openPeople(db)
        const [first, , third, stranger] = people as [Person, Person, Person, Person]
        await db.tx(async (tx) => {
          for (const account of [first.account, stranger.account]) {
            await grant(
              tx,
              { accountId: account, transferId: randomUUID(), microcredits: BigInt(credits), reason: 'test' },
              new Date(),
            )
          }
          await setCaps(tx, first.account, 'key', first.key, { cap: 100n })
          await setCaps(tx, third.account, 'project', third.project, { monthCap: BigInt(monthCap) })
        })
        const ends = await Promise.all(
          plans.map((one) => call(two[one.ledger as 0 | 1], people[one.who]!, one)),
        )

        for (const end of ends) if ('held' in end && !end.held) expect(end.need).toBeGreaterThan(end.have)
        const charged = ends.reduce((sum, end) => sum + ('charged' in end ? end.charged : 0n), 0n)
        const loss = ends.reduce((sum, end) => sum + ('loss' in end ? end.loss : 0n), 0n)
        const [sums] = await db.query<{ spent: string; lost: string | null; free: string; held: string }>(
          {
            text: `select sum(spent)::text as spent, (select (-sum(amount))::text from ledger.entries where book = 'loss' and account_id = any($1)) as lost,
            (select sum(balance)::text from ledger.balances where account_id = any($1)) as free, sum(held)::text as held
            from ledger.meters where scope = 'account' and account_id = any($1)`,
          },
          [[first.account, stranger.account]],
        )
        expect(sums).toEqual({
          spent: String(charged),
          lost: loss === 0n ? null : String(loss),
          free: String(BigInt(credits) * 2n - charged),
          held: '0',
        })
        const over = await db.query(
          {
            text: 'select * from ledger.meters where account_id = any($1) and (spent > cap or month_spent > month_cap)',
          },
          [[first.account, stranger.account]],
        )
        expect(over).toEqual([])
        expect(await broken()).toEqual([])
      },
    ),
    { numRuns: 25 },
  )
})
