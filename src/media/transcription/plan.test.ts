import { describe, expect, test } from 'vitest'
import type { TranscriptionModel, TranscriptionSettings } from '#core/models'
import type { MeasuredRecording, Recording } from '#core/sound'
import { Failure } from '#platform/errors'
import { planTranscription } from './plan.ts'
import type { OpenedRecording, TranscriptionSpec } from './transcription.ts'

const mebibyte = 1024 * 1024
const modelWith = (settings: Partial<TranscriptionSettings> = {}): TranscriptionModel => ({
  kind: 'transcription',
  id: 'test/scribe',
  displayName: 'Scribe',
  description: '',
  ownedBy: 'test',
  created: 0,
  sandbox: false,
  deployments: [],
  fallbacks: [],
  inputModalities: ['audio'],
  transcription: {
    formats: ['wav'],
    maxSeconds: 1_200,
    maxBytes: 25 * mebibyte,
    timestamps: 'segment',
    diarizes: false,
    streams: false,
    takesPrompt: false,
    takesKeywords: false,
    translates: false,
    hearsLive: false,
    vad: false,
    ...settings,
  },
  pricing: { perMinute: 0.06, minimumSeconds: 0, inputPerMillion: 0, outputPerMillion: 0 },
})

const opened = (measured: Partial<MeasuredRecording> = {}, bytes = mebibyte): OpenedRecording => {
  const seconds = measured.seconds ?? 60
  const whole: MeasuredRecording = {
    ...{ mediaType: 'audio/ogg', codec: 'opus', seconds, packetSeconds: seconds, rate: 48_000, channels: 1 },
    ...{ isDecodable: true, hasVideo: false, isTruncated: false },
    ...measured,
  }
  return { source: { path: '/nowhere', bytes }, recording: { measured: whole } as Recording }
}
const aac = { mediaType: 'audio/mp4', codec: 'aac', isDecodable: false }

const specWith = (more: Partial<TranscriptionSpec> = {}): TranscriptionSpec => ({
  timestamps: 'none',
  where: (setting) => `body.${setting}`,
  ...more,
})

const plan = (model: TranscriptionModel, recording: OpenedRecording, spec: Partial<TranscriptionSpec> = {}) =>
  planTranscription(model, recording, specWith(spec))

const refusal = (...asked: Parameters<typeof plan>): [string, string | undefined] => {
  try {
    plan(...asked)
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.more.param]
  }
  throw new Error('it was not refused')
}

describe('what a model cannot do is refused by the name that the caller gave it', () => {
  test.each([
    ['language', { language: 'de' }, { languages: ['fa', 'en'] }],
    ['prompt', { prompt: 'کتاب' }, {}],
    ['keywords', { keywords: ['خرد'] }, {}],
    ['diarize', { diarize: true }, {}],
    ['speakers', { speakers: 2 }, { diarizes: true }],
    ['timestamps', { timestamps: 'word' }, {}],
    ['timestamps', { timestamps: 'segment' }, { timestamps: 'none' }],
  ] as const)('%s', (setting, spec, settings) => {
    const asked = [modelWith(settings as Partial<TranscriptionSettings>), opened(), spec] as const
    expect(refusal(...asked)).toEqual(['TRANSCRIPTION_SETTING_NOT_SUPPORTED', `body.${setting}`])
  })

  test('an empty prompt and no keywords ask for nothing', () => {
    expect(plan(modelWith(), opened(), { prompt: '', keywords: [] }).settings).toEqual({ timestamps: 'none' })
  })
})

test.each([
  ['fa-IR', 'fa'],
  ['fas', 'fa'],
  ['per', 'fa'],
  ['FA', 'fa'],
  ['en_US', 'en'],
])('the language %s is sent as %s, whatever code the model lists it by', (language, sent) => {
  expect(plan(modelWith({ languages: ['fas', 'en'] }), opened(), { language }).settings.language).toBe(sent)
})

test.each(['xx', 'persian', 'فارسی', '', 'fa-', 'und', 'mul', 'a'])('%s is no language', (language) => {
  expect(refusal(modelWith(), opened(), { language })).toEqual(['UNKNOWN_LANGUAGE', 'body.language'])
})

test('a recording lasts from a tenth of a second to four hours, both included', () => {
  for (const seconds of [0.1, 14_400]) expect(plan(modelWith(), opened({ seconds })).how).toBe('converted')
  for (const seconds of [0.0999, 14_400.01])
    expect(refusal(modelWith(), opened({ seconds }))).toEqual(['RECORDING_LENGTH_REFUSED', 'body.file'])
})

