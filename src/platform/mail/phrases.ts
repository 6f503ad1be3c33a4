import type { Localized } from '#platform/errors'

/** Why a mail server has not taken a mail, for its operator. `detail` is the server's own text or a system error code. */
export const refusals = {
  login: (server: string, detail: string): Localized => ({
    en: `the mail server ${server} refuses the login (${detail}): correct mail.user and mail.password`,
    fa: `سرور ایمیل ${server} ورود را نپذیرفت (${detail}): mail.user و mail.password را درست کنید`,
  }),
  certificate: (server: string, detail: string): Localized => ({
    en: `the certificate of the mail server ${server} is not trusted (${detail}): name its root in mail.tls.ca_file, or correct mail.host`,
    fa: `گواهی سرور ایمیل ${server} معتبر نیست (${detail}): ریشهٔ آن را در mail.tls.ca_file بنویسید، یا mail.host را درست کنید`,
  }),
  answered: (server: string, detail: string): Localized => ({
    en: `the mail server ${server} answered: ${detail}`,
    fa: `سرور ایمیل ${server} پاسخ داد: ${detail}`,
  }),
  away: (server: string, detail: string): Localized => ({
    en: `the mail server ${server} cannot be used (${detail}): check mail.host, mail.port, mail.secure and the network`,
    fa: `با سرور ایمیل ${server} کاری برنیامد (${detail}): mail.host، mail.port، mail.secure و شبکه را بررسی کنید`,
  }),
}
