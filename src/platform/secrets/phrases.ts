import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    SECRETS_SEALED: Record<string, never>
  }
}

/** For the operator, at the start and in the log. */
export const otherKey = {
  en: 'The secrets in this database were sealed by another key: set KHERAD_SECRET to the one that sealed them (the same on every machine), or bring back the file secret.key of the data folder that made it.',
  fa: 'رازهای این پایگاه داده با کلید دیگری مهر شده‌اند: KHERAD_SECRET را همان کلیدی بگذارید که آن‌ها را مهر کرده است (روی همهٔ دستگاه‌ها یکسان)، یا پروندهٔ secret.key پوشهٔ داده‌ای را که آن را ساخته برگردانید.',
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
