import { type Account, accounts, type Key, keys, type Project, projects } from '#platform/auth'
import type { Db } from '#platform/db'
import { balances, type MeterScope, type Spending, spendings } from '#platform/ledger'

/** `balance` includes what is held. */
export type AccountRow = Account & Spending & { balance: bigint }
export type ProjectRow = Project & Spending
export type KeyRow = Key & Spending

/** All accounts, or only the named one, oldest first. */
export async function accountRows(db: Db, now: Date, accountId?: string): Promise<AccountRow[]> {
  const found = await accounts(db, accountId)
  const spent = await spendingOf(db, 'account', now, accountId)
  const balance = new Map((await balances(db, accountId)).map((row) => [row.account_id, row.balance]))
  return found.map((row) => ({
    ...row,
    ...spent(row.account_id),
    balance: balance.get(row.account_id) ?? 0n,
  }))
}

/** All projects, or those of one account, oldest first. */
export async function projectRows(db: Db, now: Date, accountId?: string): Promise<ProjectRow[]> {
  const found = await projects(db, accountId)
  const spent = await spendingOf(db, 'project', now, accountId)
  return found.map((row) => ({ ...row, ...spent(row.project_id) }))
}

/** All keys, or those of one project, oldest first; never their hashes. */
export async function keyRows(db: Db, now: Date, projectId?: string): Promise<KeyRow[]> {
  const found = await keys(db, projectId)
  const spent = await spendingOf(db, 'key', now, projectId && found[0]?.account_id)
  return found.map((row) => ({ ...row, ...spent(row.key_id) }))
}

/** Returns the spending by id. Query it after the rows, so that each row has its meter. */
async function spendingOf(
  db: Db,
  scope: MeterScope,
  now: Date,
  accountId: string | undefined,
): Promise<(id: string) => Spending> {
  const found = await spendings(db, scope, now, accountId)
  const meters = new Map(found.map(({ scope_id, ...spending }) => [scope_id, spending]))
  return (id) => {
    const meter = meters.get(id)
    if (!meter) throw new Error(`There is no meter of the ${scope} ${id}.`)
    return meter
  }
}
