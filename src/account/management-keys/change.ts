/** Lists, reads, renames and revokes management keys. Nothing else of one can be changed: another key is made in its place. */
import { auditRequest } from '#account/audit'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { plainList } from '#platform/lists'
import type { ManagementKeysContext } from './app.ts'
import { holdWriter, requireReader } from './member.ts'
import type { ManagementKey, ManagementKeyPatch, ManagementKeyQuery, RevocationQuery } from './schema.ts'
import { shownManagementKey } from './shown.ts'
import * as store from './store.ts'

type KeyContext<Body = unknown, Query = unknown> = ManagementKeysContext<Body, Query, { id: string }>

const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

export async function listManagementKeys(context: ManagementKeysContext<unknown, ManagementKeyQuery>) {
  const { app, caller, query } = context
  await requireReader(context)
  const now = new Date(app.clock.nowMs())
  const { limit, after_id, state } = query
  const filter = { accountId: caller.accountId, state }
  const page = await store.listManagementKeys(app.db, filter, { limit, after_id }, now)
  return plainList.answer(page, (row) => shownManagementKey(row, now))
}

export async function readManagementKey(context: KeyContext): Promise<ManagementKey> {
  const { app, caller, params } = context
  await requireReader(context)
  const row = (await store.findManagementKey(app.db, caller.accountId, params.id)) ?? notFound()
  return shownManagementKey(row, new Date(app.clock.nowMs()))
}

/** Changes the name. Throws MANAGEMENT_KEY_ENDED (409). */
export async function changeManagementKey(context: KeyContext<ManagementKeyPatch>): Promise<ManagementKey> {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const before = await lockedKey(tx, context)
    if (before.revoked_at || before.expires_at <= now) fail('MANAGEMENT_KEY_ENDED', {})
    const name = body.name.trim()
    await store.renameManagementKey(tx, before.account_id, before.key_id, name)
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'management_key', id: before.key_id },
      before: { name: before.name },
      after: { name },
    })
    return shownManagementKey({ ...before, name }, now)
  })
}

/** Revokes a key for good, and on request the project keys that it made; revoking it twice keeps the first time. */
export async function endManagementKey(
  context: KeyContext<unknown, RevocationQuery>,
): Promise<ManagementKey> {
  const { app, query } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const before = await lockedKey(tx, context)
    const { account_id: accountId, key_id: keyId } = before
    await store.revokeManagementKey(tx, accountId, keyId, now)
    const ended = query.made_keys === 'revoke' ? await store.revokeMadeKeys(tx, accountId, keyId, now) : []
    const after = (await store.findManagementKey(tx, accountId, keyId))!
    const at = ({ revoked_at }: store.ManagementKeyRow) => ({ revoked_at: revoked_at?.toISOString() ?? null })
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'management_key', id: keyId },
      before: { name: before.name, ...at(before) },
      after: { ...at(after), ...(ended.length > 0 && { revoked_keys: ended }) },
    })
    return shownManagementKey(after, now)
  })
}

/** The key of the path, locked, if the person may change it. */
async function lockedKey(tx: Tx, context: KeyContext): Promise<store.ManagementKeyRow> {
  const { caller, params } = context
  const isFound = await store.lockManagementKey(tx, caller.accountId, params.id)
  await holdWriter(tx, context)
  return (isFound && (await store.findManagementKey(tx, caller.accountId, params.id))) || notFound()
}
