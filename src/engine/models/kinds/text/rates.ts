/** Prices of tokens as integers, what usage costs by them, and the worst case that a hold must cover. */
import type { Usage } from '#engine/turn'
import type { PriceConversion } from '../kind.ts'
import type { Pricing } from './text-model.ts'

/** Prices per token in millionths of a micro-credit, so that the cheapest token is still an integer. */
export interface Rates {
  input: bigint
  cachedInput: bigint
  cacheWrite: bigint
  /** Kept for an hour. */
  cacheWriteHour: bigint
  mediaInput: bigint
  output: bigint
  /** Per search that the upstream runs itself, in the same millionths. */
  webSearch: bigint
}

const scale = 1_000_000n

/** `credits = USD × credits_per_usd × markup` (decisions §6). One USD per million tokens is `creditsPerUsd × markup` micro-credits a token. */
export function ratesOf(pricing: Pricing, conversion: PriceConversion): Rates {
  const known = rates.get(pricing)
  if (known?.conversion === conversion) return known.rates
  const made = makeRates(pricing, conversion)
  rates.set(pricing, { conversion, rates: made })
  return made
}

/** A catalogue's prices never change while a process lives, and every call asks for them. */
const rates = new WeakMap<Pricing, { conversion: PriceConversion; rates: Rates }>()

function makeRates(pricing: Pricing, conversion: PriceConversion): Rates {
  const rate = (usdPerMillion: number): bigint =>
    BigInt(Math.ceil(round(usdPerMillion * conversion.creditsPerUsd * conversion.markup * Number(scale))))
  return {
    input: rate(pricing.inputPerMillion),
    cachedInput: rate(pricing.cachedInputPerMillion),
    cacheWrite: rate(pricing.cacheWritePerMillion),
    cacheWriteHour: rate(pricing.cacheWriteHourPerMillion ?? hourPrice(pricing)),
    mediaInput: rate(pricing.mediaInputPerMillion),
    output: rate(pricing.outputPerMillion),
    webSearch: rate((pricing.webSearchPerUse ?? 0) * 1_000_000),
  }
}

const hourPrice = ({ inputPerMillion, cacheWritePerMillion }: Pricing): number =>
  cacheWritePerMillion > inputPerMillion ? 1.6 * cacheWritePerMillion : cacheWritePerMillion

/** Field by field the highest, for a hold that any of several models may use up. */
export const dearest = (all: readonly Rates[]): Rates => (all.length === 1 ? all[0]! : fieldByField(all))

const fieldByField = (all: readonly Rates[]): Rates => ({
  input: most(...all.map((rates) => rates.input)),
  cachedInput: most(...all.map((rates) => rates.cachedInput)),
  cacheWrite: most(...all.map((rates) => rates.cacheWrite)),
  cacheWriteHour: most(...all.map((rates) => rates.cacheWriteHour)),
  mediaInput: most(...all.map((rates) => rates.mediaInput)),
  output: most(...all.map((rates) => rates.output)),
  webSearch: most(...all.map((rates) => rates.webSearch)),
})

/** Takes the noise of binary fractions away before rounding up: 0.1 × 3 must not cost more than 0.3. */
const round = (value: number): number => Number(value.toPrecision(12))

const up = (scaled: bigint): bigint => (scaled + scale - 1n) / scale

/** What this usage costs, rounded up to a whole micro-credit once. */
export function costOf(rates: Rates, usage: Usage): bigint {
  const hour = usage.cacheWriteHourInput ?? 0
  const plain = usage.input - usage.cachedInput - usage.cacheWriteInput - usage.mediaInput
  return up(
    count(plain) * rates.input +
      count(usage.cachedInput) * rates.cachedInput +
      count(usage.cacheWriteInput - hour) * rates.cacheWrite +
      count(hour) * rates.cacheWriteHour +
      count(usage.mediaInput) * rates.mediaInput +
      count(usage.output) * rates.output +
      count(usage.webSearches ?? 0) * rates.webSearch,
  )
}

/** An upstream's figure as a token count: never negative, never a fraction, never more than a counter can hold. */
const count = (tokens: number): bigint =>
  tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER ? BigInt(Math.ceil(tokens)) : 0n

export interface InputBound {
  /** Tokens that the text can be at most: its UTF-8 bytes ÷ 2 (decisions §6). */
  text: number
  /** Tokens of images, priced as input. */
  image: number
  /** Tokens of audio and video. */
  media: number
}

const most = (...rates: bigint[]): bigint => rates.reduce((a, b) => (a > b ? a : b))

export function inputWorstCase(rates: Rates, bound: InputBound): bigint {
  const text = most(rates.input, rates.cachedInput, rates.cacheWrite, rates.cacheWriteHour)
  return up(BigInt(bound.text + bound.image) * text + BigInt(bound.media) * most(text, rates.mediaInput))
}

/** Of all searches that the upstream may run itself. */
export const searchesWorstCase = (
  rates: Rates,
  { upstreamSearches = 0 }: { upstreamSearches?: number },
): bigint => up(BigInt(upstreamSearches) * rates.webSearch)

export const outputWorstCase = (rates: Rates, tokens: number): bigint => up(BigInt(tokens) * rates.output)

/** How many output tokens these micro-credits pay. */
export const outputTokensFor = (rates: Rates, microcredits: bigint): number =>
  rates.output === 0n ? Number.MAX_SAFE_INTEGER : Number((microcredits * scale) / rates.output)
