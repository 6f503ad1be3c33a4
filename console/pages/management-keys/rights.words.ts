import type { RightName } from './rights.ts'

interface RightWords {
  /** A noun that stands in a list. */
  short: string
  /** What a key with this permission may do. */
  long: string
}

const fa = {
  groups: { keys: 'کلیدها و پروژه‌ها', money: 'پول و سقف‌ها', news: 'گزارش و خبرها' },
  andMore: (names: string, count: string) => `${names} و ${count} اجازهٔ دیگر`,
  rights: {
    'keys:read': { short: 'دیدن کلیدها', long: 'دیدن کلیدهای همهٔ پروژه‌ها و خرجشان' },
    'keys:write': { short: 'کلیدها', long: 'ساختن، تغییر و باطل کردن کلیدهای پروژه' },
    'projects:read': { short: 'دیدن پروژه‌ها', long: 'دیدن پروژه‌ها و سقف‌هایشان' },
    'projects:write': { short: 'پروژه‌ها', long: 'ساختن پروژه، تغییر نام و پایین آوردن سقف آن' },
    'usage:read': { short: 'مصرف', long: 'دیدن موجودی، مصرف و هزینهٔ هر درخواست' },
    'models:read': { short: 'مدل‌ها', long: 'دیدن مدل‌ها و قیمت‌ها' },
    'account:read': { short: 'دیدن حساب', long: 'دیدن نام و سقف‌های حساب' },
    'account:write': { short: 'سقف‌ها', long: 'تغییر نام و سقف‌های حساب، و بالا بردن سقف کلید و پروژه' },
    'audit:read': { short: 'گزارش تغییرها', long: 'خواندن گزارش تغییرهای حساب' },
    'webhooks:read': { short: 'دیدن وب‌هوک‌ها', long: 'دیدن وب‌هوک‌ها و فرستادن‌هایشان' },
    'webhooks:write': { short: 'وب‌هوک‌ها', long: 'ساختن، تغییر و حذف وب‌هوک‌ها' },
  } satisfies Record<RightName, RightWords> as Record<RightName, RightWords>,
}

const en = {
  groups: { keys: 'Keys and projects', money: 'Money and caps', news: 'Log and news' },
  andMore: (names: string, count: string) => `${names} and ${count} more`,
  rights: {
    'keys:read': { short: 'seeing keys', long: 'See the keys of all projects and what they spend' },
    'keys:write': { short: 'keys', long: 'Make, change and revoke project keys' },
    'projects:read': { short: 'seeing projects', long: 'See projects and their caps' },
    'projects:write': { short: 'projects', long: 'Make projects, rename them, lower their caps' },
    'usage:read': { short: 'usage', long: 'See balance, usage and what each request cost' },
    'models:read': { short: 'models', long: 'See models and prices' },
    'account:read': { short: 'seeing the account', long: 'See name and caps of the account' },
    'account:write': {
      short: 'caps',
      long: 'Change name and caps of the account, and raise caps of keys and projects',
    },
    'audit:read': { short: 'audit log', long: 'Read the audit log of the account' },
    'webhooks:read': { short: 'seeing webhooks', long: 'See webhooks and their deliveries' },
    'webhooks:write': { short: 'webhooks', long: 'Make, change and delete webhooks' },
  } satisfies Record<RightName, RightWords> as Record<RightName, RightWords>,
} satisfies typeof fa

export const rightWords = { fa, en }
