/** The words of the page for what the API names; what it has no word for is shown as it is. */
import { formatDay } from '../../words/dates.ts'
import type { Locale } from '../../words/locale.ts'
import { inLanguage } from './find.ts'
import { modelsWords } from './models.words.ts'
import type { Model } from './prices.ts'

export type Words = typeof modelsWords.fa

/** The word for a value of the API. */
export const wordOf = (words: Readonly<Record<string, string>>, value: string): string =>
  words[value] ?? value

/** Several words as a list within a sentence. */
export const listed = (locale: Locale, names: readonly string[]): string =>
  names.join(locale === 'fa' ? '، ' : ', ')

export const nameOf = ({ display_name: name }: Model, locale: Locale): string =>
  inLanguage(name, ' · ', locale)

export const modalitiesOf = (words: Words, modalities: readonly string[]): string[] =>
  modalities.map((one) => wordOf(words.modalities, one))

/** What a model is found by beside what its card says: its kind and what it reads, in both languages. */
export const wordsToFind = ({ kind, sandbox, input_modalities: reads, features }: Model): string[] =>
  (['fa', 'en'] as const).flatMap((locale) => {
    const words: Words = modelsWords[locale]
    return [
      wordOf(words.kinds, kind),
      ...modalitiesOf(words, reads),
      ...features.map((one) => wordOf(words.featureNames, one)),
      ...(sandbox ? [words.simulator] : []),
    ]
  })

/** The day on which a model is switched off, and whether it has come; undefined where there is none. */
export function endOf(
  { shutdown_date: day }: Model,
  locale: Locale,
  now: Date,
): { day: string; isPast: boolean } | undefined {
  if (day === null) return undefined
  // Noon in Tehran, so that the day is the same in all zones near it.
  const moment = new Date(`${day}T08:30:00Z`)
  if (Number.isNaN(moment.getTime())) return { day, isPast: false }
  return { day: formatDay(locale, moment, now, { timeZone: 'Asia/Tehran' }), isPast: moment < now }
}
