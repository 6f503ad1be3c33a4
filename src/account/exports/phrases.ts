import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    EXPORT_UNDER_WAY: Record<string, never>
    TOO_MANY_EXPORTS: { max: number }
    EXPORT_NOT_READY: Record<string, never>
  }
}

declareFailures({
  EXPORT_UNDER_WAY: {
    status: 409,
    retry: false,
    en: () => 'Your data is being put together already. A mail tells you when it is ready.',
    fa: () => 'داده‌های شما هم‌اکنون در حال آماده شدن است. وقتی آماده شد نامه‌ای می‌گیرید.',
  },
  TOO_MANY_EXPORTS: {
    status: 429,
    en: ({ max }) => `You have asked for your data ${max} times in 24 hours. Ask again later.`,
    fa: ({ max }) =>
      `در ۲۴ ساعت ${max.toLocaleString('fa')} بار داده‌هایتان را خواسته‌اید. بعدتر دوباره بخواهید.`,
  },
  EXPORT_NOT_READY: {
    status: 409,
    retry: false,
    en: () =>
      'This export has no file: it is not ready yet, has failed, or its day is over. Ask for a new one.',
    fa: () =>
      'این خروجی فایلی ندارد: هنوز آماده نیست، ساخته نشده، یا مهلت یک‌روزهٔ آن گذشته است. خروجی تازه‌ای بخواهید.',
  },
})
