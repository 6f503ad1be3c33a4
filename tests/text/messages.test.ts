import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { eventsOf, expectMessage, joined } from './messages-oracle.ts'
import { assistant, message, path, toolResult, toolUse, user, version, weather } from './messages-world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const thinking = { model: 'sandbox/reasoner', thinking: { type: 'adaptive' } }
const asks: [string, Record<string, unknown>][] = [
  ['text', {}],
  ['thinking', thinking],
  ['one call', { tools: [weather], messages: [user('get_weather in Paris')] }],
  ['several calls', { tools: [weather], messages: [user('get_weather in Paris and in Tehran')] }],
  ['thinking and a call', { ...thinking, tools: [weather], tool_choice: { type: 'any' } }],
  ['a refusal', { messages: [user('[[sandbox: refuse]]')] }],
  ['an answer cut by its limit', { max_tokens: 3 }],
  ['arguments cut by the limit', { max_tokens: 7, tools: [weather], tool_choice: { type: 'any' } }],
  ['an answer that a stop sequence ended', { stop_sequences: ['simulator'] }],
  ['no text at all', { stop_sequences: ['I am'] }],
]

describe.each(asks)('%s', (_, ask) => {
  test('has every key of a message and no unknown block, whole and streamed', async () => {
    const whole = await message(key, ask)
    expect(whole.status, whole.text).toBe(200)
    expectMessage(whole.body)
    const streamed = await message(key, { ...ask, stream: true })
    expect(streamed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    eventsOf(streamed.text)
  })

  test('is the same message whole and put together from its events', async () => {
    const { body } = await message(key, ask)
    const events = eventsOf((await message(key, { ...ask, stream: true })).text)
    const { id, ...streamed } = _.startsWith('arguments')
      ? { ...joined(cutArguments(events)) }
      : joined(events)
    expect(id).not.toBe(body.id)
    expect({ ...streamed, id: body.id }).toEqual(body)
  })
})

/** Half of an object is no JSON: a whole answer carries it wrapped, as the vendor tells its clients to; a stream has it in the object that it began. */
function cutArguments(events: ReturnType<typeof eventsOf>): ReturnType<typeof eventsOf> {
  const text = events.map(({ delta }) => delta?.partial_json ?? '').join('')
  const { INVALID_JSON: sent, ...others } = JSON.parse(text)
  expect(() => JSON.parse(sent)).toThrow()
  expect(Object.values(others).every((value) => value === null)).toBe(true)
  return events
    .filter(({ delta }) => delta?.partial_json === undefined)
    .toSpliced(2, 0, {
      type: 'content_block_delta',
      index: 0,
      delta: { partial_json: JSON.stringify({ INVALID_JSON: sent }) },
    })
}

test.each([
  ['end_turn', {}, null],
  ['max_tokens', { max_tokens: 2 }, null],
  ['tool_use', { tools: [weather], tool_choice: { type: 'any' } }, null],
  ['refusal', { messages: [user('[[sandbox: refuse]]')] }, null],
  ['stop_sequence', { stop_sequences: ['nowhere', 'simulator'] }, 'simulator'],
])('an answer says why it ended: %s', async (reason, ask, sequence) => {
  const { body } = await message(key, ask)
  expect(body).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
})

test('the id is that of the request, the model the one that answered', async () => {
  const reply = await message(key)
  expect(reply.body.id).toBe(`msg_${reply.headers.get('x-request-id')?.replaceAll('-', '')}`)
  expect(reply.body.model).toBe('sandbox/fast')
  expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'))
})

test('a message is charged to the micro-credit and explained by its receipt, which bears the caller’s marks', async () => {
  await world.settled()
  const before = await world.balance()
  const reply = await message(key, {}, { 'x-customer-id': 'c-1', 'x-reference-id': 'r-1' })
  await world.settled()
  const receipt = await key.receipt(reply.headers.get('x-request-id')!)
  expect(receipt.body).toMatchObject({
    state: 'completed',
    endpoint: path,
    pending: false,
    customer_id: 'c-1',
    reference_id: 'r-1',
    details: { tokens: { input: reply.body.usage.input_tokens, output: reply.body.usage.output_tokens } },
  })
  const charged = BigInt(receipt.body.microcredits)
  expect(charged).toBeGreaterThan(0n)
  expect(await world.balance()).toEqual({ available: before.available - charged, held: 0n })
})

test('usage tells what came from a cache apart from the rest of the prompt', async () => {
  const reply = await message(key, { messages: [user('hello [[sandbox: cached=5]]')] })
  await world.settled()
  const receipt = await key.receipt(reply.headers.get('x-request-id')!)
  const { input } = receipt.body.details.tokens
  expect(reply.body.usage).toMatchObject({ cache_read_input_tokens: 5, input_tokens: input - 5 })
})

describe('thinking', () => {
  const kinds = (body: { content: { type: string }[] }) => body.content.map(({ type }) => type)
  const reasoner = { model: 'sandbox/reasoner' }

  test.each([
    ['with a budget', { type: 'enabled', budget_tokens: 1024 }, ['thinking', 'text']],
    ['left to the model', { type: 'adaptive' }, ['thinking', 'text']],
    ['summarized', { type: 'adaptive', display: 'summarized' }, ['thinking', 'text']],
    ['between tools', { type: 'between_tools' }, ['thinking', 'text']],
    ['not shown', { type: 'adaptive', display: 'omitted' }, ['text']],
    ['switched off', { type: 'disabled' }, ['text']],
    ['not asked for', undefined, ['text']],
  ])('%s', async (_, asked, expected) => {
    const { body } = await message(key, { ...reasoner, ...(asked && { thinking: asked }) })
    expect(kinds(body)).toEqual(expected)
    const thinks = asked?.type !== 'disabled'
    expect(body.usage.output_tokens_details.thinking_tokens > 0).toBe(thinks)
  })

  test('an effort makes it longer; one that the model does not have is refused', async () => {
    const tokens = async (effort: string) =>
      (await message(key, { ...reasoner, thinking: { type: 'adaptive' }, output_config: { effort } })).body
        .usage.output_tokens_details.thinking_tokens
    expect(await tokens('high')).toBeGreaterThan(await tokens('low'))
    const refused = await message(key, { ...reasoner, output_config: { effort: 'max' } })
    expectRefusal(refused, { status: 400, code: 'REASONING_NOT_SUPPORTED', param: 'output_config.effort' })
    expect(refused.body.error.message).toContain('low, medium, high')
  })

  test('a budget needs a limit above it and a model that thinks', async () => {
    const enabled = (budget: number) => ({ thinking: { type: 'enabled', budget_tokens: budget } })
    expectRefusal(await message(key, { ...reasoner, max_tokens: 2048, ...enabled(2048) }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'thinking.budget_tokens',
    })
    expect((await message(key, { ...reasoner, max_tokens: 2048, ...enabled(2047) })).status).toBe(200)
    expectRefusal(await message(key, enabled(1024)), {
      status: 400,
      code: 'REASONING_NOT_SUPPORTED',
      param: 'thinking.budget_tokens',
    })
  })

  test.each(['summarized', 'updates', 'omitted', null])(
    'what clients say to every model is no error for one that does not think: %s',
    async (display) => {
      const ask = { thinking: { type: 'adaptive', display }, output_config: { effort: 'high' } }
      expect(kinds((await message(key, ask)).body)).toEqual(['text'])
    },
  )
})

describe('tools', () => {
  test('a call and its result make a whole round', async () => {
    const first = await message(key, { tools: [weather], messages: [user('get_weather in Paris')] })
    const call = first.body.content.at(-1)
    expect(call).toMatchObject({ type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } })
    const second = await message(key, {
      tools: [weather],
      messages: [
        user('get_weather in Paris'),
        assistant(first.body.content),
        user([{ ...toolResult(call.id, [{ type: 'text', text: '21 degrees' }]) }]),
      ],
    })
    expect(second.body.stop_reason).toBe('end_turn')
    expect(second.body.content[0].text).toContain('21 degrees')
    expect(second.body.content[0].text).toContain('get_weather')
  })

  test('disable_parallel_tool_use leaves one call', async () => {
    const ask = { tools: [weather], messages: [user('get_weather in Paris and in Tehran')] }
    expect((await message(key, ask)).body.content).toHaveLength(2)
    const serial = { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
    expect((await message(key, { ...ask, ...serial })).body.content).toHaveLength(1)
  })

  test('tool_choice: none calls nothing, a name calls that one', async () => {
    const ask = { tools: [weather, { ...weather, name: 'other' }], messages: [user('get_weather in Paris')] }
    expect((await message(key, { ...ask, tool_choice: { type: 'none' } })).body.stop_reason).toBe('end_turn')
    const named = await message(key, { ...ask, tool_choice: { type: 'tool', name: 'other' } })
    expect(named.body.content[0].name).toBe('other')
  })

  test.each([
    ['a choice without tools', { tool_choice: { type: 'any' } }, 'tool_choice'],
    [
      'a choice of another tool',
      { tools: [weather], tool_choice: { type: 'tool', name: 'other' } },
      'tool_choice.name',
    ],
    [
      'a result that nobody asked for',
      { messages: [user('a'), assistant('b'), user([toolResult('toolu_1')])] },
      'messages.2.content.0.tool_use_id',
    ],
    [
      'a second result of one call',
      {
        messages: [
          user('a'),
          assistant([toolUse('toolu_1')]),
          user([toolResult('toolu_1'), toolResult('toolu_1')]),
        ],
      },
      'messages.2.content.1.tool_use_id',
    ],
    [
      'a second call of one id',
      {
        messages: [
          user('a'),
          assistant([toolUse('toolu_1'), toolUse('toolu_1')]),
          user([toolResult('toolu_1')]),
        ],
      },
      'messages.1.content.1.id',
    ],
    [
      'a missing result',
      {
        messages: [
          user('a'),
          assistant([toolUse('toolu_1'), toolUse('toolu_2')]),
          user([toolResult('toolu_1')]),
        ],
      },
      'messages.2',
    ],
    [
      'a result that comes too late',
      {
        messages: [
          user('a'),
          assistant([toolUse('toolu_1')]),
          user('not yet'),
          assistant('b'),
          user([toolResult('toolu_1')]),
        ],
      },
      'messages.3',
    ],
  ])('%s is refused', async (_, ask, param) => {
    expectRefusal(await message(key, ask), { status: 400, code: 'INVALID_REQUEST', param })
  })

  test('results may come in several messages, with notes of the system between', async () => {
    const reply = await message(key, {
      messages: [
        user('a'),
        assistant([toolUse('toolu_1'), toolUse('toolu_2')]),
        user([toolResult('toolu_1')]),
        { role: 'system', content: 'be brief' },
        user([toolResult('toolu_2'), { type: 'text', text: 'and?' }]),
      ],
    })
    expect(reply.status, reply.text).toBe(200)
  })
})

test('output_config.format gives JSON of that schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  }
  const { body } = await message(key, { output_config: { format: { type: 'json_schema', schema } } })
  expect(JSON.parse(body.content[0].text)).toEqual({ name: expect.any(String), age: expect.any(Number) })
})

