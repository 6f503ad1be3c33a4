/** SQL of management keys as owners and admins see them. */
import { sql } from 'kysely'
import type { ManagementKey } from '#platform/auth'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, pageClause } from '#platform/lists'

export type ManagementKeyRow = ManagementKey & { maker_name: string; made_keys: number }

const found = sql`select k.account_id, k.key_id, k.name, k.hint, k.permissions, k.key_scopes, k.addresses, k.expires_at, k.revoked_at,
    k.ended_with_maker, k.person_id, k.last_used_at, k.created_at, coalesce(p.display_name, '') as maker_name,
    (select count(*)::int from auth.keys m
      where m.account_id = k.account_id and m.management_key_id = k.key_id and m.revoked_at is null) as made_keys
  from auth.management_keys k left join people.people p on p.person_id = k.person_id`

const isActive = (now: Date) => sql`k.revoked_at is null and k.expires_at > ${now}`

/** A page of keys, newest first. */
export async function listManagementKeys(
  { kysely }: Db,
  { accountId, state }: { accountId: string; state: 'active' | 'ended' | undefined },
  page: { limit: number; after_id?: string | undefined },
  now: Date,
): Promise<Page<ManagementKeyRow>> {
  const { rows } = await sql<ManagementKeyRow>`${found} where k.account_id = ${accountId}
    ${state === undefined ? sql`` : sql`and (${isActive(now)}) = ${state === 'active'}`}
    ${pageClause('k.key_id', page)}`.execute(kysely)
  return cutPage(rows, page.limit)
}

export async function findManagementKey(
  db: Db | Tx,
  accountId: string,
  keyId: string,
): Promise<ManagementKeyRow | undefined> {
  const { rows } =
    await sql<ManagementKeyRow>`${found} where k.account_id = ${accountId} and k.key_id = ${keyId}`.execute(
      'kysely' in db ? db.kysely : db,
    )
  return rows[0]
}

/** Locks the key until the transaction ends; false if there is none. */
export async function lockManagementKey(tx: Tx, accountId: string, keyId: string): Promise<boolean> {
  const { rows } = await sql`select from auth.management_keys
    where account_id = ${accountId} and key_id = ${keyId} for update`.execute(tx)
  return rows.length === 1
}

/** Creations of one account wait for each other, so that the bound holds. */
export async function lockCreations(tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('management key creations'), hashtext(${accountId}))`.execute(
    tx,
  )
}

export async function countActive(tx: Tx, accountId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth.management_keys k
    where k.account_id = ${accountId} and ${isActive(now)}`.execute(tx)
  return rows[0]!.count
}

export async function renameManagementKey(
  tx: Tx,
  accountId: string,
  keyId: string,
  name: string,
): Promise<void> {
  await tx
    .updateTable('auth.management_keys')
    .set({ name })
    .where('account_id', '=', accountId)
    .where('key_id', '=', keyId)
    .execute()
}

/** Revokes the key; one that is revoked keeps the first time. */
export async function revokeManagementKey(
  tx: Tx,
  accountId: string,
  keyId: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('auth.management_keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes the project keys that it made; returns their ids. */
export async function revokeMadeKeys(tx: Tx, accountId: string, keyId: string, now: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('auth.keys')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('management_key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .returning('key_id')
    .execute()
  return rows.map(({ key_id }) => key_id)
}
