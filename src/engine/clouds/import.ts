import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { CloudKey } from './clouds.ts'
import type { CloudRow } from './store.ts'
import * as store from './store.ts'

/** A process that died over an import does not keep others off for longer. */
const longestMs = 30 * 60 * 1000

/** The cloud is locked and ready. Throws CLOUD_IMPORTING. */
export async function beginImport(tx: Tx, cloud: CloudRow, now: Date): Promise<CloudRow> {
  const { importing_since: since } = cloud
  if (since !== null && now.getTime() - since.getTime() < longestMs)
    fail('CLOUD_IMPORTING', {}, { retryAfterMs: 5_000 })
  await store.changeCloud(tx, store.keyOf(cloud), { importing_since: now })
  return { ...cloud, importing_since: now }
}

/** The import that began then is over. */
export async function endImport(tx: Tx, cloud: CloudKey, began: Date): Promise<void> {
  const row = await store.lockCloud(tx, cloud)
  if (row?.importing_since?.getTime() === began.getTime())
    await store.changeCloud(tx, cloud, { importing_since: null })
}
