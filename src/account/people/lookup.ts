/** How requests find sessions and the projects of their people. */
import { openSessionKey, type PeopleLookup, type Place, type Role, type SessionRecord } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { permissionsOf } from './rights.ts'
import { renewSession, rightsChangedSql } from './sessions.ts'

interface SessionSelection {
  session_id: string
  person_id: string
  locale: 'fa' | 'en'
  is_operator: boolean
  stepped_up_at: Date | null
  last_used_at: Date
  expires_at: Date
  device_hash: Buffer | null
  is_renewal_due: boolean
  is_former: boolean
  deletion_due_at: Date | null
}

/** An open session; with the token before the last renewal (`former`) it ends when that one does. */
const openSessionSql = (
  former: string,
  condition: string,
): string => `select s.session_id, s.person_id, p.locale,
    p.is_operator, s.stepped_up_at, s.last_used_at, s.device_hash, p.deletion_due_at, ${former} as is_former,
    case when ${former} then least(s.expires_at, s.former_until) else s.expires_at end as expires_at,
    coalesce(${rightsChangedSql} > coalesce(s.renewed_at, s.created_at), false) as is_renewal_due
  from people.sessions s join people.people p using (person_id)
  where s.ended_at is null and p.deleted_at is null and ${condition}`

interface PlaceSelection {
  account_id: string
  project_id: string
  role: Role
  plan: string
  state: 'active' | 'suspended' | 'closing' | 'closed'
  /** The state before the deletion was asked for; null where it was not. */
  former_state: 'active' | 'suspended' | null
  keep_days: number | null
  key_id: string | null
}

const placesSql = `select m.account_id, j.project_id, m.role, a.plan, a.state, d.former_state, j.keep_days, k.key_id
  from people.members m join auth.accounts a using (account_id) join auth.projects j using (account_id)
    left join people.account_deletions d using (account_id)
    left join auth.keys k on k.account_id = m.account_id and k.project_id = j.project_id and k.person_id = m.person_id
      and k.kind = 'session' and k.revoked_at is null
  where m.person_id = $1 and (m.project_ids is null or j.project_id = any (m.project_ids))`

/** The lookup that the sessions of a process use. */
export const peopleLookup = ({ db, clock }: { db: Db; clock: Clock }): PeopleLookup => ({
  session: (by) => findSession(db, by),
  place: (personId, projectId) => findPlace(db, personId, projectId),
  openKey: (place, personId) => openKeyOfMember(db, place, personId, new Date(clock.nowMs())),
  renew: (session) => renewSession(db, session, new Date(clock.nowMs())),
  noteUse: (sessionId, nowMs) => noteUse(db, sessionId, new Date(nowMs)),
})

/** What a person may do in a project now; undefined for one who is no member, or whose projects are others. */
export async function rightsOf(
  db: Db,
  personId: string,
  projectId: string,
): Promise<ReadonlySet<string> | undefined> {
  const place = await findPlace(db, personId, projectId)
  return place && place !== 'several' ? place.rights : undefined
}

async function findSession(
  db: Db,
  by: { hash: Buffer } | { sessionId: string },
): Promise<SessionRecord | undefined> {
  const [row] =
    'hash' in by
      ? await db.query<SessionSelection>(
          {
            name: 'people.session',
            text: openSessionSql('s.hash <> $1', '(s.hash = $1 or s.former_hash = $1)'),
          },
          [by.hash],
        )
      : await db.query<SessionSelection>(
          { name: 'people.session_by_id', text: openSessionSql('false', 's.session_id = $1') },
          [by.sessionId],
        )
  return (
    row && {
      sessionId: row.session_id,
      personId: row.person_id,
      locale: row.locale,
      isOperator: row.is_operator,
      steppedUpAtMs: row.stepped_up_at?.getTime() ?? 0,
      lastUsedAtMs: row.last_used_at.getTime(),
      endsAtMs: row.expires_at.getTime(),
      leavesAtMs: row.deletion_due_at?.getTime(),
      renewal: renewalOf(row),
    }
  )
}

function renewalOf({ is_renewal_due, is_former, device_hash }: SessionSelection): SessionRecord['renewal'] {
  if (!is_renewal_due && !is_former) return undefined
  return { isDone: is_former, browserHash: device_hash ?? undefined }
}

async function findPlace(
  db: Db,
  personId: string,
  projectId: string | undefined,
): Promise<Place | 'several' | undefined> {
  const [row, second] =
    projectId === undefined
      ? await db.query<PlaceSelection>({ name: 'people.only_place', text: `${placesSql} limit 2` }, [
          personId,
        ])
      : await db.query<PlaceSelection>({ name: 'people.place', text: `${placesSql} and j.project_id = $2` }, [
          personId,
          projectId,
        ])
  if (second) return 'several'
  return (
    row && {
      accountId: row.account_id,
      projectId: row.project_id,
      role: row.role,
      rights: permissionsOf(row.role),
      plan: row.plan,
      isSuspended: (row.former_state ?? row.state) === 'suspended',
      isClosing: row.state === 'closing' || row.state === 'closed',
      keepDays: row.keep_days ?? undefined,
      keyId: row.key_id ?? undefined,
    }
  )
}

/** Opens the key only while the person is a member: a removal waits, and then ends the key. */
const openKeyOfMember = (
  db: Db,
  { accountId, projectId }: Place,
  personId: string,
  now: Date,
): Promise<string | undefined> =>
  db.tx(async (tx) => {
    const member = await tx
      .selectFrom('people.members')
      .select('project_ids')
      .where('account_id', '=', accountId)
      .where('person_id', '=', personId)
      .forShare()
      .executeTakeFirst()
    if (!member || (member.project_ids && !member.project_ids.includes(projectId))) return undefined
    return openSessionKey(tx, accountId, projectId, personId, now)
  })

const noteUse = async (db: Db, sessionId: string, now: Date): Promise<void> => {
  await db.query(
    {
      name: 'people.note_use',
      text: `update people.sessions set last_used_at = $2
        where session_id = $1 and last_used_at < $2::timestamptz - interval '4 minutes'`,
    },
    [sessionId, now],
  )
}
