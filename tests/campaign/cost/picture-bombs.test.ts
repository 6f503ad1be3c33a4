/**
 * Pictures of a few kilobytes that become gigabytes where they are decoded: as a reference, as a picture to edit, and from an upstream. What is
 * beyond a bound is refused before the hold; the rest is never decoded whole, and neither holds the event loop.
 */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { expectNoHold } from '../../cost/cost.ts'
import type { Seen } from '../../harness/client.ts'
import { json } from '../../harness/upstream.ts'
import { drawn, halves, type ImagesWorld, shareOnImages } from '../../media/images-world.ts'

let at: ImagesWorld
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

function chunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(content.length)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}
const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** A whole PNG of one grey, 8 bits a pixel, with these chunks before its pixels. */
function grey(width: number, height: number, more: Buffer[] = []): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const pixels = deflateSync(Buffer.alloc((width + 1) * height), { level: 9 })
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Zeros, packed to a thousandth. */
const packed = (megabytes: number): Buffer => deflateSync(Buffer.alloc(megabytes << 20), { level: 9 })
const withText = (megabytes: number) =>
  grey(128, 128, [chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), packed(megabytes)]))])
const withProfile = (megabytes: number) =>
  grey(128, 128, [chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0'), packed(megabytes)]))])

/** A GIF of a canvas of 16 megapixels and so many frames of one pixel. */
function gif(frames: number): Buffer {
  const head = Buffer.from('474946383961a00fa00f800000000000ffffff', 'hex')
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
}

/** A WebP of a canvas of 16 megapixels and so many frames of one pixel. */
async function webp(frames: number): Promise<Buffer> {
  const one = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .webp({ lossless: true })
    .toBuffer()
  const part = (name: string, content: Uint8Array): Buffer => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)])
  }
  const canvas = Buffer.from('020000009f0f009f0f00', 'hex')
  const frame = part(
    'ANMF',
    Buffer.concat([Buffer.from('00000000000000000000000064000000', 'hex'), one.subarray(12)]),
  )
  const content = Buffer.concat([
    Buffer.from('WEBP'),
    part('VP8X', canvas),
    part('ANIM', Buffer.alloc(6)),
    ...Array<Buffer>(frames).fill(frame),
  ])
  return part('RIFF', content)
}

/** Each is made once: packing so many bytes takes the processor for seconds, and tests read them only. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
const bombs = {
  mp400: once(() => grey(20_000, 20_000)),
  mp100: once(() => grey(10_000, 10_000)),
  text: once(() => withText(256)),
  profile: once(() => withProfile(256)),
  webp: once(() => webp(5_000)),
}

const dataUrl = (bytes: Buffer, type: string) => `data:${type};base64,${bytes.toString('base64')}`

type Send = (
  bytes: Buffer,
  type: string,
  more?: Record<string, string>,
  headers?: Record<string, string>,
) => Promise<Seen>
const asReference: Send = (bytes, type, more = {}, headers = {}) =>
  at.key.post(
    '/v1/studio/image',
    { model: 'test/painter', prompt: 'a cat', reference: { dataUrl: dataUrl(bytes, type) }, ...more },
    headers,
  )
const asEdit: Send = async (bytes, type, more = {}, headers = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'test/painter', prompt: 'a cat', ...more }))
    form.append(name, value)
  form.append('image', new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), 'a.bin')
  const encoded = new Response(form)
  return at.key.request('POST', '/v1/images/edits', new Uint8Array(await encoded.arrayBuffer()), {
    'content-type': encoded.headers.get('content-type')!,
    ...headers,
  })
}
const doors: [string, Send, string][] = [
  ['/v1/studio/image', asReference, 'reference.dataUrl'],
  ['/v1/images/edits', asEdit, 'image'],
]

/** Less than the 400 MB of pixels, and the 256 MB of metadata; a canvas of 16 megapixels is 64 MB. */
const maxGrowthMb = 220

/** Memory of the whole process, libvips included, does not grow by the pixels, and no turn of the event loop is long. */
async function expectCheap(name: string, act: () => Promise<unknown>): Promise<void> {
  const before = process.memoryUsage.rss()
  let most = before
  let isOver = false
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss())
    if (!isOver) setTimeout(look, 1)
  }
  look()
  await expectNoHold(name, act)
  isOver = true
  expect((most - before) / 2 ** 20, name).toBeLessThan(maxGrowthMb)
}

