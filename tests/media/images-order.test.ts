/** POST /v1/images, in the shape of OpenRouter. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { dataOf, type Seen } from '../harness/client.ts'
import { json } from '../harness/upstream.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'
import {
  bootOnImages,
  drawn,
  fieldOf,
  halves,
  type ImagesWorld,
  lossOf,
  shareOnImages,
} from './images-world.ts'

let at: ImagesWorld
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

const order = (body: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Seen> =>
  at.key.post('/v1/images', { model: 'test/painter', prompt: 'a cat', ...body }, headers)

const reference = (bytes: Buffer) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` },
})

const filesOf = ({ details }: { details: object }): string[] => (details as { files: string[] }).files

async function sizeOf(reply: Seen): Promise<string> {
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  const { width, height } = await sharp(Buffer.from(reply.body.data[0].b64_json, 'base64')).metadata()
  return `${width}x${height}`
}

test('an order is charged once, stored, and says what it cost in USD', async () => {
  const reply = await order({
    n: 2,
    user: 'u',
    provider: { sort: 'price', options: { openai: {} } },
    output_format: 'webp',
  })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body).toEqual({
    created: expect.any(Number),
    model: 'test/painter',
    data: Array(2).fill({ b64_json: expect.any(String), media_type: 'image/webp' }),
    usage: {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      cost: 0.084,
      credits: 84,
      microcredits: '84000000',
    },
  })
  expect(reply.headers.get('x-ignored-fields')).toBe('user, provider')
  const receipt = await explained(at.key, requestIdOf(reply))
  expect(receipt).toMatchObject({ state: 'completed', microcredits: '84000000', endpoint: '/v1/images' })
  expect(reply.headers.get('x-file-ids')).toBe(filesOf(receipt).join(', '))
  for (const [index, id] of filesOf(receipt).entries()) {
    const stored = Buffer.from(await (await at.key.raw('GET', `/v1/files/${id}`)).arrayBuffer())
    expect(stored.toString('base64')).toBe(reply.body.data[index].b64_json)
  }
})

test('a seed reaches a model that takes one; of several orders each goes on where the one before ends', async () => {
  const seedsOf = async (body: object) => {
    const calls = at.upstream.calls.length
    expect((await order({ model: 'test/seeded', ...body })).status).toBe(200)
    return at.upstream.calls.slice(calls).map((call) => [fieldOf(call, 'n'), fieldOf(call, 'seed')])
  }
  expect(await seedsOf({ n: 2, seed: 2 ** 31 - 1 })).toEqual([['2', '2147483647']])
  expect(await seedsOf({ seed: 0 })).toEqual([['1', '0']])
  expect(await seedsOf({ seed: null })).toEqual([['1', undefined]])
  const several = await seedsOf({ n: 5, seed: 2 ** 31 - 3 })
  expect(new Set(several)).toEqual(
    new Set([
      ['2', '2147483645'],
      ['2', '2147483647'],
      ['1', '1'],
    ]),
  )
})

test('the sandbox draws the same picture by the same seed, and another by another', async () => {
  const drawnBy = async (seed: number) =>
    (await order({ model: 'sandbox/image', size: '128x128', seed })).body.data[0].b64_json
  const [one, same, other] = [await drawnBy(1), await drawnBy(1), await drawnBy(2)]
  expect(same).toBe(one)
  expect(other).not.toBe(one)
})

test('what would change the picture and is not taken is refused with its field, before anything is held', async () => {
  const calls = at.upstream.calls.length
  const balance = await at.world.balance()
  for (const [body, param, code] of [
    [{ seed: 7 }, 'seed', 'IMAGE_SEED_NOT_SUPPORTED'],
    [{ model: 'test/seeded', seed: 2 ** 31 }, 'seed', 'INVALID_REQUEST'],
    [{ model: 'test/seeded', seed: -1 }, 'seed', 'INVALID_REQUEST'],
    [{ provider: { options: { openai: { quality: 'max' } } } }, 'provider.options', 'INVALID_REQUEST'],
    [{ provider: { options: { fal: 1 } } }, 'provider.options', 'INVALID_REQUEST'],
  ] as const) {
    const reply = await order(body)
    expect([body, reply.status, reply.body.error?.code, reply.body.error?.param]).toEqual([
      body,
      400,
      code,
      param,
    ])
  }
  expect(at.upstream.calls.length).toBe(calls)
  expect(await at.world.balance()).toEqual(balance)
})

test.each<[Record<string, unknown>, string]>([
  [{ size: '100x80' }, '100x80'],
  [{ size: '512' }, '512x512'],
  [{ resolution: '1K' }, '1024x1024'],
  [{ resolution: '1K', aspect_ratio: '16:9' }, '1360x768'],
  [{ resolution: '512', aspect_ratio: '1:4', size: null }, '256x1024'],
  [{ resolution: '4K', aspect_ratio: '16:9' }, '3840x2160'],
  [{ aspect_ratio: '3:2' }, '192x128'],
  [{ resolution: '512', aspect_ratio: '2.35:1' }, '784x320'],
  [{ aspect_ratio: 'auto', resolution: '512' }, '512x512'],
  [{ size: 'auto', resolution: '512' }, '512x512'],
])('%o is drawn as %s', async (shape, size) => {
  expect(await sizeOf(await order(shape))).toBe(size)
})

test('references are sent in their order, and their size counts where none is named', async () => {
  const [one, other] = [await halves(64, 96), await halves(64, 64)]
  const reply = await order({ input_references: [reference(one), reference(other)] })
  expect(await sizeOf(reply)).toBe('128x192')
  const sent = at.upstream.calls.at(-1)!.bytes
  expect(sent.indexOf(one)).toBeGreaterThan(0)
  expect(sent.indexOf(other)).toBeGreaterThan(sent.indexOf(one))
})

test.each([{}, { output_format: 'svg' }])(
  'a model of vectors asked %o answers SVG and says so',
  async (body) => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    at.upstream.replyOnce(json(200, { data: [{ b64_json: Buffer.from(svg).toString('base64') }] }))
    const reply = await order({ model: 'test/vector', ...body })
    expect(reply.body.data[0].media_type).toBe('image/svg+xml')
  },
)

test('a stream has the picture in its last event', async () => {
  const reply = await order({ stream: true })
  expect(reply.headers.get('content-type')).toContain('text/event-stream')
  const [event, ...none] = reply.text.split('\n').filter((line) => line.startsWith('event: '))
  expect([event, none]).toEqual(['event: image_generation.completed', []])
  const last = JSON.parse(/^data: (.*)$/m.exec(reply.text)![1]!)
  expect(last).toMatchObject({
    type: 'image_generation.completed',
    media_type: 'image/png',
    usage: { cost: 0.042, microcredits: '42000000' },
  })
  expect(dataOf(reply.text)).toEqual([])
  const stored = Buffer.from(await (await at.key.raw('GET', `/v1/files/${last.file_id}`)).arrayBuffer())
  expect(stored.toString('base64')).toBe(last.b64_json)
})

test('a stream that waits for its picture is kept open by comments', async () => {
  await using own = await bootOnImages({ timing: { streamHeartbeatMs: 100 } })
  const release = Promise.withResolvers<void>()
  own.upstream.reply(async (call) => {
    await release.promise
    return drawn(call)
  })
  const asked = JSON.stringify({ model: 'test/painter', prompt: 'a cat', stream: true })
  const response = await own.key.raw('POST', '/v1/images', asked)
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.split(': keepalive\n\n').length > 2) release.resolve()
  }
  expect(text).toMatch(/^(: keepalive\n\n){2,}event: image_generation\.completed\ndata: /)
})

test('pictures that did not come are free, told, and a loss where they may have been drawn', async () => {
  const [before, lost] = [await at.world.balance(), await lossOf(at.world)]
  at.upstream.replyOnce(json(500, 'oops'))
  const reply = await order({ n: 3 })
  expect(reply.body.data).toHaveLength(2)
  expect(reply.headers.get('x-missing-outputs')).toBe('1')
  expect(reply.body.usage).toMatchObject({ cost: 0.084, microcredits: '84000000' })
  const receipt = await explained(at.key, requestIdOf(reply))
  expect(receipt.details).toMatchObject({ pictures: { asked: 3, delivered: 2 } })
  await at.world.settled()
  expect(before.available - (await at.world.balance()).available).toBe(84_000_000n)
  expect((await lossOf(at.world)) - lost).toBe(42_000_000n)
})

describe('fields at their edge and past it', () => {
  const small = async () => reference(await halves(64, 64))
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string?]>([
    ['prompt', { prompt: 'گ'.repeat(32_000) }, { prompt: 'گ'.repeat(32_001) }],
    ['prompt', { prompt: '.' }, { prompt: '\n' }],
    ['n', { n: 10 }, { n: 11 }],
    ['n', { n: null }, { n: 0 }],
    ['n', { n: 1, stream: true }, { n: 2, stream: true }],
    ['size', { size: '64x64' }, { size: '3K' }],
    ['resolution', { resolution: '512' }, { resolution: '8K' }],
    ['resolution', { resolution: '512', size: 'auto' }, { resolution: '512', size: '512x512' }],
    ['aspect_ratio', { aspect_ratio: '8:1' }, { aspect_ratio: '9:1' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    [
      'aspect_ratio',
      { aspect_ratio: '3:2', size: '96x64' },
      { aspect_ratio: '3:2', size: '64x64' },
      'IMAGE_SIZE_CONFLICT',
    ],
    [
      'resolution',
      { resolution: '512', aspect_ratio: '8:1' },
      { resolution: '4K', aspect_ratio: '8:1' },
      'IMAGE_SETTING_NOT_SUPPORTED',
    ],
    ['quality', { quality: 'standard' }, { quality: 'best' }],
    ['background', { background: 'opaque' }, { background: 'clear' }],
    ['output_format', { output_format: 'jpeg' }, { output_format: 'gif' }],
    ['output_format', {}, { output_format: 'svg' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['aspect_ratio', { aspect_ratio: '2.35:1' }, { aspect_ratio: '2.355:1' }],
    ['output_compression', { output_compression: 40, output_format: 'webp' }, { output_compression: 40 }],
    ['partial_images', { partial_images: 3, stream: true }, { partial_images: 4, stream: true }],
    [
      'input_references',
      { input_references: [] },
      { input_references: Array(9).fill(reference(Buffer.from('x'))) },
    ],
    [
      'input_references.0.image_url.url',
      {},
      { input_references: [reference(Buffer.from('x'))] },
      'INVALID_MEDIA',
    ],
    [
      'input_references.0.image_url.url',
      {},
      { input_references: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] },
      'INVALID_MEDIA',
    ],
  ])('%s', async (param, inside, beyond, code = 'INVALID_REQUEST') => {
    expect((await order(inside)).status, JSON.stringify(inside).slice(0, 100)).toBe(200)
    await at.world.settled()
    const [calls, balance] = [at.upstream.calls.length, await at.world.balance()]
    expectRefusal(await order(beyond), { status: 400, code, param })
    expect(at.upstream.calls.length).toBe(calls)
    expect(await at.world.balance()).toEqual(balance)
  })

  test('eight references are taken by a model that takes them, and no more than it takes', async () => {
    const references = Array(8).fill(await small())
    const eight = await order({ model: 'sandbox/image', size: '128x128', input_references: references })
    expect(eight.status, eight.text.slice(0, 300)).toBe(200)
    expectRefusal(await order({ input_references: references }), {
      status: 400,
      code: 'IMAGE_SETTING_NOT_SUPPORTED',
      param: 'input_references',
    })
  })
})
