/** What a response of a realtime model costs. */
import type { RealtimeUsage } from '#providers/spec'
import type { FunctionTool } from '../../parts.ts'

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
  { instructions, tools }: { instructions: string; tools: readonly FunctionTool[] },
): bigint {
  const { textInput, audioInput, imageInput, textOutput, audioOutput } = pricing
  // Both stand before the conversation at each response, and no token is less than a character.
  const before = instructions.length + JSON.stringify(tools).length
  return ceil(
    BigInt(before) * textInput +
      BigInt(maxInputTokens) * dearest(textInput, audioInput, imageInput) +
      BigInt(maxOutputTokens) * dearest(textOutput, audioOutput),
  )
}

/** What the upstream claims, at most `worst`. */
export function costOf(usage: RealtimeUsage, pricing: RelayPricing, worst: bigint): bigint {
  const kinds = Object.keys(pricing) as (keyof RealtimeUsage)[]
  const cost = ceil(kinds.reduce((sum, kind) => sum + BigInt(usage[kind]) * pricing[kind], 0n))
  return cost < worst ? cost : worst
}

/** Of a receipt; claims beyond what could be asked for are none. */
export function quantitiesOf(usage: RealtimeUsage): Record<string, number> {
  const { textInput, audioInput, imageInput, cachedTextInput, cachedAudioInput, textOutput, audioOutput } =
    usage
  return {
    input_tokens: textInput + audioInput + imageInput + cachedTextInput + cachedAudioInput,
    audio_input_tokens: audioInput + cachedAudioInput,
    cached_tokens: cachedTextInput + cachedAudioInput,
    output_tokens: textOutput + audioOutput,
    audio_output_tokens: audioOutput,
  }
}
