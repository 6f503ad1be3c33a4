import type { ImageResult } from '#core/spec'

/**
 * Takes each picture of an answer once, inline or behind its link, all at the same time, and returns those that came. If none came, throws the error
 * of the first.
 */
export async function takeFulfilled<Item>(
  items: readonly Item[],
  take: (item: Item) => Promise<Uint8Array>,
): Promise<Pick<ImageResult, 'images'>> {
  const taken = await Promise.allSettled(items.map(async (item) => take(item)))
  const images = taken.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const failed = taken.find((one) => one.status === 'rejected')
  if (failed && images.length === 0) throw failed.reason
  return { images }
}
