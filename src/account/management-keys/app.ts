import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that management keys use. */
export interface ManagementKeysApp {
  clock: Clock
  db: Db
  /** Seals the answer with a new secret, which is kept for a repeat of the request. */
  secrets: Secrets
}

export type ManagementKeysContext<Body = unknown, Query = unknown, Params = unknown> = RequestContext<
  ManagementKeysApp,
  Body,
  Query,
  Params
>

export const route = routesOf<ManagementKeysApp>()
