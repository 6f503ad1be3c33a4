import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fail } from '#platform/errors'
import '#platform/http'
import '#platform/ledger'
import { openLog } from '#platform/log'
import { freshSettings } from './events/session-update.ts'
import type {
  CallEngine,
  CallMoney,
  CallView,
  EndReason,
  RealtimeEvent,
  Speaker,
  Transport,
} from './parts.ts'
import { CallSession, maxEarlyEvents, maxUnknownEvents, type SessionOptions } from './session.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => vi.useRealTimers())

/** A call whose other parts only log what they receive. */
function call(more: Partial<SessionOptions> & { start?: () => Promise<void> } = {}) {
  const sent: RealtimeEvent[] = []
  const log: string[] = []
  let view: CallView | undefined
  let play: Transport['play'] | undefined
  let isPlaying = false
  const money = { spent: 0n, held: 5_000_000n } as CallMoney & { spent: bigint }
  const engine: CallEngine = {
    start: more.start ?? (() => Promise.resolve()),
    frame: () => log.push('frame'),
    event(event) {
      if (event.type === 'input_audio_buffer.commit')
        fail('INVALID_REQUEST', { why: { en: 'no sound yet.', fa: 'هنوز صدایی نیست.' } })
      if (event.type === 'output_audio_buffer.clear') isPlaying = false
      log.push(event.type)
    },
    changed: () => log.push('changed'),
    notify: (notice) => log.push(`say ${notice}`),
    stop: async () => void log.push('stopped'),
  }
  const speaker: Speaker = {
    say: () => true,
    waitForRoom: () => Promise.resolve(),
    finish: () => Promise.resolve(),
    duck: () => undefined,
    unduck: () => undefined,
    cut: () => undefined,
    get isPlaying() {
      return isPlaying
    },
  }
  const session = new CallSession({
    callId: '0193d3c0-0000-7000-8000-000000000001',
    settings: freshSettings('realtime', 'sandbox/realtime'),
    ignored: [],
    transcriptionModel: () => undefined,
    language: 'en',
    clock: { nowMs: () => Date.now() },
    log: openLog('silent'),
    idleMs: 60_000,
    expiresAtMs: Date.now() + 1_800_000,
    transport: {
      kind: 'websocket',
      play: (_frame, itemId) => log.push(`played ${itemId}`),
      send: (event) => sent.push(structuredClone(event)),
      end: (reason) => log.push(`transport ${reason}`),
    },
    money,
    openSound(given) {
      play = given
      return { speaker, [Symbol.dispose]: () => log.push('silent') }
    },
    openEngine(given) {
      view = given
      return engine
    },
    settle: async (reason: EndReason, turns: number) => void log.push(`settled ${reason} ${turns}`),
    ...more,
  })
  const types = () => sent.map(({ type }) => type)
  const last = () => sent.at(-1) as RealtimeEvent & { error: Record<string, unknown> }
  return {
    ...{ session, sent, log, types, last, money },
    view: () => view!,
    /** Plays this much of an item; the last of its sound is still on its way. */
    playMs(itemId: string, ms: number) {
      isPlaying = true
      for (let at = 0; at < ms; at += 20) play!(new Float32Array(480), itemId)
    },
  }
}

async function running(more: Parameters<typeof call>[0] = {}) {
  const parts = call(more)
  await parts.session.start()
  parts.sent.length = 0
  return parts
}

test('a call says what its session is, and every update is answered with the whole of it', async () => {
  const { session, sent, log } = call()
  await session.start()
  expect(sent).toMatchObject([
    {
      type: 'session.created',
      event_id: expect.stringMatching(/^event_/),
      session: { object: 'realtime.session', type: 'realtime', model: 'sandbox/realtime' },
    },
  ])
  for (const instructions of ['کوتاه', 'کوتاه'])
    session.event({ type: 'session.update', session: { instructions, tracing: 'auto' } })
  expect(sent.slice(1)).toMatchObject(
    Array(2).fill({
      type: 'session.updated',
      session: { instructions: 'کوتاه', kherad: { ignored: ['session.tracing'] } },
    }),
  )
  expect(session.session.instructions).toBe('کوتاه')
  expect(log).toEqual(['changed', 'changed'])
})

