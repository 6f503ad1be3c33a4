/** A model that makes videos, what it can be asked for, and what they cost. */
import type { VideoResolution } from '#core/turn'
import type { NamedModel } from '../../models.ts'

export interface VideoModel extends NamedModel {
  kind: 'video'
  video: VideoSettings
  pricing: VideoPricing
}

/** What the upstream of a video model can be asked for. */
export interface VideoSettings {
  /** Everything that is not in one of these rows is refused before a hold. */
  combinations: VideoCombination[]
  /** What an order gets that does not say it; of one row. */
  defaults: { resolution: VideoResolution; seconds: number; aspectRatio: string; withAudio: boolean }
  /** Reference pictures by mode; absent: none of that mode. */
  references: { guide?: number; frames?: 1 | 2 }
  takesSeed: boolean
}

export interface VideoCombination {
  resolution: VideoResolution
  /** Whole seconds. */
  durations: number[]
  aspectRatios: string[]
  /** Whether sound is always made, never, or as is asked for. */
  audio: 'always' | 'optional' | 'never'
}

/** USD. The first row that fits an order is its price; rows that do not say resolution or audio fit all. */
export interface VideoPricing {
  rows: VideoPriceRow[]
  /** `ordered`: by the table for what was ordered; `delivered`: by the seconds that came, at most those that were ordered. */
  billed: 'ordered' | 'delivered'
  /** True: the cost that the upstream says, in USD, as far as the table allows. */
  trustsCost: boolean
}

export interface VideoPriceRow {
  resolution?: VideoResolution
  audio?: boolean
  perSecond?: number
  perVideo?: number
}
