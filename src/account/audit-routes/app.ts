import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'

/** The slice of the app that the routes of the audit log use. */
export interface AuditRoutesApp {
  db: Db
}

export const route = routesOf<AuditRoutesApp>()
