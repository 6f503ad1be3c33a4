import type { Locale } from '../words/locale.ts'

const fa = {
  again: 'دوباره',
  requestId: 'شناسهٔ درخواست',
  copy: 'رونوشت',
  copied: 'رونوشت شد',
  close: 'بستن',
  cancel: 'انصراف',
  undo: 'برگرداندن',
  show: 'نشان دادن',
  hide: 'پنهان کردن',
  loading: 'در حال بار شدن',
  slow: 'پاسخ بیش از ۸ ثانیه طول کشید.',
  offline: 'به سرور نرسیدیم. اتصال را بررسی کنید و دوباره بزنید.',
  unreadable: 'پاسخ سرور خوانده نشد. کمی بعد دوباره بزنید.',
  notNumber: 'یک عدد بنویسید، مانند ۱۲۰۰ یا ۱۲٫۵.',
  notifications: 'پیام‌ها',
  optional: 'اختیاری',
  light: 'روشن',
  dark: 'تیره',
  auto: 'خودکار',
  credit: 'اعتبار',
  nothingFound: 'چیزی پیدا نشد.',
}

const en = {
  again: 'Again',
  requestId: 'Request id',
  copy: 'Copy',
  copied: 'Copied',
  close: 'Close',
  cancel: 'Cancel',
  undo: 'Undo',
  show: 'Show',
  hide: 'Hide',
  loading: 'Loading',
  slow: 'The answer took more than 8 seconds.',
  offline: 'The server could not be reached. Check the connection and try again.',
  unreadable: 'The answer of the server could not be read. Try again in a moment.',
  notNumber: 'Write a number, such as 1200 or 12.5.',
  notifications: 'Messages',
  optional: 'optional',
  light: 'Light',
  dark: 'Dark',
  auto: 'Auto',
  credit: 'credits',
  nothingFound: 'Nothing was found.',
} satisfies typeof fa

export const pieceWords = { fa, en }

export const languageNames: Record<Locale, string> = { fa: 'فارسی', en: 'English' }
