/** Sign-up: a person begins to exist when the address is proven by a code, in the browser that asked for it. */
import { answerEntrance, browserOf, type EntryAnswer, finishFirstFactor } from '#account/entering'
import { acceptInvitation, findInvitation } from '#account/invitations'
import { mailChannel, queueLetter } from '#account/letters'
import { openAccount } from '#account/new-accounts'
import { createPerson, type Person } from '#account/people'
import { countPersonAttempt, inConstantTime, requireAddress, requirePassword } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { HttpAnswer, RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import { codeMinutes, dropSignUps, issueCode, takeCode } from './codes.ts'
import { accepted, requireMail } from './mail-code.ts'
import type { AddressCode, SignUp } from './schema.ts'
import { isAddressTaken, isAnybodyThere } from './store.ts'
import { entries, networkOfBrowser, signUps, signUpsOf } from './throttle.ts'

/** Who may sign up now: open sign-up needs a mail channel, because nobody else proves addresses. */
export async function signUpMode(
  app: Pick<SignInApp, 'config' | 'db'>,
): Promise<'closed' | 'invitation' | 'open'> {
  if (!(await isAnybodyThere(app.db))) return 'closed'
  const { signUp } = app.config.people
  return signUp === 'open' && mailChannel(app) === 'none' ? 'invitation' : signUp
}

/** What waits for the proof of an address. The invitation is sealed: it is a token. */
interface PendingSignUp {
  displayName: string
  locale: 'fa' | 'en'
  passwordHash: string | null
  invitation: string | null
}

/**
 * Mails a code to a new address; an address that somebody has gets a letter that says so, and the answer is the same. Throws SIGN_UP_CLOSED,
 * INVITATION_INVALID, MAIL_UNAVAILABLE, EMAIL_INVALID, PASSWORD_WEAK, TOO_MANY_ATTEMPTS and SIGN_IN_BUSY.
 */
export async function signUp(context: RequestContext<SignInApp, SignUp>): Promise<HttpAnswer> {
  const { app, body } = context
  const email = requireAddress(body.email)
  const password = body.password === undefined ? undefined : requirePassword(body.password)
  const browser = browserOf(context)
  await countPersonAttempt(app, signUps(browser))
  await requireAdmission(app, email, body.invitation)
  requireMail(app)
  const isInvited = body.invitation !== undefined
  await countPersonAttempt(app, signUpsOf(email, isInvited))
  const passwordHash =
    password === undefined ? null : await app.passwords.hash(networkOfBrowser(browser), password)
  const { display_name: displayName, locale } = body
  const invitation =
    body.invitation === undefined ? null : await app.secrets.seal(body.invitation, sealedFor(email))
  const data: PendingSignUp = { displayName, locale, passwordHash, invitation }
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'sign_up', email, browserHash: browser.hash } as const
  const minutes = codeMinutes.sign_up
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const isTaken = await isAddressTaken(tx, email, now)
      const letter = { to: email, locale, isOwn: isInvited }
      const mail = (code: string) =>
        isTaken
          ? queueLetter(app, tx, { ...letter, kind: 'sign_up_exists', data: {} }, now)
          : queueLetter(app, tx, { ...letter, kind: 'sign_up_code', data: { code, minutes } }, now)
      await issueCode(app, tx, place, { data: { ...data }, mail }, now)
    }),
  )
  return accepted(minutes)
}

const sealedFor = (email: string): string => `sign-up ${email}`

async function requireAdmission(
  app: SignInApp,
  email: string,
  invitation: string | undefined,
): Promise<void> {
  const mode = await signUpMode(app)
  const isAnybody = mode !== 'closed' || (await isAnybodyThere(app.db))
  if (mode === 'closed') fail('SIGN_UP_CLOSED', { why: isAnybody ? 'closed' : 'nobody' })
  if (invitation !== undefined) {
    const found = await findInvitation(app.db, invitation, new Date(app.clock.nowMs()))
    if (found?.email !== email) fail(found ? 'INVITATION_FOR_ANOTHER' : 'INVITATION_INVALID', {})
  } else if (mode === 'invitation') {
    if (app.config.people.signUp === 'open') requireMail(app)
    fail('SIGN_UP_CLOSED', { why: 'invitation' })
  }
}

/**
 * Makes the person, with the membership of the invitation or an account of their own, and signs in. Whatever else waits for this address is dropped.
 * Throws WRONG_CODE, INVITATION_INVALID, TOO_MANY_ATTEMPTS and TOO_MANY_ACCOUNTS.
 */
export async function confirmSignUp(context: RequestContext<SignInApp, AddressCode>): Promise<EntryAnswer> {
  const { app, body } = context
  const email = requireAddress(body.email)
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'sign_up', email, browserHash: browser.hash } as const
  const entrance = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const found = await takeCode(app, tx, place, body.code, now)
      if (!found || (await isAddressTaken(tx, email, now))) return undefined
      const pending = found.data as unknown as PendingSignUp
      const { displayName, locale, passwordHash } = pending
      const person = await createPerson(tx, { displayName, locale, email, passwordHash }, now)
      await dropSignUps(tx, email)
      await giveAccount(context, tx, { person, email, pending, network: networkOfBrowser(browser) }, now)
      return finishFirstFactor(context, tx, { person, method: 'code', browser }, now)
    }),
  )
  return entrance ? answerEntrance(context, entrance) : fail('WRONG_CODE', {})
}

async function giveAccount(
  context: RequestContext<SignInApp>,
  tx: Tx,
  {
    person,
    email,
    pending,
    network,
  }: { person: Person; email: string; pending: PendingSignUp; network: string },
  now: Date,
): Promise<void> {
  const { app, requestId, headers } = context
  if (pending.invitation === null) {
    await openAccount(context, tx, { person, email, network }, now)
    return
  }
  const token = await app.secrets.open(pending.invitation, sealedFor(email))
  const request = { requestId, client: headers['user-agent'] }
  await acceptInvitation(tx, { token, personId: person.personId }, request, now)
}
