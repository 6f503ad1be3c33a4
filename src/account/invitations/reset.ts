/** The link by which an operator lets a person set a new password. */
import { audit } from '#account/audit'
import { queueLetter } from '#account/letters'
import { type Person, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import { linkAddress } from './address.ts'
import type { InvitationsApp } from './app.ts'
import { endLinks, insertLink } from './links.ts'

/**
 * Makes the one-time link by which the person sets a new password, valid for a day, in place of an earlier one; the person is notified at all
 * addresses. Nothing ends until the link is redeemed, and the second factor stays. Writes its row of the audit log.
 */
export async function resetPerson(app: InvitationsApp, tx: Tx, person: Person, now: Date): Promise<string> {
  const { personId, locale } = person
  await endLinks(tx, { purpose: 'operator_reset', personId }, now)
  const token = await insertLink(tx, { purpose: 'operator_reset', personId }, now)
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(
      app,
      tx,
      { to, personId, kind: 'password_reset_by_operator', locale, data: { at: now } },
      now,
    )
  await audit(
    tx,
    {
      accountId: null,
      actor: { kind: 'operator', id: null },
      operation: 'people.resetLink',
      target: { kind: 'person', id: personId },
    },
    now,
  )
  return linkAddress(app, token)
}
