import type { KeyRing, Sessions } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { DiskSpace } from '#platform/disk-space'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'
import type { Storage } from '#platform/storage'
import type { Tracing } from '#platform/trace'

/** The slice of the app that the HTTP server uses. The app of the routes has at least these members. */
export interface HttpApp {
  clock: Clock
  config: Config
  keys: KeyRing
  ledger: Ledger
  log: Log
  metrics: Metrics
  /** Opens stored answers that are encrypted. */
  secrets: Secrets
  /** Sessions of people. */
  sessions: Sessions
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** Bytes that outlive a process. */
  storage: Storage
  /** Undefined when tracing is not configured. */
  tracing?: Tracing | undefined
}
