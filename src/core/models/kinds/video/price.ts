/** What a video costs: by its row of the table, for each second or as a whole. */
import type { VideoOrder } from '#core/turn'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { VideoModel, VideoPriceRow } from './video-model.ts'

export type PricedVideo = Pick<VideoOrder, 'resolution' | 'seconds'> & { withAudio: boolean }

export interface VideoUsage extends PricedVideo {
  /** The seconds of the video that came. */
  deliveredSeconds: number
  /** The cost that the upstream reports. */
  costUsd?: number | undefined
}

/** The row of an order; the settings make sure that every order of the model has one. */
export const videoPriceRow = (
  { pricing }: Pick<VideoModel, 'pricing'>,
  { resolution, withAudio }: Omit<PricedVideo, 'seconds'>,
): VideoPriceRow | undefined =>
  pricing.rows.find(
    (row) =>
      (row.resolution === undefined || row.resolution === resolution) &&
      (row.audio === undefined || row.audio === withAudio),
  )

/** The most that an order costs in micro-credits, by the table. A video that is longer than was ordered never costs more. */
export function videoWorstCase(model: VideoModel, conversion: PriceConversion, order: PricedVideo): bigint {
  const { perSecond = 0, perVideo = 0 } = videoPriceRow(model, order) ?? {}
  return microcreditsOf(perSecond, conversion) * BigInt(order.seconds) + microcreditsOf(perVideo, conversion)
}

/** The charge of a video in micro-credits; never above the worst case. */
export function videoCost(model: VideoModel, conversion: PriceConversion, used: VideoUsage): bigint {
  const worstCase = videoWorstCase(model, conversion, used)
  const { trustsCost, billed } = model.pricing
  // No video is free, so a claim of zero, like no claim at all, is charged by the table.
  if (trustsCost && used.costUsd !== undefined && Number.isFinite(used.costUsd) && used.costUsd > 0)
    return least(worstCase, microcreditsOf(used.costUsd, conversion))
  const seconds = Math.min(used.seconds, Math.ceil(used.deliveredSeconds))
  return billed === 'delivered' ? videoWorstCase(model, conversion, { ...used, seconds }) : worstCase
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
