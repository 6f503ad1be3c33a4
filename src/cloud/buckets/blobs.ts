/**
 * The bytes of objects (blobs). Two databases know of each blob: the platform's knows its size, the cloud's knows its name. The platform first writes
 * the blob as unresolved (`due_at`), then bytes and row follow. What a killed process leaves is resolved by the row: a blob that a row names is kept,
 * any other is deleted and no longer counted.
 *
 * All bytes in the store are known to a blob's row or to the storage's list of pending blobs: a blob whose bytes may still be under way stays in that
 * list until nobody can be writing them any more.
 */
import { addToFileCounts, lockCounts } from '#cloud/app-files'
import { type CloudKey, limitsOf, shareLockReadyCloud } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import { readerRunner } from './as-caller.ts'
import { referencedVersions } from './object-store.ts'
import * as store from './store.ts'
import './errors.ts'

/** Longer than writing bytes to the store takes. */
const maxWriteMs = 60 * 60 * 1000
/** Longer than any transaction in the database of a cloud. */
const maxTransactionMs = 10 * 60 * 1000
const againMs = 60 * 60 * 1000
const portion = 1_000

/** Returns a key of ids alone (account, cloud, blob), with nothing of the caller. */
export const keyOfBlob = ({ accountId, cloudId }: CloudKey, blobId: string): string =>
  `buckets/${accountId}/${cloudId}/${blobId}`

export interface ReserveOptions {
  dueAt?: Date
  /** Runs in the same transaction. */
  inSameTx?: (tx: Tx) => Promise<void>
}

/**
 * Reserves a blob before its bytes are written. Throws BUCKETS_FULL, CLOUD_NOT_FOUND where the cloud is not ready any more, and what `inSameTx` throws.
 */
export async function reserveBlob(
  app: BucketsApp,
  blob: store.BlobKey,
  bytes: number,
  reserving: ReserveOptions = {},
): Promise<void> {
  const reserve = () => app.db.tx((tx) => reserveIn(app, tx, blob, { bytes, ...reserving }))
  const first = await reserve()
  if (!first) return
  // The developer may have deleted rows by SQL.
  const now = app.clock.nowMs()
  const mayCompare = await store.takeCheck(app.db, blob, new Date(now - maxTransactionMs), new Date(now))
  if (mayCompare) await compareAll(app, blob, { aborted: false })
  const full = mayCompare ? await reserve() : first
  if (full) fail('BUCKETS_FULL', full)
}

/** Returns undefined where the blob is reserved; else the limits that it would exceed. */
async function reserveIn(
  { config, clock }: BucketsApp,
  tx: Tx,
  blob: store.BlobKey,
  { bytes, dueAt, inSameTx: beside }: ReserveOptions & { bytes: number },
): Promise<{ maxFiles: number; maxBytes: number } | undefined> {
  const own = await shareLockReadyCloud(tx, blob)
  if (!own) return fail('CLOUD_NOT_FOUND', {})
  const { files, fileTotalBytes } = limitsOf(config.clouds, own)
  if (!(await addToFileCounts(tx, blob, { files: 1, bytes }, { files, bytes: fileTotalBytes })))
    return { maxFiles: files, maxBytes: fileTotalBytes }
  const nowMs = clock.nowMs()
  const due = dueAt ?? new Date(nowMs + maxWriteMs)
  await store.insertBlob(tx, blob, { bytes, dueAt: due, now: new Date(nowMs) })
  await beside?.(tx)
  return undefined
}

/** Marks blobs as unresolved, before a transaction commits after which rows name them, or name them no more. Returns which of them exist. */
export async function markUnresolved(
  { db, clock }: BucketsApp,
  cloud: CloudKey,
  versions: readonly string[],
): Promise<string[]> {
  const blobIds = versions.filter(isUuid)
  if (blobIds.length === 0) return []
  return store.setDue(db, cloud, blobIds, new Date(clock.nowMs() + maxTransactionMs))
}

/** Keeps a blob that a row names. Returns false where the sweep has deleted it meanwhile. */
export const keepBlob = async ({ db }: BucketsApp, cloud: CloudKey, blobId: string): Promise<boolean> =>
  (await store.setDue(db, cloud, [blobId], null)).length === 1

/**
 * Frees blobs that no row names and nobody writes any more: they are no longer counted, and their bytes are deleted, a few of them at once, many by
 * the sweep of the storage.
 */
async function freeBlobs(app: BucketsApp, cloud: CloudKey, versions: readonly string[]): Promise<void> {
  const keys = await deleteBlobRecords(app, cloud, versions, 0)
  if (keys.length === 0 || keys.length > portion / 10) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, count: keys.length }, 'bytes of objects are deleted later'),
  )
}

