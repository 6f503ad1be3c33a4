/** The record of a cloud at the beginning and at the end of its deletion; what is in it is deleted in between. */
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { CloudsApp } from './app.ts'
import type { CloudKey } from './clouds.ts'
import { announceCloud } from './directory.ts'
import type { CloudRow } from './store.ts'
import * as store from './store.ts'

/** Begins the deletion of a locked cloud. Its app gets no answers from here on, and nothing is added to the cloud. Throws CLOUD_DELETING. */
export async function beginDeletion(tx: Tx, cloud: CloudRow, now: Date): Promise<void> {
  if (cloud.state === 'deleting') fail('CLOUD_DELETING', {})
  await store.changeCloud(tx, store.keyOf(cloud), { state: 'deleting', updated_at: now })
  await announceCloud(tx, store.keyOf(cloud), cloud.ref, 'stopped')
}

export const isDeleting = async (db: Db, cloud: CloudKey): Promise<boolean> =>
  (await store.stateOfCloud(db, cloud)) === 'deleting'

/**
 * Deletes the record of a cloud, once nothing else is left of the cloud. Rows that were written meanwhile by processes that knew nothing of the
 * deletion refer to the record, so they are deleted with it; after this lock there are no more.
 */
export const deleteRecord = ({ db }: Pick<CloudsApp, 'db'>, cloud: CloudKey): Promise<void> =>
  db.tx(async (tx) => {
    const row = await store.lockCloudAlone(tx, cloud)
    if (row?.state !== 'deleting') return
    await store.deleteCloud(tx, cloud)
    await announceCloud(tx, cloud, row.ref, 'gone')
  })
