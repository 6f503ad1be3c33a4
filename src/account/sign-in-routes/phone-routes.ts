import { Entered } from '#account/entering'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { route, type SignInApp } from './app.ts'
import { confirmPhone, deleteOwnPhone, requestPhone } from './own-phone.ts'
import { confirmPhoneCode, requestPhoneCode } from './phone-code.ts'
import * as schema from './schema.ts'

const open = { method: 'POST', scope: 'public', fromOwnPage: true } as const
const own = { method: 'POST', scope: 'person', audited: true, stepUp: true } as const

const withNumber: FailureCode[] = ['PHONE_INVALID', 'SMS_UNAVAILABLE', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED']

export const phoneRoutes: Route<SignInApp>[] = [
  route({
    ...open,
    path: '/v1/sign-in/phone',
    operation: 'sign_in.requestPhoneCode',
    summary: {
      en: 'Send a code by SMS, if somebody has proven this number. The answer is the same for every number.',
      fa: 'فرستادن کد با پیامک، اگر کسی این شماره را تأیید کرده باشد. پاسخ برای هر شماره یکسان است.',
    },
    body: schema.PhoneBody,
    reply: { 202: schema.Accepted },
    errors: withNumber,
    handle: requestPhoneCode,
  }),
  route({
    ...open,
    path: '/v1/sign-in/phone/confirm',
    operation: 'sign_in.confirmPhoneCode',
    summary: {
      en: 'Sign in with the code of an SMS, in the browser that asked for it. It steps nobody up.',
      fa: 'ورود با کد پیامک، در همان مرورگری که کد را خواست. تأیید دوبارهٔ هویت به شمار نمی‌آید.',
    },
    body: schema.PhoneCode,
    reply: { 200: Entered },
    errors: [...withNumber, 'WRONG_CODE'],
    handle: confirmPhoneCode,
  }),
  route({
    ...own,
    path: '/v1/me/phone',
    operation: 'me.requestPhone',
    summary: { en: 'Send a code to a new number of your own.', fa: 'فرستادن کد به شمارهٔ تازهٔ خود.' },
    body: schema.PhoneBody,
    reply: { 202: schema.Accepted },
    errors: withNumber,
    handle: requestPhone,
  }),
  route({
    ...own,
    path: '/v1/me/phone/confirm',
    operation: 'me.confirmPhone',
    summary: {
      en: 'Prove the new number by its code. The number before and your addresses hear of it.',
      fa: 'تأیید شمارهٔ تازه با کد. شمارهٔ پیشین و نشانی‌های شما باخبر می‌شوند.',
    },
    body: schema.PhoneCode,
    reply: { 200: schema.OwnPhone },
    errors: [...withNumber, 'WRONG_CODE'],
    handle: confirmPhone,
  }),
  route({
    ...own,
    method: 'DELETE',
    path: '/v1/me/phone',
    operation: 'me.removePhone',
    summary: {
      en: 'Remove the own number. It and your addresses hear of it.',
      fa: 'برداشتن شمارهٔ خود. شماره و نشانی‌های شما باخبر می‌شوند.',
    },
    reply: { 200: schema.OwnPhone },
    errors: ['NOT_FOUND', 'SECRETS_SEALED'],
    handle: deleteOwnPhone,
  }),
]
