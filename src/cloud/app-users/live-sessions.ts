/** Keeps in the memory of each process for a few seconds which sessions are alive. A transaction that ends a session announces it by NOTIFY. */
import { sql } from 'kysely'
import type { Clock } from '#platform/clock'
import type { Tx } from '#platform/db'
import type { UsersApp } from './app.ts'
import { onUsersDb, type UsersCloud } from './users-database.ts'

const channel = 'app_users'
const keptMs = 5_000
const keptSessions = 10_000

/** Notifies every process, when the transaction commits, that sessions of these users may have ended. */
export async function notifySessionsEnded(tx: Tx, userIds: ReadonlySet<string>): Promise<void> {
  if (userIds.size > 0)
    await sql`select pg_notify(${channel}, one) from unnest(${[...userIds]}::text[]) one`.execute(tx)
}

interface CachedSession {
  userId: string
  untilMs: number
}

export class LiveSessions implements AsyncDisposable {
  readonly #where: Pick<UsersApp, 'db' | 'databases'>
  readonly #clock: Clock
  readonly #known = new Map<string, CachedSession>()
  readonly #listener: AsyncDisposable
  #isListening = false
  /** The number of changes so far: the answer to a query that began before a change is not kept. */
  #changes = 0

  constructor({ db, databases, clock }: Pick<UsersApp, 'db' | 'databases'> & { clock: Clock }) {
    this.#where = { db, databases }
    this.#clock = clock
    this.#listener = db.listen([channel], {
      message: (_channel, userId) => this.forget(userId),
      up: () => this.#listen(true),
      down: () => this.#listen(false),
    })
  }

  /** Whether this session of this user exists, and the user is not blocked. */
  async isAlive(
    cloud: UsersCloud,
    { userId, sessionId }: { userId: string; sessionId: string },
  ): Promise<boolean> {
    const nowMs = this.#clock.nowMs()
    const known = this.#known.get(sessionId)
    // The bound in time is for a process that misses a message without noticing.
    if (known && known.userId === userId && nowMs < known.untilMs && nowMs >= known.untilMs - keptMs)
      return true
    const changes = this.#changes
    const alive = await isAlive(this.#where, cloud, { userId, sessionId }, new Date(nowMs))
    if (alive && this.#isListening && changes === this.#changes) this.#keep(sessionId, userId, nowMs + keptMs)
    return alive
  }

  /**
   * Forgets sessions of these users in this process at once, so that an ended session is not accepted any more. One pass serves any number of users.
   */
  forget(...userIds: readonly string[]): void {
    this.#changes++
    const ended = new Set(userIds)
    for (const [sessionId, { userId }] of this.#known) if (ended.has(userId)) this.#known.delete(sessionId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
  }

  #listen(isListening: boolean): void {
    this.#changes++
    this.#isListening = isListening
    this.#known.clear()
  }

  #keep(sessionId: string, userId: string, untilMs: number): void {
    this.#known.delete(sessionId)
    this.#known.set(sessionId, { userId, untilMs })
    if (this.#known.size > keptSessions) this.#known.delete(this.#known.keys().next().value!)
  }
}

async function isAlive(
  where: Pick<UsersApp, 'db' | 'databases'>,
  cloud: UsersCloud,
  { userId, sessionId }: { userId: string; sessionId: string },
  now: Date,
): Promise<boolean> {
  const text = `select 1 from app_users.sessions s join app_users.users u using (account_id, cloud_id, user_id)
        where s.account_id = $1 and s.cloud_id = $2 and s.session_id = $3 and s.user_id = $4
          and (u.banned_until is null or u.banned_until <= $5)`
  const values = [cloud.accountId, cloud.cloudId, sessionId, userId, now]
  // Statements in a database of the cloud have no name (cloud/databases/fresh-pool.ts).
  const name = cloud.plan === 'dedicated' ? {} : { name: 'app-user-session' }
  const rows = await onUsersDb(where, cloud, (db) => db.query({ text, ...name }, values))
  return rows.length === 1
}
