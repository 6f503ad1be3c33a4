/** The images API with the official OpenAI client. */
import OpenAI, { APIError, PermissionDeniedError, toFile } from 'openai'
import type { ImageGenStreamEvent } from 'openai/resources/images'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { json, reset, type Script, stream } from '../harness/upstream.ts'
import { colourAt, drawn, halves, type ImagesWorld, shareOnImages } from '../media/images-world.ts'
import { explained } from '../text/chat-world.ts'

let at: ImagesWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterEach(() => at.upstream.reply(drawn))
afterAll(() => at[Symbol.asyncDispose]())

const path = '/v1/images/generations'
const ask = { model: 'test/painter', prompt: 'a cat on a roof' }

test.each(['test/painter', 'sandbox/image'])(
  '%s: generate() gives the picture, its cost and its receipt',
  async (model) => {
    const asked = { ...ask, model, quality: 'low' as const, output_format: 'webp' as const }
    const { data, request_id: id, response } = await client.images.generate(asked).withResponse()
    const bytes = Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64')
    expect((await sharp(bytes).metadata()).format).toBe('webp')
    expect(data).toMatchObject({ quality: 'low', output_format: 'webp', created: expect.any(Number) })
    const receipt = await explained(at.key, id!)
    expect(receipt).toMatchObject({ model, state: 'completed' })
    expect(data.usage).toMatchObject({
      credits: Number(receipt.microcredits) / 1e6,
      microcredits: receipt.microcredits,
    })
    expect(response.headers.get('x-microcredits')).toBe(receipt.microcredits)
  },
)

test('the price is that of the quality, held and charged alike; hd is high and standard is auto', async () => {
  for (const [quality, price] of [
    ['low', 11_000_000n],
    ['hd', 167_000_000n],
  ] as const) {
    const { request_id: id } = await client.images
      .generate({ ...ask, quality, size: '128x128' as '1024x1024' })
      .withResponse()
    const receipt = await explained(at.key, id!)
    expect([quality, receipt.microcredits, receipt.reserved_microcredits]).toEqual([
      quality,
      String(price),
      String(price),
    ])
  }
  expect((await at.key.post(path, { ...ask, quality: 'standard', response_format: 'b64_json' })).status).toBe(
    200,
  )
})

test.each(['b64_json', 'url'] as const)(
  'a prompt that the upstream revised is said with its %s',
  async (format) => {
    const [one, other] = await Promise.all([halves(128, 128), halves(128, 128)])
    const item = (bytes: Buffer, more = {}) => ({ b64_json: bytes.toString('base64'), ...more })
    at.upstream.replyOnce(
      json(200, { data: [item(one!), item(other!, { revised_prompt: 'گربه‌ای نارنجی' })] }),
    )
    const { data } = await client.images.generate({
      ...ask,
      model: 'test/seeded',
      n: 2,
      response_format: format,
    })
    expect(data?.map(({ revised_prompt }) => revised_prompt)).toEqual([undefined, 'گربه‌ای نارنجی'])
  },
)

test('fields that ask for nothing are taken, and those that change no picture are named', async () => {
  const { response } = await client.images
    .generate({ ...ask, style: 'vivid', moderation: 'auto', complexity: null, frame_count: null, user: 'u' })
    .withResponse()
  expect(response.headers.get('x-ignored-fields')).toBe('user')
})

test('a size that the model does not draw is made of one that it does', async () => {
  const { data } = await client.images.generate({ ...ask, size: '100x80' as '1024x1024' })
  const { width, height } = await sharp(Buffer.from(data?.[0]?.b64_json ?? '', 'base64')).metadata()
  expect([width, height]).toEqual([100, 80])
})

test('a repeat with its key gets the same bytes and nothing is drawn again', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const before = at.upstream.calls.length
  const first = await at.key.post(path, ask, headers)
  const again = await at.key.post(path, ask, headers)
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect(again.headers.get('x-credits')).toBe(first.headers.get('x-credits'))
  expect(first.headers.get('x-file-ids')).toMatch(/^[0-9a-f-]{36}$/)
  expect(again.headers.get('x-file-ids')).toBe(first.headers.get('x-file-ids'))
  expect(at.upstream.calls.length - before).toBe(1)
})

test('an order whose line broke may have been drawn: it costs nothing and is never given again', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  await at.world.settled()
  const before = await at.world.balance()
  at.upstream.reply(reset)
  const calls = at.upstream.calls.length
  expect((await at.key.post(path, ask, headers)).status).toBe(502)
  expect((await at.key.post(path, ask, headers)).status).toBe(409)
  expect(at.upstream.calls.length - calls).toBe(1)
  await at.world.settled()
  expect(await at.world.balance()).toEqual(before)
})

