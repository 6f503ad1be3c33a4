import type { InvitationsApp } from '#account/invitations'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { BoundHolding } from '#platform/holdings'
import { type RequestContext, routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'

/** The slice of the app that asks for deletions and takes them back. */
export interface DeletionApp extends InvitationsApp {
  clock: Clock
  db: Db
}

/** The slice of the app whose jobs carry deletions out. */
export interface DeletionJobsApp extends DeletionApp {
  /** What every room holds of an account, in the order in which it is deleted. */
  holdings: readonly BoundHolding[]
  log: Log
}

export type DeletionContext<Body = unknown> = RequestContext<DeletionApp, Body>

export const route = routesOf<DeletionApp>()
export const job = jobsOf<DeletionJobsApp>()
