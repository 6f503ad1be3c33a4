import { expect, test } from 'vitest'
import { forwardedFields } from '#providers/chat-completions'
import { answer, chunk, cut, done, fakeUpstream, json, type Step, stream } from '../harness/upstream.ts'
import {
  callOf,
  chatTurn,
  finishOf,
  hear,
  providerOf,
  reasoningOf,
  textOf,
  toolCallsOf,
  usageOf,
} from './asking.ts'

const tool = (
  index: number | undefined,
  more: Record<string, unknown>,
  described: Record<string, unknown>,
) => ({
  ...(index !== undefined && { index }),
  ...more,
  function: described,
})

async function hearSteps(steps: Step[]) {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(stream(steps))
  return await hear(provider, callOf(chatTurn()))
}

test('a streamed answer is reported in order: start, text, finish, usage as billed', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const { parts, error } = await hear(provider, callOf(chatTurn()))
  expect(error).toBeUndefined()
  expect(parts[0]).toEqual({
    type: 'start',
    upstreamId: 'chatcmpl-upstream',
    upstreamModel: 'upstream-model',
  })
  expect(textOf(parts)).toBe('The quick brown fox jumps over the lazy dog and runs home .')
  expect(parts.slice(-2).map(({ type }) => type)).toEqual(['finish', 'usage'])
  expect(usageOf(parts)).toEqual([
    { input: 2, cachedInput: 0, cacheWriteInput: 0, mediaInput: 0, output: 13, reasoning: 0 },
  ])
  expect(upstream.invoice().total.total_tokens).toBe(15)
})

test('an answer that is not streamed gives the same parts', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const { parts } = await hear(provider, callOf(chatTurn({}, { stream: false, maxOutputTokens: 3 })))
  expect(textOf(parts)).toBe('The quick brown')
  expect(finishOf(parts)).toEqual(['length'])
  expect(usageOf(parts)[0]).toMatchObject({ input: 2, output: 3 })
  expect(upstream.calls[0]?.body).toMatchObject({ stream: false, max_tokens: 3 })
  expect(upstream.calls[0]?.body).not.toHaveProperty('stream_options')
})

test('an upstream that ignores the wish to stream, or streams unasked, is understood', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(json(200, { choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] }))
  expect(textOf((await hear(provider, callOf(chatTurn()))).parts)).toBe('whole')
  upstream.reply(stream([chunk({ content: 'pieces' }, 'stop'), done]))
  expect(textOf((await hear(provider, callOf(chatTurn({}, { stream: false })))).parts)).toBe('pieces')
})

test('connections are kept: calls in a row share them', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  for (let round = 0; round < 20; round += 1)
    await hear(provider, callOf(chatTurn({}, { stream: round % 2 === 0 })))
  // A second one may open when a call begins before the stream before it has closed.
  expect(upstream.connections.accepted).toBeLessThanOrEqual(2)
})

test('key and headers are sent; ping proves the address', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream, { apiKey: 'sk-secret-123456', headers: { 'x-team': 'blue' } })
  await provider.ping(new AbortController().signal)
  expect(upstream.calls[0]).toMatchObject({ method: 'GET', path: '/v1/models' })
  expect(upstream.calls[0]?.headers).toMatchObject({
    authorization: 'Bearer sk-secret-123456',
    'x-team': 'blue',
  })
})

test('usage is read wherever it stands: own chunk, last choice, growing in every chunk, timings', async () => {
  const own = await hearSteps([
    chunk({ content: 'a' }),
    chunk({}, 'stop'),
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } },
    done,
  ])
  const last = await hearSteps([
    chunk({ content: 'a' }),
    chunk({}, 'stop', { usage: { prompt_tokens: 5, completion_tokens: 1 } }),
    done,
  ])
  const growing = await hearSteps([
    chunk({ content: 'a' }, null, { usage: { prompt_tokens: 5, completion_tokens: 0 } }),
    chunk({}, 'stop', { usage: { prompt_tokens: 5, completion_tokens: 1 } }),
    done,
  ])
  const timings = await hearSteps([
    chunk({ content: 'a' }),
    chunk({}, 'stop', { timings: { cache_n: 2, prompt_n: 3, predicted_n: 1 } }),
    done,
  ])
  for (const { parts } of [own, last, growing, timings]) {
    expect(usageOf(parts)).toHaveLength(1)
    expect(usageOf(parts)[0]).toMatchObject({ input: 5, output: 1 })
  }
  const none = await hearSteps([chunk({ content: 'a' }), chunk({}, 'stop', { usage: null }), done])
  expect(usageOf(none.parts)).toEqual([])
  const zero = await hearSteps([
    chunk({ content: 'a' }),
    chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    done,
  ])
  expect(usageOf(zero.parts)).toEqual([])
})

