import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { weather } from './chat-world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

test('a chat is answered, charged to the micro-credit and explained by its receipt', async () => {
  await world.settled()
  const before = await world.balance()
  const reply = await key.chat({})
  expect(reply.status).toBe(200)
  await world.settled()
  const receipt = await key.receipt(reply.headers.get('x-request-id')!)
  expect(receipt.body).toMatchObject({
    state: 'completed',
    status_code: 200,
    pending: false,
    endpoint: '/v1/chat/completions',
  })
  const charged = BigInt(receipt.body.microcredits)
  expect(charged).toBeGreaterThan(0n)
  expect(await world.balance()).toEqual({ available: before.available - charged, held: 0n })
})

test('an answer has every member that clients read, and none that would break them', async () => {
  const { body } = await key.chat({ model: 'sandbox/fast' })
  expect(body).toMatchObject({
    object: 'chat.completion',
    model: 'sandbox/fast',
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: 'stop',
        message: { role: 'assistant', refusal: null, annotations: [] },
      },
    ],
    usage: {
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  })
  expect(body.id).toMatch(/^chatcmpl-/)
  expect(Math.abs(body.created - Date.now() / 1000)).toBeLessThan(60)
  expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens)
  expect(body).not.toHaveProperty('system_fingerprint')
  expect(body).not.toHaveProperty('error')
  expect(body.choices[0].message).not.toHaveProperty('tool_calls')
})

test('an answer that only calls tools has null content', async () => {
  const { body } = await key.chat({ tools: [weather], tool_choice: 'required' })
  const [choice] = body.choices
  expect(choice.finish_reason).toBe('tool_calls')
  expect(choice.message).toMatchObject({ content: null, refusal: null })
  expect(JSON.parse(choice.message.tool_calls[0].function.arguments)).toHaveProperty('city')
})

test('a refusal of the model is reported as one', async () => {
  const { body } = await key.chat({ messages: [{ role: 'user', content: '[[sandbox: refuse]]' }] })
  expect(body.choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: null } })
  expect(body.choices[0].message.refusal.length).toBeGreaterThan(0)
})

test('without a model the default one answers, and says which it was', async () => {
  const { status, body } = await key.chat({})
  expect(status).toBe(200)
  expect(body.model).toBe(world.app.models.defaults.text.id)
})

test('messages are needed: none and an empty list are refused with their path', async () => {
  const empty = await key.chat({ messages: [] })
  expect(empty).toMatchObject({
    status: 400,
    body: { error: { code: 'INVALID_REQUEST', param: 'messages', execution_started: false } },
  })
  const missing = await key.post('/v1/chat/completions', { model: 'sandbox/fast' })
  expect(missing).toMatchObject({ status: 400, body: { error: { param: 'messages' } } })
})

test.each(['application/json', 'text/event-stream', 'application/binary', '*/*', 'image/png'])(
  'Accept: %s is never refused',
  async (accept) => {
    expect((await key.chat({}, { accept })).status).toBe(200)
  },
)

test('reasoning is hidden unless include_reasoning asks for it, whole and streamed', async () => {
  const ask = { model: 'sandbox/reasoner', reasoning_effort: 'high' }
  const hidden = await key.chat(ask)
  expect(hidden.body.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0)
  expect(hidden.text).not.toMatch(/"reasoning(_content|_details)?":/)
  const shown = await key.chat({ ...ask, include_reasoning: true })
  const { message } = shown.body.choices[0]
  expect(message.reasoning.length).toBeGreaterThan(0)
  expect(message.reasoning_content).toBe(message.reasoning)
  expect(message.reasoning_details).toEqual([{ type: 'reasoning.text', text: message.reasoning, index: 0 }])
  expect(shown.body.usage).toEqual(hidden.body.usage)

  expect((await key.chat({ ...ask, stream: true })).text).not.toMatch(/"reasoning(_content|_details)?":/)
  expect((await key.chat({ ...ask, stream: true, include_reasoning: true })).text).toMatch(
    /"reasoning_content":.*"reasoning_details":/,
  )
  const excluded = await key.chat({ ...ask, include_reasoning: true, reasoning: { exclude: true } })
  expect(excluded.text).not.toMatch(/"reasoning(_content|_details)?":/)
})

test('json_schema output is JSON of that schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  }
  const { body } = await key.chat({
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
  })
  expect(JSON.parse(body.choices[0].message.content)).toEqual({
    name: expect.any(String),
    age: expect.any(Number),
  })
})

