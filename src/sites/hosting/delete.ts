import type { Tx } from '#platform/db'
import { markForDeletion } from '#platform/storage'
import type { HostingApp } from './app.ts'
import { hashesIn, releaseBlobs } from './content-store.ts'
import { announceSite } from './directory.ts'
import type { SiteRow } from './store.ts'
import * as store from './store.ts'
import { versionsOf } from './version-store.ts'

/** How long the slug of a deleted site is closed: nobody else inherits its visitors before that. */
const slugClosedMs = 90 * 24 * 60 * 60 * 1000

/**
 * Deletes a site that this transaction has locked, with its versions, domains and counts; the sweep deletes its contents, except those that another
 * site has. Returns the keys of bytes that `deletePendingBlobs` may delete at once.
 */
export async function deleteSite(
  { clock }: Pick<HostingApp, 'clock'>,
  tx: Tx,
  site: SiteRow,
): Promise<string[]> {
  const siteKey = { accountId: site.account_id, siteId: site.site_id }
  const now = new Date(clock.nowMs())
  const versions = await versionsOf(tx, siteKey)
  const hashes = await hashesIn(
    tx,
    siteKey,
    versions.map(({ version }) => version),
  )
  const packs = versions.flatMap(({ pack_key: key }) => (key === null ? [] : [key]))
  await markForDeletion(tx, packs, now)
  await store.deleteSite(tx, siteKey)
  await releaseBlobs(tx, siteKey.accountId, hashes, now)
  await store.closeSlug(tx, site.slug, new Date(now.getTime() + slugClosedMs), site.taken_down_at !== null)
  await announceSite(tx, siteKey.accountId, siteKey.siteId)
  return packs
}
