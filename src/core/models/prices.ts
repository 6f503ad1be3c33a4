import { createRequire } from 'node:module'
import type { ModelPrice } from '@pydantic/genai-prices'
import type { Pricing } from './models.ts'

/** 0.8 MB of data: loaded for the first model without a configured price. */
const priceData = (): typeof import('@pydantic/genai-prices') =>
  createRequire(import.meta.url)('@pydantic/genai-prices')

export interface KnownPrice {
  pricing: Pricing
  /** Tokens of prompt and answer together; absent when the data does not have it. */
  contextLength?: number
  /** Tokens of prompt up to which this price holds; absent when it holds throughout. */
  steadyUpTo?: number
}

/**
 * The list price of a model by its upstream name, from the pinned data of `@pydantic/genai-prices`.
 * The address of the provider chooses whose price; an address the data does not know falls back to the maker of the model.
 * Returns undefined without both an input and an output price: free is an explicit zero in the configuration.
 */
export function knownPrice(baseUrl: string, model: string): KnownPrice | undefined {
  const { calcPrice } = priceData()
  const usage = { input_tokens: 1, output_tokens: 1 }
  const found =
    attempt(() => calcPrice(usage, model, { providerApiUrl: baseUrl })) ??
    attempt(() => calcPrice(usage, model))
  if (!found) return undefined
  const input = base(found.model_price, 'input_mtok')
  const output = base(found.model_price, 'output_mtok')
  if (input === undefined || output === undefined) return undefined
  const steadyUpTo = firstStep(found.model_price)
  return {
    pricing: {
      inputPerMillion: input,
      outputPerMillion: output,
      cachedInputPerMillion: base(found.model_price, 'cache_read_mtok') ?? input,
      cacheWritePerMillion: base(found.model_price, 'cache_write_mtok') ?? input,
      mediaInputPerMillion: base(found.model_price, 'input_audio_mtok') ?? input,
    },
    ...(found.model.context_window !== undefined && { contextLength: found.model.context_window }),
    ...(steadyUpTo !== undefined && { steadyUpTo }),
  }
}

/** The data package throws for unknown addresses; here that means no price. */
function attempt<Value>(ask: () => Value): Value | undefined {
  try {
    return ask() ?? undefined
  } catch {
    return undefined
  }
}

function base(price: ModelPrice, name: string): number | undefined {
  const value = price[name]
  return typeof value === 'object' ? value.base : value
}

/** The tokens from which a vendor charges long prompts more, because one price holds only up to there. */
function firstStep(price: ModelPrice): number | undefined {
  const starts = [
    'input_mtok',
    'output_mtok',
    'cache_read_mtok',
    'cache_write_mtok',
    'input_audio_mtok',
  ].flatMap((name) => {
    const value = price[name]
    return typeof value === 'object' ? value.tiers.map((tier) => tier.start) : []
  })
  return starts.length > 0 ? Math.min(...starts) : undefined
}
