/** What a transcript costs: by seconds of the recording, by tokens, or by both. */
import { microcreditsOf, type PriceConversion, scale } from '../microcredits.ts'
import type { TranscriptionModel } from './transcription-model.ts'

export interface TranscriptionUsage {
  /** The seconds of each call to the upstream; every call is billed for the minimum at least. */
  seconds: readonly number[]
  inputTokens: number
  outputTokens: number
}

/** The cost of a transcript in micro-credits, rounded up once. Seconds of each call are rounded up to whole ones. */
export function transcriptionCost(
  { pricing }: TranscriptionModel,
  conversion: PriceConversion,
  { seconds, inputTokens, outputTokens }: TranscriptionUsage,
): bigint {
  const billed = billedSeconds(pricing, seconds)
  const millionths =
    microcreditsOf(pricing.inputPerMillion, conversion) * BigInt(inputTokens) +
    microcreditsOf(pricing.outputPerMillion, conversion) * BigInt(outputTokens)
  // In sixtieths of a millionth of a micro-credit: one micro-credit a minute is a million of them a second.
  const bySeconds = microcreditsOf(pricing.perMinute, conversion) * BigInt(billed) * scale
  return (millionths * 60n + bySeconds + 60n * scale - 1n) / (60n * scale)
}

/** The seconds that are charged: whole seconds of every call, and at least `minimumSeconds` for each. */
export const billedSeconds = (
  { minimumSeconds }: TranscriptionModel['pricing'],
  seconds: readonly number[],
): number => seconds.reduce((sum, one) => sum + Math.max(minimumSeconds, wholeSeconds(one)), 0)

/** Seconds rounded up. A sum of many pieces is off in its last digits, and would otherwise begin a further second. */
const wholeSeconds = (seconds: number): number => Math.ceil(Math.round(seconds * 1e6) / 1e6)

/** More tokens than any vendor counts for a second of sound that it reads. */
const inputTokensPerSecond = 50
/** Nobody speaks faster than this; models that repeat themselves write without end. */
const outputTokensPerSecond = 10
const leastOutputTokens = 100

/** The most tokens that this many seconds of sound can have. */
export const maxRecordingTokens = (seconds: number): number => Math.ceil(seconds * inputTokensPerSecond)
/** The most tokens of text that are charged for this many seconds. */
export const maxTranscriptTokens = (seconds: number): number =>
  leastOutputTokens + Math.ceil(seconds * outputTokensPerSecond)
