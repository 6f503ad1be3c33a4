/** Embeddings with the official OpenAI client. */
import { decode, encode } from 'gpt-tokenizer/encoding/cl100k_base'
import OpenAI, { BadRequestError, PermissionDeniedError } from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { json, reset } from '../harness/upstream.ts'
import { explained } from '../text/chat-world.ts'
import {
  meant,
  perToken,
  shareOnVectors,
  textsIn,
  tokensEach,
  type VectorsWorld,
  worstOf,
} from '../work/vectors-world.ts'

let at: VectorsWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnVectors()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterEach(() => at.upstream.reply(meant))
afterAll(() => at[Symbol.asyncDispose]())

const model = 'test/near'

test.each(['float', 'base64', undefined] as const)(
  'create() with encoding_format %s gives vectors in their order',
  async (encoding) => {
    const asked = { model, input: ['گربه', 'وام'], ...(encoding && { encoding_format: encoding }) }
    const { data, request_id: id, response } = await client.embeddings.create(asked).withResponse()
    // The client reads base64 itself where nobody asked for it by name.
    const vectors = data.data.map(({ embedding }) =>
      typeof embedding === 'string'
        ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)]
        : [...embedding],
    )
    expect(vectors).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ])
    expect(data.model).toBe(model)
    const { microcredits, reserved_microcredits: held } = await explained(at.key, id!)
    expect(microcredits).toBe(String(2n * BigInt(tokensEach) * perToken))
    expect(held).toBe(String(worstOf('گربه', 'وام')))
    expect(data.usage).toEqual({
      prompt_tokens: 2 * tokensEach,
      total_tokens: 2 * tokensEach,
      credits: Number(microcredits) / 1e6,
      microcredits,
    })
    expect(response.headers.get('x-microcredits')).toBe(microcredits)
  },
)

test.each(['float', 'base64'] as const)('of the sandbox, too, as %s', async (encoding_format) => {
  const asked = { model: 'sandbox/embedding', input: ['گربه', 'وام'] }
  const read = await client.embeddings.create(asked)
  const { data } = await client.embeddings.create({ ...asked, encoding_format })
  const vectors = data.map(({ embedding }) =>
    typeof embedding === 'string'
      ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)]
      : [...embedding],
  )
  expect(vectors).toEqual(read.data.map(({ embedding }) => [...embedding]))
  expect(vectors.map(({ length }) => length)).toEqual([256, 256])
})

test('the sandbox answers offline: one text, and its near ones are near', async () => {
  const { data } = await client.embeddings.create({
    model: 'sandbox/embedding',
    input: ['the cat sat on the mat', 'a cat on a mat', 'interest rates of banks'],
  })
  const near = (a: number[], b: number[]) => a.reduce((sum, value, place) => sum + value * b[place]!, 0)
  const [first, second, third] = data.map(({ embedding }) => embedding) as [number[], number[], number[]]
  expect(near(first, second)).toBeGreaterThan(near(first, third))
  expect((await client.embeddings.create({ model: 'sandbox/embedding', input: 'سلام' })).data).toHaveLength(1)
})

test('token numbers, as LangChain sends them, are the texts that they stand for', async () => {
  const persian = 'گربه‌ای نارنجی روی بامِ خانه، با عدد ۱۲۳ and Latin 🐈'
  const { data, usage } = await client.embeddings.create({
    model,
    input: [encode(persian), encode('a loan')],
  })
  expect(textsIn(at.upstream.calls.at(-1)!)).toEqual([persian, 'a loan'])
  expect(data.map(({ embedding }) => [...embedding])).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ])
  expect(usage.prompt_tokens).toBe(2 * tokensEach)
  await client.embeddings.create({ model, input: encode('one cat') })
  expect(textsIn(at.upstream.calls.at(-1)!)).toEqual(['one cat'])
})

test('a text that was cut within a character loses only that character', async () => {
  const tokens = encode('cat 🐈')
  // The last character is several tokens.
  expect(decode(tokens.slice(0, -1))).toBe('cat ')
  expect(tokens.slice(0, -1).length).toBeGreaterThan(encode('cat ').length)
  await client.embeddings.create({ model, input: [tokens.slice(0, -1)] })
  expect(textsIn(at.upstream.calls.at(-1)!)[0]).toMatch(/^cat ?$/)
})

test('dimensions go to the upstream, and vectors of another length are its fault', async () => {
  const before = at.upstream.calls.length
  expect(
    (await client.embeddings.create({ model, input: 'cat', dimensions: 3 })).data[0]?.embedding,
  ).toHaveLength(3)
  expect(at.upstream.calls[before]?.body).toMatchObject({ dimensions: 3 })
  const refused = await at.key.post('/v1/embeddings', { model, input: 'cat', dimensions: 2 })
  expect([refused.status, refused.body.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
  const calls = at.upstream.calls.length
  const more = client.embeddings.create({ model, input: 'cat', dimensions: 4 })
  await expect(more).rejects.toBeInstanceOf(BadRequestError)
  expect(at.upstream.calls.length).toBe(calls)
})

test.each([1, 3, 255, 256])('the sandbox folds its vectors to %d dimensions', async (dimensions) => {
  const asked = { model: 'sandbox/embedding', input: 'the cat sat', encoding_format: 'float' as const }
  const [whole] = (await client.embeddings.create(asked)).data
  const [{ embedding }] = (await client.embeddings.create({ ...asked, dimensions })).data as [
    OpenAI.Embedding,
  ]
  const head = whole!.embedding.slice(0, dimensions)
  const length = Math.hypot(...head)
  expect(embedding).toHaveLength(dimensions)
  for (const [place, value] of embedding.entries()) expect(value).toBeCloseTo(head[place]! / length, 5)
  expect(Math.hypot(...embedding)).toBeCloseTo(1, 5)
})

test('a repeat with its key gets the same bytes and the upstream is asked once', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const before = at.upstream.calls.length
  const first = await at.key.post('/v1/embeddings', { model, input: 'cat' }, headers)
  const again = await at.key.post('/v1/embeddings', { model, input: 'cat' }, headers)
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('x-microcredits')).toBe(first.headers.get('x-microcredits'))
  expect(at.upstream.calls.length - before).toBe(1)
  const other = await at.key.post('/v1/embeddings', { model, input: 'loan' }, headers)
  expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
})

