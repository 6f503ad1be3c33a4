/** Receipts of what moves no money, written into the transaction that they belong to. */
import type { Db, Tx } from '#platform/db'
import { type Claim, ClaimTaken, type Payer } from './ledger.ts'
import { insertReply, releaseClaim, writeRecord } from './store.ts'

interface Recorded {
  payer: Payer
  receiptId: string
  endpoint: string
}

export interface RecordOptions extends Recorded {
  claim?: Claim | undefined
  statusCode: number
  /** The answer, kept for replay; undefined where the effect lies elsewhere and is yet to come (`answerRecord`). */
  reply?: string | undefined
}

/**
 * The claim and the answer of a request that moves no money, durable with what the request did; ask it last in a transaction, since
 * holds of the account wait from here on. Throws `ClaimTaken`, which the HTTP layer answers, and so undoes the transaction.
 */
export async function record(tx: Tx, options: RecordOptions, now: Date): Promise<void> {
  const earlier = await writeRecord(tx, { ...options, state: 'completed' }, now)
  if (earlier !== null) throw new ClaimTaken(earlier)
}

/** Fences the receipt id: no hold can be taken under it any more. Returns false if one was taken before. */
export async function fence(tx: Tx, options: Recorded, now: Date): Promise<boolean> {
  return (await writeRecord(tx, { ...options, state: 'failed' }, now)) === null
}

/** Keeps the answer of a recorded request for replay, once its effect is known. */
export const answerRecord = (
  db: Db,
  of: { accountId: string; receiptId: string },
  answer: { statusCode: number; reply: string },
  now: Date,
): Promise<void> => insertReply(db, of, answer, now)

/** A recorded request certainly had no effect: its idempotency key may be used again. */
export const releaseRecord = (tx: Tx, of: { accountId: string; receiptId: string }): Promise<void> =>
  releaseClaim(tx, of)
