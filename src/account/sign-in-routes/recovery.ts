/** A forgotten password is replaced by whoever reads the person's mailbox; the second factor is asked for as always. */
import { audit } from '#account/audit'
import { answerEntrance, browserOf, type EntryAnswer, finishFirstFactor } from '#account/entering'
import { personLink, queueLetter } from '#account/letters'
import { lockPerson, type Person, personByEmail, personById } from '#account/people'
import { countPersonAttempt, inConstantTime, requireAddress, requirePassword } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { HttpAnswer, RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import { findLink, issueLink, type Link, takeLink } from './links.ts'
import { accepted, requireMail } from './mail-code.ts'
import { replacePassword } from './new-password.ts'
import { proveFromOutside } from './proof.ts'
import type { AddressBody, RecoveryBody } from './schema.ts'
import { hasSignedInFrom, isKnownBrowser } from './store.ts'
import { entries, mailRequests, networkOfBrowser } from './throttle.ts'

const minutes = 30
/** The page that asks for the new password. */
const recoveryPath = '/recovery'

/** Mails a link to the person with this address, if there is one; the answer is the same for every address. */
export async function requestRecovery(context: RequestContext<SignInApp, AddressBody>): Promise<HttpAnswer> {
  const { app, body } = context
  requireMail(app)
  const email = requireAddress(body.email)
  const browser = browserOf(context)
  const isKnown = await isKnownBrowser(app.db, email, browser.hash)
  await countPersonAttempt(app, mailRequests({ email, browser, isKnown }))
  const now = new Date(app.clock.nowMs())
  const expiresAt = new Date(now.getTime() + minutes * 60_000)
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const person = await personByEmail(tx, email)
      const owner = {
        purpose: 'password_reset',
        personId: person?.personId ?? null,
        data: { email },
      } as const
      const token = await issueLink(tx, owner, { now, expiresAt })
      if (!person) return
      const { personId, locale } = person
      const data = { link: personLink(app, recoveryPath, token), minutes }
      const isNear = await hasSignedInFrom(tx, personId, networkOfBrowser(browser))
      const letter = { to: email, personId, kind: 'password_reset', locale, data } as const
      await queueLetter(app, tx, { ...letter, isOwn: isKnown, isNear }, now)
    }),
  )
  return accepted(minutes)
}

/** Sets the new password and signs in. Throws LINK_INVALID, PASSWORD_WEAK, TOO_MANY_ATTEMPTS and SIGN_IN_BUSY. */
export async function confirmRecovery(
  context: RequestContext<SignInApp, RecoveryBody>,
): Promise<EntryAnswer> {
  const { app, body } = context
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const found = await findLink(app.db, body.token, now)
  if (!found) return fail('LINK_INVALID', {})
  const password = requirePassword(body.password)
  const passwordHash = await app.passwords.hash(networkOfBrowser(browser), password)
  const entrance = await app.db.tx(async (tx) => {
    await lockPerson(tx, found.person_id)
    const link = await takeLink(tx, body.token, 'password_reset', now)
    const person = link && (await personOf(tx, link))
    if (!person) return fail('LINK_INVALID', {})
    // The proof drops what was set before anybody had proven the address.
    const isNewDevice = await proveFromOutside(context, tx, person, person.email, now)
    await replacePassword(app, tx, person, { passwordHash }, now)
    await note(context, tx, person, now)
    return finishFirstFactor(context, tx, { person, method: 'link', browser, isNewDevice }, now)
  })
  return answerEntrance(context, entrance)
}

/** The person to whose address the link was mailed, while it is still theirs. */
async function personOf(
  tx: Tx,
  { person_id: personId, data }: Link,
): Promise<(Person & { email: string }) | undefined> {
  const person = await personById(tx, personId)
  if (!person || person.email === null || person.email !== data.email) return undefined
  return { ...person, email: person.email }
}

const note = (
  { requestId, headers, operation }: RequestContext<SignInApp>,
  tx: Tx,
  { personId }: Person,
  now: Date,
): Promise<void> =>
  audit(
    tx,
    {
      accountId: null,
      actor: { kind: 'person', id: personId },
      operation,
      target: { kind: 'person', id: personId },
      requestId,
      client: headers['user-agent'],
    },
    now,
  )
