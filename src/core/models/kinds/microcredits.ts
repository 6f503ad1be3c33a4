/** From prices in USD to micro-credits: the one place where money is rounded, always up. */

/** What a price in USD is multiplied by. */
export interface PriceConversion {
  creditsPerUsd: number
  markup: number
}

/**
 * A price in USD as micro-credits: `credits = USD × credits_per_usd × markup` (decisions §6), rounded up to a whole one. The noise of
 * binary fractions is taken away before: 0.1 × 3 must not cost more than 0.3.
 */
export const microcreditsOf = (usd: number, { creditsPerUsd, markup }: PriceConversion): bigint =>
  BigInt(Math.ceil(Number((usd * creditsPerUsd * markup * 1_000_000).toPrecision(12))))

/** Millionths of a micro-credit in one: a price per million tokens is so many of them per token, an integer for the cheapest too. */
export const scale = 1_000_000n

/** Rounded up to a whole micro-credit, once for a whole call. */
export const wholeMicrocredits = (millionths: bigint): bigint => (millionths + scale - 1n) / scale
