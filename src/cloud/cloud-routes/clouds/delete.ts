import { beginDeletion, type CloudRow, keyOf, lockCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { CloudRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import type { CloudContext } from './create.ts'
import { deleteJob } from './jobs.ts'
import { reasons } from './phrases.ts'
import type { DeleteBody } from './schema.ts'

/** Begins to delete a cloud, a suspended one too: its owner may always end it. */
export async function remove({ app, body, caller, params }: CloudContext<CloudRoutesApp, DeleteBody>) {
  const found: CloudRow = await requireCloud(app, caller, params.id)
  await app.db.tx(async (tx) => {
    const cloud = (await lockCloud(tx, keyOf(found))) ?? fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
    if (body.confirm !== cloud.name) fail('INVALID_REQUEST', { why: reasons.otherName }, { param: 'confirm' })
    await beginDeletion(tx, cloud, new Date(app.clock.nowMs()))
    const { account_id: accountId, cloud_id: cloudId } = cloud
    await app.jobs.enqueue(tx, deleteJob, { accountId, data: { cloudId }, singletonKey: cloudId })
  })
  await app.clouds.refresh(keyOf(found))
  return { object: 'cloud', id: found.cloud_id, name: found.name, status: 'deleting' }
}
