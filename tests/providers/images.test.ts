/** The images provider against the wire bytes of images endpoints. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ImageCall, type ImageResult, UpstreamError } from '#core/spec'
import type { ImageOrder } from '#core/turn'
import { imagesProvider } from '#providers/images'
import { selfSigned } from '../harness/certificate.ts'
import {
  cut,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stall,
  stream,
} from '../harness/upstream.ts'
import { guarded, openSite, type Site } from '../platform/net/sites.ts'
import { patient } from './asking.ts'

const order: ImageOrder = {
  prompt: 'گربه‌ای روی بام',
  references: [],
  count: 1,
  size: { width: 1536, height: 1024 },
}

const painted = (colour: string, format: 'png' | 'jpeg' | 'webp' = 'png'): Promise<Buffer> =>
  sharp({ create: { width: 6, height: 4, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer()

let red: Buffer
let upstream: FakeUpstream
let files: Site
const tls = selfSigned('files.example.test')
const public_ = guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
const linkTo = (file: string): string => `https://files.example.test:${files.port}${file}`

beforeAll(async () => {
  red = await painted('red')
  upstream = await fakeUpstream()
  files = await openSite(({ url = '' }, response) => {
    if (url.startsWith('/red.png')) response.writeHead(200, { 'content-type': 'text/plain' }).end(red)
    else if (url.startsWith('/moved')) response.writeHead(302, { location: '/red.png' }).end()
    else if (url.startsWith('/page')) response.writeHead(200, { 'content-type': 'image/png' }).end('<html>')
    else if (url.startsWith('/slow')) setTimeout(() => response.end(red), 60_000).unref()
    else response.writeHead(404).end()
  }, tls)
})
afterAll(async () => {
  await upstream[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
})

interface Heard {
  drawn?: ImageResult
  error?: UpstreamError
}

async function ask(
  more: Partial<ImageOrder> = {},
  call: Partial<ImageCall> = {},
  net = public_,
): Promise<Heard> {
  await using provider = imagesProvider({ baseUrl: upstream.url, apiKey: 'sk-secret-of-images' }, net)
  const { signal } = new AbortController()
  const asked = {
    order: { ...order, ...more },
    upstreamModel: 'painter-1',
    signal,
    timeouts: patient,
    attemptId: 'a-1',
  }
  try {
    return { drawn: await provider.draw({ ...asked, ...call }) }
  } catch (error) {
    if (error instanceof UpstreamError) return { error }
    throw error
  }
}

const answers = (...data: object[]): Script => json(200, { created: 1, data })
const inline = (bytes: Buffer) => ({ b64_json: bytes.toString('base64') })
const lastCall = () => upstream.calls.at(-1)!

describe('what is sent', () => {
  test('is JSON of exactly what the model is known to take', async () => {
    upstream.reply(answers(inline(red)))
    await ask()
    expect(lastCall()).toMatchObject({ method: 'POST', path: '/v1/images/generations' })
    expect(lastCall().headers).toMatchObject({
      authorization: 'Bearer sk-secret-of-images',
      'content-type': 'application/json',
      'idempotency-key': 'a-1',
    })
    expect(lastCall().body).toEqual({ model: 'painter-1', prompt: order.prompt, n: 1, size: '1536x1024' })
  })

  test('names every setting that the order has', async () => {
    upstream.reply(answers(inline(red)))
    const settings = {
      quality: 'high',
      format: 'webp',
      background: 'transparent',
      responseFormat: 'b64_json',
      seed: 0,
    } as const
    await ask({ ...settings, count: 3 }, { traceparent: '00-aa-bb-01' })
    expect(lastCall().body).toEqual({
      model: 'painter-1',
      prompt: order.prompt,
      n: 3,
      size: '1536x1024',
      quality: 'high',
      output_format: 'webp',
      background: 'transparent',
      response_format: 'b64_json',
      seed: 0,
    })
    expect(lastCall().headers['traceparent']).toBe('00-aa-bb-01')
  })

  test('is a form with every picture that is given, to the byte', async () => {
    upstream.reply(answers(inline(red)))
    const [first, second] = [red, await painted('blue', 'webp')]
    const references = [
      { data: first, mediaType: 'image/png' },
      { data: second, mediaType: 'image/webp' },
    ]
    await ask({ references, quality: 'low' })
    expect(lastCall().path).toBe('/v1/images/edits')
    const { bytes, headers } = lastCall()
    expect(Number(headers['content-length'])).toBe(bytes.length)
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': headers['content-type']! },
    }).formData()
    const texts = [...form].filter(([, value]) => typeof value === 'string')
    expect(Object.fromEntries(texts)).toEqual({
      model: 'painter-1',
      prompt: order.prompt,
      n: '1',
      size: '1536x1024',
      quality: 'low',
    })
    const given = form.getAll('image[]') as File[]
    expect(given.map(({ name, type }) => [name, type])).toEqual([
      ['reference-1.png', 'image/png'],
      ['reference-2.webp', 'image/webp'],
    ])
    expect(await Promise.all(given.map(async (file) => Buffer.from(await file.arrayBuffer())))).toEqual([
      first,
      second,
    ])
  })

  test('a single picture goes by the name that every server knows', async () => {
    upstream.reply(answers(inline(red)))
    await ask({ references: [{ data: red, mediaType: 'image/png' }] })
    const { bytes, headers } = lastCall()
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': headers['content-type']! },
    }).formData()
    expect(form.getAll('image')).toHaveLength(1)
    expect(form.has('image[]')).toBe(false)
  })

  test('a mask stands beside its picture, and settings of callers go by their own names', async () => {
    upstream.reply(answers(inline(red)))
    const mask = { data: await painted('#0000'), mediaType: 'image/png' }
    const options = { input_fidelity: 'high', moderation: 'low' }
    await ask({ references: [{ data: red, mediaType: 'image/png' }], mask, options })
    const { bytes, headers } = lastCall()
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': headers['content-type']! },
    }).formData()
    const sent = form.get('mask') as File
    expect([sent.name, sent.type]).toEqual(['mask.png', 'image/png'])
    expect(Buffer.from(await sent.arrayBuffer()).equals(mask.data)).toBe(true)
    expect([form.get('input_fidelity'), form.get('moderation')]).toEqual(['high', 'low'])
    await ask({ options: { style: 'natural' } })
    expect(lastCall().body).toMatchObject({ style: 'natural' })
  })
})

describe('what comes', () => {
  test('pictures inline, in order, with the tokens that the upstream counts', async () => {
    const blue = await painted('blue', 'jpeg')
    const usage = { input_tokens: 12, output_tokens: 1056, total_tokens: 1068 }
    upstream.reply(json(200, { data: [inline(red), inline(blue)], usage, background: 'opaque' }))
    const { drawn } = await ask({ count: 2 })
    expect(drawn?.images.map((bytes) => Buffer.from(bytes))).toEqual([red, blue])
    expect(drawn?.usage).toEqual({ input: 12, output: 1056 })
  })

  test.each<[string, () => object]>([
    [
      'a data URL in place of Base64',
      () => ({ b64_json: `data:image/png;base64,${red.toString('base64')}` }),
    ],
    ['a data URL in place of a link', () => ({ url: `data:image/png;base64,${red.toString('base64')}` })],
    ['Base64 in lines', () => ({ b64_json: red.toString('base64').replace(/(.{20})/g, '$1\r\n') })],
    ['Base64 without padding', () => ({ b64_json: red.toString('base64').replace(/=+$/, '') })],
    ['a link', () => ({ url: linkTo('/red.png?sig=1') })],
    ['a link that moves', () => ({ url: linkTo('/moved') })],
    ['null beside a link', () => ({ b64_json: null, url: linkTo('/red.png') })],
  ])('%s is read', async (_, item) => {
    upstream.reply(answers(item()))
    const { drawn, error } = await ask()
    expect(error).toBeUndefined()
    expect(drawn?.images.map((bytes) => Buffer.from(bytes))).toEqual([red])
    expect(drawn?.usage).toBeUndefined()
  })

  test('the prompts that the upstream drew by, of the pictures for which it says them', async () => {
    const items = [
      inline(red),
      { ...inline(red), revised_prompt: 'گربه' },
      { ...inline(red), revised_prompt: 7 },
    ]
    upstream.reply(answers(...items))
    const { images, revisedPrompts } = (await ask({ count: 3 })).drawn!
    expect(images.map((image) => revisedPrompts?.get(image))).toEqual([undefined, 'گربه', undefined])
    upstream.reply(answers(inline(red)))
    expect((await ask()).drawn?.revisedPrompts).toBeUndefined()
  })

  test('SVG as it is, which nobody has cleaned yet, and no other text', async () => {
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '\ufeff<?xml version="1.0"?>\n<!-- a --><svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
      '<!DOCTYPE svg PUBLIC "a" "b"><svg/>',
    ]) {
      upstream.reply(answers(inline(Buffer.from(text))))
      expect((await ask({ format: 'svg' })).drawn?.images.map((bytes) => Buffer.from(bytes))).toEqual([
        Buffer.from(text),
      ])
    }
    expect(lastCall().body?.['output_format']).toBe('svg')
    for (const text of ['<!DOCTYPE html><svg/>', '<html><svg/>', '<svgs/>', 'svg']) {
      upstream.reply(answers(inline(Buffer.from(text))))
      expect((await ask()).error?.fault, text).toBe('malformed')
    }
  })

  test('a link into a private network is never followed', async () => {
    const before = files.seen.length
    upstream.reply(answers({ url: `https://127.0.0.1:${files.port}/red.png` }))
    const { error } = await ask({}, {}, guarded({ allowedCidrs: [], ca: tls.cert }))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect(error?.detail).toContain('address_not_public')
    expect(files.seen.length).toBe(before)
  })

  test('a link without TLS is not followed', async () => {
    upstream.reply(answers({ url: `http://files.example.test:${files.port}/red.png` }))
    expect((await ask()).error).toMatchObject({ fault: 'malformed', executed: true })
  })
})

describe('a picture that is streamed', () => {
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const partial = (bytes: Buffer, index: number): string =>
    event('image_generation.partial_image', { ...inline(bytes), partial_image_index: index })
  const completed = (bytes: Buffer): string =>
    event('image_generation.completed', {
      ...inline(bytes),
      usage: { input_tokens: 3, output_tokens: 400, total_tokens: 403 },
    })
  const streamed = async (script: Script, more: Partial<ImageOrder> = {}) => {
    const seen: Buffer[] = []
    upstream.reply(script)
    const heard = await ask({ partials: 2, onPartial: (bytes) => seen.push(Buffer.from(bytes)), ...more })
    return { ...heard, seen }
  }

  test('is asked for by the fields of the wire, in JSON and in a form', async () => {
    await streamed(stream([completed(red)]))
    expect(lastCall().body).toMatchObject({ stream: true, partial_images: 2 })
    await streamed(stream([completed(red)]), { references: [{ data: red, mediaType: 'image/png' }] })
    const { bytes, headers } = lastCall()
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': headers['content-type']! },
    }).formData()
    expect([form.get('stream'), form.get('partial_images')]).toEqual(['true', '2'])
  })

  test('is whole at every cut of its bytes, and its unfinished ones come before it', async () => {
    const tiny = await painted('blue')
    const text = `: hello\n\n${partial(tiny, 0)}${partial(red, 1)}${completed(red)}data: [DONE]\n\n`
    const bytes = Buffer.from(text)
    const places = Array.from({ length: 60 }, (_, at) => Math.floor((bytes.length * at) / 60))
    for (const at of places) {
      const { drawn, seen } = await streamed(stream([bytes.subarray(0, at), bytes.subarray(at)]))
      expect(
        drawn?.images.map((one) => Buffer.from(one)),
        String(at),
      ).toEqual([red])
      expect(drawn?.usage).toEqual({ input: 3, output: 400 })
      expect(seen, String(at)).toEqual([tiny, red])
    }
    const oneByOne = stream([...bytes].map((byte) => Uint8Array.of(byte)))
    expect((await streamed(oneByOne)).seen).toEqual([tiny, red])
  })

  test('may come at once from an upstream that does not stream', async () => {
    const { drawn, seen } = await streamed(answers(inline(red)))
    expect([drawn?.images.map((one) => Buffer.from(one)), seen]).toEqual([[red], []])
  })

  test('passes over unfinished ones that are no pictures, and events that it does not know', async () => {
    const script = stream([
      event('image_generation.partial_image', { b64_json: '***' }),
      event('image_generation.partial_image', { b64_json: Buffer.from('<html>').toString('base64') }),
      event('image_generation.partial_image', {}),
      event('image_generation.text_chunk', { text: 'x' }),
      completed(red),
      partial(red, 9),
    ])
    const { drawn, seen } = await streamed(script)
    expect([drawn?.images.length, seen]).toEqual([1, []])
  })

  test.each<[string, () => Script, string]>([
    ['ends early', () => stream([partial(red, 0)]), 'cut'],
    ['is cut within an event', () => stream([completed(red).slice(0, 200), cut]), 'cut'],
    ['has no data', () => stream([event('image_generation.completed', {})]), 'malformed'],
    ['is no JSON', () => stream(['data: <html>\n\n']), 'malformed'],
    ['is no object', () => stream(['data: 7\n\n']), 'malformed'],
    [
      'is refused while it is drawn',
      () => stream([event('error', { error: { message: 'no', code: 'moderation_blocked' } })]),
      'content_refused',
    ],
  ])('fails as one that may have been drawn where it %s', async (_, script, fault) => {
    expect((await streamed(script())).error).toMatchObject({ fault, executed: true })
  })
})

describe('what goes wrong', () => {
  const openai = (message: string, code: string) => ({ error: { message, code, type: 'x', param: null } })

  test.each<[string, () => Script, string, boolean]>([
    [
      'a rate limit',
      () => json(429, openai('slow', 'rate_limit_exceeded'), { 'retry-after': '7' }),
      'rate_limited',
      false,
    ],
    ['an empty account', () => json(429, openai('no', 'insufficient_quota')), 'authentication', false],
    ['a bad key', () => json(401, openai('who?', 'invalid_api_key')), 'authentication', false],
    ['a setting refused', () => json(400, openai('bad size', 'invalid_size')), 'invalid_request', false],
    ['a prompt refused', () => json(400, openai('no', 'moderation_blocked')), 'content_refused', false],
    ['an unknown model', () => json(404, openai('no model', 'model_not_found')), 'not_found', false],
    ['a failure', () => json(500, 'oops'), 'unavailable', true],
    ['a gateway that gave up', () => json(504, 'late'), 'timeout', true],
    ['overload', () => json(529, openai('busy', 'overloaded')), 'overloaded', false],
    ['a line that breaks before the answer', () => reset, 'reset', true],
    ['an answer that is cut', () => stream(['{"data":[{"b64_json":"iVBOR', cut]), 'cut', true],
    ['an answer that is no JSON', () => json(200, '<html>'), 'malformed', true],
    ['an answer without a picture', () => answers(), 'malformed', true],
    ['a picture without data', () => answers({ revised_prompt: 'x' }), 'malformed', true],
    ['data that is no picture', () => answers({ b64_json: 'aGVsbG8=' }), 'malformed', true],
    ['data that is no Base64', () => answers({ b64_json: '***' }), 'malformed', true],
    [
      'an error inside a success',
      () => json(200, openai('no', 'moderation_blocked')),
      'content_refused',
      true,
    ],
    ['a link that leads nowhere', () => answers({ url: linkTo('/nothing') }), 'malformed', true],
    ['a link to a page', () => answers({ url: linkTo('/page') }), 'malformed', true],
  ])('%s', async (_, script, fault, executed) => {
    upstream.reply(script())
    expect((await ask()).error).toMatchObject({ fault, executed })
  })

  test('the wait that an upstream asks for is kept', async () => {
    upstream.reply(json(429, 'slow', { 'retry-after': '7' }))
    expect((await ask()).error?.retryAfterMs).toBe(7_000)
  })

  test.each<[string, Script]>([
    ['silence', silence],
    ['silence in the middle', stream(['{"data":', stall])],
  ])('%s ends with the time of the whole call', async (_, script) => {
    upstream.reply(script)
    const { error } = await ask({}, { timeouts: { ...patient, totalMs: 1_000 } })
    expect(error).toMatchObject({ fault: 'timeout', executed: true })
  })

  test('a picture is waited for longer than the first word of a text', async () => {
    const release = Promise.withResolvers<void>()
    upstream.reply(async () => {
      await release.promise
      return answers(inline(red))
    })
    const waiting = ask({}, { timeouts: { ...patient, firstByteMs: 30, firstTokenMs: 30, idleMs: 30 } })
    await upstream.call(upstream.calls.length)
    setTimeout(() => release.resolve(), 200)
    expect((await waiting).drawn?.images).toHaveLength(1)
  })

  test('no connection is known to have cost nothing', async () => {
    await using provider = imagesProvider({ baseUrl: 'http://127.0.0.1:9/v1' }, public_)
    const { signal } = new AbortController()
    const call = { order, upstreamModel: 'x', signal, timeouts: patient, attemptId: 'a' }
    await expect(provider.draw(call)).rejects.toMatchObject({ fault: 'connect', executed: false })
  })

  test('a caller who disconnects ends the call, and a link that is still awaited', async () => {
    for (const script of [silence, answers({ url: linkTo('/slow') })]) {
      const leaving = new AbortController()
      upstream.reply(script)
      const waiting = ask({}, { signal: leaving.signal })
      await upstream.call(upstream.calls.length)
      leaving.abort()
      expect((await waiting).error).toMatchObject({ fault: 'aborted', executed: true })
    }
  })

  test('neither the key nor the address is ever disclosed', async () => {
    upstream.reply(json(400, openai(`bad key sk-secret-of-images at ${upstream.url}`, 'x')))
    const { error } = await ask()
    expect(error?.detail).toContain('bad key')
    expect(`${error?.message}${error?.detail}`).not.toMatch(/sk-secret-of-images|127\.0\.0\.1/)
  })
})
