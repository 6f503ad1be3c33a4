/** What is deleted leaves its rows in one transaction, and its bytes after it. */
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { markForDeletion } from '#platform/storage'
import * as store from './store.ts'
import { dropBytes, type FilesRoom } from './store-file.ts'

/** Returns false where this owner has no such file. */
export async function deleteAppFile(
  app: FilesRoom,
  owner: store.FileOwner,
  fileId: string,
): Promise<boolean> {
  const keys = await app.db.tx((tx) => deleteMarked(app, tx, { ...owner, fileId }, 1))
  await dropBytes(app, keys)
  return keys.length > 0
}

/** As many as leave at once. */
const portion = 100

/** Of a cloud that is being deleted: one portion of its files. True: there was none to delete. */
export async function deleteAllOf(app: FilesRoom, { accountId, cloudId }: CloudKey): Promise<boolean> {
  const keys = await app.db.tx((tx) => deleteMarked(app, tx, { accountId, cloudId }, portion))
  await dropBytes(app, keys)
  return keys.length === 0
}

/** Together with a user, in one transaction; `deletePendingBlobs` of the keys that it returns deletes the bytes at once. */
export const deleteFilesOfUser = (
  app: Pick<FilesRoom, 'clock'>,
  tx: Tx,
  user: CloudKey & { userId: string },
): Promise<string[]> => deleteMarked(app, tx, user, Number.MAX_SAFE_INTEGER)

async function deleteMarked(
  { clock }: Pick<FilesRoom, 'clock'>,
  tx: Tx,
  owner: store.FileOwner & { fileId?: string },
  limit: number,
): Promise<string[]> {
  const keys = await store.deleteFiles(tx, owner, limit)
  if (keys.length > 0) await markForDeletion(tx, keys, new Date(clock.nowMs()))
  return keys
}
