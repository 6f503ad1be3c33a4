/**
 * Every fault of an upstream, and a caller who leaves, for every medium on every route that orders it: one order at most, the charge exact or
 * none, the file there or the hold released, and a repeat with the key that never orders a second time what may have been made.
 */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#engine/sound'
import type { Client } from '../harness/client.ts'
import { seesClose } from '../harness/closes.ts'
import { formIn } from '../harness/transcription-upstream.ts'
import { until } from '../harness/until.ts'
import {
  cut,
  done,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stall,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'

const credits = 1_000n * 1_000_000n
const config = (url: string, timeouts = '') => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [chat, images, speech, modalities, transcriptions]${timeouts} }
  - { id: eleven, base_url: ${url}, api_key: upstream-secret, dialects: [elevenlabs]${timeouts} }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [64x64], max_references: 1 }
    pricing: { per_image: 0.04, per_reference: 0.001 }
  - id: test/gradual
    kind: image
    deployments: [{ provider: fake, model: gradual-1 }]
    image: { sizes: [64x64], partial_images: 2 }
    pricing: { per_image: 0.04 }
  - id: test/pair
    kind: audio
    deployments: [{ provider: eleven, model: pair-1 }]
    audio: { does: [speech, dialogue], voices: [{ id: alloy }, { id: nova }], formats: [mp3] }
    pricing: { per_million_characters: 15 }
  - id: test/answerer
    kind: audio
    deployments: [{ provider: fake, model: answerer-1 }]
    audio: { does: [answer], voices: [{ id: alloy }], formats: [pcm] }
    pricing: { input_per_million: 32, output_per_million: 64 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: alloy }, { id: nova }], formats: [wav] }
    pricing: { per_million_characters: 15 }
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: fake, model: scribe-1 }]
    transcription: { max_seconds: 10, timestamps: segment, stream: true }
    pricing: { per_minute: 0.06 }
  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2
    pricing: { input_per_million: 0.5 }
