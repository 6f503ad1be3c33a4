import { declareFailures } from '#platform/errors'
import type { Place } from './compile/positions.ts'

declare module '#platform/errors' {
  interface Failures {
    FUNCTION_CODE_INVALID: { why: Localized; place: Place | undefined }
    FUNCTIONS_BUSY: Record<string, never>
  }
}

const digits = (number: number): string => number.toLocaleString('fa-IR', { useGrouping: false })

declareFailures({
  FUNCTION_CODE_INVALID: {
    status: 400,
    en: ({ why, place }) =>
      place
        ? `The code was not accepted. Line ${place.line}, column ${place.column}: ${why.en}`
        : `The code was not accepted: ${why.en}`,
    fa: ({ why, place }) =>
      place
        ? `کد پذیرفته نشد. خط ${digits(place.line)}، ستون ${digits(place.column)}: ${why.fa}`
        : `کد پذیرفته نشد: ${why.fa}`,
  },
  FUNCTIONS_BUSY: {
    status: 429,
    en: () => 'Too many functions are being deployed at the moment; send it again in a few seconds.',
    fa: () => 'در این لحظه تابع‌های زیادی در حال استقرارند؛ چند ثانیهٔ دیگر دوباره بفرستید.',
  },
})
