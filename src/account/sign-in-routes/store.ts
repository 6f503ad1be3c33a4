import { sql } from 'kysely'
import { networkOf } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'

/** Whether the person with this address has signed in by this browser. The same query for an address that nobody has. */
export async function isKnownBrowser(
  { kysely }: Pick<Db, 'kysely'>,
  email: string,
  browserHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`select from people.devices d join people.addresses a using (person_id)
    where a.email = ${email} and a.is_primary and d.hash = ${browserHash}`.execute(kysely)
  return rows.length > 0
}

/** The same of a person. */
export async function isBrowserOf(
  { kysely }: Pick<Db, 'kysely'>,
  personId: string,
  browserHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`select from people.devices
    where person_id = ${personId} and hash = ${browserHash}`.execute(kysely)
  return rows.length > 0
}

/** Whether the person has signed in from this network, as `networkOf` names it, in the time of which sessions are kept. */
export async function hasSignedInFrom(tx: Tx, personId: string, network: string): Promise<boolean> {
  const { rows } = await sql<{ opened_from: string }>`select distinct opened_from from people.sessions
    where person_id = ${personId} and opened_from is not null`.execute(tx)
  return rows.some((row) => networkOf(row.opened_from) === network)
}

/** Whether anybody has ever signed in here. */
export async function isAnybodyThere({ kysely }: Pick<Db, 'kysely'>): Promise<boolean> {
  const { rows } = await sql`select from people.people where deleted_at is null limit 1`.execute(kysely)
  return rows.length > 0
}

/** Whether somebody has this address, except the given person; also one that was replaced and may still be brought back. */
export async function isAddressTaken(
  tx: Tx,
  email: string,
  now: Date,
  exceptId: string | null = null,
): Promise<boolean> {
  const { rows } = await sql`select from people.addresses where email = ${email}
    and (retires_at is null or retires_at > ${now}) and person_id is distinct from ${exceptId}::uuid`.execute(
    tx,
  )
  return rows.length > 0
}