defaults: { credits_per_usd: 1000, markup: 1.0, studio: { image: { balanced: test/painter }, audio: { balanced: test/voice } } }
`

let world: World
/** Whose patience ends soon. */
let hastyWorld: World
let upstream: FakeUpstream
let picture: Buffer
let sound: Buffer
let mp3: Buffer
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  const encoded = (format: 'wav' | 'mp3') =>
    encodeWhole([{ rate: 24_000, samples }], { format, maxBytes: 1e6 }).then(({ bytes }) =>
      Buffer.from(bytes),
    )
  sound = await encoded('wav')
  mp3 = await encoded('mp3')
  for (const seconds of [5, 30]) {
    const tone = Float32Array.from({ length: seconds * 16_000 }, (_, at) => 0.3 * Math.sin(at / 9))
    const { bytes } = await encodeWhole([{ rate: 16_000, samples: tone }], { format: 'wav', maxBytes: 1e7 })
    tones.set(seconds, Buffer.from(bytes))
  }
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await boot({ config: config(upstream.url) }))
  const soon = ', timeouts: { first_byte_ms: 3000, first_token_ms: 3000, idle_ms: 3000, total_ms: 3000 }'
  hastyWorld = stack.use(await boot({ config: config(upstream.url, soon) }))
})
afterAll(() => stack.disposeAsync())

/** How an upstream answers for a medium, in the envelope of its wire. */
interface Wire {
  good(call?: UpstreamCall): Script
  /** These bytes in place of the medium. */
  holding(bytes: Buffer): Script
  /** What an upstream says before its line breaks, or before it says nothing more. */
  begun(end: typeof cut | typeof stall): Script
  /** This text in place of the whole answer, as a gateway in between would send it. */
  page(text: string): Script
  medium(): Buffer
}

const whole = (body: unknown): Script => json(200, body)
const pageOf = (text: string): Script => json(200, text, { 'content-type': 'text/html' })
const halfOf = (text: string): string => text.slice(0, text.length / 2)
const inJson = { 'content-type': 'application/json' }

const pictures: Wire = {
  good: () => pictures.holding(picture),
  holding: (bytes) => whole({ data: [{ b64_json: bytes.toString('base64') }] }),
  begun: (end) =>
    stream([halfOf(JSON.stringify({ data: [{ b64_json: picture.toString('base64') }] })), end], inJson),
  page: pageOf,
  medium: () => picture,
}
/** Pictures that come in events, with an unfinished one before. */
const events: Wire = {
  good: () => events.holding(picture),
  holding: (bytes) => stream([unfinished(), { type: completed, b64_json: bytes.toString('base64') }]),
  begun: (end) => stream([unfinished(), `data: {"type":"${completed}","b64_json":"iVBO`, end]),
  page: pageOf,
  medium: () => picture,
}
const completed = 'image_generation.completed'
const unfinished = () => ({
  type: 'image_generation.partial_image',
  b64_json: picture.toString('base64'),
  partial_image_index: 0,
})
const speech: Wire = {
  good: () => speech.holding(sound),
  holding: (bytes) => stream([bytes], { 'content-type': 'audio/wav' }),
  begun: (end) => stream([sound.subarray(0, 20_000), end], { 'content-type': 'audio/wav' }),
  page: (text) => stream([text], { 'content-type': 'text/html' }),
  medium: () => sound,
}
/** Several voices in one sound, by ElevenLabs' wire. */
const voices: Wire = {
  good: () => voices.holding(mp3),
  holding: (bytes) => stream([bytes], { 'content-type': 'audio/mpeg' }),
  begun: (end) => stream([mp3.subarray(0, 4_000), end], { 'content-type': 'audio/mpeg' }),
  page: (text) => stream([text], { 'content-type': 'text/html' }),
  medium: () => mp3,
}
/** A spoken answer of chat completions: samples in events, which no byte can tell from others. */
const answers: Wire = {
  good: () => answers.holding(Buffer.alloc(48_000, 3)),
  holding: (bytes) =>
    stream([
      { choices: [{ delta: { audio: { data: bytes.toString('base64') } }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 50, completion_tokens: 200 } },
      done,
    ]),
  begun: (end) => stream([{ choices: [{ delta: { audio: { data: 'AAAA' } } }] }, end]),
  page: pageOf,
  medium: () => Buffer.alloc(48_000, 3),
}
/** A transcript; that of some seconds of a tone, which has no pauses to cut it in. */
const transcripts: Wire = {
  good: () => transcripts.holding(heardText),
  holding: (bytes) =>
    whole({ text: bytes.toString('utf8'), language: 'fa', usage: { type: 'duration', seconds: 10 } }),
  begun: (end) => stream(['{"text":"سلام', end], inJson),
  page: pageOf,
  medium: () => heardText,
}
/** The same in events. */
const spokenEvents: Wire = {
  good: () => spokenEvents.holding(heardText),
  holding: (bytes) =>
    stream([
      { type: 'transcript.text.delta', delta: bytes.toString('utf8') },
      { type: 'transcript.text.done', text: bytes.toString('utf8') },
    ]),
  begun: (end) => stream([{ type: 'transcript.text.delta', delta: 'سلام' }, end]),
  page: pageOf,
  medium: () => heardText,
}
const heardText = Buffer.from('سلام دنیا')
const vectors: Wire = {
  good: (call) => {
    const texts = (call?.body?.['input'] as string[] | undefined) ?? ['']
    const data = texts.map((_, index) => ({ index, embedding: [1, 0, 0] }))
    return whole({ data, usage: { prompt_tokens: 5 * texts.length } })
  },
  holding: (bytes) => whole({ data: [{ index: 0, embedding: bytes.toString('utf8') }], usage: {} }),
  begun: (end) => stream(['{"data":[{"index":0,"embedding":[1,', end], inJson),
  page: pageOf,
  medium: () => Buffer.from('[1,0,0]'),
}

interface Medium {
  wire: Wire
  /** Sends the order; a connection that is cut is an answer, too. */
  send(client: Client, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer>
  /** In micro-credits, from the prices above and the sizes below. */
  price: bigint
  /** Of one order of it at the upstream. */
  orders: number
  isStored: boolean
  /** Its answer is not kept for a repeat, which is refused and names the files. */
  isStreamed?: boolean
}
interface Answer {
  /** 0 for a line that is cut, and for events that end in an error. */
  status: number
  code?: string
  /** That a refusal names. */
  files?: string[]
  headers?: Headers
}

const post =
  (path: string, body: unknown): Medium['send'] =>
  (client, headers, signal) => {
    const written = JSON.stringify(typeof body === 'function' ? body() : body)
    return answerOf(client.raw('POST', path, written, headers, signal))
  }

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  try {
    const response = await asked
    const text = await response.text()
    const { status, headers } = response
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      const last = JSON.parse(text.match(/(?<=^data: ).*/gm)!.at(-1)!)
      return { status: last.error ? 0 : status, code: last.error?.code, headers }
    }
    const isJson = headers.get('content-type')?.startsWith('application/json')
    const error = isJson && status >= 400 ? JSON.parse(text).error : undefined
    return { status, code: error?.code, files: error?.details?.files, headers }
  } catch {
    return { status: 0 }
  }
}

