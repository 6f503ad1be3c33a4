import type { Catalogue } from '#core/models'
import type { PaidApp } from '#core/paid'
import type { DocumentReader } from '#core/tools'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import type { Storage } from '#platform/storage'

/** The slice of the app that knowledge uses. */
export interface KnowledgeApp {
  clock: Clock
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  keys: KeyRing
  ledger: Ledger
  log: Log
  metrics: Metrics
  models: Catalogue
  /** Pays for vectors. */
  paid: PaidApp
  /** Reads entire documents, for an index. */
  reader: DocumentReader
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Bytes that outlive a process. */
  storage: Storage
}

export const job = jobsOf<KnowledgeApp>()
export const route = routesOf<KnowledgeApp>()
