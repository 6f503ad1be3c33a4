import OpenAI, { NotFoundError } from 'openai'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { upstreamConfig, type World } from '../harness/world.ts'

const openai = (world: World, key: Client): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret, maxRetries: 0 })

test('every model shows the members that the contract names, in types and sizes that make sense', async () => {
  await using world = await sharedWorld({ config: upstreamConfig('http://127.0.0.1:9/v1') })
  const { body } = await (await world.key()).get('/v1/models')
  expect(body.object).toBe('list')
  const ids = body.data.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(
    expect.arrayContaining([
      'test/model',
      'sandbox/fast',
      'sandbox/omni',
      'sandbox/reasoner',
      'sandbox/image',
      'sandbox/vector',
      'sandbox/speech',
      'sandbox/transcribe',
      'sandbox/embedding',
      'sandbox/video',
      'sandbox/realtime',
    ]),
  )
  expect(new Set(ids).size).toBe(ids.length)
  for (const model of body.data.filter(({ kind }: { kind: string }) => kind === 'text')) {
    expect(model).toMatchObject({
      object: 'model',
      reasoning: { supported_efforts: expect.any(Array) },
      input_modalities: expect.arrayContaining(['text']),
      context_length: expect.any(Number),
      pricing: {
        currency: 'USD',
        input_per_million: expect.any(Number),
        output_per_million: expect.any(Number),
      },
      studio_settings: null,
      routes: expect.arrayContaining(['/v1/chat/completions', '/v1/responses', '/v1/messages']),
    })
    expect(model.context_length).toBeGreaterThan(0)
    const takesMedia = model.input_modalities.includes('audio') || model.input_modalities.includes('video')
    expect(model.media_input).toEqual(takesMedia ? { input_per_million: expect.any(Number) } : null)
  }
  expect(
    body.data
      .filter((model: { default: boolean; kind: string }) => model.default && model.kind === 'text')
      .map(({ id }: { id: string }) => id),
  ).toEqual(['test/model'])
})

test('the efforts, modalities and prices of the configuration are those that are shown', async () => {
  await using world = await sharedWorld({ config: upstreamConfig('http://127.0.0.1:9/v1') })
  const { body } = await (await world.key()).get('/v1/models/test/model')
  expect(body).toMatchObject({
    id: 'test/model',
    sandbox: false,
    reasoning: { supported_efforts: ['low', 'medium', 'high'] },
    input_modalities: ['text', 'image', 'audio', 'video'],
    context_length: 128_000,
    max_output_tokens: 16_384,
    pricing: {
      input_per_million: 1,
      output_per_million: 2,
      cached_input_per_million: 0.1,
      credits_per_usd: 1000,
    },
  })
})

test.each(['sandbox/fast', 'sandbox/image', 'sandbox/embedding'])(
  '%s says that it is a simulator, in name and description',
  async (id) => {
    await using world = await sharedWorld()
    const { body } = await (await world.key()).get(`/v1/models/${id}`)
    expect(body.sandbox).toBe(true)
    expect(body.display_name).toMatch(/simulator/i)
    expect(body.description).toMatch(/simulator/i)
    expect(body.description).toContain('شبیه‌ساز')
  },
)

test('an image model shows its price by the picture, what it draws and how many pictures it takes to edit', async () => {
  await using world = await sharedWorld()
  const { body } = await (await world.key()).get('/v1/models/sandbox/image')
  expect(body).toMatchObject({
    kind: 'image',
    default: false,
    input_modalities: ['text', 'image'],
    output_modalities: ['image'],
    pricing: { currency: 'USD', per_image: 0.01, per_reference: 0.001 },
    studio_settings: {
      aspect_ratios: expect.arrayContaining(['1:1', '3:2', '2:3']),
      reference_capacity: 8,
      formats: ['png', 'jpeg', 'webp'],
      seed: true,
    },
    routes: expect.arrayContaining(['/v1/studio/image', '/v1/images/edits']),
  })
})

test('a model that draws vectors answers SVG first, and rasters that are named', async () => {
  await using world = await sharedWorld()
  const { body } = await (await world.key()).get('/v1/models/sandbox/vector')
  expect(body.studio_settings.formats).toEqual(['svg', 'png', 'jpeg', 'webp'])
})

test('every format that the card of an audio model shows for a route is taken there, and no other', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const { formats, speech_formats } = (await key.get('/v1/models/sandbox/speech')).body.studio_settings
  expect([formats, speech_formats]).toEqual([
    ['mp3', 'wav', 'pcm'],
    ['mp3', 'wav', 'pcm', 'opus', 'aac', 'flac'],
  ])
  for (const format of speech_formats) {
    const told = { model: 'sandbox/speech', text: 'سلام', format }
    expect((await key.post('/v1/studio/audio', told)).status).toBe(formats.includes(format) ? 200 : 400)
    const asked = { model: 'sandbox/speech', input: 'سلام', response_format: format }
    const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(asked))
    expect(reply.status).toBe(200)
    await reply.arrayBuffer()
  }
})

