/** Signs in whom a provider names: a person with this identity, or a new one where the configuration or an invitation lets them in. */
import { audit } from '#account/audit'
import { type Browser, type Entrance, finishFirstFactor } from '#account/entering'
import { acceptInvitation, findInvitation } from '#account/invitations'
import { openAccount } from '#account/new-accounts'
import { createPerson, hasProven, memberships, type Person, personById } from '#account/people'
import { emailAddress, networkOf } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { OpenIdContext } from './app.ts'
import type { Claims } from './claims.ts'
import type { Answer } from './finish.ts'
import { applyClaims } from './memberships.ts'
import type { Provider } from './provider.ts'
import * as store from './store.ts'

/** Throws OPENID_NOT_ALLOWED, OPENID_LINK_REQUIRED, TOO_MANY_ACCOUNTS, and EMAIL_TAKEN where somebody else took the address at the same moment. */
export async function enter(
  context: OpenIdContext,
  tx: Tx,
  answer: Answer,
  browser: Browser,
): Promise<Entrance> {
  const { provider, claims, ceremony } = answer
  const now = new Date(context.app.clock.nowMs())
  const key = { issuer: provider.config.issuer, subject: claims.subject }
  await store.lockIdentity(tx, key)
  const identity = await store.identityOf(tx, key)
  const known = identity && (await personById(tx, identity.person_id))
  const person = known ?? (await newcomer(context, tx, answer, now))
  await noteIdentity(tx, { provider, claims, person, identity }, now)
  await acceptIfProven(context, tx, person, ceremony.invitation, now)
  await readClaims(context, tx, { provider, claims, person, identity }, now)
  if (!known) await openOwnAccount(context, tx, person, browser, now)
  return finishFirstFactor(context, tx, { person, method: 'openid', browser }, now)
}

/** The address as it is stored, if the provider has proven it. */
export const provenAddressOf = ({ email }: Claims): string | undefined =>
  email?.isVerified ? emailAddress(email.address) : undefined

/** Makes a person of somebody whom nobody knows. An address never finds a person here, because whoever has it at a provider need not be that person. */
async function newcomer(
  context: OpenIdContext,
  tx: Tx,
  { provider, claims, ceremony }: Answer,
  now: Date,
): Promise<Person> {
  const { name, create } = provider.config
  const email = provenAddressOf(claims)
  if (email !== undefined && (await store.isKnownAddress(tx, email, now)))
    fail('OPENID_LINK_REQUIRED', { provider: name })
  const { invitation: token } = ceremony
  const invitation = token === undefined ? undefined : await findInvitation(tx, token, now)
  const isInvited = invitation !== undefined && invitation.email === email
  // Sign-up is closed until there is a person, whom the operator's link makes.
  if (!(await store.isAnybodyThere(tx))) fail('OPENID_NOT_ALLOWED', { provider: name })
  if (!create && !isInvited) fail('OPENID_NOT_ALLOWED', { provider: name })
  if (email !== undefined) await store.dropSignUps(tx, email)
  const displayName = claims.name ?? email?.split('@')[0] ?? name
  const person = await createPerson(tx, { displayName, locale: context.language, email: email ?? null }, now)
  await audit(
    tx,
    {
      ...requestOf(context),
      accountId: null,
      actor: { kind: 'person', id: person.personId },
      operation: 'people.create',
      target: { kind: 'person', id: person.personId },
      after: { provider: provider.config.id, by: isInvited ? 'invitation' : 'create' },
    },
    now,
  )
  return person
}

/**
 * Opens an account for a new person as a sign-up would, where sign-up is open: with an address that the provider has proven, and only where neither
 * claims nor an invitation have made them a member. Otherwise they are a person without an account, whom somebody can invite.
 */
async function openOwnAccount(
  context: OpenIdContext,
  tx: Tx,
  person: Person,
  browser: Browser,
  now: Date,
): Promise<void> {
  const { email, personId } = person
  if (context.app.config.people.signUp !== 'open' || email === null) return
  if ((await memberships(tx, personId)).length > 0) return
  await openAccount(context, tx, { person, email, network: networkOf(browser.address) }, now)
}

interface Use {
  provider: Provider
  claims: Claims
  person: Pick<Person, 'personId'>
  identity: store.IdentityRow | undefined
}

export async function noteIdentity(
  tx: Tx,
  { provider, claims, person, identity }: Use,
  now: Date,
): Promise<void> {
  const key = { issuer: provider.config.issuer, subject: claims.subject }
  const use = { provider_id: provider.config.id, email: claims.email?.address ?? null, last_used_at: now }
  if (identity) await store.noteUse(tx, key, use)
  else await store.insertIdentity(tx, { ...key, ...use, person_id: person.personId, linked_at: now })
}

/** Reads the claims of memberships. Under the id that the provider had before, another one may stand in the configuration now. */
export async function readClaims(
  context: OpenIdContext,
  tx: Tx,
  { provider, claims, person, identity }: Use,
  now: Date,
): Promise<void> {
  const former = identity?.provider_id
  const formerIds = former === undefined || context.app.openId.find(former) ? [] : [former]
  const reading = { personId: person.personId, provider: provider.config, formerIds, claims }
  await applyClaims(context.app, tx, reading, requestOf(context), now)
}

/** An invitation that came with the sign-in is accepted if its address is proven; otherwise its page says what is missing. */
async function acceptIfProven(
  context: OpenIdContext,
  tx: Tx,
  { personId }: Person,
  token: string | undefined,
  now: Date,
): Promise<void> {
  const invitation = token === undefined ? undefined : await findInvitation(tx, token, now)
  if (invitation && (await hasProven(tx, personId, invitation.email)))
    await acceptInvitation(tx, { token: token!, personId }, requestOf(context), now)
}

/** The request as rows of the audit log name it. */
export const requestOf = ({ requestId, headers }: OpenIdContext) => ({
  requestId,
  client: headers['user-agent'],
})
