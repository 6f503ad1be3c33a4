import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Processes } from '#platform/processes'
import type { Storage } from '#platform/storage'
import type { WaitingFolder } from './waiting.ts'

/** The slice of the app that stored files use. */
export interface FilesApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
  metrics: Metrics
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
  /** Bytes that outlive a process. */
  storage: Storage
  /** The place on this machine where paid results wait while the store fails; absent where the store is this machine's disk itself. */
  waiting?: WaitingFolder | undefined
}
