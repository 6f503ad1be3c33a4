import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    SECRETS_SEALED: Record<string, never>
  }
}

/** The message for the operator, at the start and in the log. */
export const otherKey = {
  en: 'The secrets in this database were sealed by another key: set KHERAD_SECRET to the one that sealed them (the same on every machine), or bring back the file secret.key of the data folder that made it.',
  fa: 'رازهای این پایگاه داده با کلید دیگری مهر شده‌اند: KHERAD_SECRET را همان کلیدی بگذارید که آن‌ها را مهر کرده است (روی همهٔ دستگاه‌ها یکسان)، یا فایل secret.key پوشهٔ داده‌ای را که آن را ساخته برگردانید.',
}

/** The message of readiness, which is public. */
export const unreadable = {
  en: 'This process cannot open the secrets of its database: the key that sealed them is another one. Set KHERAD_SECRET to it, or bring back secret.key of the data folder, and start again.',
  fa: 'این پردازه نمی‌تواند رازهای پایگاه دادهٔ خود را باز کند: کلید دیگری آن‌ها را مهر کرده است. همان را در KHERAD_SECRET بگذارید یا secret.key پوشهٔ داده را برگردانید و دوباره آغاز کنید.',
}
export const keyFileGone = {
  en: 'The file secret.key of the data folder is gone: this process still has the key, but the next start would be refused. Bring the file back from a backup before you stop this server.',
  fa: 'فایل secret.key پوشهٔ داده نیست: این پردازه هنوز کلید را دارد، ولی آغاز بعدی پذیرفته نمی‌شود. پیش از نگه‌داشتن این سرور فایل را از نسخهٔ پشتیبان برگردانید.',
}
export const keyFileOther = {
  en: 'The file secret.key of the data folder holds another key than this process uses: the next start would be refused. Bring the right file back from a backup before you stop this server.',
  fa: 'فایل secret.key پوشهٔ داده کلیدی جز کلید این پردازه دارد: آغاز بعدی پذیرفته نمی‌شود. پیش از نگه‌داشتن این سرور فایل درست را از نسخهٔ پشتیبان برگردانید.',
}

declareFailures({
  SECRETS_SEALED: {
    status: 503,
    en: () =>
      'This server cannot open the secrets of its database; tell the operator of this service, whose log says what to mend.',
    fa: () =>
      'این سرور نمی‌تواند رازهای پایگاه دادهٔ خود را باز کند؛ به گردانندهٔ سرویس بگویید، گزارش سرور راه درست کردن آن را نوشته است.',
  },
})
