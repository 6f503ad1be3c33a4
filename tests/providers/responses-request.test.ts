import { expect, test } from 'vitest'
import type { Message, MessageContent, Turn } from '#core/turn'
import { forwardedFields } from '#providers/responses'
import { fakeUpstream } from '../harness/upstream.ts'
import { callOf, chatTurn, hear } from './asking.ts'
import { over, responsesOf, responsesTurn, streamOf } from './responses-wire.ts'

async function bodyOf(turn: Turn): Promise<Record<string, unknown>> {
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream)
  upstream.reply(streamOf([over([])]))
  await hear(provider, callOf(turn))
  return upstream.calls[0]?.body ?? {}
}

const inputOf = async (...messages: Message[]): Promise<unknown> =>
  (await bodyOf(chatTurn({}, { messages })))['input']

const text = (words: string): MessageContent => ({ type: 'text', text: words })
const picture: MessageContent = {
  type: 'image',
  media: { data: Uint8Array.of(1, 2, 3), mediaType: 'image/png' },
}

test('key, path and the attempt are sent; ping proves the address', async () => {
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream, { apiKey: 'sk-secret-123456', headers: { 'x-team': 'blue' } })
  upstream.replyOnce(streamOf([over([])]))
  const call = callOf(responsesTurn(), { traceparent: '00-1-2-01' })
  await hear(provider, call)
  expect(upstream.calls[0]).toMatchObject({ method: 'POST', path: '/v1/responses' })
  expect(upstream.calls[0]?.headers).toMatchObject({
    authorization: 'Bearer sk-secret-123456',
    'x-team': 'blue',
    'idempotency-key': call.attemptId,
    traceparent: '00-1-2-01',
  })
  await provider.ping(new AbortController().signal)
  expect(upstream.calls[1]).toMatchObject({ method: 'GET', path: '/v1/models' })
})

test('the body of a caller of this wire passes unchanged, except what names, limits, prices or keeps', async () => {
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi', tomorrow: [1] }] },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA==' },
    { type: 'message', id: 'msg_1', role: 'assistant', phase: 'commentary', content: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'ok' },
  ]
  const functions = [{ type: 'function', name: 'f', parameters: {}, strict: null, tomorrow: true }]
  const passed = {
    input,
    instructions: 'be brief',
    include: ['reasoning.encrypted_content'],
    tools: [...functions, { type: 'web_search', search_context_size: 'low' }],
    tool_choice: { type: 'function', name: 'f' },
    parallel_tool_calls: false,
    max_tool_calls: 3,
    text: { format: { type: 'text' }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'detailed' },
    temperature: 0.5,
    top_p: 0.9,
    top_logprobs: 2,
    truncation: 'auto',
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    safety_identifier: 's',
    stream_options: { include_obfuscation: false },
    user: 'u',
    top_k: 4,
  }
  const kept = {
    previous_response_id: 'resp_0',
    conversation: 'conv_1',
    prompt: { id: 'p' },
    background: true,
    service_tier: 'priority',
    prompt_cache_retention: '24h',
    web_search: true,
    made_up: 1,
  }
  const asked = {
    ...passed,
    ...kept,
    model: 'ours/model',
    store: true,
    stream: false,
    max_output_tokens: 999,
    tools: [...passed.tools, { type: 'mcp', server_url: 'https://example.org' }],
    include_reasoning: true,
    reasoning_effort: 'high',
  }
  const body = await bodyOf(responsesTurn(asked, { maxOutputTokens: 17 }))
  expect(body).toEqual({
    ...passed,
    model: 'upstream-model',
    max_output_tokens: 17,
    stream: true,
    store: false,
  })
  expect(JSON.stringify(body['input'])).toBe(JSON.stringify(input))
  expect(Object.keys(asked).filter((name) => !forwardedFields.has(name))).toEqual(Object.keys(kept))
})

test('what means nothing without tools, without a stream or without a value stays behind', async () => {
  const asked = {
    tools: [{ type: 'mcp' }],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    max_tool_calls: 3,
    stream_options: { include_obfuscation: false },
    instructions: null,
    reasoning: null,
  }
  expect(await bodyOf(responsesTurn(asked, { stream: false }))).toEqual({
    model: 'upstream-model',
    input: 'hello there',
    max_output_tokens: 64,
    stream: false,
    store: false,
  })
  const tools = [{ type: 'function', name: 'f', parameters: {} }]
  const hosted = await bodyOf(responsesTurn({ tools, tool_choice: { type: 'mcp' } }))
  expect(hosted['tools']).toEqual(tools)
  expect(hosted).not.toHaveProperty('tool_choice')
})

