/** The vendors' own wires of transcription, against their bytes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TranscriptionOrder } from '#core/turn'
import { deepgramTranscription } from '#providers/deepgram'
import { elevenLabsTranscription } from '#providers/elevenlabs'
import { openRouterTranscription } from '#providers/openrouter'
import type { TranscriptionClient } from '#providers/transcriptions'
import { somePlaces } from '../harness/seed.ts'
import { formIn } from '../harness/transcription-upstream.ts'
import { type FakeUpstream, fakeUpstream, json, stream } from '../harness/upstream.ts'
import { failsAsItShould, readInChunks, recorded, secret, transcribing } from './media-asking.ts'

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream()
})
afterAll(() => upstream[Symbol.asyncDispose]())
beforeEach(() => upstream.reset())

const address = () => ({ baseUrl: upstream.url, apiKey: secret })
const last = () => upstream.calls.at(-1)!
const queryOf = (path: string) => [...new URL(path, 'http://x').searchParams.entries()]

interface Vendor {
  room: () => TranscriptionClient
  /** An answer that hears «سلام دنیا». */
  answer: () => Record<string, unknown>
}

/** What every wire must do, whatever its bytes are. */
function hearsAsItShould({ room, answer }: Vendor): void {
  const good = () => ({ body: Buffer.from(JSON.stringify(answer())), type: 'application/json' })

  test('an answer is read wherever its bytes are parted', async () => {
    const { body, type } = good()
    for (const at of somePlaces(body.length + 1)) {
      upstream.reply(stream([body.subarray(0, at), body.subarray(at)], { 'content-type': type }))
      const { heard, error } = await transcribing(room())
      expect(error, `in two at byte ${at}`).toBeUndefined()
      expect(heard?.text).toBe('سلام دنیا')
    }
  })

  test('whoever waits for pieces gets the whole text as one', async () => {
    upstream.reply(json(200, answer()))
    expect((await transcribing(room(), {}, { streams: true })).pieces).toEqual(['سلام دنیا'])
  })

  test('an answer beyond its bound is refused', async () => {
    upstream.reply(json(200, { ...answer(), filler: 'y'.repeat(1_100_000) }))
    expect((await transcribing(room())).error).toMatchObject({ fault: 'malformed', executed: true })
  })

  test('a prompt is not dropped: there is no field for it', async () => {
    const before = upstream.calls.length
    const { error } = await transcribing(room(), { prompt: 'خرد' })
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(upstream.calls).toHaveLength(before)
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => transcribing(room(), {}, options),
    good,
  })
}

const babble = (text: (words: string) => Record<string, unknown>, room: () => TranscriptionClient): void => {
  test('more text than anybody speaks is no transcript', async () => {
    upstream.reply(json(200, text('و همین را می‌گفت '.repeat(40))))
    expect((await transcribing(room())).error).toMatchObject({ fault: 'malformed', executed: true })
  })
}

describe('OpenRouter', () => {
  const room = () => openRouterTranscription(address())
  const answer = () => ({
    text: 'سلام دنیا',
    usage: { seconds: 4, total_tokens: 113, input_tokens: 83, output_tokens: 30, cost: 0.000_508 },
  })

  test('gets the recording in Base64, and nothing that was not ordered', async () => {
    upstream.reply(json(200, answer(), { 'x-generation-id': 'gen-1' }))
    const { heard } = await transcribing(room())
    expect(heard).toEqual({
      text: 'سلام دنیا',
      usage: { seconds: 4, input: 83, output: 30, costUsd: 0.000_508 },
    })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/audio/transcriptions' })
    expect(last().headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-length': String(last().bytes.length),
      'idempotency-key': 'a-1',
    })
    expect(last().body).toEqual({
      model: 'model/1',
      input_audio: { data: Buffer.from(recorded.recording.bytes).toString('base64'), format: 'wav' },
    })
  })

  test('gets large recordings whole, of every remainder of three bytes', async () => {
    for (const length of [0, 1, 2, 3, 49_151, 49_152, 49_153, 200_000]) {
      upstream.reply(json(200, answer()))
      const bytes = Buffer.from(Array.from({ length }, (_, at) => at % 251))
      for (const form of [bytes, readInChunks(bytes, 1_001), readInChunks(bytes, 65_536)]) {
        await transcribing(room(), { recording: { ...recorded.recording, bytes: form, name: 'a.mp3' } })
        const sent = last().body?.['input_audio'] as { data: string; format: string }
        expect(sent.format).toBe('mp3')
        expect(sent.data).toBe(bytes.toString('base64'))
      }
    }
  })

  test('is asked for times, a language and a temperature where they are ordered', async () => {
    upstream.reply(
      json(200, {
        ...answer(),
        language: 'fa',
        segments: [{ id: 0, start: 0, end: 1, text: 'سلام دنیا', speaker: 0, avg_logprob: -0.1 }],
        words: [{ word: 'سلام', start: 0, end: 0.5, speaker: 0 }],
      }),
    )
    const { heard } = await transcribing(room(), { timestamps: 'word', language: 'fa', temperature: 0 })
    expect(last().body).toMatchObject({
      language: 'fa',
      temperature: 0,
      response_format: 'verbose_json',
      timestamp_granularities: ['segment', 'word'],
    })
    expect(heard).toMatchObject({
      language: 'fa',
      segments: [{ start: 0, end: 1, text: 'سلام دنیا', speaker: '0', details: { avg_logprob: -0.1 } }],
      words: [{ start: 0, end: 0.5, word: 'سلام', speaker: '0' }],
    })
  })

  test('has no fields for speakers and keywords, which are not dropped', async () => {
    const before = upstream.calls.length
    for (const more of [{ diarize: true }, { keywords: ['خرد'] }] satisfies Partial<TranscriptionOrder>[])
      expect((await transcribing(room(), more)).error).toMatchObject({
        fault: 'invalid_request',
        executed: false,
      })
    expect(upstream.calls).toHaveLength(before)
  })

  babble((text) => ({ text }), room)
  hearsAsItShould({ room, answer })
})

