/** Deletes words and sound of calls that are no longer kept. */
import { deleteFile, dropBytes } from '#core/files'
import type { KeptCallApp } from '../app.ts'
import { type CallKey, lockCall } from '../store.ts'
import { deleteKeptWords, deleteOldCalls } from './transcript-store.ts'

const dayMs = 24 * 60 * 60 * 1_000
const batchSize = 100

/** Deletes words and sound for good, also while the call runs: nothing more of it is kept. Returns false where nothing of the call was kept. */
export async function deleteKeptContent(
  app: Pick<KeptCallApp, 'clock' | 'db' | 'files'>,
  key: CallKey,
): Promise<boolean> {
  const { accountId } = key
  const now = new Date(app.clock.nowMs())
  const forgotten = await app.db.tx(async (tx) => {
    const row = await lockCall(tx, key)
    if (!row?.store) return undefined
    await deleteKeptWords(tx, key)
    const owner = { accountId, projectId: row.project_id }
    if (row.file_id) await deleteFile(tx, owner, row.file_id, now)
    return row
  })
  if (forgotten?.file_id) await dropBytes(app.files, accountId, forgotten.file_id)
  return forgotten !== undefined
}

/** Deletes calls that ended longer ago than they are kept; files expire by themselves, and receipts stay. */
export async function deleteCallsBefore(
  app: Pick<KeptCallApp, 'clock' | 'config' | 'db'>,
  signal: AbortSignal,
): Promise<void> {
  const before = new Date(app.clock.nowMs() - app.config.voice.keepDays * dayMs)
  for (let found = batchSize; found === batchSize && !signal.aborted; )
    found = await deleteOldCalls(app.db, before, batchSize)
}
