/** The link by which the first person of an installation comes in, and the people whom an operator makes operators. */

import { sql } from 'kysely'
import { audit } from '#account/audit'
import { type LettersApp, mailChannel, queueLetter, type TypedLetter } from '#account/letters'
import { hasProven, operators, type Person, personByEmail, setMember, setOperator } from '#account/people'

import { maskedAddress } from '#account/sign-in'

import type { Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { linkAddress } from './address.ts'
import type { FirstPersonApp, InvitationsApp } from './app.ts'
import { endLinks, insertLink, newestFirstLink } from './links.ts'
import { requireProject } from './project.ts'
import * as store from './store.ts'

/** Of processes that start together, such as those of several machines, one makes the link. */
const togetherMs = 60_000

/**
 * Makes the link of the first person at a start, for the operator to open: while there is no person. Earlier links are worth nothing from then on.
 * Returns undefined where there is a person, and `recent` where another start has made one within a minute.
 */
export async function offerFirstLink(app: FirstPersonApp): Promise<string | 'recent' | undefined> {
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    await lockFirstPerson(tx)
    if ((await store.whoIsThere(tx)).person) return undefined
    const newest = await newestFirstLink(tx, now)
    if (newest && now.getTime() - newest.getTime() < togetherMs) return 'recent'
    return linkAddress(app, await newFirstLink(tx, now))
  })
}

/** Makes a new link of the first operator in place of the earlier ones; undefined where there is an operator. Writes its row of the audit log. */
export async function renewFirstLink(
  app: Pick<InvitationsApp, 'config'>,
  tx: Tx,
  now: Date,
): Promise<string | undefined> {
  await lockFirstPerson(tx)
  if ((await store.whoIsThere(tx)).operator) return undefined
  const token = await newFirstLink(tx, now)
  await audit(
    tx,
    { accountId: null, actor: { kind: 'operator', id: null }, operation: 'operators.link' },
    now,
  )
  return linkAddress(app, token)
}

async function newFirstLink(tx: Tx, now: Date): Promise<string> {
  await endLinks(tx, { purpose: 'first_operator' }, now)
  return insertLink(tx, { purpose: 'first_operator' }, now)
}

/** Starts, renewals and redemptions wait for each other, so that one person is the first. */
export async function lockFirstPerson(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('kherad first person'))`.execute(tx)
}

/** Makes a person the operator and the owner of the first account, whose keys and credits exist already. The caller holds `lockFirstPerson`. */
export async function makeFirstOperator(tx: Tx, personId: string, now: Date): Promise<void> {
  await setOperator(tx, personId, true, now)
  const { account_id: accountId } = await store.firstAccount(tx)
  await setMember(tx, { accountId, personId, role: 'owner', projectIds: null }, now)
  await requireProject(tx, accountId, now)
}

export type AddedOperator =
  | { outcome: 'added' | 'already'; person: Person }
  /** Nobody has proven the address: a letter invites them, and where there is no mail the operator hands the link over. */
  | { outcome: 'invited'; link: string; delivery: 'mail' | 'operator' | 'limited' }

/**
 * Makes the person with this address (normalised) an operator, or invites them to become one; all operators are notified, the new one too. Writes its
 * row of the audit log.
 */
export async function addOperator(
  app: InvitationsApp,
  tx: Tx,
  { email, locale }: { email: string; locale: Language },
  now: Date,
): Promise<AddedOperator> {
  const known = await personByEmail(tx, email)
  if (known?.isOperator) return { outcome: 'already', person: known }
  // Somebody else may have come with an address that nobody has proven: only who has the link becomes an operator.
  const person = known && (await hasProven(tx, known.personId, email)) ? known : undefined
  const told = await operators(tx)
  if (person) {
    await setOperator(tx, person.personId, true, now)
    told.push({ ...person, isOperator: true })
  }
  await audit(
    tx,
    {
      accountId: null,
      actor: { kind: 'operator', id: null },
      operation: 'operators.add',
      target: person
        ? { kind: 'person', id: person.personId }
        : { kind: 'address', id: maskedAddress(email) },
    },
    now,
  )
  await notifyOperators(app, tx, told, { kind: 'operator_added', data: { email, at: now } }, now)
  if (person) return { outcome: 'added', person }
  return { outcome: 'invited', ...(await inviteOperator(app, tx, { email, locale }, now)) }
}

/**
 * Writes to the operators who remain that a person is none any more, and to that person where it was not their own doing. Called in the transaction of
 * the change, before a deletion takes the name and the address away.
 */
export async function notifyOperatorRemoved(
  app: LettersApp,
  tx: Tx,
  { personId, displayName }: Pick<Person, 'personId' | 'displayName'>,
  by: 'command' | 'self',
  now: Date,
): Promise<void> {
  const told = (await operators(tx)).filter((one) => by === 'command' || one.personId !== personId)
  const data = { name: displayName, by, at: now }
  await notifyOperators(app, tx, told, { kind: 'operator_removed', data }, now)
}

async function notifyOperators(
  app: LettersApp,
  tx: Tx,
  people: readonly Person[],
  letter: Extract<TypedLetter, { kind: 'operator_added' | 'operator_removed' }>,
  now: Date,
): Promise<void> {
  for (const { personId, email: to, locale } of people)
    if (to !== null) await queueLetter(app, tx, { to, personId, locale, ...letter }, now)
}

async function inviteOperator(
  app: InvitationsApp,
  tx: Tx,
  { email, locale }: { email: string; locale: Language },
  now: Date,
): Promise<{ link: string; delivery: 'mail' | 'operator' | 'limited' }> {
  await endLinks(tx, { purpose: 'operator', email }, now)
  const link = linkAddress(app, await insertLink(tx, { purpose: 'operator', email }, now))
  const account = (await store.firstAccount(tx)).name
  const data = { account, inviter: '', role: 'operator' as const, link, days: 7 }
  const outcome = await queueLetter(app, tx, { to: email, kind: 'invitation', locale, data }, now)
  return {
    link,
    delivery: outcome === 'limited' ? 'limited' : mailChannel(app) === 'mail' ? 'mail' : 'operator',
  }
}
