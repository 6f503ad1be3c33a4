/** Makes the object of an upload whose parts have all arrived. */
import { Failure } from '#platform/errors'
import { failLost, markForDeletion } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import { readerRunner } from './as-caller.ts'
import { abandonBlobs, keyOfBlob, resolveBlobs } from './blobs.ts'
import { deleteParts, removeUpload } from './end-uploads.ts'
import { referencedVersions } from './object-store.ts'
import { BytesGone, type ObjectContext, placeObject } from './objects.ts'
import * as store from './upload-store.ts'

/**
 * Finishes an upload. It may run again after a kill, when the row of the object may exist already. A refusal is final and ends the upload; a failure
 * may be tried again. Throws what `placeObject` throws.
 */
export async function finishUpload(
  context: ObjectContext,
  upload: store.UploadRow,
): Promise<store.UploadRow> {
  const { app, cloud, open } = context
  try {
    const [placed] = await referencedVersions(readerRunner(open), [upload.blob_id])
    if (placed === undefined) await assembleObject(context, upload)
  } catch (error) {
    if (isRefusal(error)) await removeUpload(context, upload)
    // The next holder of the lease has finished the upload, and its object is deleted already.
    if (error instanceof BytesGone) await abandonBlobs(app, cloud, [upload.blob_id])
    throw error
  }
  const keys = await app.db.tx(async (tx) => {
    await store.lockUpload(tx, upload)
    const found = await store.deleteParts(tx, upload)
    await markForDeletion(tx, found, new Date(app.clock.nowMs()))
    await store.setProgress(tx, upload, { offset: upload.bytes, parts: upload.parts })
    return found
  })
  await deleteParts(app, keys)
  // Where the row was placed before a kill, the blob has not been marked as kept yet.
  await resolveBlobs(app, cloud, open, [upload.blob_id])
  return { ...upload, offset_bytes: upload.bytes }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Failure && error.status < 500 && error.status !== 429

async function assembleObject(context: ObjectContext, upload: store.UploadRow): Promise<void> {
  const { app, cloud } = context
  const { bucket_id: bucket, name, upsert, properties, blob_id: blobId } = upload
  const bytes = Number(upload.bytes)
  const key = keyOfBlob(cloud, blobId)
  const parts = await store.partsOf(app.db, upload)
  // A process that was killed here before may have left parts of its own in the store.
  await app.storage.endUploads([key])
  const written = await app.storage.putUnsized(key, bytesOf(app, parts), bytes)
  if (written.bytes !== bytes) throw new Error('An upload has not the bytes of its parts.')
  await placeObject(context, { bucket, name, upsert, properties }, { blobId, bytes })
}

async function* bytesOf(app: BucketsApp, parts: readonly store.PartRow[]): AsyncGenerator<Uint8Array> {
  for (const { storage_key: key } of parts) {
    const part = await app.storage.get(key)
    yield* (part ?? failLost(app, key)) as AsyncIterable<Uint8Array>
  }
}
