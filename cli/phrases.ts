/** Every sentence of the CLI, Persian and English. Those of the doctor are in the folder `doctor`. */
import { english, persian } from '#platform/words'
import { type BilingualText, sentence } from './command.ts'

const farsi = (items: readonly string[]): string => items.join('، ')
const both = (items: readonly string[]): string => items.join(', ')

export const phrases = {
  // Typed wrong
  unknownCommand: (typed: string) =>
    sentence(
      `دستوری به نام «${typed}» نیست: kherad help همهٔ دستورها را نشان می‌دهد.`,
      `There is no command "${typed}": kherad help shows them all.`,
    ),
  verbMissing: (noun: string, verbs: readonly string[]) =>
    sentence(
      `پس از ${noun} یکی از این‌ها را بنویسید: ${farsi(verbs)}.`,
      `After ${noun} write one of ${both(verbs)}.`,
    ),
  unknownOption: (option: string, command: string) =>
    sentence(
      `${option} گزینهٔ ${command} نیست: kherad ${command} --help گزینه‌هایش را نشان می‌دهد.`,
      `${option} is no option of ${command}: kherad ${command} --help shows those it has.`,
    ),
  valueMissing: (option: string) =>
    sentence(
      `${option} مقداری می‌خواهد: آن را پس از گزینه بنویسید.`,
      `${option} needs a value: write it after the option.`,
    ),
  valueUnwanted: (option: string) =>
    sentence(`${option} مقداری نمی‌گیرد: آن را تنها بنویسید.`, `${option} takes no value: write it alone.`),
  wordMissing: (word: string, usage: string) =>
    sentence(`${word} نوشته نشده است: ${usage}`, `${word} is missing: ${usage}`),
  wordUnwanted: (word: string, usage: string) =>
    sentence(`«${word}» اینجا معنایی ندارد: ${usage}`, `"${word}" has no place here: ${usage}`),
  nothingToSet: (usage: string) =>
    sentence(
      `چیزی برای تغییر نوشته نشده است: دست‌کم یکی از گزینه‌ها را بدهید. ${usage}`,
      `Nothing to change is given: write one of the options at least. ${usage}`,
    ),
  notCredits: (what: string, typed: string) =>
    sentence(
      `${what} برابر «${typed}» است: عددی مانند 1000 یا 0.25 با حداکثر شش رقم اعشار بنویسید.`,
      `${what} is "${typed}": write a number such as 1000 or 0.25, with at most six decimals.`,
    ),
  tooManyCredits: (what: string) =>
    sentence(
      `${what} از یک تریلیون اعتبار بیشتر است: کمتر بنویسید.`,
      `${what} is more than 10^12 credits: write less.`,
    ),
  notACount: (what: string, typed: string, max: number, min = 1) =>
    sentence(
      `${what} برابر «${typed}» است: عددی صحیح از ${persian(min)} تا ${persian(max)} یا none بنویسید.`,
      `${what} is "${typed}": write a whole number from ${min} to ${max}, or none.`,
    ),
  negative: (what: string) =>
    sentence(
      `${what} نمی‌تواند منفی باشد: ۰ یا بیشتر بنویسید.`,
      `${what} cannot be negative: write 0 or more.`,
    ),
  zero: () =>
    sentence(
      'CREDITS صفر است: عددی جز صفر بنویسید؛ عدد منفی اعتبار را پس می‌گیرد.',
      'CREDITS is zero: write another number; a negative one takes back.',
    ),
  notAnId: (what: string, typed: string) =>
    sentence(
      `${what} برابر «${typed}» است که شناسه نیست: شناسهٔ کامل را بنویسید (UUID، مانند 0199…-…).`,
      `${what} is "${typed}", which is no id: write the whole id (a UUID such as 0199…-…).`,
    ),
  badName: (what: string, max: number) =>
    sentence(
      `${what} باید ۱ تا ${persian(max)} کاراکتر در یک خط باشد.`,
      `${what} must be 1 to ${max} characters on one line.`,
    ),
  notADate: (what: string, typed: string) =>
    sentence(
      `${what} برابر «${typed}» است: روزی مانند 1406/01/01 یا 2027-03-21، لحظه‌ای مانند 2027-03-21T12:00:00Z، مدتی مانند 30d یا 12h (حداکثر صد سال)، یا never بنویسید.`,
      `${what} is "${typed}": write a day such as 2027-03-21 or 1406/01/01, a moment such as 2027-03-21T12:00:00Z, a time such as 30d or 12h (at most a hundred years), or never.`,
    ),
  notAPast: (what: string, typed: string) =>
    sentence(
      `${what} برابر «${typed}» است: روزی مانند 1405/01/01 یا 2026-03-21، لحظه‌ای مانند 2026-03-21T12:00:00Z، یا مدتی پیش از اکنون مانند 30d یا 12h بنویسید.`,
      `${what} is "${typed}": write a day such as 2026-03-21 or 1405/01/01, a moment such as 2026-03-21T12:00:00Z, or how long ago, such as 30d or 12h.`,
    ),
  expiryPast: (what: string, typed: string) =>
    sentence(
      `${what} برابر «${typed}» گذشته است: زمانی در آینده بنویسید.`,
      `${what} "${typed}" is in the past: write a time to come.`,
    ),
  unknownScopes: (unknown: readonly string[], known: readonly string[]) =>
    sentence(
      `این دسترسی‌ها شناخته نیستند: ${farsi(unknown)}. all یا از این‌ها بنویسید: ${farsi(known)}.`,
      `Not a scope: ${both(unknown)}. Write all, or some of ${both(known)}.`,
    ),
  notOrigins: (wrong: readonly string[]) =>
    sentence(
      `این‌ها نشانی صفحه نیستند: ${farsi(wrong)}. مانند https://app.example.com بنویسید، بی مسیر و بی *.`,
      `Not an origin: ${both(wrong)}. Write it as https://app.example.com, without a path and without *.`,
    ),
  countOfOrigins: (max: number) =>
    sentence(
      `--origins باید ۱ تا ${persian(max)} نشانی داشته باشد، یا none.`,
      `--origins takes 1 to ${max} origins, or none.`,
    ),
  noScopes: (known: readonly string[]) =>
    sentence(
      `--scopes خالی است: all یا از این‌ها بنویسید: ${farsi(known)}.`,
      `--scopes is empty: write all, or some of ${both(known)}.`,
    ),
  unknownModels: (unknown: readonly string[], known: readonly string[]) =>
    sentence(
      `این مدل‌ها وجود ندارند: ${farsi(unknown)}. مدل‌های این سرور: ${farsi(known)}.`,
      `These models do not exist: ${both(unknown)}. This server has ${both(known)}.`,
    ),
  noModels: (known: readonly string[]) =>
    sentence(
      `--models خالی است: all بنویسید تا همه مجاز باشند، یا از این‌ها: ${farsi(known)}.`,
      `--models is empty: write all to allow all, or some of ${both(known)}.`,
    ),

  // Refused
  noAccount: (id: string) =>
    sentence(
      `حسابی با شناسهٔ ${id} نیست: kherad account list همه را نشان می‌دهد.`,
      `There is no account ${id}: kherad account list shows them all.`,
    ),
  noProject: (id: string) =>
    sentence(
      `پروژه‌ای با شناسهٔ ${id} نیست: kherad project list همه را نشان می‌دهد.`,
      `There is no project ${id}: kherad project list shows them all.`,
    ),
  noKey: (id: string) =>
    sentence(
      `کلیدی با شناسهٔ ${id} نیست: kherad key list همه را نشان می‌دهد.`,
      `There is no key ${id}: kherad key list shows them all.`,
    ),
  noReceipt: (id: string) =>
    sentence(
      `رسیدی با شناسهٔ ${id} نیست: request_id پاسخ را بدهید.`,
      `There is no receipt ${id}: give the request_id of an answer.`,
    ),
  keyRevoked: (id: string) =>
    sentence(
      `کلید ${id} برای همیشه باطل شده است و تغییر نمی‌کند: با kherad key create کلیدی تازه بسازید.`,
      `The key ${id} is revoked for good and is not changed: make a new one with kherad key create.`,
    ),
  noAccountYet: () =>
    sentence(
      'هنوز حسابی نیست: kherad account create --name «نام» آن را می‌سازد.',
      'There is no account yet: kherad account create --name NAME makes one.',
    ),
  noProjectYet: () =>
    sentence(
      'هنوز پروژه‌ای نیست: kherad project create --name «نام» آن را می‌سازد.',
      'There is no project yet: kherad project create --name NAME makes one.',
    ),
  noKeyYet: () =>
    sentence(
      'هنوز کلیدی نیست: kherad key create --name «نام» آن را می‌سازد.',
      'There is no key yet: kherad key create --name NAME makes one.',
    ),
  whichAccount: () =>
    sentence(
      'بیش از یک حساب هست: با --account شناسهٔ یکی را بنویسید (kherad account list).',
      'There is more than one account: name one with --account (kherad account list).',
    ),
  whichProject: () =>
    sentence(
      'بیش از یک پروژه هست: با --project شناسهٔ یکی را بنویسید (kherad project list).',
      'There is more than one project: name one with --project (kherad project list).',
    ),
  notFree: (free: BilingualText) =>
    sentence(
      `تنها ${free.fa} اعتبار آزاد است و بیش از آن پس گرفته نمی‌شود: کمتر بنویسید.`,
      `Only ${free.en} credits are free and no more can be taken back: write less.`,
    ),
  balanceTooBig: () =>
    sentence(
      'موجودی از یک تریلیون اعتبار بیشتر می‌شود: کمتر بنویسید.',
      'The balance would pass 10^12 credits: write less.',
    ),
  grantConflict: (id: string, earlier: BilingualText) =>
    sentence(
      `--id ${id} پیش‌تر با ${earlier.fa} اعتبار به کار رفته است: برای مبلغی دیگر شناسه‌ای تازه بدهید. چیزی تغییر نکرد.`,
      `--id ${id} was used before, with ${earlier.en} credits: give a new one for another amount. Nothing was changed.`,
    ),
  fileTooLarge: (place: string, maxBytes: number) =>
    sentence(
      `${place} از ${persian(maxBytes)} بایت بزرگ‌تر است: فایلی کوچک‌تر بدهید.`,
      `${place} is larger than ${english(maxBytes)} bytes: give a smaller file.`,
    ),
  fileNotRead: (place: string, why: string) =>
    sentence(
      `${place} خوانده نشد (${why}): نام و دسترسی فایل را بررسی کنید.`,
      `${place} could not be read (${why}): check the name and who may read it.`,
    ),
  databaseAway: (reason: string) =>
    sentence(
      `ارتباط با پایگاه داده قطع شد (${reason}): kherad doctor را اجرا کنید و سپس دوباره بکوشید.`,
      `The connection to the database was lost (${reason}): run kherad doctor, then try again.`,
    ),
  interrupted: () => sentence('دستور نیمه‌کاره رها شد.', 'The command was interrupted.'),
  unexpected: (reason: string) =>
    sentence(
      `خطای پیش‌بینی‌نشده (${reason}): با --verbose دوباره اجرا کنید و گزارش دهید.`,
      `An unexpected error (${reason}): run again with --verbose and report it.`,
    ),

  // Done
  accountCreated: () => sentence('حساب ساخته شد:', 'The account is made:'),
  projectCreated: () => sentence('پروژه ساخته شد:', 'The project is made:'),
  keyCreated: () =>
    sentence(
      'کلید ساخته شد. رمز آن تنها همین یک بار نشان داده می‌شود:',
      'The key is made. Its secret is shown only this once:',
    ),
  accountChanged: () => sentence('حساب تغییر کرد:', 'The account is changed:'),
  projectChanged: () => sentence('پروژه تغییر کرد:', 'The project is changed:'),
  keyChanged: () =>
    sentence(
      'کلید تغییر کرد؛ همهٔ سرورها در یک ثانیه آگاه می‌شوند:',
      'The key is changed; every server knows within a second:',
    ),
  granted: (amount: BilingualText, free: BilingualText) =>
    sentence(
      `${amount.fa} اعتبار داده شد؛ اکنون ${free.fa} اعتبار آزاد است.`,
      `${amount.en} credits are granted; ${free.en} are free now.`,
    ),
  takenBack: (amount: BilingualText, free: BilingualText) =>
    sentence(
      `${amount.fa} اعتبار پس گرفته شد؛ اکنون ${free.fa} اعتبار آزاد است.`,
      `${amount.en} credits are taken back; ${free.en} are free now.`,
    ),
  grantRepeated: (free: BilingualText) =>
    sentence(
      `این انتقال پیش‌تر انجام شده بود و چیزی تغییر نکرد؛ ${free.fa} اعتبار آزاد است.`,
      `This grant was made before and nothing was changed; ${free.en} credits are free.`,
    ),
  suspended: (name: string) => sentence(`حساب «${name}» معلق شد.`, `The account "${name}" is suspended.`),
  closing: (name: string) =>
    sentence(
      `حساب «${name}» در انتظار حذف است: نخست حذف را با kherad account delete ACCOUNT --cancel برگردانید.`,
      `The account "${name}" is to be deleted: undo that first by kherad account delete ACCOUNT --cancel.`,
    ),
  resumed: (name: string) => sentence(`حساب «${name}» فعال است.`, `The account "${name}" is active.`),
  revoked: (name: string, at: BilingualText) =>
    sentence(`کلید «${name}» از ${at.fa} باطل است.`, `The key "${name}" is revoked since ${at.en}.`),
  silentProvider: (address: string) => sentence(`پاسخ نداد: ${address}`, `Did not answer: ${address}`),

  // Packages of functions
  noFunctionPackages: () =>
    sentence(
      'functions.packages در پیکربندی بسته‌ای نام نبرده است: نام و نسخهٔ دقیق هر بسته را آنجا بنویسید.',
      'functions.packages of the configuration names none: write the name and the exact version of each there.',
    ),
  functionPackagesFailed: (said: string) =>
    sentence(
      `بسته‌ها نصب نشد: نام، نسخه، registry مربوط به npm و شبکه را بررسی کنید. npm گفت: ${said}`,
      `The packages were not installed: check names, versions, the registry of npm and the network. npm said: ${said}`,
    ),
  functionPackages: (count: number, folder: string) =>
    sentence(
      `${persian(count)} بسته در ${folder} است و تابع‌هایی که از این پس می‌آیند می‌توانند import کنند.`,
      `${count} package${count === 1 ? ' is' : 's are'} in ${folder}; functions that come from now on can import ${count === 1 ? 'it' : 'them'}.`,
    ),

  // Values in tables
  none: () => sentence('—', '—'),
  all: () => sentence('همه', 'all'),
  asConfigured: () => sentence('مانند پیکربندی', 'as configured'),
  state: {
    active: sentence('فعال', 'active'),
    suspended: sentence('معلق', 'suspended'),
    closing: sentence('در انتظار حذف', 'closing'),
    closed: sentence('حذف‌شده', 'closed'),
    expired: sentence('منقضی', 'expired'),
    revoked: sentence('باطل', 'revoked'),
  },
  simulator: () => sentence('شبیه‌ساز', 'simulator'),
  preset: () => sentence('پیش‌فرض', 'default'),
}

