import type { Language } from '#platform/errors'
import { type Html, html } from './html.ts'
import { phrases, type Word } from './phrases.ts'

/** One language's words and numbers. */
export interface Say {
  (word: Word): string
  readonly language: Language
  /** The one of the pair. */
  of(pair: Record<Language, string>): string
  /** With the language's digits, grouped. */
  number(value: number): Html
}

export function sayIn(language: Language): Say {
  const digits = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en', { maximumFractionDigits: 10 })
  return Object.assign((word: Word): string => phrases[word][language], {
    language,
    of: (pair: Record<Language, string>): string => pair[language],
    number: (value: number): Html => html`<bdi>${digits.format(value)}</bdi>`,
  })
}
