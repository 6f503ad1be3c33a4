import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { generated } from '../harness/parts.ts'
import { somePlaces } from '../harness/seed.ts'
import { cut, fakeUpstream, json, type Step, stall, stream } from '../harness/upstream.ts'
import {
  callOf,
  chatTurn,
  type Event,
  eventsOf,
  finishOf,
  hear,
  meaningOf,
  patient,
  sse,
  textOf,
  toolCallsOf,
  usageOf,
} from './asking.ts'
import {
  ended,
  hearScript,
  input,
  messagesOf,
  messagesTurn,
  opened,
  over,
  ping,
  started,
  stopped,
  streamOf,
  text,
  transcripts,
} from './messages-wire.ts'

const bytesOf = (events: readonly Event[]): Buffer => Buffer.from(events.map(sse).join(''))

test.each(transcripts)(
  '$name: the parts are reported, and every event rides on them',
  async ({ events, parts }) => {
    const heard = await hearScript(streamOf(events))
    expect(heard.error).toBeUndefined()
    expect(meaningOf(heard.parts)).toEqual(parts)
    const rode = events.filter(({ type }) => type !== 'ping')
    expect(eventsOf(heard.parts).map((event) => JSON.stringify(event))).toEqual(
      rode.map((event) => JSON.stringify(event)),
    )
  },
)

test.each(transcripts)('$name: split at any byte, it means the same', async ({ events }) => {
  const bytes = bytesOf(events)
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream)
  upstream.reply(stream([bytes]))
  const whole = await hear(provider, callOf(messagesTurn()))
  // The two halves leave in turns of their own, or the sockets would join them.
  const pause: Step = () => turnOfLoop().then(() => turnOfLoop())
  upstream.reply((call) => {
    const position = Number(call.body?.['top_k'])
    return stream([bytes.subarray(0, position), pause, bytes.subarray(position)])
  })
  const places = somePlaces(bytes.length)
  for (let from = 0; from < places.length; from += 32) {
    const positions = places.slice(from, from + 32)
    const heard = await Promise.all(
      positions.map((position) => hear(provider, callOf(messagesTurn({ top_k: position })))),
    )
    expect(heard.find((one) => JSON.stringify(one) !== JSON.stringify(whole))).toBeUndefined()
  }
})

test.each(transcripts)('$name: byte by byte it means the same', async ({ events, parts }) => {
  const bytes = [...bytesOf(events)].map((byte) => Uint8Array.of(byte))
  const heard = await hearScript(stream(bytes))
  expect(meaningOf(heard.parts)).toEqual(parts)
})

test.each(transcripts)(
  '$name: what breaks it off between two events is reported, after what was written',
  async ({ events }) => {
    const broken: Event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const endings: [string, (Event | Step)[], string][] = [
      ['a cut', [cut], 'cut'],
      ['an end', [], 'cut'],
      ['an error', [broken], 'overloaded'],
    ]
    const whole = meaningOf((await hearScript(streamOf(events))).parts)
    const finish = events.findIndex(({ type }) => type === 'message_delta')
    for (const [what, tail, fault] of endings) {
      for (let kept = 0; kept < events.length; kept += 1) {
        const { parts, error } = await hearScript(streamOf([...events.slice(0, kept), ...tail]))
        const where = `${what} after ${kept} events`
        if (kept > finish && what !== 'an error') {
          expect(error, where).toBeUndefined()
          expect(meaningOf(parts), where).toEqual(whole)
          continue
        }
        expect(error, where).toMatchObject({ fault, executed: true })
        const usage = parts.filter(({ type }) => type === 'usage')
        const written = meaningOf(parts.filter(({ type }) => type !== 'usage'))
        expect(written, where).toEqual(whole.slice(0, written.length))
        expect(eventsOf(parts), where).toEqual(events.slice(0, kept).filter(({ type }) => type !== 'ping'))
        // The prompt was counted with the beginning, the answer only with its finish.
        expect(usage.length, where).toBe(kept > 0 ? 1 : 0)
        if (kept > 0 && kept <= finish) expect(usage[0], where).toMatchObject({ promptOnly: true })
        if (kept > finish) expect(usage[0], where).not.toHaveProperty('promptOnly')
      }
    }
  },
)

test('a connection that is reset in mid-answer is a cut, and the prompt that was counted is reported', async () => {
  const { parts, error } = await hearScript(
    streamOf([started({ input_tokens: 3, cache_read_input_tokens: 50 }), opened(0, { type: 'text' }), cut]),
  )
  expect(error).toMatchObject({ fault: 'cut', executed: true })
  expect(parts.at(-1)).toMatchObject({
    type: 'usage',
    promptOnly: true,
    usage: { input: 53, cachedInput: 50, output: 0 },
  })
})