describe.each(doors)('%s', (_, send, param) => {
  test.each<[string, () => Buffer, object]>([
    ['400 megapixels', bombs.mp400, { en: '100 megapixels', fa: '۱۰۰ مگاپیکسل' }],
    [
      'a row more than 100 megapixels',
      () => grey(10_000, 10_001),
      { en: '100 megapixels', fa: '۱۰۰ مگاپیکسل' },
    ],
    [
      'a pixel more than the longest side',
      () => grey(32_768, 1),
      { en: '32,767 pixels', fa: '۳۲٬۷۶۷ پیکسل' },
    ],
  ])('%s are refused before the hold, in a sentence', async (name, make, sentences) => {
    const bytes = make()
    expect(bytes.length).toBeLessThan(500_000)
    await at.world.settled()
    const [calls, balance] = [at.upstream.calls.length, await at.world.balance()]
    for (const [language, sentence] of Object.entries(sentences)) {
      const reply = await send(bytes, 'image/png', {}, { 'accept-language': language })
      expectRefusal(reply, { status: 400, code: 'INVALID_MEDIA', param })
      expect(reply.body.error.message).toContain(sentence)
    }
    await expectCheap(name, () => send(bytes, 'image/png'))
    expect(at.upstream.calls.length).toBe(calls)
    expect(await at.world.balance()).toEqual(balance)
  })

  test.each<[string, string, () => Buffer | Promise<Buffer>]>([
    ['exactly 100 megapixels', 'image/png', bombs.mp100],
    ['the longest side', 'image/png', () => grey(32_767, 1)],
    ['a colour profile of 256 MB', 'image/png', bombs.profile],
    ['5,000 frames in WebP', 'image/webp', bombs.webp],
  ])('%s reach the upstream as they are, undecoded', async (name, type, make) => {
    const bytes = await make()
    const reply = await send(bytes, type)
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    expect(at.upstream.calls.at(-1)!.bytes.indexOf(bytes)).toBeGreaterThan(0)
    await expectCheap(name, () => send(bytes, type))
  })

  test('a text of 256 MB stays here, and the picture goes on without it', async () => {
    const bytes = bombs.text()
    const reply = await send(bytes, 'image/png')
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    const sent = at.upstream.calls.at(-1)!.bytes
    expect(sent.indexOf('zTXt')).toBe(-1)
    expect(sent.indexOf(bytes.subarray(0, 33))).toBeGreaterThan(0)
    await expectCheap('a text of 256 MB', () => send(bytes, 'image/png'))
  })

  test('5,000 frames in GIF are refused, as every GIF is', async () => {
    const calls = at.upstream.calls.length
    const reply = await send(gif(5_000), 'image/gif')
    expectRefusal(reply, { status: 400, code: 'INVALID_MEDIA', param })
    expect(reply.body.error.message).toContain('image/webp')
    expect(at.upstream.calls.length).toBe(calls)
  })

  test.each<[string, string, () => Buffer | Promise<Buffer>]>([
    ['exactly 100 megapixels', 'image/png', bombs.mp100],
    ['a text of 256 MB', 'image/png', bombs.text],
    ['a colour profile of 256 MB', 'image/png', bombs.profile],
    ['5,000 frames in WebP', 'image/webp', bombs.webp],
  ])('%s are drawn over by the sandbox, which decodes them', async (name, type, make) => {
    const bytes = await make()
    const more = { model: 'sandbox/image', size: '512x512' }
    const reply = await send(bytes, type, more)
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    await expectCheap(name, () => send(bytes, type, more))
  })
})

describe('from an upstream', () => {
  const order = () => at.key.post('/v1/studio/image', { model: 'test/painter', prompt: 'a cat' })
  test.each<[string, number, () => Buffer | Promise<Buffer>]>([
    ['400 megapixels', 502, bombs.mp400],
    ['a row more than 64 megapixels', 502, () => grey(8_000, 8_001)],
    ['a text of 256 MB', 200, bombs.text],
    ['a colour profile of 256 MB', 200, bombs.profile],
    ['5,000 frames in WebP', 200, bombs.webp],
    ['5,000 frames in GIF', 200, () => gif(5_000)],
  ])('%s: %i, charged for what is stored alone', async (name, status, make) => {
    const bytes = await make()
    at.upstream.reply(json(200, { data: [{ b64_json: bytes.toString('base64') }] }))
    try {
      await at.world.settled()
      const { available } = await at.world.balance()
      const reply = await order()
      expect(reply.status, reply.text.slice(0, 300)).toBe(status)
      await at.world.settled()
      const after = await at.world.balance()
      expect(after).toEqual({ available: status === 200 ? available - 42_000_000n : available, held: 0n })
      await expectCheap(name, order)
    } finally {
      at.upstream.reply(drawn)
    }
  })
})

test('what the bombs are made of is a picture', async () => {
  for (const bytes of [
    grey(16, 16),
    withText(1),
    withProfile(1),
    gif(3),
    await webp(3),
    await halves(16, 16),
  ])
    expect((await sharp(bytes).metadata()).format).toBeDefined()
})
