import { stopWords } from './stop-words.ts'
import { type Word, wordsOf } from './terms.ts'

/** What is looked for. */
export interface Query {
  /** One for each word: the terms of which any will do. */
  groups: string[][]
  /** What stands in quotation marks: runs of words, each with the terms of which any will do. */
  phrases: string[][][]
}

const maxGroups = 32
const maxPhrases = 4

/** Reads a question or some words. Words of every text are left out, unless there are no others. */
export function readQuery(text: string): Query {
  const words = wordsOf(text)
  const distinctive = words.filter(({ whole }) => !whole.some((term) => stopWords.has(term)))
  const chosen = (distinctive.length > 0 ? distinctive : words).slice(0, maxGroups)
  const phrases = [...text.matchAll(/"([^"]{1,300})"|«([^»]{1,300})»|“([^”]{1,300})”/g)]
    .map(([, one, two, three]) => wordsOf(one ?? two ?? three ?? '').flatMap(({ parts }) => parts))
    .filter((phrase) => phrase.length > 1)
  return {
    groups: chosen.map((word, at) => groupOf(word, words, chosen, at)),
    phrases: phrases.slice(0, maxPhrases),
  }
}

/** A word, its parts when it is a compound, and with its neighbours the compound that they may be: «نیم فاصله» for «نیم‌فاصله». */
function groupOf(word: Word, words: readonly Word[], chosen: readonly Word[], at: number): string[] {
  const compounds = [
    [chosen[at - 1], word],
    [word, chosen[at + 1]],
  ].flatMap(([left, right]) => {
    const beside = left && right && words.indexOf(right) === words.indexOf(left) + 1
    return beside && left.isPersian && right.isPersian ? [left.whole[0]! + right.whole[0]!] : []
  })
  return [...new Set([...word.whole, ...word.parts.flat(), ...compounds])]
}

const quoted = (term: string): string => `'${term}'`

/** The text form of a tsquery: any of the terms, in what bears the mark. */
export const anyOf = (terms: readonly string[], mark: string): string =>
  `${quoted(mark)} & (${terms.map(quoted).join(' | ')})`

/** All the phrases, word behind word. */
export const allPhrases = ({ phrases }: Query, mark: string): string =>
  [
    quoted(mark),
    ...phrases.map(
      (phrase) => `(${phrase.map((terms) => `(${terms.map(quoted).join(' | ')})`).join(' <-> ')})`,
    ),
  ].join(' & ')
