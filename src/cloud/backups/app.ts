import type { CloudDatabases } from '#cloud/databases'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Storage } from '#platform/storage'

/** The slice of the app that backups use. */
export interface BackupsApp {
  clock: Clock
  config: Config
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  log: Log
  metrics: Metrics
  /** Bytes that outlive a process. */
  storage: Storage
}

export const job = jobsOf<BackupsApp>()
