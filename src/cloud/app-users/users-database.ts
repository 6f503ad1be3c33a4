/**
 * Finds the users of a cloud: they are in the database of the platform or, for a dedicated cloud, in its own
 * (docs/decisions/cloud/app-users.md).
 */
import { currentRestoreId } from '#cloud/backups'
import { type LiveCloud, requireUnfrozen } from '#cloud/clouds'
import { databaseReport, noRoomFailure, type OpenDatabase, readOnlyCause } from '#cloud/databases'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { UsersApp } from './app.ts'
import { notifySessionsEnded } from './live-sessions.ts'
import { writeCount } from './store.ts'

/** A cloud, and where its users are. */
export type UsersCloud = Pick<LiveCloud, 'accountId' | 'cloudId' | 'plan'> &
  Partial<Pick<LiveCloud, 'readOnlyWhy'>>

export type UsersReader = Db['kysely'] | Tx

/** A transaction on the users of a cloud. */
export type UsersTx = Tx & {
  /** Whether the users are in a database of their cloud. */
  readonly isApart: boolean
  /** Runs `work` on the database of the platform, in this transaction itself or in one that is committed before it. */
  onPlatform<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Why the cloud takes no new users, or null. */
  readonly readOnlyWhy: LiveCloud['readOnlyWhy'] | 'machine'
  /** Users whose sessions end with this transaction. */
  readonly ended: Set<string>
}

/** Runs `work` on the users' database, which is woken for a dedicated cloud. Throws what `use` of its databases does. */
export const onUsersDb = <Result>(
  { db, databases }: Pick<UsersApp, 'db' | 'databases'>,
  cloud: UsersCloud,
  work: (db: Db) => Promise<Result>,
): Promise<Result> =>
  cloud.plan === 'dedicated'
    ? databases.use(cloud, async (open) => work(await dedicatedDb(db, open, cloud)))
    : work(db)

/**
 * Reads users outside a transaction. Throws what `use` of a dedicated cloud's database does, and APP_USER_TRIGGER_FAILED where code of its app has
 * made users larger than this service receives.
 */
export const readUsers = <Result>(
  app: Pick<UsersApp, 'db' | 'databases' | 'log'>,
  cloud: UsersCloud,
  work: (reader: UsersReader) => Promise<Result>,
): Promise<Result> =>
  cloud.plan === 'dedicated'
    ? onUsersDb(app, cloud, (db) => work(db.kysely).catch((error: unknown) => rethrowAsFailure(app, error)))
    : work(app.db.kysely)

/**
 * Runs `work` in one transaction. Sessions that it ends are refused in this process as soon as it has committed, and in all others once they have the
 * message. Throws what `work` throws, CLOUD_MOVING while a Starter cloud's users are copied, APP_USER_TRIGGER_FAILED where the code of a dedicated
 * cloud refuses, and what `use` of its databases does.
 */
export async function changeUsers<Result>(
  app: UsersApp,
  cloud: UsersCloud,
  work: (tx: UsersTx) => Promise<Result>,
): Promise<Result> {
  const ended = new Set<string>()
  const result = await (cloud.plan === 'dedicated'
    ? changeApart(app, cloud, ended, work)
    : app.db.tx(async (tx) => {
        await requireUnfrozen(tx, cloud)
        const done = await work(usersTx(tx, ended))
        await notifySessionsEnded(tx, ended)
        return done
      }))
  app.appUsers.forget(...ended)
  return result
}

/** Returns a transaction of the platform as one on the users there. */
export const usersTx = (tx: Tx, ended = new Set<string>()): UsersTx =>
  Object.assign(tx, {
    isApart: false,
    readOnlyWhy: null,
    ended,
    onPlatform: <Result>(work: (tx: Tx) => Promise<Result>) => work(tx),
  })

async function changeApart<Result>(
  app: UsersApp,
  cloud: UsersCloud,
  ended: Set<string>,
  work: (tx: UsersTx) => Promise<Result>,
): Promise<Result> {
  /** Failures of the platform's own database, whose messages nobody else may read. */
  const failures = new WeakSet<Error>()
  const onPlatform = <Done>(part: (tx: Tx) => Promise<Done>) =>
    app.db.tx(part).catch((error: Error) => {
      failures.add(error)
      throw error
    })
  const result = await app.databases.use(cloud, async (open) => {
    const db = await dedicatedDb(app.db, open, cloud)
    const readOnlyWhy = cloud.readOnlyWhy ?? readOnlyCause(open.disk)
    return db
      .tx((tx) => work(Object.assign(tx, { isApart: true, readOnlyWhy, ended, onPlatform })))
      .catch((error: Error) => (failures.has(error) ? Promise.reject(error) : rethrowAsFailure(app, error)))
  })
  await announceLater(app, ended)
  return result
}

/** The change is committed already: a process that misses the message notices the end of sessions within seconds. */
const announceLater = async ({ db, log }: UsersApp, ended: Set<string>): Promise<void> => {
  if (ended.size === 0) return
  await db
    .tx((tx) => notifySessionsEnded(tx, ended))
    .catch((err: unknown) => log.warn({ err }, 'the end of sessions could not be announced'))
}

/** The SQLSTATE by which functions of databases/schema/auth.sql report that the code of the app refuses. */
const refusal = 'KA001'

/**
 * Turns an error of a cloud's database into a failure. Code of the app may refuse in its triggers, or make our statements fail otherwise: it may
 * delete the row that it was called for, send more than is received, or run until its time is over. Any other error may be a defect of this service,
 * so it is logged.
 */
function rethrowAsFailure({ log }: Pick<UsersApp, 'log'>, error: unknown): never {
  const report = databaseReport(error)
  if (!report) throw error
  const { sqlState, message } = report
  const noRoom = noRoomFailure(report, error)
  if (noRoom) throw noRoom
  if (sqlState !== refusal)
    log.warn({ sql_state: sqlState }, 'the database of an app refused a statement about its users')
  return fail('APP_USER_TRIGGER_FAILED', { said: message }, { cause: error })
}

const adopted = new WeakMap<Db, Promise<void>>()

/** Returns the cloud's own database. The first use by this process replaces what the database holds of another cloud or of a backup. */
async function dedicatedDb(platform: Db, open: OpenDatabase, cloud: UsersCloud): Promise<Db> {
  const db = open.db('auth_admin')
  let done = adopted.get(db)
  if (!done) {
    done = adopt(platform, db, cloud)
    adopted.set(db, done)
    done.catch(() => adopted.delete(db))
  }
  await done
  return db
}

async function adopt(platform: Db, db: Db, { accountId, cloudId }: UsersCloud): Promise<void> {
  const restoreId = await currentRestoreId(platform, { accountId, cloudId })
  const [row] = await db.query<{ users: bigint | null }>(
    { text: 'select app_users.adopt($1, $2, $3) as users' },
    [accountId, cloudId, restoreId ?? null],
  )
  // The number of an empty database is not written: it is 0 on the platform too, or users of a Starter cloud that is about to move are still counted
  // there.
  if (row!.users) await writeCount(platform.kysely, { accountId, cloudId }, row!.users)
}
