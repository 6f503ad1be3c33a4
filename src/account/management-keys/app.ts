import type { LettersApp } from '#account/letters'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'

/** The slice of the app that management keys use. Its `secrets` also seal the answer with a new secret, which is kept for a repeat of the request. */
export interface ManagementKeysApp extends LettersApp {
  clock: Clock
  db: Db
}

export type ManagementKeysContext<Body = unknown, Query = unknown, Params = unknown> = RequestContext<
  ManagementKeysApp,
  Body,
  Query,
  Params
>

export const route = routesOf<ManagementKeysApp>()