test('usage names cached, written, media and reasoning tokens as parts of their whole', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 40,
    total_tokens: 140,
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20, audio_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 25 },
  }
  const { parts } = await hearSteps([chunk({ content: 'a' }), chunk({}, 'stop', { usage }), done])
  expect(parts.at(-1)).toEqual({
    type: 'usage',
    usage: { input: 100, cachedInput: 30, cacheWriteInput: 20, mediaInput: 10, output: 40, reasoning: 25 },
    raw: usage,
  })
  const deepseek = {
    prompt_tokens: 10,
    completion_tokens: 1,
    prompt_cache_hit_tokens: 8,
    prompt_cache_miss_tokens: 2,
  }
  const second = await hearSteps([chunk({ content: 'a' }, 'stop', { usage: deepseek }), done])
  expect(usageOf(second.parts)[0]).toMatchObject({ input: 10, cachedInput: 8 })
  const hidden = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45 }
  const third = await hearSteps([chunk({ content: 'a' }, 'stop', { usage: hidden }), done])
  expect(usageOf(third.parts)[0], 'thinking that only the total counts is billed as output').toMatchObject({
    output: 35,
    reasoning: 30,
  })
})

test.each<[string, Record<string, unknown>, Record<string, number> | undefined]>([
  ['no prompt', { completion_tokens: 5, total_tokens: 45 }, { input: 40, output: 5, reasoning: 0 }],
  [
    'a prompt of zero',
    { prompt_tokens: 0, completion_tokens: 5, total_tokens: 45 },
    { input: 40, output: 5 },
  ],
  ['no answer', { prompt_tokens: 40, total_tokens: 45 }, { input: 40, output: 5 }],
  ['words', { prompt_tokens: '40', completion_tokens: 5, total_tokens: 45 }, { input: 40, output: 5 }],
  ['nothing but a total', { total_tokens: 45 }, undefined],
  ['nothing but zeros and a total', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 45 }, undefined],
  ['less than nothing', { prompt_tokens: -4, completion_tokens: -5, total_tokens: -9 }, undefined],
])('usage that counts %s has its tokens where they belong', async (_, usage, meant) => {
  const { parts } = await hearSteps([chunk({ content: 'a' }), chunk({}, 'stop', { usage }), done])
  if (meant) expect(usageOf(parts)[0]).toMatchObject(meant)
  else expect(usageOf(parts)).toEqual([])
})

test.each<[string, Record<string, unknown>[]]>([
  [
    'as OpenAI sends them',
    [
      { tool_calls: [tool(0, { id: 'a', type: 'function' }, { name: 'first', arguments: '' })] },
      { tool_calls: [tool(0, {}, { arguments: '{"x":' })] },
      { tool_calls: [tool(0, {}, { arguments: '1}' })] },
      { tool_calls: [tool(1, { id: 'b', type: 'function' }, { name: 'second', arguments: '{}' })] },
    ],
  ],
  [
    'whole calls in one chunk',
    [
      {
        tool_calls: [
          tool(0, { id: 'a' }, { name: 'first', arguments: '{"x":1}' }),
          tool(1, { id: 'b' }, { name: 'second', arguments: '{}' }),
        ],
      },
    ],
  ],
  [
    'whole calls that all say index 0',
    [
      { tool_calls: [tool(0, { id: 'a' }, { name: 'first', arguments: '{"x":1}' })] },
      { tool_calls: [tool(0, { id: 'b' }, { name: 'second', arguments: '{}' })] },
    ],
  ],
  [
    'without an index',
    [
      { tool_calls: [tool(undefined, { id: 'a' }, { name: 'first', arguments: '{"x":' })] },
      { tool_calls: [tool(undefined, {}, { arguments: '1}' })] },
      { tool_calls: [tool(undefined, { id: 'b' }, { name: 'second', arguments: '{}' })] },
    ],
  ],
  [
    'with another id in every piece',
    [
      { tool_calls: [tool(0, { id: 'a' }, { name: 'first', arguments: '{"x"' })] },
      { tool_calls: [tool(0, { id: 'a2' }, { arguments: ':1}' })] },
      { tool_calls: [tool(1, { id: 'b' }, { name: 'second', arguments: '{' })] },
      { tool_calls: [tool(1, { id: 'b2' }, { arguments: '}' })] },
    ],
  ],
  [
    'with the name and another id in every piece',
    [
      { tool_calls: [tool(0, { id: 'a' }, { name: 'first', arguments: '{"x"' })] },
      { tool_calls: [tool(0, { id: 'a2' }, { name: 'first', arguments: ':1}' })] },
      { tool_calls: [tool(1, { id: 'b' }, { name: 'second', arguments: '{}' })] },
    ],
  ],
  [
    'from index 1, interleaved',
    [
      {
        tool_calls: [
          tool(1, { id: 'a' }, { name: 'first', arguments: '' }),
          tool(2, { id: 'b' }, { name: 'second', arguments: '{' }),
        ],
      },
      { tool_calls: [tool(1, {}, { arguments: '{"x":1}' })] },
      { tool_calls: [tool(2, {}, { arguments: '}' })] },
    ],
  ],
  [
    'with the arguments as an object',
    [
      { tool_calls: [tool(0, { id: 'a' }, { name: 'first', arguments: { x: 1 } })] },
      { tool_calls: [tool(1, { id: 'b' }, { name: 'second', arguments: {} })] },
    ],
  ],
])('tool calls keep one index and one id each: %s', async (_, deltas) => {
  const { parts, error } = await hearSteps([...deltas.map((delta) => chunk(delta)), chunk({}, 'stop'), done])
  expect(error).toBeUndefined()
  expect(toolCallsOf(parts)).toEqual([
    { id: 'a', name: 'first', arguments: '{"x":1}' },
    { id: 'b', name: 'second', arguments: '{}' },
  ])
  expect(finishOf(parts), 'an answer that calls ends with tool_calls, whatever the upstream says').toEqual([
    'tool_calls',
  ])
})

