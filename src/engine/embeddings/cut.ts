/** Cuts the texts of a request into orders that the model takes at once. */
import { type EmbeddingModel, maxEmbeddingTokens } from '#engine/models'

/**
 * The texts in their order, cut where the next one would exceed the texts or the tokens of an order. Tokens are counted as in the hold: as
 * many as there can be. A text that exceeds them alone is an order of its own.
 */
export function cutIntoOrders(
  { maxBatch, maxBatchTokens }: Pick<EmbeddingModel, 'maxBatch' | 'maxBatchTokens'>,
  texts: readonly string[],
): string[][] {
  const orders: string[][] = []
  let tokens = 0
  for (const text of texts) {
    const more = maxEmbeddingTokens([text])
    const last = orders.at(-1)
    if (last && last.length < maxBatch && tokens + more <= maxBatchTokens) {
      last.push(text)
      tokens += more
    } else {
      orders.push([text])
      tokens = more
    }
  }
  return orders
}

/** Texts that are under way at a time, if one order has fewer. */
const textsAtOnce = 512
const mostOrdersAtOnce = 4

/** How many orders of a request are under way at a time: several only where they are small. */
export const ordersAtOnce = ({ maxBatch }: Pick<EmbeddingModel, 'maxBatch'>): number =>
  Math.max(1, Math.min(mostOrdersAtOnce, Math.floor(textsAtOnce / maxBatch)))
