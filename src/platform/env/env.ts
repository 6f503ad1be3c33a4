import { availableParallelism } from 'node:os'

/** What the program itself reads from the environment, as the operator typed it: one flat list, unchecked (see `loadConfig`). */
export interface Env {
  host: string
  port: string
  dataDir: string
  /** Path of the configuration file. */
  configFile: string
  /** True when the operator named the file: then it must exist. */
  configFileNamed: boolean
  baseUrl: string | undefined
  workers: string
  /** What this process does; the word after `--role` wins. */
  role: string
  /** The first word after the program's name that it does not know. */
  unknownWord: string | undefined
  bootstrapKey: string | undefined
  /** Seals what the database must not show. */
  secret: string | undefined
  /** Of whoever asks a server, such as `kherad work`; the server itself does not use it. */
  clientKey: string | undefined
  locale: string
  pgBin: string | undefined
  databaseUrl: string | undefined
  logLevel: string
  leaseMs: string | undefined
  /** Cores this process may use; what `KHERAD_WORKERS=auto` stands for. */
  cores: number
  /** The whole environment, only for `${NAME}` in the configuration file and for the variables that sections declare. */
  variables: Readonly<Record<string, string | undefined>>
}

/**
 * The only reader of the environment, and of the words typed after the program's name. A variable that is set but empty counts as
 * absent, as shells and compose files mean it.
 */
export function readEnv(
  variables: Readonly<Record<string, string | undefined>>,
  words: readonly string[] = [],
): Env {
  const read = (name: string): string | undefined => variableOf({ variables }, name)
  return {
    host: read('KHERAD_HOST') ?? '127.0.0.1',
    port: read('KHERAD_PORT') ?? '8080',
    dataDir: read('KHERAD_DATA') ?? './data',
    configFile: read('KHERAD_CONFIG') ?? './kherad.config.yaml',
    configFileNamed: read('KHERAD_CONFIG') !== undefined,
    baseUrl: read('KHERAD_BASE_URL'),
    workers: read('KHERAD_WORKERS') ?? '1',
    role: roleOf(words) ?? read('KHERAD_ROLE') ?? 'all',
    unknownWord: words.find(
      (word, at) => !word.startsWith('--role=') && word !== '--role' && words[at - 1] !== '--role',
    ),
    bootstrapKey: read('KHERAD_BOOTSTRAP_KEY'),
    secret: read('KHERAD_SECRET'),
    clientKey: read('KHERAD_KEY'),
    locale: read('KHERAD_LOCALE') ?? 'fa',
    pgBin: read('KHERAD_PG_BIN'),
    databaseUrl: read('DATABASE_URL'),
    logLevel: read('KHERAD_LOG_LEVEL') ?? 'info',
    leaseMs: read('KHERAD_LEASE_MS'),
    cores: availableParallelism(),
    variables,
  }
}

/** What a variable says; set but empty it is absent. */
export const variableOf = ({ variables }: Pick<Env, 'variables'>, name: string): string | undefined =>
  variables[name]?.trim() || undefined

/** `--role worker` or `--role=worker`. */
function roleOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--role' || word.startsWith('--role='))
  if (at < 0) return undefined
  return words[at] === '--role' ? (words[at + 1] ?? '') : words[at]!.slice('--role='.length)
}
