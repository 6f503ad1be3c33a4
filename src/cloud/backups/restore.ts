/** Replaces the database of a cloud by a backup: in a job that may run any number of times, and leaves either the old data or the backup's. */
import { type CloudKey, limitsOf } from '#cloud/clouds'
import { maxBytesOf } from '#cloud/databases'
import type { Tx } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { JobDelay } from '#platform/jobs'
import { reportLost } from '#platform/storage'
import { type BackupsApp, job } from './app.ts'
import { BackupDamaged, decompressVerified, isDamaged } from './archive.ts'
import { retryAfterFailure } from './attempts.ts'
import type { BackupProblem } from './phrases.ts'
import * as store from './store.ts'

/** The pause while another process works on the restore. */
const busyMs = 5_000
/** The pause while the cloud is being set up. */
const settingUpMs = 1_000
/** How long a restore waits for a full disk or memory, since it was requested. */
const maxRoomWaitMs = 10 * 60 * 1000
/** The unpacked bytes may be a little more than those that were packed, never much. */
const slackBytes = 1024 * 1024

export const restoreJob = job<{ cloudId: string; restoreId: string }>({
  name: 'databases.restore',
  writes: ['data'],
  limits: () => ({ perAccount: 1, perProcess: 2 }),
  handle: ({ app, accountId, data }) => restore(app, { accountId, ...data }),
  setAside: ({ app, accountId, data }) => giveUp(app, { accountId, ...data }, 'set_aside'),
})

/** Queues a restore into a cloud of the same account, which is locked. Throws BACKUP_NOT_READY, BACKUP_TOO_LARGE and RESTORE_RUNNING. */
export async function requestRestore(
  app: BackupsApp,
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  from: store.BackupRow,
  now: Date,
): Promise<store.RestoreRow> {
  if (from.state !== 'ready') fail('BACKUP_NOT_READY', {})
  await requireFits(app, tx, { accountId, cloudId }, from)
  const key = { accountId, cloudId, restoreId: uuidv7(now.getTime()) }
  const row = (await store.insertRestore(tx, key, { from, now })) ?? fail('RESTORE_RUNNING', {})
  const data = { cloudId, restoreId: key.restoreId }
  await app.jobs.enqueue(tx, restoreJob, { accountId, data, singletonKey: key.restoreId })
  return row
}

/** Requires that the package of the cloud, or the limits in place of it, have room for the database. */
async function requireFits(
  { config }: BackupsApp,
  tx: Tx,
  cloud: CloudKey,
  { database_bytes }: store.BackupRow,
): Promise<void> {
  const bytes = Number(database_bytes)
  const max = maxBytesOf(limitsOf(config.clouds, await store.readLimitSource(tx, cloud)))
  if (bytes > max) fail('BACKUP_TOO_LARGE', { bytes, max })
}

/** The random end of a UUID of version 7. */
const shortId = (restoreId: string): string => restoreId.replaceAll('-', '').slice(-12)

async function restore(app: BackupsApp, key: store.RestoreKey): Promise<JobDelay | undefined> {
  const row = await store.findRestore(app.db, key)
  if (row?.state !== 'queued') return undefined
  const [cloud] = await app.db.query<{ state: string }>(
    { text: 'select state from clouds.clouds where account_id = $1 and cloud_id = $2' },
    [key.accountId, key.cloudId],
  )
  if (cloud?.state === 'provisioning') return { laterMs: settingUpMs }
  if (cloud?.state === 'failed') return end(app, key, 'cloud_gone')
  // The deletion of the cloud ends the restore.
  if (cloud?.state !== 'ready') return undefined
  const backup = await store.findBackup(app.db.kysely, backupOf(key, row))
  if (backup?.state !== 'ready') return giveUp(app, key, 'backup_gone')
  return attempt(app, key, row, backup)
}

const backupOf = ({ accountId }: store.RestoreKey, row: store.RestoreRow): store.BackupKey => ({
  ...{ accountId, cloudId: row.from_cloud_id, backupId: row.backup_id },
})

