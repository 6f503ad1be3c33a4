/**
 * Micro-credits of a price in USD: `credits = USD × credits_per_usd × markup`, rounded up once, as the prices of models are. The noise of
 * binary fractions is taken away before: 0.1 × 3 must not cost more than 0.3.
 */
export function priceOf(usd: number, conversion: { creditsPerUsd: number; markup: number }): bigint {
  const microcredits = usd * conversion.creditsPerUsd * conversion.markup * 1_000_000
  return BigInt(Math.ceil(Number(microcredits.toPrecision(12))))
}
