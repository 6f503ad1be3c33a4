/** The upkeep of stored files: bytes without rows and expired files are deleted, and creations that wait for the store are stored. */
import { Readable } from 'node:stream'
import { uuidv7 } from '#platform/ids'
import { announceBlob, type ByteSource, commitBlob, deletePendingBlobs } from '#platform/storage'
import type { FilesApp } from './app.ts'
import * as creationStore from './creation-store.ts'
import { deleteFile, fileIdOf, keyOf } from './stage.ts'
import type { WaitingFolder } from './waiting.ts'

const batchSize = 100

/** Deletes bytes that no row owns. */
export async function deleteUnowned(app: FilesApp, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await deletePendingBlobs(app)) > 0);
}

/** Deletes files whose time is over: creations, and uploads that were sent with an end. */
export async function deleteExpired(app: FilesApp, signal: AbortSignal): Promise<void> {
  for (let found = batchSize; found === batchSize && !signal.aborted; ) {
    const now = new Date(app.clock.nowMs())
    const rows = await creationStore.findExpired(app.db, now, batchSize)
    for (const { account_id: accountId, project_id: projectId, file_id: fileId } of rows)
      await app.db.tx((tx) => deleteFile(tx, { accountId, projectId }, fileId, now))
    found = rows.length
  }
}

/** After this time a call that has reserved room holds its price, or never will. */
const reservationGraceMs = 5 * 60 * 1_000

/** Gives back the room that dead processes and ended calls had reserved; runs with the sweeps of living processes. */
export const releaseReservations = ({
  db,
  processes,
  clock,
}: Pick<FilesApp, 'db' | 'processes' | 'clock'>): Promise<number> =>
  creationStore.releaseAbandoned(db, processes, uuidv7(clock.nowMs() - reservationGraceMs))

/** A file whose bytes wait for the store. */
interface SpooledFile {
  account_id: string
  file_id: string
  bytes: bigint
  sha256: string
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** Brings creations from the data folder into the store, once the store is back. Stops at the first failure; the rest is tried later. */
export async function uploadWaitingFiles(app: FilesApp, signal: AbortSignal): Promise<void> {
  const { waiting } = app
  if (!waiting) return
  let last = firstId
  for (let found = batchSize; found === batchSize && !signal.aborted; ) {
    const rows = await creationStore.findSpooled(app.db, waiting.place, last, batchSize)
    for (const row of rows) {
      const key = keyOf(row.account_id, row.file_id)
      if (await store(app, key, row, signal)) await waiting.storage.delete([key])
    }
    found = rows.length
    last = rows.at(-1)?.file_id ?? last
  }
}

/**
 * Stores a file that waits; every process of this machine tries the same. The key becomes pending only while the row still waits, checked in one
 * transaction: if the key became pending after another process had stored the bytes, they would be deleted. If the file was deleted meanwhile, its
 * bytes stay pending and are deleted. Returns false if there is nothing to store here.
 */
async function store(
  app: FilesApp,
  key: string,
  { account_id: accountId, file_id: fileId, ...known }: SpooledFile,
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = await isWaiting(app, key)
  const isWanted = await app.db.tx(async (tx) => {
    const stillWaits = await creationStore.lockSpooled(tx, accountId, fileId)
    if (stillWaits && isThere) await announceBlob(app, tx, key)
    return stillWaits
  })
  if (isWanted && !isThere) app.log.error({ file: fileId }, 'a paid result is missing in the data folder')
  if (!isWanted || !isThere) return false
  await app.storage.putStream(key, sourceOf(app, key, known), { signal })
  await app.db.tx(async (tx) => {
    if (await creationStore.markStored(tx, accountId, fileId)) await commitBlob(tx, key)
  })
  return true
}

/** After this time a call that wrote bytes into the data folder has written their row, or never will. */
const rowGraceMs = 60 * 60 * 1_000

/** Deletes bytes in the data folder whose file was deleted, or was never recorded. */
export async function deleteOrphanedBytes(app: FilesApp, signal: AbortSignal): Promise<void> {
  const { waiting } = app
  if (!waiting) return
  for await (const keys of inBatches(waiting.keysBefore(app.clock.nowMs() - rowGraceMs))) {
    if (signal.aborted) return
    const ids = await creationStore.waitingFileIds(app.db, waiting.place, keys.map(fileIdOf))
    await waiting.storage.delete(keys.filter((key) => !ids.has(fileIdOf(key))))
  }
}

async function* inBatches(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const key of keys) {
    batch.push(key)
    if (batch.length === batchSize) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

async function isWaiting({ waiting }: Pick<FilesApp, 'waiting'>, key: string): Promise<boolean> {
  const bytes = await waiting!.storage.get(key)
  bytes?.destroy()
  return bytes !== undefined
}

const sourceOf = (
  { waiting }: Pick<FilesApp, 'waiting'>,
  key: string,
  row: Pick<SpooledFile, 'bytes' | 'sha256'>,
): ByteSource => ({
  bytes: Number(row.bytes),
  sha256: row.sha256,
  open: () => Readable.from(readWaiting(waiting!, key)),
})

async function* readWaiting({ storage }: WaitingFolder, key: string): AsyncGenerator<Uint8Array> {
  const bytes = await storage.get(key)
  if (!bytes) throw new Error('The bytes are not in the data folder any more.')
  yield* bytes
}
