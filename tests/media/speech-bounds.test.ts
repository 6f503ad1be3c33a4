/** Bounds of the fields of sound, each at its edge and one past it, counted in characters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, stream } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'

const configOf = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [speech] }
models:
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: alloy }], other_voices: true, formats: [wav], instructions: true }
    pricing: { per_million_characters: 1 }
`

let upstream: FakeUpstream
let world: World
let key: Client
const stack = new AsyncDisposableStack()
const samples = Float32Array.from({ length: 12_000 }, (_, at) => 0.3 * Math.sin(at / 9))
const half = async (format: 'wav' | 'flac') =>
  Buffer.from((await encodeWhole([{ rate: 24_000, samples }], { format, maxBytes: 1e6 })).bytes)
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: configOf(upstream.url), credits: 100_000 }))
  key = await world.key()
  const wav = await half('wav')
  upstream.reply(() => stream([wav], { 'content-type': 'audio/wav' }))
})
afterAll(() => stack.disposeAsync())

const speak = (body: Record<string, unknown>) =>
  key.post('/v1/studio/audio', { model: 'test/voice', text: 'سلام', ...body })
const asked = () => upstream.calls.at(-1)!.body!
const refusedAt = (reply: Seen, param: string, code = 'INVALID_REQUEST') => {
  expect(reply.status, reply.text.slice(0, 300)).toBe(400)
  expect(reply.body.error).toMatchObject({ code, param })
}
/** One character each to whoever reads it, two units of UTF-16. */
const faces = (count: number) => '😀'.repeat(count)

describe('POST /v1/studio/audio', () => {
  const turn = { text: 'سلام', voice: 'alloy' }
  const spoken = { text: undefined, turns: [turn, turn] }
  test.each<[string, (count: number) => Record<string, unknown>, number, string]>([
    ['instructions', (count) => ({ instructions: faces(count) }), 2_000, 'instructions'],
    ['voice', (count) => ({ voice: faces(count) }), 80, 'voice'],
    [
      'turns[].instructions',
      (count) => ({ ...spoken, turns: [turn, { ...turn, instructions: faces(count) }] }),
      1_000,
      'turns.1.instructions',
    ],
    [
      'turns[].text',
      (count) => ({ ...spoken, turns: [{ ...turn, text: 'س'.repeat(count) }, turn] }),
      12_000,
      'turns.0.text',
    ],
    [
      'turns[].voice',
      (count) => ({ ...spoken, turns: [turn, { ...turn, voice: faces(count) }] }),
      80,
      'turns.1.voice',
    ],
  ])('%s', async (_, bodyOf, most, param) => {
    const taken = await speak(bodyOf(most))
    expect(taken.status, taken.text.slice(0, 300)).toBe(200)
    const calls = upstream.calls.length
    refusedAt(await speak(bodyOf(most + 1)), param)
    expect(upstream.calls.length).toBe(calls)
  })

  test('what is at the edge reaches the upstream whole', async () => {
    await speak({ instructions: faces(2_000), voice: faces(80) })
    expect(asked()).toMatchObject({ instructions: faces(2_000), voice: faces(80) })
  })
})

describe('audioInput', () => {
  const answer = (audioBase64: string, mediaType: string) =>
    key.post('/v1/studio/audio', { model: 'sandbox/speech', audioInput: { audioBase64, mediaType } })

  test('audioBase64 has 16 to 18,666,668 characters', async () => {
    // Long enough to be looked at, and no sound.
    refusedAt(await answer('A'.repeat(16), 'audio/wav'), 'audioInput.audioBase64', 'INVALID_MEDIA')
    refusedAt(await answer('A'.repeat(15), 'audio/wav'), 'audioInput.audioBase64')
    const wav = await half('wav')
    const most = Buffer.alloc(14_000_001)
    wav.copy(most)
    // The rest is silence of the same chunk.
    most.writeUInt32LE(most.length - 9, 4)
    most.writeUInt32LE(most.length - 45, 40)
    const base64 = most.toString('base64')
    expect(base64.length).toBe(18_666_668)
    const taken = await answer(base64, 'audio/wav')
    expect(taken.status, taken.text.slice(0, 300)).toBe(200)
    refusedAt(await answer(`${base64}A`, 'audio/wav'), 'audioInput.audioBase64')
  })

  test('mediaType is that of a recording, as browsers say it, whatever the bytes are', async () => {
    const flac = (await half('flac')).toString('base64')
    // The names themselves stand in one table (core/media), which transcriptions read too.
    const types = ['audio/mpeg', 'audio/WAV', 'audio/webm;codecs=opus', 'video/3gpp']
    for (const type of [...types, 'application/octet-stream', ''])
      expect([type, (await answer(flac, type)).status]).toEqual([type, 200])
    for (const type of ['audio/midi', 'image/png', 'wav', 'codecs=opus'])
      refusedAt(await answer(flac, type), 'audioInput.mediaType')
  })
})

describe('POST /v1/audio/speech', () => {
  const create = (body: Record<string, unknown>) =>
    key.post('/v1/audio/speech', { model: 'test/voice', voice: 'alloy', input: 'سلام', ...body })

  test.each<[string, (count: number) => Record<string, unknown>, number, string]>([
    ['instructions', (count) => ({ instructions: faces(count) }), 2_000, 'instructions'],
    ['voice', (count) => ({ voice: faces(count) }), 80, 'voice'],
    ['input', (count) => ({ input: 'س'.repeat(count) }), 12_000, 'input'],
  ])('%s', async (_, bodyOf, most, param) => {
    const inside = { model: 'test/voice', voice: 'alloy', input: 'سلام', ...bodyOf(most) }
    const taken = await key.raw('POST', '/v1/audio/speech', JSON.stringify(inside))
    expect(taken.status).toBe(200)
    await taken.arrayBuffer()
    refusedAt(await create(bodyOf(most + 1)), param)
  })
})