test('our flat effort speaks where the object of the wire is silent', async () => {
  const reasoningIn = async (body: Record<string, unknown>) =>
    (await bodyOf(responsesTurn(body)))['reasoning']
  expect(await reasoningIn({ reasoning_effort: 'low' })).toEqual({ effort: 'low' })
  expect(await reasoningIn({ reasoning_effort: 'low', reasoning: { summary: 'auto' } })).toEqual({
    effort: 'low',
    summary: 'auto',
  })
  expect(await reasoningIn({ reasoning: { effort: 'high' } })).toEqual({ effort: 'high' })
  expect(await reasoningIn({ include_reasoning: true })).toBeUndefined()
})

test.each<[string, Partial<Turn>, Record<string, unknown>]>([
  ['nothing asked for', {}, {}],
  ['sampling', { temperature: 0, topP: 0.5 }, { temperature: 0, top_p: 0.5 }],
  [
    'what open servers alone understand',
    { topK: 3, seed: 7, frequencyPenalty: 1, presencePenalty: -1, repetitionPenalty: 1.1, stop: ['END'] },
    {
      top_k: 3,
      seed: 7,
      frequency_penalty: 1,
      presence_penalty: -1,
      repetition_penalty: 1.1,
      stop: ['END'],
    },
  ],
  ['how much to say', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
  ['an object', { output: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
  [
    'a schema',
    { output: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: false } },
    { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: false } } },
  ],
  [
    'thinking',
    { reasoning: { enabled: true, effort: 'low' } },
    { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
  ],
  [
    'thinking within a budget, for those who take one, with room for the answer',
    { reasoning: { enabled: true, maxTokens: 2_000 } },
    { reasoning: { max_tokens: 63, summary: 'auto' }, include: ['reasoning.encrypted_content'] },
  ],
  ['no thinking', { reasoning: { enabled: false } }, { reasoning: { effort: 'none' } }],
  [
    'tools, strict only where that was said',
    {
      tools: [
        { name: 'f', description: 'does f', parameters: { type: 'object' }, strict: true },
        { name: 'g', parameters: {} },
      ],
      toolChoice: { type: 'tool', name: 'f' },
      parallelToolCalls: false,
    },
    {
      tools: [
        { type: 'function', name: 'f', description: 'does f', parameters: { type: 'object' }, strict: true },
        { type: 'function', name: 'g', parameters: {}, strict: false },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    },
  ],
  ['a choice among no tools', { toolChoice: { type: 'none' }, tools: [] }, {}],
])('a turn of another wire: %s', async (_, asked, written) => {
  expect(await bodyOf(chatTurn({}, asked))).toEqual({
    model: 'upstream-model',
    input: [{ type: 'message', role: 'user', content: 'hello there' }],
    ...written,
    max_output_tokens: 64,
    stream: true,
    store: false,
  })
})

test('system messages stay where they stand', async () => {
  const roles = ['system', 'user', 'developer'] as const
  const messages = roles.map((role): Message => ({ role, content: [text(role)] }))
  expect(await inputOf(...messages)).toEqual([
    { type: 'message', role: 'system', content: 'system' },
    { type: 'message', role: 'user', content: 'user' },
    { type: 'message', role: 'system', content: 'developer' },
  ])
})

test.each<[string, MessageContent, unknown[]]>([
  [
    'an inline image',
    picture,
    [{ type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' }],
  ],
  [
    'a linked image',
    { type: 'image', media: { url: 'https://example.org/a.png' }, detail: 'low' },
    [{ type: 'input_image', image_url: 'https://example.org/a.png', detail: 'low' }],
  ],
  [
    'a PDF',
    {
      type: 'document',
      title: 'Law',
      context: 'of 1906',
      citations: false,
      media: { data: Uint8Array.of(37), mediaType: 'application/pdf' },
    },
    [
      { type: 'input_text', text: 'Law\nof 1906' },
      { type: 'input_file', filename: 'Law.pdf', file_data: 'data:application/pdf;base64,JQ==' },
    ],
  ],
  [
    'a linked PDF',
    { type: 'document', citations: false, media: { url: 'https://example.org/a.pdf' } },
    [{ type: 'input_file', file_url: 'https://example.org/a.pdf' }],
  ],
  [
    'a document of text and pictures',
    { type: 'document', title: 'Notes', citations: true, parts: [text('first'), picture] },
    [
      { type: 'input_text', text: 'Notes' },
      { type: 'input_text', text: 'first' },
      { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' },
    ],
  ],
])('a user shows %s', async (_, content, written) => {
  expect(await inputOf({ role: 'user', content: [text('see'), content] })).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'see' }, ...written] },
  ])
})

