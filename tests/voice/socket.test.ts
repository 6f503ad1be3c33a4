import { type AddressInfo, connect as connectTcp } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { OpenAIRealtimeWebSocket } from '@openai/agents-realtime'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { selfSigned } from '../harness/certificate.ts'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { onceEnded } from './once-ended.ts'
import { connect, Refused } from './socket-call.ts'

let world: World
let clock: MovableClock
// Calls are listed by the time at which they began.
beforeEach(() => clock.moveMs(1))
beforeAll(async () => {
  clock = new MovableClock()
  world = await boot({ clock, credits: 100_000, config: 'voice: { capacity: 3 }' })
})
afterAll(() => world[Symbol.asyncDispose]())

const calls = '/v1/realtime/calls'
const secrets = '/v1/realtime/client_secrets'
const typed = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})
/** The newest call of a key's account, once it has ended. */
async function ended(key: Client) {
  await until(async () => (await key.get(`${calls}?limit=1`)).body.data[0].status === 'ended')
  return (await key.get(`${calls}?limit=1`)).body.data[0]
}
async function tlsBefore({ url }: World): Promise<AsyncDisposable & { url: string }> {
  const { key, cert } = selfSigned('localhost')
  const server = createServer({ key, cert }, (line) => {
    const on = connectTcp(Number(new URL(url).port), '127.0.0.1')
    line.pipe(on).pipe(line)
    for (const one of [line, on]) {
      one.on('error', () => {
        line.destroy()
        on.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
const refusal = async (connecting: Promise<unknown>): Promise<Refused> => {
  const error = await connecting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Refused)) throw new Error('it was not refused', { cause: error })
  return error
}

test('a typed question is answered in words and sound, and the receipt of the call has a line for each step', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret)
  expect((await call.event('session.created')).session).toMatchObject({ model: 'sandbox/realtime' })
  call.send(typed('سلام [[sandbox: tokens=4]]'))
  call.send({ type: 'response.create' })
  const done = await call.event('response.done')
  expect(done.response.status).toBe('completed')
  const running = (await key.get(`${calls}?status=active`)).body.data
  expect(running).toMatchObject([{ status: 'active', transport: 'websocket', engine: 'pipeline' }])
  expect(call.sound().length).toBeGreaterThan(2_400)
  const lastSound = call.types().lastIndexOf('response.output_audio.delta')
  expect(call.types().indexOf('response.output_audio.done')).toBeGreaterThan(lastSound)
  call.close()
  const record = await ended(key)
  expect(record).toMatchObject({ id: running[0].id, reason: 'client', turns: 1 })
  const receipt = (await key.receipt(record.request_id)).body
  const { steps, call: facts } = receipt.details
  expect(facts).toMatchObject({ id: record.id, reason: 'client', transport: 'websocket', turns: 1 })
  const sum = steps.reduce((all: number, { microcredits }: { microcredits: number }) => all + microcredits, 0)
  expect(receipt).toMatchObject({ state: 'completed', microcredits: String(sum), pending: false })
  expect(steps.map(({ step }: { step: string }) => step)).toEqual(expect.arrayContaining(['text', 'speech']))
  expect(record.credits).toBe(Math.ceil(sum / 1_000_000))
  // Added up by the client; one of them at least is of each step.
  expect(receipt.charge).toMatchObject({ sum_microcredits: String(sum), adjustment: null })
  const priced = new Set(receipt.charge.lines.map(({ step }: { step?: string }) => step))
  expect(priced.size).toBeGreaterThan(1)
})

test('what a client says in pcm16 is heard, written down and answered, and a commit waits for the sound before it', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret, { query: '?model=sandbox/fast' })
  call.send({
    type: 'session.update',
    session: { type: 'realtime', output_modalities: ['text'], audio: { input: { turn_detection: null } } },
  })
  await call.event('session.updated')
  const raw = await key.raw(
    'POST',
    '/v1/audio/speech',
    JSON.stringify({
      model: 'sandbox/speech',
      input: 'hello',
      voice: 'sandbox-mina',
      response_format: 'pcm',
    }),
  )
  const sound = Buffer.from(await raw.arrayBuffer())
  for (let at = 0; at < sound.length; at += 48_000)
    call.send({
      type: 'input_audio_buffer.append',
      audio: sound.subarray(at, at + 48_000).toString('base64'),
    })
  call.send({ type: 'input_audio_buffer.commit' })
  call.send({ type: 'response.create' })
  await call.event('input_audio_buffer.committed')
  const heard = await call.event('conversation.item.input_audio_transcription.completed')
  expect(heard.transcript.toLowerCase()).toContain('hello')
  await call.event('response.done')
  expect(call.types()).not.toContain('error')
})

