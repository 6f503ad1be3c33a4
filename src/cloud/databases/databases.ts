/**
 * Databases of dedicated clouds: one PostgreSQL for each, made, woken, watched and put to sleep (docs/decisions/cloud/databases.md). A database
 * belongs to one app alone, is on this machine (`local`) or on a server of the operator (`external`), and is woken by its first use.
 */
import type pg from 'pg'
import type { CloudKey } from '#cloud/clouds'
import type { Db } from '#platform/db'
import type { FailureCode } from '#platform/errors'

export {
  addAwakeTime,
  awakeMsOfMonth,
  type DatabaseUsage,
  hoursOf,
  lastMeasurement,
  recordMeasurement,
  requireAwakeTime,
} from './usage.ts'

/**
 * The roles that connect; `local/bootstrap.sql` says what each may do. `authenticator` becomes anon, authenticated or service_role in each request of
 * the app; `postgres` is the developer who writes, `app_reader` the one who reads; `auth_admin` owns the schemas of sign-in, `storage_admin` that of
 * buckets; `watcher` sees sizes and sessions, and ends them.
 */
export type DatabaseRole =
  | 'authenticator'
  | 'postgres'
  | 'app_reader'
  | 'auth_admin'
  | 'storage_admin'
  | 'watcher'

/** A database in use, which stays awake. */
export interface OpenDatabase {
  /** A few connections, opened when they are needed. */
  pool(role: DatabaseRole): pg.Pool
  /** The same connections for statements of Kysely and transactions. */
  db(role: DatabaseRole): Db
  /** The state of its disk at the last look. Unless it is `free`, new sessions of the app's roles only read. */
  readonly disk: DiskState
  /** Looks at the disk now. */
  lookAtDisk(): Promise<DiskState>
}

/**
 * `full`: the database has reached the disk of its package, and accepts only statements that delete. `growing`: it has grown even so, perhaps by code
 * of the app within a DELETE, so that only TRUNCATE, DROP and VACUUM are left. `machine`: the disk under it is short, and only statements that make
 * room at once may write.
 */
export type DiskState = 'free' | 'full' | 'growing' | 'machine'

/** Why the database answers only reads for now; null where it accepts writes too. */
export const readOnlyCause = (disk: DiskState): 'disk' | 'machine' | null =>
  disk === 'free' ? null : disk === 'machine' ? 'machine' : 'disk'

/** A database as it is recorded. */
export interface DatabaseRecord extends CloudKey {
  /** The name of the database at its place: the ref of its cloud, or of the move that made it. */
  ref: string
  provider: 'local' | 'external'
  /** The machine (`local`) or the server of the configuration (`external`) that has it. */
  place: string
  /** `local`: the user of the machine that runs it; null where this service is not root. */
  osUser: number | null
  /** `external`: the sealed secret from which the passwords of its roles are derived. */
  secretsSealed: string | null
}

/** All files of a database, as they are at one moment. */
export interface DatabaseCopy {
  /** The number of the transaction that the database would begin next. */
  nextTransaction: bigint
  serverVersion: string
  /** The files as a tar, which can be read once, at the pace of its reader. */
  tar: AsyncIterable<Buffer>
}

export interface RestoreOptions {
  /** The id of this restore, the same in each run: twelve letters and digits. */
  id: string
  /** Reads the copy from its beginning; throws at its end where the bytes are not those that were stored. */
  tar: () => AsyncIterable<Buffer>
  maxBytes: number
  /** False once the end of the restore is recorded, as at the deletion of its cloud. */
  isWanted: () => Promise<boolean>
}

/** Copies of one database. */
export interface DatabaseBackups {
  /** Throws DATABASE_NO_ROOM (503 with Retry-After) where the disk has no room for a copy of this many bytes. */
  requireRoom(bytes: number): Promise<void>
  /** The `nextTransaction` of a copy taken now; undefined where only a copy can tell, since the database is awake. */
  nextTransaction(): Promise<bigint | undefined>
  copy<Result>(work: (copy: DatabaseCopy) => Promise<Result>): Promise<Result>
  /**
   * Replaces the database by a copy, as a whole or not at all, wherever a process is killed; after that the next run goes on. False where another
   * process is restoring it.
   */
  restore(options: RestoreOptions): Promise<boolean>
  /** Ends a restore that was given up: the database is what it was before, or the restored one if the restore was complete. */
  endRestore(id: string): Promise<void>
}

