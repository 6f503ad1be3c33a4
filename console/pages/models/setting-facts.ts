/** What the settings of a kind say of a model: sizes, voices, lengths, languages. */
import { formatNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { listed, type Words, wordOf } from './labels.ts'
import type { Model } from './prices.ts'

export type Fact = [title: string, value: string]

/** More names than these are counted. */
const mostNames = 6

/** A name in Latin letters within a sentence of either direction. */
const ltr = (text: string): string => `\u2066${text}\u2069`

export function settingFacts(words: Words, locale: Locale, { studio_settings: settings }: Model): Fact[] {
  if (settings === null) return []
  const number = (value: number): string => formatNumber(locale, value)
  const names = (all: readonly string[]): string => {
    const some = listed(locale, all.slice(0, mostNames).map(ltr))
    return all.length > mostNames ? words.andMore(some, number(all.length - mostNames)) : some
  }
  const abilities = (all: readonly string[]): Fact[] => {
    const known = all.flatMap((one) => (words.abilities as Readonly<Record<string, string>>)[one] ?? [])
    return known.length === 0 ? [] : [[words.features, listed(locale, known)]]
  }
  if ('sizes' in settings)
    return [
      [words.sizes, names(settings.sizes)],
      [
        words.qualityTitle,
        listed(
          locale,
          settings.qualities.map((one) => wordOf(words.qualities, one)),
        ),
      ],
      [words.formats, names(settings.formats)],
      ...(settings.reference_capacity > 0
        ? ([[words.given, words.upTo(number(settings.reference_capacity))]] satisfies Fact[])
        : []),
      ...abilities(settings.masks ? ['masks'] : []),
    ].filter(isSaid)
  if ('voices' in settings && 'does' in settings)
    return [
      [words.voices, names(settings.voices.map(({ name }) => name))],
      [words.formats, names(settings.speech_formats)],
      ...abilities(settings.does),
    ].filter(isSaid)
  if ('combinations' in settings)
    return settings.combinations.map(
      ({ resolution, durations }, at): Fact => [
        at === 0 ? words.lengths : '',
        words.seconds(ltr(resolution), spanOf(words, durations, number, locale)),
      ],
    )
  if ('diarize' in settings)
    return [
      [words.languages, settings.languages === null ? words.everyLanguage : names(settings.languages)],
      ...abilities([
        settings.timestamps,
        ...(['diarize', 'translate', 'stream'] as const).filter((one) => settings[one]),
      ]),
    ]
  if ('engine' in settings) {
    const parts = [settings.transcription_model, settings.text_model, settings.speech_model]
    return [
      [words.parts, names(parts.filter((one) => one !== undefined))],
      [words.voices, names(settings.voices ?? [])],
    ].filter(isSaid)
  }
  return []
}

const isSaid = (fact: string[]): fact is Fact => fact[1] !== ''

/** Many lengths as the least and the greatest. */
function spanOf(
  words: Words,
  durations: readonly number[],
  number: (value: number) => string,
  locale: Locale,
): string {
  if (durations.length <= 4) return listed(locale, durations.map(number))
  return words.range(number(Math.min(...durations)), number(Math.max(...durations)))
}
