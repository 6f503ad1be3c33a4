import type { Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { ClaimTaken, record } from '#platform/ledger'

export interface AcceptOptions {
  /** For the receipt, such as `/v1/files`. */
  endpoint: string
  statusCode: number
  /** Of the receipt; by default the time at which the work is done. */
  now?: Date
  /** True where the answer has a secret in it: it is kept sealed for the repeat. */
  sealed?: boolean
  /** Takes back what was done before the transaction, where that has certainly not committed. */
  undo?: () => Promise<void>
}

/**
 * Does what a request that moves no money asks for in one transaction, and answers with the body that `work` makes. Under an
 * idempotency key the claim and the answer stand with the work or not at all: a repeat gets that answer to the byte, and works never
 * again. Throws `ClaimTaken`, which the HTTP layer answers, and so undoes the transaction.
 */
export async function acceptOnce(
  context: Pick<RequestContext, 'app' | 'caller' | 'claim' | 'requestId'>,
  { undo, ...options }: AcceptOptions,
  work: (tx: Tx) => Promise<unknown>,
): Promise<JsonText> {
  try {
    return await context.app.db.tx(async (tx) => {
      const reply = JSON.stringify(await work(tx))
      // Last, since holds of the account wait from here on.
      await keep(tx, context, options, reply)
      return new JsonText(reply)
    })
  } catch (error) {
    // After any other error it may have committed.
    if (error instanceof Failure || error instanceof ClaimTaken) await undo?.()
    throw error
  }
}

async function keep(
  tx: Tx,
  { app, caller, claim, requestId }: Pick<RequestContext, 'app' | 'caller' | 'claim' | 'requestId'>,
  { endpoint, statusCode, now, sealed = false }: AcceptOptions,
  reply: string,
): Promise<void> {
  if (!claim) return
  const kept = sealed ? await app.secrets.seal(reply, requestId) : reply
  const receipt = { payer: caller, receiptId: requestId, endpoint, claim, statusCode, reply: kept }
  await record(tx, receipt, now ?? new Date(app.clock.nowMs()))
}