const editing =
  (more: Record<string, string> = {}): Medium['send'] =>
  async (client, headers, signal) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(more)) form.append(name, value)
    form.append('model', 'test/painter')
    form.append('prompt', 'make it blue')
    form.append('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png')
    const encoded = new Response(form)
    const body = new Uint8Array(await encoded.arrayBuffer())
    const type = encoded.headers.get('content-type')!
    return answerOf(
      client.raw('POST', '/v1/images/edits', body, { 'content-type': type, ...headers }, signal),
    )
  }

const text = 'توانا بود هر که دانا بود'
const turns = ['سلام', 'درود بر شما'] as const
/** A million characters cost 15 USD, and a USD is 1,000 credits. */
const spoken = (...texts: string[]): bigint => 15_000n * BigInt([...texts.join('')].length)
const drawn = 40_000_000n

/** Of 50 tokens in and 200 out, at 32,000 and 64,000 micro-credits. */
const answeredPrice = 50n * 32_000n + 200n * 64_000n

const image = { wire: pictures, price: drawn, orders: 1, isStored: true }
const said = { wire: speech, price: spoken(text), orders: 1, isStored: true }
/** At 0.06 USD a minute. */
const heardSecond = 1_000_000n
const transcribed = { wire: transcripts, isStored: true }
/** A tone, which has no pauses: of ten seconds a piece, each but the first begins 2.5 s earlier. */
const recorded = (seconds: number) => ({
  model: 'test/scribe',
  audioBase64: tones.get(seconds)!.toString('base64'),
  mediaType: 'audio/wav',
})
const tones = new Map<number, Buffer>()
const ask = { model: 'test/painter', prompt: 'a cat' }
const media: Record<string, Medium> = {
  'image, /v1/studio/image': { ...image, send: post('/v1/studio/image', { prompt: 'a cat' }) },
  'image, /v1/images/generations': { ...image, send: post('/v1/images/generations', ask) },
  'image, /v1/images': { ...image, send: post('/v1/images', ask) },
  'image, /v1/images/edits': { ...image, send: editing(), price: drawn + 1_000_000n },
  'image in events, /v1/images/generations': {
    ...image,
    send: post('/v1/images/generations', { ...ask, stream: true }),
    isStreamed: true,
  },
  'image in events, /v1/images/edits': {
    ...image,
    send: editing({ stream: 'true' }),
    price: drawn + 1_000_000n,
    isStreamed: true,
  },
  'image in events of the upstream, /v1/images/generations': {
    ...image,
    wire: events,
    send: post('/v1/images/generations', { ...ask, model: 'test/gradual', stream: true, partial_images: 2 }),
    isStreamed: true,
  },
  'speech, /v1/studio/audio': { ...said, send: post('/v1/studio/audio', { text }) },
  'speech, /v1/audio/speech': {
    ...said,
    send: post('/v1/audio/speech', { model: 'test/voice', input: text }),
    isStreamed: true,
  },
  'dialogue, /v1/studio/audio': {
    ...said,
    send: post('/v1/studio/audio', {
      turns: turns.map((line, at) => ({ text: line, voice: ['alloy', 'nova'][at] })),
    }),
    price: spoken(...turns),
    orders: 2,
  },
  'dialogue in one order, /v1/studio/audio': {
    ...said,
    wire: voices,
    send: post('/v1/studio/audio', {
      model: 'test/pair',
      turns: turns.map((line, at) => ({ text: line, voice: ['alloy', 'nova'][at] })),
    }),
    price: spoken(...turns),
  },
  'answer, /v1/studio/audio': {
    wire: answers,
    send: post('/v1/studio/audio', () => ({
      model: 'test/answerer',
      audioInput: { audioBase64: sound.toString('base64'), mediaType: 'audio/wav' },
    })),
    price: answeredPrice,
    orders: 1,
    isStored: true,
  },
  'transcript, /v1/audio/transcriptions': {
    ...transcribed,
    send: post('/v1/audio/transcriptions', () => recorded(5)),
    price: 5n * heardSecond,
    orders: 1,
  },
  'transcript in several pieces, /v1/audio/transcriptions': {
    ...transcribed,
    send: post('/v1/audio/transcriptions', () => recorded(30)),
    price: 38n * heardSecond,
    orders: 4,
  },
  'transcript in events, /v1/audio/transcriptions': {
    ...transcribed,
    wire: spokenEvents,
    send: post('/v1/audio/transcriptions', () => ({ ...recorded(5), stream: true })),
    price: 5n * heardSecond,
    orders: 1,
    isStreamed: true,
  },
  'embedding, /v1/embeddings': {
    wire: vectors,
    send: post('/v1/embeddings', { model: 'test/near', input: ['گربه'] }),
    price: 5n * 500n,
    orders: 1,
    isStored: false,
  },
  'embedding in several orders, /v1/embeddings': {
    wire: vectors,
    send: post('/v1/embeddings', { model: 'test/near', input: ['گربه', 'سگ', 'موش', 'گاو', 'شیر'] }),
    price: 5n * 5n * 500n,
    orders: 3,
    isStored: false,
  },
}

