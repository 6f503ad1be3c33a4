/** What sound costs: by characters of its text, by seconds, by tokens, or by several of them. */
import { microcreditsOf, type PriceConversion, scale } from '../microcredits.ts'
import type { AudioModel } from './audio-model.ts'

export interface AudioUsed {
  /** Unicode characters of the text that was spoken. */
  characters: number
  /** Of the sound; rounded up to a whole one for the price. */
  seconds: number
  inputTokens: number
  outputTokens: number
}

/** What a hold must cover: everything that the order may use at most. */
export type AudioBound = AudioUsed

/** In micro-credits, rounded up once. */
export function audioCost(
  { pricing }: AudioModel,
  conversion: PriceConversion,
  { characters, seconds, inputTokens, outputTokens }: AudioUsed,
): bigint {
  const millionths =
    microcreditsOf(pricing.perMillionCharacters, conversion) * BigInt(characters) +
    microcreditsOf(pricing.inputPerMillion, conversion) * BigInt(inputTokens) +
    microcreditsOf(pricing.outputPerMillion, conversion) * BigInt(outputTokens)
  // Per minute: 60 million millionths of a micro-credit a second for each micro-credit a minute.
  const bySeconds = microcreditsOf(pricing.perMinute, conversion) * BigInt(Math.ceil(seconds)) * scale
  return roundedUp(millionths * 60n + bySeconds, 60n * scale)
}

const roundedUp = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit

/** Nobody speaks more slowly: three characters a second, and a second around each text. */
const charactersPerSecond = 3
const secondsAround = 2
/** More than every vendor counts for a second of its sound. */
const tokensPerSecond = 50

/** Seconds of speech that a text of so many characters in so many lines can make at most. */
export const maxSpokenSeconds = (characters: number, lines = 1): number =>
  Math.ceil(characters / charactersPerSecond) + secondsAround * lines

/** Tokens that so many seconds of sound can be at most. */
export const maxSoundTokens = (seconds: number): number => Math.ceil(seconds * tokensPerSecond)
