/** Every sentence the CLI says, Persian and English. What the doctor says stands in `doctor/phrases.ts`. */
import type { Sentence } from './command.ts'

const say = (fa: string, en: string): Sentence => ({ fa, en })
const farsi = (items: readonly string[]): string => items.join('، ')
const both = (items: readonly string[]): string => items.join(', ')

export const phrases = {
  // Typed wrong
  unknownCommand: (typed: string) =>
    say(
      `دستوری به نام «${typed}» نیست: kherad help همهٔ دستورها را نشان می‌دهد.`,
      `There is no command "${typed}": kherad help shows them all.`,
    ),
  verbMissing: (noun: string, verbs: readonly string[]) =>
    say(
      `پس از ${noun} یکی از این‌ها را بنویسید: ${farsi(verbs)}.`,
      `After ${noun} write one of ${both(verbs)}.`,
    ),
  unknownOption: (option: string, command: string) =>
    say(
      `${option} گزینهٔ ${command} نیست: kherad ${command} --help گزینه‌هایش را نشان می‌دهد.`,
      `${option} is no option of ${command}: kherad ${command} --help shows those it has.`,
    ),
  valueMissing: (option: string) =>
    say(
      `${option} مقداری می‌خواهد: آن را پس از گزینه بنویسید.`,
      `${option} needs a value: write it after the option.`,
    ),
  valueUnwanted: (option: string) =>
    say(`${option} مقداری نمی‌گیرد: آن را تنها بنویسید.`, `${option} takes no value: write it alone.`),
  wordMissing: (word: string, usage: string) =>
    say(`${word} نوشته نشده است: ${usage}`, `${word} is missing: ${usage}`),
  wordUnwanted: (word: string, usage: string) =>
    say(`«${word}» اینجا معنایی ندارد: ${usage}`, `"${word}" has no place here: ${usage}`),
  nothingToSet: (usage: string) =>
    say(
      `چیزی برای تغییر نوشته نشده است: دست‌کم یکی از گزینه‌ها را بدهید. ${usage}`,
      `Nothing to change is given: write one of the options at least. ${usage}`,
    ),
  notCredits: (what: string, typed: string) =>
    say(
      `${what} برابر «${typed}» است: عددی مانند 1000 یا 0.25 با حداکثر شش رقم اعشار بنویسید.`,
      `${what} is "${typed}": write a number such as 1000 or 0.25, with at most six decimals.`,
    ),
  tooManyCredits: (what: string) =>
    say(
      `${what} از یک تریلیون اعتبار بیشتر است: کمتر بنویسید.`,
      `${what} is more than 10^12 credits: write less.`,
    ),
  notACount: (what: string, typed: string, most: number) =>
    say(
      `${what} برابر «${typed}» است: عددی صحیح از ۱ تا ${most.toLocaleString('fa-IR')} یا none بنویسید.`,
      `${what} is "${typed}": write a whole number from 1 to ${most}, or none.`,
    ),
  negative: (what: string) =>
    say(`${what} نمی‌تواند منفی باشد: ۰ یا بیشتر بنویسید.`, `${what} cannot be negative: write 0 or more.`),
  zero: () =>
    say(
      'CREDITS صفر است: عددی جز صفر بنویسید؛ عدد منفی اعتبار را پس می‌گیرد.',
      'CREDITS is zero: write another number; a negative one takes back.',
    ),
  notAnId: (what: string, typed: string) =>
    say(
      `${what} برابر «${typed}» است که شناسه نیست: شناسهٔ کامل را بنویسید (UUID، مانند 0199…-…).`,
      `${what} is "${typed}", which is no id: write the whole id (a UUID such as 0199…-…).`,
    ),
  badName: (what: string, most: number) =>
    say(
      `${what} باید ۱ تا ${most} نویسه در یک خط باشد.`,
      `${what} must be 1 to ${most} characters on one line.`,
    ),
  notADate: (typed: string) =>
    say(
      `--expires برابر «${typed}» است: روزی میلادی مانند 2027-01-01، لحظه‌ای مانند 2027-01-01T12:00:00Z، مدتی مانند 30d یا 12h (حداکثر صد سال)، یا never بنویسید.`,
      `--expires is "${typed}": write a day such as 2027-01-01, a moment such as 2027-01-01T12:00:00Z, a time such as 30d or 12h (at most a hundred years), or never.`,
    ),
  expiryPast: (typed: string) =>
    say(
      `--expires برابر «${typed}» گذشته است: زمانی در آینده بنویسید (تاریخ میلادی).`,
      `--expires "${typed}" is in the past: write a time to come.`,
    ),
  unknownScopes: (unknown: readonly string[], known: readonly string[]) =>
    say(
      `این دسترسی‌ها شناخته نیستند: ${farsi(unknown)}. all یا از این‌ها بنویسید: ${farsi(known)}.`,
      `Not a scope: ${both(unknown)}. Write all, or some of ${both(known)}.`,
    ),
  notOrigins: (wrong: readonly string[]) =>
    say(
      `این‌ها نشانی صفحه نیستند: ${farsi(wrong)}. مانند https://app.example.com بنویسید، بی مسیر و بی *.`,
      `Not an origin: ${both(wrong)}. Write it as https://app.example.com, without a path and without *.`,
    ),
  countOfOrigins: (most: number) =>
    say(
      `--origins باید ۱ تا ${most.toLocaleString('fa-IR')} نشانی داشته باشد، یا none.`,
      `--origins takes 1 to ${most} origins, or none.`,
    ),
  noScopes: (known: readonly string[]) =>
    say(
      `--scopes خالی است: all یا از این‌ها بنویسید: ${farsi(known)}.`,
      `--scopes is empty: write all, or some of ${both(known)}.`,
    ),
  unknownModels: (unknown: readonly string[], known: readonly string[]) =>
    say(
      `این مدل‌ها وجود ندارند: ${farsi(unknown)}. مدل‌های این سرور: ${farsi(known)}.`,
      `These models do not exist: ${both(unknown)}. This server has ${both(known)}.`,
    ),
  noModels: (known: readonly string[]) =>
    say(
      `--models خالی است: all بنویسید تا همه مجاز باشند، یا از این‌ها: ${farsi(known)}.`,
      `--models is empty: write all to allow all, or some of ${both(known)}.`,
    ),

  // Refused
  noAccount: (id: string) =>
    say(
      `حسابی با شناسهٔ ${id} نیست: kherad account list همه را نشان می‌دهد.`,
      `There is no account ${id}: kherad account list shows them all.`,
    ),
  noProject: (id: string) =>
    say(
      `پروژه‌ای با شناسهٔ ${id} نیست: kherad project list همه را نشان می‌دهد.`,
      `There is no project ${id}: kherad project list shows them all.`,
    ),
  noKey: (id: string) =>
    say(
      `کلیدی با شناسهٔ ${id} نیست: kherad key list همه را نشان می‌دهد.`,
      `There is no key ${id}: kherad key list shows them all.`,
    ),
  noReceipt: (id: string) =>
    say(
      `رسیدی با شناسهٔ ${id} نیست: request_id پاسخ را بدهید.`,
      `There is no receipt ${id}: give the request_id of an answer.`,
    ),
  keyRevoked: (id: string) =>
    say(
      `کلید ${id} برای همیشه باطل شده است و تغییر نمی‌کند: با kherad key create کلیدی تازه بسازید.`,
      `The key ${id} is revoked for good and is not changed: make a new one with kherad key create.`,
    ),
  noAccountYet: () =>
    say(
      'هنوز حسابی نیست: kherad account create --name «نام» آن را می‌سازد.',
      'There is no account yet: kherad account create --name NAME makes one.',
    ),
  noProjectYet: () =>
    say(
      'هنوز پروژه‌ای نیست: kherad project create --name «نام» آن را می‌سازد.',
      'There is no project yet: kherad project create --name NAME makes one.',
    ),
  noKeyYet: () =>
    say(
      'هنوز کلیدی نیست: kherad key create --name «نام» آن را می‌سازد.',
      'There is no key yet: kherad key create --name NAME makes one.',
    ),
  whichAccount: () =>
    say(
      'بیش از یک حساب هست: با --account شناسهٔ یکی را بنویسید (kherad account list).',
      'There is more than one account: name one with --account (kherad account list).',
    ),
  whichProject: () =>
    say(
      'بیش از یک پروژه هست: با --project شناسهٔ یکی را بنویسید (kherad project list).',
      'There is more than one project: name one with --project (kherad project list).',
    ),
  notFree: (free: Sentence) =>
    say(
      `تنها ${free.fa} اعتبار آزاد است و بیش از آن پس گرفته نمی‌شود: کمتر بنویسید.`,
      `Only ${free.en} credits are free and no more can be taken back: write less.`,
    ),
  balanceTooBig: () =>
    say(
      'موجودی از یک تریلیون اعتبار بیشتر می‌شود: کمتر بنویسید.',
      'The balance would pass 10^12 credits: write less.',
    ),
  grantConflict: (id: string, earlier: Sentence) =>
    say(
      `--id ${id} پیش‌تر با ${earlier.fa} اعتبار به کار رفته است: برای مبلغی دیگر شناسه‌ای تازه بدهید. چیزی تغییر نکرد.`,
      `--id ${id} was used before, with ${earlier.en} credits: give a new one for another amount. Nothing was changed.`,
    ),
  databaseAway: (reason: string) =>
    say(
      `ارتباط با پایگاه داده قطع شد (${reason}): kherad doctor را اجرا کنید و سپس دوباره بکوشید.`,
      `The connection to the database was lost (${reason}): run kherad doctor, then try again.`,
    ),
  interrupted: () => say('دستور نیمه‌کاره رها شد.', 'The command was interrupted.'),
  unexpected: (reason: string) =>
    say(
      `خطای پیش‌بینی‌نشده (${reason}): با --verbose دوباره اجرا کنید و گزارش دهید.`,
      `An unexpected error (${reason}): run again with --verbose and report it.`,
    ),

  // Done
  accountCreated: () => say('حساب ساخته شد:', 'The account is made:'),
  projectCreated: () => say('پروژه ساخته شد:', 'The project is made:'),
  keyCreated: () =>
    say(
      'کلید ساخته شد. رمز آن تنها همین یک بار نشان داده می‌شود:',
      'The key is made. Its secret is shown only this once:',
    ),
  accountChanged: () => say('حساب تغییر کرد:', 'The account is changed:'),
  projectChanged: () => say('پروژه تغییر کرد:', 'The project is changed:'),
  keyChanged: () =>
    say(
      'کلید تغییر کرد؛ همهٔ سرورها در یک ثانیه آگاه می‌شوند:',
      'The key is changed; every server knows within a second:',
    ),
  granted: (amount: Sentence, free: Sentence) =>
    say(
      `${amount.fa} اعتبار داده شد؛ اکنون ${free.fa} اعتبار آزاد است.`,
      `${amount.en} credits are granted; ${free.en} are free now.`,
    ),
  takenBack: (amount: Sentence, free: Sentence) =>
    say(
      `${amount.fa} اعتبار پس گرفته شد؛ اکنون ${free.fa} اعتبار آزاد است.`,
      `${amount.en} credits are taken back; ${free.en} are free now.`,
    ),
  grantRepeated: (free: Sentence) =>
    say(
      `این انتقال پیش‌تر انجام شده بود و چیزی تغییر نکرد؛ ${free.fa} اعتبار آزاد است.`,
      `This grant was made before and nothing was changed; ${free.en} credits are free.`,
    ),
  suspended: (name: string) => say(`حساب «${name}» معلق شد.`, `The account "${name}" is suspended.`),
  resumed: (name: string) => say(`حساب «${name}» فعال است.`, `The account "${name}" is active.`),
  revoked: (name: string, at: Sentence) =>
    say(`کلید «${name}» از ${at.fa} باطل است.`, `The key "${name}" is revoked since ${at.en}.`),
  silentProvider: (address: string) => say(`پاسخ نداد: ${address}`, `Did not answer: ${address}`),

  // Values in tables
  none: () => say('—', '—'),
  all: () => say('همه', 'all'),
  state: {
    active: say('فعال', 'active'),
    suspended: say('معلق', 'suspended'),
    expired: say('منقضی', 'expired'),
    revoked: say('باطل', 'revoked'),
  },
  simulator: () => say('شبیه‌ساز', 'simulator'),
  preset: () => say('پیش‌فرض', 'default'),
}