test('the client of OpenAI and that of its Agents SDK hold a call unchanged', async () => {
  const key = await world.key()
  // The client of OpenAI speaks TLS only.
  await using front = await tlsBefore(world)
  const client = new OpenAI({ apiKey: key.secret, baseURL: `${front.url}/v1` })
  const options = { rejectUnauthorized: false }
  const socket = new OpenAIRealtimeWS({ model: 'sandbox/realtime', options }, client)
  const done = new Promise<{ response: { status?: string } }>((resolve, reject) => {
    socket.on('response.done', resolve)
    socket.on('error', reject)
    socket.on('session.created', () => {
      socket.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } })
      socket.send(typed('salam') as never)
      socket.send({ type: 'response.create' })
    })
  })
  expect((await done).response.status).toBe('completed')
  socket.close()
  await ended(key)

  clock.moveMs(1)
  const url = `${world.url.replace('http', 'ws')}/v1/realtime?model=sandbox/realtime`
  const agent = new OpenAIRealtimeWebSocket({ url })
  const errors: unknown[] = []
  agent.on('error', (error) => errors.push(error))
  const turnDone = new Promise((resolve) => agent.on('turn_done', resolve))
  const sound = new Promise((resolve) => agent.on('audio', resolve))
  await agent.connect({
    apiKey: key.secret,
    model: 'sandbox/realtime',
    initialSessionConfig: { instructions: 'کوتاه' },
  })
  agent.sendMessage('سلام [[sandbox: tokens=4]]', {})
  await sound
  await turnDone
  agent.close()
  expect(errors).toEqual([])
  expect(await ended(key)).toMatchObject({ reason: 'client', turns: 1 })
})

test('a call is refused before anything is held: model, then the places of the key, then those of the process', async () => {
  // A call may be told as ended before its hold is.
  await world.settled()
  const key = await world.key()
  const held = async () => (await key.get('/v1/balance')).body
  const before = await held()
  expect(await refusal(connect(world, key.secret, { query: '' }))).toMatchObject({
    status: 400,
    body: { error: { param: 'model' } },
  })
  expect(await refusal(connect(world, key.secret, { query: '?model=nobody' }))).toMatchObject({ status: 404 })
  expect(await refusal(connect(world, key.secret, { query: '?model=sandbox/image' }))).toMatchObject({
    body: { error: { code: 'MODEL_KIND_MISMATCH' } },
  })
  expect(await held()).toEqual(before)
  const first = await connect(world, key.secret)
  const second = await connect(world, key.secret)
  const third = await refusal(connect(world, key.secret))
  expect(third).toMatchObject({
    status: 429,
    body: { error: { code: 'CONCURRENCY_LIMITED' } },
    headers: { 'retry-after': '5' },
  })
  const other = await world.key()
  const last = await connect(world, other.secret)
  const full = await refusal(connect(world, other.secret))
  expect(full).toMatchObject({
    status: 503,
    body: { error: { code: 'VOICE_BUSY' } },
    headers: { 'retry-after': '5' },
  })
  first.close()
  await first.closed
  second.cut()
  await last[Symbol.asyncDispose]()
  await until(() => world.app.realtime.busy === 0)
  const poor = await world.stranger(0)
  expect(await refusal(connect(world, poor.client.secret))).toMatchObject({ status: 402 })
  await until(() => world.app.realtime.busy === 0)
})

