/** Makes management keys. */
import { auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import { accountName, createManagementKey, isScope, readNetwork, type Scope } from '#platform/auth'
import { fail } from '#platform/errors'
import { type JsonText, requirePerson } from '#platform/http'
import type { ManagementKeysContext } from './app.ts'
import { holdWriter } from './member.ts'
import { notifyMade } from './notify.ts'
import { reasons } from './phrases.ts'
import type { ManagementKeyBody } from './schema.ts'
import { managementKeySettings, shownManagementKey } from './shown.ts'
import * as store from './store.ts'

const maxKeys = 50
const maxDays = 366

/** Makes a key of the account. Its secret is in this answer alone, and in the answer to a repeat, which is kept sealed for a day. */
export function makeManagementKey(context: ManagementKeysContext<ManagementKeyBody>): Promise<JsonText> {
  const { app, body, caller } = context
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  const given = {
    name: body.name.trim(),
    permissions: body.permissions,
    keyScopes: keyScopesOf(body),
    addresses: addressesOf(body.addresses ?? []),
    expiresAt: endOf(body.expires_at, now),
  }
  const accept = { endpoint: '/v1/management-keys', statusCode: 201, now, sealed: true }
  return acceptOnce(context, accept, async (tx) => {
    await store.lockCreations(tx, accountId)
    if ((await store.countActive(tx, accountId, now)) >= maxKeys)
      fail('TOO_MANY_MANAGEMENT_KEYS', { max: maxKeys })
    await holdWriter(tx, context)
    const { personId } = requirePerson(context)
    const made = await createManagementKey(tx, { accountId, personId, ...given }, now)
    const row = (await store.findManagementKey(tx, accountId, made.key_id))!
    await auditRequest(tx, context, {
      projectId: null,
      target: { kind: 'management_key', id: made.key_id },
      before: undefined,
      after: managementKeySettings(row),
    })
    await notifyMade(
      app,
      tx,
      { accountId, makerId: personId },
      {
        ...{ key: row.name, account: await accountName(tx, accountId), by: row.maker_name },
        ...{ endsAt: row.expires_at, at: now },
      },
      now,
    )
    return { ...shownManagementKey(row, now), secret: made.secret }
  })
}

function keyScopesOf({ key_scopes: names = [], permissions }: ManagementKeyBody): Scope[] {
  if (names.length > 0 && !permissions.includes('keys:write'))
    fail('INVALID_REQUEST', { why: reasons.scopesWithoutKeys }, { param: 'key_scopes' })
  return names.map((name, at) =>
    isScope(name)
      ? name
      : fail('INVALID_REQUEST', { why: reasons.scope(name) }, { param: `key_scopes.${at}` }),
  )
}

function addressesOf(texts: readonly string[]): string[] {
  const networks = texts.map(
    (text, at) =>
      readNetwork(text) ??
      fail('INVALID_REQUEST', { why: reasons.address(text) }, { param: `addresses.${at}` }),
  )
  return [...new Set(networks)]
}

function endOf(text: string, now: Date): Date {
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
  const atMs = isTime ? Date.parse(text) : Number.NaN
  const isWithin = atMs > now.getTime() && atMs <= now.getTime() + maxDays * 86_400_000
  return isWithin
    ? new Date(atMs)
    : fail('INVALID_REQUEST', { why: reasons.end(maxDays) }, { param: 'expires_at' })
}
