import type { NamedModel } from '../../models.ts'

/** A model that turns texts into vectors, so that texts of like meaning are near each other. */
export interface EmbeddingModel extends NamedModel {
  kind: 'embedding'
  /** Of one text, in tokens. */
  maxInputTokens: number
  /** Texts of one order; a request with more is cut into several. */
  maxBatch: number
  /** Tokens of one order, all its texts together. */
  maxBatchTokens: number
  /** Asked for by name where the caller names none; absent: as the upstream has it. */
  dimensions?: number
  /** A caller may ask for any number of dimensions up to this one. */
  maxDimensions?: number
  /** A caller may ask for these numbers of dimensions. */
  allowedDimensions?: readonly number[]
  encoding: 'base64' | 'float'
  pricing: EmbeddingPricing
}

/** Whether a caller may ask for this number of dimensions. Where the entry says nothing, only for its own. */
export const takesDimensions = (
  { dimensions, maxDimensions = 0, allowedDimensions = [] }: EmbeddingModel,
  wanted: number,
): boolean => wanted === dimensions || wanted <= maxDimensions || allowedDimensions.includes(wanted)

/** USD per million tokens. */
export interface EmbeddingPricing {
  inputPerMillion: number
}
