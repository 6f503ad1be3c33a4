/** POST /v1/audio/transcriptions: three bodies, every format, what is refused before anything is held, and what is charged and stored. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { fakeS3 } from '../harness/fake-s3.ts'
import { json } from '../harness/upstream.ts'
import { requestIdOf } from '../text/chat-world.ts'
import { lossOf } from './images-world.ts'
import {
  bodyOf,
  bootOnEars,
  path,
  sendForm,
  shareOnEars,
  type TranscriptionsWorld,
  wavOf,
} from './transcriptions-world.ts'

let at: TranscriptionsWorld
let two: Buffer
beforeAll(async () => {
  at = await shareOnEars()
  two = await wavOf(1.5)
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.upstream.reset())

const send = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Seen> =>
  at.key.post(path, body, headers)
const form = (
  fields: Record<string, string | string[]> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => sendForm(at.key, { bytes: two }, fields, headers)
const cost = { credits: 2, microcredits: '2000000' }

/** Refused with this code at this place, before anything was held or asked. */
async function expectRefused(
  sent: () => Promise<Seen>,
  status: number,
  code: string,
  param?: string,
): Promise<string> {
  const before = await at.world.balance()
  const calls = at.upstream.calls.length
  const reply = await sent()
  expect(reply.body.error, reply.text).toMatchObject({ code, ...(param !== undefined && { param }) })
  expect(reply.status).toBe(status)
  expect(await at.world.balance()).toEqual(before)
  expect(at.upstream.calls).toHaveLength(calls)
  return reply.body.error.message
}

describe('the contract’s JSON', () => {
  test('is answered with text, segments, length, language, model and what it cost', async () => {
    const reply = await send(bodyOf(two, { model: 'test/words', language: 'fa-IR' }))
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toEqual({
      task: 'transcribe',
      text: 'سلام دنیا',
      language: 'fa',
      duration: 1.5,
      segments: [expect.objectContaining({ id: 0, start: 0, end: 1, text: 'سلام دنیا' })],
      usage: { type: 'duration', seconds: 2, ...cost },
      model: 'test/words',
      request_id: requestIdOf(reply),
    })
    expect(reply.headers.get('x-microcredits')).toBe('2000000')
    const [file] = reply.headers.get('x-file-ids')!.split(', ')
    const stored = await at.key.get(`/v1/files/${file}`)
    expect(stored.body).toMatchObject({ text: 'سلام دنیا', language: 'fa' })
    const receipt = (await at.key.receipt(requestIdOf(reply))).body
    expect(receipt.details.files).toEqual([file])
  })

  test('without a model is written down by the default one', async () => {
    expect((await send(bodyOf(two))).body.model).toBe('test/words')
    const { body } = await at.key.get('/v1/models/test%2Fwords')
    expect(body.default).toBe(true)
  })

  test.each(['fa', 'fas', 'per', 'fa-IR', 'FA_ir'])('asks for %s as fa', async (language) => {
    await send(bodyOf(two, { language }))
    expect(at.upstream.forms().at(-1)!.fields['language']).toEqual(['fa'])
  })

  test.each(['', 'auto', 'AUTO', null])('%o as the language names none', async (language) => {
    const reply = await send(bodyOf(two, { language }))
    expect([reply.status, reply.headers.get('x-ignored-fields')], reply.text).toEqual([200, null])
    expect(at.upstream.forms().at(-1)!.fields['language']).toBeUndefined()
    await send(bodyOf(two, { language, languages: ['auto', 'fa', ''] }))
    expect(at.upstream.forms().at(-1)!.fields['language']).toEqual(['fa'])
    if (language === null) return
    expect((await form({ model: 'test/words', language, 'languages[]': ['', language] })).status).toBe(200)
    expect(at.upstream.forms().at(-1)!.fields['language']).toBeUndefined()
  })

  test('has the times of words where they are asked for', async () => {
    const reply = await send(bodyOf(two, { timestamp_granularities: ['word', 'segment'] }))
    expect(reply.body.words).toEqual([
      { word: 'سلام', start: 0, end: 0.5 },
      { word: 'دنیا', start: 0.5, end: 1 },
    ])
    expect((await send(bodyOf(two))).body.words).toBeUndefined()
  })

  test('folds Arabic letters and digits of Persian only, and not where the caller says so', async () => {
    const text = 'كتاب علي ٤٢'
    at.upstream.hear({ text, language: 'persian' })
    expect((await send(bodyOf(two))).body.text).toBe('کتاب علی ۴۲')
    expect((await send(bodyOf(two, { normalize: false }))).body.text).toBe(text)
    expect((await form({ model: 'test/words', language: 'fa' })).body.text).toBe(text)
    expect((await form({ model: 'test/words', language: 'fa', normalize: 'true' })).body.text).toBe(
      'کتاب علی ۴۲',
    )
    at.upstream.hear({ text, language: 'arabic' })
    expect((await send(bodyOf(two))).body.text).toBe(text)
  })

  test('repeats its answer to the same key, and is charged once', async () => {
    const headers = { 'idempotency-key': 'tr-1' }
    const calls = at.upstream.calls.length
    const [first, again] = [await send(bodyOf(two), headers), await send(bodyOf(two), headers)]
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-file-ids')).toBe(first.headers.get('x-file-ids'))
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })

  test('names what had no effect', async () => {
    const reply = await send(
      bodyOf(two, {
        ...{
          made_up: 1,
          include: ['logprobs'],
          known_speaker_names: ['a'],
          languages: ['fa', 'en'],
          user: 'u',
        },
        ...{ chunking_strategy: { type: 'server_vad', threshold: 0.5 }, provider: {} },
      }),
    )
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('x-ignored-fields')!.split(', ').sort()).toEqual([
      'chunking_strategy',
      'include',
      'known_speaker_names',
      'languages',
      'made_up',
      'provider',
      'user',
    ])
    expect(
      (await send(bodyOf(two, { chunking_strategy: 'auto' }))).headers.get('x-ignored-fields'),
    ).toBeNull()
  })
})

