/** Each night every database that was changed is backed up, and backups that were kept for long enough are deleted. */
import type { App } from '#app'
import { shareReadyCloud } from '#engine/clouds'
import { job } from '#platform/jobs'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import * as store from './store.ts'
import { queueBackup } from './take.ts'

const everyMs = 10 * 60 * 1000
const atOnce = 50
/** From 1:00 in Tehran on, the clouds one after the other; Iran has had no summer time since 2022. */
const tehranMs = 3.5 * 60 * 60 * 1000
const startMs = 60 * 60 * 1000
const spreadSeconds = 4 * 60 * 60
const dayMs = 24 * 60 * 60 * 1000

export const nightlyJob = job<null>({
  name: 'databases.nightly',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    while (!stopping.aborted && (await deleteExpired(app)) > 0);
    if (app.config.backups.nightly) while (!stopping.aborted && (await queueDue(app)) > 0);
    return undefined
  },
})

/** The beginning of the night that is, or was last. */
const nightOf = (nowMs: number): Date =>
  new Date(Math.floor((nowMs + tehranMs - startMs) / dayMs) * dayMs - tehranMs + startMs)

async function queueDue(app: App): Promise<number> {
  const now = new Date(app.clock.nowMs())
  const options = { nightStart: nightOf(now.getTime()), spreadSeconds, now, limit: atOnce }
  let queued = 0
  for (const cloud of await store.dueClouds(app.db, options)) {
    const key = await app.db.tx(async (tx) =>
      (await shareReadyCloud(tx, cloud)) ? queueBackup(app, tx, cloud, 'nightly', now) : undefined,
    )
    if (key) queued++
  }
  return queued
}

async function deleteExpired(app: App): Promise<number> {
  const now = new Date(app.clock.nowMs())
  return deleteSome(app, { expired: now }, now)
}

/** A portion of the deletion of a cloud. */
export const deleteBackupsOf = async (
  app: App,
  cloud: store.BackupKey | { accountId: string; cloudId: string },
) => (await deleteSome(app, cloud, new Date(app.clock.nowMs()))) === 0

export async function deleteSome(
  app: App,
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
