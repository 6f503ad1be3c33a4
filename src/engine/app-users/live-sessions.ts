/** Which sessions are alive, in the memory of each process for a few seconds. What ends one is announced by NOTIFY in its transaction. */
import { sql } from 'kysely'
import type { CloudKey } from '#engine/clouds'
import type { Clock } from '#platform/clock'
import type { Db, Tx } from '#platform/db'

const channel = 'app_users'
const keptMs = 5_000
const keptSessions = 10_000

/** Notifies every process, when the transaction commits, that sessions of a user may have ended. */
export const announceUser = async (tx: Tx, userId: string): Promise<void> =>
  void (await sql`select pg_notify(${channel}, ${userId})`.execute(tx))

interface Known {
  userId: string
  untilMs: number
}

export class LiveSessions implements AsyncDisposable {
  readonly #db: Db
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()
  readonly #listener: AsyncDisposable
  #isListening = false
  /** Changes so far: an answer that was asked for before one is not kept. */
  #changes = 0

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db
    this.#clock = clock
    this.#listener = db.listen([channel], {
      message: (_channel, userId) => this.forget(userId),
      up: () => this.#listen(true),
      down: () => this.#listen(false),
    })
  }

  /** Whether this session of this user exists, and the user is not blocked. */
  async isAlive(
    cloud: CloudKey,
    { userId, sessionId }: { userId: string; sessionId: string },
  ): Promise<boolean> {
    const nowMs = this.#clock.nowMs()
    const known = this.#known.get(sessionId)
    // The bound in time is for a process that misses a message without noticing.
    if (known && known.userId === userId && nowMs < known.untilMs && nowMs >= known.untilMs - keptMs)
      return true
    const changes = this.#changes
    const alive = await isAlive(this.#db, cloud, { userId, sessionId }, new Date(nowMs))
    if (alive && this.#isListening && changes === this.#changes) this.#keep(sessionId, userId, nowMs + keptMs)
    return alive
  }

  /** At once in this process: whoever ended a session is not answered by it afterwards. One pass for however many users. */
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
  db: Db,
  { accountId, cloudId }: CloudKey,
  { userId, sessionId }: { userId: string; sessionId: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'app-user-session',
      text: `select 1 from app_users.sessions s join app_users.users u using (account_id, cloud_id, user_id)
        where s.account_id = $1 and s.cloud_id = $2 and s.session_id = $3 and s.user_id = $4
          and (u.banned_until is null or u.banned_until <= $5)`,
    },
    [accountId, cloudId, sessionId, userId, now],
  )
  return rows.length === 1
}
