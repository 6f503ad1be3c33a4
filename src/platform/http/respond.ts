/** Sends answers: JSON, other types, events, failures, or the stored answer to an earlier request. */
import { isDatabaseAway } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import { claimOwnerReceipt, replayedAnswer } from '#platform/idempotency'
import { ClaimTaken } from '#platform/ledger'
import { isSealed } from '#platform/secrets'
import { type ActiveRequest, jsonType } from './active-request.ts'
import { sendFailure } from './answer.ts'
import type { HttpApp } from './app.ts'
import { ClientGone } from './body.ts'
import { ContentAnswer, sendContent } from './content.ts'
import { costHeaders } from './cost.ts'
import type { AnswerCheck } from './declared-answers.ts'
import { failureOf } from './failure-of.ts'
import { HttpAnswer, JsonText, type Route } from './http.ts'

/** The request that is answered, with its route and checks. */
export interface AnswerContext {
  app: HttpApp
  route: Route
  context: ActiveRequest
  check: AnswerCheck | undefined
}

export async function send(
  app: HttpApp,
  context: ActiveRequest,
  route: Route,
  result: unknown,
  check?: AnswerCheck,
): Promise<void> {
  if (result instanceof ContentAnswer) return sendContent({ app, route, context, check }, result)
  const { status, body, contentType } =
    result instanceof HttpAnswer ? result : new HttpAnswer(firstStatus(route), result)
  if (contentType !== undefined)
    return context.answer(status, contentType, body as string | Uint8Array | null)
  sendJson(context, status, body instanceof JsonText ? body.text : JSON.stringify(body), check)
}

export function sendJson(
  context: ActiveRequest,
  status: number,
  text: string,
  check: AnswerCheck | undefined,
): void {
  check?.reply(status, text)
  context.answer(status, jsonType, text)
}

export const firstStatus = (route: Route): number => Number(Object.keys(route.reply)[0])

export async function sendError(
  app: HttpApp,
  route: Route,
  context: ActiveRequest,
  error: unknown,
  check?: AnswerCheck,
): Promise<void> {
  try {
    const first = await earlierReceiptId(app, context, error)
    if (first === undefined) throw error
    return await replay(app, route, context, first)
  } catch (again) {
    if (again instanceof ClientGone) return void context.response.destroy()
    // The platform's own failures may have a refused upstream connection as their cause, which is no sign of a lost database.
    const failure = failureOf(
      app,
      !(again instanceof Failure) && isDatabaseAway(again) ? awayFailure(again) : again,
    )
    context.code = failure.code
    if (failure.status >= 500)
      app.log.error(
        { err: failure.cause ?? failure, request_id: context.requestId, operation: route.operation },
        failure.code,
      )
    check?.failure(failure)
    if (!context.response.headersSent && !context.response.destroyed) sendFailure(context, failure)
  }
}

const awayFailure = (cause: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000, cause })

/**
 * The receipt of the earlier request if this one is a repeat. The reason of the refusal (a full project, a deleted object) may have arisen only after
 * the first request, so a repeat gets the first answer.
 */
async function earlierReceiptId(
  app: HttpApp,
  { caller, claim, requestId }: ActiveRequest,
  error: unknown,
): Promise<string | undefined> {
  if (error instanceof ClaimTaken) return error.receiptId
  if (!claim || !(error instanceof Failure) || error.status >= 500) return undefined
  return claimOwnerReceipt(app.ledger, { ...caller, requestId }, claim)
}

async function replay(app: HttpApp, route: Route, context: ActiveRequest, receiptId: string): Promise<void> {
  // The hold of this very request ended while the request ran, so the request cannot be continued.
  if (receiptId === context.requestId || !context.claim) fail('SERVICE_UNAVAILABLE', { why: 'database' })
  const first = await replayedAnswer(app.ledger, context.caller.accountId, receiptId, context.claim)
  // An answer with a secret is stored encrypted and bound to its receipt.
  const text = isSealed(first.text) ? await app.secrets.open(first.text, first.requestId) : first.text
  Object.assign(context.answerHeaders, {
    ...first.answerHeaders,
    'x-request-id': first.requestId,
    'request-id': first.requestId,
    'idempotent-replayed': 'true',
    ...(first.chargedMicrocredits !== undefined && costHeaders(first.chargedMicrocredits)),
    ...(first.files.length > 0 && { 'x-file-ids': first.files.join(', ') }),
    ...(route.location && first.status < 300 && { location: route.location(JSON.parse(text)) }),
    ...(first.missing > 0 && { 'x-missing-outputs': String(first.missing) }),
  })
  context.answer(first.status, jsonType, text)
}
