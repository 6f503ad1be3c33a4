/** Sign-in with a code that is mailed. */
import { answerEntrance, browserOf, type EntryAnswer, finishFirstFactor } from '#account/entering'
import { mailChannel, queueLetter } from '#account/letters'
import { lockPerson, personByEmail } from '#account/people'
import { countPersonAttempt, inConstantTime, requireAddress } from '#account/sign-in'
import type { Config } from '#platform/config'
import { fail } from '#platform/errors'
import { HttpAnswer, type RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import { codeMinutes, issueCode, takeCode } from './codes.ts'
import { proveFromOutside } from './proof.ts'
import type { AddressBody, AddressCode } from './schema.ts'
import { hasSignedInFrom, isKnownBrowser } from './store.ts'
import { entries, mailRequests, networkOfBrowser } from './throttle.ts'

/** Throws MAIL_UNAVAILABLE (503) for every address alike. */
export function requireMail(app: { config: Pick<Config, 'mail' | 'baseUrlNamed'> }): void {
  if (mailChannel(app) === 'none') fail('MAIL_UNAVAILABLE', { lacks: 'channel' })
}

export const accepted = (minutes: number): HttpAnswer => new HttpAnswer(202, { status: 'accepted', minutes })

/** Mails a code to the person with this address, if there is one; the answer is the same for every address. */
export async function requestCode(context: RequestContext<SignInApp, AddressBody>): Promise<HttpAnswer> {
  const { app, body } = context
  requireMail(app)
  const email = requireAddress(body.email)
  const browser = browserOf(context)
  const isKnown = await isKnownBrowser(app.db, email, browser.hash)
  await countPersonAttempt(app, mailRequests({ email, browser, isKnown }))
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'sign_in', email, browserHash: browser.hash } as const
  const minutes = codeMinutes.sign_in
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const person = await personByEmail(tx, email)
      const isNear = person && (await hasSignedInFrom(tx, person.personId, networkOfBrowser(browser)))
      const mail =
        person &&
        ((code: string) => {
          const { personId, locale } = person
          const letter = {
            to: email,
            personId,
            locale,
            kind: 'sign_in_code',
            data: { code, minutes },
            ...{ isOwn: isKnown, isNear },
          } as const
          return queueLetter(app, tx, letter, now)
        })
      await issueCode(app, tx, place, { personId: person?.personId, mail }, now)
    }),
  )
  return accepted(minutes)
}

/**
 * Signs in by the code, in the browser that asked for it. Whoever reads the mailbox has the address: what was set before anybody had proven it is
 * dropped. Throws WRONG_CODE and TOO_MANY_ATTEMPTS.
 */
export async function confirmCode(context: RequestContext<SignInApp, AddressCode>): Promise<EntryAnswer> {
  const { app, body } = context
  const email = requireAddress(body.email)
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'sign_in', email, browserHash: browser.hash } as const
  const entrance = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const owner = await personByEmail(tx, email)
      if (owner) await lockPerson(tx, owner.personId)
      const found = await takeCode(app, tx, place, body.code, now)
      // The address may have changed its owner since the code was mailed.
      if (!owner || owner.personId !== found?.person_id) return undefined
      const isNewDevice = await proveFromOutside(context, tx, owner, email, now)
      return finishFirstFactor(context, tx, { person: owner, method: 'code', browser, isNewDevice }, now)
    }),
  )
  return entrance ? answerEntrance(context, entrance) : fail('WRONG_CODE', {})
}
