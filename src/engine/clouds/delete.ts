/**
 * The end of a cloud. From the transaction that begins it nothing is added to it; then what is in it goes in portions, each of which may
 * run any number of times, and last its record with its ref.
 */
import type { App } from '#app'
import { deleteSite, lockSite, sitesOfCloud } from '#engine/sites'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { job, type Later, type Run } from '#platform/jobs'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import type { CloudKey } from './clouds.ts'
import * as contents from './contents-store.ts'
import { announceCloud } from './directory.ts'
import type { CloudRow } from './store.ts'
import * as store from './store.ts'

export interface DeleteWork {
  cloudId: string
}

export const deleteJob = job<DeleteWork>({
  name: 'clouds.delete',
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: ({ app, accountId, data, stopping, progressed }) =>
    deleteContents(app, { accountId, ...data }, { stopping, progressed }),
  // Whatever ended its processes, it has to be gone some day.
  setAside: async () => ({ laterMs: setAsideMs }),
})

const setAsideMs = 10 * 60 * 1000

/** The cloud is locked. Its app gets no answers from here on. Throws CLOUD_DELETING. */
export async function beginDeletion(app: App, tx: Tx, cloud: CloudRow, now: Date): Promise<CloudRow> {
  if (cloud.state === 'deleting') fail('CLOUD_DELETING', {})
  const change = { state: 'deleting', updated_at: now } as const
  await store.changeCloud(tx, store.keyOf(cloud), change)
  await app.jobs.enqueue(tx, deleteJob, {
    accountId: cloud.account_id,
    data: { cloudId: cloud.cloud_id },
    singletonKey: cloud.cloud_id,
  })
  await announceCloud(tx, store.keyOf(cloud), cloud.ref)
  return { ...cloud, ...change }
}

type Room = Pick<App, 'db' | 'clock' | 'storage' | 'log' | 'sites'>

/** Deletes a cloud that is in state `deleting`, as far as it is there still. */
export async function deleteContents(
  app: Room,
  cloud: CloudKey,
  { stopping, progressed }: Pick<Run<DeleteWork>, 'stopping' | 'progressed'>,
): Promise<Later | undefined> {
  if (!(await contents.isDeleting(app.db, cloud))) return undefined
  for (const portion of [deleteSitePortion, deleteFilePortion, deleteRowPortion])
    while (await portion(app, cloud)) {
      if (stopping.aborted) return { laterMs: 0 }
      await progressed()
    }
  const keys = await app.db.tx((tx) => deleteLast(app, tx, cloud))
  await deleteBytes(app, keys)
  return undefined
}

/** One site. False where there is none. */
async function deleteSitePortion(app: Room, { accountId, cloudId }: CloudKey): Promise<boolean> {
  const [siteId] = await sitesOfCloud(app.db, { accountId, cloudId }, 1)
  if (siteId === undefined) return false
  const packs = await app.db.tx(async (tx) => {
    const site = await lockSite(tx, { accountId, siteId })
    return site ? deleteSite(app, tx, site) : []
  })
  await app.sites.refresh({ accountId, siteId })
  await deleteBytes(app, packs)
  return true
}

const filesAtOnce = 100

async function deleteFilePortion(app: Room, cloud: CloudKey): Promise<boolean> {
  const keys = await app.db.tx(async (tx) => {
    const deleted = await contents.deleteFiles(tx, cloud, filesAtOnce)
    await markForDeletion(tx, deleted, new Date(app.clock.nowMs()))
    return deleted
  })
  await deleteBytes(app, keys)
  return keys.length > 0
}

const rowsAtOnce = 1_000

const deleteRowPortion = (app: Room, cloud: CloudKey): Promise<boolean> =>
  app.db.tx(async (tx) => (await contents.deleteRows(tx, cloud, rowsAtOnce)) > 0)

/**
 * The record, with what was written by processes that knew nothing of the deletion yet: they refer to the record, so from this lock on they
 * cannot.
 */
async function deleteLast({ clock }: Room, tx: Tx, cloud: CloudKey): Promise<string[]> {
  const row = await store.lockCloudAlone(tx, cloud)
  if (row?.state !== 'deleting') return []
  const files = await contents.deleteFiles(tx, cloud)
  await markForDeletion(tx, files, new Date(clock.nowMs()))
  await store.deleteCloud(tx, cloud)
  await announceCloud(tx, cloud, row.ref, { gone: true })
  return files
}

/** What cannot be deleted now is on the list of what is to be deleted. */
async function deleteBytes(app: Room, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error }, 'bytes of a cloud are deleted later'),
  )
}
