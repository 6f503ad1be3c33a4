/** Chat completions that answer with pictures and sound, against their bytes. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AudioOrder } from '#core/turn'
import { chatAnswers, chatImages } from '#providers/modalities'
import { selfSigned } from '../harness/certificate.ts'
import { done, type FakeUpstream, fakeUpstream, json, type Step, stall, stream } from '../harness/upstream.ts'
import { guarded, openSite } from '../platform/net/sites.ts'
import { drawing, failsAsItShould, type Options, picture, secret, speaking } from './media-asking.ts'

let upstream: FakeUpstream
let png: Buffer
beforeAll(async () => {
  upstream = await fakeUpstream()
  png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
})
afterAll(() => upstream[Symbol.asyncDispose]())

const address = () => ({ baseUrl: upstream.url, apiKey: secret })
const last = () => upstream.calls.at(-1)!
const asJson = (body: unknown) => ({ body: Buffer.from(JSON.stringify(body)), type: 'application/json' })
const usage = { prompt_tokens: 9, completion_tokens: 1_290, total_tokens: 1_299 }
const answered = (message: Record<string, unknown>, finish_reason = 'stop', more = {}) => ({
  choices: [
    { index: 0, message: { role: 'assistant', content: 'words of the model', ...message }, finish_reason },
  ],
  usage,
  ...more,
})

describe('chat completions draw', () => {
  const room = () => chatImages(address(), guarded({}))
  const link = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`
  const shown = (url: string) => ({ type: 'image_url', image_url: { url } })
  const answer = () => answered({ images: [{ ...shown(link(png)), index: 0 }] })
  const ask = (body: unknown, more = {}, options: Options = {}) => {
    upstream.reply(json(200, body))
    return drawing(room(), more, options)
  }

  test('by `modalities`, and say nothing of size to those who document no field for it', async () => {
    const { drawn } = await ask(answer())
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
    expect(drawn?.usage).toEqual({ input: 9, output: 1_290 })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(last().headers).toMatchObject({ authorization: `Bearer ${secret}`, 'idempotency-key': 'a-1' })
    expect(last().body).toEqual({
      model: 'model/1',
      modalities: ['image', 'text'],
      messages: [{ role: 'user', content: picture.prompt }],
      stream: false,
    })
  })

  test('with references beside the prompt, in their order', async () => {
    const other = Buffer.from('another')
    await ask(answer(), {
      references: [
        { data: png, mediaType: 'image/png' },
        { data: other, mediaType: 'image/webp' },
      ],
    })
    expect(last().body).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: picture.prompt },
            shown(link(png)),
            shown(`data:image/webp;base64,${other.toString('base64')}`),
          ],
        },
      ],
    })
  })

  test.each([
    ['a part of the text', () => answered({ content: [{ type: 'text', text: 'here' }, shown(link(png))] })],
    ['a part `output_image`', () => answered({ content: [{ type: 'output_image', image_url: link(png) }] })],
    [
      'the first of several',
      () => answered({ images: [shown(link(png)), shown('data:image/png;base64,AAAA')] }),
    ],
  ])('%s is a picture', async (_, body) => {
    const { drawn } = await ask(body())
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
  })

  test('a picture behind a link is fetched by the guarded client, without the key', async () => {
    const tls = selfSigned('files.example.test')
    await using site = await openSite((_, response) => response.end(png), tls)
    const web = { ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 as const }] }
    const url = `https://files.example.test:${site.port}/p.png`
    upstream.reply(json(200, answered({ images: [shown(url)] })))
    const { drawn } = await drawing(chatImages(address(), guarded(web)))
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
    expect(JSON.stringify(site.seen)).not.toContain(secret)
    const { error } = await drawing(chatImages(address(), guarded({ ...web, allowedCidrs: [] })))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect(site.seen).toHaveLength(1)
  })

  test('one picture for a call, and say so to those who order several', () => {
    expect(room().maxCount).toBe(1)
  })

  test.each([
    ['a refusal', answered({ refusal: 'words of the model' }), 'content_refused'],
    ['a filter', answered({}, 'content_filter'), 'content_refused'],
    ['words in place of a picture', answered({}), 'malformed'],
    ['a limit of tokens', answered({}, 'length'), 'cut'],
    ['no choice', { choices: [] }, 'malformed'],
    ['an error of the choice', { choices: [{ error: { code: 429, message: 'busy' } }] }, 'rate_limited'],
    ['a broken picture', answered({ images: [shown('data:image/png;base64,iVBORw0KG')] }), 'malformed'],
    ['a page for a picture', answered({ images: [shown('data:image/png;base64,PGh0bWw+')] }), 'malformed'],
    ['a local file', answered({ images: [shown('file:///etc/passwd')] }), 'malformed'],
  ])('%s is told without the words of the model', async (_, body, fault) => {
    const { error } = await ask(body)
    expect(error).toMatchObject({ fault, executed: true })
    expect(JSON.stringify([error?.message, error?.detail, error?.inside])).not.toContain('words of the model')
  })

  test('a picture beyond the bound is refused, alone and with its answer', async () => {
    const vast = Buffer.concat([png, Buffer.alloc(25 * 1024 * 1024)])
    const { error } = await ask(answered({ images: [shown(link(vast))] }))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    const endless = await ask(answered({ padding: 'x'.repeat(34 * 1024 * 1024) }))
    expect(endless.error?.detail).toMatch(/more than \d+ bytes/)
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => drawing(room(), {}, options),
    good: () => asJson(answer()),
  })
})

/** A WAV of four samples. */
const wav = Buffer.concat([
  Buffer.from(
    'RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data\x08\0\0\0',
    'latin1',
  ),
  Buffer.alloc(8),
])
/** Two frames of MPEG layer III: 128 kbit/s at 44.1 kHz. */
const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413, 1)])
const mp3 = Buffer.concat([frame, frame])
const question = (data: Buffer = wav) => ({ recording: { data, mediaType: 'audio/wav', durationSeconds: 1 } })
const room = () => chatAnswers(address())
const order = (more: Partial<AudioOrder> = {}): Partial<AudioOrder> => ({
  lines: [{ text: '', voice: 'alloy' }],
  question: question(),
  format: { encoding: 'pcm', rate: 24_000 },
  ...more,
})

