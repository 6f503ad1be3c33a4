/** Prices of tokens as integers, and what usage costs by them. */
import type { Usage } from '#core/turn'
import { microcreditsOf, type PriceConversion, scale, wholeMicrocredits } from '../microcredits.ts'
import type { Pricing } from './text-model.ts'

/** Prices per token in millionths of a micro-credit, so that the cheapest token is still an integer. */
export interface Rates {
  input: bigint
  cachedInput: bigint
  cacheWrite: bigint
  /** Tokens written to the cache for an hour. */
  cacheWriteHour: bigint
  mediaInput: bigint
  output: bigint
  /** The price of a search that the upstream runs itself, in the same millionths. */
  webSearch: bigint
}

/** The rates for these prices. One USD per million tokens is `creditsPerUsd × markup` micro-credits a token. */
export function ratesOf(pricing: Pricing, conversion: PriceConversion): Rates {
  const known = rates.get(pricing)
  if (known?.conversion === conversion) return known.rates
  const made = makeRates(pricing, conversion)
  rates.set(pricing, { conversion, rates: made })
  return made
}

/** Rates are kept, since a catalogue's prices never change while a process lives and every call needs them. */
const rates = new WeakMap<Pricing, { conversion: PriceConversion; rates: Rates }>()

function makeRates(pricing: Pricing, conversion: PriceConversion): Rates {
  const rate = (usdPerMillion: number): bigint => microcreditsOf(usdPerMillion, conversion)
  return {
    input: rate(pricing.inputPerMillion),
    cachedInput: rate(pricing.cachedInputPerMillion),
    cacheWrite: rate(pricing.cacheWritePerMillion),
    cacheWriteHour: rate(hourPrice(pricing)),
    mediaInput: rate(pricing.mediaInputPerMillion),
    output: rate(pricing.outputPerMillion),
    webSearch: rate((pricing.webSearchPerUse ?? 0) * Number(scale)),
  }
}

/** USD per million tokens that are written to the cache for an hour. */
export const hourPrice = ({
  inputPerMillion,
  cacheWritePerMillion,
  cacheWriteHourPerMillion,
}: Pricing): number =>
  cacheWriteHourPerMillion ??
  (cacheWritePerMillion > inputPerMillion ? 1.6 * cacheWritePerMillion : cacheWritePerMillion)

/** What this usage costs, rounded up to a whole micro-credit once. */
export function costOf(rates: Rates, usage: Usage): bigint {
  const hour = usage.cacheWriteHourInput ?? 0
  const plain = usage.input - usage.cachedInput - usage.cacheWriteInput - usage.mediaInput
  return wholeMicrocredits(
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
