/** Pictures, speech and vectors with the official client of OpenRouter. */
import { OpenRouter } from '@openrouter/sdk'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { json } from '../harness/upstream.ts'
import { halves } from '../media/images-world.ts'
import { tokensEach } from '../work/vectors-world.ts'
import { forMediaClients, type MediaClientsWorld } from './media-clients-world.ts'

let at: MediaClientsWorld
let client: OpenRouter
beforeAll(async () => {
  at = await forMediaClients()
  client = new OpenRouter({
    serverURL: `${at.world.url}/v1`,
    apiKey: at.key.secret,
    retryConfig: { strategy: 'none' },
  })
})
afterEach(() => at.upstream.reply(at.answers))
afterAll(() => at[Symbol.asyncDispose]())

const order = async (request: Parameters<OpenRouter['images']['generate']>[0]['imageGenerationRequest']) => {
  const answer = await client.images.generate({ imageGenerationRequest: request })
  if (!('data' in answer)) throw new Error('the answer came in events')
  return answer
}

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(stream).arrayBuffer())

test.each([
  ['test/painter', 0.08],
  ['sandbox/image', 0.012],
])('%s draws, with type, size and cost', async (model, cost) => {
  const { data, usage } = await order({
    model,
    prompt: 'توانا بود هر که دانا بود',
    n: 2,
    size: '128x128',
    outputFormat: 'webp',
  })
  expect(data).toHaveLength(2)
  for (const { b64Json, mediaType } of data) {
    expect(mediaType).toBe('image/webp')
    const { width, height, format } = await sharp(Buffer.from(b64Json, 'base64')).metadata()
    expect({ width, height, format }).toEqual({ width: 128, height: 128, format: 'webp' })
  }
  expect(usage?.cost).toBe(cost)
})

test('its seed reaches the upstream, and routing among its own upstreams is taken', async () => {
  const { data } = await order({
    model: 'test/painter',
    prompt: 'a cat',
    seed: 7,
    provider: { sort: 'price' },
  })
  expect(data).toHaveLength(1)
  expect(at.upstream.calls.at(-1)?.body).toMatchObject({ seed: 7, n: 1 })
})

test('it draws by pictures, in a ratio with a fraction', async () => {
  const reference = `data:image/png;base64,${(await halves(64, 64)).toString('base64')}`
  const { data } = await order({
    model: 'test/painter',
    prompt: 'make it blue',
    aspectRatio: '2.35:1',
    inputReferences: [{ type: 'image_url', imageUrl: { url: reference } }],
  })
  const { width = 0, height = 1 } = await sharp(Buffer.from(data[0]!.b64Json, 'base64')).metadata()
  expect(width / height).toBeCloseTo(2.35, 1)
  expect(at.upstream.calls.at(-1)?.path).toBe('/v1/images/edits')
})

test('it draws in events, which end with the picture', async () => {
  const events = await client.images.generate({
    imageGenerationRequest: { model: 'sandbox/image', prompt: 'گربه', stream: true },
  })
  if ('data' in events) throw new Error('the answer came whole')
  const seen = await Array.fromAsync(events)
  const last = seen.at(-1)
  if (last?.type !== 'image_generation.completed') throw new Error(`ended with ${last?.type}`)
  expect((await sharp(Buffer.from(last.b64Json, 'base64')).metadata()).format).toBe('png')
})

test('it speaks without a voice and with one, as bytes that come', async () => {
  const ask = { model: 'test/voice', input: 'سلام دنیا', responseFormat: 'mp3' as const }
  const first = await bytesOf(await client.tts.createSpeech({ speechRequest: ask }))
  expect(first.equals(at.sound)).toBe(true)
  expect(at.upstream.calls.at(-1)?.body).toMatchObject({ voice: 'alloy' })
  await bytesOf(await client.tts.createSpeech({ speechRequest: { ...ask, voice: 'nova', speed: 2 } }))
  expect(at.upstream.calls.at(-1)?.body).toMatchObject({ voice: 'nova', speed: 2 })
  const spoken = { model: 'sandbox/speech', input: 'سلام', responseFormat: 'pcm' as const }
  const pcm = await bytesOf(await client.tts.createSpeech({ speechRequest: spoken }))
  expect(pcm.length % 2).toBe(0)
  expect(pcm.length).toBeGreaterThan(10_000)
})

test.each(['float', 'base64'] as const)('it makes vectors as %s', async (encodingFormat) => {
  const answer = await client.embeddings.generate({
    requestBody: { model: 'test/near', input: ['گربه', 'وام'], encodingFormat },
  })
  if (typeof answer === 'string') throw new Error('the answer is a text')
  const vectors = answer.data.map(({ embedding }) =>
    typeof embedding === 'string'
      ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)]
      : embedding,
  )
  expect(vectors).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ])
  expect(answer.usage?.totalTokens).toBe(2 * tokensEach)
})

test.each(['float', 'base64'] as const)(
  'the sandbox makes its vectors, too, as %s',
  async (encodingFormat) => {
    const answer = await client.embeddings.generate({
      requestBody: { model: 'sandbox/embedding', input: ['گربه', 'وام'], encodingFormat, dimensions: 64 },
    })
    if (typeof answer === 'string') throw new Error('the answer is a text')
    expect(answer.data).toHaveLength(2)
    for (const { embedding } of answer.data) {
      const bytes = typeof embedding === 'string' ? Buffer.from(embedding, 'base64') : undefined
      expect(bytes ? bytes.length / 4 : embedding.length).toBe(64)
    }
  },
)

test('what is wrong arrives as its errors, with our code and sentence, and nothing is ordered', async () => {
  const before = at.upstream.calls.length
  const vectors = order({ model: 'test/painter', prompt: 'a cat', outputFormat: 'svg' })
  await expect(vectors).rejects.toMatchObject({
    statusCode: 400,
    body: expect.stringContaining('"output_format"'),
  })
  const sample = { data: 'AAAA', format: 'wav' }
  const cloned = client.tts.createSpeech({
    speechRequest: {
      model: 'test/voice',
      input: 'سلام',
      inputReferences: [{ type: 'input_audio', inputAudio: sample }],
    } as never,
  })
  await expect(cloned).rejects.toMatchObject({ statusCode: 400 })
  expect(at.upstream.calls.length).toBe(before)
})

test('an upstream that draws nothing is a 502 that costs nothing', async () => {
  await at.world.settled()
  const { available } = await at.world.balance()
  at.upstream.reply(json(500, { error: { message: 'no' } }))
  await expect(order({ model: 'test/painter', prompt: 'a cat' })).rejects.toMatchObject({ statusCode: 502 })
  await at.world.settled()
  expect((await at.world.balance()).available).toBe(available)
})