test('a call is ended by any key of its account, and its client is told why', async () => {
  const key = await world.key()
  await using call = await connect(world, key.secret)
  await call.event('session.created')
  const { id } = (await key.get(`${calls}?status=active`)).body.data[0]
  const { client: stranger } = await world.stranger()
  expect((await stranger.request('DELETE', `${calls}/${id}`)).status).toBe(404)
  const other = await world.key()
  const gone = await onceEnded(() => other.request('DELETE', calls, JSON.stringify({ id })))
  expect(gone.body).toMatchObject({
    id,
    status: 'ended',
    reason: 'client',
    pending: false,
    turns: 0,
    credits: 0,
  })
  expect(await call.event('kherad.ending')).toMatchObject({ reason: 'client', seconds: 0 })
  expect(await call.closed).toEqual({ code: 1000, reason: 'client' })
  expect((await other.post(`${calls}/${id}/hangup`, {})).body).toEqual(gone.body)
})

test('a client secret begins calls by a subprotocol until its very last millisecond, ten in all, with its own session', async () => {
  const key = await world.key()
  const limit = '"maximum":9223372036854775807'
  const parameters = { type: 'object', properties: { id: { maximum: JSON.rawJSON('9223372036854775807') } } }
  const tools = [{ type: 'function', name: 'find', parameters }]
  const session = { model: 'sandbox/realtime', instructions: 'کوتاه' }
  const make = async () => {
    const made = await key.post(secrets, { session: { ...session, tools }, expires_after: { seconds: 10 } })
    expect(made.text).toContain(limit)
    return made.body
  }
  const protocols = (value: string) => ['realtime', `openai-insecure-api-key.${value}`]
  const begin = (value: string) =>
    connect(world, '', { query: '?model=gpt-realtime-2.1', protocols: protocols(value) })
  const first = await make()
  clock.moveMs(first.expires_at * 1000 - 1 - clock.nowMs())
  const call = await begin(first.value)
  expect((await call.event('session.created')).session).toMatchObject(session)
  expect(call.texts[0]).toContain(limit)
  clock.moveMs(1)
  expect(await refusal(begin(first.value))).toMatchObject({ status: 401 })
  call.send({ type: 'session.update', session: { type: 'realtime' } })
  await call.event('session.updated')
  call.close()
  await ended(key)
  const second = await make()
  for (let at = 0; at < 10; at++) {
    await (await begin(second.value))[Symbol.asyncDispose]()
    await until(() => world.app.realtime.busy === 0)
  }
  expect(await refusal(begin(second.value))).toMatchObject({ status: 401 })
})

test('hostile messages are answered with errors or close the line, and nothing of them holds the process', async () => {
  const key = await world.key()
  const call = await connect(world, key.secret)
  await call.event('session.created')
  const told = async (message: string) => {
    const from = call.events.length
    call.send(message)
    return (await call.event('error', from)).error
  }
  expect(await told('{')).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await told('[]')).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await told(`{"type":"x","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatchObject({
    code: 'INVALID_REQUEST',
  })
  const largest = 256 * 1024
  const padded = (bytes: number) => `{"type":"${'y'.repeat(bytes - 11)}"}`
  expect(await told(padded(largest))).toMatchObject({ code: 'UNKNOWN_EVENT' })
  expect(await told('{"type":"input_audio_buffer.append","audio":"****"}')).toMatchObject({ param: 'audio' })
  call.send(padded(largest + 1))
  expect((await call.closed).code).toBe(1009)
  expect(await ended(key)).toMatchObject({ reason: 'failed' })

  clock.moveMs(1)
  const flood = await connect(world, key.secret)
  for (let at = 0; at < 10_000; at++) flood.send('{"type":"response.cancel"}')
  await turn()
  expect((await flood.closed).code).toBe(1008)
  expect(flood.events.length).toBeLessThan(1_100)
  expect(await ended(key)).toMatchObject({ reason: 'failed' })
})
