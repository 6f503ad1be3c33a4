/**
 * The bytes of objects. Two databases know of each: that of the platform what it counts, that of the cloud what it is called. The platform
 * writes first that it does not know yet (`due_at`), then bytes and row follow; whatever a killed process leaves is decided by the row: a
 * blob that one names is kept, any other is deleted and counts no more.
 */
import type { App } from '#app'
import { countFiles, lockCounts } from '#engine/app-files'
import { type CloudKey, limitsOf, shareReadyCloud } from '#engine/clouds'
import type { OpenDatabase } from '#engine/databases'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import { asReader } from './as-caller.ts'
import { versionsThatAre } from './object-store.ts'
import * as store from './store.ts'
import './errors.ts'

export type BucketsRoom = Pick<App, 'db' | 'clock' | 'storage' | 'config' | 'log' | 'databases'>

/** Longer than bytes take on their way to the store. */
const writingMs = 60 * 60 * 1000
/** Longer than any transaction in the database of a cloud. */
const decidingMs = 10 * 60 * 1000
const againMs = 60 * 60 * 1000
const portion = 1_000

/** Of the caller nothing: account, cloud and blob, all ids. */
export const keyOfBlob = ({ accountId, cloudId }: CloudKey, blobId: string): string =>
  `buckets/${accountId}/${cloudId}/${blobId}`

/** Before its bytes are written. Throws BUCKETS_FULL, and CLOUD_NOT_FOUND where the cloud is not ready any more. */
export async function reserveBlob(
  app: BucketsRoom,
  blob: store.BlobKey,
  bytes: number,
  dueAt = new Date(app.clock.nowMs() + writingMs),
): Promise<void> {
  const reserve = () => app.db.tx((tx) => reserveIn(app, tx, blob, { bytes, dueAt }))
  const first = await reserve()
  if (!first) return
  // The developer may have deleted rows by SQL.
  const now = app.clock.nowMs()
  const mayCompare = await store.takeCheck(app.db, blob, new Date(now - decidingMs), new Date(now))
  if (mayCompare) await compareAll(app, blob, { aborted: false })
  const full = mayCompare ? await reserve() : first
  if (full) fail('BUCKETS_FULL', full)
}

/** Undefined where it is reserved; else the limits that it would exceed. */
async function reserveIn(
  { config, clock }: BucketsRoom,
  tx: Tx,
  blob: store.BlobKey,
  { bytes, dueAt }: { bytes: number; dueAt: Date },
): Promise<{ maxFiles: number; maxBytes: number } | undefined> {
  const own = await shareReadyCloud(tx, blob)
  if (!own) return fail('CLOUD_NOT_FOUND', {})
  const { files, fileTotalBytes } = limitsOf(config.clouds, own)
  if (!(await countFiles(tx, blob, { files: 1, bytes }, { files, bytes: fileTotalBytes })))
    return { maxFiles: files, maxBytes: fileTotalBytes }
  await store.insertBlob(tx, blob, { bytes, dueAt, now: new Date(clock.nowMs()) })
  return undefined
}

/** Before a transaction commits that may delete the rows of these. */
export async function doubtBlobs(
  app: BucketsRoom,
  cloud: CloudKey,
  versions: readonly string[],
): Promise<void> {
  const blobIds = versions.filter(isUuid)
  if (blobIds.length > 0) await store.setDue(app.db, cloud, blobIds, new Date(app.clock.nowMs() + decidingMs))
}

/** A row names it. False where the sweep has deleted it meanwhile. */
export const keepBlob = async ({ db }: BucketsRoom, blob: store.BlobKey): Promise<boolean> =>
  (await store.keepBlobs(db, blob, [blob.blobId])).length === 1

/** No row names them: they count no more, and their bytes are deleted, a few at once, many by the sweep of the storage. */
export async function freeBlobs(
  app: BucketsRoom,
  cloud: CloudKey,
  versions: readonly string[],
): Promise<void> {
  const blobIds = versions.filter(isUuid)
  if (blobIds.length === 0) return
  const keys = await app.db.tx((tx) => freeIn(app, tx, cloud, blobIds))
  if (keys.length === 0 || keys.length > portion / 10) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, count: keys.length }, 'bytes of objects are deleted later'),
  )
}

