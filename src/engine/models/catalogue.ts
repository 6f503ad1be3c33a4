import assert from 'node:assert/strict'
import {
  type Config,
  type Dialect,
  defaultTimeouts,
  type ModelConfig,
  type NamedModelConfig,
  type ProviderConfig,
  type TextModelConfig,
} from '#platform/config'
import type { Discovered } from './discover.ts'
import type {
  AnyModel,
  Deployment,
  EmbeddingModel,
  ImageModel,
  Model,
  NamedModel,
  Pricing,
} from './models.ts'
import { knownPrice } from './prices.ts'
import { refuse, words } from './words.ts'

/** Every model this server offers, and the providers behind them. Immutable after the start. */
export interface Catalogue {
  /** By its id, or by one of its aliases. */
  find(name: string): AnyModel | undefined
  /** In the order of the file, then ready-made, then local, then sandbox. */
  list(): AnyModel[]
  /** Answers a call that names no model. */
  defaultText: Model
  /** Finds passages of knowledge projects by meaning; absent where nobody chose one. */
  embedding?: EmbeddingModel
  providers(): ProviderConfig[]
  /** The provider of a deployment of this catalogue; asserts that it exists. */
  provider(id: string): ProviderConfig
}

/** The simulator in this process, as a provider: it has no address, and its patience is never tried. */
const sandbox: ProviderConfig = {
  id: 'sandbox',
  baseUrl: 'sandbox:',
  dialects: ['chat', 'images'],
  timeouts: defaultTimeouts,
  onDisconnect: 'cancel',
  headers: {},
  // It opens none, and says so in its answer: it works offline.
  takesLinks: true,
}

/** Entries of the file have no date of their own; lists of the OpenAI clients need one. Unix seconds. */
const entryCreated = Date.UTC(2026, 0, 1) / 1_000

/**
 * One catalogue of the file, of what was discovered and of the sandbox. What the file says wins: a provider or a model
 * of the same id replaces the discovered one. Sandbox models are always listed and are the default only when there is nothing else.
 * Throws `StartRefused` for a model without price, provider or reachable wire, and for names that point nowhere.
 */
export function buildCatalogue(
  config: Config,
  discovered: Discovered,
  sandboxModels: readonly AnyModel[],
): Catalogue {
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
  const models = new Map<string, AnyModel>()
  for (const model of [...own, ...others, ...sandboxModels]) {
    if (models.has(model.id)) refuse(words.duplicate(model.id))
    models.set(model.id, model)
  }
  const named = withAliases(models, config.models)
  for (const entry of config.models) checkFallbacks(entry, named)

  const list = [...models.values()]
  return {
    find: (name) => named.get(name),
    list: () => list,
    defaultText: defaultOf(config, named),
    ...embeddingOf(config, named),
    providers: () => [...providers.values()],
    provider: (id) => {
      const provider = providers.get(id)
      assert(provider, `the catalogue has no provider ${id}`)
      return provider
    },
  }
}

type Providers = ReadonlyMap<string, ProviderConfig>

function modelOf(entry: ModelConfig, providers: Providers, sandboxModels: readonly AnyModel[]): AnyModel {
  for (const { provider: id, model } of entry.deployments) {
    const provider = providers.get(id)
    if (!provider) return refuse(words.noProvider(entry.where, id, [...providers.keys()]))
    if (!provider.dialects.some((dialect) => serves[entry.kind].includes(dialect)))
      refuse(words.noDialect(entry.where, id, entry.kind))
    if (id === 'sandbox') checkSandbox(entry, model, sandboxModels)
  }
  if (entry.kind === 'embedding') return embeddingModelOf(entry)
  return entry.kind === 'image' ? imageModelOf(entry) : textModelOf(entry, providers)
}

/** The dialects of a provider that can have deployments of each kind; `/embeddings` stands beside chat completions. */
const serves: Record<ModelConfig['kind'], readonly Dialect[]> = {
  text: ['chat', 'responses', 'messages'],
  image: ['images'],
  embedding: ['chat'],
}

function textModelOf(entry: TextModelConfig, providers: Providers): Model {
  const named = namedOf(entry)
  return {
    ...named,
    kind: 'text',
    deployments: named.deployments.map((deployment) => ({
      ...deployment,
      ...(deployment.provider !== 'sandbox' && spokenBy(providers.get(deployment.provider))),
    })),
    resumes: entry.resumes,
    ...(entry.takesLinks !== undefined && { takesLinks: entry.takesLinks }),
    contextLength: entry.contextLength,
    maxOutputTokens: entry.maxOutputTokens,
    inputModalities: entry.inputModalities,
    features: entry.features,
    supportedEfforts: entry.supportedEfforts,
    pricing: {
      ...(entry.pricing ?? listPrice(entry, providers)),
      ...(entry.webSearchPerUse !== undefined && { webSearchPerUse: entry.webSearchPerUse }),
    },
  }
}

