/**
 * The configuration of the program: environment variables and one YAML file. This room reads and validates; the settings are declared by
 * the rooms that use them (`fileSection`, `variableSection`) and listed in src/settings.ts.
 */
import { readFileSync } from 'node:fs'
import type { Env } from '#platform/env'
import { phrases } from './phrases.ts'
import { readProcessSettings } from './process-settings.ts'
import { refuseConfig } from './refuse.ts'
import type { Section } from './section.ts'
import { openYaml } from './yaml-reader.ts'

export { type Env, processVariables, readEnv, type Variable } from '#platform/env'
export { editorSchema } from './editor-schema.ts'
export { phrases as refusals, type Sentence } from './phrases.ts'
export { type ReadingRules, readingRules, type SettingSchema, variantsOf } from './read-schema.ts'
export { refuseConfig } from './refuse.ts'
export { fileSection, type Section, type SectionContext, variableSection } from './section.ts'
export { baseUrl, integerIn, mebibyte, readUrl, refuseVariable, usd, webProtocols } from './values.ts'
export type { ConfigNode, JsonValue } from './yaml-reader.ts'

/** Settings by section: each room adds its own by declaration merging, as rooms do with failures. */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms fill it.
export interface Settings {}

/** The complete configuration, validated and typed. Times are in milliseconds. */
export interface Config extends ProcessSettings, Settings {}

/** Settings of the process, from environment variables. */
export interface ProcessSettings {
  host: string
  /** The port; 0 lets the system choose. */
  port: number
  /** The public base URL of this server, without a slash at the end. */
  baseUrl: string
  /** False if no base URL was configured; then the address of each request is the better guess. */
  baseUrlNamed: boolean
  /** The folder of the embedded database and of stored files, as typed. */
  dataDir: string
  databaseUrl?: string
  /** True if the data folder was brought from another machine and is to be treated as a copy of an installation that runs there. */
  asCopy: boolean
  /** The folder of PostgreSQL's own programs, which are used instead of the embedded ones. */
  pgBin?: string
  workers: number
  roles: Roles
  locale: 'fa' | 'en'
  bootstrapKey?: string
  /** Encrypts secrets in the database. Without it, a key file in the data folder is used. */
  secret?: string
  logLevel: LogLevel
  timing: Timing
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Lease and polling intervals. */
export interface Timing {
  /** A process without a heartbeat for this long counts as dead, and others end its holds (`KHERAD_LEASE_MS`). */
  processLeaseMs: number
  heartbeatMs: number
  sweepMs: number
  drainMs: number
  /** How long a stop waits for calls whose results are stored before they are charged (`KHERAD_DRAIN_SECONDS`). */
  storedDrainMs: number
  /** How long the store may take for a paid result, beside the time for its bytes, before it goes to the data folder. */
  storeMs: number
  /** How often results that wait in the data folder are sent to the store again. */
  storeWaitingMs: number
  /** How long aborted work may take to stop; after that its writes are refused and its job goes on without it. */
  abortGraceMs: number
  /** How often a poller of outside jobs looks for jobs that are due; its other pauses are multiples of this time. */
  dueTickMs: number
  /** A stream is opened after this time even without a first event; a silent stream gets a heartbeat at this interval. */
  streamOpenMs: number
  streamHeartbeatMs: number
  /**
   * How long a body with a known length waits for room (`limits.body_bytes_in_flight`) before it is refused; meanwhile none of it is read. Refusing
   * at once would mean reading and discarding all of it, again and again if the client retries.
   */
  bodyWaitMs: number
  /** How long a request waits for a database connection, and a call for its hold, before it is refused with 503. */
  databaseWaitMs: number
  /** A WebRTC client that is not connected and secured within this time is dropped. */
  webrtcConnectMs: number
}

/** The roles of a process: answering requests (health and metrics are always answered), working in the background, holding calls; or all of them. */
export interface Roles {
  api: boolean
  worker: boolean
  /** The process holds calls. */
  voice?: boolean
  /** The process has none of the other roles and no database: it runs code of apps that other processes send it. */
  functions?: boolean
}

/**
 * Builds the configuration from the environment, the text of the configuration file and the certificates that it names. Throws
 * `StartRefused` with one sentence that names the place and the fix for anything incomplete, unknown or mistyped.
 */
export function loadConfig(sections: readonly Section[], env: Env, fileText?: string): Config {
  const root = fileText === undefined ? undefined : openYaml(env.configFile, fileText, env.variables)
  const file = root?.members(sections.filter(({ schema }) => schema).map(({ name }) => name))
  const processSettings = readProcessSettings(env)
  const settings = { ...processSettings }
  for (const section of sections) {
    const value = section.read(section.schema && file?.get(section.name), env, processSettings)
    if (value !== undefined) Object.assign(settings, { [section.name]: value })
  }
  return settings as Config
}

/** The text of the configuration file; undefined if there is no file and none was named. Throws `StartRefused` if a named file cannot be read. */
export function readConfigFile(env: Env): string | undefined {
  try {
    return readFileSync(env.configFile, 'utf8')
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (absent && !env.configFileNamed) return undefined
    return refuseConfig(phrases.noFile(env.configFile))
  }
}
