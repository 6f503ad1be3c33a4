/** A model that one talks with in a call, what answers in it, and what a call costs. */
import type { RealtimeUsage } from '#core/spec'
import type { NamedModel } from '../../models.ts'

export type RealtimeModel = PipelineModel | RelayModel
export type RealtimeEngine = RealtimeModel['engine']

/** Speech is transcribed, a text model answers it, and the answer is spoken. */
export interface PipelineModel extends NamedModel {
  kind: 'realtime'
  engine: 'pipeline'
  /** Ids of the models that work together; each costs as it does alone. */
  textModel: string
  transcriptionModel: string
  speechModel: string
  pricing: RealtimePricing
}

/** The upstream of this model hears and speaks by itself. */
export interface RelayModel extends NamedModel {
  kind: 'realtime'
  /** `passthrough`: over WebRTC the sound runs between the caller and the upstream; over a WebSocket it is relayed. */
  engine: 'relay' | 'passthrough'
  relay: RelaySettings
  pricing: RelayPrices
}

export interface RelaySettings {
  /** The voices of the upstream; the first one speaks where the client names none of them. Empty: the upstream has one of its own. */
  voices: string[]
  /** The upstream's model that transcribes what is said to it; absent: nothing is transcribed. */
  transcriptionModel?: string
  /** The most input tokens of a response; older content is left out. */
  maxInputTokens: number
  maxOutputTokens: number
}

/** The price in USD, beside what the models cost. */
export interface RealtimePricing {
  perMinute: number
}

/** Prices in USD: of a minute of the call, and of a million tokens of each kind. */
export interface RelayPrices extends RealtimePricing {
  /** The price of a minute of speech that the upstream transcribes. */
  transcriptionPerMinute: number
  perMillion: Record<keyof RealtimeUsage, number>
}
