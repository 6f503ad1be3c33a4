import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'app_users.sessions': SessionRow
  }
}

/** The number of a refresh token that was used, and when (Unix milliseconds). */
export interface RecentUse {
  generation: number
  at: number
}

export interface SessionRow {
  account_id: string
  cloud_id: string
  session_id: string
  user_id: string
  method: string
  generation: number
  recent_uses: RecentUse[]
  created_at: Date
  refreshed_at: Date
}

/** Sessions of one user; a new one replaces the session that was unused for longest. */
const maxSessions = 50

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx
    .insertInto('app_users.sessions')
    .values({ ...session, recent_uses: JSON.stringify(session.recent_uses) as never })
    .execute()
  await sql`delete from app_users.sessions s using (
      select session_id from app_users.sessions
      where account_id = ${session.account_id} and cloud_id = ${session.cloud_id} and user_id = ${session.user_id}
      order by refreshed_at desc, session_id desc offset ${maxSessions}) old
    where s.account_id = ${session.account_id} and s.cloud_id = ${session.cloud_id}
      and s.session_id = old.session_id`.execute(tx)
}

export const lockSession = (
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  sessionId: string,
): Promise<SessionRow | undefined> =>
  tx
    .selectFrom('app_users.sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('session_id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst()

export const writeUse = (
  tx: Tx,
  { account_id, cloud_id, session_id }: SessionRow,
  { recent_uses, ...change }: Pick<SessionRow, 'generation' | 'recent_uses' | 'refreshed_at'>,
) =>
  tx
    .updateTable('app_users.sessions')
    .set({ ...change, recent_uses: JSON.stringify(recent_uses) as never })
    .where('account_id', '=', account_id)
    .where('cloud_id', '=', cloud_id)
    .where('session_id', '=', session_id)
    .execute()

/** Deletes sessions of a user: all, only one, or all except one. */
export const deleteSessions = (
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  userId: string,
  which: { only?: string; except?: string } = {},
) =>
  tx
    .deleteFrom('app_users.sessions')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('user_id', '=', userId)
    .$if(which.only !== undefined, (query) => query.where('session_id', '=', which.only!))
    .$if(which.except !== undefined, (query) => query.where('session_id', '!=', which.except!))
    .execute()
