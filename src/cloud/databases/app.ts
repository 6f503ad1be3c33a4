import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'

/** The slice of the app that the limits and measurements of databases use. */
export interface DatabasesApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
}
