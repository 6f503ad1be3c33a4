/**
 * Exact money: hold the worst case, settle what was used, explain it with a receipt (docs/decisions/platform/holds.md). Amounts are micro-credits
 * (bigint); 1 credit = 1,000,000. The sweep of `store.ts` ends holds whose process has been silent for a lease (`#platform/processes`).
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
  type CapChangeOptions,
  type Caps,
  type ChangedMeter,
  changeMeters,
  type Grant,
  grant,
  type MeterChange,
  type MeterLimits,
  type MeterScope,
  openAccountMeter,
  openMeter,
  setCaps,
} from './books.ts'
export {
  type DurableHoldOptions,
  type DurableSettlement,
  extendHoldInTx,
  type HoldExtension,
  type HoldResize,
  holdInTx,
  resizeHoldInTx,
  settleHoldInTx,
} from './durable.ts'
export { repliesHolding } from './holding.ts'
export { ledgerSeries } from './metrics.ts'
export { answerRecord, fence, type RecordOptions, record, releaseRecord } from './record.ts'

export {
  balances,
  deleteReply,
  type EarlierReceipt,
  lockBalance,
  type Meter,
  type Receipt,
  type Spending,
  sampleViolations,
  spendings,
  transferredAmount,
} from './store.ts'
export type { UsageGroup, UsagePage, UsageRow, UsageSums } from './usage/store.ts'
export { reportSettlement } from './watch.ts'

export const microcreditsPerCredit = 1_000_000n

/** Whole credits for people: balances are rounded down, charges up. */
export const creditsDown = (micro: bigint): number => Number(micro / microcreditsPerCredit)
export const creditsUp = (micro: bigint): number =>
  Number((micro + microcreditsPerCredit - 1n) / microcreditsPerCredit)

/** The exact amount in credits, with at most six decimals. */
export const exactCredits = (micro: bigint): number => Number(micro) / Number(microcreditsPerCredit)

/** Millionths as a decimal text without trailing zeros, such as micro-credits as credits: 1500000 is 1.5. Takes no negative numbers. */
export function millionthsText(millionths: bigint): string {
  const digits = String(millionths % microcreditsPerCredit).padStart(6, '0')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const whole = String(millionths / microcreditsPerCredit)
  return end === 0 ? whole : `${whole}.${digits.slice(0, end)}`
}

/** The payer: credits are held of all three or of none. */
export interface Payer {
  accountId: string
  projectId: string
  keyId: string
}

/** A claim on an idempotency key; the fingerprint detects another request under the same key. */
export interface Claim {
  key: string
  fingerprint: string
}

export interface HoldOptions {
  payer: Payer
  /** The id of the receipt, a UUID; also the id of the request. */
  receiptId: string
  endpoint: string
  microcredits: bigint
  model?: string
  claim?: Claim | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
  /** True if the paid call follows at once: if this process dies, the hold is charged as ambiguous and not freed. */
  started: boolean
  /** True if the call is charged only once its result is stored: if this process dies before, its cost is the platform's loss. */
  freeIfLost?: boolean | undefined
  /** The lifetime from now, in milliseconds; after it the sweeper ends the hold. */
  lifetimeMs: number
}

/** The quantity of each unit: `{ searches: 2 }`. */
export type Quantities = Readonly<Record<string, number>>

export interface Settlement {
  /** The amount that was really used; at most the hold and what is still free is charged. */
  microcredits: bigint
  /** The part of the amount that is not charged; it is recorded as the platform's loss. */
  lostMicrocredits?: bigint | undefined
  /** True charges at most the hold, whatever else is free; the rest is recorded as the platform's loss. */
  withinHold?: boolean | undefined
  state: 'completed' | 'failed'
  statusCode: number
  /** The model that actually answered, if it differs from the hold's. */
  model?: string | undefined
  tokens?: { input: number; cachedInput: number; output: number; reasoning: number } | undefined
  /** Usage in other units: seconds, searches. Whole numbers above zero. */
  quantities?: Quantities | undefined
  /** Details for the receipt; never prompt or answer text. */
  detail?: Record<string, unknown>
  /** The complete JSON answer of an idempotent request, kept for replay. */
  reply?: string | undefined
  /** True when nothing happened and nothing was charged, so that the idempotency key may be used again. */
  freeClaim?: boolean
  /** True commits at once instead of with the next batch; for answers that wait for the settlement. */
  urgent?: boolean
}

export interface SettlementResult {
  chargedMicrocredits: bigint
  lossMicrocredits: bigint
}

