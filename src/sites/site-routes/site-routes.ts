/** The HTTP of websites: the routes that publish them, and what visitors get from the second listener (docs/decisions/sites/serving.md). */
import type { App } from '#app'
import type { Job } from '#platform/jobs'
import { publishJob } from '#sites/hosting'
import { domainsJob } from './domains/job.ts'
import { domainRoutes } from './domains/routes.ts'
import { sweepJob } from './jobs.ts'
import { routes } from './routes.ts'
import { openSiteHandler } from './serve/open-site-handler.ts'

/** Websites that a project publishes for everybody. */
export const sites = {
  name: 'sites',
  routes: [...routes, ...domainRoutes],
  jobs: [publishJob as Job<never, App>, sweepJob as Job<never, App>, domainsJob as Job<never, App>],
  apps: openSiteHandler,
}
