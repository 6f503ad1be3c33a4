/** A model that makes videos, what it can be asked for, and what they cost. */
import type { VideoResolution } from '#core/turn'
import type { NamedModel } from '../../models.ts'

export interface VideoModel extends NamedModel {
  kind: 'video'
  video: VideoSettings
  pricing: VideoPricing
}

/** The settings that the upstream of a video model supports. */
export interface VideoSettings {
  /** Everything that is not in one of these rows is refused before a hold. */
  combinations: VideoCombination[]
  /** The values of an order that names none; all of them are from one row. */
  defaults: { resolution: VideoResolution; seconds: number; aspectRatio: string; withAudio: boolean }
  /** The most reference pictures by mode; absent: none of that mode. */
  references: { guide?: number; frames?: 1 | 2 }
  takesSeed: boolean
}

export interface VideoCombination {
  resolution: VideoResolution
  /** Lengths in whole seconds. */
  durations: number[]
  aspectRatios: string[]
  /** Whether sound is always made, never, or on request. */
  audio: 'always' | 'optional' | 'never'
}

/** Prices in USD. The first row that fits an order is its price; rows that name no resolution or audio fit all. */
export interface VideoPricing {
  rows: VideoPriceRow[]
  /** `ordered`: what was ordered is charged by the table; `delivered`: the seconds that came are charged, at most those that were ordered. */
  billed: 'ordered' | 'delivered'
  /** True: the cost that the upstream reports in USD is charged, at most the price by the table. */
  trustsCost: boolean
}

export interface VideoPriceRow {
  resolution?: VideoResolution
  audio?: boolean
  perSecond?: number
  perVideo?: number
}
