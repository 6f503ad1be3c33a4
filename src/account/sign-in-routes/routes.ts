import { Entered, PersonView } from '#account/entering'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { route, type SignInApp } from './app.ts'
import { confirmCode, requestCode } from './mail-code.ts'
import { listMethods } from './methods.ts'
import { confirmNewAddress, requestNewAddress, setOwnPassword, signOut } from './own-account.ts'
import { giveSecondFactor, signInWithPassword } from './password.ts'
import { phoneRoutes } from './phone-routes.ts'
import { confirmRecovery, requestRecovery } from './recovery.ts'
import { readLink, redeem } from './redeem.ts'
import * as schema from './schema.ts'
import { confirmSignUp, signUp } from './sign-up.ts'
import { requestStepUpCode, stepUpByCode, stepUpByPassword, stepUpByTotp } from './step-up.ts'
import './phrases.ts'

/** Nobody has a session yet; a page of another site signs no browser in. */
const open = { method: 'POST', scope: 'public', fromOwnPage: true } as const
/** Somebody has a session, and no project is needed. */
const own = { method: 'POST', scope: 'person', audited: true } as const

const withAddress: FailureCode[] = ['EMAIL_INVALID', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED']
const withCode: FailureCode[] = [...withAddress, 'WRONG_CODE']
const withPassword: FailureCode[] = ['TOO_MANY_ATTEMPTS', 'SIGN_IN_BUSY', 'SECRETS_SEALED']

const signIn: Route<SignInApp>[] = [
  route({
    method: 'GET',
    path: '/v1/sign-in/methods',
    operation: 'sign_in.methods',
    scope: 'public',
    summary: { en: 'How people sign in at this address.', fa: 'راه‌های ورود در این نشانی.' },
    reply: { 200: schema.SignInMethods },
    errors: [],
    handle: listMethods,
  }),
  route({
    ...open,
    path: '/v1/sign-in/password',
    operation: 'sign_in.password',
    summary: {
      en: 'Sign in with address and password. A second factor is asked for where the person has one.',
      fa: 'ورود با نشانی و گذرواژه. اگر شخص ورود دومرحله‌ای دارد، مرحلهٔ دوم هم خواسته می‌شود.',
    },
    body: schema.PasswordSignIn,
    reply: { 200: Entered },
    errors: [...withAddress, 'WRONG_CREDENTIALS', 'SIGN_IN_BUSY'],
    handle: signInWithPassword,
  }),
  route({
    ...open,
    path: '/v1/sign-in/code',
    operation: 'sign_in.requestCode',
    summary: {
      en: 'Mail a code, if somebody has this address. The answer is the same for every address.',
      fa: 'فرستادن کد، اگر کسی این نشانی را داشته باشد. پاسخ برای هر نشانی یکسان است.',
    },
    body: schema.AddressBody,
    reply: { 202: schema.Accepted },
    errors: [...withAddress, 'MAIL_UNAVAILABLE'],
    handle: requestCode,
  }),
  route({
    ...open,
    path: '/v1/sign-in/code/confirm',
    operation: 'sign_in.confirmCode',
    summary: {
      en: 'Sign in with the code, in the browser that asked for it.',
      fa: 'ورود با کد، در همان مرورگری که کد را خواست.',
    },
    body: schema.AddressCode,
    reply: { 200: Entered },
    errors: withCode,
    handle: confirmCode,
  }),
  route({
    ...open,
    path: '/v1/sign-in/second-factor',
    operation: 'sign_in.secondFactor',
    summary: {
      en: 'End a sign-in with a code of an authenticator app, or with a recovery code.',
      fa: 'پایان ورود با کد برنامهٔ رمزساز یا با کد بازیابی.',
    },
    body: schema.SecondFactorBody,
    reply: { 200: Entered },
    errors: ['SIGN_IN_EXPIRED', 'TOO_MANY_ATTEMPTS', 'WRONG_CODE', 'SECRETS_SEALED'],
    handle: giveSecondFactor,
  }),
  route({
    ...own,
    path: '/v1/sign-out',
    operation: 'sign_in.signOut',
    whileLeaving: true,
    summary: { en: 'End the session of this browser.', fa: 'پایان نشست این مرورگر.' },
    reply: { 200: schema.SignedOut },
    errors: [],
    handle: signOut,
  }),
]

const ways: Route<SignInApp>[] = [
  route({
    ...open,
    path: '/v1/sign-up',
    operation: 'sign_up.request',
    summary: {
      en: 'Mail a code to a new address. The answer is the same for an address that somebody has.',
      fa: 'فرستادن کد به نشانی تازه. پاسخ برای نشانی‌ای که کسی دارد همان است.',
    },
    body: schema.SignUp,
    reply: { 202: schema.Accepted },
    errors: [
      ...withAddress,
      ...(['PASSWORD_WEAK', 'SIGN_IN_BUSY', 'SIGN_UP_CLOSED', 'MAIL_UNAVAILABLE'] as const),
      ...(['INVITATION_INVALID', 'INVITATION_FOR_ANOTHER'] as const),
    ],
    handle: signUp,
  }),
  route({
    ...open,
    path: '/v1/sign-up/confirm',
    operation: 'sign_up.confirm',
    summary: {
      en: 'Prove the address by its code, in the browser that asked for it, and sign in.',
      fa: 'تأیید نشانی با کد، در همان مرورگری که کد را خواست، و ورود.',
    },
    body: schema.AddressCode,
    reply: { 200: Entered },
    errors: [...withCode, 'TOO_MANY_ACCOUNTS', 'INVITATION_INVALID', 'INVITATION_FOR_ANOTHER', 'EMAIL_TAKEN'],
    handle: confirmSignUp,
  }),
  route({
    ...open,
    path: '/v1/recovery',
    operation: 'recovery.request',
    summary: {
      en: 'Mail a link for a new password, if somebody has this address. The answer is the same for every address.',
      fa: 'فرستادن پیوند گذرواژهٔ تازه، اگر کسی این نشانی را داشته باشد. پاسخ برای هر نشانی یکسان است.',
    },
    body: schema.AddressBody,
    reply: { 202: schema.Accepted },
    errors: [...withAddress, 'MAIL_UNAVAILABLE'],
    handle: requestRecovery,
  }),
  route({
    ...open,
    path: '/v1/recovery/confirm',
    operation: 'recovery.confirm',
    summary: {
      en: 'Set a new password by the link. Every session ends, and a second factor is asked for as always.',
      fa: 'گذاشتن گذرواژهٔ تازه با پیوند. همهٔ نشست‌ها پایان می‌یابند و مرحلهٔ دوم ورود مانند همیشه خواسته می‌شود.',
    },
    body: schema.RecoveryBody,
    reply: { 200: Entered },
    errors: [...withPassword, 'LINK_INVALID', 'PASSWORD_WEAK'],
    handle: confirmRecovery,
  }),
  route({
    ...open,
    path: '/v1/links/read',
    operation: 'links.read',
    summary: { en: 'What a link is for; nothing changes.', fa: 'یک پیوند برای چیست؛ چیزی تغییر نمی‌کند.' },
    body: schema.LinkBody,
    reply: { 200: schema.LinkView },
    errors: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED'],
    handle: readLink,
  }),
  route({
    ...open,
    path: '/v1/links/redeem',
    operation: 'links.redeem',
    summary: {
      en: 'Do what a link is for, once: the first operator, an invitation, a reset, an address that is brought back.',
      fa: 'انجام کار یک پیوند، یک بار: گردانندهٔ نخست، دعوت، بازنشانی، برگرداندن نشانی.',
    },
    body: schema.LinkRedemption,
    reply: { 200: schema.Redeemed },
    errors: [
      ...withPassword,
      ...(['LINK_INVALID', 'PASSWORD_WEAK', 'EMAIL_INVALID', 'EMAIL_TAKEN', 'NOT_SIGNED_IN'] as const),
      ...(['INVITATION_INVALID', 'INVITATION_FOR_ANOTHER'] as const),
    ],
    handle: redeem,
  }),
]

const stepUp: Route<SignInApp>[] = [
  route({
    ...own,
    path: '/v1/step-up/password',
    operation: 'step_up.password',
    summary: { en: 'Give the password again in this session.', fa: 'دوباره دادن گذرواژه در همین نشست.' },
    body: schema.PasswordBody,
    reply: { 200: schema.SteppedUp },
    errors: [...withPassword, 'WRONG_CREDENTIALS', 'SECOND_FACTOR_NEEDED'],
    handle: stepUpByPassword,
  }),
  route({
    method: 'POST',
    scope: 'person',
    path: '/v1/step-up/code',
    operation: 'step_up.requestCode',
    summary: { en: 'Mail a code to yourself.', fa: 'فرستادن کد به خود.' },
    reply: { 202: schema.Accepted },
    errors: ['MAIL_UNAVAILABLE', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED', 'SECOND_FACTOR_NEEDED'],
    handle: requestStepUpCode,
  }),
  route({
    ...own,
    path: '/v1/step-up/code/confirm',
    operation: 'step_up.code',
    summary: { en: 'Give the mailed code in this session.', fa: 'دادن کد ایمیل در همین نشست.' },
    body: schema.CodeBody,
    reply: { 200: schema.SteppedUp },
    errors: ['MAIL_UNAVAILABLE', 'TOO_MANY_ATTEMPTS', 'WRONG_CODE', 'SECRETS_SEALED', 'SECOND_FACTOR_NEEDED'],
    handle: stepUpByCode,
  }),
  route({
    ...own,
    path: '/v1/step-up/totp',
    operation: 'step_up.totp',
    summary: {
      en: 'Give a code of the authenticator app, or a recovery code, in this session.',
      fa: 'دادن کد برنامهٔ رمزساز یا کد بازیابی در همین نشست.',
    },
    body: schema.SecondFactorBody,
    reply: { 200: schema.SteppedUp },
    errors: ['TOO_MANY_ATTEMPTS', 'WRONG_CODE', 'SECRETS_SEALED'],
    handle: stepUpByTotp,
  }),
]

const me: Route<SignInApp>[] = [
  route({
    ...own,
    method: 'PUT',
    path: '/v1/me/password',
    operation: 'me.setPassword',
    stepUp: true,
    summary: {
      en: 'Set or replace the own password. Every other session ends.',
      fa: 'گذاشتن یا عوض کردن گذرواژهٔ خود. همهٔ نشست‌های دیگر پایان می‌یابند.',
    },
    body: schema.NewPassword,
    reply: { 200: PersonView },
    errors: [...withPassword, 'PASSWORD_WEAK'],
    handle: setOwnPassword,
  }),
  route({
    ...own,
    path: '/v1/me/email',
    operation: 'me.requestEmail',
    stepUp: true,
    summary: { en: 'Mail a code to a new address of your own.', fa: 'فرستادن کد به نشانی تازهٔ خود.' },
    body: schema.AddressBody,
    reply: { 202: schema.Accepted },
    errors: [...withAddress, 'MAIL_UNAVAILABLE'],
    handle: requestNewAddress,
  }),
  route({
    ...own,
    path: '/v1/me/email/confirm',
    operation: 'me.confirmEmail',
    stepUp: true,
    summary: {
      en: 'Prove the new address by its code. The old one can be brought back for a week, by the link in its letter.',
      fa: 'تأیید نشانی تازه با کد. نشانی پیشین تا یک هفته با پیوند درون نامه‌اش بازمی‌گردد.',
    },
    body: schema.AddressCode,
    reply: { 200: PersonView },
    errors: [...withCode, 'EMAIL_TAKEN'],
    handle: confirmNewAddress,
  }),
]

export const signInRoutes: Route<SignInApp>[] = [...signIn, ...ways, ...stepUp, ...me, ...phoneRoutes]
