import { type FileOwner, findFile } from '#core/files'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import type { FileRoutesApp } from './app.ts'

/** A stored file that a body names by its id. */
export interface NamedFile {
  id: string
  name: string | null
  mediaType: string
  bytes: number
}

/**
 * The files of the project that a body names in `file_ids`, in the order of the body. Throws FILE_NOT_FOUND (404) for the first that does not exist.
 */
export async function requireFiles(
  { db, clock }: Pick<FileRoutesApp, 'db' | 'clock'>,
  owner: FileOwner,
  ids: readonly string[],
): Promise<NamedFile[]> {
  const now = new Date(clock.nowMs())
  const rows = await Promise.all(
    ids.map((id) => (isUuid(id) ? findFile(db, owner, id, now) : Promise.resolve(undefined))),
  )
  return rows.map((row, place) =>
    row
      ? { id: row.file_id, name: row.name, mediaType: row.media_type, bytes: Number(row.bytes) }
      : fail('FILE_NOT_FOUND', {}, { param: `file_ids.${place}` }),
  )
}
