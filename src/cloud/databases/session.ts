/** A session in the database of an app as one of its three roles: bounded in time, and cleaned before the next session. */
import type pg from 'pg'
import { queryCanceledState, StatementFailed } from './database-report.ts'
import type { OpenDatabase } from './databases.ts'
import { Script } from './script.ts'

export interface BoundStatement {
  text: string
  values: readonly unknown[]
}

/** The caller, as policies and functions of the database see it. */
export interface DatabaseCaller {
  role: 'anon' | 'authenticated' | 'service_role'
  /** `auth.jwt()`: a JSON object. */
  claims: string
  /** `current_setting('request.method')`, and `request.path` likewise. */
  method: string
  path: string
  /** A JSON object with names in lower case. */
  headers: string
}

export interface RoleOptions {
  isReadOnly: boolean
  /** The version of the catalogue from which the statements were made; where the version is another one by now, the setup fails (22012). */
  schemaVersion?: string | undefined
  maxMs?: number | undefined
}

/**
 * A statement ends earlier by its own timeout, unless its code catches that, as functions can. After this time the server is told to end the session.
 */
const defaultMaxMs = 10_000

export class RoleSession {
  readonly client: pg.PoolClient
  /** The first statement of the transaction. */
  readonly setup: BoundStatement
  /** The statements that are sent after the transaction. */
  readonly cleaning = new Script(sessionCleaning)
  #isCleaned = false

  constructor(client: pg.PoolClient, setup: BoundStatement) {
    this.client = client
    this.setup = setup
    // Nobody else gets the connection before it is clean; the answer is sent meanwhile.
    void this.cleaning.ended.then(
      () => client.release(),
      () => client.release(true),
    )
  }

  /** Queues the cleaning after what was queued last. Called at the latest when the work has ended. */
  clean(): void {
    if (this.#isCleaned) return
    this.#isCleaned = true
    this.client.query(this.cleaning)
  }
}

/** Undoes what functions of the app leave in the session: settings, the role, locks, cursors, channels, temporary tables, sequence values. */
const sessionCleaning = `reset all; reset role; select pg_catalog.pg_advisory_unlock_all(); close all; unlisten *; discard temp; discard sequences`

/**
 * Runs `work`, which is one transaction. Throws what `work` throws, DATABASE_BUSY, and StatementFailed: 57014 where the session took too long, 25006
 * where it was ended because it had filled the disk.
 */
export async function withRoleSession<Result>(
  open: OpenDatabase,
  caller: DatabaseCaller,
  { maxMs = defaultMaxMs, ...options }: RoleOptions,
  work: (session: RoleSession) => Promise<Result>,
): Promise<Result> {
  const client = await open.pool('authenticator').connect()
  const isReadOnly = options.isReadOnly || open.disk !== 'free'
  const session = new RoleSession(client, setupOf(caller, { ...options, isReadOnly }))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endSession(open, client)
  }, maxMs)
  try {
    return await work(session)
  } catch (error) {
    if (isLate) throw tooLate(error as Error)
    throw isReadOnly ? error : asDiskError(open, error as Error)
  } finally {
    clearTimeout(timer)
    session.clean()
  }
}

/**
 * The statement that sets the role first and for this transaction alone; PostgreSQL accepts only the three roles that `authenticator` may become.
 * Where the version is another one, `1 / 0` fails, and what stands behind it in a batch does not run.
 */
function setupOf(
  { role, claims, method, path, headers }: DatabaseCaller,
  { isReadOnly, schemaVersion }: RoleOptions,
): BoundStatement {
  const values = [role, claims, method, path, headers, isReadOnly ? 'on' : 'off']
  if (schemaVersion === undefined) return { text: `select ${settings}`, values }
  return { text: `select ${settings}, ${sameVersion}`, values: [...values, schemaVersion] }
}

const settings = `pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true),
pg_catalog.set_config('request.method', $3, true), pg_catalog.set_config('request.path', $4, true),
pg_catalog.set_config('request.headers', $5, true), pg_catalog.set_config('transaction_read_only', $6, true)`

const sameVersion = '1 / (case when version = $7::bigint then 1 else 0 end) from kherad.schema_version'

/** Ends the session whatever its code does, which can catch the timeout of its statement. */
function endSession(open: OpenDatabase, client: pg.PoolClient): void {
  const { processID } = client as unknown as { processID: number }
  void open
    .pool('watcher')
    .query('select pg_terminate_backend($1)', [processID])
    .catch(() => undefined)
}

/** The SQLSTATE of a write in a read-only transaction. */
export const readOnlyState = '25006'

const tooLate = (cause: Error): StatementFailed =>
  new StatementFailed(
    { sqlState: queryCanceledState, message: 'canceling statement due to statement timeout' },
    cause,
  )

/** A transaction that the watch ends is not committed. Its caller gets the error that the next write will get, and not that the database is away. */
function asDiskError({ disk }: OpenDatabase, error: Error): Error {
  const isEnded =
    'code' in error && error.code === terminated && 'severity' in error && error.severity === 'FATAL'
  if (!isEnded || disk === 'free') return error
  return new StatementFailed(
    { sqlState: readOnlyState, message: 'cannot write more: the disk is full' },
    error,
  )
}

/** The SQLSTATE of a session that `pg_terminate_backend` or the end of the server has ended. */
const terminated = '57P01'
