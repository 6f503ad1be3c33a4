/** What an answer was charged: fields of the body and headers. */
import { Type } from 'typebox'
import { costHeaders, type RequestContext } from '#platform/http'
import { exactCredits } from '#platform/ledger'

/** Of `usage`. */
export const Cost = {
  credits: Type.Number({
    minimum: 0,
    description: 'What the answer was charged, with at most six decimals; the receipt says the same.',
    'x-description-fa': 'هزینهٔ پاسخ با حداکثر شش رقم اعشار؛ رسید همین را می‌گوید.',
  }),
  microcredits: Type.String({
    description: 'The same, exactly; 1 credit = 1,000,000.',
    'x-description-fa': 'همان به‌دقت؛ هر اعتبار ۱٬۰۰۰٬۰۰۰ است.',
  }),
}

export const costOf = (microcredits: bigint): { credits: number; microcredits: string } => ({
  credits: exactCredits(microcredits),
  microcredits: String(microcredits),
})

/** `X-Credits` and `X-Microcredits`. */
export function setCostHeaders(context: Pick<RequestContext, 'setHeader'>, microcredits: bigint): void {
  const headers = costHeaders(microcredits)
  for (const name in headers) context.setHeader(name, headers[name]!)
}
