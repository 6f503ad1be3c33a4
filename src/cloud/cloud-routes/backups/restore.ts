/** Restores a backup: in place, or into another cloud that is created for it. */

import { auditRequest } from '#account/audit'
import { requestRestore, shareLockBackup } from '#cloud/backups'
import { createCloud, keyOf, prepareCloud } from '#cloud/clouds'
import { acceptOnce, requireUnclaimed } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { reasons as cloudReasons } from '../clouds/phrases.ts'
import { lockReadyCloud } from '../require-cloud.ts'
import { type BackupContext, requireBackup, toRestore } from './backups.ts'
import { reasons } from './phrases.ts'
import type { RestoreBody } from './schema.ts'

const options = { endpoint: '/v1/cloud/backups/restore', statusCode: 202 }

export async function restore(context: BackupContext<RestoreBody>) {
  await requireUnclaimed(context)
  const { cloud } = await requireBackup(context)
  const { confirm, into = 'place', name, package: offer } = context.body
  if (confirm !== cloud.name) fail('INVALID_REQUEST', { why: cloudReasons.otherName }, { param: 'confirm' })
  if (into === 'new') return restoreIntoNew(context)
  const misplacedParam = name !== undefined ? 'name' : offer !== undefined ? 'package' : undefined
  if (misplacedParam) fail('INVALID_REQUEST', { why: reasons.onlyNew }, { param: misplacedParam })
  return restoreInPlace(context)
}

async function restoreInPlace(context: BackupContext<RestoreBody>) {
  const { app, language } = context
  const { cloud: found, row } = await requireBackup(context)
  const backups = await app.databases.backups(keyOf(found))
  await backups.requireRoom(Number(row.database_bytes))
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { ...options, now }, async (tx) => {
    const cloud = keyOf(await lockReadyCloud(tx, found))
    const from = await shareLockBackup(tx, { ...cloud, backupId: row.backup_id })
    if (!from) return fail('BACKUP_NOT_FOUND', {}, { param: 'backupId' })
    const request = await requestRestore(app, tx, cloud, from, now)
    await auditRestore(tx, context, cloud)
    return toRestore(language, request)
  })
}

/** Writes the row of a backup that takes the place of what is in the cloud. */
const auditRestore = (
  tx: Tx,
  context: BackupContext<RestoreBody>,
  { cloudId }: { cloudId: string },
): Promise<void> =>
  auditRequest(tx, context, {
    target: { kind: 'cloud', id: cloudId },
    after: { backup_id: context.params.backupId, into: context.body.into ?? 'place' },
  })

/** The new cloud is provisioned as every other; then the backup takes the place of its empty database. */
async function restoreIntoNew(context: BackupContext<RestoreBody>) {
  const { app, body, caller, language } = context
  const { cloud: found, row } = await requireBackup(context)
  // The room is known before the transaction, but refused only after what the account lacks.
  const noRoom = await app.databases.requireRoom().catch((error: unknown) => error ?? new Error('no room'))
  const now = new Date(app.clock.nowMs())
  const prepared = await prepareCloud(app, caller, now)
  const answer = await acceptOnce(context, { ...options, now }, async (tx) => {
    const { projectId } = caller
    const wanted = { name: body.name ?? found.name, plan: 'dedicated', offer: body.package } as const
    await createCloud(app, tx, prepared, { ...wanted, projectId, now })
    if (noRoom) throw noRoom
    const from = await shareLockBackup(tx, { ...keyOf(found), backupId: row.backup_id })
    if (!from) return fail('BACKUP_NOT_FOUND', {}, { param: 'backupId' })
    const request = await requestRestore(app, tx, prepared.cloud, from, now)
    await auditRestore(tx, context, prepared.cloud)
    return toRestore(language, request)
  })
  await app.clouds.refresh(prepared.cloud)
  return answer
}
