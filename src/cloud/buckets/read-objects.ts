/** Reads objects: their rows, what the rows say about the bytes, and the bytes. */
import type { CloudKey } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { failLost } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import { type ObjectCaller, readerRunner, runAsCaller } from './as-caller.ts'
import { keyOfBlob } from './blobs.ts'
import * as store from './object-store.ts'
import { isKept } from './store.ts'

/** Throws OBJECT_NOT_FOUND, also where no policy lets the caller see the object. */
export const requireObject = async (
  { open, caller }: { open: OpenDatabase; caller: ObjectCaller },
  place: store.ObjectPlace,
): Promise<store.ObjectRow> =>
  (await runAsCaller(open, caller, (run) => store.findObject(run, place))) ?? fail('OBJECT_NOT_FOUND', {})

/** Returns an object for any caller: its bucket is public, or a link to it was checked. Throws OBJECT_NOT_FOUND. */
export const readObject = async (open: OpenDatabase, place: store.ObjectPlace): Promise<store.ObjectRow> =>
  (await store.findObject(readerRunner(open), place)) ?? fail('OBJECT_NOT_FOUND', {})

export const sizeOf = (row: store.ObjectSummary): number => {
  const size = Number(row.size)
  return Number.isSafeInteger(size) && size >= 0 ? size : 0
}

export const typeOf = ({ mimetype }: store.ObjectSummary): string => mimetype ?? 'application/octet-stream'

export const cacheControlOf = ({ cache_control: stated }: store.ObjectSummary): string =>
  stated !== null && /^[\x20-\x7e]{1,200}$/.test(stated) ? stated : 'no-cache'

/**
 * Opens the bytes of an object, or a part. Throws OBJECT_NOT_FOUND where the row names no blob of this cloud, and FILE_LOST where the bytes are lost.
 */
export async function openBytes(
  app: Pick<BucketsApp, 'db' | 'storage' | 'log' | 'metrics'>,
  cloud: CloudKey,
  { version }: Pick<store.ObjectRow, 'version'>,
  range?: { start: number; end: number },
) {
  if (version === null || !isUuid(version)) return fail('OBJECT_NOT_FOUND', {})
  const key = keyOfBlob(cloud, version)
  const found = await app.storage.get(key, range)
  if (found) return found
  // A deleted blob is no longer counted.
  return (await isKept(app.db, cloud, version)) ? failLost(app, key) : fail('OBJECT_NOT_FOUND', {})
}
