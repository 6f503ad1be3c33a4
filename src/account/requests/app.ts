import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'

/** The slice of the app that the list of requests uses. */
export interface RequestsApp {
  clock: Clock
  db: Db
  /** Encrypts the cursors `since`. */
  secrets: Secrets
  /** Holds an export while it is sent. */
  spool: Spool
}

export const route = routesOf<RequestsApp>()
export const job = jobsOf<RequestsApp>()
