/** SQL of what the routes of people show beside the rooms that they ask. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

export interface ProjectName {
  account_id: string
  project_id: string
  name: string
}

/** The projects of these accounts, oldest first. */
export async function accountProjects(db: Db, accountIds: readonly string[]): Promise<ProjectName[]> {
  const { rows } = await sql<ProjectName>`select account_id, project_id, name from auth.projects
    where account_id = any(${[...accountIds]}::uuid[]) order by created_at, project_id`.execute(db.kysely)
  return rows
}

export interface MemberSpending {
  person_id: string
  project_id: string
  month_cap: bigint | null
  month_spent: bigint
}

/** What these members have spent by sessions this month, and their caps, by project. */
export async function spendingOfMembers(
  db: Db | Tx,
  accountId: string,
  personIds: readonly string[],
  now: Date,
): Promise<MemberSpending[]> {
  const { rows } = await sql<MemberSpending>`select k.person_id, k.project_id, m.month_cap,
      case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent
    from auth.keys k
    join ledger.meters m on m.account_id = k.account_id and m.scope = 'key' and m.scope_id = k.key_id
    where k.account_id = ${accountId} and k.kind = 'session' and k.revoked_at is null
      and k.person_id = any(${[...personIds]}::uuid[])
    order by k.created_at, k.key_id`.execute('kysely' in db ? db.kysely : db)
  return rows
}

/** Which of these people have a second factor, and when a removal that waits for its time is due; null: none waits. */
export async function secondFactors(
  db: Db | Tx,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, Date | null>> {
  const { rows } = await sql<{ person_id: string; due_at: Date | null }>`
    select distinct f.person_id, r.due_at from people.factors f
    left join people.factor_resets r on r.person_id = f.person_id
    where f.person_id = any(${[...personIds]}::uuid[]) and f.confirmed_at is not null`.execute(
    'kysely' in db ? db.kysely : db,
  )
  return new Map(rows.map((row) => [row.person_id, row.due_at]))
}

/** How many keys of the account the person made that still work, in these projects; null: in all. */
export async function countKeysOf(
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string },
  projectIds: readonly string[] | null,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth.keys
    where account_id = ${accountId} and person_id = ${personId} and kind = 'api' and revoked_at is null
      and (expires_at is null or expires_at > ${now})
      ${projectIds === null ? sql`` : sql`and project_id = any(${[...projectIds]}::uuid[])`}`.execute(tx)
  return rows[0]!.count
}
