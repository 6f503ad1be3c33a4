/** Creates a cloud, and retries its provisioning. */

import { type AuditTarget, auditRequest } from '#account/audit'
import { type CloudRow, createCloud, keyOf, prepareCloud, retryCloud } from '#cloud/clouds'
import { acceptOnce, requireUnclaimed } from '#core/calls'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext } from '#platform/http'
import type { CloudRoutesApp } from '../app.ts'
import { requireCloud } from '../require-cloud.ts'
import { reasons } from './phrases.ts'
import type { CloudBody } from './schema.ts'
import { toCloud } from './show.ts'

const accepted = 202
const created = 201

export async function create(context: RequestContext<CloudRoutesApp, CloudBody>): Promise<HttpAnswer> {
  const { app, body, caller, language } = context
  if (body.plan === 'starter' && body.package !== undefined)
    fail('INVALID_REQUEST', { why: reasons.packageOfStarter }, { param: 'package' })
  await requireUnclaimed(context)
  // The room is known before the transaction, but refused only after what the account lacks.
  const noRoom =
    body.plan === 'dedicated'
      ? await app.databases.requireRoom().catch((error: unknown) => error ?? new Error('no room'))
      : undefined
  const now = new Date(app.clock.nowMs())
  const prepared = await prepareCloud(app, caller, now)
  let status = accepted
  const options = { endpoint: '/v1/cloud', statusCode: () => status, now }
  const reply = await acceptOnce(context, options, async (tx) => {
    const { projectId } = caller
    const { name, plan, package: offer } = body
    const row = await createCloud(app, tx, prepared, { projectId, name, plan, offer, now })
    if (noRoom) throw noRoom
    if (row.state === 'ready') status = created
    await auditRequest(tx, context, { target: cloudTarget(row), after: { name, plan, package: row.offer } })
    return toCloud(app, language, row)
  })
  await app.clouds.refresh(prepared.cloud)
  return new HttpAnswer(status, reply)
}

export const cloudTarget = ({ cloud_id: id }: Pick<CloudRow, 'cloud_id'>): AuditTarget => ({
  kind: 'cloud',
  id,
})

/** A request that names a cloud, with the slice of the app that its routes use. */
export type CloudContext<App, Body = unknown, Query = unknown> = RequestContext<
  App,
  Body,
  Query,
  { id: string }
>

export async function retry(context: CloudContext<CloudRoutesApp>) {
  const { app, caller, language, params } = context
  const found = await requireCloud(app, caller, params.id)
  const now = new Date(app.clock.nowMs())
  const options = { endpoint: '/v1/cloud/retry', statusCode: accepted, now }
  return acceptOnce(context, options, async (tx) => {
    const row: CloudRow = await retryCloud(app, tx, keyOf(found), now)
    return toCloud(app, language, row)
  })
}
