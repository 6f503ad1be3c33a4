/** The messages wire over an upstream of the same wire: everything passes unchanged except ids, model and charged figures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png } from '../clients/media-samples.ts'
import { cut, json, type Step, stream } from '../harness/upstream.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { eventsOf, expectMessage, type Json, joined } from './messages-oracle.ts'
import { assistant, message, toolResult, toolUse, upstreamMessage, user, weather } from './messages-world.ts'
import { type ResponsesWorld, shareOnWires } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await shareOnWires('messages', { credits: 1_000_000, features: 'web_search, web_fetch' })
})
afterAll(() => at[Symbol.asyncDispose]())

const sse = (event: Json): string => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`
const script = (...events: (Json | Step)[]) =>
  stream(events.map((event) => (typeof event === 'object' && 'type' in event ? sse(event) : (event as Step))))

const started = (usage: Json = { input_tokens: 12, output_tokens: 1 }, more: Json = {}): Json => ({
  type: 'message_start',
  message: { ...upstreamMessage([]), stop_reason: null, usage, ...more },
})
const opens = (index: number, block: Json): Json => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (index: number, more: Json): Json => ({ type: 'content_block_delta', index, delta: more })
const says = (index: number, text: string) => delta(index, { type: 'text_delta', text })
const closes = (index: number): Json => ({ type: 'content_block_stop', index })
const ends = (reason = 'end_turn', usage: Json = { output_tokens: 9 }, more: Json = {}): Json => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  usage,
})
const over: Json = { type: 'message_stop' }

/** The blocks of one answer as an upstream streams them. */
function blocksOf(content: Json[]): Json[] {
  return content.flatMap((block, index) => {
    if (block['type'] === 'text')
      return [
        opens(index, { type: 'text', text: '' }),
        ...(block['citations'] ?? []).map((citation: Json) =>
          delta(index, { type: 'citations_delta', citation }),
        ),
        says(index, block['text']),
        closes(index),
      ]
    if (block['type'] === 'thinking')
      return [
        opens(index, { type: 'thinking', thinking: '', signature: '' }),
        delta(index, { type: 'thinking_delta', thinking: block['thinking'] }),
        delta(index, { type: 'signature_delta', signature: block['signature'] }),
        closes(index),
      ]
    if (/tool_use$/.test(block['type']))
      return [
        opens(index, { ...block, input: {} }),
        delta(index, { type: 'input_json_delta', partial_json: '' }),
        delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }),
        closes(index),
      ]
    return [opens(index, block), closes(index)]
  })
}

const inDocument = { cited_text: 'x', document_index: 0, document_title: null, file_id: null }
const citations = [
  { type: 'char_location', ...inDocument, start_char_index: 0, end_char_index: 1 },
  { type: 'page_location', ...inDocument, start_page_number: 1, end_page_number: 2 },
  { type: 'content_block_location', ...inDocument, start_block_index: 0, end_block_index: 1 },
  {
    type: 'search_result_location',
    cited_text: 'x',
    search_result_index: 0,
    source: 's',
    title: null,
    start_block_index: 0,
    end_block_index: 1,
  },
  {
    type: 'web_search_result_location',
    cited_text: 'x',
    url: 'https://a.b',
    title: 'T',
    encrypted_index: 'e==',
  },
]
const caller = { type: 'direct' }
const searchUse = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'سلام' },
  caller,
}
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  caller,
  content: [
    { type: 'web_search_result', url: 'https://a.b', title: 'T', encrypted_content: 'e==', page_age: null },
  ],
}
const page = (about: Json | null) => ({
  type: 'web_fetch_tool_result',
  tool_use_id: 'srvtoolu_2',
  caller,
  content: {
    type: 'web_fetch_result',
    url: 'https://a.b',
    retrieved_at: null,
    content: {
      type: 'document',
      title: null,
      citations: about,
      source: { type: 'text', media_type: 'text/plain', data: 'words' },
    },
  },
})

const answers: [string, Json[]][] = [
  ['text', [{ type: 'text', text: 'سلام 🌱' }]],
  [
    'thinking, sealed and unreadable',
    [
      { type: 'thinking', thinking: 'hm', signature: 'EqQB+/==' },
      { type: 'redacted_thinking', data: 'EmwK==' },
      { type: 'text', text: '4' },
    ],
  ],
  ['every kind of citation', [{ type: 'text', text: 'so', citations }]],
  [
    'calls',
    [
      { type: 'tool_use', id: 'toolu_1', name: 'a', input: { x: 'ی' }, caller },
      { type: 'tool_use', id: 'toolu_2', name: 'b', input: {}, caller },
    ],
  ],
  [
    'tools that ran at the vendor',
    [
      searchUse,
      found,
      { ...found, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } },
      { ...searchUse, id: 'srvtoolu_2', name: 'web_fetch' },
      page({ enabled: true }),
      { ...page(null), content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_allowed' } },
      { type: 'text', text: 'found' },
    ],
  ],
]

