import { Entered } from '#account/entering'
import type { Route } from '#platform/http'
import { type FactorRoutesApp, route } from './app.ts'
import { changeFactor, deleteFactor, makeRecoveryCodes } from './change.ts'
import { readOverview } from './overview.ts'
import { finishPasskey, finishStepUp, startPasskey, startStepUp } from './passkeys.ts'
import { cancelReset, requestReset } from './resets.ts'
import * as schema from './schema.ts'
import { finishSignIn, startSignIn } from './sign-in.ts'
import { finishTotp, startTotp } from './totp.ts'

const own = { scope: 'person' } as const
/** Changes of how a person signs in need a factor that was given lately. */
const change = { ...own, stepUp: true, audited: true } as const
const bodyLimit = 64 * 1024

const factors: Route<FactorRoutesApp>[] = [
  route({
    method: 'GET',
    path: '/v1/me/factors',
    operation: 'factors.list',
    ...own,
    summary: {
      en: 'Your authenticator apps and passkeys, oldest first, and how many recovery codes are left.',
      fa: 'برنامه‌های رمزساز و رمزهای دستگاه شما، کهنه‌ترین نخست، و شمار کدهای بازیابی که مانده است.',
    },
    reply: { 200: schema.FactorOverview },
    errors: [],
    handle: readOverview,
  }),
  route({
    method: 'POST',
    path: '/v1/me/factors/totp',
    operation: 'factors.beginTotp',
    ...change,
    summary: {
      en: 'Begin an authenticator app: its secret and QR code. It is no factor before its first code was right.',
      fa: 'آغاز یک برنامهٔ رمزساز: راز و کد QR آن. تا نخستین کد درستش نرسیده، مرحلهٔ دوم ورود نیست.',
    },
    bodyMayBeAbsent: true,
    body: schema.NewTotp,
    reply: { 201: schema.BegunTotp },
    errors: ['ADDRESS_NOT_PROVEN', 'TOO_MANY_FACTORS', 'SECRETS_SEALED'],
    handle: startTotp,
  }),
  route({
    method: 'POST',
    path: '/v1/me/factors/{id}/confirm',
    operation: 'factors.confirmTotp',
    ...change,
    summary: {
      en: 'Confirm an authenticator app by its first code. The first factor brings recovery codes, shown only here.',
      fa: 'تأیید یک برنامهٔ رمزساز با نخستین کد آن. همراه نخستین مرحلهٔ دوم ورود، کدهای بازیابی فقط همین‌جا نشان داده می‌شوند.',
    },
    params: schema.IdParams,
    body: schema.TotpCode,
    reply: { 200: schema.AddedFactor },
    errors: ['ADDRESS_NOT_PROVEN', 'NOT_FOUND', 'WRONG_CODE', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED'],
    handle: finishTotp,
  }),
  route({
    method: 'PATCH',
    path: '/v1/me/factors/{id}',
    operation: 'factors.rename',
    ...change,
    summary: {
      en: 'Rename an authenticator app or a passkey.',
      fa: 'تغییر نام یک برنامهٔ رمزساز یا رمز دستگاه.',
    },
    params: schema.IdParams,
    body: schema.FactorPatch,
    reply: { 200: schema.Factor },
    errors: ['NOT_FOUND'],
    handle: changeFactor,
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/factors/{id}',
    operation: 'factors.remove',
    ...change,
    summary: {
      en: 'Remove an authenticator app or a passkey. The recovery codes go with the last one. The last way to sign in stays.',
      fa: 'حذف یک برنامهٔ رمزساز یا رمز دستگاه. کدهای بازیابی با آخرین آن‌ها حذف می‌شوند. آخرین راه ورود می‌ماند.',
    },
    params: schema.IdParams,
    reply: { 200: schema.Deleted },
    errors: ['NOT_FOUND', 'LAST_WAY_IN', 'SECRETS_SEALED'],
    handle: deleteFactor,
  }),
  route({
    method: 'POST',
    path: '/v1/me/recovery-codes',
    operation: 'factors.renewRecoveryCodes',
    ...change,
    summary: {
      en: 'Ten new recovery codes, shown only here. Those before are worth nothing from now on.',
      fa: 'ده کد بازیابی تازه که فقط همین‌جا نشان داده می‌شوند. کدهای پیشین از این پس کار نمی‌کنند.',
    },
    bodyMayBeAbsent: true,
    body: schema.Empty,
    reply: { 201: schema.RecoveryCodeList },
    errors: ['NO_SECOND_FACTOR', 'SECRETS_SEALED'],
    handle: makeRecoveryCodes,
  }),
]

const passkeys: Route<FactorRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/me/passkeys/options',
    operation: 'passkeys.begin',
    ...{ ...own, stepUp: true },
    summary: {
      en: 'What the browser is asked for to make a passkey. It is valid once, for five minutes, in this browser.',
      fa: 'آنچه برای ساختن رمز دستگاه از مرورگر خواسته می‌شود. یک بار، پنج دقیقه و در همین مرورگر معتبر است.',
    },
    bodyMayBeAbsent: true,
    body: schema.Empty,
    reply: { 200: schema.CreationOptions },
    errors: ['ADDRESS_NOT_PROVEN', 'PASSKEY_UNAVAILABLE'],
    handle: startPasskey,
  }),
  route({
    method: 'POST',
    path: '/v1/me/passkeys',
    operation: 'passkeys.add',
    ...change,
    summary: {
      en: 'Add the passkey that the browser has made. The first factor brings recovery codes, shown only here.',
      fa: 'افزودن رمز دستگاهی که مرورگر ساخته است. همراه نخستین مرحلهٔ دوم ورود، کدهای بازیابی فقط همین‌جا نشان داده می‌شوند.',
    },
    bodyLimit,
    body: schema.NewPasskey,
    reply: { 201: schema.AddedFactor },
    errors: [
      'ADDRESS_NOT_PROVEN',
      'PASSKEY_UNAVAILABLE',
      'FACTOR_INVALID',
      'TOO_MANY_FACTORS',
      'SECRETS_SEALED',
    ],
    handle: finishPasskey,
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey/options',
    operation: 'sign_in.passkeyOptions',
    scope: 'public',
    fromOwnPage: true,
    summary: {
      en: 'What the browser is asked for to sign in with a passkey; the same for everybody.',
      fa: 'آنچه برای ورود با رمز دستگاه از مرورگر خواسته می‌شود؛ برای همه یکسان.',
    },
    bodyMayBeAbsent: true,
    body: schema.Empty,
    reply: { 200: schema.RequestOptions },
    errors: ['PASSKEY_UNAVAILABLE', 'TOO_MANY_ATTEMPTS', 'SECRETS_SEALED'],
    handle: startSignIn,
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey',
    operation: 'sign_in.passkey',
    scope: 'public',
    fromOwnPage: true,
    summary: {
      en: 'Sign in with a passkey. It counts as both factors.',
      fa: 'ورود با رمز دستگاه، که جای هر دو مرحلهٔ ورود را می‌گیرد.',
    },
    bodyLimit,
    body: schema.PasskeyAnswer,
    reply: { 200: Entered },
    errors: ['PASSKEY_UNAVAILABLE', 'FACTOR_INVALID', 'SECRETS_SEALED'],
    handle: finishSignIn,
  }),
  route({
    method: 'POST',
    path: '/v1/step-up/passkey/options',
    operation: 'step_up.passkeyOptions',
    ...own,
    summary: {
      en: 'What the browser is asked for to confirm with a passkey that it is you.',
      fa: 'آنچه از مرورگر خواسته می‌شود تا با رمز دستگاه تأیید کنید که خودتان هستید.',
    },
    bodyMayBeAbsent: true,
    body: schema.Empty,
    reply: { 200: schema.RequestOptions },
    errors: ['PASSKEY_UNAVAILABLE', 'NO_SECOND_FACTOR'],
    handle: startStepUp,
  }),
  route({
    method: 'POST',
    path: '/v1/step-up/passkey',
    operation: 'step_up.passkey',
    ...{ ...own, audited: true },
    summary: {
      en: 'Confirm with a passkey that it is you; it counts for ten minutes.',
      fa: 'تأیید با رمز دستگاه که خودتان هستید؛ ده دقیقه معتبر است.',
    },
    bodyLimit,
    body: schema.PasskeyAnswer,
    reply: { 200: schema.SteppedUp },
    errors: ['PASSKEY_UNAVAILABLE', 'FACTOR_INVALID', 'SECRETS_SEALED'],
    handle: finishStepUp,
  }),
]

