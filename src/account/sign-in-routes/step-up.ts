/** A factor that is given again in an open session, for what asks for a recent one. */
import { auditRequest } from '#account/audit'
import { browserOf } from '#account/entering'
import { type CheckedFactor, checkSecondFactor, requireNoSecondFactor } from '#account/factors'
import { queueLetter } from '#account/letters'
import { lockPerson, personByEmail, personById, proveAddress, stepUp } from '#account/people'
import { countPersonAttempt, inConstantTime, passwordToCompare, uncountPersonAttempt } from '#account/sign-in'
import type { CallerPerson } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type HttpAnswer, type RequestContext, requirePerson } from '#platform/http'
import type { SignInApp } from './app.ts'
import { codeMinutes, issueCode, takeCode } from './codes.ts'
import { accepted, requireMail } from './mail-code.ts'
import { typedFactor } from './password.ts'
import type { CodeBody, PasswordBody, SecondFactorBody } from './schema.ts'

import { isBrowserOf } from './store.ts'

import { factorAttempts, stepUps } from './throttle.ts'

type StepUpContext<Body> = RequestContext<SignInApp, Body>

interface SteppedUp {
  stepped_up_at: string
}

/** Throws WRONG_CREDENTIALS, TOO_MANY_ATTEMPTS, SIGN_IN_BUSY, and SECOND_FACTOR_NEEDED where the person has a second factor. */
export async function stepUpByPassword(context: StepUpContext<PasswordBody>): Promise<SteppedUp> {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  await countPersonAttempt(app, stepUps(sessionId))
  await requireNoSecondFactor(app.db, personId)
  const person = await personById(app.db, personId)
  const known = person?.email == null ? undefined : await personByEmail(app.db, person.email)
  const given = passwordToCompare(body.password)
  if (!(await app.passwords.matches(personId, given, known?.passwordHash, { isKnown: true })))
    fail('WRONG_CREDENTIALS', {})
  const now = new Date(app.clock.nowMs())
  return ended(context, await app.db.tx((tx) => finish(context, tx, 'password', now)))
}

/** Mails a code to the person of the session. Throws SECOND_FACTOR_NEEDED where the person has a second factor. */
export async function requestStepUpCode(context: StepUpContext<unknown>): Promise<HttpAnswer> {
  const { app } = context
  requireMail(app)
  const { personId, sessionId } = requirePerson(context)
  await countPersonAttempt(app, stepUps(sessionId))
  const { hash: browserHash } = browserOf(context)
  const now = new Date(app.clock.nowMs())
  const minutes = codeMinutes.step_up
  await app.db.tx(async (tx) => {
    await requireNoSecondFactor(tx, personId)
    const email = await addressOf(tx, personId)
    const mail = (code: string) => {
      const { locale } = requirePerson(context)
      const letter = {
        to: email,
        personId,
        locale,
        kind: 'sign_in_code',
        data: { code, minutes },
        isOwn: true,
      } as const
      return queueLetter(app, tx, letter, now)
    }
    await issueCode(app, tx, { purpose: 'step_up', email, browserHash }, { personId, mail }, now)
  })
  return accepted(minutes)
}

/** Takes a mailed code, which proves the address too. Throws WRONG_CODE and TOO_MANY_ATTEMPTS. */
export async function stepUpByCode(context: StepUpContext<CodeBody>): Promise<SteppedUp> {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  await countPersonAttempt(app, stepUps(sessionId))
  const { hash: browserHash } = browserOf(context)
  const now = new Date(app.clock.nowMs())
  const done = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      await lockPerson(tx, personId)
      const email = await addressOf(tx, personId)
      const found = await takeCode(app, tx, { purpose: 'step_up', email, browserHash }, body.code, now)
      if (found?.person_id !== personId) return undefined
      await requireNoSecondFactor(tx, personId)
      await proveAddress(tx, { personId, email, inSession: true }, now)
      return finish(context, tx, 'code', now)
    }),
  )
  return done ? ended(context, done) : fail('WRONG_CODE', {})
}

/** Takes a code of an authenticator app, or a recovery code. Throws WRONG_CODE and TOO_MANY_ATTEMPTS. */
export async function stepUpByTotp(context: StepUpContext<SecondFactorBody>): Promise<SteppedUp> {
  const { app, body } = context
  const { personId, sessionId } = requirePerson(context)
  const answer = typedFactor(body)
  const browser = browserOf(context)
  const isKnown = await isBrowserOf(app.db, personId, browser.hash)
  // These are attempts at the same codes as those of a sign-in, so they are counted with them.
  const attempts = factorAttempts({ personId, isKnown }, browser)
  await countPersonAttempt(app, [...attempts, ...stepUps(sessionId)])
  const now = new Date(app.clock.nowMs())
  const done = await app.db.tx(async (tx) => {
    const checked = await checkSecondFactor(app, tx, personId, answer, now)
    return checked && finish(context, tx, checked.kind, now)
  })
  if (!done) return fail('WRONG_CODE', {})
  await uncountPersonAttempt(app, attempts)
  return ended(context, done)
}

async function addressOf(tx: Tx, personId: string): Promise<string> {
  const person = await personById(tx, personId)
  return person?.email ?? fail('MAIL_UNAVAILABLE', { lacks: 'address' })
}

async function finish(
  context: StepUpContext<unknown>,
  tx: Tx,
  factor: 'password' | 'code' | CheckedFactor['kind'],
  now: Date,
): Promise<SteppedUp> {
  const { sessionId }: CallerPerson = requirePerson(context)
  await stepUp(tx, sessionId, now)
  await auditRequest(tx, context, {
    accountId: null,
    target: { kind: 'session', id: sessionId },
    after: { factor },
  })
  return { stepped_up_at: now.toISOString() }
}

/** Takes back the count of the attempt once the transaction has committed, on a connection of its own. */
async function ended(context: StepUpContext<unknown>, done: SteppedUp): Promise<SteppedUp> {
  await uncountPersonAttempt(context.app, stepUps(requirePerson(context).sessionId))
  return done
}
