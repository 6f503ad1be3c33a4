import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Env } from './env.ts'
import { readModels } from './model-entries.ts'
import { readLease, readProcessSettings } from './process-settings.ts'
import { readProviders } from './provider-entries.ts'
import { refuse } from './refuse.ts'
import { readBudgets, readDefaults, readNet } from './settings-entries.ts'
import { readTools } from './tools-entries.ts'
import { words } from './words.ts'
import { openYaml } from './yaml-reader.ts'

export { type Env, readEnv } from './env.ts'
export { defaultTimeouts } from './provider-entries.ts'

/** Everything the program is told, checked and typed. Times in milliseconds. */
export interface Config {
  host: string
  /** 0 lets the system choose. */
  port: number
  /** What people and clients type to reach this server; without a slash at the end. */
  baseUrl: string
  /** The folder of the embedded database and stored files, as typed. */
  dataDir: string
  databaseUrl?: string
  /** Folder of PostgreSQL's own programs, used instead of the embedded ones. */
  pgBin?: string
  workers: number
  locale: 'fa' | 'en'
  bootstrapKey?: string
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
  /** Networks that addresses named by users may lead into, though they are not public (`platform/net`). */
  net: { allowedCidrs: string[] }
  tools: ToolsConfig
}

/** As OpenTelemetry's own variables say it (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`). */
export interface TracingConfig {
  endpoint: string
  sampler?: string
  samplerArgument?: string
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
export type Dialect = 'chat' | 'responses' | 'messages'

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

export interface DefaultsConfig {
  textModel?: string
  /** Where `text_model` stands, for refusals of the catalogue. */
  textModelWhere?: string
  creditsPerUsd: number
  markup: number
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
export interface ModelConfig {
  /** `kherad.config.yaml:12: models[0]`, for refusals of the catalogue. */
  where: string
  id: string
  kind: 'text'
  displayName?: string
  description?: string
  deployments: DeploymentConfig[]
  fallbacks: string[]
  /** `resume: restart`: a text answer that was cut may be completed by another deployment. */
  resumes: boolean
  contextLength: number
  maxOutputTokens: number
  inputModalities: ('text' | 'image' | 'audio' | 'video' | 'file')[]
  features: ('tools' | 'json_schema' | 'reasoning')[]
  supportedEfforts: string[]
  /** Absent when the entry gives none: then the price must be known by the deployment's model name. */
  pricing?: PricingConfig
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
 * The configuration of one start, from the environment and the text of the configuration file. Pure.
 * Throws `StartRefused` with one sentence that names place and mend for anything half-set, unknown or mistyped.
 */
export function loadConfig(env: Env, fileText?: string): Config {
  const root =
    fileText === undefined ? undefined : openYaml(basename(env.configFile), fileText, env.variables)
  const file = root?.members(['providers', 'models', 'defaults', 'budgets', 'net', 'tools'])
  return {
    ...readProcessSettings(env),
    providers: readProviders(file?.get('providers')),
    models: readModels(file?.get('models')),
    defaults: readDefaults(file?.get('defaults')),
    budgets: readBudgets(file?.get('budgets')),
    net: readNet(file?.get('net')),
    tools: readTools(file?.get('tools'), env),
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
