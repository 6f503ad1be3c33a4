import { type Static, Type } from 'typebox'
import { type ConfigNode, integerIn, readingRules, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { commonFields, type NamedEntry, readNamedEntry } from '../named.ts'
import type { EmbeddingPricing } from './embedding-model.ts'

/** A model that turns texts into vectors. It has no fallbacks: vectors of two models cannot be compared. */
export interface EmbeddingEntry extends NamedEntry {
  kind: 'embedding'
  /** The most tokens of one text. */
  maxInputTokens: number
  /** The most texts of one order. */
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

/** The most dimensions, as `maxDimensions` of the providers. */
const maxVectorDimensions = 4_096
/** Every known server takes this many texts at once; text-embeddings-inference takes no more unless it is configured to. */
const usualBatch = 32
/** OpenAI's bounds of a request, by its reference of `/embeddings`. */
export const openAiBatch = { texts: 2_048, tokens: 300_000 }

const price = {
  missing: {
    en: 'write { input_per_million } in USD per million tokens, 0 for free',
    fa: '{ input_per_million } را به دلار برای یک میلیون توکن بنویسید، ۰ یعنی رایگان',
  },
}

export const EmbeddingEntrySchema = Type.Object({
  ...commonFields,
  pricing: Type.Object({ input_per_million: usd(1_000_000, readingRules(price)) }, readingRules(price)),
  max_input_tokens: Type.Integer({
    minimum: 16,
    maximum: 1_000_000,
    ...readingRules({
      missing: {
        en: 'write how many tokens one text may have, for example 8192',
        fa: 'بنویسید هر متن چند توکن می‌تواند باشد، برای نمونه 8192',
      },
    }),
  }),
  max_batch: integerIn(1, openAiBatch.texts, {
    default: usualBatch,
    description: 'Texts of one order; a request with more is cut into several.',
  }),
  max_batch_tokens: integerIn(16, 1_000_000, {
    default: openAiBatch.tokens,
    description: 'Tokens of one order, all its texts together.',
  }),
  dimensions: Type.Optional(
    integerIn(1, maxVectorDimensions, {
      description: 'Asked for by name where the caller names none; absent: as the upstream has it.',
    }),
  ),
  max_dimensions: Type.Optional(
    integerIn(1, maxVectorDimensions, {
      description: 'A caller may ask for any number of dimensions up to this one.',
    }),
  ),
  allowed_dimensions: Type.Array(integerIn(1, maxVectorDimensions), {
    uniqueItems: true,
    default: [],
    description: 'A caller may ask for these numbers of dimensions.',
  }),
  encoding_format: Type.Unsafe<'base64' | 'float'>({ ...oneOf('base64', 'float'), default: 'base64' }),
})

export function readEmbeddingEntry(
  typed: Static<typeof EmbeddingEntrySchema>,
  node: ConfigNode,
): EmbeddingEntry {
  return {
    ...readNamedEntry(typed, node),
    kind: 'embedding',
    maxInputTokens: typed.max_input_tokens,
    maxBatch: typed.max_batch,
    maxBatchTokens: typed.max_batch_tokens,
    ...(typed.dimensions !== undefined && { dimensions: typed.dimensions }),
    ...(typed.max_dimensions !== undefined && { maxDimensions: typed.max_dimensions }),
    ...(typed.allowed_dimensions.length > 0 && { allowedDimensions: typed.allowed_dimensions }),
    encoding: typed.encoding_format,
    pricing: { inputPerMillion: typed.pricing.input_per_million },
  }
}
