/**
 * Servers of the Responses wire that leave out events: clients of the wire throw at what they send, or show nothing. Here it is completed, so that
 * OpenAI's client, the AI SDK, and callers of the other wires read the same.
 */
import { createOpenAI } from '@ai-sdk/openai'
import { jsonSchema, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cut, done, json, type Step, stream } from '../harness/upstream.ts'
import { chunksOf, contentOf, explained, requestIdOf } from '../text/chat-world.ts'
import { eventsIn, framed, type Json } from '../text/responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from '../text/responses-world.ts'

let at: ResponsesWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnWires('responses')
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const thought = {
  id: 'rs_up',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Let me see.' }],
  encrypted_content: 'sealed==',
}
const text = { type: 'output_text', text: 'سلام, all of you', annotations: [], logprobs: [] }
const said = { id: 'msg_up', type: 'message', role: 'assistant', status: 'completed', content: [text] }
const input = '{"city":"Yazd"}'
const called = {
  ...{ id: 'fc_up', type: 'function_call', call_id: 'call_1', name: 'get_weather' },
  ...{ arguments: input, status: 'completed' },
}
const output = [thought, said, called]
const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 29,
}
const response = { id: 'resp_up', object: 'response', status: 'completed', output, usage }
const early = { ...response, status: 'in_progress', output: [], usage: null }
const begun = ['created', 'in_progress'].map((step) => ({ type: `response.${step}`, response: early }))
const completed = (more: Json = {}) => ({ type: 'response.completed', response: { ...response, ...more } })

const textDeltas = (more: Json) =>
  ['سلام, ', 'all of', ' you'].map((delta) => ({
    type: 'response.output_text.delta',
    delta,
    logprobs: [],
    ...more,
  }))
const inputDeltas = (more: Json) =>
  ['{"city":', '"Yazd"}'].map((delta) => ({ type: 'response.function_call_arguments.delta', delta, ...more }))
const summaryDeltas = (more: Json) =>
  ['Let me', ' see.'].map((delta) => ({ type: 'response.reasoning_summary_text.delta', delta, ...more }))
const ended = output.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item }))
const opened = output.map((item, index) => ({
  type: 'response.output_item.added',
  output_index: index,
  item: { ...item, ...('content' in item && { content: [] }), ...('arguments' in item && { arguments: '' }) },
}))
const anonymous = output.map(({ id: _, ...item }) => item)

const streams: [string, Step[]][] = [
  ['its last event alone', [completed()]],
  ['its last event alone, with items that have neither ids nor a status', [completed({ output: anonymous })]],
  ['the event of another dialect at its end', [{ type: 'response.done', response }]],
  ['nothing but the events of its response', [...begun, completed()]],
  ['items that are done and were never added', [...begun, ...ended, completed()]],
  [
    'items that are done alone, and an empty output at its end',
    [...begun, ...ended, completed({ output: [] })],
  ],
  [
    'deltas of items that were never added',
    [
      ...begun,
      ...summaryDeltas({ item_id: 'rs_up', output_index: 0, summary_index: 0 }),
      ...textDeltas({ item_id: 'msg_up', output_index: 1, content_index: 0 }),
      ...inputDeltas({ item_id: 'fc_up', output_index: 2 }),
      completed(),
    ],
  ],
  [
    'deltas that name neither item nor place',
    [...summaryDeltas({}), ...textDeltas({}), ...inputDeltas({}), ...ended, completed()],
  ],
  [
    'ids that change from event to event',
    [
      ...begun,
      ...summaryDeltas({ output_index: 0, summary_index: 0 }),
      ...textDeltas({ output_index: 1, content_index: 0 }).map((event, index) => ({
        ...event,
        item_id: `msg_${index}`,
      })),
      completed(),
    ],
  ],
  [
    'items that are added, and neither their parts nor their ends',
    [
      ...begun,
      opened[0]!,
      opened[1]!,
      ...textDeltas({ item_id: 'msg_up', output_index: 1, content_index: 0 }).slice(0, 2),
      opened[2]!,
      ...inputDeltas({ item_id: 'fc_up', output_index: 2 }).slice(0, 1),
      completed(),
    ],
  ],
  [
    'a call that is added and ended with an object in place of its arguments',
    [
      ...begun,
      ...ended.slice(0, 2),
      opened[2]!,
      { ...ended[2]!, item: { ...called, arguments: JSON.parse(input) } },
      completed({ output: [thought, said, { ...called, arguments: JSON.parse(input) }] }),
    ],
  ],
  [
    'a call that is added, has its arguments, and ends without them',
    [
      ...begun,
      ...ended.slice(0, 2),
      opened[2]!,
      ...inputDeltas({ item_id: 'fc_up', output_index: 2 }),
      { ...ended[2]!, item: { ...called, arguments: undefined } },
      completed({ output: [thought, said, { ...called, arguments: undefined }] }),
    ],
  ],
  [
    'the name of a call after its arguments',
    [...begun, ...ended.slice(0, 2), ...inputDeltas({ output_index: 2 }), opened[2]!, ended[2]!, completed()],
  ],
]

const ask = { model: 'test/model', input: 'hello', tools: [weather] }

