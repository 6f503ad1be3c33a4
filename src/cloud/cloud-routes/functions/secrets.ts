/** Sets, replaces and deletes secrets that functions read; they are never shown. */

import { type AuditTarget, auditRequest } from '#account/audit'
import { type CloudRow, keyOf } from '#cloud/clouds'
import { isReservedName, putSecret, removeSecret, sealValue } from '#cloud/functions'
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import { HttpAnswer } from '#platform/http'
import type { FunctionRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import type { FunctionContext } from './deploy.ts'
import { reasons } from './phrases.ts'
import type { SecretBody } from './schema.ts'
import { toSecret } from './show.ts'

const replaced = 200
const created = 201

export async function setSecret(context: CloudContext<FunctionRoutesApp, SecretBody>): Promise<HttpAnswer> {
  const { app, body, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  if (isReservedName(body.name)) fail('INVALID_REQUEST', { why: reasons.reservedName }, { param: 'name' })
  const sealed = await sealValue(app, found, body)
  let status = replaced
  const options = {
    endpoint: '/v1/cloud/secrets',
    statusCode: () => status,
    now: new Date(app.clock.nowMs()),
  }
  const answer = await acceptOnce(context, options, async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const { row, isNew } = await putSecret(app, tx, cloud, { name: body.name, sealed })
    if (isNew) status = created
    await auditRequest(tx, context, { target: secretTarget(cloud, body.name), after: { is_new: isNew } })
    return toSecret(row)
  })
  await app.clouds.refresh(keyOf(found))
  return new HttpAnswer(status, answer)
}

const secretTarget = ({ cloud_id }: CloudRow, name: string): AuditTarget => ({
  kind: 'secret',
  id: `${cloud_id}/${name}`,
})

export async function deleteSecret(context: FunctionContext) {
  const { app, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  await app.db.tx(async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    await removeSecret(tx, cloud, params.name)
    await auditRequest(tx, context, { target: secretTarget(cloud, params.name) })
  })
  await app.clouds.refresh(keyOf(found))
  return { object: 'cloud.secret', name: params.name, deleted: true }
}
