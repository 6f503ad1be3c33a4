/** Models that write text: tokens are paid, those of the prompt and those of the answer. */
import { Type } from 'typebox'
import type { PartSink, TextCall, TextProvider } from '#core/spec'
import type { Usage } from '#core/turn'
import type { Deployment } from '../../models.ts'
import { phrases, refuseConfig } from '../../phrases.ts'
import { isWire, type ProviderConfig } from '../../provider-settings.ts'
import { type ModelBasis, modelKind } from '../kind.ts'
import { creditsPerUsd, currency, usdPerMillion } from '../pricing.ts'
import { ratesOf, textLines } from './rates.ts'
import { readTextEntry, type TextEntry, TextEntrySchema } from './settings.ts'
import type { Model, Pricing } from './text-model.ts'
import { worstCaseOf } from './worst-case.ts'

export const text = modelKind({
  kind: 'text',
  entry: TextEntrySchema,
  readEntry: readTextEntry,
  dialects: ['chat', 'responses', 'messages'],
  missingDialect: {
    en: 'speaks no wire of text: add chat, responses or messages to its dialects',
    fa: 'هیچ گویش متنی ندارد: chat، responses یا messages را به dialects آن بیفزایید',
  },
  modelOf,
  pricing: Type.Object({
    currency: currency(),
    input_per_million: usdPerMillion(),
    output_per_million: usdPerMillion(),
    cached_input_per_million: usdPerMillion(),
    cache_write_per_million: usdPerMillion(),
    credits_per_usd: creditsPerUsd(),
  }),
  card: (model) => ({
    output_modalities: ['text'],
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    features: model.features,
    reasoning: { supported_efforts: model.supportedEfforts },
    media_input: takesMedia(model) ? { input_per_million: model.pricing.mediaInputPerMillion } : null,
    pricing: pricesOf(model.pricing),
    studio_settings: null,
  }),
  figures: ({ contextLength, maxOutputTokens, pricing, features }) => ({
    contextLength,
    maxOutputTokens,
    inputPerMillion: pricing.inputPerMillion,
    outputPerMillion: pricing.outputPerMillion,
    abilities: features,
  }),
  details: ({ contextLength, maxOutputTokens, features, supportedEfforts, pricing }) => ({
    context_length: contextLength,
    max_output_tokens: maxOutputTokens,
    features,
    supported_efforts: supportedEfforts,
    /** USD per million tokens. */
    pricing: { ...pricesOf(pricing), media_input_per_million: pricing.mediaInputPerMillion },
  }),
  prices: ({ pricing }) => Object.values(pricing),
  operation: 'chat',
  callProvider: (provider: TextProvider, call: TextCall, sink: PartSink) => provider.generate(call, sink),
  mayRepeat: ({ executed }, isBackground) => !executed || !isBackground,
  mayReleaseClaim: ({ executed, status = 0, fault }) =>
    !executed || status >= 400 || fault === 'connect' || fault === 'reset',
  lines: ({ pricing }, conversion, used: Usage) => textLines(ratesOf(pricing, conversion), used),
  worstCase: worstCaseOf,
  defaultModel: {
    setting: 'text_model',
    expected: { en: 'the id of a text model', fa: 'شناسه‌ی یک مدل متنی' },
    isFirst: true,
    answersCalls: true,
    refusal: phrases.noDefault,
  },
  presets: { en: 'the id of a model of the kind text', fa: 'شناسه‌ی یک مدل متنی' },
})

const pricesOf = (pricing: Pricing) => ({
  input_per_million: pricing.inputPerMillion,
  output_per_million: pricing.outputPerMillion,
  cached_input_per_million: pricing.cachedInputPerMillion,
  cache_write_per_million: pricing.cacheWritePerMillion,
})

const takesMedia = ({ inputModalities }: Model): boolean =>
  inputModalities.some((modality) => modality === 'audio' || modality === 'video')

function modelOf(entry: TextEntry, more: ModelBasis): Model {
  const { named, providers } = more
  const own = (deployment: Deployment) =>
    deployment.provider === 'sandbox' ? {} : spokenBy(providers.get(deployment.provider))
  return {
    ...named,
    kind: 'text',
    // What a deployment says of itself takes precedence over its provider.
    deployments: named.deployments.map((deployment) => ({ ...own(deployment), ...deployment })),
    resumes: entry.resumes,
    ...(entry.takesLinks !== undefined && { takesLinks: entry.takesLinks }),
    contextLength: entry.contextLength,
    maxOutputTokens: entry.maxOutputTokens,
    inputModalities: entry.inputModalities,
    features: entry.features,
    supportedEfforts: entry.supportedEfforts,
    pricing: {
      ...(entry.pricing ?? listPrice(entry, more)),
      ...(entry.webSearchPerUse !== undefined && { webSearchPerUse: entry.webSearchPerUse }),
    },
  }
}

const spokenBy = (
  provider: ProviderConfig | undefined,
): Pick<Deployment, 'wires' | 'takesReasoningBudget' | 'limitName' | 'endMark'> => ({
  wires: provider?.dialects.filter(isWire) ?? [],
  ...(provider?.takesReasoningBudget !== undefined && {
    takesReasoningBudget: provider.takesReasoningBudget,
  }),
  ...(provider?.limitName && { limitName: provider.limitName }),
  ...(provider?.endMark && { endMark: provider.endMark }),
})

/** The highest list price among the deployments for each kind of tokens: whichever deployment answers, the operator never sells below cost. */
function listPrice(entry: TextEntry, { providers, knownPrice }: ModelBasis): Pricing {
  const prices = entry.deployments.map(({ provider, model }) => {
    const known = knownPrice(providers.get(provider)?.baseUrl ?? '', model)
    if (!known) return refuseConfig(phrases.noPrice(entry.where, model))
    if (known.steadyUpTo !== undefined && entry.contextLength > known.steadyUpTo) {
      return refuseConfig(phrases.steppedPrice(entry.where, model, known.steadyUpTo))
    }
    return known.pricing
  })
  const dearest = (kind: Exclude<keyof Pricing, 'cacheWriteHourPerMillion' | 'webSearchPerUse'>) =>
    Math.max(...prices.map((price) => price[kind]))
  return {
    inputPerMillion: dearest('inputPerMillion'),
    outputPerMillion: dearest('outputPerMillion'),
    cachedInputPerMillion: dearest('cachedInputPerMillion'),
    cacheWritePerMillion: dearest('cacheWritePerMillion'),
    mediaInputPerMillion: dearest('mediaInputPerMillion'),
  }
}
