/**
 * Databases of dedicated clouds: a PostgreSQL that belongs to one app alone, on this machine (`local`) or on a server of the operator
 * (`external`), woken by its first use (docs/decisions/0079).
 */
import type pg from 'pg'
import type { CloudKey } from '#cloud/clouds'
import type { Db } from '#platform/db'
import type { FailureCode } from '#platform/errors'

export {
  addAwakeTime,
  awakeMsOfMonth,
  hoursOf,
  lastMeasured,
  type Measured,
  recordMeasured,
  requireAwakeTime,
} from './usage.ts'

/**
 * Who connects; what each may do stands in `local/bootstrap.sql`. `authenticator` becomes anon, authenticated or service_role in each request
 * of the app; `postgres` is the developer who writes, `app_reader` the one who reads; `auth_admin` owns the schemas of sign-in,
 * `storage_admin` that of buckets; `watcher` sees sizes and sessions, and ends them.
 */
export type DatabaseRole =
  | 'authenticator'
  | 'postgres'
  | 'app_reader'
  | 'auth_admin'
  | 'storage_admin'
  | 'watcher'

/** A database while it is used: it is awake, and stays so. */
export interface OpenDatabase {
  /** A few connections, opened when they are needed. */
  pool(role: DatabaseRole): pg.Pool
  /** The same connections for statements of Kysely and transactions. */
  db(role: DatabaseRole): Db
  /** What was seen of its disk a moment ago; sessions of the app's roles that begin meanwhile only read. */
  readonly disk: DiskState
  /** What is seen of it now. */
  lookAtDisk(): Promise<DiskState>
}

/**
 * `full`: it has reached the disk of its package, and takes only what deletes. `growing`: even so it has grown, by code of the app that runs
 * within a DELETE perhaps, so that only TRUNCATE, DROP and VACUUM are left. `machine`: the disk below it is short, and nothing may be written but what makes room at once.
 */
export type DiskState = 'free' | 'full' | 'growing' | 'machine'

/** Why it only answers reads for now; null where it does not. */
export const readOnlyBy = (disk: DiskState): 'disk' | 'machine' | null =>
  disk === 'free' ? null : disk === 'machine' ? 'machine' : 'disk'

/** A database as it is recorded. */
export interface DatabaseRecord extends CloudKey {
  /** By which it is called where it lies: that of its cloud, or of the move that made it. */
  ref: string
  provider: 'local' | 'external'
  /** The machine (`local`) or the server of the configuration (`external`) that has it. */
  place: string
  /** `local`: the user of the machine that runs it; null where the server of the machine is no root. */
  osUser: number | null
  /** `external`: what the passwords of its roles come from. */
  secretsSealed: string | null
}

/** All files of a database, as they are at one moment. */
export interface DatabaseCopy {
  /** Of the transaction that it would begin next. */
  nextTransaction: bigint
  serverVersion: string
  /** Read once, and as fast as it is read. */
  tar: AsyncIterable<Buffer>
}

export interface RestoreOptions {
  /** Of this restoring, the same in each run: twelve letters and digits. */
  id: string
  /** The copy from its beginning; it throws at its end where it is not what was stored. */
  tar: () => AsyncIterable<Buffer>
  maxBytes: number
  /** False once its end is recorded, as at the deletion of its cloud. */
  isWanted: () => Promise<boolean>
}

/** Copies of one database. */
export interface DatabaseBackups {
  /** Throws DATABASE_NO_ROOM (503 with Retry-After) where the disk has none for a copy with so many bytes. */
  requireRoom(bytes: number): Promise<void>
  /** That of a copy that was taken now; undefined where only a copy can tell, since the database is awake. */
  nextTransaction(): Promise<bigint | undefined>
  copy<Result>(work: (copy: DatabaseCopy) => Promise<Result>): Promise<Result>
  /**
   * A copy takes the place of the database, as a whole or not at all, wherever a process is killed; after that the next run goes on. False where
   * another process is at it.
   */
  restore(options: RestoreOptions): Promise<boolean>
  /** It was given up: the database is what it was before, or what it has become if that was complete. */
  endRestore(id: string): Promise<void>
}

/** What the secret of a database is sealed for. */
export const sealedFor = ({ cloudId }: CloudKey): string => `database ${cloudId}`

/** Where databases come from. Each method may run any number of times, in whatever process; after a kill the next run goes on. */
export interface DatabaseProvider extends AsyncDisposable {
  readonly name: DatabaseRecord['provider']
  /** Whether the roles of its databases have passwords. */
  readonly hasPasswords: boolean
  /** Where a new one is to lie; undefined where there is no room. `osUser`s that are taken there are named. */
  place(
    taken: { place: string; osUser: number | null }[],
  ): Promise<Pick<DatabaseRecord, 'place' | 'osUser'> | undefined>
  make(database: DatabaseRecord): Promise<void>
  /**
   * Wakes it and keeps it awake until `work` ends. Throws DATABASE_ELSEWHERE (503), DATABASE_NO_ROOM (503 with Retry-After),
   * DATABASE_TOO_LARGE (503), DATABASE_DOES_NOT_START (503), and what `work` throws.
   */
  use<Result>(database: DatabaseRecord, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Ends what runs of it here: the cloud was suspended, is deleted or restored. */
  stop(database: DatabaseRecord): Promise<void>
  remove(database: DatabaseRecord): Promise<void>
  /** Absent where whoever has the server backs up all of it. Throws DATABASE_ELSEWHERE. */
  backups?(database: DatabaseRecord): Promise<DatabaseBackups>
}

/** All databases of dedicated clouds. */
export interface CloudDatabases extends AsyncDisposable {
  /** The same as the provider's; throws CLOUD_NOT_READY where the cloud has no database (yet). */
  use<Result>(cloud: CloudKey, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Throws DATABASE_NO_ROOM and DATABASES_UNAVAILABLE where a new database would find no place. */
  requireRoom(): Promise<void>
  /** A step of provisioning and moving: throws DATABASE_NO_ROOM where no provider has room. `ref` is what a new one is called. */
  make(cloud: CloudKey & { ref: string }): Promise<void>
  stop(cloud: CloudKey): Promise<void>
  /** Throws BACKUPS_OF_OPERATOR, and as `use`. */
  backups(cloud: CloudKey): Promise<DatabaseBackups>
  /** A step of deletion: nothing of it is left, its record neither. */
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
  canceled,
  cutText,
  type DatabaseReport,
  databaseReport,
  noRoomFailure,
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
export { maxReceivedBytes, Received } from './received.ts'
export { ourSchemas } from './schemas.ts'
export { Script, type Submitted } from './script.ts'
export {
  asRole,
  type DatabaseCaller,
  type RoleOptions,
  type RoleSession,
  readOnlyState,
  type Statement,
} from './session.ts'
export { exportLock, maxExportMs } from './watch/limits.ts'
export { makingRoomName } from './watch/sessions.ts'
export { maxBytesOf } from './watch/watch.ts'
