/** The connection to PostgreSQL: the pool, transactions, prepared statements, LISTEN, and migrations. */
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { refuseStart, StartRefused } from '#platform/errors'
import { clientConfig, displayAddress, type SocketAddress } from './address.ts'
import { isCanceled, isDatabaseAway } from './away.ts'
import { clientOf } from './client.ts'
import { columnTypes } from './column-types.ts'
import { type ListenEvents, SharedListener } from './listen.ts'
import type { MigrationRow } from './migration-state.ts'
import { phrases } from './phrases.ts'
import { runTransaction } from './transaction.ts'

export { clientConfig, type SocketAddress, socketUrl } from './address.ts'
export { isDatabaseAway, isDiskFull } from './away.ts'
export { clientOf, ElsewhereError } from './client.ts'
export { columnTypes } from './column-types.ts'
export { copyOut } from './copy-out.ts'
export { exactColumns } from './exact-columns.ts'
export { dbInTurns } from './in-turns.ts'
export type { ListenEvents } from './listen.ts'
export { poolSeries } from './metrics.ts'
export { type MigrationEvents, migrate } from './migrate.ts'
export { type MigrationRow, type MigrationState, migrationState } from './migration-state.ts'
export { scrollRows } from './scroll.ts'

/** Every table of the database. Rooms add theirs: `declare module '#platform/db' { interface Tables { 'auth.keys': KeyRow } }`. */
export interface Tables {
  'platform.migrations': MigrationRow
}

/** An open transaction. Functions that write take it first, so that a transaction is visible at the call. */
export type Tx = Transaction<Tables>

/** The part of a pino logger that is used here. */
export interface DbLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** A frequently executed statement. With a name it is prepared once per connection. */
export interface Statement {
  name?: string
  text: string
  /** Timeout in milliseconds, after which the connection is closed and the statement fails. Default: that of `openDb`. */
  timeoutMs?: number
  /** Uses a connection reserved for such statements, so that the statement never waits for the pool. */
  onReservedConnection?: boolean
}

