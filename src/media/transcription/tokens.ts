/** The words of segments in the spelling of their text, each with the time of the same word of the upstream, else with one by its place. */
import { normalise } from '#core/retrieval'
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { itemsPerStep, mapInSteps, runAtOnce, type Steps } from '#platform/slices'

export interface Token {
  /** The text with its punctuation. */
  text: string
  /** The text for comparison: without punctuation, ZWNJ and vowel marks, in one spelling. Empty for punctuation alone. */
  folded: string
  /** The index of its segment, and its place in the text of that segment. */
  segment: number
  from: number
  to: number
  start: number
  end: number
  /** The index of the upstream's word that this token is. */
  word?: number
}

const notSaid = /[^\p{L}\p{N}]+/gu

/** One spelling of a word: «می‌رود»، and «ميرود» are the same. */
export const foldedWord = (text: string): string => normalise(text).replace(notSaid, '')

/** A memory of folded words: people say few different words, and repeat them, so each is folded once. */
function memoisedFold(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const folded = known.get(text) ?? foldedWord(text)
    known.set(text, folded)
    return folded
  }
}

/** @param words the words that are said in the segments, in order */
export const tokensIn = (segments: readonly SpokenSegment[], words: readonly SpokenWord[] = []): Token[] =>
  runAtOnce(tokenSteps(segments, words))

export function* tokenSteps(
  segments: readonly SpokenSegment[],
  words: readonly SpokenWord[],
): Steps<Token[]> {
  const foldOf = memoisedFold()
  const tokens: Token[] = []
  for (const [segment, { text, start, end }] of segments.entries()) {
    const perLetter = text.length > 0 ? (end - start) / text.length : 0
    for (const { 0: token, index } of text.matchAll(/\S+/g)) {
      const to = index + token.length
      const times = { start: start + index * perLetter, end: start + to * perLetter }
      tokens.push({ text: token, folded: foldOf(token), segment, from: index, to, ...times })
      if (tokens.length % itemsPerStep === 0) yield
    }
  }
  if (words.length > 0) {
    const folded = yield* mapInSteps(words, ({ word }) => foldOf(word))
    yield* assignTimes(tokens, words, folded)
  }
  return tokens
}

/** How many words ahead the same word is looked for: an upstream leaves a few out, or writes numbers differently. */
const lookAhead = 6

function* assignTimes(
  tokens: readonly Token[],
  words: readonly SpokenWord[],
  folded: readonly string[],
): Steps<void> {
  let next = 0
  for (const [index, token] of tokens.entries()) {
    if (index % itemsPerStep === itemsPerStep - 1) yield
    if (token.folded === '') continue
    const found = indexOfWord(folded, token.folded, next)
    if (found === undefined) continue
    // A word that a later token also has, and nearer, belongs to that token.
    const isFar =
      found > next &&
      tokens.slice(index + 1, index + found - next + 1).some((one) => one.folded === folded[next])
    if (isFar) continue
    token.word = found
    token.start = words[found]!.start
    token.end = words[found]!.end
    next = found + 1
  }
  yield* fillTimes(tokens)
}

function indexOfWord(folded: readonly string[], wanted: string, from: number): number | undefined {
  for (let at = from; at < Math.min(folded.length, from + lookAhead); at++)
    if (folded[at] === wanted) return at
  return undefined
}

/** Spreads tokens without a word over the time between those that have one. */
function* fillTimes(tokens: readonly Token[]): Steps<void> {
  let index = 0
  while (index < tokens.length) {
    let end = index
    for (; end < tokens.length && tokens[end]!.word === undefined; end++) if (end % itemsPerStep === 0) yield
    if (end > index && end - index < tokens.length) yield* spread(tokens, index, end)
    if (end % itemsPerStep === 0) yield
    index = end + 1
  }
}

/** Gives the tokens from `index` to `end` the time between their neighbours, at least one of which exists. */
function* spread(tokens: readonly Token[], index: number, end: number): Steps<void> {
  const before = tokens[index - 1]?.end
  const after = tokens[end]?.start
  const start = before ?? Math.min(tokens[index]!.start, after!)
  const stop = Math.max(start, after ?? Math.max(tokens[end - 1]!.end, before!))
  const each = (stop - start) / (end - index)
  for (let at = index; at < end; at++) {
    if (at % itemsPerStep === 0) yield
    tokens[at]!.start = start + (at - index) * each
    tokens[at]!.end = start + (at - index + 1) * each
  }
}
