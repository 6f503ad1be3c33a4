import type { EnteringApp } from '#account/entering'
import type { Sessions } from '#platform/auth'
import { type RequestContext, routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { OpenIdProviders } from './providers.ts'

/** The slice of the app that signing in with OpenID Connect uses. */
export interface OpenIdApp extends EnteringApp {
  log: Log
  /** The providers of the configuration. */
  openId: OpenIdProviders
  /** Sessions of people. */
  sessions: Sessions
}

export type OpenIdContext<Body = unknown, Params = unknown> = RequestContext<OpenIdApp, Body, unknown, Params>

export const route = routesOf<OpenIdApp>()
export const job = jobsOf<OpenIdApp>()
