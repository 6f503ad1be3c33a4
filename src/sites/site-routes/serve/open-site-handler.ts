import type { HostHandler } from '#platform/apps'
import { reportLost } from '#platform/storage'
import { limitsOf, openSiteAllowances, readManifest, readStaleFiles } from '#sites/hosting'
import type { SitesApp } from '../app.ts'
import { Blobs } from './blobs.ts'
import { OpenVersions } from './open-versions.ts'
import { SiteHandler } from './serve.ts'

/** Answers for the hosts of all sites. */
export function openSiteHandler(app: SitesApp): HostHandler {
  const { clock, config, db, log, sites: directory, storage } = app
  return new SiteHandler({
    directory,
    versions: new OpenVersions({
      readManifest: (version) => readManifest(db, version),
      readStaleFiles: (site, live) => readStaleFiles(db, site, live, clock.nowMs()),
    }),
    blobs: new Blobs(storage),
    allowances: openSiteAllowances({
      ...{ clock, db, log },
      limitsOf: ({ limits: own }) => {
        const { dailyRequests, dailyBytes } = limitsOf(config.sites, own)
        return { requests: dailyRequests, bytes: dailyBytes }
      },
    }),
    ...{ clock, log },
    reportLost: (key) => reportLost(app, key),
  })
}
