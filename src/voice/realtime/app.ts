import type { FilesApp } from '#core/files'
import type { Inference } from '#core/routing'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Processes } from '#platform/processes'
import type { Spool } from '#platform/spool'

/** The slice of the app that the settlement of a call uses. */
export interface CallSettlementApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
  metrics: Metrics
}

/** The slice of the app that the registry of calls uses. */
export interface CallRegistryApp extends CallSettlementApp {
  keys: KeyRing
  ledger: Ledger
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
}

/** The slice of the app that passthrough calls use. */
export interface PassthroughApp {
  clock: Clock
  config: Config
  db: Db
  inference: Inference
  log: Log
  metrics: Metrics
}

/** The slice of the app that keeping words and sound of calls uses. */
export interface KeptCallApp {
  clock: Clock
  config: Config
  db: Db
  /** Stores the sound. */
  files: FilesApp
  log: Log
  /** Files in transit, on the disk of this machine. */
  spool: Spool
}
