import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FACTOR_INVALID: Record<string, never>
    PASSKEY_UNAVAILABLE: { why: Localized }
    TOO_MANY_FACTORS: { max: number }
    NO_SECOND_FACTOR: Record<string, never>
    ADDRESS_NOT_PROVEN: Record<string, never>
    SECOND_FACTOR_NEEDED: Record<string, never>
  }
}

declareFailures({
  FACTOR_INVALID: {
    status: 400,
    retry: false,
    en: () =>
      'This passkey was not accepted: it is not known here, or was asked for too long ago or in another browser. Begin again, or use another way to sign in.',
    fa: () =>
      'این رمز دستگاه پذیرفته نشد: این‌جا شناخته نیست، یا دیرتر از مهلت یا در مرورگری دیگر خواسته شده است. دوباره آغاز کنید یا از راه دیگری وارد شوید.',
  },
  PASSKEY_UNAVAILABLE: {
    status: 409,
    retry: false,
    en: ({ why }) => `Passkeys cannot be used here: ${why.en}`,
    fa: ({ why }) => `این‌جا رمز دستگاه کار نمی‌کند: ${why.fa}`,
  },
  TOO_MANY_FACTORS: {
    status: 403,
    retry: false,
    en: ({ max }) => `A person has at most ${max} apps and passkeys; remove one first.`,
    fa: ({ max }) => `هر شخص حداکثر ${persian(max)} برنامهٔ رمزساز و رمز دستگاه دارد؛ نخست یکی را حذف کنید.`,
  },
  NO_SECOND_FACTOR: {
    status: 409,
    retry: false,
    en: () => 'There is no second factor; add an authenticator app or a passkey first.',
    fa: () => 'ورود دومرحله‌ای روشن نیست؛ نخست یک برنامهٔ رمزساز یا رمز دستگاه بیفزایید.',
  },
  SECOND_FACTOR_NEEDED: {
    status: 403,
    retry: false,
    en: () =>
      'You have a second factor, and a first one alone does not do here: give a code of your authenticator app, a recovery code or a passkey.',
    fa: () =>
      'ورود شما دومرحله‌ای است و این‌جا مرحلهٔ نخست به‌تنهایی کافی نیست: کد برنامهٔ رمزساز، کد بازیابی یا رمز دستگاه را بدهید.',
  },
  ADDRESS_NOT_PROVEN: {
    status: 409,
    retry: false,
    en: () =>
      'Nobody has proven your address yet, and whoever reads its mailbox could remove the new factor. Prove it first: have a code sent to it by POST /v1/me/email, and confirm it here.',
    fa: () =>
      'نشانی شما هنوز تأیید نشده است و هر که صندوق آن را بخواند می‌تواند مرحلهٔ دوم تازه را بردارد. نخست آن را تأیید کنید: با POST /v1/me/email کدی به همان نشانی بفرستید و همین‌جا واردش کنید.',
  },
})

/** Why a browser uses no passkey at this address, and what to do. */
export const availability = {
  loopback: (url: string): Localized => ({
    en: `browsers use none at an IP address. Open ${url} instead.`,
    fa: `مرورگرها در نشانی IP از آن استفاده نمی‌کنند. به‌جای آن ${url} را باز کنید.`,
  }),
  address: {
    en: 'browsers use none at an IP address. Open this server by a host name over HTTPS.',
    fa: 'مرورگرها در نشانی IP از آن استفاده نمی‌کنند. این سرور را با نام دامنه و HTTPS باز کنید.',
  },
  plain: {
    en: 'browsers use none over plain HTTP. Open this server over HTTPS.',
    fa: 'مرورگرها روی HTTP ساده از آن استفاده نمی‌کنند. این سرور را با HTTPS باز کنید.',
  },
}

/** Names of factors that nobody has named. */
export const factorNames = {
  totp: { en: 'Authenticator app', fa: 'برنامهٔ رمزساز' },
  passkey: { en: 'Passkey', fa: 'رمز دستگاه' },
} satisfies Record<string, Localized>
