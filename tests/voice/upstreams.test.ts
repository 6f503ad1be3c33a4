/** Calls through models of the configuration whose upstreams are sockets: relays, turns that are heard live, and sessions that only write down. */
import { OpenAIRealtimeWebSocket } from '@openai/agents-realtime'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RealtimeEvent } from '#voice/realtime'
import type { Client } from '../harness/client.ts'
import { type FakeSockets, socketUpstream, type UpstreamSession } from '../harness/socket-upstream.ts'
import { until } from '../harness/until.ts'
import { deepgramEars, geminiVoice, openAiUsage, openAiVoice } from '../harness/voice-wires.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { connect, type SocketCall } from './socket-call.ts'

let upstream: FakeSockets
let world: World
let clock: MovableClock

const prices = `{ text_input_per_million: 1, audio_input_per_million: 2, cached_text_input_per_million: 0.5,
        cached_audio_input_per_million: 1, text_output_per_million: 4, audio_output_per_million: 8, transcription_per_minute: 0.00006 }`
const config = (url: string): string => `
providers:
  - { id: talk, base_url: "${url}", api_key: upstream-secret, dialects: [realtime] }
  - { id: google, base_url: "${url}", api_key: upstream-secret, dialects: [gemini] }
  - { id: ears, base_url: "${url}", api_key: upstream-secret, dialects: [deepgram] }
  - { id: gone, base_url: "http://127.0.0.1:9/v1", api_key: upstream-secret, dialects: [realtime] }
models:
  - id: acme/voice
    kind: realtime
    engine: relay
    deployments: [{ provider: gone, model: voice-0 }, { provider: talk, model: voice-1, priority: 1 }]
    realtime: { voices: [marin], transcription_model: ears-1, max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: ${prices}
  - id: acme/live
    kind: realtime
    engine: relay
    deployments: [{ provider: google, model: voice-2 }]
    realtime: { max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: ${prices}
  - id: acme/away
    kind: realtime
    engine: relay
    deployments: [{ provider: gone, model: voice-0 }]
    pricing: ${prices}
  - id: acme/ears
    kind: transcription
    deployments: [{ provider: ears, model: ears-1 }]
    fallbacks: [sandbox/transcribe]
    transcription: { live: true }
    pricing: { per_minute: 0.00006 }
  - { id: acme/talk, kind: realtime, transcription_model: acme/ears }
  - id: acme/live-ears
    kind: transcription
    deployments: [{ provider: ears, model: ears-2 }]
    transcription: { live: true }
    pricing: { per_minute: 0.00006 }
  - { id: acme/live-talk, kind: realtime, transcription_model: acme/live-ears }
`

beforeAll(async () => {
  upstream = await socketUpstream()
  clock = new MovableClock()
  world = await boot({ clock, credits: 100_000, config: config(upstream.url) })
})
afterEach(async () => {
  await until(() => world.app.realtime.busy === 0)
  upstream.reset()
  clock.moveMs(1)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const manual = { type: 'realtime', audio: { input: { turn_detection: null } } }
/** A tone of the client, 24 kHz. */
function tone(ms: number): string {
  const pcm = new Int16Array(24 * ms)
  for (let at = 0; at < pcm.length; at++) pcm[at] = 8_000 * Math.sin((2 * Math.PI * 300 * at) / 24_000)
  return Buffer.from(pcm.buffer).toString('base64')
}
async function begin(key: Client, query: string, session: object = manual): Promise<SocketCall> {
  const call = await connect(world, key.secret, { query })
  call.send({ type: 'session.update', session })
  await call.event('session.updated')
  return call
}
async function ask(call: SocketCall): Promise<void> {
  call.send({ type: 'input_audio_buffer.append', audio: tone(500) })
  call.send({ type: 'input_audio_buffer.commit' })
  call.send({ type: 'response.create' })
}
async function receiptOf(key: Client) {
  const newest = async () => (await key.get('/v1/realtime/calls?limit=1')).body.data[0]
  await until(async () => (await newest()).status === 'ended')
  const record = await newest()
  const { body } = await key.receipt(record.request_id)
  return { record, receipt: body, steps: body.details.steps }
}
const upstreamEvents = (type: string) =>
  upstream.sessions.flatMap(({ events }) => events.filter((event) => event['type'] === type))

test('a model of a vendor hears and answers; each response is held before it is asked for, and the receipt has its tokens by kind', async () => {
  upstream.serve(openAiVoice())
  const key = await world.key()
  await using call = await begin(key, '?model=acme/voice')
  await ask(call)
  const done = await call.event('response.done')
  expect(done.response).toMatchObject({
    status: 'completed',
    usage: { input_tokens: 132, output_tokens: 121 },
  })
  const heard = await call.event('conversation.item.input_audio_transcription.completed')
  expect(heard.transcript).toBe('سلام')
  expect(call.sound().length).toBeGreaterThan(2_400)
  call.close()
  const { record, receipt, steps } = await receiptOf(key)
  expect(record).toMatchObject({ engine: 'relay', model: 'acme/voice', reason: 'client', turns: 1 })
  // 59 + 60 cached tokens of text, 9 + 4 cached of sound; 30 of text and 91 of sound come out.
  const response = 59_000 + 30_000 + 18_000 + 4_000 + 120_000 + 728_000
  expect(steps).toMatchObject([
    { step: 'transcription', model: 'acme/voice', microcredits: 500 },
    {
      step: 'response',
      microcredits: response,
      quantities: { input_tokens: 132, cached_tokens: 64, audio_output_tokens: 91 },
    },
  ])
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(response + 500) })
  expect(upstream.sessions[0]!.path).toContain('model=voice-1')
  const [setup] = upstreamEvents('session.update') as {
    session: { audio: { input: object; output: object } }
  }[]
  expect(setup!.session.audio).toMatchObject({ input: { turn_detection: null }, output: { voice: 'marin' } })
  expect(upstreamEvents('response.create')).toHaveLength(1)
})

