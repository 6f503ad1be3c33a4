/** The official Anthropic client: answers, streams, tools, thinking, failures and retries. */
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { answer, chunk, cut, json, stream } from '../harness/upstream.ts'
import { bootOnUpstream, explained, type UpstreamWorld } from '../text/chat-world.ts'
import { weather } from '../text/messages-world.ts'
import { png } from './media-samples.ts'

let at: UpstreamWorld
let client: Anthropic
beforeAll(async () => {
  at = await bootOnUpstream({ timing: { streamOpenMs: 30, streamHeartbeatMs: 40 } })
  client = counting().client
})
afterEach(() => at.upstream.reply(answer()))
afterAll(() => at[Symbol.asyncDispose]())

/** A client that notes when each of its requests really left. */
function counting(authToken = at.key.secret, more: { maxRetries?: number } = {}) {
  const sentAtMs: number[] = []
  const client = new Anthropic({
    baseURL: at.world.url,
    apiKey: null,
    authToken,
    ...more,
    fetch: (url, init) => {
      sentAtMs.push(performance.now())
      return fetch(url, init)
    },
  })
  return { client, sentAtMs }
}

const hello = [{ role: 'user' as const, content: 'hello' }]
const ask = { model: 'sandbox/fast', max_tokens: 4000, messages: hello }
const reason = { ...ask, model: 'sandbox/reasoner', thinking: { type: 'adaptive' as const } }

test('messages.create answers, and knows its request', async () => {
  const { data, request_id: id } = await client.messages.create(ask).withResponse()
  expect(data).toMatchObject({
    type: 'message',
    role: 'assistant',
    model: 'sandbox/fast',
    stop_reason: 'end_turn',
  })
  expect(data.id).toBe(`msg_${id?.replaceAll('-', '')}`)
  expect(data.content[0]?.type === 'text' && data.content[0].text.length > 0).toBe(true)
  expect((await explained(at.key, id!)).state).toBe('completed')
})

test('the client may send its key as x-api-key', async () => {
  const direct = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret, authToken: null })
  expect((await direct.messages.create(ask)).stop_reason).toBe('end_turn')
})

test.each<[string, Anthropic.MessageCreateParamsNonStreaming]>([
  ['text', ask],
  ['thinking', reason],
  [
    'calls',
    { ...ask, tools: [weather], messages: [{ role: 'user', content: 'weather in Paris and in Tehran' }] },
  ],
  ['thinking and a call', { ...reason, tools: [weather], tool_choice: { type: 'any' } }],
  ['a refusal', { ...ask, messages: [{ role: 'user', content: '[[sandbox: refuse]]' }] }],
  ['a stop sequence', { ...ask, stop_sequences: ['simulator'] }],
])('finalMessage() of a stream is the whole answer: %s', async (_, params) => {
  const { id: _id, ...whole } = await client.messages.create(params)
  // Of usage the client's helper puts together only what it knows; who reads the events has the cost too (cost.test.ts).
  for (const field of ['credits', 'microcredits']) Reflect.deleteProperty(whole.usage, field)
  // The client's own addition.
  const {
    id: _other,
    parsed_output: _parsed,
    ...streamed
  } = await client.messages.stream(params).finalMessage()
  expect(JSON.parse(JSON.stringify(streamed))).toEqual(whole)
})

test('create with stream: true yields every event of the wire', async () => {
  const types = new Set<string>()
  for await (const event of await client.messages.create({ ...reason, stream: true })) types.add(event.type)
  expect([...types]).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
})

