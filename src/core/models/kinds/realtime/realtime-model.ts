/** A model that one talks with in a call, what answers in it, and what a call costs. */
import type { RealtimeUsage } from '#core/spec'
import type { NamedModel } from '../../models.ts'

export type RealtimeModel = PipelineModel | RelayModel
export type RealtimeEngine = RealtimeModel['engine']

/** The words are written down, a text model answers them, and its answer is spoken. */
export interface PipelineModel extends NamedModel {
  kind: 'realtime'
  engine: 'pipeline'
  /** Ids of the models that work together; each costs as it does alone. */
  textModel: string
  transcriptionModel: string
  speechModel: string
  pricing: RealtimePricing
}

/** Its upstream hears and speaks by itself. */
export interface RelayModel extends NamedModel {
  kind: 'realtime'
  /** `passthrough`: over WebRTC the sound runs between the caller and the upstream; over a WebSocket it is relayed. */
  engine: 'relay' | 'passthrough'
  relay: RelaySettings
  pricing: RelayPrices
}

export interface RelaySettings {
  /** Of the upstream; the first one speaks where the client names none of them. Empty: the upstream has one of its own. */
  voices: string[]
  /** Of the upstream, which writes down what is said to it; absent: nobody does. */
  transcriptionModel?: string
  /** Tokens of a response; what is older is left out. */
  maxInputTokens: number
  maxOutputTokens: number
}

/** USD, beside what the models cost. */
export interface RealtimePricing {
  perMinute: number
}

/** USD: of a minute of the call, and of a million tokens of each kind. */
export interface RelayPrices extends RealtimePricing {
  /** Of what is said, where the upstream writes it down. */
  transcriptionPerMinute: number
  perMillion: Record<keyof RealtimeUsage, number>
}
