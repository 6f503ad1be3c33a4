/** Sessions: browsers in which a person is signed in. Only the SHA-256 of a session's token is stored. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { newKeySecret, sha256 } from '#platform/secrets'
import type { SessionMethod } from './tables.ts'

const dayMs = 86_400_000
/** A session that is not used for so long has ended. */
export const idleMs = 30 * dayMs
const absoluteMs = 90 * dayMs
/** Of more open sessions of a person, or known browsers, those that were used last are kept. */
const maxSessions = 100
const maxDevices = 100

export interface NewSession {
  personId: string
  /** The first factor. */
  method: SessionMethod
  /** False where a factor may not have been given just now: a provider signs in whoever is signed in there, and asks for nothing. */
  isSteppedUp?: boolean | undefined
  userAgent?: string | undefined
  /** The address of the visitor. */
  openedFrom?: string | undefined
  /** The hash of the cookie that names the browser. */
  deviceHash?: Buffer | undefined
}

export interface OpenedSession {
  sessionId: string
  /** The token for the cookie: `khb_`, 43 characters of base 62, and 6 of checksum. */
  token: string
  /** Whether the person has signed in before, and never in this browser. */
  isNewDevice: boolean
}

/** Opens a session; what was given for it counts as a factor that was given just now, unless `isSteppedUp` is false. */
export async function openSession(tx: Tx, options: NewSession, now: Date): Promise<OpenedSession> {
  const { personId, method, isSteppedUp = true, userAgent, openedFrom, deviceHash } = options
  const token = newKeySecret('session')
  const sessionId = uuidv7(now.getTime())
  await tx
    .insertInto('people.sessions')
    .values({
      session_id: sessionId,
      person_id: personId,
      hash: sha256(token),
      method,
      stepped_up_at: isSteppedUp ? now : null,
      user_agent: userAgent?.slice(0, 300) ?? null,
      opened_from: openedFrom?.slice(0, 100) ?? null,
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + absoluteMs),
      ended_at: null,
      device_hash: deviceHash ?? null,
      renewed_at: null,
      former_hash: null,
      former_until: null,
    })
    .execute()
  await endOldest(tx, personId, now)
  return { sessionId, token, isNewDevice: await rememberDevice(tx, personId, deviceHash, now) }
}

async function endOldest(tx: Tx, personId: string, now: Date): Promise<void> {
  await sql`update people.sessions set ended_at = ${now} where session_id in (
    select session_id from people.sessions where person_id = ${personId} and ended_at is null
    order by last_used_at desc, session_id desc offset ${maxSessions})`.execute(tx)
}

/** Returns whether the browser is a new one of a person who has others. */
async function rememberDevice(
  tx: Tx,
  personId: string,
  hash: Buffer | undefined,
  now: Date,
): Promise<boolean> {
  const others = await tx
    .selectFrom('people.devices')
    .select('hash')
    .where('person_id', '=', personId)
    .execute()
  const isKnown = hash !== undefined && others.some((other) => other.hash.equals(hash))
  if (hash) {
    await sql`insert into people.devices (person_id, hash, first_used_at, last_used_at)
      values (${personId}, ${hash}, ${now}, ${now})
      on conflict (person_id, hash) do update set last_used_at = ${now}`.execute(tx)
    await sql`delete from people.devices where person_id = ${personId} and hash in (
      select hash from people.devices where person_id = ${personId}
      order by last_used_at desc, hash offset ${maxDevices})`.execute(tx)
  }
  return others.length > 0 && !isKnown
}

