/** OpenAI's wire of transcription, against its bytes: what is asked, what is read, and what every fault becomes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transcriptionsProvider } from '#providers/transcriptions'
import { somePlaces } from '../harness/seed.ts'
import {
  type HeardForm,
  type TranscriptionUpstream,
  transcriptionUpstream,
} from '../harness/transcription-upstream.ts'
import { json, type Script, stream } from '../harness/upstream.ts'
import { patient } from './asking.ts'
import { failsAsItShould, readInChunks, recorded, secret, transcribing } from './media-asking.ts'

let upstream: TranscriptionUpstream
beforeAll(async () => {
  upstream = await transcriptionUpstream()
})
afterAll(() => upstream[Symbol.asyncDispose]())
beforeEach(() => upstream.reset())

const room = (baseUrl = upstream.url) => transcriptionsProvider({ baseUrl, apiKey: secret })
const lastForm = (): HeardForm => upstream.forms().at(-1)!
const asJson = (body: unknown) => ({ body: Buffer.from(JSON.stringify(body)), type: 'application/json' })
const usage = { type: 'tokens', input_tokens: 40, output_tokens: 9, total_tokens: 49 }

describe('a request', () => {
  test('is a form with the file and the model, and nothing that was not ordered', async () => {
    await transcribing(room())
    const { call, fields, file } = lastForm()
    expect(call).toMatchObject({ method: 'POST', path: '/v1/audio/transcriptions' })
    expect(call.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      'idempotency-key': 'a-1',
      'content-length': String(call.bytes.length),
    })
    expect(fields).toEqual({ model: ['model/1'], response_format: ['json'] })
    expect(file).toEqual({
      name: 'recording.wav',
      mediaType: 'audio/wav',
      bytes: Buffer.from(recorded.recording.bytes),
    })
  })

  test('sends a file from the disk as it is read, under its whole length, and once more when it is sent again', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
    const recording = { ...recorded.recording, bytes: readInChunks(bytes, 65_536) }
    for (let time = 0; time < 2; time++) {
      await transcribing(room(), { recording })
      const { call, file } = lastForm()
      expect(call.headers['content-length']).toBe(String(call.bytes.length))
      expect(file!.bytes.equals(bytes)).toBe(true)
    }
  })

  test('sends each ordered setting in its own field, lists as name[]', async () => {
    await transcribing(
      room(),
      {
        language: 'fa',
        prompt: 'گفت‌وگویی دربارهٔ «خرد»\r\n--سطر دوم',
        keywords: ['خرد', 'Kherad'],
        temperature: 0.2,
        timestamps: 'word',
      },
      { streams: true },
    )
    expect(lastForm().fields).toEqual({
      model: ['model/1'],
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['segment', 'word'],
      language: ['fa'],
      prompt: ['گفت‌وگویی دربارهٔ «خرد»\r\n--سطر دوم'],
      'keywords[]': ['خرد', 'Kherad'],
      temperature: ['0.2'],
      stream: ['true'],
    })
  })

  test('asks for segments alone, and for speakers by their own format', async () => {
    await transcribing(room(), { timestamps: 'segment' })
    expect(lastForm().fields).toMatchObject({
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['segment'],
    })
    await transcribing(room(), { timestamps: 'segment', diarize: true })
    expect(lastForm().fields).toEqual({
      model: ['model/1'],
      response_format: ['diarized_json'],
      chunking_strategy: ['auto'],
    })
  })

  test('gives away no name of a file, only its extension', async () => {
    for (const [name, sent] of [
      ['جلسه‌ی محرمانه.M4A', 'recording.m4a'],
      ['a"\r\nX-Evil: 1.ogg', 'recording.ogg'],
      ['nothing', 'recording'],
    ] as const) {
      await transcribing(room(), { recording: { ...recorded.recording, name } })
      expect(lastForm().file.name).toBe(sent)
    }
  })

  test("goes to whisper.cpp's own endpoint as it stands, which is told to listen for the language", async () => {
    const own = upstream.url.replace('/v1', '/inference')
    await transcribing(room(own))
    expect(lastForm().call.path).toBe('/inference')
    expect(lastForm().fields['language']).toEqual(['auto'])
    await transcribing(room(own), { language: 'fa' })
    expect(lastForm().fields['language']).toEqual(['fa'])
  })

  test('for English text goes to the endpoint for translations; whisper.cpp has a field for it', async () => {
    await transcribing(room(), { translate: true, timestamps: 'segment', prompt: 'Names: Kherad' })
    expect(lastForm().call.path).toBe('/v1/audio/translations')
    expect(lastForm().fields).toEqual({
      model: ['model/1'],
      response_format: ['verbose_json'],
      prompt: ['Names: Kherad'],
    })
    await transcribing(room(upstream.url.replace('/v1', '/inference')), { translate: true })
    expect(lastForm().call.path).toBe('/inference')
    expect(lastForm().fields).toMatchObject({ translate: ['true'], language: ['auto'] })
  })
})

describe('an answer', () => {
  const heard = async (body: unknown, more = {}) => {
    upstream.reply(json(200, body))
    const { heard, error } = await transcribing(room(), more)
    expect(error).toBeUndefined()
    return heard
  }

  test('is its text, with tokens or seconds as the upstream counts', async () => {
    expect(await heard({ text: ' سلام\n', usage })).toEqual({ text: 'سلام', usage: { input: 40, output: 9 } })
    expect(await heard({ text: '', usage: { type: 'duration', seconds: 4.2 } })).toEqual({
      text: '',
      usage: { seconds: 4.2 },
    })
    expect(
      await heard({ text: 'a', usage: { seconds: -1, input_tokens: 'many', cost: Number.MAX_VALUE } }),
    ).toEqual({
      text: 'a',
      usage: { costUsd: Number.MAX_VALUE },
    })
  })

  test('has segments with what whisper says of them, and words', async () => {
    const { heard } = await transcribing(room(), { timestamps: 'word' })
    expect(heard).toEqual({
      text: 'سلام دنیا',
      language: 'fa',
      segments: [
        {
          start: 0,
          end: 1,
          text: 'سلام دنیا',
          details: {
            seek: 0,
            tokens: [50364, 8608],
            temperature: 0,
            avg_logprob: -0.25,
            compression_ratio: 1.1,
            no_speech_prob: 0.01,
          },
        },
      ],
      words: [
        { start: 0, end: 0.5, word: 'سلام' },
        { start: 0.5, end: 1, word: 'دنیا' },
      ],
      usage: { seconds: 1 },
    })
  })

  test('has speakers by their names at the upstream', async () => {
    upstream.hear({
      text: 'Hi. Hello.',
      segments: [
        { start: 0, end: 1, text: 'Hi.', speaker: 'A' },
        { start: 1, end: 2, text: 'Hello.', speaker: 'B' },
      ],
    })
    const { heard } = await transcribing(room(), { diarize: true, timestamps: 'segment' })
    expect(heard?.segments).toEqual([
      { start: 0, end: 1, text: 'Hi.', speaker: 'A' },
      { start: 1, end: 2, text: 'Hello.', speaker: 'B' },
    ])
  })

  test('with words inside its segments, as whisper.cpp and Speaches have them, is read too', async () => {
    const words = [{ word: ' one', start: 0.1, end: 0.4, t_dtw: -1, probability: 0.9 }]
    const body = {
      text: ' one\n',
      language: 'english',
      segments: [{ id: 0, text: ' one', start: 0, end: 1, words }],
    }
    expect(await heard(body, { timestamps: 'word' })).toMatchObject({
      text: 'one',
      language: 'en',
      words: [{ start: 0.1, end: 0.4, word: 'one' }],
    })
  })

  test('with nonsense for times keeps what makes sense: in order, within the recording', async () => {
    const segments = [
      { start: 3, end: 99, text: 'late' },
      { start: '1.5', end: 1, text: 'backwards' },
      { start: -5, end: 1, text: 'early' },
      { start: null, end: 1, text: 'lost' },
      { start: 0, end: 1, text: '  ' },
      'no object',
    ]
    const words = [{ start: 0, end: 1e300, word: 'w' }, { start: 0, end: 1 }, 7]
    const outcome = await heard({ text: 'all', segments, words }, { timestamps: 'word' })
    expect(outcome?.segments).toEqual([
      { start: 0, end: 1, text: 'early' },
      { start: 1.5, end: 1.5, text: 'backwards' },
      { start: 3, end: 4, text: 'late' },
    ])
    expect(outcome?.words).toEqual([{ start: 0, end: 4, word: 'w' }])
  })

  test.each([
    ['persian', 'fa'],
    ['Farsi', 'fa'],
    ['fa-IR', 'fa'],
    ['fas', 'fa'],
    ['ENGLISH', 'en'],
    ['haitian creole', 'ht'],
    ['klingon speech', undefined],
    [7, undefined],
  ])('names its language %s by the code %s', async (language, code) => {
    expect((await heard({ text: 'x', language }))?.language).toBe(code)
  })

  test('of gpt-transcribe lists its languages', async () => {
    expect((await heard({ text: 'x', languages: [{ code: 'fa' }, { code: 'en' }] }))?.language).toBe('fa')
  })

  test('that babbles is no transcript: more is written than anybody speaks', async () => {
    const sentence = 'و همین را می‌گفت '
    // Four seconds hold 560 characters at most.
    const most = sentence.repeat(40).trim().slice(0, 560)
    expect((await heard({ text: most }))?.text).toBe(most.trim())
    upstream.reply(json(200, { text: sentence.repeat(40) }))
    const { error } = await transcribing(room())
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    upstream.reply(json(200, { text: 'twelve lette' }))
    expect((await transcribing(room(), { maxOutputTokens: 3 })).error).toBeUndefined()
    expect((await transcribing(room(), { maxOutputTokens: 2 })).error?.fault).toBe('malformed')
  })

  test('longer than its bound is refused', async () => {
    upstream.reply(json(200, { text: 'x', filler: 'y'.repeat(1_100_000) }))
    expect((await transcribing(room())).error).toMatchObject({ fault: 'malformed', executed: true })
  })
})

describe('a stream', () => {
  const events = () =>
    stream([
      { type: 'transcript.text.delta', delta: 'سلام' },
      { type: 'transcript.text.delta', delta: ' دنیا' },
      { type: 'transcript.text.done', text: 'سلام دنیا', usage },
    ])
  const body = () =>
    Buffer.from(
      `: hello\n\nevent: transcript.text.delta\ndata: {"type":"transcript.text.delta","delta":"سلام"}\r\n\r\n` +
        `data: {"type":"transcript.text.delta","delta":" دنیا"}\n\n` +
        `data: {"type":"transcript.text.segment","id":"1","start":0,"end":2,"text":"سلام دنیا","speaker":"A"}\n\n` +
        `data: {"type":"transcript.text.done","text":"سلام دنیا","usage":${JSON.stringify(usage)}}\n\n`,
    )

  test('is given on piece by piece, and whole at its end', async () => {
    upstream.reply(events())
    const { heard, pieces } = await transcribing(room(), {}, { streams: true })
    expect(pieces).toEqual(['سلام', ' دنیا'])
    expect(heard).toEqual({ text: 'سلام دنیا', usage: { input: 40, output: 9 } })
  })

  test('is read wherever its bytes are parted, its segments too', async () => {
    const bytes = body()
    for (const at of somePlaces(bytes.length + 1)) {
      upstream.reply(stream([bytes.subarray(0, at), bytes.subarray(at)]))
      const { heard, pieces, error } = await transcribing(room(), { diarize: true }, { streams: true })
      expect(error, `in two at byte ${at}`).toBeUndefined()
      expect(pieces).toEqual(['سلام', ' دنیا'])
      expect(heard).toEqual({
        text: 'سلام دنیا',
        segments: [{ start: 0, end: 2, text: 'سلام دنیا', speaker: 'A' }],
        usage: { input: 40, output: 9 },
      })
    }
  })

  test('of Speaches has one untyped event a segment and no end', async () => {
    upstream.reply(stream([{ text: ' one' }, { text: 'two' }]))
    const { heard, pieces } = await transcribing(room(), {}, { streams: true })
    expect(pieces).toEqual([' one', ' two'])
    expect(heard).toEqual({ text: 'one two' })
  })

  test('that never comes is a whole answer, which is given on at once', async () => {
    upstream.reply(json(200, { text: 'all of it' }))
    const { heard, pieces } = await transcribing(room(), {}, { streams: true })
    expect([pieces, heard?.text]).toEqual([['all of it'], 'all of it'])
  })

  test('without pieces gives its last text on; one that ends early is cut', async () => {
    upstream.reply(stream([{ type: 'transcript.text.done', text: 'x' }]))
    expect((await transcribing(room(), {}, { streams: true })).pieces).toEqual(['x'])
    upstream.reply(stream([{ type: 'transcript.text.delta', delta: 'half' }]))
    const { error, pieces } = await transcribing(room(), {}, { streams: true })
    expect(error).toMatchObject({ fault: 'cut', executed: true })
    expect(pieces).toEqual(['half'])
  })

  test('that repeats itself is left at once: nothing more is read or given on', async () => {
    const piece = { type: 'transcript.text.delta', delta: 'a'.repeat(100) }
    const position = upstream.calls.length
    upstream.reply(stream([...Array.from({ length: 7 }, () => piece), new Promise(() => undefined)]))
    const { error, pieces } = await transcribing(room(), {}, { streams: true })
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect(pieces).toHaveLength(5)
    await (await upstream.call(position)).whenAborted
  })

  test('says its failure, without our key', async () => {
    upstream.reply(stream([{ type: 'error', error: { type: 'rate_limit_error', message: `no ${secret}` } }]))
    const { error } = await transcribing(room(), {}, { streams: true })
    expect(error).toMatchObject({ fault: 'rate_limited', executed: true })
    expect(error?.detail).not.toContain(secret)
  })

  test('with an event that is no JSON, no object or too long is malformed', async () => {
    for (const step of ['data: {half\n\n', 'data: 7\n\n', `data: {"x":"${'y'.repeat(300_000)}"}\n\n`]) {
      upstream.reply(stream([step]))
      expect((await transcribing(room(), {}, { streams: true })).error?.fault).toBe('malformed')
    }
  })

  describe('fails', () => {
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => transcribing(room(), {}, { ...options, streams: true }),
      good: () => ({ body: body(), type: 'text/event-stream' }),
    })
  })
})

describe('a whole answer', () => {
  const good = () => asJson({ text: 'سلام دنیا', usage })

  test('is read wherever its bytes are parted', async () => {
    const { body, type } = good()
    for (const at of somePlaces(body.length + 1)) {
      const parted: Script = stream([body.subarray(0, at), body.subarray(at)], { 'content-type': type })
      upstream.reply(parted)
      expect((await transcribing(room())).heard).toEqual({
        text: 'سلام دنیا',
        usage: { input: 40, output: 9 },
      })
    }
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => transcribing(room(), {}, options),
    good,
  })

  test('takes as long as the recording lasts, past the wait for other answers', async () => {
    const answer = Promise.withResolvers<void>()
    upstream.reply(async () => {
      await answer.promise
      return json(200, { text: 'late' })
    })
    const position = upstream.calls.length
    const asked = transcribing(room(), {}, { timeouts: { ...patient, firstByteMs: 1 } })
    await upstream.call(position)
    answer.resolve()
    expect((await asked).heard?.text).toBe('late')
  })

  test('a server that nobody runs was asked nothing', async () => {
    const { error } = await transcribing(room('http://127.0.0.1:9/v1'))
    expect(error).toMatchObject({ fault: 'connect', executed: false })
  })
})

describe('kherad doctor', () => {
  test('lists the models, and of whisper.cpp only that it is there', async () => {
    await using openai = room()
    expect(await openai.ping(new AbortController().signal)).toEqual(['upstream-model'])
    await using own = room(upstream.url.replace('/v1', '/inference'))
    expect(await own.ping(new AbortController().signal)).toBeUndefined()
    expect(upstream.calls.at(-1)).toMatchObject({ method: 'GET', path: '/' })
  })
})