export interface Hold {
  readonly receiptId: string
  /** The amount that is held now. */
  readonly microcredits: bigint
  /**
   * Changes the held amount, and extends the lifetime to at least this long from now. Called before each further step of a call, with the cost of the
   * steps so far and the most that the next may cost. Throws as `Ledger.hold` does for money; the hold then stays as it was.
   */
  change(microcredits: bigint, lifetimeMs: number): Promise<void>
  /** Extends the lifetime to at least this long from now. Throws SERVICE_UNAVAILABLE if the database cannot be reached. */
  renew(lifetimeMs: number): Promise<void>
  /** Settles the hold; resolves when that is durable. It is retried until the database has stored it, and safe to call twice. */
  settle(settlement: Settlement): Promise<SettlementResult>
  /**
   * Settles the hold in one transaction with what `write` writes. A transaction whose outcome is unknown is looked up before it is tried again, so
   * `write` is committed at most once. Throws what `write` throws; the hold is then still open.
   */
  settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult>
}

/** Thrown by `hold` if the idempotency key is taken; the HTTP layer answers it (`platform/idempotency`). */
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
   * Holds credits of account, project and key together, with the receipt and the idempotency claim, in one durable commit. Throws
   * INSUFFICIENT_CREDITS or BUDGET_EXCEEDED (402), RATE_LIMITED or CONCURRENCY_LIMITED (429), SERVICE_UNAVAILABLE (503), or `ClaimTaken`.
   */
  hold(options: HoldOptions): Promise<Hold>
  balance(accountId: string): Promise<{ balance: bigint; held: bigint }>
  meters(payer: Payer): Promise<store.Meter[]>
  receipt(accountId: string, projectId: string, receiptId: string): Promise<store.Receipt | undefined>
  /** A receipt of any project of the account. */
  receiptOfAccount(accountId: string, receiptId: string): Promise<store.Receipt | undefined>
  lookup(accountId: string, keyId: string, idempotencyKey: string): Promise<store.Receipt | undefined>
  /** The earlier request of a claim, with its stored answer if that is at most `replayMs` old. */
  earlierReceipt(
    accountId: string,
    receiptId: string,
    replayMs: number,
  ): Promise<store.EarlierReceipt | undefined>
  /** The total usage of a project's calls in the last days, today included. */
  usageTotals(accountId: string, projectId: string, days: number): Promise<UsageSums>
  /** A page of that usage by day, model, endpoint, key and customer, or also by reference. */
  usageRows(accountId: string, projectId: string, days: number, page: UsagePage): Promise<UsageRow[]>
  /** Ends the holds of dead processes and those past their lifetime, and deletes replies that are too old to be replayed; returns how many holds. */
  sweep(): Promise<number>
  /** Rows of broken invariants; empty on a healthy ledger. */
  violations(): Promise<Record<string, unknown>[]>
  /** Makes a stop wait until the result is disposed, as for calls whose result is stored: for work whose hold is bound to no process. */
  storing(receiptId: string): Disposable
  /**
   * Whether a call of this process whose result is stored before it is charged (`freeIfLost`, `storing`) is open: the call of this receipt, or any.
   */
  isStoring(receiptId?: string): boolean
  /** Resolves when no call that `isStoring` counts is open, or after `maxMs`. */
  whenStored(maxMs: number): Promise<void>
}

export interface LedgerOptions {
  db: Db
  clock: Clock
  log: Log
  /** The processes of the installation. The holds of dead ones are ended at each sweep. */
  processes: Processes
  /** Shares of a cap, in percent, at which a budget.threshold event is written. */
  thresholdsPercent: readonly number[]
  metrics?: Metrics
  /** The time after which a hold that the database has not taken is refused; 5 s if absent. */
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
    while ((await store.deleteOldReplies(db, clock.nowMs() - keepRepliesMs)) === store.sweepSize);
    return holds
  }

  return {
    hold: (asked) => takeHold(holding, asked),
    balance: (accountId) => store.balance(db, accountId),
    meters: (payer) => store.meters(db, payer, clock.nowMs()),
    receipt: (accountId, projectId, receiptId) => store.receipt(db, accountId, projectId, receiptId),
    receiptOfAccount: (accountId, receiptId) => store.receiptOfAccount(db, accountId, receiptId),
    lookup: (accountId, keyId, key) => store.lookup(db, accountId, keyId, key),
    earlierReceipt: (accountId, receiptId, replayMs) =>
      store.earlierReceipt(db, accountId, receiptId, clock.nowMs() - replayMs),
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
    whenStored: (maxMs) => stored.whenAllEnded(maxMs),
    async [Symbol.asyncDispose]() {
      // A call that was cut while its hold was pending is settled like any other cut call, as soon as the hold is decided.
      await committer.refuseHolds()
      // Calls that were cut a moment ago settle within this turn of the event loop; after the close they could not.
      await turn()
      await stored.whenAllEnded(storingMs)
      await committer.close()
    },
  }
}

/** How long a close waits for results that are being stored by calls that were cut when the time of a stop was over. */
const storingMs = 400
/** Longer than any reply is replayed (`platform/idempotency`), by an hour, because clocks may differ. */
const keepRepliesMs = 25 * 60 * 60 * 1000