test('Gemini answers over its own wire with the same events', async () => {
  upstream.serve(geminiVoice())
  const key = await world.key()
  await using call = await begin(key, '?model=acme/live')
  await ask(call)
  expect((await call.event('response.done')).response.status).toBe('completed')
  call.close()
  const { record, steps } = await receiptOf(key)
  expect(record).toMatchObject({ engine: 'relay', turns: 1 })
  expect(steps).toMatchObject([{ step: 'response', quantities: { input_tokens: 300, output_tokens: 80 } }])
})

test('the Agents SDK of OpenAI talks with a model of a vendor unchanged; a picture of it is passed on, and tools that run here are named as ignored', async () => {
  upstream.serve(openAiVoice())
  const key = await world.key()
  const agent = new OpenAIRealtimeWebSocket({
    url: `${world.url.replace('http', 'ws')}/v1/realtime?model=acme/voice`,
  })
  const errors: unknown[] = []
  const events: RealtimeEvent[] = []
  agent.on('error', (error) => errors.push(error))
  agent.on('*', (event) => events.push(event as RealtimeEvent))
  const done = new Promise((resolve) => agent.on('turn_done', resolve))
  const sound = new Promise((resolve) => agent.on('audio', resolve))
  await agent.connect({
    apiKey: key.secret,
    model: 'acme/voice',
    initialSessionConfig: { instructions: 'کوتاه' },
  })
  agent.sendEvent({
    type: 'session.update',
    session: { type: 'realtime', tools: [{ type: 'web_search' }] },
  } as never)
  const image = 'data:image/png;base64,iVBORw0KGgo='
  agent.addImage(image, { triggerResponse: false })
  agent.sendMessage('این چیست؟', {})
  await Promise.all([sound, done])
  const ignored = (event: RealtimeEvent) => (event['session'] as never)?.['kherad']?.['ignored'] as unknown
  expect(events.map(ignored)).toContainEqual(expect.arrayContaining(['session.tools.0']))
  expect(JSON.stringify(upstreamEvents('conversation.item.create'))).toContain(image)
  clock.moveMs(60_000)
  await until(() => events.some(({ type, reason }) => type === 'kherad.ending' && reason === 'idle'))
  expect(errors).toEqual([])
  expect((await receiptOf(key)).record).toMatchObject({ reason: 'idle', engine: 'relay', turns: 1 })
})

test('where no upstream of the model answers the call fails, is told so, and costs nothing', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret, { query: '?model=acme/away' })
  expect((await call.event('error')).error.code).toBe('UPSTREAM_FAILED')
  expect(await call.closed).toEqual({ code: 1011, reason: 'failed' })
  expect(await receiptOf(key)).toMatchObject({ record: { reason: 'failed', credits: 0 }, steps: [] })
})

/** Of a response in micro-credits: `[]`, 1,000 tokens at the price of sound, 200 of spoken sound. */
const worst = 2_000 + 2_000_000 + 1_600_000