/**
 * Frees blobs whose bytes may still be under way, or in parts that a store keeps: the sweep of the storage deletes the bytes when whoever wrote them
 * has ended.
 */
export const abandonBlobs = async (
  app: BucketsApp,
  cloud: CloudKey,
  versions: readonly string[],
): Promise<void> => void (await deleteBlobRecords(app, cloud, versions, maxWriteMs))

/** Locks the counts first, as every transaction does. Returns the keys of the bytes, also of blobs that are no longer counted. */
async function deleteBlobRecords(
  { db, clock }: BucketsApp,
  cloud: CloudKey,
  versions: readonly string[],
  laterMs: number,
): Promise<string[]> {
  const blobIds = versions.filter(isUuid)
  if (blobIds.length === 0) return []
  const keys = blobIds.map((blobId) => keyOfBlob(cloud, blobId))
  await db.tx(async (tx) => {
    await lockCounts(tx, cloud)
    const sizes = await store.deleteBlobs(tx, cloud, blobIds)
    const bytes = sizes.reduce((sum, size) => sum + Number(size), 0)
    const unlimited = { files: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER }
    if (sizes.length > 0) await addToFileCounts(tx, cloud, { files: -sizes.length, bytes: -bytes }, unlimited)
    await markForDeletion(tx, keys, new Date(clock.nowMs() + laterMs))
  })
  return keys
}

/** Keeps the blobs that a row names and frees the others by `release`. Throws what the database of the cloud throws. */
export async function resolveBlobs(
  app: BucketsApp,
  cloud: CloudKey,
  open: OpenDatabase,
  versions: readonly string[],
  release = freeBlobs,
): Promise<void> {
  const blobIds = versions.filter(isUuid)
  if (blobIds.length === 0) return
  const named = new Set(await referencedVersions(readerRunner(open), blobIds))
  const [kept, gone] = [blobIds.filter((id) => named.has(id)), blobIds.filter((id) => !named.has(id))]
  if (kept.length > 0) await store.setDue(app.db, cloud, kept, null)
  await release(app, cloud, gone)
}

type StopSignal = Pick<AbortSignal, 'aborted'>

/** Resolves the blobs that killed processes left, and frees those whose rows developers deleted by SQL. */
export async function sweepBlobs(app: BucketsApp, stopping: StopSignal): Promise<void> {
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

async function sweepDue(app: BucketsApp, stopping: StopSignal): Promise<void> {
  for (;;) {
    const due = await store.dueBlobs(app.db, new Date(app.clock.nowMs()), portion)
    for (const [, blobs] of Map.groupBy(due, ({ cloudId }) => cloudId)) {
      if (stopping.aborted) return
      await resolveDue(app, blobs)
    }
    if (due.length < portion) return
  }
}

async function resolveDue(app: BucketsApp, blobs: readonly store.BlobKey[]): Promise<void> {
  const { accountId, cloudId } = blobs[0]!
  const cloud = { accountId, cloudId }
  const ids = blobs.map(({ blobId }) => blobId)
  try {
    await app.databases.use(cloud, (open) => resolveBlobs(app, cloud, open, ids, abandonBlobs))
  } catch (error) {
    app.log.warn({ err: error, cloud_id: cloudId, count: ids.length }, 'objects are looked up later')
    await store.postpone(app.db, cloud, ids, new Date(app.clock.nowMs() + againMs))
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** Compares all kept blobs of a cloud with its rows. */
async function compareAll(app: BucketsApp, cloud: CloudKey, stopping: StopSignal): Promise<void> {
  await app.databases.use(cloud, async (open) => {
    for (let after = firstId; !stopping.aborted; ) {
      const ids = await store.keptAfter(app.db, cloud, { after, limit: portion })
      const named = new Set(await referencedVersions(readerRunner(open), ids))
      const gone = ids.filter((id) => !named.has(id))
      await freeBlobs(app, cloud, gone)
      if (ids.length < portion) return
      after = ids.at(-1)!
    }
  })
}

/** Deletes one portion of the objects of a cloud that is being deleted. Returns true if there was none. */
export async function deleteObjectsOf(app: BucketsApp, cloud: CloudKey): Promise<boolean> {
  const rows = await store.someBlobs(app.db, cloud, portion / 10)
  const [kept, unresolved] = [rows.filter((row) => row.is_kept), rows.filter((row) => !row.is_kept)]
  await freeBlobs(
    app,
    cloud,
    kept.map((row) => row.blob_id),
  )
  // A request that began before the deletion may be writing unresolved blobs.
  await abandonBlobs(
    app,
    cloud,
    unresolved.map((row) => row.blob_id),
  )
  return rows.length === 0
}
