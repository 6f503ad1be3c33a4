import type { FilesApp } from '#core/files'
import { declarePermissions } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'

declare module '#platform/auth' {
  interface Permissions {
    talk: true
  }
}

declarePermissions('talk')

/** The slice of the app that Talk uses. */
export interface TalkApp {
  clock: Clock
  db: Db
  /** Attached files, which are deleted with the last conversation that has them. */
  files: FilesApp
  log: Log
}

export type TalkContext<Body = unknown, Query = unknown, Params = unknown> = RequestContext<
  TalkApp,
  Body,
  Query,
  Params
>

export const job = jobsOf<TalkApp>()
export const route = routesOf<TalkApp>()
