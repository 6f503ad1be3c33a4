/** The messages wire over an upstream of the chat wire: what reaches it, and how its answer becomes events. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { png } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { readUntil } from '../harness/read-until.ts'
import { answer, chunk, cut, done, json, stream } from '../harness/upstream.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { eventsOf, expectMessage, type Json, joined } from './messages-oracle.ts'
import { assistant, message, path, toolResult, toolUse, user, version, weather } from './messages-world.ts'
import { bootOnWires, type ResponsesWorld, shareOnWires } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await bootOnWires('chat', { timing: { streamOpenMs: 30, streamHeartbeatMs: 40 } })
})
afterEach(() => at.upstream.reply(answer()))
afterAll(() => at[Symbol.asyncDispose]())

const usage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
}
const counted = { ...chunk({}), choices: [], usage }
const calls = (...deltas: object[]) => chunk({ tool_calls: deltas })
const opened = (index: number, id: string, name: string, text = '') => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
})
const more = (index: number, text: string) => ({ index, function: { arguments: text } })
/** Without the pings, which come wherever this machine takes its time. */
const spokenIn = (text: string): Json[] => eventsOf(text).filter(({ type }) => type !== 'ping')
const streamed = async (body: Json = {}) => spokenIn((await message(at.key, { stream: true, ...body })).text)

describe('calls of tools', () => {
  const inputs = (events: Json[]) => joined(events)['content'].map(({ name, input }: Json) => [name, input])

  test('one after the other stream as they come', async () => {
    at.upstream.replyOnce(
      stream([
        calls(opened(0, 'a', 'one')),
        calls(more(0, '{"x":')),
        calls(more(0, '1}')),
        calls(opened(1, 'b', 'two')),
        calls(more(1, '{}')),
        chunk({}, 'tool_calls'),
        done,
      ]),
    )
    const events = await streamed({ tools: [weather] })
    expect(inputs(events)).toEqual([
      ['one', { x: 1 }],
      ['two', {}],
    ])
    const pieces = events.map(({ delta }) => delta?.partial_json).filter((piece) => piece !== undefined)
    expect(pieces).toEqual(['{"x":', '1}', '{}'])
    expect(events.at(-2)?.['delta'].stop_reason).toBe('tool_use')
  })

  test('with mixed arguments are put in order, one block at a time, and lose nothing', async () => {
    at.upstream.replyOnce(
      stream([
        chunk({ content: 'I look.' }),
        calls(opened(0, 'a', 'one'), opened(1, 'b', 'two')),
        calls(more(1, '{"y":"')),
        calls(more(0, '{"x":1')),
        calls(opened(2, 'c', 'three', '{}')),
        calls(more(1, 'z"}')),
        calls(more(0, ',"w":2}')),
        chunk({}, 'tool_calls'),
        done,
      ]),
    )
    const events = await streamed({ tools: [weather] })
    expect(inputs(events)).toEqual([
      [undefined, undefined],
      ['one', { x: 1, w: 2 }],
      ['two', { y: 'z' }],
      ['three', {}],
    ])
  })

  test('without arguments are called with none', async () => {
    at.upstream.replyOnce(
      stream([calls(opened(0, 'a', 'one')), calls(opened(1, 'b', 'two')), chunk({}, 'tool_calls'), done]),
    )
    expect(inputs(await streamed({ tools: [weather] }))).toEqual([
      ['one', {}],
      ['two', {}],
    ])
  })

  test('have ids of this wire, and the upstream gets back its own', async () => {
    at.upstream.replyOnce(
      stream([
        calls(opened(0, 'Xy9-short', 'get_weather', '{"city":"Paris"}')),
        chunk({}, 'tool_calls'),
        done,
      ]),
    )
    const { content } = joined(await streamed({ tools: [weather] }))
    expect(content[0].id).toBe('toolu_x_Xy9-short')
    const position = at.upstream.calls.length
    await message(at.key, { messages: [user('a'), assistant(content), user([toolResult(content[0].id)])] })
    const { body } = await at.upstream.call(position)
    expect(body?.['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'Xy9-short', function: { name: 'get_weather' } }],
      },
      { role: 'tool', tool_call_id: 'Xy9-short', content: 'ok' },
    ])
  })
})

describe('thinking', () => {
  const thinks = stream([
    chunk({ reasoning_content: 'let me ' }),
    chunk({ reasoning_content: 'see' }),
    chunk({ content: '4' }),
    chunk({}, 'stop'),
    counted,
    done,
  ])

  test('comes as a block of its own with exactly one signature, where it was asked for', async () => {
    at.upstream.replyOnce(thinks)
    const { content } = joined(await streamed({ thinking: { type: 'adaptive' } }))
    expect(content).toEqual([
      { type: 'thinking', thinking: 'let me see', signature: '' },
      { type: 'text', text: '4', citations: null },
    ])
  })

  test('stays hidden where it was not', async () => {
    at.upstream.replyOnce(thinks)
    const reply = joined(await streamed())
    expect(reply['content']).toEqual([{ type: 'text', text: '4', citations: null }])
    expect(reply['usage'].output_tokens_details).toEqual({ thinking_tokens: 4 })
  })
})

