/** Removals of second factors that wait for their time, by the clock of the database. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { sha256 } from '#platform/secrets'

const resetHours = 72
/** The purpose of the link that cancels a removal, in `people.links`. */
export const cancelPurpose = 'factor_reset_cancel'

export interface FactorReset {
  /** Null: the operator's command line. */
  requestedBy: string | null
  requestedAt: Date
  dueAt: Date
}

interface ResetRow {
  requested_by: string | null
  requested_at: Date
  due_at: Date
}

const resetOf = (row: ResetRow): FactorReset => ({
  requestedBy: row.requested_by,
  requestedAt: row.requested_at,
  dueAt: row.due_at,
})

/** The removal that waits for its time; undefined if none does. */
export async function pendingReset(db: Db | Tx, personId: string): Promise<FactorReset | undefined> {
  const { rows } = await sql<ResetRow>`select requested_by, requested_at, due_at from people.factor_resets
    where person_id = ${personId}`.execute('kysely' in db ? db.kysely : db)
  return rows[0] && resetOf(rows[0])
}

/** Begins the waiting time of three days. */
export async function insertReset(
  tx: Tx,
  personId: string,
  requestedBy: string | null,
): Promise<FactorReset> {
  const { rows } = await sql<ResetRow>`
    insert into people.factor_resets (person_id, requested_by, requested_at, due_at)
    values (${personId}, ${requestedBy}, platform.now(), platform.now() + make_interval(hours => ${resetHours}))
    returning requested_by, requested_at, due_at`.execute(tx)
  return resetOf(rows[0]!)
}

/** Stores the token of a link that cancels. */
export const insertCancelLink = (tx: Tx, personId: string, token: string, expiresAt: Date, now: Date) =>
  sql`insert into people.links (hash, purpose, person_id, created_at, expires_at)
    values (${sha256(token)}, ${cancelPurpose}, ${personId}, ${now}, ${expiresAt})`.execute(tx)

/** Returns false if nothing was to be cancelled. The links of the letters do nothing from now on. */
export async function cancelFactorReset(tx: Tx, personId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`delete from people.factor_resets where person_id = ${personId}
    returning person_id`.execute(tx)
  if (rows.length === 1) await endCancelLinks(tx, personId, now)
  return rows.length === 1
}

/** Takes the removal out of the table if it is due; undefined if it is not, or was cancelled. */
export async function takeDueReset(tx: Tx, personId: string, now: Date): Promise<FactorReset | undefined> {
  const { rows } = await sql<ResetRow>`delete from people.factor_resets
    where person_id = ${personId} and due_at <= platform.now()
    returning requested_by, requested_at, due_at`.execute(tx)
  if (rows[0]) await endCancelLinks(tx, personId, now)
  return rows[0] && resetOf(rows[0])
}

const endCancelLinks = (tx: Tx, personId: string, now: Date) =>
  sql`update people.links set used_at = ${now}
    where person_id = ${personId} and purpose = ${cancelPurpose} and used_at is null`.execute(tx)

/** The people whose removals are due. */
export async function dueResets({ kysely }: Pick<Db, 'kysely'>): Promise<string[]> {
  const { rows } = await sql<{ person_id: string }>`select person_id from people.factor_resets
    where due_at <= platform.now() order by due_at`.execute(kysely)
  return rows.map(({ person_id: personId }) => personId)
}

/** An account of which the person is a member and the other one an owner; undefined if there is none. */
export async function accountInCommon(
  tx: Tx,
  ownerId: string,
  personId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ account_id: string }>`select o.account_id from people.members o
    join people.members m on m.account_id = o.account_id
    where o.person_id = ${ownerId} and o.role = 'owner' and m.person_id = ${personId}
    order by o.account_id limit 1`.execute(tx)
  return rows[0]?.account_id
}