test('fields without effect are tolerated and named; the ones of the field are not', async () => {
  const reply = await key.chat({
    metadata: { a: 'b' },
    store: true,
    temperature: 0.5,
    user: 'someone',
    ناشناخته: 1,
    n: 1,
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-ignored-fields')?.split(', ')).toEqual(['metadata', 'store', '????????'])
  expect((await key.chat({ temperature: 0.5 })).headers.has('x-ignored-fields')).toBe(false)
})

test('a long answer ends at the limit and says so; the limit that was applied is in the header when it is not the asked one', async () => {
  const asked = await key.chat({
    max_tokens: 5,
    messages: [{ role: 'user', content: '[[sandbox: tokens=50]]' }],
  })
  expect(asked.body.choices[0].finish_reason).toBe('length')
  expect(asked.body.usage.completion_tokens).toBe(5)
  expect(asked.headers.has('x-max-output-tokens')).toBe(false)
  const both = await key.chat({
    max_tokens: 7,
    max_completion_tokens: 3,
    messages: [{ role: 'user', content: '[[sandbox: tokens=50]]' }],
  })
  expect(both.body.usage.completion_tokens).toBe(3)
  const over = await key.chat({ max_tokens: 32_768 })
  expect(over.headers.get('x-max-output-tokens')).toBe('16384')
})

/** Every way of being refused that needs no upstream, with status, code and path. */
const refusals: [string, () => Promise<Seen>, number, string, string | undefined][] = [
  [
    'broken JSON',
    () => key.request('POST', '/v1/chat/completions', '{"messages":'),
    400,
    'INVALID_JSON',
    undefined,
  ],
  ['no JSON at all', () => key.request('POST', '/v1/chat/completions'), 400, 'INVALID_REQUEST', undefined],
  ['a wrong type', () => key.chat({ temperature: 'hot' }), 400, 'INVALID_REQUEST', 'temperature'],
  ['a number past its bound', () => key.chat({ max_tokens: 32_769 }), 400, 'INVALID_REQUEST', 'max_tokens'],
  ['several answers', () => key.chat({ n: 2 }), 400, 'INVALID_REQUEST', 'n'],
  [
    'an unknown part',
    () => key.chat({ messages: [{ role: 'user', content: [{ type: 'smell' }] }] }),
    400,
    'INVALID_REQUEST',
    'messages.0.content.0.type',
  ],
  [
    'a tool choice without tools',
    () => key.chat({ tool_choice: 'required' }),
    400,
    'INVALID_REQUEST',
    'tool_choice',
  ],
  [
    'a tool choice of another tool',
    () => key.chat({ tools: [weather], tool_choice: { type: 'function', function: { name: 'other' } } }),
    400,
    'INVALID_REQUEST',
    'tool_choice.function.name',
  ],
  ['an unknown model', () => key.chat({ model: 'no/such' }), 404, 'MODEL_NOT_FOUND', 'model'],
  ['another method', () => key.get('/v1/chat/completions'), 405, 'METHOD_NOT_ALLOWED', undefined],
  ['another path', () => key.post('/v1/chat/completion', {}), 404, 'ROUTE_NOT_FOUND', undefined],
  [
    'a body that is too large',
    () => key.chat({ padding: 'x'.repeat(4 * 1024 * 1024) }),
    413,
    'BODY_TOO_LARGE',
    undefined,
  ],
  [
    'a model the key may not use',
    async () => (await world.key({ models: ['sandbox/omni'] })).chat({ model: 'sandbox/fast' }),
    403,
    'MODEL_NOT_ALLOWED',
    'model',
  ],
  [
    'a key without budget',
    async () => (await world.key({ caps: { cap: 1n } })).chat({}),
    402,
    'BUDGET_EXCEEDED',
    undefined,
  ],
  [
    'an overlong customer id',
    () => key.chat({}, { 'x-customer-id': 'c'.repeat(121) }),
    400,
    'INVALID_REQUEST',
    'X-Customer-ID',
  ],
]

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'invalid_request_error',
}

test.each(refusals)(
  'refused with the one error body, both id headers and no charge: %s',
  async (_, ask, status, code, param) => {
    await world.settled()
    const before = await world.balance()
    const reply = await ask()
    const id = reply.headers.get('x-request-id')
    expect(id).toMatch(uuid)
    expect(reply.headers.get('request-id')).toBe(id)
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
    expect(reply.body).toEqual({
      type: 'error',
      request_id: id,
      error: {
        type: types[status],
        code,
        message: expect.stringMatching(/\S/),
        request_id: id,
        execution_started: false,
        ...(param !== undefined && { param }),
      },
    })
    expect(reply.status).toBe(status)
    expect(reply.headers.get('x-should-retry')).toBe(status === 402 || status === 413 ? 'false' : null)
    expect(await world.balance()).toEqual(before)
  },
)

test('an answer carries one request id in both headers', async () => {
  const reply = await key.chat({})
  expect(reply.headers.get('x-request-id')).toMatch(uuid)
  expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'))
})

test('an unknown model is said in the words that clients look for', async () => {
  expect((await key.chat({ model: 'no/such' })).body.error.message).toContain('does not exist')
})

test('refusals are in Persian for who prefers it', async () => {
  const reply = await key.chat({ model: 'no/such' }, { 'accept-language': 'fa-IR,fa;q=0.9,en;q=0.5' })
  expect(reply.body.error.message).toMatch(/[\u0600-\u06ff]/)
})
