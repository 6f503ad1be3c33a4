/** Links an identity to the person of a session, and unlinks it. */
import { audit } from '#account/audit'
import { queueLetter } from '#account/letters'
import {
  endClaimed,
  lockPerson,
  type Membership,
  type Person,
  personById,
  proveAddress,
  provenAddresses,
} from '#account/people'
import type { SessionRecord } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { OpenIdContext } from './app.ts'
import { noteIdentity, provenAddressOf, readClaims, requestOf } from './enter.ts'
import type { Answer } from './finish.ts'
import type { IdentityList, ProviderParams, UnlinkedIdentity } from './schema.ts'
import * as store from './store.ts'
import { requireWayIn } from './ways-in.ts'

/** A factor counts as recent for so long. */
export const recentMs = 10 * 60_000

/**
 * Links whom the provider names to the person of the session, who gave a factor within ten minutes. Throws STEP_UP_REQUIRED, and OPENID_IDENTITY_TAKEN
 * where the identity is somebody else's, or the person has another one at this provider.
 */
export async function link(
  context: OpenIdContext,
  tx: Tx,
  { provider, claims }: Answer,
  session: SessionRecord,
): Promise<void> {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  if (now.getTime() - session.steppedUpAtMs > recentMs) fail('STEP_UP_REQUIRED', {})
  const { id, issuer, name } = provider.config
  const key = { issuer, subject: claims.subject }
  await store.lockIdentity(tx, key)
  await lockPerson(tx, session.personId)
  const identity = await store.identityOf(tx, key)
  const person = (await personById(tx, session.personId)) ?? fail('NOT_SIGNED_IN', {})
  if (identity && identity.person_id !== person.personId)
    fail('OPENID_IDENTITY_TAKEN', { provider: name, by: 'other' })
  const others = (await store.identitiesOf(tx, person.personId)).filter((one) => one.issuer === issuer)
  if (!identity && others.length > 0) fail('OPENID_IDENTITY_TAKEN', { provider: name, by: 'self' })
  await noteIdentity(tx, { provider, claims, person, identity }, now)
  await readClaims(context, tx, { provider, claims, person, identity }, now)
  const email = provenAddressOf(claims)
  if (email !== undefined) await proveAddress(tx, { personId: person.personId, email, inSession: true }, now)
  if (identity) return
  await notify(app, tx, person, { kind: 'identity_linked', data: { provider: name, at: now } }, now)
  await audit(
    tx,
    {
      ...requestOf(context),
      accountId: null,
      actor: { kind: 'person', id: person.personId },
      operation: 'openid.link',
      target: { kind: 'identity', id: id },
      after: { provider: id, issuer },
    },
    now,
  )
}

interface Notice {
  kind: 'identity_linked' | 'identity_unlinked'
  data: { provider: string; at: Date }
}

/** Writes to every proven address of the person. */
async function notify(
  app: OpenIdContext['app'],
  tx: Tx,
  { personId, locale }: Person,
  notice: Notice,
  now: Date,
): Promise<void> {
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { to, personId, locale, ...notice }, now)
}

/**
 * Unlinks the identity of this provider, and ends the memberships that its claims made. Throws NOT_FOUND, and LAST_WAY_IN where the person could not
 * sign in any more.
 */
export async function unlink(context: OpenIdContext<unknown, ProviderParams>): Promise<UnlinkedIdentity> {
  const { app, params } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    await lockPerson(tx, personId)
    const all = await store.identitiesOf(tx, personId)
    const identity = all.find((one) => one.provider_id === params.provider) ?? fail('NOT_FOUND', {})
    await store.deleteIdentity(tx, identity)
    await requireWayIn(app, tx, personId)
    const person = (await personById(tx, personId)) ?? fail('NOT_SIGNED_IN', {})
    const provider = app.openId.find(params.provider)?.config.name ?? params.provider
    await notify(app, tx, person, { kind: 'identity_unlinked', data: { provider, at: now } }, now)
    const ended = await endClaimed(tx, personId, [params.provider], now)
    for (const one of ended) await auditEnd(context, tx, one, now)
    await audit(
      tx,
      {
        ...requestOf(context),
        accountId: null,
        actor: { kind: 'person', id: personId },
        operation: 'openid.unlink',
        target: { kind: 'identity', id: params.provider },
        before: { provider: params.provider, issuer: identity.issuer },
        after: { ended_memberships: ended.map(({ accountId }) => accountId) },
      },
      now,
    )
  })
  return { provider: params.provider, deleted: true }
}

/** Writes a row of its own for an account whose membership has ended, which the claims had made. */
async function auditEnd(
  context: OpenIdContext,
  tx: Tx,
  { accountId, personId, role, projectIds, providerId }: Membership,
  now: Date,
): Promise<void> {
  await audit(
    tx,
    {
      ...requestOf(context),
      accountId,
      actor: { kind: 'person', id: personId },
      operation: 'openid.unlink',
      target: { kind: 'member', id: personId },
      before: { role, project_ids: projectIds, provider: providerId },
    },
    now,
  )
}

/** The identities of the person, with the names that their providers have in the configuration now. */
export async function listIdentities(context: OpenIdContext): Promise<IdentityList> {
  const { personId } = requirePerson(context)
  const rows = await store.identitiesOf(context.app.db, personId)
  return {
    data: rows.map((row) => {
      const provider = context.app.openId.find(row.provider_id)
      return {
        provider: row.provider_id,
        name: provider?.config.name ?? row.provider_id,
        available: provider !== undefined,
        email: row.email,
        linked_at: row.linked_at.toISOString(),
        last_used_at: row.last_used_at.toISOString(),
      }
    }),
  }
}
