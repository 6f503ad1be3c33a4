import type { NamedModel } from '../../models.ts'

/** A model that turns texts into vectors, so that texts of like meaning are near each other. */
export interface EmbeddingModel extends NamedModel {
  kind: 'embedding'
  /** Of one text, in tokens. */
  maxInputTokens: number
  /** Texts of one call. */
  maxBatch: number
  /** Asked for by name; absent: as the upstream has it. */
  dimensions?: number
  encoding: 'base64' | 'float'
  pricing: EmbeddingPricing
}

/** USD per million tokens. */
export interface EmbeddingPricing {
  inputPerMillion: number
}
