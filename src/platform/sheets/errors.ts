import { declareFailures } from '#platform/errors'
import { english, persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    EXPORT_TOO_LONG: { max: number }
    EXPORTS_BUSY: Record<string, never>
  }
}

declareFailures({
  EXPORT_TOO_LONG: {
    status: 400,
    retry: false,
    en: ({ max }) =>
      `This export has more than ${english(max)} rows. Choose a shorter range, or fewer rows by a filter.`,
    fa: ({ max }) =>
      `این خروجی بیش از ${persian(max)} ردیف دارد. بازهٔ کوتاه‌تری برگزینید یا با صافی ردیف‌ها را کم کنید.`,
  },
  EXPORTS_BUSY: {
    status: 503,
    en: () => 'Other exports are being made. Try again in a moment.',
    fa: () => 'خروجی‌های دیگری در حال ساخت‌اند. کمی بعد دوباره بفرستید.',
  },
})
