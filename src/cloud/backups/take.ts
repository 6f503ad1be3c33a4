/** Makes a backup: in a job that may run any number of times, until the bytes and the row exist together, or the backup is given up. */
import { type CloudKey, shareLockReadyCloud } from '#cloud/clouds'
import type { DatabaseCopy } from '#cloud/databases'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { JobDelay } from '#platform/jobs'
import { TooLargeError } from '#platform/spool'
import { commitBlob, stageUnsized } from '#platform/storage'
import { type BackupsApp, job } from './app.ts'
import { compressed } from './archive.ts'
import { retryAfterFailure } from './attempts.ts'
import type { BackupProblem } from './phrases.ts'
import * as store from './store.ts'

const dayMs = 24 * 60 * 60 * 1000

export const backupJob = job<{ cloudId: string; backupId: string }>({
  name: 'databases.backup',
  writes: ['database', 'wal', 'files'],
  limits: () => ({ perAccount: 1, perProcess: 2 }),
  handle: ({ app, accountId, data }) => runBackup(app, { accountId, ...data }),
  setAside: async ({ app, accountId, data }) => failBackup(app, { accountId, ...data }, 'set_aside'),
})

export const expiryOf = ({ config }: Pick<BackupsApp, 'config'>, now: Date): Date =>
  new Date(now.getTime() + config.backups.keepDays * dayMs)

/** Queues a backup of a cloud that is locked and ready. Throws BACKUP_LIMIT and BACKUP_RUNNING. */
export async function requestBackup(
  app: BackupsApp,
  tx: Tx,
  cloud: CloudKey,
  now: Date,
): Promise<store.BackupRow> {
  const max = app.config.backups.askedPerCloud
  if ((await store.usageOf(tx, cloud)).asked >= max) fail('BACKUP_LIMIT', { max })
  const key = await queueBackup(app, tx, cloud, 'asked', now)
  return (await store.findBackup(tx, key ?? fail('BACKUP_RUNNING', {})))!
}

/** Returns undefined where a backup is being made already. */
export async function queueBackup(
  app: BackupsApp,
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  kind: store.BackupRow['kind'],
  now: Date,
): Promise<store.BackupKey | undefined> {
  const key = { accountId, cloudId, backupId: uuidv7(now.getTime()) }
  if (!(await store.insertBackup(tx, key, { kind, now, expiresAt: expiryOf(app, now) }))) return undefined
  const data = { cloudId, backupId: key.backupId }
  await app.jobs.enqueue(tx, backupJob, { accountId, data, singletonKey: key.backupId })
  return key
}

async function runBackup(app: BackupsApp, key: store.BackupKey): Promise<JobDelay | undefined> {
  const row = await store.findBackup(app.db.kysely, key)
  if (row?.state !== 'queued') return undefined
  try {
    if (!(await isUnchanged(app, key, row))) await copy(app, key)
    return undefined
  } catch (error) {
    if (error instanceof TooLargeError) return failBackup(app, key, 'too_large')
    return (await retryAfterFailure(app, key, error)) ?? failBackup(app, key, 'given_up')
  }
}

/** Whether nothing was written to a database that sleeps: then its last backup is kept for longer, and the database is not woken. */
async function isUnchanged(app: BackupsApp, key: store.BackupKey, row: store.BackupRow): Promise<boolean> {
  if (row.kind !== 'nightly') return false
  const last = await store.lastReady(app.db.kysely, key)
  const restored = await store.lastRestore(app.db.kysely, key)
  // After a restore, transaction numbers go on from those of the backup.
  if (!last || (restored && restored.created_at >= last.created_at)) return false
  const next = await (await app.databases.backups(key)).nextTransaction()
  if (next === undefined || next !== last.next_transaction) return false
  const now = new Date(app.clock.nowMs())
  const change = { last: last.backup_id, instead: key.backupId, now, expiresAt: expiryOf(app, now) }
  await app.db.tx((tx) => store.confirmBackup(tx, key, change))
  return true
}

async function copy(app: BackupsApp, key: store.BackupKey): Promise<void> {
  const { accountId, cloudId } = key
  const { bytes: used } = await store.usageOf(app.db.kysely, key)
  const maxBytes = Math.max(0, app.config.backups.bytesPerCloud - used)
  // Each attempt has a key of its own: bytes of an attempt that seemed dead may still arrive.
  const storageKey = `databases/${accountId}/${cloudId}/${uuidv7()}`
  const backups = await app.databases.backups(key)
  const made = await backups.copy((copied) => write(app, storageKey, copied, maxBytes))
  await app.db.tx(async (tx) => {
    const now = new Date(app.clock.nowMs())
    // The cloud's deletion, once begun, would overlook this backup. A suspended cloud gets its next backup when it is ready again.
    if (!(await shareLockReadyCloud(tx, key))) {
      await store.changeBackup(tx, key, { state: 'failed', error_code: 'given_up', finished_at: now })
      return
    }
    const change = { ...made, state: 'ready', storage_key: storageKey, finished_at: now } as const
    if (await store.changeBackup(tx, key, { ...change, expires_at: expiryOf(app, now) }))
      await commitBlob(tx, storageKey)
  })
}

async function write(
  app: BackupsApp,
  storageKey: string,
  { tar, nextTransaction, serverVersion }: DatabaseCopy,
  max: number,
) {
  let databaseBytes = 0
  const counted = async function* () {
    for await (const part of tar) {
      databaseBytes += part.length
      yield part
    }
  }
  const { bytes, sha256 } = await stageUnsized(app, storageKey, compressed(counted()), max)
  return {
    ...{ bytes: BigInt(bytes), sha256, database_bytes: BigInt(databaseBytes) },
    ...{ next_transaction: nextTransaction, server_version: serverVersion },
  }
}

export async function failBackup(
  app: BackupsApp,
  key: store.BackupKey,
  error: BackupProblem,
): Promise<undefined> {
  const change = { state: 'failed', error_code: error, finished_at: new Date(app.clock.nowMs()) } as const
  await app.db.tx((tx) => store.changeBackup(tx, key, change))
  return undefined
}
