/** Real Chromium, real speech, real sound both ways; only the models are scripted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { openShapingProxy } from '../../harness/shaping-proxy.ts'
import { type FakeSockets, socketUpstream } from '../../harness/socket-upstream.ts'
import { hasEspeak, spoken } from '../../harness/spoken.ts'
import { type TranscriptionUpstream, transcriptionUpstream } from '../../harness/transcription-upstream.ts'
import { until } from '../../harness/until.ts'
import { chunk, done, type FakeUpstream, fakeUpstream, stream } from '../../harness/upstream.ts'
import { geminiVoice, openAiVoice } from '../../harness/voice-wires.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { type CallUpstreams, callConfig } from '../../voice/call-config.ts'
import { onceEnded } from '../../voice/once-ended.ts'
import {
  addAgentsSdk,
  type BrowserCall,
  type Caller,
  openCallerPage,
  type Speech,
  speechOf,
} from './browser-call.ts'

const configOf = (upstreams: CallUpstreams, socket: string): string => `
webrtc: { listen: [127.0.0.1], ports: [0, 0] }
${callConfig(upstreams, {
  providers: `  - { id: talk, base_url: "${socket}", api_key: k, dialects: [realtime] }
  - { id: google, base_url: "${socket}", api_key: k, dialects: [gemini] }`,
  models: `  - id: acme/timed
    kind: realtime
    text_model: words/one
    transcription_model: ears/one
    speech_model: voices/one
    pricing: { per_minute: 1 }
  - id: acme/voice
    kind: realtime
    engine: relay
    deployments: [{ provider: talk, model: voice-1 }]
    realtime: { max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: { text_input_per_million: 1, audio_input_per_million: 2, text_output_per_million: 4, audio_output_per_million: 8 }
  - id: acme/live
    kind: realtime
    engine: relay
    deployments: [{ provider: google, model: voice-2 }]
    realtime: { max_input_tokens: 1000, max_output_tokens: 200 }
    pricing: { text_input_per_million: 1, audio_input_per_million: 2, text_output_per_million: 4, audio_output_per_million: 8 }
  - id: acme/timed-voice
    kind: realtime
    engine: relay
    deployments: [{ provider: talk, model: voice-1 }]
    pricing: { per_minute: 1 }`,
})}`
const calls = '/v1/realtime/calls'
/** Of the sound, at a tenth of its packets lost. */
const maxMadeUp = 0.12
const model = 'acme/talk'
const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } }

/** A voice at 24 kHz that says an even note. */
const note = (seconds: number): Buffer => {
  const samples = Int16Array.from({ length: 24_000 * seconds }, (_, at) => 8_000 * Math.sin(at / 10))
  return Buffer.from(samples.buffer)
}
const voice = (seconds: number) => stream([note(seconds)], { 'content-type': 'audio/pcm' })
const words = (...deltas: string[]) =>
  stream([...deltas.map((content) => chunk({ content })), chunk({}, 'stop'), done])

