import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    FUNCTION_HOST_LOST: Record<string, never>
  }
}

declareFailures({
  FUNCTION_HOST_LOST: {
    status: 502,
    retry: false,
    en: () =>
      'The host that ran this function broke off before it answered. The function may have done its work: look before you call it again.',
    fa: () =>
      'میزبانی که این تابع را اجرا می‌کرد پیش از پاسخ قطع شد. شاید تابع کارش را کرده باشد: پیش از فراخوانی دوباره بررسی کنید.',
  },
})
