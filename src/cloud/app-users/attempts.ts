/**
 * Limits how often somebody may try. The counts are durable, so that neither a restart nor a second process begins anew
 * (docs/decisions/cloud/app-users.md).
 */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { sha256 } from '#platform/secrets'
import type { UsersApp } from './app.ts'

const minuteMs = 60_000

/** What is attempted (`kind`), and by whom (`of`). */
export interface AttemptSubject {
  kind: keyof typeof bounds
  of: string
}

const bounds = {
  /** One email address from one network: enough for a person who mistypes. */
  sign_in: { most: 10, windowMs: 15 * minuteMs },
  /** One email address from all networks. The bound is large, so that nobody can lock a person out from one place. */
  sign_in_address: { most: 100, windowMs: 15 * minuteMs },
  /** All email addresses from one network. Mobile networks put thousands of people behind one IP address. */
  sign_in_network: { most: 300, windowMs: 15 * minuteMs },
  sign_up_network: { most: 100, windowMs: 60 * minuteMs },
  code: { most: 30, windowMs: 60 * minuteMs },
  /** Changes by one user; each costs as much as two sign-ins. */
  password_change: { most: 20, windowMs: 60 * minuteMs },
} as const

/** The widest subject comes first, so that a network that has tried too often is not counted at one address after another. */
export const signInSubjects = (email: string, network: string): AttemptSubject[] => [
  { kind: 'sign_in_network', of: network },
  { kind: 'sign_in_address', of: email },
  { kind: 'sign_in', of: `${email} ${network}` },
]

/** Returns an IPv4 address as it is, and of an IPv6 address the /64, which one customer has. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')]
    .slice(0, 4)
    .join(':')
}

const hashOf = ({ kind, of }: AttemptSubject): Buffer => sha256(`${kind}\0${of}`)

/**
 * Counts an attempt before it is made, so that parallel attempts are bounded like successive ones. Counting ends with the first subject that has
 * tried too often; later ones are not counted. Throws APP_USER_THROTTLED.
 */
export async function countAttempt(
  { db, clock }: Pick<UsersApp, 'db' | 'clock'>,
  cloud: CloudKey,
  subjects: readonly AttemptSubject[],
): Promise<void> {
  const nowMs = clock.nowMs()
  // All attempts count their subjects in the order of their kinds, so no two wait for each other.
  const retryAfterMs = await db.tx(async (tx) => {
    for (const subject of subjects) {
      const { attempts, window_ends_at: ends } = await count(tx, cloud, subject, nowMs)
      if (attempts > bounds[subject.kind].most) return ends.getTime() - nowMs
    }
    return undefined
  })
  if (retryAfterMs === undefined) return
  fail('APP_USER_THROTTLED', { minutes: Math.ceil(retryAfterMs / minuteMs) }, { retryAfterMs })
}

async function count(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  subject: AttemptSubject,
  nowMs: number,
): Promise<{ attempts: number; window_ends_at: Date }> {
  const now = new Date(nowMs)
  const ends = new Date(nowMs + bounds[subject.kind].windowMs)
  const { rows } = await sql<{ attempts: number; window_ends_at: Date }>`
    insert into app_users.attempts as a (account_id, cloud_id, subject_hash, attempts, window_ends_at)
    values (${accountId}, ${cloudId}, ${hashOf(subject)}, 1, ${ends})
    on conflict (account_id, cloud_id, subject_hash) do update set
      attempts = case when a.window_ends_at <= ${now} then 1 else least(a.attempts + 1, 1000000) end,
      window_ends_at = case when a.window_ends_at <= ${now} then ${ends} else a.window_ends_at end
    returning attempts, window_ends_at`.execute(tx)
  return rows[0]!
}

/** Takes back a successful attempt. The count of the last subject, which identifies the person, begins anew. */
export async function uncountAttempt(
  { db }: Pick<UsersApp, 'db'>,
  { accountId, cloudId }: CloudKey,
  subjects: readonly AttemptSubject[],
): Promise<void> {
  const { kysely } = db
  const ofSubject = (one: AttemptSubject) =>
    sql`account_id = ${accountId} and cloud_id = ${cloudId} and subject_hash = ${hashOf(one)}`
  for (const one of subjects.slice(0, -1))
    await sql`update app_users.attempts set attempts = greatest(attempts - 1, 0) where ${ofSubject(one)}`.execute(
      kysely,
    )
  await sql`delete from app_users.attempts where ${ofSubject(subjects.at(-1)!)}`.execute(kysely)
}
