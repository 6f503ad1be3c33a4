/** What sound costs: by characters of its text, by seconds, by tokens, or by several of them. */
import { microcreditsOf, type PriceConversion, scale } from '../microcredits.ts'
import type { AudioModel } from './audio-model.ts'

export interface AudioUsage {
  /** Unicode characters of the text that was spoken. */
  characters: number
  /** Seconds of the sound; the price rounds them up to a whole second. */
  seconds: number
  inputTokens: number
  outputTokens: number
}

/** What a hold must cover: everything that the order may use at most. */
export type AudioBound = AudioUsage

/** The cost of sound in micro-credits, rounded up once. */
export function audioCost(
  { pricing }: AudioModel,
  conversion: PriceConversion,
  { characters, seconds, inputTokens, outputTokens }: AudioUsage,
): bigint {
  const millionths =
    microcreditsOf(pricing.perMillionCharacters, conversion) * BigInt(characters) +
    microcreditsOf(pricing.inputPerMillion, conversion) * BigInt(inputTokens) +
    microcreditsOf(pricing.outputPerMillion, conversion) * BigInt(outputTokens)
  // In sixtieths of a millionth of a micro-credit: one micro-credit a minute is a million of them a second.
  const bySeconds = microcreditsOf(pricing.perMinute, conversion) * BigInt(Math.ceil(seconds)) * scale
  return roundedUp(millionths * 60n + bySeconds, 60n * scale)
}

const roundedUp = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit

/** Nobody speaks more slowly than three characters a second, with two seconds around each text. */
const charactersPerSecond = 3
const secondsAround = 2
/** More tokens than any vendor counts for a second of its sound. */
const tokensPerSecond = 50

/** The most seconds of speech that a text with these numbers of characters and lines can make. */
export const maxSpokenSeconds = (characters: number, lines = 1): number =>
  Math.ceil(characters / charactersPerSecond) + secondsAround * lines

/** The most tokens that this many seconds of sound can have. */
export const maxSoundTokens = (seconds: number): number => Math.ceil(seconds * tokensPerSecond)
