import type { Localized } from '#platform/errors'

/** Why a report of usage is refused, and the titles of its tables. */
export const reasons = {
  timeZone: {
    en: 'time_zone must be a name of the IANA database, such as Asia/Tehran.',
    fa: 'time_zone باید نامی از فهرست IANA باشد، مانند Asia/Tehran.',
  },
  day: {
    en: 'from and to must be days of the Gregorian calendar, such as 2026-11-30.',
    fa: 'from و to باید روزهایی از تقویم میلادی باشند، مانند 2026-11-30.',
  },
  order: { en: 'to must not be before from.', fa: 'to نباید پیش از from باشد.' },
  tooLong: {
    en: 'from and to must be at most 4,000 days apart.',
    fa: 'from و to باید حداکثر ۴٬۰۰۰ روز از هم فاصله داشته باشند.',
  },
  groups: {
    en: 'group_by must be one or two different ones of project, model, endpoint, key, person and customer, with a comma between them.',
    fa: 'group_by باید یک یا دو نام متفاوت از project، model، endpoint، key، person و customer باشد که با ویرگول از هم جدا شده‌اند.',
  },
  cursor: {
    en: 'after is no place in this list: send next_after of the page before, with the same query.',
    fa: 'after جایی در این فهرست نیست: next_after صفحهٔ پیش را با همان پرسش بفرستید.',
  },
}

/** The titles of the columns of an export. */
export const titles = {
  usage: { en: 'Usage', fa: 'مصرف' },
  from: { en: 'From', fa: 'از (میلادی)' },
  to: { en: 'To', fa: 'تا (میلادی)' },
  day: { en: 'Day', fa: 'روز (میلادی)' },
  jalaliFrom: { en: 'From (Jalali)', fa: 'از' },
  jalaliTo: { en: 'To (Jalali)', fa: 'تا' },
  jalaliDay: { en: 'Day (Jalali)', fa: 'روز' },
  project: { en: 'Project', fa: 'پروژه' },
  projectId: { en: 'Project id', fa: 'شناسهٔ پروژه' },
  model: { en: 'Model', fa: 'مدل' },
  endpoint: { en: 'Endpoint', fa: 'مسیر' },
  key: { en: 'Key', fa: 'کلید' },
  keyId: { en: 'Key id', fa: 'شناسهٔ کلید' },
  person: { en: 'Person', fa: 'شخص' },
  personId: { en: 'Person id', fa: 'شناسهٔ شخص' },
  customer: { en: 'Customer', fa: 'مشتری' },
  requests: { en: 'Requests', fa: 'درخواست‌ها' },
  failures: { en: 'Failed', fa: 'ناموفق' },
  credits: { en: 'Credits', fa: 'اعتبار' },
  input: { en: 'Input tokens', fa: 'توکن‌های ورودی' },
  cachedInput: { en: 'Of them cached', fa: 'از آن‌ها از حافظه' },
  output: { en: 'Output tokens', fa: 'توکن‌های خروجی' },
  reasoning: { en: 'Of them reasoning', fa: 'از آن‌ها استدلال' },
} satisfies Record<string, Localized>

/** The titles of units other than tokens; a unit that is not here is its own title. */
export const unitTitles: Readonly<Record<string, Localized>> = {
  seconds: { en: 'Seconds', fa: 'ثانیه' },
  characters: { en: 'Characters', fa: 'کاراکتر' },
  pictures: { en: 'Pictures', fa: 'تصویر' },
  images: { en: 'Images', fa: 'تصویر' },
  searches: { en: 'Searches', fa: 'جست‌وجو' },
}
