/** Ends uploads without an object: for their clients, after a day, and with their cloud. */
import type { CloudKey } from '#cloud/clouds'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import { resolveBlobs } from './blobs.ts'
import type { ObjectContext } from './objects.ts'
import { setDue } from './store.ts'
import { withLease } from './upload-lease.ts'
import * as store from './upload-store.ts'

/** Ends an upload for its client. Throws what `withLease` throws: an upload that is being received or finished can end only after that. */
export const endUpload = (context: ObjectContext, upload: store.UploadRow): Promise<void> =>
  withLease(context.app, upload, () => removeUpload(context, upload))

/** Call with the upload's lease held. Nobody writes its object then, so the reserved bytes are freed immediately. */
export async function removeUpload(
  { app, cloud, open }: ObjectContext,
  upload: store.UploadRow,
): Promise<void> {
  await dropUpload(app, upload)
  await resolveBlobs(app, cloud, open, [upload.blob_id])
}

/** Deletes the upload and its parts; the bytes reserved for its object stay until the blob is resolved. */
async function dropUpload(app: BucketsApp, upload: store.UploadRow): Promise<void> {
  const keys = await app.db.tx(async (tx) => {
    await store.lockUpload(tx, upload)
    const found = await store.deleteParts(tx, upload)
    await markForDeletion(tx, found, new Date(app.clock.nowMs()))
    await store.deleteUpload(tx, upload)
    return found
  })
  await deleteParts(app, keys)
}

/** Deletes those parts that no upload has. */
export async function deleteParts(app: BucketsApp, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, count: keys.length }, 'parts of uploads are deleted later'),
  )
}

const portion = 100

/** Ends uploads that have expired after a day. */
export async function sweepUploads(app: BucketsApp, stopping: Pick<AbortSignal, 'aborted'>): Promise<void> {
  for (let found = portion; found === portion && !stopping.aborted; ) {
    const uploads = await store.expiredUploads(app.db, new Date(app.clock.nowMs()), portion)
    for (const upload of uploads) await dropExpired(app, upload)
    found = uploads.length
  }
}

/** Drops an expired upload. A process may have been killed after it placed the row of the object, so the blob is resolved. */
async function dropExpired(app: BucketsApp, upload: store.UploadRow): Promise<void> {
  const { account_id: accountId, cloud_id: cloudId, blob_id: blobId } = upload
  await dropUpload(app, upload)
  if (upload.offset_bytes < upload.bytes)
    await setDue(app.db, { accountId, cloudId }, [blobId], new Date(app.clock.nowMs()))
}

/** Deletes one portion of the uploads of a cloud that is being deleted. Returns true if there was none. */
export async function deleteUploadsOf(app: BucketsApp, cloud: CloudKey): Promise<boolean> {
  const uploads = await store.uploadsOf(app.db, cloud, portion)
  for (const upload of uploads) await dropUpload(app, upload)
  return uploads.length === 0
}