describe('chat completions answer a recording by a stream', () => {
  const samples = Buffer.alloc(600, 7)
  const piece = (audio: Record<string, unknown>, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: { audio }, finish_reason }],
  })
  const data = (bytes: Buffer) => bytes.toString('base64')
  const whole = (): Step[] => [
    piece({ id: 'audio_1', transcript: 'سلام ' }),
    piece({ transcript: 'به تو', data: data(samples.subarray(0, 301)) }),
    piece({ data: data(samples.subarray(301)) }),
    piece({ expires_at: 1_800_000_000 }, 'stop'),
    { choices: [], usage },
    done,
  ]
  const ask = (steps: Step[], more: Partial<AudioOrder> = {}, options: Options = {}) => {
    upstream.reply(stream(steps))
    return speaking(room(), order(more), options)
  }

  test('as samples with their transcript and tokens, wherever the pieces end', async () => {
    const heard = await ask(whole(), {
      lines: [{ text: '', voice: 'alloy', instructions: 'Be brief.' }],
      question: { ...question(), text: 'به فارسی پاسخ بده' },
      maxOutputTokens: 15_000,
    })
    expect(heard.error).toBeUndefined()
    expect(heard.format).toEqual({ encoding: 'pcm', rate: 24_000, channels: 1 })
    expect(heard.sound.equals(samples)).toBe(true)
    expect(heard.spoken).toEqual({ transcript: 'سلام به تو', usage: { input: 9, output: 1_290 } })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(last().headers).toMatchObject({ authorization: `Bearer ${secret}`, 'idempotency-key': 'a-1' })
    expect(last().body).toEqual({
      model: 'model/1',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'pcm16' },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'به فارسی پاسخ بده' },
            { type: 'input_audio', input_audio: { data: data(wav), format: 'wav' } },
          ],
        },
      ],
      max_completion_tokens: 15_000,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('a recording of a quarter of an hour travels whole, and a long answer is given on as it comes', async () => {
    const long = Buffer.concat([wav, Buffer.alloc(15 * 60 * 48_000)])
    const part = Buffer.alloc(512 * 1024, 9)
    let given = 0
    const pieces = Array.from({ length: 8 }, () => piece({ data: data(part) }))
    const heard = await ask(
      [...pieces, piece({}, 'stop'), done],
      { question: question(long) },
      {
        write: (bytes) => {
          given += bytes.length
        },
      },
    )
    expect(heard.error).toBeUndefined()
    expect(given).toBe(8 * part.length)
    const [message] = last().body!['messages'] as [{ content: [{ input_audio: { data: string } }] }]
    expect(message.content[0].input_audio.data).toHaveLength(Math.ceil(long.length / 3) * 4)
  })

  test('a listener that is slow holds it up, and one that fails ends it', async () => {
    const gate = Promise.withResolvers<void>()
    let writes = 0
    const slow = ask(
      whole(),
      {},
      {
        write: () => {
          writes += 1
          return gate.promise
        },
      },
    )
    await expect.poll(() => writes).toBe(1)
    gate.resolve()
    expect((await slow).error).toBeUndefined()
    // As many samples as it takes to tell them from an mp3.
    const begun = Buffer.concat(Array.from({ length: 2_048 / samples.length + 1 }, () => samples))
    const broken = ask(
      [piece({ data: data(begun) }), stall],
      {},
      {
        write: () => Promise.reject(new Error('the disk is full')),
      },
    )
    await expect(broken).rejects.toThrow('the disk is full')
    await last().whenAborted
  })

  const refusal = (message: Record<string, unknown>, finish: string | null = null) => ({
    choices: [{ index: 0, delta: message, finish_reason: finish }],
  })
  test.each<[string, Step[], string]>([
    ['a refusal', [refusal({ refusal: 'words of the model' })], 'content_refused'],
    ['a filter', [refusal({}, 'content_filter'), done], 'content_refused'],
    ['words alone', [refusal({ content: 'words of the model' }, 'stop'), done], 'malformed'],
    ['a limit of tokens', [piece({ data: data(samples) }, 'length'), done], 'cut'],
    ['no finish', [piece({ data: data(samples) }), done], 'cut'],
    ['half a sample', [piece({ data: data(samples.subarray(0, 99)) }, 'stop'), done], 'malformed'],
    ['sound that is not Base64', [piece({ data: '%%%%' }, 'stop'), done], 'malformed'],
    ['an event that is not JSON', ['data: {"words of the model\n\n', done], 'malformed'],
    ['an error in the stream', [{ error: { code: 429, message: 'busy' } }], 'rate_limited'],
  ])('%s is no answer, and is told without the words of the model', async (_, steps, fault) => {
    const { error } = await ask(steps)
    expect(error).toMatchObject({ fault, executed: true })
    expect(JSON.stringify([error?.message, error?.detail, error?.inside])).not.toContain('words of the model')
  })

  test('mp3 in place of samples is told by its bytes', async () => {
    const heard = await ask([piece({ data: data(mp3) }, 'stop'), done])
    expect([heard.error, heard.format]).toEqual([undefined, { encoding: 'mp3' }])
    expect(heard.sound.equals(mp3)).toBe(true)
  })

  test('sound beyond the bound ends the call', async () => {
    const part = piece({ data: data(Buffer.alloc(6 * 1024 * 1024)) })
    const { error } = await ask([...Array.from({ length: 9 }, () => part), piece({}, 'stop'), done])
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect(error?.detail).toMatch(/more than 67108864 bytes/)
  })

  test('texts, several lines and recordings of other types are not asked for', async () => {
    const before = upstream.calls.length
    const line = { text: 'سلام', voice: 'alloy' }
    const ogg = Buffer.from('OggS and so on, which is no type that this wire knows')
    for (const more of [{ question: undefined! }, { lines: [line, line] }, { question: question(ogg) }])
      expect((await ask(whole(), more)).error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(upstream.calls.length).toBe(before)
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => speaking(room(), order(), options),
    good: () => ({
      body: Buffer.from(
        `data: ${JSON.stringify(piece({ data: data(samples.subarray(0, 40)) }, 'stop'))}\n\n${done}`,
      ),
      type: 'text/event-stream',
    }),
  })
})

