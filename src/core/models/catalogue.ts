import assert from 'node:assert/strict'
import type { Config } from '#platform/config'
import type { Discovery } from './discover.ts'
import type { AudioModel } from './kinds/audio/audio-model.ts'
import type { EmbeddingModel } from './kinds/embedding/embedding-model.ts'
import type { ImageModel } from './kinds/image/image-model.ts'
import { type AnyModel, type Kinds, type ModelEntry, openKinds } from './kinds/kinds.ts'
import type { NamedEntry } from './kinds/named.ts'
import type { RealtimeModel } from './kinds/realtime/realtime-model.ts'
import type { RealtimeEntry } from './kinds/realtime/settings.ts'
import type { Model } from './kinds/text/text-model.ts'
import type { TranscriptionModel } from './kinds/transcription/transcription-model.ts'
import type { VideoModel } from './kinds/video/video-model.ts'
import type { NamedModel } from './models.ts'
import { phrases, refuseConfig } from './phrases.ts'
import { knownPrice } from './prices.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'
import { type Medium, media, type Preset, type PresetNames, presets } from './settings.ts'

/** Every model this server offers, and the providers behind them. Immutable after the start. */
export interface Catalogue {
  /** Finds a model by its id, or by one of its aliases. */
  find(name: string): AnyModel | undefined
  /** All models: those of the file in its order, then ready-made, then local, then sandbox models. */
  list(): AnyModel[]
  /** The registered model kinds. */
  kinds: Kinds
  /** The model of calls that name no model. */
  defaultText: Model
  /** The models of Studio's presets, by medium; a medium that no model makes is absent. */
  studio: StudioPresets
  /** The model for semantic search in knowledge projects; absent when none is configured. */
  embedding?: EmbeddingModel
  /** The model that makes the videos of calls that name no model; absent where no model makes any. */
  defaultVideo?: VideoModel
  /** The model that transcribes the recordings of calls that name no model; absent where no model does. */
  defaultTranscription?: TranscriptionModel
  /** The model that answers realtime calls that name no model; absent where the configuration names none. */
  defaultRealtime?: RealtimeModel
  /**
   * The model that answers in a call that names this model: a realtime model itself, or a text model together with those that listen and speak for
   * it. Undefined for every other kind, and where nothing listens or speaks.
   */
  realtimeOf(model: AnyModel): RealtimeModel | undefined
  providers(): ProviderConfig[]
  /** The provider of a deployment of this catalogue; asserts that it exists. */
  provider(id: string): ProviderConfig
}

