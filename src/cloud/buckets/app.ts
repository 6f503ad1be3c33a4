import type { CloudDatabases } from '#cloud/databases'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Storage } from '#platform/storage'

/** The slice of the app that buckets and their objects use. */
export interface BucketsApp {
  clock: Clock
  config: Config
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  db: Db
  log: Log
  metrics: Metrics
  /** Bytes that outlive a process. */
  storage: Storage
}

/** The slice of the app that links to objects use. */
export interface ObjectLinksApp {
  clock: Clock
  /** Signs links. */
  secrets: Secrets
}
