import type { Readable } from 'node:stream'
import type { App } from '#app'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { keyOf } from './stage.ts'
import * as store from './store.ts'

/** A stored file with its bytes under way. */
export interface StoredContent {
  bytes: number
  /** Hexadecimal. */
  sha256: string
  content: Readable
}

type Room = Pick<App, 'db' | 'storage' | 'waiting' | 'clock'>

/** A file of the project by its id; undefined where there is none (any more). */
export async function openStored(
  app: Room,
  owner: store.Owner,
  fileId: string,
): Promise<StoredContent | undefined> {
  const now = new Date(app.clock.nowMs())
  const row = isUuid(fileId) ? await store.findFile(app.db, owner, fileId, now) : undefined
  const content = row && (await openFile(app, row))
  return content && { bytes: Number(row.bytes), sha256: row.sha256, content }
}

const retryAfterMs = 30_000

/** Its bytes, or a part of them; undefined where they are gone. Throws SERVICE_UNAVAILABLE while they wait on another machine. */
export async function openFile(
  { storage, waiting }: Pick<App, 'storage' | 'waiting'>,
  { account_id: accountId, file_id: fileId, spooled_on: place }: store.FileRow,
  range?: { start: number; end: number },
): Promise<Readable | undefined> {
  const key = keyOf(accountId, fileId)
  if (place === null) return storage.get(key, range)
  // Moved to the store since the row was read, where it is not here any more.
  const own = place === waiting?.place ? await waiting.storage.get(key, range) : undefined
  return (
    own ??
    (await storage.get(key, range)) ??
    fail('SERVICE_UNAVAILABLE', { why: 'storage' }, { retryAfterMs })
  )
}
