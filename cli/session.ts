import { systemClock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Env } from '#platform/env'
import type { Language } from '#platform/errors'
import type { Session } from './command.ts'

/**
 * Opens a session on `DATABASE_URL`, else on the PostgreSQL of the data folder: that of a running server, or one started for this command and stopped
 * after it. Disposing the session waits for an opening under way, so that no PostgreSQL is left running for nobody.
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
  readonly #verbose: boolean
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
    this.#verbose = verbose
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

  /** The module of the database is loaded here: commands that ask a server have no database. */
  async #open(): Promise<Db> {
    const { openDatabase } = await import('./database.ts')
    return openDatabase(this.env, this.#verbose, this.#stack)
  }

  async #migrate(): Promise<Db> {
    const db = await this.openedDb()
    const { migrateDatabase } = await import('./database.ts')
    await migrateDatabase(db, this.env)
    return db
  }
}
