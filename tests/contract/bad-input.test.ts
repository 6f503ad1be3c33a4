/** Valid and invalid chat completions requests: each bound at its limit and one past it, and malformed bodies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { boot, type World } from '../harness/world.ts'
import { type Body, bounds, emoji, persian } from '../text/chat-bounds.ts'
import { expectRefusal } from './refusal.ts'
import { requestOf, Wire } from './wire.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ credits: 1_000_000 })
  key = await world.key()
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** When no earlier call is under way any more. */
async function settledBalance() {
  await world.settled()
  return world.balance()
}

describe('at its edge a chat is accepted, past it refused before anything is held', () => {
  test.each(bounds)('$what', async ({ param, edges, past }) => {
    const before = await settledBalance()
    for (const body of past)
      expectRefusal(await key.chat(body), { status: 400, param }, JSON.stringify(body).slice(0, 200))
    expect(await world.balance()).toEqual(before)
    for (const body of edges) {
      const reply = await key.chat(body)
      expect(reply.status, `${JSON.stringify(body).slice(0, 200)} ${reply.text.slice(0, 300)}`).toBe(200)
    }
    await world.settled()
  })
})

test('a model name of 200 characters is looked for, in whatever alphabet', async () => {
  for (const model of ['m'.repeat(200), persian(200), emoji(200)]) {
    expectRefusal(await key.chat({ model }), { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' })
  }
})

test('unknown top-level fields are tolerated and named', async () => {
  const reply = await key.chat({
    user: 'u',
    logit_bias: {},
    service_tier: 'auto',
    wonder: { deep: [1] },
    'bad\r\nname': 1,
  })
  expect(reply.status).toBe(200)
  const ignored = reply.headers.get('x-ignored-fields')?.split(', ')
  expect(ignored).toContain('wonder')
  expect(ignored).toContain('bad??name')
  expect(ignored).not.toContain('messages')
})

describe('headers', () => {
  const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

  test.each(['X-Customer-ID', 'X-Reference-ID'])('%s has at most 120 characters', async (name) => {
    for (const text of ['c'.repeat(120), persian(120), emoji(120)]) {
      const reply = await key.chat({}, { [name]: latin(text) })
      expect(reply.status, text).toBe(200)
      await world.settled()
      const receipt = await key.receipt(reply.headers.get('x-request-id') as string)
      expect(receipt.body[name === 'X-Customer-ID' ? 'customer_id' : 'reference_id']).toBe(text)
    }
    for (const text of ['c'.repeat(121), persian(121), emoji(121)]) {
      expectRefusal(await key.chat({}, { [name]: latin(text) }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: name,
      })
    }
  })

  test('Idempotency-Key has 1 to 128 characters', async () => {
    for (const text of ['k', 'k'.repeat(128), persian(128), emoji(128)]) {
      expect((await key.chat({}, { 'Idempotency-Key': latin(text) })).status, text).toBe(200)
    }
    for (const text of ['', 'k'.repeat(129), persian(129), emoji(129)]) {
      expectRefusal(await key.chat({}, { 'Idempotency-Key': latin(text) }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'Idempotency-Key',
      })
    }
  })
})

describe('media', () => {
  const characters = 2_800_000
  /** One second a sound of 8-bit mono, however many bytes. */
  function wav(bytes: number): Buffer {
    const file = Buffer.alloc(bytes, 0x80)
    file.write('RIFF', 0)
    file.writeUInt32LE(bytes - 8, 4)
    file.write('WAVEfmt ', 8)
    file.writeUInt32LE(16, 16)
    file.writeUInt16LE(1, 20)
    file.writeUInt16LE(1, 22)
    file.writeUInt32LE(48_000, 24)
    file.writeUInt32LE(48_000, 28)
    file.writeUInt16LE(1, 32)
    file.writeUInt16LE(8, 34)
    file.write('data', 36)
    file.writeUInt32LE(bytes - 44, 40)
    return file
  }
  function png(bytes: number): Buffer {
    const file = Buffer.alloc(bytes)
    Buffer.from('89504e470d0a1a0a0000000d49484452000000400000004008020000002511', 'hex').copy(file)
    return file
  }
  const audio = (data: string): Body => ({
    model: 'sandbox/omni',
    messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }],
  })
  const image = (data: string): Body => ({
    model: 'sandbox/omni',
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] },
    ],
  })

  test('a part has at most 2,800,000 Base64 characters', async () => {
    const max = (characters / 4) * 3
    for (const [make, wrap, param] of [
      [wav, audio, 'messages.0.content.0.input_audio.data'],
      [png, image, 'messages.0.content.0.image_url.url'],
    ] as const) {
      const accepted = await key.chat(wrap(make(max).toString('base64')))
      expect(accepted.status, accepted.text.slice(0, 300)).toBe(200)
      const past = make(max + 1).toString('base64')
      expect(past.length).toBe(characters + 4)
      expectRefusal(await key.chat(wrap(past)), { status: 400, code: 'INVALID_MEDIA', param })
    }
  })

  test('media that is no Base64, is not what it says, or comes by a link it may not come by is refused with its place', async () => {
    const param = 'messages.0.content.0.input_audio.data'
    const sound = wav(1000).toString('base64')
    for (const data of [
      '',
      'not base64!',
      'AAA',
      `${sound.slice(0, 40)}\n${sound.slice(40)}`,
      png(1000).toString('base64'),
      `data:audio/wav;base64,${sound}`,
    ]) {
      expectRefusal(
        await key.chat(audio(data)),
        { status: 400, code: 'INVALID_MEDIA', param },
        data.slice(0, 60),
      )
    }
    const video = {
      model: 'sandbox/omni',
      messages: [
        { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }] },
      ],
    }
    expectRefusal(await key.chat(video), {
      status: 400,
      code: 'INVALID_MEDIA',
      param: 'messages.0.content.0.video_url.url',
    })
  })

  test('a model that takes no sound says so before anything is held, with the place', async () => {
    const before = await settledBalance()
    const reply = await key.chat({ ...audio(wav(1000).toString('base64')), model: 'sandbox/fast' })
    expectRefusal(reply, { status: 400, code: 'INPUT_MODALITY_NOT_SUPPORTED', param: 'messages.0.content.0' })
    expect(await world.balance()).toEqual(before)
  })
})