describe('OpenRouter’s JSON', () => {
  const input = () => ({ data: two.toString('base64'), format: 'wav' })

  test('is answered with text and usage with its cost', async () => {
    const reply = await send({ model: 'test/words', input_audio: input() })
    expect(reply.body).toEqual({ text: 'سلام دنیا', usage: { seconds: 2, cost: 0.002, ...cost } })
  })

  test('says in verbose_json the code of the language', async () => {
    const reply = await send({ model: 'test/words', input_audio: input(), response_format: 'verbose_json' })
    expect(reply.body).toMatchObject({
      task: 'transcribe',
      language: 'fa',
      duration: 1.5,
      segments: [{ id: 0 }],
    })
  })

  test('refuses options of a vendor', async () => {
    await expectRefused(
      () => send({ model: 'test/words', input_audio: input(), provider: { options: { openai: { x: 1 } } } }),
      ...([400, 'INVALID_REQUEST', 'provider.options'] as const),
    )
  })
})

describe('OpenAI’s form', () => {
  test('json is text and usage only', async () => {
    const reply = await form({ model: 'test/words' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toEqual({ text: 'سلام دنیا', usage: { type: 'duration', seconds: 2, ...cost } })
  })

  test('json of a model that is paid by tokens says tokens', async () => {
    at.upstream.hear({
      text: 'بله',
      usage: { type: 'tokens', input_tokens: 40, output_tokens: 5, total_tokens: 45 },
    })
    const reply = await form({ model: 'test/plain' })
    expect(reply.body.usage).toEqual({
      ...{ type: 'tokens', input_tokens: 40, output_tokens: 5, total_tokens: 45 },
      ...{ credits: 0.13, microcredits: '130000' },
    })
  })

  test('verbose_json has all that strict clients parse', async () => {
    const fields = {
      model: 'test/words',
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['word', 'segment'],
    }
    const reply = await form(fields)
    expect(reply.body).toEqual({
      task: 'transcribe',
      language: 'persian',
      duration: 1.5,
      text: 'سلام دنیا',
      segments: [
        {
          ...{
            id: 0,
            seek: expect.any(Number),
            start: 0,
            end: 1,
            text: 'سلام دنیا',
            tokens: expect.any(Array),
          },
          ...{ temperature: 0, avg_logprob: expect.any(Number), compression_ratio: expect.any(Number) },
          no_speech_prob: expect.any(Number),
        },
      ],
      words: [expect.anything(), expect.anything()],
      usage: { type: 'duration', seconds: 2, ...cost },
    })
  })

  test('text, srt and vtt are texts of their own types', async () => {
    const text = await form({ model: 'test/words', response_format: 'text' })
    expect([text.text, text.headers.get('content-type')]).toEqual([
      'سلام دنیا\n',
      'text/plain; charset=utf-8',
    ])
    const srt = await form({ model: 'test/words', response_format: 'srt' })
    expect(srt.headers.get('content-type')).toBe('application/x-subrip; charset=utf-8')
    expect(srt.text).toBe('1\n00:00:00,000 --> 00:00:01,000\n\u202b\u200fسلام دنیا\u202c\n')
    const vtt = await form({ model: 'test/segments', response_format: 'vtt' })
    expect(vtt.headers.get('content-type')).toBe('text/vtt; charset=utf-8')
    expect(vtt.text).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n\u202b\u200fسلام دنیا\u202c\n')
    for (const reply of [text, srt, vtt]) {
      expect(reply.headers.get('x-microcredits')).toBe('2000000')
      expect(reply.headers.get('x-file-ids')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('a repeat of subtitles names the file, and is not written down again', async () => {
    const fields = { model: 'test/words', response_format: 'srt' }
    const calls = at.upstream.calls.length
    const first = await form(fields, { 'idempotency-key': 'tr-srt' })
    const again = await form(fields, { 'idempotency-key': 'tr-srt' })
    expect(again.status, again.text).toBe(409)
    expect(again.body.error).toMatchObject({
      code: 'REQUEST_ALREADY_ACCEPTED',
      details: { files: [first.headers.get('x-file-ids')] },
    })
    expect(at.upstream.calls).toHaveLength(calls + 1)
  })

  test('diarized_json says who speaks, and subtitles do where it is asked for', async () => {
    at.upstream.hear({
      text: 'سلام. علیک.',
      language: 'persian',
      segments: [
        { start: 0, end: 0.5, text: 'سلام.', speaker: 'A' },
        { start: 0.6, end: 1.2, text: 'علیک.', speaker: 'B' },
      ],
    })
    const reply = await form({
      model: 'test/voices',
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
    })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toEqual({
      ...{
        task: 'transcribe',
        duration: 1.5,
        text: 'سلام. علیک.',
        usage: { type: 'duration', seconds: 2, ...cost },
      },
      segments: [
        { type: 'transcript.text.segment', id: 'seg_1', speaker: 'A', start: 0, end: 0.5, text: 'سلام.' },
        { type: 'transcript.text.segment', id: 'seg_2', speaker: 'B', start: 0.6, end: 1.2, text: 'علیک.' },
      ],
    })
    const vtt = await form({ model: 'test/voices', response_format: 'vtt', diarize: 'true' })
    expect(vtt.text).toContain('<v A>')
    const plain = await form({ model: 'test/voices', response_format: 'vtt' })
    expect(plain.text).not.toContain('<v')
  })

  test('lists come as a field for each member, settings as they are', async () => {
    await form({
      ...{ model: 'test/words', prompt: 'نام: خرد', temperature: '0.5', 'keywords[]': ['خرد', 'Kherad'] },
      ...{ 'languages[]': ['fas'], 'include[]': ['logprobs'] },
    })
    expect(at.upstream.forms().at(-1)!.fields).toMatchObject({
      ...{ prompt: ['نام: خرد'], temperature: ['0.5'], 'keywords[]': ['خرد', 'Kherad'], language: ['fa'] },
    })
  })

  test('JSON may ask for its formats too', async () => {
    expect((await send(bodyOf(two, { response_format: 'vtt' }))).text).toMatch(/^WEBVTT/)
    expect((await send(bodyOf(two, { response_format: 'json' }))).body).toEqual({
      text: 'سلام دنیا',
      usage: expect.anything(),
    })
  })
})

describe('events', () => {
  const eventsOf = (text: string) =>
    text
      .split('\n\n')
      .filter((event) => event.startsWith('event:'))
      .map((event) => {
        const [name, data] = event.split('\n').map((line) => line.slice(line.indexOf(':') + 2))
        return { name, data: JSON.parse(data!) }
      })

  test('say the text in deltas and whole at the end', async () => {
    const reply = await form({ model: 'test/segments', stream: 'true' })
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    const events = eventsOf(reply.text)
    const last = events.at(-1)!
    expect(last).toEqual({
      name: 'transcript.text.done',
      data: {
        type: 'transcript.text.done',
        text: 'سلام دنیا',
        usage: { type: 'duration', seconds: 2, ...cost },
      },
    })
    const deltas = events.slice(0, -1)
    expect(deltas.map(({ data }) => data.type)).toEqual(deltas.map(() => 'transcript.text.delta'))
    expect(deltas.map(({ data }) => data.delta).join('')).toBe('سلام دنیا')
  })

  test('say each segment with its speaker for diarized_json', async () => {
    at.upstream.hear({
      text: 'سلام. علیک.',
      segments: [
        { start: 0, end: 0.5, text: 'سلام.', speaker: 'A' },
        { start: 0.6, end: 1.2, text: 'علیک.', speaker: 'B' },
      ],
    })
    const reply = await form({ model: 'test/voices', response_format: 'diarized_json', stream: 'true' })
    const segments = eventsOf(reply.text).filter(({ name }) => name === 'transcript.text.segment')
    expect(segments.map(({ data }) => [data.id, data.speaker, data.text])).toEqual([
      ['seg_1', 'A', 'سلام.'],
      ['seg_2', 'B', 'علیک.'],
    ])
  })

  test('end with the error of an upstream, and nothing is charged', async () => {
    const before = await at.world.balance()
    at.upstream.reply(json(500, { error: { message: 'broken' } }))
    const reply = await form({ model: 'test/segments', stream: 'true' })
    const events = eventsOf(reply.text)
    expect(events.at(-1)).toMatchObject({
      name: 'error',
      data: { type: 'error', error: { code: expect.stringMatching(/^UPSTREAM_/) } },
    })
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
  })

  test.each(['text', 'srt', 'vtt'])('are refused for %s', async (format) => {
    const sent = () => form({ model: 'test/words', response_format: format, stream: 'true' })
    await expectRefused(sent, 400, 'INVALID_REQUEST', 'stream')
  })
})

describe('is refused before anything is held', () => {
  const none = new Uint8Array(0)
  test.each([
    ['no recording', {}, 'INVALID_REQUEST', 'audioBase64'],
    [
      'two recordings',
      () => ({ ...bodyOf(two), input_audio: { data: two.toString('base64'), format: 'wav' } }),
      'INVALID_REQUEST',
      'input_audio',
    ],
    [
      'a recording and a file',
      () => ({ ...bodyOf(two), file_id: '01890000-0000-7000-8000-000000000000' }),
      'INVALID_REQUEST',
      'file_id',
    ],
    [
      'no Base64',
      { audioBase64: '====================', mediaType: 'audio/wav' },
      'INVALID_MEDIA',
      'audioBase64',
    ],
    [
      'a data URL',
      () => ({ input_audio: { data: `data:audio/wav;base64,${two.toString('base64')}`, format: 'wav' } }),
      'INVALID_MEDIA',
      'input_audio.data',
    ],
    [
      'a text',
      { audioBase64: Buffer.from('this is no recording at all').toString('base64'), mediaType: 'audio/wav' },
      'INVALID_MEDIA',
      'audioBase64',
    ],
    [
      'a media type that is none of the seven',
      () => bodyOf(two, { mediaType: 'audio/midi' }),
      'INVALID_REQUEST',
      'mediaType',
    ],
    ['an unknown file', { file_id: '01890000-0000-7000-8000-000000000000' }, 'FILE_NOT_FOUND', 'file_id'],
    ['a model of text', () => bodyOf(two, { model: 'test/text' }), 'MODEL_KIND_MISMATCH', 'model'],
    ['an unknown model', () => bodyOf(two, { model: 'test/none' }), 'MODEL_NOT_FOUND', 'model'],
    [
      'subtitles of a model without times',
      () => bodyOf(two, { model: 'test/plain', response_format: 'srt' }),
      'INVALID_REQUEST',
      'response_format',
    ],
    [
      'speakers of a model that hears none',
      () => bodyOf(two, { model: 'test/words', response_format: 'diarized_json' }),
      'INVALID_REQUEST',
      'response_format',
    ],
    [
      'words of a model that says none',
      () => bodyOf(two, { model: 'test/segments', timestamp_granularities: ['word'] }),
      'TRANSCRIPTION_SETTING_NOT_SUPPORTED',
      'timestamp_granularities',
    ],
    [
      'a prompt for a model that takes none',
      () => bodyOf(two, { model: 'test/plain', prompt: 'x' }),
      'TRANSCRIPTION_SETTING_NOT_SUPPORTED',
      'prompt',
    ],
    [
      'another chunking',
      () => bodyOf(two, { chunking_strategy: 'never' }),
      'INVALID_REQUEST',
      'chunking_strategy',
    ],
  ] as const)('%s', async (_name, body, code, param) => {
    const sent = typeof body === 'function' ? body() : body
    await expectRefused(
      () => send({ ...sent }),
      code === 'FILE_NOT_FOUND' || code === 'MODEL_NOT_FOUND' ? 404 : 400,
      code,
      param,
    )
  })

  test.each([
    [
      'a model of another kind',
      { model: 'test/text' },
      'model',
      /`test\/text` is a model of the kind text; this route takes one of the kind transcription\./,
      /`test\/text` مدلی از نوع text است؛ این مسیر مدلی از نوع transcription می‌خواهد\./,
    ],
    [
      'words for a model that takes none',
      { model: 'test/plain', keywords: ['خرد'] },
      'keywords',
      /The model `test\/plain` does not take keywords; leave it out/,
      /مدل `test\/plain` keywords را نمی‌پذیرد؛ آن را حذف کنید/,
    ],
    [
      'another way of cutting',
      { chunking_strategy: 'never' },
      'chunking_strategy',
      /: chunking_strategy must be auto, or an object/,
      /: chunking_strategy باید auto یا شیئی/,
    ],
    [
      'a number of speakers who are not told apart',
      { model: 'test/voices', speakers: 2 },
      'speakers',
      /speakers is taken with diarize alone; send diarize too, or leave speakers out\./,
      /speakers تنها همراه diarize پذیرفته می‌شود؛ diarize را هم بفرستید یا speakers را حذف کنید\./,
    ],
  ] as const)('%s: both languages say what to send', async (_name, fields, param, english, persian) => {
    const refused = (language: string) =>
      send(bodyOf(two, fields), { 'accept-language': language }).then(({ body }) => body.error)
    expect(await refused('en')).toMatchObject({ param, message: expect.stringMatching(english) })
    expect(await refused('fa')).toMatchObject({ param, message: expect.stringMatching(persian) })
  })

  test('a recording under another name than file: both languages say where it goes', async () => {
    const misnamed = async (language: string) => {
      const parts = new FormData()
      parts.append('audio', new Blob([two]), 'talk.wav')
      const reply = await fetch(`${at.world.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.key.secret}`, 'accept-language': language },
        body: parts,
      })
      return ((await reply.json()) as { error: { message: string; param: string } }).error
    }
    expect(await misnamed('en')).toMatchObject({
      ...{ code: 'INVALID_REQUEST', param: 'audio' },
      message: expect.stringMatching(/a file is sent as the part file\.$/),
    })
    expect((await misnamed('fa')).message).toMatch(/فایل را در بخش file بفرستید\.$/)
  })

  test('an empty file, no file, and a file beside file_id', async () => {
    const message = await expectRefused(
      () => sendForm(at.key, { bytes: none }, { model: 'test/words' }),
      400,
      'INVALID_MEDIA',
      'file',
    )
    expect(message).toContain('the file is empty')
    await expectRefused(
      () => sendForm(at.key, undefined, { model: 'test/words' }),
      400,
      'INVALID_REQUEST',
      'file',
    )
    await expectRefused(
      () => form({ file_id: '01890000-0000-7000-8000-000000000000' }),
      400,
      'INVALID_REQUEST',
      'file_id',
    )
  })

  test('too short a recording', async () => {
    const short = await wavOf(0.09)
    await expectRefused(() => send(bodyOf(short)), 400, 'RECORDING_LENGTH_REFUSED', 'audioBase64')
    const nearly = bodyOf(await wavOf(0.099))
    const message = await expectRefused(
      () => send(nearly),
      ...([400, 'RECORDING_LENGTH_REFUSED', 'audioBase64'] as const),
    )
    expect(message).toContain('lasts 0.099 seconds; send one of 0.1 to')
    expect((await send(bodyOf(await wavOf(0.1)))).status).toBe(200)
  })

  test('the sentence says which models have times', async () => {
    const message = await expectRefused(
      () => form({ model: 'test/plain', response_format: 'vtt' }),
      ...([400, 'INVALID_REQUEST', 'response_format'] as const),
    )
    expect(message).toMatch(/test\/words.*test\/segments.*test\/voices/)
  })
})

describe('bounds of every field, at the edge and past it', () => {
  test.each([
    ['prompt', 'x'.repeat(4_000), 'x'.repeat(4_001)],
    ['temperature', 0, -0.01],
    ['temperature', 1, 1.01],
    ['keywords', Array(100).fill('x'.repeat(100)), Array(101).fill('x')],
    ['keywords', ['x'], ['']],
    ['keywords', ['x'], ['x'.repeat(101)]],
    ['languages', Array(10).fill('fa'), Array(11).fill('fa')],
    ['language', 'zh-Hant-TW-abcdefgh', 'f'],
    ['timestamp_granularities', ['word', 'segment'], ['word', 'segment', 'word']],
    ['include', Array(10).fill('logprobs'), Array(11).fill('x')],
    ['known_speaker_names', ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd', 'e']],
    ['response_format', 'json', 'html'],
  ] as const)('%s', async (field, good, bad) => {
    const reply = await send(bodyOf(two, { [field]: good }))
    expect(reply.status, reply.text).toBe(200)
    await expectRefused(() => send(bodyOf(two, { [field]: bad })), 400, 'INVALID_REQUEST')
    const listed = Array.isArray(good) ? `${field}[]` : field
    const text = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value))
    expect((await form({ model: 'test/words', [listed]: text(good) })).status).toBe(200)
    await expectRefused(() => form({ model: 'test/words', [listed]: text(bad) }), 400, 'INVALID_REQUEST')
  })

  test('speakers 1 to 32 with diarize', async () => {
    at.upstream.hear({ text: 'بله', segments: [{ start: 0, end: 1, text: 'بله', speaker: 'A' }] })
    for (const speakers of [1, 32])
      expect((await send(bodyOf(two, { model: 'test/voices', diarize: true, speakers }))).status).toBe(200)
    for (const speakers of [0, 33, 1.5])
      await expectRefused(
        () => send(bodyOf(two, { model: 'test/voices', diarize: true, speakers })),
        400,
        'INVALID_REQUEST',
        'speakers',
      )
    await expectRefused(
      () => send(bodyOf(two, { model: 'test/voices', speakers: 2 })),
      ...([400, 'TRANSCRIPTION_SETTING_NOT_SUPPORTED', 'speakers'] as const),
    )
  })

  test('a language that there is not', async () => {
    await expectRefused(() => send(bodyOf(two, { language: 'xx' })), 400, 'UNKNOWN_LANGUAGE', 'language')
  })
})

describe('who may', () => {
  test('a key that may not use the default model is refused', async () => {
    const narrow = await at.world.key({ models: ['test/segments'] })
    expect((await narrow.post(path, bodyOf(two))).body.error).toMatchObject({ code: 'MODEL_NOT_ALLOWED' })
    expect((await narrow.post(path, bodyOf(two, { model: 'test/segments' }))).status).toBe(200)
  })
})

test('a transcript that neither store nor data folder takes is not charged: the platform bears it, and room is free again', async () => {
  await using s3 = await fakeS3()
  await using own = await bootOnEars({ config: s3.config })
  const { storage, waiting, db } = own.world.app
  const places = [storage, waiting!.storage].map((place) => ({ place, put: place.put }))
  for (const { place } of places) place.put = () => Promise.reject(new Error('no space left'))
  const before = await own.world.balance()
  const claim = { 'idempotency-key': 'not-stored' }
  const reply = await own.key.post(path, bodyOf(two, { model: 'test/words' }), claim)
  expect([reply.status, reply.body.error.code]).toEqual([503, 'RESULT_NOT_STORED'])
  for (const { place, put } of places) place.put = put
  await own.world.settled()
  expect(await own.world.balance()).toEqual(before)
  expect(await lossOf(own.world)).toBe(2_000_000n)
  expect((await own.key.receipt(requestIdOf(reply))).body).toMatchObject({
    state: 'failed',
    microcredits: '0',
  })
  const usage = await db.query({ text: 'select files, creations, creation_bytes from files.usage' }, [])
  expect(usage).toEqual([{ files: 0n, creations: 0n, creation_bytes: 0n }])
  expect(own.upstream.forms()).toHaveLength(1)
  const again = await own.key.post(path, bodyOf(two, { model: 'test/words' }))
  expect(again.status, again.text).toBe(200)
})
