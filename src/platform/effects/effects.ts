/**
 * The journal of paid background calls: whether a call began, and what its result was (docs/decisions/core/retries.md). The id of such
 * a call is chosen and stored before the call, and is the id of its receipt: the receipt, committed with the hold, shows that the call began, and the
 * reply, committed with the settlement, holds its result. So the ledger is the journal. Rules: an id is used by one attempt of one process; whoever
 * takes work over looks the id up first, and begins a second call only if the first is `untouched`.
 */
import type { Tx } from '#platform/db'
import { deleteReply, fence, type Ledger, type Payer } from '#platform/ledger'
import './errors.ts'

export type Effect =
  /** No hold was ever taken: fence the id before another id is used. */
  | { state: 'never' }
  /** The call's hold is open, in this process, in another one, or in one that is not yet known to be dead. Look it up again later. */
  | { state: 'running' }
  /** The call ended, and its answer is known; `reply` is null if it was already consumed or is too old. */
  | { state: 'done' | 'failed'; statusCode: number; reply: string | null }
  /** The call ended without effect or charge: another call may be made, under another id. */
  | { state: 'untouched' }
  /** The upstream may have executed the call, with an unknown result. Its hold is charged, and it is never called again. */
  | { state: 'ambiguous' }

/** How long a reply is looked up; the ledger stores it somewhat longer. */
const replyMs = 24 * 60 * 60 * 1000

export async function effectOf(ledger: Ledger, accountId: string, effectId: string): Promise<Effect> {
  const receipt = await ledger.earlierReceipt(accountId, effectId, replyMs)
  if (!receipt) return { state: 'never' }
  const { state, ambiguous, claiming, reply, status_code } = receipt
  if (state === 'running') return { state }
  if (ambiguous) return { state: 'ambiguous' }
  if (!claiming && reply === null) return { state: 'untouched' }
  return { state: state === 'completed' ? 'done' : 'failed', statusCode: status_code ?? 500, reply }
}

/** Ensures that the call cannot begin any more: a suspended process finds its id fenced. Returns false if the call has begun meanwhile. */
export const fenceEffect = (
  tx: Tx,
  payer: Payer,
  effectId: string,
  endpoint: string,
  now: Date,
): Promise<boolean> => fence(tx, { payer, receiptId: effectId, endpoint }, now)

/** Deletes the copy of the reply in the ledger, in the transaction that stores the result with the work. */
export const discardReply = (tx: Tx, accountId: string, effectId: string): Promise<void> =>
  deleteReply(tx, accountId, effectId)
