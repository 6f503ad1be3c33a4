/**
 * How a server and `kherad doctor` check that they work on one data folder: the server answers with a hash that only a program that can read the
 * folder can compute (docs/decisions/platform/installations.md). The hash is no secret and gives no access.
 */
import { createHash } from 'node:crypto'
import { folderLocation } from '#platform/folders'
import { readRecord } from './record.ts'

/** The header of answers to `/health/ready`. */
export const instanceHeader = 'x-kherad-instance'

/**
 * The hash that a server of this folder answers with; undefined if no server has started on it yet. Device and inode of the folder are part of the
 * hash, so that a copy that was not started yet has another one.
 */
export async function readInstance(dataDir: string): Promise<string | undefined> {
  const record = await readRecord(dataDir)
  if (!record) return undefined
  const { device, inode } = await folderLocation(dataDir)
  return createHash('sha256').update(`kherad instance ${record.id} ${device} ${inode}`).digest('base64url')
}
