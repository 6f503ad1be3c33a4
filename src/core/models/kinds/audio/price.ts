/** What sound costs: by characters of its text, by seconds, by tokens, or by several of them. */
import { type CostLine, pricedLines } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
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

/** What sound costs. */
export const audioLines = (
  { pricing }: AudioModel,
  conversion: PriceConversion,
  { characters, seconds, inputTokens, outputTokens }: AudioUsage,
): CostLine[] =>
  pricedLines([
    {
      unit: 'characters',
      quantity: characters,
      price: microcreditsOf(pricing.perMillionCharacters, conversion),
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
    { unit: 'seconds', quantity: Math.ceil(seconds), price: microcreditsOf(pricing.perMinute, conversion) },
  ])

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
