import { Failure } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { answerRecord, record, releaseRecord } from '#platform/ledger'
import type { CallsApp } from './app.ts'

type ClaimContext = Pick<
  RequestContext<Pick<CallsApp, 'clock' | 'db' | 'log'>>,
  'app' | 'caller' | 'claim' | 'requestId'
>

/**
 * Runs `work` for a request that moves no money and whose effect lies outside of the platform's database, so that no transaction can hold
 * both: the claim of its idempotency key is durable before the work, its answer after it. A request that was cut in between is never run
 * again: a repeat is answered REQUEST_ALREADY_ACCEPTED. A `Failure` without `executed` says that nothing has happened, and frees the key.
 * `work` returns the body as JSON text. Throws `ClaimTaken`, which the HTTP layer answers.
 */
export async function claimFirst(
  { app, caller, claim, requestId }: ClaimContext,
  { endpoint, statusCode }: { endpoint: string; statusCode: number },
  work: () => Promise<string>,
): Promise<JsonText> {
  if (!claim) return new JsonText(await work())
  const now = () => new Date(app.clock.nowMs())
  await app.db.tx((tx) =>
    record(tx, { payer: caller, receiptId: requestId, endpoint, claim, statusCode }, now()),
  )
  const recordKey = { accountId: caller.accountId, receiptId: requestId }
  const reply = await work().catch(async (error: unknown) => {
    if (error instanceof Failure && !error.more.executed)
      await app.db.tx((tx) => releaseRecord(tx, recordKey))
    throw error
  })
  // The work is done, so this request is answered even if the answer cannot be stored for a repeat.
  await answerRecord(app.db, recordKey, { statusCode, reply }, now()).catch((error: unknown) =>
    app.log.error({ err: error, request_id: requestId }, 'an answer was not kept for replay'),
  )
  return new JsonText(reply)
}
