import type { FilesApp } from '#core/files'
import type { Catalogue } from '#core/models'
import type { Inference } from '#core/routing'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { DiskSpace } from '#platform/disk-space'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'

/** The slice of the app that paid requests use. */
export interface PaidApp {
  clock: Clock
  config: Config
  inference: Inference
  keys: KeyRing
  ledger: Ledger
  log: Log
  metrics: Metrics
  models: Catalogue
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** Stores the results that are charged. */
  files: FilesApp
}
