/** The export of a cloud's private files. */
import { buffer } from 'node:stream/consumers'
import type { CloudKey } from '#cloud/clouds'
import { reportLost } from '#platform/storage'
import type { AppFilesApp } from './app.ts'
import * as store from './store.ts'

/** A line of an export. */
export interface ExportedFile {
  id: string
  /** The id of the app user. */
  user_id: string
  name: string
  media_type: string
  created_at: string
  content_base64: string
}

const portion = 50
const firstId = '00000000-0000-0000-0000-000000000000'

/** Yields all files of a cloud, one after another: at most one is in memory. A file that is deleted during the export is left out. */
export async function* exportFiles(
  app: Pick<AppFilesApp, 'db' | 'storage' | 'log' | 'metrics'>,
  cloud: CloudKey,
): AsyncGenerator<ExportedFile> {
  const { db, storage } = app
  for (let after = firstId; ; ) {
    const rows = await store.filesAfter(db, cloud, after, portion)
    for (const row of rows) {
      const source = await storage.get(row.storage_key)
      if (!source) {
        // A file whose bytes are lost is left out too, but reported; the export goes on.
        const still = await store.findAppFile(db, { ...cloud, userId: row.user_id }, row.file_id)
        if (still) reportLost(app, row.storage_key)
        continue
      }
      yield {
        id: row.file_id,
        user_id: row.user_id,
        name: row.name,
        media_type: row.media_type,
        created_at: row.created_at.toISOString(),
        content_base64: (await buffer(source)).toString('base64'),
      }
    }
    const last = rows.at(-1)
    if (rows.length < portion || !last) return
    after = last.file_id
  }
}
