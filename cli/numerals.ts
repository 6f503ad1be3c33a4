/** Reads Persian digits like Latin ones, and writes digits in those of the language. */
import type { Language } from '#platform/errors'
import { latinDigits, persianDigits } from '#platform/words'

/** Replaces the hyphen of a negative number, which would else look like an option. */
export const minus = '\u2212'

export const latin = (text: string): string => latinDigits(text).replace('٫', '.').replace(minus, '-')

export const digits = (text: string | number, language: Language): string =>
  language === 'fa' ? persianDigits(text) : String(text)
