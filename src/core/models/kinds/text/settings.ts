import { type Static, Type } from 'typebox'
import { type ConfigNode, readingRules, refusals, refuseConfig, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { chatSettings, chatSettingsOf } from '../../provider-settings.ts'
import {
  commonFields,
  type DeploymentEntry,
  deploymentsWith,
  fallbacks,
  type NamedEntry,
  readNamedEntry,
} from '../named.ts'
import type { Feature, Pricing } from './text-model.ts'

export interface TextEntry extends NamedEntry {
  kind: 'text'
  deployments: (DeploymentEntry & ReturnType<typeof chatSettingsOf>)[]
  /** `resume: restart`: a text answer that was cut may be completed by another deployment. */
  resumes: boolean
  /** Takes precedence over what the providers of the model say. */
  takesLinks?: boolean
  contextLength: number
  maxOutputTokens: number
  inputModalities: ('text' | 'image' | 'audio' | 'video' | 'file')[]
  features: Feature[]
  /** USD of one search that the upstream runs itself; present where `features` names web_search. */
  webSearchPerUse?: number
  supportedEfforts: string[]
  /** Absent when the entry has no price: then the price must be known by the deployment's model name. */
  pricing?: Pricing
}

const tokens = (en: string, fa: string) =>
  Type.Integer({ minimum: 1, maximum: 100_000_000, ...readingRules({ missing: { en, fa } }) })

function refuseWithoutText(modalities: readonly string[], node: ConfigNode): void {
  if (!modalities.includes('text'))
    node.refuseValue({
      en: 'a list with text in it: a text model reads text',
      fa: 'فهرستی که text در آن باشد: مدل متنی متن می‌خواند',
    })
}

const Reasoning = Type.Object({
  supported_efforts: Type.Array(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'), {
    uniqueItems: true,
    ...readingRules({
      missing: {
        en: 'write the efforts, for example [low, medium, high]',
        fa: 'سطح‌ها را بنویسید، برای نمونه [low, medium, high]',
      },
    }),
  }),
})

const perMillion = {
  missing: {
    en: 'write USD per million tokens, 0 for free',
    fa: 'بهای یک میلیون توکن را به دلار بنویسید، ۰ یعنی رایگان',
  },
}
const needed = () => usd(1_000_000, { description: 'USD per million tokens.', ...readingRules(perMillion) })
const optional = () => Type.Optional(usd(1_000_000, { description: 'USD per million tokens.' }))

const PricingSchema = Type.Object({
  input_per_million: needed(),
  output_per_million: needed(),
  cached_input_per_million: optional(),
  cache_write_per_million: optional(),
  cache_write_hour_per_million: optional(),
  media_input: Type.Optional(Type.Object({ input_per_million: needed() })),
})

export const TextEntrySchema = Type.Object({
  ...commonFields,
  deployments: deploymentsWith(chatSettings),
  fallbacks,
  pricing: Type.Optional(PricingSchema),
  resume: Type.Unsafe<'restart' | 'never'>({
    ...oneOf('restart', 'never'),
    default: 'never',
    description: 'restart: a text answer that was cut may be completed by another deployment.',
  }),
  takes_links: Type.Optional(Type.Boolean({ description: 'Above what its providers say.' })),
  context_length: tokens(
    'write how many tokens prompt and answer may have together',
    'بنویسید پرسش و پاسخ روی هم چند توکن می‌توانند باشند',
  ),
  max_output_tokens: tokens('write the longest answer in tokens', 'درازترین پاسخ را به توکن بنویسید'),
  input_modalities: Type.Array(oneOf('text', 'image', 'audio', 'video', 'file'), {
    uniqueItems: true,
    default: ['text'],
    ...readingRules({ check: refuseWithoutText }),
  }),
  features: Type.Array(oneOf('tools', 'json_schema', 'reasoning', 'web_search', 'web_fetch'), {
    uniqueItems: true,
    default: [],
  }),
  reasoning: Type.Optional(Reasoning),
  price_per_search_usd: Type.Optional(
    usd(1_000, {
      description: 'Of one search that the provider runs itself, where features name web_search.',
    }),
  ),
})

type TextEntryInput = Static<typeof TextEntrySchema>

export function readTextEntry(typed: TextEntryInput, node: ConfigNode): TextEntry {
  checkOutput(typed, node)
  checkReasoning(typed, node)
  return {
    ...readNamedEntry(typed, node),
    kind: 'text',
    deployments: typed.deployments.map(({ provider, model, weight, priority, ...chat }) => ({
      provider,
      model,
      weight,
      priority,
      ...chatSettingsOf(chat),
    })),
    resumes: typed.resume === 'restart',
    ...(typed.takes_links !== undefined && { takesLinks: typed.takes_links }),
    contextLength: typed.context_length,
    maxOutputTokens: typed.max_output_tokens,
    inputModalities: typed.input_modalities,
    features: typed.features,
    supportedEfforts: typed.reasoning?.supported_efforts ?? [],
    ...(typed.pricing && { pricing: pricingOf(typed.pricing) }),
    ...searchPriceOf(typed, node),
  }
}

function checkOutput({ context_length, max_output_tokens }: TextEntryInput, node: ConfigNode): void {
  if (max_output_tokens > context_length)
    node.find('max_output_tokens')!.refuseValue({
      en: `at most the context_length of ${context_length}`,
      fa: `حداکثر به اندازه‌ی context_length یعنی ${context_length}`,
    })
}

function checkReasoning({ reasoning, features }: TextEntryInput, node: ConfigNode): void {
  if (reasoning && !features.includes('reasoning'))
    refuseConfig(
      refusals.conflict(node.find('reasoning')!.sourcePosition(), {
        en: 'is set but features does not name reasoning: add reasoning to features or remove this entry',
        fa: 'نوشته شده ولی features نام reasoning را ندارد: آن را به features بیفزایید یا این را بردارید',
      }),
    )
}

/** Reads the price of the upstream's own searches, which is charged beside that of the tokens. */
function searchPriceOf(
  { features, price_per_search_usd }: TextEntryInput,
  node: ConfigNode,
): { webSearchPerUse?: number } {
  if (features.includes('web_search')) {
    if (price_per_search_usd !== undefined) return { webSearchPerUse: price_per_search_usd }
    return refuseConfig(
      refusals.missing(node.sourcePosition('price_per_search_usd'), {
        en: 'write what the provider takes for one of its searches in USD, 0 for free',
        fa: 'بهای هر جست‌وجوی ارائه‌دهنده را به دلار بنویسید، ۰ یعنی رایگان',
      }),
    )
  }
  if (price_per_search_usd === undefined) return {}
  return refuseConfig(
    refusals.conflict(node.find('price_per_search_usd')!.sourcePosition(), {
      en: 'is set but features does not name web_search: add web_search to features or remove this entry',
      fa: 'نوشته شده ولی features نام web_search را ندارد: آن را به features بیفزایید یا این را بردارید',
    }),
  )
}

function pricingOf(typed: NonNullable<TextEntryInput['pricing']>): Pricing {
  const { input_per_million: inputPerMillion, cache_write_hour_per_million: hour } = typed
  return {
    inputPerMillion,
    outputPerMillion: typed.output_per_million,
    cachedInputPerMillion: typed.cached_input_per_million ?? inputPerMillion,
    cacheWritePerMillion: typed.cache_write_per_million ?? inputPerMillion,
    ...(hour !== undefined && { cacheWriteHourPerMillion: hour }),
    mediaInputPerMillion: typed.media_input?.input_per_million ?? inputPerMillion,
  }
}
