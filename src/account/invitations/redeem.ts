/** What the links of operators and invitations are for, and what happens when one is redeemed. */
import { audit } from '#account/audit'
import { mailChannel, queueLetter } from '#account/letters'
import {
  createPerson,
  endSessions,
  hasProven,
  lockPerson,
  markUnproven,
  type Person,
  personByEmail,
  personById,
  provenAddresses,
  type Role,
  setOperator,
  setPassword,
} from '#account/people'
import { couldBeToken } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type AcceptingRequest, acceptMembership, openInvitation } from './accept.ts'
import type { InvitationsApp } from './app.ts'
import { lockFirstPerson, makeFirstOperator } from './first-person.ts'
import { invitationPrefix } from './invite.ts'
import { endLinks, findLink, linkPrefix, lockLink, type OperatorLink } from './links.ts'
import * as store from './store.ts'
import './errors.ts'

/**
 * What a link needs beside its token. `new_person`: name, address and password of somebody who is not known yet. `named_person`: the same without the
 * address, which is the link's. `session`: a person who has signed in or signed up with the address of the link. `password`: a new password.
 */
export type LinkNeed = 'new_person' | 'named_person' | 'session' | 'password'

export interface LinkDescription {
  purpose: 'first_operator' | 'operator' | 'operator_reset' | 'invitation'
  needs: LinkNeed
  /** The address to which it is bound, normalised; null for the first operator's. Pages show it masked. */
  email: string | null
  expiresAt: Date
  /** What an invitation says of itself; the inviter is null where it is the operator. */
  invitation?: { accountName: string; inviterName: string | null; role: Role }
}

/** Says what the token is for; undefined for one that is unknown, used, revoked or expired. Costs one query, and none for what cannot be a token. */
export async function describeLink(
  app: Pick<InvitationsApp, 'config'> & { db: Db },
  token: string,
  now: Date,
): Promise<LinkDescription | undefined> {
  if (couldBeToken(invitationPrefix, token)) {
    const row = await openInvitation(app.db, token, now)
    return (
      row && {
        purpose: 'invitation',
        needs: await needOf(app, row.email),
        email: row.email,
        expiresAt: row.expires_at,
        invitation: { accountName: row.account_name, inviterName: row.inviter_name, role: row.role },
      }
    )
  }
  const link = couldBeToken(linkPrefix, token) ? await findLink(app.db, token, now) : undefined
  if (!link) return undefined
  const { purpose, expires_at: expiresAt } = link
  if (purpose === 'first_operator') return { purpose, needs: 'new_person', email: null, expiresAt }
  if (purpose === 'operator') {
    const email = link.data.email!
    return { purpose, needs: await needOf(app, email), email, expiresAt }
  }
  const person = await personById(app.db, link.person_id!)
  return person && { purpose, needs: 'password', email: person.email, expiresAt }
}

/** With a mail channel an address is proven by a code; without one somebody new comes in by the link, and who is known signs in. */
async function needOf(
  app: Pick<InvitationsApp, 'config'> & { db: Db },
  email: string,
): Promise<'session' | 'named_person'> {
  if (mailChannel(app) === 'mail') return 'session'
  return (await personByEmail(app.db, email)) ? 'session' : 'named_person'
}

/** What the person at the page gives. The password is hashed before the transaction. */
export interface Redemption {
  token: string
  /** The person of the session in which the link is opened. */
  signedInAs?: string | undefined
  newPerson?:
    | {
        displayName: string
        locale: 'fa' | 'en'
        timeZone?: string | undefined
        /** Normalised; only the first operator's link takes it. */
        email?: string | undefined
        passwordHash: string
      }
    | undefined
  /** A new password, for the link of a reset. */
  passwordHash?: string | undefined
}

export interface LinkOutcome {
  purpose: LinkDescription['purpose']
  person: Person
  /** Whether the person was made just now, so that a session is opened; everybody else signs in as always. */
  isNew: boolean
}

