/** People, and the addresses that they have proven. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { type Page, type PageOptions, readPage } from '#platform/lists'

/** A person who signs in. Deleted people are not found. */
export interface Person {
  personId: string
  displayName: string
  locale: 'fa' | 'en'
  /** A name of the IANA database, such as `Asia/Tehran`. */
  timeZone: string
  /** Nobody who has asked to be deleted is one, until they take that back. */
  isOperator: boolean
  /** The proven address with which the person signs in, normalised; null where there is none. */
  email: string | null
  hasPassword: boolean
  createdAt: Date
  /** When the person has asked to be deleted, and when it happens; null: not asked for. */
  deletion: { requestedAt: Date; dueAt: Date } | null
}

export type PersonWithPassword = Person & { passwordHash: string | null }

export interface NewPerson {
  displayName: string
  locale: 'fa' | 'en'
  timeZone?: string | undefined
  /** A proven address, normalised; null: none. */
  email: string | null
  /** The hash is in PHC form. */
  passwordHash?: string | null | undefined
  isOperator?: boolean | undefined
}

/** Throws EMAIL_TAKEN (409) if the address belongs to another person, also where that person may still take a change of it back. */
export async function createPerson(tx: Tx, options: NewPerson, now: Date): Promise<Person> {
  const personId = uuidv7(now.getTime())
  const { email, passwordHash = null } = options
  await tx
    .insertInto('people.people')
    .values({
      person_id: personId,
      display_name: options.displayName,
      locale: options.locale,
      time_zone: options.timeZone ?? 'Asia/Tehran',
      password_hash: passwordHash,
      password_changed_at: passwordHash === null ? null : now,
      is_operator: options.isOperator ?? false,
      operator_changed_at: null,
      created_at: now,
      deleted_at: null,
      deletion_requested_at: null,
      deletion_due_at: null,
    })
    .execute()
  if (email !== null) await insertAddress(tx, personId, email, now)
  return (await personById(tx, personId))!
}

async function insertAddress(tx: Tx, personId: string, email: string, now: Date): Promise<void> {
  await tx.deleteFrom('people.addresses').where('email', '=', email).where('retires_at', '<=', now).execute()
  const done = await tx
    .insertInto('people.addresses')
    .values({ email, person_id: personId, is_primary: true, proven_at: now, retires_at: null })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (done.numInsertedOrUpdatedRows !== 1n) fail('EMAIL_TAKEN', {})
}

const people = (db: Db | Tx) =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.people as p')
    .leftJoin('people.addresses as a', (join) =>
      join.onRef('a.person_id', '=', 'p.person_id').on('a.is_primary', '=', true),
    )
    .where('p.deleted_at', 'is', null)
    .select([
      'p.person_id',
      'p.display_name',
      'p.locale',
      'p.time_zone',
      'p.is_operator',
      'p.password_hash',
      'p.created_at',
      'p.deletion_requested_at',
      'p.deletion_due_at',
      'a.email',
    ])

type PersonSelection = Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>

const personOf = (row: PersonSelection): Person => ({
  personId: row.person_id,
  displayName: row.display_name,
  locale: row.locale,
  timeZone: row.time_zone,
  isOperator: row.is_operator && row.deletion_due_at === null,
  email: row.email,
  hasPassword: row.password_hash !== null,
  createdAt: row.created_at,
  deletion:
    row.deletion_requested_at && row.deletion_due_at
      ? { requestedAt: row.deletion_requested_at, dueAt: row.deletion_due_at }
      : null,
})

export async function personById(db: Db | Tx, personId: string): Promise<Person | undefined> {
  const row = await people(db).where('p.person_id', '=', personId).executeTakeFirst()
  return row && personOf(row)
}

/** A page of people, those who came first first; the cursor is the id of a person. */
export async function listPeople(
  db: Db,
  { limit, after_id }: Pick<PageOptions, 'limit' | 'after_id'>,
): Promise<Page<Person>> {
  const { rows, hasMore } = await readPage(people(db), 'p.person_id', { limit, after_id, order: 'asc' })
  return { rows: rows.map(personOf), hasMore }
}

/**
 * Locks a person, so that changes of their credentials and memberships wait for each other, and returns the hash of the password; undefined for one who
 * was deleted. It comes before the lock of the members of an account, and of a code or link of the person; rows that only name the person do not wait.
 */
export async function lockPerson(
  tx: Tx,
  personId: string,
): Promise<{ passwordHash: string | null } | undefined> {
  const { rows } = await sql<{ password_hash: string | null }>`select password_hash from people.people
    where person_id = ${personId} and deleted_at is null for no key update`.execute(tx)
  return rows[0] && { passwordHash: rows[0].password_hash }
}

/** The person whose primary address this is, normalised. An address that was replaced finds nobody. */
export async function personByEmail(db: Db | Tx, email: string): Promise<PersonWithPassword | undefined> {
  const row = await people(db).where('a.email', '=', email).executeTakeFirst()
  return row && { ...personOf(row), passwordHash: row.password_hash }
}

/**
 * The addresses that hear of changes: the primary one first, then those that were replaced and may still be brought back. One that nobody has proven
 * hears nothing, because a stranger may read its mailbox.
 */
export async function provenAddresses(tx: Db | Tx, personId: string): Promise<string[]> {
  const rows = await ('kysely' in tx ? tx.kysely : tx)
    .selectFrom('people.addresses')
    .select('email')
    .where('person_id', '=', personId)
    .where('proven_at', 'is not', null)
    .orderBy('is_primary', 'desc')
    .orderBy('email')
    .execute()
  return rows.map(({ email }) => email)
}
