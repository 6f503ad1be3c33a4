/** The upstream services of the file: address, key, wires and timeouts. */
import { type Static, type TObject, Type } from 'typebox'
import type { LimitName } from '#core/spec'
import type { Wire } from '#core/turn'
import {
  baseUrl,
  type ConfigNode,
  fileSection,
  integerIn,
  readingRules,
  refusals,
  refuseConfig,
  type Sentence,
} from '#platform/config'
import { type CaConfig, type ProxyConfig, proxySetting, tlsSetting } from '#platform/proxy/settings'
import { oneOf } from '#platform/schema'

declare module '#platform/config' {
  interface Settings {
    providers: ProviderConfig[]
  }
}

/**
 * The wires of text; OpenAI's endpoints of images (`/images/generations`, `/images/edits`), speech (`/audio/speech`) and
 * transcription (`/audio/transcriptions`); the vendors' own
 * wires of media: OpenRouter's `/images`, `/videos` and transcriptions, Gemini's `generateContent` and Veo, ElevenLabs, fal's queue, Deepgram; chat
 * completions that answer with pictures and sound where `modalities` asks for them; sherpa-onnx in a child process of this server; and OpenAI's
 * realtime wire (`/realtime`).
 */
export type Dialect = (typeof dialects)[number]

/** Whether a dialect is a wire of text. */
export const isWire = (dialect: Dialect): dialect is Wire => textDialects.some((wire) => wire === dialect)

/** An upstream service: address, key, wires and timeouts. */
export interface ProviderConfig {
  id: string
  /** The address without a slash at the end; for a provider without an address `sandbox:`, or `sherpa:` and a folder. */
  baseUrl: string
  /** The places of sherpa-onnx's model and package. */
  sherpa?: { folder: string; package: string }
  apiKey?: string
  dialects: Dialect[]
  timeouts: TimeoutsConfig
  /** `cancel`: the upstream stops billing on abort; `drain`: the answer is read on to its usage report. */
  onDisconnect: 'cancel' | 'drain'
  /** The most answers that one process drains at a time; beyond them the upstream is cancelled. */
  maxDrains?: number
  /** Headers that are sent with every request, beside the key. */
  headers: Record<string, string>
  /** True sends the `traceparent` header to this provider. */
  passTraceparent?: boolean
  /** Overrides the proxy of the environment; `direct`: no proxy. */
  proxy?: ProxyConfig | 'direct'
  /** Roots that are trusted beside all others. */
  ca?: CaConfig
  /** Whether links to pictures and documents are sent. False: what they lead to is fetched here and sent as data. Absent: the wire decides. */
  takesLinks?: boolean
  /** Whether the provider takes a reasoning budget as a number: `reasoning.max_tokens` on chat and Responses. Absent: the wire decides. */
  takesReasoningBudget?: boolean
  /** How the provider names the output limit of chat completions. Absent: guessed by the names of its models. */
  limitName?: LimitName
  /** `done`: its streams of chat completions may end with `[DONE]` alone. */
  endMark?: 'done'
}

/** Timeouts, all in milliseconds. */
export interface TimeoutsConfig {
  connectMs: number
  firstByteMs: number
  firstTokenMs: number
  idleMs: number
  totalMs: number
}

/** Timeouts of an upstream that configures none (decisions §3). */
export const defaultTimeouts: TimeoutsConfig = {
  connectMs: 5_000,
  firstByteMs: 30_000,
  firstTokenMs: 12_000,
  idleMs: 20_000,
  totalMs: 600_000,
}

const textDialects = ['chat', 'responses', 'messages'] as const
const dialects = [
  ...textDialects,
  'images',
  'speech',
  'openrouter',
  'gemini',
  'elevenlabs',
  'fal',
  'modalities',
  'transcriptions',
  'deepgram',
  'sherpa',
  'realtime',
] as const
const hour = 3_600_000
/** Headers that the client sets itself; an entry that overrides them would break every request. */
const reservedHeaders = [
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'accept-encoding',
]

const Timeouts = Type.Object(
  {
    connect_ms: integerIn(1, hour, { default: defaultTimeouts.connectMs }),
    first_byte_ms: integerIn(1, hour, { default: defaultTimeouts.firstByteMs }),
    first_token_ms: integerIn(1, hour, { default: defaultTimeouts.firstTokenMs }),
    idle_ms: integerIn(1, hour, { default: defaultTimeouts.idleMs }),
    total_ms: integerIn(1, hour, { default: defaultTimeouts.totalMs }),
  },
  { default: {} },
)

