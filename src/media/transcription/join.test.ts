import { describe, expect, test } from 'vitest'
import type { SpokenWord, Timestamps } from '#core/turn'
import { runAtOnce } from '#platform/slices'
import fc from '../../../tests/harness/fast-check.ts'
import { type PieceSpan, planPieceSpans } from './cut.ts'
import { checkTranscriptSteps, type PieceTranscript } from './heard.ts'
import { Joiner } from './join.ts'
import { foldedWord } from './tokens.ts'

const vocabulary = [
  'سلام',
  'بله',
  'بله',
  'نه',
  'می‌روم',
  'کتاب',
  'يك',
  'Kherad',
  'API',
  'و',
  'و',
  'که',
  '۱۲',
  '2026',
  'خانه‌ها',
  'است.',
  'خوب،',
  'پس',
]

/** Spoken words, with runs of one word as people say them: بله بله بله. */
const saidWords = fc
  .array(
    fc.record({
      word: fc.constantFrom(...vocabulary),
      times: fc.constantFrom(1, 1, 1, 1, 2, 3),
      length: fc.integer({ min: 25, max: 60 }),
      gap: fc.constantFrom(2, 3, 5, 8),
    }),
    { minLength: 20, maxLength: 120 },
  )
  .map((runs) => {
    const words: SpokenWord[] = []
    let at = 0.1
    for (const { word, times, length, gap } of runs)
      for (let time = 0; time < times; time++) {
        words.push({ word, start: at, end: at + length / 100 })
        at += (length + gap) / 100
      }
    return words
  })

interface Upstream {
  times: Timestamps
  /** By how many seconds its times are off; a function of the word's index. */
  jitter(index: number): number
  /** The spelling of a word in this piece, since an upstream may write it differently the second time. */
  writes(word: string, piece: number): string
}

/** The transcript that an upstream makes of a piece: every word that is whole in it, and half of one that is cut. */
function transcribePiece(
  words: readonly SpokenWord[],
  span: PieceSpan,
  piece: number,
  upstream: Upstream,
): PieceTranscript {
  const heard = words.flatMap((one, index) => {
    const share = Math.min(one.end, span.to) - Math.max(one.start, span.from)
    const length = one.end - one.start
    if (share < length / 3) return []
    const whole = upstream.writes(one.word, piece)
    const isWhole = share > length * 0.99
    const word = isWhole ? whole : whole.slice(0, Math.max(1, Math.floor(whole.length / 2)))
    const off = upstream.jitter(index + piece)
    return [{ word, start: one.start - span.from + off, end: one.end - span.from + off }]
  })
  const text = heard.map(({ word }) => word).join(' ')
  const segments = []
  for (let at = 0; at < heard.length; at += 5) {
    const some = heard.slice(at, at + 5)
    segments.push({
      start: some[0]!.start,
      end: some.at(-1)!.end,
      text: some.map(({ word }) => word).join(' '),
    })
  }
  return runAtOnce(
    checkTranscriptSteps(
      {
        text,
        ...(upstream.times !== 'none' && { segments }),
        ...(upstream.times === 'word' && { words: heard }),
      },
      { from: span.from, to: span.to, language: 'fa', normalizes: true, diarizes: false },
    ),
  )
}

function joined(pieces: readonly PieceTranscript[], spans: readonly PieceSpan[]) {
  const joiner = new Joiner({ diarizes: false })
  const parts = pieces.flatMap((piece, index) => joiner.add(piece, spans[index]!.joint))
  parts.push(...joiner.end())
  return {
    text: parts.flatMap(({ text }) => (text === '' ? [] : text)).join(' '),
    segments: parts.flatMap(({ segments }) => segments),
    words: parts.flatMap(({ words }) => words ?? []),
  }
}

const folded = (text: string): string[] => text.split(' ').map(foldedWord)

const spansFor = (words: readonly SpokenWord[], maxSeconds: number): PieceSpan[] =>
  planPieceSpans({
    seconds: words.at(-1)!.end + 0.1,
    maxSeconds,
    overlapSeconds: Math.min(8, maxSeconds / 4),
    alwaysOverlaps: false,
    pauses: [],
  })

const jitters = fc.array(fc.integer({ min: -80, max: 80 }), { minLength: 7, maxLength: 7 })
const swapped = (word: string, piece: number): string =>
  piece % 2 === 1
    ? word.replaceAll('ی', 'ي').replaceAll('ک', 'ك').replaceAll('\u200c', '').replaceAll('12', '۱۲')
    : word

describe('pieces that overlap', () => {
  test('with times of words are joined to what was said, runs of one word and other spellings included', () => {
    fc.assert(
      fc.property(saidWords, jitters, fc.integer({ min: 16, max: 40 }), (words, offsets, maxSeconds) => {
        const spans = spansFor(words, maxSeconds)
        const upstream: Upstream = {
          times: 'word',
          jitter: (index) => offsets[index % offsets.length]! / 1_000,
          writes: swapped,
        }
        const whole = joined(
          spans.map((span, piece) => transcribePiece(words, span, piece, upstream)),
          spans,
        )
        const said = words.map(({ word }) => foldedWord(word))
        expect(folded(whole.text)).toEqual(said)
        expect(whole.words.map(({ word }) => foldedWord(word))).toEqual(said)
        expect(folded(whole.segments.map(({ text }) => text).join(' '))).toEqual(said)
        for (const [index, { start }] of whole.words.entries())
          expect(Math.abs(start - words[index]!.start)).toBeLessThan(0.1)
      }),
      { numRuns: 300 },
    )
  })

  test('with times of segments alone are joined to what was said', () => {
    fc.assert(
      fc.property(saidWords, jitters, fc.integer({ min: 16, max: 40 }), (words, offsets, maxSeconds) => {
        const spans = spansFor(words, maxSeconds)
        const upstream: Upstream = {
          times: 'segment',
          jitter: (index) => offsets[index % offsets.length]! / 1_000,
          writes: swapped,
        }
        const whole = joined(
          spans.map((span, piece) => transcribePiece(words, span, piece, upstream)),
          spans,
        )
        expect(folded(whole.text)).toEqual(words.map(({ word }) => foldedWord(word)))
      }),
      { numRuns: 200 },
    )
  })

  test('without any times are joined by their words alone', () => {
    fc.assert(
      fc.property(saidWords, fc.integer({ min: 16, max: 40 }), (words, maxSeconds) => {
        const spans = spansFor(words, maxSeconds)
        const upstream: Upstream = { times: 'none', jitter: () => 0, writes: swapped }
        const whole = joined(
          spans.map((span, piece) => transcribePiece(words, span, piece, upstream)),
          spans,
        )
        expect(folded(whole.text)).toEqual(words.map(({ word }) => foldedWord(word)))
      }),
      { numRuns: 200 },
    )
  })
})
