/** A changed address: the one before is kept for a week, hears of it, and has a link that brings it back. */
import { sql } from 'kysely'
import { endChallenges } from '#account/entering'
import { type LettersApp, personLink, queueLetter } from '#account/letters'
import {
  type DroppedCredentials,
  dropCredentials,
  endSessions,
  type Person,
  personById,
  proveAddress,
  provenAddresses,
} from '#account/people'
import { maskedAddress } from '#account/sign-in'
import type { Config } from '#platform/config'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { dropCodesOf, dropSignUps } from './codes.ts'
import { endLinksOf, issueLink, type Link } from './links.ts'

const dayMs = 86_400_000
/** For so many days a change can be undone. */
const undoDays = 7
const undoMs = undoDays * dayMs
const linkPath = '/link'

/** Replaces the primary address by one that the person has just proven in their session; it may be the same one. Throws EMAIL_TAKEN. */
export async function changeAddress(
  app: LettersApp & { config: Config },
  tx: Tx,
  person: Person,
  email: string,
  now: Date,
): Promise<void> {
  const { personId } = person
  if (person.email === email) {
    await proveAddress(tx, { personId, email, inSession: true }, now)
    return
  }
  await retirePrimary(tx, personId, now)
  await sql`delete from people.addresses where email = ${email} and retires_at <= ${now}`.execute(tx)
  const { rows } = await sql`insert into people.addresses as a (email, person_id, is_primary, proven_at)
    values (${email}, ${personId}, true, ${now})
    on conflict (email) do update set is_primary = true, retires_at = null, proven_at = ${now}
      where a.person_id = ${personId}
    returning email`.execute(tx)
  if (rows.length === 0) fail('EMAIL_TAKEN', {})
  await dropSignUps(tx, email)
  await dropCodesOf(tx, personId)
  await endLinksOf(tx, personId, 'password_reset', now)
  await notifyEarlier(app, tx, person, email, now)
}

/**
 * Keeps the primary address for the time in which it can be brought back. One that nobody has proven is dropped: a stranger may read its mailbox. Each
 * retires later than those before it, also where two changes have the same time, so that an undo knows which came after.
 */
async function retirePrimary(tx: Tx, personId: string, now: Date): Promise<void> {
  await sql`delete from people.addresses
    where person_id = ${personId} and is_primary and proven_at is null`.execute(tx)
  await sql`update people.addresses set is_primary = false, retires_at = greatest(
      ${new Date(now.getTime() + undoMs)}::timestamptz,
      (select max(b.retires_at) + interval '1 millisecond' from people.addresses b where b.person_id = ${personId}))
    where person_id = ${personId} and is_primary`.execute(tx)
}

/** Writes to each earlier address, which may bring itself back as long as it is kept. */
async function notifyEarlier(
  app: LettersApp & { config: Config },
  tx: Tx,
  { personId, locale }: Person,
  email: string,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{
    email: string
    retires_at: Date
  }>`select email, retires_at from people.addresses
    where person_id = ${personId} and retires_at > ${now} and proven_at is not null order by email`.execute(
    tx,
  )
  for (const { email: to, retires_at: expiresAt } of rows) {
    const link = { purpose: 'email_undo', personId, data: { email: to } } as const
    const undoLink = personLink(app, linkPath, await issueLink(tx, link, { now, expiresAt }))
    const days = Math.ceil((expiresAt.getTime() - now.getTime()) / dayMs)
    const data = { newEmailMasked: maskedAddress(email), undoLink, days }
    await queueLetter(app, tx, { to, personId, kind: 'email_changed', locale, data, expiresAt }, now)
  }
}

/**
 * Brings the address of a link back, as it was before the change away from it: every address that came after is dropped with its own links, and so is
 * what was set since, because somebody else may have set it. Every session and all that waits for a code ends. All these addresses are told. Returns
 * what was dropped; undefined if the address is kept no more.
 */
export async function undoChange(
  app: LettersApp,
  tx: Tx,
  { person_id: personId, data: { email } }: Link,
  now: Date,
): Promise<DroppedCredentials | undefined> {
  if (email === undefined) return undefined
  const { rows } = await sql<{ retires_at: Date }>`select retires_at from people.addresses
    where email = ${email} and person_id = ${personId} and retires_at > ${now} and proven_at is not null
    for update`.execute(tx)
  const [kept] = rows
  const person = kept && (await personById(tx, personId))
  if (!person) return undefined
  const later = await dropLater(tx, personId, kept.retires_at)
  await sql`update people.addresses set is_primary = true, retires_at = null where email = ${email}`.execute(
    tx,
  )
  const since = new Date(kept.retires_at.getTime() - undoMs)
  const dropped = await dropCredentials(tx, personId, since, now)
  await endSessions(tx, personId, {}, now)
  await endChallenges(tx, personId)
  await dropCodesOf(tx, personId)
  await endLinksOf(tx, personId, 'password_reset', now)
  for (const to of new Set([...(await provenAddresses(tx, personId)), ...later]))
    await queueLetter(
      app,
      tx,
      { to, personId, kind: 'email_restored', locale: person.locale, data: { at: now } },
      now,
    )
  return dropped
}

/** Drops the primary address and those that became primary after the one that retires at this time. Returns those that were proven. */
async function dropLater(tx: Tx, personId: string, retiresAt: Date): Promise<string[]> {
  const { rows } = await sql<{ email: string; is_proven: boolean }>`delete from people.addresses
    where person_id = ${personId} and (is_primary or retires_at > ${retiresAt})
    returning email, proven_at is not null as is_proven`.execute(tx)
  const emails = rows.map(({ email }) => email)
  await sql`delete from people.links where person_id = ${personId} and purpose = 'email_undo'
    and data ->> 'email' = any(${emails})`.execute(tx)
  return rows.filter(({ is_proven: is }) => is).map(({ email }) => email)
}
