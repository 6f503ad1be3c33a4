import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    MAIL_NOT_REVEALABLE: Record<string, never>
  }
}

declareFailures({
  MAIL_NOT_REVEALABLE: {
    status: 409,
    retry: false,
    en: () =>
      'Only the link of an invitation that could not be mailed and is still open is shown. Codes and other links are for the owner of the address alone.',
    fa: () =>
      'فقط پیوند دعوتی نشان داده می‌شود که فرستاده نشده و هنوز باز است. کدها و پیوندهای دیگر تنها از آنِ دارندهٔ نشانی‌اند.',
  },
})
