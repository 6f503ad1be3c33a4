/** The users of a Starter cloud on their way into the database that is the cloud's own. */
import { sql } from 'kysely'
import type { App } from '#app'
import type { CloudKey } from '#engine/clouds'
import type { Db } from '#platform/db'
import type { SessionRow } from './session-store.ts'
import { type UserRow, usersAfter } from './store.ts'
import type { TokenRow } from './token-store.ts'
import { onUsersDb } from './users-database.ts'

const portion = 200

/**
 * Copies all users with the hashes of their passwords, their sessions and what was mailed to them, so that nobody has to sign in again. May run
 * any number of times, and goes on where it was ended. Nobody signs in meanwhile: the cloud is not ready. `progressed` is called
 * after each portion.
 */
export async function copyUsers(
  app: Pick<App, 'db' | 'databases'>,
  { accountId, cloudId }: CloudKey,
  progressed: () => Promise<void> = async () => {},
): Promise<void> {
  const cloud = { accountId, cloudId }
  await onUsersDb(app, { ...cloud, plan: 'dedicated' }, async (own) => {
    for (let after: string | undefined, found = portion; found === portion; await progressed()) {
      const users = await usersAfter(app.db.kysely, cloud, { after, limit: portion })
      const sessions = await ofUsers<SessionRow>(app.db, 'sessions', cloud, users)
      const tokens = await ofUsers<TokenRow>(app.db, 'one_time_tokens', cloud, users)
      await write(own, cloud, { users, sessions, tokens })
      found = users.length
      after = users.at(-1)?.user_id
    }
  })
}

async function ofUsers<Row>(
  { kysely }: Db,
  table: string,
  { accountId, cloudId }: CloudKey,
  users: readonly UserRow[],
): Promise<Row[]> {
  const { rows } =
    await sql<Row>`select * from ${sql.table(`app_users.${table}`)} where account_id = ${accountId}
    and cloud_id = ${cloudId} and user_id = any(${users.map(({ user_id }) => user_id)}::uuid[])`.execute(
      kysely,
    )
  return rows
}

interface Portion {
  users: readonly UserRow[]
  sessions: readonly SessionRow[]
  tokens: readonly TokenRow[]
}

/** Of one statement, whose values PostgreSQL counts in 16 bits. */
const atOnce = 500

function* chunks<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += atOnce) yield rows.slice(at, at + atOnce)
}

/** What is there already stays: rows of the app may refer to it. */
const write = (own: Db, { accountId, cloudId }: CloudKey, { users, sessions, tokens }: Portion) =>
  own.tx(async (tx) => {
    const insert = (table: 'users' | 'sessions' | 'one_time_tokens', rows: object[]) =>
      tx
        .insertInto(`app_users.${table}`)
        .values(rows as never[])
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    for (const rows of chunks(users)) await insert('users', rows)
    for (const rows of chunks(sessions))
      await insert(
        'sessions',
        rows.map((row) => ({ ...row, recent_uses: JSON.stringify(row.recent_uses) })),
      )
    for (const rows of chunks(tokens)) await insert('one_time_tokens', rows)
    await sql`update app_users.counts set users = (select count(*) from app_users.secrets)
      where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(tx)
  })

/** Once the cloud is dedicated: deletes a portion of what `copyUsers` has copied, and leaves their number. True: there was none. */
export async function deleteCopied(
  { db }: Pick<App, 'db'>,
  { accountId, cloudId }: CloudKey,
): Promise<boolean> {
  const { rows } = await sql`delete from app_users.users u using (
      select user_id from app_users.users where account_id = ${accountId} and cloud_id = ${cloudId}
      order by user_id limit ${portion}) one
    where u.account_id = ${accountId} and u.cloud_id = ${cloudId} and u.user_id = one.user_id
    returning 1`.execute(db.kysely)
  return rows.length === 0
}