test('a vendor that claims absurd figures is paid what was held, and one that leaves within an answer likewise; the call goes on', async () => {
  let answers = 0
  const huge = { input_tokens: 10 ** 12, output_tokens: 10 ** 12 }
  const fault = (moment: string, session: { cut(): void }): boolean => {
    if (moment !== 'middle' || ++answers !== 2) return false
    session.cut()
    return true
  }
  upstream.serve(openAiVoice({ usage: { ...openAiUsage, ...huge }, fault }))
  const key = await world.key()
  await using call = await begin(key, '?model=acme/voice')
  const statuses: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    const from = call.events.length
    await ask(call)
    statuses.push((await call.event('response.done', from)).response.status)
  }
  expect(statuses).toEqual(['completed', 'failed', 'completed'])
  call.close()
  const { record, steps } = await receiptOf(key)
  const responses = steps.filter(({ step }: { step: string }) => step === 'response')
  expect(responses).toMatchObject([
    { microcredits: worst, quantities: { input_tokens: 1_002, output_tokens: 200 } },
    { microcredits: worst, ambiguous: true },
    { microcredits: worst },
  ])
  expect(record.reason).toBe('client')
  expect(upstream.sessions).toHaveLength(2)
})

test.each([
  ['zeros', { input_tokens: 0, output_tokens: 0 }],
  ['zero for what it said', { input_tokens: 132, output_tokens: 0 }],
  ['zero for what it heard', { input_tokens: 0, output_tokens: 121 }],
  ['less than nothing', { input_tokens: 132, output_tokens: -5 }],
])(
  'no response is free: a vendor that counts %s is paid what was held, as one that counts nothing, and it is alarmed',
  async (_, usage) => {
    upstream.serve(openAiVoice({ usage }))
    const key = await world.key()
    const before = await disbelieved()
    await using call = await begin(key, '?model=acme/voice')
    await ask(call)
    await call.event('response.done')
    call.close()
    const { steps } = await receiptOf(key)
    expect(steps.filter(({ step }: { step: string }) => step === 'response')).toMatchObject([
      { microcredits: worst },
    ])
    expect(await disbelieved()).toBeGreaterThan(before)
  },
)

/** Claims of upstreams that were not believed. */
async function disbelieved(): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith('kherad_upstream_disbelieved_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('a response that the balance does not bear is not asked for, and the call ends for want of credits', async () => {
  upstream.serve(openAiVoice({ usage: { ...openAiUsage, output_tokens: 10 ** 9 } }))
  // What a turn costs at most: a response, and 64 seconds that are written down.
  const { client: key } = await world.stranger(Math.ceil((worst + 64_000) / 1_000_000))
  await using call = await begin(key, '?model=acme/voice')
  await ask(call)
  await call.event('response.done')
  await ask(call)
  expect(await call.closed).toEqual({ code: 1008, reason: 'credits' })
  const { receipt } = await receiptOf(key)
  expect(upstreamEvents('response.create')).toHaveLength(1)
  expect(receipt.state).toBe('completed')
})

/** What the sandbox says, and understands, at 24 kHz; silence behind it, so that the turn is over. */
async function speech(key: Client, input: string): Promise<Buffer> {
  const order = { model: 'sandbox/speech', input, voice: 'sandbox-mina', response_format: 'pcm' }
  const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(order))
  return Buffer.concat([Buffer.from(await reply.arrayBuffer()), Buffer.alloc(48_000 * 1.2)])
}
function say(call: SocketCall, sound: Buffer): void {
  for (let at = 0; at < sound.length; at += 48_000) {
    const audio = sound.subarray(at, at + 48_000).toString('base64')
    call.send({ type: 'input_audio_buffer.append', audio })
  }
}
const transcript = 'conversation.item.input_audio_transcription'
const listening = { type: 'realtime', output_modalities: ['text'] }

test('a turn is heard while it is spoken, over one connection, and is answered by its words; its seconds are paid once', async () => {
  upstream.serve(deepgramEars({ words: ['ساعت', 'چنده؟'] }))
  const key = await world.key()
  await using call = await begin(key, '?model=acme/talk', listening)
  say(call, await speech(key, 'hello hello'))
  expect((await call.event(`${transcript}.completed`)).transcript).toBe('ساعت چنده؟')
  await call.event('response.done')
  call.close()
  const { steps } = await receiptOf(key)
  const heard = steps.filter(({ step }: { step: string }) => step === 'transcription')
  const seconds = Math.ceil(upstream.sessions[0]!.binaryBytes / 32_000)
  expect(heard).toMatchObject([
    { model: 'acme/ears', microcredits: 1_000 * seconds, quantities: { seconds } },
  ])
  expect(upstream.sessions).toHaveLength(1)
})

test('a connection that breaks within a turn costs nothing, and the whole turn is written down from its recording', async () => {
  const cut = (moment: string, session: { cut(): void }): boolean => {
    if (moment === 'commit') session.cut()
    return moment === 'commit'
  }
  upstream.serve(deepgramEars({ fault: cut }))
  const key = await world.key()
  await using call = await begin(key, '?model=acme/talk', listening)
  say(call, await speech(key, 'hello'))
  const { transcript: words } = await call.event(`${transcript}.completed`)
  expect(words.toLowerCase()).toContain('hello')
  await call.event('response.done')
  call.close()
  const { steps } = await receiptOf(key)
  const heard = steps.filter(({ step }: { step: string }) => step === 'transcription')
  expect(heard[0]).toMatchObject({ model: 'acme/ears', microcredits: 0 })
  expect(heard.at(-1)).toMatchObject({ model: 'sandbox/transcribe' })
})

