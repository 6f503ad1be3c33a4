/** The HTTP of websites: the routes that publish them, and what visitors get from the second listener (docs/decisions/sites/serving.md). */
import { publishJob } from '#sites/hosting'
import { domainsJob } from './domains/job.ts'
import { domainRoutes } from './domains/routes.ts'
import { sweepJob } from './jobs.ts'
import { routes } from './routes.ts'
import { openSiteHandler } from './serve/open-site-handler.ts'

export type { SitesApp } from './app.ts'
export type { LinkedCloud, LinkedClouds } from './linked-clouds.ts'

/** Websites that a project publishes for everybody. */
export const sites = {
  name: 'sites',
  routes: [...routes, ...domainRoutes],
  jobs: [publishJob, sweepJob, domainsJob],
  apps: openSiteHandler,
}