/**
 * Redeems a link, once, and writes its row of the audit log. Undefined for a token that `describeLink` does not know, or that lacks what it needs. One of
 * several who redeem it at once succeeds. Throws INVITATION_INVALID, INVITATION_FOR_ANOTHER and EMAIL_TAKEN.
 */
export async function redeemLink(
  app: InvitationsApp,
  tx: Tx,
  redemption: Redemption,
  request: AcceptingRequest,
  now: Date,
): Promise<LinkOutcome | undefined> {
  const { token } = redemption
  if (couldBeToken(invitationPrefix, token)) return redeemInvitation(app, tx, redemption, request, now)
  if (!couldBeToken(linkPrefix, token)) return undefined
  // The lock of the link comes second everywhere, so that a redemption and a renewal do not wait for each other.
  await lockFirstPerson(tx)
  const link = await lockLink(tx, token, now)
  if (!link) return undefined
  if (link.purpose === 'operator_reset') return redeemReset(app, tx, link, redemption, request, now)
  return redeemOperator(app, tx, link, redemption, request, now)
}

async function redeemInvitation(
  app: InvitationsApp,
  tx: Tx,
  redemption: Redemption,
  request: AcceptingRequest,
  now: Date,
): Promise<LinkOutcome | undefined> {
  const { token, signedInAs } = redemption
  if (signedInAs !== undefined && !(await lockPerson(tx, signedInAs))) return undefined
  const row = await store.lockInvitationByToken(tx, token, now)
  if (!row) return fail('INVITATION_INVALID', {})
  const found = await redeemer(app, tx, redemption, row.email, now)
  if (!found) return undefined
  const handedTo = mailChannel(app) === 'none' && found.person.email === row.email ? row.email : undefined
  await acceptMembership(tx, { token, personId: found.person.personId, handedTo }, request, now)
  return { purpose: 'invitation', ...found, isNew: signedInAs === undefined }
}

/** The person of the session, or, where there is no mail, a new one with the address of the link. */
async function redeemer(
  app: InvitationsApp,
  tx: Tx,
  { signedInAs, newPerson }: Redemption,
  email: string,
  now: Date,
): Promise<{ person: Person } | undefined> {
  if (signedInAs !== undefined) {
    const person = await personById(tx, signedInAs)
    return person && { person }
  }
  if (!newPerson || mailChannel(app) === 'mail') return undefined
  return { person: await unprovenPerson(tx, { ...newPerson, email }, now) }
}

/** Makes a person whose address stands on an operator's word. Throws EMAIL_TAKEN (409). */
async function unprovenPerson(
  tx: Tx,
  { email, ...given }: NonNullable<Redemption['newPerson']> & { email: string },
  now: Date,
): Promise<Person> {
  const person = await createPerson(tx, { ...given, email }, now)
  await markUnproven(tx, person.personId)
  return person
}

async function redeemOperator(
  app: InvitationsApp,
  tx: Tx,
  link: OperatorLink,
  redemption: Redemption,
  request: AcceptingRequest,
  now: Date,
): Promise<LinkOutcome | undefined> {
  const found =
    link.purpose === 'first_operator'
      ? await firstOperator(tx, redemption, now)
      : await invitedOperator(app, tx, link, redemption, now)
  if (!found) return undefined
  const { personId } = found.person
  if (link.purpose === 'first_operator') await makeFirstOperator(tx, personId, now)
  else await setOperator(tx, personId, true, now)
  await recordOperator(tx, link, personId, request, now)
  const person = { ...found.person, isOperator: true }
  return { purpose: link.purpose, person, isNew: redemption.signedInAs === undefined }
}

/** Ends the links for the same, and writes the row of the audit log. */
async function recordOperator(
  tx: Tx,
  { purpose, data: { email } }: OperatorLink,
  personId: string,
  request: AcceptingRequest,
  now: Date,
): Promise<void> {
  await endLinks(tx, { purpose, ...(email !== undefined && { email }) }, now)
  await audit(
    tx,
    {
      ...request,
      accountId: null,
      actor: { kind: 'person', id: personId },
      operation: 'operators.accept',
      target: { kind: 'person', id: personId },
      after: { is_operator: true, purpose },
    },
    now,
  )
}

