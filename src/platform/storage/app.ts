import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Storage } from './storage.ts'

/** The slice of the app that the functions of this room use, each a part of it. */
export interface StorageApp {
  clock: Clock
  db: Db
  log: Log
  metrics: Metrics
  storage: Storage
}
