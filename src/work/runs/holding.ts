import type { Db } from '#platform/db'
import { type Holding, heldTables, type MadeBy, type MadeFile } from '#platform/holdings'
import type { Storage } from '#platform/storage'
import type { RunsApp } from './app.ts'
import { filesOfKeys } from './files/store.ts'

const portion = 200

/** What an account has of durable runs. The bytes are known by their keys, so these go first. */
export const runsHolding: Holding<{ db: Db; storage: Storage } & Pick<RunsApp, 'clock'>> = {
  ...heldTables('runs', [
    { name: 'work.blobs', blobs: 'array[t.storage_key]' },
    { name: 'work.runs', cascades: ['work.events', 'work.files', 'work.steps'] },
  ]),
  filesMadeBy: madeBy,
}

async function* madeBy({ db, storage }: { db: Db; storage: Storage }, by: MadeBy): AsyncGenerator<MadeFile> {
  for (let after: { runId: string; path: string } | null = null; ; ) {
    const rows = await filesOfKeys(db, by, after, portion)
    for (const row of rows)
      yield {
        fileId: row.run_id,
        projectId: row.project_id,
        name: row.path.split('/').at(-1)!,
        mediaType: row.media_type,
        bytes: Number(row.bytes),
        sha256: row.sha256,
        createdAt: row.created_at,
        receiptId: row.receipt_id,
        open: () => storage.get(row.storage_key),
      }
    if (rows.length < portion) return
    const last = rows.at(-1)!
    after = { runId: last.run_id, path: last.path }
  }
}
