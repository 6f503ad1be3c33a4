import type { InvitationsApp } from '#account/invitations'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { BoundHolding } from '#platform/holdings'
import { type RequestContext, routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Storage } from '#platform/storage'

/** The slice of the app that exports of people use. */
export interface ExportsApp extends InvitationsApp {
  clock: Clock
  db: Db
  /** What every room holds of an account: the files of a person are among it. */
  holdings: readonly BoundHolding[]
  log: Log
  metrics: Metrics
  /** Bytes that outlive a process. */
  storage: Storage
}

export type ExportContext<Params = unknown> = RequestContext<ExportsApp, unknown, unknown, Params>

export const route = routesOf<ExportsApp>()
export const job = jobsOf<ExportsApp>()
