/** Prices of tokens as integers, and what usage costs by them. */
import type { Usage } from '#core/turn'
import type { CostLine, CostUnit } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
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
  /** The price of a search that the upstream runs itself, in whole micro-credits. */
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
    webSearch: rate(pricing.webSearchPerUse ?? 0),
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

/** What this usage costs. Reasoning is part of the output. */
export function textLines(rates: Rates, usage: Usage): CostLine[] {
  const lines: CostLine[] = []
  const add = (unit: CostUnit, figure: number, price: bigint): void => {
    const quantity = count(figure)
    if (quantity > 0) lines.push({ unit, quantity, price })
  }
  const hour = usage.cacheWriteHourInput ?? 0
  add('input_tokens', usage.input - usage.cachedInput - usage.cacheWriteInput - usage.mediaInput, rates.input)
  add('cached_input_tokens', usage.cachedInput, rates.cachedInput)
  add('cache_write_tokens', usage.cacheWriteInput - hour, rates.cacheWrite)
  add('cache_write_hour_tokens', hour, rates.cacheWriteHour)
  add('media_input_tokens', usage.mediaInput, rates.mediaInput)
  add('output_tokens', usage.output, rates.output)
  add('searches', usage.webSearches ?? 0, rates.webSearch)
  return lines
}

/** An upstream's figure as a token count: never negative, never a fraction, never more than a counter can hold. */
const count = (tokens: number): number =>
  tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER ? Math.ceil(tokens) : 0