const spokenBy = (
  provider: ProviderConfig | undefined,
): Pick<Deployment, 'wires' | 'takesReasoningBudget'> => ({
  wires: provider?.dialects.filter((dialect) => dialect !== 'images') ?? [],
  ...(provider?.takesReasoningBudget !== undefined && {
    takesReasoningBudget: provider.takesReasoningBudget,
  }),
})

const imageModelOf = (entry: Extract<ModelConfig, { kind: 'image' }>): ImageModel => ({
  ...namedOf(entry),
  kind: 'image',
  inputModalities: entry.image.maxReferences > 0 ? ['text', 'image'] : ['text'],
  image: entry.image,
  pricing: entry.pricing,
})

const embeddingModelOf = (entry: Extract<ModelConfig, { kind: 'embedding' }>): EmbeddingModel => ({
  ...namedOf(entry),
  kind: 'embedding',
  inputModalities: ['text'],
  maxInputTokens: entry.maxInputTokens,
  maxBatch: entry.maxBatch,
  ...(entry.dimensions !== undefined && { dimensions: entry.dimensions }),
  encoding: entry.encoding,
  pricing: entry.pricing,
})

function namedOf(entry: NamedModelConfig): Omit<NamedModel, 'inputModalities'> {
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
  }
}

/** The dearest list price among the deployments, kind by kind: whichever answers, the operator never sells below cost. */
function listPrice(entry: TextModelConfig, providers: Providers): Pricing {
  const prices = entry.deployments.map(({ provider, model }) => {
    const known = knownPrice(providers.get(provider)?.baseUrl ?? '', model)
    if (!known) return refuse(words.noPrice(entry.where, model))
    if (known.steadyUpTo !== undefined && entry.contextLength > known.steadyUpTo) {
      return refuse(words.steppedPrice(entry.where, model, known.steadyUpTo))
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

function checkSandbox(entry: ModelConfig, model: string, sandboxModels: readonly AnyModel[]): void {
  const known = sandboxModels
    .filter(({ kind }) => kind === entry.kind)
    .flatMap(({ deployments }) => deployments.map((deployment) => deployment.model))
  if (!known.includes(model)) refuse(words.noSandboxModel(entry.where, model, known))
}

/** Every name that is taken: the ids, and the aliases of the file, none of which may be another's name. */
function withAliases(
  models: ReadonlyMap<string, AnyModel>,
  entries: readonly ModelConfig[],
): ReadonlyMap<string, AnyModel> {
  const named = new Map(models)
  for (const { where, id, aliases } of entries)
    for (const alias of aliases) {
      const holder = named.get(alias)
      if (holder) refuse(words.aliasTaken(where, alias, holder.id))
      named.set(alias, models.get(id)!)
    }
  return named
}

/** From here on each fallback is known by its id: what a caller may use is held against ids. */
function checkFallbacks(entry: ModelConfig, named: ReadonlyMap<string, AnyModel>): void {
  const model = named.get(entry.id)!
  model.fallbacks = entry.fallbacks.map((name) => {
    const fallback = named.get(name)
    return fallback?.kind === entry.kind && fallback !== model
      ? fallback.id
      : refuse(words.noFallback(entry.where, name, entry.kind))
  })
}

const idsOf = (named: ReadonlyMap<string, AnyModel>, kind: AnyModel['kind']): string[] =>
  [...named].flatMap(([name, model]) => (model.kind === kind && name === model.id ? [name] : []))

function defaultOf(config: Config, models: ReadonlyMap<string, AnyModel>): Model {
  const { textModel, textModelWhere } = config.defaults
  if (textModel !== undefined) {
    const model = models.get(textModel)
    return model?.kind === 'text'
      ? model
      : refuse(words.noDefault(textModelWhere ?? 'defaults.text_model', textModel, idsOf(models, 'text')))
  }
  const first = [...models.values()].find((model) => model.kind === 'text')
  assert(first, 'the sandbox always offers a text model')
  return first
}

function embeddingOf(
  { defaults: { embeddingModel, embeddingModelWhere } }: Config,
  models: ReadonlyMap<string, AnyModel>,
): { embedding?: EmbeddingModel } {
  if (embeddingModel === undefined) return {}
  const embedding = models.get(embeddingModel)
  return embedding?.kind === 'embedding'
    ? { embedding }
    : refuse(
        words.noEmbedding(
          embeddingModelWhere ?? 'defaults.embedding_model',
          embeddingModel,
          idsOf(models, 'embedding'),
        ),
      )
}
