/**
 * Makes one publication ready in the background. The job may be started again after a crash, even concurrently: its contents are written under keys
 * of their own, and one transaction makes the version ready. Until then visitors get what they got before.
 */
import { freeBytes, ownBuffer } from '#platform/bytes'
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import type { JobDelay, JobRun } from '#platform/jobs'
import {
  announceBlobs,
  commitBlobs,
  deletePendingBlobs,
  markForDeletion,
  reportLost,
  writeBlob,
} from '#platform/storage'
import { type HostingApp, job } from './app.ts'
import { type Blob, insertBlobs, insertFiles, knownBlobs, lockBlobs } from './content-store.ts'
import { announceSite } from './directory.ts'
import { deleteExpired, forgetFiles, setExpiries } from './expire.ts'
import { makeLive } from './live.ts'
import type { PublicationProblem } from './phrases.ts'
import * as store from './store.ts'
import type { PackedFile, VersionKey, VersionRow } from './version-store.ts'
import * as versionStore from './version-store.ts'

/** All attempts take some ten minutes, with the growing pauses between them. */
const maxAttempts = 8
/** How many contents of one publication are compressed and written at the same time. */
const contentsAtOnce = 6

export interface PublishWork {
  siteId: string
  version: number
}

export const publishJob = job<PublishWork>({
  name: 'sites.publish',
  writes: ['database', 'wal', 'files'],
  limits: ({ sites }) => ({ perAccount: sites.publicationsAtOnce, perProcess: sites.publicationsAtOnce }),
  handle: publish,
  setAside: ({ app, accountId, data }) => failPublication(app, { accountId, ...data }, 'set_aside'),
})

async function publish({
  app,
  accountId,
  data,
  signal,
}: JobRun<PublishWork, HostingApp>): Promise<JobDelay | undefined> {
  if (signal.aborted) return { laterMs: 0 }
  const versionKey = { accountId, ...data }
  const version = await versionStore.beginVersion(app.db, versionKey)
  if (!version) return undefined
  if (version.attempts > maxAttempts) return failPublication(app, versionKey, 'given_up')
  const pack = await readPack(app, version)
  if (!pack) return failPublication(app, versionKey, 'lost')
  const staged: string[] = []
  try {
    const blobs = await storeContents(app, version, pack, { staged, signal })
    const outcome = await app.db.tx((tx) => commitPublication(app, tx, version, blobs))
    if (outcome === 'taken down') return await failPublication(app, versionKey, 'taken_down')
  } catch (error) {
    if (error instanceof ContentGoneError) return { laterMs: 0 }
    throw error
  } finally {
    freeBytes(pack)
    // Contents that the transaction has committed are no longer pending, so they stay; others that cannot be deleted now are deleted in an hour.
    const left = version.pack_key === null ? staged : [...staged, version.pack_key]
    await deletePendingBlobs(app, left).catch(() => undefined)
  }
  await deleteExpired(app, versionKey)
  return undefined
}

/** Reads the pack into one buffer of its length, for `freeBytes`. Undefined where the pack is missing, or has another length than was stored. */
async function readPack(
  app: HostingApp,
  { pack_key: key, pack_files: files }: VersionRow,
): Promise<Buffer | undefined> {
  if (key === null) return Buffer.alloc(0)
  const stored = await app.storage.get(key)
  if (!stored) {
    reportLost(app, key)
    return undefined
  }
  const length = (files ?? []).reduce((end, { offset, bytes }) => Math.max(end, offset + bytes), 0)
  const pack = ownBuffer(length).subarray(0, length)
  let at = 0
  for await (const chunk of stored as AsyncIterable<Buffer>) {
    if (at + chunk.length <= length) chunk.copy(pack, at)
    at += chunk.length
  }
  return at === length ? pack : undefined
}

/** Writes the contents that the account does not have yet; `staged` gets the key of each before it is written. */
async function storeContents(
  app: HostingApp,
  { account_id: accountId, pack_files: files }: VersionRow,
  pack: Buffer,
  { staged, signal }: { staged: string[]; signal: AbortSignal },
): Promise<Blob[]> {
  const contents = new Map((files ?? []).map((file) => [file.sha256, file]))
  const known = await knownBlobs(app.db, accountId, [...contents.keys()], new Date(app.clock.nowMs()))
  // The largest contents come first, so that none is left alone at the end.
  const missing = [...contents.values()]
    .filter(({ sha256 }) => !known.has(sha256))
    .sort((one, other) => other.bytes - one.bytes)
  const blobs: Blob[] = []
  const work = missing.values()
  const workThrough = async () => {
    for (const file of work) {
      signal.throwIfAborted()
      blobs.push(await storeContent(app, accountId, file, { pack, staged }))
    }
  }
  await waitForAll(Array.from({ length: contentsAtOnce }, workThrough))
  return blobs
}

