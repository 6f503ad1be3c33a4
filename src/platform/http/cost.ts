import { microcreditsPerCredit } from '#platform/ledger'

/** The headers that tell what a call was charged, for an answer that is not streamed and each replay of it; credits have six decimals. */
export function costHeaders(microcredits: bigint): Record<string, string> {
  const decimals = String(microcredits % microcreditsPerCredit).padStart(6, '0')
  return {
    'x-credits': `${microcredits / microcreditsPerCredit}.${decimals}`,
    'x-microcredits': String(microcredits),
  }
}
