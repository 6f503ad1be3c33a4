import type { Language } from '#platform/errors'
import { type Html, html } from '#platform/html'
import { type PhraseKey, phrases } from './phrases.ts'

/** Phrases and number format of one language. */
export interface Translator {
  (word: PhraseKey): string
  readonly language: Language
  /** Picks the language of a pair. */
  of(pair: Record<Language, string>): string
  /** The number in the language's digits, grouped. */
  number(value: number): Html
}

export function translatorFor(language: Language): Translator {
  const digits = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en', { maximumFractionDigits: 10 })
  return Object.assign((word: PhraseKey): string => phrases[word][language], {
    language,
    of: (pair: Record<Language, string>): string => pair[language],
    number: (value: number): Html => html`<bdi>${digits.format(value)}</bdi>`,
  })
}
