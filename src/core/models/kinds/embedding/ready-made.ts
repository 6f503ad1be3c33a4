/** Models of vectors that a vendor's key switches on: those whose price stands in a public document, which is named beside them. */
import type { BaseModel, ModelNamer } from '../../model-namer.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { openAiBatch } from './settings.ts'

/** Vectors of these models are cut to any shorter length by `dimensions` (developers.openai.com/api/docs/guides/embeddings). */
const embeddingModel = (
  named: BaseModel,
  inputPerMillion: number,
  maxDimensions: number,
): EmbeddingModel => ({
  ...named,
  kind: 'embedding',
  inputModalities: ['text'],
  maxInputTokens: 8_191,
  maxBatch: openAiBatch.texts,
  maxBatchTokens: openAiBatch.tokens,
  maxDimensions,
  encoding: 'base64',
  pricing: { inputPerMillion },
})

export const readyMadeEmbeddings = {
  // Source: developers.openai.com/api/docs/models/<model>.
  openai: (named: ModelNamer): EmbeddingModel[] => [
    embeddingModel(named('text-embedding-3-small', 'Text Embedding 3 small'), 0.02, 1_536),
    embeddingModel(named('text-embedding-3-large', 'Text Embedding 3 large'), 0.13, 3_072),
  ],
}
