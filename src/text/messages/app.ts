import type { ModelRequestApp } from '#core/text'
import { routesOf } from '#platform/http'
import { type Jobs, jobsOf } from '#platform/jobs'

/** The slice of the app that messages and their batches use. */
export interface MessagesApp extends ModelRequestApp {
  /** The queue of background work. */
  jobs: Jobs
}

export const job = jobsOf<MessagesApp>()
export const route = routesOf<MessagesApp>()
