/** The catalogue: models with their deployments and prices, and one value for each kind of model. */
import './failures.ts'
import type { LimitName } from '#core/spec'
import type { Modality, Wire } from '#core/turn'

/** A model as callers know it; the upstreams behind it are its deployments. */
export interface NamedModel {
  /** `<vendor>/<model_name>`. */
  id: string
  /** Other names by which callers may request the model; answers and receipts bear the id. */
  aliases?: string[]
  displayName: string
  description: string
  ownedBy: string
  /** Unix seconds, for the lists of the OpenAI and Anthropic clients. */
  created: number
  /** Sandbox models are simulators and every list says so. */
  sandbox: boolean
  deployments: Deployment[]
  /** Ids of models of the same kind tried when no deployment of this one can answer. */
  fallbacks: string[]
  /** The day on which the vendor switches the model off, such as 2027-01-06. */
  shutdownDate?: string
  inputModalities: Modality[]
}

export interface Deployment {
  /** `<provider>/<upstream model>`, unique within its model; receipts name it. */
  id: string
  provider: string
  /** The wires that its provider speaks; undefined for the sandbox, which answers every turn. */
  wires?: readonly Wire[]
  /** Whether its provider takes a reasoning budget as a number; undefined: the wire decides. */
  takesReasoningBudget?: boolean
  /** How it names the output limit of chat completions; undefined: it is guessed. */
  limitName?: LimitName
  /** `done`: its streams of chat completions may end with `[DONE]` alone. */
  endMark?: 'done'
  /** The upstream's own name of the model. */
  model: string
  /** The share among deployments of equal priority. */
  weight: number
  /** The lowest number is tried first. */
  priority: number
}

export { buildCatalogue, type Catalogue } from './catalogue.ts'
export { presetsOf } from './default-models.ts'
export { type Discovery, discover } from './discover.ts'
export { audio as audioModels } from './kinds/audio/audio.ts'
export {
  type AudioModel,
  type AudioPricing,
  type AudioSettings,
  type AudioTask,
  canSpeak,
  type Voice,
} from './kinds/audio/audio-model.ts'
export { type AudioUsage, maxSoundTokens, maxSpokenSeconds } from './kinds/audio/price.ts'
export {
  type Cost,
  type CostLine,
  type CostPart,
  type CostUnit,
  costOfLines,
  costOfStep,
  costUnits,
  foldCost,
  limitCost,
  noCost,
  sumCosts,
} from './kinds/cost.ts'
export { embedding as embeddingModels } from './kinds/embedding/embedding.ts'
export { type EmbeddingModel, takesDimensions } from './kinds/embedding/embedding-model.ts'
export {
  estimatedEmbeddingTokens,
  maxEmbeddingTokens,
  possibleEmbeddingTokens,
} from './kinds/embedding/price.ts'
export { image as imageModels } from './kinds/image/image.ts'
export {
  aspectRatiosOf,
  type ImageModel,
  type ImagePricing,
  type ImageSettings,
  isSameSize,
  parsePixelSize,
  requestableFormats,
  sizeName,
} from './kinds/image/image-model.ts'
export {
  type ClaimedImageTokens,
  type ImageTokens,
  paidImageTokens,
  plausibleImageTokens,
} from './kinds/image/price.ts'
export { type ModelFigures, type ModelKind, modelKind, type OrderProviders } from './kinds/kind.ts'
export { type AnyModel, type Kinds, type ModelEntry, type ModelOf, openKinds } from './kinds/kinds.ts'
export { microcreditsOf, type PriceConversion } from './kinds/microcredits.ts'
export { usdPerMillion } from './kinds/pricing.ts'
export { relayPricing, relayTranscriptionCost } from './kinds/realtime/price.ts'
export { realtime as realtimeModels } from './kinds/realtime/realtime.ts'
export type {
  PipelineModel,
  RealtimeEngine,
  RealtimeModel,
  RelayModel,
} from './kinds/realtime/realtime-model.ts'
export { explainedLines, readCost, type StoredPart, storedCost } from './kinds/stored-cost.ts'
export { text as textModels } from './kinds/text/text.ts'
export type { Feature, Model, Pricing } from './kinds/text/text-model.ts'
export {
  affordableOutputTokens,
  type InputBound,
  type TextBound,
  withHighestPrices,
} from './kinds/text/worst-case.ts'
export {
  billedSeconds,
  maxRecordingTokens,
  maxTranscriptTokens,
  type TranscriptionUsage,
} from './kinds/transcription/price.ts'
export { transcription as transcriptionModels } from './kinds/transcription/transcription.ts'
export type {
  RecordedFormat,
  TranscriptionModel,
  TranscriptionPricing,
  TranscriptionSettings,
} from './kinds/transcription/transcription-model.ts'
export type { PricedVideo, VideoUsage } from './kinds/video/price.ts'
export { video as videoModels } from './kinds/video/video.ts'
export type {
  VideoCombination,
  VideoModel,
  VideoPriceRow,
  VideoPricing,
  VideoSettings,
} from './kinds/video/video-model.ts'
export {
  type Dialect,
  defaultTimeouts,
  isRemote,
  isWire,
  type ProviderConfig,
} from './provider-settings.ts'
