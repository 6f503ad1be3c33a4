/** What vectors cost: their texts are input, and there is no output. */
import type { CostLine } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { EmbeddingPricing } from './embedding-model.ts'

/** The tokens that mark the beginning and the end of a text. */
const tokensAround = 4

/** The most tokens that these texts can have: their UTF-8 bytes ÷ 2 (decisions §6). */
export const maxEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 2) + tokensAround, 0)

/** The most tokens that an upstream can count in these texts: each token has at least one byte. */
export const possibleEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + tokensAround, 0)

/** The estimated tokens of these texts, for upstreams that do not report them: four bytes a token. */
export const estimatedEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0)

/** What the tokens of texts cost. */
export const embeddingLines = (
  { inputPerMillion }: EmbeddingPricing,
  conversion: PriceConversion,
  tokens: number,
): CostLine[] => [
  { unit: 'input_tokens', quantity: tokens, price: microcreditsOf(inputPerMillion, conversion) },
]
