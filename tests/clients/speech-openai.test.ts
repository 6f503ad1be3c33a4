/** Speech with the official OpenAI client, read as it comes. */
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decodeSound } from '#core/sound'
import { outcome } from '../core/sound/samples.ts'
import { cut, stream } from '../harness/upstream.ts'
import { explained } from '../text/chat-world.ts'
import { forMediaClients, type MediaClientsWorld } from './media-clients-world.ts'

let at: MediaClientsWorld
let client: OpenAI
beforeAll(async () => {
  at = await forMediaClients()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterEach(() => at.upstream.reply(at.answers))
afterAll(() => at[Symbol.asyncDispose]())

const text = 'توانا بود هر که دانا بود. ز دانش دل پیر برنا بود.'
const storedOf = async (file: string): Promise<Buffer> =>
  Buffer.from(await (await at.key.raw('GET', `/v1/files/${file}`)).arrayBuffer())

test('the first piece is here while the upstream still speaks, the last when file and charge are', async () => {
  const gate = Promise.withResolvers<void>()
  const half = Math.floor(at.sound.length / 2)
  const steps = [at.sound.subarray(0, half), gate.promise, at.sound.subarray(half)]
  at.upstream.reply(stream(steps, { 'content-type': 'audio/mpeg' }))
  const before = at.upstream.calls.length
  const reply = await client.audio.speech.create({ model: 'test/voice', voice: 'nova', input: text })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  const pieces: Uint8Array[] = []
  const reader = reply.body!.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value)
    // The upstream has not ended, and cannot until this piece is here.
    if (pieces.length === 1) {
      const [order] = at.upstream.calls.slice(before)
      expect(order!.bytesSent).toBeLessThanOrEqual(half)
      gate.resolve()
    }
  }
  expect(pieces.length).toBeGreaterThan(1)
  expect(Buffer.concat(pieces).equals(at.sound)).toBe(true)
  // Committed before the last piece: the receipt needs no waiting.
  const receipt = (await at.key.receipt(reply.headers.get('x-request-id')!)).body
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(15_000 * [...text].length) })
  expect((await storedOf(receipt.details.files[0])).equals(at.sound)).toBe(true)
  expect(at.upstream.calls.length - before).toBe(1)
})

test.each(['mp3', 'opus', 'aac', 'flac', 'pcm'] as const)(
  'the sandbox, offline, as %s piece by piece',
  async (format) => {
    const reply = await client.audio.speech.create({
      model: 'sandbox/speech',
      voice: 'sandbox-mina',
      input: `${text} ${text}`,
      response_format: format,
    })
    expect(reply.headers.get('content-length')).toBeNull()
    const pieces: Uint8Array[] = []
    const reader = reply.body!.getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
    expect(pieces.length).toBeGreaterThan(1)
    const bytes = Buffer.concat(pieces)
    const receipt = await explained(at.key, reply.headers.get('x-request-id')!)
    // 10 USD a million characters.
    expect(receipt.microcredits).toBe(String(10_000 * [...`${text} ${text}`].length))
    const { files, sound } = receipt.details as unknown as { files: string[]; sound: { seconds: number } }
    expect((await storedOf(files[0]!)).length).toBe(bytes.length)
    if (format === 'aac') return // which is written here, and read nowhere
    const samples = await outcome(decodeSound([bytes], { pcm: { rate: 24_000, channels: 1 } }))
    expect(Math.abs(Number(samples) / (format === 'opus' ? 48_000 : 24_000) - sound.seconds)).toBeLessThan(
      0.1,
    )
  },
)

/** What a WAV says of its own length: in its head, and of its samples. */
function lengthsIn(wav: Buffer): { whole: number; samples: number; begin: number } {
  const begin = wav.indexOf('data') + 8
  return { whole: wav.readUInt32LE(4), samples: wav.readUInt32LE(begin - 4), begin }
}

