import type { LettersApp } from '#account/letters'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { SmsSender } from '#platform/sms'

/** The slice of the app that queues text messages, and letters to operators and to people whose number changes. */
export interface PhonesApp extends LettersApp {
  config: Config
}

/** The slice of the app that the job uses which sends text messages. */
export interface TextJobsApp extends PhonesApp {
  clock: Clock
  db: Db
  log: Log
  metrics: Metrics
  /** Absent where the operator has described no gateway. */
  sms?: SmsSender | undefined
}

export const job = jobsOf<TextJobsApp>()
