import { errorBody, errorHeaders, type Failure } from '#platform/errors'
import { type ActiveRequest, jsonType } from './active-request.ts'

/** Sends a failure as the common error body, with its headers. */
export function sendFailure(context: ActiveRequest, failure: Failure): void {
  Object.assign(context.answerHeaders, errorHeaders(failure))
  const body = errorBody(failure, context.requestId, context.language)
  context.answer(failure.status, jsonType, JSON.stringify(body))
}
