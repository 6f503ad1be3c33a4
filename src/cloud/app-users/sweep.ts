import { type RawBuilder, sql } from 'kysely'
import { type LiveCloud, refOf } from '#cloud/clouds'
import type { Db } from '#platform/db'
import { Failure } from '#platform/errors'
import { removeUserWhere } from './admin.ts'
import { job, type UserRemovalApp, type UsersApp } from './app.ts'
import { onUsersDb, type UsersCloud } from './users-database.ts'

const portion = 500
const dayMs = 24 * 60 * 60 * 1000
/** A session that nobody refreshed for this long is over. */
const idleSessionMs = 90 * dayMs

type OldRows = readonly [table: string, column: string, before: Date]

/** Old rows of every database with users. */
const oldRows = (nowMs: number): OldRows[] => [
  ['one_time_tokens', 'expires_at', new Date(nowMs)],
  ['sessions', 'refreshed_at', new Date(nowMs - idleSessionMs)],
]

/** Old rows of all clouds on the platform. */
const oldCounts = (nowMs: number): OldRows[] => [
  ['attempts', 'window_ends_at', new Date(nowMs)],
  ['mails', 'created_at', new Date(nowMs - 2 * dayMs)],
]

/** Nobody can sign in as a user without an address once its last session is over. For this long the developer may still give the user an address. */
const abandonedMs = 30 * dayMs

/** The conditions under which users are deleted. */
const overdue = (nowMs: number) => [
  sql`pending_until < ${new Date(nowMs)}`,
  sql`is_anonymous and created_at < ${new Date(nowMs - abandonedMs)} and not exists (
    select from app_users.sessions s
    where s.account_id = users.account_id and s.cloud_id = users.cloud_id and s.user_id = users.user_id)`,
]

/** A database with users: that of the platform, or of one cloud. */
interface UsersDatabase {
  plan: LiveCloud['plan']
  run<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
}

/** Deletes expired rows, users who never confirmed their sign-up, and users without an address as whom nobody can sign in any more. */
export const appUsersSweepJob = job<null>({
  name: 'app-users.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    const nowMs = app.clock.nowMs()
    const place: UsersDatabase = { plan: 'starter', run: (work) => work(app.db) }
    await sweep(app, place, [...oldRows(nowMs), ...oldCounts(nowMs)], signal)
    return undefined
  },
})

/** Sweeps the database of one cloud likewise. The database is awake when the job is queued, so that none is woken for a sweep. */
export const dedicatedSweepJob = job<{ cloudId: string }>({
  name: 'app-users.own-sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  async handle({ app, accountId, data: { cloudId }, signal }) {
    const cloud: UsersCloud = { accountId, cloudId, plan: 'dedicated' }
    if ((await refOf(app.db, cloud)) === undefined) return undefined
    const place: UsersDatabase = { plan: 'dedicated', run: (work) => onUsersDb(app, cloud, work) }
    await sweep(app, place, oldRows(app.clock.nowMs()), signal)
    return undefined
  },
})

/** Queues a sweep of a cloud's database after it was used. */
export async function sweepIfDue(
  app: Pick<UsersApp, 'db' | 'jobs' | 'appUsers'>,
  { accountId, cloudId, plan }: UsersCloud,
): Promise<void> {
  if (plan !== 'dedicated' || !app.appUsers.isSweepDue({ accountId, cloudId })) return
  const data = { cloudId }
  await app.db.tx((tx) => app.jobs.enqueue(tx, dedicatedSweepJob, { accountId, data, singletonKey: cloudId }))
}

async function sweep(
  app: UserRemovalApp,
  place: UsersDatabase,
  old: readonly OldRows[],
  signal: AbortSignal,
): Promise<void> {
  for (const rows of old)
    while (!signal.aborted && (await place.run((db) => deleteOld(db, rows))) === portion);
  for (const condition of overdue(app.clock.nowMs()))
    while (!signal.aborted && (await deleteOverdue(app, place, condition)) === portion);
}

async function deleteOld({ kysely }: Db, [table, column, before]: OldRows): Promise<number> {
  const { rows } = await sql`delete from ${sql.table(`app_users.${table}`)} where ctid = any(array(
      select ctid from ${sql.table(`app_users.${table}`)} where ${sql.ref(column)} < ${before} limit ${portion}))
    returning 1`.execute(kysely)
  return rows.length
}

/** Deletes users one by one, since each is counted in its cloud. Returns how many there were, less those whose deletion their app's code refused. */
async function deleteOverdue(
  app: UserRemovalApp,
  { plan, run }: UsersDatabase,
  isOverdue: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await run(({ kysely }) =>
    sql<{ account_id: string; cloud_id: string; user_id: string }>`
      select account_id, cloud_id, user_id from app_users.users where ${isOverdue} limit ${portion}`.execute(
      kysely,
    ),
  )
  let kept = 0
  for (const { account_id: accountId, cloud_id: cloudId, user_id: userId } of rows)
    await removeUserWhere(app, { accountId, cloudId, plan }, userId, async (tx) => {
      const still = await sql`select from app_users.users where account_id = ${accountId}
        and cloud_id = ${cloudId} and user_id = ${userId} and ${isOverdue} for update`.execute(tx)
      return still.rows.length === 1
    }).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'APP_USER_TRIGGER_FAILED') throw error
      kept++
    })
  return rows.length - kept
}
