import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'

/** The slice of the app that the first start uses. */
export interface IdentityApp {
  clock: Clock
  db: Db
}
