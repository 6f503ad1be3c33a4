/** Which wire of a provider with several of them makes what, and what that costs. */
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { done, type FakeUpstream, fakeUpstream, json, type Script, stream } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'

const config = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [chat, speech, modalities] }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [64x64], max_count: 2 }
    pricing: { per_image: 0.04 }
  - id: test/answerer
    kind: audio
    deployments: [{ provider: fake, model: answerer-1 }]
    audio: { does: [answer], voices: [{ id: alloy }], formats: [pcm], instructions: true }
    pricing: { input_per_million: 32, output_per_million: 64 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: alloy }], formats: [wav] }
    pricing: { per_million_characters: 15 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

let upstream: FakeUpstream
let world: World
let key: Client
let wav: Buffer
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: config(upstream.url), credits: 100_000 }))
  key = await world.key()
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  wav = Buffer.from((await encodeWhole([{ rate: 24_000, samples }], { format: 'wav', maxBytes: 1e6 })).bytes)
})
afterAll(() => stack.disposeAsync())

const question = () => ({ audioInput: { audioBase64: wav.toString('base64'), mediaType: 'audio/wav' } })
const costOf = async (work: () => Promise<unknown>): Promise<bigint> => {
  const { available } = await world.balance()
  await work()
  await world.settled()
  return available - (await world.balance()).available
}
const answered = (bytes: Buffer, usage: object): Script =>
  stream([
    {
      choices: [
        { delta: { audio: { data: bytes.toString('base64'), transcript: 'سلام' } }, finish_reason: 'stop' },
      ],
    },
    { choices: [], usage },
    done,
  ])

test('pictures come by chat completions where no other wire draws, each at its price', async () => {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const url = `data:image/png;base64,${png.toString('base64')}`
  const message = { role: 'assistant', content: '', images: [{ type: 'image_url', image_url: { url } }] }
  upstream.reply(json(200, { choices: [{ message, finish_reason: 'stop' }] }))
  const before = upstream.calls.length
  const cost = await costOf(async () => {
    const reply = await key.post('/v1/studio/image', { model: 'test/painter', prompt: 'a cat', count: 2 })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    expect(reply.body.outputs).toHaveLength(2)
  })
  expect(cost).toBe(80_000_000n)
  expect(upstream.calls.slice(before).map(({ path }) => path)).toEqual([
    '/v1/chat/completions',
    '/v1/chat/completions',
  ])
})

test('texts are spoken by the wire of speech, recordings are answered by chat completions', async () => {
  upstream.reply(stream([wav], { 'content-type': 'audio/wav' }))
  const spoken = await key.post('/v1/studio/audio', { model: 'test/voice', text: 'سلام' })
  expect(spoken.status, spoken.text.slice(0, 300)).toBe(200)
  expect(upstream.calls.at(-1)?.path).toBe('/v1/audio/speech')

  upstream.reply(answered(Buffer.alloc(48_000, 3), { prompt_tokens: 5_000, completion_tokens: 200 }))
  const cost = await costOf(async () => {
    const reply = await key.post('/v1/studio/audio', {
      model: 'test/answerer',
      text: 'به فارسی '.repeat(700),
      instructions: 'Be brief.',
      ...question(),
    })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    expect(reply.body.output).toMatchObject({ mediaType: 'audio/mpeg' })
    expect(reply.body.execution).toMatchObject({ inputTokens: 5_000, outputTokens: 200, totalTokens: 5_200 })
  })
  expect(cost).toBe(172_800_000n)
  expect(upstream.calls.at(-1)?.path).toBe('/v1/chat/completions')
})

test('an answer is asked for at most as long as is held for it, and never costs more than that', async () => {
  const claimed = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000_000 }
  let held = 0n
  // Looked at before the answer, after which it is settled.
  upstream.reply(async () => {
    held = (await world.balance()).held
    return answered(Buffer.alloc(48_000, 3), claimed)
  })
  const cost = await costOf(async () => {
    const reply = await key.post('/v1/studio/audio', { model: 'test/answerer', ...question() })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  })
  const limit = Number(upstream.calls.at(-1)?.body?.['max_completion_tokens'])
  expect(limit).toBeGreaterThan(0)
  // 64 micro-USD are 64,000 micro-credits.
  expect(BigInt(limit) * 64_000n).toBeLessThanOrEqual(held)
  expect(cost).toBeLessThanOrEqual(held)
})

test('an answer that breaks costs nothing and leaves no hold', async () => {
  upstream.reply(stream([{ choices: [{ delta: { audio: { data: 'AAAA' } } }] }]))
  const cost = await costOf(async () => {
    const reply = await key.post('/v1/studio/audio', { model: 'test/answerer', ...question() })
    expect(reply.status).toBeGreaterThanOrEqual(500)
  })
  expect(cost).toBe(0n)
  expect((await world.balance()).held).toBe(0n)
})
