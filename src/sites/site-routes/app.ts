import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Storage } from '#platform/storage'
import type { SiteChecks, SiteDirectory } from '#sites/hosting'
import type { LinkedClouds } from './linked-clouds.ts'

/** The slice of the app that the routes, the jobs and the hosts of sites use. */
export interface SitesApp {
  clock: Clock
  config: Config
  db: Db
  jobs: Jobs
  /** Finds the app back-ends that sites are published for. */
  linkedClouds: LinkedClouds
  log: Log
  metrics: Metrics
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Checks publications of websites, in threads. */
  siteChecks: SiteChecks
  /** Every host of every published website. */
  sites: SiteDirectory
  /** Bytes that outlive a process. */
  storage: Storage
}

export const job = jobsOf<SitesApp>()
export const route = routesOf<SitesApp>()
