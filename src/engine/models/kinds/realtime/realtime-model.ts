/** A model that one talks with in a call, what answers in it, and what a call costs beside that. */
import type { NamedModel } from '../../models.ts'

/** `pipeline`: the words are written down, a text model answers them, and its answer is spoken. */
export type RealtimeEngine = 'pipeline'

export interface RealtimeModel extends NamedModel {
  kind: 'realtime'
  engine: RealtimeEngine
  /** Ids of the models that work together; each costs as it does alone. */
  textModel: string
  transcriptionModel: string
  speechModel: string
  pricing: RealtimePricing
}

/** USD, beside what the models cost. */
export interface RealtimePricing {
  perMinute: number
}
