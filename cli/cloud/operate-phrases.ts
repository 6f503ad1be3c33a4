import { type OptionHelp, sentence } from '../command.ts'
import { digits } from '../numerals.ts'

const limit = (fa: string, en: string) => ({ value: 'N|none', about: sentence(fa, en) })

export const cloudsPhrases = {
  list: sentence('بک‌اندهای همهٔ حساب‌ها، تازه‌ترین نخست.', 'The app back-ends of all accounts, newest first.'),
  suspend: sentence(
    'بک‌اندی را معلق می‌کند: برنامه‌اش پاسخ نمی‌گیرد و تغییر نمی‌کند. CLOUD شناسه، ref یا نام است.',
    'Suspends an app back-end: its app gets no answers and it cannot be changed. CLOUD is its id, ref or name.',
  ),
  resume: sentence('تعلیق بک‌اندی را برمی‌دارد.', 'Ends the suspension of an app back-end.'),
  limits: sentence(
    'سقف‌های یک بک‌اند را جدا از پیکربندی تعیین می‌کند؛ آنچه ننویسید همان می‌ماند.',
    'Sets limits of one app back-end, in place of those of the configuration; what is left out stays as it is.',
  ),
  noCloud: (named: string) =>
    sentence(
      `بک‌اندی با شناسه، ref یا نام «${named}» نیست: kherad cloud all همه را نشان می‌دهد.`,
      `There is no app back-end with the id, ref or name "${named}": kherad cloud all shows them all.`,
    ),
  severalClouds: (named: string) =>
    sentence(
      `چند بک‌اند «${named}» نام دارند: شناسه یا ref یکی را از kherad cloud all بردارید.`,
      `Several app back-ends are called "${named}": take the id or ref of one from kherad cloud all.`,
    ),
  noneYet: sentence('هنوز بک‌اندی نیست.', 'There is no app back-end yet.'),
  suspended: (ref: string) => sentence(`بک‌اند «${ref}» معلق شد.`, `The app back-end "${ref}" is suspended.`),
  resumed: (ref: string) =>
    sentence(`بک‌اند «${ref}» باز پاسخ می‌دهد.`, `The app back-end "${ref}" answers again.`),
  packageEnded: (ref: string, packageId: string) =>
    sentence(
      `بستهٔ بک‌اند «${ref}» بیش از هفت روز پیش پایان یافته است و بی‌درنگ دوباره معلق می‌شد: با kherad cloud package renew ${packageId} --until DATE آن را تمدید کنید.`,
      `The package of the app back-end "${ref}" ended more than seven days ago, so it would be suspended again at once: renew it with kherad cloud package renew ${packageId} --until DATE.`,
    ),
  forget: sentence(
    'بک‌اندی اختصاصی را که دستگاه یا سرورش برای همیشه از دست رفته حذف می‌کند، بی آنکه به پایگاه داده‌اش دست بزند؛ --confirm نام دقیق آن است',
    'Deletes a dedicated app back-end whose machine or server is lost for good, without touching its database; --confirm is its exact name.',
  ),
  otherName: (name: string) =>
    sentence(
      `نام این بک‌اند «${name}» است: --confirm همان را می‌خواهد.`,
      `This app back-end is called "${name}": --confirm needs that name.`,
    ),
  noDatabase: (ref: string) =>
    sentence(
      `بک‌اند «${ref}» پایگاه دادهٔ ثبت‌شده‌ای ندارد؛ kherad cloud delete آن را حذف می‌کند.`,
      `No database is recorded for the app back-end "${ref}"; kherad cloud delete deletes it.`,
    ),
  forgotten: (ref: string) =>
    sentence(
      `بک‌اند «${ref}» تا بیست دقیقهٔ دیگر حذف می‌شود، با پشتیبان‌ها و فایل‌هایش.`,
      `The app back-end "${ref}" will be gone within twenty minutes, with its backups and files.`,
    ),
  leftOnMachine: (place: string, ref: string, user: number | null) =>
    sentence(
      `آنچه می‌ماند: پوشهٔ databases/${ref} در پوشهٔ دادهٔ دستگاهی که databases/id آن ${place} است${user === null ? '' : `، از آنِ کاربر ${user}`}. اگر آن دستگاه بازگشت، همان پوشه را پس از پایان PostgreSQL آن پاک کنید.`,
      `What stays: the folder databases/${ref} in the data folder of the machine whose databases/id is ${place}${user === null ? '' : `, of its user ${user}`}. Should that machine come back, end its PostgreSQL and delete the folder.`,
    ),
  leftOnServer: (place: string, ref: string) =>
    sentence(
      `آنچه می‌ماند: پایگاه دادهٔ kherad_${ref} و نقش‌هایی که نامشان چنین آغاز می‌شود، روی سرور ${place}. اگر آن سرور بازگشت، آن‌ها را پاک کنید.`,
      `What stays: the database kherad_${ref} and the roles whose names begin so, on the server ${place}. Should that server come back, drop them.`,
    ),
  tooMuchMemory: (bytes: number, maxBytes: number, percent: number) =>
    sentence(
      `با ${digits(bytes, 'fa')} بایت حافظه پایگاه دادهٔ این بک‌اند دیگر بیدار نمی‌شد: databases.memory_percent (${digits(percent, 'fa')}) از این دستگاه ${digits(maxBytes, 'fa')} بایت برای همهٔ پایگاه‌ها می‌گذارد. کمتر بدهید یا memory_percent را بزرگ‌تر کنید.`,
      `With ${bytes} bytes of memory the database of this app back-end would never wake again: databases.memory_percent (${percent}) leaves ${maxBytes} bytes of this machine for all databases. Give it less, or make memory_percent larger.`,
    ),
  changed: (ref: string) =>
    sentence(`سقف‌های بک‌اند «${ref}» تغییر کرد.`, `The limits of the app back-end "${ref}" are changed.`),
}

