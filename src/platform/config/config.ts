import { readFileSync } from 'node:fs'
import type { Env } from '#platform/env'
import { readModels } from './model-entries.ts'
import { readLease, readProcessSettings } from './process-settings.ts'
import { readProviders } from './provider-entries.ts'
import { readProxies } from './proxy-entries.ts'
import { refuse } from './refuse.ts'
import {
  readBatches,
  readBudgets,
  readDefaults,
  readFiles,
  readLimits,
  readMetrics,
  readNet,
  readWork,
} from './settings-entries.ts'
import { readStorage } from './storage-entries.ts'
import { readTls } from './tls-entries.ts'
import { readTools } from './tools-entries.ts'
import { words } from './words.ts'
import { openYaml } from './yaml-reader.ts'

export { type Env, readEnv } from '#platform/env'
export { defaultTimeouts } from './provider-entries.ts'

/** Everything the program is told, checked and typed. Times in milliseconds. */
export interface Config {
  host: string
  /** 0 lets the system choose. */
  port: number
  /** What people and clients type to reach this server; without a slash at the end. */
  baseUrl: string
  /** False where nobody set it: then what a client reached is the better guess. */
  baseUrlNamed: boolean
  /** The folder of the embedded database and stored files, as typed. */
  dataDir: string
  databaseUrl?: string
  /** Folder of PostgreSQL's own programs, used instead of the embedded ones. */
  pgBin?: string
  workers: number
  roles: Roles
  locale: 'fa' | 'en'
  bootstrapKey?: string
  /** Seals what the database must not show; without it a file of the data folder does. */
  secret?: string
  logLevel: LogLevel
  /** Where spans go; absent when nobody traces. */
  tracing?: TracingConfig
  providers: ProviderConfig[]
  models: ModelConfig[]
  defaults: DefaultsConfig
  /** Keys and addresses found in the environment, which switch on ready-made catalogues (`engine/models`). */
  vendors: VendorKeys
  timing: Timing
  budgets: { thresholdsPercent: number[] }
  batches: BatchesConfig
  work: WorkConfig
  /** Requests to addresses that users name (`platform/net`). */
  net: NetConfig
  /** What the environment says of proxies. */
  proxies: ProxiesConfig
  /** Roots that are trusted beside those of Node, by everyone who asks outside. */
  tls: { ca?: CaConfig }
  tools: ToolsConfig
  storage: StorageConfig
  /** Bytes of all stored files of one project, and of all files in transit of one process (`platform/spool`). */
  files: { projectQuotaBytes: number; spoolBytes: number }
  limits: LimitsConfig
  metrics: MetricsConfig
}

/** What one process takes at once. */
export interface LimitsConfig {
  /** Of request bodies, until their requests are over. */
  bodyBytesInFlight: number
}

export interface NetConfig {
  /** Networks that they may lead into, though they are not public. */
  allowedCidrs: string[]
  /** True: they go through the proxy of the environment too. */
  usesProxy: boolean
}

/** A proxy that requests go through. */
export interface ProxyConfig {
  /** How it is spoken to; names are resolved by the proxy in each. */
  protocol: 'http' | 'https' | 'socks5'
  /** A name, or an address without the brackets of IPv6. */
  host: string
  port: number
  username?: string
  password?: string
}

/** By the protocol of what is asked for, and what is asked for directly all the same (the rules of NO_PROXY, as typed). */
export interface ProxiesConfig {
  http?: ProxyConfig
  https?: ProxyConfig
  direct: string[]
}

/** The certificates of a file, in PEM. */
export interface CaConfig {
  file: string
  pem: string
}

/** Who may read `/metrics`, and where. */
export interface MetricsConfig {
  /** Asked for as a bearer token; absent: nobody is asked. */
  token?: string
  /** Absent: that of everything else. */
  port?: number
  /** Of that port; absent: as for everything else. */
  host?: string
}

/** Where bytes are kept. Without a store: in the data folder. */
export interface StorageConfig {
  s3?: S3Config
}

/** A bucket of an S3-compatible store. */
export interface S3Config {
  /** Without a slash at the end. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** The bucket stands in the path, and not before the host. */
  pathStyle: boolean
}

