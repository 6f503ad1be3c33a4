import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#app'
import { resample } from '#core/sound'
import type { Client } from '../../harness/client.ts'
import { type TranscriptionUpstream, transcriptionUpstream } from '../../harness/transcription-upstream.ts'
import { until } from '../../harness/until.ts'
import { chunk, done, type FakeUpstream, fakeUpstream, json, stall, stream } from '../../harness/upstream.ts'
import { boot, type World } from '../../harness/world.ts'
import { callConfig } from '../../voice/call-config.ts'
import { sandboxSpeech, startCall, type TestCall } from '../../voice/pipeline-call.ts'
import { connect } from '../../voice/socket-call.ts'

let world: World
let key: Client
let caller: Caller
let texts: FakeUpstream
let voices: FakeUpstream
let ears: TranscriptionUpstream
/** «سلام، پایتخت ایران کجاست؟» and «صبر کن، یک لحظه گوش بده.» */
let question: Float32Array
let interruption: Float32Array

const models = '  - { id: acme/voiced, kind: realtime, text_model: words/one }'

beforeAll(async () => {
  texts = await fakeUpstream()
  voices = await fakeUpstream()
  ears = await transcriptionUpstream()
  world = await boot({
    config: callConfig({ texts: texts.url, voices: voices.url, ears: ears.url }, { models }),
  })
  key = await world.key()
  caller = await world.app.keys.caller(key.secret)
  question = await sandboxSpeech(world.app, caller, 'سلام، پایتخت ایران کجاست؟')
  interruption = await sandboxSpeech(world.app, caller, 'صبر کن، یک لحظه گوش بده.')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  for (const one of [texts, voices, ears]) await one[Symbol.asyncDispose]()
})

/** Sound of 24 kHz as OpenAI's speech answers it. */
const speech = (seconds: number) =>
  stream([new Uint8Array(Math.round(seconds * 48_000)).fill(7)], { 'content-type': 'audio/pcm' })

const words = (...deltas: string[]) =>
  stream([...deltas.map((content) => chunk({ content })), chunk({}, 'stop'), done])

async function talk(model: string, work: (call: TestCall) => Promise<void>, session = {}): Promise<void> {
  for (const one of [texts, voices, ears]) {
    one.reset()
    one.calls.length = 0
  }
  voices.reply(speech(0.5))
  await using call = await startCall(world.app, caller, model, session)
  await work(call)
  await call.stop()
  expect(call.money.open).toBe(0)
}

/** In micro-credits, of the steps that a model was paid for. */
const paidTo = (call: TestCall, model: string): bigint[] =>
  call.money.hold.settled.flatMap(({ settlement }) =>
    settlement.model === model ? settlement.microcredits : [],
  )

/** What is said beside an answer is understood before more of it is heard, however slow the machine is. */
const standsForEars = (call: TestCall): void =>
  call.standsWhile(
    () => call.money.transcriptions > call.money.steps.filter(({ kind }) => kind === 'transcription').length,
  )

const kindsOf = (call: TestCall) => call.money.steps.map(({ kind }) => kind)

test('what is said in a call with the sandbox is heard, answered and spoken, in the events and the order of OpenAI', async () => {
  await talk('sandbox/realtime', async (call) => {
    call.say(question, 3_000)
    const heard = await call.event('conversation.item.input_audio_transcription.completed')
    expect(heard).toMatchObject({ transcript: 'سلام، پایتخت ایران کجاست؟' })
    const { response } = await call.event('response.done')
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ role: 'assistant', status: 'completed' }],
    })
    const order = call.types().filter((type, at, all) => type !== all[at - 1])
    expect(order.filter((type) => type !== 'output_audio_buffer.started')).toEqual([
      'session.created',
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'output_audio_buffer.stopped',
      'response.done',
    ])
    expect(order.indexOf('output_audio_buffer.started')).toBeLessThan(
      order.indexOf('response.output_audio.done'),
    )
    expect(call.played()).toBeGreaterThan(3 * 24_000)
    expect(call.money.reserved).toHaveLength(1)
    const cost = call.money.hold.settled.reduce((sum, { settlement }) => sum + settlement.microcredits, 0n)
    expect(cost).toBeGreaterThan(0n)
    expect(cost).toBeLessThanOrEqual(call.money.reserved[0]!)
  })
  // Its transcription claims seconds and no tokens, of which none are charged.
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  expect(metrics).not.toMatch(/^kherad_upstream_disbelieved_total\{/m)
})

