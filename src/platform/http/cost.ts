import { microcreditsPerCredit } from '#platform/ledger'

/** What a call was charged, in the headers of an answer that is not streamed and of each replay of it; credits with six decimals. */
export function costHeaders(microcredits: bigint): Record<string, string> {
  const decimals = String(microcredits % microcreditsPerCredit).padStart(6, '0')
  return {
    'x-credits': `${microcredits / microcreditsPerCredit}.${decimals}`,
    'x-microcredits': String(microcredits),
  }
}
