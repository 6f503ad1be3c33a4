/** Changes of a person: name and language, password, rights of an operator, deletion. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { markForDeletion } from '#platform/storage'
import { endMembership, lockMembers, memberships } from './members.ts'
import { lockPerson, type Person, personById } from './person.ts'
import { endSessions } from './sessions.ts'

export interface PersonChange {
  displayName?: string | undefined
  locale?: 'fa' | 'en' | undefined
  timeZone?: string | undefined
}

/** Changes what a person says of themselves; undefined leaves a value as it is. */
export async function changePerson(tx: Tx, personId: string, change: PersonChange): Promise<void> {
  const { displayName, locale, timeZone } = change
  const values = {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(locale !== undefined && { locale }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
  }
  if (Object.keys(values).length === 0) return
  await tx.updateTable('people.people').set(values).where('person_id', '=', personId).execute()
}

/** Makes a person an operator, or no operator any more; their sessions get new tokens. */
export async function setOperator(tx: Tx, personId: string, isOperator: boolean, now: Date): Promise<void> {
  await tx
    .updateTable('people.people')
    .set({ is_operator: isOperator, operator_changed_at: now })
    .where('person_id', '=', personId)
    .where('is_operator', '<>', isOperator)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Whether the person is the only operator. Whoever takes an operator's rights away waits for the end of the transaction. */
export async function isLastOperator(tx: Tx, personId: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('people.operators'))`.execute(tx)
  const all = await operators(tx)
  return all.length === 1 && all[0]!.personId === personId
}

/** All operators who have not asked to be deleted, the first one first. */
export async function operators(tx: Tx): Promise<Person[]> {
  const rows = await tx
    .selectFrom('people.people')
    .select('person_id')
    .where('is_operator', '=', true)
    .where('deleted_at', 'is', null)
    .where('deletion_due_at', 'is', null)
    .orderBy('person_id')
    .execute()
  const found = await Promise.all(rows.map(({ person_id: personId }) => personById(tx, personId)))
  return found.filter((person) => person !== undefined)
}

/** What a deleted person is called where receipts, keys and the audit log name them. */
const deletedName = '—'

const emptied = {
  password_hash: null,
  password_changed_at: null,
  is_operator: false,
  deletion_requested_at: null,
  deletion_due_at: null,
}

/** From the request until this long after it a person can take the own deletion back, and an owner that of an account. */
export const regretMs = 30 * 24 * 60 * 60 * 1000

/**
 * Begins the deletion of a person: sessions end at once, and until the returned moment the person can sign in only to take it back. The caller has
 * locked the person, and has made sure that every account keeps an owner. Throws LAST_OPERATOR (409).
 */
export async function beginLeaving(tx: Tx, personId: string, now: Date): Promise<Date> {
  if (await isLastOperator(tx, personId)) fail('LAST_OPERATOR', {})
  const dueAt = new Date(now.getTime() + regretMs)
  await tx
    .updateTable('people.people')
    .set({ deletion_requested_at: now, deletion_due_at: dueAt })
    .where('person_id', '=', personId)
    .execute()
  await endSessions(tx, personId, {}, now)
  await endRequests(tx, personId, now)
  return dueAt
}

/** What the person has asked of others ends for good: invitations that are open, and removals of factors, which without their requester would be the operator's. */
async function endRequests(tx: Tx, personId: string, now: Date): Promise<void> {
  await sql`update people.invitations set revoked_at = ${now}
    where invited_by = ${personId} and accepted_at is null and revoked_at is null`.execute(tx)
  await sql`delete from people.factor_resets where requested_by = ${personId}`.execute(tx)
}

/** Takes the deletion of a person back, before the moment at which it is due. Returns false if there is none, or it is due. */
export async function endLeaving(tx: Tx, personId: string, now: Date): Promise<boolean> {
  const done = await tx
    .updateTable('people.people')
    .set({ deletion_requested_at: null, deletion_due_at: null })
    .where('person_id', '=', personId)
    .where('deletion_due_at', '>', now)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return done.numUpdatedRows === 1n
}

/** A person whose deletion waits or is due. */
export interface LeavingPerson {
  personId: string
  requestedAt: Date
  dueAt: Date
}

/** The people who have asked to be deleted, the ones that are due first first; with `dueBy` only those due by then. */
export async function leavingPeople(db: Db, dueBy?: Date): Promise<LeavingPerson[]> {
  const { rows } = await sql<{ person_id: string; deletion_requested_at: Date; deletion_due_at: Date }>`
    select person_id, deletion_requested_at, deletion_due_at from people.people
    where deletion_due_at is not null and deleted_at is null
      and (${dueBy ?? null}::timestamptz is null or deletion_due_at <= ${dueBy ?? null})
    order by deletion_due_at, person_id limit 1000`.execute(db.kysely)
  return rows.map((row) => ({
    personId: row.person_id,
    requestedAt: row.deletion_requested_at,
    dueAt: row.deletion_due_at,
  }))
}

/**
 * Deletes a person: memberships, sessions, addresses, factors, identities and exports end, and the row stays without name, because receipts, keys and
 * the audit log name it. API keys that the person made go on. An account whose owners have all gone is left to the operators.
 */
export async function deletePerson(tx: Tx, personId: string, now: Date): Promise<void> {
  await lockPerson(tx, personId)
  // Accounts are locked in one order, so that no two deletions wait for each other.
  const accountIds = (await memberships(tx, personId)).map(({ accountId }) => accountId).sort()
  for (const accountId of accountIds) {
    await lockMembers(tx, accountId)
    await endMembership(tx, accountId, personId, now)
  }
  const { rows: exports } = await sql<{ storage_key: string }>`select storage_key from people.exports
    where person_id = ${personId} and storage_key is not null`.execute(tx)
  await markForDeletion(
    tx,
    exports.map(({ storage_key: key }) => key),
    now,
  )
  for (const table of tablesOfPerson)
    await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(tx)
  // An invitation that was accepted has the address of who accepted it.
  await sql`delete from people.invitations where accepted_by = ${personId}`.execute(tx)
  await endRequests(tx, personId, now)
  await tx
    .updateTable('people.people')
    .set({ ...emptied, display_name: deletedName, deleted_at: now })
    .where('person_id', '=', personId)
    .execute()
}

/** Tables whose rows name a person and mean nothing without them; `people.members` goes by the accounts. */
export const tablesOfPerson = [
  'people.exports',
  'people.sessions',
  'people.challenges',
  'people.ceremonies',
  'people.codes',
  'people.links',
  'people.factors',
  'people.recovery_codes',
  'people.factor_resets',
  'people.identities',
  'people.devices',
  'people.mails',
  'people.phones',
  'people.text_messages',
  'people.addresses',
] as const

/** Sets the password of a person, hashed in PHC form; null takes it away. Sessions go on: the caller ends those that must. */
export async function setPassword(tx: Tx, personId: string, hash: string | null, now: Date): Promise<void> {
  await tx
    .updateTable('people.people')
    .set({ password_hash: hash, password_changed_at: now })
    .where('person_id', '=', personId)
    .execute()
}
