/**
 * Uploads in parts (TUS): the room of all of it is reserved at the beginning, each part is stored as it comes, and the last one makes the object
 * before it counts as received. So whatever is killed, an upload stands where it says, and nothing of it is left after a day.
 */
import { randomUUID } from 'node:crypto'
import type { CloudKey } from '#engine/clouds'
import { Failure, fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { TooLarge } from '#platform/spool'
import { commitBlob, deletePendingBlobs, markForDeletion, stageUnsized } from '#platform/storage'
import { asReader } from './as-caller.ts'
import { type BucketsRoom, decideBlobs, freeBlobs, keyOfBlob, reserveBlob } from './blobs.ts'
import { readBucket } from './manage-buckets.ts'
import { versionsThatAre } from './object-store.ts'
import { type Asking, type NewObject, placeObject, requireFits, requireMayPut } from './objects.ts'
import { setDue } from './store.ts'
import * as store from './upload-store.ts'

export type Upload = store.UploadRow

const lifeMs = 24 * 60 * 60 * 1000
/** Of the blob beyond its upload. */
const graceMs = 60 * 60 * 1000
const mostUploads = 1_000
const mostParts = 1_000
/** Short, so that an upload whose process was killed goes on while its client still tries. */
const busyMs = 10_000

/** Throws OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED, OBJECT_DENIED, OBJECT_EXISTS, UPLOADS_TOO_MANY and what `reserveBlob` throws. */
export async function beginUpload(asking: Asking, object: NewObject, bytes: number): Promise<Upload> {
  const { app, cloud, open, caller } = asking
  requireFits(await readBucket(open, object.bucket), { bytes, contentType: object.properties.contentType })
  await requireMayPut(asking, object, bytes)
  const nowMs = app.clock.nowMs()
  if ((await store.countUploads(app.db, cloud, new Date(nowMs))) >= mostUploads)
    fail('UPLOADS_TOO_MANY', { max: mostUploads }, { retryAfterMs: 60_000 })
  const blob = { accountId: cloud.accountId, cloudId: cloud.cloudId, blobId: randomUUID() }
  await reserveBlob(app, blob, bytes, new Date(nowMs + lifeMs + graceMs))
  const upload: Upload = {
    ...{
      account_id: cloud.accountId,
      cloud_id: cloud.cloudId,
      upload_id: randomUUID(),
      blob_id: blob.blobId,
    },
    ...{ role: caller.role, user_id: caller.userId ?? null, bucket_id: object.bucket, name: object.name },
    ...{ upsert: object.upsert, properties: object.properties as Upload['properties'] },
    ...{ bytes: BigInt(bytes), offset_bytes: 0n, parts: 0, busy_until: null },
    expires_at: new Date(nowMs + lifeMs),
  }
  try {
    await store.insertUpload(app.db, upload)
  } catch (error) {
    await freeBlobs(app, cloud, [blob.blobId])
    throw error
  }
  return bytes === 0 ? finish(asking, upload) : upload
}

/** Undefined where there is none; whoever has begun it. */
export const findUpload = async (
  { db, clock }: Pick<BucketsRoom, 'db' | 'clock'>,
  cloud: CloudKey,
  uploadId: string,
): Promise<Upload | undefined> =>
  isUuid(uploadId) ? store.findUpload(db, cloud, uploadId, new Date(clock.nowMs())) : undefined

/**
 * One more part. What has come of one that broke off counts, too. Of two at the same place one wins. Throws UPLOAD_OFFSET_WRONG,
 * OBJECT_TOO_LARGE, UPLOAD_TOO_MANY_PARTS, and with the last part what `placeObject` throws.
 */
export async function addPart(
  asking: Asking,
  upload: Upload,
  { offset, source }: { offset: number; source: AsyncIterable<Uint8Array> },
): Promise<Upload> {
  const { app } = asking
  if (BigInt(offset) !== upload.offset_bytes)
    fail('UPLOAD_OFFSET_WRONG', { offset: Number(upload.offset_bytes) })
  if (upload.parts >= mostParts) fail('UPLOAD_TOO_MANY_PARTS', { max: mostParts })
  const maxBytes = Number(upload.bytes - upload.offset_bytes)
  if (maxBytes === 0) return upload
  const { account_id: accountId, cloud_id: cloudId, upload_id: uploadId } = upload
  const key = `bucket-parts/${accountId}/${cloudId}/${uploadId}/${randomUUID()}`
  const stored = await stageUnsized(app, key, untilItBreaks(source), maxBytes).catch(
    async (error: unknown) => {
      await drop(app, [key])
      if (error instanceof TooLarge) fail('OBJECT_TOO_LARGE', { maxBytes: Number(upload.bytes) })
      throw error
    },
  )
  if (stored.bytes === 0) {
    await drop(app, [key])
    return upload
  }
  const taken = await take(app, upload, { key, bytes: stored.bytes })
  if (!('last' in taken)) {
    await drop(app, [key])
    return fail('UPLOAD_OFFSET_WRONG', taken)
  }
  await drop(app, taken.replaced)
  return taken.last ? finish(asking, taken.upload) : taken.upload
}

async function* untilItBreaks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch {
    // The client has gone; it comes back and asks how much there is.
  }
}

type Taken = { last: boolean; upload: Upload; replaced: string[] } | { offset: number }

