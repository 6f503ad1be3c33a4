import type { Readable } from 'node:stream'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { failLost } from '#platform/storage'
import type { FilesApp } from './app.ts'
import { keyOf } from './stage.ts'
import * as store from './store.ts'

/** A stored file whose bytes are being read. */
export interface StoredContent {
  bytes: number
  /** Hexadecimal. */
  sha256: string
  content: Readable
}

type FileReadContext = Pick<FilesApp, 'db' | 'storage' | 'waiting' | 'clock' | 'log' | 'metrics'>

/** A file of the project by its id; undefined where there is no such file (any more). Throws FILE_LOST as `openFile` does. */
export async function openStored(
  app: FileReadContext,
  owner: store.FileOwner,
  fileId: string,
): Promise<StoredContent | undefined> {
  const now = new Date(app.clock.nowMs())
  const row = isUuid(fileId) ? await store.findFile(app.db, owner, fileId, now) : undefined
  const content = row && (await openFile(app, row))
  return content && { bytes: Number(row.bytes), sha256: row.sha256, content }
}

const retryAfterMs = 30_000

/**
 * The bytes of a file, or a part of them; undefined if the file was deleted meanwhile. Throws SERVICE_UNAVAILABLE while the bytes wait on another
 * machine, and FILE_LOST (410) where the row exists and the bytes do not.
 */
export async function openFile(
  app: FileReadContext,
  { account_id: accountId, file_id: fileId, spooled_on: place }: store.FileRow,
  range?: { start: number; end: number },
): Promise<Readable | undefined> {
  const { storage, waiting } = app
  const key = keyOf(accountId, fileId)
  if (place === null) {
    const content = await storage.get(key, range)
    if (content) return content
    const still = await store.findLinked(app.db, { accountId, fileId }, new Date(app.clock.nowMs()))
    return still && failLost(app, key)
  }
  // Bytes that are no longer in this data folder were moved to the store after the row was read.
  const own = place === waiting?.place ? await waiting.storage.get(key, range) : undefined
  return (
    own ??
    (await storage.get(key, range)) ??
    (place === waiting?.place ? await failIfLostHere(app, key, { accountId, fileId }) : undefined) ??
    fail('SERVICE_UNAVAILABLE', { why: 'storage' }, { retryAfterMs })
  )
}

/** Fails with FILE_LOST for a file that waits on this machine, since nobody else has its bytes, unless it was moved or deleted in this moment. */
async function failIfLostHere(
  app: FileReadContext,
  key: string,
  linked: { accountId: string; fileId: string },
): Promise<undefined> {
  const row = await store.findLinked(app.db, linked, new Date(app.clock.nowMs()))
  if (row && row.spooled_on === app.waiting?.place) failLost(app, key)
}
