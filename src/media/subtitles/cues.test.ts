import { expect, test } from 'vitest'
import type { SpokenSegment } from '#core/turn'
import { cuesOf, maxCueMs, maxLineWidth } from './cues.ts'

const shown = (cues: Awaited<ReturnType<typeof cuesOf>>) =>
  cues.map(({ startMs, endMs, lines }) => [startMs, endMs, lines.join(' / ')])
const segment = (start: number, end: number, text: string, speaker?: string): SpokenSegment => ({
  ...{ start, end, text },
  ...(speaker !== undefined && { speaker }),
})

test('a short segment is one cue', async () => {
  const cues = await cuesOf({ segments: [segment(0.5, 2.25, ' سلام دنیا. ')], seconds: 3 })
  expect(cues).toEqual([{ startMs: 500, endMs: 2_250, lines: ['سلام دنیا.'], speaker: undefined }])
})

test('a long segment is cut at sentences and clauses, at the times of its words', async () => {
  const text =
    'این نخستین جمله است که کمی دراز است. دومین جمله هم می‌آید، و پس از آن باز هم چیزهایی گفته می‌شود که جا نمی‌شوند.'
  const words = text
    .split(' ')
    .map((word, index) => ({ word: word.replace(/[.،]/g, ''), start: index * 0.3, end: index * 0.3 + 0.25 }))
  expect(shown(await cuesOf({ segments: [segment(0, 7.2, text)], words, seconds: 8 }))).toEqual([
    [0, 2_350, 'این نخستین جمله است که کمی دراز است.'],
    [2_400, 7_150, 'دومین جمله هم می‌آید، و پس از آن باز / هم چیزهایی گفته می‌شود که جا نمی‌شوند.'],
  ])
})

test('no cue is longer than two lines of 42 signs and seven seconds, and no word is lost or doubled', async () => {
  const words = Array.from({ length: 2_000 }, (_, index) =>
    index % 17 === 16 ? 'پایان.' : index % 7 === 6 ? `واژه${index}،` : `کلمه‌ی${index}`,
  )
  const segments = Array.from({ length: 100 }, (_, index) =>
    segment(index * 8, index * 8 + 8, words.slice(index * 20, index * 20 + 20).join(' ')),
  )
  const cues = await cuesOf({ segments, seconds: 800 })
  expect(cues.flatMap(({ lines }) => lines.join(' ').split(' '))).toEqual(words)
  for (const [index, { startMs, endMs, lines }] of cues.entries()) {
    expect(lines.length).toBeLessThanOrEqual(2)
    for (const line of lines)
      expect([...line.replaceAll('\u200c', '')].length).toBeLessThanOrEqual(maxLineWidth)
    expect(endMs).toBeGreaterThan(startMs)
    expect(endMs - startMs).toBeLessThanOrEqual(maxCueMs)
    expect(startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? 0)
  }
})

test('another speaker and a pause begin another cue', async () => {
  const segments = [
    segment(0, 1, 'بله.', 'A'),
    segment(1, 2, 'نه.', 'B'),
    segment(2, 2.5, 'چرا؟', 'B'),
    segment(5, 6, 'همین.', 'B'),
  ]
  const cues = await cuesOf({ segments, seconds: 6 })
  expect(cues.map(({ lines, speaker }) => `${speaker}: ${lines.join('/')}`)).toEqual([
    'A: بله.',
    'B: نه. چرا؟',
    'B: همین.',
  ])
})

test('segments of single words become cues that can be read', async () => {
  const segments = 'توانا بود هر که دانا بود'
    .split(' ')
    .map((word, index) => segment(index * 0.4, index * 0.4 + 0.4, word))
  expect(shown(await cuesOf({ segments, seconds: 3 }))).toEqual([[0, 2_400, 'توانا بود هر که دانا بود']])
})

test('words without segments are cut by their pauses', async () => {
  const words = [
    { word: 'یک', start: 0, end: 0.3 },
    { word: 'دو', start: 0.4, end: 0.8 },
    { word: 'سه', start: 4, end: 4.5 },
  ]
  expect(shown(await cuesOf({ segments: [], words, seconds: 6 }))).toEqual([
    [0, 1_000, 'یک دو'],
    [4_000, 5_000, 'سه'],
  ])
})

test('words that an upstream cuts elsewhere give their times by their letters', async () => {
  const words = [
    { word: 'می', start: 0, end: 0.2 },
    { word: 'روم', start: 0.2, end: 0.5 },
    { word: 'به‌خانه', start: 3, end: 4 },
  ]
  const cues = await cuesOf({ segments: [segment(0, 4, 'می‌روم. به خانه!')], words, seconds: 4 })
  expect(shown(cues)).toEqual([
    [0, 1_000, 'می‌روم.'],
    [3_000, 4_000, 'به خانه!'],
  ])
})

test('where the words say something else, each has its share of the segment', async () => {
  const words = [{ word: 'دیگر', start: 0, end: 9 }]
  const text = `${'آ'.repeat(40)} ${'ب'.repeat(40)} ${'پ'.repeat(40)}`
  expect(
    shown(await cuesOf({ segments: [segment(0, 6, text)], words, seconds: 6 })).map(([start, end]) => [
      start,
      end,
    ]),
  ).toEqual([
    [0, 4_000],
    [4_000, 6_000],
  ])
})

test('a word longer than a line is cut, not lost', async () => {
  const url = `https://example.org/${'a'.repeat(100)}`
  const cues = await cuesOf({ segments: [segment(0, 3, url)], seconds: 3 })
  expect(cues.flatMap(({ lines }) => lines).join('')).toBe(url)
  expect(Math.max(...cues.flatMap(({ lines }) => lines.map(({ length }) => length)))).toBe(42)
})

test('whatever times an upstream claims, those of cues increase and stay in the recording', async () => {
  const segments = [
    segment(-3, 1, 'یک یک یک یک یک یک.'),
    segment(0.5, 0.5, 'دو دو دو دو دو دو دو.'),
    segment(0.2, 99, 'سه سه سه سه سه سه سه.'),
    segment(Number.NaN, Number.POSITIVE_INFINITY, 'چهار چهار چهار چهار چهار.'),
    segment(50, 40, 'پنج'),
  ]
  const cues = await cuesOf({ segments, seconds: 10 })
  expect(cues.map(({ lines }) => lines.join(' ')).join(' ')).toBe(segments.map(({ text }) => text).join(' '))
  let beforeMs = 0
  for (const { startMs, endMs } of cues) {
    expect(startMs).toBeGreaterThanOrEqual(beforeMs)
    expect(endMs).toBeGreaterThan(startMs)
    expect(endMs).toBeLessThanOrEqual(10_000 + cues.length)
    beforeMs = endMs
  }
})

test('nothing said is no cue', async () => {
  expect(await cuesOf({ segments: [], seconds: 5 })).toEqual([])
  expect(await cuesOf({ segments: [segment(0, 5, '  ')], seconds: 5 })).toEqual([])
})

test('what would direct a player is taken out of a text', async () => {
  const [cue] = await cuesOf({
    segments: [segment(0, 1, 'a\u202eb\u0000 \u2066c\u2069\ufeff نیم\u200cفاصله')],
    seconds: 1,
  })
  expect(cue!.lines).toEqual(['ab c نیم\u200cفاصله'])
})