describe('Deepgram', () => {
  const room = () => deepgramTranscription(address())
  const spoken = [
    { word: 'سلام', start: 0.1, end: 0.5, confidence: 0.9, speaker: 0, punctuated_word: 'سلام،' },
    { word: 'دنیا', start: 0.6, end: 1, confidence: 0.9, speaker: 1, punctuated_word: 'دنیا.' },
  ]
  const answer = (more: object = {}) => ({
    metadata: { request_id: 'req-1', duration: 4.08, channels: 1 },
    results: {
      channels: [{ alternatives: [{ transcript: 'سلام دنیا', confidence: 0.99, words: spoken }] }],
      ...more,
    },
  })

  test('gets the file as it is, and the settings in the address', async () => {
    upstream.reply(json(200, answer()))
    const { heard } = await transcribing(room())
    expect(heard).toEqual({ text: 'سلام دنیا', usage: { seconds: 4.08 } })
    expect(last().method).toBe('POST')
    expect(last().path).toMatch(/^\/v1\/listen\?/)
    expect(queryOf(last().path)).toEqual([
      ['model', 'model/1'],
      ['smart_format', 'true'],
      ['detect_language', 'true'],
    ])
    expect(last().headers).toMatchObject({
      authorization: `Token ${secret}`,
      'content-type': 'audio/wav',
      'content-length': String(recorded.recording.bytes.length),
    })
    expect(last().bytes.equals(recorded.recording.bytes)).toBe(true)
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
    await transcribing(room(), { recording: { ...recorded.recording, bytes: readInChunks(bytes, 65_536) } })
    expect(last().headers['content-length']).toBe('200000')
    expect(last().bytes.equals(bytes)).toBe(true)
  })

  test('tells speakers apart, in utterances and in words as they stand in the text', async () => {
    const utterances = [
      { start: 0.1, end: 0.5, transcript: 'سلام،', speaker: 0, words: [] },
      { start: 0.6, end: 1, transcript: 'دنیا.', speaker: 1, words: [] },
    ]
    upstream.reply(json(200, answer({ utterances })))
    const { heard } = await transcribing(room(), {
      language: 'fa',
      diarize: true,
      timestamps: 'word',
      keywords: ['خرد', 'سپهر آبی'],
    })
    expect(queryOf(last().path)).toEqual([
      ['model', 'model/1'],
      ['smart_format', 'true'],
      ['language', 'fa'],
      ['diarize', 'true'],
      ['utterances', 'true'],
      ['keyterm', 'خرد'],
      ['keyterm', 'سپهر آبی'],
    ])
    expect(heard).toMatchObject({
      segments: [
        { start: 0.1, end: 0.5, text: 'سلام،', speaker: '0' },
        { start: 0.6, end: 1, text: 'دنیا.', speaker: '1' },
      ],
      words: [
        { start: 0.1, end: 0.5, word: 'سلام،', speaker: '0' },
        { start: 0.6, end: 1, word: 'دنیا.', speaker: '1' },
      ],
    })
  })

  test('without utterances has sentences of its words', async () => {
    upstream.reply(json(200, answer()))
    const { heard } = await transcribing(room(), { timestamps: 'segment' })
    expect(heard?.segments).toEqual([
      { start: 0.1, end: 0.5, text: 'سلام،', speaker: '0' },
      { start: 0.6, end: 1, text: 'دنیا.', speaker: '1' },
    ])
    expect(heard?.words).toBeUndefined()
  })

  test('says the language that it detects, and refuses in its own words', async () => {
    const detected = { channels: [{ detected_language: 'de-CH', alternatives: [{ transcript: 'ja' }] }] }
    upstream.reply(json(200, { results: detected }))
    expect((await transcribing(room())).heard).toEqual({ text: 'ja', language: 'de' })
    upstream.reply(json(400, { err_code: 'Bad Request', err_msg: 'no such language', request_id: 'x' }))
    expect((await transcribing(room())).error).toMatchObject({ fault: 'invalid_request', executed: false })
  })

  test('proves its key where nothing is answered without one', async () => {
    upstream.reply(json(200, { api_key_id: 'x', scopes: ['member'] }))
    await using asked = room()
    expect(await asked.ping(new AbortController().signal)).toBeUndefined()
    expect(last()).toMatchObject({ method: 'GET', path: '/v1/auth/token' })
  })

  babble((transcript) => ({ results: { channels: [{ alternatives: [{ transcript }] }] } }), room)
  hearsAsItShould({ room, answer })
})

