/** What an answer was charged, as fields of the body and as headers. */
import { Type } from 'typebox'
import type { Config } from '#platform/config'
import { costHeaders, type RequestContext } from '#platform/http'
import { exactCredits } from '#platform/ledger'

/** The cost fields of `usage`. */
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

/** Sets the headers `X-Credits` and `X-Microcredits`. */
export function setCostHeaders(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  microcredits: bigint,
): void {
  const headers = costHeaders(microcredits)
  for (const name in headers) context.setHeader(name, headers[name]!)
}

/** A charge in USD at the value of a credit, rounded to six decimals: what the caller paid, not what the operator paid. */
export function usdOf({ config }: { config: Pick<Config, 'defaults'> }, microcredits: bigint): number {
  const usd = Number(microcredits) / 1_000_000 / config.defaults.creditsPerUsd
  return Math.round(usd * 1_000_000) / 1_000_000
}
