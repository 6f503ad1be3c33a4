import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import type { Metrics } from '#platform/metrics'
import type { Readiness } from '#platform/readiness'

/** The slice of the app that health checks and metrics use. */
export interface HealthApp {
  config: Config
  db: Db
  /** The fingerprint by which `kherad doctor` recognises the server of its data folder; undefined where the folder has no record. */
  instance: string | undefined
  metrics: Metrics
  /** The problems that keep this process from serving well. */
  readiness: Readiness
}

export const route = routesOf<HealthApp>()
