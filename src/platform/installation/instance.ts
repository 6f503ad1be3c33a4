/**
 * By what a server and `kherad doctor` know that they work on one data folder: the server answers a hash that only who can read the folder can
 * make (docs/decisions/0092-room-before-orders.md). It is no secret and opens nothing.
 */
import { createHash } from 'node:crypto'
import { placeOf } from '#platform/folders'
import { readRecord } from './record.ts'

/** Of answers to `/health/ready`. */
export const instanceHeader = 'x-kherad-instance'

/**
 * What a server of this folder answers; undefined where none has started yet. Device and inode of the folder are part of it, so that a copy that
 * was not started yet is another one.
 */
export async function readInstance(dataDir: string): Promise<string | undefined> {
  const record = await readRecord(dataDir)
  if (!record) return undefined
  const { device, inode } = await placeOf(dataDir)
  return createHash('sha256').update(`kherad instance ${record.id} ${device} ${inode}`).digest('base64url')
}
