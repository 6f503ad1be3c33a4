import { declareFailures, type Localized } from '#platform/errors'
import { persianDigits } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    APP_USER_TOKEN_INVALID: Record<string, never>
    APP_USER_TOKEN_EXPIRED: Record<string, never>
    APP_USER_SESSION_ENDED: Record<string, never>
    APP_USER_SIGN_IN_NEEDED: Record<string, never>
    APP_USER_SERVICE_NEEDED: Record<string, never>
    APP_USER_CREDENTIALS_WRONG: Record<string, never>
    APP_USER_NOT_CONFIRMED: Record<string, never>
    APP_USER_BLOCKED: Record<string, never>
    APP_USER_EXISTS: Record<string, never>
    APP_USER_EMAIL_TAKEN: Record<string, never>
    APP_USER_NOT_FOUND: Record<string, never>
    APP_USER_SIGNUP_DISABLED: Record<string, never>
    APP_USER_ANONYMOUS_OFF: Record<string, never>
    APP_USER_LIMIT: { max: number }
    APP_USER_ANONYMOUS_LIMIT: { max: number }
    APP_USER_PASSWORD_WEAK: { min: number; max: number }
    APP_USER_PASSWORD_SAME: Record<string, never>
    APP_USER_EMAIL_INVALID: Record<string, never>
    APP_USER_INVALID: { why: Localized }
    APP_USER_REFRESH_INVALID: Record<string, never>
    APP_USER_REFRESH_REUSED: Record<string, never>
    APP_USER_LINK_INVALID: Record<string, never>
    APP_USER_VERIFIER_WRONG: Record<string, never>
    APP_USER_CODE_WRONG: Record<string, never>
    APP_USER_THROTTLED: { minutes: number }
    APP_USER_MAIL_LIMIT: { of: 'address' | 'cloud'; max: number }
    /** `said` is the message of the app's own database. */
    APP_USER_TRIGGER_FAILED: { said: string }
    APP_USER_MAIL_OFF: Record<string, never>
    APP_USER_REDIRECT_REFUSED: { origin: string }
    APP_USER_NOT_OFFERED: { what: MissingFeature }
    APP_USERS_BUSY: Record<string, never>
  }
}

/** Features that common clients can request of an authentication service and that this one does not have. */
export type MissingFeature = keyof typeof unoffered

export const unoffered = {
  oauth: { en: 'Signing in with another service (OAuth)', fa: 'ورود با سرویس دیگر (OAuth)' },
  oauth_server: { en: 'Being an OAuth server for other services', fa: 'سرور OAuth بودن برای سرویس‌های دیگر' },
  sso: { en: 'Single sign-on (SAML)', fa: 'ورود یکپارچه (SAML)' },
  web3: { en: 'Signing in with a wallet (web3)', fa: 'ورود با کیف پول (web3)' },
  passkeys: { en: 'Signing in with a passkey', fa: 'ورود با رمز دستگاه (passkey)' },
  mfa: { en: 'A second factor (MFA)', fa: 'عامل دوم (MFA)' },
  phone: { en: 'Signing in by phone number', fa: 'ورود با شمارهٔ تلفن' },
  soft_delete: { en: 'Deleting a user only in appearance', fa: 'حذف ظاهری کاربر' },
  old_address_link: {
    en: 'A link for the old address when an address changes: only the new one is confirmed. It',
    fa: 'پیوند برای نشانی پیشین هنگام تغییر ایمیل (تنها نشانی تازه تأیید می‌شود)',
  },
} satisfies Record<string, Localized>

