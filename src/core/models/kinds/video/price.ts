/** What a video costs: by its row of the table, for each second or as a whole. */
import type { VideoOrder } from '#core/turn'
import { type CostLine, pricedLines, sumOfLines } from '../cost.ts'
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
export const videoWorstCase = (model: VideoModel, conversion: PriceConversion, order: PricedVideo): bigint =>
  sumOfLines(tableLines(model, conversion, order))

function tableLines(model: VideoModel, conversion: PriceConversion, order: PricedVideo): CostLine[] {
  const { perSecond = 0, perVideo = 0 } = videoPriceRow(model, order) ?? {}
  return pricedLines([
    { unit: 'video_seconds', quantity: order.seconds, price: microcreditsOf(perSecond, conversion) },
    { unit: 'videos', quantity: 1, price: microcreditsOf(perVideo, conversion) },
  ])
}

/** What a video costs; never above the worst case. */
export function videoLines(model: VideoModel, conversion: PriceConversion, used: VideoUsage): CostLine[] {
  const table = tableLines(model, conversion, used)
  const { trustsCost, billed } = model.pricing
  // No video is free, so a claim of zero, like no claim at all, is charged by the table.
  if (trustsCost && used.costUsd !== undefined && Number.isFinite(used.costUsd) && used.costUsd > 0) {
    const price = microcreditsOf(used.costUsd, conversion)
    return price < sumOfLines(table) ? [{ unit: 'reported_costs', quantity: 1, price }] : table
  }
  const seconds = Math.min(used.seconds, Math.ceil(used.deliveredSeconds))
  return billed === 'delivered' ? tableLines(model, conversion, { ...used, seconds }) : table
}
