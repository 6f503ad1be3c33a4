import type { Language } from '#platform/errors'
import type { BilingualText, Command, CommandResult, OptionHelp } from './command.ts'
import { serverOptions } from './server/phrases.ts'
import { workOptions } from './work/phrases.ts'

const optionHelp: OptionHelp = {
  name: { value: 'NAME', about: { fa: 'نام، ۱ تا ۱۲۰ کاراکتر', en: 'a name, 1 to 120 characters' } },
  plan: {
    value: 'PLAN',
    about: {
      fa: 'طرح؛ حساب تازه در نبودش standard است، و با none هنوز دسترسی نیست',
      en: 'the plan; a new account has standard when left out, none gives no access yet',
    },
  },
  credits: { value: 'N', about: { fa: 'اعتبار آغازین', en: 'credits to begin with' } },
  cap: {
    value: 'N|none',
    about: { fa: 'سقف کل خرج، به اعتبار', en: 'most it may ever spend, in credits' },
  },
  'monthly-cap': {
    value: 'N|none',
    about: {
      fa: 'سقف خرج هر ماه (به وقت تهران)، به اعتبار',
      en: 'most it may spend in a month (Tehran time), in credits',
    },
  },
  rate: {
    value: 'N|none',
    about: { fa: 'بیشترین درخواست در هر ۶۰ ثانیه', en: 'most paid calls begun in any 60 seconds' },
  },
  concurrency: {
    value: 'N|none',
    about: { fa: 'بیشترین درخواست هم‌زمان', en: 'most paid calls under way at once' },
  },
  account: {
    value: 'ID',
    about: {
      fa: 'حساب؛ اگر تنها یکی هست لازم نیست',
      en: 'the account; may be left out when there is only one',
    },
  },
  project: {
    value: 'ID',
    about: {
      fa: 'پروژه؛ اگر تنها یکی هست لازم نیست',
      en: 'the project; may be left out when there is only one',
    },
  },
  reason: { value: 'TEXT', about: { fa: 'دلیل، برای دفتر', en: 'why, for the books' } },
  id: {
    value: 'UUID',
    about: {
      fa: 'شناسهٔ انتقال؛ تکرار آن چیزی را تغییر نمی‌دهد',
      en: 'id of the transfer; repeating it changes nothing',
    },
  },
  scopes: {
    value: 'A,B|all',
    about: { fa: 'دسترسی‌ها؛ در نبودش همه', en: 'what it may do; all when left out' },
  },
  models: {
    value: 'A,B|all',
    about: { fa: 'تنها این مدل‌ها، یا همه', en: 'only these models, or all' },
  },
  origins: {
    value: 'A,B|none',
    about: {
      fa: 'صفحه‌هایی که از مرورگر با این کلید می‌پرسند، مانند https://app.example.com؛ none یعنی هیچ',
      en: 'pages that may use it from a browser, such as https://app.example.com; none when left out',
    },
  },
  'keep-days': {
    value: 'N|none',
    about: {
      fa: 'روزهایی که ساخته‌های استودیو نگه داشته می‌شوند؛ 0 فقط برای تکرار همان درخواست، none یعنی تنظیم بالاتر',
      en: 'days for which creations of Studio are kept; 0 is for a repeat of the request only, none is what stands above',
    },
  },
  'responses-max-output-tokens': {
    value: 'N|none',
    about: {
      fa: 'توکن‌های خروجی Responses وقتی درخواست سقفی نمی‌گوید، تا ۳۲۷۶۸؛ none یعنی پیش‌فرض سرور',
      en: 'output tokens of Responses where a call names no limit, up to 32768; none is the server’s default',
    },
  },
  expires: {
    value: '2027-01-01|30d|never',
    about: {
      fa: 'پایان اعتبار کلید؛ روز میلادی، مدت، یا هرگز',
      en: 'when it ends: the start of a day in Tehran, a time from now, or never',
    },
  },
}

