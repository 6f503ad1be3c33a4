import type { App } from '#app'
import { routesOf, socketRoutesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'

export const job = jobsOf<App>()
export const route = routesOf<App>()
export const socketRoute = socketRoutesOf<App>()