export const cloudsColumns = {
  ref: sentence('ref', 'ref'),
  plan: sentence('طرح', 'plan'),
  reason: sentence('علت', 'reason'),
  limits: sentence('سقف‌های خودش', 'limits of its own'),
}

export const cloudsOptions: OptionHelp = {
  account: { value: 'ID', about: sentence('تنها بک‌اندهای این حساب', 'only those of this account') },
  confirm: { value: 'NAME', about: sentence('نام دقیق بک‌اند', 'the exact name of the app back-end') },
  reason: {
    value: 'TEXT',
    about: sentence('علت؛ صاحب بک‌اند آن را می‌بیند', 'why; the owner of the app back-end sees it'),
  },
  secrets: limit('مقدارهای محرمانه', 'its secrets'),
  functions: limit('تابع‌ها', 'its functions'),
  collections: limit('مجموعه‌ها', 'its collections'),
  rows: limit('ردیف‌ها', 'its rows'),
  'row-bytes': limit('بایت همهٔ ردیف‌ها', 'bytes of all its rows'),
  users: limit('کاربران برنامه', 'its app users'),
  files: limit('فایل‌ها', 'its files'),
  'file-bytes': limit('بایت یک فایل', 'bytes of one file'),
  'file-total-bytes': limit('بایت همهٔ فایل‌ها', 'bytes of all its files'),
  'disk-bytes': limit(
    'بایت پایگاه دادهٔ بک‌اند اختصاصی روی دیسک',
    'bytes of the database of a dedicated one on disk',
  ),
  'memory-bytes': limit('بایت حافظهٔ پایگاه دادهٔ بیدار', 'bytes of memory of its database while it is awake'),
  connections: limit('اتصال‌های هم‌زمان به پایگاه داده', 'connections to its database at a time'),
  'awake-hours': limit(
    'ساعت‌های بیداری پایگاه داده در ماه',
    'hours of a month in which its database is awake',
  ),
  'daily-egress-bytes': limit('بایتی که در روز بیرون می‌رود', 'bytes that leave it a day'),
  'daily-function-calls': limit('فراخوانی تابع‌ها در روز', 'calls of its functions a day'),
  'daily-mails': limit('نامه‌های روز', 'mails that it sends a day'),
}