test('events that come before the engine listens wait for it in their order, and a flood of them ends the call', async () => {
  const listening = Promise.withResolvers<void>()
  const { session, types, log } = call({ start: () => listening.promise })
  const started = session.start()
  session.event({ type: 'session.update', session: { instructions: 'a' } })
  session.event({ type: 'response.create' })
  session.frame(new Float32Array(320))
  expect(types()).toEqual(['session.created'])
  listening.resolve()
  await started
  expect(types()).toEqual(['session.created', 'session.updated'])
  expect(log).toEqual(['changed', 'response.create'])

  const flooded = call({ start: () => new Promise(() => undefined) })
  void flooded.session.start()
  for (let at = 0; at < maxEarlyEvents; at++) flooded.session.event({ type: 'response.create' })
  expect(flooded.session.signal.aborted).toBe(false)
  flooded.session.event({ type: 'response.create' })
  await flooded.session.ended
  expect(flooded.log).toEqual(['transport failed', 'stopped', 'silent', 'settled failed 0'])
})

test('an engine that cannot start ends the call as failed, and as one without credits where it is refused payment', async () => {
  const broken = call({ start: () => Promise.reject(new Error('secret words')) })
  await broken.session.start()
  await broken.session.ended
  expect(broken.log).toContain('settled failed 0')
  expect(JSON.stringify(broken.sent)).not.toContain('secret words')
  expect(broken.types()).toEqual(['session.created', 'error', 'kherad.ending'])
  const poor = call({
    start: async () => fail('INSUFFICIENT_CREDITS', { needMicrocredits: 2n, haveMicrocredits: 1n }),
  })
  await poor.session.start()
  await poor.session.ended
  expect(poor.log).toContain('settled credits 0')
})

test('an event that is refused names itself, by whomever it is refused, and the call goes on', async () => {
  const { session, last, log } = await running()
  session.event({ type: 'conversation.item.retrieve', item_id: 'nobody', event_id: 'e1' })
  expect(last().error).toMatchObject({ code: 'ITEM_NOT_FOUND', event_id: 'e1', param: 'item_id' })
  session.event({ type: 'input_audio_buffer.commit', event_id: 'e2' })
  expect(last().error).toMatchObject({ code: 'INVALID_REQUEST', event_id: 'e2' })
  session.event({ type: 'input_audio_buffer.append', audio: 'AAAA', event_id: 'e3' })
  expect(last().error).toMatchObject({ code: 'INVALID_REQUEST', event_id: 'e3' })
  session.event({ type: 'session.update', session: { speed: 1, max_output_tokens: 0, instructions: 'x' } })
  expect(last().error).toMatchObject({ param: 'session.max_output_tokens', event_id: null })
  expect(session.session.instructions).toBe('')
  session.unreadable()
  expect(last().error).toMatchObject({ code: 'INVALID_REQUEST' })
  session.event({ type: 'response.cancel' })
  expect(log).toEqual(['response.cancel'])
})

test('the hundredth event of an unknown type ends the call', async () => {
  const { session, last, log } = await running()
  for (let at = 1; at < maxUnknownEvents; at++) session.event({ type: 'response.audio.delta' })
  expect(last().error['code']).toBe('UNKNOWN_EVENT')
  expect(session.signal.aborted).toBe(false)
  session.event({ type: 'input_text.something' })
  await session.ended
  expect(log).toContain('settled failed 0')
})

test('items are created where the client says, shown, deleted, and each id is there once', async () => {
  const { session, sent, last, log } = await running()
  const item = (id: string) => ({
    ...{ id, type: 'message', role: 'user' },
    content: [{ type: 'input_text', text: 'سلام' }],
  })
  session.event({ type: 'conversation.item.create', item: item('a') })
  session.event({ type: 'conversation.item.create', item: item('b'), previous_item_id: 'root' })
  expect(sent.map(({ type, previous_item_id }) => [type, previous_item_id])).toEqual([
    ['conversation.item.added', null],
    ['conversation.item.done', null],
    ['conversation.item.added', null],
    ['conversation.item.done', null],
  ])
  expect(session.conversation.items.map(({ id }) => id)).toEqual(['b', 'a'])
  session.event({ type: 'conversation.item.create', item: item('a') })
  expect(last().error).toMatchObject({ param: 'item.id' })
  session.event({ type: 'conversation.item.create', item: item('c'), previous_item_id: 'nobody' })
  expect(last().error).toMatchObject({ code: 'ITEM_NOT_FOUND', param: 'previous_item_id' })
  session.event({ type: 'conversation.item.retrieve', item_id: 'a' })
  expect(last()).toMatchObject({
    type: 'conversation.item.retrieved',
    item: { object: 'realtime.item', id: 'a' },
  })
  session.event({ type: 'conversation.item.delete', item_id: 'a' })
  expect(last()).toMatchObject({ type: 'conversation.item.deleted', item_id: 'a' })
  expect(log).toEqual(['changed', 'changed', 'changed'])
})