/** Ends one session of the person; its connections end within a second. Returns false if there is no open one with this id. */
export async function endSession(tx: Tx, personId: string, sessionId: string, now: Date): Promise<boolean> {
  const done = await tx
    .updateTable('people.sessions')
    .set({ ended_at: now })
    .where('session_id', '=', sessionId)
    .where('person_id', '=', personId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return done.numUpdatedRows === 1n
}

/** Ends the session of this token, whoever's it is. One that was replaced a moment ago ends it too. */
export async function endSessionOf(tx: Tx, token: string, now: Date): Promise<void> {
  const hash = sha256(token)
  await tx
    .updateTable('people.sessions')
    .set({ ended_at: now })
    .where((any) =>
      any.or([
        any('hash', '=', hash),
        any.and([any('former_hash', '=', hash), any('former_until', '>', now)]),
      ]),
    )
    .where('ended_at', 'is', null)
    .execute()
}

/** Ends all sessions of the person, except the given one. Returns how many were ended. */
export async function endSessions(
  tx: Tx,
  personId: string,
  { except }: { except?: string | undefined },
  now: Date,
): Promise<number> {
  const done = await tx
    .updateTable('people.sessions')
    .set({ ended_at: now })
    .where('person_id', '=', personId)
    .where('ended_at', 'is', null)
    .$if(except !== undefined, (query) => query.where('session_id', '<>', except!))
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

/** Gives an open session a new token, for the cookie of the answer; the old one is worth nothing from now on. */
export async function rotateSession(tx: Tx, sessionId: string, _now: Date): Promise<string> {
  const token = newKeySecret('session')
  const done = await tx
    .updateTable('people.sessions')
    .set({ hash: sha256(token), former_hash: null, former_until: null })
    .where('session_id', '=', sessionId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (done.numUpdatedRows !== 1n) throw new Error('The session to be rotated has ended.')
  return token
}

/** For so long the former token is taken, for what was on its way when the token was replaced. */
const formerMs = 30_000

/** When a person last got another role somewhere, or the rights of an operator: tokens that are older are replaced. */
export const rightsChangedSql = `greatest(p.operator_changed_at,
  (select max(m.changed_at) from people.members m where m.person_id = p.person_id))`

/**
 * Replaces the token of a session whose person has got another role; the former one is taken for half a minute more. Returns undefined if another request
 * has replaced it, or the session has ended. The moment is not before that of the change, so that clocks of servers that differ replace it once.
 */
export async function renewSession(
  db: Db,
  { sessionId, hash }: { sessionId: string; hash: Buffer },
  now: Date,
): Promise<string | undefined> {
  const token = newKeySecret('session')
  const renewed = await db.query(
    {
      name: 'people.renew_session',
      text: `update people.sessions s set hash = $3, former_hash = s.hash, former_until = $5,
          renewed_at = greatest($4::timestamptz, ${rightsChangedSql})
        from people.people p
        where s.session_id = $1 and s.hash = $2 and s.ended_at is null and p.person_id = s.person_id
        returning s.session_id`,
    },
    [sessionId, hash, sha256(token), now, new Date(now.getTime() + formerMs)],
  )
  return renewed.length === 1 ? token : undefined
}

/** Records that a factor was given just now, for what asks for a recent one. */
export async function stepUp(tx: Tx, sessionId: string, now: Date): Promise<void> {
  await tx
    .updateTable('people.sessions')
    .set({ stepped_up_at: now })
    .where('session_id', '=', sessionId)
    .execute()
}

/**
 * A factor was added in this session: it was given here just now, and every other session gives one again before what asks for a recent factor.
 */
export async function stepUpAlone(tx: Tx, personId: string, sessionId: string, now: Date): Promise<void> {
  await sql`update people.sessions
    set stepped_up_at = case when session_id = ${sessionId} then ${now}::timestamptz end
    where person_id = ${personId} and ended_at is null
      and (session_id = ${sessionId} or stepped_up_at is not null)`.execute(tx)
}

/** A session as its person sees it in a list. */
export interface SessionEntry {
  sessionId: string
  method: SessionMethod
  userAgent: string | null
  openedFrom: string | null
  createdAt: Date
  /** Exact to some minutes. */
  lastUsedAt: Date
  expiresAt: Date
}

/** The open sessions of a person, the one used last first. */
export async function sessionsOf(db: Db | Tx, personId: string, now: Date): Promise<SessionEntry[]> {
  const rows = await ('kysely' in db ? db.kysely : db)
    .selectFrom('people.sessions')
    .selectAll()
    .where('person_id', '=', personId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', new Date(now.getTime() - idleMs))
    .orderBy('last_used_at', 'desc')
    .orderBy('session_id', 'desc')
    .execute()
  return rows.map((row) => ({
    sessionId: row.session_id,
    method: row.method,
    userAgent: row.user_agent,
    openedFrom: row.opened_from,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }))
}
