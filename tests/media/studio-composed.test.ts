/** POST /v1/studio/audio with a recording, by an audio model that cannot listen: written down, answered, spoken; one hold, one receipt, all or nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import { type TranscriptionUpstream, transcriptionUpstream } from '../harness/transcription-upstream.ts'
import {
  cut,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset as lostReply,
  type Script,
  stream,
} from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'
import { requestIdOf } from '../text/chat-world.ts'
import { lossOf } from './images-world.ts'
import { bodyOf, wavOf } from './transcriptions-world.ts'

const configOf = (ears: string, rest: string) => `
providers:
  - { id: ears, base_url: ${ears}, api_key: upstream-secret, dialects: [transcriptions] }
  - { id: rest, base_url: ${rest}, api_key: upstream-secret, dialects: [chat, speech] }
models:
  - id: test/ears
    kind: transcription
    deployments: [{ provider: ears, model: ears-1 }]
    pricing: { per_minute: 0.06 }
  - id: test/text
    kind: text
    deployments: [{ provider: rest, model: text-1 }]
    context_length: 32000
    max_output_tokens: 4000
    pricing: { input_per_million: 1, output_per_million: 2 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: rest, model: voice-1 }]
    audio: { voices: [{ id: alloy }, { id: nova }], formats: [wav] }
    pricing: { per_million_characters: 15 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

let ears: TranscriptionUpstream
let rest: FakeUpstream
let world: World
let key: Client
let two: Buffer
let spoken: Script
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  ears = stack.use(await transcriptionUpstream())
  rest = stack.use(await fakeUpstream())
  world = stack.use(await boot({ config: configOf(ears.url, rest.url), credits: 1_000 }))
  key = await world.key()
  two = await wavOf(1.5)
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate: 24_000, samples }], { format: 'wav', maxBytes: 1e6 })
  spoken = stream([bytes], { 'content-type': 'audio/wav' })
})
afterAll(() => stack.disposeAsync())

const text = 'درود بر شما.'
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const written: Script = stream([
  { choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  'data: [DONE]\n\n',
])
beforeEach(() => {
  ears.reset()
  rest.reset()
  rest.reply((call) => (call.path.endsWith('/audio/speech') ? spoken : written))
})

const answer = (
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  by = key,
): Promise<Seen> =>
  by.post(
    '/v1/studio/audio',
    { model: 'test/voice', audioInput: bodyOf(two), format: 'wav', ...more },
    headers,
  )

test('one request makes three calls, and its receipt explains each of them', async () => {
  const formsBefore = ears.forms().length
  const reply = await answer({ text: 'کوتاه پاسخ بده', voice: 'nova' })
  expect(reply.status, reply.text.slice(0, 500)).toBe(200)
  expect(Buffer.from(reply.body.output.data, 'base64').subarray(0, 4).toString()).toBe('RIFF')
  expect(reply.body.output).toMatchObject({ mediaType: 'audio/wav', seconds: 1 })
  expect(ears.forms()).toHaveLength(formsBefore + 1)
  const [asked, voiced] = rest.calls.slice(-2)
  expect(asked!.path).toBe('/v1/chat/completions')
  const messages = JSON.stringify(asked!.body!['messages'])
  expect(messages).toContain('سلام دنیا')
  expect(messages).toContain('کوتاه پاسخ بده')
  expect(voiced!.body).toMatchObject({ input: text, voice: 'nova' })
  // 2 s of 60 credits a minute, 100 and 10 tokens of 1 and 2 credits a thousand, 12 characters of 15 credits a thousand.
  const cost = 2_000_000 + 100 * 1_000 + 10 * 2_000 + [...text].length * 15_000
  expect(reply.headers.get('x-microcredits')).toBe(String(cost))
  const receipt = (await key.receipt(requestIdOf(reply))).body
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(cost), model: 'test/voice' })
  expect(receipt.details.parts).toMatchObject([
    { part: 'transcription', model: 'test/ears', microcredits: '2000000', recording: { seconds: 1.5 } },
    { part: 'text', model: 'test/text', microcredits: '120000', tokens: { input: 100, output: 10 } },
    { part: 'speech', model: 'test/voice', microcredits: String([...text].length * 15_000) },
  ])
  expect(receipt.details.attempts).toHaveLength(3)
  const [sound, transcript] = receipt.details.files
  expect(reply.headers.get('x-file-ids')).toBe(sound)
  expect((await key.get(`/v1/files/${transcript}`)).body.text).toBe('سلام دنیا')
  expect(reply.body.execution).toMatchObject({ model: 'test/voice' })
})

test('is paid by one hold at the sum of the worst cases', async () => {
  const gate = Promise.withResolvers<void>()
  ears.reply(async () => {
    await gate.promise
    return json(200, { text: 'سلام', usage: { type: 'duration', seconds: 2 } })
  })
  const calls = ears.calls.length
  const sent = answer()
  await ears.call(calls)
  const { held } = await world.balance()
  gate.resolve()
  const reply = await sent
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  // The longest answer alone: 1,500 characters of 15,000.
  expect(held).toBeGreaterThan(2_000_000n + 1_500n * 15_000n + 1_024n * 2_000n)
  expect(BigInt(reply.headers.get('x-microcredits')!)).toBeLessThan(held)
  await world.settled()
})

test('a caller who cannot pay for all three is refused before any call', async () => {
  await using poor = await boot({ config: configOf(ears.url, rest.url), credits: 10 })
  const calls = [ears.calls.length, rest.calls.length]
  const reply = await answer({}, {}, await poor.key())
  expect([reply.status, reply.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS'])
  expect([ears.calls.length, rest.calls.length]).toEqual(calls)
  expect((await poor.balance()).held).toBe(0n)
})

describe('where one of the three fails, nothing is charged or stored, and what the others cost is the platform’s loss', () => {
  const broken = json(400, { error: { message: 'no', type: 'invalid_request_error' } })
  test.each([
    ['the transcription', 0],
    ['the text', 2_000_000],
    ['the speech', 2_120_000],
  ] as const)('%s', async (which, lost) => {
    if (which === 'the transcription') ears.reply(broken)
    rest.reply((call) => {
      const isSpeech = call.path.endsWith('/audio/speech')
      if (which === 'the text' && !isSpeech) return broken
      if (which === 'the speech' && isSpeech) return broken
      return isSpeech ? spoken : written
    })
    const before = { balance: await world.balance(), loss: await lossOf(world) }
    const files = (await key.get('/v1/files?limit=100')).body.data.length
    const reply = await answer()
    expect(reply.status, reply.text.slice(0, 300)).toBeGreaterThanOrEqual(400)
    await world.settled()
    expect(await world.balance()).toEqual(before.balance)
    expect((await lossOf(world)) - before.loss).toBe(BigInt(lost))
    expect((await key.get('/v1/files?limit=100')).body.data).toHaveLength(files)
    expect((await key.receipt(requestIdOf(reply))).body).toMatchObject({ state: 'failed', microcredits: '0' })
  })
})

const firstWords: Script = stream([
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'درود' }, finish_reason: null }] },
  cut,
])
test.each([
  // Nobody says how much was written before it was lost: at most the 1,024 tokens that were ordered, of a prompt of some hundred.
  [
    'the text, before a word of it,',
    lostReply,
    2_000_000n + 1_024n * 2_000n + 50_000n,
    2_000_000n + 1_024n * 2_000n + 1_000_000n,
  ],
  [
    'the text, after its first words,',
    firstWords,
    2_000_000n + 1_024n * 2_000n + 50_000n,
    2_000_000n + 1_024n * 2_000n + 1_000_000n,
  ],
  // What was written, and as many characters as were to be spoken at most.
  ['the speech', lostReply, 2_120_001n, 2_120_000n + 1_500n * 15_000n],
] as const)(
  'where the reply of %s is lost nobody pays, the platform bears what was done, and nothing is sent again',
  async (which, script, least, most) => {
    await using own = await boot({ config: configOf(ears.url, rest.url), credits: 1_000 })
    const by = await own.key()
    rest.reply((call) => {
      const isSpeech = call.path.endsWith('/audio/speech')
      if (isSpeech === (which === 'the speech')) return script
      return isSpeech ? spoken : written
    })
    const calls = rest.calls.length
    const balance = await own.balance()
    const claim = { 'idempotency-key': 'lost-reply' }
    const reply = await answer({}, claim, by)
    expect(reply.status, reply.text.slice(0, 300)).toBeGreaterThanOrEqual(500)
    await own.settled()
    expect(await own.balance()).toEqual(balance)
    const loss = await lossOf(own)
    expect(loss).toBeGreaterThanOrEqual(least)
    expect(loss).toBeLessThanOrEqual(most)
    const receipt = (await by.receipt(requestIdOf(reply))).body
    expect(receipt).toMatchObject({ state: 'failed', microcredits: '0' })
    const parts = receipt.details.parts as { microcredits: string }[]
    expect(parts.reduce((sum, { microcredits }) => sum + BigInt(microcredits), 0n)).toBe(loss)
    expect(await own.app.db.query({ text: 'select receipt_id from files.reservations' }, [])).toEqual([])
    expect((await answer({}, claim, by)).body.error.code).toBe('REQUEST_ALREADY_ACCEPTED')
    expect(rest.calls.length - calls).toBe(which === 'the speech' ? 2 : 1)
    expect((await by.get('/v1/files')).body.data).toEqual([])
  },
)

test('whoever leaves after the transcription pays for the answer, and finds it by its key', async () => {
  await using own = await boot({ config: configOf(ears.url, rest.url), credits: 1_000 })
  const by = await own.key()
  const gate = Promise.withResolvers<void>()
  rest.reply(async (call) => {
    if (call.path.endsWith('/audio/speech')) return spoken
    await gate.promise
    return written
  })
  const { available } = await own.balance()
  const calls = rest.calls.length
  const leaving = new AbortController()
  const claim = { 'idempotency-key': 'leaves' }
  const body = JSON.stringify({ model: 'test/voice', audioInput: bodyOf(two), format: 'wav' })
  const sent = by.raw('POST', '/v1/studio/audio', body, claim, leaving.signal).catch(() => undefined)
  await rest.call(calls)
  leaving.abort()
  await sent
  gate.resolve()
  await own.settled()
  const cost = 2_120_000n + BigInt([...text].length * 15_000)
  expect(available - (await own.balance()).available).toBe(cost)
  expect(await lossOf(own)).toBe(0n)
  const found = await answer({}, claim, by)
  expect(found.status, found.text.slice(0, 300)).toBe(200)
  expect(found.body.output).toMatchObject({ mediaType: 'audio/wav', seconds: 1 })
  expect(rest.calls.length - calls).toBe(2)
  expect(available - (await own.balance()).available).toBe(cost)
})

test('of two at once with one key only one is made', async () => {
  const gate = Promise.withResolvers<void>()
  ears.hear(async () => {
    await gate.promise
    return { text: 'سلام' }
  })
  const [heard, made] = [ears.calls.length, rest.calls.length]
  const { available } = await world.balance()
  const claim = { 'idempotency-key': 'two-at-once' }
  const first = answer({}, claim)
  await ears.call(heard)
  const second = await answer({}, claim)
  expect([second.status, second.body.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  gate.resolve()
  const reply = await first
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  await world.settled()
  expect([ears.calls.length - heard, rest.calls.length - made]).toEqual([1, 2])
  expect(available - (await world.balance()).available).toBe(BigInt(reply.headers.get('x-microcredits')!))
})

test('what could not be committed is not charged, and the room of sound and transcript is free again', async () => {
  await using own = await boot({ config: configOf(ears.url, rest.url), credits: 1_000 })
  const by = await own.key()
  const { db } = own.app
  const run = (text: string) => db.query({ text }, [])
  await run(`create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no more files'; end $$`)
  await run(
    'create trigger refuse before insert on files.files for each row execute function public.refuse()',
  )
  const before = await own.balance()
  const reply = await answer({}, {}, by)
  expect([reply.status, reply.body.error.code]).toEqual([503, 'RESULT_NOT_STORED'])
  await own.settled()
  expect(await own.balance()).toEqual(before)
  expect(await lossOf(own)).toBe(BigInt(2_120_000 + [...text].length * 15_000))
  const usage = { text: 'select files, creations, creation_bytes from files.usage' }
  expect(await db.query(usage, [])).toEqual([{ files: 0n, creations: 0n, creation_bytes: 0n }])
  expect(await run('select receipt_id from files.reservations')).toEqual([])
  const receipt = (await by.receipt(requestIdOf(reply))).body
  expect(receipt).toMatchObject({ state: 'failed', microcredits: '0' })
  expect(receipt.details.files).toEqual([])
  await run('drop trigger refuse on files.files')
  const again = await answer({}, {}, by)
  expect(again.status, again.text.slice(0, 300)).toBe(200)
  expect(await db.query(usage, [])).toMatchObject([{ files: 0n, creations: 2n }])
  expect(await run('select receipt_id from files.reservations')).toEqual([])
})

test('a repeat gets the same answer, and nothing is called again', async () => {
  const headers = { 'idempotency-key': 'composed-1' }
  const first = await answer({}, headers)
  const calls = rest.calls.length
  const again = await answer({}, headers)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('x-file-ids')!.split(', ')[0]).toBe(first.headers.get('x-file-ids'))
  expect(rest.calls).toHaveLength(calls)
})

test('a long answer is spoken to the end of a sentence', async () => {
  const long = 'این جمله‌ای است که بارها گفته می‌شود. '.repeat(100)
  const whole = stream([
    { choices: [{ index: 0, delta: { role: 'assistant', content: long }, finish_reason: 'stop' }], usage },
    'data: [DONE]\n\n',
  ])
  rest.reply((call) => (call.path.endsWith('/audio/speech') ? spoken : whole))
  const reply = await answer()
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  const said = rest.calls
    .filter(({ path }) => path.endsWith('/audio/speech'))
    .slice(-1)
    .map(({ body }) => String(body!['input']))
    .join('')
  expect(said.length).toBeLessThanOrEqual(1_500)
  expect(said.endsWith('.')).toBe(true)
})

test('a recording in which nothing is said is answered too', async () => {
  ears.hear({ text: '' })
  const reply = await answer()
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  expect(JSON.stringify(rest.calls.at(-2)!.body!['messages'])).toContain('Nothing was said')
})

test('a voice that the model has not, and what is no recording, are refused before any call', async () => {
  const calls = ears.calls.length
  const voice = await answer({ voice: 'nobody' })
  expect(voice.body.error).toMatchObject({ code: 'AUDIO_SETTING_NOT_SUPPORTED', param: 'voice' })
  const audioInput = {
    audioBase64: Buffer.from('no recording at all, a text').toString('base64'),
    mediaType: 'audio/wav',
  }
  const text = await answer({ audioInput })
  expect(text.body.error).toMatchObject({ code: 'INVALID_MEDIA', param: 'audioInput.audioBase64' })
  const turns = [
    { text: 'a', voice: 'nova' },
    { text: 'b', voice: 'nova' },
  ]
  expect((await answer({ turns })).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'turns' })
  expect(ears.calls).toHaveLength(calls)
})
