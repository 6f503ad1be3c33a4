/** What people change of their own sign-in: the password and the address; and the end of a session. */
import { auditRequest } from '#account/audit'
import { browserOf, type PersonView, personView } from '#account/entering'
import { queueLetter } from '#account/letters'
import { endSession, lockPerson, type Person, personById, rotateSession } from '#account/people'
import {
  countPersonAttempt,
  inConstantTime,
  maskedAddress,
  requireAddress,
  requirePassword,
} from '#account/sign-in'
import { fail } from '#platform/errors'
import {
  endedSessionCookie,
  type HttpAnswer,
  type RequestContext,
  requirePerson,
  sessionCookie,
} from '#platform/http'
import { changeAddress } from './address-change.ts'
import type { SignInApp } from './app.ts'
import { codeMinutes, issueCode, takeCode } from './codes.ts'
import { accepted, requireMail } from './mail-code.ts'
import { replacePassword } from './new-password.ts'
import type { AddressBody, AddressCode, NewPassword, SignedOut } from './schema.ts'
import { isAddressTaken } from './store.ts'
import { entries, ownChanges } from './throttle.ts'

/** Ends the session of this browser. */
export async function signOut(context: RequestContext<SignInApp>): Promise<SignedOut> {
  const { app } = context
  const { personId, sessionId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    await endSession(tx, personId, sessionId, now)
    await auditRequest(tx, context, { accountId: null, target: { kind: 'session', id: sessionId } })
  })
  endedSessionCookie(context)
  return { status: 'signed_out' }
}

/** Sets or replaces the password. Every other session ends, and this one gets a new token. Throws PASSWORD_WEAK, TOO_MANY_ATTEMPTS and SIGN_IN_BUSY. */
export async function setOwnPassword(context: RequestContext<SignInApp, NewPassword>): Promise<PersonView> {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  const password = requirePassword(body.password)
  await countPersonAttempt(app, ownChanges(personId))
  const passwordHash = await app.passwords.hash(personId, password)
  const now = new Date(app.clock.nowMs())
  const { person, token } = await app.db.tx(async (tx) => {
    await lockPerson(tx, personId)
    const found: Person = (await personById(tx, personId)) ?? fail('NOT_FOUND', {})
    await replacePassword(app, tx, found, { passwordHash, exceptSession: sessionId }, now)
    await auditRequest(tx, context, { accountId: null, target: { kind: 'person', id: personId } })
    return { person: { ...found, hasPassword: true }, token: await rotateSession(tx, sessionId, now) }
  })
  sessionCookie(context, token)
  return personView(person)
}

/** Mails a code to a new address; an address that somebody has gets none, and the answer is the same. */
export async function requestNewAddress(
  context: RequestContext<SignInApp, AddressBody>,
): Promise<HttpAnswer> {
  const { app, body } = context
  requireMail(app)
  const email = requireAddress(body.email)
  const { personId, locale } = requirePerson(context)
  await countPersonAttempt(app, ownChanges(personId))
  const { hash: browserHash } = browserOf(context)
  const now = new Date(app.clock.nowMs())
  const minutes = codeMinutes.email_change
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const isFree = !(await isAddressTaken(tx, email, now, personId))
      const mail = (code: string) => {
        const letter = {
          to: email,
          personId,
          locale,
          kind: 'email_change_code',
          data: { code, minutes },
        } as const
        return queueLetter(app, tx, letter, now)
      }
      const place = { purpose: 'email_change', email, browserHash } as const
      await issueCode(app, tx, place, { personId, ...(isFree && { mail }) }, now)
      const target = { kind: 'person', id: personId }
      await auditRequest(tx, context, { accountId: null, target, after: { email: maskedAddress(email) } })
    }),
  )
  return accepted(minutes)
}

/** Makes the new address the one with which the person signs in. Throws WRONG_CODE, EMAIL_TAKEN and TOO_MANY_ATTEMPTS. */
export async function confirmNewAddress(
  context: RequestContext<SignInApp, AddressCode>,
): Promise<PersonView> {
  const { app, body } = context
  const email = requireAddress(body.email)
  const { personId } = requirePerson(context)
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'email_change', email, browserHash: browser.hash } as const
  const changed = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      await lockPerson(tx, personId)
      const found = await takeCode(app, tx, place, body.code, now)
      const person = await personById(tx, personId)
      if (!person || found?.person_id !== personId) return undefined
      await changeAddress(app, tx, person, email, now)
      const target = { kind: 'person', id: personId }
      const before = person.email === null ? undefined : { email: maskedAddress(person.email) }
      await auditRequest(tx, context, {
        accountId: null,
        target,
        before,
        after: { email: maskedAddress(email) },
      })
      return { ...person, email }
    }),
  )
  return changed ? personView(changed) : fail('WRONG_CODE', {})
}