test('the text model is asked with the instructions and what was said before', async () => {
  await talk('acme/talk', async (call) => {
    call.send({ type: 'session.update', session: { type: 'realtime', instructions: 'تو راهنمای شهری.' } })
    texts.replyOnce(words('تهران است.'), words('باشه.'))
    call.say(question, 1_500)
    await call.event('response.done')
    const from = call.events.length
    call.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'ممنون' }] },
    })
    call.send({ type: 'response.create' })
    await call.event('response.done', from)
    const asked = texts.calls.at(-1)!.body as { messages: { role: string; content: unknown }[] }
    expect(asked.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(JSON.stringify(asked.messages)).toContain('تو راهنمای شهری.')
    expect(asked.messages.slice(1).map(({ content }) => content)).toEqual([
      'سلام دنیا',
      'تهران است.',
      'ممنون',
    ])
    expect(voices.calls.map(({ body }) => body!['input'])).toEqual(['تهران است.', 'باشه.'])
    // 15 USD for a million characters, of which there are ten and five.
    expect(paidTo(call, 'voices/one')).toEqual([150_000n, 75_000n])
  })
})

test('text alone is not spoken', async () => {
  await talk('acme/talk', async (call) => {
    texts.replyOnce(words('تهران ', 'است.'))
    call.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'کجا؟' }] },
    })
    call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
    const { response } = await call.event('response.done')
    expect(response).toMatchObject({
      output: [{ content: [{ type: 'output_text', text: 'تهران است.' }] }],
      output_modalities: ['text'],
    })
    expect(call.types()).toContain('response.output_text.delta')
    expect(voices.calls).toEqual([])
    expect(kindsOf(call)).toEqual(['text'])
  })
})

test('a tool is called at the client, and its output answered', async () => {
  await talk('acme/talk', async (call) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    call.send({
      type: 'session.update',
      session: { tools: [{ type: 'function', name: 'weather', description: 'هوا', parameters }] },
    })
    const called = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":' },
    }
    texts.replyOnce(
      stream([
        chunk({ tool_calls: [called] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"تهران"}' } }] }),
        chunk({}, 'tool_calls'),
        done,
      ]),
      words('هوا خوب است.'),
    )
    call.say(question, 1_500)
    const ended = await call.event('response.function_call_arguments.done')
    expect(ended).toMatchObject({ call_id: 'call_1', name: 'weather', arguments: '{"city":"تهران"}' })
    const { response } = await call.event('response.done')
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ type: 'function_call', call_id: 'call_1' }],
    })
    const from = call.events.length
    call.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: 'call_1', output: '{"sky":"آفتابی"}' },
    })
    call.send({ type: 'response.create' })
    await call.event('response.done', from)
    const { messages } = texts.calls.at(-1)!.body as { messages: Record<string, unknown>[] }
    expect(messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"آفتابی"}' },
    ])
  })
})

test('whoever interrupts in words is listened to: the answer is cut, and keeps what was heard of it', async () => {
  await talk('acme/talk', async (call) => {
    standsForEars(call)
    voices.reply(speech(6))
    texts.replyOnce(words('تهران پایتخت ایران است و شهر بزرگی است. '), words('بفرمایید.'))
    call.say(question, 1_500)
    await call.event('output_audio_buffer.started')
    ears.hear({ text: 'صبر کن یک لحظه' })
    call.say(interruption, 1_500)
    const { response } = await call.event('response.done')
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
    })
    const truncated = await call.event('conversation.item.truncated')
    const [item] = (response as { output: { id: string; content: { transcript: string }[] }[] }).output
    expect(truncated['item_id']).toBe(item!.id)
    expect(truncated['audio_end_ms']).toBeGreaterThan(100)
    expect(truncated['audio_end_ms']).toBeLessThan(6_000)
    const { transcript } = item!.content[0]!
    expect('تهران پایتخت ایران است و شهر بزرگی است.'.startsWith(transcript)).toBe(true)
    const types = call.types()
    expect(types.indexOf('output_audio_buffer.cleared')).toBeLessThan(
      types.lastIndexOf('input_audio_buffer.speech_started'),
    )
    const from = types.indexOf('response.done') + 1
    expect((await call.event('response.done', from))['response']).toMatchObject({ status: 'completed' })
    const { messages } = texts.calls.at(-1)!.body as { messages: { role: string; content: string }[] }
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'صبر کن یک لحظه' })
  })
})

