import { english, persian } from '#platform/words'
import { type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

export const functionPhrases = {
  // Commands
  deploy: sentence(
    'فایلی جاوااسکریپت (یا TypeScript، در بک‌اند اختصاصی) را به شکل تابع مستقر می‌کند و نشانی‌اش را چاپ می‌کند؛ نام تابع نام فایل است',
    'deploys a file of JavaScript (or TypeScript, to a dedicated app back-end) as a function and prints its address; the function has the name of the file',
  ),
  list: sentence('تابع‌های یک بک‌اند', 'the functions of an app back-end'),
  logs: sentence(
    'خط‌هایی که تابع نوشته است؛ با --follow همان‌گونه که می‌آیند',
    'the lines that a function wrote; with --follow, as they come',
  ),
  rollback: sentence(
    'نسخهٔ پیشین تابع را بازمی‌گرداند، یا نسخه‌ای را که --to می‌گوید',
    'goes back to the version before, or to the one that --to names',
  ),
  delete: sentence(
    'تابع را با نسخه‌ها و گزارش‌هایش حذف می‌کند',
    'deletes a function with its versions and logs',
  ),
  setSecret: sentence(
    'مقداری محرمانه را که تابع‌ها می‌خوانند ثبت می‌کند؛ مقدار از ورودی استاندارد یا از فایل --from خوانده می‌شود',
    'sets a secret that functions read; its value is read from standard input, or from the file of --from',
  ),
  listSecrets: sentence('نام مقدارهای محرمانه', 'the names of the secrets'),
  deleteSecret: sentence('مقداری محرمانه را حذف می‌کند', 'deletes a secret'),

  // Progress
  deploying: (name: string) =>
    sentence(`«${name}» کامپایل و آزموده می‌شود…`, `"${name}" is compiled and tried…`),
  deployed: (name: string, version: number) =>
    sentence(
      `نسخهٔ ${persian(version)} از «${name}» پاسخ می‌دهد.`,
      `Version ${english(version)} of "${name}" answers.`,
    ),
  gone: (name: string) => sentence(`«${name}» حذف شد.`, `"${name}" is deleted.`),
  secretSet: (name: string) => sentence(`«${name}» ثبت شد.`, `"${name}" is set.`),
  typeValue: sentence('مقدار را بنویسید و با Ctrl-D پایان دهید:', 'Type the value, and end it with Ctrl-D:'),

  // Refused
  notText: (file: string) => sentence(`«${file}» متن UTF-8 نیست.`, `"${file}" is not text in UTF-8.`),
  valueTooLong: () =>
    sentence('مقدار محرمانه حداکثر ۱۰٬۰۰۰ کاراکتر است.', 'A secret has at most 10,000 characters.'),
  badLevel: (typed: string) =>
    sentence(
      `--level برابر «${typed}» است: debug، info، warn یا error بنویسید.`,
      `--level is "${typed}": write debug, info, warn or error.`,
    ),

  access: {
    members: sentence('کاربران واردشده', 'signed-in users'),
    public: sentence('همه', 'everybody'),
  },
  columns: {
    name: sentence('نام', 'name'),
    version: sentence('نسخه', 'version'),
    access: sentence('چه کسی صدا می‌زند', 'who may call'),
    updated: sentence('تازه‌شده', 'changed'),
    url: sentence('نشانی', 'address'),
  },
  count: (number: number) => sentence(persian(number), english(number)),
}

export const functionOptions: OptionHelp = {
  ...serverOptions,
  name: {
    value: 'NAME',
    about: sentence('نام تابع، اگر نام فایل نیست', 'of the function, if not that of the file'),
  },
  public: {
    value: '',
    about: sentence('همه می‌توانند صدا بزنند، بی ورود', 'everybody may call it, without a session'),
  },
  level: {
    value: 'LEVEL',
    about: sentence('کمترین سطح: debug، info، warn، error', 'the least: debug, info, warn, error'),
  },
  limit: { value: 'LINES', about: sentence('شمار تازه‌ترین خط‌ها', 'so many of the newest lines') },
  follow: { value: '', about: sentence('خط‌ها همان‌گونه که می‌آیند', 'lines as they come') },
  to: { value: 'VERSION', about: sentence('نسخه‌ای که پاسخ خواهد داد', 'the version that is to answer') },
  from: { value: 'FILE', about: sentence('فایلی که مقدار در آن است', 'the file that the value stands in') },
}
