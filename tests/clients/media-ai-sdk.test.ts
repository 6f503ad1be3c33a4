/** generateSpeech and embedMany of the Vercel AI SDK; its generateImage stands in images-ai-sdk. */
import { createOpenAI } from '@ai-sdk/openai'
import { embedMany, generateSpeech } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explained } from '../text/chat-world.ts'
import { perToken, textsIn, tokensEach } from '../work/vectors-world.ts'
import { forMediaClients, type MediaClientsWorld } from './media-clients-world.ts'

let at: MediaClientsWorld
beforeAll(async () => {
  at = await forMediaClients()
})
afterAll(() => at[Symbol.asyncDispose]())

const provider = () => createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
const receiptOf = (headers: Record<string, string> | undefined) =>
  explained(at.key, headers?.['x-request-id'] ?? '')

test('generateSpeech gives the bytes of the upstream, charged by their characters and stored', async () => {
  const text = 'توانا بود هر که دانا بود.'
  const { audio, warnings, responses } = await generateSpeech({
    model: provider().speech('test/voice'),
    text,
    voice: 'nova',
    speed: 1.5,
    instructions: 'slowly',
  })
  expect(warnings).toEqual([])
  expect([audio.mediaType, audio.format]).toEqual(['audio/mpeg', 'mp3'])
  expect(Buffer.from(audio.uint8Array).equals(at.sound)).toBe(true)
  expect(at.upstream.calls.at(-1)?.body).toMatchObject({ voice: 'nova', speed: 1.5, instructions: 'slowly' })
  const receipt = await receiptOf(responses[0]?.headers)
  // 15 USD a million characters are 15,000 micro-credits a character.
  expect(receipt.microcredits).toBe(String(15_000 * [...text].length))
  const [file] = (receipt.details as unknown as { files: string[] }).files
  const stored = await (await at.key.raw('GET', `/v1/files/${file}`)).arrayBuffer()
  expect(Buffer.from(stored).equals(at.sound)).toBe(true)
})

test('generateSpeech with the sandbox, offline, in another format', async () => {
  const { audio } = await generateSpeech({
    model: provider().speech('sandbox/speech'),
    text: 'سلام',
    voice: 'sandbox-kian',
    outputFormat: 'wav',
  })
  expect(Buffer.from(audio.uint8Array).subarray(0, 4).toString()).toBe('RIFF')
})

test('a voice that the model has not is refused with the voices that it has', async () => {
  const asked = generateSpeech({
    model: provider().speech('test/voice'),
    text: 'سلام',
    voice: 'nobody',
    maxRetries: 0,
  })
  await expect(asked).rejects.toThrow(/alloy.*nova/)
})

test('embedMany of 100 values is one call and one receipt, however few texts the model takes at once', async () => {
  const before = at.upstream.calls.length
  const model = provider().textEmbeddingModel('test/near')
  const values = Array.from({ length: 100 }, (_, index) => `${index % 3 === 0 ? 'cat' : 'loan'} ${index}`)
  const { embeddings, usage, responses } = await embedMany({ model, values })
  expect(embeddings).toEqual(values.map((value) => (value.startsWith('cat') ? [1, 0, 0] : [0, 1, 0])))
  expect(usage.tokens).toBe(100 * tokensEach)
  const sent = at.upstream.calls.slice(before).map(textsIn)
  expect(sent.flat().sort()).toEqual(values.toSorted())
  expect(Math.max(...sent.map(({ length }) => length))).toBe(2)
  expect(responses).toHaveLength(1)
  const receipt = await receiptOf(responses?.[0]?.headers)
  expect(receipt.microcredits).toBe(String(perToken * BigInt(100 * tokensEach)))
})

test('embedMany with the sandbox keeps the order of the texts', async () => {
  const model = provider().textEmbeddingModel('sandbox/embedding')
  const values = [
    'the cat sat on the mat',
    'a cat on a mat',
    'interest rates of banks',
    ...Array.from({ length: 97 }, (_, index) => `text ${index}`),
  ]
  const { embeddings } = await embedMany({ model, values })
  expect(embeddings).toHaveLength(100)
  const near = (a: number[], b: number[]) => a.reduce((sum, value, place) => sum + value * b[place]!, 0)
  expect(near(embeddings[0]!, embeddings[1]!)).toBeGreaterThan(near(embeddings[0]!, embeddings[2]!))
})
