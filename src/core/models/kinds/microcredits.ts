/** From prices in USD to micro-credits: the one place where money is rounded, always up. */

/** What a price in USD is multiplied by. */
export interface PriceConversion {
  creditsPerUsd: number
  markup: number
}

/**
 * A price in USD as micro-credits: `credits = USD × credits_per_usd × markup` (decisions §6), rounded up to a whole micro-credit. The noise of binary
 * fractions is taken away before: 0.1 × 3 must not cost more than 0.3.
 */
export const microcreditsOf = (usd: number, { creditsPerUsd, markup }: PriceConversion): bigint =>
  BigInt(Math.ceil(Number((usd * creditsPerUsd * markup * 1_000_000).toPrecision(12))))

/**
 * The millionths in a micro-credit. A price per million tokens in micro-credits is one in millionths per token, a whole number for the cheapest too.
 */
export const scale = 1_000_000n

/** Millionths rounded up to whole micro-credits, once for a whole call. */
export const wholeMicrocredits = (millionths: bigint): bigint => (millionths + scale - 1n) / scale
