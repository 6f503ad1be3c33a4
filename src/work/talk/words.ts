/** The words by which conversations are found, in one spelling: ي and ی, half-spaces, and Persian, Arabic and Latin digits are the same (#core/retrieval). */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { normalise, readQuery, wordsOf } from '#core/retrieval'
import type { TalkOwner } from './tables.ts'

/** Characters that are read before the event loop is yielded: some milliseconds of work. */
const sliceLength = 5_000
/** A tsvector takes a megabyte; a text with more different words is found by the first ones. */
const maxTermBytes = 400_000

/** What each term of the person in this project begins with. */
const markOf = ({ accountId, projectId, personId }: TalkOwner): string =>
  createHash('sha256').update(`${accountId}/${projectId}/${personId}`).digest('base64url').slice(0, 8)

/** The terms of texts, for the index. */
export async function termsOf(owner: TalkOwner, texts: readonly string[]): Promise<string[]> {
  const mark = markOf(owner)
  const terms = new Set<string>()
  let bytes = 0
  for (const text of texts)
    for (const slice of slicesOf(text)) {
      for (const { forms, parts } of wordsOf(slice))
        for (const form of [...forms, ...parts.flat()]) {
          const term = `${mark}${form}`
          if (terms.has(term)) continue
          bytes += Buffer.byteLength(term)
          if (bytes > maxTermBytes) return [...terms]
          terms.add(term)
        }
      if (text.length > sliceLength) await setImmediate()
    }
  return [...terms]
}

/** Pieces of a text that end between words, where it has any. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const ahead = text.slice(start, start + sliceLength)
    const space = Math.max(ahead.lastIndexOf(' '), ahead.lastIndexOf('\n'))
    const isCut = ahead.length === sliceLength && space > sliceLength / 2
    const slice = isCut ? ahead.slice(0, space) : ahead
    yield slice
    start += slice.length
  }
}

export interface WordQuery {
  /** The text form of a tsquery: every word, the last one also as the beginning of a word. */
  tsquery: string
  /** The terms, without marks, that a snippet should show. */
  terms: string[]
}

/** A word that is still being typed is searched as the beginning of words from this length on; shorter ones begin too many. */
const minPrefixLength = 3

/** Undefined for a text without words. */
export function queryOf(owner: TalkOwner, text: string): WordQuery | undefined {
  const { groups } = readQuery(text)
  if (groups.length === 0) return undefined
  const mark = markOf(owner)
  const isOpen = /[\p{L}\p{N}]$/u.test(text)
  const last = groups.length - 1
  const tsquery = groups.map((terms, at) => {
    const quoted = terms.map((term) => {
      const isPrefix = at === last && isOpen && term.length >= minPrefixLength
      return `'${mark}${term}'${isPrefix ? ':*' : ''}`
    })
    return `(${quoted.join(' | ')})`
  })
  return { tsquery: tsquery.join(' & '), terms: groups.flat() }
}

/** Characters of a snippet, and those before the word that was found. */
const snippetLength = 160
const lead = 50
/** How far a snippet is looked for, in steps that overlap by a word. */
const stepLength = 400
const overlap = 60

/** The surroundings of the first word of the query, on one line; the beginning of the text where it has none. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const at = positionOf(text, terms)
  const begin = at <= lead ? 0 : nextWord(text, at - lead, at)
  const end = lastWord(text, begin, begin + snippetLength)
  return `${begin > 0 ? '…' : ''}${text.slice(begin, end)}${end < text.length ? '…' : ''}`
}

function positionOf(text: string, terms: readonly string[]): number {
  for (let start = 0; start < text.length; start += stepLength - overlap) {
    const step = text.slice(start, start + stepLength)
    const plain = normalise(step).replaceAll('\u200c', '')
    if (!terms.some((term) => plain.includes(term))) continue
    for (const { 0: word, index } of step.matchAll(/[\p{L}\p{M}\p{N}\u200c]+/gu)) {
      const same = normalise(word).replaceAll('\u200c', '')
      if (terms.some((term) => same.includes(term))) return start + index
    }
  }
  return 0
}

/** Where the next word begins, at the latest here. */
function nextWord(text: string, from: number, latest: number): number {
  const space = text.indexOf(' ', from)
  return space < 0 || space >= latest ? latest : space + 1
}

/** Where the last whole word ends. */
function lastWord(text: string, begin: number, end: number): number {
  if (end >= text.length) return text.length
  const space = text.slice(begin, end).lastIndexOf(' ')
  return space > 0 ? begin + space : end
}