const chatPath = '/v1/chat/completions'
const bodyLimit = 4_194_304
const headers = () => ({ authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' })
const hello = '{"messages":[{"role":"user","content":"hello"}]}'
/** The same chat with insignificant spaces, `length` bytes long. */
const padded = (length: number): string => hello.padEnd(length, ' ')
const post = (body: string | Uint8Array, more: Record<string, string> = {}) =>
  requestOf('POST', chatPath, { ...headers(), ...more }, body)

describe('bodies', () => {
  test('a body without a key is not waited for, and its connection serves the next request', async () => {
    await using wire = await Wire.open(world.url)
    const whole = requestOf('POST', chatPath, { 'content-type': 'application/json' }, padded(bodyLimit))
    await wire.write(whole.subarray(0, 1000))
    expectRefusal(await wire.next(), { status: 401, code: 'INVALID_API_KEY' })
    await wire.write(whole.subarray(1000))
    await wire.write(post(hello))
    expect((await wire.next()).status).toBe(200)
  })

  test('a body of exactly 4 MB is accepted; one byte more is 413, and the connection serves the next request', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(post(padded(bodyLimit)))
    expect((await wire.next()).status).toBe(200)
    await wire.write(post(padded(bodyLimit + 1)))
    const refused = await wire.next()
    expectRefusal(refused, { status: 413, code: 'BODY_TOO_LARGE' })
    expect(refused.headers.get('x-should-retry')).toBe('false')
    await wire.write(post(hello))
    expect((await wire.next()).status).toBe(200)
  })

  const nested = (depth: number): string =>
    `{"messages":[{"role":"user","content":"a"}],"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

  test('100 levels of nesting are read, 101 are refused, and so are a million', async () => {
    expect((await key.request('POST', chatPath, nested(100))).status).toBe(200)
    for (const depth of [101, 1_000_000]) {
      expectRefusal(await key.request('POST', chatPath, nested(depth)), { status: 400, code: 'INVALID_JSON' })
    }
    expectRefusal(await key.request('POST', chatPath, '['.repeat(1_000_000)), {
      status: 400,
      code: 'INVALID_JSON',
    })
  })

  test('brackets inside strings are no nesting', async () => {
    const content = `${'['.repeat(500)}\\"${'{'.repeat(500)}\\\\`
    expect(
      (await key.request('POST', chatPath, `{"messages":[{"role":"user","content":"${content}"}]}`)).status,
    ).toBe(200)
  })

  test.each([
    ['cut off', hello.slice(0, -3)],
    ['cut off inside a string', hello.slice(0, 20)],
    ['text', 'hello'],
    ['two values', `${hello}${hello}`],
    ['a comma too many', '{"messages":[],}'],
    ['single quotes', "{'messages':[]}"],
    ['a byte order mark', `\uFEFF${hello}`],
    ['NaN', '{"messages":[{"role":"user","content":"a"}],"temperature":NaN}'],
    ['a raw line break in a string', '{"messages":[{"role":"user","content":"a\nb"}]}'],
    ['only spaces', '   '],
    ['a form', 'messages=hello'],
  ])('what is not JSON is INVALID_JSON, and its text is not repeated: %s', async (_what, body) => {
    const reply = await key.request('POST', chatPath, body)
    expectRefusal(reply, { status: 400, code: 'INVALID_JSON' })
    expect(reply.body.error.message).not.toContain('hello')
  })

  test.each([
    ['invalid bytes', [0xff, 0xfe]],
    ['a lone continuation', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character cut in half', [0xd8]],
  ])('a body that is not UTF-8 is INVALID_JSON: %s', async (_what, bytes) => {
    const [before = '', after = ''] = hello.split('hello')
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    expectRefusal(await key.request('POST', chatPath, body), { status: 400, code: 'INVALID_JSON' })
  })

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '5'],
    ['text', '"hello"'],
    ['true', 'true'],
  ])('a body that is no object is refused: %s', async (_what, body) => {
    expectRefusal(await key.request('POST', chatPath, body), { status: 400, code: 'INVALID_REQUEST' })
  })

  test('of a repeated name the last value counts, and names of the language itself are names like others', async () => {
    const twice = await key.request('POST', chatPath, `{"model":5,"model":"sandbox/fast",${hello.slice(1)}`)
    expect(twice.status).toBe(200)
    const odd = await key.request(
      'POST',
      chatPath,
      `{"__proto__":{"stream":true},"constructor":1,"toString":2,${hello.slice(1)}`,
    )
    expect(odd.status).toBe(200)
    expect(odd.headers.get('content-type')).toContain('application/json')
    expect(odd.headers.get('x-ignored-fields')).toContain('constructor')
  })

  test('a body in another encoding is refused with the name of the header; identity is none', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, br']) {
      const reply = await key.request('POST', chatPath, hello, { 'content-encoding': encoding })
      expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'Content-Encoding' })
      expect(reply.body.error.message).toContain(encoding)
    }
    expect((await key.request('POST', chatPath, hello, { 'content-encoding': 'identity' })).status).toBe(200)
  })

  test('nothing that was refused is charged or held', async () => {
    const before = await settledBalance()
    for (const body of ['{', '[]', padded(bodyLimit + 1), nested(101)])
      expect((await key.request('POST', chatPath, body)).status).toBeGreaterThanOrEqual(400)
    expect(await world.balance()).toEqual({ ...before, held: 0n })
  })
})
