import { sql } from 'kysely'
import type { App } from '#app'
import { job } from '#platform/jobs'
import { deleteUser, lockCloud } from './store.ts'

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

/** Deletes what has expired, and users who never confirmed their sign-up. */
export const appUsersSweepJob = job<null>({
  name: 'app-users.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    const nowMs = app.clock.nowMs()
    for (const [table, column, before] of oldRows(nowMs))
      while (!signal.aborted && (await deleteOld(app, table, column, before)) === portion);
    while (!signal.aborted && (await deletePending(app, new Date(nowMs))) === portion);
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
async function deletePending({ db }: App, now: Date): Promise<number> {
  const { rows } = await sql<{ account_id: string; cloud_id: string; user_id: string }>`
    select account_id, cloud_id, user_id from app_users.users where pending_until < ${now} limit ${portion}`.execute(
    db.kysely,
  )
  for (const { account_id: accountId, cloud_id: cloudId, user_id: userId } of rows)
    await db.tx(async (tx) => {
      await lockCloud(tx, { accountId, cloudId })
      const { rows: still } = await sql`select 1 from app_users.users where account_id = ${accountId}
        and cloud_id = ${cloudId} and user_id = ${userId} and pending_until < ${now} for update`.execute(tx)
      if (still.length === 1) await deleteUser(tx, { accountId, cloudId }, userId)
    })
  return rows.length
}
