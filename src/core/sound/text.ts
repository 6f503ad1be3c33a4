/** Letters and digits that end in a full stop without ending a sentence. */
const abbreviation =
  /(?:^|[^\p{L}\p{M}\d])(?:Dr|Mrs?|Ms|Prof|St|No|vs|etc|cf|al|Figs?|Eq|approx|Inc|Ltd|Co|[ap]\.m|e\.g|i\.e|[A-Za-z](?:\.[A-Za-z])?|pp|دکتر|ج|ص|ق|ه|م|ش)\.$/u
const ending = /[.!?؟…۔]/
const pause = /[؛;،,:–—]/
const closing = /[»”"'’)\]}*_]/
const blank = /\s/
const digit = /\p{Nd}/u
/** How many characters are looked back at, from the end of a word. */
const maxBack = 12
/** How many characters are read around a place at which a word is cut: what belongs together is rarely longer. */
const aroundCut = 64

/** How good a place between two words is for an end: after a sentence, after a clause, or after any word. */
export type BoundaryStrength = 'sentence' | 'clause' | 'word'

/**
 * Cuts text for speech into pieces of `maxCharacters` at most (UTF-16 units; at least 16), as few as its sentences allow. The cut is after a
 * sentence; if none ends after the first quarter of a piece, after a clause; else between words. A word is cut only if it is longer than a piece, and
 * then not within a number or a character as readers see it, as long as these are shorter than 64. The pieces put together are the text, character
 * for character; the time is linear.
 */
export function splitForSpeech(text: string, maxCharacters: number): string[] {
  const max = Math.max(16, maxCharacters)
  const pieces: string[] = []
  let places: Record<BoundaryStrength, number> = { sentence: 0, clause: 0, word: 0 }
  let start = 0
  const cut = (at: number): void => {
    pieces.push(text.slice(start, at))
    start = at
  }
  for (const { at, strength } of boundariesOf(text)) {
    while (at - start > max) cut(bestOf(places, start, max) ?? cutWithinWord(text, start + max, start))
    places = { ...places, [strength]: at }
  }
  if (start < text.length) cut(text.length)
  return pieces
}

/** Whether a piece has anything to say: marks and spaces alone are no speech. */
export const isSpeakable = (piece: string): boolean => /[\p{L}\p{N}]/u.test(piece)

/** Characters that are read as words: «۹۹۹» as «نهصد و نود و نه», 777 as «seven hundred seventy-seven», € and emoji by their names. */
const wordy = /[\p{N}\p{S}%@#&*/\\§‰]/gu
/** Characters that are a syllable each. */
const syllabic = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/gu

/** The most letters of an alphabet, about, that take as long to be read aloud as this text does. */
export const maxSpokenLetters = (text: string): number =>
  [...text].length + 9 * (text.match(wordy)?.length ?? 0) + 2 * (text.match(syllabic)?.length ?? 0)

/** The last place of the strongest kind after the first quarter of a piece; else the last of any kind. */
function bestOf(places: Record<BoundaryStrength, number>, start: number, max: number): number | undefined {
  const { sentence, clause, word } = places
  const found = [sentence, clause, word].find((place) => place > start + max / 4)
  const last = found ?? Math.max(sentence, clause, word)
  return last > start ? last : undefined
}

/** Places at which a word begins after spaces, and the end of the text. */
export function* boundariesOf(text: string): Iterable<{ at: number; strength: BoundaryStrength }> {
  let wordStart = 0
  let lineStart = 0
  let wordEnd: number | undefined
  let hasBreak = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (blank.test(character)) {
      wordEnd ??= at
      if (character === '\n') hasBreak = true
    } else if (wordEnd !== undefined) {
      const isNumbering =
        wordStart === lineStart &&
        /^[\d۰-۹]{1,3}\.$/.test(text.slice(wordStart, Math.min(wordEnd, wordStart + 5)))
      const strength = hasBreak ? 'sentence' : strengthOf(text, wordEnd, character, isNumbering)
      // Digits may stand in groups: 0912 123 4567 is one number.
      const isGroup = strength === 'word' && digit.test(text[wordEnd - 1]!) && digit.test(character)
      if (!isGroup) yield { at, strength }
      if (hasBreak) lineStart = at
      wordStart = at
      wordEnd = undefined
      hasBreak = false
    }
  }
  yield { at: text.length, strength: 'sentence' }
}

/** @param isNumbering whether the word is like «1.» at the beginning of a line, and numbers what follows */
function strengthOf(text: string, wordEnd: number, next: string, isNumbering: boolean): BoundaryStrength {
  let end = wordEnd
  while (end > 0 && wordEnd - end < 4 && closing.test(text[end - 1]!)) end -= 1
  const mark = text[end - 1] ?? ''
  if (pause.test(mark)) return 'clause'
  if (!ending.test(mark)) return 'word'
  if (mark !== '.' && mark !== '…') return 'sentence'
  if (/\p{Ll}/u.test(next)) return 'word'
  if (mark === '…') return 'sentence'
  return isNumbering || abbreviation.test(text.slice(Math.max(0, end - maxBack), end)) ? 'word' : 'sentence'
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const ofNumber = /[\p{N}.,٫٬/:]/u

/** A place in a word at or before `at`, where it may be cut. */
function cutWithinWord(text: string, at: number, start: number): number {
  const from = Math.max(start, at - aroundCut)
  const around = text.slice(from, at + aroundCut)
  const places = Array.from(characters.segment(around), ({ index }) => from + index).filter(
    (place) => place > from && place <= at,
  )
  const free = places.findLast((place) => !(ofNumber.test(text[place - 1]!) && ofNumber.test(text[place]!)))
  const found = free ?? places.at(-1)
  if (found !== undefined) return found
  return /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at
}