test('what is wrong is refused before anything is held, and says the field', async () => {
  const calls = at.upstream.calls.length
  for (const [more, param, code] of [
    [{ response_format: 'file' }, 'response_format', 'INVALID_REQUEST'],
    [{ response_format: 'url', stream: true }, 'response_format', 'INVALID_REQUEST'],
    [{ stream: true, n: 2 }, 'n', 'INVALID_REQUEST'],
    [{ partial_images: 2 }, 'partial_images', 'INVALID_REQUEST'],
    [{ partial_images: 4, stream: true }, 'partial_images', 'INVALID_REQUEST'],
    [{ output_compression: 50 }, 'output_compression', 'INVALID_REQUEST'],
    [{ output_compression: 101 }, 'output_compression', 'INVALID_REQUEST'],
    [{ style: 'loud' }, 'style', 'INVALID_REQUEST'],
    [{ moderation: 'none' }, 'moderation', 'INVALID_REQUEST'],
    [{ mask: 'iVBORw0KGgo=' }, 'mask', 'INVALID_REQUEST'],
    [{ aspect_ratio: 'wide' }, 'aspect_ratio', 'INVALID_REQUEST'],
    [{ aspect_ratio: '3:2', size: '128x128' }, 'aspect_ratio', 'IMAGE_SIZE_CONFLICT'],
    [{ complexity: 'high' }, 'complexity', 'INVALID_REQUEST'],
    [{ frame_count: 4 }, 'frame_count', 'INVALID_REQUEST'],
    [{ frame_duration_ms: 100 }, 'frame_duration_ms', 'INVALID_REQUEST'],
    [{ svg: { model: 'gpt-6' } }, 'svg', 'INVALID_REQUEST'],
    [{ seed: 7 }, 'seed', 'IMAGE_SEED_NOT_SUPPORTED'],
    [{ prompt: ' ' }, 'prompt', 'INVALID_REQUEST'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt', 'INVALID_REQUEST'],
    [{ n: 11 }, 'n', 'INVALID_REQUEST'],
    [{ size: 'big' }, 'size', 'INVALID_REQUEST'],
    [{ quality: 'best' }, 'quality', 'INVALID_REQUEST'],
    [{ model: 'sandbox/fast' }, 'model', 'MODEL_KIND_MISMATCH'],
    [{ model: 'nobody/none' }, 'model', 'MODEL_NOT_FOUND'],
  ] as const) {
    const { body } = await at.key.post(path, { ...ask, ...more })
    expect([more, body.error?.code, body.error?.param]).toEqual([more, code, param])
  }
  const writer = await at.world.key({ scopes: ['responses:write'] })
  const scoped = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: writer.secret, maxRetries: 0 })
  await expect(scoped.images.generate(ask)).rejects.toBeInstanceOf(PermissionDeniedError)
  expect((await (await at.world.stranger(0)).client.post(path, ask)).status).toBe(402)
  expect(at.upstream.calls.length).toBe(calls)
})

const pictures = async (...sizes: number[]) =>
  Promise.all(sizes.map(async (size) => toFile(await halves(size, size), 'a.png', { type: 'image/png' })))