export interface StudioPresets {
  text: Record<Preset, Model>
  image?: Record<Preset, ImageModel>
  audio?: Record<Preset, AudioModel>
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
  const defaultText = defaultOf(config, modelsByName)
  const defaultVideo = defaultOfKind('video', config, modelsByName)
  const defaultTranscription = defaultOfKind('transcription', config, modelsByName)
  const helpers = {
    text: defaultText,
    transcription: defaultTranscription,
    speech: defaultSpeechModel(config, modelsByName),
  }
  for (const entry of config.models) if (isPipeline(entry)) completePipeline(entry, modelsByName, helpers)
  const realtimeOf = (model: AnyModel) => realtimeModelOf(model, helpers)
  const defaultRealtime = defaultRealtimeOf(config, modelsByName, realtimeOf)
  return {
    find: (name) => modelsByName.get(name),
    list: () => list,
    kinds,
    defaultText,
    studio: studioOf(config, modelsByName, defaultText),
    ...embeddingOf(config, modelsByName),
    ...(defaultVideo && { defaultVideo }),
    ...(defaultTranscription && { defaultTranscription }),
    ...(defaultRealtime && { defaultRealtime }),
    realtimeOf,
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

const idsOf = (modelsByName: ReadonlyMap<string, AnyModel>, kind: AnyModel['kind']): string[] =>
  [...modelsByName].flatMap(([name, model]) => (model.kind === kind && name === model.id ? [name] : []))

function defaultOf(config: Config, models: ReadonlyMap<string, AnyModel>): Model {
  const { textModel, textModelWhere } = config.defaults
  if (textModel !== undefined) {
    const model = models.get(textModel)
    return model?.kind === 'text'
      ? model
      : refuseConfig(
          phrases.noDefault(textModelWhere ?? 'defaults.text_model', textModel, idsOf(models, 'text')),
        )
  }
  const first = [...models.values()].find((model) => model.kind === 'text')
  assert(first, 'the sandbox always offers a text model')
  return first
}

function studioOf(
  { defaults: { studio } }: Config,
  models: ReadonlyMap<string, AnyModel>,
  defaultText: Model,
): StudioPresets {
  const first = <Kind extends Medium>(kind: Kind) => [...models.values()].find((model) => isOf(model, kind))
  const image = presetModels('image', studio.image, models, first('image'))
  const audio = presetModels('audio', studio.audio, models, first('audio'))
  return {
    text: presetModels('text', studio.text, models, defaultText)!,
    ...(image && { image }),
    ...(audio && { audio }),
  }
}

type ModelOfKind<Kind extends Medium> = Extract<AnyModel, { kind: Kind }>

const isOf = <Kind extends Medium>(model: AnyModel | undefined, kind: Kind): model is ModelOfKind<Kind> =>
  model?.kind === kind

/**
 * The models of the presets. A preset without a model of its own has the one of `balanced`, else of any other preset, else the standard one: for text
 * the default model, for other media the first of the catalogue. Undefined where there is none.
 */
function presetModels<Kind extends Medium>(
  kind: Kind,
  names: PresetNames,
  models: ReadonlyMap<string, AnyModel>,
  standard: AnyModel | undefined,
): Record<Preset, ModelOfKind<Kind>> | undefined {
  const own: Partial<Record<Preset, ModelOfKind<Kind>>> = {}
  for (const preset of presets) {
    const name = names[preset]
    if (!name) continue
    const model = models.get(name.model)
    own[preset] = isOf(model, kind)
      ? model
      : refuseConfig(phrases.noPreset(name.where, name.model, kind, idsOf(models, kind)))
  }
  const rest = own.balanced ?? own.fast ?? own.quality ?? (isOf(standard, kind) ? standard : undefined)
  return rest && { fast: own.fast ?? rest, balanced: rest, quality: own.quality ?? rest }
}

/** The presets of Studio that this model serves. */
export const presetsOf = (studio: StudioPresets, { id, kind }: AnyModel): Preset[] => {
  const models = media.some((medium) => medium === kind) ? studio[kind as Medium] : undefined
  return presets.filter((preset) => models?.[preset].id === id)
}

function embeddingOf(
  { defaults: { embeddingModel, embeddingModelWhere } }: Config,
  models: ReadonlyMap<string, AnyModel>,
): { embedding?: EmbeddingModel } {
  if (embeddingModel === undefined) return {}
  const embedding = models.get(embeddingModel)
  return embedding?.kind === 'embedding'
    ? { embedding }
    : refuseConfig(
        phrases.noEmbedding(
          embeddingModelWhere ?? 'defaults.embedding_model',
          embeddingModel,
          idsOf(models, 'embedding'),
        ),
      )
}

/** The model of this kind that the file names, else the first of the catalogue; undefined where there is none. */
function defaultOfKind<Kind extends 'video' | 'transcription'>(
  kind: Kind,
  { defaults }: Config,
  models: ReadonlyMap<string, AnyModel>,
): Extract<AnyModel, { kind: Kind }> | undefined {
  const isOne = (model: AnyModel | undefined): model is Extract<AnyModel, { kind: Kind }> =>
    model?.kind === kind
  const name = defaults[`${kind}Model`]
  if (name === undefined) return [...models.values()].find(isOne)
  const model = models.get(name)
  const where = defaults[`${kind}ModelWhere`] ?? `defaults.${kind}_model`
  return isOne(model) ? model : refuseConfig(phrases.noPreset(where, name, kind, idsOf(models, kind)))
}

/** The models that an entry uses where it names none of its own. */
interface Helpers {
  text: Model
  transcription: TranscriptionModel | undefined
  speech: AudioModel | undefined
}

const canSpeak = (model: AnyModel | undefined): model is AudioModel =>
  model?.kind === 'audio' && model.audio.tasks.some((task) => task !== 'answer')

function defaultSpeechModel(
  { defaults }: Config,
  models: ReadonlyMap<string, AnyModel>,
): AudioModel | undefined {
  const { speechModel: name, speechModelWhere: where = 'defaults.speech_model' } = defaults
  if (name === undefined) return [...models.values()].find(canSpeak)
  const model = models.get(name)
  return canSpeak(model)
    ? model
    : refuseConfig(phrases.noPreset(where, name, 'audio', speechModelIds(models)))
}

const speechModelIds = (models: ReadonlyMap<string, AnyModel>): string[] =>
  [...models].flatMap(([name, model]) => (canSpeak(model) && name === model.id ? [name] : []))

type PipelineEntry = Extract<RealtimeEntry, { engine: 'pipeline' }>

const isPipeline = (entry: ModelEntry): entry is PipelineEntry =>
  entry.kind === 'realtime' && entry.engine === 'pipeline'

/** Replaces the names of the entry's models by their ids, and checks that each model is of the required kind. */
function completePipeline(
  entry: PipelineEntry,
  models: ReadonlyMap<string, AnyModel>,
  helpers: Helpers,
): void {
  const model = models.get(entry.id)
  assert(model?.kind === 'realtime' && model.engine === 'pipeline')
  const idOf = (kind: 'text' | 'transcription', name: string | undefined): string => {
    const found = name === undefined ? helpers[kind] : models.get(name)
    if (found?.kind === kind) return found.id
    return refuseConfig(
      phrases.noPreset(`${entry.where}.${kind}_model`, name ?? '', kind, idsOf(models, kind)),
    )
  }
  const speech = entry.speechModel === undefined ? helpers.speech : models.get(entry.speechModel)
  model.textModel = idOf('text', entry.textModel)
  model.transcriptionModel = idOf('transcription', entry.transcriptionModel)
  model.speechModel = canSpeak(speech)
    ? speech.id
    : refuseConfig(
        phrases.noPreset(
          `${entry.where}.speech_model`,
          entry.speechModel ?? '',
          'audio',
          speechModelIds(models),
        ),
      )
  const parts = [model.textModel, model.transcriptionModel, model.speechModel]
  model.sandbox = parts.some((id) => models.get(id)!.sandbox)
}

function realtimeModelOf(model: AnyModel, { transcription, speech }: Helpers): RealtimeModel | undefined {
  if (model.kind === 'realtime') return model
  if (model.kind !== 'text' || !transcription || !speech) return undefined
  const { id, displayName, description, ownedBy, created, sandbox } = model
  return {
    ...{ id, displayName, description, ownedBy, created },
    kind: 'realtime',
    sandbox: sandbox || transcription.sandbox || speech.sandbox,
    deployments: [],
    fallbacks: [],
    inputModalities: ['text', 'audio'],
    engine: 'pipeline',
    textModel: id,
    transcriptionModel: transcription.id,
    speechModel: speech.id,
    pricing: { perMinute: 0 },
  }
}

function defaultRealtimeOf(
  { defaults: { realtimeModel: name, realtimeModelWhere: where = 'defaults.realtime_model' } }: Config,
  models: ReadonlyMap<string, AnyModel>,
  realtimeOf: Catalogue['realtimeOf'],
): RealtimeModel | undefined {
  if (name === undefined) return undefined
  const model = models.get(name)
  return (
    (model && realtimeOf(model)) ??
    refuseConfig(phrases.noPreset(where, name, 'realtime', idsOf(models, 'realtime')))
  )
}
