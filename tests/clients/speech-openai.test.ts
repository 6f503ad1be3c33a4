/** Speech with the official OpenAI client, read as it comes. */
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decodeSound } from '#core/sound'
import { outcome } from '../core/sound/samples.ts'
import { stream } from '../harness/upstream.ts'
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

test.each(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const)(
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
