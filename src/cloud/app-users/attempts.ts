/** Limits how often users of an app may try (docs/decisions/cloud/app-users.md). */
import {
  type AttemptTable,
  type AttemptSubject as CountedSubject,
  countAttempt as count,
  uncountAttempt as uncount,
} from '#account/sign-in'
import type { CloudKey } from '#cloud/clouds'
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
  sign_in: { max: 10, windowMs: 15 * minuteMs },
  /** One email address from all networks. The bound is large, so that nobody can lock a person out from one place. */
  sign_in_address: { max: 100, windowMs: 15 * minuteMs },
  /** All email addresses from one network. Mobile networks put thousands of people behind one IP address. */
  sign_in_network: { max: 300, windowMs: 15 * minuteMs },
  sign_up_network: { max: 100, windowMs: 60 * minuteMs },
  code: { max: 30, windowMs: 60 * minuteMs },
  /** Changes by one user; each costs as much as two sign-ins. */
  password_change: { max: 20, windowMs: 60 * minuteMs },
} as const

/** The widest subject comes first, so that a network that has tried too often is not counted at one address after another. */
export const signInSubjects = (email: string, network: string): AttemptSubject[] => [
  { kind: 'sign_in_network', of: network },
  { kind: 'sign_in_address', of: email },
  { kind: 'sign_in', of: `${email} ${network}` },
]

const subjectOf = ({ kind, of }: AttemptSubject): CountedSubject => ({
  hash: sha256(`${kind}\0${of}`),
  ...bounds[kind],
})

const tableOf = ({ accountId, cloudId }: CloudKey): AttemptTable => ({
  name: 'app_users.attempts',
  owner: { account_id: accountId, cloud_id: cloudId },
})

/** Counts an attempt before it is made. Throws APP_USER_THROTTLED. */
export async function countAttempt(
  { db, clock }: Pick<UsersApp, 'db' | 'clock'>,
  cloud: CloudKey,
  subjects: readonly AttemptSubject[],
): Promise<void> {
  const counted = subjects.map(subjectOf)
  const retryAfterMs = await db.tx((tx) => count(tx, tableOf(cloud), counted, clock.nowMs()))
  if (retryAfterMs === undefined) return
  fail('APP_USER_THROTTLED', { minutes: Math.ceil(retryAfterMs / minuteMs) }, { retryAfterMs })
}

/** Takes back a successful attempt. The count of the last subject, which identifies the person, begins anew. */
export const uncountAttempt = (
  { db }: Pick<UsersApp, 'db'>,
  cloud: CloudKey,
  subjects: readonly AttemptSubject[],
): Promise<void> => uncount(db.kysely, tableOf(cloud), subjects.map(subjectOf))
