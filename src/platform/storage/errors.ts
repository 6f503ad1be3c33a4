import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    FILE_LOST: Record<string, never>
  }
}

declareFailures({
  FILE_LOST: {
    status: 410,
    retry: false,
    en: () =>
      'This file was stored, but its bytes are lost. Tell the operator of this service, who may have a backup; else delete it and make or upload it again.',
    fa: () =>
      'این فایل ذخیره شده بود، ولی بایت‌های آن از دست رفته‌اند. به گردانندهٔ سرویس خبر دهید، شاید نسخهٔ پشتیبان داشته باشد؛ وگرنه آن را پاک کنید و دوباره بسازید یا بفرستید.',
  },
})
