import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    EXPORT_TOO_LARGE: { max: number; mebibytes: number }
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
    en: ({ max, mebibytes }) =>
      `An export takes at most ${max} tables, functions and other objects, and ${mebibytes} MiB of definitions and comments; this database holds more. Drop what is not used, or take a backup.`,
    fa: ({ max, mebibytes }) =>
      `خروجی حداکثر ${persian(max)} جدول، تابع و شیء دیگر و ${persian(mebibytes)} مبی‌بایت تعریف و توضیح می‌پذیرد و این پایگاه داده بیش از آن دارد. آنچه به کار نمی‌آید را حذف کنید یا پشتیبان بگیرید.`,
  },
})
