import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    EXPORT_TOO_LARGE: { max: number }
  }
}

declareFailures({
  EXPORT_TOO_LARGE: {
    status: 409,
    retry: false,
    en: ({ max }) =>
      `This database holds more than ${max} tables, functions and other objects, which no export takes; drop what is not used, or take a backup.`,
    fa: ({ max }) =>
      `این پایگاه داده بیش از ${persian(max)} جدول، تابع و شیء دیگر دارد و خروجی آن گرفته نمی‌شود؛ آنچه به کار نمی‌آید را حذف کنید یا پشتیبان بگیرید.`,
  },
})