async function attempt(
  app: BackupsApp,
  key: store.RestoreKey,
  row: store.RestoreRow,
  backup: store.BackupRow,
): Promise<JobDelay | undefined> {
  try {
    const backups = await app.databases.backups(key)
    const maxBytes = Number(backup.database_bytes) + slackBytes
    const options = {
      ...{ id: shortId(key.restoreId), maxBytes, tar: () => bytesOf(app, backup) },
      isWanted: async () => (await store.findRestore(app.db, key))?.state === 'queued',
    }
    return (await backups.restore(options)) ? await end(app, key, null) : { laterMs: busyMs }
  } catch (error) {
    if (await isDamageError(app, backup, error))
      return giveUp(
        app,
        key,
        (await store.findBackup(app.db.kysely, backupOf(key, row))) ? 'damaged' : 'backup_gone',
      )
    const isNoRoom =
      error instanceof Failure && ['DATABASE_NO_ROOM', 'DATABASE_TOO_LARGE'].includes(error.code)
    if (isNoRoom && app.clock.nowMs() - row.created_at.getTime() >= maxRoomWaitMs)
      return giveUp(app, key, 'no_room')
    return (await retryAfterFailure(app, key, error)) ?? giveUp(app, key, 'given_up')
  }
}

/** Whether the error comes from damaged bytes, so that no further attempt helps. */
async function isDamageError(
  { storage }: BackupsApp,
  backup: store.BackupRow,
  error: unknown,
): Promise<boolean> {
  if (error instanceof BackupDamaged || error instanceof Failure) return error instanceof BackupDamaged
  try {
    const stored = await storage.get(backup.storage_key!)
    return stored !== undefined && (await isDamaged(stored, writtenOf(backup)))
  } catch {
    return false
  }
}

const writtenOf = ({ sha256, bytes }: store.BackupRow): { sha256: string; bytes: number } => ({
  sha256: sha256!,
  bytes: Number(bytes),
})

async function* bytesOf(app: BackupsApp, backup: store.BackupRow): AsyncGenerator<Buffer> {
  const stored = await app.storage.get(backup.storage_key!)
  if (!stored) reportLost(app, backup.storage_key!)
  if (!stored) throw new BackupDamaged('The bytes of a backup are gone.')
  yield* decompressVerified(stored, writtenOf(backup))
}

/** Undoes what was begun, then ends the restore. */
async function giveUp(app: BackupsApp, key: store.RestoreKey, error: BackupProblem): Promise<undefined> {
  const backups = await app.databases.backups(key).catch(ignoreNoBackups)
  await backups?.endRestore(shortId(key.restoreId))
  return end(app, key, error)
}

/** Nothing was begun in a database that was never made, nor in one whose backups its operator makes. */
function ignoreNoBackups(error: unknown): undefined {
  const isNone = error instanceof Failure && ['CLOUD_NOT_READY', 'BACKUPS_OF_OPERATOR'].includes(error.code)
  if (!isNone) throw error
}

async function end(app: BackupsApp, key: store.RestoreKey, error: BackupProblem | null): Promise<undefined> {
  await store.endRestore(app.db, key, { error, now: new Date(app.clock.nowMs()) })
  return undefined
}

/** Ends a restore that its job has left unfinished, since it was parked. */
export async function endLostRestore(app: BackupsApp, key: store.RestoreKey): Promise<void> {
  if ((await store.findRestore(app.db, key))?.state === 'queued') await giveUp(app, key, 'given_up')
}

/** Ends a restore as a step of the deletion of a cloud, and undoes what was begun. Returns true if there was none. */
export async function endRestoresOf(app: BackupsApp, cloud: CloudKey): Promise<boolean> {
  const row = await store.unfinishedRestore(app.db.kysely, cloud)
  if (!row) return true
  await giveUp(app, { ...cloud, restoreId: row.restore_id }, 'cloud_gone')
  return false
}
