import { persianDigits } from '#platform/words'
import type { Language } from './model.ts'

/** Texts that the document writers add to a page. */
export const pagePhrases: Record<Language, { contents: string; sources: string; untitled: string }> = {
  fa: { contents: 'فهرست مطالب', sources: 'منابع', untitled: 'بی‌عنوان' },
  en: { contents: 'Contents', sources: 'Sources', untitled: 'Untitled' },
}

const longDates: Record<Language, Intl.DateTimeFormat> = {
  fa: new Intl.DateTimeFormat('fa-IR-u-ca-persian-nu-arabext', {
    timeZone: 'Asia/Tehran',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }),
  en: new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
    timeZone: 'Asia/Tehran',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }),
}

/** The date in Tehran, such as ۲۹ آبان ۱۴۰۵ or 20 November 2026. */
export const longDate = (language: Language, dateMs: number): string =>
  longDates[language]
    .formatToParts(dateMs)
    .filter((part) => part.type !== 'era')
    .map((part) => part.value)
    .join('')
    .trim()

/** A whole number in the digits of the language, without grouping. */
export const inDigits = (language: Language, number: number | string): string =>
  language === 'fa' ? persianDigits(number) : String(number)

/** Elements of an author line: «الف، ب», "a, b". */
export const joinedNames = (language: Language, names: readonly string[]): string =>
  names.join(language === 'fa' ? '، ' : ', ')

export const chartPhrases: Record<Language, { empty: string }> = {
  fa: { empty: 'داده‌ای برای نمایش نیست' },
  en: { empty: 'No data to show' },
}
