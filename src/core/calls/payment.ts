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

/** The schema of the headers `X-Customer-ID` and `X-Reference-ID`. */
export const Reference = Type.String({
  maxLength: 120,
  description: 'Your own mark on the receipt and in the usage report; nothing personal.',
  'x-description-fa': 'نشان خودتان روی رسید و گزارش مصرف؛ دادهٔ شخصی نباشد.',
})

export const referenceHeaders = { 'X-Customer-ID': Reference, 'X-Reference-ID': Reference }

/** The parts of a request that name the payer of a paid call. */
type PayerContext = Pick<
  RequestContext<unknown>,
  'answerHeaders' | 'caller' | 'claim' | 'headers' | 'receivedMs' | 'requestId' | 'trace'
>

/** The arguments of a paid call that come from its request: `payer` and the signal that rings when the client leaves. */
export const payment = (
  context: PayerContext & Pick<RequestContext<unknown>, 'gone'>,
): Omit<PaidCall, 'endpoint'> => ({
  ...payer(context),
  gone: context.gone,
})

/** The caller, claim and reference ids of a paid call. */
export const payer = (context: PayerContext): Omit<PaidCall, 'endpoint' | 'gone'> => ({
  caller: context.caller,
  requestId: context.requestId,
  receivedMs: context.receivedMs,
  claim: context.claim,
  customerId: reference(context, 'X-Customer-ID'),
  referenceId: reference(context, 'X-Reference-ID'),
  trace: context.trace,
  repeatedHeaders: () => repeatedIn(context.answerHeaders),
})

/** The headers that say how the request was understood. A repeat of the answer is read in the same way, and so has them too. */
const repeatedNames = [
  'x-clamped-fields',
  'x-ignored-fields',
  'x-mapped-fields',
  'x-max-output-tokens',
  'x-skipped-features',
  'x-truncated-audio',
]

const repeatedIn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    repeatedNames.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  )

/** The customer or reference id in a header, read as UTF-8. Throws INVALID_REQUEST if it has more than 120 characters. */
export function reference(
  context: Pick<RequestContext<unknown>, 'headers'>,
  name: keyof typeof referenceHeaders,
): string | undefined {
  const value = context.headers[name.toLowerCase()]
  if (typeof value !== 'string' || value === '') return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if ([...text].length > 120) fail('INVALID_REQUEST', { why: reasons.longReference(name) }, { param: name })
  return text
}
