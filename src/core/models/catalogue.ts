import assert from 'node:assert/strict'
import type { Config } from '#platform/config'
import {
  answeringModels,
  type DefaultModels,
  defaultModelsOf,
  type StudioPresets,
  studioPresetsOf,
} from './default-models.ts'
import type { Discovery } from './discover.ts'
import { type AnyModel, type Kinds, type ModelEntry, openKinds } from './kinds/kinds.ts'
import type { NamedEntry } from './kinds/named.ts'
import { realtimeModelOf } from './kinds/realtime/pipeline.ts'
import type { RealtimeModel } from './kinds/realtime/realtime-model.ts'
import type { NamedModel } from './models.ts'
import { phrases, refuseConfig } from './phrases.ts'
import { knownPrice } from './prices.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'

/** Every model this server offers, and the providers behind them. Immutable after the start. */
export interface Catalogue {
  /** Finds a model by its id, or by one of its aliases. */
  find(name: string): AnyModel | undefined
  /** All models: those of the file in its order, then ready-made, then local, then sandbox models. */
  list(): AnyModel[]
  /** The registered model kinds. */
  kinds: Kinds
  /** The default model of each kind, for calls or other models that name none; `isDefault` says which of them answer calls. A kind may have none. */
  defaults: DefaultModels
  /** Whether the model of this id answers calls of its kind that name no model. */
  isDefault(id: string): boolean
  /** The models of Studio's presets, by kind; a kind that no model makes is absent. */
  studio: StudioPresets
  /**
   * The model that answers in a call that names this model: a realtime model itself, or a text model together with those that listen and speak for
   * it. Undefined for every other kind, and where nothing listens or speaks.
   */
  realtimeOf(model: AnyModel): RealtimeModel | undefined
  providers(): ProviderConfig[]
  /** The provider of a deployment of this catalogue; asserts that it exists. */
  provider(id: string): ProviderConfig
}

/** The in-process simulator as a provider: it has no address, and its timeouts never apply. */
const sandbox: ProviderConfig = {
  id: 'sandbox',
  baseUrl: 'sandbox:',
  dialects: ['chat', 'images', 'speech', 'transcriptions'],
  timeouts: defaultTimeouts,
  onDisconnect: 'cancel',
  headers: {},
  // The sandbox fetches no links and works offline; its answer states this.
  takesLinks: true,
}

/** Entries of the file have no date of their own; lists of the OpenAI clients need one. Unix seconds. */
const entryCreated = Date.UTC(2026, 0, 1) / 1_000

/**
 * One catalogue of the file, of what was discovered and of the sandbox. The file takes precedence: a provider or a model of the same id replaces the
 * discovered one. Sandbox models are always listed and are the default only when there is nothing else. Throws `StartRefused` for a model without
 * price, provider or reachable wire, and for names that refer to no model or provider.
 */
export function buildCatalogue(
  config: Config,
  discovered: Discovery,
  sandboxModels: readonly AnyModel[],
  kinds = openKinds(),
): Catalogue {
  const written = new Set(config.providers.map(({ id }) => id))
  const found = discovered.providers.filter(({ id }) => !written.has(id))
  const providers = new Map(
    [...config.providers, ...found, sandbox].map((provider) => [provider.id, provider]),
  )

  const own = config.models.map((entry) => modelOf(kinds, entry, providers, sandboxModels))
  const ownIds = new Set(own.map(({ id }) => id))
  const others = discovered.models.filter(
    ({ id, deployments }) =>
      !ownIds.has(id) && deployments.every((deployment) => !written.has(deployment.provider)),
  )
  const models = new Map<string, AnyModel>()
  for (const model of [...own, ...others, ...sandboxModels]) {
    if (models.has(model.id)) refuseConfig(phrases.duplicate(model.id))
    models.set(model.id, model)
  }
  const modelsByName = withAliases(models, config.models)
  for (const entry of config.models) checkFallbacks(entry, modelsByName)

  const list = [...models.values()]
  const defaults = defaultModelsOf(kinds, config, modelsByName)
  const known = { byName: modelsByName, defaults }
  for (const entry of config.models) kinds.of(entry).complete?.(entry, known)
  const answering = answeringModels(kinds, defaults)
  return {
    find: (name) => modelsByName.get(name),
    list: () => list,
    kinds,
    defaults: defaults as unknown as DefaultModels,
    isDefault: (id) => answering.has(id),
    studio: studioPresetsOf(kinds, config, modelsByName, defaults),
    realtimeOf: (model) => realtimeModelOf(model, defaults),
    providers: () => [...providers.values()],
    provider: (id) => {
      const provider = providers.get(id)
      assert(provider, `the catalogue has no provider ${id}`)
      return provider
    },
  }
}

