/** Deploys, rolls back and deletes functions of an app. */

import { type AuditTarget, auditRequest } from '#account/audit'
import { type CloudRow, keyOf } from '#cloud/clouds'
import {
  checkCode,
  deploy,
  findFunction,
  removeFunction,
  requireFunction,
  rollBack,
  type ShownFunction,
} from '#cloud/functions'
import { acceptOnce } from '#core/calls'
import type { JsonText, RequestContext } from '#platform/http'
import type { FunctionRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import type { FunctionBody, RollbackBody } from './schema.ts'
import { toFunction } from './show.ts'

export type FunctionContext<Body = unknown, Query = unknown> = RequestContext<
  FunctionRoutesApp,
  Body,
  Query,
  { id: string; name: string }
>

export async function deployFunction(
  context: CloudContext<FunctionRoutesApp, FunctionBody>,
): Promise<JsonText> {
  const { app, body, caller, params, gone } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const code = { name: body.name, code: body.code, verifyJwt: body.verify_jwt ?? true }
  const compiled = await checkCode(app, found, code, gone)
  const options = { endpoint: '/v1/cloud/functions', statusCode: 201, now: new Date(app.clock.nowMs()) }
  const answer = await acceptOnce(context, options, async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const before = await findFunction(tx, { ...keyOf(cloud), name: code.name })
    const row = await deploy(app, tx, cloud, code, compiled)
    await auditRequest(tx, context, {
      ...{ target: functionTarget(cloud, row), after: auditedOf(row) },
      ...(before && { before: auditedOf(before) }),
    })
    return toFunction(app, cloud, row)
  })
  await app.clouds.refresh(keyOf(found))
  return answer
}

export async function rollBackFunction(context: FunctionContext<RollbackBody>): Promise<JsonText> {
  const { app, body, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  await requireFunction(app.db.kysely, { ...keyOf(found), name: params.name })
  const options = {
    endpoint: '/v1/cloud/functions/rollback',
    statusCode: 200,
    now: new Date(app.clock.nowMs()),
  }
  const answer = await acceptOnce(context, options, async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const wanted = { name: params.name, version: body.version }
    const before = await requireFunction(tx, { ...keyOf(cloud), name: params.name })
    const row = await rollBack(app, tx, cloud, wanted)
    const change = { before: auditedOf(before), after: auditedOf(row) }
    await auditRequest(tx, context, { target: functionTarget(cloud, row), ...change })
    return toFunction(app, cloud, row)
  })
  await app.clouds.refresh(keyOf(found))
  return answer
}

const functionTarget = ({ cloud_id }: CloudRow, { name }: Pick<ShownFunction, 'name'>): AuditTarget => ({
  kind: 'function',
  id: `${cloud_id}/${name}`,
})

const auditedOf = ({ version, verify_jwt }: ShownFunction) => ({ version, verify_jwt })

export async function deleteFunction(context: FunctionContext) {
  const { app, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  await app.db.tx(async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const before = await requireFunction(tx, { ...keyOf(cloud), name: params.name })
    await removeFunction(tx, cloud, params.name)
    await auditRequest(tx, context, { target: functionTarget(cloud, before), before: auditedOf(before) })
  })
  await app.clouds.refresh(keyOf(found))
  return { object: 'cloud.function', name: params.name, deleted: true }
}
