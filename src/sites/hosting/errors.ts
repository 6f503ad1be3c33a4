import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    SLUG_TAKEN: { suggestion: string }
    DOMAIN_TAKEN: Record<string, never>
    DOMAIN_NOT_FOUND: Record<string, never>
    TOO_MANY_DOMAINS: { max: number }
    TOO_MANY_CHECKS: Record<string, never>
  }
}

declareFailures({
  SLUG_TAKEN: {
    status: 409,
    retry: false,
    en: ({ suggestion }) =>
      `This slug is taken or was until lately; choose another one, such as ${suggestion}.`,
    fa: ({ suggestion }) =>
      `این نشانی (slug) گرفته شده یا تا همین اواخر در اختیار دیگری بوده است؛ نشانی دیگری برگزینید، مانند ${suggestion}.`,
  },
  DOMAIN_NOT_FOUND: {
    status: 404,
    en: () => 'This site has not claimed that domain; GET /v1/sites/{id}/domains lists those it has.',
    fa: () =>
      'این سایت چنین دامنه‌ای را درخواست نکرده است؛ GET /v1/sites/{id}/domains آن‌هایی را که دارد نشان می‌دهد.',
  },
  DOMAIN_TAKEN: {
    status: 409,
    retry: false,
    en: () =>
      'Another site has proven this domain and its TXT record is still there; delete that record at your name servers, then check again.',
    fa: () =>
      'سایت دیگری مالکیت این دامنه را ثابت کرده و رکورد TXT آن هنوز برقرار است؛ آن رکورد را در سرورهای نام خود حذف و دوباره بررسی کنید.',
  },
  TOO_MANY_DOMAINS: {
    status: 403,
    retry: false,
    en: ({ max }) => `A site has at most ${max} domains of its own; delete one first.`,
    fa: ({ max }) => `هر سایت حداکثر ${persian(max)} دامنهٔ اختصاصی دارد؛ نخست یکی را حذف کنید.`,
  },
  TOO_MANY_CHECKS: {
    status: 429,
    en: () => 'A domain is checked at most once in ten seconds; wait a moment.',
    fa: () => 'هر دامنه در ده ثانیه حداکثر یک بار بررسی می‌شود؛ کمی صبر کنید.',
  },
})

/** Why a name is refused. */
export const reasons = {
  domainForm: {
    en: 'domain has to be a public domain without scheme and path, such as shop.example.com.',
    fa: 'domain باید یک دامنهٔ عمومی بدون http و مسیر باشد، مانند shop.example.com.',
  },
  domainReserved: {
    en: 'this domain belongs to the platform itself and cannot be claimed.',
    fa: 'این دامنه از آنِ خود سکو است و نمی‌توان آن را درخواست کرد.',
  },
  slugForm: {
    en: 'slug has 1 to 63 characters: a to z, 0 to 9, and single dashes between them.',
    fa: 'slug از ۱ تا ۶۳ کاراکتر است: حرف‌های a تا z، رقم‌های 0 تا 9 و خط تیرهٔ تکی میان آن‌ها.',
  },
  slugReserved: {
    en: 'this slug is reserved, or looks like the name of a service or of this platform; choose another one.',
    fa: 'این slug گرفتنی نیست یا به نام یک سرویس یا نام همین سکو می‌ماند؛ نام دیگری برگزینید.',
  },
}
