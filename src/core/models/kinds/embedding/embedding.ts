/** Models that turn texts into vectors: input tokens are paid, and there is no output. */
import { Type } from 'typebox'
import type { EmbeddingCall, EmbeddingOrder, EmbeddingProvider, UpstreamError } from '#core/spec'
import { phrases } from '../../phrases.ts'
import { sumOfLines } from '../cost.ts'
import { modelKind } from '../kind.ts'
import { creditsPerUsd, currency, usdPerMillion } from '../pricing.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { embeddingLines, maxEmbeddingTokens } from './price.ts'
import { type EmbeddingEntry, EmbeddingEntrySchema, readEmbeddingEntry } from './settings.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    embedding: EmbeddingProvider
  }
}

export const embedding = modelKind({
  kind: 'embedding',
  entry: EmbeddingEntrySchema,
  readEntry: readEmbeddingEntry,
  // The upstream serves `/embeddings` beside chat completions.
  dialects: ['chat'],
  missingDialect: {
    en: 'does not speak chat, beside which embeddings are asked for: add chat to its dialects',
    fa: 'گویش chat ندارد که embedding از کنار آن گرفته می‌شود: chat را به dialects آن بیفزایید',
  },
  modelOf: (entry: EmbeddingEntry, { named }): EmbeddingModel => ({
    ...named,
    kind: 'embedding',
    inputModalities: ['text'],
    maxInputTokens: entry.maxInputTokens,
    maxBatch: entry.maxBatch,
    maxBatchTokens: entry.maxBatchTokens,
    ...(entry.dimensions !== undefined && { dimensions: entry.dimensions }),
    ...(entry.maxDimensions !== undefined && { maxDimensions: entry.maxDimensions }),
    ...(entry.allowedDimensions && { allowedDimensions: entry.allowedDimensions }),
    encoding: entry.encoding,
    pricing: entry.pricing,
  }),
  pricing: Type.Object({
    currency: currency(),
    input_per_million: usdPerMillion(),
    credits_per_usd: creditsPerUsd(),
  }),
  card: ({ maxInputTokens, pricing }) => ({
    output_modalities: ['embedding'],
    context_length: maxInputTokens,
    max_output_tokens: null,
    features: [],
    reasoning: { supported_efforts: [] },
    media_input: null,
    pricing: { input_per_million: pricing.inputPerMillion },
    studio_settings: null,
  }),
  figures: ({ pricing }) => ({ inputPerMillion: pricing.inputPerMillion, abilities: ['embedding'] }),
  details: ({ maxInputTokens, dimensions, pricing }) => ({
    max_input_tokens: maxInputTokens,
    dimensions,
    /** USD per million tokens. */
    pricing: { input_per_million: pricing.inputPerMillion },
  }),
  prices: ({ pricing }) => Object.values(pricing),
  operation: 'embeddings',
  callProvider: (provider: EmbeddingProvider, call: EmbeddingCall) => provider.embed(call),
  mayRepeat: wasFree,
  mayReleaseClaim: wasFree,
  /** `tokens` are those of the texts. */
  lines: ({ pricing }, conversion, tokens: number) => embeddingLines(pricing, conversion, tokens),
  worstCase: ({ pricing }, conversion, { texts }: EmbeddingOrder) =>
    sumOfLines(embeddingLines(pricing, conversion, maxEmbeddingTokens(texts))),
  // It finds passages of knowledge projects by meaning; where none is named, they are found by words only.
  defaultModel: {
    setting: 'embedding_model',
    expected: { en: 'the id of an embedding model', fa: 'شناسه‌ی یک مدل embedding' },
    isFirst: false,
    answersCalls: false,
    refusal: phrases.noEmbedding,
  },
})

/**
 * Whether a failed call was free. An error status brings no vectors and no bill, but background work does not rely on that. A broken connection or
 * silence proves nothing: the call may have been executed.
 */
function wasFree({ executed, status }: UpstreamError, isBackground: boolean): boolean {
  return !executed || (!isBackground && (status ?? 0) >= 400)
}