export const titles = {
  deployment: sentence('استقرار', 'deployment'),
  outcome: sentence('نتیجه', 'outcome'),
  said: sentence('سخن ارائه‌دهنده', 'what was said'),
  id: sentence('شناسه', 'id'),
  name: sentence('نام', 'name'),
  plan: sentence('طرح', 'plan'),
  state: sentence('وضعیت', 'state'),
  free: sentence('آزاد', 'free'),
  held: sentence('کنارگذاشته', 'held'),
  spent: sentence('خرج', 'spent'),
  cap: sentence('سقف', 'cap'),
  monthSpent: sentence('خرج ماه', 'this month'),
  monthCap: sentence('سقف ماه', 'monthly cap'),
  rate: sentence('در دقیقه', 'per minute'),
  concurrency: sentence('هم‌زمان', 'at once'),
  created: sentence('ساخته', 'created'),
  account: sentence('حساب', 'account'),
  project: sentence('پروژه', 'project'),
  hint: sentence('پایان رمز', 'ends in'),
  scopes: sentence('دسترسی‌ها', 'scopes'),
  models: sentence('مدل‌ها', 'models'),
  origins: sentence('صفحه‌ها', 'origins'),
  keepDays: sentence('روزهای نگهداری', 'days kept'),
  responsesOutput: sentence('خروجی Responses', 'responses output'),
  expires: sentence('پایان', 'expires'),
  model: sentence('مدل', 'model'),
  context: sentence('پنجره', 'context'),
  maxOutput: sentence('بیشینهٔ خروجی', 'most output'),
  input: sentence('ورودی $/م', 'input $/M'),
  output: sentence('خروجی $/م', 'output $/M'),
  perImage: sentence('تصویر $', 'image $'),
  features: sentence('توانایی‌ها', 'features'),
  deployments: sentence('استقرارها', 'deployments'),
  note: sentence('یادداشت', 'note'),
  variable: sentence('متغیر', 'variable'),
  default: sentence('پیش‌فرض', 'default'),
  meaning: sentence('معنا', 'meaning'),
}