test('the beginning has a number for the prompt, the end the figures that are charged', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'hi' }), chunk({}, 'stop'), counted, done]))
  const reply = await message(at.key, { stream: true })
  const events = spokenIn(reply.text)
  expect(events[0]?.['message'].usage.input_tokens).toBeGreaterThan(0)
  expect(events.filter(({ type }) => type === 'message_delta')).toHaveLength(1)
  expect(events.at(-2)?.['usage']).toEqual({
    input_tokens: 12,
    cache_read_input_tokens: 8,
    cache_creation_input_tokens: 0,
    output_tokens: 9,
    output_tokens_details: { thinking_tokens: 4 },
    server_tool_use: null,
    // 12 tokens at 1.0, 8 at 0.1 and 9 at 2.0 USD a million, 1,000 credits a USD.
    credits: 0.0308,
    microcredits: '30800',
  })
  const { details, microcredits } = await explained(at.key, requestIdOf(reply))
  expect(microcredits).toBe('30800')
  expect(details.tokens).toMatchObject({ input: 20, cachedInput: 8, output: 9, reasoning: 4 })
})

test('a refusal is a text that ends with refusal, though its upstream calls it a stop', async () => {
  at.upstream.replyOnce(stream([chunk({ refusal: 'no.' }), chunk({}, 'stop'), done]))
  expect(joined(await streamed())).toMatchObject({
    content: [{ type: 'text', text: 'no.' }],
    stop_reason: 'refusal',
  })
})

test('an answer that breaks in the middle ends with an error and without message_stop', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half of' }), cut]))
  const reply = await message(at.key, { stream: true })
  const events = eventsOf(reply.text)
  const id = requestIdOf(reply)
  expect(events.at(-1)).toMatchObject({
    type: 'error',
    request_id: id,
    error: { type: 'api_error', code: 'UPSTREAM_FAILED', request_id: id },
  })
  expect(events.map(({ type }) => type)).not.toContain('message_stop')
  expect(await explained(at.key, id)).toMatchObject({ state: 'failed', details: { outcome: 'failed' } })
})

test('an answer that fails before it begins is an error with its own status, and costs nothing', async () => {
  // With the usual time until a silent stream is opened: the other tests have one that a busy machine could let pass.
  await using at = await shareOnWires('chat')
  const before = await at.world.balance()
  at.upstream.replyOnce(
    json(400, { error: { message: 'maximum context length', code: 'context_length_exceeded' } }),
  )
  const reply = await message(at.key, { stream: true })
  expect(reply.status).toBe(400)
  expect(reply.body.error.message).toContain('prompt is too long')
  await at.world.settled()
  expect(await at.world.balance()).toEqual(before)
})

test('a long silence is bridged by pings, and every write holds whole events', async () => {
  const release = Promise.withResolvers<void>()
  at.upstream.replyOnce(
    stream([release.promise, chunk({ content: 'late' }), chunk({ content: 'r' }), chunk({}, 'stop'), done]),
  )
  const body = JSON.stringify({ max_tokens: 9, messages: [user('hi')], stream: true })
  const response = await at.key.raw('POST', path, body, version)
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    expect(piece.endsWith('\n\n')).toBe(true)
    text += piece
    if (text.split('event: ping\ndata: {"type":"ping"}\n\n').length > 2) release.resolve()
  }
  expect(joined(eventsOf(text))['content']).toMatchObject([{ text: 'later' }])
})

test('a caller who disconnects ends the call at the upstream and pays for what was begun', async () => {
  const position = at.upstream.calls.length
  at.upstream.replyOnce(stream([chunk({ content: 'one' }), new Promise(() => {})]))
  const leave = new AbortController()
  const body = JSON.stringify({ max_tokens: 9, messages: [user('hi')], stream: true })
  const response = await at.key.raw('POST', path, body, version, leave.signal)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  await readUntil(reader, 'one')
  leave.abort()
  await (await at.upstream.call(position)).whenAborted
  const { details } = await explained(at.key, requestIdOf(response))
  expect(details.outcome).toBe('client_left')
})

