import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Storage } from '#platform/storage'

/** The slice of the app that private files use. */
export interface AppFilesApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
  metrics: Metrics
  /** Bytes that outlive a process. */
  storage: Storage
}
