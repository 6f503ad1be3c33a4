/** Cuts the texts of a request into orders of a size that the model accepts, and bounds the tokens of each. */
import {
  type EmbeddingModel,
  estimatedEmbeddingTokens,
  maxEmbeddingTokens,
  possibleEmbeddingTokens,
} from '#core/models'
import { Slice } from '#platform/slices'

/** The texts of one order, with three counts of their tokens: the worst case, the most that an upstream may claim, and an estimate. */
export interface TextsOfOrder {
  texts: string[]
  most: number
  possible: number
  estimated: number
}

type Bounds = Pick<EmbeddingModel, 'maxBatch' | 'maxBatchTokens' | 'encoding'>

/**
 * Vectors that come as numbers and not in Base64 are read one number after the other: those of 2,048 texts at once kept the garbage
 * collector busy for 260 ms.
 */
const maxFloatTexts = 256

/** The most texts in one order. */
const maxBatchTexts = ({ maxBatch, encoding }: Bounds): number =>
  encoding === 'float' ? Math.min(maxBatch, maxFloatTexts) : maxBatch

/**
 * Cuts the texts, in their order, where the next one would exceed the texts or the tokens of an order; tokens are counted as in the hold. A text that
 * alone exceeds them is an order of its own. Texts of megabytes are counted once, in slices.
 */
export async function cutIntoOrders(model: Bounds, texts: readonly string[]): Promise<TextsOfOrder[]> {
  const orders: TextsOfOrder[] = []
  const slice = new Slice()
  for (const text of texts) {
    const maxTokens = maxEmbeddingTokens([text])
    let order = orders.at(-1)
    if (
      !order ||
      order.texts.length >= maxBatchTexts(model) ||
      order.most + maxTokens > model.maxBatchTokens
    ) {
      order = { texts: [], most: 0, possible: 0, estimated: 0 }
      orders.push(order)
    }
    order.texts.push(text)
    order.most += maxTokens
    order.possible += possibleEmbeddingTokens([text])
    order.estimated += estimatedEmbeddingTokens([text])
    if (slice.isOver()) await slice.next()
  }
  return orders
}

/** The most texts under way at a time, where one order has fewer. */
const textsAtOnce = 512
const maxOrdersAtOnce = 4

/** How many orders of a request are under way at a time: several only where the orders are small. */
export const orderConcurrency = (model: Bounds): number =>
  Math.max(1, Math.min(maxOrdersAtOnce, Math.floor(textsAtOnce / maxBatchTexts(model))))
