/**
 * What the program is told: by its environment and by one YAML file. This room reads and refuses; what there is to say is declared by the
 * rooms that obey it (`fileSection`, `variableSection`), and src/settings.ts lists their sections.
 */
import { readFileSync } from 'node:fs'
import type { Env } from '#platform/env'
import { phrases } from './phrases.ts'
import { readProcessSettings } from './process-settings.ts'
import { refuse } from './refuse.ts'
import type { Section } from './section.ts'
import { openYaml } from './yaml-reader.ts'

export { type Env, readEnv } from '#platform/env'
export { editorSchema } from './editor-schema.ts'
export { phrases as refusals, type Sentence } from './phrases.ts'
export { type Reading, reading, type SettingSchema, variantsOf } from './read-schema.ts'
export { refuse } from './refuse.ts'
export { type Found, fileSection, type Section, type Variable, variableSection } from './section.ts'
export { baseUrl, integerIn, mebibyte, readUrl, usd, webProtocols } from './values.ts'
export type { ConfigNode } from './yaml-reader.ts'

/** What the rooms are told, by section: each adds its own by declaration merging, as it does with failures. */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms fill it.
export interface Settings {}

/** Everything the program is told, checked and typed. Times in milliseconds. */
export interface Config extends ProcessSettings, Settings {}

/** What the environment says of the process itself. */
export interface ProcessSettings {
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
  timing: Timing
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

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

/**
 * The configuration of one start, from the environment, the text of the configuration file and the certificates that it names.
 * Throws `StartRefused` with one sentence that names place and mend for anything half-set, unknown or mistyped.
 */
export function loadConfig(sections: readonly Section[], env: Env, fileText?: string): Config {
  const root = fileText === undefined ? undefined : openYaml(env.configFile, fileText, env.variables)
  const file = root?.members(sections.filter(({ schema }) => schema).map(({ name }) => name))
  const settings = { ...readProcessSettings(env) }
  for (const section of sections) {
    const value = section.read(section.schema && file?.get(section.name), env)
    if (value !== undefined) Object.assign(settings, { [section.name]: value })
  }
  return settings as Config
}

/** The text of the configuration file; undefined when there is none and none was named. Throws `StartRefused` when the named one cannot be read. */
export function readConfigFile(env: Env): string | undefined {
  try {
    return readFileSync(env.configFile, 'utf8')
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (absent && !env.configFileNamed) return undefined
    return refuse(phrases.noFile(env.configFile))
  }
}
