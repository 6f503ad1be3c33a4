/** What a transcript costs: by seconds of the recording, by tokens, or by both. */
import { microcreditsOf, type PriceConversion, scale } from '../microcredits.ts'
import type { TranscriptionModel } from './transcription-model.ts'

export interface TranscriptionUsed {
  /** Of each call to the upstream; every one is billed for the least time at least. */
  seconds: readonly number[]
  inputTokens: number
  outputTokens: number
}

/** In micro-credits, rounded up once. Seconds of each call are rounded up to whole ones. */
export function transcriptionCost(
  { pricing }: TranscriptionModel,
  conversion: PriceConversion,
  { seconds, inputTokens, outputTokens }: TranscriptionUsed,
): bigint {
  const billed = billedSeconds(pricing, seconds)
  const millionths =
    microcreditsOf(pricing.inputPerMillion, conversion) * BigInt(inputTokens) +
    microcreditsOf(pricing.outputPerMillion, conversion) * BigInt(outputTokens)
  // Per minute: 60 million millionths of a micro-credit a second for each micro-credit a minute.
  const bySeconds = microcreditsOf(pricing.perMinute, conversion) * BigInt(billed) * scale
  return (millionths * 60n + bySeconds + 60n * scale - 1n) / (60n * scale)
}

/** What is charged by the minute: whole seconds of every call, and the least time of one at least. */
export const billedSeconds = (
  { minimumSeconds }: TranscriptionModel['pricing'],
  seconds: readonly number[],
): number => seconds.reduce((sum, one) => sum + Math.max(minimumSeconds, wholeSeconds(one)), 0)

/** A sum of many pieces is off in its last digits, and would begin a further second. */
const wholeSeconds = (seconds: number): number => Math.ceil(Math.round(seconds * 1e6) / 1e6)

/** More than every vendor counts for a second of sound that it reads. */
const inputTokensPerSecond = 50
/** Nobody speaks faster; models that repeat themselves write without end. */
const outputTokensPerSecond = 10
const leastOutputTokens = 100

/** Tokens that so many seconds can be at most when they are read. */
export const maxHeardTokens = (seconds: number): number => Math.ceil(seconds * inputTokensPerSecond)
/** Tokens of text that are paid of so many seconds at most. */
export const maxTranscriptTokens = (seconds: number): number =>
  leastOutputTokens + Math.ceil(seconds * outputTokensPerSecond)
