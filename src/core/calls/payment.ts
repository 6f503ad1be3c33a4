import { Type } from 'typebox'
import type { PaidCall } from '#core/paid'
import { type FailureCode, fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { reasons } from './phrases.ts'

/** Error codes of every route that holds credits. */
export const paymentFailures: FailureCode[] = [
  'INSUFFICIENT_CREDITS',
  'BUDGET_EXCEEDED',
  'RATE_LIMITED',
  'CONCURRENCY_LIMITED',
]

/** Error codes of every route whose result is stored. */
export const storedFailures: FailureCode[] = ['FILES_QUOTA_EXCEEDED', 'RESULT_NOT_STORED']

/** `X-Customer-ID` and `X-Reference-ID`. */
export const Reference = Type.String({
  maxLength: 120,
  description: 'Your own mark on the receipt and in the usage report; nothing personal.',
  'x-description-fa': 'نشان خودتان روی رسید و گزارش مصرف؛ دادهٔ شخصی نباشد.',
})

export const referenceHeaders = { 'X-Customer-ID': Reference, 'X-Reference-ID': Reference }

/** The arguments of a paid call that come from its request: `payer` and the signal that the client has left. */
export const payment = (context: RequestContext): Omit<PaidCall, 'endpoint'> => ({
  ...payer(context),
  gone: context.gone,
})

/** Caller, claim and reference ids of a paid call. */
export const payer = (context: RequestContext): Omit<PaidCall, 'endpoint' | 'gone'> => ({
  caller: context.caller,
  requestId: context.requestId,
  receivedMs: context.receivedMs,
  claim: context.claim,
  customerId: reference(context, 'X-Customer-ID'),
  referenceId: reference(context, 'X-Reference-ID'),
  trace: context.trace,
})

/** Customer and reference ids, at most 120 characters each; UTF-8 is read as such. */
export function reference(
  context: Pick<RequestContext, 'headers'>,
  name: keyof typeof referenceHeaders,
): string | undefined {
  const value = context.headers[name.toLowerCase()]
  if (typeof value !== 'string' || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if ([...text].length > 120) fail('INVALID_REQUEST', { why: reasons.longReference(name) }, { param: name })
  return text
}
