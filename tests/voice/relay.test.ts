/** The engine `relay` against the wires of its upstreams: what is held, asked for, spoken, cut and charged. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { App } from '#app'
import { noCost } from '#core/models'
import { Failure, fail } from '#platform/errors'
// Their failures are declared.
import '#platform/http'
import '#platform/ledger'
import type { RealtimeProvider } from '#core/spec'
import { geminiRealtime } from '#providers/gemini-live'
import { realtimeProvider } from '#providers/realtime'
import type {
  CallView,
  EndReason,
  OpenStep,
  RealtimeEvent,
  SessionSettings,
  Speaker,
  StepLine,
  TurnDetection,
} from '#voice/realtime'
import { Relay, type RelayOptions } from '#voice/realtime'
import { CallConversation } from '../../src/voice/realtime/conversation.ts'
import { type FakeSockets, socketUpstream } from '../harness/socket-upstream.ts'
import { hasEspeak, spoken } from '../harness/spoken.ts'
import { until } from '../harness/until.ts'
import { geminiVoice, openAiVoice } from '../harness/voice-wires.ts'

/** No upstream of these tests is given up for being slow. */
const ample = {
  connectMs: 30_000,
  firstByteMs: 30_000,
  firstTokenMs: 30_000,
  idleMs: 30_000,
  totalMs: 60_000,
}

let upstream: FakeSockets
const engines: Relay[] = []
beforeAll(async () => {
  upstream = await socketUpstream()
})
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()))
  upstream.reset()
})
afterAll(() => upstream[Symbol.asyncDispose]())

/** Micro-credits of a token, so that sums are seen at a glance. */
const perToken = (credits: number): bigint => BigInt(credits) * 1_000_000n
const model: RelayOptions['model'] = {
  id: 'acme/voice',
  maxInputTokens: 1_000,
  maxOutputTokens: 200,
  voices: ['marin'],
  voice: 'marin',
  transcription: { model: 'ears-1', cost: () => noCost },
  pricing: {
    textInput: perToken(1),
    audioInput: perToken(2),
    imageInput: perToken(1),
    cachedTextInput: perToken(0),
    cachedAudioInput: perToken(1),
    textOutput: perToken(1),
    audioOutput: perToken(4),
  },
}
/** `instructions` and `[]` at the price of text, the rest at the dearest. */
const worst = BigInt('سلام کن'.length + 2) + 2_000n + 800n

const settings: SessionSettings = {
  instructions: 'سلام کن',
  voice: undefined,
  modalities: ['audio'],
  transcription: {},
  turnDetection: null,
  speed: 1,
  tools: [],
  hosted: [],
  toolChoice: 'auto',
  maxOutputTokens: 'inf',
}

interface Step {
  worst: bigint
  /** What the upstream was asked when the step was opened. */
  askedBefore: number
  done?: { cost: bigint | undefined; line: StepLine }
}

interface TestCall {
  engine: Relay
  view: Omit<CallView, 'session'> & { session: CallView['session'] }
  events: RealtimeEvent[]
  steps: Step[]
  reserved: bigint[]
  ends: EndReason[]
  said: number
  /** Lets what is spoken be heard to its end. */
  heard(): void
  isBroke: boolean
  types(): string[]
}

const responses = (): number =>
  upstream.sessions.flatMap(({ events }) => events.filter(({ type }) => type === 'response.create')).length

