/** Databases of this machine as one process uses them: woken by the first use, stopped when nobody has used them for a while. */
import pg from 'pg'
import { clientConfig, columnTypes, type Db, dbOver } from '#platform/db'
import type { DatabaseRole, OpenDatabase } from '../databases.ts'
import { FreshPool } from '../fresh-pool.ts'
import type { LocalDatabase } from './layout.ts'
import type { LocalContext } from './local.ts'
import { type Awake, wake } from './wake.ts'

/** Connections of each role that one process holds. */
const connections: Record<DatabaseRole, number> = {
  authenticator: 8,
  postgres: 2,
  app_reader: 2,
  auth_admin: 3,
  storage_admin: 3,
  watcher: 1,
}
/** A connection that is not used is closed, so that a database that is little used takes little memory. */
const idleConnectionMs = 10_000
/** Waited for a free connection. */
const longestWaitMs = 5_000

interface Entry extends OpenDatabase {
  schemaVersion: number
  database: LocalDatabase
  awake: Awake
  pools: Map<DatabaseRole, pg.Pool>
  users: number
  idle?: NodeJS.Timeout | undefined
}

export class LocalDatabases implements AsyncDisposable {
  readonly #context: LocalContext
  readonly #idleMs: number
  readonly #entries = new Map<string, Promise<Entry>>()
  readonly #closing = new Set<Promise<void>>()

  constructor(context: LocalContext, { idleMs }: { idleMs: number }) {
    this.#context = context
    this.#idleMs = idleMs
  }

  /** It stays awake until `work` ends. Throws what `wake` throws, and what `work` throws. */
  async use<Result>(database: LocalDatabase, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    const entry = await this.#entryOf(database)
    entry.users++
    clearTimeout(entry.idle)
    try {
      return await work(entry)
    } finally {
      entry.users--
      if (entry.users === 0) this.#closeLater(entry)
    }
  }

  /** Stops it in this process once what uses it now has ended its statements: they fail. */
  async close({ ref }: Pick<LocalDatabase, 'ref'>): Promise<void> {
    const entry = await this.#entries.get(ref)?.catch(() => undefined)
    if (entry) await this.#close(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((ref) => this.close({ ref })))
    await Promise.all(this.#closing)
  }

  async #entryOf(database: LocalDatabase): Promise<Entry> {
    const { ref } = database
    const known = this.#entries.get(ref)
    if (known) return known
    const opening = this.#open(database)
    this.#entries.set(ref, opening)
    opening.catch(() => this.#entries.delete(ref))
    return opening
  }

  async #open(database: LocalDatabase): Promise<Entry> {
    const awake = await wake(this.#context, database)
    const pools: Entry['pools'] = new Map()
    const pool = (role: DatabaseRole): pg.Pool => {
      const made = pools.get(role) ?? openPool(awake, role)
      pools.set(role, made)
      return made
    }
    const dbs = new Map<DatabaseRole, Db>()
    const db = (role: DatabaseRole): Db => {
      const known = dbs.get(role)
      if (known) return known
      const made = dbOver({ shared: pool(role), apart: pool(role) }, { url: awake.address(role) })
      dbs.set(role, made)
      return made
    }
    const entry: Entry = { database, awake, pools, pool, db, users: 0, schemaVersion: 0 }
    awake.whenSchemaChanges(() => {
      entry.schemaVersion++
    })
    // The next use wakes it again.
    void awake.lost.then(() => this.#forget(entry))
    return entry
  }

  #closeLater(entry: Entry): void {
    entry.idle = setTimeout(() => void this.#close(entry), this.#idleMs)
    entry.idle.unref()
  }

  async #close(entry: Entry): Promise<void> {
    clearTimeout(entry.idle)
    this.#entries.delete(entry.database.ref)
    const closing = closePools(entry).then(() => entry.awake.leave())
    this.#closing.add(closing)
    await closing.finally(() => this.#closing.delete(closing))
  }

  async #forget(entry: Entry): Promise<void> {
    const current = await this.#entries.get(entry.database.ref)?.catch(() => undefined)
    if (current === entry) this.#entries.delete(entry.database.ref)
    clearTimeout(entry.idle)
    await closePools(entry)
  }
}

function openPool(awake: Awake, role: DatabaseRole): pg.Pool {
  // Code of the app runs within statements of these two.
  const Pool = role === 'auth_admin' || role === 'storage_admin' ? FreshPool : pg.Pool
  const pool = new Pool({
    ...clientConfig(awake.address(role)),
    max: connections[role],
    idleTimeoutMillis: idleConnectionMs,
    connectionTimeoutMillis: longestWaitMs,
    types: columnTypes,
  })
  // The server is stopped under idle connections.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

async function closePools({ pools }: Entry): Promise<void> {
  const open = [...pools.values()].filter((pool) => !pool.ending)
  await Promise.all(open.map((pool) => pool.end()))
}
