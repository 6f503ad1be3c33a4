/** The bytes are stored first, outside of any transaction; row and counts follow in one. After a crash in between the bytes are deleted. */
import { type CloudKey, type CloudLimits, limitsOf, shareLockReadyCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { isDiskFullError } from '#platform/disk-space'
import { Failure, fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import '#platform/spool'
import { commitBlobs, deletePendingBlobs, stageBlob } from '#platform/storage'
import type { AppFilesApp } from './app.ts'
import * as store from './store.ts'
import './errors.ts'

export type AppFilesDependencies = Pick<AppFilesApp, 'db' | 'clock' | 'storage' | 'config' | 'log'>

export interface NewAppFile extends CloudKey {
  userId: string
  name: string
  mediaType: string
  bytes: Uint8Array
  /** Set by an import, which keeps ids since rows may name files by them. No other file of the cloud has this id. */
  imported?: { id: string; createdAt: Date }
}

/** Throws APP_FILE_TOO_LARGE, APP_FILES_FULL, SPOOL_FULL where the disk is full, and CLOUD_NOT_FOUND where the cloud is not ready any more. */
export async function storeAppFile(
  app: AppFilesDependencies,
  file: NewAppFile,
  limits: CloudLimits,
): Promise<store.AppFileRow> {
  const { length } = file.bytes
  // These checks come before anything is written; the transaction checks again.
  requireSize(length, limits)
  if (!(await store.hasRoom(app.db, file, length, totalLimits(limits)))) failFull(limits)
  const row = await stageAppFile(app, file, limits)
  try {
    await app.db.tx((tx) => commitRow(app, tx, row))
  } catch (error) {
    await dropBytes(app, [row.storage_key])
    throw error
  }
  return row
}

/**
 * Stores the bytes of a file and returns its row, which a transaction inserts later (`importFiles` for an import). Throws APP_FILE_TOO_LARGE and
 * SPOOL_FULL.
 */
export async function stageAppFile(
  app: AppFilesDependencies,
  { accountId, cloudId, userId, name, mediaType, bytes, imported }: NewAppFile,
  limits: CloudLimits,
): Promise<store.AppFileRow> {
  requireSize(bytes.length, limits)
  // The key does not contain the id of an import, so that two imports of the same export at once write to different keys.
  const newId = uuidv7(app.clock.nowMs())
  const row: store.AppFileRow = {
    ...{ account_id: accountId, cloud_id: cloudId, file_id: imported?.id ?? newId, user_id: userId },
    ...{ name, media_type: mediaType, bytes: BigInt(bytes.length) },
    storage_key: `app-files/${accountId}/${cloudId}/${newId}`,
    created_at: imported?.createdAt ?? new Date(app.clock.nowMs()),
  }
  await stage(app, row.storage_key, bytes)
  return row
}

const importedAtOnce = 1_000

/** Inserts rows of an import; the cloud is locked and ready. Throws APP_FILES_FULL. */
export async function importFiles(
  tx: Tx,
  cloud: CloudKey,
  rows: readonly store.AppFileRow[],
  limits: CloudLimits,
): Promise<void> {
  for (let at = 0; at < rows.length; at += importedAtOnce)
    await insertStaged(tx, cloud, rows.slice(at, at + importedAtOnce), limits)
}

async function insertStaged(
  tx: Tx,
  cloud: CloudKey,
  rows: readonly store.AppFileRow[],
  limits: CloudLimits,
): Promise<void> {
  await commitBlobs(
    tx,
    rows.map((row) => row.storage_key),
  )
  const added = { files: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) }
  if (!(await store.addToFileCounts(tx, cloud, added, totalLimits(limits)))) failFull(limits)
  await store.insertFiles(tx, cloud, rows)
}

/** Stores bytes; a full disk fails as SPOOL_FULL, which apps know. */
async function stage(app: AppFilesDependencies, key: string, bytes: Uint8Array): Promise<void> {
  try {
    await stageBlob(app, key, bytes)
  } catch (error) {
    if (isDiskFullError(error) || (error instanceof Failure && error.code === 'STORAGE_FULL'))
      fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs: 30_000, cause: error })
    throw error
  }
}

/** If the commit succeeds but its answer is lost, the key is no longer pending, so `dropBytes` leaves the bytes. */
async function commitRow({ config }: AppFilesDependencies, tx: Tx, row: store.AppFileRow): Promise<void> {
  const cloud = { accountId: row.account_id, cloudId: row.cloud_id }
  const limited = await shareLockReadyCloud(tx, cloud)
  if (!limited) fail('CLOUD_NOT_FOUND', {})
  const limits = limitsOf(config.clouds, limited)
  requireSize(Number(row.bytes), limits)
  await insertStaged(tx, cloud, [row], limits)
}

/** Deletes bytes without a row. If this fails, they are deleted later with all pending blobs. */
export async function dropBytes(app: AppFilesDependencies, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, count: keys.length }, 'bytes of private files are deleted later'),
  )
}

function requireSize(bytes: number, { fileBytes }: CloudLimits): void {
  if (bytes > fileBytes) fail('APP_FILE_TOO_LARGE', { maxBytes: fileBytes }, { param: 'content_base64' })
}

const totalLimits = ({ files, fileTotalBytes }: CloudLimits) => ({ files, bytes: fileTotalBytes })

const failFull = ({ files, fileTotalBytes }: CloudLimits): never =>
  fail('APP_FILES_FULL', { maxFiles: files, maxBytes: fileTotalBytes })
