/** Sign-in with a password, and a second factor after any first one. */
import {
  answerEntrance,
  type Browser,
  browserOf,
  type EntryAnswer,
  findChallenge,
  finishFirstFactor,
  finishSecondFactor,
} from '#account/entering'
import { checkSecondFactor, type FactorAnswer } from '#account/factors'
import { lockPerson, personByEmail } from '#account/people'
import { countPersonAttempt, passwordToCompare, requireAddress, uncountPersonAttempt } from '#account/sign-in'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import { whyInvalid } from './phrases.ts'
import type { PasswordSignIn, SecondFactorBody } from './schema.ts'
import { isBrowserOf, isKnownBrowser } from './store.ts'
import { factorAttempts, networkOfBrowser, ofChallenge, passwordAttempts } from './throttle.ts'

/**
 * An unknown address costs the same work and gets the same answer as a wrong password. Throws EMAIL_INVALID, WRONG_CREDENTIALS, TOO_MANY_ATTEMPTS and
 * SIGN_IN_BUSY.
 */
export async function signInWithPassword(
  context: RequestContext<SignInApp, PasswordSignIn>,
): Promise<EntryAnswer> {
  const { app, body } = context
  const email = requireAddress(body.email)
  const browser = browserOf(context)
  const isKnown = await isKnownBrowser(app.db, email, browser.hash)
  const attempts = passwordAttempts({ email, browser, isKnown })
  await countPersonAttempt(app, attempts)
  const person = await personByEmail(app.db, email)
  const given = passwordToCompare(body.password)
  const isRight = await app.passwords.matches(turnOf(browser, isKnown), given, person?.passwordHash, {
    isKnown,
  })
  if (!person || !isRight) fail('WRONG_CREDENTIALS', {})
  const now = new Date(app.clock.nowMs())
  const entrance = await app.db.tx(async (tx) => {
    const locked = await lockPerson(tx, person.personId)
    // The password was changed while the given one was compared.
    if (locked?.passwordHash !== person.passwordHash) fail('WRONG_CREDENTIALS', {})
    return finishFirstFactor(context, tx, { person, method: 'password', browser }, now)
  })
  await uncountPersonAttempt(app, attempts)
  return answerEntrance(context, entrance)
}

/** Known browsers wait for themselves, so that a flood from their network keeps nobody out. */
const turnOf = (browser: Browser, isKnown: boolean): string =>
  isKnown ? browser.hash.toString('base64') : networkOfBrowser(browser)

/**
 * Ends a sign-in by a code of an authenticator app or a recovery code. The challenge is in a cookie of the browser that gave the first factor. Throws
 * SIGN_IN_EXPIRED, WRONG_CODE and TOO_MANY_ATTEMPTS, and INVALID_REQUEST for both at once.
 */
export async function giveSecondFactor(
  context: RequestContext<SignInApp, SecondFactorBody>,
): Promise<EntryAnswer> {
  const { app, body } = context
  const answer = typedFactor(body)
  const now = new Date(app.clock.nowMs())
  const challenge = await findChallenge(app.db, context.cookie('challenge'), now)
  if (!challenge) return fail('SIGN_IN_EXPIRED', {})
  const browser = browserOf(context)
  const personId = challenge.person_id
  const isKnown = await isBrowserOf(app.db, personId, browser.hash)
  const attempts = factorAttempts({ personId, isKnown }, browser)
  await countPersonAttempt(app, [...attempts, ofChallenge(challenge.hash)])
  const entrance = await app.db.tx(async (tx) => {
    if (!(await lockPerson(tx, personId))) return undefined
    if (!(await checkSecondFactor(app, tx, personId, answer, now))) return undefined
    return (await finishSecondFactor(context, tx, { challenge, browser }, now)) ?? fail('SIGN_IN_EXPIRED', {})
  })
  if (!entrance) return fail('WRONG_CODE', {})
  await uncountPersonAttempt(app, attempts)
  return answerEntrance(context, entrance)
}

/** What was typed. Throws INVALID_REQUEST for both kinds of code, and for none. */
export function typedFactor({ code, recovery_code: recoveryCode }: SecondFactorBody): FactorAnswer {
  if (code !== undefined && recoveryCode === undefined) return { code }
  if (code === undefined && recoveryCode !== undefined) return { recoveryCode }
  return fail('INVALID_REQUEST', { why: whyInvalid.oneOfBoth }, { param: 'code' })
}
