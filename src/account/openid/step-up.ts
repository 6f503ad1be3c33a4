/** A provider as the factor that was given just now: only where it says when the person signed in there. */
import { audit } from '#account/audit'
import { requireNoSecondFactor } from '#account/factors'
import { stepUp } from '#account/people'
import type { SessionRecord } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { OpenIdContext } from './app.ts'
import { noteIdentity, readClaims, requestOf } from './enter.ts'
import type { Answer } from './finish.ts'
import { recentMs } from './link.ts'
import * as store from './store.ts'

/** The clock of the provider may be so far ahead. */
const maxAheadMs = 60_000

/**
 * Counts a sign-in at the provider as a factor that was given now. Throws OPENID_NOT_ALLOWED for an identity that is not the person's, and
 * OPENID_NOT_FRESH where the provider names no time, or one that is more than ten minutes ago: it may have asked for nothing; and SECOND_FACTOR_NEEDED where the person has
 * a second factor.
 */
export async function stepUpWith(
  context: OpenIdContext,
  tx: Tx,
  { provider, claims }: Answer,
  session: SessionRecord,
): Promise<void> {
  const now = new Date(context.app.clock.nowMs())
  const { issuer, name } = provider.config
  const key = { issuer, subject: claims.subject }
  await store.lockIdentity(tx, key)
  const identity = await store.identityOf(tx, key)
  if (identity?.person_id !== session.personId) return fail('OPENID_NOT_ALLOWED', { provider: name })
  const ageMs = claims.authTime === undefined ? Number.NaN : now.getTime() - claims.authTime * 1_000
  if (!(ageMs <= recentMs && ageMs >= -maxAheadMs)) fail('OPENID_NOT_FRESH', { provider: name })
  await requireNoSecondFactor(tx, session.personId)
  const use = { provider, claims, person: { personId: session.personId }, identity }
  await noteIdentity(tx, use, now)
  await readClaims(context, tx, use, now)
  await stepUp(tx, session.sessionId, now)
  await audit(
    tx,
    {
      ...requestOf(context),
      accountId: null,
      actor: { kind: 'person', id: session.personId },
      operation: 'openid.stepUp',
      target: { kind: 'session', id: session.sessionId },
      after: { factor: 'openid', provider: provider.config.id },
    },
    now,
  )
}
