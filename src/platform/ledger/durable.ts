/**
 * A hold that is committed with the caller's transaction and is not tied to a process: for work that outlives its request. Its owner ends
 * it, in the transaction in which the work ends; the sweep ends only holds whose own lifetime has passed.
 */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { type OpResult, storableJson } from './commit-ops.ts'
import { ClaimTaken, type HoldOptions, type Settlement, type SettlementResult } from './ledger.ts'
import { refuseLimited } from './limits.ts'
import { holdFields, settleFields } from './operation.ts'
import { refuseAmount } from './refuse-amount.ts'

export interface DurableHoldOptions extends Omit<HoldOptions, 'started' | 'lifetimeMs'> {
  /** The lifetime from now; absent: unlimited. After it the sweep charges the full hold, since nobody reports what was done. */
  lifetimeMs?: number
  /**
   * The answer that accepts the work: a repeat under the idempotency key gets its `reply`, during the work and after it. Without one the repeat is
   * only told that the work is running, or was done.
   */
  accepted: { statusCode: number; reply?: string | undefined }
}

/**
 * Holds credits of account, project and key together, with the receipt and the idempotency claim, when the transaction commits. Throws as
 * `Ledger.hold` does, including `ClaimTaken`, and so rolls the transaction back. Other holds of the account wait until the transaction ends.
 */
export async function holdInTx(tx: Tx, options: DurableHoldOptions, now: Date): Promise<void> {
  const { accepted } = options
  const op = {
    seq: 0,
    ...holdFields(options),
    amount: String(options.microcredits),
    started: true,
    expires_at: options.lifetimeMs === undefined ? 'infinity' : new Date(now.getTime() + options.lifetimeMs),
  }
  const {
    outcome,
    scope,
    need,
    have,
    receipt_id: earlier,
  } = await singleRow(
    sql<OpResult>`select * from ledger.hold_in(json_populate_record(null::ledger.hold_op, ${JSON.stringify(op)}::json),
      ${accepted.statusCode}::smallint, ${accepted.reply ?? null}, ${now})`.execute(tx),
  )
  if (outcome === 'claimed') throw new ClaimTaken(earlier!)
  if (outcome === 'limited') refuseLimited(scope!, Number(need))
  if (outcome === 'insufficient') refuseAmount(scope!, need!, have!)
}

export interface HoldExtension {
  accountId: string
  receiptId: string
  /** The step that needs more; unique within the hold, so that repeating the call adds no credits. A repeat extends the lifetime again. */
  step: string
  /** The additional amount; 0 extends only the lifetime. */
  microcredits: bigint
  /** The lifetime from now; a hold without a lifetime, or with a later end, keeps its own. */
  lifetimeMs?: number
}

/**
 * Adds to an open hold when the transaction commits, checked against balance and caps as a new hold would be; other holds of the account wait until
 * then. Returns the amount held afterwards; undefined if the hold is no longer open. Throws INSUFFICIENT_CREDITS or BUDGET_EXCEEDED (402); the hold
 * then stays as it was.
 */
export async function extendHoldInTx(
  tx: Tx,
  { accountId, receiptId, step, microcredits, lifetimeMs }: HoldExtension,
  now: Date,
): Promise<bigint | undefined> {
  const until = lifetimeMs === undefined ? null : new Date(now.getTime() + lifetimeMs)
  const { outcome, scope, need, have } = await singleRow(
    sql<OpResult>`select * from ledger.extend_in(${accountId}, ${receiptId}, ${step}, ${microcredits}, ${until})`.execute(
      tx,
    ),
  )
  if (outcome === 'insufficient') refuseAmount(scope!, need!, have!)
  return outcome === 'held' ? need! : undefined
}

export interface HoldResize {
  accountId: string
  receiptId: string
  /** The amount held now, as its owner knows it, in micro-credits. */
  from: bigint
  to: bigint
}

/**
 * Makes an open hold larger or smaller when the transaction commits; a larger one is checked against balance and caps as a new hold would be. Other
 * holds of the account wait until then. Only one owner may do so, one change after the other: repeating a change does nothing, and a change that
 * arrives after the next one does no harm. Returns false if the hold is no longer open, or holds neither amount. Throws INSUFFICIENT_CREDITS or
 * BUDGET_EXCEEDED (402); the hold then stays as it was.
 */
export async function resizeHoldInTx(
  tx: Tx,
  { accountId, receiptId, from, to }: HoldResize,
): Promise<boolean> {
  const { outcome, scope, need, have } = await singleRow(
    sql<OpResult>`select * from ledger.rehold(${accountId}, ${receiptId}, ${from}, ${to}, null)`.execute(tx),
  )
  if (outcome === 'insufficient') refuseAmount(scope!, need!, have!)
  return outcome === 'held'
}

export interface DurableSettlement extends Omit<Settlement, 'urgent'> {
  accountId: string
  receiptId: string
  /** The same thresholds as `LedgerOptions.thresholdsPercent`. */
  thresholdsPercent: readonly number[]
}

/** Settles the hold when the transaction commits; settling it again changes nothing. */
export async function settleHoldInTx(tx: Tx, end: DurableSettlement, now: Date): Promise<SettlementResult> {
  const op = {
    seq: 0,
    ...settleFields(end, end),
    actual: String(end.microcredits),
    free_claim: end.freeClaim ?? false,
    reply: end.reply,
  }
  const { need, have } = await singleRow(
    sql<OpResult>`select * from ledger.settle_in(json_populate_record(null::ledger.settle_op, ${storableJson(op)}::json),
      ${now}, ${end.thresholdsPercent}::smallint[])`.execute(tx),
  )
  return { chargedMicrocredits: need ?? 0n, lossMicrocredits: have ?? 0n }
}

const singleRow = async (asking: Promise<{ rows: OpResult[] }>): Promise<OpResult> => (await asking).rows[0]!