const reconcileHelp: OptionHelp = {
  provider: {
    value: 'ID',
    about: { fa: 'ارائه‌دهنده، با نامش در پیکربندی', en: 'the provider, as the configuration names it' },
  },
  from: {
    value: 'DATE',
    about: {
      fa: 'نخستین روز (به وقت UTC) یا لحظهٔ آغاز',
      en: 'the first day (UTC), or the moment of the beginning',
    },
  },
  to: {
    value: 'DATE',
    about: {
      fa: 'آخرین روز، که خودش هم هست، یا لحظهٔ پایان',
      en: 'the last day, itself included, or the moment of the end',
    },
  },
  invoice: {
    value: 'FILE',
    about: { fa: 'صورت‌حساب: CSV یا JSON lines', en: 'the invoice: CSV or JSON lines' },
  },
  map: {
    value: 'id=COLUMN,…',
    about: {
      fa: 'ستون‌های id، attempt، time، model، input، output، usd',
      en: 'where id, attempt, time, model, input, output and usd stand',
    },
  },
  live: { value: '', about: { fa: 'سرور روشن را هم می‌آزماید', en: 'also asks the running server' } },
}

const helpOf = (option: string, { help }: Command) =>
  help?.[option] ??
  optionHelp[option] ??
  reconcileHelp[option] ??
  serverOptions[option] ??
  workOptions[option]

const globalHelp: Readonly<Record<string, BilingualText>> = {
  '--json': {
    fa: 'یک سند JSON روی خروجی و دیگر هیچ',
    en: 'one JSON document on standard output and nothing else',
  },
  '--verbose': { fa: 'گزارش کار روی خروجی خطا', en: 'what happens, on standard error' },
  '--help': { fa: 'همین راهنما، برای دستور', en: 'this help, for a command' },
  '--version': { fa: 'نسخهٔ خرد', en: 'the version of Kherad' },
}

const intro: BilingualText = {
  fa: 'گرداندن خرد: حساب‌ها، پروژه‌ها، کلیدها، اعتبار و سلامت سرور.\nپایگاه داده از DATABASE_URL یا پوشهٔ KHERAD_DATA است، چه سرور روشن باشد چه نه. زبان: KHERAD_LOCALE=fa|en',
  en: 'Runs Kherad: accounts, projects, keys, credits and the health of the server.\nIts database is that of DATABASE_URL or of the folder KHERAD_DATA, whether a server is running or not. Language: KHERAD_LOCALE=fa|en',
}

/** The usage of a command, such as `kherad key create --name NAME [--cap N] …`. */
export function usageOf(command: Command): string {
  const { name, takes, mayTake = [], options, needs, flags = [], repeatable = [] } = command
  const shown = options.map((option) => {
    const text = `--${option} ${helpOf(option, command)?.value ?? 'VALUE'}`
    return needs.includes(option) ? text : `[${text}]${repeatable.includes(option) ? '…' : ''}`
  })
  const words = [...takes, ...mayTake.map((word) => `[${word}]`)]
  return ['kherad', name, ...words, ...shown, ...flags.map((flag) => `[--${flag}]`)].join(' ')
}

/** The help of all commands, or of the given ones. */
export function help(asked: readonly Command[], language: Language, full: boolean): CommandResult {
  const described = new Map(
    asked.flatMap((command) =>
      [...command.options, ...(command.flags ?? [])].map((name) => [name, helpOf(name, command)]),
    ),
  )
  const options = full
    ? []
    : [...described].map(([name, option]) => [`--${name} ${option?.value ?? ''}`, option?.about[language]])
  const globals = Object.entries(globalHelp).map(([name, about]) => [name, about[language]])
  const lines = [...options, ...globals].map(([name = '', about = '']) => `  ${name.padEnd(26)}  ${about}\n`)
  const commands = asked.map((command) => `  ${usageOf(command)}\n      ${command.about[language]}\n`)
  return {
    json: {
      commands: asked.map((command) => ({
        name: command.name,
        usage: usageOf(command),
        about: command.about[language],
      })),
    },
    text: `${full ? `${intro[language]}\n\n` : ''}${commands.join('')}\n${lines.join('')}`,
  }
}
