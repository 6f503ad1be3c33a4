/** Images, audio, video and documents of the three wires at their exact bounds, and their holds. */
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mp4, png, wav } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { pdfOf } from '../core/tools/pdf.ts'
import type { Seen } from '../harness/client.ts'
import { assistant, toolResult, toolUse, user } from '../text/messages-world.ts'
import {
  asked,
  type Json,
  type MediaWorld,
  pdf,
  placeOf,
  shareMedia,
  type WireName,
  wires,
} from './media-world.ts'

let at: MediaWorld
/** Base64, by the type that the bytes are of. */
const images: Record<string, string> = { 'image/png': png }
beforeAll(async () => {
  at = await shareMedia({ credits: 1_000_000 })
  const drawn = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#246' } })
  for (const type of ['jpeg', 'gif', 'webp'] as const)
    images[`image/${type}`] = (await drawn().toFormat(type).toBuffer()).toString('base64')
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => {
  at.upstream.calls.length = 0
})

const imagePart: Record<WireName, (type: string, data: string) => Json> = {
  chat: (type, data) => ({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }),
  responses: (type, data) => ({ type: 'input_image', image_url: `data:${type};base64,${data}` }),
  messages: (type, data) => ({ type: 'image', source: { type: 'base64', media_type: type, data } }),
}
const filePart: Record<'responses' | 'messages', (data: string) => Json> = {
  responses: (data) => ({
    type: 'input_file',
    filename: 'a.pdf',
    file_data: `data:application/pdf;base64,${data}`,
  }),
  messages: (data) => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }),
}
const audioPart = (data: string, format: string): Json => ({
  type: 'input_audio',
  input_audio: { data, format },
})
const videoPart = (data: string): Json => ({
  type: 'video_url',
  video_url: { url: `data:video/mp4;base64,${data}` },
})

const imageField = { chat: 'image_url.url', responses: 'image_url', messages: 'source.data' }
const fileField = { responses: 'file_data', messages: 'source.data' }
const invalid = (wire: WireName, field: string) => ({
  status: 400,
  code: 'INVALID_MEDIA',
  param: `${placeOf(wire)}.${field}`,
})
const askOne = (wire: WireName, part: Json, model = `test/${wire}`): Promise<Seen> =>
  asked(at.key, wire, model, [part])

async function expectTaken(reply: Seen | Promise<Seen>, about = ''): Promise<void> {
  const { status, text } = await reply
  expect(status, `${about} ${text.slice(0, 300)}`).toBe(200)
}

/** So many bytes, of which the first are these. */
const filled = (start: string, bytes: number): string =>
  Buffer.concat([Buffer.from(start, 'base64'), Buffer.alloc(bytes)])
    .subarray(0, bytes)
    .toString('base64')
const mp3 = Buffer.concat(
  Array.from({ length: 3 }, () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)])),
).toString('base64')

/** A readable PDF of exactly so many bytes. */
function pdfOfBytes(bytes: number): string {
  let line = bytes
  for (let round = 0; round < 5; round++) line += bytes - pdfOf(['x'.repeat(line)]).length
  return pdfOf(['x'.repeat(line)]).toString('base64')
}

/** Of the contract; three bytes are four characters of Base64. */
const characters = 2_800_000
const bytes = (characters / 4) * 3
const sized: [string, WireName, string, (count: number) => Json][] = [
  ...wires.map((wire): (typeof sized)[number] => [
    'a picture',
    wire,
    imageField[wire],
    (count) => imagePart[wire]('image/png', filled(png, count)),
  ]),
  ...(['responses', 'messages'] as const).map((wire): (typeof sized)[number] => [
    'a document',
    wire,
    fileField[wire],
    (count) => filePart[wire](pdfOfBytes(count)),
  ]),
  ['sound', 'chat', 'input_audio.data', (count) => audioPart(filled(wav, count), 'wav')],
  ['film', 'chat', 'video_url.url', (count) => videoPart(filled(mp4, count))],
]

describe('2,800,000 characters of Base64 are taken, and not one more', () => {
  test.each(sized)('%s on %s', async (_, wire, field, made) => {
    const before = JSON.stringify(made(bytes))
    expect(/[A-Za-z0-9+/=]{100,}/.exec(before)![0]).toHaveLength(characters)
    await expectTaken(askOne(wire, made(bytes)))
    expect(at.upstream.calls).toHaveLength(1)
    const oneMore = JSON.parse(before.replace(/([A-Za-z0-9+/=]{100,})/, '$1A'))
    const oneLess = JSON.parse(before.replace(/[A-Za-z0-9+/=]([A-Za-z0-9+/=]{100,})/, '$1'))
    // One character less is no Base64 any more: it comes in groups of four.
    for (const part of [made(bytes + 1), oneMore, oneLess])
      expectRefusal(await askOne(wire, part), invalid(wire, field))
    expect(at.upstream.calls).toHaveLength(1)
  })
})

