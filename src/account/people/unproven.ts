/**
 * Addresses that nobody has proven: the first operator types one, and where there is no mail an invited person has the one to which the operator handed
 * a link over. The person signs in with it by password; no invitation, provider or link in a mail takes it for proven.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type DroppedCredentials, dropCredentials } from './credentials.ts'

/** Marks the primary address of a person as one that nobody has proven. */
export async function markUnproven(tx: Tx, personId: string): Promise<void> {
  await sql`update people.addresses set proven_at = null where person_id = ${personId} and is_primary`.execute(
    tx,
  )
}

/** Whether the person has proven this address (normalised). */
export async function hasProven(db: Db | Tx, personId: string, email: string): Promise<boolean> {
  const { rows } = await sql`select from people.addresses
    where email = ${email} and person_id = ${personId} and proven_at is not null`.execute(
    'kysely' in db ? db.kysely : db,
  )
  return rows.length > 0
}

/**
 * Records that somebody has proven the primary address of a person: by a code, a link in a mail, or a provider that says so. The first proof of an
 * address that nobody had proven drops everything that was set before, because it may have been set by somebody else: password, factors, identities
 * and sessions. Not so where it is given inside a session of that person (`inSession`). Returns what was dropped; undefined where nothing was.
 */
export async function proveAddress(
  tx: Tx,
  { personId, email, inSession = false }: { personId: string; email: string; inSession?: boolean },
  now: Date,
): Promise<DroppedCredentials | undefined> {
  const { rows } = await sql`update people.addresses set proven_at = ${now}
    where email = ${email} and person_id = ${personId} and proven_at is null returning email`.execute(tx)
  if (rows.length === 0 || inSession) return undefined
  const dropped = await dropCredentials(tx, personId, 'ever', now)
  for (const table of ['people.sessions', 'people.challenges'])
    await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(tx)
  return dropped
}
