/** Decides what follows a failed attempt to make a backup, or to restore one. */
import { delayIfUnavailable, type JobDelay } from '#platform/jobs'
import type { BackupsApp } from './app.ts'
import * as store from './store.ts'

const maxAttempts = 5
const againMs = 5_000

/** Returns when to try again, or undefined. An attempt that has to wait for room or for another machine is not counted as failed. */
export async function retryAfterFailure(
  app: BackupsApp,
  key: store.BackupKey | store.RestoreKey,
  error: unknown,
): Promise<JobDelay | undefined> {
  const later = delayIfUnavailable(error)
  if (later) return later
  const nth = await store.countFailure(app.db, key)
  app.log.warn({ err: error, cloud_id: key.cloudId, nth }, 'a backup could not be made or restored')
  return nth < maxAttempts ? { laterMs: againMs } : undefined
}
