/** POST /v1/images/edits: its form at every edge, what it costs, and what is stored. */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'
import { bootOnImages, drawn, fieldOf, halves, type ImagesWorld, shareOnImages } from './images-world.ts'

const route = '/v1/images/edits'

let at: ImagesWorld
let small: Buffer
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
  small = await halves(64, 64)
})
afterAll(() => at[Symbol.asyncDispose]())

interface Sent {
  fields?: Record<string, string>
  /** Pictures, by the names of their parts. */
  files?: [string, Uint8Array][]
  headers?: Record<string, string>
  by?: Client
}

async function edit({ fields = {}, files = [['image', small]], headers, by = at.key }: Sent = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'test/painter', prompt: 'make it blue', ...fields }))
    form.append(name, value)
  for (const [part, bytes] of files)
    form.append(part, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' }), 'a.png')
  const encoded = new Response(form)
  return by.request('POST', route, new Uint8Array(await encoded.arrayBuffer()), {
    'content-type': encoded.headers.get('content-type')!,
    ...headers,
  })
}

const filesOf = (reply: Seen): string[] => reply.headers.get('x-file-ids')!.split(', ')
const spooled = async () => {
  const folder = path.resolve(at.world.app.config.dataDir, 'spool')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).length
}
const nothingSpooled = () => until(async () => (await spooled()) === 0)

/** A png of exactly so many bytes: what stands after its end is skipped. */
function pngOf(bytes: number): Buffer {
  const long = Buffer.alloc(bytes)
  small.copy(long)
  return long
}

describe('an edit', () => {
  test('is charged once, stored, named in X-File-Ids and on the receipt', async () => {
    const calls = at.upstream.calls.length
    const reply = await edit({ fields: { n: '2', size: '100x80', output_format: 'webp' } })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({ size: '100x80', output_format: 'webp', quality: 'medium' })
    expect(reply.body.data).toHaveLength(2)
    const cost = String(2 * (42_000_000 + 3_010_000))
    expect(reply.headers.get('x-microcredits')).toBe(cost)
    const receipt = await explained(at.key, requestIdOf(reply))
    expect(receipt).toMatchObject({ state: 'completed', microcredits: cost, endpoint: route })
    expect(receipt.details).toMatchObject({
      files: filesOf(reply),
      pictures: { action: 'edit', references: 1 },
    })
    for (const [index, id] of filesOf(reply).entries()) {
      const kept = await at.key.raw('GET', `/v1/files/${id}`)
      expect(Buffer.from(await kept.arrayBuffer()).toString('base64')).toBe(reply.body.data[index].b64_json)
    }
    const orders = at.upstream.calls.slice(calls)
    expect(orders.map((order) => [order.path, fieldOf(order, 'n')])).toEqual([
      ['/v1/images/edits', '1'],
      ['/v1/images/edits', '1'],
    ])
    expect(orders[0]!.bytes.indexOf(small)).toBeGreaterThan(0)
    await nothingSpooled()
  })

  test('takes a picture whatever its part calls it', async () => {
    for (const [type, name] of [
      ['image/jpg', 'عکس.JPG'],
      ['IMAGE/PNG', 'blob'],
      ['application/octet-stream', 'a'],
      ['', 'a.PNG'],
    ] as const) {
      const form = new FormData()
      form.append('model', 'test/painter')
      form.append('prompt', 'make it blue')
      form.append('image', new Blob([small as Uint8Array<ArrayBuffer>], { type }), name)
      const encoded = new Response(form)
      const body = new Uint8Array(await encoded.arrayBuffer())
      const headers = { 'content-type': encoded.headers.get('content-type')! }
      const reply = await at.key.request('POST', route, body, headers)
      expect([type, reply.status], reply.text.slice(0, 300)).toEqual([type, 200])
    }
  })

  test('sends its pictures in their order, under either name of the part', async () => {
    const other = await halves(32, 64)
    for (const part of ['image', 'image[]']) {
      const reply = await edit({
        files: [
          [part, small],
          [part, other],
        ],
      })
      expect(reply.status, reply.text).toBe(200)
      const sent = at.upstream.calls.at(-1)!.bytes
      expect(sent.indexOf(small)).toBeGreaterThan(0)
      expect(sent.indexOf(other)).toBeGreaterThan(sent.indexOf(small))
    }
  })

  test('that is repeated with its key is answered again and not drawn again; other pictures are a conflict', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await edit({ headers })
    const calls = at.upstream.calls.length
    expect((await edit({ headers })).text).toBe(first.text)
    const other = await edit({ headers, files: [['image', await halves(32, 32)]] })
    expectRefusal(other, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    expect(at.upstream.calls.length).toBe(calls)
  })

  test('names fields that change nothing, and says nothing of those that are honoured', async () => {
    const reply = await edit({
      fields: {
        user: 'u',
        moderation: 'auto',
        made_up: 'x',
        input_fidelity: 'low',
        output_compression: '100',
        stream: 'false',
      },
    })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('x-ignored-fields')).toBe('user, made_up')
  })

  test('honours output_compression in jpeg and webp', async () => {
    const sizeAt = async (output_format: string, output_compression?: string) => {
      const reply = await edit({
        fields: { output_format, ...(output_compression !== undefined && { output_compression }) },
      })
      expect(reply.status, reply.text).toBe(200)
      const bytes = Buffer.from(reply.body.data[0].b64_json, 'base64')
      expect((await sharp(bytes).metadata()).format).toBe(output_format)
      return bytes.length
    }
    const [least, most] = [await sizeAt('webp', '0'), await sizeAt('webp', '99')]
    expect(least).toBeLessThan(most)
    // The model writes no jpeg: it is made here, in the quality that is asked for.
    const [usual, best] = [await sizeAt('jpeg'), await sizeAt('jpeg', '100')]
    expect(usual).toBeLessThan(best)
  })
})

