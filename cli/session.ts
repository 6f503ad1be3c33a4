import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#platform/clock'
import type { Env } from '#platform/config'
import { type Db, migrate, openDb } from '#platform/db'
import { type Language, StartRefused } from '#platform/errors'
import { type Log, openLog } from '#platform/log'
import { hasCluster, startEmbedded } from '#platform/postgres'
import { loadConfig } from '#settings'
import type { Session } from './command.ts'
import { doctorPhrases } from './doctor/phrases.ts'

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** A command runs its queries one after another; a few connections are enough beside a busy server. */
const maxConnections = 4

/**
 * Stands on `DATABASE_URL`, else on the PostgreSQL of the data folder: of a running server, or started for this command
 * and stopped after it. Disposing it waits for an opening under way, so that no PostgreSQL is left running for nobody.
 */
export const openSession = (env: Env, verbose: boolean, terminal: Terminal): Session & AsyncDisposable =>
  new DatabaseSession(env, verbose, terminal)

/** What a command may do with the terminal before its answer. */
type Terminal = Pick<Session, 'notify' | 'status' | 'stopping' | 'whenStopped'>

class DatabaseSession implements Session, AsyncDisposable {
  readonly env: Env
  readonly language: Language
  readonly clock = systemClock
  readonly notify: Session['notify']
  readonly status: Session['status']
  readonly stopping: AbortSignal
  readonly whenStopped: Session['whenStopped']
  readonly #log: Log
  readonly #stack = new AsyncDisposableStack()
  #opening: Promise<Db> | undefined
  #migrating: Promise<Db> | undefined

  constructor(env: Env, verbose: boolean, { notify, status, stopping, whenStopped }: Terminal) {
    this.env = env
    this.language = env.locale === 'en' ? 'en' : 'fa'
    this.notify = notify
    this.status = status
    this.stopping = stopping
    this.whenStopped = whenStopped
    this.#log = openLog(verbose ? 'debug' : 'silent')
  }

  db(): Promise<Db> {
    this.#migrating ??= this.#migrate()
    return this.#migrating
  }

  openedDb(): Promise<Db> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#opening])
    await this.#stack.disposeAsync()
  }

  async #open(): Promise<Db> {
    // Only the environment determines the database: an error in the configuration file must not prevent revoking a key.
    const { databaseUrl, dataDir, pgBin } = loadConfig(this.env)
    // A wrong folder must not become a new, empty database without any account.
    if (databaseUrl === undefined && !(await hasCluster(dataDir))) {
      const { en, fa } = doctorPhrases.noDatabaseYet(path.resolve(dataDir))
      throw new StartRefused(en, fa)
    }
    const log = this.#log
    const url = databaseUrl ?? this.#stack.use(await startEmbedded({ dataDir, pgBin, log })).address
    return this.#stack.use(await openDb({ url, maxConnections, log }))
  }

  async #migrate(): Promise<Db> {
    const db = await this.openedDb()
    await migrate(db, migrationsFolder)
    return db
  }
}
