import assert from 'node:assert/strict'
import { type Config, defaultTimeouts, type ModelConfig, type ProviderConfig } from '#platform/config'
import type { Discovered } from './discover.ts'
import type { Model, Pricing } from './models.ts'
import { knownPrice } from './prices.ts'
import { refuse, words } from './words.ts'

/** Every model this server offers, and the providers behind them. Immutable after the start. */
export interface Catalogue {
  find(id: string): Model | undefined
  /** In the order of the file, then ready-made, then local, then sandbox. */
  list(): Model[]
  /** Answers a call that names no model. */
  defaultText: Model
  providers(): ProviderConfig[]
  /** The provider of a deployment of this catalogue; asserts that it exists. */
  provider(id: string): ProviderConfig
}

/** The simulator in this process, as a provider: it has no address, and its patience is never tried. */
const sandbox: ProviderConfig = {
  id: 'sandbox',
  baseUrl: 'sandbox:',
  dialects: ['chat'],
  timeouts: defaultTimeouts,
  onDisconnect: 'cancel',
  headers: {},
}

/** Entries of the file have no date of their own; lists of the OpenAI clients need one. Unix seconds. */
const entryCreated = Date.UTC(2026, 0, 1) / 1_000

/**
 * One catalogue of the file, of what was discovered and of the sandbox. What the file says wins: a provider or a model
 * of the same id replaces the discovered one. Sandbox models are always listed and are the default only when there is nothing else.
 * Throws `StartRefused` for a model without price, provider or reachable wire, and for names that point nowhere.
 */
export function buildCatalogue(config: Config, discovered: Discovered, sandboxModels: Model[]): Catalogue {
  const written = new Set(config.providers.map(({ id }) => id))
  const found = discovered.providers.filter(({ id }) => !written.has(id))
  const providers = new Map(
    [...config.providers, ...found, sandbox].map((provider) => [provider.id, provider]),
  )

  const own = config.models.map((entry) => modelOf(entry, providers, sandboxModels))
  const ownIds = new Set(own.map(({ id }) => id))
  const others = discovered.models.filter(
    ({ id, deployments }) =>
      !ownIds.has(id) && deployments.every((deployment) => !written.has(deployment.provider)),
  )
  const models = new Map<string, Model>()
  for (const model of [...own, ...others, ...sandboxModels]) {
    if (models.has(model.id)) refuse(words.duplicate(model.id))
    models.set(model.id, model)
  }
  for (const entry of config.models) checkFallbacks(entry, models)

  const list = [...models.values()]
  return {
    find: (id) => models.get(id),
    list: () => list,
    defaultText: defaultOf(config, models),
    providers: () => [...providers.values()],
    provider: (id) => {
      const provider = providers.get(id)
      assert(provider, `the catalogue has no provider ${id}`)
      return provider
    },
  }
}

function modelOf(entry: ModelConfig, providers: Map<string, ProviderConfig>, sandboxModels: Model[]): Model {
  for (const deployment of entry.deployments) {
    if (!providers.has(deployment.provider))
      refuse(words.noProvider(entry.where, deployment.provider, [...providers.keys()]))
    if (deployment.provider === 'sandbox') checkSandbox(entry, deployment.model, sandboxModels)
  }
  const name = entry.displayName ?? entry.id.slice(entry.id.indexOf('/') + 1)
  return {
    id: entry.id,
    kind: entry.kind,
    displayName: name,
    description: entry.description ?? `${name}.`,
    ownedBy: entry.id.slice(0, entry.id.indexOf('/')),
    created: entryCreated,
    sandbox: entry.deployments.some(({ provider }) => provider === 'sandbox'),
    deployments: entry.deployments.map((deployment) => ({
      id: `${deployment.provider}/${deployment.model}`,
      ...deployment,
      ...(deployment.provider !== 'sandbox' && { wires: providers.get(deployment.provider)?.dialects ?? [] }),
    })),
    fallbacks: entry.fallbacks,
    resumes: entry.resumes,
    contextLength: entry.contextLength,
    maxOutputTokens: entry.maxOutputTokens,
    inputModalities: entry.inputModalities,
    features: entry.features,
    supportedEfforts: entry.supportedEfforts,
    pricing: entry.pricing ?? listPrice(entry, providers),
  }
}

/** The dearest list price among the deployments, kind by kind: whichever answers, the operator never sells below cost. */
function listPrice(entry: ModelConfig, providers: Map<string, ProviderConfig>): Pricing {
  const prices = entry.deployments.map(({ provider, model }) => {
    const known = knownPrice(providers.get(provider)?.baseUrl ?? '', model)
    if (!known) return refuse(words.noPrice(entry.where, model))
    if (known.steadyUpTo !== undefined && entry.contextLength > known.steadyUpTo) {
      return refuse(words.steppedPrice(entry.where, model, known.steadyUpTo))
    }
    return known.pricing
  })
  const dearest = (kind: Exclude<keyof Pricing, 'cacheWriteHourPerMillion'>) =>
    Math.max(...prices.map((price) => price[kind]))
  return {
    inputPerMillion: dearest('inputPerMillion'),
    outputPerMillion: dearest('outputPerMillion'),
    cachedInputPerMillion: dearest('cachedInputPerMillion'),
    cacheWritePerMillion: dearest('cacheWritePerMillion'),
    mediaInputPerMillion: dearest('mediaInputPerMillion'),
  }
}

function checkSandbox(entry: ModelConfig, model: string, sandboxModels: Model[]): void {
  const known = sandboxModels.flatMap(({ deployments }) => deployments.map((deployment) => deployment.model))
  if (!known.includes(model)) refuse(words.noSandboxModel(entry.where, model, known))
}

function checkFallbacks(entry: ModelConfig, models: Map<string, Model>): void {
  const wrong = entry.fallbacks.find((id) => id === entry.id || models.get(id)?.kind !== 'text')
  if (wrong !== undefined) refuse(words.noFallback(entry.where, wrong))
}

function defaultOf(config: Config, models: Map<string, Model>): Model {
  const { textModel, textModelWhere } = config.defaults
  if (textModel !== undefined) {
    const model = models.get(textModel)
    return model?.kind === 'text'
      ? model
      : refuse(words.noDefault(textModelWhere ?? 'defaults.text_model', textModel))
  }
  const first = [...models.values()].find(({ kind }) => kind === 'text')
  assert(first, 'the sandbox always offers a text model')
  return first
}
