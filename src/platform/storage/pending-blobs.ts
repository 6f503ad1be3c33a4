/**
 * Bytes that belong to a row. They are written before the row, under a key in the list of pending blobs; the transaction that inserts the row removes
 * the key from the list, and the one that deletes the row adds it again. If a key stays in the list too long, a process died in between, and its
 * bytes are deleted. So no row is ever without its bytes, and no bytes stay without their row for long.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { repetitions } from '#platform/clock'
import { isDatabaseAway, type Tx } from '#platform/db'
import type { StorageApp } from './app.ts'
import type { ByteSource, PutOptions, StoredBytes } from './storage.ts'
import * as store from './store.ts'

type BlobContext = Pick<StorageApp, 'db' | 'clock' | 'storage'>

/** The time from writing the bytes to deleting them, if no transaction commits their row; that transaction is short. */
const pendingMs = 60 * 60 * 1000
const batchSize = 100
/** How often the due time is renewed while bytes are still being written. */
const renewMs = 10 * 60 * 1000

/** The pause until a broken connection may have been replaced by a good one. */
const againMs = 500

/**
 * Writes the bytes under the key. They are kept for good when a transaction commits the key within an hour. Throws STORAGE_FULL before
 * anything is written.
 */
export async function stageBlob(
  room: BlobContext,
  key: string,
  bytes: Uint8Array | ByteSource,
): Promise<void> {
  room.storage.requireRoom()
  await announceNewBlob(room, () => key)
  await writeBlob(room, key, bytes)
}

/**
 * Announces a key for bytes that `writeBlob` writes next, and returns it. If the database is away, waits for it until `untilMs`. Each attempt uses a
 * new key: the statement of a failed attempt may still arrive after its key was committed, and would have the bytes deleted.
 */
export async function announceNewBlob(
  { db, clock }: Pick<BlobContext, 'db' | 'clock'>,
  newKey: () => string,
  untilMs = 0,
): Promise<string> {
  for (;;) {
    const key = newKey()
    try {
      await store.insertPendingBlob(db, key, new Date(clock.nowMs() + pendingMs))
      return key
    } catch (error) {
      if (!isDatabaseAway(error) || clock.nowMs() >= untilMs) throw error
      await pause(againMs)
    }
  }
}

/** Announces the keys of several blobs that `writeBlob` writes next. */
export const announceBlobs = (
  { db, clock }: Pick<BlobContext, 'db' | 'clock'>,
  keys: readonly string[],
): Promise<unknown> => store.insertAnnounced(db, keys, new Date(clock.nowMs() + pendingMs))

/** Writes bytes whose key was announced. */
export const writeBlob = (
  { storage }: Pick<BlobContext, 'storage'>,
  key: string,
  bytes: Uint8Array | ByteSource,
  options?: PutOptions,
): Promise<void> =>
  bytes instanceof Uint8Array ? storage.put(key, bytes, options) : storage.putStream(key, bytes, options)

/** Announces a key in the transaction that proves that the bytes are needed; the caller writes them afterwards. */
export const announceBlob = ({ clock }: Pick<StorageApp, 'clock'>, tx: Tx, key: string): Promise<void> =>
  store.announcePendingBlob(tx, key, new Date(clock.nowMs() + pendingMs))

/**
 * Writes bytes like `stageBlob`, for sources that take any time, such as a live stream: the bytes are kept if a transaction commits the key within
 * an hour of the last of them. Throws as `Storage.putUnsized`, and STORAGE_FULL before anything is read.
 */
export async function stageUnsized(
  { db, clock, storage }: BlobContext,
  key: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBytes> {
  storage.requireRoom()
  const due = () => new Date(clock.nowMs() + pendingMs)
  await store.insertPendingBlob(db, key, due())
  // If the database is unavailable, a later renewal comes in time, or `commitBlob` throws.
  const renewal = repetitions.every(renewMs, 'renewal of pending bytes', () =>
    store.renewPendingBlob(db, key, due()).catch(() => undefined),
  )
  let stored: StoredBytes
  try {
    stored = await storage.putUnsized(key, source, maxBytes)
  } finally {
    void renewal.stop()
  }
  if (await store.renewPendingBlob(db, key, due())) return stored
  // This process was suspended for so long that the sweep ran before the last bytes were written: nobody else knows of them.
  await storage.delete([key])
  throw new Error('The bytes were staged too long ago.')
}

/** Commits the blob, whose row is written in this transaction. Throws if the bytes were staged too long ago. */
export const commitBlob = (tx: Tx, key: string): Promise<void> => commitBlobs(tx, [key])

/** Commits several blobs like `commitBlob`. */
export async function commitBlobs(tx: Tx, keys: readonly string[]): Promise<void> {
  if ((await store.commitPendingBlobs(tx, keys)) < keys.length)
    throw new Error('The bytes were staged too long ago, or never.')
}

/** Marks the blobs for deletion in the transaction that deletes their rows; `deletePendingBlobs` deletes the bytes. */
export const markForDeletion = (tx: Tx, keys: readonly string[], now: Date): Promise<void> =>
  store.insertPendingBlobs(tx, keys, now)

/** Deletes the bytes of these pending blobs, or of all that are due; returns how many. */
export async function deletePendingBlobs(
  { db, clock, storage }: BlobContext,
  keys?: readonly string[],
): Promise<number> {
  // The keys are marked first: from then on no transaction can commit them.
  const deleted = await store.claimForDeletion(db, new Date(clock.nowMs()), keys ?? null, batchSize)
  if (deleted.length === 0) return 0
  // A caller that names keys knows that their writing has ended; only the sweep can find uploads that a dead process left incomplete.
  if (keys === undefined) await storage.endUploads(deleted)
  await storage.delete(deleted)
  await store.removeDeleted(db, deleted)
  return deleted.length
}