test('a call without an id gets one, and two of them get two', async () => {
  const { parts } = await hearSteps([
    chunk({ tool_calls: [tool(0, {}, { name: 'same', arguments: '{"x":1}' })] }),
    chunk({ tool_calls: [tool(0, {}, { name: 'same', arguments: '{"x":2}' })] }),
    chunk({}, 'tool_calls'),
    done,
  ])
  const calls = toolCallsOf(parts)
  expect(calls.map(({ arguments: text }) => text)).toEqual(['{"x":1}', '{"x":2}'])
  expect(calls.every(({ id }) => /^call_[0-9a-f]{24}$/.test(id))).toBe(true)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
})

test('calls that all have one id stand apart by their index, and each gets an id of its own', async () => {
  const { parts } = await hearSteps([
    chunk({
      tool_calls: [
        tool(0, { id: 'a' }, { name: 'f', arguments: '{"x"' }),
        tool(1, { id: 'a' }, { name: 'f', arguments: '' }),
      ],
    }),
    chunk({ tool_calls: [tool(0, {}, { arguments: ':1}' }), tool(1, { id: 'a' }, { arguments: '{}' })] }),
    chunk({}, 'tool_calls'),
    done,
  ])
  expect(toolCallsOf(parts)).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'f', arguments: '{}' },
  ])
})

test('a call that is sent whole once more at the end is reported once', async () => {
  const { parts } = await hearSteps([
    chunk({ tool_calls: [tool(0, { id: 'a' }, { name: 'f', arguments: '{"x"' })] }),
    chunk({ tool_calls: [tool(0, {}, { arguments: ':1}' })] }),
    chunk({ tool_calls: [tool(0, { id: 'a' }, { name: 'f', arguments: '{"x":1}' })] }, 'tool_calls'),
    done,
  ])
  expect(toolCallsOf(parts)).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }])
})

test('calls of an answer that is not streamed stand apart, even without ids and arguments', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const calls = [{ function: { name: 'now', arguments: '' } }, { function: { name: 'now', arguments: '' } }]
  upstream.reply(
    json(200, { choices: [{ message: { content: null, tool_calls: calls }, finish_reason: 'stop' }] }),
  )
  const { parts } = await hear(provider, callOf(chatTurn({}, { stream: false })))
  expect(toolCallsOf(parts).map(({ name }) => name)).toEqual(['now', 'now'])
})