describe.each(streams)('a stream with %s', (_, steps) => {
  const script = stream([...steps, done])

  test('is read by OpenAI’s client as a whole one', async () => {
    at.upstream.replyOnce(script)
    const helper = client.responses.stream({ ...ask, reasoning: { summary: 'auto' } })
    const seen: Record<string, string> = {}
    for await (const event of helper)
      if ('delta' in event && typeof event.delta === 'string')
        seen[event.type] = (seen[event.type] ?? '') + event.delta
    expect(seen).toEqual({
      'response.reasoning_summary_text.delta': 'Let me see.',
      'response.output_text.delta': text.text,
      'response.function_call_arguments.delta': input,
    })
    const final = await helper.finalResponse()
    expect(final.output_text).toBe(text.text)
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: thought.summary, encrypted_content: 'sealed==' },
      { type: 'message', content: [text] },
      { type: 'function_call', name: 'get_weather', call_id: 'call_1', arguments: input },
    ])
  })

  test('has every event of the wire, in order, and costs what it says', async () => {
    at.upstream.replyOnce(script)
    const reply = await respond(at.key, { ...ask, stream: true, reasoning: { summary: 'auto' } })
    const events = eventsIn(reply.text)
    expect(JSON.stringify(events)).not.toContain('resp_up')
    expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe(String(20 * 1_000 + 9 * 2_000))
  })
})

test('the AI SDK and callers of chat read an answer that is its last event alone', async () => {
  at.upstream.reply(stream([completed(), done]))
  const provider = createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
  const answer = streamText({
    model: provider.responses('test/model'),
    prompt: 'hello',
    providerOptions: { openai: { store: false } },
    tools: { get_weather: tool({ inputSchema: jsonSchema<{ city: string }>(weather.parameters as object) }) },
  })
  const errors = (await Array.fromAsync(answer.fullStream)).filter(({ type }) => type === 'error')
  expect(errors).toEqual([])
  expect(await answer.text).toBe(text.text)
  expect(await answer.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Yazd' } }])
  const reply = await at.key.chat({ stream: true })
  expect(contentOf(chunksOf(reply.text))).toBe(text.text)
  expect(reply.text).toContain('call_1')
})

test('a refusal, a search and thoughts that are shown are completed too', async () => {
  const odd = [
    { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm hm' }] },
    { type: 'web_search_call', action: { type: 'search', query: 'a', queries: ['a'] } },
    { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] },
  ]
  at.upstream.replyOnce(stream([completed({ output: odd }), done]))
  const events = framed((await respond(at.key, { stream: true, include_reasoning: true })).text)
  const deltas = events.flatMap(({ type, delta }) => (delta === undefined ? [] : [[type, delta]]))
  expect(deltas).toEqual([
    ['response.reasoning_text.delta', 'hm hm'],
    ['response.reasoning.delta', 'hm hm'],
    ['response.refusal.delta', 'I will not.'],
  ])
  expect(events.filter(({ type }) => type.startsWith('response.web_search_call.'))).toHaveLength(3)
  expect(events.at(-1)?.['response'].output).toMatchObject(odd)
})

test('a whole answer is completed as a streamed one: ids, a status, and arguments as a text', async () => {
  const call = { type: 'function_call', name: 'get_weather', arguments: { city: 'Yazd' } }
  at.upstream.replyOnce(json(200, { ...response, output: [{ type: 'message', content: [text] }, call] }))
  const answer = await client.responses.create(ask)
  expect(answer.output).toMatchObject([
    { type: 'message', role: 'assistant', status: 'completed', content: [text] },
    { type: 'function_call', status: 'completed', arguments: input },
  ])
  for (const item of answer.output) expect(item.id).toMatch(/^(msg|fc)_/)
  expect(answer.output[1]).toHaveProperty('call_id', answer.output[1]!.id)
})

test('reasoning that no event but its deltas tells of stands in the final response', async () => {
  const deltas = ['hm ', 'hm'].map((delta) => ({
    ...{ type: 'response.reasoning_text.delta', delta },
    ...{ item_id: 'rs_up', output_index: 0, content_index: 0 },
  }))
  at.upstream.replyOnce(stream([...begun, ...deltas, completed({ output: [said] }), done]))
  const events = framed((await respond(at.key, { stream: true, include_reasoning: true })).text)
  expect(events.at(-1)?.['response'].output[0]).toMatchObject({
    type: 'reasoning',
    content: [{ type: 'reasoning_text', text: 'hm hm' }],
  })
})

test('thoughts that only the end tells of stand before what they led to, as the vendor wants them back', async () => {
  const deltas = textDeltas({ item_id: 'msg_up', output_index: 1, content_index: 0 })
  at.upstream.replyOnce(stream([...deltas, completed(), done]))
  const helper = client.responses.stream({ model: 'test/model', input: 'hello' })
  expect((await helper.finalResponse()).output.map(({ type }) => type)).toEqual(
    output.map(({ type }) => type),
  )
})

test('a stream that breaks off before its end tells what was whole of it', async () => {
  at.upstream.replyOnce(stream([...ended.slice(0, 2), ...inputDeltas({}), cut]))
  const last = framed((await respond(at.key, { stream: true })).text).at(-1)
  expect(last).toMatchObject({
    type: 'response.failed',
    response: { output: [{ id: 'rs_up' }, { id: 'msg_up' }] },
  })
})
