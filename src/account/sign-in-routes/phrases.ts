import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    LINK_INVALID: Record<string, never>
    MAIL_UNAVAILABLE: { lacks: 'channel' | 'address' }
    SIGN_IN_EXPIRED: Record<string, never>
    SIGN_UP_CLOSED: { why: 'closed' | 'invitation' | 'nobody' }
  }
}

const closedWhy = {
  closed: {
    en: 'This server takes no new people.',
    fa: 'این سرور افراد تازه نمی‌پذیرد.',
  },
  invitation: {
    en: 'New people come by invitation here. Ask the owner of an account for one, and open its link.',
    fa: 'افراد تازه با دعوت وارد می‌شوند. از مالک یک حساب دعوت بخواهید و پیوند آن را باز کنید.',
  },
  nobody: {
    en: 'The operator of this server has not signed in yet. The first link stands in the output of its start; `kherad operator link` makes a new one.',
    fa: 'گردانندهٔ این سرور هنوز وارد نشده است. پیوند نخست در خروجی شروع برنامه است؛ `kherad operator link` پیوند تازه می‌سازد.',
  },
}

declareFailures({
  LINK_INVALID: {
    status: 404,
    retry: false,
    en: () => 'This link was used, replaced or has expired. Request a new one.',
    fa: () => 'این پیوند به کار رفته، جایگزین شده یا زمانش گذشته است. پیوند تازه‌ای بخواهید.',
  },
  MAIL_UNAVAILABLE: {
    status: 503,
    retry: false,
    en: ({ lacks }) =>
      lacks === 'address'
        ? 'No e-mail address is known of you; use another way.'
        : 'This server sends no mails, so it can send no code and no link. Use another way, or ask its operator, who needs `mail` in the configuration file and KHERAD_BASE_URL.',
    fa: ({ lacks }) =>
      lacks === 'address'
        ? 'از شما نشانی ایمیلی ثبت نشده است؛ از راه دیگری بروید.'
        : 'این سرور نامه نمی‌فرستد، پس کد و پیوندی هم نمی‌فرستد. از راه دیگری بروید یا به گردانندهٔ آن بگویید؛ او به `mail` در فایل پیکربندی و KHERAD_BASE_URL نیاز دارد.',
  },
  SIGN_IN_EXPIRED: {
    status: 401,
    en: () => 'This sign-in took too long or was finished elsewhere. Begin again with the address.',
    fa: () => 'این ورود بیش از اندازه طول کشید یا جای دیگری به پایان رسید. از نشانی دوباره آغاز کنید.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    retry: false,
    en: ({ why }) => closedWhy[why]?.en ?? `New people cannot sign up now (${why}).`,
    fa: ({ why }) => closedWhy[why]?.fa ?? `اکنون نمی‌توان ثبت‌نام کرد (${why}).`,
  },
})

/** What is wrong with a body that its schema takes. */
export const whyInvalid = {
  oneOfBoth: {
    en: 'send either code or recovery_code.',
    fa: 'یا code بفرستید یا recovery_code.',
  },
  linkNeeds: (field: string): Localized => ({
    en: `this link needs ${field}.`,
    fa: `این پیوند به ${field} نیاز دارد.`,
  }),
}
