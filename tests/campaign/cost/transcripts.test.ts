/** What transcripts cost: no answer of an upstream, however it is made, holds the event loop while it is read, joined, stored or written as subtitles. */
import { describe, expect, test } from 'vitest'
import type { TranscriptionResult } from '#core/spec'
import type { SpokenSegment } from '#core/turn'
import { cuesOf, srtOf, vttOf } from '#media/subtitles'
import { segmentsOfWords } from '#providers/kit'
import { transcriptIn } from '#providers/transcriptions'
import {
  checkTranscript,
  type PieceContext,
  type PieceTranscript,
} from '../../../src/media/transcription/heard.ts'
import { Joiner } from '../../../src/media/transcription/join.ts'
import { TranscriptPartQueue } from '../../../src/media/transcription/progress.ts'
import { transcriptFile } from '../../../src/media/transcription/transcript-file.ts'
import { TranscriptText } from '../../../src/media/transcription/written.ts'
import { costOf, expectLinear, expectNoHold } from '../../cost/cost.ts'

/** Of the longest recording, as one piece. */
const seconds = 14_400
const frame = (more: Partial<PieceContext> = {}): PieceContext => ({
  ...{ from: 0, to: seconds, language: undefined, normalizes: true, diarizes: false },
  ...more,
})

const list = <One>(length: number, one: (index: number) => One): One[] =>
  Array.from({ length }, (_, index) => one(index))
/** Numbers without an order, alike in every run. */
const scattered = (index: number): number => ((index * 2_654_435_761) % 2 ** 32) / 2 ** 32
const spread = (index: number, count: number, length = seconds) => ({
  start: (index * length) / count,
  end: ((index + 1) * length) / count,
})
const word = (text: string, times: object) => ({ word: text, ...times })
const anywhere = (index: number) => ({
  start: seconds * scattered(index),
  end: seconds * scattered(index + 7),
})

/** As many as may be said in the time, and no more. */
const many = 280_000
const whole = { start: 0, end: seconds }
const hostile: Record<string, () => Record<string, unknown>> = {
  'one word again and again, in one segment': () => ({
    text: 'ی '.repeat(many),
    segments: [{ ...whole, text: 'ی '.repeat(many) }],
    words: list(many, (index) => word('ی', spread(index, many))),
  }),
  'letters that Persian has others for': () => ({ text: 'يك '.repeat(190_000), language: 'fa' }),
  '100,000 segments without an order': () => ({
    text: 'با '.repeat(100_000),
    segments: list(100_000, (index) => ({ ...anywhere(index), text: 'با' })),
  }),
  'words without an order': () => ({
    text: 'ب '.repeat(many),
    words: list(many, (index) => word('ب', anywhere(index))),
  }),
  'a word as long as a transcript may be': () => ({
    text: 'ب'.repeat(570_000),
    segments: [{ ...whole, text: 'ب'.repeat(570_000) }],
    words: [word('ب'.repeat(570_000), whole)],
  }),
  'words that are in no segment': () => ({
    text: 'نه '.repeat(140_000),
    segments: list(100_000, (index) => ({ ...spread(index, 100_000), text: 'نه' })),
    words: list(many, (index) => word('و', spread(index, many))),
  }),
  'words without letters, all at once, beside 100,000 segments': () => ({
    text: 'نه '.repeat(100_000),
    segments: list(100_000, () => ({ ...whole, text: 'نه' })),
    words: list(many, () => word('…', whole)),
  }),
  'words that nobody sees': () => ({
    text: '\u200c '.repeat(many),
    segments: [{ ...whole, text: '\u200d\u064e '.repeat(190_000) }],
    words: list(many, (index) => word('\u064e', spread(index, many))),
  }),
  'times that run backwards, are below zero, or beyond all': () => ({
    text: 'با '.repeat(150_000),
    segments: list(150_000, (index) => ({ start: seconds - index, end: -index, text: 'با' })),
    words: list(150_000, (index) =>
      word('با', { start: index % 3 ? 1e308 : -1e308, end: index % 2 ? -5 : 1e300 }),
    ),
  }),
  'times that are no numbers': () => ({
    text: 'با '.repeat(150_000),
    segments: list(150_000, () => ({ start: Number.NaN, end: null, text: 'با' })),
    words: list(150_000, () => word('با', { start: 'Infinity', end: {} })),
  }),
  'all of it at no time': () => ({
    text: 'با '.repeat(150_000),
    segments: list(150_000, () => ({ start: 0, end: 0, text: 'با' })),
    words: list(150_000, () => word('با', { start: 0, end: 0 })),
  }),
}

/** What `act` gives, which must hold no turn of the loop. */
async function unheld<Done>(name: string, act: () => Promise<Done>): Promise<Done> {
  let done: Done
  await expectNoHold(name, async () => {
    done = await act()
  })
  return done!
}

