/** What pictures cost, known before they are drawn: worst case and charge are the same sum. */
import { type ImagePricing, imagePrice } from '#engine/models'
import type { ImageQuality, PixelSize } from '#engine/turn'

export interface PricedPictures {
  count: number
  /** Pictures that were given along. */
  references: number
  quality?: ImageQuality | undefined
  size: PixelSize
}

interface Terms {
  creditsPerUsd: number
  markup: number
}

/** In micro-credits; each price is rounded up to a whole one once. */
export function imageCost(pricing: ImagePricing, terms: Terms, pictures: PricedPictures): bigint {
  const each = microcreditsOf(imagePrice(pricing, pictures), terms)
  const reference = microcreditsOf(pricing.perReference, terms)
  return each * BigInt(pictures.count) + reference * BigInt(pictures.references)
}

/** The noise of binary fractions is taken away before rounding up, as with tokens. */
const microcreditsOf = (usd: number, { creditsPerUsd, markup }: Terms): bigint =>
  BigInt(Math.ceil(Number((usd * creditsPerUsd * markup * 1_000_000).toPrecision(12))))
