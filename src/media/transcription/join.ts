/** Joins the transcripts of pieces, in their order. Text that no later piece can change is returned at once. */
import type { SpokenSegment, SpokenWord, Timestamps } from '#core/turn'
import { findSwitchPoint } from './align.ts'
import type { PieceSpan } from './cut.ts'
import { type PieceTranscript, round } from './heard.ts'
import { SpeakerLabels } from './speakers.ts'
import { type Token, tokensIn } from './tokens.ts'

/** A final stretch of the transcript. */
export interface FinalStretch {
  text: string
  segments: SpokenSegment[]
  words: SpokenWord[] | undefined
}

export class Joiner {
  readonly #speakers: SpeakerLabels | undefined
  /** The last piece, which is not returned yet. */
  #last: PieceTranscript | undefined

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
  add(piece: PieceTranscript, joint: PieceSpan['joint']): FinalStretch[] {
    const heard = this.#speakers
      ? this.#speakers.withLabels(piece, joint === 'overlap' ? this.#last : undefined)
      : piece
    const last = this.#last
    if (!last) {
      this.#last = heard
      return []
    }
    const [before, after] = joint === 'overlap' ? joinOverlap(last, heard) : [last, heard]
    this.#last = after
    return [finalStretchOf(before)]
  }

  /** The last piece, which is final too since none overlaps with it. */
  end(): FinalStretch[] {
    const last = this.#last
    this.#last = undefined
    return last ? [finalStretchOf(last)] : []
  }
}

const finalStretchOf = ({ text, segments, words }: PieceTranscript): FinalStretch => ({
  text,
  segments,
  words,
})

/** Both pieces, without the end of the first and the beginning of the second, so that no word is there twice and none is lost. */
export function joinOverlap(
  first: PieceTranscript,
  second: PieceTranscript,
): [PieceTranscript, PieceTranscript] {
  const before = tokensIn(first.segments, first.words)
  const after = tokensIn(second.segments, second.words)
  const [from, to] = [second.from, first.to]
  if (to <= from || before.length === 0 || after.length === 0) return [first, second]
  const times = timestampsOf(first, second)
  const { kept, dropped } = findSwitchPoint({
    before,
    after,
    from,
    to,
    times,
    expected: expectedWordCount(first, second),
  })
  return [keepTokens(first, before, kept), dropTokens(second, after, dropped)]
}

function timestampsOf(first: PieceTranscript, second: PieceTranscript): Timestamps {
  if (first.words && second.words) return 'word'
  return first.isTimed && second.isTimed ? 'segment' : 'none'
}

/** The expected number of words in the overlap, at the pace of both pieces. */
function expectedWordCount(first: PieceTranscript, second: PieceTranscript): number {
  const overlap = first.to - second.from
  const paceOf = ({ segments, from, to }: PieceTranscript): number =>
    tokensIn(segments).filter(({ folded }) => folded !== '').length / Math.max(1e-3, to - from)
  return (overlap * (paceOf(first) + paceOf(second))) / 2
}

function keepTokens(heard: PieceTranscript, tokens: readonly Token[], kept: number): PieceTranscript {
  if (kept >= tokens.length) return heard
  const last = tokens[kept - 1]
  const segments = last
    ? heard.segments
        .slice(0, last.segment + 1)
        .map((one, index) =>
          index === last.segment
            ? { ...withoutTokenNumbers(one), text: one.text.slice(0, last.to).trim(), end: round(last.end) }
            : one,
        )
    : []
  const words = heard.words && wordsUpTo(heard.words, tokens, kept)
  return { ...heard, segments, words, text: textOf(segments) }
}

function dropTokens(heard: PieceTranscript, tokens: readonly Token[], dropped: number): PieceTranscript {
  if (dropped === 0) return heard
  const first = tokens[dropped]
  const segments = first
    ? heard.segments.slice(first.segment).map((one, index) =>
        index === 0
          ? {
              ...withoutTokenNumbers(one),
              text: one.text.slice(first.from).trim(),
              start: round(first.start),
            }
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
function withoutTokenNumbers({ details, ...segment }: SpokenSegment): SpokenSegment {
  if (!details) return segment
  const { tokens: _tokens, ...rest } = details
  return { ...segment, details: rest }
}
