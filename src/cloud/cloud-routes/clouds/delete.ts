import { auditRequest } from '#account/audit'
import { beginDeletion, type CloudRow, keyOf, lockCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { CloudRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import { type CloudContext, cloudTarget } from './create.ts'
import { deleteJob } from './jobs.ts'
import { reasons } from './phrases.ts'
import type { DeleteBody } from './schema.ts'

/** Begins to delete a cloud, a suspended one too: its owner may always end it. */
export async function remove(context: CloudContext<CloudRoutesApp, DeleteBody>) {
  const { app, body, caller, params } = context
  const found: CloudRow = await requireCloud(app, caller, params.id)
  await app.db.tx(async (tx) => {
    const cloud = (await lockCloud(tx, keyOf(found))) ?? fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
    if (body.confirm !== cloud.name) fail('INVALID_REQUEST', { why: reasons.otherName }, { param: 'confirm' })
    await beginDeletion(tx, cloud, new Date(app.clock.nowMs()))
    const { account_id: accountId, cloud_id: cloudId } = cloud
    await app.jobs.enqueue(tx, deleteJob, { accountId, data: { cloudId }, singletonKey: cloudId })
    const { name, plan, ref } = cloud
    await auditRequest(tx, context, { target: cloudTarget(cloud), before: { name, plan, ref } })
  })
  await app.clouds.refresh(keyOf(found))
  return { object: 'cloud', id: found.cloud_id, name: found.name, status: 'deleting' }
}
