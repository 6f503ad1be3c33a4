import { publishJob } from '#engine/sites'
import type { Job } from '#platform/jobs'
import { sweepJob } from './jobs.ts'
import { routes } from './routes.ts'

/** Websites that a project publishes for everybody. */
export const sites = { name: 'sites', routes, jobs: [publishJob as Job<never>, sweepJob as Job<never>] }