describe('chat completions answer a recording in one piece', () => {
  const answer = (bytes = mp3) =>
    answered({ audio: { id: 'audio_1', data: bytes.toString('base64'), transcript: 'سلام', expires_at: 1 } })
  const ask = (body: unknown, more: Partial<AudioOrder> = {}) => {
    upstream.reply(json(200, body))
    return speaking(room(), order({ format: { encoding: 'mp3' }, ...more }))
  }

  test('in the format that was asked for', async () => {
    const heard = await ask(answer(), { question: question(mp3) })
    expect(heard.format).toEqual({ encoding: 'mp3' })
    expect(heard.sound.equals(mp3)).toBe(true)
    expect(heard.spoken).toEqual({ transcript: 'سلام', usage: { input: 9, output: 1_290 } })
    expect(last().body).toMatchObject({
      audio: { voice: 'alloy', format: 'mp3' },
      messages: [{ content: [{ input_audio: { format: 'mp3' } }] }],
      stream: false,
    })
    expect(last().body).not.toHaveProperty('stream_options')
  })

  test('in another format, which is told by its bytes', async () => {
    const heard = await ask(answer(wav))
    expect([heard.error, heard.format]).toEqual([undefined, { encoding: 'wav' }])
    expect(heard.sound.equals(wav)).toBe(true)
  })

  test.each([
    ['a refusal', answered({ refusal: 'words of the model' }), 'content_refused'],
    ['words alone', answered({}), 'malformed'],
    ['no choice', { choices: [] }, 'malformed'],
    ['sound that is not Base64', answered({ audio: { data: '%' } }), 'malformed'],
    ['no sound', answered({ audio: { data: '' } }), 'malformed'],
  ])('%s is no answer, and no byte of it is given on', async (_, body, fault) => {
    const heard = await ask(body)
    expect(heard.error).toMatchObject({ fault, executed: true })
    expect(heard.sound).toHaveLength(0)
    expect(heard.error?.message).not.toContain('words of the model')
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => speaking(room(), order({ format: { encoding: 'mp3' } }), options),
    good: () => asJson(answer()),
  })
})