test('edit() sends one picture or several, and gets one', async () => {
  const [one, other] = await pictures(64, 32)
  for (const image of [one!, [one!, other!]]) {
    const { data, request_id: id } = await client.images
      .edit({ ...ask, image, size: '100x80' as '1024x1024', quality: 'low', n: 1, user: 'u' })
      .withResponse()
    const { width, height } = await sharp(Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64')).metadata()
    expect([width, height]).toEqual([100, 80])
    const receipt = await explained(at.key, id!)
    expect(receipt.details).toMatchObject({ pictures: { references: [image].flat().length } })
    expect(data.usage).toMatchObject({ microcredits: receipt.microcredits })
  }
})

test('edit() with the sandbox, offline: the given picture is the backdrop of the new one', async () => {
  const [image] = await pictures(512)
  const { data, request_id: id } = await client.images
    .edit({ model: 'sandbox/image', prompt: 'گربه‌ای روی بام', image: image!, size: '512x512', n: 1 })
    .withResponse()
  const bytes = Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64')
  const { width, height, format } = await sharp(bytes).metadata()
  expect([width, height, format]).toEqual([512, 512, 'png'])
  expect([await colourAt(bytes, 4, 4), await colourAt(bytes, 507, 4)]).toEqual(['#ff0000', '#0000ff'])
  const receipt = await explained(at.key, id!)
  // A picture of this size is 0.006 USD, its reference 0.001.
  expect(receipt).toMatchObject({ state: 'completed', microcredits: '7000000' })
  expect(receipt.details).toMatchObject({ pictures: { action: 'edit', references: 1, delivered: 1 } })
  const { files } = receipt.details as unknown as { files: string[] }
  const stored = await (await at.key.raw('GET', `/v1/files/${files[0]}`)).arrayBuffer()
  expect(Buffer.from(stored).equals(bytes)).toBe(true)
})

test('a url is a link of ours that needs no key, to the file that is stored', async () => {
  const [image] = await pictures(64)
  const asked = { ...ask, response_format: 'url' as const, n: 2 }
  for (const { data, response } of [
    await client.images.generate(asked).withResponse(),
    await client.images.edit({ ...asked, image: image! }).withResponse(),
  ]) {
    const files = response.headers.get('x-file-ids')!.split(', ')
    expect(data.data).toHaveLength(2)
    for (const [index, { url, b64_json }] of data.data!.entries()) {
      expect(b64_json).toBeUndefined()
      expect(url).toMatch(new RegExp(`^${at.world.url}/v1/media/[\\w-]{94}$`))
      const linked = await fetch(url!)
      const stored = await at.key.raw('GET', `/v1/files/${files[index]}`)
      expect(linked.headers.get('content-type')).toBe('image/png')
      expect(Buffer.from(await linked.arrayBuffer())).toEqual(Buffer.from(await stored.arrayBuffer()))
    }
  }
})

test('a stream has its picture in the last event, when file and charge are there; none is invented before', async () => {
  const [image] = await pictures(64)
  for (const [type, draw] of [
    ['image_generation.completed', () => client.images.generate({ ...ask, stream: true, partial_images: 2 })],
    ['image_edit.completed', () => client.images.edit({ ...ask, image: image!, stream: true })],
  ] as const) {
    const stream = await draw()
    const events: Record<string, unknown>[] = []
    for await (const event of stream) {
      events.push(event as never)
      const { file_id: id, usage } = event as unknown as { file_id: string; usage: { microcredits: string } }
      const [file] = (await at.key.get('/v1/files?limit=1')).body.data
      expect(file.id).toBe(id)
      const receipt = (await at.key.receipt(file.receipt_id)).body
      expect(receipt).toMatchObject({ state: 'completed', microcredits: usage.microcredits })
      expect(receipt.details.files).toEqual([id])
    }
    expect(events).toEqual([
      {
        type,
        b64_json: expect.any(String),
        created_at: expect.any(Number),
        model: 'test/painter',
        file_id: expect.any(String),
        background: 'auto',
        output_format: 'png',
        quality: 'medium',
        size: '128x128',
        usage: expect.objectContaining({ input_tokens: 0, output_tokens: 0, total_tokens: 0 }),
      },
    ])
    const { format } = await sharp(Buffer.from(String(events[0]!['b64_json']), 'base64')).metadata()
    expect(format).toBe('png')
  }
})

describe('unfinished pictures', () => {
  const drawing = (count: number, bytes: Buffer[]): Script =>
    stream([
      ...Array.from({ length: count }, (_, index) => ({
        type: 'image_generation.partial_image',
        b64_json: bytes[index % bytes.length]!.toString('base64'),
        partial_image_index: index,
      })),
      { type: 'image_generation.completed', b64_json: bytes[0]!.toString('base64') },
    ])
  const collected = async (partials: number) => {
    const events = await client.images.generate({
      ...ask,
      model: 'test/gradual',
      size: '100x80' as '1024x1024',
      stream: true,
      partial_images: partials,
    })
    return (await Array.fromAsync(events)) as (ImageGenStreamEvent & { usage: { microcredits: string } })[]
  }

  test.each([
    ['as many as are asked for', 2, 2, 2],
    ['no more than are asked for', 1, 5, 1],
    ['fewer where fewer come', 2, 1, 1],
    ['no more than the model has', 3, 3, 2],
  ])('%s are sent in the size of the picture, and charged', async (_, asked, drawnOnes, sent) => {
    at.upstream.reply(drawing(drawnOnes, [await halves(128, 128), await halves(64, 64)]))
    const events = await collected(asked)
    expect(events.map(({ type }) => type)).toEqual([
      ...Array(sent).fill('image_generation.partial_image'),
      'image_generation.completed',
    ])
    for (const [index, event] of events.entries()) {
      const { width, height } = await sharp(Buffer.from(event.b64_json, 'base64')).metadata()
      expect([width, height, event.size]).toEqual([100, 80, '100x80'])
      if (event.type === 'image_generation.partial_image') expect(event.partial_image_index).toBe(index)
    }
    expect(at.upstream.calls.at(-1)?.body).toMatchObject({ stream: true, partial_images: Math.min(asked, 2) })
    expect(events.at(-1)!.usage.microcredits).toBe(String(40_000_000 + sent * 3_000_000))
  })

  test('what is no picture is passed over and costs nothing', async () => {
    at.upstream.reply(drawing(2, [await halves(128, 128), Buffer.from('<html>')]))
    const events = await collected(2)
    expect(events).toHaveLength(2)
    expect(events.at(-1)!.usage.microcredits).toBe('43000000')
  })

  test('the sandbox draws them in blocks, offline', async () => {
    const events = await client.images.generate({
      model: 'sandbox/image',
      prompt: 'گلی در باران',
      size: '512x512' as '1024x1024',
      stream: true,
      partial_images: 3,
    })
    const seen = (await Array.fromAsync(events)) as ImageGenStreamEvent[]
    expect(seen.map(({ type }) => type.split('.')[1])).toEqual([
      ...Array(3).fill('partial_image'),
      'completed',
    ])
    const pixels = await Promise.all(
      seen.map(({ b64_json }) => sharp(Buffer.from(b64_json, 'base64')).removeAlpha().raw().toBuffer()),
    )
    const finished = pixels.pop()!
    const differences = pixels.map((one) =>
      one.reduce((sum, value, at) => sum + Math.abs(value - finished[at]!), 0),
    )
    expect(differences).toEqual(differences.toSorted((a, b) => b - a))
    expect(differences.at(-1)).toBeGreaterThan(0)
  })

  test('whoever leaves after one pays for what was drawn and finds the file', async () => {
    const gate = Promise.withResolvers<void>()
    const bytes = (await halves(128, 128)).toString('base64')
    at.upstream.reply(
      stream([
        { type: 'image_generation.partial_image', b64_json: bytes, partial_image_index: 0 },
        gate.promise,
        { type: 'image_generation.completed', b64_json: bytes },
      ]),
    )
    const leaving = new AbortController()
    const events = await client.images.generate(
      { ...ask, model: 'test/gradual', stream: true, partial_images: 2 },
      { signal: leaving.signal },
    )
    const files = (await at.key.get('/v1/files?limit=1')).body.data[0]?.id
    for await (const event of events) {
      expect(event.type).toBe('image_generation.partial_image')
      break
    }
    leaving.abort()
    gate.resolve()
    const file = await until(async () => {
      const [newest] = (await at.key.get('/v1/files?limit=1')).body.data
      return newest?.id === files ? undefined : newest
    })
    expect((await explained(at.key, file.receipt_id)).microcredits).toBe('43000000')
  })
})

test('a stream of which nothing came ends in an error, costs nothing and leaves no file', async () => {
  await at.world.settled()
  const before = await at.world.balance()
  const files = (await at.key.get('/v1/files?limit=1')).body.data[0]?.id
  at.upstream.reply(json(500, 'oops'))
  const stream = await client.images.generate({ ...ask, stream: true })
  const read = async () => {
    for await (const event of stream) expect(event).toBeUndefined()
  }
  const error = (await read().catch((thrown: unknown) => thrown)) as APIError
  expect(error).toBeInstanceOf(APIError)
  expect(error.code).toMatch(/^UPSTREAM_/)
  expect((await at.key.get('/v1/files?limit=1')).body.data[0]?.id).toBe(files)
  await at.world.settled()
  expect(await at.world.balance()).toEqual(before)
})

test('whoever leaves a stream pays once and finds the file; a repeat draws nothing', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const gate = Promise.withResolvers<void>()
  at.upstream.reply(async (call) => {
    await gate.promise
    return drawn(call)
  })
  const calls = at.upstream.calls.length
  const leaving = new AbortController()
  const sent = await at.key.raw(
    'POST',
    path,
    JSON.stringify({ ...ask, stream: true }),
    headers,
    leaving.signal,
  )
  await at.upstream.call(calls)
  leaving.abort()
  gate.resolve()
  await at.world.settled()
  const id = sent.headers.get('x-request-id')!
  expect((await at.key.receipt(id)).body).toMatchObject({ microcredits: '42000000' })
  expect((await at.key.get('/v1/files?limit=1')).body.data[0].receipt_id).toBe(id)
  const again = await at.key.post(path, { ...ask, stream: true }, headers)
  expect([again.status, again.body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
  expect(at.upstream.calls.length - calls).toBe(1)
})