type Providers = ReadonlyMap<string, ProviderConfig>

function modelOf(
  kinds: Kinds,
  entry: ModelEntry,
  providers: Providers,
  sandboxModels: readonly AnyModel[],
): AnyModel {
  const kind = kinds.of(entry)
  for (const { provider: id, model } of entry.deployments) {
    const provider = providers.get(id)
    if (!provider) return refuseConfig(phrases.noProvider(entry.where, id, [...providers.keys()]))
    if (!provider.dialects.some((dialect) => kind.dialects.includes(dialect)))
      refuseConfig(phrases.noDialect(entry.where, id, kind.missingDialect))
    if (id === 'sandbox') checkSandbox(entry, model, sandboxModels)
    const unable = id === 'sandbox' ? undefined : kind.unsupported?.(entry, provider.dialects)
    if (unable) refuseConfig(phrases.unableProvider(entry.where, id, unable))
  }
  return kind.modelOf(entry, { named: namedOf(entry), providers, knownPrice }) as AnyModel
}

function namedOf(entry: NamedEntry): Omit<NamedModel, 'inputModalities'> {
  const name = entry.displayName ?? entry.id.slice(entry.id.indexOf('/') + 1)
  return {
    id: entry.id,
    ...(entry.aliases.length > 0 && { aliases: entry.aliases }),
    displayName: name,
    description: entry.description ?? `${name}.`,
    ownedBy: entry.id.slice(0, entry.id.indexOf('/')),
    created: entryCreated,
    sandbox: entry.deployments.some(({ provider }) => provider === 'sandbox'),
    deployments: entry.deployments.map((deployment) => ({
      id: `${deployment.provider}/${deployment.model}`,
      ...deployment,
    })),
    fallbacks: entry.fallbacks,
    ...(entry.shutdownDate !== undefined && { shutdownDate: entry.shutdownDate }),
  }
}

function checkSandbox(entry: ModelEntry, model: string, sandboxModels: readonly AnyModel[]): void {
  const known = sandboxModels
    .filter(({ kind }) => kind === entry.kind)
    .flatMap(({ deployments }) => deployments.map((deployment) => deployment.model))
  if (!known.includes(model)) refuseConfig(phrases.noSandboxModel(entry.where, model, known))
}

/** All names of models: the ids, and the aliases of the file, none of which may be another model's name. */
function withAliases(
  models: ReadonlyMap<string, AnyModel>,
  entries: readonly ModelEntry[],
): ReadonlyMap<string, AnyModel> {
  const modelsByName = new Map(models)
  for (const { where, id, aliases } of entries)
    for (const alias of aliases) {
      const holder = modelsByName.get(alias)
      if (holder) refuseConfig(phrases.aliasTaken(where, alias, holder.id))
      modelsByName.set(alias, models.get(id)!)
    }
  return modelsByName
}

/** Replaces the name of each fallback by its id, because the models that a caller may use are given by their ids. */
function checkFallbacks(entry: ModelEntry, modelsByName: ReadonlyMap<string, AnyModel>): void {
  const model = modelsByName.get(entry.id)!
  model.fallbacks = entry.fallbacks.map((name) => {
    const fallback = modelsByName.get(name)
    return fallback?.kind === entry.kind && fallback !== model
      ? fallback.id
      : refuseConfig(phrases.noFallback(entry.where, name, entry.kind))
  })
}