/** What the secret of a database is sealed for. */
export const sealPurposeOf = ({ cloudId }: CloudKey): string => `database ${cloudId}`

/** A source of databases. Each method may run any number of times, in any process; after a kill the next run goes on. */
export interface DatabaseProvider extends AsyncDisposable {
  readonly name: DatabaseRecord['provider']
  /** Whether the roles of its databases have passwords. */
  readonly hasPasswords: boolean
  /** The place for a new database; undefined where there is no room. `taken` names the places and `osUser`s in use. */
  place(
    taken: { place: string; osUser: number | null }[],
  ): Promise<Pick<DatabaseRecord, 'place' | 'osUser'> | undefined>
  make(database: DatabaseRecord): Promise<void>
  /**
   * Wakes the database and keeps it awake until `work` ends. Throws DATABASE_ELSEWHERE (503), DATABASE_NO_ROOM (503 with Retry-After),
   * DATABASE_TOO_LARGE (503), DATABASE_DOES_NOT_START (503), and what `work` throws.
   */
  use<Result>(database: DatabaseRecord, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Ends everything of the database that runs here: its cloud was suspended, is deleted or restored. */
  stop(database: DatabaseRecord): Promise<void>
  remove(database: DatabaseRecord): Promise<void>
  /** Absent where the owner of the server backs up all of it. Throws DATABASE_ELSEWHERE. */
  backups?(database: DatabaseRecord): Promise<DatabaseBackups>
}

/** All databases of dedicated clouds. */
export interface CloudDatabases extends AsyncDisposable {
  /** As `use` of the provider; also throws CLOUD_NOT_READY where the cloud has no database (yet). */
  use<Result>(cloud: CloudKey, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Throws DATABASE_NO_ROOM and DATABASES_UNAVAILABLE where a new database would find no place. */
  requireRoom(): Promise<void>
  /** A step of provisioning and moving: throws DATABASE_NO_ROOM where no provider has room. `ref` is the name of a new database. */
  make(cloud: CloudKey & { ref: string }): Promise<void>
  stop(cloud: CloudKey): Promise<void>
  /** Throws BACKUPS_OF_OPERATOR, and the errors of `use`. */
  backups(cloud: CloudKey): Promise<DatabaseBackups>
  /** A step of deletion: nothing of the database is left, nor its record. */
  remove(cloud: CloudKey): Promise<void>
}

/** What a use of a database can fail with, beside what its work fails with; for routes. */
export const databaseErrors: FailureCode[] = [
  'DATABASE_ELSEWHERE',
  'DATABASE_NO_ROOM',
  'DATABASE_TOO_LARGE',
  'DATABASE_BUSY',
  'DATABASE_DOES_NOT_START',
  'DATABASES_UNAVAILABLE',
  'DATABASE_HOURS_USED',
  'CLOUD_RESTORING',
]

export {
  cutText,
  type DatabaseReport,
  databaseReport,
  noRoomFailure,
  queryCanceledState,
  StatementFailed,
  statementError,
} from './database-report.ts'
export { ExternalProvider } from './external/provider.ts'
export { examineServer } from './external/server.ts'
export { forgetDatabase } from './forget.ts'
export { examineMachine } from './local/examine.ts'
export { maxMemoryOf, requireFittingPackages } from './local/memory.ts'
export { LocalProvider } from './local/provider.ts'
export { databaseSeries } from './metrics.ts'
export { type DatabasesOptions, openCloudDatabases } from './open.ts'
export { PlatformSizes } from './platform-sizes.ts'
export { maxReceivedBytes, ReceiveLimiter } from './received.ts'
export { ourSchemas } from './schemas.ts'
export { type DriverQuery, Script } from './script.ts'
export {
  type BoundStatement,
  type DatabaseCaller,
  type RoleOptions,
  type RoleSession,
  readOnlyState,
  withRoleSession,
} from './session.ts'
export { exportLock, maxExportMs } from './watch/limits.ts'
export { makingRoomName } from './watch/sessions.ts'
export { maxBytesOf } from './watch/watch.ts'
