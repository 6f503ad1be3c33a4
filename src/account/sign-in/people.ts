/** Addresses, passwords and attempts of people. */
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { Secrets } from '#platform/secrets'
import { type AttemptSubject, type AttemptTable, countAttempt, uncountAttempt } from './attempts.ts'
import { emailAddress } from './email-address.ts'
import type { HashingTurns, PasswordHashing } from './hashing.ts'
import { examinePassword, normalizedPassword, personPasswordRules } from './passwords.ts'
import './errors.ts'

/** Returns an address as it is stored and compared. Throws EMAIL_INVALID (400). */
export const requireAddress = (text: unknown): string => emailAddress(text) ?? fail('EMAIL_INVALID', {})

/** Returns a new password as it is hashed. Throws PASSWORD_WEAK (400). */
export function requirePassword(password: string): string {
  const examined = examinePassword(personPasswordRules, password)
  return 'password' in examined
    ? examined.password
    : fail('PASSWORD_WEAK', { weakness: examined.weakness }, { param: 'password' })
}

/** Returns a given password as it is compared; a text that is longer than any password as an empty one, which nobody has. */
export const passwordToCompare = (password: string): string =>
  normalizedPassword(personPasswordRules, password) ?? ''

/** The hashing of people's passwords; subjects are networks. Throws SIGN_IN_BUSY (503). */
export const personHashing = (turns: HashingTurns): PasswordHashing =>
  turns.hashingFor('people', () => fail('SIGN_IN_BUSY', {}, { retryAfterMs: 2_000 }))

/** An address as others may see it: `s…@example.org`. */
export const maskedAddress = (email: string): string =>
  `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`

export interface AttemptsApp {
  clock: Clock
  db: Db
  /** Signs the hashes of who tried. */
  secrets: Secrets
}

/** What is attempted (`kind`), by whom (`of`), and how often that is allowed in a window of time. */
export interface PersonAttempt {
  kind: string
  of: string
  max: number
  windowMs: number
  /** The kind that is counted in its place while the attempt before it in the list was at most the `upTo`th. */
  quiet?: { kind: string; max: number; upTo: number }
}

const table: AttemptTable = { name: 'people.attempts', owner: {} }
const minuteMs = 60_000

async function subjectsOf(
  { secrets }: Pick<AttemptsApp, 'secrets'>,
  attempts: readonly PersonAttempt[],
): Promise<AttemptSubject[]> {
  const signer = await secrets.signer('attempts of people')
  const hashOf = (kind: string, of: string) => signer(Buffer.from(`${kind}\0${of}`))
  return attempts.map(({ kind, of, max, windowMs, quiet }) => ({
    hash: hashOf(kind, of),
    ...{ max, windowMs },
    quiet: quiet && { hash: hashOf(quiet.kind, of), max: quiet.max, upTo: quiet.upTo },
  }))
}

/**
 * Counts an attempt before it is made; the widest subject comes first, so that a network that has tried too often is not counted at one address after
 * another. Throws TOO_MANY_ATTEMPTS (429).
 */
export async function countPersonAttempt(
  app: AttemptsApp,
  attempts: readonly PersonAttempt[],
): Promise<void> {
  const subjects = await subjectsOf(app, attempts)
  const retryAfterMs = await app.db.tx((tx) => countAttempt(tx, table, subjects, app.clock.nowMs()))
  if (retryAfterMs === undefined) return
  fail('TOO_MANY_ATTEMPTS', { minutes: Math.ceil(retryAfterMs / minuteMs) }, { retryAfterMs })
}

/** Takes back a successful attempt, except from counts that quiet subjects do not share. The count of the last subject begins anew. */
export async function uncountPersonAttempt(
  app: AttemptsApp,
  attempts: readonly PersonAttempt[],
): Promise<void> {
  await uncountAttempt(app.db.kysely, table, await subjectsOf(app, attempts))
}