test.each<[Record<string, unknown>, string]>([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
  [{ type: 'rate_limit_error', message: 'slow down' }, 'rate_limited'],
  [{ type: 'api_error', message: 'Internal server error' }, 'unavailable'],
  [{ type: 'timeout_error', message: 'too slow' }, 'timeout'],
  [{ type: 'authentication_error', message: 'no' }, 'authentication'],
  [{ type: 'billing_error', message: 'no money' }, 'authentication'],
  [{ type: 'not_found_error', message: 'model: claude-9' }, 'not_found'],
  [{ type: 'invalid_request_error', message: 'top_k: no' }, 'invalid_request'],
  [
    { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
    'context_overflow',
  ],
  [
    { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
    'content_refused',
  ],
])('the error event %j is %s', async (error, fault) => {
  const envelope = sse({ type: 'error', error, request_id: 'req_1' })
  const bare = `event: error\ndata: ${JSON.stringify(error)}\n\n`
  const nameless = `data: ${JSON.stringify({ error })}\n\n`
  for (const told of [envelope, bare, nameless]) {
    const heard = await hearScript(streamOf([started(), told]))
    expect(heard.error).toMatchObject({ fault, executed: true, detail: error['message'] })
  }
})

test.each<[number, Record<string, unknown>, string, boolean]>([
  [400, { type: 'invalid_request_error', message: 'messages: at least one' }, 'invalid_request', false],
  [400, { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' }, 'context_overflow', false],
  [
    400,
    { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
    'authentication',
    false,
  ],
  [
    400,
    { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
    'content_refused',
    false,
  ],
  [401, { type: 'authentication_error', message: 'invalid x-api-key' }, 'authentication', false],
  [402, { type: 'billing_error', message: 'no' }, 'authentication', false],
  [403, { type: 'permission_error', message: 'no' }, 'authentication', false],
  [404, { type: 'not_found_error', message: 'model: claude-9' }, 'not_found', false],
  [413, { type: 'request_too_large', message: 'too large' }, 'invalid_request', false],
  [429, { type: 'rate_limit_error', message: 'slow down' }, 'rate_limited', false],
  [500, { type: 'api_error', message: 'Internal server error' }, 'unavailable', true],
  [504, { type: 'timeout_error', message: 'too slow' }, 'timeout', true],
  [529, { type: 'overloaded_error', message: 'Overloaded' }, 'overloaded', false],
])('status %i with %j is %s', async (status, error, fault, executed) => {
  const heard = await hearScript(json(status, { type: 'error', error }))
  expect(heard.error).toMatchObject({ fault, status, executed, detail: error['message'] })
  expect(heard.parts).toEqual([])
})

test('the key is never disclosed, whichever header it went out in', async () => {
  const { error } = await hearScript(
    json(401, { type: 'error', error: { type: 'authentication_error', message: 'bad sk-ant-abcdefgh' } }),
  )
  expect(error?.detail).not.toContain('abcdefgh')
})

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'stop'],
  ['refusal', 'content_filter'],
  ['pause_turn', 'pause'],
  ['something_new', 'stop'],
])('the stop reason %s of an answer without a call is %s', async (said, meant) => {
  const { parts } = await hearScript(streamOf([started(), ended(said), over]))
  expect(finishOf(parts)).toEqual([meant])
})

test('gateways may name the type only in the event, leave blocks open, send a call whole or end it as a turn', async () => {
  const nameless = (event: Event) =>
    sse(event).replace(JSON.stringify(event), JSON.stringify({ ...event, type: undefined }))
  const call = { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }
  const { parts, error } = await hearScript(
    streamOf([started(), opened(0, call), ended('end_turn'), over].map(nameless)),
  )
  expect(error).toBeUndefined()
  expect(toolCallsOf(parts)).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }])
  expect(finishOf(parts)).toEqual(['tool_calls'])
})

test('an answer without its beginning begins all the same, and finishes once', async () => {
  const { parts } = await hearScript(
    streamOf([text(0, 'a'), ended('end_turn'), ended('end_turn', { output_tokens: 11 }), over]),
  )
  expect(meaningOf(parts).map(({ type }) => type)).toEqual(['start', 'text', 'finish', 'usage'])
  expect(usageOf(parts)[0]).toMatchObject({ input: 0, output: 11 })
})