/** In the order in which everybody locks: the counts first. Returns the keys of their bytes. */
async function freeIn(
  { clock }: Pick<BucketsRoom, 'clock'>,
  tx: Tx,
  cloud: CloudKey,
  blobIds: readonly string[],
): Promise<string[]> {
  await lockCounts(tx, cloud)
  const rows = await store.deleteBlobs(tx, cloud, blobIds)
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
  const unlimited = { files: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER }
  await countFiles(tx, cloud, { files: -rows.length, bytes: -bytes }, unlimited)
  const keys = rows.map((row) => keyOfBlob(cloud, row.blob_id))
  await markForDeletion(tx, keys, new Date(clock.nowMs()))
  return keys
}

/** After what may have deleted the rows of these. */
export async function decideBlobs(
  app: BucketsRoom,
  cloud: CloudKey,
  open: OpenDatabase,
  versions: readonly string[],
): Promise<void> {
  if (versions.length === 0) return
  const named = new Set(await versionsThatAre(asReader(open), versions))
  const kept = versions.filter((version) => named.has(version))
  if (kept.length > 0) await store.keepBlobs(app.db, cloud, kept.filter(isUuid))
  await freeBlobs(
    app,
    cloud,
    versions.filter((version) => !named.has(version)),
  )
}

type Stopping = Pick<AbortSignal, 'aborted'>

/** What killed processes left undecided, and what developers deleted by SQL. */
export async function sweepBlobs(app: BucketsRoom, stopping: Stopping): Promise<void> {
  await sweepDue(app, stopping)
  const now = app.clock.nowMs()
  const week = 7 * 24 * 60 * 60 * 1000
  const clouds = await store.takeChecks(app.db, new Date(now - week), new Date(now), portion / 10)
  for (const cloud of clouds) {
    if (stopping.aborted) return
    await compareAll(app, cloud, stopping).catch((error: unknown) =>
      app.log.warn({ err: error, cloud_id: cloud.cloudId }, 'objects of a cloud are compared in a week'),
    )
  }
}

async function sweepDue(app: BucketsRoom, stopping: Stopping): Promise<void> {
  for (;;) {
    const due = await store.dueBlobs(app.db, new Date(app.clock.nowMs()), portion)
    for (const [, blobs] of Map.groupBy(due, ({ cloudId }) => cloudId)) {
      if (stopping.aborted) return
      await decideDue(app, blobs)
    }
    if (due.length < portion) return
  }
}

async function decideDue(app: BucketsRoom, blobs: readonly store.BlobKey[]): Promise<void> {
  const { accountId, cloudId } = blobs[0]!
  const cloud = { accountId, cloudId }
  const ids = blobs.map(({ blobId }) => blobId)
  try {
    await app.databases.use(cloud, (open) => decideBlobs(app, cloud, open, ids))
  } catch (error) {
    app.log.warn({ err: error, cloud_id: cloudId, count: ids.length }, 'objects are decided on later')
    await store.postpone(app.db, cloud, ids, new Date(app.clock.nowMs() + againMs))
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** All that count as kept. */
async function compareAll(app: BucketsRoom, cloud: CloudKey, stopping: Stopping): Promise<void> {
  await app.databases.use(cloud, async (open) => {
    for (let after = firstId; !stopping.aborted; ) {
      const rows = await store.blobsAfter(app.db, cloud, { after, isKept: true, limit: portion })
      const ids = rows.map((row) => row.blob_id)
      const named = new Set(await versionsThatAre(asReader(open), ids))
      await freeBlobs(
        app,
        cloud,
        ids.filter((id) => !named.has(id)),
      )
      if (rows.length < portion) return
      after = ids.at(-1)!
    }
  })
}

/** Of a cloud that is being deleted: one portion of its objects. True: there was none to delete. */
export async function deleteObjectsOf(app: BucketsRoom, cloud: CloudKey): Promise<boolean> {
  const rows = await store.blobsAfter(app.db, cloud, { after: firstId, isKept: false, limit: portion / 10 })
  await freeBlobs(
    app,
    cloud,
    rows.map((row) => row.blob_id),
  )
  return rows.length === 0
}
