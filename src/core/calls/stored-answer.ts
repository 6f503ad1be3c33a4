/** Sends the answer of a paid call whose result is stored: files and charge are durable before it is sent. */
import { asFailure, type Failure } from '#platform/errors'
import { type ContentAnswer, JsonText, type RequestContext } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { type FailedEnd, settledFailure, settleFailed } from './answer.ts'
import type { CallsApp } from './app.ts'
import { setCostHeaders } from './cost.ts'
import { jsonContent, jsonPieces, lengthOf, textOf } from './json-with-bytes.ts'

/** A paid call whose result is stored. */
export interface StoredCall {
  finish(end: { statusCode: number; reply?: string }): Promise<{ chargedMicrocredits: bigint }>
  finish(end: { statusCode: number; failure: Failure }): Promise<FailedEnd>
}

/** The body of the answer, which may contain `Base64Bytes` or be JSON already, and the ids of the stored files. */
export interface StoredOutcome {
  body: unknown
  files: readonly string[]
}

/** Sets `X-File-Ids`: the stored files of an answer, in the order of the answer. */
export const setFileHeaders = (
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  files: readonly string[],
): void => context.setHeader('x-file-ids', files.join(', '))

/** Sets `X-Missing-Outputs`: how many of the requested outputs did not come. Missing outputs are free. */
export function setMissingOutputs(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  missing: number,
): void {
  if (missing > 0) context.setHeader('x-missing-outputs', String(missing))
}

/** Sets `X-Truncated-Audio` for a recording that breaks off: the seconds that are heard of it, which are those that are charged. */
export function setTruncatedAudio(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  { isTruncated, seconds }: { isTruncated: boolean; seconds: number },
): void {
  if (isTruncated) context.setHeader('x-truncated-audio', String(Math.round(seconds * 1_000) / 1_000))
}

/** Answers with the result of `work` as one JSON body, which is kept for replay if it is small and the request has an idempotency claim. */
export async function answerStored(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  paid: StoredCall,
  work: () => Promise<StoredOutcome>,
): Promise<JsonText | ContentAnswer> {
  let outcome: StoredOutcome
  try {
    outcome = await work()
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  const { body } = outcome
  const pieces = body instanceof JsonText ? [body.text] : jsonPieces(body)
  const small = lengthOf(pieces) < replayLimitBytes ? textOf(pieces) : undefined
  const { chargedMicrocredits } = await paid.finish({
    statusCode: 200,
    ...(small !== undefined && { reply: small }),
  })
  setCostHeaders(context, chargedMicrocredits)
  setFileHeaders(context, outcome.files)
  return small === undefined ? jsonContent(pieces) : new JsonText(small)
}

/**
 * Settles an answer in events. Returns the result of `work` once the call is settled, or the failure for the last event. A call whose client has left
 * is settled in the same way.
 */
export async function settleStored<Done>(
  context: Pick<RequestContext<Pick<CallsApp, 'log'>>, 'app' | 'requestId'>,
  paid: StoredCall,
  work: () => Promise<Done>,
): Promise<{ done: Done; failure?: never } | { done?: never; failure: Failure }> {
  try {
    const done = await work()
    await paid.finish({ statusCode: 200 })
    return { done }
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL')
      context.app.log.error(
        { err: failure.cause, request_id: context.requestId },
        'a stream of a paid result broke',
      )
    // A result that could not be stored is settled already.
    const end = await paid.finish({ statusCode: failure.status, failure }).catch(() => undefined)
    return { failure: end ? settledFailure(failure, end) : failure }
  }
}
