import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { Failure } from '#platform/errors'
import { type Holding, heldTables, type Portion } from '#platform/holdings'
import { deleteSite } from './delete.ts'
import type { SiteDirectory } from './directory.ts'
import * as store from './store.ts'
import { restore, takeDown } from './takedown.ts'

interface SitesApp {
  clock: Clock
  db: Db
  /** Every host of every published website. */
  sites: SiteDirectory
}

/** Why a site is down whose account is being deleted. */
const closingReason = 'این حساب در حال حذف است. The account of this site is being deleted.'
const portion = 100

const contents = heldTables('sites', [
  { name: 'sites.blobs', blobs: 'array[t.storage_key, t.brotli_key, t.gzip_key]' },
])

/** The websites of an account, those of app back-ends too. Visitors get a notice while the deletion can be undone. */
export const sitesHolding: Holding<SitesApp> = {
  room: 'sites',
  tables: [
    'sites.sites',
    'sites.versions',
    'sites.domains',
    'sites.files',
    'sites.usage_days',
    ...contents.tables,
  ],
  pause: (app, accountId) =>
    forEachSite(app, { accountId, reason: null }, (siteKey) => takeDown(app, siteKey, closingReason)),
  resume: (app, accountId) =>
    forEachSite(app, { accountId, reason: closingReason }, (siteKey) => restore(app, siteKey)),
  async erase(app, accountId): Promise<Portion> {
    const [siteId] = await store.sitesOfAccount(app.db, accountId, 1)
    if (siteId === undefined) return contents.erase(app, accountId)
    await app.db.tx(async (tx) => {
      const site = await store.lockSite(tx, { accountId, siteId })
      // What only the deletion has taken down was taken down by no operator: its address is closed as any other.
      const isOurs = site?.taken_down_reason === closingReason
      if (site) await deleteSite(app, tx, isOurs ? { ...site, taken_down_at: null } : site)
    })
    await app.sites.refresh({ accountId, siteId })
    return 'more'
  },
}

/** Changes the sites that are up (null), or down for a reason, until there is none. One that was deleted meanwhile is left out. */
async function forEachSite(
  app: SitesApp,
  of: { accountId: string; reason: string | null },
  change: (siteKey: store.SiteKey) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const siteIds = await store.sitesDownFor(app.db, of, portion)
    for (const siteId of siteIds) {
      const siteKey = { accountId: of.accountId, siteId }
      await change(siteKey).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
      })
      await app.sites.refresh(siteKey)
    }
    if (siteIds.length < portion) return
  }
}