describe.skipIf(browserPath === undefined || !hasEspeak)('a call of a page', () => {
  const stack = new AsyncDisposableStack()
  let world: World
  let clock: MovableClock
  let key: Client
  let texts: FakeUpstream
  let voices: FakeUpstream
  let ears: TranscriptionUpstream
  let sockets: FakeSockets
  let caller: Caller
  /** «سلام، پایتخت ایران کجاست؟» and «صبر کن، یک لحظه گوش بده.» */
  let question: Speech
  let interruption: Speech

  beforeAll(async () => {
    texts = stack.use(await fakeUpstream())
    voices = stack.use(await fakeUpstream())
    ears = stack.use(await transcriptionUpstream())
    sockets = stack.use(await socketUpstream())
    clock = new MovableClock()
    const upstreams = { texts: texts.url, voices: voices.url, ears: ears.url }
    world = stack.use(await boot({ clock, config: configOf(upstreams, sockets.url) }))
    key = await world.key()
    const speech = async (text: string) =>
      speechOf((await spoken(text, { beforeMs: 0, afterMs: 0, noiseDb: -75 })).samples)
    question = await speech('سلام، پایتخت ایران کجاست؟')
    interruption = await speech('صبر کن، یک لحظه گوش بده.')
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-caller-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    // Again every twenty seconds: a machine that connects late hears the next one.
    const captured = new Int16Array(16_000 * 23 + question.length)
    captured.set(question, 16_000 * 3)
    caller = await openCallerPage(stack, folder, captured)
  })
  afterAll(() => stack.disposeAsync())
  afterEach(async () => {
    await until(() => world.app.realtime.busy === 0)
    clock.moveMs(1)
  })

  /** The models answer as in the beginning: «سلام دنیا» is heard, and a note of so many seconds is the voice. */
  function script(seconds: number, ...replies: ReturnType<typeof words>[]): void {
    for (const one of [texts, voices, ears]) one.reset()
    voices.reply(voice(seconds))
    texts.replyOnce(...replies)
  }

  const recordOf = async (id: string) => (await key.get(`${calls}/${id}`)).body
  async function ended(id: string) {
    await until(async () => (await recordOf(id)).status === 'ended')
    return recordOf(id)
  }

  /** What is asked is heard, and the answer is sound at the client. */
  async function converses(call: BrowserCall, from = 0): Promise<void> {
    const { energy = 0 } = await call.state()
    await call.say(question)
    const heard = await call.event('conversation.item.input_audio_transcription.completed', from)
    expect(heard.transcript).toBe('سلام دنیا')
    await call.event('output_audio_buffer.started', from)
    await until(async () => (await call.state()).energy > energy + 0.005)
    expect((await call.event('response.done', from)).response.status).toBe('completed')
  }

  /** Once the page is asked for the weather: says it, and wants an answer. */
  async function answersTool(call: BrowserCall): Promise<void> {
    const asked = await call.event('response.function_call_arguments.done')
    expect(asked.name).toBe('weather')
    const item = { type: 'function_call_output', call_id: asked.call_id, output: 'آفتابی' }
    await call.send({ type: 'conversation.item.create', item })
    await call.send({ type: 'response.create' })
  }

  /** Of the sound of one answer: the share that never came and was made up by the browser. */
  async function madeUpOfAnswer(call: BrowserCall): Promise<number> {
    const from = (await call.events()).length
    await call.say(question)
    await call.event('output_audio_buffer.started', from)
    const before = await call.state()
    await call.event('output_audio_buffer.stopped', from)
    const after = await call.state()
    return (after.concealed - before.concealed) / (after.samples - before.samples)
  }

  test('hears a person, answers, is interrupted, calls a tool of the page, and ends when the page closes it', async () => {
    const called = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
    }
    script(
      1,
      words('تهران است.'),
      words('تهران پایتخت ایران است و شهر بزرگی است.'),
      stream([chunk({ tool_calls: [called] }), chunk({}, 'tool_calls'), done]),
      words('هوا خوب است.'),
    )
    const call = await caller.call({ url: world.url, secret: key.secret }, { model, instructions: 'کوتاه' })
    const { session } = await call.event('session.created')
    expect(session).toMatchObject({ model, instructions: 'کوتاه' })
    await converses(call)
    // A page may begin over TCP, and change to UDP.
    const overUdp = { connection: 'connected', channel: 'open', protocol: 'udp' }
    await expect.poll(() => call.state()).toMatchObject(overUdp)

    // Long enough to be spoken into by a machine that is slow.
    voices.reply(voice(24))
    let from = (await call.events()).length
    await call.say(question)
    await call.event('output_audio_buffer.started', from)
    ears.hear({ text: 'صبر کن یک لحظه' })
    await call.send({
      type: 'session.update',
      session: { type: 'realtime', tools: [weather] },
    })
    await call.say(interruption)
    const cut = await call.event('conversation.item.truncated', from)
    expect(cut.audio_end_ms).toBeLessThan(24_000)

    const asked = await call.event('response.function_call_arguments.done', from)
    expect(asked).toMatchObject({ call_id: 'call_1', name: 'weather' })
    voices.reply(voice(1))
    from = (await call.events()).length
    await call.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: 'call_1', output: 'آفتابی' },
    })
    await call.send({ type: 'response.create' })
    expect((await call.event('response.done', from)).response.status).toBe('completed')

    await call.close()
    const record = await ended(call.id)
    expect(record).toMatchObject({ reason: 'client', transport: 'webrtc', turns: 4 })
    const receipt = (await key.receipt(record.request_id)).body
    expect(receipt).toMatchObject({ state: 'completed', pending: false })
    expect(BigInt(receipt.microcredits)).toBeGreaterThan(0n)
  })

  test('works where no UDP passes, and its page is told when the server ends it', async () => {
    script(1, words('تهران است.'))
    const call = await caller.call({ url: world.url, secret: key.secret }, { model }, { tcp: true })
    await converses(call)
    await expect.poll(() => call.state()).toMatchObject({ connection: 'connected', protocol: 'tcp' })
    const gone = await onceEnded(() => key.request('DELETE', `${calls}/${call.id}`))
    expect(gone.body).toMatchObject({ status: 'ended', reason: 'client', turns: 1 })
    expect(await call.event('kherad.ending')).toMatchObject({ reason: 'client', seconds: 0 })
    await until(async () => (await call.state()).channel === 'closed')
    await call.close()
  })

  test('works where packets are lost, late and out of order; every question is heard, and at a tenth lost hardly any sound is made up', async () => {
    const answers = Array.from({ length: 13 }, () => words('تهران است.'))
    script(4, ...answers)
    const { port } = (await world.app.webrtc.open())!
    const shaping = { loss: 0.1, jitterMs: 100 }
    await using proxy = await openShapingProxy({
      ...{ target: { address: '127.0.0.1', port }, address: '127.0.0.5' },
      ...{ toServer: shaping, toClient: shaping, seed: 3 },
    })
    const call = await caller.call({ url: world.url, secret: key.secret }, { model }, { to: proxy.address })
    await converses(call)
    // TCP is not shaped: a page may begin there.
    await expect.poll(() => call.state()).toMatchObject({ protocol: 'udp', address: proxy.address })
    await expect.poll(() => proxy.counts.toClient.lost).toBeGreaterThan(5)

    proxy.toClient = { loss: 0.1 }
    // A machine that stands still makes up sound, too: of a few answers the best one tells what the line does.
    let share = 1
    let asked = 1
    for (; asked < 12 && share > maxMadeUp; asked++) share = Math.min(share, await madeUpOfAnswer(call))
    expect(share).toBeLessThanOrEqual(maxMadeUp)

    proxy.toServer = proxy.toClient = { loss: 0.02, reordered: 0.1 }
    await converses(call, (await call.events()).length)
    await call.close()
    expect(await ended(call.id)).toMatchObject({ turns: asked + 1 })
  }, 400_000)

  test.each([
    ["OpenAI's wire", 'acme/voice', openAiVoice, { input_tokens: 132, output_tokens: 121 }],
    ['Gemini Live', 'acme/live', geminiVoice, { input_tokens: 300, output_tokens: 80 }],
  ])(
    'is held with a model that hears and speaks by itself, over %s: heard, a tool of the page called, answered, interrupted, ended by the server, and charged by its tokens',
    async (_, relayed, wire, quantities) => {
      const words = Array.from({ length: 96 }, (_, at) => `${at}`)
      sockets.serve(wire({ heard: 'سلام دنیا', words, calls: { name: 'weather', arguments: {} } }))
      const call = await caller.call(
        { url: world.url, secret: key.secret },
        { model: relayed },
        { tcp: true },
      )
      await call.event('session.created')
      await call.send({ type: 'session.update', session: { type: 'realtime', tools: [weather] } })
      await call.say(question)
      await answersTool(call)
      const { transcript } = await call.event('conversation.item.input_audio_transcription.completed')
      expect(transcript).toBe('سلام دنیا')
      const { energy = 0 } = await call.state()
      await call.event('output_audio_buffer.started')
      await until(async () => (await call.state()).energy > energy + 0.005)
      await call.say(interruption)
      const cut = await call.event('conversation.item.truncated')
      expect(cut.audio_end_ms).toBeLessThan(9_600)
      await key.post(`${calls}/${call.id}/hangup`, {})
      expect(await call.event('kherad.ending')).toMatchObject({ reason: 'client', seconds: 0 })
      await call.close()
      const record = await ended(call.id)
      expect(record).toMatchObject({ engine: 'relay', reason: 'client', transport: 'webrtc' })
      const { steps } = (await key.receipt(record.request_id)).body.details
      const counted = { step: 'response', quantities }
      expect(steps.slice(0, 2)).toMatchObject([counted, counted])
    },
  )

  test('needs no outside: with the sandbox alone it is heard, a tool of the page called, answered, interrupted, and ended by the page', async () => {
    const update = (session: object) =>
      call.send({ type: 'session.update', session: { type: 'realtime', ...session } })
    const call = await caller.call({ url: world.url, secret: key.secret }, { model: 'sandbox/realtime' })
    await call.event('session.created')
    await update({ tools: [weather], tool_choice: 'required' })
    await call.say(question)
    await call.event('response.function_call_arguments.done')
    await update({ tool_choice: 'none' })
    await answersTool(call)
    const heard = await call.event('conversation.item.input_audio_transcription.completed')
    expect(heard.transcript).not.toBe('')
    const { energy = 0 } = await call.state()
    await call.event('output_audio_buffer.started')
    await until(async () => (await call.state()).energy > energy + 0.005)
    await call.say(interruption)
    await call.event('conversation.item.truncated')
    await call.close()
    expect(await ended(call.id)).toMatchObject({ reason: 'client', engine: 'pipeline' })
  })

  test.each([
    ['three models', model, 'acme/timed'],
    ['one that hears and speaks', 'acme/voice', 'acme/timed-voice'],
  ])(
    'with %s it ends by itself: when nobody speaks, when its time is over, and when the balance is',
    async (_, free, perMinute) => {
      script(1)
      sockets.serve(openAiVoice())
      const { client: poor } = await world.stranger(1_400)
      const call = (secret: string, body: object) => caller.call({ url: world.url, secret }, body)
      const idle = await call(key.secret, { model: free })
      await idle.event('session.created')
      clock.moveMs(60_000)
      expect(await idle.event('kherad.ending')).toMatchObject({ reason: 'idle', seconds: 0 })
      expect(await ended(idle.id)).toMatchObject({ reason: 'idle', turns: 0, credits: 0, seconds: 60 })

      const short = await call(key.secret, { model: free, max_seconds: 20 })
      await short.event('session.created')
      clock.moveMs(10_000)
      expect(await short.event('kherad.ending')).toMatchObject({ reason: 'expired', seconds: 10 })
      clock.moveMs(10_000)
      expect(await ended(short.id)).toMatchObject({ reason: 'expired', seconds: 20 })

      const timed = await call(poor.secret, { model: perMinute })
      await timed.event('session.created')
      const typed = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'هنوز اینجایم' }] }
      const record = () => poor.get(`${calls}/${timed.id}`)
      await until(async () => {
        await timed.send({ type: 'conversation.item.create', item: typed })
        clock.moveMs(2_000)
        await world.app.realtime.tick()
        return (await record()).body.status === 'ended'
      })
      expect(await timed.event('kherad.ending')).toMatchObject({ reason: 'credits', seconds: 0 })
      expect((await timed.events()).filter(({ warning }) => warning)).not.toEqual([])
      expect((await record()).body).toMatchObject({ status: 'ended', reason: 'credits' })
    },
  )

  test('is held by the Agents SDK of OpenAI unchanged, with the secret of a page and its own microphone', async () => {
    script(1, words('تهران است.'))
    const { value } = (await key.post('/v1/realtime/client_secrets', { session: { model } })).body
    await addAgentsSdk(caller.page)
    const heard = await caller.page.evaluate(`(async () => {
      const { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebRTC } = OpenAIAgentsRealtime
      const transport = new OpenAIRealtimeWebRTC({ baseUrl: ${JSON.stringify(`${world.url}${calls}`)} })
      const session = new RealtimeSession(new RealtimeAgent({ name: 'guide', instructions: 'کوتاه' }), { transport })
      const errors = []
      session.on('error', (error) => errors.push(String(error?.error?.message ?? JSON.stringify(error))))
      const turn = new Promise((resolve) => transport.on('turn_done', resolve))
      await session.connect({ apiKey: ${JSON.stringify(value)} })
      await turn
      const { callId } = transport
      const history = session.history.map(({ role, content }) => [role, content?.[0]?.transcript])
      session.close()
      return { callId, history, errors }
    })()`)
    expect(heard).toMatchObject({
      errors: [],
      history: [
        ['user', 'سلام دنیا'],
        ['assistant', 'تهران است.'],
      ],
    })
    const { callId } = heard as { callId: string }
    expect(await ended(callId)).toMatchObject({ reason: 'client', turns: 1, transport: 'webrtc' })
  })
})
