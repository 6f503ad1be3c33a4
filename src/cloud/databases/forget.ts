import { announceCloud, beginDeletion, type CloudKey, keyOf, lockCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { DatabasesApp } from './app.ts'
import type { DatabaseRecord } from './databases.ts'
import * as store from './store.ts'

interface ForgetDependencies extends Pick<DatabasesApp, 'db' | 'clock'> {
  /** Writes what belongs to the change in its transaction, such as a row of the audit log. */
  alongside?: (tx: Tx, forgotten: DatabaseRecord) => Promise<void>
}

/**
 * Forgets a database whose machine or server is lost for good: its cloud is deleted without it, and its files stay where they are. Returns its
 * record; undefined where the cloud has no database. Throws CLOUD_NOT_FOUND.
 */
export const forgetDatabase = (
  { db, clock, alongside }: ForgetDependencies,
  cloud: CloudKey,
): Promise<DatabaseRecord | undefined> =>
  db.tx(async (tx) => {
    const row = (await lockCloud(tx, cloud)) ?? fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
    const forgotten = await store.takeDatabase(tx, cloud)
    if (!forgotten) return undefined
    if (row.state === 'deleting') await announceCloud(tx, keyOf(row), row.ref, 'stopped')
    else await beginDeletion(tx, row, new Date(clock.nowMs()))
    await alongside?.(tx, forgotten)
    return forgotten
  })