test('a "yes" while it speaks cuts nothing, and becomes no turn', async () => {
  await talk('acme/talk', async (call) => {
    standsForEars(call)
    voices.reply(speech(4))
    texts.replyOnce(words('تهران پایتخت ایران است.'))
    call.say(question, 1_500)
    await call.event('output_audio_buffer.started')
    ears.hear({ text: 'بله' })
    call.say(interruption.subarray(0, 9_600), 1_500)
    const { response } = await call.event('response.done')
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ content: [{ transcript: 'تهران پایتخت ایران است.' }] }],
    })
    expect(call.types().filter((type) => type === 'input_audio_buffer.speech_started')).toHaveLength(1)
  })
})

test.each([
  ['text', () => texts.reply(json(500, { error: { message: 'no' } }))],
  ['speech', () => voices.reply(json(500, { error: { message: 'no' } }))],
])(
  'a failing upstream of %s fails the response, costs nothing of it, and the call goes on',
  async (what, fail) => {
    await talk('acme/talk', async (call) => {
      fail()
      call.send({ type: 'response.create' })
      const { response } = await call.event('response.done')
      expect(response).toMatchObject({
        status: 'failed',
        status_details: { type: 'failed', error: { code: expect.any(String) } },
      })
      expect(paidTo(call, what === 'text' ? 'words/one' : 'voices/one')).toEqual([0n])
      for (const one of [texts, voices]) one.reset()
      voices.reply(speech(0.2))
      const from = call.events.length
      call.send({ type: 'response.create' })
      expect((await call.event('response.done', from))['response']).toMatchObject({ status: 'completed' })
    })
  },
)

test('a failing transcription is told, is not answered, and the third failure in a row ends the call', async () => {
  await talk('acme/talk', async (call) => {
    ears.reply(json(500, { error: { message: 'no' } }))
    call.say(question, 2_500)
    await call.event('conversation.item.input_audio_transcription.failed')
    expect(call.types()).not.toContain('response.created')
    texts.reply(json(500, { error: { message: 'no' } }))
    for (let failures = 1; failures < 3; failures++) {
      const from = call.events.length
      call.send({ type: 'response.create' })
      if (failures < 2) await call.event('response.done', from)
    }
    expect(await call.ended).toBe('failed')
  })
})

test('one response at a time; a cancelled one is silent at once', async () => {
  await talk('acme/talk', async (call) => {
    texts.reply(stream([chunk({ content: 'تهران است. ' }), new Promise(() => undefined)]))
    call.send({ type: 'response.cancel' })
    expect(await call.event('error')).toMatchObject({ error: { code: 'NO_ACTIVE_RESPONSE' } })
    call.send({ type: 'response.create' })
    await call.event('response.output_audio_transcript.delta')
    const from = call.events.length
    call.send({ type: 'response.create' })
    expect(await call.event('error', from)).toMatchObject({ error: { code: 'RESPONSE_ACTIVE' } })
    call.send({ type: 'response.cancel' })
    expect((await call.event('response.done'))['response']).toMatchObject({
      status: 'cancelled',
      status_details: { reason: 'client_cancelled' },
    })
  })
})

test('a client that says itself when it is done commits, and asks for the answer', async () => {
  await talk(
    'acme/talk',
    async (call) => {
      call.send({ type: 'input_audio_buffer.commit' })
      expect(await call.event('error')).toMatchObject({ error: { code: 'NO_SOUND_TO_COMMIT' } })
      const frames = call.frames()
      call.say(question, 100)
      await call.heard(frames + question.length / 320)
      call.send({ type: 'input_audio_buffer.commit' })
      await call.event('conversation.item.input_audio_transcription.completed')
      expect(call.types()).not.toContain('input_audio_buffer.speech_started')
      expect(call.types()).not.toContain('response.created')
      call.send({ type: 'response.create' })
      await call.event('response.done')
    },
    { audio: { input: { turn_detection: null } } },
  )
})

test('where the balance does not bear the next turn, the call says goodbye and ends, and no model is asked', async () => {
  await talk('acme/talk', async (call) => {
    call.money.bears = false
    call.say(question, 1_500)
    expect(await call.ended).toBe('credits')
    expect(call.events).toContainEqual(
      expect.objectContaining({ type: 'kherad.ending', reason: 'credits', seconds: 5 }),
    )
    expect(kindsOf(call)).toEqual(['speech'])
    expect(call.played()).toBeGreaterThan(0)
    expect(texts.calls).toEqual([])
    expect(ears.forms()).toEqual([])
  })
})

