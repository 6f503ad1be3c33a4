/** Streams of the responses wire: every event is validated, and the final response equals the non-streamed one to the last member. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chunk, cut, done, stream } from '../harness/upstream.ts'
import { recover } from './chat-world.ts'
import { eventsIn, type Json, lasting, responseIn } from './responses-oracle.ts'
import { bootOnWires, type ResponsesWorld, respond, weather } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await bootOnWires('chat', { timing: { streamOpenMs: 30, streamHeartbeatMs: 40 } })
})
afterEach(() => recover(at))
afterAll(() => at[Symbol.asyncDispose]())

const clock = { type: 'function', name: 'get_time', parameters: { type: 'object', properties: {} } }
const person = {
  format: {
    type: 'json_schema',
    name: 'person',
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  verbosity: 'low',
}

const asks: [string, Record<string, unknown>][] = [
  ['text of an upstream', { model: 'test/model' }],
  ['text of the sandbox', { model: 'sandbox/fast', instructions: 'Be brief.' }],
  [
    'several calls',
    { model: 'sandbox/fast', tools: [weather, clock], input: 'weather in Paris and in Tehran' },
  ],
  ['a call without parameters', { model: 'sandbox/fast', tools: [clock], tool_choice: 'required' }],
  ['JSON of a schema', { model: 'sandbox/fast', text: person, input: 'a person' }],
  ['hidden reasoning', { model: 'sandbox/reasoner', reasoning_effort: 'low' }],
  ['a summary of reasoning', { model: 'sandbox/reasoner', reasoning: { effort: 'low', summary: 'auto' } }],
  ['reasoning that is included', { model: 'sandbox/reasoner', include_reasoning: true }],
  [
    'reasoning before calls',
    { model: 'sandbox/reasoner', include_reasoning: true, tools: [weather], input: 'weather in Paris' },
  ],
  ['a refusal', { model: 'sandbox/fast', input: '[[sandbox: refuse]]' }],
  ['text that its limit cuts', { model: 'sandbox/fast', max_output_tokens: 2 }],
  [
    'calls that their limit cuts',
    {
      model: 'sandbox/fast',
      max_output_tokens: 9,
      tools: [weather],
      input: 'weather in Paris and in Tehran',
    },
  ],
  [
    'reasoning that its limit cuts',
    { model: 'sandbox/reasoner', max_output_tokens: 4, include_reasoning: true },
  ],
  ['what is empty', { model: 'sandbox/fast', input: '[[sandbox: tokens=0]]' }],
]

describe.each(asks)('%s', (_, ask) => {
  test('all keys, numbers, places, nesting and the last event are as the wire has them', async () => {
    eventsIn((await respond(at.key, { ...ask, stream: true })).text)
  })

  test('the stream ends with the very response that is the whole answer', async () => {
    const final = eventsIn((await respond(at.key, { ...ask, stream: true })).text).at(-1)?.['response']
    expect(lasting(responseIn(final))).toEqual(lasting(responseIn((await respond(at.key, ask)).body)))
  })
})

const typesOf = (events: Json[]): string[] => [...new Set(events.map(({ type }) => type))]

test('no event that the wire does not know is sent to who did not ask for it', async () => {
  const reasoner = { model: 'sandbox/reasoner', stream: true }
  const plain = eventsIn((await respond(at.key, reasoner)).text)
  expect(typesOf(plain).filter((type) => type.includes('reasoning'))).toEqual([])
  const summed = eventsIn((await respond(at.key, { ...reasoner, reasoning: { summary: 'auto' } })).text)
  expect(typesOf(summed)).toContain('response.reasoning_summary_text.delta')
  expect(typesOf(summed)).not.toContain('response.reasoning.delta')
})

test('response.reasoning.delta says what the summary says, beside it, when reasoning is included', async () => {
  const events = eventsIn(
    (await respond(at.key, { model: 'sandbox/reasoner', stream: true, include_reasoning: true })).text,
  )
  const textOf = (type: string): string =>
    events
      .filter((event) => event['type'] === type)
      .map(({ delta }) => delta)
      .join('')
  expect(textOf('response.reasoning.delta').length).toBeGreaterThan(0)
  expect(textOf('response.reasoning.delta')).toBe(textOf('response.reasoning_summary_text.delta'))
  const done = events.filter(({ type }) => type === 'response.reasoning.done')
  expect(done.map(({ text }) => text)).toEqual([textOf('response.reasoning.delta')])
})

test('calls that an upstream writes at the same time keep their own arguments', async () => {
  const piece = (index: number, more: object, text = '') =>
    chunk({
      tool_calls: [
        { index, ...more, function: { ...('id' in more && { name: 'get_weather' }), arguments: text } },
      ],
    })
  at.upstream.replyOnce(
    stream([
      piece(0, { id: 'call_a', type: 'function' }, '{"city":'),
      piece(1, { id: 'call_b', type: 'function' }, '{"city":"B'),
      piece(0, {}, '"A"}'),
      piece(1, {}, '"}'),
      chunk({}, 'tool_calls'),
      done,
    ]),
  )
  const events = eventsIn((await respond(at.key, { stream: true, tools: [weather] })).text)
  expect(events.at(-1)?.['response'].output).toMatchObject([
    { call_id: 'call_a', arguments: '{"city":"A"}', status: 'completed' },
    { call_id: 'call_b', arguments: '{"city":"B"}', status: 'completed' },
  ])
})

test('text after a call opens a message of its own', async () => {
  const call = {
    index: 0,
    id: 'call_a',
    type: 'function',
    function: { name: 'get_weather', arguments: '{}' },
  }
  at.upstream.replyOnce(
    stream([
      chunk({ content: 'Let me look.' }),
      chunk({ tool_calls: [call] }),
      chunk({ content: 'Done.' }),
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'Well.' }, 'stop'),
      done,
    ]),
  )
  const events = eventsIn(
    (await respond(at.key, { stream: true, tools: [weather], include_reasoning: true })).text,
  )
  const { output, output_text: text } = events.at(-1)?.['response'] ?? {}
  expect(output.map(({ type }: Json) => type)).toEqual([
    'message',
    'function_call',
    'message',
    'reasoning',
    'message',
  ])
  expect(text).toBe('Let me look.Done.Well.')
})

test('an upstream that dies ends as response.failed with code and message, after what it had said', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half of' }), cut]))
  const reply = await respond(at.key, { stream: true })
  expect(reply.status).toBe(200)
  const last = eventsIn(reply.text).at(-1)
  expect(last).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'UPSTREAM_FAILED', message: expect.stringMatching(/provider/) },
      usage: null,
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'half of' }] }],
    },
  })
})

test('a failure is told in Persian to who prefers it', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half of' }), cut]))
  const reply = await respond(at.key, { stream: true }, { 'accept-language': 'fa' })
  expect(eventsIn(reply.text).at(-1)?.['response'].error.message).toMatch(/[\u0600-\u06ff]/)
})

test('a long silence is bridged by comments, and one that then fails still begins with response.created', async () => {
  const release = Promise.withResolvers<void>()
  at.upstream.replyOnce(
    stream([release.promise, { error: { message: 'no', type: 'server_error', code: 400 } }]),
  )
  at.upstream.replyOnce(...Array.from({ length: 4 }, () => stream([{ error: { message: 'no' } }])))
  const response = await at.key.raw('POST', '/v1/responses', JSON.stringify({ input: 'x', stream: true }))
  let text = ''
  const reader = response.body!.pipeThrough(new TextDecoderStream())
  for await (const piece of reader) {
    text += piece
    if (text.split(': keepalive\n\n').length > 2) release.resolve()
  }
  expect(text.startsWith(': keepalive\n\n')).toBe(true)
  expect(eventsIn(text).map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.failed',
  ])
})

test('a stream has the headers that keep proxies from holding it back', async () => {
  const { headers } = await respond(at.key, { stream: true }, { 'accept-encoding': 'gzip' })
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.has('content-encoding')).toBe(false)
})
