import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Spool } from '#platform/spool'

/** The slice of the app that the usage of an account takes. */
export interface UsageApp {
  clock: Clock
  db: Db
  /** Holds an export while it is sent. */
  spool: Spool
}

export type UsageContext<Query> = Pick<
  RequestContext<UsageApp, unknown, Query>,
  'app' | 'caller' | 'query' | 'language'
>

export const route = routesOf<UsageApp>()
export const job = jobsOf<UsageApp>()
