import type { NamedModel } from '../../models.ts'

/** A model that turns texts into vectors, so that texts of like meaning are near each other. */
export interface EmbeddingModel extends NamedModel {
  kind: 'embedding'
  /** The most tokens of one text. */
  maxInputTokens: number
  /** The most texts of one order; a request with more is cut into several. */
  maxBatch: number
  /** The most tokens of one order, all its texts together. */
  maxBatchTokens: number
  /** The dimensions that are requested where the caller names none; absent: the upstream's own. */
  dimensions?: number
  /** A caller may request any number of dimensions up to this one. */
  maxDimensions?: number
  /** A caller may request these numbers of dimensions. */
  allowedDimensions?: readonly number[]
  encoding: 'base64' | 'float'
  pricing: EmbeddingPricing
}

/** Whether a caller may request this number of dimensions. Where the entry says nothing, only for its own number. */
export const takesDimensions = (
  { dimensions, maxDimensions = 0, allowedDimensions = [] }: EmbeddingModel,
  wanted: number,
): boolean => wanted === dimensions || wanted <= maxDimensions || allowedDimensions.includes(wanted)

/** USD per million tokens. */
export interface EmbeddingPricing {
  inputPerMillion: number
}
