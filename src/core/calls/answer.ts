/** Sends the answer of a paid call that has ended: settled, with its cost in headers, and stored for replay. */
import { orderedFailure } from '#core/inference'
import { asFailure, type Failure, finalFailure } from '#platform/errors'
import { type ContentAnswer, JsonText, type RequestContext } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { setCostHeaders } from './cost.ts'

/** How a call without an answer was settled; see `Finished`. */
export interface FailedEnd {
  keepsClaim: boolean
  wasOrdered: boolean
}

/** A paid call that can be settled. */
export interface Settleable {
  finish(end: { statusCode: number; reply?: string }): Promise<unknown>
  finish(end: { statusCode: number; failure: Failure; undelivered: true }): Promise<FailedEnd>
}

/** The answer (a value, a JSON text, or JSON that is written while it is sent) and its charge. */
export type ChargedAnswer = { microcredits: bigint } & (
  | { body: unknown }
  | { text: string }
  | { content: ContentAnswer }
)

/** Answers with the result of `work` as one JSON body, which is stored for replay if the request has an idempotency claim. */
export async function answerPaid(
  context: Pick<RequestContext<unknown>, 'claim' | 'setHeader'>,
  paid: Settleable,
  work: () => Promise<ChargedAnswer>,
): Promise<JsonText | ContentAnswer> {
  let answer: string | ContentAnswer
  try {
    const outcome = await work()
    if ('content' in outcome) answer = outcome.content
    else answer = 'text' in outcome ? outcome.text : JSON.stringify(outcome.body)
    setCostHeaders(context, outcome.microcredits)
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  if (typeof answer === 'string') return settleDelivered(context, paid, answer)
  await settle(context, paid, undefined)
  return answer
}

/** Settles a call that has no answer, and throws its failure; see `settledFailure`. */
export async function settleFailed(paid: Settleable, failure: Failure): Promise<never> {
  const end = await paid.finish({ statusCode: failure.status, failure, undelivered: true })
  throw settledFailure(failure, end)
}

/**
 * Returns a settled failure as the caller receives it: final if the idempotency key stays claimed by this call, or if what was ordered may have been
 * made, so that a client that repeats by itself does not order it again.
 */
export function settledFailure(failure: Failure, { keepsClaim, wasOrdered }: FailedEnd): Failure {
  if (wasOrdered) return orderedFailure(failure)
  return keepsClaim ? finalFailure(failure) : failure
}

/** Settles a complete answer, and stores it for replay if it is small enough. */
export async function settleDelivered(
  context: Pick<RequestContext<unknown>, 'claim'>,
  paid: Settleable,
  text: string,
): Promise<JsonText> {
  await settle(context, paid, replyForReplay(text))
  return new JsonText(text)
}

async function settle(
  context: Pick<RequestContext<unknown>, 'claim'>,
  paid: Settleable,
  reply: string | undefined,
): Promise<void> {
  const settled = paid.finish({ statusCode: 200, ...(reply !== undefined && { reply }) })
  // A repeat sent after the answer must find it stored; without a claim the answer need not wait for the settlement.
  if (context.claim) await settled
}

/** Returns the answer, or undefined if it is too large to be stored for replay. */
export const replyForReplay = (text: string): string | undefined =>
  Buffer.byteLength(text) < replayLimitBytes ? text : undefined