test('a model that takes no recordings hears turn after turn; one whose connection breaks fails alone, for nothing, and says why', async () => {
  const cutSecond = (moment: string, session: UpstreamSession): boolean => {
    const isCut = moment === 'commit' && session === upstream.sessions[1]
    if (isCut) session.cut()
    return isCut
  }
  upstream.serve(deepgramEars({ fault: cutSecond }))
  const key = await world.key()
  await using call = await begin(key, '?model=acme/live-talk', listening)
  // Who goes on within a second has the same turn again.
  const sound = Buffer.concat([Buffer.alloc(48_000 * 2), await speech(key, 'hello')])
  const told = (type: string) => call.events.filter((event) => event.type === `${transcript}.${type}`)
  const turn = async (heard: number, failed: number): Promise<void> => {
    say(call, sound)
    await until(() => told('completed').length === heard && told('failed').length === failed)
  }
  await turn(1, 0)
  await turn(1, 1)
  await turn(2, 1)
  expect(told('failed')[0]!['error']).toMatchObject({ code: 'UPSTREAM_MISCONFIGURED' })
  await until(() => call.events.filter(({ type }) => type === 'response.done').length === 2)
  call.close()
  const { record, steps } = await receiptOf(key)
  expect(record).toMatchObject({ reason: 'client', turns: 2 })
  const paid = steps.filter(
    ({ step, microcredits }: { step: string; microcredits: number }) =>
      step === 'transcription' && microcredits > 0,
  )
  expect(paid).toHaveLength(2)
})

test('a transcription session writes down what is said, word by word, and answers nothing', async () => {
  upstream.serve(deepgramEars({ words: ['سلام', 'دنیا'] }))
  const key = await world.key()
  const session = {
    type: 'transcription',
    audio: { input: { transcription: { model: 'acme/ears', language: 'fa' } } },
  }
  const { body: secret } = await key.post('/v1/realtime/client_secrets', { session })
  expect(secret.session).toMatchObject(session)
  const protocols = ['realtime', `openai-insecure-api-key.${secret.value}`]
  await using call = await connect(world, '', { query: '?intent=transcription', protocols })
  expect((await call.event('session.created')).session).toMatchObject({
    object: 'realtime.transcription_session',
    ...session,
  })
  call.send({ type: 'response.create' })
  expect((await call.event('error')).error.code).toBe('INVALID_REQUEST')
  say(call, await speech(key, 'hello hello'))
  const completed = await call.event(`${transcript}.completed`)
  const deltas = call.events.filter(({ type }) => type === `${transcript}.delta`)
  expect(deltas.map(({ delta }) => delta).join('')).toBe('سلام دنیا')
  expect(new Set(deltas.map(({ item_id }) => item_id))).toEqual(new Set([completed.item_id]))
  expect(completed).toMatchObject({ content_index: 0, transcript: 'سلام دنیا', usage: { type: 'duration' } })
  expect(call.types()).toEqual(
    expect.arrayContaining(['input_audio_buffer.speech_started', 'input_audio_buffer.committed']),
  )
  expect(call.types()).not.toContain('response.created')
  call.close()
  const { record, steps } = await receiptOf(key)
  expect(record).toMatchObject({ engine: 'transcription', model: 'acme/ears', turns: 1 })
  expect(steps).toMatchObject([{ step: 'transcription', model: 'acme/ears' }])
})

test('without a live model a transcription session has the same events, offline, and may say itself when a turn is over', async () => {
  const key = await world.key()
  const session = { type: 'transcription', audio: { input: { turn_detection: null } } }
  await using call = await begin(key, '?intent=transcription&model=sandbox/transcribe', session)
  say(call, await speech(key, 'hello'))
  call.send({ type: 'input_audio_buffer.commit' })
  const completed = await call.event(`${transcript}.completed`)
  expect(completed.transcript.toLowerCase()).toContain('hello')
  expect(call.events.find(({ type }) => type === `${transcript}.delta`)).toMatchObject({
    item_id: completed.item_id,
    delta: completed.transcript,
  })
  call.close()
  expect((await receiptOf(key)).steps).toMatchObject([{ step: 'transcription', model: 'sandbox/transcribe' }])
  const wrong = connect(world, key.secret, { query: '?intent=transcription&model=sandbox/fast' })
  await expect(wrong).rejects.toMatchObject({ body: { error: { code: 'MODEL_KIND_MISMATCH' } } })
})