declareFailures({
  APP_USER_TOKEN_INVALID: {
    status: 401,
    en: () => 'This access token does not belong to this app back-end; sign in again.',
    fa: () => 'این توکن دسترسی از آن این بک‌اند نیست؛ دوباره وارد شوید.',
  },
  APP_USER_TOKEN_EXPIRED: {
    status: 401,
    en: () => 'This access token has expired; refresh the session.',
    fa: () => 'زمان این توکن دسترسی گذشته است؛ نشست را تازه کنید.',
  },
  APP_USER_SESSION_ENDED: {
    status: 401,
    en: () => 'This session has ended; sign in again.',
    fa: () => 'این نشست پایان یافته است؛ دوباره وارد شوید.',
  },
  APP_USER_SIGN_IN_NEEDED: {
    status: 401,
    en: () => 'This needs a signed-in user; send the access token of a session as Authorization: Bearer.',
    fa: () => 'این کار کاربر واردشده می‌خواهد؛ توکن دسترسی نشست را در Authorization: Bearer بفرستید.',
  },
  APP_USER_SERVICE_NEEDED: {
    status: 403,
    en: () => 'Only the service key may do this; use it on a server, never in a page.',
    fa: () => 'این کار تنها با کلید سرویس شدنی است؛ آن را روی سرور به کار ببرید و هرگز در صفحه نگذارید.',
  },
  APP_USER_CREDENTIALS_WRONG: {
    status: 400,
    en: () => 'Address or password is wrong.',
    fa: () => 'نشانی ایمیل یا گذرواژه نادرست است.',
  },
  APP_USER_NOT_CONFIRMED: {
    status: 400,
    en: () => 'This address is not confirmed yet; open the link in the mail that was sent to it.',
    fa: () => 'این نشانی هنوز تأیید نشده است؛ پیوند درون نامه‌ای را که به آن فرستاده شد باز کنید.',
  },
  APP_USER_BLOCKED: {
    status: 403,
    en: () => 'This user is blocked; ask the people behind the app.',
    fa: () => 'این کاربر مسدود است؛ از گردانندگان برنامه بپرسید.',
  },
  APP_USER_EXISTS: {
    status: 422,
    en: () => 'There is a user with this address already; sign in instead.',
    fa: () => 'کاربری با این نشانی از پیش هست؛ وارد شوید.',
  },
  APP_USER_EMAIL_TAKEN: {
    status: 422,
    en: () => 'Another user has this address already; write another one.',
    fa: () => 'این نشانی از آن کاربر دیگری است؛ نشانی دیگری بنویسید.',
  },
  APP_USER_NOT_FOUND: {
    status: 404,
    en: () => 'There is no such app user here; the list of users shows those there are.',
    fa: () => 'چنین کاربری در این برنامه نیست؛ فهرست کاربران آن‌ها را که هستند نشان می‌دهد.',
  },
  APP_USER_SIGNUP_DISABLED: {
    status: 422,
    en: () =>
      'This app takes no new users; its developer can change that: PATCH /v1/cloud/{id}/auth with {"disable_signup": false}.',
    fa: () =>
      'این برنامه کاربر تازه نمی‌پذیرد؛ سازنده‌اش می‌تواند آن را عوض کند: PATCH /v1/cloud/{id}/auth با ‎{"disable_signup": false}‎.',
  },
  APP_USER_ANONYMOUS_OFF: {
    status: 422,
    en: () =>
      'This app lets nobody in without an address; its developer can change that: PATCH /v1/cloud/{id}/auth with {"anonymous_sign_ins": true}.',
    fa: () =>
      'این برنامه کسی را بی نشانی راه نمی‌دهد؛ سازنده‌اش می‌تواند آن را عوض کند: PATCH /v1/cloud/{id}/auth با ‎{"anonymous_sign_ins": true}‎.',
  },
  APP_USER_ANONYMOUS_LIMIT: {
    status: 403,
    en: ({ max }) =>
      `This app has ${max} users without an address, half of all that it may have; sign up with an address, or ask its developer to delete some.`,
    fa: ({ max }) =>
      `این برنامه ${persianDigits(max)} کاربر بی نشانی دارد که نیمی از سقف کاربران آن است؛ با نشانی ثبت‌نام کنید، یا از سازنده‌اش بخواهید چند کاربر را حذف کند.`,
  },
  APP_USER_LIMIT: {
    status: 403,
    en: ({ max }) =>
      `This app has ${max} users, the most that its plan allows; its developer can delete some.`,
    fa: ({ max }) =>
      `این برنامه ${persianDigits(max)} کاربر دارد که بیشترین شمار طرح آن است؛ سازنده‌اش می‌تواند چند کاربر را حذف کند.`,
  },
  APP_USER_PASSWORD_WEAK: {
    status: 422,
    en: ({ min, max }) =>
      `A password has at least ${min} characters and at most ${max} bytes; choose another.`,
    fa: ({ min, max }) =>
      `گذرواژه دست‌کم ${persianDigits(min)} کاراکتر و حداکثر ${persianDigits(max)} بایت دارد؛ گذرواژهٔ دیگری برگزینید.`,
  },
  APP_USER_PASSWORD_SAME: {
    status: 422,
    en: () => 'The new password is the old one; choose another.',
    fa: () => 'گذرواژهٔ تازه همان گذرواژهٔ پیشین است؛ گذرواژهٔ دیگری برگزینید.',
  },
  APP_USER_EMAIL_INVALID: {
    status: 400,
    en: () => 'This is not an email address; write one such as name@example.com, of at most 254 characters.',
    fa: () => 'این نشانی ایمیل نیست؛ نشانی‌ای مانند name@example.com با حداکثر ۲۵۴ کاراکتر بنویسید.',
  },
  APP_USER_INVALID: {
    status: 400,
    en: ({ why }) => `The request is invalid: ${why.en}`,
    fa: ({ why }) => `درخواست نادرست است: ${why.fa}`,
  },
  APP_USER_REFRESH_INVALID: {
    status: 400,
    en: () => 'This refresh token belongs to no session of this app; sign in again.',
    fa: () => 'این توکن تازه‌سازی از آن هیچ نشستی در این برنامه نیست؛ دوباره وارد شوید.',
  },
  APP_USER_REFRESH_REUSED: {
    status: 400,
    en: () =>
      'This refresh token was used before, as a stolen one would be, so the whole session was ended; sign in again.',
    fa: () =>
      'این توکن تازه‌سازی پیش‌تر به کار رفته بود، چنان‌که توکن دزدیده به کار می‌رود؛ همهٔ نشست پایان یافت. دوباره وارد شوید.',
  },
  APP_USER_LINK_INVALID: {
    status: 403,
    en: () => 'This link or code is wrong, was used, or has expired; ask for a new one.',
    fa: () => 'این پیوند یا کد نادرست است، به کار رفته یا زمانش گذشته است؛ پیوند تازه‌ای بخواهید.',
  },
  APP_USER_VERIFIER_WRONG: {
    status: 400,
    en: () =>
      'The code verifier is not that of the page which asked for this link; open it in the same browser.',
    fa: () => 'code verifier از آن صفحه‌ای نیست که این پیوند را خواسته است؛ آن را در همان مرورگر باز کنید.',
  },
  APP_USER_CODE_WRONG: {
    status: 422,
    en: () => 'The code of the mail is wrong or has expired; ask for a new one.',
    fa: () => 'کد درون نامه نادرست است یا زمانش گذشته است؛ کد تازه‌ای بخواهید.',
  },
  APP_USER_THROTTLED: {
    status: 429,
    en: ({ minutes }) =>
      `There were too many attempts; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    fa: ({ minutes }) => `تلاش‌ها بیش از اندازه بود؛ ${persianDigits(minutes)} دقیقهٔ دیگر دوباره بکوشید.`,
  },
  APP_USER_MAIL_LIMIT: {
    status: 429,
    en: ({ of, max }) =>
      of === 'address'
        ? `At most ${max} mails an hour are sent to one address; look into the mailbox, or try again later.`
        : `This app may send ${max} mails a day and has sent them; try again tomorrow (UTC).`,
    fa: ({ of, max }) =>
      of === 'address'
        ? `به هر نشانی در ساعت حداکثر ${persianDigits(max)} نامه فرستاده می‌شود؛ صندوق نامه را ببینید یا بعداً دوباره بکوشید.`
        : `این برنامه روزی ${persianDigits(max)} نامه می‌فرستد که امروز فرستاده است؛ فردا (UTC) دوباره بکوشید.`,
  },
  APP_USER_TRIGGER_FAILED: {
    status: 422,
    en: ({ said }) =>
      `The database of this app refuses it: ${said}. Its developer looks at the triggers on auth.users, and at the tables that refer to it.`,
    fa: ({ said }) =>
      `پایگاه دادهٔ این برنامه نمی‌پذیرد: ${said}. سازندهٔ آن تریگرهای auth.users و جدول‌هایی را که به آن ارجاع می‌دهند بررسی می‌کند.`,
  },
  APP_USER_MAIL_OFF: {
    status: 422,
    en: () =>
      'This server sends no mails; ask the developer of the app for a link, who makes it with POST /v1/cloud/{id}/users/{user_id}/links.',
    fa: () =>
      'این سرور نامه نمی‌فرستد؛ پیوند را از سازندهٔ برنامه بخواهید که با POST /v1/cloud/{id}/users/{user_id}/links آن را می‌سازد.',
  },
  APP_USER_REDIRECT_REFUSED: {
    status: 400,
    en: ({ origin }) =>
      `Links of this app may not lead to ${origin}; the developer adds it: PATCH /v1/cloud/{id}/auth with additional_redirect_urls.`,
    fa: ({ origin }) =>
      `پیوندهای این برنامه نمی‌توانند به ${origin} برسند؛ سازنده آن را می‌افزاید: PATCH /v1/cloud/{id}/auth با additional_redirect_urls.`,
  },
  APP_USER_NOT_OFFERED: {
    status: 422,
    en: ({ what }) =>
      `${unoffered[what]?.en ?? what} is not offered here; users sign in with an address and a password, or by a link or code that is mailed to them.`,
    fa: ({ what }) =>
      `${unoffered[what]?.fa ?? what} در اینجا ارائه نمی‌شود؛ کاربران با ایمیل و گذرواژه، یا با پیوند و کدی که برایشان فرستاده می‌شود وارد می‌شوند.`,
  },
  APP_USERS_BUSY: {
    status: 429,
    en: () => 'Too many people sign in to this app at this moment; try again in a few seconds.',
    fa: () => 'در این لحظه افراد زیادی به این برنامه وارد می‌شوند؛ چند ثانیهٔ دیگر دوباره بکوشید.',
  },
})

export const reasons = {
  metadata: {
    en: 'data must be an object of at most 3 KB as JSON and 8 levels.',
    fa: 'data باید شیئی با حداکثر ۳ کیلوبایت JSON و ۸ سطح باشد.',
  },
  appMetadata: {
    en: 'app_metadata must be an object of at most 1 KB as JSON and 8 levels.',
    fa: 'app_metadata باید شیئی با حداکثر ۱ کیلوبایت JSON و ۸ سطح باشد.',
  },
  challenge: {
    en: 'code_challenge must have 43 to 128 letters and digits, with code_challenge_method s256 or plain.',
    fa: 'code_challenge باید ۴۳ تا ۱۲۸ حرف و رقم لاتین باشد و code_challenge_method برابر s256 یا plain.',
  },
  imported: {
    en: 'a user of the export has an id, a date or a hash of a password that no export writes.',
    fa: 'کاربری در این خروجی شناسه، تاریخ یا درهم گذرواژه‌ای دارد که هیچ خروجی‌ای نمی‌نویسد.',
  },
  redirect: {
    en: 'redirect_to must be an address with http:// or https://, of at most 2,000 characters.',
    fa: 'redirect_to باید نشانی‌ای با http:// یا https:// و حداکثر ۲۰۰۰ کاراکتر باشد.',
  },
} satisfies Record<string, Localized>
