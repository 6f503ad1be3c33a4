/** Lists, reads, changes and revokes keys. */
import { auditRequest } from '#account/audit'
import { revokeKey, setKey } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { changeMeters } from '#platform/ledger'
import { plainList } from '#platform/lists'
import type { KeysContext } from './app.ts'
import { capChange, capsOf, hasCaps, scopesOf, settingsOf } from './given.ts'
import { heldManager, type Manager, manager, requireLowered, requireScopes, visibleKeys } from './member.ts'
import { reasons } from './phrases.ts'
import type { ApiKey, KeyPatch, KeyQuery } from './schema.ts'
import { keySettings, shownKey, withLimits } from './shown.ts'
import * as store from './store.ts'

type KeyContext<Body = unknown> = KeysContext<Body, unknown, { id: string }>

const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

/** The keys that the person sees, newest first; other people's keys are missing for developers. */
export async function listKeys(context: KeysContext<unknown, KeyQuery>) {
  const { app, query } = context
  const now = new Date(app.clock.nowMs())
  const seen = visibleKeys(await manager(app.db, context))
  const { project_id: projectId, made_by: madeBy, state } = query
  const page = { limit: query.limit, after_id: query.after_id }
  const isNothing =
    (projectId !== undefined && seen.projectIds?.includes(projectId.toLowerCase()) === false) ||
    (madeBy !== undefined && seen.madeBy !== undefined && madeBy.toLowerCase() !== seen.madeBy)
  const filter = {
    ...seen,
    ...(projectId !== undefined && { projectIds: [projectId] }),
    ...(madeBy !== undefined && { madeBy }),
    state,
  }
  const found = isNothing ? { rows: [], hasMore: false } : await store.listKeys(app.db, filter, page, now)
  return plainList.answer(found, (row) => shownKey(row, now))
}

export async function readKey(context: KeyContext): Promise<ApiKey> {
  const { app, params } = context
  const now = new Date(app.clock.nowMs())
  const seen = visibleKeys(await manager(app.db, context))
  const row = await store.findKey(app.db, seen, params.id, now)
  return row ? shownKey(row, now) : notFound()
}

/** Changes a key; every process knows within a second, and connections that may no longer be end. Throws KEY_REVOKED (409). */
export async function changeKey(context: KeyContext<KeyPatch>): Promise<ApiKey> {
  const { app, body } = context
  if (Object.keys(body).length === 0) fail('INVALID_REQUEST', { why: reasons.nothing })
  const now = new Date(app.clock.nowMs())
  const scopes = body.scopes && scopesOf(body.scopes)
  const settings = settingsOf(app, body, now)
  return app.db.tx(async (tx) => {
    const { own, before, find } = await keyToChange(tx, context, now)
    if (before.revoked_at) fail('KEY_REVOKED', {})
    const all = scopes ?? before.scopes
    requireScopes(own, { all, added: all.filter((scope) => !before.scopes.includes(scope)) })
    await setKey(tx, before.key_id, {
      ...settings,
      ...(body.name !== undefined && { name: body.name.trim() }),
      ...(scopes && { scopes }),
    })
    const named = await find()
    const change = { scope: 'key', scopeId: before.key_id, caps: capsOf(body) } as const
    const [changed] = hasCaps(change)
      ? await changeMeters(tx, before.account_id, [change], capChange(app, now))
      : []
    const was = changed ? withLimits(before, changed.before) : before
    requireLowered(own, was, change.caps)
    const after = changed ? withLimits(named, changed.after) : named
    const target = { kind: 'key', id: before.key_id }
    await auditRequest(tx, context, {
      projectId: before.project_id,
      target,
      before: keySettings(was),
      after: keySettings(after),
    })
    return shownKey(after, now)
  })
}

/** Revokes a key for good; revoking it twice keeps the first time. */
export async function endKey(context: KeyContext): Promise<ApiKey> {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { before, find } = await keyToChange(tx, context, now)
    await revokeKey(tx, before.key_id, now)
    const after = await find()
    const at = (row: store.KeyRow) => ({ revoked_at: row.revoked_at?.toISOString() ?? null })
    await auditRequest(tx, context, {
      projectId: before.project_id,
      target: { kind: 'key', id: before.key_id },
      before: { name: before.name, ...at(before) },
      after: at(after),
    })
    return shownKey(after, now)
  })
}

/** The key of the path as it is now, if the person may change it, and how to read it again. */
async function keyToChange(
  tx: Tx,
  context: KeyContext,
  now: Date,
): Promise<{ own: Manager; before: store.KeyRow; find: () => Promise<store.KeyRow> }> {
  const own = await heldManager(tx, context, 'keys:write')
  const find = async () => (await store.findKey(tx, visibleKeys(own), context.params.id, now)) ?? notFound()
  const before = await find()
  return { own, before, find }
}