/** The place where the upload stands, where it does not stand where it did. */
const take = (
  { db, clock }: BucketsRoom,
  upload: Upload,
  part: { key: string; bytes: number },
): Promise<Taken> =>
  db.tx(async (tx): Promise<Taken> => {
    const now = new Date(clock.nowMs())
    const current = await store.lockUpload(tx, upload, now)
    if (!current) return fail('UPLOAD_NOT_FOUND', {})
    const isBusy = current.busy_until !== null && current.busy_until > now
    if (isBusy || current.offset_bytes !== upload.offset_bytes)
      return { offset: Number(current.offset_bytes) }
    await commitBlob(tx, part.key)
    const row = { offset_bytes: current.offset_bytes, bytes: BigInt(part.bytes), storage_key: part.key }
    const replaced = await store.putPart(tx, current, row)
    await markForDeletion(tx, replaced, now)
    const end = current.offset_bytes + BigInt(part.bytes)
    const last = end === current.bytes
    const progress = {
      offset: last ? current.offset_bytes : end,
      parts: current.parts + 1,
      busyUntil: last ? new Date(now.getTime() + busyMs) : null,
    }
    await store.setProgress(tx, current, progress)
    return { last, replaced, upload: { ...current, offset_bytes: progress.offset, parts: progress.parts } }
  })

/** Makes the object. May run again after a kill: then its row may be there already. */
async function finish(asking: Asking, upload: Upload): Promise<Upload> {
  const { app, cloud, open } = asking
  const renewal = setInterval(() => {
    const until = new Date(app.clock.nowMs() + busyMs)
    void store.setBusy(app.db, upload, until).catch(() => undefined)
  }, busyMs / 4)
  try {
    const [placed] = await versionsThatAre(asReader(open), [upload.blob_id])
    if (placed === undefined) await place(asking, upload)
  } catch (error) {
    clearInterval(renewal)
    // What the policies refuse is refused for good; what failed may be tried again.
    if (error instanceof Failure && error.status < 500) await dropUpload(app, upload)
    else await store.setBusy(app.db, upload, null).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
  const done = { ...upload, offset_bytes: upload.bytes }
  const keys = await app.db.tx(async (tx) => {
    const found = await store.deleteParts(tx, upload)
    await markForDeletion(tx, found, new Date(app.clock.nowMs()))
    await store.setProgress(tx, upload, { offset: upload.bytes, parts: upload.parts, busyUntil: null })
    return found
  })
  await drop(app, keys)
  // Where the row was placed before a kill, nobody has said yet that it is kept.
  await decideBlobs(app, cloud, open, [upload.blob_id])
  return done
}

async function place(asking: Asking, upload: Upload): Promise<void> {
  const { app, cloud } = asking
  const bytes = Number(upload.bytes)
  const parts = await store.partsOf(app.db, upload)
  const written = await app.storage.putUnsized(keyOfBlob(cloud, upload.blob_id), bytesOf(app, parts), bytes)
  if (written.bytes !== bytes) throw new Error('An upload has not the bytes of its parts.')
  const { bucket_id: bucket, name, upsert, properties } = upload
  await placeObject(asking, { bucket, name, upsert, properties }, { blobId: upload.blob_id, bytes })
}

async function* bytesOf(
  { storage }: BucketsRoom,
  parts: readonly store.PartRow[],
): AsyncGenerator<Uint8Array> {
  for (const { storage_key: key } of parts) {
    const part = await storage.get(key)
    if (!part) throw new Error('A part of an upload is missing.')
    yield* part as AsyncIterable<Uint8Array>
  }
}

/** Ended by its client. */
export async function endUpload({ app, cloud, open }: Asking, upload: Upload): Promise<void> {
  await dropUpload(app, upload)
  await decideBlobs(app, cloud, open, [upload.blob_id])
}

/** What is reserved for it is decided on by the sweep, unless its caller does at once. */
async function dropUpload(app: BucketsRoom, upload: Upload): Promise<void> {
  const now = new Date(app.clock.nowMs())
  const { account_id: accountId, cloud_id: cloudId } = upload
  if (upload.offset_bytes < upload.bytes) await setDue(app.db, { accountId, cloudId }, [upload.blob_id], now)
  const keys = await app.db.tx(async (tx) => {
    const found = await store.deleteParts(tx, upload)
    await markForDeletion(tx, found, now)
    await store.deleteUpload(tx, upload)
    return found
  })
  await drop(app, keys)
}

async function drop(app: BucketsRoom, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, count: keys.length }, 'parts of uploads are deleted later'),
  )
}

const portion = 100

/** Those whose day is over. */
export async function sweepUploads(app: BucketsRoom, stopping: Pick<AbortSignal, 'aborted'>): Promise<void> {
  for (let found = portion; found === portion && !stopping.aborted; ) {
    const uploads = await store.expiredUploads(app.db, new Date(app.clock.nowMs()), portion)
    for (const upload of uploads) await dropUpload(app, upload)
    found = uploads.length
  }
}

/** Of a cloud that is being deleted: one portion. True: there was none to delete. */
export async function deleteUploadsOf(app: BucketsRoom, cloud: CloudKey): Promise<boolean> {
  const uploads = await store.uploadsOf(app.db, cloud, portion)
  for (const upload of uploads) await dropUpload(app, upload)
  return uploads.length === 0
}