describe.each(answers)('%s', (_, content) => {
  test('passes unchanged, whole and streamed', async () => {
    at.upstream.replyOnce(json(200, upstreamMessage(content)))
    const whole = await message(at.key)
    expect(whole.status, whole.text).toBe(200)
    expectMessage(whole.body)
    expect(JSON.stringify(whole.body.content)).toBe(JSON.stringify(content))
    at.upstream.replyOnce(script(started(), ...blocksOf(content), ends(), over))
    const events = eventsOf((await message(at.key, { stream: true })).text)
    expect(events.slice(1, -2)).toEqual(blocksOf(content))
    expect(joined(events)['content']).toEqual(content)
  })

  test('sent back, it reaches the upstream to the byte as it came', async () => {
    const results = content.flatMap(({ type, id }) => (type === 'tool_use' ? [toolResult(id)] : []))
    const messages = [user('a'), assistant(content), user(results.length > 0 ? results : 'go on')]
    const position = at.upstream.calls.length
    at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'text', text: 'ok' }])))
    const reply = await message(at.key, { messages })
    expect(reply.status, reply.text).toBe(200)
    const { body } = await at.upstream.call(position)
    expect(JSON.stringify(body?.['messages'])).toBe(JSON.stringify(messages))
  })
})

test('id and model are ours, fields that the upstream leaves out are there', async () => {
  at.upstream.replyOnce(script(started(), ...blocksOf([{ type: 'text', text: 'a' }]), ends(), over))
  const reply = await message(at.key, { stream: true })
  const [first] = eventsOf(reply.text)
  expect(first?.['message']).toMatchObject({
    id: `msg_${requestIdOf(reply).replaceAll('-', '')}`,
    model: 'test/model',
  })
  at.upstream.replyOnce(json(200, upstreamMessage([])))
  expect((await message(at.key)).body).toMatchObject({ model: 'test/model', content: [] })
})

test('fields, events and blocks of tomorrow pass unchanged', async () => {
  const tomorrow = [
    { type: 'message_weather', sky: { blue: true } },
    opens(0, { type: 'hologram', depth: 3 }),
    delta(0, { type: 'hologram_delta', voxels: [1, 2] }),
    closes(0),
  ]
  at.upstream.replyOnce(
    script(
      started(undefined, { mood: 'good' }),
      ...tomorrow,
      opens(1, { type: 'text', text: '' }),
      { ...says(1, 'hi'), confidence: 0.9 },
      closes(1),
      ends('end_turn', { output_tokens: 9, joules: 3 }, { mood: 'better' }),
      { type: 'message_stop', metrics: { latency: 5 } },
    ),
  )
  const { text } = await message(at.key, { stream: true })
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => JSON.parse(event.split('\ndata: ')[1]!) as Json)
  expect(events[0]?.['message'].mood).toBe('good')
  expect(events.slice(1, 5)).toEqual(tomorrow)
  expect(events[6]).toEqual({ ...says(1, 'hi'), confidence: 0.9 })
  expect(events.at(-2)).toMatchObject({ delta: { mood: 'better' }, usage: { joules: 3 } })
  expect(events.at(-1)).toEqual({ type: 'message_stop', metrics: { latency: 5 } })

  at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'hologram', depth: 3 }], { mood: 'good' })))
  expect((await message(at.key)).body).toMatchObject({
    mood: 'good',
    content: [{ type: 'hologram', depth: 3 }],
  })
})

test('a fetched page never has null citations, which one client refuses', async () => {
  at.upstream.replyOnce(json(200, upstreamMessage([page(null)])))
  const whole = await message(at.key)
  expectMessage(whole.body)
  expect(whole.body.content).toEqual([page({ enabled: false })])
  at.upstream.replyOnce(script(started(), opens(0, page(null)), closes(0), ends(), over))
  const events = eventsOf((await message(at.key, { stream: true })).text)
  expect(joined(events)['content']).toEqual([page({ enabled: false })])
})