const order = {
  recording: { seconds, bytes: new Uint8Array(), mediaType: 'audio/ogg', name: 'a.ogg' },
  timestamps: 'word',
} as const
const read = (said: Record<string, unknown>): Promise<TranscriptionResult> => transcriptIn(said, order, [])

describe('no turn of the event loop takes long where an upstream says', () => {
  test.each(Object.entries(hostile))('%s', async (name, say) => {
    const said = say()
    const transcribed = await unheld(`${name}: read`, () => read(said))
    const heard = await unheld(`${name}: heard`, () => checkTranscript(transcribed, frame()))
    await unheld(`${name}: joined`, async () => {
      const joiner = new Joiner({ diarizes: true })
      joiner.add(heard, 'first')
      expect(joiner.end()[0]!.segments).toHaveLength(heard.segments.length)
    })
    await unheld(`${name}: stored`, () =>
      transcriptFile({ ...heard, task: 'transcribe', model: 'test', seconds, speakers: undefined }),
    )
    const cues = await unheld(`${name}: cues`, () => cuesOf({ ...heard, seconds }))
    expect(cues.length).toBeGreaterThan(0)
    await unheld(`${name}: srt`, () => srtOf(cues, { language: 'fa' }))
    await unheld(`${name}: vtt`, () => vttOf(cues, { language: 'fa' }))
  })

  const refused = {
    'a million characters in a word': { text: 'ب', words: [word('ب'.repeat(1_000_000), whole)] },
    '400,000 words': { text: 'ب', words: list(400_000, (index) => word('ب', spread(index, 400_000))) },
    'more words than may be said in the time': {
      text: 'ب',
      words: list(288_101, (index) => word('ب', spread(index, 288_101))),
    },
  }
  test.each(Object.entries(refused))('%s, which is refused', async (name, said) => {
    const act = async () => checkTranscript(await read(said), frame())
    await expect(act()).rejects.toMatchObject({ fault: 'malformed' })
    await expectNoHold(name, () => act().catch(() => undefined))
  })
})

describe('two pieces that overlap are joined in one short turn, though', () => {
  /** Of the longest piece, from its second on. */
  const length = 300
  const heardFrom = (
    from: number,
    said: Partial<TranscriptionResult>,
    diarizes = false,
  ): Promise<PieceTranscript> =>
    checkTranscript({ text: '', ...said }, frame({ from, to: from + length, diarizes }))

  test.each([
    ['every word is the same', (_: number) => 'ی', {}],
    ['every word is another', (index: number) => String.fromCodePoint(0x4e00 + index), {}],
    ['all words are said at once', (_: number) => 'ی', { start: 0, end: length }],
    [
      'all words are as long as the overlap',
      (index: number) => (index ? 'ی' : 'ی'.repeat(300)),
      { start: 295, end: 295 },
    ],
  ] as [string, (index: number) => string, object][])('%s', async (name, textOf, times) => {
    const words = list(6_000, (index) => ({ word: textOf(index), ...spread(index, 6_000, length), ...times }))
    const said = { text: words.map((one) => one.word).join(' '), words }
    const [first, second] = [await heardFrom(0, said), await heardFrom(292, said)]
    await expectNoHold(name, async () => {
      const joiner = new Joiner({ diarizes: false })
      joiner.add(first, 'first')
      joiner.add(second, 'overlap')
      joiner.end()
    })
  })

  test('a hundred speakers speak six thousand times, all at once', async () => {
    const segments = list(
      6_000,
      (index): SpokenSegment => ({
        ...{ start: 0, end: length, text: 'ی' },
        speaker: `speaker ${index % 100}`,
      }),
    )
    const [first, second] = [await heardFrom(0, { segments }, true), await heardFrom(270, { segments }, true)]
    const joiner = (): string[] | undefined => {
      const one = new Joiner({ diarizes: true })
      one.add(first, 'first')
      one.add(second, 'overlap')
      one.end()
      return one.speakers
    }
    expect(joiner()).toHaveLength(100)
    await expectNoHold('speakers', async () => void joiner())
  })
})

test('words that have no time are put together to segments in linear time', () =>
  expectLinear(
    'segments of words',
    (length) => {
      const words = list(length, () => ({ word: 'ی', start: 0, end: 0 }))
      return costOf(() => segmentsOfWords(words))
    },
    { from: 50_000, to: 200_000 },
  ))

test('spaces that an upstream writes one by one are shown in linear time', () =>
  expectLinear(
    'spaces',
    (length) => {
      const written = new TranscriptText(new TranscriptPartQueue(), { language: undefined, normalizes: true })
      written.show('ی')
      return costOf(() => {
        for (let at = 0; at < length; at++) written.show(' ')
      })
    },
    { from: 50_000, to: 200_000 },
  ))
