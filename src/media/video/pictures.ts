/** Keeps the reference pictures of a job in the store until the order is sent: a queue may be long, and any process may take the order. */
import type { Media } from '#core/turn'
import type { Tx } from '#platform/db'
import { commitBlob, deletePendingBlobs, markForDeletion, reportLost, stageBlob } from '#platform/storage'
import type { VideoApp } from './app.ts'
import type { StoredPicture, VideoKey } from './store.ts'

/** Stores the pictures under keys of the job; `commitPictures` follows in the transaction that accepts the job. */
export async function stagePictures(
  { files }: Pick<VideoApp, 'files'>,
  { accountId, jobId }: VideoKey,
  pictures: readonly Media[],
): Promise<StoredPicture[]> {
  const stored: StoredPicture[] = []
  for (const [place, { data, mediaType = 'image/png', width, height }] of pictures.entries()) {
    const key = `videos/${accountId}/${jobId}/${place}`
    await stageBlob(files, key, data!)
    stored.push({ key, mediaType, ...(width && { width }), ...(height && { height }) })
  }
  return stored
}

export async function commitPictures(tx: Tx, pictures: readonly StoredPicture[]): Promise<void> {
  for (const { key } of pictures) await commitBlob(tx, key)
}

/** Deletes the pictures of a job that was not accepted; if this fails, the sweep deletes them. */
export const dropPictures = (
  { files }: Pick<VideoApp, 'files'>,
  pictures: readonly StoredPicture[],
): Promise<unknown> =>
  pictures.length === 0
    ? Promise.resolve()
    : deletePendingBlobs(
        files,
        pictures.map(({ key }) => key),
      ).catch((error: unknown) => files.log.warn({ err: error }, 'reference pictures are deleted later'))

/** Marks pictures that are not needed any more for deletion once the transaction commits. */
export const forgetPictures = (tx: Tx, pictures: readonly StoredPicture[], now: Date): Promise<void> =>
  pictures.length === 0
    ? Promise.resolve()
    : markForDeletion(
        tx,
        pictures.map(({ key }) => key),
        now,
      )

/** The pictures with their bytes, in their order. Throws where the store fails. */
export const readPictures = (
  { files }: Pick<VideoApp, 'files'>,
  pictures: readonly StoredPicture[],
): Promise<Media[]> =>
  Promise.all(
    pictures.map(async ({ key, ...picture }) => {
      const content = await files.storage.get(key)
      if (!content) {
        reportLost(files, key)
        throw new Error('A reference picture is missing in the store.')
      }
      return { ...picture, data: Buffer.concat(await Array.fromAsync(content)) } as Media
    }),
  )
