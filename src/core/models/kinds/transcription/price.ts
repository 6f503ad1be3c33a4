/** What a transcript costs: by seconds of the recording, by tokens, or by both. */
import { type CostLine, pricedLines } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import type { TranscriptionModel } from './transcription-model.ts'

export interface TranscriptionUsage {
  /** The seconds of each call to the upstream; every call is billed for the minimum at least. */
  seconds: readonly number[]
  inputTokens: number
  outputTokens: number
}

/** What a transcript costs. Seconds of each call are rounded up to whole ones. */
export const transcriptionLines = (
  { pricing }: TranscriptionModel,
  conversion: PriceConversion,
  { seconds, inputTokens, outputTokens }: TranscriptionUsage,
): CostLine[] =>
  pricedLines([
    {
      unit: 'seconds',
      quantity: billedSeconds(pricing, seconds),
      price: microcreditsOf(pricing.perMinute, conversion),
    },
    {
      unit: 'input_tokens',
      quantity: inputTokens,
      price: microcreditsOf(pricing.inputPerMillion, conversion),
    },
    {
      unit: 'output_tokens',
      quantity: outputTokens,
      price: microcreditsOf(pricing.outputPerMillion, conversion),
    },
  ])

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
