/**
 * Exact money: hold the worst case, settle what was used, explain it with a receipt (decisions §6).
 * Amounts are micro-credits (bigint); 1 credit = 1,000,000.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '#platform/clock'
import type { Db, Tx } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Processes } from '#platform/processes'
import { Committer } from './commit.ts'
import { takeHold } from './hold.ts'
import { Refusals } from './limits.ts'
import * as store from './store.ts'
import { StoredHolds } from './stored-holds.ts'
import { type UsagePage, type UsageRow, type UsageSums, usageRows, usageTotals } from './usage/store.ts'
import { reportSettlement } from './watch.ts'
import './errors.ts'

export {
  type CapNews,
  type Caps,
  type Grant,
  grant,
  type MeterScope,
  openBooks,
  openMeter,
  setCaps,
} from './books.ts'
export {
  type DurableHoldOptions,
  type DurableSettlement,
  type Extension,
  extendIn,
  holdIn,
  type Rehold,
  reholdIn,
  settleIn,
} from './durable.ts'
export { ledgerSeries } from './metrics.ts'
export { answerRecord, fence, type RecordOptions, record, releaseRecord } from './record.ts'

export {
  balances,
  contradictions,
  deleteReply,
  type EarlierReceipt,
  lockBalance,
  type Meter,
  type Receipt,
  type Spending,
  spendings,
  transferred,
} from './store.ts'
export type { UsageGroup, UsagePage, UsageRow, UsageSums } from './usage/store.ts'
export { reportSettlement } from './watch.ts'

export const microcreditsPerCredit = 1_000_000n

/** Whole credits for people: what they have rounds down, what they pay rounds up. */
export const creditsDown = (micro: bigint): number => Number(micro / microcreditsPerCredit)
export const creditsUp = (micro: bigint): number =>
  Number((micro + microcreditsPerCredit - 1n) / microcreditsPerCredit)

/** The exact figure, with at most six decimals. */
export const exactCredits = (micro: bigint): number => Number(micro) / Number(microcreditsPerCredit)

/** Who pays: all three are held or none. */
export interface Payer {
  accountId: string
  projectId: string
  keyId: string
}

/** A claim on an idempotency key: the fingerprint tells another request under the same key. */
export interface Claim {
  key: string
  fingerprint: string
}

export interface HoldOptions {
  payer: Payer
  /** Also the id of the request; UUID. */
  receiptId: string
  endpoint: string
  microcredits: bigint
  model?: string
  claim?: Claim | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
  /** True when the paid call follows at once: should this process die, the hold is charged as ambiguous and not freed. */
  started: boolean
  /** True when the call is charged only once its result is stored: should this process die before, its cost is the platform's loss. */
  freeIfLost?: boolean | undefined
  /** From now, in milliseconds; after it the sweeper ends the hold. */
  lifetimeMs: number
}

/** How many of each unit: `{ searches: 2 }`. */
export type Quantities = Readonly<Record<string, number>>

export interface Settlement {
  /** What was really used; at most hold + what is still free is charged. */
  microcredits: bigint
  /** The part of it that is not charged: it is the platform's loss, in its books. */
  lostMicrocredits?: bigint | undefined
  /** True charges at most the hold, whatever else is free; what goes beyond it is the platform's loss, in its books. */
  withinHold?: boolean | undefined
  state: 'completed' | 'failed'
  statusCode: number
  /** What actually answered, when it differs from the hold. */
  model?: string | undefined
  tokens?: { input: number; cachedInput: number; output: number; reasoning: number } | undefined
  /** Usage in other units: seconds, searches. Whole numbers above zero. */
  quantities?: Quantities | undefined
  /** For the receipt; never prompt or answer text. */
  detail?: Record<string, unknown>
  /** The finished JSON of an idempotent request, kept for replay. */
  reply?: string | undefined
  /** True when nothing happened and nothing was charged, so that the idempotency key may be used again. */
  freeClaim?: boolean
  /** True commits at once instead of with the next batch; for answers that wait for it. */
  urgent?: boolean
}

export interface Settled {
  chargedMicrocredits: bigint
  lossMicrocredits: bigint
}

export interface Hold {
  readonly receiptId: string
  /** What it promises now. */
  readonly microcredits: bigint
  /**
   * Promises so much from now on, and for so long at least: before each further step of a call, what the steps so far did cost and
   * what the next may cost at most. Throws as `Ledger.hold` does for money; the hold then stays as it was.
   */
  change(microcredits: bigint, lifetimeMs: number): Promise<void>
  /** Promises the same for so long from now on at least. Throws SERVICE_UNAVAILABLE where the database cannot be asked. */
  renew(lifetimeMs: number): Promise<void>
  /** Ends the hold; resolves when it is durable. It is retried until the database has it, and safe to call twice. */
  settle(settlement: Settlement): Promise<Settled>
  /**
   * The same in one transaction with what `write` writes. A transaction whose fate is unknown is looked up before it is tried again, so
   * `write` is committed at most once. Throws what `write` throws; the hold is then still open.
   */
  settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<Settled>
}

/** Thrown by `hold` when the idempotency key is taken; the HTTP layer answers it (`platform/idempotency`). */
export class ClaimTaken extends Error {
  override name = 'ClaimTaken'
  readonly receiptId: string
  constructor(receiptId: string) {
    super(`The idempotency key is claimed by ${receiptId}.`)
    this.receiptId = receiptId
  }
}

