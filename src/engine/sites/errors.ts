import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    SLUG_TAKEN: { suggestion: string }
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
})

/** Why a name is refused. */
export const reasons = {
  slugForm: {
    en: 'slug has 1 to 63 characters: a to z, 0 to 9, and single dashes between them.',
    fa: 'slug از ۱ تا ۶۳ نویسه است: حرف‌های a تا z، رقم‌های 0 تا 9 و خط تیرهٔ تکی میان آن‌ها.',
  },
  slugReserved: {
    en: 'this slug is reserved, or looks like the name of a service or of this platform; choose another one.',
    fa: 'این slug رزرو شده است یا به نام یک سرویس یا نام همین سکو می‌ماند؛ نام دیگری برگزینید.',
  },
}
