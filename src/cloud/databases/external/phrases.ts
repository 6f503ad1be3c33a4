import type { Localized } from '#platform/errors'

export const refusals = {
  unfitServer: (name: string): Localized => ({
    en: `the server ${name} of databases.servers is not PostgreSQL 18 or later, or its url is not that of a superuser`,
    fa: `سرور ${name} در databases.servers نسخهٔ ۱۸ یا تازه‌ترِ PostgreSQL نیست، یا url آن از یک ابرکاربر (superuser) نیست`,
  }),
}
