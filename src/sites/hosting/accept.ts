/** Turns a checked publication into a version: its bytes, its row and its job are stored together, or none of them. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { commitBlob } from '#platform/storage'
import type { HostingApp } from './app.ts'
import { type FileEntry, insertFiles, lockBlobs } from './content-store.ts'
import { announceSite } from './directory.ts'
import { newPreview } from './names.ts'
import type { CheckedPublication, PublishedFile } from './publication.ts'
import { publishJob } from './publish.ts'
import type { SiteRow } from './store.ts'
import * as store from './store.ts'
import * as versionStore from './version-store.ts'

/** The most publications of one project that wait or are being made ready. */
export const maxPublishing = 5

/** A storage key for the bytes of one publication, until it is ready. */
export const newPackKey = (accountId: string): string => `sites/${accountId}/packs/${uuidv7()}`

type AcceptServices = Pick<HostingApp, 'jobs' | 'config'>

export interface NewSite extends store.SiteOwner {
  name: string
  slug: string
  cloudId: string | null
}

/** Inserts a site, without a version yet. Throws SITE_LIMIT. Undefined where its slug is not available; then nothing was written. */
export async function insertSite(
  { config }: AcceptServices,
  tx: Tx,
  site: NewSite,
  now: Date,
): Promise<SiteRow | undefined> {
  await store.lockSitesOfProject(tx, site)
  const max = config.sites.sitesPerProject
  if ((await store.countSites(tx, site)) >= max) fail('SITE_LIMIT', { max })
  const row: SiteRow = {
    account_id: site.accountId,
    site_id: uuidv7(now.getTime()),
    project_id: site.projectId,
    cloud_id: site.cloudId,
    name: site.name,
    slug: site.slug,
    live_version: null,
    newest_version: 0,
    settled_version: 0,
    taken_down_at: null,
    taken_down_reason: null,
    limits: {},
    created_at: now,
    updated_at: now,
  }
  if (!(await store.claimSlug(tx, { accountId: row.account_id, siteId: row.site_id }, row.slug, now)))
    return undefined
  await store.insertSite(tx, row)
  return row
}

/**
 * Makes the next version of a site that this transaction has locked or inserted. `packKey` was staged where the publication has a pack.
 * Throws SITE_TAKEN_DOWN, SITE_PUBLISHING_LIMIT, and SITE_CONTENT_GONE for a hash whose content was swept since it was checked.
 */
export async function insertVersion(
  { jobs }: AcceptServices,
  tx: Tx,
  site: SiteRow,
  { publication, packKey, now }: { publication: CheckedPublication; packKey: string | undefined; now: Date },
): Promise<void> {
  const { account_id: accountId, project_id: projectId, site_id: siteId } = site
  if (site.taken_down_at !== null) fail('SITE_TAKEN_DOWN', {})
  if ((await versionStore.countPublishing(tx, { accountId, projectId })) >= maxPublishing)
    fail('SITE_PUBLISHING_LIMIT', { max: maxPublishing })
  const version = site.newest_version + 1
  const versionKey = { accountId, siteId, version }
  await versionStore.insertVersion(tx, versionRow(versionKey, publication, packKey, now))
  await store.changeSite(tx, versionKey, { name: publication.name, newest_version: version, updated_at: now })
  if (packKey !== undefined) await commitBlob(tx, packKey)
  await keepStoredFiles(tx, versionKey, publication.files)
  const data = { siteId, version }
  await jobs.enqueue(tx, publishJob, { accountId, data, singletonKey: `${siteId}/${version}` })
  await announceSite(tx, accountId, siteId)
}

const versionRow = (
  { accountId, siteId, version }: versionStore.VersionKey,
  publication: CheckedPublication,
  packKey: string | undefined,
  now: Date,
): versionStore.VersionRow => ({
  account_id: accountId,
  site_id: siteId,
  version,
  status: 'publishing',
  error_code: null,
  attempts: 0,
  pack_key: packKey ?? null,
  pack_files: publication.files.flatMap(({ offset, ...file }) =>
    offset === undefined ? [] : [{ ...file, offset }],
  ),
  spa: publication.spa,
  redirects: publication.redirects,
  headers: publication.headers,
  files: publication.files.length,
  bytes: BigInt(publication.bytes),
  preview: newPreview(),
  created_at: now,
  ready_at: null,
  live_at: null,
  replaced_at: null,
  expires_at: null,
})

/** Adds the files of which only the hash was sent to the version already now, so that their contents stay until its job comes. */
async function keepStoredFiles(
  tx: Tx,
  versionKey: versionStore.VersionKey,
  files: readonly PublishedFile[],
): Promise<void> {
  const known: FileEntry[] = files.filter(({ offset }) => offset === undefined)
  if (known.length === 0) return
  const hashes = known.map(({ sha256 }) => sha256)
  if (!(await lockBlobs(tx, versionKey.accountId, hashes))) fail('SITE_CONTENT_GONE', {}, { param: 'files' })
  await insertFiles(tx, versionKey, known)
}