test('tools go through a whole round, whole and streamed', async () => {
  const question = { role: 'user' as const, content: 'weather in Paris' }
  for (const create of [
    (params: Anthropic.MessageCreateParamsNonStreaming) => client.messages.create(params),
    (params: Anthropic.MessageCreateParamsNonStreaming) => client.messages.stream(params).finalMessage(),
  ]) {
    const first = await create({ ...reason, tools: [weather], messages: [question] })
    const call = first.content.find((block) => block.type === 'tool_use')!
    expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } })
    const second = await create({
      ...reason,
      tools: [weather],
      messages: [
        question,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }] },
      ],
    })
    expect(JSON.stringify(second.content)).toContain('sunny')
    expect(second.stop_reason).toBe('end_turn')
  }
})

test('thinking streams and is put together with its signature', async () => {
  const helper = client.messages.stream(reason)
  let thinking = ''
  let signatures = 0
  helper.on('thinking', (delta) => {
    thinking += delta
  })
  helper.on('signature', () => {
    signatures++
  })
  const { content } = await helper.finalMessage()
  expect(content[0]).toEqual({ type: 'thinking', thinking, signature: '' })
  expect(thinking.length).toBeGreaterThan(0)
  expect(signatures).toBe(1)
})

test('structured output parses', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  }
  const { content } = await client.messages.create({
    ...ask,
    output_config: { format: { type: 'json_schema', schema } },
  })
  expect(content[0]?.type === 'text' && JSON.parse(content[0].text)).toEqual({ name: expect.any(String) })
})

test('a picture is taken by a model that sees', async () => {
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: png }
  const { content } = await client.messages.create({
    ...ask,
    model: 'sandbox/omni',
    messages: [{ role: 'user', content: [{ type: 'image', source }] }],
  })
  expect(content[0]?.type === 'text' && content[0].text).toMatch(/1\s?[x×]\s?1\b/)
})

test('beta methods and betas that nobody knows work the same', async () => {
  const { content } = await client.beta.messages.create({ ...ask, betas: ['unheard-of-2031-01-01'] })
  expect(content[0]?.type).toBe('text')
})

test('pings in a long silence are not seen', async () => {
  const release = Promise.withResolvers<void>()
  const end = [chunk({ content: 'late' }), chunk({}, 'stop')]
  at.upstream.replyOnce(stream([release.promise, ...end, 'data: [DONE]\n\n']))
  let pings = 0
  const listening = new Anthropic({
    baseURL: at.world.url,
    apiKey: null,
    authToken: at.key.secret,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      const [ours, theirs] = response.body!.tee()
      void (async () => {
        for await (const bytes of ours) {
          pings += Buffer.from(bytes).toString().split('event: ping').length - 1
          if (pings > 1) release.resolve()
        }
      })()
      return new Response(theirs, response)
    },
  })
  const message = await listening.messages.stream({ ...ask, model: 'test/model' }).finalMessage()
  expect(message.content).toMatchObject([{ type: 'text', text: 'late' }])
  expect(pings).toBeGreaterThan(1)
})

async function errorOf(asked: PromiseLike<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Anthropic.APIError)) throw new Error(`no APIError: ${String(error)}`)
  return error
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const failing = (body: object, secret?: string) =>
  errorOf(counting(secret, { maxRetries: 0 }).client.messages.create({ ...ask, ...body } as typeof ask))

test.each<
  [string, () => Promise<InstanceType<typeof Anthropic.APIError>>, new (...args: never[]) => Error, object]
>([
  [
    '400',
    () => failing({ messages: [] }),
    Anthropic.BadRequestError,
    { status: 400, type: 'invalid_request_error' },
  ],
  [
    '401',
    () => failing({}, 'khr_wrong'),
    Anthropic.AuthenticationError,
    { status: 401, type: 'authentication_error' },
  ],
  [
    '402',
    async () => failing({}, (await at.world.key({ caps: { cap: 0n } })).secret),
    Anthropic.APIError,
    { status: 402, type: 'billing_error' },
  ],
  [
    '403',
    async () => failing({}, (await at.world.key({ scopes: [] })).secret),
    Anthropic.PermissionDeniedError,
    { status: 403, type: 'permission_error' },
  ],
  [
    '404',
    () => failing({ model: 'no/such' }),
    Anthropic.NotFoundError,
    { status: 404, type: 'not_found_error' },
  ],
  [
    '502',
    () => failing({ messages: [{ role: 'user', content: '[[sandbox: fault=malformed]]' }] }),
    Anthropic.InternalServerError,
    { status: 502, type: 'api_error' },
  ],
])('%s is raised as its own class, with type and request id', async (_, raise, expected, fields) => {
  const error = await raise()
  expect(error).toBeInstanceOf(expected)
  expect(error).toMatchObject(fields)
  expect(error.requestID).toMatch(uuid)
})

