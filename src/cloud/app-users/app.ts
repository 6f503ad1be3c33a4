import type { CloudDirectory } from '#cloud/clouds'
import type { CloudDatabases } from '#cloud/databases'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Storage } from '#platform/storage'
import type { SiteDirectory } from '#sites/hosting'
import type { AppUsers } from './users.ts'

/** The slice of the app that reads and changes of users use, wherever the users are. */
export interface UsersApp {
  /** Sessions of people who sign in to apps. */
  appUsers: AppUsers
  clock: Clock
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  log: Log
}

/** The slice of the app that sign-in uses: what people do with their own accounts. */
export interface AppSignInApp extends UsersApp {
  config: Config
  /** Absent where the operator has named no mail server. */
  mail?: Mailer | undefined
  /** Signs tokens. */
  secrets: Secrets
  /** Every host of every published website: links may lead to those of the cloud. */
  sites: SiteDirectory
}

/** The slice of the app that the pages of mailed links use. */
export interface LinkPageApp extends AppSignInApp {
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
}

/** The slice of the app that deletions of users use. */
export interface UserRemovalApp extends UsersApp {
  /** Bytes that outlive a process, such as those of private files. */
  storage: Storage
}

/** The slice of the app that developers use for the users of their apps. */
export interface UserAdminApp extends AppSignInApp {
  /** Bytes that outlive a process, such as those of private files. */
  storage: Storage
}

/** The slice of the app that the jobs about users use. */
export interface UserJobsApp extends UserRemovalApp {
  config: Config
  /** Absent where the operator has named no mail server. */
  mail?: Mailer | undefined
  metrics: Metrics
  /** Signs tokens. */
  secrets: Secrets
}

export const job = jobsOf<UserJobsApp>()
