import type { VideoModel } from '#core/models'
import type { OrderCandidate } from '#core/routing'
import type { VideoOrder } from '#core/turn'
import type { VideoApp } from './app.ts'
import { orderFor } from './plan.ts'

export type VideoCandidate = OrderCandidate<VideoModel, VideoOrder> & { model: VideoModel; order: VideoOrder }

/** The requested model first, then those of its fallbacks that the key may use and that can fill the order. */
export function candidatesFor(
  { models }: Pick<VideoApp, 'models'>,
  allowed: ReadonlySet<string> | undefined,
  model: VideoModel,
  order: VideoOrder,
): VideoCandidate[] {
  const others = model.fallbacks.flatMap((id) => {
    const other = allowed?.has(id) === false ? undefined : models.find(id)
    const planned = other?.kind === 'video' ? orderFor(other, model, order) : undefined
    return planned ? [{ model: other as VideoModel, order: planned }] : []
  })
  return [{ model, order }, ...others]
}
