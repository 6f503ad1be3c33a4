/** Backups of a dedicated cloud as its developer lists, orders and deletes them. */
import { auditRequest } from '#account/audit'
import {
  type BackupRow,
  backupProblem,
  deleteBackups,
  findBackup,
  lastRestore,
  listBackups,
  type RestoreRow,
  requestBackup,
} from '#cloud/backups'
import { type CloudRow, keyOf } from '#cloud/clouds'
import { acceptOnce, requireUnclaimed } from '#core/calls'
import type { Caller } from '#platform/auth'
import { fail, type Language } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import { plainList } from '#platform/lists'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import type { BackupRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import type { Backup, BackupQuery, Restore } from './schema.ts'

export type BackupContext<Body = unknown> = RequestContext<
  BackupRoutesApp,
  Body,
  unknown,
  { id: string; backupId: string }
>

const problemOf = (code: BackupRow['error_code'], language: Language) =>
  code === null ? null : { code, message: backupProblem(code)[language] }

const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value))

const toBackup = (language: Language, row: BackupRow): Backup => ({
  object: 'cloud.backup',
  id: row.backup_id,
  kind: row.kind,
  status: row.state,
  error: problemOf(row.error_code, language),
  bytes: numberOf(row.bytes),
  database_bytes: numberOf(row.database_bytes),
  server_version: row.server_version,
  created_at: row.created_at.toISOString(),
  unchanged_until: row.confirmed_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
})

export const toRestore = (language: Language, row: RestoreRow): Restore => ({
  object: 'cloud.restore',
  id: row.restore_id,
  cloud_id: row.cloud_id,
  backup_id: row.backup_id,
  status: row.state,
  error: problemOf(row.error_code, language),
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
})

/**
 * Throws what `requireReadyCloud` throws, and PLAN_MISMATCH: a Starter cloud has an export, and no database of its own. With `settingUp` a cloud that
 * is being set up is returned, too: a backup may be on its way into it.
 */
async function requireDedicated(
  app: Pick<BackupRoutesApp, 'db'>,
  caller: Caller,
  id: string,
  { settingUp = false } = {},
): Promise<CloudRow> {
  const found = await requireCloud(app, caller, id)
  const isSettingUp = found.plan === 'dedicated' && found.state === 'provisioning'
  if (settingUp && isSettingUp && found.suspended_at === null) return found
  const cloud = await requireCloud(app, caller, id, { ready: true })
  return cloud.plan === 'dedicated' ? cloud : fail('PLAN_MISMATCH', { plan: 'backups' }, { param: 'id' })
}

export async function requireBackup({
  app,
  caller,
  params,
}: BackupContext): Promise<{ cloud: CloudRow; row: BackupRow }> {
  const cloud = await requireDedicated(app, caller, params.id)
  const { backupId } = params
  const row = isUuid(backupId) ? await findBackup(app.db.kysely, { ...keyOf(cloud), backupId }) : undefined
  return { cloud, row: row ?? fail('BACKUP_NOT_FOUND', {}, { param: 'backupId' }) }
}

export async function list({
  app,
  caller,
  params,
  query,
  language,
}: CloudContext<BackupRoutesApp, unknown, BackupQuery>) {
  const cloud = keyOf(await requireDedicated(app, caller, params.id, { settingUp: true }))
  const [page, restore] = await Promise.all([
    listBackups(app.db, cloud, query),
    lastRestore(app.db.kysely, cloud),
  ])
  return {
    ...plainList.answer(page, (row) => toBackup(language, row)),
    restore: restore ? toRestore(language, restore) : null,
  }
}

export async function read(context: BackupContext): Promise<Backup> {
  return toBackup(context.language, (await requireBackup(context)).row)
}

export async function createBackup(context: CloudContext<BackupRoutesApp>) {
  const { app, caller, language, params } = context
  await requireUnclaimed(context)
  const found = await requireDedicated(app, caller, params.id)
  await app.databases.backups(keyOf(found))
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { endpoint: '/v1/cloud/backups', statusCode: 202, now }, async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    return toBackup(language, await requestBackup(app, tx, keyOf(cloud), now))
  })
}

export async function remove(context: BackupContext) {
  const { app } = context
  const { cloud, row } = await requireBackup(context)
  const key = { ...keyOf(cloud), backupId: row.backup_id }
  const keys = await app.db.tx(async (tx) => {
    const gone = await deleteBackups(tx, key, 1)
    if (gone.deleted === 0 && (await findBackup(tx, key))) fail('RESTORE_RUNNING', {})
    await markForDeletion(tx, gone.keys, new Date(app.clock.nowMs()))
    const before = { cloud_id: cloud.cloud_id, created_at: row.created_at }
    await auditRequest(tx, context, { target: { kind: 'backup', id: row.backup_id }, before })
    return gone.keys
  })
  await deletePendingBlobs(app, keys).catch((error: unknown) =>
    app.log.warn({ err: error, cloud_id: key.cloudId }, 'bytes of a backup are deleted later'),
  )
  return { object: 'cloud.backup', id: row.backup_id, deleted: true }
}