test('the old function_call and the fields of a call that only its maker knows are kept', async () => {
  const old = await hearSteps([
    chunk({ function_call: { name: 'f', arguments: '{' } }),
    chunk({ function_call: { arguments: '}' } }),
    chunk({}, 'function_call'),
    done,
  ])
  expect(toolCallsOf(old.parts)).toMatchObject([{ name: 'f', arguments: '{}' }])
  expect(finishOf(old.parts)).toEqual(['tool_calls'])
  const signed = await hearSteps([
    chunk(
      {
        tool_calls: [
          tool(
            0,
            { id: 'a', extra_content: { google: { thought_signature: 's' } } },
            { name: 'f', arguments: '{}' },
          ),
        ],
      },
      'tool_calls',
    ),
    done,
  ])
  const told = signed.parts.find(({ type }) => type === 'tool-call')
  expect(told?.extra).toEqual({
    wire: 'chat',
    delta: { tool_calls: [{ index: 0, extra_content: { google: { thought_signature: 's' } } }] },
  })
})

test('reasoning is read in every spelling, content also as parts, a repeated role is no matter', async () => {
  const { parts } = await hearSteps([
    chunk({ role: 'assistant', reasoning_content: 'one ' }),
    chunk({ role: 'assistant', reasoning: 'two ' }),
    chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'three ', signature: 'x' }] }),
    chunk({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'four' }] },
        { type: 'text', text: 'he' },
      ],
    }),
    chunk({ role: 'assistant', content: 'llo' }),
    chunk({ content: null }, 'end_turn'),
    done,
  ])
  expect(reasoningOf(parts)).toBe('one two three four')
  expect(textOf(parts)).toBe('hello')
  expect(finishOf(parts)).toEqual(['stop'])
  expect(
    parts.flatMap((part) => (part.type === 'reasoning' && part.details ? part.details : [])),
  ).toHaveLength(1)
})

test.each([
  ['eos', 'stop'],
  ['max_tokens', 'length'],
  ['function_call', 'stop'],
  ['tool_calls', 'stop'],
  ['SAFETY', 'content_filter'],
])('the finish reason %s of an answer without a call is %s', async (said, meant) => {
  const { parts } = await hearSteps([chunk({ content: 'a' }), chunk({}, said), done])
  expect(finishOf(parts)).toEqual([meant])
})

test('fields that only this wire knows pass by their place', async () => {
  const logprobs = { content: [{ token: 'a', logprob: -0.1, bytes: null, top_logprobs: [] }] }
  const { parts } = await hearSteps([
    {
      ...chunk({ content: 'a', annotations: [{ type: 'url_citation' }] }),
      service_tier: 'default',
      system_fingerprint: null,
      choices: [{ index: 0, delta: { content: 'a', annotations: [1] }, logprobs, finish_reason: null }],
    },
    { choices: [], citations: ['https://example.org'] },
    chunk({}, 'stop'),
    done,
  ])
  const extras = parts.flatMap(({ extra }) => extra ?? [])
  expect(extras).toEqual([
    { wire: 'chat', chunk: { service_tier: 'default' }, choice: { logprobs }, delta: { annotations: [1] } },
    { wire: 'chat', chunk: { citations: ['https://example.org'] } },
  ])
})

test('a missing [DONE] after a finish reason is a normal end, also when the socket dies or lingers', async () => {
  const ended = await hearSteps([chunk({ content: 'a' }), chunk({}, 'stop')])
  const died = await hearSteps([chunk({ content: 'a' }), chunk({}, 'stop'), cut])
  for (const { parts, error } of [ended, died]) {
    expect(error).toBeUndefined()
    expect(finishOf(parts)).toEqual(['stop'])
  }
})

test('an answer without any finish reason is a cut, even with [DONE]; whole tool calls are not', async () => {
  const plain = await hearSteps([chunk({ content: 'a' })])
  const closed = await hearSteps([chunk({ content: 'a' }), done])
  const torn = await hearSteps([
    chunk({ content: 'a' }, null, { usage: { prompt_tokens: 4, completion_tokens: 1 } }),
    cut,
  ])
  for (const { parts, error } of [plain, closed, torn]) {
    expect(error?.fault).toBe('cut')
    expect(textOf(parts)).toBe('a')
    expect(finishOf(parts)).toEqual([])
  }
  const calls = await hearSteps([
    chunk({ tool_calls: [tool(0, { id: 'a' }, { name: 'f', arguments: '{}' })] }),
    done,
  ])
  expect(calls.error).toBeUndefined()
  expect(finishOf(calls.parts)).toEqual(['tool_calls'])
  const halfCall = await hearSteps([
    chunk({ tool_calls: [tool(0, { id: 'a' }, { name: 'f', arguments: '{"x":' })] }),
    done,
  ])
  expect(halfCall.error?.fault).toBe('cut')
})

