/** Cuts a transcript into subtitles that can be read: at most two lines of 42 signs and seven seconds, at sentences, clauses and pauses. */
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { Slice } from '#platform/slices'
import { type TimedWord, timedWords } from './spoken-times.ts'

/** One subtitle. Cues follow one another and never overlap. */
export interface Cue {
  startMs: number
  endMs: number
  /** One or two lines. */
  lines: string[]
  speaker: string | undefined
}

/** The most signs of a line, as broadcasters have them. */
export const maxLineWidth = 42
export const maxCueMs = 7_000
/** Nobody reads faster: a cue is shown at least this long where nothing follows. */
const minCueMs = 1_000
/** A silence at which a cue ends, in seconds. */
const pause = 1
/** A sentence of fewer signs than this is shown together with the next one. */
const shortSentence = 20

const endsSentence = /[.!?؟۔…。！？]["'»”’)\]]*$/u
const endsClause = /[،,؛;:–—]["'»”’)\]]*$/u

/** The number of visible signs: combining marks and invisible characters do not count. */
const widthOf = (text: string): number => {
  if (!hasInvisible.test(text) && !hasPair.test(text)) return text.length
  let width = 0
  for (const sign of text) if (!invisible.test(sign)) width++
  return width
}
const invisible = /^[\p{M}\p{Cf}]$/u
/** Nearly no text has combining marks, invisible characters or surrogate pairs: then each unit of the string is a sign. */
const hasInvisible = /[\p{M}\p{Cf}]/u
const hasPair = /[\ud800-\udfff]/

interface SubtitleSource {
  segments: readonly SpokenSegment[]
  words?: readonly SpokenWord[] | undefined
  /** The length of the recording; later times are moved into it. */
  seconds: number
}

/** A word as it is shown. */
interface ShownWord extends TimedWord {
  /** The number of visible signs. */
  width: number
}

/** The subtitles of a transcript, in order. An upstream may claim any times; those of cues increase. */
export async function cuesOf({ segments, words, seconds }: SubtitleSource): Promise<Cue[]> {
  const slice = new Slice()
  const cues: ShownWord[][] = []
  const rest: ShownWord[] = []
  for (const spoken of await timedWords(segments, words)) {
    for (const word of shownWords(spoken)) {
      if (slice.isOver()) await slice.next()
      if (rest.length > 0 && endsBefore(rest, word)) cues.push(rest.splice(0))
      rest.push(word)
      while (!fits(rest)) cues.push(rest.splice(0, cutIndex(rest)))
    }
  }
  if (rest.length > 0) cues.push(rest)
  return timeCues(cues, seconds, slice)
}

/** The word without characters that would direct a player. A word longer than a line is cut, piece by piece, since it may be the whole transcript. */
function* shownWords(word: TimedWord): Generator<ShownWord> {
  const text = word.text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
  if (text === '') return
  const width = widthOf(text)
  if (width <= maxLineWidth) {
    yield { ...word, text, width }
    return
  }
  const signs = hasPair.test(text) ? [...text] : text
  const parts = Math.ceil(signs.length / maxLineWidth)
  const each = (word.end - word.start) / parts
  for (let index = 0; index < parts; index++) {
    const piece = signs.slice(index * maxLineWidth, (index + 1) * maxLineWidth)
    const part = typeof piece === 'string' ? piece : piece.join('')
    yield {
      ...word,
      text: part,
      width: widthOf(part),
      start: word.start + index * each,
      end: word.start + (index + 1) * each,
      isFirst: word.isFirst && index === 0,
    }
  }
}

/** Whether the cue of these words ends before the next word, whatever room it has. */
function endsBefore(words: readonly ShownWord[], next: ShownWord): boolean {
  const last = words.at(-1)!
  if (last.speaker !== next.speaker || next.start - last.end >= pause) return true
  return (next.isFirst || endsSentence.test(last.text)) && lineWidth(words) > shortSentence
}

/** The width of the words with a space between two of them. */
const lineWidth = (words: readonly ShownWord[]): number =>
  words.reduce((sum, { width }) => sum + width + 1, -1)

const fits = (words: readonly ShownWord[]): boolean =>
  words.length === 1 ||
  ((words.at(-1)!.end - words[0]!.start) * 1_000 <= maxCueMs && lengthOfFirstLine(words) !== undefined)

/** Where to cut a cue that its last word makes too long: after the last sentence or clause that is not too near its beginning. */
function cutIndex(words: readonly ShownWord[]): number {
  const lastIndex = words.length - 1
  const least = Math.max(1, Math.ceil(lastIndex / 3))
  for (const ending of [endsSentence, endsClause])
    for (let at = lastIndex; at >= least; at--) if (ending.test(words[at - 1]!.text)) return at
  return lastIndex
}

/** How many of the words stand in the first of two lines of about equal length; undefined where they need more than two lines. */
function lengthOfFirstLine(words: readonly ShownWord[]): number | undefined {
  const whole = lineWidth(words)
  if (whole <= maxLineWidth) return words.length
  let best: { at: number; unevenness: number } | undefined
  let first = -1
  for (const [index, { text, width }] of words.entries()) {
    first += width + 1
    const second = whole - first - 1
    if (first > maxLineWidth || second > maxLineWidth) continue
    // A line that ends with a clause reads better than two lines of equal length.
    const unevenness = Math.abs(first - second) - (endsClause.test(text) ? clauseBonus : 0)
    if (!best || unevenness < best.unevenness) best = { at: index + 1, unevenness }
  }
  return best?.at
}
/** How many signs of unevenness the end of a clause outweighs. */
const clauseBonus = 10

function linesOf(words: readonly ShownWord[]): string[] {
  const at = lengthOfFirstLine(words) ?? words.length
  const lines = [words.slice(0, at), words.slice(at)].filter(({ length }) => length > 0)
  return lines.map((line) => line.map(({ text }) => text).join(' '))
}

/**
 * The cues with times in whole milliseconds within the recording, each after the one before; a short cue stays until the next, or long enough to be
 * read.
 */
async function timeCues(cues: readonly ShownWord[][], seconds: number, slice: Slice): Promise<Cue[]> {
  const lastMs = Math.max(1, Math.round(seconds * 1_000))
  const startsMs: number[] = []
  for (const words of cues) {
    const wantedMs = Math.min(Math.max(0, milliseconds(words[0]!.start)), lastMs - 1)
    startsMs.push(Math.max(wantedMs, startsMs.length > 0 ? startsMs.at(-1)! + 1 : 0))
  }
  const all: Cue[] = []
  for (const [index, words] of cues.entries()) {
    if (slice.isOver()) await slice.next()
    const startMs = startsMs[index]!
    const nextMs = startsMs[index + 1] ?? Math.max(lastMs, startMs + 1)
    const wantedMs = Math.max(milliseconds(words.at(-1)!.end), startMs + minCueMs)
    const endMs = Math.max(startMs + 1, Math.min(wantedMs, nextMs, startMs + maxCueMs))
    all.push({ startMs, endMs, lines: linesOf(words), speaker: words[0]!.speaker })
  }
  return all
}

const milliseconds = (seconds: number): number => (Number.isFinite(seconds) ? Math.round(seconds * 1_000) : 0)
