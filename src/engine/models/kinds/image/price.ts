/** What pictures cost, known before they are drawn: worst case and charge are the same sum. */
import type { ImageQuality, PixelSize } from '#engine/turn'
import { microcreditsOf, type PriceConversion } from '../kind.ts'
import { type ImagePricing, imagePrice } from './image-model.ts'

export interface PricedPictures {
  count: number
  /** Pictures that were given along. */
  references: number
  quality?: ImageQuality | undefined
  size: PixelSize
}

/** In micro-credits; each price is rounded up to a whole one once. */
export function imageCost(
  pricing: ImagePricing,
  conversion: PriceConversion,
  pictures: PricedPictures,
): bigint {
  const each = microcreditsOf(imagePrice(pricing, pictures), conversion)
  const reference = microcreditsOf(pricing.perReference, conversion)
  return each * BigInt(pictures.count) + reference * BigInt(pictures.references)
}
