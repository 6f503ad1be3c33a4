import type { Catalogue } from '#core/models'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that keys, projects and the account use. */
export interface KeysApp {
  clock: Clock
  config: Config
  db: Db
  models: Catalogue
  /** Seals the answer with a new secret, which is kept for a repeat of the request. */
  secrets: Secrets
}

export type KeysContext<Body = unknown, Query = unknown, Params = unknown> = RequestContext<
  KeysApp,
  Body,
  Query,
  Params
>

export const route = routesOf<KeysApp>()
