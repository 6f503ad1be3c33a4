import type { LettersApp } from '#account/letters'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { jobsOf } from '#platform/jobs'

/** The slice of the app that notices use. */
export interface NoticesApp extends LettersApp {
  clock: Clock
  db: Db
}

export const job = jobsOf<NoticesApp>()
