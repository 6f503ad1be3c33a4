/** Uploads that end without an object: by their clients, after a day, and with their cloud. */
import type { CloudKey } from '#cloud/clouds'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import { type BucketsRoom, resolveBlobs } from './blobs.ts'
import type { Asking } from './objects.ts'
import { setDue } from './store.ts'
import { withLease } from './upload-lease.ts'
import * as store from './upload-store.ts'

/** By its client. Throws what `withLease` throws: one that is being received or finished ends when that is over. */
export const endUpload = (asking: Asking, upload: store.UploadRow): Promise<void> =>
  withLease(asking.app, upload, () => removeUpload(asking, upload))

/** By whoever has its lease: nobody writes its object, so what was reserved is free at once. */
export async function removeUpload({ app, cloud, open }: Asking, upload: store.UploadRow): Promise<void> {
  await dropUpload(app, upload)
  await resolveBlobs(app, cloud, open, [upload.blob_id])
}

/** Of its parts nothing is left; what is reserved for it stays until it is looked up. */
async function dropUpload(app: BucketsRoom, upload: store.UploadRow): Promise<void> {
  const keys = await app.db.tx(async (tx) => {
    await store.lockUpload(tx, upload)
    const found = await store.deleteParts(tx, upload)
    await markForDeletion(tx, found, new Date(app.clock.nowMs()))
    await store.deleteUpload(tx, upload)
    return found
  })
  await deleteParts(app, keys)
}

/** Those of them that no upload has. */
export async function deleteParts(app: BucketsRoom, keys: readonly string[]): Promise<void> {
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
    for (const upload of uploads) await dropExpired(app, upload)
    found = uploads.length
  }
}

/** A process may have been killed when it had placed the row of the object, so its blob is looked up. */
async function dropExpired(app: BucketsRoom, upload: store.UploadRow): Promise<void> {
  const { account_id: accountId, cloud_id: cloudId, blob_id: blobId } = upload
  await dropUpload(app, upload)
  if (upload.offset_bytes < upload.bytes)
    await setDue(app.db, { accountId, cloudId }, [blobId], new Date(app.clock.nowMs()))
}

/** Of a cloud that is being deleted: one portion. True: there was none to delete. */
export async function deleteUploadsOf(app: BucketsRoom, cloud: CloudKey): Promise<boolean> {
  const uploads = await store.uploadsOf(app.db, cloud, portion)
  for (const upload of uploads) await dropUpload(app, upload)
  return uploads.length === 0
}
