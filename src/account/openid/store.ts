/** Identities: whom a provider calls by which subject. They are found by issuer and subject alone, never by an address. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'people.identities': IdentityRow
  }
}

export interface IdentityRow {
  issuer: string
  subject: string
  person_id: string
  /** The provider's id in the configuration when the identity was last used. */
  provider_id: string
  /** What the provider says; it identifies nobody. */
  email: string | null
  linked_at: Date
  last_used_at: Date
}

export type IdentityKey = Pick<IdentityRow, 'issuer' | 'subject'>

/** Of several who sign in with one identity at once, one after the other goes on, so that the first time makes one person. */
export async function lockIdentity(tx: Tx, { issuer, subject }: IdentityKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('people.identities'), hashtext(${`${issuer} ${subject}`}))`.execute(
    tx,
  )
}

export const identityOf = (tx: Tx, { issuer, subject }: IdentityKey): Promise<IdentityRow | undefined> =>
  tx
    .selectFrom('people.identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()

export async function insertIdentity(tx: Tx, row: IdentityRow): Promise<void> {
  await tx.insertInto('people.identities').values(row).execute()
}

/** Notes a use, with what the provider says now. */
export async function noteUse(
  tx: Tx,
  { issuer, subject }: IdentityKey,
  use: Pick<IdentityRow, 'provider_id' | 'email' | 'last_used_at'>,
): Promise<void> {
  await tx
    .updateTable('people.identities')
    .set(use)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** The identities of a person, the first one first. */
export const identitiesOf = (db: Db | Tx, personId: string): Promise<IdentityRow[]> =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.identities')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('linked_at')
    .orderBy('subject')
    .execute()

export async function deleteIdentity(tx: Tx, { issuer, subject }: IdentityKey): Promise<void> {
  await tx
    .deleteFrom('people.identities')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Whether anybody has this address (normalised), proven or not, or may still take it back. */
export async function isKnownAddress(tx: Tx, email: string, now: Date): Promise<boolean> {
  const { rows } = await sql`select from people.addresses
    where email = ${email} and (retires_at is null or retires_at > ${now})`.execute(tx)
  return rows.length > 0
}

/** Whether there is a person who is not deleted. Until then the first operator's link is the only way in. */
export async function isAnybodyThere(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from people.people where deleted_at is null limit 1`.execute(tx)
  return rows.length > 0
}

/** Drops what somebody has begun with an address that another has proven: a sign-up that waits for its code, with its name and password. */
export async function dropSignUps(tx: Tx, email: string): Promise<void> {
  await sql`delete from people.codes where email = ${email} and purpose = 'sign_up'`.execute(tx)
}

export async function accountExists(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from auth.accounts where account_id = ${accountId}`.execute(tx)
  return rows.length > 0
}

/** Whether the person has a passkey that works, or a password with an address to sign in with. */
export async function hasOwnFactor(tx: Tx, personId: string): Promise<boolean> {
  const { rows } = await sql`select from people.people p
    where p.person_id = ${personId} and ((p.password_hash is not null and exists (
      select from people.addresses a where a.person_id = p.person_id and a.is_primary)) or exists (
      select from people.factors f
      where f.person_id = p.person_id and f.kind = 'passkey' and f.confirmed_at is not null))`.execute(tx)
  return rows.length > 0
}
