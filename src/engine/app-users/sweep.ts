import { type RawBuilder, sql } from 'kysely'
import type { App } from '#app'
import { job } from '#platform/jobs'
import { removeUserWhere } from './admin.ts'

const portion = 500
const dayMs = 24 * 60 * 60 * 1000
/** A session that nobody refreshed for this long is over. */
const idleSessionMs = 90 * dayMs

const oldRows = (nowMs: number) =>
  [
    ['one_time_tokens', 'expires_at', new Date(nowMs)],
    ['attempts', 'window_ends_at', new Date(nowMs)],
    ['mails', 'created_at', new Date(nowMs - 2 * dayMs)],
    ['sessions', 'refreshed_at', new Date(nowMs - idleSessionMs)],
  ] as const

/** Nobody can sign in as a user without an address once the last session is over; so long its developer may still give it one. */
const abandonedMs = 30 * dayMs

/** Users who are nobody's any more. */
const overdue = (nowMs: number) => [
  sql`pending_until < ${new Date(nowMs)}`,
  sql`is_anonymous and created_at < ${new Date(nowMs - abandonedMs)} and not exists (
    select from app_users.sessions s
    where s.account_id = users.account_id and s.cloud_id = users.cloud_id and s.user_id = users.user_id)`,
]

/** Deletes what has expired, users who never confirmed their sign-up, and those without an address whom nobody can be any more. */
export const appUsersSweepJob = job<null>({
  name: 'app-users.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    const nowMs = app.clock.nowMs()
    for (const [table, column, before] of oldRows(nowMs))
      while (!signal.aborted && (await deleteOld(app, table, column, before)) === portion);
    for (const condition of overdue(nowMs))
      while (!signal.aborted && (await deleteOverdue(app, condition)) === portion);
    return undefined
  },
})

async function deleteOld({ db }: App, table: string, column: string, before: Date): Promise<number> {
  const { rows } = await sql`delete from ${sql.table(`app_users.${table}`)} where ctid = any(array(
      select ctid from ${sql.table(`app_users.${table}`)} where ${sql.ref(column)} < ${before} limit ${portion}))
    returning 1`.execute(db.kysely)
  return rows.length
}

/** One by one, since each is counted in its cloud. */
async function deleteOverdue(app: App, isOverdue: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ account_id: string; cloud_id: string; user_id: string }>`
    select account_id, cloud_id, user_id from app_users.users where ${isOverdue} limit ${portion}`.execute(
    app.db.kysely,
  )
  for (const { account_id: accountId, cloud_id: cloudId, user_id: userId } of rows)
    await removeUserWhere(app, { accountId, cloudId }, userId, async (tx) => {
      const still = await sql`select from app_users.users where account_id = ${accountId}
        and cloud_id = ${cloudId} and user_id = ${userId} and ${isOverdue} for update`.execute(tx)
      return still.rows.length === 1
    })
  return rows.length
}
