import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    OPENID_FAILED: { provider: string }
    OPENID_ANSWER_INVALID: { reason: 'ceremony' | 'denied' | 'invalid' }
    OPENID_NOT_ALLOWED: { provider: string }
    OPENID_LINK_REQUIRED: { provider: string }
    OPENID_IDENTITY_TAKEN: { provider: string; by: 'other' | 'self' }
    OPENID_NOT_FRESH: { provider: string }
    LAST_WAY_IN: Record<string, never>
  }
}

/** Why a request is refused. */
export const messages = {
  returnTo: {
    en: 'return_to is no path of this server; write one that begins with a single slash, such as /keys.',
    fa: 'return_to مسیری از همین سرور نیست؛ مسیری بنویسید که با یک / آغاز شود، مانند /keys.',
  },
}

const reasons = {
  ceremony: {
    en: 'This sign-in was begun in another browser or more than ten minutes ago, or is over already. Begin again.',
    fa: 'این ورود در مرورگر دیگری یا بیش از ده دقیقه پیش آغاز شده، یا پیش‌تر به پایان رسیده است. دوباره آغاز کنید.',
  },
  denied: {
    en: 'The provider did not let you in, or you have cancelled. Begin again, or sign in otherwise.',
    fa: 'ارائه‌دهنده اجازهٔ ورود نداد، یا خودتان آن را لغو کردید. دوباره آغاز کنید یا به راه دیگری وارد شوید.',
  },
  invalid: {
    en: 'What the provider answered is not valid. Begin again; if it happens again, notify the operator, whose log names the fault.',
    fa: 'پاسخ ارائه‌دهنده معتبر نیست. دوباره آغاز کنید؛ اگر باز هم پیش آمد به گرداننده خبر دهید که گزارش سرور او عیب را نام برده است.',
  },
}

declareFailures({
  OPENID_FAILED: {
    status: 503,
    en: ({ provider }) =>
      `${provider} cannot be reached or does not do its part. Sign in otherwise, or try again in a minute.`,
    fa: ({ provider }) =>
      `${provider} در دسترس نیست یا کار خود را انجام نمی‌دهد. به راه دیگری وارد شوید یا یک دقیقهٔ دیگر دوباره بکوشید.`,
  },
  OPENID_ANSWER_INVALID: {
    status: 400,
    retry: false,
    en: ({ reason }) => (reasons[reason] ?? reasons.invalid).en,
    fa: ({ reason }) => (reasons[reason] ?? reasons.invalid).fa,
  },
  OPENID_NOT_ALLOWED: {
    status: 403,
    retry: false,
    en: ({ provider }) =>
      `Nobody here is linked to this account of ${provider}. Ask for an invitation to the address that ${provider} has proven, or sign in otherwise and link it under security.`,
    fa: ({ provider }) =>
      `این حساب ${provider} به هیچ‌کس در این‌جا پیوند ندارد. برای نشانی‌ای که ${provider} تأیید کرده دعوت بخواهید، یا به راه دیگری وارد شوید و آن را در بخش امنیت پیوند دهید.`,
  },
  OPENID_LINK_REQUIRED: {
    status: 409,
    retry: false,
    en: ({ provider }) =>
      `Somebody is known here by this e-mail address already. Sign in as you did before, and link ${provider} under security.`,
    fa: ({ provider }) =>
      `کسی با این نشانی ایمیل از پیش این‌جا شناخته شده است. همان‌گونه که پیش‌تر وارد می‌شدید وارد شوید و ${provider} را در بخش امنیت پیوند دهید.`,
  },
  OPENID_IDENTITY_TAKEN: {
    status: 409,
    retry: false,
    en: ({ provider, by }) =>
      by === 'self'
        ? `Another account of ${provider} is linked to you already. Unlink it first.`
        : `This account of ${provider} is linked to somebody else. Sign in with another one at ${provider}, or unlink it there first.`,
    fa: ({ provider, by }) =>
      by === 'self'
        ? `حساب دیگری از ${provider} از پیش به شما پیوند دارد. نخست پیوند آن را بردارید.`
        : `این حساب ${provider} به شخص دیگری پیوند دارد. در ${provider} با حساب دیگری وارد شوید، یا نخست پیوند آن را آن‌جا بردارید.`,
  },
  OPENID_NOT_FRESH: {
    status: 403,
    retry: false,
    en: ({ provider }) =>
      `${provider} does not say that you have signed in there within the last 10 minutes. Sign in there anew, or confirm who you are by another factor.`,
    fa: ({ provider }) =>
      `${provider} نمی‌گوید که در ۱۰ دقیقهٔ گذشته در آن وارد شده‌اید. در آن از نو وارد شوید یا هویت خود را از راه دیگری تأیید کنید.`,
  },
  LAST_WAY_IN: {
    status: 409,
    retry: false,
    en: () => 'This is your last way to sign in. Set a password or add a passkey first.',
    fa: () => 'این آخرین راه ورود شماست. نخست گذرواژه‌ای بگذارید یا رمز دستگاهی (passkey) بیفزایید.',
  },
})