test('what came to nothing is free, and a key whose upstream may have worked is never run again', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const balance = () => at.world.balance()
  await at.world.settled()
  const before = await balance()
  at.upstream.reply(reset)
  const broken = await at.key.post('/v1/embeddings', { model, input: 'cat' }, headers)
  expect(broken.status).toBe(502)
  at.upstream.reply(meant)
  const calls = at.upstream.calls.length
  const again = await at.key.post('/v1/embeddings', { model, input: 'cat' }, headers)
  expect([again.status, at.upstream.calls.length]).toEqual([409, calls])
  at.upstream.reply(json(500, {}))
  expect((await at.key.post('/v1/embeddings', { model, input: 'cat' })).status).toBeGreaterThanOrEqual(500)
  await at.world.settled()
  expect(await balance()).toEqual(before)
})

test('what is wrong is refused before anything is held, and says the field', async () => {
  const calls = at.upstream.calls.length
  for (const [body, param, code] of [
    [{ model, input: Array(2_049).fill('a') }, 'input', 'INVALID_REQUEST'],
    [{ model, input: Array(2_049).fill([1]) }, 'input', 'INVALID_REQUEST'],
    [{ model, input: [1, 2, 100_256] }, 'input.2', 'INVALID_REQUEST'],
    [{ model, input: [[1], [2, -1]] }, 'input.1.1', 'INVALID_REQUEST'],
    [{ model, input: [[1], [2, '3']] }, 'input.1.1', 'INVALID_REQUEST'],
    [{ model, input: [[1], []] }, 'input.1', 'INVALID_REQUEST'],
    [{ model, input: ['a', 1] }, 'input.1', 'INVALID_REQUEST'],
    [{ model, input: [1, 'a'] }, 'input.1', 'INVALID_REQUEST'],
    [{ model, input: [1.5] }, 'input.0', 'INVALID_REQUEST'],
    [{ model, input: Array(8_193).fill(1) }, 'input', 'INVALID_REQUEST'],
    [{ model, input: [Array(8 * 8_192 + 1).fill(220)] }, 'input.0', 'INVALID_REQUEST'],
    [{ model, input: ['a', ''] }, 'input.1', 'INVALID_REQUEST'],
    [{ model, input: '' }, 'input', 'INVALID_REQUEST'],
    [{ model, input: [] }, 'input', 'INVALID_REQUEST'],
    [{ model, input: 'x'.repeat(8 * 8192 + 1) }, 'input', 'INVALID_REQUEST'],
    [{ model, input: 'a', encoding_format: 'int8' }, 'encoding_format', 'INVALID_REQUEST'],
    [{ model, input: 'a', dimensions: 0 }, 'dimensions', 'INVALID_REQUEST'],
    [{ model, input: 'a', dimensions: 4 }, 'dimensions', 'INVALID_REQUEST'],
    [{ model, input: 'a', dimensions: 4097 }, 'dimensions', 'INVALID_REQUEST'],
    [{ model: 'sandbox/embedding', input: 'a', dimensions: 257 }, 'dimensions', 'INVALID_REQUEST'],
    [{ model: 'sandbox/fast', input: 'a' }, 'model', 'MODEL_KIND_MISMATCH'],
    [{ model: 'nobody/none', input: 'a' }, 'model', 'MODEL_NOT_FOUND'],
  ] as const) {
    const { body: reported } = await at.key.post('/v1/embeddings', body)
    expect([body, reported.error?.code, reported.error?.param]).toEqual([body, code, param])
  }
  const limited = await at.world.key({ models: ['sandbox/fast'] })
  expect((await limited.post('/v1/embeddings', { model, input: 'a' })).body.error.code).toBe(
    'MODEL_NOT_ALLOWED',
  )
  const reader = await at.world.key({ scopes: ['studio:write', 'usage:read'] })
  const scoped = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: reader.secret, maxRetries: 0 })
  await expect(scoped.embeddings.create({ model, input: 'a' })).rejects.toBeInstanceOf(PermissionDeniedError)
  const poor = await at.world.stranger(0)
  expect((await poor.client.post('/v1/embeddings', { model, input: 'a' })).status).toBe(402)
  expect(at.upstream.calls.length).toBe(calls)
})

test('vectors stand in the usage of the project under their route, model and customer', async () => {
  const key = await at.world.key({ project: await at.world.newProject() })
  const reply = await key.post(
    '/v1/embeddings',
    { model, input: 'cat', user: 'u', more: 1 },
    { 'x-customer-id': 'c' },
  )
  expect(reply.headers.get('x-ignored-fields')).toBe('user, more')
  await at.world.settled()
  expect((await key.get('/v1/usage')).body.data).toMatchObject([
    {
      endpoint: '/v1/embeddings',
      model,
      customer_id: 'c',
      requests: 1,
      tokens: { input: tokensEach, output: 0 },
    },
  ])
})