/** Settings of the wire of chat completions, of a provider or of one deployment of a text model. */
export const chatSettings = {
  output_limit_name: Type.Optional(
    Type.Unsafe<LimitName>({
      ...oneOf('max_tokens', 'max_completion_tokens'),
      description: 'How it names the output limit of chat completions; else guessed by the model.',
    }),
  ),
  end_mark: Type.Optional(
    Type.Unsafe<'done'>({
      ...oneOf('done'),
      description: 'done: its streams of chat completions may end with [DONE] alone.',
    }),
  ),
}

/** The settings as they are used; what is not set is left out. */
export const chatSettingsOf = ({
  output_limit_name: limitName,
  end_mark: endMark,
}: Static<TObject<typeof chatSettings>>): { limitName?: LimitName; endMark?: 'done' } => ({
  ...(limitName && { limitName }),
  ...(endMark && { endMark }),
})

const Provider = Type.Object({
  id: Type.String({
    pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
    ...readingRules({
      missing: { en: 'give the provider a short name', fa: 'نامی کوتاه برای ارائه‌دهنده بنویسید' },
      expected: {
        en: 'a short name of small letters, digits, - and _',
        fa: 'نامی کوتاه از حروف کوچک لاتین، رقم، - و _',
      },
      check: refuseSandbox,
    }),
  }),
  base_url: Type.Optional(baseUrl({ description: 'Of its API; every dialect but sherpa needs it.' })),
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'Of the model that sherpa-onnx opens; of the dialect sherpa only.',
    }),
  ),
  package: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      default: 'sherpa-onnx-node',
      description: 'Where sherpa-onnx-node is installed; of the dialect sherpa only.',
    }),
  ),
  api_key: Type.Optional(
    Type.String(
      readingRules({
        secret: true,
        expected: {
          en: `the key in quotes, or the variable that holds it: "\${VENDOR_KEY}"`,
          fa: `کلید را در گیومه، یا متغیری که آن را دارد ("\${VENDOR_KEY}")`,
        },
      }),
    ),
  ),
  dialects: Type.Array(oneOf(...dialects), {
    uniqueItems: true,
    minItems: 1,
    default: ['chat'],
    ...readingRules({
      expected: {
        en: `at least one of ${dialects.join(', ')}`,
        fa: `دست‌کم یکی از ${dialects.join('، ')}`,
      },
    }),
  }),
  timeouts: Timeouts,
  on_disconnect: Type.Unsafe<'cancel' | 'drain'>({
    ...oneOf('cancel', 'drain'),
    default: 'cancel',
    description: 'cancel: the upstream stops billing on abort; drain: read on to its usage report.',
  }),
  max_drains: Type.Optional(
    integerIn(1, 100_000, {
      description: 'Answers that one process drains at a time; past them it cancels.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String(), {
    default: {},
    description: 'Sent with every request, beside the key.',
    ...readingRules({ convert: readHeaders }),
  }),
  pass_traceparent: Type.Boolean({ default: false, description: 'The trace is handed on to this provider.' }),
  takes_links: Type.Optional(
    Type.Boolean({ description: 'Links to pictures and documents: all, or none, which are fetched here.' }),
  ),
  proxy: proxySetting,
  tls: Type.Optional(tlsSetting),
  takes_reasoning_budget: Type.Optional(
    Type.Boolean({ description: 'It takes a reasoning budget as a number of tokens.' }),
  ),
  ...chatSettings,
})

export const providers = fileSection({
  name: 'providers',
  schema: Type.Array(Provider, { default: [] }),
  read: (typed, { at }) => {
    const all: ProviderConfig[] = []
    for (const [index, one] of typed.entries()) {
      const node = at(index)!
      if (all.some(({ id }) => id === one.id))
        refuseConfig(refusals.duplicate(node.sourcePosition('id'), one.id))
      all.push(providerOf(one, providerLocation(one, node)))
    }
    return all
  },
})

