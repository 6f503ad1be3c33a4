import { expect, test } from 'vitest'
import type { Cue } from './cues.ts'
import { srtOf, vttOf } from './write.ts'

const cue = (startMs: number, endMs: number, lines: string[], speaker?: string): Cue => ({
  startMs,
  endMs,
  lines,
  speaker,
})
const marked = (line: string): string => `\u202b\u200f${line}\u202c`

test('SubRip has numbers, times with a comma, and an empty line between cues', async () => {
  const cues = [cue(0, 1_500, ['One', 'line']), cue(3_599_999, 36_000_000, ['two'])]
  expect(await srtOf(cues, { language: 'en' })).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nOne\nline\n\n2\n00:59:59,999 --> 10:00:00,000\ntwo\n',
  )
  expect(await srtOf([], { language: 'en' })).toBe('')
})

test('WebVTT has a head, times with a point, and escapes what its readers would take for tags and times', async () => {
  expect(await vttOf([cue(61_001, 62_002, ['a < b & c --> d'])], { language: undefined })).toBe(
    'WEBVTT\n\n00:01:01.001 --> 00:01:02.002\na &lt; b &amp; c --&gt; d\n',
  )
  expect(await vttOf([], { language: 'fa' })).toBe('WEBVTT\n')
})

test('Persian lines are turned as a whole, with the Latin words and digits in them', async () => {
  const lines = ['Python نسخهٔ 3.12 را نصب کنید.', 'OpenAI']
  expect(await srtOf([cue(0, 1, lines)], { language: 'fa' })).toContain(`\n${marked(lines[0]!)}\nOpenAI\n`)
  expect(await vttOf([cue(0, 1, lines)], { language: 'fa' })).toContain(`\n${marked(lines[0]!)}\nOpenAI\n`)
})

test('in another language only a line that is mostly of right-to-left letters is turned', async () => {
  const lines = ['He said سلام to me.', 'سلام دنیا!']
  expect(await srtOf([cue(0, 1, lines)], { language: 'en' })).toContain(
    `\n${lines[0]}\n${marked(lines[1]!)}\n`,
  )
  expect(await srtOf([cue(0, 1, lines)], { language: undefined })).toContain(
    `\n${lines[0]}\n${marked(lines[1]!)}\n`,
  )
})

test('a text cannot style or place itself in a player of SubRip', async () => {
  expect(await srtOf([cue(0, 1, ['<i>a</i> 1 < 2 {\\an8}b 00:01 --> 00:02'])], { language: 'en' })).toContain(
    '\n<\u2060i>a<\u2060/i> 1 < 2 {\u2060\\an8}b 00:01 → 00:02\n',
  )
})

test('a speaker stands before the first line of a cue, or is its voice', async () => {
  const cues = [cue(0, 1, ['سلام', 'خوبی؟'], 'A'), cue(1, 2, ['بگو'], 'A'), cue(2, 3, ['چشم'], 'B<')]
  expect((await srtOf(cues, { language: 'fa' })).split('\n').filter((line) => /\p{L}/u.test(line))).toEqual(
    ['A: سلام', 'خوبی؟', 'بگو', 'B<: چشم'].map(marked),
  )
  const vtt = await vttOf(cues, { language: 'fa' })
  expect(vtt).toContain(`\n<v A>${marked('سلام')}\n${marked('خوبی؟')}\n`)
  expect(vtt).toContain(`\n<v B&lt;>${marked('چشم')}\n`)
})
