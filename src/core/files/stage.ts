/**
 * The interface for rooms that make files. The bytes are stored first, outside of any transaction (`stageFile`); the row follows in the
 * transaction of whatever the file belongs to (`commitFile`). After a crash in between the bytes are deleted (`platform/storage/pending-blobs.ts`).
 */
import path from 'node:path'
import { sha256InSlices } from '#platform/bytes'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import {
  type ByteSource,
  commitBlob,
  deletePendingBlobs,
  markForDeletion,
  stageBlob,
} from '#platform/storage'
import type { FilesApp } from './app.ts'
import * as store from './store.ts'

export interface NewFile extends store.FileOwner {
  bytes: Uint8Array | ByteSource
  mediaType: string
  /** What created the file, such as `upload`. */
  source: string
  name?: string | undefined
  keyId?: string | undefined
  /** What the sender says that it is for. */
  purpose?: string | undefined
  /** The file is deleted this long after it was created; absent: it is kept until somebody deletes it. */
  expiresAfterMs?: number | undefined
}

/** A file whose bytes are stored and whose row does not exist yet. */
export interface StagedFile {
  row: store.FileRow
  quotaBytes: number
}

export const keyOf = (accountId: string, fileId: string): string => `files/${accountId}/${fileId}`

/** The file id in a key that `keyOf` made. */
export const fileIdOf = (key: string): string => path.posix.basename(key)

/** Stores the bytes. Throws FILES_QUOTA_EXCEEDED where the project has no room for them, and STORAGE_FULL where the disk has none. */
export async function stageFile(app: FilesApp, file: NewFile): Promise<StagedFile> {
  app.storage.requireRoom()
  const quotaBytes = app.config.files.projectQuotaBytes
  const { bytes, accountId, projectId } = file
  const isBuffered = bytes instanceof Uint8Array
  const size = isBuffered ? bytes.length : bytes.bytes
  if (!(await store.hasQuota(app.db, file, size, quotaBytes))) failQuota(quotaBytes)
  const nowMs = app.clock.nowMs()
  const row = {
    account_id: accountId,
    file_id: uuidv7(nowMs),
    project_id: projectId,
    key_id: file.keyId ?? null,
    name: file.name ?? null,
    media_type: file.mediaType,
    bytes: BigInt(size),
    sha256: isBuffered ? await sha256InSlices(bytes) : bytes.sha256,
    source: file.source,
    receipt_id: null,
    expires_at: file.expiresAfterMs === undefined ? null : new Date(nowMs + file.expiresAfterMs),
    listed: true,
    purpose: file.purpose ?? null,
    spooled_on: null,
    created_at: new Date(nowMs),
  }
  await stageBlob(app, keyOf(accountId, row.file_id), bytes)
  return { row, quotaBytes }
}

/** Writes the row and counts the file; other files of the project wait for this transaction from here on. Throws FILES_QUOTA_EXCEEDED. */
export async function commitFile(tx: Tx, { row, quotaBytes }: StagedFile): Promise<{ id: string }> {
  const owner = { accountId: row.account_id, projectId: row.project_id }
  await commitBlob(tx, keyOf(row.account_id, row.file_id))
  await store.insertFiles(tx, [row])
  if (!(await store.reserveQuota(tx, owner, Number(row.bytes), quotaBytes))) failQuota(quotaBytes)
  return { id: row.file_id }
}

/** Deletes the row, and marks the bytes for deletion: `dropBytes` after the transaction, or the tidy job, deletes them. */
export async function deleteFile(
  tx: Tx,
  owner: store.FileOwner,
  fileId: string,
  now: Date,
): Promise<boolean> {
  if (!(await store.deleteRow(tx, owner, fileId))) return false
  await markForDeletion(tx, [keyOf(owner.accountId, fileId)], now)
  return true
}

/** Deletes bytes without a row. After a failure the tidy job deletes them later. */
export async function dropBytes(app: FilesApp, accountId: string, fileId: string): Promise<void> {
  await deletePendingBlobs(app, [keyOf(accountId, fileId)]).catch((error: unknown) =>
    app.log.warn({ err: error, account_id: accountId }, 'bytes of a file are deleted later'),
  )
}

export const failQuota = (quotaBytes: number, maxFiles: number = store.maxFiles): never =>
  fail('FILES_QUOTA_EXCEEDED', { quotaBytes, maxFiles })