describe('fields at their edge and past it', () => {
  test.each<[string, Record<string, string>, Record<string, string>, string?]>([
    ['prompt', { prompt: '😀'.repeat(32_000) }, { prompt: 'x'.repeat(32_001) }],
    ['prompt', { prompt: 'x' }, { prompt: ' ' }],
    ['n', { n: '10', model: 'sandbox/image', size: '64x64' }, { n: '11' }],
    ['n', { n: '1' }, { n: '0' }],
    ['n', { n: '1' }, { n: 'two' }],
    ['size', { size: 'auto' }, { size: '64' }],
    ['size', { size: '64x64' }, { size: '63x64' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['quality', { quality: 'hd' }, { quality: 'best' }],
    ['background', { background: 'transparent' }, { background: 'clear' }],
    ['output_format', { output_format: 'jpeg' }, { output_format: 'svg' }],
    ['output_compression', { output_compression: '100' }, { output_compression: '101' }],
    ['output_compression', { output_compression: '1', output_format: 'jpeg' }, { output_compression: '99' }],
    ['response_format', { response_format: 'b64_json' }, { response_format: 'file' }],
    ['style', { style: 'natural' }, { style: 'loud' }],
    ['moderation', { moderation: 'low' }, { moderation: 'none' }],
    ['aspect_ratio', { aspect_ratio: '3:2' }, { aspect_ratio: 'wide' }],
    ['complexity', { user: 'u', safety_identifier: 's' }, { complexity: 'low' }],
    ['frame_count', {}, { frame_count: '4' }],
    ['frame_duration_ms', {}, { frame_duration_ms: '100' }],
    ['seed', { seed: '7', model: 'test/seeded' }, { seed: '7' }, 'IMAGE_SEED_NOT_SUPPORTED'],
    ['input_fidelity', { input_fidelity: 'high' }, { input_fidelity: 'highest' }],
    ['partial_images', { partial_images: '3', stream: 'true' }, { partial_images: '4', stream: 'true' }],
    ['partial_images', { partial_images: '0' }, { partial_images: '1' }],
    ['n', { n: '1', stream: 'true' }, { n: '2', stream: 'true' }],
    ['response_format', { stream: 'true' }, { stream: 'true', response_format: 'url' }],
    ['stream', { stream: 'false' }, { stream: 'maybe' }],
  ])('%s: %o is taken, %o is not', async (param, inside, beyond, code = 'INVALID_REQUEST') => {
    const taken = await edit({ fields: inside })
    expect(taken.status, taken.text.slice(0, 300)).toBe(200)
    await at.world.settled()
    const [calls, balance] = [at.upstream.calls.length, await at.world.balance()]
    expectRefusal(await edit({ fields: beyond }), { status: 400, code, param })
    expect(at.upstream.calls.length).toBe(calls)
    expect(await at.world.balance()).toEqual(balance)
    await nothingSpooled()
  })

  test('model: one that draws', async () => {
    const refused = (model: string) => edit({ fields: { model } })
    expectRefusal(await refused('no/such'), { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' })
    expectRefusal(await refused('sandbox/fast'), { status: 400, code: 'MODEL_KIND_MISMATCH', param: 'model' })
    const poor = await at.world.stranger(0)
    expect((await edit({ by: poor.client })).status).toBe(402)
    await nothingSpooled()
  })
})

describe('files', () => {
  const many = (count: number, part = 'image'): [string, Uint8Array][] =>
    Array.from({ length: count }, () => [part, small])

  test('eight are taken, nine are not, and no more than the model takes', async () => {
    const eight = await edit({ files: many(8), fields: { model: 'sandbox/image', size: '128x128' } })
    expect(eight.status, eight.text.slice(0, 300)).toBe(200)
    for (const part of ['image', 'image[]'])
      expectRefusal(await edit({ files: many(9, part) }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'image',
      })
    expectRefusal(await edit({ files: many(40) }), { status: 400, code: 'INVALID_REQUEST', param: 'image' })
    expectRefusal(await edit({ files: many(3) }), {
      status: 400,
      code: 'IMAGE_SETTING_NOT_SUPPORTED',
      param: 'image',
    })
    await nothingSpooled()
  })

  test.each(['mask', 'markup', 'mask[]', 'image[1]', 'images', 'foo'])(
    'in the part %s, small or large, nothing is taken and its name is said',
    async (part) => {
      for (const bytes of [small, pngOf(200_000)])
        expectRefusal(
          await edit({
            files: [
              ['image', small],
              [part, bytes],
            ],
          }),
          {
            status: 400,
            code: 'INVALID_REQUEST',
            param: part,
          },
        )
      await nothingSpooled()
    },
  )

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['is no PNG', () => sharp(small).jpeg().toBuffer()],
    ['is empty', () => Buffer.alloc(0)],
    ['has no alpha channel', () => sharp(small).removeAlpha().png().toBuffer()],
    ['has another size', () => sharp(small).resize(64, 32).ensureAlpha().png().toBuffer()],
  ])('a mask that %s is refused before anything is held', async (_, bytes) => {
    const files: [string, Uint8Array][] = [
      ['image', small],
      ['mask', await bytes()],
    ]
    const calls = at.upstream.calls.length
    const refused = await edit({ files, fields: { model: 'test/masked' } })
    expectRefusal(refused, { status: 400, code: 'INVALID_MEDIA', param: 'mask' })
    expect(at.upstream.calls.length).toBe(calls)
    await nothingSpooled()
  })

  test('a photo that its camera turned leaves upright beside its mask', async () => {
    const photo = await sharp(await halves(128, 64))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const mask = await sharp(await halves(64, 128))
      .ensureAlpha(0.5)
      .png()
      .toBuffer()
    const calls = at.upstream.calls.length
    const files: [string, Uint8Array][] = [
      ['image', photo],
      ['mask', mask],
    ]
    const reply = await edit({ files, fields: { model: 'test/masked', size: '128x128' } })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    const { bytes, headers } = await at.upstream.call(calls)
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': String(headers['content-type']) },
    }).formData()
    const sent = [...form.values()].find((value) => typeof value !== 'string' && value.type === 'image/jpeg')
    const { width, height, orientation } = await sharp(
      Buffer.from(await (sent as File).arrayBuffer()),
    ).metadata()
    expect([width, height, orientation]).toEqual([64, 128, undefined])
  })

  test('a mask without a picture says that the picture is missing', async () => {
    const refused = await edit({ files: [['mask', small]], fields: { model: 'test/masked' } })
    expectRefusal(refused, { status: 400, code: 'INVALID_REQUEST', param: 'image' })
  })

  test('AVIF is sent on as JPEG, or as PNG where it may be transparent; HEIC that nobody reads is refused in words', async () => {
    const clear = sharp({ create: { width: 64, height: 64, channels: 4, background: '#ff000080' } })
    for (const [avif, type] of [
      [await sharp(small).removeAlpha().avif({ effort: 0 }).toBuffer(), 'image/jpeg'],
      [await clear.avif({ effort: 0 }).toBuffer(), 'image/png'],
    ] as const) {
      const reply = await edit({ files: [['image', avif]] })
      expect(reply.status, reply.text).toBe(200)
      expect(at.upstream.calls.at(-1)!.bytes.toString('latin1')).toContain(`Content-Type: ${type}`)
    }
    const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(400)])
    const refused = await edit({ files: [['image', heic]] })
    expectRefusal(refused, { status: 400, code: 'INVALID_MEDIA', param: 'image' })
    expect(refused.body.error.message).toContain('HEIC')
  })

  test('an empty picture is told to be empty', async () => {
    const refused = await edit({ files: [['image', Buffer.alloc(0)]] })
    expectRefusal(refused, { status: 400, code: 'INVALID_MEDIA', param: 'image' })
    expect(refused.body.error.message).toContain('empty')
  })

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['text', () => Buffer.from('hello')],
    ['nothing', () => Buffer.alloc(0)],
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['GIF', () => sharp(small).gif().toBuffer()],
    ['a picture of vast size', vastPng],
  ])('%s is no picture here', async (_, bytes) => {
    const files: [string, Uint8Array][] = [
      ['image', small],
      ['image', await bytes()],
    ]
    expectRefusal(await edit({ files }), { status: 400, code: 'INVALID_MEDIA', param: 'image.1' })
  })
})

