import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that queues letters. */
export interface LettersApp {
  /** The queue of background work. */
  jobs: Jobs
  /** Seals what a letter says, since it may carry a code or a link. */
  secrets: Secrets
}

/** The slice of the app that reads letters which wait, and hands out their links. */
export interface OutboxApp extends LettersApp {
  clock: Clock
  config: Config
  db: Db
}

/** The slice of the app that the job uses which sends letters. */
export interface LetterJobsApp extends OutboxApp {
  log: Log
  /** Absent where the operator has named no mail server. */
  mail?: Mailer | undefined
  metrics: Metrics
}

export const job = jobsOf<LetterJobsApp>()
