/** What is deleted by itself: versions that are kept no longer, and contents that no version names. */
import type { Tx } from '#platform/db'
import { markForDeletion } from '#platform/storage'
import type { HostingApp } from './app.ts'
import { deleteFiles, deleteUnused, hashesIn, releaseBlobs } from './content-store.ts'
import { announceSite } from './directory.ts'
import type { SiteKey } from './store.ts'
import * as store from './store.ts'
import type { VersionKey } from './version-store.ts'
import * as versionStore from './version-store.ts'

/** How long a replaced version stays: pages that were opened before still request its files. */
export const graceMs = 7 * 24 * 60 * 60 * 1000
/** The most ready versions of one site, in whatever time they were published. */
const maxReady = 20
/** A publication that counts on a content has this long to name it. */
const unusedMs = 60 * 60 * 1000
const batchSize = 100

/** Sets how long versions are kept, after a change of the live version or of the newest one. */
export const setExpiries = (
  { config }: Pick<HostingApp, 'config'>,
  tx: Tx,
  siteKey: SiteKey,
  now: Date,
): Promise<void> =>
  versionStore.setExpiries(tx, siteKey, { kept: config.sites.keptVersions, maxReady, graceMs, now })

/** Deletes the files of one version, which may have been the last ones with their contents. */
export async function forgetFiles(tx: Tx, versionKey: VersionKey, now: Date): Promise<void> {
  const hashes = await hashesIn(tx, versionKey, [versionKey.version])
  await deleteFiles(tx, versionKey)
  await releaseBlobs(tx, versionKey.accountId, hashes, now)
}

/** Deletes versions of a site whose time is over. */
export async function deleteExpired(
  { db, clock }: Pick<HostingApp, 'db' | 'clock'>,
  siteKey: SiteKey,
): Promise<void> {
  const now = new Date(clock.nowMs())
  await db.tx(async (tx) => {
    if (!(await store.lockSite(tx, siteKey))) return
    const versions = await versionStore.expiredVersions(tx, siteKey, now)
    if (versions.length === 0) return
    const hashes = await hashesIn(tx, siteKey, versions)
    await versionStore.deleteVersions(tx, siteKey, versions)
    await releaseBlobs(tx, siteKey.accountId, hashes, now)
    await announceSite(tx, siteKey.accountId, siteKey.siteId)
  })
}

/** Deletes expired versions of all sites, and then the contents that no version names; their bytes are deleted with all that is pending. */
export async function sweepSites(app: Pick<HostingApp, 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = new Date(app.clock.nowMs())
  for (let found = batchSize; found === batchSize && !signal.aborted; ) {
    const sites = await versionStore.sitesWithExpired(app.db, now, batchSize)
    for (const siteKey of sites) await deleteExpired(app, siteKey)
    found = sites.length
  }
  for (let seen = batchSize; seen === batchSize && !signal.aborted; ) seen = await sweepContents(app, now)
}

async function sweepContents({ db }: Pick<HostingApp, 'db'>, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const { keys, seen } = await deleteUnused(tx, new Date(now.getTime() - unusedMs), batchSize)
    await markForDeletion(tx, keys, now)
    return seen
  })
}
