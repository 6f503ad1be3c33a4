/** Copies the users of a Starter cloud into a database of their cloud, with their passwords; their sessions go on. */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import type { UsersApp } from './app.ts'
import { insertUsers, usersAfter } from './store.ts'
import { type UsersTx, usersTx } from './users-database.ts'

const portion = 200

/** Writes all users in `tx`, a transaction on the users there; nobody changes the users on the platform meanwhile. */
export async function copyUsers({ db }: Pick<UsersApp, 'db'>, cloud: CloudKey, tx: UsersTx): Promise<void> {
  for (let after: string | undefined, found = portion; found === portion; ) {
    const users = await usersAfter(db.kysely, cloud, { after, limit: portion })
    // Their number on the platform is right already.
    if (users.length > 0) await insertUsers(usersTx(tx), cloud, users, Number.MAX_SAFE_INTEGER)
    const ids = users.map(({ user_id }) => user_id)
    for (const table of ['app_users.sessions', 'app_users.one_time_tokens'])
      await copyRows(db, tx, table, cloud, ids)
    found = users.length
    after = users.at(-1)?.user_id
  }
}

/** Copies the rows of these users; the table has the same columns in both databases. */
async function copyRows(db: Db, tx: Tx, table: string, cloud: CloudKey, userIds: string[]): Promise<void> {
  const { rows } = await sql<{
    json: string | null
  }>`select json_agg(t)::text as json from ${sql.table(table)} t
    where account_id = ${cloud.accountId} and cloud_id = ${cloud.cloudId} and user_id = any(${userIds}::uuid[])`.execute(
    db.kysely,
  )
  const json = rows[0]!.json
  if (json === null) return
  await sql`insert into ${sql.table(table)}
    select r.* from pg_catalog.json_populate_recordset(null::${sql.table(table)}, ${json}::json) r`.execute(
    tx,
  )
}

/** Deletes what an earlier copy has written: nobody but a copy has ever used this database. */
export async function dropCopiedUsers(tx: Tx): Promise<void> {
  await sql`delete from app_users.users`.execute(tx)
  await sql`update app_users.counts set users = 0`.execute(tx)
}

/**
 * Deletes a portion of the copied users from the platform; returns true if there was none. Their count stays, since it now counts the users in the
 * cloud's database.
 */
export async function deleteCopiedUsers(
  { db }: Pick<UsersApp, 'db'>,
  { accountId, cloudId }: CloudKey,
): Promise<boolean> {
  const deleted = await db.query(
    {
      text: `delete from app_users.users u using (
          select user_id from app_users.users where account_id = $1 and cloud_id = $2 order by user_id limit ${portion}) one
        where u.account_id = $1 and u.cloud_id = $2 and u.user_id = one.user_id returning 1`,
    },
    [accountId, cloudId],
  )
  return deleted.length === 0
}