/** Waits for all of the work, so that nothing is written any more when this returns. Throws what the first failed part has thrown. */
async function waitForAll(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

async function storeContent(
  app: HostingApp,
  accountId: string,
  { sha256, mediaType, offset, bytes }: PackedFile,
  { pack, staged }: { pack: Buffer; staged: string[] },
): Promise<Blob> {
  const content = pack.subarray(offset, offset + bytes)
  const compressed = await app.siteCompressor.compress(content, mediaType, pack.length)
  const storageKey = `sites/${accountId}/${uuidv7()}`
  const parts: [key: string, bytes: Uint8Array][] = [[storageKey, content]]
  const variant = (ending: string, variantBytes: Uint8Array | undefined) => {
    if (!variantBytes) return undefined
    parts.push([`${storageKey}.${ending}`, variantBytes])
    return { storageKey: `${storageKey}.${ending}`, bytes: variantBytes.length }
  }
  const blob = {
    sha256,
    bytes,
    storageKey,
    brotli: variant('br', compressed.brotli),
    gzip: variant('gz', compressed.gzip),
  }
  const keys = parts.map(([key]) => key)
  staged.push(...keys)
  await announceBlobs(app, keys)
  await waitForAll(parts.map(([key, part]) => writeBlob(app, key, part)))
  return blob
}

type PublishResult = 'published' | 'over' | 'taken down'

/** Thrown to roll the transaction back: a content that was known is not there any more, and has to be written like the others. */
class ContentGoneError extends Error {
  override name = 'ContentGone'
}

/** Publishes all of it in one transaction. `over`: the site was deleted, or another worker was faster. Throws ContentGone. */
async function commitPublication(
  app: Pick<HostingApp, 'clock' | 'config'>,
  tx: Tx,
  version: VersionRow,
  blobs: readonly Blob[],
): Promise<PublishResult> {
  const { account_id: accountId, site_id: siteId, pack_files: files } = version
  const versionKey = { accountId, siteId, version: version.version }
  const site = await store.lockSite(tx, versionKey)
  if (!site || !(await versionStore.findPublishing(tx, versionKey))) return 'over'
  if (site.taken_down_at !== null) return 'taken down'
  const inserted = await insertBlobs(tx, accountId, blobs)
  // Where another publication was faster to insert a content, our bytes of it stay pending, and are deleted.
  await commitBlobs(tx, blobs.filter(({ storageKey }) => inserted.has(storageKey)).flatMap(keysOf))
  if (
    !(await lockBlobs(
      tx,
      accountId,
      (files ?? []).map(({ sha256 }) => sha256),
    ))
  )
    throw new ContentGoneError()
  await insertFiles(tx, versionKey, files ?? [])
  const now = new Date(app.clock.nowMs())
  await endPublishing(tx, version, { status: 'ready', ready_at: now }, now)
  // A version that was accepted after this one may be live already, or somebody may have gone back meanwhile: the later request counts.
  if (version.version > site.settled_version) await makeLive(tx, site, version.version, version.version, now)
  await setExpiries(app, tx, versionKey, now)
  await announceSite(tx, versionKey.accountId, versionKey.siteId)
  return 'published'
}

const keysOf = ({ storageKey, brotli, gzip }: Blob): string[] =>
  [storageKey, brotli?.storageKey, gzip?.storageKey].filter((key) => key !== undefined)

/** Ends the publishing of a version, and marks its pack, which is needed no more, for `deletePendingBlobs`. */
async function endPublishing(
  tx: Tx,
  { account_id: accountId, site_id: siteId, version, pack_key: packKey }: VersionRow,
  end: Pick<VersionRow, 'status'> & Partial<Pick<VersionRow, 'error_code' | 'ready_at'>>,
  now: Date,
): Promise<void> {
  await versionStore.changeVersion(
    tx,
    { accountId, siteId, version },
    { ...end, pack_key: null, pack_files: null },
  )
  if (packKey !== null) await markForDeletion(tx, [packKey], now)
}

/** Ends a publication that has failed for good: the version that was served before is served on. */
async function failPublication(
  app: HostingApp,
  versionKey: VersionKey,
  problem: PublicationProblem,
): Promise<undefined> {
  const packKey = await app.db.tx(async (tx) => {
    const site = await store.lockSite(tx, versionKey)
    const version = site && (await versionStore.findPublishing(tx, versionKey))
    if (!version) return null
    const now = new Date(app.clock.nowMs())
    await forgetFiles(tx, versionKey, now)
    await endPublishing(tx, version, { status: 'failed', error_code: problem }, now)
    await setExpiries(app, tx, versionKey, now)
    await announceSite(tx, versionKey.accountId, versionKey.siteId)
    return version.pack_key
  })
  if (packKey !== null) await deletePendingBlobs(app, [packKey]).catch(() => undefined)
  return undefined
}
