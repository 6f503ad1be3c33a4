/** The end of every sign-in: a session, or the challenge for a second factor. */
import { audit } from '#account/audit'
import { type SecondFactor, secondFactorsOf } from '#account/factors'
import { queueLetter } from '#account/letters'
import {
  endSessionOf,
  openSession,
  type Person,
  personById,
  provenAddresses,
  type SessionMethod,
} from '#account/people'
import type { Tx } from '#platform/db'
import { browserHashOf, type RequestContext, sessionCookie, visitorOf } from '#platform/http'
import type { EnteringApp } from './app.ts'
import { type Challenge, challengeMs, endChallenge, openChallenge } from './challenges.ts'
import type { EntryAnswer, PersonView } from './schema.ts'

/** What is read of the request of a sign-in. */
export type EnteringContext<App extends EnteringApp = EnteringApp> = Pick<
  RequestContext<App>,
  'app' | 'headers' | 'peer' | 'requestId' | 'cookie' | 'setCookie'
>

/** A browser that names itself, and from where it calls. Read it once a request: it sets the cookie that names the browser. */
export interface Browser {
  hash: Buffer
  userAgent: string | undefined
  address: string
}

export const browserOf = (context: EnteringContext): Browser => ({
  hash: browserHashOf(context),
  userAgent: context.headers['user-agent'],
  address: visitorOf(context, context.app.config.trustedProxies).clientAddress,
})

/** How a sign-in goes on once its transaction has committed; `answerEntrance` makes the answer of it. */
export type Entrance =
  | { status: 'signed_in'; person: Person; sessionId: string; token: string }
  | { status: 'second_factor'; factors: SecondFactor[]; token: string }

export interface FirstFactor {
  person: Person
  method: SessionMethod
  browser: Browser
  /** The factor counts for both, as a passkey that has verified its person. */
  bothFactors?: boolean
  /** The sign-in is told as one from a new device, also where the browser is the first one or known. */
  isNewDevice?: boolean
}

/**
 * Ends a first factor, in the transaction that used it up: opens the session, or the challenge where the person has a second factor. The token is
 * always a new one, whatever cookie the browser brought. A provider of OpenID Connect alone steps nobody up: it may have asked for nothing. Nor does a code by
 * SMS: whoever has got the number moved to a SIM of their own would change all other ways to sign in with it.
 */
export async function finishFirstFactor(
  context: EnteringContext,
  tx: Tx,
  { person, method, browser, bothFactors = false, isNewDevice = false }: FirstFactor,
  now: Date,
): Promise<Entrance> {
  const { personId } = person
  const factors = bothFactors ? [] : await secondFactorsOf(tx, personId)
  const isSteppedUp = method !== 'openid' && method !== 'sms'
  if (factors.length === 0)
    return open(context, tx, { person, method, isSteppedUp, browser, isNewDevice }, now)
  return { status: 'second_factor', factors, token: await openChallenge(tx, { personId, method }, now) }
}

/** Ends a second factor, in the transaction that used it up. Returns undefined if the challenge or its person has ended meanwhile. */
export async function finishSecondFactor(
  context: EnteringContext,
  tx: Tx,
  { challenge, browser }: { challenge: Challenge; browser: Browser },
  now: Date,
): Promise<Entrance | undefined> {
  if (!(await endChallenge(tx, challenge))) return undefined
  const person = await personById(tx, challenge.person_id)
  const { method } = challenge
  return person && open(context, tx, { person, method, isSteppedUp: true, browser }, now)
}

async function open(
  context: EnteringContext,
  tx: Tx,
  {
    person: given,
    method,
    isSteppedUp,
    browser,
    isNewDevice: isToldAsNew = false,
  }: Pick<FirstFactor, 'person' | 'method' | 'browser' | 'isNewDevice'> & { isSteppedUp: boolean },
  now: Date,
): Promise<Entrance> {
  const { app, requestId } = context
  // The transaction may have changed the person since they were found.
  const person = (await personById(tx, given.personId)) ?? given
  const { personId, locale } = person
  const { hash: deviceHash, userAgent, address } = browser
  // The browser forgets the token that it had, so nobody could end that session here.
  const former = context.cookie('session')
  if (former !== undefined) await endSessionOf(tx, former, now)
  const opened = await openSession(
    tx,
    { personId, method, isSteppedUp, userAgent, openedFrom: address, deviceHash },
    now,
  )
  const { sessionId, token } = opened
  const isNewDevice = opened.isNewDevice || isToldAsNew
  if (isNewDevice) {
    const data = { device: userAgent ?? '', at: now, from: address }
    for (const to of await provenAddresses(tx, personId))
      await queueLetter(app, tx, { to, personId, kind: 'new_device', locale, data }, now)
  }
  await audit(
    tx,
    {
      accountId: null,
      actor: { kind: 'person', id: personId },
      operation: 'sign_in',
      target: { kind: 'session', id: sessionId },
      after: { method, new_device: isNewDevice },
      requestId,
      client: userAgent,
    },
    now,
  )
  return { status: 'signed_in', person, sessionId, token }
}

/** The person as answers show it. */
export const personView = (person: Person): PersonView => ({
  id: person.personId,
  display_name: person.displayName,
  email: person.email,
  locale: person.locale,
  time_zone: person.timeZone,
  is_operator: person.isOperator,
  has_password: person.hasPassword,
  created_at: person.createdAt.toISOString(),
})

/** Sets the cookies of a sign-in whose transaction has committed, and returns the body of the answer. */
export function answerEntrance(context: EnteringContext, entrance: Entrance): EntryAnswer {
  if (entrance.status === 'second_factor') {
    context.setCookie('challenge', entrance.token, challengeMs / 1000)
    return { status: 'second_factor', factors: entrance.factors }
  }
  sessionCookie(context, entrance.token)
  if (context.cookie('challenge') !== undefined) context.setCookie('challenge', undefined, 0)
  return { status: 'signed_in', person: personView(entrance.person) }
}