describe('repeats', () => {
  test('counting tokens is refused after exactly one request', async () => {
    const { client, sentAtMs } = counting()
    const error = await errorOf(client.messages.countTokens({ model: 'sandbox/fast', messages: hello }))
    expect(error).toMatchObject({ status: 503, type: 'api_error' })
    expect(sentAtMs).toHaveLength(1)
  })

  test('a conflict and an empty balance are told after exactly one request', async () => {
    const { client, sentAtMs } = counting()
    const headers = { 'Idempotency-Key': 'anthropic-conflict' }
    await client.messages.create(ask, { headers })
    sentAtMs.length = 0
    const error = await errorOf(client.messages.create({ ...ask, max_tokens: 3 }, { headers }))
    expect(error).toBeInstanceOf(Anthropic.ConflictError)
    expect(sentAtMs).toHaveLength(1)
    const poor = counting((await at.world.key({ caps: { cap: 1n } })).secret)
    expect(await errorOf(poor.client.messages.create(ask))).toMatchObject({ status: 402 })
    expect(poor.sentAtMs).toHaveLength(1)
  })

  test('a 429 is sent again after the time it was given', async () => {
    const { client, sentAtMs } = counting()
    const slow = json(429, { error: { message: 'slow' } }, { 'retry-after-ms': '600' })
    at.upstream.replyOnce(slow, slow, slow)
    expect((await client.messages.create({ ...ask, model: 'test/model' })).type).toBe('message')
    expect(sentAtMs).toHaveLength(2)
    expect(sentAtMs[1]! - sentAtMs[0]!).toBeGreaterThanOrEqual(600)
  })
})

test('a stream that breaks in the middle throws an APIError with its type, after what was said', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const helper = counting().client.messages.stream({ ...ask, model: 'test/model' })
  let text = ''
  helper.on('text', (delta) => {
    text += delta
  })
  const error = await errorOf(helper.finalMessage())
  expect(text).toBe('half')
  expect(error).toMatchObject({ type: 'api_error', error: { error: { code: 'UPSTREAM_FAILED' } } })
  expect(error.requestID).toMatch(uuid)
})

test('aborting a stream ends the call at the upstream', async () => {
  const position = at.upstream.calls.length
  at.upstream.replyOnce(stream([chunk({ content: 'one' }), new Promise(() => {})]))
  const opened = await client.messages.create({ ...ask, model: 'test/model', stream: true })
  for await (const event of opened) if (event.type === 'content_block_delta') opened.controller.abort()
  await (await at.upstream.call(position)).whenAborted
  await at.world.settled()
})

test('a request as a coding agent sends it is answered', async () => {
  const reply = await at.key.post(
    '/v1/messages?beta=true',
    {
      model: 'sandbox/fast',
      max_tokens: 32_000,
      stream: true,
      system: [
        { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }] },
        { role: 'system', content: 'The date is 1405/08/29.' },
      ],
      tools: [{ ...weather, defer_loading: false, eager_input_streaming: true }],
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      metadata: { user_id: JSON.stringify({ device_id: 'a'.repeat(64), session_id: 'b'.repeat(36) }) },
    },
    {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    },
  )
  expect(reply.status, reply.text).toBe(200)
  expect(reply.text).toContain('event: message_stop')
})
