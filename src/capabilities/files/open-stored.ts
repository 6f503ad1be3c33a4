import type { Readable } from 'node:stream'
import type { App } from '#app'
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

/** A file of the project by its id; undefined where there is none (any more). */
export async function openStored(
  { db, storage }: Pick<App, 'db' | 'storage'>,
  owner: store.Owner,
  fileId: string,
): Promise<StoredContent | undefined> {
  const row = isUuid(fileId) ? await store.findFile(db, owner, fileId) : undefined
  const content = row && (await storage.get(keyOf(owner.accountId, row.file_id)))
  return content && { bytes: Number(row.bytes), sha256: row.sha256, content }
}
