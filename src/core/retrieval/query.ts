import { stopWords } from './stop-words.ts'
import { type Word, wordsOf } from './terms.ts'

/** A parsed search query. */
export interface Query {
  /** One group per word: its alternative terms. */
  groups: string[][]
  /** Quoted phrases: sequences of words, each with its alternative terms. */
  phrases: string[][][]
}

const maxGroups = 32
const maxPhrases = 4

/** Parses a question or keywords. Stop words are left out, unless there are no other words. */
export function readQuery(text: string): Query {
  const words = wordsOf(text)
  const distinctive = words.filter(({ forms }) => !forms.some((term) => stopWords.has(term)))
  const chosen = (distinctive.length > 0 ? distinctive : words).slice(0, maxGroups)
  const phrases = quotationsOf(text)
    .map((quotation) => wordsOf(quotation).flatMap(({ parts }) => parts))
    .filter((phrase) => phrase.length > 1)
  return {
    groups: chosen.map((word, at) => groupOf(word, words, chosen, at)),
    phrases: phrases.slice(0, maxPhrases),
  }
}

const closingMarks: Readonly<Record<string, string>> = { '"': '"', '«': '»', '“': '”' }
const maxQuotation = 300

/** The texts between quotation marks, from left to right. A mark that is not closed within the bound is a character like any other. */
export function quotationsOf(text: string): string[] {
  const quotations: string[] = []
  let start = 0
  for (const { 0: opening, index } of text.matchAll(/["«“]/g)) {
    if (index < start) continue
    const following = text.slice(index + 1, index + 2 + maxQuotation)
    const length = following.indexOf(closingMarks[opening]!)
    if (length < 1) continue
    quotations.push(following.slice(0, length))
    start = index + length + 2
  }
  return quotations
}

/** Terms of a word: itself, the parts of a compound, and the compounds that it may form with its neighbours («نیم فاصله» for «نیم‌فاصله»). */
function groupOf(word: Word, words: readonly Word[], chosen: readonly Word[], at: number): string[] {
  const compounds = [
    [chosen[at - 1], word],
    [word, chosen[at + 1]],
  ].flatMap(([left, right]) => {
    const beside = left && right && words.indexOf(right) === words.indexOf(left) + 1
    return beside && left.isPersian && right.isPersian ? [left.forms[0]! + right.forms[0]!] : []
  })
  return [...new Set([...word.forms, ...word.parts.flat(), ...compounds])]
}

const quoted = (term: string): string => `'${term}'`

/** The text form of a tsquery that matches any of the terms, in passages with the term `mark`. */
export const anyTermQuery = (terms: readonly string[], mark: string): string =>
  `${quoted(mark)} & (${terms.map(quoted).join(' | ')})`

/** The text form of a tsquery that matches all phrases, with their words adjacent. */
export const allPhrasesQuery = ({ phrases }: Query, mark: string): string =>
  [
    quoted(mark),
    ...phrases.map(
      (phrase) => `(${phrase.map((terms) => `(${terms.map(quoted).join(' | ')})`).join(' <-> ')})`,
    ),
  ].join(' & ')