export const titles = {
  deployment: say('استقرار', 'deployment'),
  outcome: say('نتیجه', 'outcome'),
  said: say('سخن ارائه‌دهنده', 'what was said'),
  id: say('شناسه', 'id'),
  name: say('نام', 'name'),
  plan: say('طرح', 'plan'),
  state: say('وضعیت', 'state'),
  free: say('آزاد', 'free'),
  held: say('در گرو', 'held'),
  spent: say('خرج', 'spent'),
  cap: say('سقف', 'cap'),
  monthSpent: say('خرج ماه', 'this month'),
  monthCap: say('سقف ماه', 'monthly cap'),
  rate: say('در دقیقه', 'per minute'),
  concurrency: say('هم‌زمان', 'at once'),
  created: say('ساخته', 'created'),
  account: say('حساب', 'account'),
  project: say('پروژه', 'project'),
  hint: say('پایان رمز', 'ends in'),
  scopes: say('دسترسی‌ها', 'scopes'),
  models: say('مدل‌ها', 'models'),
  origins: say('صفحه‌ها', 'origins'),
  responsesOutput: say('خروجی Responses', 'responses output'),
  expires: say('انقضا', 'expires'),
  model: say('مدل', 'model'),
  context: say('پنجره', 'context'),
  maxOutput: say('بیشینهٔ خروجی', 'most output'),
  input: say('ورودی $/م', 'input $/M'),
  output: say('خروجی $/م', 'output $/M'),
  perImage: say('تصویر $', 'image $'),
  features: say('توانایی‌ها', 'features'),
  deployments: say('استقرارها', 'deployments'),
  note: say('یادداشت', 'note'),
}
