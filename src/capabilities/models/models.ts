import { Type } from 'typebox'
import type { App, Caller } from '#app'
import {
  type AnyModel,
  aspectRatiosOf,
  type EmbeddingModel,
  type ImageModel,
  type Model,
  sizeName,
} from '#engine/models'
import { fail } from '#platform/errors'
import { type Route, route } from '#platform/http'
import { typedList } from '#platform/lists'
import { ModelCard, ModelList } from './schema.ts'

const ModelParams = Type.Object({ model: Type.String() })

const routes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/models',
    operation: 'models.list',
    scope: 'models:read',
    summary: {
      en: 'All models this key may use, with abilities, prices and routes.',
      fa: 'همهٔ مدل‌های این کلید با توانایی، قیمت و مسیرها.',
    },
    reply: { 200: ModelList },
    errors: [],
    handle: ({ app, caller }) => list(app, caller),
  }),
  route({
    method: 'GET',
    path: '/v1/models/{model}',
    operation: 'models.get',
    scope: 'models:read',
    summary: { en: 'One model.', fa: 'یک مدل.' },
    openEnded: true,
    params: ModelParams,
    reply: { 200: ModelCard },
    errors: ['MODEL_NOT_FOUND'],
    handle: ({ app, caller, params }) => {
      const model = app.models.find(params.model)
      return model && mayUse(caller, model)
        ? cardOf(app, model)
        : fail('MODEL_NOT_FOUND', { model: params.model }, { param: 'model' })
    },
  }),
]

const mayUse = (caller: Caller, model: AnyModel): boolean => !caller.models || caller.models.has(model.id)

/** One list for both families of clients: the OpenAI and the Anthropic SDK iterate it as it is. */
function list(app: App, caller: Caller) {
  const rows = app.models.list().filter((model) => mayUse(caller, model))
  return typedList.answer({ rows, hasMore: false }, (model) => cardOf(app, model))
}

function cardOf(app: App, model: AnyModel) {
  return {
    id: model.id,
    aliases: model.aliases ?? [],
    object: 'model',
    type: 'model',
    created: model.created,
    created_at: new Date(model.created * 1000).toISOString(),
    owned_by: model.ownedBy,
    display_name: model.displayName,
    description: model.description,
    kind: model.kind,
    sandbox: model.sandbox,
    default: model.id === app.models.defaultText.id,
    input_modalities: model.inputModalities,
    ...membersOf(app, model),
  }
}

function membersOf(app: App, model: AnyModel) {
  if (model.kind === 'text') return textMembers(app, model)
  return model.kind === 'image' ? imageMembers(app, model) : embeddingMembers(app, model)
}

const creditsPerUsd = ({ config: { defaults } }: App): number => defaults.creditsPerUsd * defaults.markup

function textMembers(app: App, model: Model) {
  const { pricing } = model
  const takesMedia = model.inputModalities.some((modality) => modality === 'audio' || modality === 'video')
  return {
    output_modalities: ['text'],
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    features: model.features,
    reasoning: { supported_efforts: model.supportedEfforts },
    media_input: takesMedia ? { input_per_million: pricing.mediaInputPerMillion } : null,
    pricing: {
      currency: 'USD',
      input_per_million: pricing.inputPerMillion,
      output_per_million: pricing.outputPerMillion,
      cached_input_per_million: pricing.cachedInputPerMillion,
      cache_write_per_million: pricing.cacheWritePerMillion,
      credits_per_usd: creditsPerUsd(app),
    },
    studio_settings: null,
    routes: ['/v1/chat/completions', '/v1/responses', '/v1/messages'],
  }
}

function imageMembers(app: App, { image, pricing }: ImageModel) {
  return {
    output_modalities: ['image'],
    context_length: null,
    max_output_tokens: null,
    features: [],
    reasoning: { supported_efforts: [] },
    media_input: null,
    pricing: {
      currency: 'USD',
      per_image: pricing.perImage,
      rows: pricing.rows.map(({ quality, size, perImage }) => ({
        ...(quality && { quality }),
        ...(size && { size: sizeName(size) }),
        per_image: perImage,
      })),
      per_reference: pricing.perReference,
      credits_per_usd: creditsPerUsd(app),
    },
    studio_settings: {
      aspect_ratios: aspectRatiosOf(image.sizes),
      sizes: image.sizes.map(sizeName),
      qualities: image.qualities,
      backgrounds: image.backgrounds,
      reference_capacity: image.maxReferences,
      max_count: image.maxCount,
    },
    routes: ['/v1/responses', '/v1/images/generations'],
  }
}

function embeddingMembers(app: App, { maxInputTokens, pricing }: EmbeddingModel) {
  return {
    output_modalities: ['embedding'],
    context_length: maxInputTokens,
    max_output_tokens: null,
    features: [],
    reasoning: { supported_efforts: [] },
    media_input: null,
    pricing: {
      currency: 'USD',
      input_per_million: pricing.inputPerMillion,
      credits_per_usd: creditsPerUsd(app),
    },
    studio_settings: null,
    routes: ['/v1/embeddings'],
  }
}

export const models = { name: 'models', routes }
