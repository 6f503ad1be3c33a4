/** A new password, forgotten or changed: it ends what was open before, and is told to every address of the person. */
import { endChallenges } from '#account/entering'
import { type LettersApp, queueLetter } from '#account/letters'
import { endSessions, type Person, provenAddresses, setPassword } from '#account/people'
import type { Tx } from '#platform/db'
import { dropCodesOf } from './codes.ts'
import { endLinksOf } from './links.ts'

/**
 * Sets the password (hashed in PHC form) and ends all sessions except the given one, challenges, codes, and links to reset it: whoever had them may
 * have known the old one. A second factor stays.
 */
export async function replacePassword(
  app: LettersApp,
  tx: Tx,
  { personId, locale }: Person,
  { passwordHash, exceptSession }: { passwordHash: string; exceptSession?: string | undefined },
  now: Date,
): Promise<void> {
  await setPassword(tx, personId, passwordHash, now)
  await endSessions(tx, personId, { except: exceptSession }, now)
  await endWaiting(tx, personId, now)
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { to, personId, kind: 'password_changed', locale, data: { at: now } }, now)
}

/** Ends what waits for its second half: first factors, codes, and links to reset the password. */
export async function endWaiting(tx: Tx, personId: string, now: Date): Promise<void> {
  await endChallenges(tx, personId)
  await dropCodesOf(tx, personId)
  await endLinksOf(tx, personId, 'password_reset', now)
}