describe('usage', () => {
  const prompt = {
    input_tokens: 5,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 40,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
    service_tier: 'standard',
    inference_geo: 'eu',
    output_tokens: 1,
    cost: 0.5,
  }
  const tools = { web_search_requests: 2, web_fetch_requests: 0 }
  const last = { output_tokens: 9, server_tool_use: tools, cost: 0.7 }

  test('reports what was charged, splits the cache by its time, and hides what the operator pays', async () => {
    at.upstream.replyOnce(
      script(started(prompt), ...blocksOf([{ type: 'text', text: 'a' }]), ends('end_turn', last), over),
    )
    const reply = await message(at.key, { stream: true })
    const events = eventsOf(reply.text)
    const { cost: _, ...shown } = prompt
    expect(events[0]?.['message'].usage).toMatchObject(shown)
    const { details, microcredits } = await explained(at.key, requestIdOf(reply))
    expect(events.at(-2)?.['usage']).toEqual({
      credits: Number(microcredits) / 1e6,
      microcredits,
      input_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 40,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: tools,
    })
    expect(reply.text).not.toContain('cost')
    expect(details.tokens).toMatchObject({ input: 145, cachedInput: 100, cacheWriteInput: 40, output: 9 })

    at.upstream.replyOnce(json(200, upstreamMessage([], { usage: { ...prompt, ...last } })))
    const whole = await message(at.key)
    expectMessage(whole.body)
    expect(whole.body.usage).toMatchObject({ ...shown, output_tokens: 9, server_tool_use: tools })
    expect(whole.text).not.toContain('cost')
  })

  test('is reported in the end even where the upstream reports it several times', async () => {
    at.upstream.replyOnce(
      script(
        started(),
        ...blocksOf([{ type: 'text', text: 'a' }]),
        ends(),
        ends('end_turn', { output_tokens: 11 }),
        over,
      ),
    )
    const events = eventsOf((await message(at.key, { stream: true })).text)
    expect(events.filter(({ type }) => type === 'message_delta')).toHaveLength(1)
    expect(events.at(-2)?.['usage'].output_tokens).toBe(11)
  })
})

test('an upstream that forgets to begin or to stop does not break its callers', async () => {
  at.upstream.replyOnce(script(...blocksOf([{ type: 'text', text: 'a' }]), ends()))
  const events = eventsOf((await message(at.key, { stream: true })).text)
  expect(joined(events)).toMatchObject({ content: [{ text: 'a' }], stop_reason: 'end_turn' })
})

test('pings of the upstream are not doubled', async () => {
  at.upstream.replyOnce(
    script(
      started(),
      { type: 'ping' },
      ...blocksOf([{ type: 'text', text: 'a' }]),
      { type: 'ping' },
      ends(),
      over,
    ),
  )
  expect((await message(at.key, { stream: true })).text).not.toContain('ping')
})

test('an answer that the upstream breaks off ends with an error of its kind', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  at.upstream.replyOnce(script(started(), ...blocksOf([{ type: 'text', text: 'a' }]), overloaded))
  const events = eventsOf((await message(at.key, { stream: true })).text)
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
  at.upstream.replyOnce(script(started(), opens(0, { type: 'text', text: '' }), says(0, 'a'), cut))
  const broken = eventsOf((await message(at.key, { stream: true })).text)
  expect(broken.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
  expect(broken.map(({ type }) => type)).not.toContain('message_delta')
})

