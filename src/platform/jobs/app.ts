import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { DiskSpace } from '#platform/disk-space'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Processes } from '#platform/processes'
import type { Tracing } from '#platform/trace'

/** The slice of the app that the workers use. The app of the jobs has at least these members. */
export interface JobsApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
  metrics: Metrics
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** Undefined when tracing is not configured. */
  tracing?: Tracing | undefined
}
