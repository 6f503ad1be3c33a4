import type { Localized } from '#platform/errors'

/** Why databases cannot run here, and what to do. */
export const refusals = {
  oldPrograms: (major: string, oldest: number): Localized => ({
    en: `the PostgreSQL of KHERAD_PG_BIN is version ${major}, and databases of app back-ends need ${oldest} or later; name another one, or none for the one that comes with this service`,
    fa: `PostgreSQL در KHERAD_PG_BIN نسخهٔ ${major} است و پایگاه دادهٔ بک‌اندها نسخهٔ ${oldest} یا تازه‌تر می‌خواهد؛ نسخهٔ دیگری را نام ببرید، یا هیچ‌کدام را تا نسخهٔ همراه سرویس به کار رود`,
  }),
  noShare: (postgres: string): Localized => ({
    en: `the files that belong to ${postgres} (its folder share with postgres.bki) are neither beside it nor in /usr/share/postgresql; name another PostgreSQL in KHERAD_PG_BIN, or none for the one that comes with this service`,
    fa: `فایل‌های همراه ${postgres} (پوشهٔ share و postgres.bki در آن) نه کنار آن است و نه در /usr/share/postgresql؛ PostgreSQL دیگری را در KHERAD_PG_BIN نام ببرید، یا هیچ‌کدام را تا نسخهٔ همراه سرویس به کار رود`,
  }),
}
