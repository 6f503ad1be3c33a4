/** What vectors cost: their texts are input, and there is no output. */
import { microcreditsOf, type PriceConversion, wholeMicrocredits } from '../microcredits.ts'
import type { EmbeddingPricing } from './embedding-model.ts'

/** Around a text: what marks its beginning and end. */
const tokensAround = 4

/** Tokens that these texts can be at most: their UTF-8 bytes ÷ 2 (decisions §6). */
export const maxEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 2) + tokensAround, 0)

/** Tokens that an upstream can count in these texts: not one of them is less than a byte. */
export const possibleEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + tokensAround, 0)

/** A fair guess, for upstreams that do not say: four bytes a token. */
export const estimatedEmbeddingTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0)

/** In micro-credits. A token's price is an integer of millionths of one. */
export const embeddingCost = (
  { inputPerMillion }: EmbeddingPricing,
  conversion: PriceConversion,
  tokens: number,
): bigint => wholeMicrocredits(microcreditsOf(inputPerMillion, conversion) * BigInt(tokens))
