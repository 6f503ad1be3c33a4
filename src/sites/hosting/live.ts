/** Which version visitors get: one number in the row of the site. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { HostingApp } from './app.ts'
import { announceSite } from './directory.ts'
import { setExpiries } from './expire.ts'
import type { SiteRow } from './store.ts'
import * as store from './store.ts'
import * as versionStore from './version-store.ts'

/** Makes a version live. Publications up to `settledVersion` do not become live by themselves from here on. The site is locked. */
export async function makeLive(
  tx: Tx,
  site: SiteRow,
  version: number,
  settledVersion: number,
  now: Date,
): Promise<void> {
  const siteKey = { accountId: site.account_id, siteId: site.site_id }
  if (site.live_version !== null)
    await versionStore.changeVersion(tx, { ...siteKey, version: site.live_version }, { replaced_at: now })
  await versionStore.changeVersion(tx, { ...siteKey, version }, { live_at: now })
  await store.changeSite(tx, siteKey, {
    live_version: version,
    settled_version: settledVersion,
    updated_at: now,
  })
}

/**
 * Makes a kept version live: the named one, or the one that was live before the current one. Publications that were accepted before this do not
 * become live by themselves any more. The site is locked. Throws SITE_TAKEN_DOWN, SITE_VERSION_NOT_FOUND, SITE_VERSION_NOT_READY, SITE_VERSION_LIVE
 * and SITE_NOTHING_BEFORE.
 */
export async function rollBack(
  app: Pick<HostingApp, 'config'>,
  tx: Tx,
  site: SiteRow,
  { version: named, now }: { version: number | undefined; now: Date },
): Promise<void> {
  const { account_id: accountId, site_id: siteId, live_version: live } = site
  if (site.taken_down_at !== null) fail('SITE_TAKEN_DOWN', {})
  const version = named ?? (await versionBefore(tx, site))
  if (version === live) fail('SITE_VERSION_LIVE', { version }, { param: 'version' })
  const versions = await versionStore.versionsOf(tx, { accountId, siteId })
  const row = versions.find((one) => one.version === version)
  if (!row) return fail('SITE_VERSION_NOT_FOUND', { version }, { param: 'version' })
  if (row.status !== 'ready') fail('SITE_VERSION_NOT_READY', { version }, { param: 'version' })
  await makeLive(tx, site, version, site.newest_version, now)
  await setExpiries(app, tx, { accountId, siteId }, now)
  await announceSite(tx, accountId, siteId)
}

async function versionBefore(
  tx: Tx,
  { account_id: accountId, site_id: siteId, live_version: live }: SiteRow,
): Promise<number> {
  const before =
    live === null ? undefined : await versionStore.versionBefore(tx, { accountId, siteId, version: live })
  return before ?? fail('SITE_NOTHING_BEFORE', {})
}
