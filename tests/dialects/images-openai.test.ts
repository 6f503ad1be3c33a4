/** The images API with the official OpenAI client. */
import OpenAI, { PermissionDeniedError } from 'openai'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { explained } from '../contract/chat-world.ts'
import { bootOnImages, drawn, type ImagesWorld } from '../contract/images-world.ts'
import { reset } from '../harness/upstream.ts'

let at: ImagesWorld
let client: OpenAI
beforeAll(async () => {
  at = await bootOnImages()
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
    [{ response_format: 'url' }, 'response_format', 'INVALID_REQUEST'],
    [{ stream: true }, 'stream', 'INVALID_REQUEST'],
    [{ partial_images: 2 }, 'partial_images', 'INVALID_REQUEST'],
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