const resets: Route<FactorRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/members/{person_id}/factor-reset',
    operation: 'members.requestFactorReset',
    scope: 'members:write',
    ...{ stepUp: true, audited: true },
    summary: {
      en: 'Have the second factors of a member who has lost them removed, in 72 hours. The member can stop it.',
      fa: 'برداشتن ورود دومرحله‌ای عضوی که آن را گم کرده است، پس از ۷۲ ساعت. خود عضو می‌تواند جلو آن را بگیرد.',
    },
    params: schema.PersonParams,
    bodyMayBeAbsent: true,
    body: schema.Empty,
    reply: { 201: schema.FactorReset, 200: schema.FactorReset },
    errors: ['NOT_FOUND', 'NO_SECOND_FACTOR', 'SECRETS_SEALED'],
    handle: requestReset,
  }),
  route({
    method: 'DELETE',
    path: '/v1/members/{person_id}/factor-reset',
    operation: 'members.cancelFactorReset',
    scope: 'members:write',
    ...{ stepUp: true, audited: true },
    summary: {
      en: 'Cancel the removal of the second factors of a member.',
      fa: 'لغو برداشتن ورود دومرحله‌ای یک عضو.',
    },
    params: schema.PersonParams,
    reply: { 200: schema.Deleted },
    errors: ['NOT_FOUND'],
    handle: cancelReset,
  }),
]

export const routes: Route<FactorRoutesApp>[] = [...factors, ...passkeys, ...resets]