test('what the client cuts is silent at once, and its words end where it was heard to', async () => {
  const { session, last, log, view, playMs } = await running()
  view().conversation.add({
    ...{ id: 'a', type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_audio', transcript: 'یک دو سه چهار پنج' }],
  })
  playMs('a', 1_000)
  log.length = 0
  session.event({ type: 'conversation.item.truncate', item_id: 'a', content_index: 0, audio_end_ms: 450 })
  expect(log).toEqual(['output_audio_buffer.clear', 'changed'])
  expect(last()).toMatchObject({ type: 'conversation.item.truncated', item_id: 'a', audio_end_ms: 450 })
  expect(session.conversation.get('a')!.content).toEqual([{ type: 'output_audio', transcript: 'یک دو' }])
  session.event({ type: 'conversation.item.truncate', item_id: 'a', content_index: 0, audio_end_ms: 90_000 })
  expect(last()).toMatchObject({ audio_end_ms: 450 })
  expect(session.conversation.get('a')!.content).toEqual([{ type: 'output_audio', transcript: 'یک دو' }])
  session.event({ type: 'conversation.item.truncate', item_id: 'a', content_index: 1, audio_end_ms: 0 })
  expect(last().error).toMatchObject({ param: 'item_id' })
})

test('a voice stays as soon as it was heard', async () => {
  const { session, last, playMs } = await running()
  const voice = (name: string) =>
    session.event({ type: 'session.update', session: { audio: { output: { voice: name } } } })
  voice('nava')
  playMs('a', 20)
  voice('other')
  expect(session.session.voice).toBe('nava')
  expect(last()['session']).toMatchObject({ kherad: { ignored: ['session.audio.output.voice'] } })
})

test('a call in which nobody speaks for its idle time ends then, and neither speech nor an answer is idle', async () => {
  const { session, log, view, playMs } = await running({ idleMs: 10_000 })
  vi.advanceTimersByTime(9_000)
  view().emit({ type: 'input_audio_buffer.speech_started' })
  vi.advanceTimersByTime(60_000)
  view().emit({ type: 'input_audio_buffer.speech_stopped' })
  vi.advanceTimersByTime(9_000)
  playMs('a', 20)
  vi.advanceTimersByTime(9_000)
  session.event({ type: 'response.create' })
  vi.advanceTimersByTime(9_000)
  expect(session.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1_000)
  await session.ended
  expect(log.at(-1)).toBe('settled idle 0')
})

test('a call is told 15 seconds before its time is over, once, and ends when it is', async () => {
  const { session, sent, view, log } = await running({ idleMs: 600_000, expiresAtMs: Date.now() + 60_000 })
  vi.advanceTimersByTime(44_000)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(sent).toMatchObject([{ type: 'kherad.ending', reason: 'expired', seconds: 15 }])
  expect(log).toEqual(['say expired'])
  vi.advanceTimersByTime(14_000)
  view().emit({ type: 'response.created' })
  expect(sent).toHaveLength(2)
  vi.advanceTimersByTime(1_000)
  await session.ended
  expect(sent.at(-1)).toMatchObject({ type: 'kherad.ending', reason: 'expired', seconds: 0 })
})

test('what a call has cost is told within a second, and a warning at once', async () => {
  const { session, sent, money, log } = await running()
  vi.advanceTimersByTime(3_000)
  expect(sent).toEqual([])
  money.spent = 1_500_000n
  vi.advanceTimersByTime(3_000)
  expect(sent).toEqual([{ type: 'kherad.credits', event_id: expect.any(String), held: 5, spent: 1.5 }])
  session.warn()
  expect(sent[1]).toMatchObject({ type: 'kherad.credits', warning: true, held: 5, spent: 1.5 })
  expect(log).toEqual(['say credits'])
})

test('a call ends once, for the first reason, and is settled behind its engine; afterwards nothing is said or heard', async () => {
  const { session, sent, log, view, playMs } = await running()
  view().emit({ type: 'response.created' })
  session.end('client')
  session.gone()
  session.event({ type: 'response.create' })
  session.frame(new Float32Array(320))
  view().emit({ type: 'response.done' })
  playMs('a', 20)
  await session.ended
  expect(session.signal.aborted).toBe(true)
  expect(log).toEqual(['transport client', 'stopped', 'silent', 'settled client 1'])
  expect(sent.map(({ type }) => type)).toEqual(['response.created', 'kherad.ending'])
  expect(vi.getTimerCount()).toBe(0)
})
