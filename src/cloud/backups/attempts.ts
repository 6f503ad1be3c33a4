/** What happens after an attempt at a backup, or at restoring one, has failed. */
import type { App } from '#app'
import { type Later, laterWhenUnavailable } from '#platform/jobs'
import * as store from './store.ts'

const maxAttempts = 5
const againMs = 5_000

/** Undefined where it is not tried again. What has to wait for room or for another machine is no failure. */
export async function laterOf(
  app: App,
  key: store.BackupKey | store.RestoreKey,
  error: unknown,
): Promise<Later | undefined> {
  const later = laterWhenUnavailable(error)
  if (later) return later
  const nth = await store.countFailure(app.db, key)
  app.log.warn({ err: error, cloud_id: key.cloudId, nth }, 'a backup could not be made or restored')
  return nth < maxAttempts ? { laterMs: againMs } : undefined
}