describe('what reaches the upstream', () => {
  async function sentFor(body: Json): Promise<Json> {
    const position = at.upstream.calls.length
    const reply = await message(at.key, body)
    expect(reply.status, reply.text).toBe(200)
    expectMessage(reply.body)
    return (await at.upstream.call(position)).body as Json
  }

  test('the system first, results of tools as messages of their own, thinking not at all', async () => {
    const { messages } = await sentFor({
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        user('Paris?'),
        assistant([
          { type: 'thinking', thinking: 'hm', signature: 'sealed' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'I look.', citations: null },
          toolUse('toolu_a', { city: 'Paris' }),
          toolUse('toolu_b', { city: 'Rome' }),
        ]),
        user([
          toolResult('toolu_a', [{ type: 'text', text: '21' }]),
          toolResult('toolu_b', 'no such city', { is_error: true }),
          { type: 'text', text: 'So?' },
        ]),
        { role: 'system', content: 'Answer now.' },
      ],
    })
    const call = (id: string, city: string) => ({
      id,
      type: 'function',
      function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
    })
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Paris?' },
      { role: 'assistant', content: 'I look.', tool_calls: [call('a', 'Paris'), call('b', 'Rome')] },
      { role: 'tool', content: '21', tool_call_id: 'a' },
      { role: 'tool', content: 'The tool failed:\nno such city', tool_call_id: 'b' },
      { role: 'user', content: 'So?' },
      { role: 'system', content: 'Answer now.' },
    ])
  })

  test('pictures inline and by link, documents by what they say', async () => {
    const { messages } = await sentFor({
      messages: [
        user([
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          {
            type: 'document',
            title: 'Report',
            context: 'of May',
            source: { type: 'text', media_type: 'text/plain', data: 'all is well' },
          },
          {
            type: 'search_result',
            source: 'https://a.b',
            title: 'Found',
            content: [{ type: 'text', text: 'it' }],
          },
        ]),
      ],
    })
    expect(messages[0].content).toEqual([
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'text', text: 'Report\nof May' },
      { type: 'text', text: 'all is well' },
      { type: 'text', text: 'Found\nhttps://a.b' },
      { type: 'text', text: 'it' },
    ])
  })

  test('a picture that a tool shows comes after all results, as upstreams of that wire take it', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: png }
    const { messages } = await sentFor({
      messages: [
        user('look'),
        assistant([toolUse('toolu_a'), toolUse('toolu_b')]),
        user([
          toolResult('toolu_a', [
            { type: 'text', text: 'here' },
            { type: 'image', source },
          ]),
          toolResult('toolu_b', 'ok'),
        ]),
      ],
    })
    expect(messages.slice(2)).toEqual([
      { role: 'tool', content: 'here', tool_call_id: 'a' },
      { role: 'tool', content: 'ok', tool_call_id: 'b' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] },
    ])
  })

  test('tools, choice, format, limits and sampling by the names of that wire', async () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const body = await sentFor({
      max_tokens: 77,
      tools: [{ ...weather, strict: true }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
      stop_sequences: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      metadata: { user_id: 'u' },
      service_tier: 'auto',
    })
    const { name, description, input_schema: parameters } = weather
    expect(body).toMatchObject({
      model: 'upstream-model',
      max_tokens: 77,
      tools: [{ type: 'function', function: { name, description, parameters, strict: true } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { schema, strict: true } },
      reasoning_effort: 'low',
      stop: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
    })
    for (const field of ['metadata', 'service_tier', 'system', 'thinking', 'output_config', 'stop_sequences'])
      expect(body).not.toHaveProperty(field)
  })
})

const cites = { citations: { enabled: true } }
const plain = { type: 'text', media_type: 'text/plain', data: 'x' }
test.each<[string, Json, string]>([
  [
    'citations of a document',
    { messages: [user([{ type: 'document', source: plain, ...cites }])] },
    'messages.0.content.0.citations',
  ],
  [
    'citations of a search result',
    {
      messages: [
        user(['x'].map(() => ({ type: 'search_result', source: 's', title: 't', content: [], ...cites }))),
      ],
    },
    'messages.0.content.0.citations',
  ],
  [
    'what a tool at the vendor found',
    {
      messages: [
        user('a'),
        assistant([{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} }]),
        user('b'),
      ],
    },
    'messages.1.content.0',
  ],
  [
    'a tool that a vendor trained',
    { tools: [weather, { type: 'bash_20250124', name: 'bash' }] },
    'tools.1.type',
  ],
])(
  '%s is refused where no upstream of the model speaks this wire, before any money moves',
  async (_, body, param) => {
    await at.world.settled()
    const before = await at.world.balance()
    const asked = at.upstream.calls.length
    const reply = await message(at.key, body)
    expectRefusal(reply, { status: 400, code: 'FEATURE_NOT_SUPPORTED', param })
    expect(at.upstream.calls).toHaveLength(asked)
    expect(await at.world.balance()).toEqual(before)
  },
)

test('web pages that an answer of another wire rests on are citations of this one', async () => {
  await using other = await shareOnWires('responses')
  const annotation = { type: 'url_citation', url: 'https://a.b', title: 'T', start_index: 0, end_index: 2 }
  const text = { type: 'output_text', text: 'so it is', annotations: [annotation], logprobs: [] }
  other.upstream.reply(
    json(200, {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }],
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    }),
  )
  const { body } = await message(other.key)
  expectMessage(body)
  expect(body.content).toEqual([
    {
      type: 'text',
      text: 'so it is',
      citations: [
        {
          type: 'web_search_result_location',
          url: 'https://a.b',
          title: 'T',
          cited_text: expect.any(String),
          encrypted_index: '',
        },
      ],
    },
  ])
})