test('a call without an id gets one, and two of them get two', async () => {
  const call = { type: 'tool_use', name: 'f', input: {} }
  const events = [opened(0, call), stopped(0), opened(1, call), input(1, '{}'), stopped(1)]
  const { parts } = await hearScript(streamOf([started(), ...events, ended('tool_use'), over]))
  const ids = toolCallsOf(parts).map(({ id }) => id)
  expect(ids.every((id) => /^toolu_[0-9a-f]{24}$/.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(2)
})

test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, number>]>([
  ['the prompt grows', { input_tokens: 5 }, { input_tokens: 25, output_tokens: 2 }, { input: 25, output: 2 }],
  [
    'the prompt is known only in the end',
    { input_tokens: 0, output_tokens: 0 },
    { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 2 },
    { input: 12, cachedInput: 7 },
  ],
  [
    'the end counts no prompt',
    { input_tokens: 5, cache_read_input_tokens: 7 },
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 },
    { input: 12, cachedInput: 7 },
  ],
  [
    'an early guess without the cache',
    { input_tokens: 100 },
    { input_tokens: 20, cache_creation_input_tokens: 80, output_tokens: 2 },
    { input: 100, cacheWriteInput: 80 },
  ],
  [
    'what was written to the cache is told by its time alone',
    { input_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 } },
    { output_tokens: 2 },
    { input: 8, cacheWriteInput: 3, cacheWriteHourInput: 2 },
  ],
  [
    'a compaction is counted beside the answer',
    { input_tokens: 5 },
    {
      output_tokens: 2,
      iterations: [
        { type: 'compaction', input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 30 },
        { type: 'message', input_tokens: 5, output_tokens: 2 },
      ],
    },
    { input: 105, cachedInput: 10, output: 32 },
  ],
])('usage: %s', async (_, first, last, meant) => {
  const { parts } = await hearScript(streamOf([started(first), ended('end_turn', last), over]))
  expect(usageOf(parts)).toHaveLength(1)
  expect(usageOf(parts)[0]).toMatchObject(meant)
})

test.each([
  ['nothing', undefined, 2],
  ['zero', { web_search_requests: 0 }, 2],
  ['a word', { web_search_requests: 'two' }, 2],
  ['one', { web_search_requests: 1 }, 1],
])(
  'searches of the upstream whose results were seen are counted where it counts %s',
  async (_, tools, searches) => {
    const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 's', content })
    const failed = result({ type: 'web_search_tool_result_error', error_code: 'unavailable' })
    const last = { output_tokens: 2, ...(tools && { server_tool_use: tools }) }
    const { parts } = await hearScript(
      streamOf([
        started(),
        opened(0, result([])),
        opened(1, result([])),
        opened(2, failed),
        ended('end_turn', last),
        over,
      ]),
    )
    expect(usageOf(parts)[0]).toMatchObject({ webSearches: searches })
  },
)

test('a report of zero for an answer that exists is no report', async () => {
  const nothing = { input_tokens: 0, output_tokens: 0 }
  const { parts } = await hearScript(
    streamOf([started(nothing), text(0, 'a'), ended('end_turn', nothing), over]),
  )
  expect(usageOf(parts)).toEqual([])
})

test('one malformed event is skipped, several are malformed', async () => {
  const one = await hearScript(
    streamOf([started(), text(0, 'a'), 'data: {"type":\n\n', text(0, 'b'), ended('end_turn'), over]),
  )
  expect(one.error).toBeUndefined()
  expect(textOf(one.parts)).toBe('ab')
  const several = await hearScript(streamOf([started(), 'data: {\n\n', 'data: {\n\n', text(0, 'b'), over]))
  expect(several.error?.fault).toBe('malformed')
  const only = await hearScript(streamOf(['data: <html>\n\n']))
  expect(only.error?.fault).toBe('malformed')
})

test('pings do not stand in for the first token', async () => {
  const beats = Array.from({ length: 500 }, (): (Event | Step)[] => [() => later(5), ping]).flat()
  const { error } = await hearScript(streamOf([started(), ...beats]), { ...patient, firstTokenMs: 100 })
  expect(error?.detail).toContain('first token')
})

test('pings are a sign of life once the model thinks; without them it is silent', async () => {
  const thinking = opened(0, { type: 'thinking', thinking: '' })
  const beats = Array.from({ length: 10 }, (): (Event | Step)[] => [() => later(30), ping]).flat()
  const patience = { ...patient, idleMs: 150 }
  const alive = await hearScript(
    streamOf([started(), thinking, ...beats, stopped(0), text(1, 'done'), ended('end_turn'), over]),
    patience,
  )
  expect(alive.error).toBeUndefined()
  expect(textOf(alive.parts)).toBe('done')
  const silent = await hearScript(streamOf([started(), thinking, stall]), patience)
  expect(silent.error).toMatchObject({ fault: 'timeout', executed: true })
  expect(silent.error?.detail).toContain('silence')
})

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('after the finish a lingering upstream is not waited for until it fails', async () => {
  const { error, parts } = await hearScript(streamOf([started(), text(0, 'a'), ended('end_turn'), stall]), {
    ...patient,
    idleMs: 60,
  })
  expect(error).toBeUndefined()
  expect(finishOf(parts)).toEqual(['stop'])
})

