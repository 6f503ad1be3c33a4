/** SQL of keys, projects and the account as their members see them. */
import { sql } from 'kysely'
import type { Account, Key, Project } from '#platform/auth'
import type { Db, Tx } from '#platform/db'
import type { Spending } from '#platform/ledger'
import { cutPage, type Page, pageClause } from '#platform/lists'

export type KeyRow = Key &
  Spending & {
    maker_name: string | null
    is_member: boolean
    /** The name of the management key by which it was made. */
    management_key_name: string | null
    /** `YYYY-MM-DD` in Asia/Tehran. */
    last_used_on: string | null
  }

/** The keys that somebody sees. */
export interface KeyFilter {
  accountId: string
  /** Null: of all projects. */
  projectIds: readonly string[] | null
  /** The maker; `left`: people who are no members any more. Undefined: anybody. */
  madeBy?: string | undefined
  state?: 'active' | 'ended' | undefined
}

/** Days of which the last use is known. */
const usedDays = 35

const columns = sql`k.account_id, k.project_id, k.key_id, k.name, k.hint, k.scopes, k.models, k.responses_max_output_tokens, k.keep_days, k.origins,
  k.expires_at, k.revoked_at, k.person_id, k.management_key_id, k.created_at, p.display_name as maker_name, b.person_id is not null as is_member,
  g.name as management_key_name,
  m.spent, m.held, m.cap, m.month_cap, m.rate_per_minute, m.concurrency`

/** Keys with their meters and makers. The last use is looked up day by day in the index of the usage of days, newest first. */
const found = (now: Date) => sql`select ${columns},
    case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent, to_char(used.day, 'YYYY-MM-DD') as last_used_on
  from auth.keys k
  join ledger.meters m on m.account_id = k.account_id and m.scope = 'key' and m.scope_id = k.key_id
  left join auth.management_keys g on g.account_id = k.account_id and g.key_id = k.management_key_id
  left join people.people p on p.person_id = k.person_id
  left join people.members b on b.account_id = k.account_id and b.person_id = k.person_id
  left join lateral (
    select t.day::date as day
    from generate_series(0, ${usedDays - 1}::int) ago
    cross join lateral (select (${now}::timestamptz at time zone 'Asia/Tehran')::date - ago as day) t
    where exists (select from ledger.usage_days u
      where u.account_id = k.account_id and u.project_id = k.project_id and u.day = t.day and u.key_id = k.key_id)
    order by ago limit 1) used on true
  where k.kind = 'api'`

const conditions = (
  { accountId, projectIds, madeBy, state }: KeyFilter,
  now: Date,
) => sql`and k.account_id = ${accountId}
  ${projectIds === null ? sql`` : sql`and k.project_id = any(${[...projectIds]}::uuid[])`}
  ${madeBy === undefined ? sql`` : madeBy === 'left' ? sql`and k.person_id is not null and b.person_id is null` : sql`and k.person_id = ${madeBy}::uuid`}
  ${state === undefined ? sql`` : sql`and (k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})) = ${state === 'active'}`}`

/** A page of keys, newest first. */
export async function listKeys(
  db: Db,
  filter: KeyFilter,
  page: { limit: number; after_id?: string | undefined },
  now: Date,
): Promise<Page<KeyRow>> {
  const { rows } =
    await sql<KeyRow>`${found(now)} ${conditions(filter, now)} ${pageClause('k.key_id', page)}`.execute(
      db.kysely,
    )
  return cutPage(rows, page.limit)
}

export async function findKey(
  db: Db | Tx,
  filter: KeyFilter,
  keyId: string,
  now: Date,
): Promise<KeyRow | undefined> {
  const { rows } =
    await sql<KeyRow>`${found(now)} ${conditions(filter, now)} and k.key_id = ${keyId}`.execute(
      'kysely' in db ? db.kysely : db,
    )
  return rows[0]
}

/** Creations of keys and projects of one account wait for each other, so that the bounds hold. */
export async function lockCreations(tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('account creations'), hashtext(${accountId}))`.execute(tx)
}

export async function countKeys(tx: Tx, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth.keys
    where account_id = ${accountId} and kind = 'api' and revoked_at is null`.execute(tx)
  return rows[0]!.count
}

export async function countProjects(tx: Tx, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth.projects
    where account_id = ${accountId}`.execute(tx)
  return rows[0]!.count
}

export type ProjectRow = Project & Spending

const projects = (
  now: Date,
) => sql`select p.*, m.spent, m.held, m.cap, m.month_cap, m.rate_per_minute, m.concurrency,
    case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent
  from auth.projects p join ledger.meters m on m.account_id = p.account_id and m.scope = 'project' and m.scope_id = p.project_id`

/** The projects of an account, oldest first; null: all of them. */
export async function listProjects(
  db: Db,
  accountId: string,
  projectIds: readonly string[] | null,
  now: Date,
): Promise<ProjectRow[]> {
  const { rows } = await sql<ProjectRow>`${projects(now)} where p.account_id = ${accountId}
    ${projectIds === null ? sql`` : sql`and p.project_id = any(${[...projectIds]}::uuid[])`}
    order by p.created_at, p.project_id`.execute(db.kysely)
  return rows
}

export async function findProject(
  tx: Tx,
  accountId: string,
  projectId: string,
  now: Date,
): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`${projects(now)}
    where p.account_id = ${accountId} and p.project_id = ${projectId}`.execute(tx)
  return rows[0]
}

/** An account with its balance, which includes what is held, and its meter. */
export type AccountRow = Account &
  Spending & {
    balance: bigint
    /** Null: those of the installation. */
    thresholds_percent: number[] | null
  }

export async function findAccount(db: Db | Tx, accountId: string, now: Date): Promise<AccountRow> {
  const { rows } =
    await sql<AccountRow>`select a.*, m.balance, m.spent, m.held, m.cap, m.month_cap, m.rate_per_minute,
      m.concurrency, m.thresholds_percent,
      case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent
    from auth.accounts a join ledger.meters m on m.account_id = a.account_id and m.scope = 'account' and m.scope_id = a.account_id
    where a.account_id = ${accountId}`.execute('kysely' in db ? db.kysely : db)
  return rows[0]!
}
