/** The first proof of an address that nobody had proven drops what was set before it; that is written down and told. */
import { audit } from '#account/audit'
import { type LettersApp, queueLetter } from '#account/letters'
import { type DroppedCredentials, type Person, proveAddress } from '#account/people'
import type { Tx } from '#platform/db'
import type { RequestContext } from '#platform/http'

/** What was dropped, as a row of the audit log shows it. */
export const shownDropped = ({ password, phone, factors, providers, accountIds }: DroppedCredentials) => ({
  ways: [
    ...(password ? ['password'] : []),
    ...(phone ? ['phone'] : []),
    ...factors.map(({ kind, name }) => `${kind}: ${name}`),
    ...providers.map((provider) => `openid: ${provider}`),
  ],
  ended_memberships: accountIds,
})

/**
 * Records that somebody who is not signed in has proven the primary address of a person. Returns whether this was its first proof: then everything that
 * was set before is gone, and the browser counts as a new one.
 */
export async function proveFromOutside(
  { app, requestId, headers }: Pick<RequestContext<LettersApp>, 'app' | 'requestId' | 'headers'>,
  tx: Tx,
  { personId, locale }: Person,
  email: string,
  now: Date,
): Promise<boolean> {
  const dropped = await proveAddress(tx, { personId, email }, now)
  if (!dropped) return false
  const entry = {
    accountId: null,
    actor: { kind: 'person' as const, id: personId },
    operation: 'people.prove',
    target: { kind: 'person', id: personId },
    before: shownDropped(dropped),
    requestId,
    client: headers['user-agent'],
  }
  await audit(tx, entry, now)
  for (const factor of new Set(dropped.factors.map(({ kind }) => kind)))
    await queueLetter(
      app,
      tx,
      { to: email, personId, kind: 'factor_removed', locale, data: { factor, at: now } },
      now,
    )
  return true
}
