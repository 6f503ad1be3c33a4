/** How often somebody may try: durable, so that neither a restart nor a second process begins anew (docs/decisions/0076). */
import { sql } from 'kysely'
import type { App } from '#app'
import type { CloudKey } from '#engine/clouds'
import { fail } from '#platform/errors'
import { sha256 } from '#platform/secrets'

const minuteMs = 60_000

/** What is tried, by whom. */
export interface Subject {
  kind: keyof typeof bounds
  of: string
}

const bounds = {
  /** One address from one network: what a person mistypes. */
  sign_in: { most: 10, windowMs: 15 * minuteMs },
  /** One address from everywhere. It is large, so that nobody can lock a person out from one place. */
  sign_in_address: { most: 100, windowMs: 15 * minuteMs },
  /** All addresses from one network. Mobile networks put thousands behind one address. */
  sign_in_network: { most: 300, windowMs: 15 * minuteMs },
  sign_up_network: { most: 100, windowMs: 60 * minuteMs },
  code: { most: 30, windowMs: 60 * minuteMs },
} as const

export const signInSubjects = (email: string, network: string): Subject[] => [
  { kind: 'sign_in', of: `${email} ${network}` },
  { kind: 'sign_in_address', of: email },
  { kind: 'sign_in_network', of: network },
]

/** An address of IPv4, or the /64 of one of IPv6, which one customer has. */
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

const hashOf = ({ kind, of }: Subject): Buffer => sha256(`${kind}\0${of}`)

/**
 * Counts an attempt before it is made, so that many at once are no more than one after another. Throws APP_USER_THROTTLED.
 */
export async function countAttempt(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  { accountId, cloudId }: CloudKey,
  subjects: readonly Subject[],
): Promise<void> {
  const nowMs = clock.nowMs()
  const now = new Date(nowMs)
  // In one order, so that no two wait for each other.
  const sorted = subjects.toSorted((one, other) => hashOf(one).compare(hashOf(other)))
  const waits = await db.tx(async (tx) => {
    const found: number[] = []
    for (const subject of sorted) {
      const { most, windowMs } = bounds[subject.kind]
      const ends = new Date(nowMs + windowMs)
      const { rows } = await sql<{ attempts: number; window_ends_at: Date }>`
        insert into app_users.attempts as a (account_id, cloud_id, subject_hash, attempts, window_ends_at)
        values (${accountId}, ${cloudId}, ${hashOf(subject)}, 1, ${ends})
        on conflict (account_id, cloud_id, subject_hash) do update set
          attempts = case when a.window_ends_at <= ${now} then 1 else least(a.attempts + 1, 1000000) end,
          window_ends_at = case when a.window_ends_at <= ${now} then ${ends} else a.window_ends_at end
        returning attempts, window_ends_at`.execute(tx)
      const [row] = rows
      if (row!.attempts > most) found.push(row!.window_ends_at.getTime() - nowMs)
    }
    return found
  })
  if (waits.length === 0) return
  const retryAfterMs = Math.max(...waits)
  fail('APP_USER_THROTTLED', { minutes: Math.ceil(retryAfterMs / minuteMs) }, { retryAfterMs })
}

/** An attempt that was right does not count; the first of the subjects begins anew. */
export async function forgiveAttempt(
  { db }: Pick<App, 'db'>,
  { accountId, cloudId }: CloudKey,
  [first, ...others]: readonly Subject[],
): Promise<void> {
  const { kysely } = db
  await sql`delete from app_users.attempts
    where account_id = ${accountId} and cloud_id = ${cloudId} and subject_hash = ${hashOf(first!)}`.execute(
    kysely,
  )
  for (const one of others)
    await sql`update app_users.attempts set attempts = greatest(attempts - 1, 0)
      where account_id = ${accountId} and cloud_id = ${cloudId} and subject_hash = ${hashOf(one)}`.execute(
      kysely,
    )
}
