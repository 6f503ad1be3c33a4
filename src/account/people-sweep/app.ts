import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { jobsOf } from '#platform/jobs'

/** The slice of the app that the sweep uses. */
export interface PeopleSweepApp {
  clock: Clock
  db: Db
}

export const job = jobsOf<PeopleSweepApp>()
