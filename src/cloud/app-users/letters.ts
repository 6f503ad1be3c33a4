/** The mails to app users: fixed texts in Persian and English, into which nobody but the platform can write. */
import { type LetterContent, renderLetter } from '#account/sign-in'
import type { Language } from '#platform/errors'

export type MailKind =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'reauthentication'
  | 'exists'
  | 'changed'

interface MailText {
  subject: string
  /** The text before the link and the code. */
  says: string
  /** The label of the link. */
  button?: string
  /** The text after the link and the code. */
  note: string
}

const notAsked = {
  fa: 'اگر شما این را نخواسته‌اید، این نامه را نادیده بگیرید؛ بی کلیک روی پیوند هیچ اتفاقی نمی‌افتد.',
  en: 'If you did not ask for this, ignore this mail; nothing happens unless you follow the link.',
}

const mailTexts: Record<MailKind, { fa: MailText; en: MailText }> = {
  signup: {
    fa: {
      subject: 'تأیید نشانی ایمیل',
      says: 'با این نشانی در یک برنامه ثبت‌نام شده است. برای تأیید، پیوند زیر را باز کنید یا کد را در برنامه بنویسید. هر دو تا ۲۴ ساعت معتبرند.',
      button: 'تأیید نشانی',
      note: notAsked.fa,
    },
    en: {
      subject: 'Confirm your address',
      says: 'Somebody signed up to an app with this address. Open the link to confirm it, or type the code into the app. Both are valid for 24 hours.',
      button: 'Confirm address',
      note: notAsked.en,
    },
  },
  invite: {
    fa: {
      subject: 'دعوت به یک برنامه',
      says: 'شما به یک برنامه دعوت شده‌اید. برای پذیرفتن، پیوند زیر را باز کنید. تا ۲۴ ساعت معتبر است.',
      button: 'پذیرفتن دعوت',
      note: notAsked.fa,
    },
    en: {
      subject: 'You are invited to an app',
      says: 'You are invited to an app. Open the link to accept. It is valid for 24 hours.',
      button: 'Accept invitation',
      note: notAsked.en,
    },
  },
  recovery: {
    fa: {
      subject: 'بازیابی گذرواژه',
      says: 'برای گذاشتن گذرواژهٔ تازه، پیوند زیر را باز کنید یا کد را در برنامه بنویسید. هر دو تا یک ساعت معتبرند.',
      button: 'گذرواژهٔ تازه',
      note: notAsked.fa,
    },
    en: {
      subject: 'Reset your password',
      says: 'Open the link to choose a new password, or type the code into the app. Both are valid for one hour.',
      button: 'New password',
      note: notAsked.en,
    },
  },
  magiclink: {
    fa: {
      subject: 'پیوند ورود',
      says: 'برای ورود، پیوند زیر را باز کنید یا کد را در برنامه بنویسید. هر دو تا یک ساعت معتبرند.',
      button: 'ورود',
      note: notAsked.fa,
    },
    en: {
      subject: 'Your sign-in link',
      says: 'Open the link to sign in, or type the code into the app. Both are valid for one hour.',
      button: 'Sign in',
      note: notAsked.en,
    },
  },
  email_change: {
    fa: {
      subject: 'تأیید نشانی تازه',
      says: 'این نشانی برای یک حساب کاربری تازه نوشته شده است. برای تأیید، پیوند زیر را باز کنید یا کد را در برنامه بنویسید. هر دو تا یک ساعت معتبرند.',
      button: 'تأیید نشانی تازه',
      note: notAsked.fa,
    },
    en: {
      subject: 'Confirm your new address',
      says: 'This is to become the address of an account. Open the link to confirm it, or type the code into the app. Both are valid for one hour.',
      button: 'Confirm new address',
      note: notAsked.en,
    },
  },
  reauthentication: {
    fa: {
      subject: 'کد تأیید',
      says: 'این کد را در برنامه بنویسید تا تغییر حساب شما انجام شود. ده دقیقه معتبر است.',
      note: 'اگر شما این را نخواسته‌اید، کسی به نشست شما دسترسی دارد؛ از همهٔ دستگاه‌ها خارج شوید و گذرواژه را عوض کنید.',
    },
    en: {
      subject: 'Your code',
      says: 'Type this code into the app to change your account. It is valid for ten minutes.',
      note: 'If you did not ask for this, somebody has your session; sign out everywhere and change your password.',
    },
  },
  exists: {
    fa: {
      subject: 'شما از پیش حساب دارید',
      says: 'کسی خواست با این نشانی در یک برنامه ثبت‌نام کند، ولی شما از پیش در آن حساب دارید. وارد شوید، یا اگر گذرواژه را به یاد ندارید آن را در برنامه بازیابی کنید.',
      note: 'اگر شما نبوده‌اید، کاری لازم نیست؛ حساب شما همان است که بود.',
    },
    en: {
      subject: 'You have an account already',
      says: 'Somebody wanted to use this address in an app, where you have an account already. Sign in, or reset your password in the app if you forgot it.',
      note: 'If it was not you, nothing needs to be done; your account is as it was.',
    },
  },
  changed: {
    fa: {
      subject: 'نشانی حساب شما عوض می‌شود',
      says: 'کسی که به حساب شما در یک برنامه وارد شده، نشانی دیگری برای آن نوشته است. پس از تأیید آن نشانی، این نشانی دیگر از آن حساب شما نیست.',
      note: 'اگر شما نبوده‌اید، همین حالا گذرواژه را عوض کنید و از همهٔ دستگاه‌ها خارج شوید.',
    },
    en: {
      subject: 'The address of your account changes',
      says: 'Somebody who is signed in to your account in an app has named another address for it. Once that is confirmed, this address no longer belongs to your account.',
      note: 'If it was not you, change your password now and sign out everywhere.',
    },
  },
}

/** Returns a mail. Its link and code are of this platform's own letters and digits. */
export function mailContent(
  kind: MailKind,
  secret: { code: string; link: string } | undefined,
): { subject: string; text: string; html: string } {
  const { fa, en } = mailTexts[kind]
  return renderLetter(contentOf(fa, 'fa', secret), contentOf(en, 'en', secret))
}

const contentOf = (
  { subject, says, button, note }: MailText,
  locale: Language,
  secret: { code: string; link: string } | undefined,
): LetterContent => ({
  ...{ locale, subject, note },
  lines: [says],
  ...(secret && button !== undefined && { button: { label: button, href: secret.link } }),
  ...(secret && { code: secret.code }),
})
