/** Uses a passkey: for a sign-in or a step-up, once for each challenge. */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { audit } from '#account/audit'
import { personById } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { FactorsApp } from './app.ts'
import { type Ceremony, endCeremony } from './ceremony-store.ts'
import { notify } from './notify.ts'
import { type Assertion, challengeOf, userHandleOf, verifyAssertion } from './passkey.ts'
import type { PasskeySite } from './passkey-site.ts'
import { cancelBySignIn } from './resets.ts'
import { findPasskey, lockFactors, type PasskeyRow, useCounter } from './store.ts'

export interface PasskeyAnswer {
  site: PasskeySite
  ceremony: Ceremony
  response: AuthenticationResponseJSON
}

/**
 * Checks the answer of a passkey, and acts in the transaction in which it is used. A passkey of another person than the ceremony's looks like one that
 * nobody has. Throws FACTOR_INVALID for all that is not right, also for a copied passkey, which is told to the person.
 */
export async function usePasskey<Result>(
  app: FactorsApp,
  answer: PasskeyAnswer,
  act: (tx: Tx, passkey: PasskeyRow) => Promise<Result>,
): Promise<Result> {
  const now = new Date(app.clock.nowMs())
  const { passkey, assertion } = (await verify(app, answer, now)) ?? fail('FACTOR_INVALID', {})
  const used = await app.db.tx(async (tx) => {
    await lockFactors(tx, passkey.person_id)
    if (!(await useCounter(tx, passkey, assertion, now))) return undefined
    await cancelBySignIn(tx, passkey.person_id, now)
    return { result: await act(tx, passkey) }
  })
  if (used) return used.result
  await reportCopy(app, passkey, now)
  return fail('FACTOR_INVALID', {})
}

async function verify(
  { db, log }: Pick<FactorsApp, 'db' | 'log'>,
  { site, ceremony, response }: PasskeyAnswer,
  now: Date,
): Promise<{ passkey: PasskeyRow; assertion: Assertion } | undefined> {
  const challenge = challengeOf(response.response.clientDataJSON)
  if (challenge === undefined || !(await endCeremony(db, challenge, ceremony, now))) return undefined
  const passkey = await findPasskey(db, response.id)
  if (!passkey || !isOf(passkey, ceremony, response)) return undefined
  const assertion = await verifyAssertion(log, { site, challenge }, passkey, response)
  return assertion && { passkey, assertion }
}

/** Where nobody is known yet, the passkey must name its person (WebAuthn, 7.2, step 6). */
function isOf(
  { person_id: personId }: PasskeyRow,
  { personId: asked }: Ceremony,
  { response: { userHandle } }: AuthenticationResponseJSON,
): boolean {
  if (asked !== null && asked !== personId) return false
  return userHandle === undefined ? asked !== null : userHandle === userHandleOf(personId)
}

/** Somebody has signed with a copy of the passkey, or the passkey is the copy: the person and the operator hear of it. */
async function reportCopy(app: FactorsApp, passkey: PasskeyRow, now: Date): Promise<void> {
  const { person_id: personId, factor_id: id, name } = passkey
  app.log.warn({ person_id: personId, factor_id: id }, 'a passkey counts backwards: it was copied')
  await app.db.tx(async (tx) => {
    const person = await personById(tx, personId)
    if (person)
      await notify(app, tx, person, { kind: 'passkey_copied', data: { passkey: name, at: now } }, now)
    const entry = {
      accountId: null,
      actor: { kind: 'system' as const, id: null },
      operation: 'factors.copied',
      target: { kind: 'factor', id },
      after: { person_id: personId, name },
    }
    await audit(tx, entry, now)
  })
}
