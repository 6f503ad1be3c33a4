import type { Language, Localized } from '#platform/errors'

export const reasons = {
  address: {
    en: 'this is an address with http:// or https:// and without a password, such as https://app.example.com; encoded it has at most 2,000 characters.',
    fa: 'این نشانی با http:// یا https:// و بی گذرواژه است، مانند https://app.example.com، و به شکل رمزشده حداکثر ۲۰۰۰ کاراکتر دارد.',
  },
  noAddress: {
    en: 'this user has no address, so there is nothing a link could be made for.',
    fa: 'این کاربر نشانی ندارد و پیوندی برای او ساخته نمی‌شود.',
  },
} satisfies Record<string, Localized>

export interface PageTexts {
  title: string
  says: string
  button?: string
}

type PageKind = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

/** The page of a link, by the link's purpose. */
export const pages: Record<PageKind, Record<Language, PageTexts>> = {
  signup: {
    fa: { title: 'تأیید نشانی ایمیل', says: 'با دکمهٔ زیر نشانی شما تأیید می‌شود.', button: 'تأیید' },
    en: { title: 'Confirm your address', says: 'The button confirms your address.', button: 'Confirm' },
  },
  invite: {
    fa: { title: 'پذیرفتن دعوت', says: 'با دکمهٔ زیر به برنامه وارد می‌شوید.', button: 'پذیرفتن' },
    en: { title: 'Accept the invitation', says: 'The button signs you in to the app.', button: 'Accept' },
  },
  recovery: {
    fa: {
      title: 'گذرواژهٔ تازه',
      says: 'با دکمهٔ زیر به برنامه می‌روید و آنجا گذرواژهٔ تازه می‌گذارید.',
      button: 'ادامه',
    },
    en: {
      title: 'New password',
      says: 'The button leads to the app, where you choose a new password.',
      button: 'Continue',
    },
  },
  magiclink: {
    fa: { title: 'ورود به برنامه', says: 'با دکمهٔ زیر به برنامه وارد می‌شوید.', button: 'ورود' },
    en: { title: 'Sign in', says: 'The button signs you in to the app.', button: 'Sign in' },
  },
  email_change: {
    fa: { title: 'تأیید نشانی تازه', says: 'با دکمهٔ زیر این نشانی از آن حساب شما می‌شود.', button: 'تأیید' },
    en: {
      title: 'Confirm your new address',
      says: 'The button makes this the address of your account.',
      button: 'Confirm',
    },
  },
}

export const notices = {
  done: {
    fa: { title: 'انجام شد', says: 'نشانی شما تأیید شد؛ به برنامه برگردید و وارد شوید.' },
    en: { title: 'Done', says: 'Your address is confirmed; return to the app and sign in.' },
  },
  spent: {
    fa: {
      title: 'این پیوند دیگر کار نمی‌کند',
      says: 'پیوند به کار رفته یا زمانش گذشته است؛ در برنامه پیوند تازه‌ای بخواهید.',
    },
    en: {
      title: 'This link no longer works',
      says: 'It was used or has expired; ask for a new one in the app.',
    },
  },
  blocked: {
    fa: { title: 'این حساب مسدود است', says: 'از گردانندگان برنامه بپرسید.' },
    en: { title: 'This account is blocked', says: 'Ask the people behind the app.' },
  },
  nowhere: {
    fa: {
      title: 'کد را در برنامه بنویسید',
      says: 'این برنامه نشانی‌ای برای بازگشت ندارد؛ کدی را که همراه این پیوند آمده در خود برنامه بنویسید.',
    },
    en: {
      title: 'Type the code into the app',
      says: 'This app has no address to return to; type the code that came with this link into the app itself.',
    },
  },
} satisfies Record<string, Record<Language, PageTexts>>

export const leadsTo: Localized = { fa: 'سپس به این نشانی می‌روید:', en: 'You are then led to:' }
