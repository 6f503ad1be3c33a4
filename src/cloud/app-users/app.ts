import type { App } from '#app'
import { jobsOf } from '#platform/jobs'

export const job = jobsOf<App>()
