import type { ModelConfig, PricingConfig, TextModelConfig } from './config.ts'
import { embeddingEntries, readEmbeddingModel } from './embedding-entries.ts'
import { imageEntries, readImageModel } from './image-entries.ts'
import { commonEntries, readNamed } from './model-parts.ts'
import { refuse } from './refuse.ts'
import { words } from './words.ts'
import type { Members, Place } from './yaml-reader.ts'

const textEntries = [
  ...commonEntries,
  'resume',
  'takes_links',
  'context_length',
  'max_output_tokens',
  'input_modalities',
  'features',
  'reasoning',
  'price_per_search_usd',
]
const kinds = ['text', 'image', 'embedding'] as const
const modalities = ['text', 'image', 'audio', 'video', 'file'] as const
/** `web_search` and `web_fetch`: the upstream runs its vendor's own, asked for by the vendor's own wire. */
const features = ['tools', 'json_schema', 'reasoning', 'web_search', 'web_fetch'] as const

export function readModels(place: Place | undefined): ModelConfig[] {
  const models: ModelConfig[] = []
  for (const entry of place?.list() ?? []) {
    const model = readModel(entry)
    if (models.some(({ id }) => id === model.id)) refuse(words.duplicate(entry.where('id'), model.id))
    models.push(model)
  }
  return models
}

/** Every kind has entries of its own; those of another kind are unknown to it. */
function readModel(entry: Place): ModelConfig {
  const kind =
    entry
      .members([...textEntries, ...imageEntries, ...embeddingEntries])
      .get('kind')
      ?.oneOf(kinds) ?? 'text'
  if (kind === 'embedding') return readEmbeddingModel(entry)
  return kind === 'image' ? readImageModel(entry) : readTextModel(entry)
}

function readTextModel(entry: Place): TextModelConfig {
  const members = entry.members(textEntries)
  const contextLength = readTokens(members, 'context_length', {
    en: 'write how many tokens prompt and answer may have together',
    fa: 'بنویسید پرسش و پاسخ روی هم چند توکن می‌توانند باشند',
  })
  const chosenFeatures = members.get('features')?.someOf(features) ?? []
  const pricing = members.get('pricing')
  const takesLinks = members.get('takes_links')?.flag()
  return {
    ...readNamed(members),
    kind: 'text',
    resumes: members.get('resume')?.oneOf(['restart', 'never'] as const) === 'restart',
    ...(takesLinks !== undefined && { takesLinks }),
    contextLength,
    maxOutputTokens: readMaxOutput(members, contextLength),
    inputModalities: readModalities(members.get('input_modalities')),
    features: chosenFeatures,
    supportedEfforts: readEfforts(members.get('reasoning'), chosenFeatures.includes('reasoning')),
    ...(pricing && { pricing: readPricing(pricing) }),
    ...readSearchPrice(members, chosenFeatures.includes('web_search')),
  }
}

/** A search of the upstream's own has its price beside that of the tokens. */
function readSearchPrice(members: Members, searches: boolean): { webSearchPerUse?: number } {
  if (!searches) {
    const place = members.get('price_per_search_usd')
    if (place)
      refuse(
        words.conflict(place.where(), {
          en: 'is set but features does not name web_search: add web_search to features or remove this entry',
          fa: 'نوشته شده ولی features نام web_search را ندارد: آن را به features بیفزایید یا این را بردارید',
        }),
      )
    return {}
  }
  const price = members.need('price_per_search_usd', {
    en: 'write what the provider takes for one of its searches in USD, 0 for free',
    fa: 'بهای هر جست‌وجوی ارائه‌دهنده را به دلار بنویسید، ۰ یعنی رایگان',
  })
  return { webSearchPerUse: price.number({ min: 0, max: 1_000 }) }
}

function readTokens(members: Members, name: string, mend: { en: string; fa: string }): number {
  return members.need(name, mend).number({ min: 1, max: 100_000_000, integer: true })
}

function readMaxOutput(members: Members, contextLength: number): number {
  const tokens = readTokens(members, 'max_output_tokens', {
    en: 'write the longest answer in tokens',
    fa: 'درازترین پاسخ را به توکن بنویسید',
  })
  if (tokens > contextLength) {
    members.get('max_output_tokens')?.wrong({
      en: `at most the context_length of ${contextLength}`,
      fa: `حداکثر به اندازه‌ی context_length یعنی ${contextLength}`,
    })
  }
  return tokens
}

function readModalities(place: Place | undefined): TextModelConfig['inputModalities'] {
  const chosen = place?.someOf(modalities) ?? ['text']
  if (!chosen.includes('text'))
    place?.wrong({
      en: 'a list with text in it: a text model reads text',
      fa: 'فهرستی که text در آن باشد: مدل متنی متن می‌خواند',
    })
  return chosen
}

function readEfforts(place: Place | undefined, reasons: boolean): string[] {
  if (!place) return []
  if (!reasons) {
    refuse(
      words.conflict(place.where(), {
        en: 'is set but features does not name reasoning: add reasoning to features or remove this entry',
        fa: 'نوشته شده ولی features نام reasoning را ندارد: آن را به features بیفزایید یا این را بردارید',
      }),
    )
  }
  const members = place.members(['supported_efforts'])
  const efforts = members.need('supported_efforts', {
    en: 'write the efforts, for example [low, medium, high]',
    fa: 'سطح‌ها را بنویسید، برای نمونه [low, medium, high]',
  })
  return efforts.someOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const)
}

function readPricing(place: Place): PricingConfig {
  const members = place.members([
    'input_per_million',
    'output_per_million',
    'cached_input_per_million',
    'cache_write_per_million',
    'cache_write_hour_per_million',
    'media_input',
  ])
  const usd = { min: 0, max: 1_000_000 }
  const mend = {
    en: 'write USD per million tokens, 0 for free',
    fa: 'بهای یک میلیون توکن را به دلار بنویسید، ۰ یعنی رایگان',
  }
  const inputPerMillion = members.need('input_per_million', mend).number(usd)
  const hour = members.get('cache_write_hour_per_million')?.number(usd)
  const media = members.get('media_input')?.members(['input_per_million']).need('input_per_million', mend)
  return {
    inputPerMillion,
    outputPerMillion: members.need('output_per_million', mend).number(usd),
    cachedInputPerMillion: members.get('cached_input_per_million')?.number(usd) ?? inputPerMillion,
    cacheWritePerMillion: members.get('cache_write_per_million')?.number(usd) ?? inputPerMillion,
    ...(hour !== undefined && { cacheWriteHourPerMillion: hour }),
    mediaInputPerMillion: media?.number(usd) ?? inputPerMillion,
  }
}
