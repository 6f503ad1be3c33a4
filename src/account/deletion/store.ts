import { sql } from 'kysely'
import type { Account } from '#platform/auth'
import type { Db, Tx } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'people.account_deletions': AccountDeletionRow
  }
}

export interface AccountDeletionRow {
  account_id: string
  requested_by: string | null
  with_person: string | null
  former_state: 'active' | 'suspended'
  requested_at: Date
  due_at: Date
  begun_at: Date | null
  ended_at: Date | null
}

export async function insertDeletion(
  tx: Tx,
  row: Pick<AccountDeletionRow, 'account_id' | 'requested_by' | 'with_person' | 'former_state'>,
  { now, dueAt }: { now: Date; dueAt: Date },
): Promise<void> {
  await tx
    .insertInto('people.account_deletions')
    .values({ ...row, requested_at: now, due_at: dueAt, begun_at: null, ended_at: null })
    .execute()
}

/** The deletion of an account that was asked for, whatever has become of it. */
export const findDeletion = (db: Db | Tx, accountId: string): Promise<AccountDeletionRow | undefined> =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.account_deletions')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/** Deletes the request, if the deletion has not begun and is not due; returns it as it was. */
export const takeBack = (tx: Tx, accountId: string, now: Date): Promise<AccountDeletionRow | undefined> =>
  tx
    .deleteFrom('people.account_deletions')
    .where('account_id', '=', accountId)
    .where('begun_at', 'is', null)
    .where('due_at', '>', now)
    .returningAll()
    .executeTakeFirst()

/** The accounts whose deletion began with that of a person, and can still be undone; in the order of their ids. */
export async function deletionsWith(tx: Tx, personId: string, now: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('people.account_deletions')
    .select('account_id')
    .where('with_person', '=', personId)
    .where('begun_at', 'is', null)
    .where('due_at', '>', now)
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id: id }) => id)
}

/** The accounts whose deletion is due, or has begun and not ended. */
export async function dueDeletions({ kysely }: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await kysely
    .selectFrom('people.account_deletions')
    .select('account_id')
    .where('ended_at', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ account_id: id }) => id)
}

export type PendingAccount = AccountDeletionRow & { name: string; state: Account['state'] }

/** The accounts whose deletion was asked for and has not ended, those that are due first first. */
export async function pendingDeletions({ kysely }: Db): Promise<PendingAccount[]> {
  const { rows } = await sql<PendingAccount>`select d.*, a.name, a.state
    from people.account_deletions d join auth.accounts a using (account_id)
    where d.ended_at is null order by d.due_at, d.account_id limit 1000`.execute(kysely)
  return rows
}

/** Notes that the deletion begins, once it is due; false if it is not, or there is none. One that has begun before is true too. */
export async function begin(tx: Tx, accountId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`update people.account_deletions set begun_at = coalesce(begun_at, ${now})
    where account_id = ${accountId} and due_at <= ${now} and ended_at is null returning 1`.execute(tx)
  return rows.length === 1
}

/** Notes that the deletion has ended; false if another process has ended it. */
export async function end(tx: Tx, accountId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`update people.account_deletions set ended_at = ${now}
    where account_id = ${accountId} and ended_at is null returning 1`.execute(tx)
  return rows.length === 1
}

export async function accountState({ kysely }: Db, accountId: string): Promise<Account['state'] | undefined> {
  const row = await kysely
    .selectFrom('auth.accounts')
    .select('state')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.state
}

/** Whether a paid call of the account is still open: it settles, or lapses, before anything is deleted. */
export async function hasOpenHolds({ kysely }: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from ledger.holds where account_id = ${accountId} limit 1`.execute(kysely)
  return rows.length > 0
}

export async function deleteInvitations(tx: Tx, accountId: string): Promise<void> {
  await sql`delete from people.invitations where account_id = ${accountId}`.execute(tx)
}

/** The sole owner's accounts are shown by what is lost with them. */
export interface OwnAccount {
  account_id: string
  name: string
  state: Account['state']
  is_last_owner: boolean
  other_members: number
  balance: bigint
}

/** The accounts that the person owns: whether nobody else does who stays, and how many other members each has. Balances without what is held. */
export async function ownedAccounts({ kysely }: Db, personId: string): Promise<OwnAccount[]> {
  const { rows } = await sql<OwnAccount>`select a.account_id, a.name, a.state,
      a.state not in ('closing', 'closed') and not exists (select from people.members o join people.people p using (person_id)
        where o.account_id = m.account_id and o.role = 'owner' and o.person_id <> m.person_id
          and p.deletion_due_at is null) as is_last_owner,
      (select count(*)::int from people.members o where o.account_id = m.account_id and o.person_id <> m.person_id) as other_members,
      coalesce((select l.balance - l.held from ledger.meters l where l.account_id = m.account_id and l.scope = 'account'), 0) as balance
    from people.members m join auth.accounts a using (account_id)
    where m.person_id = ${personId} and m.role = 'owner' order by m.account_id limit 1000`.execute(kysely)
  return rows
}
