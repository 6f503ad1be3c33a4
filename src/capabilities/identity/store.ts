import { sql } from 'kysely'
import type { Account, Key, Project } from '#platform/auth'
import type { Db, Tx } from '#platform/db'

/** What the meter of an account, project or key says, in micro-credits. The month is the running one in Asia/Tehran. */
export interface Spending {
  spent: bigint
  /** Promised to calls that are still running. */
  held: bigint
  cap: bigint | null
  month_spent: bigint
  month_cap: bigint | null
}

/** `balance` includes what is held. */
export type AccountRow = Account & Spending & { balance: bigint }
export type ProjectRow = Project & Spending
export type KeyRow = Key & Spending

const spending = (now: string) => `m.spent, m.held, m.cap, m.month_cap,
  case when m.month = ledger.month_of(${now}) then m.month_spent else 0 end as month_spent`

/** All accounts, or the one, oldest first. */
export const accountRows = (db: Db, now: Date, accountId?: string): Promise<AccountRow[]> =>
  db.query(
    {
      text: `select a.*, b.balance, ${spending('$1')}
        from auth.accounts a join ledger.balances b using (account_id)
        join ledger.meters m on (m.account_id, m.scope, m.scope_id) = (a.account_id, 'account', a.account_id)
        where $2::uuid is null or a.account_id = $2 order by a.created_at, a.account_id`,
    },
    [now, accountId ?? null],
  )

/** All projects, or those of one account, oldest first. */
export const projectRows = (db: Db, now: Date, accountId?: string): Promise<ProjectRow[]> =>
  db.query(
    {
      text: `select p.*, ${spending('$1')}
        from auth.projects p
        join ledger.meters m on (m.account_id, m.scope, m.scope_id) = (p.account_id, 'project', p.project_id)
        where $2::uuid is null or p.account_id = $2 order by p.created_at, p.project_id`,
    },
    [now, accountId ?? null],
  )

/** All keys, or those of one project, oldest first; never their hashes. */
export const keyRows = (db: Db, now: Date, projectId?: string): Promise<KeyRow[]> =>
  db.query(
    {
      text: `select k.account_id, k.project_id, k.key_id, k.name, k.hint, k.scopes, k.models, k.expires_at, k.revoked_at,
          k.created_at, ${spending('$1')}
        from auth.keys k
        join ledger.meters m on (m.account_id, m.scope, m.scope_id) = (k.account_id, 'key', k.key_id)
        where $2::uuid is null or k.project_id = $2 order by k.created_at, k.key_id`,
    },
    [now, projectId ?? null],
  )

/** Takes the lock of the account's money until the transaction ends; undefined when there is no such account. */
export async function lockBalance(
  tx: Tx,
  accountId: string,
): Promise<{ balance: bigint; held: bigint } | undefined> {
  const { rows } = await sql<{ balance: bigint; held: bigint }>`
    select balance, held from ledger.balances where account_id = ${accountId} for update`.execute(tx)
  return rows[0]
}

/** What a transfer put on the account's own book, or took from it; undefined when there was none. */
export async function transferred(
  tx: Tx,
  accountId: string,
  transferId: string,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ amount: bigint }>`
    select amount from ledger.entries
    where account_id = ${accountId} and transfer_id = ${transferId} and book = 'credits'`.execute(tx)
  return rows[0]?.amount
}
