import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Storage } from '#platform/storage'
import type { SiteCompressor } from './compress.ts'

/** The slice of the app that the functions of this room use, most of them a part of it. */
export interface HostingApp {
  clock: Clock
  config: Config
  db: Db
  jobs: Jobs
  log: Log
  metrics: Metrics
  /** Compresses the files of websites, in threads. */
  siteCompressor: SiteCompressor
  /** Bytes that outlive a process. */
  storage: Storage
}

export const job = jobsOf<HostingApp>()