/** 60,000 pixels a side, as its header says. */
async function vastPng(): Promise<Buffer> {
  const png = Buffer.from(small)
  png.writeUInt32BE(60_000, 16)
  png.writeUInt32BE(60_000, 20)
  return png
}

describe('a form that is not as it should be', () => {
  const raw = (body: string, type = 'multipart/form-data; boundary=x') =>
    at.key.request('POST', route, body, { 'content-type': type })
  const part = (name: string, content: string, more = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`
  const nameless = '--x\r\nContent-Disposition: form-data; filename="a.png"\r\n\r\nhello\r\n'
  const model = part('model', 'test/painter')
  const whole = `${model}${part('prompt', 'a')}${part('image', 'hello', '; filename="a.png"')}`

  test.each<[string, () => Promise<Seen>, string?]>([
    ['no boundary', () => raw(`${whole}--x--\r\n`, 'multipart/form-data')],
    ['JSON', () => raw('{"model":"test/painter"}', 'application/json')],
    ['cut off in a file', () => raw(whole)],
    ['cut off in a header', () => raw(`${whole}--x\r\nContent-Disp`)],
    ['a file without a name of its part', () => raw(`${nameless}${whole}--x--\r\n`)],
    ['a field twice', () => raw(`${model}${whole}--x--\r\n`), 'model'],
    ['a field too long', () => raw(`${part('prompt', 'x'.repeat(128_001))}${whole}--x--\r\n`), 'prompt'],
    ['no picture', () => edit({ files: [] }), 'image'],
    ['no prompt', () => raw(`${model}${part('image', 'hello', '; filename="a.png"')}--x--\r\n`), 'prompt'],
    [
      'many fields',
      () => edit({ fields: Object.fromEntries(Array.from({ length: 60 }, (_, at_) => [`f${at_}`, 'x'])) }),
    ],
  ])('%s is refused, and leaves nothing', async (_, send, param) => {
    const calls = at.upstream.calls.length
    expectRefusal(await send(), {
      status: 400,
      code: 'INVALID_REQUEST',
      ...(param !== undefined && { param }),
    })
    expect(at.upstream.calls.length).toBe(calls)
    await nothingSpooled()
  })
})

test('a form whose pictures have no room in memory is told to come again', async () => {
  await using tight = await bootOnImages({
    more: 'limits: { body_bytes_in_flight: 1000000 }',
    timing: { bodyWaitMs: 100 },
  })
  const large = { by: tight.key, files: [['image', pngOf(900_000)]] as [string, Uint8Array][] }
  const gate = Promise.withResolvers<void>()
  tight.upstream.reply(async (call) => {
    await gate.promise
    return drawn(call)
  })
  const first = edit(large)
  await tight.upstream.call(0)
  expectRefusal(await edit(large), { status: 503, code: 'TOO_MUCH_IN_FLIGHT' })
  // The PNG that is made of it has 250,000.
  const avif: [string, Uint8Array][] = [['image', await noise().avif({ effort: 0 }).toBuffer()]]
  expect(avif[0]![1].length).toBeLessThan(90_000)
  expectRefusal(await edit({ by: tight.key, files: avif }), { status: 503, code: 'TOO_MUCH_IN_FLIGHT' })
  gate.resolve()
  expect((await first).status).toBe(200)
  expect((await edit(large)).status).toBe(200)
})

function noise() {
  const raw = { width: 256, height: 256, channels: 4 } as const
  return sharp(randomBytes(256 * 256 * 4), { raw })
}
