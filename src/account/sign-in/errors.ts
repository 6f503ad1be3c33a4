import { declareFailures } from '#platform/errors'
import { persianDigits } from '#platform/words'
import { type PasswordWeakness, personPasswordRules } from './passwords.ts'

declare module '#platform/errors' {
  interface Failures {
    EMAIL_INVALID: Record<string, never>
    PASSWORD_WEAK: { weakness: PasswordWeakness }
    WRONG_CODE: Record<string, never>
    WRONG_CREDENTIALS: Record<string, never>
    TOO_MANY_ATTEMPTS: { minutes: number }
    SIGN_IN_BUSY: Record<string, never>
  }
}

const { minLength, maxLength } = personPasswordRules

declareFailures({
  EMAIL_INVALID: {
    status: 400,
    en: () => 'This is not an e-mail address; write one such as name@example.com, of at most 254 characters.',
    fa: () => 'این نشانی ایمیل نیست؛ نشانی‌ای مانند name@example.com با حداکثر ۲۵۴ کاراکتر بنویسید.',
  },
  PASSWORD_WEAK: {
    status: 400,
    en: ({ weakness }) =>
      weakness === 'common'
        ? 'Many people have this password, so it is guessed first; choose another, such as a few words that do not belong together.'
        : `A password has ${minLength} to ${maxLength} characters; choose another.`,
    fa: ({ weakness }) =>
      weakness === 'common'
        ? 'خیلی‌ها همین گذرواژه را دارند و زود حدس زده می‌شود؛ گذرواژهٔ دیگری برگزینید، مانند چند واژهٔ نامربوط به هم.'
        : `گذرواژه ${persianDigits(minLength)} تا ${persianDigits(maxLength)} کاراکتر دارد؛ گذرواژهٔ دیگری برگزینید.`,
  },
  WRONG_CODE: {
    status: 401,
    en: () =>
      'This code is wrong, was used, or has expired. Type the newest one here; one that came by mail or SMS works only in the browser that asked for it.',
    fa: () =>
      'این کد نادرست است، به کار رفته یا زمانش گذشته است. تازه‌ترین کد را همین‌جا بنویسید؛ کدی که با نامه یا پیامک آمده فقط در همان مرورگری کار می‌کند که آن را خواسته است.',
  },
  WRONG_CREDENTIALS: {
    status: 401,
    en: () => 'Address or password is wrong. Try again, or reset the password.',
    fa: () => 'نشانی یا گذرواژه نادرست است. دوباره بنویسید یا گذرواژه را بازیابی کنید.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    en: ({ minutes }) =>
      `There were too many attempts; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    fa: ({ minutes }) => `تلاش‌ها بیش از اندازه بود؛ ${persianDigits(minutes)} دقیقهٔ دیگر دوباره بکوشید.`,
  },
  SIGN_IN_BUSY: {
    status: 503,
    en: () => 'Too many people sign in at this moment; try again in a few seconds.',
    fa: () => 'در این لحظه افراد زیادی وارد می‌شوند؛ چند ثانیهٔ دیگر دوباره بکوشید.',
  },
})
