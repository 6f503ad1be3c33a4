import type { EmbeddingModelConfig } from './config.ts'
import { commonEntries, readNamed } from './model-parts.ts'
import type { Place } from './yaml-reader.ts'

/** Without fallbacks: vectors of two models do not compare. */
export const embeddingEntries = [
  ...commonEntries.filter((name) => name !== 'fallbacks'),
  'max_input_tokens',
  'max_batch',
  'dimensions',
  'encoding_format',
]

/** As `mostDimensions` of the providers. */
const longestVector = 4_096
/** Every known server takes so many texts at once; text-embeddings-inference takes no more unless told to. */
const usualBatch = 32

export function readEmbeddingModel(entry: Place): EmbeddingModelConfig {
  const members = entry.members(embeddingEntries)
  const pricing = members.need('pricing', mend).members(['input_per_million'])
  const dimensions = members.get('dimensions')?.number({ min: 1, max: longestVector, integer: true })
  return {
    ...readNamed(members),
    kind: 'embedding',
    maxInputTokens: members
      .need('max_input_tokens', {
        en: 'write how many tokens one text may have, for example 8192',
        fa: 'بنویسید هر متن چند توکن می‌تواند باشد، برای نمونه 8192',
      })
      .number({ min: 16, max: 1_000_000, integer: true }),
    maxBatch: members.get('max_batch')?.number({ min: 1, max: 128, integer: true }) ?? usualBatch,
    ...(dimensions !== undefined && { dimensions }),
    encoding: members.get('encoding_format')?.oneOf(['base64', 'float'] as const) ?? 'base64',
    pricing: {
      inputPerMillion: pricing.need('input_per_million', mend).number({ min: 0, max: 1_000_000 }),
    },
  }
}

const mend = {
  en: 'write { input_per_million } in USD per million tokens, 0 for free',
  fa: '{ input_per_million } را به دلار برای یک میلیون توکن بنویسید، ۰ یعنی رایگان',
}