describe('a recording is sent', () => {
  const m4a = modelWith({ formats: ['m4a', 'wav'] })
  test('as it came where the upstream takes its format, its length and its bytes', () => {
    expect(plan(m4a, opened(aac, 25 * mebibyte))).toMatchObject({ how: 'whole', isCut: false })
    expect(plan(m4a, opened({ ...aac, seconds: 1_200 })).how).toBe('whole')
  })
  test.each([
    ['of another format', {}, mebibyte],
    ['of too many bytes', { mediaType: 'audio/mp4' }, 25 * mebibyte + 1],
    ['that is too long', { mediaType: 'audio/mp4', seconds: 1_200.01 }, mebibyte],
    ['with pictures', { mediaType: 'video/mp4', hasVideo: true }, mebibyte],
    ['that hides a part of itself', { mediaType: 'audio/mp4', packetSeconds: 90 }, mebibyte],
  ])('converted: one %s', (_, measured, bytes) => {
    expect(plan(m4a, opened(measured, bytes))).toMatchObject({ how: 'converted', encoding: 'wav' })
  })
  test('in the best format that the upstream takes and that is made here', () => {
    const made = (formats: TranscriptionSettings['formats']) =>
      plan(modelWith({ formats }), opened()).encoding
    expect([made(['mp3', 'flac']), made(['webm', 'mp3']), made(['ogg'])]).toEqual(['flac', 'mp3', 'opus'])
  })
  test('cut by packets where nobody here decodes it', () => {
    const both = modelWith({ formats: ['m4a', 'aac', 'wav'] })
    const long = plan(both, opened({ ...aac, seconds: 3_000 }, 24 * mebibyte))
    expect(long).toMatchObject({ how: 'packets', isCut: true })
    expect(long.maxSeconds).toBeLessThanOrEqual(1_200)
    expect(long.overlapSeconds).toBe(8)
  })
  test('cut by its packets whole where a file has much beside its sound', () => {
    const film = opened({ ...aac, mediaType: 'video/mp4', hasVideo: true, seconds: 3 }, 25 * mebibyte)
    const sent = plan(modelWith({ formats: ['aac'] }), film)
    expect(sent).toMatchObject({ how: 'packets', isCut: false })
    expect(sent.maxSeconds).toBeGreaterThanOrEqual(10)
    const minute = opened({ ...aac, mediaType: 'video/mp4', seconds: 60 }, 250 * mebibyte)
    expect(plan(modelWith({ formats: ['aac'] }), minute)).toMatchObject({ how: 'packets', isCut: true })
  })
  test('in no packets where a call has no room for ten seconds of them', () => {
    const film = opened({ ...aac, mediaType: 'video/mp4', seconds: 3 }, 25 * mebibyte)
    for (const settings of [{ maxBytes: 8 * mebibyte }, { maxSeconds: 9 }])
      expect(refusal(modelWith({ formats: ['aac'], ...settings }), film)).toEqual([
        'RECORDING_NOT_CONVERTIBLE',
        'body.file',
      ])
  })
  test('to nobody where it is neither taken nor decoded', () => {
    // A cut of AAC sound is no M4A any more.
    expect(refusal(m4a, opened({ ...aac, seconds: 3_000 }))).toEqual([
      'RECORDING_NOT_CONVERTIBLE',
      'body.file',
    ])
    for (const formats of [['wav'], ['wav', 'mp3']] as TranscriptionSettings['formats'][])
      expect(refusal(modelWith({ formats }), opened(aac))).toEqual(['RECORDING_NOT_CONVERTIBLE', 'body.file'])
    expect(refusal(modelWith({ formats: ['webm'] }), opened())).toEqual([
      'RECORDING_NOT_CONVERTIBLE',
      'body.file',
    ])
  })
})

describe('pieces', () => {
  test('are never longer than the bytes of a call have room for', () => {
    const { maxSeconds } = plan(modelWith({ maxBytes: 3 * mebibyte }), opened({ seconds: 3_000 }))
    expect(maxSeconds * 32_000).toBeLessThan(3 * mebibyte)
  })
  test('of five minutes at most are sent several at a time; one that is all there is may be longer', () => {
    expect(plan(modelWith(), opened({ seconds: 780 })).isCut).toBe(false)
    expect(plan(modelWith(), opened({ seconds: 3_000 }))).toMatchObject({ maxSeconds: 300, isCut: true })
  })
  test('ask for the most exact times, by which they are joined', () => {
    const model = modelWith({ timestamps: 'word' })
    expect(plan(model, opened()).settings.timestamps).toBe('none')
    expect(plan(model, opened({ seconds: 3_000 })).settings.timestamps).toBe('word')
  })
  test('of a translation ask for the times of segments, where the model says any', () => {
    const translated = (timestamps: TranscriptionSettings['timestamps'], seconds: number) =>
      plan(modelWith({ timestamps, translates: true }), opened({ seconds }), { translate: true }).settings
        .timestamps
    expect([translated('word', 3_000), translated('segment', 3_000)]).toEqual(['segment', 'segment'])
    expect([translated('none', 3_000), translated('word', 60)]).toEqual(['none', 'none'])
  })
  test('in which speakers are told apart overlap, or are refused where they are too short for that', () => {
    const spec = { diarize: true }
    const long = opened({ seconds: 3_000 })
    expect(plan(modelWith({ diarizes: true }), long, spec)).toMatchObject({
      overlapSeconds: 30,
      alwaysOverlaps: true,
    })
    expect(plan(modelWith({ diarizes: true, maxSeconds: 120 }), long, spec).maxSeconds).toBe(120)
    expect(refusal(modelWith({ diarizes: true, maxSeconds: 119 }), long, spec)).toEqual([
      'RECORDING_NOT_CUTTABLE',
      'body.diarize',
    ])
    expect(plan(modelWith({ diarizes: true, maxSeconds: 60 }), opened(), spec).isCut).toBe(false)
  })
})