const noAddress: Sentence = {
  en: 'write the address of its API, for example http://127.0.0.1:9000/v1',
  fa: 'نشانی API آن را بنویسید، برای نمونه http://127.0.0.1:9000/v1',
}
const noFolder: Sentence = {
  en: 'write the folder in which the model of sherpa-onnx lies, for example /models/shenava',
  fa: 'پوشه‌ای را که مدل sherpa-onnx در آن است بنویسید، برای نمونه ‎/models/shenava',
}
const onlySherpa: Sentence = {
  en: 'belongs to the dialect sherpa alone: remove it, or write dialects: [sherpa] without base_url',
  fa: 'فقط برای گویش sherpa است: آن را بردارید یا بنویسید dialects: [sherpa] و base_url را بردارید',
}
const sherpaAlone: Sentence = {
  en: 'has sherpa beside others or beside a base_url: it has no address, so write it as a provider of its own with dialects: [sherpa] and a folder',
  fa: 'گویش sherpa را کنار دیگران یا کنار base_url دارد: sherpa نشانی ندارد، پس آن را ارائه‌دهنده‌ای جدا با dialects: [sherpa] و folder بنویسید',
}

/** The place of the provider: an address, or for sherpa-onnx a folder of this machine. */
function providerLocation(
  typed: Static<typeof Provider>,
  node: ConfigNode,
): Pick<ProviderConfig, 'baseUrl' | 'sherpa'> {
  const { base_url, folder, dialects: wires } = typed
  if (!wires.includes('sherpa')) {
    if (folder !== undefined) refuseConfig(refusals.conflict(node.sourcePosition('folder'), onlySherpa))
    return { baseUrl: base_url ?? refuseConfig(refusals.missing(node.sourcePosition('base_url'), noAddress)) }
  }
  if (wires.length > 1 || base_url !== undefined)
    refuseConfig(refusals.conflict(node.sourcePosition('dialects'), sherpaAlone))
  const place = folder ?? refuseConfig(refusals.missing(node.sourcePosition('folder'), noFolder))
  return {
    baseUrl: `sherpa:${place}`,
    sherpa: { folder: place, package: typed.package ?? 'sherpa-onnx-node' },
  }
}

/** Whether the provider is reached over the network. */
export const isRemote = ({ baseUrl: address }: Pick<ProviderConfig, 'baseUrl'>): boolean =>
  /^https?:/.test(address)

function providerOf(
  typed: Static<typeof Provider>,
  place: Pick<ProviderConfig, 'baseUrl' | 'sherpa'>,
): ProviderConfig {
  const { takes_links, proxy, tls, max_drains } = typed
  const takesReasoningBudget = typed.takes_reasoning_budget ?? knownForBudgets(place.baseUrl)
  return {
    id: typed.id,
    ...place,
    ...(typed.api_key !== undefined && { apiKey: typed.api_key }),
    dialects: typed.dialects,
    timeouts: {
      connectMs: typed.timeouts.connect_ms,
      firstByteMs: typed.timeouts.first_byte_ms,
      firstTokenMs: typed.timeouts.first_token_ms,
      idleMs: typed.timeouts.idle_ms,
      totalMs: typed.timeouts.total_ms,
    },
    onDisconnect: typed.on_disconnect,
    ...(max_drains !== undefined && { maxDrains: max_drains }),
    headers: typed.headers,
    ...(typed.pass_traceparent && { passTraceparent: true }),
    ...(takes_links !== undefined && { takesLinks: takes_links }),
    ...(proxy && { proxy }),
    ...(tls?.ca_file && { ca: tls.ca_file }),
    ...(takesReasoningBudget !== undefined && { takesReasoningBudget }),
    ...chatSettingsOf(typed),
  }
}

/** True for openrouter.ai; elsewhere the wire decides. */
const knownForBudgets = (address: string): true | undefined =>
  /^https?:/.test(address) && new URL(address).hostname === 'openrouter.ai' ? true : undefined

function refuseSandbox(id: string, node: ConfigNode): void {
  if (id !== 'sandbox') return
  refuseConfig(
    refusals.conflict(node.sourcePosition(), {
      en: 'is sandbox, which is the name of the built-in simulator: choose another name',
      fa: 'برابر sandbox است که نام شبیه‌ساز درونی است: نام دیگری برگزینید',
    }),
  )
}

function readHeaders(typed: Record<string, string>, node: ConfigNode): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(typed)) {
    const lower = name.toLowerCase()
    if (
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ||
      reservedHeaders.includes(lower) ||
      !/^[ -~]*$/.test(value)
    ) {
      refuseConfig(
        refusals.conflict(node.sourcePosition(name), {
          en: `cannot be sent: write a plain header that is none of ${reservedHeaders.join(', ')}`,
          fa: `فرستادنی نیست: هدری ساده بنویسید که هیچ‌یک از این‌ها نباشد: ${reservedHeaders.join('، ')}`,
        }),
      )
    }
    headers[lower] = value
  }
  return headers
}
