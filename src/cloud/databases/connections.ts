/** The connections of one process to one database. */
import type pg from 'pg'
import { clientConfig, columnTypes, type Db, dbFromPools, type SocketAddress } from '#platform/db'
import { BoundedPool } from './bounded-pool.ts'
import type { DatabaseRole, DiskState, OpenDatabase } from './databases.ts'
import { FreshPool } from './fresh-pool.ts'
import { maxReceivedBytes, ReceiveLimiter } from './received.ts'
import type { DatabaseSize } from './size.ts'
import type { DatabaseWatch } from './watch/watch.ts'

/** A connection that is not used is closed, so that a database that is little used takes little memory. */
const idleConnectionMs = 10_000
/** The longest wait for a free connection. */
const maxWaitMs = 5_000

export type RoleAddress = (role: DatabaseRole) => string | SocketAddress

export interface ConnectionsOptions {
  addressOf: RoleAddress
  size: Pick<DatabaseSize, 'connections'>
  watch: Pick<DatabaseWatch, 'disk' | 'lookNow' | 'connectionAcquired' | 'connectionReleased'>
  /** Called when the server no longer accepts the password of a role. */
  onPasswordRejected?: (() => void) | undefined
}

export class Connections implements OpenDatabase {
  readonly #options: ConnectionsOptions
  readonly #pools = new Map<DatabaseRole, pg.Pool>()
  readonly #dbs = new Map<DatabaseRole, Db>()

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  pool(role: DatabaseRole): pg.Pool {
    const known = this.#pools.get(role)
    if (known) return known
    const made = openPool(role, this.#options)
    this.#pools.set(role, made)
    return made
  }

  db(role: DatabaseRole): Db {
    const known = this.#dbs.get(role)
    if (known) return known
    const pool = this.pool(role)
    const made = dbFromPools({ shared: pool, apart: pool }, { url: this.#options.addressOf(role) })
    this.#dbs.set(role, made)
    return made
  }

  get disk(): DiskState {
    return this.#options.watch.disk
  }

  lookAtDisk(): Promise<DiskState> {
    return this.#options.watch.lookNow()
  }

  async close(): Promise<void> {
    const open = [...this.#pools.values()].filter((pool) => !pool.ending)
    await Promise.all(open.map((pool) => pool.end()))
  }
}

interface PoolShape {
  Pool: typeof BoundedPool
  max: number
  /** The number of uses after which a connection is closed. */
  maxUses?: number
  /** The most bytes received in one use. Absent where the caller bounds them: `app_reader` also exports whole databases. */
  maxBytes?: number
  /** Options of the sessions. They override settings of the role, which code that runs as the role can change for good. */
  options?: string
}

/** The most bytes for our own queries; a page of a thousand users takes half of it. */
const maxBytesOfOurs = 8 * 1024 * 1024
const trustedPath = '-c search_path=pg_catalog,\\ pg_temp'

function shapeOf(role: DatabaseRole, { connections }: Pick<DatabaseSize, 'connections'>): PoolShape {
  switch (role) {
    case 'authenticator':
      return { Pool: BoundedPool, max: connections, maxBytes: maxReceivedBytes }
    // Statements of developers can leave anything in a session, so nobody uses it after them.
    case 'postgres':
    case 'app_reader':
      return { Pool: BoundedPool, max: 2, maxUses: 1 }
    // Code of the app runs within statements of ours.
    case 'auth_admin':
    case 'storage_admin':
      return { Pool: FreshPool, max: 3, maxBytes: maxBytesOfOurs, options: trustedPath }
    case 'watcher':
      return { Pool: BoundedPool, max: 2, maxBytes: maxBytesOfOurs }
  }
}

/** The most connections that one process opens as this role, including the separate one of the watch. */
export const maxConnectionsOf = (role: DatabaseRole, size: Pick<DatabaseSize, 'connections'>): number =>
  shapeOf(role, size).max + (role === 'watcher' ? 1 : 0)

function openPool(
  role: DatabaseRole,
  { addressOf, size, watch, onPasswordRejected }: ConnectionsOptions,
): pg.Pool {
  const { Pool, maxBytes, ...shape } = shapeOf(role, size)
  const pool = new Pool({
    ...clientConfig(addressOf(role)),
    ...shape,
    onPasswordRejected,
    idleTimeoutMillis: idleConnectionMs,
    connectionTimeoutMillis: maxWaitMs,
    types: columnTypes,
  })
  // The server may be stopped while connections are idle.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  if (maxBytes !== undefined) boundReceived(pool, maxBytes)
  // The watch looks while a role that may write is at work.
  if (role !== 'watcher') {
    pool.on('acquire', () => watch.connectionAcquired())
    pool.on('release', () => watch.connectionReleased())
  }
  return pool
}

function boundReceived(pool: pg.Pool, maxBytes: number): void {
  const received = new WeakMap<pg.PoolClient, ReceiveLimiter>()
  pool.on('connect', (client) => received.set(client, new ReceiveLimiter(client, maxBytes)))
  pool.on('acquire', (client) => received.get(client)?.reset())
}

/** Opens a separate connection for the watch, however many other connections there are. */
export function openWatcherPool(addressOf: RoleAddress): pg.Pool {
  const pool = new BoundedPool({
    ...clientConfig(addressOf('watcher')),
    max: 1,
    idleTimeoutMillis: idleConnectionMs,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: maxWaitMs,
    types: columnTypes,
  })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
