/** The deletion of a person: asked for by themselves or an operator, and taken back by themselves until it is due. */
import { type Actor, type AuditEntry, audit } from '#account/audit'
import { notifyOperatorRemoved } from '#account/invitations'
import { queueLetter } from '#account/letters'
import {
  beginLeaving,
  deletePerson,
  endLeaving,
  isLastOwner,
  lockMembers,
  lockPerson,
  type MembershipEntry,
  memberships,
  type Person,
  personById,
  provenAddresses,
} from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { beginAccountDeletion, type DeletionServices, undoAccountDeletion } from './account.ts'
import * as store from './store.ts'
import './phrases.ts'

/** Who asks, as rows of the audit log name them. */
export type Asker = Pick<AuditEntry, 'actor' | 'requestId' | 'client'>

export interface LeavingOptions {
  personId: string
  /** The accounts that are deleted with the person, who owns each of them. */
  accountIds: readonly string[]
}

/**
 * Begins the deletion of a person. Sessions end at once, and all proven addresses are told. Throws LAST_OPERATOR, SOLE_OWNER for accounts that would
 * be left without an owner (409), NOT_FOUND for an account that the person does not own, and DELETION_PENDING if it was asked for before.
 */
export async function beginPersonDeletion(
  app: DeletionServices,
  tx: Tx,
  { personId, accountIds }: LeavingOptions,
  asker: Asker,
  now: Date,
): Promise<{ person: Person; dueAt: Date }> {
  await lockPerson(tx, personId)
  const person = (await personById(tx, personId)) ?? fail('NOT_FOUND', {})
  if (person.deletion) fail('DELETION_PENDING', {})
  // Accounts are locked in one order, so that no two deletions wait for each other.
  const own = (await memberships(tx, personId)).sort((one, other) =>
    one.accountId < other.accountId ? -1 : 1,
  )
  for (const { accountId } of own) await lockMembers(tx, accountId)
  const closing = new Set(accountIds)
  const deleted = own.filter(({ accountId, role }) => role === 'owner' && closing.has(accountId))
  if (deleted.length < closing.size) fail('NOT_FOUND', {}, { param: 'delete_accounts' })
  await requireOwners(tx, personId, own, closing)
  for (const { accountId, accountState } of deleted) {
    if (accountState === 'closing' || accountState === 'closed') continue
    const { dueAt } = await beginAccountDeletion(app, tx, { accountId, personId, isWithPerson: true }, now)
    const target = { kind: 'account', id: accountId }
    const after = { due_at: dueAt.toISOString() }
    await audit(tx, { ...asker, accountId, operation: 'account.delete', target, after }, now)
  }
  const dueAt = await beginLeaving(tx, personId, now)
  if (person.isOperator) await notifyOperatorRemoved(app, tx, person, 'self', now)
  const data = {
    accounts: deleted.map(({ accountName }) => accountName),
    endsAt: dueAt,
    page: `${app.config.baseUrl}/sign-in`,
  }
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { to, personId, locale: person.locale, kind: 'person_leaving', data }, now)
  await auditPerson(
    tx,
    {
      personId,
      operation: 'me.delete',
      own,
      asker,
      isOperator: person.isOperator,
      after: { due_at: dueAt.toISOString() },
    },
    now,
  )
  return { person, dueAt }
}

/** A refusal names so many accounts. */
const shownNames = 5

/** Throws SOLE_OWNER with the names of the accounts that nobody else owns and that are not deleted with the person. */
async function requireOwners(
  tx: Tx,
  personId: string,
  own: readonly MembershipEntry[],
  closing: ReadonlySet<string>,
): Promise<void> {
  const orphans: string[] = []
  for (const { accountId, accountName } of own)
    if (!closing.has(accountId) && (await isLastOwner(tx, accountId, personId))) orphans.push(accountName)
  if (orphans.length > 0) fail('SOLE_OWNER', { accounts: orphans.slice(0, shownNames) })
}

/**
 * Takes the deletion of a person back, with the deletions of accounts that began with it. Throws DELETION_NOT_PENDING (409) where none waits, or it is
 * due.
 */
export async function undoPersonDeletion(
  app: DeletionServices,
  tx: Tx,
  personId: string,
  asker: Asker,
  now: Date,
): Promise<{ accountIds: string[] }> {
  await lockPerson(tx, personId)
  if (!(await endLeaving(tx, personId, now))) fail('DELETION_NOT_PENDING', {})
  const accountIds = await store.deletionsWith(tx, personId, now)
  for (const accountId of accountIds) {
    const { state } = await undoAccountDeletion(app, tx, { accountId, personId }, now)
    const target = { kind: 'account', id: accountId }
    await audit(tx, { ...asker, accountId, operation: 'account.undoDelete', target, after: { state } }, now)
  }
  const person = (await personById(tx, personId))!
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(
      app,
      tx,
      { to, personId, locale: person.locale, kind: 'person_kept', data: { at: now } },
      now,
    )
  const own = await memberships(tx, personId)
  await auditPerson(
    tx,
    { personId, operation: 'me.undoDelete', own, asker, isOperator: person.isOperator },
    now,
  )
  return { accountIds }
}

/** Each account of the person gets a row of the audit log; the installation gets one for an operator and for whoever is in no account. */
async function auditPerson(
  tx: Tx,
  {
    personId,
    operation,
    own,
    asker,
    isOperator,
    after,
  }: {
    personId: string
    operation: string
    own: readonly MembershipEntry[]
    asker: Asker
    isOperator: boolean
    after?: object
  },
  now: Date,
): Promise<void> {
  const target = { kind: 'person', id: personId }
  const ofInstallation = { accountId: null, before: isOperator ? { is_operator: true } : undefined }
  const ofAccounts = own.map(({ accountId, role }) => ({ accountId, before: { role } }))
  for (const row of isOperator || own.length === 0 ? [ofInstallation, ...ofAccounts] : ofAccounts)
    await audit(tx, { ...asker, ...row, operation, target, after }, now)
}

const system: Actor = { kind: 'system', id: null }

/** Deletes a person whose time is over, and writes to their addresses for the last time. False if the person has taken it back. */
export async function completePersonDeletion(
  app: DeletionServices,
  tx: Tx,
  personId: string,
  now: Date,
): Promise<boolean> {
  await lockPerson(tx, personId)
  const person = await personById(tx, personId)
  if (!person?.deletion || person.deletion.dueAt > now) return false
  const own = await memberships(tx, personId)
  const addresses = await provenAddresses(tx, personId)
  await auditPerson(
    tx,
    { personId, operation: 'me.erased', own, asker: { actor: system }, isOperator: false },
    now,
  )
  await deletePerson(tx, personId, now)
  for (const to of addresses)
    await queueLetter(app, tx, { to, locale: person.locale, kind: 'person_deleted', data: { at: now } }, now)
  return true
}