/** As OpenTelemetry's own variables say it (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`). */
export interface TracingConfig {
  endpoint: string
  sampler?: string
  samplerArgument?: string
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
/** The wires of text, and the images endpoints (`/images/generations`, `/images/edits`). */
export type Dialect = 'chat' | 'responses' | 'messages' | 'images'

export interface VendorKeys {
  openai?: string
  anthropic?: string
  openrouter?: string
  gemini?: string
  deepseek?: string
  groq?: string
  mistral?: string
  /** Base address of a local Ollama, named by `OLLAMA_HOST`. */
  ollamaHost?: string
}

/** How long one process holds what it took, and how often the background looks around. */
export interface Timing {
  /** A process that did not beat for so long is taken for dead, and its holds are ended by others (`KHERAD_LEASE_MS`). */
  processLeaseMs: number
  heartbeatMs: number
  sweepMs: number
  drainMs: number
  /** A stream whose first event is this late is opened all the same; one that is silent for so long gets a heartbeat. */
  streamOpenMs: number
  streamHeartbeatMs: number
}

/** What a process does: answer requests (health and metrics it always answers), do background work. */
export interface Roles {
  api: boolean
  worker: boolean
}

/** Rows of batches that are answered at once: of one account over all processes, and in one process. */
export interface BatchesConfig {
  rowsPerAccount: number
  rowsPerProcess: number
}

/** Runs of durable work that go on at once, of one account over all processes and in one process, and how long one may. */
export interface WorkConfig {
  runsPerAccount: number
  runsPerProcess: number
  /** From its start. */
  maxMinutes: number
}

export interface DefaultsConfig {
  textModel?: string
  /** Where `text_model` stands, for refusals of the catalogue. */
  textModelWhere?: string
  /** Finds passages of knowledge projects by meaning; absent: they are found by words only. */
  embeddingModel?: string
  embeddingModelWhere?: string
  creditsPerUsd: number
  markup: number
  /** Output tokens of a call of Responses that names no limit, where its key has none of its own. */
  responsesMaxOutputTokens: number
}

/** An upstream service: address, key, wires and patience. */
export interface ProviderConfig {
  id: string
  /** Without a slash at the end. */
  baseUrl: string
  apiKey?: string
  dialects: Dialect[]
  timeouts: TimeoutsConfig
  /** `cancel`: the upstream stops billing on abort; `drain`: read on to its usage report. */
  onDisconnect: 'cancel' | 'drain'
  /** Answers that one process drains at a time; past them the upstream is cancelled. */
  maxDrains?: number
  /** Sent with every request, beside the key. */
  headers: Record<string, string>
  /** True hands the trace on to this provider (`traceparent`). */
  passTraceparent?: boolean
  /** Instead of what the environment says; `direct`: none. */
  proxy?: ProxyConfig | 'direct'
  /** Trusted beside all other roots. */
  ca?: CaConfig
  /** Links to pictures and documents: all, none (what they lead to is fetched here and sent as data), or, when absent, as its wire has it. */
  takesLinks?: boolean
  /** Whether it takes a reasoning budget as a number: `reasoning.max_tokens` on chat and Responses. Absent: as its wire does. */
  takesReasoningBudget?: boolean
}

export type SearchVendorName = 'searxng' | 'brave' | 'tavily' | 'serper'

/** Of the tools that the service runs itself (`engine/tools`). */
export interface ToolsConfig {
  /** Absent when there is no search. */
  webSearch?: WebSearchConfig
  webFetch: { enabled: boolean; priceUsd: number }
}

export interface WebSearchConfig {
  vendor: SearchVendorName
  /** Without a slash at the end. */
  baseUrl: string
  apiKey?: string
  /** Of one search. */
  priceUsd: number
}

/** All in milliseconds. */
export interface TimeoutsConfig {
  connectMs: number
  firstByteMs: number
  firstTokenMs: number
  idleMs: number
  totalMs: number
}

/** A model of the file. Whatever needs other rooms (known prices, existing providers) is checked by the catalogue. */
export type ModelConfig = TextModelConfig | ImageModelConfig | EmbeddingModelConfig

export interface NamedModelConfig {
  /** `kherad.config.yaml:12: models[0]`, for refusals of the catalogue. */
  where: string
  id: string
  /** Other names under which it may be asked for. */
  aliases: string[]
  displayName?: string
  description?: string
  deployments: DeploymentConfig[]
  fallbacks: string[]
}

export interface TextModelConfig extends NamedModelConfig {
  kind: 'text'
  /** `resume: restart`: a text answer that was cut may be completed by another deployment. */
  resumes: boolean
  /** Above what its providers say. */
  takesLinks?: boolean
  contextLength: number
  maxOutputTokens: number
  inputModalities: ('text' | 'image' | 'audio' | 'video' | 'file')[]
  features: ('tools' | 'json_schema' | 'reasoning' | 'web_search' | 'web_fetch')[]
  /** USD of one search that the upstream runs itself; there where `features` names web_search. */
  webSearchPerUse?: number
  supportedEfforts: string[]
  /** Absent when the entry gives none: then the price must be known by the deployment's model name. */
  pricing?: PricingConfig
}

export interface ImageModelConfig extends NamedModelConfig {
  kind: 'image'
  image: ImageSettingsConfig
  pricing: ImagePricingConfig
}

/** A model that turns texts into vectors. It has no fallbacks: vectors of two models do not compare. */
export interface EmbeddingModelConfig extends NamedModelConfig {
  kind: 'embedding'
  /** Of one text, in tokens. */
  maxInputTokens: number
  /** Texts of one call. */
  maxBatch: number
  /** Asked for by name; absent: as the upstream has it. */
  dimensions?: number
  encoding: 'base64' | 'float'
  pricing: { inputPerMillion: number }
}

export type ImageQuality = 'low' | 'medium' | 'high'
export type ImageFormat = 'png' | 'jpeg' | 'webp'
export type ImageBackground = 'opaque' | 'transparent'

/** Pixels. */
export interface PixelSize {
  width: number
  height: number
}

/** What the upstream of an image model can be asked for. A list that is empty is never named to it. */
export interface ImageSettingsConfig {
  /** The first is drawn where nothing says otherwise. */
  sizes: PixelSize[]
  qualities: ImageQuality[]
  formats: ImageFormat[]
  backgrounds: ImageBackground[]
  /** Pictures of one call. */
  maxCount: number
  /** Pictures that one call can be given to edit; 0: it edits none. */
  maxReferences: number
  /** Sent as `response_format`, to the servers that want to be told. */
  responseFormat?: 'b64_json' | 'url'
}

/** USD. The first row that fits a picture has its price, else `perImage`. */
export interface ImagePricingConfig {
  perImage: number
  rows: ImagePriceRow[]
  /** Of each picture that is given along. */
  perReference: number
}

export interface ImagePriceRow {
  quality?: ImageQuality
  size?: PixelSize
  perImage: number
}

export interface DeploymentConfig {
  provider: string
  model: string
  weight: number
  priority: number
}

/** USD per million tokens. */
export interface PricingConfig {
  inputPerMillion: number
  outputPerMillion: number
  cachedInputPerMillion: number
  cacheWritePerMillion: number
  cacheWriteHourPerMillion?: number
  mediaInputPerMillion: number
}

const timing = {
  drainMs: 8_000,
  streamOpenMs: 8_000,
  streamHeartbeatMs: 10_000,
}

/**
 * The configuration of one start, from the environment, the text of the configuration file and the certificates that it names.
 * Throws `StartRefused` with one sentence that names place and mend for anything half-set, unknown or mistyped.
 */
export function loadConfig(env: Env, fileText?: string): Config {
  const root = fileText === undefined ? undefined : openYaml(env.configFile, fileText, env.variables)
  const file = root?.members([
    'providers',
    'models',
    'defaults',
    'budgets',
    'batches',
    'work',
    'net',
    'tls',
    'tools',
    'storage',
    'files',
    'limits',
    'metrics',
  ])
  return {
    ...readProcessSettings(env),
    providers: readProviders(file?.get('providers')),
    models: readModels(file?.get('models')),
    defaults: readDefaults(file?.get('defaults')),
    budgets: readBudgets(file?.get('budgets')),
    batches: readBatches(file?.get('batches')),
    work: readWork(file?.get('work')),
    net: readNet(file?.get('net')),
    proxies: readProxies(env),
    tls: readTls(file?.get('tls')),
    tools: readTools(file?.get('tools'), env),
    storage: readStorage(file?.get('storage')),
    files: readFiles(file?.get('files')),
    limits: readLimits(file?.get('limits')),
    metrics: readMetrics(file?.get('metrics')),
    timing: { ...timing, ...readLease(env) },
  }
}

/** The text of the configuration file; undefined when there is none and none was named. Throws `StartRefused` when the named one cannot be read. */
export function readConfigFile(env: Env): string | undefined {
  try {
    return readFileSync(env.configFile, 'utf8')
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (absent && !env.configFileNamed) return undefined
    return refuse(words.noFile(env.configFile))
  }
}
