import type { Localized } from '#platform/errors'

/** Messages for a refused start: what is wrong, and how to fix it. */
export const phrases = {
  away: (address: string, reason: string): Localized => ({
    en: `The database at ${address} does not answer (${reason}): start it, or set DATABASE_URL to one that runs.`,
    fa: `پایگاه داده در ${address} پاسخ نمی‌دهد (${reason}): آن را راه بیندازید یا DATABASE_URL را به پایگاهی برپا بدهید.`,
  }),
  late: (address: string, reason: string): Localized => ({
    en: `The database at ${address} did not answer in time (${reason}): it is overloaded, or another session holds what the start needs; start again when it is free.`,
    fa: `پایگاه داده در ${address} به‌موقع پاسخ نداد (${reason}): بارش زیاد است یا نشست دیگری آنچه را برنامه برای آغاز لازم دارد نگه داشته است؛ وقتی آزاد شد دوباره آغاز کنید.`,
  }),
  unusable: (address: string, reason: string): Localized => ({
    en: `The database at ${address} refused the connection (${reason}): check user, password and database name in DATABASE_URL.`,
    fa: `پایگاه داده در ${address} اتصال را نپذیرفت (${reason}): کاربر، گذرواژه و نام پایگاه را در DATABASE_URL بررسی کنید.`,
  }),
  tooOld: (address: string, version: number): Localized => ({
    en: `The PostgreSQL at ${address} is version ${Math.floor(version / 10_000)}, and Kherad needs 16 or newer: upgrade it, or leave DATABASE_URL unset to use the one Kherad brings.`,
    fa: `نسخهٔ PostgreSQL در ${address} برابر ${Math.floor(version / 10_000)} است و خرد ۱۶ یا تازه‌تر می‌خواهد: آن را به‌روز کنید یا DATABASE_URL را خالی بگذارید تا خرد پایگاه خودش را به کار گیرد.`,
  }),
  migrationName: (name: string, expected: string): Localized => ({
    en: `The migration ${name} is out of order: its name should begin with ${expected}- followed by small letters, digits and dashes; rename it, or restore the missing file.`,
    fa: `مهاجرت ${name} سر جای خود نیست: نامش باید با ${expected}- آغاز شود و سپس حروف کوچک، رقم و خط تیره بیاید؛ نام را درست کنید یا فایل گم‌شده را بازگردانید.`,
  }),
  migrationsTable: (reason: string): Localized => ({
    en: `The table platform.migrations cannot be created (${reason}): grant the database user the right CREATE on the database.`,
    fa: `جدول platform.migrations ساخته نشد (${reason}): به کاربر پایگاه داده حق CREATE بدهید.`,
  }),
  databaseNewer: (newest: string, known: string | undefined): Localized => ({
    en: `The database is newer than this program (it has ${newest}, the program ends at ${known ?? 'nothing'}): start the version of Kherad that wrote it, or a later one.`,
    fa: `پایگاه داده از این برنامه تازه‌تر است (تا ${newest} پیش رفته و برنامه تا ${known ?? 'هیچ'} را می‌شناسد): همان نسخه‌ای از خرد را که آن را نوشته، یا تازه‌تر از آن را، اجرا کنید.`,
  }),
  migrationMissing: (number: number): Localized => ({
    en: `The table platform.migrations lacks number ${number}: restore the database from a backup.`,
    fa: `در جدول platform.migrations شمارهٔ ${number} نیست: پایگاه داده را از نسخهٔ پشتیبان بازگردانید.`,
  }),
  migrationChanged: (name: string): Localized => ({
    en: `The migration ${name} was changed after it had been applied: restore the file, and write the change as a new migration.`,
    fa: `مهاجرت ${name} پس از اجرا تغییر کرده است: فایل را به حال پیش برگردانید و تغییر را در مهاجرتی تازه بنویسید.`,
  }),
  migrationFailed: (name: string, reason: string): Localized => ({
    en: `The migration ${name} failed and changed nothing (${reason}): fix it and start again.`,
    fa: `مهاجرت ${name} شکست خورد و چیزی را تغییر نداد (${reason}): آن را درست کنید و دوباره آغاز کنید.`,
  }),
}
