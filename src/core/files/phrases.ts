import type { Localized } from '#platform/errors'

/** What is wrong with the folder of stored files. Readiness is public: only texts that operators read on the machine name paths. */
export const folderPhrases = {
  other: {
    en: 'The folder of stored files belongs to another database: put back the one that belongs to this database, or restore both from one backup.',
    fa: 'پوشهٔ فایل‌های ذخیره‌شده از پایگاه دادهٔ دیگری است: پوشهٔ همین پایگاه را برگردانید، یا هر دو را از یک نسخهٔ پشتیبان بازگردانید.',
  },
  gone: {
    en: 'The folder of stored files lacks the files of this database: mount its disk, or restore it from a backup.',
    fa: 'فایل‌های این پایگاه داده در پوشهٔ فایل‌های ذخیره‌شده نیستند: دیسک آن را سوار کنید یا از نسخهٔ پشتیبان بازگردانید.',
  },
  otherAtStart: (folder: string): Localized => ({
    en: `The files in ${folder} belong to another database (database.id there says which): put back the folder of this database, restore both from one backup, move it away for a new database, or correct KHERAD_DATA or DATABASE_URL.`,
    fa: `فایل‌های ${folder} از پایگاه دادهٔ دیگری است (database.id در آن می‌گوید کدام): پوشهٔ همین پایگاه را برگردانید، هر دو را از یک نسخهٔ پشتیبان بازگردانید، برای پایگاهی تازه آن را جابه‌جا کنید، یا KHERAD_DATA یا DATABASE_URL را درست کنید.`,
  }),
}
