import { expect, test } from 'vitest'
import { runAtOnce } from '#platform/slices'
import { checkTranscriptSteps, maxTextLength, type PieceContext } from './heard.ts'

const frame: PieceContext = { from: 100, to: 110, language: undefined, normalizes: true, diarizes: false }

const heardOf = (...heard: Parameters<typeof checkTranscriptSteps>) =>
  runAtOnce(checkTranscriptSteps(...heard))

test('times are brought into order, into the piece, and onto the clock of the recording', () => {
  const { segments, words } = heardOf(
    {
      text: 'یک دو سه',
      segments: [
        { start: 5, end: 99, text: 'سه' },
        { start: -3, end: 4, text: ' یک دو ' },
        { start: 6, end: 7, text: ' ' },
      ],
      words: [{ start: 4, end: 2, word: 'یک' }],
    },
    frame,
  )
  expect(segments).toEqual([
    { start: 100, end: 104, text: 'یک دو' },
    { start: 105, end: 110, text: 'سه' },
  ])
  expect(words).toEqual([{ start: 104, end: 104, word: 'یک' }])
})

test('without segments they are made of words, with the text as it is written: at pauses, ends of sentences and other speakers', () => {
  const at = (word: string, start: number, speaker: string) => ({ word, start, end: start + 0.4, speaker })
  const { segments } = heardOf(
    {
      text: '«سلام، خوبی؟» بله. ممنون ۱۲ نفر رفتند',
      words: [
        at('سلام', 0, 'x'),
        at('خوبی', 0.5, 'x'),
        at('بله', 1, 'y'),
        at('ممنون', 1.5, 'y'),
        at('نفر', 2.2, 'y'),
        at('رفتند', 4, 'y'),
      ],
    },
    { ...frame, diarizes: true },
  )
  expect(segments.map(({ text, speaker }) => [text, speaker])).toEqual([
    ['«سلام، خوبی؟»', 'x'],
    ['بله.', 'y'],
    ['ممنون ۱۲ نفر', 'y'],
    ['رفتند', 'y'],
  ])
})

test('more text than can be said is malformed, at its exact bound', () => {
  const maxLetters = maxTextLength(10)
  expect(maxLetters).toBe(4 * (100 + 10 * 10))
  expect(heardOf({ text: 'ا'.repeat(maxLetters) }, frame).text).toHaveLength(maxLetters)
  expect(() => heardOf({ text: 'ا'.repeat(maxLetters + 1) }, frame)).toThrow(/more text/)
  const words = Array.from({ length: 301 }, () => ({ start: 1, end: 2, word: 'و' }))
  expect(heardOf({ text: '', words: words.slice(1) }, frame).words).toHaveLength(300)
  expect(() => heardOf({ text: '', words }, frame)).toThrow(/more text/)
})

test('more than a hundred names of who speaks in one piece are malformed', () => {
  const diarized = { ...frame, diarizes: true }
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      start: 1,
      end: 2,
      text: 'و',
      word: 'و',
      speaker: `s${index}`,
    }))
  for (const items of ['words', 'segments'] as const) {
    expect(heardOf({ text: 'و', [items]: named(100) }, diarized).isTimed).toBe(true)
    expect(() => heardOf({ text: '', [items]: named(101) }, diarized)).toThrow(/more speakers/)
  }
})

test('times that are none are left out, with the one segment of the piece in their place', () => {
  const { segments, words, isTimed } = heardOf(
    { text: 'سلام', segments: [{ start: Number.NaN, end: 1, text: 'سلام' }] },
    frame,
  )
  expect([segments, words, isTimed]).toEqual([[{ start: 100, end: 110, text: 'سلام' }], undefined, false])
})
