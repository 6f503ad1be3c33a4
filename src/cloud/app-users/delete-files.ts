/** Deletes the private files of deleted users. */
import { deleteFilesOfUser } from '#cloud/app-files'
import { refOf } from '#cloud/clouds'
import { deletePendingBlobs } from '#platform/storage'
import { job, type UsersApp } from './app.ts'
import { commitMs, commitPauseMs } from './mails.ts'
import { findUser } from './store.ts'
import { readUsers, type UsersCloud, type UsersTx } from './users-database.ts'

/**
 * Deletes the files in the transaction that deletes the user, if both are on the platform; else by a job, which waits until the user is deleted.
 * Returns the keys of bytes that may be deleted at once.
 */
export const deleteFiles = (
  app: Pick<UsersApp, 'clock' | 'jobs'>,
  tx: UsersTx,
  { accountId, cloudId, userId }: UsersCloud & { userId: string },
): Promise<string[]> =>
  tx.onPlatform(async (platform) => {
    if (!tx.isApart) return deleteFilesOfUser(app, platform, { accountId, cloudId, userId })
    const data = { cloudId, userId, askedAtMs: app.clock.nowMs() }
    await app.jobs.enqueue(platform, filesOfDeletedJob, { accountId, data })
    return []
  })

export const filesOfDeletedJob = job<{ cloudId: string; userId: string; askedAtMs: number }>({
  name: 'app-users.files-of-deleted',
  limits: () => ({ perAccount: 2, perProcess: 2 }),
  async handle({ app, accountId, data: { cloudId, userId, askedAtMs } }) {
    const cloud: UsersCloud = { accountId, cloudId, plan: 'dedicated' }
    // The files of a deleted cloud are deleted with it.
    if ((await refOf(app.db, cloud)) === undefined) return undefined
    const user = await readUsers(app, cloud, (reader) => findUser(reader, cloud, userId))
    // The deletion has not committed yet, or never will.
    if (user) return app.clock.nowMs() - askedAtMs < commitMs ? { laterMs: commitPauseMs } : undefined
    const keys = await app.db.tx((tx) => deleteFilesOfUser(app, tx, { accountId, cloudId, userId }))
    if (keys.length > 0) await deletePendingBlobs(app, keys)
    return undefined
  },
})