test('a step that cannot be paid asks nobody, and ends the call', async () => {
  await talk('acme/talk', async (call) => {
    call.money.pays = false
    call.send({ type: 'response.create' })
    expect(await call.ended).toBe('credits')
    expect(texts.calls).toEqual([])
  })
})

test('whoever speaks on after a sentence takes it back: its answer is withdrawn, and the whole is answered', async () => {
  await talk('acme/talk', async (call) => {
    // What was heard for a while is not withdrawn any more.
    let isWithdrawn = false
    texts.reply(() => (isWithdrawn ? words('بفرمایید.') : stream([stall])))
    call.once('conversation.item.deleted', () => {
      isWithdrawn = true
    })
    ears.hear({ text: 'پایتخت ایران کجاست؟' })
    call.once('input_audio_buffer.committed', () => {
      ears.hear({ text: 'پایتخت ایران کجاست؟ و جمعیتش چقدر است؟' })
      call.say(interruption, 1_500)
    })
    call.say(interruption)
    const deleted = await call.event('conversation.item.deleted')
    const [first] = call.events.filter(({ type }) => type === 'input_audio_buffer.committed')
    expect(deleted['item_id']).toBe(first!['item_id'])
    await call.event('response.done', call.types().indexOf('conversation.item.deleted'))
    const { messages } = texts.calls.at(-1)!.body as { messages: { role: string; content: string }[] }
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'پایتخت ایران کجاست؟ و جمعیتش چقدر است؟',
    ])
  })
})

test('an early transcript of speech that goes on is given up, and is a step that says so', async () => {
  await talk('acme/talk', async (call) => {
    texts.reply(words('بفرمایید.'))
    const asked: unknown[] = []
    ears.hear((form) => {
      asked.push(form)
      return asked.length === 1 ? new Promise(() => undefined) : { text: 'پایتخت ایران کجاست؟' }
    })
    // The early one has reached its upstream when speech goes on.
    call.standsWhile(() => call.money.transcriptions > asked.length)
    call.say(interruption.subarray(0, 9_600), 160)
    call.say(interruption, 1_500)
    await call.event('response.done')
    expect(call.money.steps.filter(({ isDiscarded }) => isDiscarded)).toMatchObject([
      { kind: 'transcription' },
    ])
    expect(call.types().filter((type) => type === 'input_audio_buffer.committed')).toHaveLength(1)
  })
})

/** As events carry it: 24 kHz, 16 bits, half a second each. */
async function* spokenEvents(samples: Float32Array): AsyncGenerator<{ type: string; audio: string }> {
  const sound = resample([{ rate: 16_000, samples }], 24_000)
  const bytes: Buffer[] = []
  for await (const piece of sound)
    bytes.push(Buffer.from(Int16Array.from(piece.samples, (one) => Math.round(one * 32_767)).buffer))
  const all = Buffer.concat(bytes)
  for (let at = 0; at < all.length; at += 24_000)
    yield { type: 'input_audio_buffer.append', audio: all.subarray(at, at + 24_000).toString('base64') }
}

test('over a WebSocket speech is answered by the three upstreams, each of which is a step of the receipt', async () => {
  for (const one of [texts, voices, ears]) one.reset()
  voices.reply(speech(0.3))
  texts.reply(words('تهران است.'))
  const call = await connect(world, key.secret, { query: '?model=acme/talk' })
  await call.event('session.created')
  const silence = new Float32Array(16_000)
  for (const samples of [question, silence]) for await (const event of spokenEvents(samples)) call.send(event)
  const heard = await call.event('conversation.item.input_audio_transcription.completed')
  expect(heard.transcript).toBe('سلام دنیا')
  const { response } = await call.event('response.done')
  expect(response).toMatchObject({
    status: 'completed',
    output: [{ content: [{ transcript: 'تهران است.' }] }],
  })
  expect(call.sound().length).toBe(7_200)
  const [{ id }] = (await key.get('/v1/realtime/calls')).body.data
  call.close()
  const ended = () => key.get(`/v1/realtime/calls/${id}`)
  await until(async () => (await ended()).body.status === 'ended')
  const { details, microcredits } = (await key.receipt((await ended()).body.request_id)).body
  const { steps } = details as { steps: { step: string; model: string; microcredits: number }[] }
  expect(steps.map(({ model }) => model)).toEqual(
    expect.arrayContaining(['ears/one', 'words/one', 'voices/one']),
  )
  expect(String(steps.reduce((sum, step) => sum + step.microcredits, 0))).toBe(microcredits)
})
