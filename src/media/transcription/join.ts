/** Joins the transcripts of pieces, in their order. Text that no later piece can change is returned at once. */
import type { SpokenSegment, SpokenWord, Timestamps } from '#core/turn'
import { switchAt } from './align.ts'
import type { PieceSpan } from './cut.ts'
import { type Heard, round } from './heard.ts'
import { SpeakerLabels } from './speakers.ts'
import { type Token, tokensIn } from './tokens.ts'

/** A final stretch of the transcript. */
export interface Joined {
  text: string
  segments: SpokenSegment[]
  words: SpokenWord[] | undefined
}

export class Joiner {
  readonly #speakers: SpeakerLabels | undefined
  /** The last piece, which is not returned yet. */
  #last: Heard | undefined

  /** @param diarizes whether speakers are named, by labels made here; `speakers`: how many there are, if that is known */
  constructor({ diarizes, speakers }: { diarizes: boolean; speakers?: number | undefined }) {
    this.#speakers = diarizes ? new SpeakerLabels(speakers) : undefined
  }

  /** The labels of the speakers in order of first appearance. */
  get speakers(): string[] | undefined {
    return this.#speakers?.labels
  }
  /** The labels whose speaker may be one of the others. */
  get unmatched(): string[] {
    return this.#speakers?.unmatched ?? []
  }

  /** Adds the next piece, and returns the stretches before it, which are final now. */
  add(piece: Heard, joint: PieceSpan['joint']): Joined[] {
    const heard = this.#speakers
      ? this.#speakers.named(piece, joint === 'overlap' ? this.#last : undefined)
      : piece
    const last = this.#last
    if (!last) {
      this.#last = heard
      return []
    }
    const [before, after] = joint === 'overlap' ? joinedAt(last, heard) : [last, heard]
    this.#last = after
    return [finalOf(before)]
  }

  /** The last piece, which is final too since none overlaps with it. */
  end(): Joined[] {
    const last = this.#last
    this.#last = undefined
    return last ? [finalOf(last)] : []
  }
}

const finalOf = ({ text, segments, words }: Heard): Joined => ({ text, segments, words })

/** Both pieces, without the end of the first and the beginning of the second, so that no word is there twice and none is lost. */
export function joinedAt(first: Heard, second: Heard): [Heard, Heard] {
  const before = tokensIn(first.segments, first.words)
  const after = tokensIn(second.segments, second.words)
  const [from, to] = [second.from, first.to]
  if (to <= from || before.length === 0 || after.length === 0) return [first, second]
  const times = timesOf(first, second)
  const { kept, dropped } = switchAt({ before, after, from, to, times, expected: expectedIn(first, second) })
  return [upTo(first, before, kept), behind(second, after, dropped)]
}

function timesOf(first: Heard, second: Heard): Timestamps {
  if (first.words && second.words) return 'word'
  return first.isTimed && second.isTimed ? 'segment' : 'none'
}

/** The expected number of words in the overlap, at the pace of both pieces. */
function expectedIn(first: Heard, second: Heard): number {
  const overlap = first.to - second.from
  const paceOf = ({ segments, from, to }: Heard): number =>
    tokensIn(segments).filter(({ folded }) => folded !== '').length / Math.max(1e-3, to - from)
  return (overlap * (paceOf(first) + paceOf(second))) / 2
}

function upTo(heard: Heard, tokens: readonly Token[], kept: number): Heard {
  if (kept >= tokens.length) return heard
  const last = tokens[kept - 1]
  const segments = last
    ? heard.segments
        .slice(0, last.segment + 1)
        .map((one, index) =>
          index === last.segment
            ? { ...cutShort(one), text: one.text.slice(0, last.to).trim(), end: round(last.end) }
            : one,
        )
    : []
  const words = heard.words && wordsUpTo(heard.words, tokens, kept)
  return { ...heard, segments, words, text: textOf(segments) }
}

function behind(heard: Heard, tokens: readonly Token[], dropped: number): Heard {
  if (dropped === 0) return heard
  const first = tokens[dropped]
  const segments = first
    ? heard.segments
        .slice(first.segment)
        .map((one, index) =>
          index === 0
            ? { ...cutShort(one), text: one.text.slice(first.from).trim(), start: round(first.start) }
            : one,
        )
    : []
  const words = heard.words?.slice(wordsUpTo(heard.words, tokens, dropped).length)
  return { ...heard, segments, words, text: textOf(segments) }
}

/** The words of the first `kept` tokens; a word without a token is assigned by its times. */
function wordsUpTo(words: readonly SpokenWord[], tokens: readonly Token[], kept: number): SpokenWord[] {
  const before = tokens[kept - 1]?.word
  const next = tokens[kept]?.word
  if (before !== undefined && (next === undefined || next === before + 1)) return words.slice(0, before + 1)
  if (next !== undefined) return words.slice(0, next)
  const end = tokens[kept - 1]?.end ?? Number.NEGATIVE_INFINITY
  return words.filter((word) => (word.start + word.end) / 2 <= end)
}

const textOf = (segments: readonly SpokenSegment[]): string => segments.map(({ text }) => text).join(' ')

/** A segment that was cut, without the token numbers of its model, which belong to the whole segment. */
function cutShort({ details, ...segment }: SpokenSegment): SpokenSegment {
  if (!details) return segment
  const { tokens: _tokens, ...rest } = details
  return { ...segment, details: rest }
}
