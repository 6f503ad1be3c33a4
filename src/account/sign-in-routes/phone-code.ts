/** Sign-in with a code by SMS, to a number that the person has proven before. It is a first factor alone, and steps nobody up. */
import { answerEntrance, browserOf, type EntryAnswer, finishFirstFactor } from '#account/entering'
import { lockPerson } from '#account/people'
import { isBrowserOfPhone, personByPhone, queueCode, requireNumber, requireSms } from '#account/phones'
import { countPersonAttempt, inConstantTime } from '#account/sign-in'
import { fail } from '#platform/errors'
import type { HttpAnswer, RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import { codeMinutes, issueCode, takeCode } from './codes.ts'
import { accepted } from './mail-code.ts'
import type { PhoneBody, PhoneCode } from './schema.ts'
import { entries, textRequests } from './throttle.ts'

const minuteMs = 60_000
const minutes = codeMinutes.phone_sign_in

/** Sends a code to the person with this number, if there is one; the answer is the same for every number. */
export async function requestPhoneCode(context: RequestContext<SignInApp, PhoneBody>): Promise<HttpAnswer> {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  await requireSms(app, false, now)
  const number = requireNumber(app, body.phone)
  const browser = browserOf(context)
  const isKnown = await isBrowserOfPhone(app.db, number, browser.hash)
  await countPersonAttempt(app, textRequests({ number, browser, isKnown }))
  const place = { purpose: 'phone_sign_in', email: number, browserHash: browser.hash } as const
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const personId = (await personByPhone(tx, number))?.personId
      const expiresAt = new Date(now.getTime() + minutes * minuteMs)
      const mail =
        personId === undefined
          ? undefined
          : (code: string) => queueCode(app, tx, { number, personId, code, expiresAt, isOwn: isKnown }, now)
      await issueCode(app, tx, place, { personId, mail }, now)
    }),
  )
  return accepted(minutes)
}

/** Signs in by the code, in the browser that asked for it. Throws WRONG_CODE and TOO_MANY_ATTEMPTS. */
export async function confirmPhoneCode(context: RequestContext<SignInApp, PhoneCode>): Promise<EntryAnswer> {
  const { app, body } = context
  const number = requireNumber(app, body.phone)
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const place = { purpose: 'phone_sign_in', email: number, browserHash: browser.hash } as const
  const entrance = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const found = await personByPhone(tx, number)
      if (found) await lockPerson(tx, found.personId)
      const code = await takeCode(app, tx, place, body.code, now)
      // The number may have come to somebody else since it was read, and since the code was sent.
      const person = await personByPhone(tx, number)
      if (!person || person.personId !== code?.person_id) return undefined
      return finishFirstFactor(context, tx, { person, method: 'sms', browser }, now)
    }),
  )
  return entrance ? answerEntrance(context, entrance) : fail('WRONG_CODE', {})
}