test('one malformed chunk is skipped; nothing but malformed ones is malformed', async () => {
  const one = await hearSteps([
    chunk({ content: 'a' }),
    'data: {"choices": [\n\n',
    chunk({ content: 'b' }),
    chunk({}, 'stop'),
    done,
  ])
  expect(one.error).toBeUndefined()
  expect(textOf(one.parts)).toBe('ab')
  const only = await hearSteps(['data: <html>\n\n'])
  expect(only.error?.fault).toBe('malformed')
  const several = await hearSteps([
    chunk({ content: 'a' }),
    'data: {\n\n',
    'data: {\n\n',
    chunk({ content: 'b' }),
    chunk({}, 'stop'),
    done,
  ])
  expect(several.error?.fault).toBe('malformed')
})

test('an error inside the stream ends it with that fault, after what was already written', async () => {
  const plain = await hearSteps([
    chunk({ content: 'a' }),
    { error: { message: 'the server is overloaded', type: 'overloaded_error' } },
  ])
  expect(plain.error).toMatchObject({
    fault: 'overloaded',
    executed: true,
    detail: 'the server is overloaded',
  })
  expect(textOf(plain.parts)).toBe('a')
  const numbered = await hearSteps([{ error: { code: 502, message: 'bad upstream' } }])
  expect(numbered.error).toMatchObject({ fault: 'unavailable', status: 502 })
  const named = await hearSteps(['event: error\ndata: {"message":"slow down","type":"rate_limit_error"}\n\n'])
  expect(named.error?.fault).toBe('rate_limited')
  const inChoice = await hearSteps([
    { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 429, message: 'busy' } }] },
  ])
  expect(inChoice.error?.fault).toBe('rate_limited')
})

test('only the first of several answers is reported', async () => {
  const { parts } = await hearSteps([
    { choices: [{ index: 1, delta: { content: 'no' } }] },
    {
      choices: [
        { index: 1, delta: { content: 'no' } },
        { index: 0, delta: { content: 'yes' }, finish_reason: 'stop' },
      ],
    },
    done,
  ])
  expect(textOf(parts)).toBe('yes')
})

test('the body of a chat caller goes on unchanged, fields that cost or are unknown stay here', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  upstream.reply(answer('ok'))
  const messages = [
    {
      role: 'user',
      content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
      weird: { deep: [1] },
    },
  ]
  const body = {
    messages,
    temperature: 0.5,
    top_k: 4,
    n: 3,
    service_tier: 'priority',
    store: true,
    max_completion_tokens: 999,
    user: 'u',
    made_up: 1,
  }
  await hear(
    provider,
    callOf(chatTurn(body, { maxOutputTokens: 17, reasoning: { enabled: true, effort: 'low' } })),
  )
  expect(upstream.calls[0]?.body).toEqual({
    model: 'upstream-model',
    messages,
    temperature: 0.5,
    top_k: 4,
    user: 'u',
    reasoning_effort: 'low',
    max_completion_tokens: 17,
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(Object.keys(body).filter((name) => !forwardedFields.has(name))).toEqual([
    'n',
    'service_tier',
    'store',
    'made_up',
  ])
})

test('a turn of another wire is written in this one', async () => {
  await using upstream = await fakeUpstream()
  await using provider = providerOf(upstream)
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  await hear(
    provider,
    callOf(
      chatTurn(
        {},
        {
          source: { wire: 'messages', body: { max_tokens: 5 } },
          messages: [
            { role: 'developer', content: [{ type: 'text', text: 'be brief' }] },
            {
              role: 'user',
              content: [
                { type: 'text', text: 'see' },
                {
                  type: 'image',
                  media: { data: Uint8Array.of(1, 2, 3), mediaType: 'image/png' },
                  detail: 'low',
                },
              ],
            },
            { role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'weather', arguments: '{}' }] },
            { role: 'tool', content: [{ type: 'text', text: 'sunny' }], toolCallId: 'c1' },
          ],
          tools: [{ name: 'weather', parameters, strict: true }],
          toolChoice: { type: 'tool', name: 'weather' },
          output: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true },
          stop: ['END'],
          temperature: 0,
        },
      ),
    ),
  )
  expect(upstream.calls[0]?.body).toEqual({
    model: 'upstream-model',
    messages: [
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters, strict: true } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: true,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
    },
    stop: ['END'],
    temperature: 0,
    max_tokens: 64,
    stream: true,
    stream_options: { include_usage: true },
  })
})
