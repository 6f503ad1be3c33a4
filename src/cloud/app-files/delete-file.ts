/** Deletes private files: their rows in one transaction, their bytes after it. */
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { markForDeletion } from '#platform/storage'
import * as store from './store.ts'
import { type AppFilesDependencies, dropBytes } from './store-file.ts'

/** Returns false where this owner has no such file. */
export async function deleteAppFile(
  app: AppFilesDependencies,
  owner: store.FileOwner,
  fileId: string,
): Promise<boolean> {
  const keys = await app.db.tx((tx) => deleteAndMarkBlobs(app, tx, { ...owner, fileId }, 1))
  await dropBytes(app, keys)
  return keys.length > 0
}

/** The files that `deleteFilesOf` deletes at once. */
const portion = 100

/** Deletes one portion of the files of a cloud that is being deleted. Returns true if there was none. */
export async function deleteFilesOf(
  app: AppFilesDependencies,
  { accountId, cloudId }: CloudKey,
): Promise<boolean> {
  const keys = await app.db.tx((tx) => deleteAndMarkBlobs(app, tx, { accountId, cloudId }, portion))
  await dropBytes(app, keys)
  return keys.length === 0
}

/**
 * Deletes the files of a user in the transaction that deletes the user. Returns the keys of their bytes, which `deletePendingBlobs` deletes at once.
 */
export const deleteFilesOfUser = (
  app: Pick<AppFilesDependencies, 'clock'>,
  tx: Tx,
  user: CloudKey & { userId: string },
): Promise<string[]> => deleteAndMarkBlobs(app, tx, user, Number.MAX_SAFE_INTEGER)

async function deleteAndMarkBlobs(
  { clock }: Pick<AppFilesDependencies, 'clock'>,
  tx: Tx,
  owner: store.FileOwner & { fileId?: string },
  limit: number,
): Promise<string[]> {
  const keys = await store.deleteFiles(tx, owner, limit)
  if (keys.length > 0) await markForDeletion(tx, keys, new Date(clock.nowMs()))
  return keys
}