async function begin({
  provider = realtimeProvider({ baseUrl: upstream.url }) as RealtimeProvider,
  turnDetection = null as TurnDetection | null,
  start = true,
} = {}): Promise<TestCall> {
  const gone = new AbortController()
  const playing = { item: undefined as string | undefined, end: Promise.withResolvers<void>() }
  const speaker: Speaker = {
    say: (itemId, samples) => {
      playing.item ??= itemId
      call.said += samples.length
      return true
    },
    waitForRoom: () => Promise.resolve(),
    finish: () => playing.end.promise,
    duck: () => undefined,
    unduck: () => undefined,
    cut: () => {
      const itemId = playing.item
      playing.item = undefined
      playing.end.resolve()
      playing.end = Promise.withResolvers()
      return itemId === undefined ? undefined : { itemId, playedMs: 40, heard: 'سلا' }
    },
    get isPlaying() {
      return playing.item !== undefined
    },
  }
  const events: RealtimeEvent[] = []
  const emit = (event: RealtimeEvent) => void events.push(structuredClone(event))
  const view: CallView = {
    callId: 'rtc_1',
    session: { ...settings, turnDetection },
    conversation: new CallConversation(emit),
    money: {
      held: 0n,
      ensureFree: async () => true,
      reserve: (sum) => {
        call.reserved.push(sum)
        return Promise.resolve(!call.isBroke)
      },
      step: async ({ worst: most }) => {
        if (call.isBroke) fail('INSUFFICIENT_CREDITS', { needMicrocredits: most, haveMicrocredits: 0n })
        const step: Step = { worst: most, askedBefore: responses() }
        call.steps.push(step)
        const open: Pick<OpenStep, 'stepId' | 'done'> = {
          stepId: 'step',
          done: (cost, line) => {
            if (step.done) throw new Error('A step was done twice.')
            step.done = { cost: cost?.microcredits, line }
          },
        }
        return open as OpenStep
      },
      spent: 0n,
    },
    speaker,
    emit,
    end: (reason) => {
      call.ends.push(reason)
      gone.abort()
    },
    signal: gone.signal,
  }
  const app = {
    log: { error: (what: unknown) => console.error(what) },
    metrics: { disbelieved: { inc: () => undefined } },
  } as unknown as App
  const engine = new Relay(app, view, {
    upstreams: [{ deployment: 'acme/voice-1', provider, upstreamModel: 'voice-1', timeouts: ample }],
    ...{ model, language: 'fa' },
  })
  const call: TestCall = {
    ...{ engine, view, events, steps: [], reserved: [], ends: [], said: 0, isBroke: false },
    heard: () => {
      playing.item = undefined
      playing.end.resolve()
      playing.end = Promise.withResolvers()
    },
    types: () => events.map(({ type }) => type),
  }
  engines.push(engine)
  if (start) await engine.start()
  return call
}

const silence = new Float32Array(320)
function speak({ engine }: TestCall, frames = 10): void {
  for (let count = 0; count < frames; count++) engine.frame(silence)
  engine.event({ type: 'input_audio_buffer.commit' })
}
const respond = ({ engine }: TestCall, response = {}): void =>
  engine.event({ type: 'response.create', response })
const done = (call: TestCall, count = 1) =>
  until(() => call.types().filter((type) => type === 'response.done').length === count)
const lastDone = (call: TestCall) =>
  call.events.findLast(({ type }) => type === 'response.done')!['response'] as Record<string, unknown>

test('a response is held before it is asked for, and charged by what was counted', async () => {
  upstream.serve(openAiVoice())
  const call = await begin()
  speak(call)
  respond(call)
  await until(() => call.steps[0]?.done)
  expect(call.steps).toEqual([
    {
      worst,
      askedBefore: 0,
      // 59 + 2 · 9 + 0 · 60 + 1 · 4 + 30 + 4 · 91
      done: {
        cost: 475n,
        line: {
          quantities: {
            input_tokens: 132,
            audio_input_tokens: 13,
            cached_tokens: 64,
            output_tokens: 121,
            audio_output_tokens: 91,
          },
        },
      },
    },
  ])
  expect(responses()).toBe(1)
  expect(call.said).toBe(4_800)
  call.heard()
  await done(call)
  expect(lastDone(call)).toMatchObject({ status: 'completed', usage: { total_tokens: 253 } })
  expect(call.view.conversation.items).toMatchObject([
    { role: 'user', content: [{ type: 'input_audio', transcript: 'سلام' }] },
    {
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_audio', transcript: 'سلام دنیا' }],
    },
  ])
})

test('a claim of more than was held is charged as what was held', async () => {
  upstream.serve(openAiVoice({ usage: { input_tokens: 1e9, output_tokens: 1e9 } }))
  const call = await begin()
  respond(call)
  await until(() => call.steps[0]?.done)
  expect(call.steps[0]!.done!.cost).toBe(worst)
})

test('what cannot be paid is not asked for, and ends the call', async () => {
  upstream.serve(openAiVoice())
  const call = await begin()
  call.isBroke = true
  respond(call)
  await done(call)
  expect(lastDone(call)).toMatchObject({
    status: 'failed',
    status_details: { error: { code: 'INSUFFICIENT_CREDITS' } },
  })
  expect(responses()).toBe(0)
  await until(() => call.ends.length === 1)
  expect(call.ends).toEqual(['credits'])
})

