import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    FUNCTION_HOST_LOST: Record<string, never>
    FUNCTION_API_AWAY: Record<string, never>
  }
}

declareFailures({
  FUNCTION_API_AWAY: {
    status: 503,
    en: () =>
      'The host that runs this function gets no answer from the API of this service at the moment; send it again in a few seconds.',
    fa: () =>
      'میزبانی که این تابع را اجرا می‌کند اکنون از API این سرویس پاسخی نمی‌گیرد؛ چند ثانیهٔ دیگر دوباره بفرستید.',
  },
  FUNCTION_HOST_LOST: {
    status: 502,
    retry: false,
    en: () =>
      'The host that ran this function broke off before it answered. The function may have done its work: look before you call it again.',
    fa: () =>
      'میزبانی که این تابع را اجرا می‌کرد پیش از پاسخ قطع شد. شاید تابع کارش را کرده باشد: پیش از فراخوانی دوباره بررسی کنید.',
  },
})
