const fa = {
  leave: 'باز کردن نشانی',
  leaveWhy: 'این نشانی را مدل نوشته است، نه شما و نه منبع‌های این گفت‌وگو. پیش از باز کردن، میزبانش را ببینید.',
  host: 'میزبان',
  address: 'نشانی کامل',
  readable: 'خوانا',
  open: 'باز کردن',
  picture: (host: string) => `تصویر در \u2066${host}\u2069`,
  done: 'انجام شده',
  notDone: 'انجام نشده',
  code: 'کد',
  formula: 'فرمول',
  table: 'جدول',
  plain: 'این بخش بیش از اندازه بلند یا تودرتو است و بی‌قالب نشان داده می‌شود.',
}

const en = {
  leave: 'Open an address',
  leaveWhy:
    'The model wrote this address; it is neither in your words nor in the sources of this conversation. Look at its host before you open it.',
  host: 'Host',
  address: 'Whole address',
  readable: 'Readable',
  open: 'Open',
  picture: (host: string) => `Picture at ${host}`,
  done: 'Done',
  notDone: 'Not done',
  code: 'Code',
  formula: 'Formula',
  table: 'Table',
  plain: 'This part is too long or too deeply nested, and is shown without form.',
} satisfies typeof fa

export const markdownWords = { fa, en }