test('a cancelled response is cut where it was heard, and charged once the upstream says what it cost', async () => {
  upstream.serve(openAiVoice({ fault: (moment) => moment === 'middle' }))
  const call = await begin()
  respond(call)
  await until(() => call.said > 0)
  call.engine.event({ type: 'response.cancel', responseId: undefined })
  expect(call.types().slice(-8)).toEqual([
    'output_audio_buffer.cleared',
    'conversation.item.truncated',
    'response.output_audio.done',
    'response.output_audio_transcript.done',
    'response.content_part.done',
    'response.output_item.done',
    'conversation.item.done',
    'response.done',
  ])
  expect(lastDone(call)).toMatchObject({ status: 'cancelled', usage: null })
  await until(() => call.steps[0]!.done)
  expect(call.steps[0]!.done!.cost).toBe(475n)
  const sent = upstream.sessions[0]!.events
  await until(() => sent.some(({ type }) => type === 'conversation.item.truncate'))
  expect(sent.filter(({ type }) => type === 'response.cancel')).toHaveLength(1)
  expect(sent.find(({ type }) => type === 'conversation.item.truncate')).toMatchObject({
    item_id: 'item_answer_1',
    audio_end_ms: 40,
  })
  expect(call.view.conversation.items[0]).toMatchObject({
    status: 'incomplete',
    content: [{ transcript: 'سلا' }],
  })
  // The upstream is free for the next one.
  respond(call)
  await until(() => call.steps.length === 2)
})

test('the answer after an interruption waits until the upstream has ended the one before', async () => {
  let answers = 0
  upstream.serve(openAiVoice({ fault: (moment) => moment === 'middle' && ++answers === 1 }))
  const call = await begin()
  respond(call)
  await until(() => call.said > 0)
  call.engine.interrupted()
  respond(call)
  await until(() => call.steps[1]?.done)
  expect(call.steps.map(({ done: end }) => end?.cost)).toEqual([475n, 475n])
  const types = upstream.sessions[0]!.events.map(({ type }) => type)
  expect(types.filter((type) => String(type).startsWith('response.'))).toEqual([
    'response.create',
    'response.cancel',
    'response.create',
  ])
  expect(call.ends).toEqual([])
})

test('an upstream that breaks off is not asked again: the answer is charged, the next turn has a new session with what was said', async () => {
  let sessions = 0
  upstream.serve(() => {
    sessions += 1
    const isFirst = sessions === 1
    return openAiVoice({
      fault: (moment, session) => {
        if (isFirst && moment === 'middle') session.cut()
        return isFirst && moment === 'middle'
      },
    })()
  })
  const call = await begin({ start: false })
  call.view.conversation.add({
    id: 'item_before',
    type: 'message',
    status: 'completed',
    role: 'user',
    content: [{ type: 'input_text', text: 'پیش از این' }],
  })
  await call.engine.start()
  respond(call)
  await until(() => call.steps[0]?.done)
  expect(JSON.stringify(upstream.sessions[0]!.events)).toContain('پیش از این')
  expect(call.steps[0]!.done).toEqual({ cost: worst, line: { quantities: {}, ambiguous: true } })
  call.heard()
  await done(call)
  expect(lastDone(call)).toMatchObject({ status: 'failed' })
  expect(responses()).toBe(1)
  await upstream.session(1)
  respond(call)
  await until(() => call.steps[1]?.done)
  expect(call.steps[1]!.done!.cost).toBe(475n)
  expect(JSON.stringify(upstream.sessions[1]!.events)).toContain('پیش از این')
  expect(call.ends).toEqual([])
})

test('two failures, one after the other, end the call', async () => {
  upstream.serve(
    openAiVoice({
      fault: (moment, session) => {
        if (moment === 'answer') session.cut()
        return moment === 'answer'
      },
    }),
  )
  const call = await begin()
  for (const count of [1, 2]) {
    respond(call)
    await done(call, count)
  }
  await until(() => call.ends.length > 0)
  expect(call.ends[0]).toBe('failed')
  expect(call.steps.every((step) => step.done?.cost === worst)).toBe(true)
})

test('the end of a call cuts the answer and pays for what the upstream says it cost', async () => {
  upstream.serve(openAiVoice({ fault: (moment) => moment === 'middle' }))
  const call = await begin()
  respond(call)
  await until(() => call.said > 0)
  await call.engine.stop()
  expect(call.steps[0]!.done!.cost).toBe(475n)
  expect(await upstream.sessions[0]!.whenClosed).toBe(1000)
})

