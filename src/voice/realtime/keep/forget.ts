/** Words and sound of calls that are kept no longer. */
import type { App } from '#app'
import { deleteFile, dropBytes } from '#core/files'
import { type CallKey, lockCall } from '../store.ts'
import { deleteOldCalls, forgetWords } from './transcript-store.ts'

const dayMs = 24 * 60 * 60 * 1_000
const batchSize = 100

/** For good, and while it runs, too: nothing more of it is kept. False where nothing of it was kept. */
export async function forgetCall(app: App, key: CallKey): Promise<boolean> {
  const { accountId } = key
  const now = new Date(app.clock.nowMs())
  const forgotten = await app.db.tx(async (tx) => {
    const row = await lockCall(tx, key)
    if (!row?.store) return undefined
    await forgetWords(tx, key)
    const owner = { accountId, projectId: row.project_id }
    if (row.file_id) await deleteFile(tx, owner, row.file_id, now)
    return row
  })
  if (forgotten?.file_id) await dropBytes(app, accountId, forgotten.file_id)
  return forgotten !== undefined
}

/** Calls that have ended so long ago; files have an end of their own, and receipts stay. */
export async function deleteCallsBefore(app: App, signal: AbortSignal): Promise<void> {
  const before = new Date(app.clock.nowMs() - app.config.voice.keepDays * dayMs)
  for (let found = batchSize; found === batchSize && !signal.aborted; )
    found = await deleteOldCalls(app.db, before, batchSize)
}
