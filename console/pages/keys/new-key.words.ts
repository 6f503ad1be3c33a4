import { credits } from '../../words/credits.ts'

const fa = {
  title: 'کلید تازه',
  lead: (project: string) => `برای «${project}». خود کلید پس از ساختن یک بار نشان داده می‌شود.`,
  what: 'نام و دسترسی',
  bounds: 'سقف و پایان',
  more: 'تنظیم‌های بیشتر',
  moreWhy: 'مدل‌ها، سرعت، صفحه‌های مرورگر و نگهداری. همه اختیاری‌اند.',
  open: 'باز کردن',
  close: 'بستن',
  submit: 'ساختن کلید',
  back: 'انصراف',
  willBe: (name: string, scopes: string, spending: string, end: string) =>
    `کلید ${name} ساخته می‌شود: ${scopes}، ${spending}، ${end}.`,
  nameless: 'تازه',
  month: (cap: string) => `حداکثر ${cap} اعتبار در ماه`,
  total: (cap: string) => `حداکثر ${cap} اعتبار در کل`,
  both: (month: string, total: string) => `حداکثر ${month} اعتبار در ماه و ${total} در کل`,
  noCap: 'بدون سقف خرج',
  until: (day: string) => `تا پایان ${day}`,
  never: 'بدون پایان',
  noDay: 'تا روزی که هنوز روشن نیست',
  mayNot: 'با نقش شما در این حساب نمی‌توان کلید ساخت',
  mayNotWhy: 'کلید را مالک، مدیر یا توسعه‌دهندهٔ حساب می‌سازد. از یکی از آن‌ها بخواهید.',
  toKeys: 'برگشت به کلیدها',
}

const en = {
  title: 'New key',
  lead: (project: string) => `For ${project}. The key itself is shown once, after it is made.`,
  what: 'Name and what it may do',
  bounds: 'Cap and end',
  more: 'More settings',
  moreWhy: 'Models, speed, pages in browsers and keeping. All are optional.',
  open: 'Open',
  close: 'Close',
  submit: 'Make the key',
  back: 'Cancel',
  willBe: (name: string, scopes: string, spending: string, end: string) =>
    `The key ${name} will be made: ${scopes}, ${spending}, ${end}.`,
  nameless: '(new)',
  month: (cap: string) => `at most ${credits(cap)} a month`,
  total: (cap: string) => `at most ${credits(cap)} in all`,
  both: (month: string, total: string) => `at most ${credits(month)} a month and ${total} in all`,
  noCap: 'no cap on spending',
  until: (day: string) => `until the end of ${day}`,
  never: 'without an end',
  noDay: 'until a day that is not clear yet',
  mayNot: 'Your role in this account makes no keys',
  mayNotWhy: 'An owner, administrator or developer of the account makes keys. Ask one of them.',
  toKeys: 'Back to the keys',
} satisfies typeof fa

export const newKeyWords = { fa, en }
