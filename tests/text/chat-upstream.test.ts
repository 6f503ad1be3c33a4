/** What goes to the upstream and what comes back, field by field. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunk, done, json, stream, type UpstreamCall } from '../harness/upstream.ts'
import {
  chunksOf,
  explained,
  requestIdOf,
  shareOnUpstream,
  type UpstreamWorld,
  weather,
} from './chat-world.ts'

let at: UpstreamWorld
beforeAll(async () => {
  at = await shareOnUpstream()
})
afterAll(() => at[Symbol.asyncDispose]())

async function sentBy(
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<UpstreamCall> {
  const position = at.upstream.calls.length
  expect((await at.key.chat(body, headers)).status).toBe(200)
  return at.upstream.calls[position]!
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

test('the upstream gets its own name of the model and the limit that is paid for', async () => {
  const call = await sentBy({ model: 'test/model' })
  expect(call.path).toBe('/v1/chat/completions')
  expect(call.body).toEqual({
    model: 'upstream-model',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 16_384,
    stream: false,
  })
  expect((await sentBy({ max_tokens: 5 })).body).toMatchObject({ max_tokens: 5 })
  const renamed = (await sentBy({ max_completion_tokens: 6 })).body
  expect(renamed).toMatchObject({ max_completion_tokens: 6 })
  expect(renamed).not.toHaveProperty('max_tokens')
  expect((await sentBy({ max_tokens: 32_000 })).body).toMatchObject({ max_tokens: 16_384 })
})

test('messages go upstream as they came, unknown fields, media and both spellings of reasoning included', async () => {
  const messages = [
    { role: 'developer', content: 'be brief', name: 'rules', vendor_field: { deep: [1, null, 'سلام'] } },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'what is this?', cache_control: { type: 'ephemeral' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning: 'a',
      reasoning_content: 'b',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'opaque' }],
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"تهران"}' },
          extra_content: { signature: 's' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '30 °C' },
  ]
  expect((await sentBy({ messages, tools: [weather] })).body).toMatchObject({ messages, tools: [weather] })
})

test('usage is asked of the upstream even when the caller did not ask, and then kept from the caller', async () => {
  const position = at.upstream.calls.length
  const reply = await at.key.chat({ stream: true })
  expect(at.upstream.calls[position]?.body).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(reply.text).not.toContain('"usage"')
  await at.key.chat({ stream: true, stream_options: { include_usage: false } })
  expect(at.upstream.calls[position + 1]?.body).toMatchObject({ stream_options: { include_usage: true } })
})

test('nothing of the caller reaches the upstream but the question: no key, no ids, no switch of ours', async () => {
  const call = await sentBy(
    {
      include_reasoning: true,
      store: true,
      metadata: { who: 'me' },
      service_tier: 'priority',
      n: 1,
      web_search_options: {},
    },
    {
      'x-customer-id': 'customer-7',
      'x-reference-id': 'reference-7',
      'idempotency-key': 'mine',
      cookie: 'a=b',
    },
  )
  expect(Object.keys(call.body ?? {}).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream'])
  expect(call.headers.authorization).toBe('Bearer upstream-secret')
  const sent = JSON.stringify([call.headers, call.body])
  for (const secret of [at.key.secret, 'customer-7', 'reference-7', 'mine', 'a=b'])
    expect(sent).not.toContain(secret)
})

test('reasoning is asked for by effort, whichever spelling the caller used; a null is no wish', async () => {
  for (const body of [
    { reasoning_effort: 'high' },
    { reasoning: { effort: 'high' } },
    { reasoning: { effort: 'high' }, reasoning_effort: null },
    { reasoning: { effort: null }, reasoning_effort: 'high' },
    { reasoning: { effort: 'high' }, reasoning_effort: 'high' },
  ]) {
    const sent = (await sentBy(body)).body
    expect(sent).toMatchObject({ reasoning_effort: 'high' })
    expect(sent).not.toHaveProperty('reasoning')
  }
  expect((await sentBy({})).body).not.toHaveProperty('reasoning_effort')
})

test.each([{}, { strict: null }])(
  'a schema that says nothing of strictness (%o) is strict',
  async (silent) => {
    const json_schema = { name: 'answer', schema: { type: 'object' } }
    const asked = { type: 'json_schema', json_schema: { ...json_schema, ...silent } }
    const { body } = await sentBy({ response_format: asked })
    expect(body?.['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { ...json_schema, strict: true },
    })
  },
)

test('an empty list of tools, which upstreams refuse, is left out with its companions', async () => {
  const sent = (await sentBy({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })).body
  for (const field of ['tools', 'tool_choice', 'parallel_tool_calls']) expect(sent).not.toHaveProperty(field)
})

const strange = {
  service_tier: 'default',
  citations: ['https://example.org'],
  system_fingerprint: 'fp_1',
}

test('fields that only the upstream knows come back unchanged in a whole answer', async () => {
  at.upstream.replyOnce(
    json(200, {
      id: 'chatcmpl-of-the-upstream',
      object: 'chat.completion',
      created: 1,
      model: 'upstream-model',
      ...strange,
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          native_finish_reason: 'eos',
          logprobs: {
            content: [{ token: 'hi', logprob: -0.1, bytes: [1], top_logprobs: [] }],
            refusal: null,
          },
          message: {
            role: 'assistant',
            content: 'hi',
            annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org' } }],
            audio: { id: 'a' },
          },
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 1,
        total_tokens: 4,
        prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
        completion_tokens_details: { accepted_prediction_tokens: 0 },
      },
    }),
  )
  const { body, text } = await at.key.chat({ logprobs: true })
  expect(body).toMatchObject({
    ...strange,
    model: 'test/model',
    choices: [
      {
        native_finish_reason: 'eos',
        logprobs: { content: [{ token: 'hi', logprob: -0.1 }] },
        message: { annotations: [{ type: 'url_citation' }], audio: { id: 'a' } },
      },
    ],
    usage: {
      prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
    },
  })
  expect(text).not.toMatch(/of-the-upstream|upstream-model/)
})

test('fields that only the upstream knows come back unchanged in a stream', async () => {
  const annotations = [
    {
      type: 'url_citation',
      url_citation: { url: 'https://example.org', title: 't', start_index: 0, end_index: 2 },
    },
  ]
  const logprobs = { content: [{ token: 'hi', logprob: -0.1 }] }
  const first = chunk({ role: 'assistant', content: 'hi' }, null, strange)
  Object.assign(first.choices[0]!, { logprobs })
  at.upstream.replyOnce(
    stream([{ ...first, id: 'chatcmpl-of-the-upstream' }, chunk({ annotations }), chunk({}, 'stop'), done]),
  )
  const { text } = await at.key.chat({ stream: true })
  const chunks = chunksOf(text)
  expect(chunks[0]).toMatchObject({
    ...strange,
    model: 'test/model',
    choices: [{ logprobs, delta: { content: 'hi' } }],
  })
  expect(chunks[1]).toMatchObject({ choices: [{ delta: { annotations } }] })
  expect(text).not.toMatch(/of-the-upstream|upstream-model/)
})

test('a signature on a tool call comes back on that call, whole and streamed', async () => {
  const call = {
    id: 'call_9',
    type: 'function',
    function: { name: 'get_weather', arguments: '{}' },
    extra_content: { google: { thought_signature: 'sig' } },
  }
  const whole = {
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: [call] },
      },
    ],
  }
  at.upstream.replyOnce(
    json(200, whole),
    stream([chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, 'tool_calls'), done]),
  )
  const { body } = await at.key.chat({ tools: [weather] })
  expect(body.choices[0].message.tool_calls).toEqual([call])
  const [opened] = chunksOf((await at.key.chat({ tools: [weather], stream: true })).text)
  expect(opened?.choices[0]?.delta['tool_calls']).toEqual([
    {
      index: 0,
      id: 'call_9',
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
      extra_content: call.extra_content,
    },
  ])
})

test('a tool call that never got a name leaves no gap among the others', async () => {
  const steps = [
    chunk({ tool_calls: [{ index: 0, id: 'lost', function: { arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 1, id: 'kept', function: { name: 'get_weather', arguments: '{}' } }] }),
    chunk({}, 'tool_calls'),
    done,
  ]
  at.upstream.reply(stream(steps))
  const opened = chunksOf((await at.key.chat({ tools: [weather], stream: true })).text)[0]?.choices[0]?.delta[
    'tool_calls'
  ]
  expect(opened).toMatchObject([{ index: 0, id: 'kept' }])
  const { body } = await at.key.chat({ tools: [weather] })
  expect(body.choices[0].message.tool_calls).toEqual([
    { id: 'kept', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
  ])
  at.upstream.reply({ kind: 'answer', text: undefined })
})

const thinking = [
  chunk({ reasoning_content: 'let me see', thinking_blocks: [{ thinking: 'let me see' }] }),
  chunk({ reasoning_details: [{ type: 'reasoning.text', text: ' …', signature: 's' }], thought: 'hm' }),
  chunk({ content: 'four' }, 'stop'),
  {
    ...chunk({}),
    choices: [],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 9,
      total_tokens: 14,
      completion_tokens_details: { reasoning_tokens: 8 },
    },
  },
  done,
]

test('reasoning of an upstream is hidden in every spelling unless asked for, and counted either way', async () => {
  at.upstream.replyOnce(stream(thinking), stream(thinking), stream(thinking), stream(thinking))
  for (const streamed of [true, false]) {
    const hidden = await at.key.chat({ stream: streamed })
    expect(hidden.text).toContain('four')
    expect(hidden.text).not.toMatch(/let me see|…|hm|"reasoning"|thinking/)
    const receipt = await explained(at.key, requestIdOf(hidden))
    expect(receipt.details.tokens).toMatchObject({ output: 9, reasoning: 8 })
  }
  const shown = chunksOf((await at.key.chat({ stream: true, include_reasoning: true })).text)
  expect(shown[0]?.choices[0]?.delta).toMatchObject({
    reasoning: 'let me see',
    reasoning_content: 'let me see',
    reasoning_details: [{ text: 'let me see' }],
  })
  expect(shown[1]?.choices[0]?.delta).toMatchObject({
    reasoning: ' …',
    reasoning_details: [{ type: 'reasoning.text', text: ' …', signature: 's' }],
  })
  const whole = await at.key.chat({ include_reasoning: true })
  expect(whole.body.choices[0].message).toMatchObject({
    content: 'four',
    reasoning: 'let me see …',
    reasoning_details: [{ signature: 's' }],
  })
})

test('an upstream that reports no usage, or one of nothing or of nonsense, is estimated, and the receipt says so', async () => {
  const sent = chunk({ content: 'seven words are more than enough here' }, 'stop')
  at.upstream.replyOnce(
    stream([sent, done]),
    stream([
      sent,
      {
        ...chunk({}),
        choices: [],
        usage: { prompt_tokens: -1, completion_tokens: '9', total_tokens: [] },
      },
      done,
    ]),
    stream([
      sent,
      { ...chunk({}), choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
      done,
    ]),
  )
  const estimates = []
  for (let call = 0; call < 3; call++) {
    const reply = await at.key.chat({ stream: true, stream_options: { include_usage: true } })
    const { details, microcredits } = await explained(at.key, requestIdOf(reply))
    expect(details.usage_source).toBe('estimated')
    const { usage } = chunksOf(reply.text).at(-1)!
    expect(usage).toMatchObject({
      prompt_tokens: details.tokens?.['input'],
      completion_tokens: details.tokens?.['output'],
    })
    expect(BigInt(microcredits)).toBe(
      BigInt(details.tokens?.['input'] ?? 0) * 1_000n + BigInt(details.tokens?.['output'] ?? 0) * 2_000n,
    )
    estimates.push(microcredits)
  }
  expect(new Set(estimates).size).toBe(1)
  const answered = await at.key.chat({})
  expect((await explained(at.key, requestIdOf(answered))).details.usage_source).toBe('upstream')
})

test('text that a database cannot hold, such as a null character, passes through an answer and its receipt', async () => {
  at.upstream.replyOnce(
    stream([{ ...chunk({ content: 'a\u0000b\ud800' }, 'stop'), id: 'odd\u0000id\ud800' }, done]),
  )
  const reply = await at.key.chat(
    { messages: [{ role: 'user', content: 'nul \u0000 lone \udfff' }] },
    { 'idempotency-key': 'odd' },
  )
  expect(reply.body.choices[0].message.content).toBe('a\u0000b\ud800')
  expect((await explained(at.key, requestIdOf(reply))).state).toBe('completed')
  const again = await at.key.chat(
    { messages: [{ role: 'user', content: 'nul \u0000 lone \udfff' }] },
    { 'idempotency-key': 'odd' },
  )
  expect(again.text).toBe(reply.text)
})

test('what the operator pays upstream is not shown to callers', async () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 2,
    total_tokens: 5,
    cost: 0.01,
    cost_details: { upstream: 1 },
    is_byok: true,
    mine: 7,
  }
  at.upstream.replyOnce(
    json(200, {
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage,
    }),
    stream([chunk({ content: 'hi' }), chunk({}, 'stop'), { choices: [], usage }, done]),
  )
  const whole = await at.key.chat({})
  expect(whole.body.usage).toMatchObject({ prompt_tokens: 3, mine: 7 })
  expect(whole.text).not.toMatch(/cost|byok/)
  const streamed = await at.key.chat({ stream: true, stream_options: { include_usage: true } })
  expect(streamed.text).toContain('"mine":7')
  expect(streamed.text).not.toMatch(/cost|byok/)
})

test('a limit that nobody asked for leaves room for the prompt in the context', async () => {
  const long = 'x'.repeat(2 * 120_000)
  const call = await sentBy({ messages: [{ role: 'user', content: long }] })
  expect(call.body?.['max_tokens']).toBeLessThanOrEqual(128_000 - 120_000)
  expect(call.body?.['max_tokens']).toBeGreaterThan(7_000)
})
