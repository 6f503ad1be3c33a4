import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import type { Processes } from '#platform/processes'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that webhooks use. */
export interface WebhooksApp {
  clock: Clock
  config: Config
  db: Db
  log: Log
  metrics: Metrics
  /** HTTP client for URLs named by users; refuses private addresses. */
  net: GuardedNet
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
  /** Encrypts the secrets of connections. */
  secrets: Secrets
}

export const job = jobsOf<WebhooksApp>()
export const route = routesOf<WebhooksApp>()
