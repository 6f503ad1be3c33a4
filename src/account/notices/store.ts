import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

/** Records that the account is told this; false if it was told before. The row of another transaction is waited for. */
export async function claimNotice(
  tx: Tx,
  { accountId, onceKey, now }: { accountId: string; onceKey: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql`insert into people.notices (account_id, once_key, created_at)
    values (${accountId}, ${onceKey}, ${now}) on conflict do nothing returning 1`.execute(tx)
  return rows.length === 1
}

/** Whether one of these events has happened. */
export async function hasHappened(tx: Tx, accountId: string, onceKeys: readonly string[]): Promise<boolean> {
  const { rows } = await sql`select from events.outbox
    where account_id = ${accountId} and once_key = any(${onceKeys}) limit 1`.execute(tx)
  return rows.length > 0
}

export interface SpenderNames {
  account: string
  project: string | null
  key: string | null
  /** The person of the key: who made it, or who pays by it in sessions. */
  person_id: string | null
  person: string | null
  key_kind: 'api' | 'session' | 'connection' | null
  project_id: string | null
}

/** The names of an account and of a project or key of it; undefined if the account is gone. */
export async function namesOf(
  tx: Tx,
  { accountId, scope, scopeId }: { accountId: string; scope: 'account' | 'project' | 'key'; scopeId: string },
): Promise<SpenderNames | undefined> {
  const { rows } = await sql<SpenderNames>`select a.name as account, p.name as project, p.project_id,
      k.name as key, k.kind as key_kind, k.person_id, o.display_name as person
    from auth.accounts a
    left join auth.keys k on ${scope} = 'key' and k.account_id = a.account_id and k.key_id = ${scopeId}
    left join auth.projects p on p.account_id = a.account_id
      and p.project_id = case when ${scope} = 'project' then ${scopeId}::uuid else k.project_id end
    left join people.people o on o.person_id = k.person_id
    where a.account_id = ${accountId}`.execute(tx)
  return rows[0]
}

const dayMs = 86_400_000

/** Balances below a tenth of their mark are low, if the mark is at least this. */
const minMarkMicrocredits = 10_000_000n

/**
 * Follows the balances of all accounts with members: the highest while none is low, the lowest after; credits that double a low one begin anew. What an
 * account of the last day has spent before it was seen for the first time counts as if it were there. Only marks that change are locked.
 */
export async function followBalances({ kysely }: Db, now: Date): Promise<void> {
  const isNew = sql`a.created_at > ${new Date(now.getTime() - dayMs)}`
  await sql`insert into people.balance_marks as b (account_id, mark, is_low)
    select m.account_id, m.balance + case when seen.account_id is null and ${isNew} then m.spent else 0 end, false
    from ledger.meters m join auth.accounts a using (account_id) left join people.balance_marks seen using (account_id)
    where m.scope = 'account' and exists (select from people.members p where p.account_id = m.account_id)
      and (seen.account_id is null or ${moves('seen', 'm.balance')})
    on conflict (account_id) do update set mark = excluded.mark, is_low = b.is_low and excluded.mark <= 2 * b.mark
    where ${moves('b', 'excluded.mark')}`.execute(kysely)
}

/** Whether a balance moves the mark. */
function moves(mark: 'b' | 'seen', balance: 'm.balance' | 'excluded.mark') {
  const [is, to] = [sql.ref(`${mark}.mark`), sql.ref(balance)]
  return sql<boolean>`case when ${sql.ref(`${mark}.is_low`)} then ${to} < ${is} or ${to} > 2 * ${is} else ${to} > ${is} end`
}

export async function lowAccounts({ kysely }: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`select b.account_id
    from people.balance_marks b join ledger.meters m on m.account_id = b.account_id and m.scope = 'account'
    where not b.is_low and b.mark >= ${minMarkMicrocredits} and m.balance <= b.mark / 10
    limit ${limit}`.execute(kysely)
  return rows.map(({ account_id }) => account_id)
}

/** Marks the balance of an account as low. Returns it in micro-credits, with the name of the account; undefined if it was marked before. */
export async function markLow(
  tx: Tx,
  accountId: string,
): Promise<{ name: string; balance: bigint } | undefined> {
  const { rows } = await sql<{ name: string; balance: bigint }>`update people.balance_marks b
    set is_low = true, mark = m.balance
    from ledger.meters m, auth.accounts a
    where b.account_id = ${accountId} and not b.is_low and m.account_id = b.account_id and m.scope = 'account'
      and a.account_id = b.account_id
    returning a.name, m.balance`.execute(tx)
  return rows[0]
}

export interface EndingKey {
  account_id: string
  project_id: string
  person_id: string | null
  name: string
  project: string
  expires_at: Date
  once_key: string
}

/** Keys that end before this time and were made at least as long before their end, of accounts that were not told yet. */
export async function endingKeys(
  { kysely }: Db,
  { now, before, limit }: { now: Date; before: Date; limit: number },
): Promise<EndingKey[]> {
  const { rows } =
    await sql<EndingKey>`select k.account_id, k.project_id, k.person_id, k.name, p.name as project, k.expires_at, o.once_key
    from auth.keys k join auth.projects p using (account_id, project_id)
    cross join lateral (select concat_ws(':', 'key_ending', k.key_id, floor(extract(epoch from k.expires_at))) as once_key) o
    where k.kind = 'api' and k.revoked_at is null and k.expires_at > ${now} and k.expires_at <= ${before}
      and k.expires_at - k.created_at >= ${before}::timestamptz - ${now}::timestamptz
      and exists (select from people.members m where m.account_id = k.account_id)
      and not exists (select from people.notices n where n.account_id = k.account_id and n.once_key = o.once_key)
    order by k.expires_at, k.key_id limit ${limit}`.execute(kysely)
  return rows
}

export interface EndingManagementKey {
  account_id: string
  person_id: string
  name: string
  account: string
  expires_at: Date
  once_key: string
}

/** Management keys that end before this time, under the same conditions as `endingKeys`. */
export async function endingManagementKeys(
  { kysely }: Db,
  { now, before, limit }: { now: Date; before: Date; limit: number },
): Promise<EndingManagementKey[]> {
  const { rows } =
    await sql<EndingManagementKey>`select k.account_id, k.person_id, k.name, a.name as account, k.expires_at, o.once_key
    from auth.management_keys k join auth.accounts a using (account_id)
    cross join lateral (select concat_ws(':', 'management_key_ending', k.key_id) as once_key) o
    where k.revoked_at is null and k.expires_at > ${now} and k.expires_at <= ${before}
      and k.expires_at - k.created_at >= ${before}::timestamptz - ${now}::timestamptz
      and not exists (select from people.notices n where n.account_id = k.account_id and n.once_key = o.once_key)
    order by k.expires_at, k.key_id limit ${limit}`.execute(kysely)
  return rows
}

export interface EndedManagementKey {
  account_id: string
  person_id: string
  name: string
  account: string
  revoked_at: Date
  once_key: string
}

/** Management keys that have ended with their makers since this time, of accounts that are not being deleted, whose makers were not told yet. */
export async function endedManagementKeys(
  { kysely }: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<EndedManagementKey[]> {
  const { rows } =
    await sql<EndedManagementKey>`select k.account_id, k.person_id, k.name, a.name as account, k.revoked_at, o.once_key
    from auth.management_keys k join auth.accounts a using (account_id)
    cross join lateral (select concat_ws(':', 'management_key_ended', k.key_id) as once_key) o
    where k.ended_with_maker and k.revoked_at > ${since} and k.expires_at > k.revoked_at
      and a.state not in ('closing', 'closed')
      and not exists (select from people.notices n where n.account_id = k.account_id and n.once_key = o.once_key)
    order by k.revoked_at, k.key_id limit ${limit}`.execute(kysely)
  return rows
}