test('ids of calls are shortened to what the vendor takes, in a call and its output alike, on this wire too', async () => {
  const begin = `functions.f:${'x'.repeat(60)}`
  const items = ['a', 'b'].flatMap((end) => [
    { type: 'function_call', call_id: begin + end, name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: begin + end, output: 'ok' },
  ])
  const idsIn = (input: unknown) => (input as { call_id: string }[]).map(({ call_id: id }) => id)
  const own = idsIn((await bodyOf(responsesTurn({ input: items })))['input'])
  const messages = ['a', 'b'].flatMap((end): Message[] => [
    { role: 'assistant', content: [], toolCalls: [{ id: begin + end, name: 'f', arguments: '{}' }] },
    { role: 'tool', content: [text('ok')], toolCallId: begin + end },
  ])
  expect(idsIn(await inputOf(...messages))).toEqual(own)
  expect(new Set(own).size).toBe(2)
  expect([own[0], own[2]]).toEqual([own[1], own[3]])
  for (const id of own) expect(id.length).toBeLessThanOrEqual(64)
})

test('what the assistant said, thought and called becomes items in that order; the seals of other wires stay behind', async () => {
  const items = await inputOf({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'plain' },
      { type: 'reasoning', text: 'signed', opaque: { wire: 'messages', signature: 's' } },
      { type: 'reasoning', text: 'first', opaque: { wire: 'responses', id: 'rs_1', data: 'gAAA==' } },
      text('one'),
      text('two'),
      { type: 'reasoning', text: '', opaque: { wire: 'responses', data: 'gBBB==' } },
    ],
    refusal: 'no',
    toolCalls: [
      { id: 'call_a', name: 'f', arguments: '{"x":1}' },
      { id: 'call_b', name: 'g', arguments: '{}' },
    ],
  })
  const said = (words: string) => ({ type: 'output_text', text: words, annotations: [] })
  expect(items).toEqual([
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'first' }],
      encrypted_content: 'gAAA==',
    },
    {
      type: 'message',
      role: 'assistant',
      content: [said('one'), said('two')],
      id: 'msg_1',
      status: 'completed',
    },
    { type: 'reasoning', summary: [], encrypted_content: 'gBBB==' },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'no' }],
      id: 'msg_3',
      status: 'completed',
    },
    {
      type: 'function_call',
      call_id: 'call_a',
      name: 'f',
      arguments: '{"x":1}',
      id: 'fc_4',
      status: 'completed',
    },
    {
      type: 'function_call',
      call_id: 'call_b',
      name: 'g',
      arguments: '{}',
      id: 'fc_5',
      status: 'completed',
    },
  ])
})

test.each<[string, Partial<Message>, unknown]>([
  ['text', { content: [text('sunny')] }, 'sunny'],
  ['texts', { content: [text('sunny'), text('warm')] }, 'sunny\nwarm'],
  ['nothing', { content: [] }, ''],
  ['a failure', { content: [text('no such city')], isError: true }, 'The tool failed:\nno such city'],
  [
    'a failure with a picture',
    { content: [picture], isError: true },
    [
      { type: 'input_text', text: 'The tool failed:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' },
    ],
  ],
])('a tool answers with %s', async (_, message, output) => {
  expect(await inputOf({ role: 'tool', toolCallId: 'call_a', content: [], ...message })).toEqual([
    { type: 'function_call_output', call_id: 'call_a', output },
  ])
})

test.each<[string, Message]>([
  ['audio', { role: 'user', content: [{ type: 'audio', media: { data: Uint8Array.of(1) } }] }],
  ['video', { role: 'user', content: [{ type: 'video', media: { data: Uint8Array.of(1) } }] }],
  ['image', { role: 'assistant', content: [picture] }],
])('%s that this wire cannot carry is refused before anything is sent', async (what, message) => {
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream)
  const { error } = await hear(provider, callOf(chatTurn({}, { messages: [message] })))
  expect(error).toMatchObject({ fault: 'invalid_request', executed: false, param: 'messages.0.content.0' })
  expect(error?.detail).toContain(what)
  expect(upstream.calls).toEqual([])
})
