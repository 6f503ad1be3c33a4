/** Changes of a person: name and language, password, rights of an operator, deletion. */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { memberships, removeMember } from './members.ts'
import { lockPerson, type Person, personById } from './person.ts'

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

/** All operators, the first one first. */
export async function operators(tx: Tx): Promise<Person[]> {
  const rows = await tx
    .selectFrom('people.people')
    .select('person_id')
    .where('is_operator', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('person_id')
    .execute()
  const found = await Promise.all(rows.map(({ person_id: personId }) => personById(tx, personId)))
  return found.filter((person) => person !== undefined)
}

/** What a deleted person is called where receipts, keys and the audit log name them. */
const deletedName = '—'

/**
 * Deletes a person: memberships, sessions, addresses, factors and identities end, and the row stays without name, because receipts, keys and the
 * audit log name it. API keys that the person made go on. Throws LAST_OPERATOR and LAST_OWNER (409).
 */
export async function deletePerson(tx: Tx, personId: string, now: Date): Promise<void> {
  await lockPerson(tx, personId)
  if (await isLastOperator(tx, personId)) fail('LAST_OPERATOR', {})
  // Accounts are locked in one order, so that no two deletions wait for each other.
  const accountIds = (await memberships(tx, personId)).map(({ accountId }) => accountId).sort()
  for (const accountId of accountIds) await removeMember(tx, accountId, personId, now)
  for (const table of tablesOfPerson)
    await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(tx)
  // Without its requester a removal of factors would be the operator's, which no membership bounds.
  await sql`delete from people.factor_resets where requested_by = ${personId}`.execute(tx)
  await tx
    .updateTable('people.people')
    .set({ display_name: deletedName, password_hash: null, is_operator: false, deleted_at: now })
    .where('person_id', '=', personId)
    .execute()
}

/** Tables whose rows name a person and mean nothing without them. */
const tablesOfPerson = [
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
