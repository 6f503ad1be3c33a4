/**
 * Each night every database that was changed is backed up, and backups that were kept for long enough are deleted. A backup or restore that its own
 * job did not end is ended, so that the next one may begin.
 */
import { shareLockReadyCloud } from '#cloud/clouds'
import { isUnderWay } from '#platform/jobs'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import { type BackupsApp, job } from './app.ts'
import { endLostRestore, restoreJob } from './restore.ts'
import * as store from './store.ts'
import { backupJob, failBackup, queueBackup } from './take.ts'

const everyMs = 10 * 60 * 1000
const atOnce = 50
/** The night begins at 1:00 in Tehran, and clouds are spread over four hours; Iran has had no summer time since 2022. */
const tehranMs = 3.5 * 60 * 60 * 1000
const startMs = 60 * 60 * 1000
const spreadSeconds = 4 * 60 * 60
const dayMs = 24 * 60 * 60 * 1000

export const nightlyJob = job<null>({
  name: 'databases.nightly',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    await endLost(app, stopping)
    while (!stopping.aborted && (await deleteExpired(app)) > 0);
    if (app.config.backups.nightly) while (!stopping.aborted && (await queueDue(app)) > 0);
    return undefined
  },
})

const beforeFirst = '00000000-0000-0000-0000-000000000000'

/** Ends backups and restores whose job was parked or lost. A failure at one of them does not stop the others. */
async function endLost(app: BackupsApp, stopping: AbortSignal): Promise<void> {
  const before = new Date(app.clock.nowMs() - everyMs)
  for (let after = beforeFirst; !stopping.aborted; ) {
    const some = await store.unfinishedRecords(app.db, { before, after, limit: atOnce })
    for (const key of some) {
      const ending = 'backupId' in key ? endLostBackup(app, key) : endLostRestoreOf(app, key)
      await ending.catch((error: unknown) =>
        app.log.error({ err: error, cloud_id: key.cloudId }, 'a backup or its restoring came to no end yet'),
      )
      after = 'backupId' in key ? key.backupId : key.restoreId
    }
    if (some.length < atOnce) return
  }
}

async function endLostBackup(
  app: BackupsApp,
  { accountId, backupId, ...cloud }: store.BackupKey,
): Promise<void> {
  if (await isUnderWay(app.db, backupJob, { accountId, singletonKey: backupId })) return
  await failBackup(app, { accountId, backupId, ...cloud }, 'given_up')
}

async function endLostRestoreOf(
  app: BackupsApp,
  { accountId, restoreId, ...cloud }: store.RestoreKey,
): Promise<void> {
  if (await isUnderWay(app.db, restoreJob, { accountId, singletonKey: restoreId })) return
  await endLostRestore(app, { accountId, restoreId, ...cloud })
}

/** Returns the beginning of the present night, or of the last one. */
const nightOf = (nowMs: number): Date =>
  new Date(Math.floor((nowMs + tehranMs - startMs) / dayMs) * dayMs - tehranMs + startMs)

async function queueDue(app: BackupsApp): Promise<number> {
  const now = new Date(app.clock.nowMs())
  const options = { nightStart: nightOf(now.getTime()), spreadSeconds, now, limit: atOnce }
  let queued = 0
  for (const cloud of await store.dueClouds(app.db, options)) {
    const key = await app.db.tx(async (tx) =>
      (await shareLockReadyCloud(tx, cloud)) ? queueBackup(app, tx, cloud, 'nightly', now) : undefined,
    )
    if (key) queued++
  }
  return queued
}

async function deleteExpired(app: BackupsApp): Promise<number> {
  const now = new Date(app.clock.nowMs())
  return deleteBackupBatch(app, { expired: now }, now)
}

/** Deletes a portion of a cloud's backups. Returns true if there was none. */
export const deleteBackupsOf = async (
  app: BackupsApp,
  cloud: store.BackupKey | { accountId: string; cloudId: string },
) => (await deleteBackupBatch(app, cloud, new Date(app.clock.nowMs()))) === 0

export async function deleteBackupBatch(
  app: BackupsApp,
  which: Parameters<typeof store.deleteBackups>[1],
  now: Date,
): Promise<number> {
  const { deleted, keys } = await app.db.tx(async (tx) => {
    const gone = await store.deleteBackups(tx, which, atOnce)
    await markForDeletion(tx, gone.keys, now)
    return gone
  })
  if (keys.length > 0)
    await deletePendingBlobs(app, keys).catch((error: unknown) =>
      app.log.warn({ err: error }, 'bytes of backups are deleted later'),
    )
  return deleted
}
