import type { Db } from '#platform/db'
import { type Holding, heldTables, type MadeBy, type MadeFile } from '#platform/holdings'
import type { FilesApp } from './app.ts'
import { openFile } from './open-stored.ts'
import { filesOfKeys } from './store.ts'

const portion = 200

/** What an account has of stored files. */
export const filesHolding: Holding<{ files: FilesApp } & Pick<FilesApp, 'clock'> & { db: Db }> = {
  ...heldTables('files', [
    { name: 'files.files', blobs: `array['files/' || t.account_id || '/' || t.file_id]` },
    { name: 'files.usage' },
    { name: 'files.reservations' },
  ]),
  filesMadeBy: ({ files }, by) => madeBy(files, by),
}

async function* madeBy(app: FilesApp, by: MadeBy): AsyncGenerator<MadeFile> {
  for (let after: string | null = null; ; ) {
    const rows = await filesOfKeys(app.db, by, { after, limit: portion, now: new Date(app.clock.nowMs()) })
    for (const row of rows)
      yield {
        fileId: row.file_id,
        projectId: row.project_id,
        name: row.name ?? row.file_id,
        mediaType: row.media_type,
        bytes: Number(row.bytes),
        sha256: row.sha256,
        createdAt: row.created_at,
        receiptId: row.receipt_id,
        open: () => openFile(app, row),
      }
    if (rows.length < portion) return
    after = rows.at(-1)!.file_id
  }
}