test('a function is called by the client, and its result answered', async () => {
  upstream.serve(openAiVoice({ calls: { name: 'weather', arguments: { city: 'تهران' } } }))
  const call = await begin()
  respond(call)
  await done(call)
  const told = call.events.find(({ type }) => type === 'response.function_call_arguments.done')
  expect(told).toMatchObject({ call_id: 'call_1', name: 'weather', arguments: '{"city":"تهران"}' })
  call.view.conversation.add({
    id: 'item_result',
    type: 'function_call_output',
    status: 'completed',
    content: [],
    call_id: 'call_1',
    output: '{"degrees":21}',
  })
  call.engine.changed()
  respond(call)
  await until(() => call.steps[1]?.done)
  const created = upstream.sessions[0]!.events.filter(({ type }) => type === 'conversation.item.create')
  expect(created.map(({ item }) => item)).toEqual([
    { id: 'item_result', type: 'function_call_output', call_id: 'call_1', output: '{"degrees":21}' },
  ])
})

test('what a response wants beside the session holds for it alone', async () => {
  upstream.serve(openAiVoice())
  const call = await begin()
  respond(call, { instructions: 'بلند سلام کن', maxOutputTokens: 50 })
  await until(() => call.steps[0]?.done)
  call.heard()
  await done(call)
  respond(call)
  await until(() => call.steps[1]?.done)
  const updates = upstream.sessions[0]!.events.filter(({ type }) => type === 'session.update')
  expect(updates.map(({ session }) => session)).toMatchObject([
    { instructions: 'سلام کن', max_output_tokens: 200 },
    { instructions: 'بلند سلام کن', max_output_tokens: 50 },
    { instructions: 'سلام کن', max_output_tokens: 200 },
  ])
  expect(call.steps.map((step) => step.worst)).toEqual([worst + 5n - 600n, worst])
})

test('what cannot be is refused: a second response, a response outside, a commit of nothing, a cancel of nothing', async () => {
  upstream.serve(openAiVoice({ fault: (moment) => moment === 'answer' }))
  const call = await begin()
  const refused = (work: () => void) =>
    expect(work).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  refused(() => call.engine.event({ type: 'input_audio_buffer.commit' }))
  refused(() => call.engine.event({ type: 'response.cancel', responseId: undefined }))
  refused(() => respond(call, { conversation: 'none' }))
  respond(call)
  refused(() => respond(call))
  refused(() => call.engine.event({ type: 'response.cancel', responseId: 'resp_other' }))
})

test('Gemini calls a function, and its numbers keep every digit', async () => {
  const id = JSON.rawJSON('2512292042121000001')
  upstream.serve(geminiVoice({ calls: { name: 'find', arguments: { id, of: [id] } } }))
  const call = await begin({ provider: geminiRealtime({ baseUrl: upstream.url }) })
  respond(call)
  const type = 'response.function_call_arguments.done'
  await until(() => call.types().includes(type))
  expect(call.events.find((event) => event.type === type)?.['arguments']).toBe(
    `{"id":${id.rawJSON},"of":[${id.rawJSON}]}`,
  )
})

test('Gemini hears nothing before the answer is held, and goes on in another session where it left', async () => {
  upstream.serve(geminiVoice())
  const call = await begin({ provider: geminiRealtime({ baseUrl: upstream.url }) })
  speak(call)
  await until(() => call.types().includes('input_audio_buffer.committed'))
  expect(upstream.sessions[0]!.events).toHaveLength(1)
  respond(call)
  await until(() => call.steps[0]?.done)
  // 120 + 2 · 180 + 4 · 80
  expect(call.steps[0]!.done!.cost).toBe(800n)
  call.heard()
  await done(call)
  upstream.sessions[0]!.send(Buffer.from('{"goAway":{"timeLeft":"5s"}}'))
  const next = await upstream.session(1)
  await until(() => next.events.length === 1)
  expect(next.events[0]).toMatchObject({ setup: { sessionResumption: { handle: 'handle-1' } } })
  respond(call)
  await until(() => call.steps[1]?.done)
  expect(next.events).toHaveLength(2)
})

