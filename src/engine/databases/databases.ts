/**
 * Databases of dedicated clouds: a PostgreSQL that belongs to one app alone, on this machine (`local`) or on a server of the operator
 * (`external`), woken by its first use (docs/decisions/0079).
 */
import type pg from 'pg'
import type { CloudKey } from '#engine/clouds'
import type { Db } from '#platform/db'

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
}

/** A database as it is recorded. */
export interface DatabaseRecord extends CloudKey {
  ref: string
  provider: 'local' | 'external'
  /** The machine (`local`) or the server of the configuration (`external`) that has it. */
  place: string
  /** `local`: the user of the machine that runs it; null where the server of the machine is no root. */
  osUser: number | null
}

/** Where databases come from. Each method may run any number of times, in whatever process; after a kill the next run goes on. */
export interface DatabaseProvider extends AsyncDisposable {
  readonly name: DatabaseRecord['provider']
  /** Where a new one is to lie; undefined where there is no room. `osUser`s that are taken there are named. */
  place(
    taken: { place: string; osUser: number | null }[],
  ): Promise<Pick<DatabaseRecord, 'place' | 'osUser'> | undefined>
  make(database: DatabaseRecord): Promise<void>
  /**
   * Wakes it and keeps it awake until `work` ends. Throws DATABASE_ELSEWHERE (503), DATABASE_NO_ROOM (503 with Retry-After) and
   * DATABASE_DOES_NOT_START (503), and what `work` throws.
   */
  use<Result>(database: DatabaseRecord, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Ends what runs of it here: the cloud was suspended, is deleted or restored. */
  stop(database: DatabaseRecord): Promise<void>
  remove(database: DatabaseRecord): Promise<void>
}

/** All databases of dedicated clouds. */
export interface CloudDatabases extends AsyncDisposable {
  /** The same as the provider's; throws CLOUD_NOT_READY where the cloud has no database (yet). */
  use<Result>(cloud: CloudKey, work: (open: OpenDatabase) => Promise<Result>): Promise<Result>
  /** Throws DATABASE_NO_ROOM and DATABASES_UNAVAILABLE where a new database would find no place. */
  requireRoom(): Promise<void>
  /** A step of provisioning: throws DATABASE_NO_ROOM where no provider has room. */
  make(cloud: CloudKey & { ref: string }): Promise<void>
  stop(cloud: CloudKey): Promise<void>
  /** A step of deletion: nothing of it is left, its record neither. */
  remove(cloud: CloudKey): Promise<void>
}

/** What a use of a database can fail with, beside what its work fails with. */
export const databaseErrors = [
  'DATABASE_ELSEWHERE',
  'DATABASE_NO_ROOM',
  'DATABASE_BUSY',
  'DATABASE_DOES_NOT_START',
  'DATABASES_UNAVAILABLE',
] as const

export { LocalProvider } from './local/provider.ts'
export { type DatabasesOptions, openCloudDatabases } from './open.ts'
export { PlatformSizes } from './platform-sizes.ts'
