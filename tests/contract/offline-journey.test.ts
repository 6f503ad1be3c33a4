/**
 * What a fresh clone does, without a network and without a configuration: on an empty database a real process makes pictures, speech and texts,
 * by plain HTTP and by the official clients, and every micro-credit that is gone stands on a receipt.
 */
import { createOpenAI } from '@ai-sdk/openai'
import { generateImage, generateSpeech, generateText } from 'ai'
import OpenAI from 'openai'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { decodeSound } from '#core/sound'
import { outcome } from '../core/sound/samples.ts'
import { Client, type Seen } from '../harness/client.ts'
import { emptyDatabase } from '../harness/postgres.ts'
import { startProcess } from '../harness/processes.ts'
import { explained } from '../text/chat-world.ts'

const secret = `khr_${'clone'.repeat(9)}`
const line = 'توانا بود هر که دانا بود'

interface Made {
  /** Of the request, which is that of its receipt. */
  id: string
  kind: 'picture' | 'speech' | 'text'
  bytes?: Uint8Array
}
interface Details {
  files?: string[]
  pictures?: object
  sound?: object
}
const idOf = (headers: Headers | Record<string, string> | undefined): string =>
  new Headers(headers).get('x-request-id')!

async function byHttp(key: Client): Promise<Made[]> {
  const taken = (reply: Seen): Seen => {
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    return reply
  }
  const picture = taken(await key.post('/v1/studio/image', { prompt: line, size: '512x512' }))
  const speech = taken(await key.post('/v1/studio/audio', { text: line }))
  const text = taken(await key.post('/v1/studio/text', { prompt: line }))
  expect(text.body.text.length).toBeGreaterThan(0)
  return [
    {
      id: idOf(picture.headers),
      kind: 'picture',
      bytes: Buffer.from(picture.body.outputs[0].data, 'base64'),
    },
    { id: idOf(speech.headers), kind: 'speech', bytes: Buffer.from(speech.body.output.data, 'base64') },
    { id: idOf(text.headers), kind: 'text' },
  ]
}

async function byOpenAi(url: string): Promise<Made[]> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 })
  const picture = await client.images.generate({ model: 'sandbox/image', prompt: line }).withResponse()
  const speech = await client.audio.speech.create({
    model: 'sandbox/speech',
    voice: 'sandbox-mina',
    input: line,
  })
  const text = await client.chat.completions
    .create({ model: 'sandbox/fast', messages: [{ role: 'user', content: line }] })
    .withResponse()
  expect(text.data.choices[0]!.message.content).toBeTruthy()
  const drawn = Buffer.from(picture.data.data![0]!.b64_json!, 'base64')
  return [
    { id: picture.request_id!, kind: 'picture', bytes: drawn },
    { id: idOf(speech.headers), kind: 'speech', bytes: new Uint8Array(await speech.arrayBuffer()) },
    { id: text.request_id!, kind: 'text' },
  ]
}

async function byAiSdk(url: string): Promise<Made[]> {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: secret })
  const picture = await generateImage({ model: provider.imageModel('sandbox/image'), prompt: line })
  const speech = await generateSpeech({
    model: provider.speech('sandbox/speech'),
    text: line,
    voice: 'sandbox-kian',
  })
  const text = await generateText({ model: provider.chat('sandbox/fast'), prompt: line })
  expect(text.text).toBeTruthy()
  return [
    { id: idOf(picture.responses[0]!.headers), kind: 'picture', bytes: picture.image.uint8Array },
    { id: idOf(speech.responses[0]!.headers), kind: 'speech', bytes: speech.audio.uint8Array },
    { id: idOf(text.response.headers), kind: 'text' },
  ]
}

/** The receipt says what was made and what it cost, and each of its files is what was answered. */
async function chargeOf(key: Client, { id, kind, bytes }: Made): Promise<bigint> {
  const { details, ...receipt } = await explained(key, id)
  expect(receipt).toMatchObject({ id, state: 'completed', pending: false })
  const { files = [], pictures, sound } = details as unknown as Details
  if (kind === 'picture') expect(pictures).toMatchObject({ asked: 1, delivered: 1, action: 'generate' })
  if (kind === 'speech') expect(sound).toMatchObject({ orders: 1, characters: [...line].length })
  expect(files).toHaveLength(kind === 'text' ? 0 : 1)
  for (const file of files) {
    const kept = await key.raw('GET', `/v1/files/${file}`)
    const stored = Buffer.from(await kept.arrayBuffer())
    expect([kept.status, stored.equals(bytes!)]).toEqual([200, true])
    if (kind === 'picture') expect((await sharp(stored).metadata()).format).toBe('png')
    else expect(await outcome(decodeSound([stored]))).toBeGreaterThan(10_000)
  }
  const listed = (await key.get('/v1/files?limit=100')).body.data.filter(
    ({ receipt_id }: { receipt_id: string }) => receipt_id === id,
  )
  expect(listed.map((file: { id: string }) => file.id)).toEqual(files)
  return BigInt(receipt.microcredits)
}

test('a fresh server makes pictures, speech and texts offline; receipts explain each, and add up to what is gone', async () => {
  await using database = await emptyDatabase()
  await using server = await startProcess({ databaseUrl: database.url, bootstrapKey: secret })
  const key = new Client(server.url, secret, '')
  const balance = async () => BigInt((await key.get('/v1/balance')).body.balance_microcredits)
  const start = await balance()
  const made = [...(await byHttp(key)), ...(await byOpenAi(server.url)), ...(await byAiSdk(server.url))]
  expect(new Set(made.map(({ id }) => id)).size).toBe(9)
  let charged = 0n
  for (const one of made) {
    const charge = await chargeOf(key, one)
    expect(charge, one.kind).toBeGreaterThan(0n)
    charged += charge
  }
  expect(await balance()).toBe(start - charged)
})
