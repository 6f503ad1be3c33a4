/** The addresses and the public key for an app, and the keys that its back-end accepts. */

import { auditRequest } from '#account/audit'
import {
  announceCloud,
  type CloudRow,
  cloudUrl,
  deleteKey,
  type KeyRow,
  keyOf,
  keysOf,
  newSigningKey,
  raiseFunctionsRevision,
  rotateAppKey,
  rotateSigningKey,
  signingKeysOf,
} from '#cloud/clouds'
import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import { bareList } from '#platform/lists'
import type { CloudRoutesApp } from '../app.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import { type CloudContext, cloudTarget } from './create.ts'
import type { CloudConnection, Key, KeyBody } from './schema.ts'

type KeyContext = RequestContext<CloudRoutesApp, unknown, unknown, { id: string; keyId: string }>

export async function connection({
  app,
  caller,
  params,
}: CloudContext<CloudRoutesApp>): Promise<CloudConnection> {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  const url = cloudUrl(app.config, cloud.ref)
  const nowMs = app.clock.nowMs()
  const keys = await keysOf(app.db.kysely, keyOf(cloud))
  return {
    object: 'cloud.connection',
    id: cloud.cloud_id,
    ref: cloud.ref,
    service_url: url,
    public_key:
      lastExpiringKey(keys.filter((key) => key.kind === 'public' && isValid(key, nowMs)))?.public_key ?? null,
    auth_url: `${url}/auth/v1`,
    rest_url: `${url}/rest/v1`,
    storage_url: `${url}/storage/v1`,
    functions_url: `${url}/functions/v1`,
    files_url: `${url}/files`,
  }
}

/** Returns the key that does not end, or else ends last: the others are in their grace period. */
const lastExpiringKey = (keys: readonly KeyRow[]): KeyRow | undefined =>
  keys.toSorted((one, other) => endOf(other) - endOf(one))[0]

const endOf = ({ expires_at: at }: KeyRow): number => at?.getTime() ?? Number.MAX_SAFE_INTEGER

const isValid = ({ expires_at: at }: { expires_at: Date | null }, nowMs: number): boolean =>
  at === null || at.getTime() > nowMs

export async function listKeys({ app, caller, params }: CloudContext<CloudRoutesApp>) {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  const nowMs = app.clock.nowMs()
  const keys = await keysOf(app.db.kysely, keyOf(cloud))
  const signing = await signingKeysOf(app.db.kysely, keyOf(cloud))
  const shown = [
    ...keys.map(toKey),
    ...signing.map((key) => toKey({ ...key, key_id: key.kid, kind: 'signing' })),
  ]
  const valid = [...keys, ...signing].map((key) => isValid(key, nowMs))
  return bareList.answer(
    shown.filter((_key, at) => valid[at]),
    (key) => key,
  )
}

const toKey = ({
  key_id: id,
  kind,
  created_at: created,
  expires_at: expires,
}: Pick<KeyRow, 'key_id' | 'created_at' | 'expires_at'> & { kind: Key['kind'] }): Key => ({
  object: 'cloud.key',
  id,
  kind,
  created_at: created.toISOString(),
  expires_at: expires?.toISOString() ?? null,
})

export async function rotateKey(context: CloudContext<CloudRoutesApp, KeyBody>): Promise<JsonText> {
  const { app, body, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const now = new Date(app.clock.nowMs())
  const options = { endpoint: '/v1/cloud/keys', statusCode: 201, now, sealed: true }
  const answer =
    body.kind === 'signing'
      ? await rotateSigning(context, found, options)
      : await acceptOnce(context, options, async (tx) => {
          const cloud = await lockReadyCloud(tx, found)
          const othersUntil = new Date(now.getTime() + (body.grace_seconds ?? 0) * 1000)
          const { row, secret } = await rotateAppKey(tx, cloud, body.kind as KeyRow['kind'], {
            now,
            othersUntil,
          })
          await auditRotation(tx, context, { keyId: row.key_id, othersUntil })
          return { ...toKey(row), secret }
        })
  await app.clouds.refresh(keyOf(found))
  return answer
}

/** Access tokens that the earlier key has signed expire after an hour. */
const signedForSeconds = 60 * 60

async function rotateSigning(
  context: CloudContext<CloudRoutesApp, KeyBody>,
  found: CloudRow,
  options: Parameters<typeof acceptOnce>[1] & { now: Date },
): Promise<JsonText> {
  const { app, body } = context
  const { now } = options
  const key = await newSigningKey(app, keyOf(found), now)
  const othersUntil = new Date(now.getTime() + (body.grace_seconds ?? signedForSeconds) * 1000)
  return acceptOnce(context, options, async (tx) => {
    await rotateSigningKey(tx, await lockReadyCloud(tx, found), key, { now, othersUntil })
    await auditRotation(tx, context, { keyId: key.kid, othersUntil })
    return { ...toKey({ ...key, key_id: key.kid, kind: 'signing' }), secret: null }
  })
}

const auditRotation = (
  tx: Tx,
  context: CloudContext<CloudRoutesApp, KeyBody>,
  { keyId, othersUntil }: { keyId: string; othersUntil: Date },
): Promise<void> =>
  auditRequest(tx, context, {
    target: { kind: 'cloud', id: context.params.id },
    after: { key_id: keyId, kind: context.body.kind, earlier_until: othersUntil },
  })

export async function removeKey(context: KeyContext) {
  const { app, caller, params } = context
  const found = await requireCloud(app, caller, params.id, { ready: true })
  await app.db.tx(async (tx) => {
    const cloud = await lockReadyCloud(tx, found)
    const deleted = isUuid(params.keyId) && (await deleteKey(tx, keyOf(cloud), params.keyId))
    if (!deleted) fail('CLOUD_KEY_NOT_FOUND', {}, { param: 'keyId' })
    // The key may be the one that functions find among their variables.
    if (deleted.kind === 'public') await raiseFunctionsRevision(tx, keyOf(cloud))
    await announceCloud(tx, keyOf(cloud), cloud.ref)
    const before = { key_id: deleted.key_id, kind: deleted.kind }
    await auditRequest(tx, context, { target: cloudTarget(cloud), before })
  })
  await app.clouds.refresh(keyOf(found))
  return { object: 'cloud.key', id: params.keyId, deleted: true }
}
