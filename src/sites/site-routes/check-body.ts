import type { RequestContext } from '#platform/http'
import { type CheckedPublication, keptContents, limitsOf, type ShownSite } from '#sites/hosting'
import type { SitesApp } from './app.ts'

/** Checks the publication in the body of the request: a new version of this site, or a site that does not exist yet. */
export function checkBody(
  { app, bodyFile }: Pick<RequestContext<Pick<SitesApp, 'config' | 'db' | 'siteChecks'>>, 'app' | 'bodyFile'>,
  site?: ShownSite,
): Promise<CheckedPublication> {
  const siteKey = site && { accountId: site.account_id, siteId: site.site_id }
  return app.siteChecks.check(bodyFile!, {
    limits: limitsOf(app.config.sites, site?.limits),
    kept: async (hashes) => (siteKey ? await keptContents(app.db.kysely, siteKey, hashes) : new Map()),
  })
}
