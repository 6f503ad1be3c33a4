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
  variableSection,
  webProtocols,
} from '#platform/config'
import { type ModelEntry, openKinds } from './kinds/kinds.ts'
import { type LocalServer, localServers } from './local-transcribers.ts'

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
  textModel?: string
  /** The place of `text_model` in the file, for refusals of the catalogue. */
  textModelWhere?: string
  /** The model that finds passages of knowledge projects by meaning; absent: they are found by words only. */
  embeddingModel?: string
  embeddingModelWhere?: string
  /** The model that makes the videos of calls that name no model; absent: the first video model. */
  videoModel?: string
  videoModelWhere?: string
  /** The model that transcribes the recordings of calls that name no model; absent: the first transcription model. */
  transcriptionModel?: string
  transcriptionModelWhere?: string
  /** The model that speaks in calls whose model names no voice model; absent: the first audio model that speaks. */
  speechModel?: string
  speechModelWhere?: string
  /** The model that answers realtime calls that name no model; absent: they have to name one. */
  realtimeModel?: string
  realtimeModelWhere?: string
  /** The models of Studio's presets; an absent preset uses that of another preset of the same medium, then the default model. */
  studio: Record<Medium, PresetNames>
  creditsPerUsd: number
  markup: number
  /** The output limit of a Responses call that names none, where its key has none of its own. */
  responsesMaxOutputTokens: number
}

/** The media that Studio makes with presets. */
export const media = ['text', 'image', 'audio'] as const
export type Medium = (typeof media)[number]

export const presets = ['fast', 'balanced', 'quality'] as const
export type Preset = (typeof presets)[number]

/** Names of models, each with its place in the file, for refusals of the catalogue. */
export type PresetNames = { [Name in Preset]?: { model: string; where: string } }

export interface VendorKeys {
  openai?: string
  anthropic?: string
  openrouter?: string
  gemini?: string
  deepseek?: string
  groq?: string
  mistral?: string
  elevenlabs?: string
  fal?: string
  deepgram?: string
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

export const models = modelsOf(openKinds())

const modelName = (en: string, fa: string) =>
  Type.Optional(Type.String(readingRules({ expected: { en, fa } })))

const presetModels = (medium: Medium, fa: string) =>
  Type.Object(
    {
      fast: modelName(`the id of a model of the kind ${medium}`, `شناسه‌ی یک مدل ${fa}`),
      balanced: modelName(`the id of a model of the kind ${medium}`, `شناسه‌ی یک مدل ${fa}`),
      quality: modelName(`the id of a model of the kind ${medium}`, `شناسه‌ی یک مدل ${fa}`),
    },
    { default: {}, description: `The models of the presets of \`POST /v1/studio/${medium}\`.` },
  )

function presetNames(
  typed: Static<ReturnType<typeof presetModels>>,
  at: (preset: Preset) => ConfigNode | undefined,
): PresetNames {
  const names: PresetNames = {}
  for (const preset of presets) {
    const model = typed[preset]
    if (model !== undefined) names[preset] = { model, where: at(preset)!.sourcePosition() }
  }
  return names
}

type ModelName = 'text' | 'embedding' | 'video' | 'transcription' | 'speech' | 'realtime'

/** The names of default models, each with its place in the file. */
function namesOf(
  typed: { [Name in ModelName as `${Name}_model`]?: string },
  where: (name: `${ModelName}_model`) => string,
): Pick<DefaultsConfig, `${ModelName}Model` | `${ModelName}ModelWhere`> {
  const names: Partial<Record<`${ModelName}Model` | `${ModelName}ModelWhere`, string>> = {}
  for (const name of ['text', 'embedding', 'video', 'transcription', 'speech', 'realtime'] as const) {
    const model = typed[`${name}_model`]
    if (model === undefined) continue
    names[`${name}Model`] = model
    names[`${name}ModelWhere`] = where(`${name}_model`)
  }
  return names
}

/** The default models and the value of a credit. */
export const defaults = fileSection({
  name: 'defaults',
  schema: Type.Object(
    {
      text_model: modelName('the id of a text model', 'شناسه‌ی یک مدل متنی'),
      embedding_model: modelName('the id of an embedding model', 'شناسه‌ی یک مدل embedding'),
      video_model: modelName('the id of a video model', 'شناسه‌ی یک مدل ویدیو'),
      transcription_model: modelName('the id of a transcription model', 'شناسه‌ی یک مدل رونویسی'),
      speech_model: modelName('the id of an audio model that speaks', 'شناسه‌ی یک مدل صدا که حرف می‌زند'),
      realtime_model: modelName('the id of a realtime or text model', 'شناسه‌ی یک مدل realtime یا متنی'),
      studio: Type.Object(
        {
          text: presetModels('text', 'متنی'),
          image: presetModels('image', 'تصویر'),
          audio: presetModels('audio', 'صدا'),
        },
        { default: {} },
      ),
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
    ...namesOf(models, (name) => at(name)!.sourcePosition()),
    studio: {
      text: presetNames(studio.text, (preset) => at('studio', 'text', preset)),
      image: presetNames(studio.image, (preset) => at('studio', 'image', preset)),
      audio: presetNames(studio.audio, (preset) => at('studio', 'audio', preset)),
    },
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

export const vendors = variableSection({
  name: 'vendors',
  variables: [
    { name: 'OPENAI_API_KEY', about: keyOf('OpenAI'), secret: true },
    { name: 'ANTHROPIC_API_KEY', about: keyOf('Anthropic'), secret: true },
    { name: 'OPENROUTER_API_KEY', about: keyOf('OpenRouter'), secret: true },
    { name: 'GEMINI_API_KEY', about: keyOf('Google'), secret: true },
    { name: 'DEEPSEEK_API_KEY', about: keyOf('DeepSeek'), secret: true },
    { name: 'GROQ_API_KEY', about: keyOf('Groq'), secret: true },
    { name: 'MISTRAL_API_KEY', about: keyOf('Mistral'), secret: true },
    { name: 'ELEVENLABS_API_KEY', about: keyOf('ElevenLabs'), secret: true },
    { name: 'FAL_KEY', about: keyOf('fal'), secret: true },
    { name: 'DEEPGRAM_API_KEY', about: keyOf('Deepgram'), secret: true },
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
    const take = (
      vendor: Exclude<keyof VendorKeys, 'localHosts' | 'ollamaHost'>,
      key: string | undefined,
    ): void => {
      if (key !== undefined) keys[vendor] = key
    }
    take('openai', variable('OPENAI_API_KEY'))
    take('anthropic', variable('ANTHROPIC_API_KEY'))
    take('openrouter', variable('OPENROUTER_API_KEY'))
    take('gemini', variable('GEMINI_API_KEY'))
    take('deepseek', variable('DEEPSEEK_API_KEY'))
    take('groq', variable('GROQ_API_KEY'))
    take('mistral', variable('MISTRAL_API_KEY'))
    take('elevenlabs', variable('ELEVENLABS_API_KEY'))
    take('fal', variable('FAL_KEY'))
    take('deepgram', variable('DEEPGRAM_API_KEY'))
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