test('an embedding model shows its price and its route, and serves no route of text', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const { body } = await key.get('/v1/models/sandbox/embedding')
  expect(body).toMatchObject({
    kind: 'embedding',
    default: false,
    input_modalities: ['text'],
    output_modalities: ['embedding'],
    context_length: 8_192,
    pricing: { currency: 'USD', input_per_million: 0, credits_per_usd: 1000 },
    routes: ['/v1/embeddings'],
  })
  const model = 'sandbox/embedding'
  const refused = { status: 400, code: 'MODEL_KIND_MISMATCH', param: 'model' }
  const messages = [{ role: 'user', content: 'hi' }]
  expectRefusal(await key.chat({ model, messages }), refused)
  expectRefusal(await key.post('/v1/responses', { model, input: 'hi' }), refused)
  const reply = await key.post('/v1/messages', { model, messages, max_tokens: 10 })
  expect(reply.status).toBe(400)
})

describe('the official OpenAI client', () => {
  test('iterates the list', async () => {
    await using world = await sharedWorld()
    const seen: string[] = []
    for await (const model of openai(world, await world.key()).models.list()) {
      expect(model).toMatchObject({ object: 'model', owned_by: 'kherad', created: expect.any(Number) })
      seen.push(model.id)
    }
    expect(seen).toEqual([
      'sandbox/fast',
      'sandbox/omni',
      'sandbox/reasoner',
      'sandbox/image',
      'sandbox/vector',
      'sandbox/speech',
      'sandbox/transcribe',
      'sandbox/embedding',
      'sandbox/video',
      'sandbox/realtime',
    ])
  })

  test('retrieves a model whose name has a slash', async () => {
    await using world = await sharedWorld()
    const model = await openai(world, await world.key()).models.retrieve('sandbox/fast')
    expect(model.id).toBe('sandbox/fast')
  })

  test('sees an unknown model as its NotFoundError, whose message says "does not exist"', async () => {
    await using world = await sharedWorld()
    const client = openai(world, await world.key())
    for (const name of ['sandbox/none', 'none', 'sandbox/fast/more', 'مدل']) {
      const error = await client.models.retrieve(name).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(NotFoundError)
      const { message, code, param, requestID } = error as NotFoundError
      expect(message).toContain('does not exist')
      expect({ code, param }).toEqual({ code: 'MODEL_NOT_FOUND', param: 'model' })
      expect(requestID).toMatch(/^[0-9a-f-]{36}$/)
    }
  })
})

test('the list has the shape that the Anthropic client iterates', async () => {
  await using world = await sharedWorld()
  const { body } = await (await world.key()).get('/v1/models')
  expect(body).toMatchObject({ has_more: false, first_id: body.data[0].id, last_id: body.data.at(-1).id })
  for (const model of body.data) {
    expect(model).toMatchObject({ type: 'model', display_name: expect.any(String) })
    expect(new Date(model.created_at).toISOString()).toBe(model.created_at)
    expect(new Date(model.created_at).getTime()).toBe(model.created * 1000)
  }
})

test('a key with an allow-list sees only its models, and the others as missing', async () => {
  await using world = await sharedWorld()
  const key = await world.key({ models: ['sandbox/omni'] })
  const { body } = await key.get('/v1/models')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['sandbox/omni'])
  expect(body).toMatchObject({ first_id: 'sandbox/omni', last_id: 'sandbox/omni' })
  const hidden = await key.get('/v1/models/sandbox/fast')
  expectRefusal(hidden, { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' })
  const missing = await key.get('/v1/models/sandbox/none')
  expect(hidden.body.error.message.replace('sandbox/fast', '')).toBe(
    missing.body.error.message.replace('sandbox/none', ''),
  )
  const none = await world.key({ models: ['gone/model'] })
  expect((await none.get('/v1/models')).body).toMatchObject({
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  })
})

test('a name is looked for however long it is', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  expectRefusal(await key.get(`/v1/models/${'m'.repeat(200)}`), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    param: 'model',
  })
  expectRefusal(await key.get(`/v1/models/${'m'.repeat(201)}`), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    param: 'model',
  })
  expectRefusal(await key.get(`/v1/models/${encodeURIComponent('🕊'.repeat(200))}`), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    param: 'model',
  })
  expectRefusal(await key.get(`/v1/models/${'m'.repeat(5000)}`), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    param: 'model',
  })
})
