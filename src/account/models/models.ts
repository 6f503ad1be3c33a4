/** The routes that list the models which a key may use. */
import { Type } from 'typebox'
import { apiKeyHeader } from '#core/calls'
import { type AnyModel, presetsOf } from '#core/models'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import { isOfPeople, type Route } from '#platform/http'
import { typedList } from '#platform/lists'
import { type ModelsApp, route } from './app.ts'
import { ModelCard, ModelList } from './schema.ts'

const ModelParams = Type.Object({ model: Type.String() })

/** `served` gives every route of this server. */
const routesFor = (served: () => readonly Route[]): Route<ModelsApp>[] => [
  route({
    method: 'GET',
    path: '/v1/models',
    operation: 'models.list',
    scope: 'models:read',
    managementKeys: 'account',
    keySources: [apiKeyHeader],
    summary: {
      en: 'All models this key may use, with abilities, prices and routes.',
      fa: 'همهٔ مدل‌های این کلید با توانایی، قیمت و مسیرها.',
    },
    reply: { 200: ModelList },
    errors: [],
    handle: ({ app, caller }) => list(app, caller, served()),
  }),
  route({
    method: 'GET',
    path: '/v1/models/{model}',
    operation: 'models.get',
    scope: 'models:read',
    managementKeys: 'account',
    keySources: [apiKeyHeader],
    summary: { en: 'One model.', fa: 'یک مدل.' },
    openEnded: true,
    params: ModelParams,
    reply: { 200: ModelCard },
    errors: ['MODEL_NOT_FOUND'],
    handle: ({ app, caller, params }) => {
      const model = app.models.find(params.model)
      return model && mayUse(caller, model)
        ? cardOf(app, model, served())
        : fail('MODEL_NOT_FOUND', { model: params.model }, { param: 'model' })
    },
  }),
]

const mayUse = (caller: Caller, model: AnyModel): boolean => !caller.models || caller.models.has(model.id)

/** The models that the caller may use, as one list that both the OpenAI and the Anthropic SDK iterate. */
function list(app: ModelsApp, caller: Caller, served: readonly Route[]) {
  const rows = app.models.list().filter((model) => mayUse(caller, model))
  return typedList.answer({ rows, hasMore: false }, (model) => cardOf(app, model, served))
}

function cardOf(
  { models: catalogue, config: { defaults } }: ModelsApp,
  model: AnyModel,
  served: readonly Route[],
) {
  const kind = catalogue.kinds.of(model)
  const members = kind.card(model)
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
    shutdown_date: model.shutdownDate ?? null,
    default: catalogue.isDefault(model.id),
    presets: presetsOf(catalogue.studio, model),
    input_modalities: model.inputModalities,
    ...members,
    pricing: {
      currency: 'USD',
      ...members.pricing,
      credits_per_usd: defaults.creditsPerUsd * defaults.markup,
    },
    // Programs read cards: what only people may use is not named.
    routes: served
      .filter((one) => !isOfPeople(one) && one.models?.(model, catalogue))
      .map(({ path }) => path),
  }
}

/** The routes of the catalogue; a card names those of the routes `served` that answer with its model. */
export const models = (served: () => readonly Route[]) => ({ name: 'models', routes: routesFor(served) })
