/** What a response of a realtime model costs. */
import type { RealtimeEnd, RealtimeUsage } from '#core/spec'

/** Micro-credits for a million tokens of each kind. */
export type RelayPricing = Readonly<Record<keyof RealtimeUsage, bigint>>

export interface RelayLimits {
  /** What is left of the conversation when older turns are left out. */
  maxInputTokens: number
  maxOutputTokens: number
}

export interface RelayPrice extends RelayLimits {
  pricing: RelayPricing
}

const million = 1_000_000n
const ceil = (micromillionths: bigint): bigint => (micromillionths + million - 1n) / million
const dearest = (...prices: bigint[]): bigint => prices.reduce((most, one) => (one > most ? one : most))

/** In micro-credits, rounded up once: everything that may go in at the dearest kind, and everything that may come out. */
export function worstOf(
  { pricing, maxInputTokens, maxOutputTokens }: RelayPrice,
  { instructions, tools }: Before,
): bigint {
  const { textInput, audioInput, imageInput, textOutput, audioOutput } = pricing
  return ceil(
    BigInt(tokensBefore({ instructions, tools })) * textInput +
      BigInt(maxInputTokens) * dearest(textInput, audioInput, imageInput) +
      BigInt(maxOutputTokens) * dearest(textOutput, audioOutput),
  )
}

interface Before {
  instructions: string
  tools: readonly unknown[]
}

/** Both stand before the conversation at each response, and no token is less than a character. */
const tokensBefore = ({ instructions, tools }: Before): number =>
  instructions.length + JSON.stringify(tools).length

/** Tokens that a response can be at most: what was held. */
export interface MostTokens {
  input: number
  output: number
}

export const maxTokensOf = (limits: RelayLimits, before: Before): MostTokens => ({
  input: tokensBefore(before) + limits.maxInputTokens,
  output: limits.maxOutputTokens,
})

/** What the upstream claims, at most `worst`. */
export function costOf(usage: RealtimeUsage, pricing: RelayPricing, worst: bigint): bigint {
  const kinds = Object.keys(pricing) as (keyof RealtimeUsage)[]
  const cost = ceil(kinds.reduce((sum, kind) => sum + BigInt(usage[kind]) * pricing[kind], 0n))
  return cost < worst ? cost : worst
}

const tokensOf = (usage: RealtimeUsage): MostTokens => ({
  input:
    usage.textInput + usage.audioInput + usage.imageInput + usage.cachedTextInput + usage.cachedAudioInput,
  output: usage.textOutput + usage.audioOutput,
})

/** What the upstream claims of both sides, and what of it can be. */
export function claimOf(
  usage: RealtimeUsage,
  most: MostTokens,
): { claimed: MostTokens; believed: MostTokens } {
  const claimed = tokensOf(usage)
  const believed = {
    input: Math.min(claimed.input, most.input),
    output: Math.min(claimed.output, most.output),
  }
  return { claimed, believed }
}

/**
 * Whether this is a count at all: a response that came to its end has read something, and one that has made something has written it, so
 * that zero for either is a fault of the upstream.
 */
export function isCounted(
  usage: RealtimeUsage,
  { status, hasOutput = false }: Pick<RealtimeEnd, 'status' | 'hasOutput'>,
): boolean {
  const { input, output } = tokensOf(usage)
  const isOver = hasOutput || status === 'completed' || status === 'incomplete'
  return (input > 0 || !isOver) && (output > 0 || !hasOutput)
}

/** Of a receipt; claims beyond what could be asked for are none. */
export function quantitiesOf(usage: RealtimeUsage, most: MostTokens): Record<string, number> {
  const { audioInput, cachedTextInput, cachedAudioInput, audioOutput } = usage
  const { input, output } = claimOf(usage, most).believed
  return {
    input_tokens: input,
    audio_input_tokens: Math.min(audioInput + cachedAudioInput, input),
    cached_tokens: Math.min(cachedTextInput + cachedAudioInput, input),
    output_tokens: output,
    audio_output_tokens: Math.min(audioOutput, output),
  }
}