describe('ElevenLabs', () => {
  const room = () => elevenLabsTranscription(address())
  const word = (text: string, start: number, end: number, speaker: string, type = 'word') => ({
    text,
    start,
    end,
    type,
    speaker_id: speaker,
  })
  const answer = () => ({
    language_code: 'fas',
    language_probability: 0.99,
    text: 'سلام دنیا',
    words: [
      word('سلام', 0.1, 0.5, 'speaker_0'),
      word(' ', 0.5, 0.6, 'speaker_0', 'spacing'),
      word('دنیا.', 0.6, 1, 'speaker_0'),
      word('(خنده)', 1, 1.5, 'speaker_0', 'audio_event'),
      word('بله', 1.6, 2, 'speaker_1'),
    ],
    audio_duration_secs: 4.1,
  })

  test('gets a form with its own names, and is told to write words alone', async () => {
    upstream.reply(json(200, answer()))
    const { heard } = await transcribing(room())
    expect(heard).toEqual({ text: 'سلام دنیا', language: 'fa', usage: { seconds: 4.1 } })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/speech-to-text' })
    expect(last().headers).toMatchObject({ 'xi-api-key': secret })
    const { fields, file } = formIn(last())
    expect(fields).toEqual({
      model_id: ['model/1'],
      tag_audio_events: ['false'],
      timestamps_granularity: ['none'],
    })
    expect(file).toEqual({
      name: 'recording.wav',
      mediaType: 'audio/wav',
      bytes: Buffer.from(recorded.recording.bytes),
    })
  })

  test('tells so many speakers apart, in sentences and words without laughter', async () => {
    upstream.reply(json(200, answer()))
    const { heard } = await transcribing(room(), {
      timestamps: 'word',
      diarize: true,
      speakers: 2,
      language: 'fa',
      keywords: ['خرد', 'سپهر'],
      temperature: 0,
    })
    expect(formIn(last()).fields).toEqual({
      model_id: ['model/1'],
      tag_audio_events: ['false'],
      timestamps_granularity: ['word'],
      language_code: ['fa'],
      diarize: ['true'],
      num_speakers: ['2'],
      keyterms: ['خرد', 'سپهر'],
      temperature: ['0'],
    })
    expect(heard?.segments).toEqual([
      { start: 0.1, end: 1, text: 'سلام دنیا.', speaker: 'speaker_0' },
      { start: 1.6, end: 2, text: 'بله', speaker: 'speaker_1' },
    ])
    expect(heard?.words).toHaveLength(3)
  })

  test('refuses in its own words', async () => {
    upstream.reply(json(401, { detail: { status: 'invalid_api_key', message: `Invalid ${secret}` } }))
    const { error } = await transcribing(room())
    expect(error).toMatchObject({ fault: 'authentication', executed: false })
    expect(error?.detail).not.toContain(secret)
  })

  babble((text) => ({ text }), room)
  hearsAsItShould({ room, answer })
})
