import type { OutboxApp } from '#account/letters'
import { routesOf } from '#platform/http'

/** The slice of the app that the routes of the operator's outbox use. */
export type MailRoutesApp = OutboxApp

export const route = routesOf<MailRoutesApp>()
