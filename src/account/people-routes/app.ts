import type { InvitationsApp } from '#account/invitations'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type HttpApp, type RequestContext, routesOf } from '#platform/http'

/** The slice of the app that the routes of people, members and invitations use. */
export interface PeopleRoutesApp extends InvitationsApp {
  clock: Clock
  config: HttpApp['config']
  db: Db
}

export type PeopleContext<Body = unknown, Query = unknown, Params = unknown> = RequestContext<
  PeopleRoutesApp,
  Body,
  Query,
  Params
>

export const route = routesOf<PeopleRoutesApp>()