test('a WAV says its length, in its head and in that of the answer; streamed on request it has none', async () => {
  const ask = {
    ...{ model: 'sandbox/speech', voice: 'sandbox-mina', input: text },
    response_format: 'wav' as const,
  }
  const reply = await client.audio.speech.create(ask)
  const wav = Buffer.from(await reply.arrayBuffer())
  const { whole, samples, begin } = lengthsIn(wav)
  expect([whole, samples]).toEqual([wav.length - 8, wav.length - begin])
  const receipt = await explained(at.key, reply.headers.get('x-request-id')!)
  const { files } = receipt.details as unknown as { files: string[] }
  expect(['content-length', 'x-microcredits', 'x-file-ids'].map((name) => reply.headers.get(name))).toEqual([
    String(wav.length),
    receipt.microcredits,
    files[0],
  ])
  expect((await storedOf(files[0]!)).equals(wav)).toBe(true)
  const streamed = await client.audio.speech.create({ ...ask, stream_format: 'audio' })
  expect(streamed.headers.get('content-length')).toBeNull()
  const endless = Buffer.from(await streamed.arrayBuffer())
  expect(lengthsIn(endless)).toEqual({ whole: 0xffff_ffff, samples: 0xffff_ffff, begin })
  expect(endless.subarray(begin).equals(wav.subarray(begin))).toBe(true)
})

interface SpeechEvent {
  type: string
  audio?: string
  file_id?: string
  usage?: Record<string, unknown>
  error?: { code: string }
}

async function eventsOf(more: Record<string, unknown> = {}): Promise<SpeechEvent[]> {
  const reply = await client.audio.speech.create({
    ...{ model: 'test/voice', voice: 'nova', input: text, ...more },
    stream_format: 'sse',
  })
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const lines = (await reply.text()).split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as SpeechEvent)
}

test('in events the sound comes in pieces, and at its end what it cost', async () => {
  const events = await eventsOf()
  const done = events.pop()!
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']))
  const sound = Buffer.concat(events.map(({ audio }) => Buffer.from(audio!, 'base64')))
  expect(sound.equals(at.sound)).toBe(true)
  expect(done).toMatchObject({
    type: 'speech.audio.done',
    usage: { total_tokens: expect.any(Number), microcredits: String(15_000 * [...text].length) },
  })
  expect((await storedOf(done.file_id!)).equals(sound)).toBe(true)
})

test('events of a speech that broke off end in the error and cost nothing', async () => {
  await at.world.settled()
  const before = await at.world.balance()
  at.upstream.reply(stream([at.sound.subarray(0, 900), cut], { 'content-type': 'audio/mpeg' }))
  const last = (await eventsOf()).at(-1)!
  expect(last).toMatchObject({ type: 'error', error: { code: expect.stringMatching(/^UPSTREAM_/) } })
  await at.world.settled()
  expect(await at.world.balance()).toEqual(before)
})

test('the voices of the speech models that a key may use are listed, each with its model', async () => {
  interface Voices {
    object: string
    data: { id: string; object: string; model: string; default: boolean }[]
    voices: { id: string }[]
  }
  const all = await client.get<Voices>('/audio/voices')
  expect(all).toMatchObject({ object: 'list', has_more: false })
  expect(all.data).toContainEqual(
    expect.objectContaining({ id: 'nova', object: 'voice', model: 'test/voice', default: false }),
  )
  expect(all.voices.map(({ id }) => id)).toEqual(expect.arrayContaining(['alloy', 'nova', 'sandbox-mina']))
  const own = await at.world.key({ models: ['test/voice'] })
  const ownIds = (await own.get('/v1/audio/voices')).body.data.map(({ id }: { id: string }) => id)
  expect(ownIds).toEqual(['alloy', 'nova'])
  const of = (model: string, key = at.key) => key.get(`/v1/audio/voices?model=${encodeURIComponent(model)}`)
  expect((await of('test/voice')).body.data).toHaveLength(2)
  expect((await of('test/near')).body.error).toMatchObject({ code: 'MODEL_KIND_MISMATCH', param: 'model' })
  expect((await of('sandbox/speech', own)).body.error.code).toMatch(/^MODEL_/)
  const writer = await at.world.key({ scopes: ['studio:write'] })
  expect((await writer.get('/v1/audio/voices')).status).toBe(200)
})