export interface Ledger extends AsyncDisposable {
  /**
   * Promises credits of account, project and key together, with the receipt and the idempotency claim, in one durable commit.
   * Throws INSUFFICIENT_CREDITS or BUDGET_EXCEEDED (402), RATE_LIMITED or CONCURRENCY_LIMITED (429), SERVICE_UNAVAILABLE (503),
   * or `ClaimTaken`.
   */
  hold(options: HoldOptions): Promise<Hold>
  balance(accountId: string): Promise<{ balance: bigint; held: bigint }>
  meters(payer: Payer): Promise<store.Meter[]>
  receipt(accountId: string, projectId: string, receiptId: string): Promise<store.Receipt | undefined>
  lookup(accountId: string, keyId: string, idempotencyKey: string): Promise<store.Receipt | undefined>
  /** The earlier request of a claim, with its stored answer when it is at most `replayMs` old. */
  earlier(accountId: string, receiptId: string, replayMs: number): Promise<store.EarlierReceipt | undefined>
  /** What the calls of a project cost together in the last days, today included. */
  usageTotals(accountId: string, projectId: string, days: number): Promise<UsageSums>
  /** A page of the same by day, model, endpoint, key and customer, or by reference too. */
  usageRows(accountId: string, projectId: string, days: number, page: UsagePage): Promise<UsageRow[]>
  /** Ends the holds of dead processes and those past their time, and forgets replies that are too old to be told again; answers how many holds. */
  sweep(): Promise<number>
  /** Rows of broken invariants; empty on a healthy ledger. */
  violations(): Promise<Record<string, unknown>[]>
  /** A stop waits until it is disposed, as for calls whose result is stored: for work whose hold is bound to no process. */
  storing(receiptId: string): Disposable
  /** Whether a call of this process whose result is stored before it is charged (`freeIfLost`, `storing`) is open: that of this receipt, or any. */
  isStoring(receiptId?: string): boolean
  /** Resolves when no such call is open, or after `maxMs`. */
  stored(maxMs: number): Promise<void>
}

export interface LedgerOptions {
  db: Db
  clock: Clock
  log: Log
  /** Holds of dead ones are ended at each of their sweeps. */
  processes: Processes
  /** Shares of a cap, in percent, at which a budget.threshold event is told. */
  thresholdsPercent: readonly number[]
  metrics?: Metrics
  /** After which a hold that the database has not taken is refused; 5 s if absent. */
  holdTimeoutMs?: number | undefined
}

export function openLedger(options: LedgerOptions): Ledger {
  const { db, clock, log, processes } = options
  const committer = new Committer(options)
  const stored = new StoredHolds()
  const holding = { ...options, committer, stored, refusals: new Refusals(clock), processId: processes.id }
  processes.afterSweep(sweep)

  async function sweep(): Promise<number> {
    let holds = 0
    for (let batch = store.sweepSize; batch === store.sweepSize; holds += batch) {
      const ended = await store.sweep(db, processes, clock.nowMs(), options.thresholdsPercent)
      for (const hold of ended)
        log.warn(
          { receipt: hold.receipt_id, started: hold.started, microcredits: String(hold.amount) },
          'hold ended by the sweeper',
        )
      for (const lost of ended.filter(({ free_if_lost }) => free_if_lost))
        reportSettlement(options, lost.receipt_id, {
          chargedMicrocredits: 0n,
          lossMicrocredits: lost.amount,
        })
      batch = ended.length
    }
    while ((await store.forgetReplies(db, clock.nowMs() - keepRepliesMs)) === store.sweepSize);
    return holds
  }

  return {
    hold: (asked) => takeHold(holding, asked),
    balance: (accountId) => store.balance(db, accountId),
    meters: (payer) => store.meters(db, payer, clock.nowMs()),
    receipt: (accountId, projectId, receiptId) => store.receipt(db, accountId, projectId, receiptId),
    lookup: (accountId, keyId, key) => store.lookup(db, accountId, keyId, key),
    earlier: (accountId, receiptId, replayMs) =>
      store.earlier(db, accountId, receiptId, clock.nowMs() - replayMs),
    usageTotals: (accountId, projectId, days) =>
      usageTotals(db, { accountId, projectId, days, nowMs: clock.nowMs() }),
    usageRows: (accountId, projectId, days, page) =>
      usageRows(db, { accountId, projectId, days, nowMs: clock.nowMs() }, page),
    sweep,
    violations: () => store.findViolations(db),
    storing(receiptId) {
      stored.begin(receiptId)
      return { [Symbol.dispose]: () => stored.end(receiptId) }
    },
    isStoring: (receiptId) => stored.isOpen(receiptId),
    stored: (maxMs) => stored.over(maxMs),
    async [Symbol.asyncDispose]() {
      // A call that was cut while its hold was being asked for settles like one that was cut with it, as soon as that is decided.
      await committer.refuseHolds()
      // What was cut a moment ago settles within this turn of the event loop; past the close it could not.
      await turn()
      await stored.over(storingMs)
      await committer.close()
    },
  }
}

/** A close waits so long for results that are being stored: of calls that were cut when the time of a stop was over. */
const storingMs = 400
/** Longer than any reply is replayed (`platform/idempotency`), by an hour for clocks that disagree. */
const keepRepliesMs = 25 * 60 * 60 * 1000
