/** Configuration of models: entries of every kind, defaults, and vendor keys that enable ready-made models. */
import { type Static, Type } from 'typebox'
import {
  type Config,
  type ConfigNode,
  fileSection,
  integerIn,
  readingRules,
  readUrl,
  refusals,
  refuseConfig,
  type Sentence,
  variableSection,
  webProtocols,
} from '#platform/config'
import { type ModelEntry, openKinds } from './kinds/kinds.ts'
import { type LocalServer, localServers } from './local-transcribers.ts'
import { knownVendors, type VendorId, vendorIds } from './vendors.ts'

export { type ProviderConfig, providers } from './provider-settings.ts'

declare module '#platform/config' {
  interface Settings {
    models: ModelEntry[]
    defaults: DefaultsConfig
    /** Keys and addresses found in the environment, which switch on ready-made catalogues. */
    vendors: VendorKeys
  }
}

export interface DefaultsConfig {
  /** The default models that the file names, by kind. */
  models: Readonly<Record<string, PlacedName>>
  /** The models of Studio's presets that the file names, by kind. */
  studio: Readonly<Record<string, PresetNames>>
  creditsPerUsd: number
  markup: number
  /** The output limit of a Responses call that names none, where its key has none of its own. */
  responsesMaxOutputTokens: number
}

export const presets = ['fast', 'balanced', 'quality'] as const
export type Preset = (typeof presets)[number]

/** The name of a model, and its place in the file for refusals of the catalogue. */
export interface PlacedName {
  model: string
  where: string
}

export type PresetNames = { [Name in Preset]?: PlacedName }

type VendorKeysFound = { [Vendor in VendorId]?: string }

export interface VendorKeys extends VendorKeysFound {
  /** Base address of a local Ollama, named by `OLLAMA_HOST`. */
  ollamaHost?: string
  /** Base addresses of the local servers that transcribe, named by `SPEACHES_HOST`, `LOCALAI_HOST` and `WHISPER_CPP_HOST`. */
  localHosts?: { [Server in LocalServer]?: string }
}

/** The section of models of these kinds. Whatever needs more than the entry itself is checked by the catalogue. */
export const modelsOf = (kinds: ReturnType<typeof openKinds>) =>
  fileSection({
    name: 'models',
    schema: Type.Array(kinds.entry, { default: [] }),
    read: (entries, { at }) => {
      const models: Config['models'] = []
      for (const [index, typed] of entries.entries()) {
        const node = at(index)!
        const model = kinds.readEntry(typed, node)
        if (models.some(({ id }) => id === model.id))
          refuseConfig(refusals.duplicate(node.sourcePosition('id'), model.id))
        models.push(model)
      }
      return models
    },
  })

const kinds = openKinds()

export const models = modelsOf(kinds)

const modelName = (expected: Sentence) => Type.Optional(Type.String(readingRules({ expected })))

const presetSettings = (kind: string, expected: Sentence) =>
  Type.Object(
    { fast: modelName(expected), balanced: modelName(expected), quality: modelName(expected) },
    { default: {}, description: `The models of the presets of \`POST /v1/studio/${kind}\`.` },
  )

type TypedPresets = Static<ReturnType<typeof presetSettings>>

function presetNames(typed: TypedPresets, at: (preset: Preset) => ConfigNode | undefined): PresetNames {
  const names: PresetNames = {}
  for (const preset of presets) {
    const model = typed[preset]
    if (model !== undefined) names[preset] = { model, where: at(preset)!.sourcePosition() }
  }
  return names
}

/** The order of the settings of default models, which editors show: that of these kinds, then of every further one. */
const orderOfDefaults = ['text', 'embedding', 'video', 'transcription', 'audio', 'realtime']

const kindsWithDefault = [...new Set([...orderOfDefaults, ...kinds.all.map(({ kind }) => kind)])].flatMap(
  (kind) => {
    const { defaultModel } = kinds.of({ kind })
    return defaultModel ? [{ kind, setting: defaultModel.setting, expected: defaultModel.expected }] : []
  },
)

const kindsWithPresets = kinds.all.flatMap(({ kind, presets: expected }) =>
  expected ? [{ kind, expected }] : [],
)

/** One setting for each kind with a default model: their names come from the kinds, so the compiler does not know them. */
const modelSettings: object = Object.fromEntries(
  kindsWithDefault.map(({ setting, expected }) => [setting, modelName(expected)]),
)

const studioSettings: Record<string, ReturnType<typeof presetSettings>> = Object.fromEntries(
  kindsWithPresets.map(({ kind, expected }) => [kind, presetSettings(kind, expected)]),
)

/** The names of default models by kind, each with its place in the file. */
function defaultNames(
  typed: Readonly<Record<string, string | undefined>>,
  where: (setting: string) => string,
): DefaultsConfig['models'] {
  const names: Record<string, PlacedName> = {}
  for (const { kind, setting } of kindsWithDefault) {
    const model = typed[setting]
    if (model !== undefined) names[kind] = { model, where: where(setting) }
  }
  return names
}