const routes: Record<WireName, [path: string, body: Json]> = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: '' }] }],
  responses: ['/v1/responses', { input: [{ role: 'user', content: '' }] }],
  messages: ['/v1/messages', { max_tokens: 1, messages: [{ role: 'user', content: '' }] }],
}

test.each(wires)('a body of %s has 4 MB and not one byte more', async (wire) => {
  const [path, body] = routes[wire]
  const sent = (size: number): Promise<Seen> => {
    const empty = JSON.stringify({ model: 'no/such', ...body })
    const whole = empty.replace('"content":""', `"content":"${'a'.repeat(size - empty.length)}"`)
    expect(whole).toHaveLength(size)
    return at.key.request('POST', path, whole, { 'anthropic-version': '2023-06-01' })
  }
  const limit = 4 * 1024 * 1024
  expectRefusal(await sent(limit), { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' })
  expectRefusal(await sent(limit + 1), { status: 413, code: 'BODY_TOO_LARGE' })
})

describe('a picture is what its bytes are', () => {
  test.each(wires)('on %s it is taken under every name, and the upstream is told its own', async (wire) => {
    const names = [...Object.keys(images), 'image/jpg', 'IMAGE/PNG', 'image/png;charset=binary']
    for (const [type, data] of Object.entries(images))
      for (const name of names) {
        await expectTaken(askOne(wire, imagePart[wire](name, data)), `${type} as ${name}`)
        const sent = JSON.stringify(at.upstream.calls.at(-1)!.body)
        expect(sent, name).toContain(JSON.stringify(imagePart[wire](type, data)))
      }
  })

  test('in the result of a tool it is told what it is too', async () => {
    const of = (type: string) => [imagePart.messages(type, images['image/jpeg']!)]
    const messages = (type: string) => [
      ...[user('look'), assistant([toolUse('t')])],
      user([toolResult('t', of(type))]),
    ]
    const body = { model: 'test/messages', max_tokens: 64, messages: messages('image/png') }
    await expectTaken(at.key.post('/v1/messages', body, { 'anthropic-version': '2023-06-01' }))
    expect(at.upstream.calls.at(-1)!.body).toMatchObject({ messages: messages('image/jpeg') })
  })

  test.each(wires)('on %s no other type is one', async (wire) => {
    const part = imagePart[wire]('image/bmp', images['image/png']!)
    const { status, body } = await askOne(wire, part)
    expect([status, body.error.code]).toEqual([
      400,
      wire === 'messages' ? 'INVALID_REQUEST' : 'INVALID_MEDIA',
    ])
  })

  const cut = (data: string, count: number) =>
    Buffer.from(data, 'base64').subarray(0, count).toString('base64')
  const header = (start: string, size: (bytes: Buffer) => void): string => {
    const found = Buffer.concat([Buffer.from(start, 'base64'), Buffer.alloc(40)])
    size(found)
    return found.toString('base64')
  }
  const pngOf = (width: number, height: number) =>
    header(png, (found) => {
      found.writeUInt32BE(width, 16)
      found.writeUInt32BE(height, 20)
    })
  const gifOf = (width: number, height: number) =>
    header(Buffer.from('GIF89a').toString('base64'), (found) => {
      found.writeUInt16LE(width, 6)
      found.writeUInt16LE(height, 8)
    })
  const webpOf = (width: number, height: number) =>
    header(Buffer.from('RIFF\0\0\0\0WEBPVP8X').toString('base64'), (found) => {
      found.writeUIntLE(width - 1, 24, 3)
      found.writeUIntLE(height - 1, 27, 3)
    })
  const jpegOf = (width: number, height: number) =>
    header(Buffer.from('ffd8ffc000110800000000', 'hex').toString('base64'), (found) => {
      found.writeUInt16BE(height, 7)
      found.writeUInt16BE(width, 9)
    })

  test.each(wires)('on %s broken and empty ones are refused', async (wire) => {
    const broken: [string, string][] = [
      ['image/png', ''],
      ['image/png', cut(png, 8)],
      ['image/png', cut(png, 20)],
      ['image/png', pngOf(0, 10)],
      ['image/gif', gifOf(0, 0)],
      ['image/jpeg', Buffer.from('ffd8ffd9', 'hex').toString('base64')],
      ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ').toString('base64')],
      ['image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
      ['image/png', pdf(1)],
      ['image/png', mp4],
      ['image/png', '!!!!'],
      ['image/png', `${png.slice(0, 40)}\n${png.slice(40)}`],
    ]
    for (const [type, data] of broken)
      expectRefusal(await askOne(wire, imagePart[wire](type, data)), invalid(wire, imageField[wire]), data)
  })

  test.each(wires)('on %s a header that claims a vast picture is refused', async (wire) => {
    const edges: [string, string][] = [
      ['image/png', pngOf(10_000, 10_000)],
      ['image/png', pngOf(32_767, 1)],
      ['image/jpeg', jpegOf(1, 32_767)],
      ['image/gif', gifOf(10_000, 10_000)],
      ['image/webp', webpOf(10_000, 10_000)],
    ]
    const past: [string, string][] = [
      ['image/png', pngOf(10_000, 10_001)],
      ['image/png', pngOf(32_768, 1)],
      ['image/png', pngOf(2 ** 31 - 1, 2 ** 31 - 1)],
      ['image/jpeg', jpegOf(65_535, 65_535)],
      ['image/gif', gifOf(65_535, 65_535)],
      ['image/webp', webpOf(16_384, 16_384)],
    ]
    for (const [type, data] of edges) await expectTaken(askOne(wire, imagePart[wire](type, data)), type)
    for (const [type, data] of past) {
      const reply = await askOne(wire, imagePart[wire](type, data))
      expectRefusal(reply, invalid(wire, imageField[wire]), type)
      expect(reply.body.error.message).toContain('100 megapixels')
    }
  })
})

describe('sound and film', () => {
  test('wav and mp3 are taken for what they are, whatever they are called', async () => {
    for (const [data, format] of [[wav, 'wav'], [mp3, 'mp3']] as const) // biome-ignore format: pairs
      for (const name of ['wav', 'mp3', 'MP3', 'audio/mp3', 'audio/x-wav', 'audio/wav;codecs=1']) {
        await expectTaken(askOne('chat', audioPart(data, name)), name)
        const sent = JSON.stringify(at.upstream.calls.at(-1)!.body)
        expect(sent, name).toContain(JSON.stringify(audioPart(data, format)))
      }
    const wrong = [audioPart(png, 'wav'), audioPart('', 'wav')]
    const elsewhere = [
      audioPart('https://files.example.test/a.wav', 'wav'),
      audioPart(`data:audio/wav;base64,${wav}`, 'wav'),
    ]
    for (const part of [...wrong, ...elsewhere])
      expectRefusal(await askOne('chat', part), invalid('chat', 'input_audio.data'))
    expectRefusal(await askOne('chat', audioPart(wav, 'ogg')), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: `${placeOf('chat')}.input_audio.format`,
    })
  })

  test('film is an mp4 inline', async () => {
    await expectTaken(askOne('chat', videoPart(mp4)))
    const urls = [
      at.link('/a.mp4'),
      `data:video/webm;base64,${mp4}`,
      `data:video/mp4;base64,${png}`,
      `data:video/mp4;base64,${Buffer.from(mp4, 'base64').subarray(0, 40).toString('base64')}`,
      'data:video/mp4;base64,',
      `data:video/mp4,${mp4}`,
    ]
    for (const url of urls)
      expectRefusal(
        await askOne('chat', { type: 'video_url', video_url: { url } }),
        invalid('chat', 'video_url.url'),
      )
  })

  test.each(['responses', 'messages'] as const)('%s has neither', async (wire) => {
    for (const part of [audioPart(wav, 'wav'), videoPart(mp4)])
      expectRefusal(await askOne(wire, part), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: `${placeOf(wire)}.type`,
      })
  })
})

/** Nobody knows the password of this one. */
const locked = (): string => {
  const [bytes32, id] = ['ab'.repeat(32), '00'.repeat(16)]
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${bytes32}> /U <${bytes32}> /P -4 >>`
  const open = pdfOf(['secret']).toString('latin1')
  return Buffer.from(
    open.replace('/Root 1 0 R', `/Root 1 0 R /ID [<${id}><${id}>] ${lock}`),
    'latin1',
  ).toString('base64')
}

describe('a document', () => {
  test.each(['responses', 'messages'] as const)(
    'on %s is refused locked, broken or of another type',
    async (wire) => {
      for (const [data, why] of [
        [locked(), /password/],
        [Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64'), /broken/],
        [Buffer.from('%PDF-1.7\ngarbage').toString('base64'), /broken/],
        [png, /image\/png, which is not taken here/],
        ['', /empty/],
      ] as const) {
        const reply = await askOne(wire, filePart[wire](data))
        expectRefusal(reply, invalid(wire, fileField[wire]))
        expect(reply.body.error.message).toMatch(why)
      }
      expect(at.upstream.calls).toHaveLength(0)
    },
  )

  test('has at most 100 pages, and 600 where the window is large', async () => {
    const document = filePart.messages
    await expectTaken(askOne('messages', document(pdf(100))))
    await expectTaken(askOne('messages', document(pdf(600)), 'test/large'))
    for (const [pages, model] of [
      [101, 'test/messages'],
      [601, 'test/large'],
    ] as const) {
      const reply = await askOne('messages', document(pdf(pages)), model)
      expectRefusal(reply, invalid('messages', 'source.data'))
      expect(reply.body.error.message).toContain(`has ${pages} pages`)
    }
  })

  test('that cannot be used costs nothing', async () => {
    await at.world.settled()
    const before = await at.world.balance()
    for (const data of [locked(), pdf(101)]) await askOne('messages', filePart.messages(data))
    expect(await at.world.balance()).toEqual(before)
  })
})

describe('what is held', () => {
  /** Micro-credits held while the upstream is asked. */
  async function heldFor(wire: WireName, part: Json): Promise<bigint> {
    await at.world.settled()
    const { promise: held, resolve } = Promise.withResolvers<bigint>()
    at.upstream.replyOnce({ kind: 'silence' })
    const left = new AbortController()
    void held.then(() => left.abort())
    const [path, body] = routes[wire]
    const turn = [{ role: 'user', content: [part] }]
    const limit =
      wire === 'responses' ? { input: turn, max_output_tokens: 100 } : { messages: turn, max_tokens: 100 }
    const asking = at.key.raw(
      'POST',
      path,
      JSON.stringify({ ...body, model: `test/${wire}`, ...limit }),
      { 'anthropic-version': '2023-06-01' },
      left.signal,
    )
    await Promise.all([
      expect(asking).rejects.toThrow(),
      at.upstream.call(at.upstream.calls.length).then(async () => resolve((await at.world.balance()).held)),
    ])
    return held
  }
  const text = (data: string): Json => ({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data },
  })
  const mixed = (...content: Json[]): Json => ({ type: 'document', source: { type: 'content', content } })

  test.each(['responses', 'messages'] as const)('for a PDF on %s goes by its pages', async (wire) => {
    const [one, nine] = [
      await heldFor(wire, filePart[wire](pdf(1))),
      await heldFor(wire, filePart[wire](pdf(9))),
    ]
    expect(nine - one).toBe(8n * 4_600_000n)
  })

  test('for a text document goes by its bytes, for a mixed one by its pictures too', async () => {
    const short = await heldFor('messages', text('a'.repeat(1_000)))
    expect((await heldFor('messages', text('ش'.repeat(1_000)))) - short).toBe(500n * 1_000n)
    const words = { type: 'text', text: 'a'.repeat(1_000) }
    const picture = imagePart.messages('image/png', png)
    expect((await heldFor('messages', mixed(words, picture, picture))) - short).toBe(2n * 4_000_000n)
  })
})

describe('what a tool shows reaches every upstream', () => {
  const results: Record<'responses' | 'messages', (parts: Json[]) => [string, Json]> = {
    messages: (parts) => [
      '/v1/messages',
      {
        max_tokens: 100,
        messages: [user('look'), assistant([toolUse('toolu_1')]), user([toolResult('toolu_1', parts)])],
      },
    ],
    responses: (parts) => [
      '/v1/responses',
      {
        input: [
          { role: 'user', content: 'look' },
          { type: 'function_call', call_id: 'toolu_1', name: 'get_weather', arguments: '{}' },
          { type: 'function_call_output', call_id: 'toolu_1', output: parts },
        ],
      },
    ],
  }
  const doors = ['responses', 'messages'] as const

  test.each(doors.flatMap((from) => wires.map((to) => [from, to] as const)))(
    'from %s to %s',
    async (from, to) => {
      const jpeg = images['image/jpeg']!
      const parts = [
        imagePart[from]('image/png', png),
        imagePart[from]('image/jpeg', jpeg),
        filePart[from](pdf(2)),
      ]
      const [path, body] = results[from](parts)
      const reply = await at.key.post(
        path,
        { model: `test/${to}`, ...body },
        { 'anthropic-version': '2023-06-01' },
      )
      await expectTaken(reply)
      const sent = at.upstream.calls[0]!.body as Json
      for (const data of [png, jpeg, pdf(2)]) expect(JSON.stringify(sent)).toContain(data)
      if (from === to) {
        expect(from === 'messages' ? sent['messages'] : sent['input']).toEqual(
          body['messages'] ?? body['input'],
        )
      } else if (to === 'chat') {
        const [answer, shown] = sent['messages'].slice(-2)
        expect(answer).toMatchObject({ role: 'tool', content: expect.stringContaining('next user message') })
        expect(shown.role).toBe('user')
        expect(shown.content.map(({ type }: Json) => type).filter((type: string) => type !== 'text')).toEqual(
          ['image_url', 'image_url', 'file'],
        )
      }
    },
  )

  test('a chat request may not have them: only users show pictures there', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
    const reply = await at.key.chat({
      messages: [
        { role: 'user', content: 'look' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: [imagePart.chat('image/png', png)] },
      ],
    })
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'messages.2.content.0' })
  })
})
