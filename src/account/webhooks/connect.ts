/** Makes, changes and removes connections, and gives them new secrets. */
import { type AuditTarget, addressWithoutPath, auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import { holdManagementKey } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { FetchRefused } from '#platform/net'
import type { WebhooksApp } from './app.ts'
import { toConnection } from './connection.ts'
import { reasons } from './phrases.ts'
import type { ConnectionBody, ConnectionPatch, ConnectionWithSecret } from './schema.ts'
import { newSecret, sealedFor } from './secret.ts'
import * as store from './store.ts'

/** The most connections of one project (contract section 8). */
const maxConnections = 10
/** Time limit of the name lookup. */
const checkMs = 5_000
/** How long both secrets sign after a rotation. */
const overlapMs = 24 * 60 * 60 * 1000

export type IdContext<Body = unknown> = RequestContext<WebhooksApp, Body, unknown, { id: string }>

export const connectionKeyOf = ({ caller, params }: IdContext): store.ConnectionKey => ({
  accountId: caller.accountId,
  projectId: caller.projectId,
  connectionId: params.id,
})

export const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

/** Nothing is changed by a management key that has ended while the request waited. Throws INVALID_API_KEY (401). */
async function holdCaller(
  tx: Tx,
  { app, caller }: Pick<RequestContext<WebhooksApp>, 'app' | 'caller'>,
): Promise<void> {
  if (caller.management) await holdManagementKey(tx, caller, new Date(app.clock.nowMs()))
}

export async function createConnection(
  context: RequestContext<WebhooksApp, ConnectionBody>,
): Promise<JsonText> {
  const { app, body, caller } = context
  const url = await requireReachable(context, body.url, 'url')
  const nowMs = app.clock.nowMs()
  const now = new Date(nowMs)
  const connectionId = uuidv7(nowMs)
  const secret = newSecret()
  const row: store.ConnectionRow = {
    ...store.newConnection(caller, connectionId, now),
    url,
    events: body.events,
    enabled: body.enabled ?? true,
    secret: await app.secrets.seal(secret, sealedFor(connectionId)),
  }
  const accept = { endpoint: '/v1/webhooks', statusCode: 201, now, sealed: true }
  return acceptOnce(context, accept, async (tx) => {
    await store.lockProject(tx, caller.projectId)
    if ((await store.countConnections(tx, caller)) >= maxConnections)
      fail('TOO_MANY_WEBHOOKS', { max: maxConnections })
    await holdCaller(tx, context)
    await store.insertConnection(tx, row)
    await auditRequest(tx, context, { target: targetOf(row), after: auditedOf(row) })
    return { ...toConnection(row, nowMs), secret } satisfies ConnectionWithSecret
  })
}

export async function changeConnection(context: IdContext<ConnectionPatch>) {
  const { app, body } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const connectionKey = connectionKeyOf(context)
  if (!(await store.findConnection(app.db, connectionKey))) return notFound()
  const url = body.url === undefined ? undefined : await requireReachable(context, body.url, 'url')
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const before = (await store.lockConnection(tx, connectionKey)) ?? notFound()
    await holdCaller(tx, context)
    const row = await store.changeConnection(tx, connectionKey, {
      ...(url !== undefined && { url, strikes: 0, parked_until: null }),
      ...(body.events && { events: body.events }),
      ...(body.enabled !== undefined && { enabled: body.enabled, disabled_reason: null }),
      ...(body.enabled && { strikes: 0, parked_until: null }),
      updated_at: now,
    })
    if (!row) return notFound()
    if (!row.enabled) await store.cancelPending(tx, connectionKey, 'disabled', now)
    const change = { before: auditedOf(before), after: auditedOf(row) }
    await auditRequest(tx, context, { target: targetOf(row), ...change })
    return toConnection(row, now.getTime())
  })
}

export async function deleteConnection(context: IdContext) {
  const { app, params } = context
  const connectionKey = connectionKeyOf(context)
  await app.db.tx(async (tx) => {
    const before = (await store.lockConnection(tx, connectionKey)) ?? notFound()
    await holdCaller(tx, context)
    await store.deleteConnection(tx, connectionKey)
    await store.cancelPending(tx, connectionKey, 'deleted', new Date(app.clock.nowMs()))
    await auditRequest(tx, context, { target: targetOf(before), before: auditedOf(before) })
  })
  return { id: params.id.toLowerCase(), deleted: true }
}

const targetOf = ({ connection_id: id }: store.ConnectionRow): AuditTarget => ({ kind: 'webhook', id })

/** A connection in the audit log: the path of an address often holds a secret. */
const auditedOf = ({ url, events, enabled }: store.ConnectionRow) => ({
  url: addressWithoutPath(url),
  events,
  enabled,
})

/** Makes a new secret. It signs from now on, and for a day the old one signs beside it. */
export async function rotateSecret(context: IdContext): Promise<JsonText> {
  const { app } = context
  const connectionKey = connectionKeyOf(context)
  const before = await store.findConnection(app.db, connectionKey)
  if (!before) return notFound()
  const nowMs = app.clock.nowMs()
  const now = new Date(nowMs)
  const until = new Date(nowMs + overlapMs)
  const secret = newSecret()
  const sealed = await app.secrets.seal(secret, sealedFor(before.connection_id))
  const accept = { endpoint: '/v1/webhooks/rotate-secret', statusCode: 200, now, sealed: true }
  return acceptOnce(context, accept, async (tx) => {
    const row = await store.lockConnection(tx, connectionKey)
    if (!row) return notFound()
    await holdCaller(tx, context)
    await store.changeConnection(tx, connectionKey, {
      secret: sealed,
      old_secret: row.secret,
      old_secret_until: until,
      updated_at: now,
    })
    await auditRequest(tx, context, {
      target: targetOf(row),
      after: { previous_until: until.toISOString() },
    })
    return {
      ...toConnection({ ...row, updated_at: now }, nowMs),
      secret,
      previous_secret_until: until.toISOString(),
    } satisfies ConnectionWithSecret
  })
}

/** Returns the normalized address if it leads to the public internet now; it is checked again whenever a connection is opened. */
export async function requireReachable(
  { app }: Pick<RequestContext<Pick<WebhooksApp, 'net'>>, 'app'>,
  url: string,
  param: string,
): Promise<string> {
  try {
    return await app.net.checkTarget(url, checkMs)
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    return fail('INVALID_REQUEST', { why: reasons.url(param, error.why) }, { param })
  }
}
