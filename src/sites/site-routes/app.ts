import type { App } from '#app'
import { routesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'

export const job = jobsOf<App>()
export const route = routesOf<App>()