/** The names of presets' models by kind. */
function studioNames(
  typed: Readonly<Record<string, TypedPresets>>,
  at: (kind: string, preset: Preset) => ConfigNode | undefined,
): DefaultsConfig['studio'] {
  const names: Record<string, PresetNames> = {}
  for (const { kind } of kindsWithPresets)
    names[kind] = presetNames(typed[kind]!, (preset) => at(kind, preset))
  return names
}

/** The default models and the value of a credit. */
export const defaults = fileSection({
  name: 'defaults',
  schema: Type.Object(
    {
      ...modelSettings,
      studio: Type.Object(studioSettings, { default: {} }),
      credits_per_usd: Type.Number({ minimum: 0.000001, maximum: 1_000_000_000, default: 1_000 }),
      markup: Type.Number({
        minimum: 0,
        maximum: 1_000,
        default: 1,
        description: 'What prices are multiplied by.',
      }),
      responses_max_output_tokens: integerIn(1, 32_768, {
        default: 2_048,
        description: 'Output tokens of a call of Responses that names no limit.',
      }),
    },
    { default: {} },
  ),
  read: ({ studio, credits_per_usd, markup, responses_max_output_tokens, ...models }, { at }) => ({
    models: defaultNames(models as Record<string, string | undefined>, (name) => at(name)!.sourcePosition()),
    studio: studioNames(studio as Record<string, TypedPresets>, (kind, preset) => at('studio', kind, preset)),
    creditsPerUsd: credits_per_usd,
    markup,
    responsesMaxOutputTokens: responses_max_output_tokens,
  }),
})

const localOf = (server: string, address: string) => ({
  en: `The address of a ${server} server, whose models of transcription are then in the catalogue; without it ${address} is asked once at the start.`,
  fa: `نشانی یک سرور ${server} که مدل‌های رونویسی‌اش به فهرست می‌آید؛ در نبودش هنگام آغاز یک بار از ${address} پرسیده می‌شود.`,
})

const keyOf = (vendor: string) => ({
  en: `A key of ${vendor}, whose usual models are then in the catalogue.`,
  fa: `کلید ${vendor} که مدل‌های همیشگی‌اش را به فهرست می‌آورد.`,
})

const keyVariables = vendorIds.map((vendor) => {
  const { name, variable } = knownVendors[vendor]
  return { name: variable, about: keyOf(name), secret: true as const }
})

export const vendors = variableSection({
  name: 'vendors',
  variables: [
    ...keyVariables,
    {
      name: 'OLLAMA_HOST',
      about: {
        en: 'The address of an Ollama server, whose models are then in the catalogue; without it http://127.0.0.1:11434 is asked once at the start.',
        fa: 'نشانی یک سرور Ollama که مدل‌هایش به فهرست می‌آید؛ در نبودش هنگام آغاز یک بار از http://127.0.0.1:11434 پرسیده می‌شود.',
      },
    },
    { name: 'SPEACHES_HOST', about: localOf('Speaches', localServers.speaches) },
    { name: 'LOCALAI_HOST', about: localOf('LocalAI', localServers.localai) },
    { name: 'WHISPER_CPP_HOST', about: localOf('whisper.cpp', localServers.whispercpp) },
  ],
  read: (variable) => {
    const keys: VendorKeys = {}
    for (const vendor of vendorIds) {
      const key = variable(knownVendors[vendor].variable)
      if (key !== undefined) keys[vendor] = key
    }
    const ollama = variable('OLLAMA_HOST')
    if (ollama !== undefined) keys.ollamaHost = readHost('OLLAMA_HOST', ollama, 11_434)
    for (const [server, name] of [
      ['speaches', 'SPEACHES_HOST'],
      ['localai', 'LOCALAI_HOST'],
      ['whispercpp', 'WHISPER_CPP_HOST'],
    ] as const) {
      const host = variable(name)
      const port = Number(new URL(localServers[server]).port)
      if (host !== undefined) keys.localHosts = { ...keys.localHosts, [server]: readHost(name, host, port) }
    }
    return keys
  },
})

/** These variables are also what the servers bind to, so `0.0.0.0`, a bare host and a bare port are all in use. */
function readHost(variable: string, value: string, port: number): string {
  const withScheme = /^https?:\/\//.test(value)
    ? value
    : `http://${value.startsWith(':') ? `127.0.0.1${value}` : value}`
  const named =
    /:\d+\/?$/.test(withScheme) || withScheme.startsWith('https:')
      ? withScheme
      : `${withScheme.replace(/\/$/, '')}:${port}`
  return readUrl(variable, named.replace('//0.0.0.0', '//127.0.0.1'), webProtocols, value)
}
