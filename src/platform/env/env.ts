/** The only reader of environment variables and of the words on the command line. */
import { availableParallelism } from 'node:os'
import { processVariables } from './process-variables.ts'
import { type Variables, variableReader, variableText } from './variables.ts'

export { processVariables } from './process-variables.ts'
export { type Variable, type VariableReader, type Variables, variableReader } from './variables.ts'

/** What the program itself reads from the environment, as the operator typed it: one flat list, unchecked (`loadConfig` checks it). */
export interface Env {
  host: string
  port: string
  dataDir: string
  /** The path of the configuration file. */
  configFile: string
  /** True if the operator named the file: then it must exist. */
  configFileNamed: boolean
  baseUrl: string | undefined
  workers: string
  /** The role of this process; `--role` on the command line wins. */
  role: string
  /** `--copy`: a data folder from another machine is a copy of an installation that runs there. */
  asCopy: boolean
  /** The first word on the command line that the program does not know. */
  unknownWord: string | undefined
  bootstrapKey: string | undefined
  /** The operator's secret that encrypts secrets in the database. */
  secret: string | undefined
  /** The key of clients such as `kherad work`; the server itself does not use it. */
  clientKey: string | undefined
  locale: string
  pgBin: string | undefined
  databaseUrl: string | undefined
  logLevel: string
  leaseMs: string
  drainSeconds: string
  /** The number of cores that this process may use, and of workers for `KHERAD_WORKERS=auto`. */
  cores: number
  /** The whole environment, only for `${NAME}` in the configuration file and for the variables that sections declare. */
  variables: Variables
}

/** The only reader of environment variables and command-line words. An empty variable counts as absent, as in shells and compose files. */
export function readEnv(variables: Variables, words: readonly string[] = []): Env {
  const read = variableReader(processVariables, variables)
  return {
    host: read('KHERAD_HOST'),
    port: read('KHERAD_PORT'),
    dataDir: read('KHERAD_DATA'),
    configFile: read('KHERAD_CONFIG'),
    configFileNamed: variableText(variables, 'KHERAD_CONFIG') !== undefined,
    baseUrl: read('KHERAD_BASE_URL'),
    workers: read('KHERAD_WORKERS'),
    role: roleOf(words) ?? read('KHERAD_ROLE'),
    asCopy: words.includes('--copy'),
    unknownWord: words.find(
      (word, at) =>
        word !== '--copy' && !word.startsWith('--role=') && word !== '--role' && words[at - 1] !== '--role',
    ),
    bootstrapKey: read('KHERAD_BOOTSTRAP_KEY'),
    secret: read('KHERAD_SECRET'),
    clientKey: read('KHERAD_KEY'),
    locale: read('KHERAD_LOCALE'),
    pgBin: read('KHERAD_PG_BIN'),
    databaseUrl: read('DATABASE_URL'),
    logLevel: read('KHERAD_LOG_LEVEL'),
    leaseMs: read('KHERAD_LEASE_MS'),
    drainSeconds: read('KHERAD_DRAIN_SECONDS'),
    cores: availableParallelism(),
    variables,
  }
}

/** The role in `--role worker` or `--role=worker`. */
function roleOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--role' || word.startsWith('--role='))
  if (at < 0) return undefined
  return words[at] === '--role' ? (words[at + 1] ?? '') : words[at]!.slice('--role='.length)
}
