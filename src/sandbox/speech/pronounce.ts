import { englishPhonemes } from './english.ts'
import { englishNumbers, type NumberWords, persianNumbers, readNumber } from './numbers.ts'
import { persianPhonemes } from './persian.ts'

/** Words that are said in one breath, as phonemes (`phonemes.ts`), and how they end. */
export interface Phrase {
  readonly words: readonly string[]
  /** The place of each word in the text; all words of one number have the place of the number. */
  readonly places: readonly TextRange[]
  readonly end: 'statement' | 'question' | 'continuation'
  readonly pauseMs: number
  /** The end of the phrase in the text, after the mark that ends it. */
  readonly to: number
}

/** A part of a text, from one character up to another. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

const maxWordsOfPhrase = 24

/**
 * The phrases of a text, one after the other. Each takes time that grows with its own length, which is bounded: sound can begin before the
 * text was read to its end.
 */
export function* phrasesOf(text: string): Generator<Phrase> {
  let words: string[] = []
  let places: TextRange[] = []
  let language = languageAt(text, 0)
  for (const { token, from } of tokens(text)) {
    const to = from + token.length
    const mark = marks[token[0]!]
    if (mark) {
      if (words.length > 0) yield { words, places, to, ...mark }
      words = []
      places = []
    } else {
      if (isPersian.test(token)) language = persianNumbers
      else if (isLatin.test(token)) language = englishNumbers
      for (const word of readToken(token, language).filter(Boolean)) {
        words.push(word)
        places.push({ from, to })
      }
      if (words.length >= maxWordsOfPhrase) {
        yield { words, places, to, ...phraseBreak }
        words = []
        places = []
      }
    }
  }
  if (words.length > 0) yield { words, places, to: text.length, ...marks['.']! }
}

const isPersian = /\p{Script=Arabic}/u
const isLatin = /\p{Script=Latin}/u

/** The language of numbers that come before the first word. */
function languageAt(text: string, at: number): NumberWords {
  const letter = /[\p{Script=Arabic}\p{Script=Latin}]/u.exec(text.slice(at, at + 2_000))?.[0]
  return letter !== undefined && isLatin.test(letter) ? englishNumbers : persianNumbers
}

const phraseBreak = { end: 'continuation', pauseMs: 120 } as const
const stop = { end: 'statement', pauseMs: 420 } as const
const question = { end: 'question', pauseMs: 420 } as const
const comma = { end: 'continuation', pauseMs: 220 } as const
const marks: Record<string, Pick<Phrase, 'end' | 'pauseMs'>> = {
  '.': stop, '!': stop, '…': stop, '\n': stop, '؟': question, '?': question,
  '،': comma, ',': comma, '؛': comma, ';': comma, ':': comma, '—': comma, '–': comma, '(': phraseBreak, ')': phraseBreak, '«': phraseBreak, '»': phraseBreak,
} // biome-ignore format: a table of marks

/** Matches minus, numbers, percent, Latin and Persian words of bounded length, and marks. */
const token =
  /(?<![\p{L}\p{N}])[-−](?=[0-9۰-۹٠-٩])|[0-9۰-۹٠-٩]{1,40}(?:[.,٫٬][0-9۰-۹٠-٩]{1,40}){0,12}|[٪%]|\p{Script=Latin}(?:['’]?[\p{Script=Latin}\p{Mn}]){0,48}|[\p{Script=Arabic}\p{Mn}](?:\u200c?[\p{Script=Arabic}\p{Mn}]){0,48}|[.!…\n؟?،,؛;:—–()«»]/gu
const punctuation = /^[،؛؟٪٫٬]/

interface Token {
  token: string
  from: number
}

/** Yields the words, numbers and marks of a text; Arabic punctuation is of the Arabic script too, so that it is separated from words. */
function* tokens(text: string): Generator<Token> {
  for (const { 0: found, index } of text.matchAll(token)) {
    if (!isPersian.test(found) || startsWithDigit.test(found)) yield { token: found, from: index }
    else
      for (const part of found.matchAll(/[،؛؟٪]|[۰-۹٠-٩]+|[^،؛؟٪۰-۹٠-٩]+/g))
        yield { token: part[0], from: index + part.index }
  }
}

const startsWithDigit = /^[0-9۰-۹٠-٩]/

function readToken(token: string, language: NumberWords): string[] {
  if (startsWithDigit.test(token))
    return ungroup(latinDigits(token)).flatMap((number) => readNumber(number, language))
  if (token === '-' || token === '−') return [language.minus]
  if (token === '%' || token === '٪') return [language.percent]
  if (punctuation.test(token)) return []
  return [isLatin.test(token) ? englishPhonemes(token) : persianPhonemes(token)]
}

const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩٫٬]/g, (sign) => {
    if (sign === '٫') return '.'
    if (sign === '٬') return ','
    return String(sign.charCodeAt(0) & 0xf)
  })

/** The numbers in a token: a single one if its groups have three digits and it has at most one point; otherwise each by itself (1.2.3). */
function ungroup(text: string): string[] {
  const isOne = /^(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/.test(text)
  return isOne ? [text.replaceAll(',', '')] : text.split(/[.,]/)
}
