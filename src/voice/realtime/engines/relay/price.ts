/** The cost of a response of a realtime model. */
import { type Cost, type CostUnit, costOfLines, limitCost } from '#core/models'
import type { RealtimeEnd, RealtimeUsage } from '#core/spec'

/** The price of a million tokens of each kind, in micro-credits. */
export type RelayPricing = Readonly<Record<keyof RealtimeUsage, bigint>>

export interface RelayLimits {
  /** The most tokens of the conversation; beyond that older turns are left out. */
  maxInputTokens: number
  maxOutputTokens: number
}

export interface RelayPrice extends RelayLimits {
  pricing: RelayPricing
}

const million = 1_000_000n
const ceil = (micromillionths: bigint): bigint => (micromillionths + million - 1n) / million
const dearest = (...prices: bigint[]): bigint => prices.reduce((most, one) => (one > most ? one : most))

/** The most that a response may cost, in micro-credits, rounded up once: all possible input at the dearest kind, and all possible output. */
export function worstCaseOfResponse(
  { pricing, maxInputTokens, maxOutputTokens }: RelayPrice,
  { instructions, tools }: PromptPrefix,
): bigint {
  const { textInput, audioInput, imageInput, textOutput, audioOutput } = pricing
  return ceil(
    BigInt(tokensBefore({ instructions, tools })) * textInput +
      BigInt(maxInputTokens) * dearest(textInput, audioInput, imageInput) +
      BigInt(maxOutputTokens) * dearest(textOutput, audioOutput),
  )
}

interface PromptPrefix {
  instructions: string
  tools: readonly unknown[]
}

/** The most tokens before the conversation, which instructions and tools precede at each response: no token is less than a character. */
const tokensBefore = ({ instructions, tools }: PromptPrefix): number =>
  instructions.length + JSON.stringify(tools).length

/** The most tokens of a response, for which credits were held. */
export interface TokenCounts {
  input: number
  output: number
}

export const maxTokensOf = (limits: RelayLimits, prefix: PromptPrefix): TokenCounts => ({
  input: tokensBefore(prefix) + limits.maxInputTokens,
  output: limits.maxOutputTokens,
})

/** The cost of the tokens that the upstream claims, at most `worst`. */
export function costOf(
  usage: RealtimeUsage,
  { id, pricing }: { id: string; pricing: RelayPricing },
  worst: bigint,
): Cost {
  const kinds = Object.keys(pricing) as (keyof RealtimeUsage)[]
  const lines = kinds.map((kind) => ({ unit: units[kind], quantity: usage[kind], price: pricing[kind] }))
  const cost = costOfLines(lines, { model: id })
  return cost.microcredits <= worst ? cost : limitCost(worst, { model: id })
}

const units = {
  textInput: 'text_input_tokens',
  audioInput: 'audio_input_tokens',
  imageInput: 'image_input_tokens',
  cachedTextInput: 'cached_text_input_tokens',
  cachedAudioInput: 'cached_audio_input_tokens',
  textOutput: 'text_output_tokens',
  audioOutput: 'audio_output_tokens',
} as const satisfies Record<keyof RealtimeUsage, CostUnit>

const tokensOf = (usage: RealtimeUsage): TokenCounts => ({
  input:
    usage.textInput + usage.audioInput + usage.imageInput + usage.cachedTextInput + usage.cachedAudioInput,
  output: usage.textOutput + usage.audioOutput,
})

/** The tokens that the upstream claims, and those of them that are possible. */
export function claimOf(
  usage: RealtimeUsage,
  maxTokens: TokenCounts,
): { claimed: TokenCounts; believed: TokenCounts } {
  const claimed = tokensOf(usage)
  const believed = {
    input: Math.min(claimed.input, maxTokens.input),
    output: Math.min(claimed.output, maxTokens.output),
  }
  return { claimed, believed }
}

/**
 * Whether the upstream has counted tokens. A completed response has read something, and a response with output has written something, so that zero
 * for either is a fault of the upstream.
 */
export function isCounted(
  usage: RealtimeUsage,
  { status, hasOutput = false }: Pick<RealtimeEnd, 'status' | 'hasOutput'>,
): boolean {
  const { input, output } = tokensOf(usage)
  const isOver = hasOutput || status === 'completed' || status === 'incomplete'
  return (input > 0 || !isOver) && (output > 0 || !hasOutput)
}

/** The quantities of a receipt; claims beyond the possible tokens are cut. */
export function quantitiesOf(usage: RealtimeUsage, maxTokens: TokenCounts): Record<string, number> {
  const { audioInput, cachedTextInput, cachedAudioInput, audioOutput } = usage
  const { input, output } = claimOf(usage, maxTokens).believed
  return {
    input_tokens: input,
    audio_input_tokens: Math.min(audioInput + cachedAudioInput, input),
    cached_tokens: Math.min(cachedTextInput + cachedAudioInput, input),
    output_tokens: output,
    audio_output_tokens: Math.min(audioOutput, output),
  }
}