test('Gemini gets another session for other settings alone, and there what the one before was not sent yet', async () => {
  upstream.serve(geminiVoice())
  const call = await begin({ provider: geminiRealtime({ baseUrl: upstream.url }) })
  const typed = (id: string, text: string) => {
    call.view.conversation.add({
      ...{ id, type: 'message', status: 'completed', role: 'user' },
      content: [{ type: 'input_text', text }],
    })
    call.engine.changed()
  }
  typed('item_1', 'نخست')
  respond(call)
  await until(() => call.steps[0]?.done)
  call.heard()
  await done(call)
  typed('item_2', 'سپس')
  call.view.session = { ...call.view.session, instructions: 'کوتاه بگو' }
  call.engine.changed()
  const next = await upstream.session(1)
  // While it is being opened.
  call.view.session = { ...call.view.session, instructions: 'بلند بگو' }
  call.engine.changed()
  const last = await upstream.session(2)
  respond(call)
  await until(() => call.steps[1]?.done)
  expect(JSON.stringify(next.events[0])).toContain('کوتاه بگو')
  expect(last.events).toMatchObject([
    { setup: { systemInstruction: { parts: [{ text: 'بلند بگو' }] } } },
    { clientContent: { turns: [{ parts: [{ text: 'سپس' }] }], turnComplete: true } },
  ])
  expect(upstream.sessions).toHaveLength(3)
})

test('what was said to Gemini before its session is opened anew is answered there', async () => {
  upstream.serve(geminiVoice())
  const call = await begin({ provider: geminiRealtime({ baseUrl: upstream.url }) })
  speak(call)
  await until(() => call.types().includes('input_audio_buffer.committed'))
  respond(call, { instructions: 'کوتاه بگو' })
  await until(() => call.steps[0]?.done)
  const inputs = upstream.sessions.map(({ events }) =>
    events.flatMap((event) => Object.keys(event['realtimeInput'] ?? {})),
  )
  expect(inputs).toEqual([[], ['activityStart', 'audio', 'activityEnd']])
  await until(() => JSON.stringify(call.view.conversation.items[0]).includes('سلام'))
})

test('an upstream that is away ends nothing but the start, and costs nothing', async () => {
  upstream.refuse({ status: 503, body: {} })
  const call = await begin({ start: false })
  await expect(call.engine.start()).rejects.toBeInstanceOf(Failure)
  expect(call.steps).toEqual([])
})

const detection: TurnDetection = {
  type: 'semantic_vad',
  silenceMs: undefined,
  prefixMs: 300,
  threshold: 0.5,
  createResponse: true,
  interruptResponse: true,
  idleMs: undefined,
}

/** Silence, the words, and more silence than a turn needs to end; answers how long the words are, in ms. */
async function sayTo(call: TestCall, words: string, beforeMs = 1_000): Promise<number> {
  const { samples, stretches } = await spoken(words, { beforeMs })
  for (let at = 0; at + 320 <= samples.length; at += 320) {
    call.engine.frame(samples.subarray(at, at + 320))
    // Words into the answer are judged behind the frame that they are heard in.
    await Promise.resolve()
  }
  return stretches.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0)
}

const sentMs = (session = upstream.sessions[0]!): number =>
  session.events
    .filter(({ type }) => type === 'input_audio_buffer.append')
    .reduce((sum, { audio }) => sum + Buffer.from(String(audio), 'base64').length / 48, 0)

test.skipIf(!hasEspeak)(
  'what is spoken goes out from before it was heard, without the silence around it; its answer is reserved meanwhile',
  async () => {
    upstream.serve(openAiVoice())
    const call = await begin({ turnDetection: detection })
    const spokenMs = await sayTo(call, 'سلام، امروز هوا چطور است؟', 3_000)
    expect(call.reserved).toEqual([worst])
    await until(() => call.steps[0]?.done)
    expect(call.types().filter((type) => type.startsWith('input_audio_buffer'))).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
    ])
    // 300 ms before, and 700 of silence without words to go by.
    expect(sentMs()).toBeGreaterThan(spokenMs * 0.7)
    expect(sentMs()).toBeLessThan(spokenMs + 1_300)
    const types = upstream.sessions[0]!.events.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['input_audio_buffer.commit', 'response.create'])
  },
)

test.skipIf(!hasEspeak)(
  'who speaks into the answer for half a second interrupts it, and is answered',
  async () => {
    upstream.serve(openAiVoice())
    const call = await begin({ turnDetection: detection })
    await sayTo(call, 'سلام، امروز هوا چطور است؟')
    await until(() => call.said > 0 && call.steps[0]?.done)
    await sayTo(call, 'صبر کن، فردا را می‌خواهم بدانم نه امروز را')
    await until(() => call.steps[1]?.done)
    expect(lastDone(call)).toBeDefined()
    const dones = call.events.filter(({ type }) => type === 'response.done')
    expect(dones[0]).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' } },
    })
    expect(
      upstream.sessions[0]!.events.filter(({ type }) => type === 'conversation.item.truncate'),
    ).toHaveLength(1)
    expect(responses()).toBe(2)
  },
)
