import type { Localized } from '#platform/errors'

/** Why a list of requests is refused. */
export const reasons = {
  time: (param: string) => ({
    en: `${param} must be a day, such as 2026-11-30, or a moment with its zone, such as 2026-11-30T08:00:00Z, that the calendar has.`,
    fa: `${param} باید روزی مانند 2026-11-30 یا لحظه‌ای با منطقهٔ زمانی مانند 2026-11-30T08:00:00Z باشد که در تقویم هست.`,
  }),
  zone: {
    en: 'time_zone must be a name of the IANA database, such as Asia/Tehran.',
    fa: 'time_zone باید نامی از فهرست IANA باشد، مانند Asia/Tehran.',
  },
  otherCursor: (param: string) => ({
    en: `${param} is no place in this list: send next_${param} of an answer before.`,
    fa: `${param} جایی در این فهرست نیست: next_${param} یکی از پاسخ‌های پیش را بفرستید.`,
  }),
  twoCursors: {
    en: 'since and after exclude each other: after pages to older calls, since finds what ended later.',
    fa: 'since و after با هم نمی‌آیند: after به درخواست‌های کهنه‌تر می‌رود و since آنچه را بعداً پایان یافته می‌یابد.',
  },
}

/** The titles of the table of an export, and the words for states in it. */
export const titles = {
  requests: { en: 'Requests', fa: 'درخواست‌ها' },
  began: { en: 'Began', fa: 'آغاز (میلادی)' },
  jalaliDay: { en: 'Day (Jalali)', fa: 'روز' },
  id: { en: 'Request id', fa: 'شناسهٔ درخواست' },
  state: { en: 'State', fa: 'نتیجه' },
  running: { en: 'running', fa: 'در جریان' },
  completed: { en: 'completed', fa: 'موفق' },
  failed: { en: 'failed', fa: 'ناموفق' },
  status: { en: 'Status code', fa: 'کد پاسخ' },
  endpoint: { en: 'Endpoint', fa: 'مسیر' },
  model: { en: 'Model', fa: 'مدل' },
  credits: { en: 'Credits', fa: 'اعتبار' },
  input: { en: 'Input tokens', fa: 'توکن‌های ورودی' },
  cachedInput: { en: 'Of them cached', fa: 'از آن‌ها از حافظه' },
  output: { en: 'Output tokens', fa: 'توکن‌های خروجی' },
  reasoning: { en: 'Of them reasoning', fa: 'از آن‌ها استدلال' },
  project: { en: 'Project', fa: 'پروژه' },
  key: { en: 'Key', fa: 'کلید' },
  person: { en: 'Person', fa: 'شخص' },
  customer: { en: 'Customer', fa: 'مشتری' },
  reference: { en: 'Reference', fa: 'مرجع' },
  idempotencyKey: { en: 'Idempotency key', fa: 'کلید تکرار' },
} satisfies Record<string, Localized>
