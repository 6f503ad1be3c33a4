import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that second factors use. */
export interface FactorsApp {
  clock: Clock
  config: Config
  db: Db
  jobs: Jobs
  log: Log
  /** Encrypts the secrets of authenticator apps and signs the hashes of recovery codes. */
  secrets: Secrets
}

export const job = jobsOf<FactorsApp>()
