import type { AppFilesApp } from '#cloud/app-files'
import type { AppUsers, UserAdminApp } from '#cloud/app-users'
import type { BackupsApp } from '#cloud/backups'
import type { BucketsApp } from '#cloud/buckets'
import type { CloudAllowances, CloudDirectory, CloudsApp } from '#cloud/clouds'
import type { Collections } from '#cloud/collections'
import type { CloudDatabases } from '#cloud/databases'
import type { FunctionRuntime, FunctionsApp, PlatformFunctions } from '#cloud/functions'
import type { CloudSql } from '#cloud/sql'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { DiskSpace } from '#platform/disk-space'
import { routesOf } from '#platform/http'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'
import type { Storage } from '#platform/storage'
import type { SiteDirectory } from '#sites/hosting'

/** The slice of the app that the routes of clouds and of their keys use. */
export interface CloudRoutesApp extends CloudsApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  ledger: Ledger
}

export const cloudRoute = routesOf<CloudRoutesApp>()

/** The slice of the app that the routes of sign-in use: its settings, the users of the app, and the pages of mailed links. */
export interface AuthRoutesApp extends UserAdminApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
}

export const authRoute = routesOf<AuthRoutesApp>()

/** The slice of the app that the routes of collections and SQL use. */
export interface DatabaseRoutesApp {
  clock: Clock
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  config: Config
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  log: Log
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** SQL of the developers of dedicated clouds. */
  sql: CloudSql
}

export const databaseRoute = routesOf<DatabaseRoutesApp>()

/** The slice of the app that the routes of files and buckets use. */
export interface StorageRoutesApp {
  clock: Clock
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  log: Log
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
}

export const storageRoute = routesOf<StorageRoutesApp>()

/** The slice of the app that the routes of functions and their secrets use. */
export interface FunctionRoutesApp extends FunctionsApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
}

export const functionRoute = routesOf<FunctionRoutesApp>()

/** The slice of the app that the export of a cloud uses. */
export interface ExportApp {
  clock: Clock
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  log: Log
  metrics: Metrics
  /** Bytes that outlive a process. */
  storage: Storage
}

export const exportRoute = routesOf<ExportApp>()

/** The slice of the app that the import into a cloud uses. */
export interface ImportApp extends FunctionsApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  /** Bytes that outlive a process. */
  storage: Storage
}

export const importRoute = routesOf<ImportApp>()

/** The slice of the app that the routes of backups use. */
export interface BackupRoutesApp extends BackupsApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  ledger: Ledger
  /** Encrypts the keys of a cloud that is made for a backup. */
  secrets: Secrets
}

export const backupRoute = routesOf<BackupRoutesApp>()

/** The slice of the app that the steps of a move use. */
export interface CloudMoveApp {
  /** Sessions of people who sign in to apps. */
  appUsers: AppUsers
  clock: Clock
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  log: Log
}

/** The slice of the app that the route which begins a move uses. */
export interface MoveRoutesApp extends CloudMoveApp {
  config: Config
  ledger: Ledger
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
}

export const moveRoute = routesOf<MoveRoutesApp>()

/** The slice of the app that the deletion of a cloud uses, with all that is in it. */
export interface CloudDeletionApp {
  /** Sessions of people who sign in to apps. */
  appUsers: AppUsers
  clock: Clock
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  config: Config
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  /** Runs the functions of clouds. */
  functions: FunctionRuntime
  /** The queue of background work. */
  jobs: Jobs
  log: Log
  metrics: Metrics
  /** Every host of every published website. */
  sites: SiteDirectory
  /** Bytes that outlive a process. */
  storage: Storage
}

/** The slice of the app that the jobs of clouds use: they go on with provisioning and moves, and delete. */
export interface CloudJobsApp extends CloudMoveApp {
  /** Deletes clouds, and sweeps their objects. */
  cloudDeletion: CloudDeletionApp
  config: Config
  /** Encrypts the keys that sign sessions. */
  secrets: Secrets
}

export const job = jobsOf<CloudJobsApp>()

/** The slice of the app that ends what runs of stopped clouds. */
export interface StoppedCloudsApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  /** Runs the functions of clouds. */
  functions: FunctionRuntime
  log: Log
}

/** The slice of the app that the areas at the address of a cloud use. */
export interface AppCallApp {
  /** Private files of app users. */
  appFiles: AppFilesApp
  /** Buckets and their objects. */
  buckets: BucketsApp
  clock: Clock
  /** The allowance for calls of functions, and for the bytes of their answers. */
  cloudAllowances: Pick<CloudAllowances, 'takeCall' | 'expectEgress'>
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  config: Config
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  /** The code that functions run. */
  functionSource: PlatformFunctions
  /** Runs the functions of clouds. */
  functions: FunctionRuntime
  /** Signs links to objects, and the depth of calls. */
  secrets: Secrets
  /** Users of the app, and their sign-in. */
  users: UserAdminApp
}

/** The slice of the app that the handler of the clouds' hosts uses. Its areas get `appCalls`. */
export interface CloudHandlerApp {
  /** Answers the calls of apps, each in its area. */
  appCalls: AppCallApp
  /** Sessions of people who sign in to apps. */
  appUsers: AppUsers
  clock: Clock
  /** The allowance for the bytes that leave a cloud. */
  cloudAllowances: Pick<CloudAllowances, 'takeEgress' | 'egressEnded'>
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  config: Config
  db: Db
  log: Log
  metrics: Metrics
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** Files in transit, on the disk of this machine. */
  spool: Spool
}
