/** The words of a transcript in its spelling, each with its time; subtitles are cut from them. */
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { Slice } from '#platform/slices'

/** A word with the punctuation around it. */
export interface TimedWord {
  text: string
  /** The times are in seconds. */
  start: number
  end: number
  speaker: string | undefined
  /** Whether the upstream's segment begins with this word. */
  isFirst: boolean
}

/** The letters by which two spellings of a word are compared: without punctuation, marks and case. */
const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()

/**
 * The words of `segments` in order. Their times are those of `words` as far as the letters agree; upstreams list these without punctuation and
 * sometimes cut them elsewhere. Where the letters disagree, a word gets its share of its segment. Without segments, `words` are taken as they are.
 */
export async function timedWords(
  segments: readonly SpokenSegment[],
  words: readonly SpokenWord[] = [],
): Promise<TimedWord[]> {
  const slice = new Slice()
  const clock = await WordTimeline.of(words, slice)
  const all = segments.length > 0 ? segments : words.map(({ word, ...times }) => ({ ...times, text: word }))
  const timed: TimedWord[] = []
  for (const segment of all) {
    if (slice.isOver()) await slice.next()
    // One segment may be the whole transcript, so even its words are found in slices.
    const texts: string[] = []
    for (const [text] of segment.text.matchAll(/\S+/gu)) {
      if (slice.isOver()) await slice.next()
      texts.push(text)
    }
    const spans =
      (segments.length > 0 && (await clock.spansOf(texts, segment, slice))) ||
      (await proportionalSpans(texts, segment, slice))
    for (const [index, text] of texts.entries()) {
      if (slice.isOver()) await slice.next()
      const { start, end } = spans[index]!
      timed.push({ text, start, end, speaker: segment.speaker, isFirst: index === 0 })
    }
  }
  return timed
}

interface TimeSpan {
  start: number
  end: number
}

/** The spans of the words, where each gets the share of the segment that it has of the letters. */
async function proportionalSpans(
  texts: readonly string[],
  { start, end }: TimeSpan,
  slice: Slice,
): Promise<TimeSpan[]> {
  const total = texts.reduce((sum, { length }) => sum + length + 1, 0)
  const spans: TimeSpan[] = []
  let before = 0
  for (const { length } of texts) {
    if (slice.isOver()) await slice.next()
    const from = start + ((end - start) * before) / total
    before += length + 1
    spans.push({ start: from, end: start + ((end - start) * before) / total })
  }
  return spans
}

/** How far the times of an upstream's words may lie outside of the segment that they are in, in seconds. */
const tolerance = 0.5

interface LetteredWord extends TimeSpan {
  letters: string
}

/** The upstream's words in order, read along with the segments. */
class WordTimeline {
  readonly #words: readonly LetteredWord[]
  #next = 0

  private constructor(words: readonly LetteredWord[]) {
    this.#words = words
  }

  /** Leaves out words without letters, however many: so every step of `spansOf` moves at least one letter on. */
  static async of(words: readonly SpokenWord[], slice: Slice): Promise<WordTimeline> {
    const lettered: LetteredWord[] = []
    for (const { word, start, end } of words) {
      if (slice.isOver()) await slice.next()
      const letters = lettersOf(word)
      if (letters !== '') lettered.push({ letters, start, end })
    }
    return new WordTimeline(lettered)
  }

  /** The times of the texts; undefined where the letters disagree. The words of the next segment are then found by their times. */
  async spansOf(
    texts: readonly string[],
    { start, end }: TimeSpan,
    slice: Slice,
  ): Promise<TimeSpan[] | undefined> {
    const words = this.#words
    while (this.#next < words.length && words[this.#next]!.end < start - tolerance) this.#next++
    const letters: string[] = []
    let wanted = ''
    for (const text of texts) {
      if (slice.isOver()) await slice.next()
      const own = lettersOf(text)
      letters.push(own)
      wanted += own
    }
    let at = this.#next
    let spelled = 0
    const edges: { upTo: number; span: TimeSpan }[] = []
    while (spelled < wanted.length && at < words.length && words[at]!.start <= end + tolerance) {
      if (slice.isOver()) await slice.next()
      const word = words[at++]!
      // Once the letters differ, the rest need not be read.
      if (!wanted.startsWith(word.letters, spelled)) return undefined
      spelled += word.letters.length
      edges.push({ upTo: spelled, span: word })
    }
    if (spelled !== wanted.length || edges.length === 0) return undefined
    this.#next = at
    return spansBetween(letters, edges, slice)
  }
}

/** The span of each text, from the word with its first letter to the word with its last one. */
async function spansBetween(
  letters: readonly string[],
  edges: readonly { upTo: number; span: TimeSpan }[],
  slice: Slice,
): Promise<TimeSpan[]> {
  const spans: TimeSpan[] = []
  let at = 0
  let edge = 0
  for (const { length } of letters) {
    if (slice.isOver()) await slice.next()
    while (edge < edges.length - 1 && edges[edge]!.upTo <= at) edge++
    const { start } = edges[edge]!.span
    at += length
    while (edge < edges.length - 1 && edges[edge]!.upTo < at) edge++
    spans.push({ start, end: edges[edge]!.span.end })
  }
  return spans
}
