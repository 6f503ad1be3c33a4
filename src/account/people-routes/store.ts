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

/** What members have spent by sessions this month, and their caps, by project. */
export async function spendingOfMembers(
  db: Db | Tx,
  accountId: string,
  now: Date,
  personId?: string,
): Promise<MemberSpending[]> {
  const { rows } = await sql<MemberSpending>`select k.person_id, k.project_id, m.month_cap,
      case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent
    from auth.keys k
    join ledger.meters m on m.account_id = k.account_id and m.scope = 'key' and m.scope_id = k.key_id
    where k.account_id = ${accountId} and k.kind = 'session' and k.revoked_at is null
      ${personId === undefined ? sql`` : sql`and k.person_id = ${personId}::uuid`}
    order by k.created_at, k.key_id`.execute('kysely' in db ? db.kysely : db)
  return rows
}

/** Which of the members have a second factor. */
export async function withSecondFactor(db: Db | Tx, accountId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ person_id: string }>`select distinct f.person_id from people.factors f
    join people.members m using (person_id)
    where m.account_id = ${accountId} and f.confirmed_at is not null`.execute('kysely' in db ? db.kysely : db)
  return new Set(rows.map(({ person_id: personId }) => personId))
}

/** How many keys of the account the person made that still work. */
export async function countKeysOf(tx: Tx, accountId: string, personId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth.keys
    where account_id = ${accountId} and person_id = ${personId} and kind = 'api' and revoked_at is null
      and (expires_at is null or expires_at > ${now})`.execute(tx)
  return rows[0]!.count
}

/** The name of an account. */
export async function accountName(tx: Tx, accountId: string): Promise<string> {
  const { rows } = await sql<{
    name: string
  }>`select name from auth.accounts where account_id = ${accountId}`.execute(tx)
  return rows[0]!.name
}
