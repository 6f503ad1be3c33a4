/**
 * Uploads in parts (TUS): room for all bytes is reserved at the beginning, each part is stored as it arrives, and the last part makes the object
 * before it counts as received. So the offset of an upload is true whichever process is killed, and nothing of the upload is left after a day.
 */
import { randomUUID } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import type { CloudKey } from '#cloud/clouds'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { TooLargeError } from '#platform/spool'
import { commitBlob, markForDeletion, type StoredBytes, stageUnsized } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import { reserveBlob } from './blobs.ts'
import { requireFits } from './bucket-limits.ts'
import { deleteParts } from './end-uploads.ts'
import { finishUpload } from './finish-upload.ts'
import { readBucket } from './manage-buckets.ts'
import { type NewObject, type ObjectContext, requireCanStore } from './objects.ts'
import { type UploadLease, withLease } from './upload-lease.ts'
import * as store from './upload-store.ts'

export type Upload = store.UploadRow

const lifeMs = 24 * 60 * 60 * 1000
/** The time by which the blob outlives its upload. */
const graceMs = 60 * 60 * 1000
const maxParts = 1_000
/** Unfinished uploads of a user; and of all callers with the same key and without a user. */
const maxPerUser = 20
const maxPerKey: Readonly<Record<string, number>> = { anon: 100, service_role: 1_000 }

/** Throws OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED, OBJECT_DENIED, OBJECT_EXISTS, UPLOADS_TOO_MANY and what `reserveBlob` throws. */
export async function beginUpload(context: ObjectContext, object: NewObject, bytes: number): Promise<Upload> {
  const { app, cloud, open, caller } = context
  requireFits(await readBucket(open, object.bucket), { bytes, contentType: object.properties.contentType })
  await requireCanStore(context, object, bytes)
  const nowMs = app.clock.nowMs()
  const upload: Upload = {
    ...{ account_id: cloud.accountId, cloud_id: cloud.cloudId },
    ...{ upload_id: randomUUID(), blob_id: randomUUID() },
    ...{ role: caller.role, user_id: caller.userId ?? null, bucket_id: object.bucket, name: object.name },
    ...{ upsert: object.upsert, properties: object.properties as Upload['properties'] },
    ...{ bytes: BigInt(bytes), offset_bytes: 0n, parts: 0 },
    ...{ lease_id: null, leased_until: null, is_wanted: false },
    expires_at: new Date(nowMs + lifeMs),
  }
  const { accountId, cloudId } = cloud
  await reserveBlob(app, { accountId, cloudId, blobId: upload.blob_id }, bytes, {
    dueAt: new Date(nowMs + lifeMs + graceMs),
    // The files of a cloud are counted one after another, so nobody begins another upload at the same time.
    inSameTx: async (tx) => {
      const max = upload.user_id === null ? (maxPerKey[upload.role] ?? maxPerUser) : maxPerUser
      if ((await store.countUnfinished(tx, upload, new Date(nowMs))) >= max)
        fail('UPLOADS_TOO_MANY', { max }, { retryAfterMs: 60_000 })
      await store.insertUpload(tx, upload)
    },
  })
  return bytes === 0 ? finishUpload(context, upload) : upload
}

/** Returns an upload, whoever has begun it; undefined where there is none. */
export const findUpload = async (
  { db, clock }: Pick<BucketsApp, 'db' | 'clock'>,
  cloud: CloudKey,
  uploadId: string,
): Promise<Upload | undefined> =>
  isUuid(uploadId) ? store.findUpload(db, cloud, uploadId, new Date(clock.nowMs())) : undefined

/**
 * Adds a part. The bytes of a part that broke off count, too. `withContext` wakes the database of the cloud: it is called for the last part alone, when
 * all bytes are here. Throws UPLOAD_OFFSET_WRONG, UPLOAD_LONGER_THAN_SAID, UPLOAD_TOO_MANY_PARTS, what `withLease` throws, and with the last part
 * what `finishUpload` throws.
 */
export const addPart = (
  app: BucketsApp,
  upload: Upload,
  { offset, source }: { offset: number; source: Readable },
  withContext: (work: (context: ObjectContext) => Promise<Upload>) => Promise<Upload>,
): Promise<Upload> =>
  withLease(app, upload, async (lease) => {
    const { offset_bytes: stands, bytes, parts } = lease.upload
    if (BigInt(offset) !== stands) fail('UPLOAD_OFFSET_WRONG', { offset: Number(stands) })
    if (parts >= maxParts) fail('UPLOAD_TOO_MANY_PARTS', { max: maxParts })
    if (stands === bytes) return lease.upload
    const { account_id: accountId, cloud_id: cloudId, upload_id: uploadId } = upload
    const key = `bucket-parts/${accountId}/${cloudId}/${uploadId}/${randomUUID()}`
    try {
      const stored = await stage(app, lease, key, source)
      const received = await commit(app, lease, { key, bytes: stored.bytes })
      return received.isLast
        ? await withContext((context) => finishUpload(context, received.upload))
        : received.upload
    } finally {
      // This deletes nothing where the part counts.
      await deleteParts(app, [key])
    }
  })

async function stage(
  app: BucketsApp,
  { upload, takeoverSignal: wanted }: UploadLease,
  key: string,
  source: Readable,
): Promise<StoredBytes> {
  try {
    const room = Number(upload.bytes - upload.offset_bytes)
    return await stageUnsized(app, key, ignoreDisconnect(addAbortSignal(wanted, source)), room)
  } catch (error) {
    if (error instanceof TooLargeError) fail('UPLOAD_LONGER_THAN_SAID', { bytes: Number(upload.bytes) })
    throw error
  }
}

async function* ignoreDisconnect(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch {
    // The client has gone; it comes back and asks how much there is.
  }
}

/** Counts a part. The last one does not move the upload's offset: it counts when the object exists. */
const commit = (
  { db, clock }: BucketsApp,
  lease: UploadLease,
  part: { key: string; bytes: number },
): Promise<{ isLast: boolean; upload: Upload }> =>
  db.tx(async (tx) => {
    const current = (await store.lockUpload(tx, lease.upload)) ?? fail('UPLOAD_NOT_FOUND', {})
    if (current.lease_id !== lease.id) fail('UPLOAD_LOCKED', {}, { retryAfterMs: 1_000 })
    if (part.bytes === 0) return { isLast: false, upload: current }
    await commitBlob(tx, part.key)
    const { offset_bytes: offset } = current
    const replaced = await store.putPart(tx, current, {
      ...{ offset_bytes: offset, bytes: BigInt(part.bytes), storage_key: part.key },
    })
    await markForDeletion(tx, replaced, new Date(clock.nowMs()))
    const end = offset + BigInt(part.bytes)
    const isLast = end === current.bytes
    const progress = { offset: isLast ? offset : end, parts: current.parts + 1 }
    await store.setProgress(tx, current, progress)
    return { isLast, upload: { ...current, offset_bytes: progress.offset, parts: progress.parts } }
  })