test('levels without an end in an event are the model’s inside the arguments of a call, and elsewhere the fault of its server', async () => {
  const lists = `${'['.repeat(600)}${']'.repeat(600)}`
  const faultOf = async (event: string) => (await hearScript(stream([`data: ${event}\n\n`]))).error
  const call = `{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":${lists}}}`
  expect(await faultOf(`{"type":"content_block_start","index":0,"content_block":${call}}`)).toMatchObject({
    fault: 'malformed',
    byModel: true,
  })
  expect(await faultOf(`{"type":"message_start","message":${lists}}`)).toMatchObject({
    fault: 'malformed',
    byModel: false,
  })
})

const wholeAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-upstream',
  content: [
    { type: 'thinking', thinking: 'let me see', signature: 'EqQB==' },
    { type: 'redacted_thinking', data: 'EmwK==' },
    { type: 'redacted_thinking' },
    { type: 'redacted_thinking', data: '' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
    { type: 'text', text: 'I know: ' },
    {
      type: 'text',
      text: 'so',
      citations: [
        { type: 'web_search_result_location', url: 'https://example.org/a', title: null },
        { type: 'char_location', cited_text: 'x', document_index: 0 },
      ],
    },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'شیراز' } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 9 },
}

test('an answer that is not streamed gives the same parts, and the whole body rides on the first', async () => {
  const { parts, error } = await hearScript(
    json(200, wholeAnswer),
    patient,
    messagesTurn({}, { stream: false }),
  )
  expect(error).toBeUndefined()
  const expected: AnswerPart[] = [
    { type: 'start', upstreamId: 'msg_1', upstreamModel: 'claude-upstream' },
    { type: 'reasoning', text: 'let me see' },
    { type: 'reasoning-end', opaque: { wire: 'messages', signature: 'EqQB==' } },
    { type: 'reasoning-end', opaque: { wire: 'messages', data: 'EmwK==' } },
    { type: 'text', text: 'I know: ' },
    { type: 'text', text: 'so' },
    {
      type: 'citation',
      citation: { url: 'https://example.org/a', title: 'https://example.org/a', start: 8, end: 10 },
    },
    { type: 'tool-call', index: 0, id: 'toolu_1', name: 'weather' },
    { type: 'tool-arguments', index: 0, delta: '{"city":"شیراز"}' },
    { type: 'tool-call', index: 1, id: 'toolu_2', name: 'now' },
    { type: 'tool-arguments', index: 1, delta: '{}' },
    { type: 'finish', reason: 'tool_calls' },
  ]
  expect(meaningOf(parts).slice(0, -1)).toEqual(expected)
  expect(usageOf(parts)[0]).toMatchObject({ input: 12, output: 9 })
  expect(parts[0]?.extra).toEqual({ wire: 'messages', body: wholeAnswer })
  expect(parts.slice(1).some(({ extra }) => extra)).toBe(false)
})

test('an error in a 200 answer, one without content, one without a stop reason and one that is not JSON are failures', async () => {
  const error = { type: 'error', error: { type: 'api_error', message: 'crashed' } }
  const faultOf = async (body: unknown) => (await hearScript(json(200, body))).error
  expect(await faultOf(error)).toMatchObject({ fault: 'unavailable', executed: true })
  expect((await faultOf({ type: 'message' }))?.fault).toBe('malformed')
  expect((await faultOf({ ...wholeAnswer, stop_reason: null }))?.fault).toBe('cut')
  expect((await faultOf('hello'))?.fault).toBe('malformed')
  expect(await faultOf([])).toBeInstanceOf(UpstreamError)
})

test('an upstream that ignores the wish to stream, or streams unasked, is understood', async () => {
  expect(textOf((await hearScript(json(200, wholeAnswer))).parts)).toBe('I know: so')
  const streamed = streamOf([started(), text(0, 'pieces'), ended('end_turn'), over])
  expect(textOf((await hearScript(streamed, patient, messagesTurn({}, { stream: false }))).parts)).toBe(
    'pieces',
  )
})

test('aborting in mid-stream ends the upstream call, and what was counted is reported', async () => {
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream)
  upstream.reply(streamOf([started(), text(0, 'a'), stall]))
  const caller = new AbortController()
  const parts: AnswerPart[] = []
  const error = await (async () => {
    for await (const part of generated(provider, callOf(chatTurn()), caller.signal)) {
      parts.push(part)
      if (part.type === 'text') caller.abort()
    }
  })().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ fault: 'aborted', executed: true })
  expect(parts.at(-1)).toMatchObject({ type: 'usage', promptOnly: true, usage: { input: 12 } })
  await (await upstream.call(0)).whenAborted
})
