/** What the operator does to a site. Everything here throws SITE_NOT_FOUND where the site has been deleted meanwhile. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { HostingApp } from './app.ts'
import { announceSite } from './directory.ts'
import type { SiteKey, SiteRow } from './store.ts'
import * as store from './store.ts'

interface TakedownServices extends Pick<HostingApp, 'db' | 'clock'> {
  /** Writes what belongs to the change in its transaction, such as a row of the audit log. */
  alongside?: (tx: Tx, before: SiteRow, after: SiteRow) => Promise<void>
}

/** Takes a site down: visitors get a notice from here on, and nothing is published. What is stored stays. */
export const takeDown = (
  services: TakedownServices,
  siteKey: SiteKey,
  reason: string | null,
): Promise<SiteRow> =>
  change(services, siteKey, (tx, now) =>
    store.changeSite(tx, siteKey, { taken_down_at: now, taken_down_reason: reason }),
  )

/** Restores a site: visitors get it again. */
export const restore = (services: TakedownServices, siteKey: SiteKey): Promise<SiteRow> =>
  change(services, siteKey, (tx) =>
    store.changeSite(tx, siteKey, { taken_down_at: null, taken_down_reason: null }),
  )

/** Sets limits of this site alone; null takes one back, and a limit that is not named stays as it is. */
export const setLimits = (
  services: TakedownServices,
  siteKey: SiteKey,
  changes: Record<string, number | null>,
): Promise<SiteRow> =>
  change(services, siteKey, (tx, _now, { limits }) => {
    const merged = Object.entries({ ...limits, ...changes }).filter(([, value]) => value !== null)
    return store.setLimits(tx, siteKey, Object.fromEntries(merged) as Record<string, number>)
  })

async function change(
  { db, clock, alongside }: TakedownServices,
  siteKey: SiteKey,
  work: (tx: Tx, now: Date, site: SiteRow) => Promise<unknown>,
): Promise<SiteRow> {
  return db.tx(async (tx) => {
    const site = (await store.lockSite(tx, siteKey)) ?? fail('SITE_NOT_FOUND', {}, { param: 'id' })
    await work(tx, new Date(clock.nowMs()), site)
    await announceSite(tx, siteKey.accountId, siteKey.siteId)
    const after = (await store.lockSite(tx, siteKey))!
    await alongside?.(tx, site, after)
    return after
  })
}
