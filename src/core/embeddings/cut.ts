/** Cuts the texts of a request into orders that the model takes at once, and bounds the tokens of each. */
import {
  type EmbeddingModel,
  estimatedEmbeddingTokens,
  maxEmbeddingTokens,
  possibleEmbeddingTokens,
} from '#core/models'
import { Slice } from '#platform/slices'

/** Texts of one order, with their tokens: as many as there can be, as many as an upstream can count, and a fair guess. */
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
const textsInNumbers = 256

/** Texts of one order. */
const batchOf = ({ maxBatch, encoding }: Bounds): number =>
  encoding === 'float' ? Math.min(maxBatch, textsInNumbers) : maxBatch

/**
 * The texts in their order, cut where the next one would exceed the texts or the tokens of an order; tokens are counted as in the hold. A
 * text that exceeds them alone is an order of its own. Megabytes are counted once, in slices.
 */
export async function cutIntoOrders(model: Bounds, texts: readonly string[]): Promise<TextsOfOrder[]> {
  const orders: TextsOfOrder[] = []
  const slice = new Slice()
  for (const text of texts) {
    const most = maxEmbeddingTokens([text])
    let order = orders.at(-1)
    if (!order || order.texts.length >= batchOf(model) || order.most + most > model.maxBatchTokens) {
      order = { texts: [], most: 0, possible: 0, estimated: 0 }
      orders.push(order)
    }
    order.texts.push(text)
    order.most += most
    order.possible += possibleEmbeddingTokens([text])
    order.estimated += estimatedEmbeddingTokens([text])
    if (slice.isOver()) await slice.next()
  }
  return orders
}

/** Texts that are under way at a time, if one order has fewer. */
const textsAtOnce = 512
const maxOrdersAtOnce = 4

/** How many orders of a request are under way at a time: several only where they are small. */
export const ordersAtOnce = (model: Bounds): number =>
  Math.max(1, Math.min(maxOrdersAtOnce, Math.floor(textsAtOnce / batchOf(model))))
