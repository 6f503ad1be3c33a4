/** How the answer of a paid call that has ended leaves: settled, with what it cost, and kept for replay. */
import { asFailure, type Failure, finalFailure } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { setCostHeaders } from './cost.ts'

/** A paid call as its door ends it. */
export interface Finishing {
  finish(end: { statusCode: number; reply?: string }): Promise<unknown>
  finish(end: { statusCode: number; failure: Failure; undelivered: true }): Promise<{ keepsClaim: boolean }>
}

/** What is answered, and what it is charged. */
export interface Outcome {
  body: unknown
  microcredits: bigint
}

/** Answers with what `work` makes of the call, as one JSON body which is kept for replay where the request has a claim. */
export async function answerPaid(
  context: RequestContext,
  paid: Finishing,
  work: () => Promise<Outcome>,
): Promise<JsonText> {
  let text: string
  try {
    const { body, microcredits } = await work()
    text = JSON.stringify(body)
    setCostHeaders(context, microcredits)
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  return settleDelivered(context, paid, text)
}

/** Settles a call of which there is no answer, and throws why; as final where the idempotency key stays with it. */
export async function settleFailed(paid: Finishing, failure: Failure): Promise<never> {
  const { keepsClaim } = await paid.finish({ statusCode: failure.status, failure, undelivered: true })
  throw keepsClaim ? finalFailure(failure) : failure
}

/** Settles a whole answer, and keeps it for replay where that is allowed. */
export async function settleDelivered(
  context: RequestContext,
  paid: Finishing,
  text: string,
): Promise<JsonText> {
  const reply = replayable(text)
  const settled = paid.finish({ statusCode: 200, ...(reply !== undefined && { reply }) })
  // A repeat that follows the answer must find it stored; others need not wait for their settlement.
  if (context.claim) await settled
  return new JsonText(text)
}

/** The answer where it is small enough to be kept for replay. */
export const replayable = (text: string): string | undefined =>
  Buffer.byteLength(text) < replayLimitBytes ? text : undefined
