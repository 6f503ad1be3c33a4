/** Persian digits are as good as Latin ones: read to Latin ones, written in those of the language. */
import type { Language } from '#platform/errors'

/** Stands for the sign of a negative number, which would else look like an option. */
export const minus = '\u2212'

export const latin = (text: string): string =>
  text
    .replace(/[۰-۹]/g, (digit) => String('۰۱۲۳۴۵۶۷۸۹'.indexOf(digit)))
    .replace(/[٠-٩]/g, (digit) => String('٠١٢٣٤٥٦٧٨٩'.indexOf(digit)))
    .replace('٫', '.')
    .replace(minus, '-')

export const digits = (text: string | number, language: Language): string =>
  language === 'fa'
    ? String(text).replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] ?? digit)
    : String(text)
