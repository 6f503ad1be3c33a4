/** The phone number of a person: proven by a code before it counts; the one before, and the addresses, hear of every change. */
import { auditRequest } from '#account/audit'
import { type Browser, browserOf } from '#account/entering'
import { lockPerson, type Person, personById } from '#account/people'
import {
  givePhone,
  lockForNumber,
  lockNumber,
  maskedNumber,
  queueCode,
  removePhone,
  requireNumber,
  requireSms,
} from '#account/phones'
import { countPersonAttempt, inConstantTime } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type HttpAnswer, type RequestContext, requirePerson } from '#platform/http'
import type { SignInApp } from './app.ts'
import { codeMinutes, dropCodesOf, issueCode, takeCode } from './codes.ts'
import { accepted } from './mail-code.ts'
import type { OwnPhone, PhoneBody, PhoneCode } from './schema.ts'
import { entries, newNumbers, textRequests } from './throttle.ts'

const minuteMs = 60_000
const minutes = codeMinutes.phone_change

const placeOf = (number: string, { hash: browserHash }: Browser) =>
  ({ purpose: 'phone_change', email: number, browserHash }) as const

/** Sends a code to a number, whoever has it: only the proof counts. Throws SMS_UNAVAILABLE, PHONE_INVALID and TOO_MANY_ATTEMPTS. */
export async function requestPhone(context: RequestContext<SignInApp, PhoneBody>): Promise<HttpAnswer> {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  await requireSms(app, true, now)
  const number = requireNumber(app, body.phone)
  const { personId } = requirePerson(context)
  const browser = browserOf(context)
  await countPersonAttempt(app, [
    ...textRequests({ number, browser, isKnown: false }),
    ...newNumbers(personId),
  ])
  const expiresAt = new Date(now.getTime() + minutes * minuteMs)
  await inConstantTime(() =>
    app.db.tx(async (tx) => {
      // Before the count of the day and the code, which a confirmation of the same number locks in the other order.
      await lockNumber(tx, number)
      const mail = (code: string) =>
        queueCode(app, tx, { number, personId, code, expiresAt, isNewNumber: true }, now)
      await issueCode(app, tx, placeOf(number, browser), { personId, mail }, now)
      const target = { kind: 'person', id: personId }
      await auditRequest(tx, context, { accountId: null, target, after: { phone: maskedNumber(number) } })
    }),
  )
  return accepted(minutes)
}

/** Makes the proven number that of the person, in place of an earlier one. Throws WRONG_CODE, PHONE_INVALID and TOO_MANY_ATTEMPTS. */
export async function confirmPhone(context: RequestContext<SignInApp, PhoneCode>): Promise<OwnPhone> {
  const { app, body } = context
  const number = requireNumber(app, body.phone)
  const { personId } = requirePerson(context)
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const isDone = await inConstantTime(() =>
    app.db.tx(async (tx) => {
      const holder = await lockForNumber(tx, personId, number)
      const code = await takeCode(app, tx, placeOf(number, browser), body.code, now)
      const person = await personById(tx, personId)
      if (!person || code?.person_id !== personId) return false
      await give(context, tx, { person, number, holder }, now)
      return true
    }),
  )
  return isDone ? { phone: number } : fail('WRONG_CODE', {})
}

async function give(
  context: RequestContext<SignInApp, unknown>,
  tx: Tx,
  given: { person: Person; number: string; holder: Person | undefined },
  now: Date,
): Promise<void> {
  const { person, number } = given
  const { before, takenFrom } = await givePhone(context.app, tx, given, now)
  // Codes to the number before, and to the one whose person has changed, sign nobody in any more.
  await dropCodesOf(tx, person.personId)
  if (takenFrom) await dropCodesOf(tx, takenFrom.personId)
  const masked = maskedNumber(number)
  await auditRequest(tx, context, {
    accountId: null,
    target: { kind: 'person', id: person.personId },
    before: before === null ? undefined : { phone: maskedNumber(before) },
    after: { phone: masked },
  })
  if (!takenFrom) return
  const target = { kind: 'person', id: takenFrom.personId }
  await auditRequest(tx, context, {
    accountId: null,
    target,
    before: { phone: masked },
    after: { phone: null },
  })
}

/** Removes the own number. Throws NOT_FOUND where there is none. */
export async function deleteOwnPhone(context: RequestContext<SignInApp>): Promise<OwnPhone> {
  const { app } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    await lockPerson(tx, personId)
    const number = (await removePhone(app, tx, personId, now)) ?? fail('NOT_FOUND', {})
    await dropCodesOf(tx, personId)
    const target = { kind: 'person', id: personId }
    await auditRequest(tx, context, { accountId: null, target, before: { phone: maskedNumber(number) } })
  })
  return { phone: null }
}