/** An account of its own, with all its books. */
async function newcomer(world: World) {
  const { account, client } = await world.stranger(Number(credits / 1_000_000n))
  const sum = async (book: string): Promise<bigint> => {
    const [row] = await world.app.db.query<{ sum: bigint }>(
      {
        text: `select coalesce(sum(amount), 0)::bigint as sum from ledger.entries where account_id = $1 and book = $2`,
      },
      [account, book],
    )
    return row!.sum
  }
  return {
    client,
    charged: async () => credits - (await world.app.ledger.balance(account)).balance,
    held: async () => (await world.app.ledger.balance(account)).held,
    lost: async () => -(await sum('loss')),
    files: async () => (await client.get('/v1/files')).body.data as { id: string; bytes: number }[],
    reserved: async () =>
      (await world.app.db.query({ text: 'select from files.reservations where account_id = $1' }, [account]))
        .length,
  }
}

/** Whether the upstream may have made the medium, and so may bill for it; vectors never come with an error's status. */
const faults: [string, (wire: Wire) => Script, boolean | 'unless vectors'][] = [
  ['its reply is lost', () => reset, true],
  ['an error page comes in its place', (wire) => wire.page('<!DOCTYPE html><title>502</title>'), true],
  ['an empty answer comes', (wire) => wire.page(''), true],
  ['it holds other bytes', (wire) => wire.holding(Buffer.from('hello, this is none')), true],
  [
    'it holds half of the bytes',
    (wire) => wire.holding(wire.medium().subarray(0, wire.medium().length / 2)),
    true,
  ],
  ['the line breaks within it', (wire) => wire.begun(cut), true],
  ['the upstream fails', () => json(500, 'oops'), 'unless vectors'],
  [
    'the content is refused',
    () => json(400, { error: { message: 'no', code: 'moderation_blocked' } }),
    false,
  ],
]

