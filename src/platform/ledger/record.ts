/** Receipts of requests that move no money, written in the transaction of what they record. */
import type { Db, Tx } from '#platform/db'
import { type Claim, ClaimTaken, type Payer } from './ledger.ts'
import { insertReply, releaseClaim, writeRecord } from './store.ts'

interface RecordTarget {
  payer: Payer
  receiptId: string
  endpoint: string
}

export interface RecordOptions extends RecordTarget {
  claim?: Claim | undefined
  statusCode: number
  /** The answer, kept for replay; undefined if the effect happens elsewhere and is still to come (`answerRecord`). */
  reply?: string | undefined
}

/**
 * Records the claim and the answer of a request that moves no money, in the transaction of what the request did. Call it last in the transaction,
 * since other holds of the account wait from then on. Throws `ClaimTaken`, which the HTTP layer answers, and so rolls the transaction back.
 */
export async function record(tx: Tx, options: RecordOptions, now: Date): Promise<void> {
  const earlier = await writeRecord(tx, { ...options, state: 'completed' }, now)
  if (earlier !== null) throw new ClaimTaken(earlier)
}

/** Fences the receipt id: no hold can be taken under it any more. Returns false if one was taken before. */
export async function fence(tx: Tx, options: RecordTarget, now: Date): Promise<boolean> {
  return (await writeRecord(tx, { ...options, state: 'failed' }, now)) === null
}

/** Stores the answer of a recorded request for replay, once its effect is known. */
export const answerRecord = (
  db: Db,
  of: { accountId: string; receiptId: string },
  answer: { statusCode: number; reply: string },
  now: Date,
): Promise<void> => insertReply(db, of, answer, now)

/** Frees the idempotency key of a recorded request that certainly had no effect. */
export const releaseRecord = (tx: Tx, of: { accountId: string; receiptId: string }): Promise<void> =>
  releaseClaim(tx, of)
