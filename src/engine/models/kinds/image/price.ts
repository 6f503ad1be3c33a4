/** What pictures cost, known before they are drawn: worst case and charge are the same sum, but for unfinished pictures that did not come. */
import type { ImageOrder } from '#engine/turn'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import { type ImageModel, imagePrice } from './image-model.ts'

/** In micro-credits; each price is rounded up to a whole one once. */
export function imageCost({ pricing }: ImageModel, conversion: PriceConversion, order: ImageOrder): bigint {
  const each = microcreditsOf(imagePrice(pricing, order), conversion)
  const reference = microcreditsOf(pricing.perReference, conversion)
  const partial = microcreditsOf(pricing.perPartial, conversion)
  const others = reference * BigInt(order.references.length) + partial * BigInt(order.partials ?? 0)
  return each * BigInt(order.count) + others
}