describe('what reaches the upstream', () => {
  async function sentFor(body: Json, headers: Record<string, string> = {}) {
    const position = at.upstream.calls.length
    at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'text', text: 'ok' }])))
    const reply = await message(at.key, body, headers)
    expect(reply.status, reply.text).toBe(200)
    const call = await at.upstream.call(position)
    return { body: call.body as Json, headers: call.headers }
  }

  test.each(['5m', '1h'])('every mark of the cache for %s, unchanged', async (ttl) => {
    const cache_control = { type: 'ephemeral', ttl }
    const sent = {
      cache_control,
      system: [{ type: 'text', text: 's', cache_control }],
      tools: [{ ...weather, cache_control }],
      messages: [
        user([
          { type: 'text', text: 'a', cache_control },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png }, cache_control },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'x' },
            citations: { enabled: true },
            cache_control,
          },
        ]),
        assistant([{ ...toolUse('toolu_1'), cache_control }]),
        user([toolResult('toolu_1', 'ok', { cache_control })]),
      ],
    }
    const { body } = await sentFor(sent)
    for (const [field, value] of Object.entries(sent))
      expect(JSON.stringify(body[field])).toBe(JSON.stringify(value))
  })

  test('thinking, format, choice and tools that the vendor trained, unchanged', async () => {
    const sent = {
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
      output_config: { effort: 'low' },
      tools: [
        weather,
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    }
    const { body } = await sentFor(sent)
    expect(body).toMatchObject({ ...sent, model: 'upstream-model', max_tokens: 2048 })
  })

  const screen = { name: 'computer', display_width_px: 1024, display_height_px: 768 }
  test.each<[string, Json, Json, string?]>([
    [
      'computer',
      { type: 'computer_20250124', ...screen },
      { action: 'screenshot' },
      'computer-use-2025-01-24',
    ],
    [
      'computer',
      { type: 'computer_20251124', ...screen, enable_zoom: true },
      { action: 'zoom', region: [0, 0, 9, 9] },
      'computer-use-2025-11-24',
    ],
    ['bash', { type: 'bash_20250124', name: 'bash' }, { command: 'ls' }],
    [
      'str_replace_based_edit_tool',
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { command: 'view', path: '/a' },
    ],
  ])(
    'the tool %s that the vendor trained, and its calls come back to the caller',
    async (name, tool, input, beta) => {
      const content = [{ type: 'tool_use', id: 'toolu_1', name, input, caller }]
      const headers: Record<string, string> = beta === undefined ? {} : { 'anthropic-beta': beta }
      const position = at.upstream.calls.length
      at.upstream.replyOnce(json(200, upstreamMessage(content, { stop_reason: 'tool_use' })))
      const whole = await message(at.key, { tools: [tool] }, headers)
      expect(whole.body).toMatchObject({ stop_reason: 'tool_use', content })
      const call = await at.upstream.call(position)
      expect(call.body?.['tools']).toEqual([tool])
      expect(call.headers['anthropic-beta']).toBe(beta)
      at.upstream.replyOnce(script(started(), ...blocksOf(content), ends('tool_use'), over))
      const events = eventsOf((await message(at.key, { tools: [tool], stream: true }, headers)).text)
      expect(joined(events)).toMatchObject({ stop_reason: 'tool_use', content })
    },
  )

  test('betas, and hosted tools with their bounds written down', async () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 },
    ]
    const { body, headers } = await sentFor({ tools }, { 'anthropic-beta': 'one-2026-01-01, two-2026-01-01' })
    expect(headers['anthropic-beta']).toBe('one-2026-01-01,two-2026-01-01')
    expect(body['tools']).toEqual([
      { ...tools[0], max_uses: 5 },
      { ...tools[1], max_content_tokens: 32_000 },
    ])
    expect(body).not.toHaveProperty('anthropic_beta')
  })

  test('nothing that would change the price or rests on what the upstream keeps', async () => {
    const { body } = await sentFor({
      service_tier: 'auto',
      speed: 'fast',
      inference_geo: 'us',
      diagnostics: { previous_message_id: 'msg_1' },
    })
    for (const field of ['service_tier', 'speed', 'inference_geo', 'diagnostics'])
      expect(body).not.toHaveProperty(field)
  })
})

test('a turn that was paused goes on when its content is sent back', async () => {
  const content = [searchUse, found]
  at.upstream.replyOnce(json(200, upstreamMessage(content, { stop_reason: 'pause_turn' })))
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const paused = await message(at.key, { tools })
  expect(paused.body.stop_reason).toBe('pause_turn')
  const position = at.upstream.calls.length
  at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'text', text: 'done' }])))
  const messages = [user('hello'), assistant(paused.body.content)]
  expect((await message(at.key, { tools, messages })).body.stop_reason).toBe('end_turn')
  expect((await at.upstream.call(position)).body?.['messages']).toEqual(messages)
})

test.each<[string, Json]>([
  ['what a hosted tool will find', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  [
    'what one found before',
    {
      messages: [
        user('a'),
        assistant([searchUse, { ...found, content: [{ ...found.content[0], title: 'x'.repeat(500_000) }] }]),
        user('b'),
      ],
    },
  ],
  ['examples of a tool', { tools: [{ ...weather, input_examples: [{ city: 'x'.repeat(500_000) }] }] }],
])('the hold covers %s', async (_, body) => {
  // Five credits are enough for a plain question, a hundred for none of these.
  const key = await at.world.key({ caps: { cap: 100_000_000n } })
  const asked = at.upstream.calls.length
  expect((await message(key, body)).body.error.code).toBe('BUDGET_EXCEEDED')
  expect(at.upstream.calls).toHaveLength(asked)
  at.upstream.replyOnce(json(200, upstreamMessage([{ type: 'text', text: 'ok' }])))
  expect((await message(key)).status).toBe(200)
})
