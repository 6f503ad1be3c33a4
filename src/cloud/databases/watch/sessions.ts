/** What a watcher sees of a database, and how it ends what takes too much. Names are qualified, because the app may have objects of the same name. */
import type pg from 'pg'
import { ourSchemas } from '../schemas.ts'
import { exportLock } from './limits.ts'

/** The name of a session that only makes room on the disk. Whoever writes SQL can take this name, too. */
export const makingRoomName = 'kherad making room'

export interface WatchedSession {
  pid: number
  role: string
  /** How long its transaction has been open. */
  transactionMs: number
  /** The session waits for its client, within the transaction. */
  isIdle: boolean
  idleMs: number
  /** Its transaction has changed something. */
  writes: boolean
  /** Its name is `makingRoomName`. */
  makesRoom: boolean
  /** The session exports the whole database: it has the lock of exports. */
  isExport: boolean
}

export interface WatchSample {
  dataBytes: number
  temporaryBytes: number
  walBytes: number
  /** The full part, from 0 to 1, of the queue of notifications that all databases of a server share. */
  notifications: number
  /** The sessions with an open transaction. */
  sessions: WatchedSession[]
}

/** Reads sizes and sessions of a database. `hasOwnServer`: the server has this database only. */
export async function takeSample(pool: pg.Pool, hasOwnServer: boolean): Promise<WatchSample> {
  const { rows: sizes } = await pool.query<Omit<WatchSample, 'sessions'>>(
    hasOwnServer ? serverSizes : databaseSize,
  )
  const { rows: sessions } = await pool.query<WatchedSession>(openTransactions)
  return { ...sizes[0]!, sessions }
}

const own = 'pg_catalog.pg_database_size(pg_catalog.current_database())::float8 as "dataBytes"'

const databaseSize = `select ${own}, 0 as "temporaryBytes", 0 as "walBytes", pg_catalog.pg_notification_queue_usage() as notifications`

const serverSizes = `select ${own}, 0 as notifications,
  (select coalesce(pg_catalog.sum(size), 0)::float8 from pg_catalog.pg_ls_tmpdir()) as "temporaryBytes",
  (select coalesce(pg_catalog.sum(size), 0)::float8 from pg_catalog.pg_ls_waldir()) as "walBytes"`

const millisecondsSince = (column: string): string =>
  `(extract(epoch from pg_catalog.clock_timestamp() operator(pg_catalog.-) ${column}) operator(pg_catalog.*) 1000)::float8`

/** Sessions of the app, and of PostgreSQL where it vacuums and analyzes tables by itself. */
const openTransactions = `select pid,
  case when backend_type operator(pg_catalog.=) 'client backend' then usename::text
    when pid operator(pg_catalog.=) any (select pid from pg_catalog.pg_stat_progress_analyze) then 'autoanalyze'
    else 'autovacuum' end as role,
  backend_xid is not null as writes, application_name operator(pg_catalog.=) '${makingRoomName}' as "makesRoom",
  coalesce(state operator(pg_catalog.=) any ('{idle in transaction,idle in transaction (aborted)}'::text[]), false) as "isIdle",
  coalesce(${millisecondsSince('xact_start')}, 0) as "transactionMs", coalesce(${millisecondsSince('state_change')}, 0) as "idleMs",
  exists (select from pg_catalog.pg_locks l where l.pid operator(pg_catalog.=) a.pid and l.granted and l.locktype operator(pg_catalog.=) 'advisory'
    and l.objsubid operator(pg_catalog.=) 1 and l.classid operator(pg_catalog.=) ${exportLock >> 32n}::oid
    and l.objid operator(pg_catalog.=) ${exportLock & 0xffffffffn}::oid) as "isExport"
  from pg_catalog.pg_stat_activity a
  where datname operator(pg_catalog.=) pg_catalog.current_database()
    and backend_type operator(pg_catalog.=) any ('{client backend,autovacuum worker}'::text[])
    and xact_start is not null and pid operator(pg_catalog.<>) pg_catalog.pg_backend_pid()`

/** The number of rows as PostgreSQL counts them; where a crash has lost its count, as estimated when it last looked at the tables. */
export async function estimateRows(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>(estimate)
  return rows[0]!.rows
}

// reltuples alone is -1 until a table is first analyzed, which a small one never is.
const estimate = `select coalesce(pg_catalog.sum(case when live operator(pg_catalog.>) 0 then live
    when reltuples operator(pg_catalog.>) 0 then reltuples else 0 end), 0)::float8 as rows
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
    cross join lateral (select pg_catalog.pg_stat_get_live_tuples(c.oid)::float8) as l(live)
  where relkind operator(pg_catalog.=) 'r' and nspname operator(pg_catalog.<>) all (array['pg_catalog', ${ourSchemas.all}])`

/** Cancels the statements of these sessions, which go on. */
export const cancel = (pool: pg.Pool, pids: readonly number[]): Promise<unknown> =>
  pool.query('select pg_catalog.pg_cancel_backend(pid) from pg_catalog.unnest($1::int[]) as pid', [pids])

export const terminate = (pool: pg.Pool, pids: readonly number[]): Promise<unknown> =>
  pool.query('select pg_catalog.pg_terminate_backend(pid) from pg_catalog.unnest($1::int[]) as pid', [pids])
