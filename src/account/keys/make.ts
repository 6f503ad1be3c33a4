/** Makes keys. */
import { auditRequest } from '#account/audit'
import { acceptOnce } from '#core/calls'
import { createKey } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText } from '#platform/http'
import type { KeysContext } from './app.ts'
import { capsOf, scopesOf, settingsOf } from './given.ts'
import { heldManager, requireScopes } from './member.ts'
import type { KeyBody } from './schema.ts'
import { keySettings, shownKey } from './shown.ts'
import * as store from './store.ts'

const maxKeys = 1_000

/** Makes a key of the project of the request. Its secret is in this answer alone, and in the answer to a repeat, which is kept sealed for a day. */
export function makeKey(context: KeysContext<KeyBody>): Promise<JsonText> {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  const scopes = scopesOf(body.scopes)
  const settings = settingsOf(app, body, now)
  const accept = { endpoint: '/v1/keys', statusCode: 201, now, sealed: true }
  return acceptOnce(context, accept, async (tx) => {
    const { accountId, projectId, keyId, management, person } = context.caller
    await requireRoom(tx, accountId)
    const own = await heldManager(tx, context, 'keys:write')
    if (own.projectIds?.includes(projectId) === false) fail('NOT_FOUND', {})
    requireScopes(own, { all: scopes, added: scopes })
    const maker = management ? { managementKeyId: keyId } : { personId: person!.personId }
    const made = await createKey(
      tx,
      { accountId, projectId, ...maker, name: body.name.trim(), scopes, caps: capsOf(body), ...settings },
      now,
    )
    const row = (await store.findKey(tx, { accountId, projectIds: null }, made.key_id, now))!
    const target = { kind: 'key', id: made.key_id }
    await auditRequest(tx, context, { target, before: undefined, after: keySettings(row) })
    return { ...shownKey(row, now), secret: made.secret }
  })
}

async function requireRoom(tx: Tx, accountId: string): Promise<void> {
  await store.lockCreations(tx, accountId)
  if ((await store.countKeys(tx, accountId)) >= maxKeys) fail('TOO_MANY_KEYS', { max: maxKeys })
}