test('the system speaks as text, as blocks and in the middle', async () => {
  for (const system of ['Answer in Persian.', [{ type: 'text', text: 'Answer in Persian.' }]])
    expect((await message(key, { system })).body.content[0].text).toMatch(/[\u0600-\u06ff]/)
  const middle = [user('hi'), { role: 'system', content: 'Answer in Persian.' }, user('hello')]
  expect((await message(key, { messages: middle })).body.content[0].text).toMatch(/[\u0600-\u06ff]/)
})

describe('headers', () => {
  test('a key is taken as Bearer and as x-api-key', async () => {
    for (const headers of [{}, { authorization: undefined, 'x-api-key': key.secret }]) {
      const sent = new Headers({ ...version, 'content-type': 'application/json' })
      sent.set('authorization', `Bearer ${key.secret}`)
      if ('x-api-key' in headers) {
        sent.delete('authorization')
        sent.set('x-api-key', key.secret)
      }
      for (const [where, status] of [
        [path, 200],
        [`${path}/count_tokens`, 503],
      ] as const) {
        const body = JSON.stringify({ max_tokens: 5, messages: [user('hi')] })
        const reply = await fetch(world.url + where, { method: 'POST', headers: sent, body })
        expect(reply.status).toBe(status)
        await reply.arrayBuffer()
      }
    }
  })

  test('a key is not taken as x-api-key elsewhere', async () => {
    const headers = { 'x-api-key': key.secret, 'content-type': 'application/json' }
    const body = JSON.stringify({ messages: [user('hi')] })
    const reply = await fetch(`${world.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect(reply.status).toBe(401)
    await reply.arrayBuffer()
  })

  test.each(['2023-06-01', '2026-10-21'])('anthropic-version %s is taken', async (known) => {
    expect((await message(key, {}, { 'anthropic-version': known })).status).toBe(200)
  })

  test.each(['', '2023-01-01', '2026-10-22', 'latest'])(
    'anthropic-version "%s" is refused',
    async (other) => {
      const refusal = { status: 400, code: 'INVALID_REQUEST', param: 'anthropic-version' }
      expectRefusal(await message(key, {}, { 'anthropic-version': other }), refusal)
    },
  )

  test('a missing anthropic-version is refused', async () => {
    const reply = await key.post(path, { max_tokens: 5, messages: [user('hi')] })
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'anthropic-version' })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['temperature', { temperature: 1 }, 'temperature'],
    ['top_p', { top_p: 1 }, 'top_p'],
    ['top_k', { top_k: 5 }, 'top_k'],
    [
      'a document of the assistant',
      {
        messages: [
          user('a'),
          assistant([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }]),
          user('b'),
        ],
      },
      'messages.1.content.0',
    ],
    [
      'citations in a text of the user',
      {
        messages: [
          user([
            {
              type: 'text',
              text: 'a',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'x',
                  document_index: 0,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 1,
                },
              ],
            },
          ]),
        ],
      },
      'messages.0.content.0.citations',
    ],
  ])('the newer version has no %s, the older has', async (_, ask, param) => {
    expect((await message(key, ask)).status).toBe(200)
    expectRefusal(await message(key, ask, { 'anthropic-version': '2026-10-21' }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param,
    })
  })

  test('?beta=true and betas that nobody knows are ignored', async () => {
    const headers = { ...version, 'anthropic-beta': 'claude-code-20250219, unheard-of-2031-01-01' }
    const reply = await key.post(`${path}?beta=true`, { max_tokens: 5, messages: [user('hi')] }, headers)
    expect(reply.status).toBe(200)
  })

  test.each(['application/json', 'text/event-stream', 'application/binary', '*/*'])(
    'Accept: %s is never refused',
    async (accept) => {
      expect((await message(key, {}, { accept })).status).toBe(200)
    },
  )
})

describe('counting tokens', () => {
  const count = (client: Client, body: unknown = {}) => client.post(`${path}/count_tokens`, body)

  test('is answered 503 for good, whatever is sent, and costs nothing', async () => {
    await world.settled()
    const before = await world.balance()
    for (const body of [{}, { model: 'sandbox/fast', messages: [user('hello')] }, []]) {
      const reply = await count(key, body)
      expectRefusal(reply, { status: 503, code: 'TOKEN_COUNTING_UNAVAILABLE' })
      expect(reply.headers.get('x-should-retry')).toBe('false')
      expect(reply.headers.has('retry-after')).toBe(false)
    }
    expect(await world.balance()).toEqual(before)
  })

  test('needs a valid key, with whatever scope', async () => {
    expect((await count(await world.key({ scopes: [] }))).status).toBe(503)
    const reply = await key.post(`${path}/count_tokens`, {}, { authorization: 'Bearer khr_wrong' })
    expectRefusal(reply, { status: 401, code: 'INVALID_API_KEY' })
  })
})

test('a limit above that of the model is brought down, and the header says to what', async () => {
  const reply = await message(key, { max_tokens: 32_000 })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-max-output-tokens')).toBe('16384')
  expect((await message(key)).headers.has('x-max-output-tokens')).toBe(false)
})

test('without a model the default one answers', async () => {
  expect((await message(key)).body.model).toBe(world.app.models.defaults.text.id)
})

test('an overlong prompt is told in the words that clients look for', async () => {
  const reply = await message(key, { messages: [user('word '.repeat(40_000))] })
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'CONTEXT_LENGTH_EXCEEDED' } } })
  expect(reply.body.error.message).toContain('prompt is too long')
})

test.each([
  ['an unknown model', { model: 'no/such' }, 404, 'MODEL_NOT_FOUND', 'model'],
  ['no messages', { messages: [] }, 400, 'INVALID_REQUEST', 'messages'],
])('%s is refused', async (_, ask, status, code, param) => {
  const reply = await message(key, ask)
  expectRefusal(reply, { status, code, param })
  if (status === 404) expect(reply.body.error.message).toContain('does not exist')
})

test('a key without budget or for other models is refused', async () => {
  const poor = await world.key({ caps: { cap: 1n } })
  const unpaid = await message(poor)
  expectRefusal(unpaid, { status: 402, code: 'BUDGET_EXCEEDED' })
  expect(unpaid.headers.get('x-should-retry')).toBe('false')
  const narrow = await world.key({ models: ['sandbox/omni'] })
  expectRefusal(await message(narrow, { model: 'sandbox/fast' }), {
    status: 403,
    code: 'MODEL_NOT_ALLOWED',
    param: 'model',
  })
})

test('refusals are in Persian for who prefers it', async () => {
  const reply = await message(key, { tool_choice: { type: 'any' } }, { 'accept-language': 'fa' })
  expect(reply.body.error.message).toMatch(/[\u0600-\u06ff]/)
})
