/** The most that a call of a text model may cost, which is held before the call. */
import { type PriceConversion, scale, wholeMicrocredits } from '../microcredits.ts'
import { hourPrice, type Rates, ratesOf } from './rates.ts'
import type { Model } from './text-model.ts'

/** The most that a call may use. */
export interface TextBound {
  input: InputBound
  outputTokens: number
  /** Searches that the upstream may run itself. */
  searches: number
  /** The prompt may be summarized first: it is read twice, and the summary is output too. */
  compacts: boolean
  /** A cut answer may be completed by another deployment, which reads the text so far as prompt, perhaps writing it to a cache. */
  resumes: boolean
}

export interface InputBound {
  /** The most tokens that the text can have: its UTF-8 bytes ÷ 2 (decisions §6). */
  text: number
  /** Tokens of images, priced as input. */
  image: number
  /** Tokens of audio and video. */
  media: number
}

export function worstCaseOf({ pricing }: Model, conversion: PriceConversion, bound: TextBound): bigint {
  const rates = ratesOf(pricing, conversion)
  return (
    promptWorstCase(rates, bound) + wholeMicrocredits(BigInt(bound.outputTokens) * outputRate(rates, bound))
  )
}

/** How many output tokens these micro-credits pay beside the prompt; the inverse of the worst case. */
export function affordableOutputTokens(
  { pricing }: Model,
  conversion: PriceConversion,
  bound: PromptBound,
  microcredits: bigint,
): number {
  const rates = ratesOf(pricing, conversion)
  const rate = outputRate(rates, bound)
  if (rate === 0n) return Number.MAX_SAFE_INTEGER
  const left = microcredits - promptWorstCase(rates, bound)
  return left > 0n ? Number((left * scale) / rate) : 0
}

type PromptBound = Omit<TextBound, 'outputTokens'>

function promptWorstCase(rates: Rates, { input, searches, compacts }: PromptBound): bigint {
  const text = highest(rates.input, rates.cachedInput, rates.cacheWrite, rates.cacheWriteHour)
  const tokens = BigInt(input.text + input.image) * text
  const read = wholeMicrocredits(tokens + BigInt(input.media) * highest(text, rates.mediaInput))
  return (compacts ? 2n : 1n) * read + BigInt(searches) * rates.webSearch
}

function outputRate(rates: Rates, { compacts, resumes }: PromptBound): bigint {
  const again = resumes ? highest(rates.cacheWrite, rates.input) : 0n
  return rates.output + again + (compacts ? rates.output : 0n)
}

const highest = (...rates: bigint[]): bigint => rates.reduce((a, b) => (a > b ? a : b))

/** The first of these models at the highest of all their prices, price by price: for a hold that any of them may use up, each in part. */
export function withHighestPrices(models: readonly Model[]): Model {
  const [first] = models
  if (models.length === 1) return first!
  const maxOf = (price: (pricing: Model['pricing']) => number): number =>
    Math.max(...models.map(({ pricing }) => price(pricing)))
  return {
    ...first!,
    pricing: {
      inputPerMillion: maxOf((pricing) => pricing.inputPerMillion),
      outputPerMillion: maxOf((pricing) => pricing.outputPerMillion),
      cachedInputPerMillion: maxOf((pricing) => pricing.cachedInputPerMillion),
      cacheWritePerMillion: maxOf((pricing) => pricing.cacheWritePerMillion),
      cacheWriteHourPerMillion: maxOf(hourPrice),
      mediaInputPerMillion: maxOf((pricing) => pricing.mediaInputPerMillion),
      webSearchPerUse: maxOf((pricing) => pricing.webSearchPerUse ?? 0),
    },
  }
}
