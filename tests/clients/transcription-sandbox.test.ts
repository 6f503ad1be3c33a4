/** Offline, without any configuration: what the sandbox speaks it writes down, word for word, for the official client in every format. */
import { createOpenAI } from '@ai-sdk/openai'
import { OpenRouter } from '@openrouter/sdk'
import { transcribe } from 'ai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

const text = 'توانا بود هر که دانا بود. ز دانش دل پیر برنا بود.'

let world: World
let key: Client
let client: OpenAI
let mp3: Buffer
beforeAll(async () => {
  const config = `
models:
  - id: house/reader
    kind: audio
    deployments: [{ provider: sandbox, model: speech }]
    audio: { does: [speech], voices: [{ id: sandbox-mina }], formats: [wav, mp3] }
    pricing: { per_million_characters: 10 }
`
  world = await sharedWorld({ credits: 1_000, config })
  key = await world.key()
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  const spoken = await client.audio.speech.create({
    model: 'sandbox/speech',
    voice: 'sandbox-mina',
    input: text,
  })
  mp3 = Buffer.from(await spoken.arrayBuffer())
})
afterAll(() => world[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: its type follows from the format.
const create = async (response_format: string, more: Record<string, unknown> = {}): Promise<any> =>
  client.audio.transcriptions.create({
    ...{ model: 'sandbox/transcribe', file: await toFile(mp3, 'speech.mp3'), response_format, ...more },
  } as never)

test('json, text and verbose_json', async () => {
  expect((await create('json')).text).toBe(text)
  expect(await create('text')).toBe(`${text}\n`)
  const verbose = await create('verbose_json', { timestamp_granularities: ['word', 'segment'] })
  expect(verbose).toMatchObject({ text, task: 'transcribe' })
  expect(
    verbose.words
      .map(({ word }: { word: string }) => word)
      .join(' ')
      .replace(/[.]/g, ''),
  ).toBe(text.replace(/[.]/g, ''))
  expect(verbose.segments.length).toBeGreaterThan(0)
})

test('subtitles', async () => {
  const bare = (subtitles: string): string =>
    subtitles
      .split('\n')
      .filter((line) => /\p{Script=Arabic}/u.test(line))
      .join(' ')
      .replace(/[\u200f\u202b\u202c]/g, '')
  expect(bare(await create('srt'))).toBe(text)
  const vtt = await create('vtt')
  expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
  expect(bare(vtt)).toBe(text)
})

test('events', async () => {
  const stream = await create('json', { stream: true })
  let whole = ''
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') whole += event.delta
    if (event.type === 'transcript.text.done') expect(event.text).toBe(text)
  }
  expect(whole).toBe(text)
})

test('diarized_json, and its events: a segment of a speaker for each sentence', async () => {
  const spoken = ['A: توانا بود هر که دانا بود.', 'A: ز دانش دل پیر برنا بود.']
  const said = ({ speaker, text: sentence }: { speaker: string; text: string }) => `${speaker}: ${sentence}`
  const { segments } = await create('diarized_json', { chunking_strategy: 'auto' })
  expect(segments.map(said)).toEqual(spoken)
  const events: string[] = []
  for await (const event of await create('diarized_json', { stream: true }))
    if (event.type === 'transcript.text.segment') events.push(said(event))
  expect(events).toEqual(spoken)
})

test('the AI SDK and the client of OpenRouter', async () => {
  const openai = createOpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret })
  const answer = await transcribe({
    model: openai.transcription('sandbox/transcribe'),
    audio: mp3,
    providerOptions: { openai: { responseFormat: 'verbose_json', language: 'fa' } },
  })
  expect(answer).toMatchObject({ text, language: 'fa', warnings: [] })
  expect(answer.segments.map(({ text: sentence }) => sentence).join(' ')).toBe(text)
  const { stt } = new OpenRouter({ serverURL: `${world.url}/v1`, apiKey: key.secret })
  const data = mp3.toString('base64')
  const heard = await stt.createTranscription({
    sttRequest: { model: 'sandbox/transcribe', inputAudio: { data, format: 'mp3' } },
  })
  expect(heard).toMatchObject({ text, usage: { cost: expect.any(Number) } })
})

test('a translation of Persian says in English what it is, and invents no words; English stays as it is', async () => {
  const translate = async (file: Buffer, response_format: string): Promise<unknown> =>
    client.audio.translations.create({
      ...{ model: 'sandbox/transcribe', file: await toFile(file, 'speech.mp3'), response_format },
    } as never)
  expect(await translate(mp3, 'verbose_json')).toMatchObject({
    ...{ task: 'translate', language: 'english' },
    text: 'The sandbox translates nothing: 12 words of Persian are said in this recording.',
  })
  const english = await client.audio.speech.create({
    ...{ model: 'sandbox/speech', voice: 'sandbox-mina', input: 'Knowledge is power.' },
  })
  const sound = Buffer.from(await english.arrayBuffer())
  expect(await translate(sound, 'text')).toBe('Knowledge is power.\n')
})

test('the contract’s JSON without a model', async () => {
  const body = { audioBase64: mp3.toString('base64'), mediaType: 'audio/mpeg' }
  const reply = await key.post('/v1/audio/transcriptions', body)
  expect(reply.body, reply.text).toMatchObject({ text, model: 'sandbox/transcribe' })
})

test('Studio answers a recording by a model that cannot listen, and its answer can be written down', async () => {
  const audioInput = { audioBase64: mp3.toString('base64'), mediaType: 'audio/mpeg' }
  const reply = await key.post('/v1/studio/audio', { model: 'house/reader', audioInput, format: 'wav' })
  expect(reply.status, reply.text.slice(0, 400)).toBe(200)
  const body = { audioBase64: reply.body.output.data, mediaType: 'audio/wav' }
  const answer = await key.post('/v1/audio/transcriptions', body)
  expect(answer.body.text.length, answer.text).toBeGreaterThan(5)
  const { details } = (await key.receipt(reply.headers.get('x-request-id')!)).body
  expect(details.parts.map(({ part, model }: Record<string, string>) => `${part}: ${model}`)).toEqual([
    'transcription: sandbox/transcribe',
    expect.stringMatching(/^text: sandbox\//),
    'speech: house/reader',
  ])
})