export interface Db extends AsyncDisposable {
  /** The query builder, for queries that are not performance-critical. */
  readonly kysely: Kysely<Tables>
  readonly pool: pg.Pool
  /** The address of the database, as it may be shown. */
  readonly address: string
  /** Runs `fn` in one READ COMMITTED transaction: commits when it resolves, rolls back and rethrows when it throws. */
  tx<T>(fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs a frequently executed statement and returns its rows. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** Listens on the channels until disposed; all listeners share one connection. */
  listen(channels: readonly string[], on: ListenEvents): AsyncDisposable
}

export interface OpenOptions {
  url: string | SocketAddress
  /** Maximum pooled connections; reserved statements add one, and all listeners together one. */
  maxConnections?: number | undefined
  /** The longest time a statement may run; 30 s if absent. */
  statementTimeoutMs?: number | undefined
  /** How long to wait for a new connection, or for a free one of the pool; 5 s if absent. */
  connectMs?: number | undefined
  /** Turns off parallel workers for all statements, because `onBackend` does not get the pids of their processes. */
  withoutWorkers?: boolean | undefined
  /** Called with the pid of the server process of each new pooled connection, on the server's machine. */
  onBackend?: ((pid: number) => void) | undefined
  log?: DbLog | undefined
}

const quiet: DbLog = { info() {}, warn() {} }
/** The longest time a statement of the pool may run; migrations lift this limit for themselves. */
const defaultTimeoutMs = 30_000
/** How long the client waits beyond the server's own timeout: if nothing was received by then, not even an error, the connection is closed. */
const answerMs = 5_000
/** A transaction that is idle for this long has lost its client; its locks are released. */
const idleInTransactionMs = 60_000
const oldestServer = 160_000

/**
 * Opens a pool and checks that the database answers. int8 comes back as `bigint`, numeric as string, timestamptz as `Date`, date as 'YYYY-MM-DD',
 * json parsed. Throws `StartRefused` if there is no usable PostgreSQL at the address.
 */
export async function openDb(options: OpenOptions): Promise<Db> {
  const db = lazyDb(options)
  try {
    await checkServer(db.pool, options.url)
  } catch (error) {
    await db[Symbol.asyncDispose]()
    throw error
  }
  return db
}

/**
 * Opens the database like `openDb`, but without a check, at an address that was checked before: it connects at its first use, and a start does not
 * wait for a statement.
 */
export function lazyDb({
  url,
  maxConnections = 10,
  statementTimeoutMs = defaultTimeoutMs,
  withoutWorkers = false,
  connectMs,
  onBackend,
  log = quiet,
}: OpenOptions): Db {
  const options = { statementTimeoutMs, withoutWorkers, connectMs, onBackend }
  const openPoolOf = (max: number) => openPool(url, { ...options, max }, log)
  const pools = { shared: openPoolOf(maxConnections), apart: openPoolOf(1) }
  return dbFromPools(pools, { url, statementTimeoutMs, log })
}

/** Makes a `Db` of pools that were opened elsewhere; disposing it closes them. `onReservedConnection` may be the same pool as `shared`. */
export function dbFromPools(
  pools: { shared: pg.Pool; apart: pg.Pool },
  {
    url,
    statementTimeoutMs = defaultTimeoutMs,
    log = quiet,
  }: Pick<OpenOptions, 'url' | 'statementTimeoutMs' | 'log'>,
): Db {
  const { shared: pool } = pools
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const listening = new SharedListener(url, log)
  return {
    kysely,
    pool,
    address: displayAddress(url),
    tx: (fn) => runTransaction(kysely, fn),
    async query<Row>(statement: Statement, values: readonly unknown[]) {
      const {
        timeoutMs = statementTimeoutMs + answerMs,
        onReservedConnection: apart = false,
        ...text
      } = statement
      // pg knows the option (client.js), but its types do not.
      const query = { ...text, values: [...values], query_timeout: timeoutMs } as pg.QueryConfig
      const { rows } = await pools[apart ? 'apart' : 'shared'].query(query)
      return rows as Row[]
    },
    listen: (channels, on) => listening.listen(channels, on),
    async [Symbol.asyncDispose]() {
      if (!pools.apart.ending) await pools.apart.end()
      await kysely.destroy()
      // Kysely closes the pool only if it has executed a query itself.
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * Runs a part of the start that needs the database. Throws `StartRefused` if the database is lost meanwhile, as if it had never been there, or
 * answers too late.
 */
export async function duringStart<Result>(
  { address }: Pick<Db, 'address'>,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof StartRefused) throw error
    return refuseUnanswered(address, error)
  }
}

/** Throws `StartRefused` for a database that is away or answers too late, and any other error as it is. */
function refuseUnanswered(address: string, error: unknown): never {
  const reason = error instanceof Error ? error.message : ''
  if (isDatabaseAway(error)) refuseStart(phrases.away(address, reason || 'ECONNREFUSED'), error)
  if (isCanceled(error)) refuseStart(phrases.late(address, reason), error)
  throw error
}

interface PoolOptions {
  max: number
  statementTimeoutMs: number
  withoutWorkers: boolean
  connectMs: number | undefined
  onBackend: ((pid: number) => void) | undefined
}

function openPool(url: string | SocketAddress, options: PoolOptions, log: DbLog): pg.Pool {
  const { max, statementTimeoutMs, withoutWorkers, connectMs, onBackend } = options
  const pool = new pg.Pool({
    ...clientConfig(url),
    Client: clientOf(url),
    ...(connectMs !== undefined && { connectionTimeoutMillis: connectMs }),
    max,
    types: columnTypes,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    ...(withoutWorkers && { options: '-c max_parallel_workers_per_gather=0 -c jit=off' }),
  })
  pool.on('error', (err) => {
    // While the pool ends, the server may stop before it has read that a connection was closed.
    if (!pool.ending) log.warn({ err }, 'an idle connection to the database is lost')
  })
  // A connection in use has no 'error' listener of the pool, and an unhandled 'error' event would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    // pg knows the property (client.js), but its types do not.
    const { processID } = client as unknown as { processID: number | null }
    if (processID) onBackend?.(processID)
  })
  return pool
}

async function checkServer(pool: pg.Pool, url: string | SocketAddress): Promise<void> {
  const shown = displayAddress(url)
  const version = await pool
    .query<{ server_version_num: string }>('show server_version_num')
    .then(({ rows }) => Number(rows[0]?.server_version_num))
    .catch((error: Error) => {
      // This does not depend on the error code: a wrong password, a missing database and a closed port all end the start alike.
      if (!isDatabaseAway(error) && !isCanceled(error))
        refuseStart(phrases.unusable(shown, error.message), error)
      return refuseUnanswered(shown, error)
    })
  if (version < oldestServer) refuseStart(phrases.tooOld(shown, version))
}
