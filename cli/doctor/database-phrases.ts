/** The findings of the doctor about the database, its sealed secrets and its stored files, and after a colon how to fix them. */
import { persianDecimal } from '#platform/words'
import { sentence } from '../command.ts'

export const databasePhrases = {
  noDatabaseYet: (folder: string) =>
    sentence(
      `در ${folder} پایگاه داده‌ای نیست و ساخته هم نشد: npm start آن را می‌سازد؛ اگر باید باشد، KHERAD_DATA را درست کنید.`,
      `There is no database in ${folder}, and none was made: npm start makes it; if there should be one, correct KHERAD_DATA.`,
    ),
  database: (version: string) => sentence(`PostgreSQL ${version}`, `PostgreSQL ${version}`),
  migrated: (count: number) =>
    sentence(`هر ${persianDecimal(count)} مهاجرت انجام شده است.`, `All ${count} migrations are applied.`),
  migrationsToCome: (applied: number, known: number) =>
    sentence(
      `${persianDecimal(applied)} مهاجرت از ${persianDecimal(known)} انجام شده است؛ آغاز بعدی سرور بقیه را انجام می‌دهد.`,
      `${applied} of ${known} migrations are applied; the next start of the server applies the rest.`,
    ),
  databaseNewer: (newest: string) =>
    sentence(
      `پایگاه داده از این برنامه تازه‌تر است (${newest}): نسخه‌ای تازه‌تر از خرد را اجرا کنید.`,
      `The database is newer than this program (${newest}): run a newer version of Kherad.`,
    ),
  migrationMissing: (missing: number) =>
    sentence(
      `شمارهٔ ${persianDecimal(missing)} در جدول مهاجرت‌ها نیست: پایگاه داده را از نسخهٔ پشتیبان بازگردانید.`,
      `The table of migrations lacks number ${missing}: restore the database from a backup.`,
    ),
  migrationChanged: (name: string) =>
    sentence(
      `مهاجرت ${name} پس از اجرا تغییر کرده است: فایل اصلی را بازگردانید.`,
      `The migration ${name} was changed after it had been applied: restore the file.`,
    ),
  ledger: () =>
    sentence('دفترها تا آخرین میکرواعتبار می‌خوانند.', 'The books agree to the last micro-credit.'),
  ledgerBroken: (count: number, first: string) =>
    sentence(
      `${persianDecimal(count)} ناسازگاری در دفترها، نخستین: ${first}: سرور را نگه دارید، از پایگاه نسخه بگیرید و گزارش دهید.`,
      `${count} contradictions in the books, the first: ${first}: stop the server, back up the database and report it.`,
    ),
  notMigrated: () =>
    sentence(
      'هنوز جدولی نیست؛ آغاز سرور آن‌ها را می‌سازد.',
      'There are no tables yet; the start of the server makes them.',
    ),
  durable: () =>
    sentence('هر ثبت پیش از پاسخ روی دیسک است.', 'Every commit is on disk before it is answered.'),
  notDurable: (settings: string) =>
    sentence(
      `${settings} است و قطع برق می‌تواند اعتبار را گم کند: در postgresql.conf آن را on کنید.`,
      `${settings}, so a power cut may lose credits: set it to on in postgresql.conf.`,
    ),
  clock: (skewMs: number) =>
    sentence(
      `اختلاف با ساعت پایگاه داده ${persianDecimal(skewMs)} میلی‌ثانیه است.`,
      `The database's clock differs by ${skewMs} ms.`,
    ),
  clockSkewed: (skewMs: number, maxMs: number) =>
    sentence(
      `ساعت این دستگاه با پایگاه داده ${persianDecimal(skewMs)} میلی‌ثانیه اختلاف دارد و باید زیر ${persianDecimal(maxMs)} باشد: NTP را بر هر دو روشن کنید.`,
      `This machine's clock and the database's differ by ${skewMs} ms, and should by less than ${maxMs}: turn on NTP on both.`,
    ),

  nothingSealed: () =>
    sentence('هنوز چیزی در پایگاه مهر نشده است.', 'Nothing in the database is sealed yet.'),
  sealingKey: () =>
    sentence('آنچه در پایگاه مهر شده با این کلید باز شد.', 'It opened what is sealed in the database.'),
  sealingKeyMissing: (file: string) =>
    sentence(
      `${file} نیست و KHERAD_SECRET هم داده نشده است؛ آغاز بعدی پذیرفته نمی‌شود: فایل را از نسخهٔ پشتیبان برگردانید یا KHERAD_SECRET را بدهید.`,
      `${file} is gone and KHERAD_SECRET is not set, so that the next start would be refused: bring the file back from a backup, or set KHERAD_SECRET.`,
    ),

  nothingStored: () => sentence('هنوز فایلی ذخیره نشده است.', 'No file is stored yet.'),
  filesRead: (count: number) =>
    sentence(
      `${persianDecimal(count)} فایل خوانده شد و بایت‌هایش همان بود که ذخیره شده بود.`,
      `${count} file${count === 1 ? '' : 's'} read back, byte for byte.`,
    ),
  filesOfOther: (folder: string) =>
    sentence(
      `فایل‌های ${folder} از پایگاه دادهٔ دیگری است و آغاز بعدی پذیرفته نمی‌شود: پوشهٔ همین پایگاه را برگردانید، یا هر دو را از یک نسخهٔ پشتیبان بازگردانید.`,
      `The files in ${folder} belong to another database, so that the next start would be refused: put back the folder of this database, or restore both from one backup.`,
    ),
  filesGone: (folder: string, marker: string, storeId: string) =>
    sentence(
      `فایل‌های این پایگاه در ${folder} نیستند: دیسک آن را سوار کنید یا از نسخهٔ پشتیبان بازگردانید. اگر برای همیشه از دست رفته‌اند، ${storeId} را در ${marker} بنویسید؛ آنگاه هرکدام ۴۱۰ FILE_LOST می‌شود.`,
      `The files of this database are not in ${folder}: mount its disk, or restore it from a backup. If they are lost for good, write ${storeId} into ${marker}; each of them is then 410 FILE_LOST.`,
    ),
  filesLost: (lost: number, tried: number) =>
    sentence(
      `بایت‌های ${persianDecimal(lost)} فایل از ${persianDecimal(tried)} فایلی که خوانده شد از دست رفته یا عوض شده‌اند: آن‌ها را از نسخهٔ پشتیبان بازگردانید.`,
      `The bytes of ${lost} of ${tried} files that were tried are gone or changed: restore them from a backup.`,
    ),
}