/**
 * The address to which a token invites: into an account, or to be an operator. Undefined for one that nobody can accept. A sign-up, which proves the
 * address, asks for it.
 */
export async function findInvitation(
  db: Db | Tx,
  token: string,
  now: Date,
): Promise<{ email: string } | undefined> {
  if (couldBeToken(invitationPrefix, token)) return openInvitation(db, token, now)
  const link = couldBeToken(linkPrefix, token) ? await findLink(db, token, now) : undefined
  return link?.purpose === 'operator' ? { email: link.data.email! } : undefined
}

/**
 * Accepts what `findInvitation` finds, for a person who has proven the address. Writes its row of the audit log. Throws INVITATION_INVALID (404) and
 * INVITATION_FOR_ANOTHER (403).
 */
export async function acceptInvitation(
  tx: Tx,
  { token, personId }: { token: string; personId: string },
  request: AcceptingRequest,
  now: Date,
): Promise<void> {
  if (couldBeToken(invitationPrefix, token)) {
    await acceptMembership(tx, { token, personId }, request, now)
    return
  }
  await lockFirstPerson(tx)
  const link = couldBeToken(linkPrefix, token) ? await lockLink(tx, token, now) : undefined
  if (link?.purpose !== 'operator') return fail('INVITATION_INVALID', {})
  if (!(await hasProven(tx, personId, link.data.email!))) fail('INVITATION_FOR_ANOTHER', {})
  await setOperator(tx, personId, true, now)
  await recordOperator(tx, link, personId, request, now)
}

/** Whoever holds the first link, as long as there is no operator: somebody new, or the person of the session. */
async function firstOperator(
  tx: Tx,
  { signedInAs, newPerson }: Redemption,
  now: Date,
): Promise<{ person: Person } | undefined> {
  if ((await store.whoIsThere(tx)).operator) return undefined
  if (signedInAs !== undefined) {
    const person = (await lockPerson(tx, signedInAs)) ? await personById(tx, signedInAs) : undefined
    return person && { person }
  }
  if (newPerson?.email === undefined) return undefined
  return { person: await unprovenPerson(tx, { ...newPerson, email: newPerson.email }, now) }
}

/** The person to whose address the link was sent: proven where there is mail, else on the operator's word. */
async function invitedOperator(
  app: InvitationsApp,
  tx: Tx,
  { data: { email = '' } }: OperatorLink,
  redemption: Redemption,
  now: Date,
): Promise<{ person: Person } | undefined> {
  const found = await redeemer(app, tx, redemption, email, now)
  if (!found) return undefined
  const { personId, email: own } = found.person
  const isTheirs = (await hasProven(tx, personId, email)) || (mailChannel(app) === 'none' && own === email)
  return isTheirs ? found : fail('INVITATION_FOR_ANOTHER', {})
}

/** A new password, which ends every session and skips no second factor; the person is notified at all addresses. */
async function redeemReset(
  app: InvitationsApp,
  tx: Tx,
  link: OperatorLink,
  { passwordHash }: Redemption,
  request: AcceptingRequest,
  now: Date,
): Promise<LinkOutcome | undefined> {
  const personId = link.person_id!
  const person = await personById(tx, personId)
  if (!person || passwordHash === undefined) return undefined
  await setPassword(tx, personId, passwordHash, now)
  await endSessions(tx, personId, {}, now)
  await endLinks(tx, { purpose: 'operator_reset', personId }, now)
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(
      app,
      tx,
      { to, personId, kind: 'password_changed', locale: person.locale, data: { at: now } },
      now,
    )
  await audit(
    tx,
    {
      ...request,
      accountId: null,
      actor: { kind: 'person', id: personId },
      operation: 'people.reset',
      target: { kind: 'person', id: personId },
    },
    now,
  )
  return { purpose: 'operator_reset', person, isNew: false }
}
