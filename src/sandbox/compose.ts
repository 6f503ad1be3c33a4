import { findArithmetic } from './arithmetic.ts'
import { describeMedia } from './describe-media.ts'
import type { Language } from './language.ts'
import { digits, numerals, phraseText, story } from './phrases.ts'
import type { Question } from './question.ts'

const echo = [
  /\b(?:repeat|say|write|echo|output|print)\s+(?:this\s+)?(?:exactly|verbatim)(?:\s+this)?\s*:?\s+([\s\S]+)/i,
  /(?:دقیقا|دقیقاً|دقیقًا|عیناً|عینا)\s+(?:این را\s+)?(?:بنویس|تکرار کن|بگو)(?:ید)?\s*:?\s+([\s\S]+)/u,
]
const count = [
  /\bcount\s+(?:(?:up\s+)?from\s+(\d{1,6})\s+)?(?:up\s+)?to\s+(\d{1,6})/i,
  /(?:از\s+(?:عدد\s+)?(\d{1,6})\s+)?تا\s+(?:عدد\s+)?(\d{1,6})\s+(?:را\s+)?(?:بشمار|شمارش)/u,
]
const wordCountPattern = /(\d{1,5})[\s-]+(?:words?\b|کلمه|واژه)/iu
const paragraphCountPattern = /(\d{1,3})[\s-]+(?:paragraphs?\b|پاراگراف|بند(?!\p{L}))/iu

/** The longest list that the sandbox counts out; longer ones end there, since every answer is bounded. */
const maxCount = 10_000

/**
 * The text answer: the first that applies of tool results, exact repetition, counting, a text of N words or paragraphs, and arithmetic; otherwise the
 * sandbox introduces itself and quotes the question. Media are acknowledged first.
 */
export function composeText(question: Question, seed: number): string {
  const { language, text } = question
  if (question.toolResults.length > 0) return quoteResults(question)
  const repeated = echo.map((pattern) => pattern.exec(text)?.[1]).find((match) => match !== undefined)
  if (repeated !== undefined) return unquote(repeated)
  const media = question.media.map((each) => describeMedia(each, language))
  const visible = countUp(text, language) ?? longer(text, language, seed) ?? calculated(text, language)
  return [...media, visible ?? introduction(question)].join(' ')
}

/** Sentences of at least `atLeastWords` words, for the `tokens` directive; the stream cuts them. */
export function endlessText(language: Language, seed: number, atLeastWords: number): string {
  return takeWords(language, seed, atLeastWords).join(' ')
}

/** What is read aloud is short: a sentence about what was heard, and a question back. */
function spokenIntroduction({ language, text, spoken }: Question): string {
  const heard =
    text.trim() === ''
      ? phraseText(language, 'heardNothing')
      : phraseText(language, 'heard', { question: shorten(text, spokenQuote[spoken!]) })
  return `${heard} ${phraseText(language, 'askedBack')}`
}

/** The most code points of what was heard that are said again: in a call the whole answer then takes less than ten seconds. */
const spokenQuote = { call: 40, recording: 120 }

function introduction(question: Question): string {
  if (question.spoken) return spokenIntroduction(question)
  const { language, text, turnNumber } = question
  const sentences = [phraseText(language, 'opening')]
  sentences.push(
    text.trim() === ''
      ? phraseText(language, 'nothingAsked')
      : phraseText(language, 'asked', { question: shorten(text) }),
  )
  if (turnNumber > 1) sentences.push(phraseText(language, 'conversation', { count: turnNumber }))
  return sentences.join(' ')
}

function quoteResults({ language, text, toolResults }: Question): string {
  const lines = toolResults.map(({ name, text: result }) =>
    phraseText(language, 'toolResult', { name, result }),
  )
  if (text.trim() !== '') lines.push(phraseText(language, 'toolSummary', { question: shorten(text) }))
  return lines.join('\n')
}

function countUp(text: string, language: Language): string | undefined {
  const match = count.map((pattern) => pattern.exec(numerals(text))).find((each) => each !== null)
  if (!match) return undefined
  const from = Number(match[1] ?? 1)
  const to = Math.min(Number(match[2]), from + maxCount - 1)
  if (to < from) return undefined
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => digits(language, String(from + index)))
  return numbers.join(language === 'fa' ? '، ' : ', ')
}

function longer(text: string, language: Language, seed: number): string | undefined {
  const plain = numerals(text)
  const words = Number(wordCountPattern.exec(plain)?.[1] ?? 0)
  if (words > 0)
    return takeWords(language, seed, words)
      .join(' ')
      .replace(/[.،,]?$/, '.')
  const paragraphs = Number(paragraphCountPattern.exec(plain)?.[1] ?? 0)
  if (paragraphs === 0) return undefined
  const sentences = story[language]
  return Array.from({ length: paragraphs }, (_, paragraph) =>
    Array.from(
      { length: 4 },
      (_, index) => sentences[(seed + paragraph * 4 + index) % sentences.length],
    ).join(' '),
  ).join('\n\n')
}

function takeWords(language: Language, seed: number, wanted: number): string[] {
  const sentences = story[language]
  const taken: string[] = []
  for (let index = seed % sentences.length; taken.length < wanted; index = (index + 1) % sentences.length)
    taken.push(...(sentences[index] ?? '').split(' '))
  return taken.slice(0, wanted)
}

function calculated(text: string, language: Language): string | undefined {
  const arithmetic = findArithmetic(text)
  if (!arithmetic) return undefined
  const expression = digits(language, arithmetic.expression)
  if (arithmetic.value === undefined) return phraseText(language, 'divisionByZero', { expression })
  return phraseText(language, 'equation', { expression, result: arithmetic.value })
}

/** The text on one line, cut to a number of code points. */
export function shorten(text: string, most = 300): string {
  const points = [...text.slice(0, 4000).replace(/\s+/g, ' ').trim()]
  return points.length <= most ? points.join('') : `${points.slice(0, most - 1).join('')}…`
}

function unquote(text: string): string {
  const trimmed = text.trim()
  return (
    /^(?:"([^"]*)"|«([^«»]*)»|“([^“”]*)”)$/
      .exec(trimmed)
      ?.slice(1)
      .find((each) => each !== undefined) ?? trimmed
  )
}
