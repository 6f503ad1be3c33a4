import type { Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { ClaimTaken, record } from '#platform/ledger'
import type { CallsApp } from './app.ts'

export interface AcceptOptions {
  /** The endpoint that the receipt names, such as `/v1/files`. */
  endpoint: string
  /** The status of the answer; a function where it depends on what `work` did. */
  statusCode: number | (() => number)
  /** The time of the receipt; by default the time at which the work is done. */
  now?: Date
  /** True if the answer contains a secret: it is stored encrypted for the replay. */
  sealed?: boolean
  /** Undoes what was done before the transaction; called only if the transaction has certainly not committed. */
  undo?: () => Promise<void>
}

type AcceptContext = Pick<
  RequestContext<Pick<CallsApp, 'clock' | 'db' | 'secrets'>>,
  'app' | 'caller' | 'claim' | 'requestId'
>

/**
 * Runs `work` for a request that moves no money, in one transaction, and answers with the body that `work` returns. If the request has
 * an idempotency key, its claim and the answer are stored in the same transaction: a repeated request gets the same bytes, and the work
 * is never done twice. Throws `ClaimTaken`, which rolls the transaction back and which the HTTP layer turns into an answer.
 */
export async function acceptOnce(
  context: AcceptContext,
  { undo, ...options }: AcceptOptions,
  work: (tx: Tx) => Promise<unknown>,
): Promise<JsonText> {
  try {
    return await context.app.db.tx(async (tx) => {
      const reply = JSON.stringify(await work(tx))
      // This comes last, because it locks rows that holds of the account wait for until the commit.
      await storeReply(tx, context, options, reply)
      return new JsonText(reply)
    })
  } catch (error) {
    // After any other error the transaction may have committed.
    if (error instanceof Failure || error instanceof ClaimTaken) await undo?.()
    throw error
  }
}

async function storeReply(
  tx: Tx,
  { app, caller, claim, requestId }: AcceptContext,
  { endpoint, statusCode, now, sealed = false }: AcceptOptions,
  reply: string,
): Promise<void> {
  if (!claim) return
  const stored = sealed ? await app.secrets.seal(reply, requestId) : reply
  const status = typeof statusCode === 'function' ? statusCode() : statusCode
  const receipt = { payer: caller, receiptId: requestId, endpoint, claim, statusCode: status, reply: stored }
  await record(tx, receipt, now ?? new Date(app.clock.nowMs()))
}
