import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    EXPORT_TOO_LARGE: { max: number }
    EXPORT_RUNNING: Record<string, never>
  }
}

declareFailures({
  EXPORT_RUNNING: {
    status: 409,
    retry: true,
    en: () => 'An export of this app back-end is being read already; try again when it is over.',
    fa: () => 'هم‌اکنون خروجی این بک‌اند خوانده می‌شود؛ پس از پایانش دوباره بکوشید.',
  },
  EXPORT_TOO_LARGE: {
    status: 409,
    retry: false,
    en: ({ max }) =>
      `This database holds more than ${max} tables, functions and other objects, which no export takes; drop what is not used, or take a backup.`,
    fa: ({ max }) =>
      `این پایگاه داده بیش از ${persian(max)} جدول، تابع و شیء دیگر دارد و خروجی آن گرفته نمی‌شود؛ آنچه به کار نمی‌آید را حذف کنید یا پشتیبان بگیرید.`,
  },
})