/** Samples are sound whatever they are, and as much of it as there are; and so is text a transcript. */
const isWhatever = new Set([answers, transcripts, spokenEvents])
const faultsOf = (wire: Wire) =>
  faults.filter(([name]) => !isWhatever.has(wire) || !name.startsWith('it holds'))

/** What an order came to in whose place a fault was played. */
interface Played {
  own: Awaited<ReturnType<typeof newcomer>>
  answer: Answer
  /** What reached the upstream. */
  calls: UpstreamCall[]
  mayHaveWorked: boolean
}
const claim = { 'idempotency-key': 'once' }

/** Nothing is charged, held or kept, and what may have been made is the platform's loss. */
async function expectUnpaid(medium: Medium, { own, answer, calls, mayHaveWorked }: Played): Promise<void> {
  expect(answer.status === 0 || answer.status >= 400, String(answer.status)).toBe(true)
  expect(calls.length).toBeLessThanOrEqual(medium.orders)
  expect([await own.charged(), await own.held(), await own.reserved()]).toEqual([0n, 0n, 0])
  expect(await own.files()).toEqual([])
  expect(await own.lost()).toBe(mayHaveWorked ? lossOf(medium, calls) : 0n)
}

/** A repeat of what may have been made is refused, and reaches nobody. */
async function expectOnce(at: World, medium: Medium, { own }: Pick<Played, 'own'>): Promise<void> {
  const before = upstream.calls.length
  const again = await medium.send(own.client, claim)
  await at.settled()
  expect([again.status, again.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
  expect([upstream.calls.length - before, await own.charged()]).toEqual([0, 0n])
}

describe.each(Object.entries(media))('%s', (_, medium) => {
  test.each(faultsOf(medium.wire))('%s', async (_name, script, works) => {
    const mayHaveWorked = works === 'unless vectors' ? medium.wire !== vectors : works
    const own = await newcomer(world)
    const before = upstream.calls.length
    upstream.reply((call) => medium.wire.good(call))
    upstream.replyOnce(script(medium.wire))
    const answer = await medium.send(own.client, claim)
    await world.settled()
    // What surely was not made is asked for again at once, unless earlier faults have opened the breaker.
    if (works === 'unless vectors' && !mayHaveWorked && answer.status === 200) {
      expect([await own.charged(), await own.held(), await own.lost()]).toEqual([medium.price, 0n, 0n])
      return
    }
    await expectUnpaid(medium, { own, answer, calls: upstream.calls.slice(before), mayHaveWorked })
    if (mayHaveWorked) return expectOnce(world, medium, { own })
    const again = await medium.send(own.client, claim)
    await world.settled()
    expect(again.status).toBe(200)
    expect(await own.charged()).toBe(medium.price)
    expect(await own.files()).toHaveLength(medium.isStored ? 1 : 0)
  })

  test('the upstream has no time: the order is asked for again, and paid once', async () => {
    const own = await newcomer(world)
    upstream.reply((call) => medium.wire.good(call))
    upstream.replyOnce(json(429, 'slow down', { 'retry-after': '0' }))
    const answer = await medium.send(own.client, {})
    await world.settled()
    const [charged, files] = [await own.charged(), await own.files()]
    if (answer.status === 200)
      expect([charged, files.length]).toEqual([medium.price, medium.isStored ? 1 : 0])
    else expect([answer.status, charged, files.length]).toEqual([429, 0n, 0])
    expect(await own.lost()).toBe(0n)
  })

  test('its caller leaves while it is made: finished, paid once, and found by the repeat', async () => {
    const own = await newcomer(world)
    const before = upstream.calls.length
    const release = Promise.withResolvers<void>()
    upstream.reply(async (call) => {
      await release.promise
      return medium.wire.good(call)
    })
    const leaving = new AbortController()
    const closed = seesClose(own.client.secret)
    const asked = medium.send(own.client, claim, leaving.signal)
    await upstream.call(before)
    leaving.abort()
    expect(await asked).toEqual({ status: 0 })
    // Not before the server knows: what is answered to a caller who is still there proves nothing.
    await closed
    release.resolve()
    await until(async () => (await own.charged()) === medium.price)
    await world.settled()
    expect(upstream.calls.length - before).toBe(medium.orders)
    expect([await own.lost(), await own.reserved()]).toEqual([0n, 0])
    const files = await own.files()
    expect(files).toHaveLength(medium.isStored ? 1 : 0)
    for (const { id, bytes } of files) {
      const kept = await (await own.client.raw('GET', `/v1/files/${id}`)).arrayBuffer()
      expect([kept.byteLength > 0, kept.byteLength]).toEqual([true, bytes])
    }
    const again = await medium.send(own.client, claim)
    const ids = files.map(({ id }) => id)
    if (medium.isStreamed)
      expect(again).toMatchObject({ status: 409, code: 'REQUEST_ALREADY_ACCEPTED', files: ids })
    else {
      expect([again.status, again.headers!.get('idempotent-replayed')]).toEqual([200, 'true'])
      expect(again.headers!.get('x-file-ids')).toBe(medium.isStored ? ids.join(', ') : null)
    }
    expect([upstream.calls.length - before, await own.charged()]).toEqual([medium.orders, medium.price])
  })
})

describe.each<[string, (wire: Wire) => Script]>([
  ['no answer begins', () => silence],
  ['it begins and never ends', (wire) => wire.begun(stall)],
])('%s', (_, script) => {
  const played = new Map<string, Played>()
  // The time that an order has is waited for once, by all of them: each is sent when the upstream has the one before.
  beforeAll(async () => {
    const answers: Promise<unknown>[] = []
    const known = new Map<string, Medium>()
    for (const [name, medium] of Object.entries(media)) {
      const own = await newcomer(hastyWorld)
      const calls: UpstreamCall[] = []
      const arrived = Promise.withResolvers<void>()
      upstream.reply((call) => {
        const request = requestOf(call)
        const earlier = known.get(request)
        if (earlier) return earlier.wire.good(call)
        known.set(request, medium)
        arrived.resolve()
        return script(medium.wire)
      })
      const answered = medium.send(own.client, claim).then((answer) => {
        played.set(name, { own, answer, calls, mayHaveWorked: true })
      })
      answers.push(answered)
      await Promise.race([arrived.promise, answered])
    }
    await Promise.all(answers)
    await hastyWorld.settled()
    for (const call of upstream.calls) {
      const medium = known.get(requestOf(call))
      const name = Object.keys(media).find((one) => media[one] === medium)
      if (name) played.get(name)!.calls.push(call)
    }
  })

  test.each(Object.entries(media))('%s', async (name, medium) => {
    const one = played.get(name)!
    expect(one.calls.length).toBeGreaterThan(0)
    await expectUnpaid(medium, one)
    await expectOnce(hastyWorld, medium, one)
  })
})

/** The request for which the upstream is asked: an attempt's id is that of its request and a number. */
const requestOf = ({ headers }: UpstreamCall): string =>
  String(headers['idempotency-key']).replace(/-\d+$/, '')

/** What the upstream may bill for the orders that it has seen. */
function lossOf(medium: Medium, orders: readonly UpstreamCall[]): bigint {
  // Of vectors nobody said how many tokens: one for every four bytes of a text.
  if (medium.wire === vectors) {
    const texts = orders.flatMap(({ body }) => body?.['input'] as string[])
    return texts.reduce((sum, one) => sum + 500n * BigInt(Math.ceil(Buffer.byteLength(one) / 4)), 0n)
  }
  // Of an answer of which nothing was heard: 25 tokens for each second of the recording, at 32,000 micro-credits.
  if (medium.wire === answers) return BigInt(Math.ceil((25 * (sound.length - 44)) / 48_000)) * 32_000n
  if (medium.wire === transcripts || medium.wire === spokenEvents)
    return orders.reduce((sum, call) => sum + heardSecond * secondsIn(formIn(call).file.bytes), 0n)
  if (medium.wire !== speech) return medium.price
  return spoken(...orders.map(({ body }) => String(body?.['input'])))
}

/** Whole ones of a WAV of 16 kHz. */
const secondsIn = (wav: Buffer): bigint => BigInt(Math.ceil((wav.length - 44) / 32_000))
