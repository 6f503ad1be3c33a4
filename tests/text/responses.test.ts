/** POST /v1/responses without streaming: the members of answers, valid requests, and what is refused before anything is held. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { type Json, lasting, requiredKeys, responseIn } from './responses-oracle.ts'
import { path, respond, weather } from './responses-world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld({ credits: 1_000_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

test('all 31 keys are there, and output_text beside them', async () => {
  const { status, body } = await respond(key)
  expect(status).toBe(200)
  expect(requiredKeys).toHaveLength(31)
  expect(Object.keys(body).toSorted()).toEqual([...requiredKeys, 'output_text'].toSorted())
  const { output } = responseIn(body)
  expect(output).toMatchObject([
    { type: 'message', status: 'completed', content: [{ text: body.output_text }] },
  ])
  expect(body.output_text.length).toBeGreaterThan(0)
})

test('an answer repeats what was asked', async () => {
  const asked = {
    model: 'sandbox/reasoner',
    instructions: 'Be brief.',
    max_output_tokens: 500,
    tools: [weather],
    tool_choice: { type: 'function', name: 'get_weather' },
    parallel_tool_calls: false,
    text: { format: { type: 'text' }, verbosity: 'high' },
    temperature: 0.5,
    top_p: 0.25,
    presence_penalty: 1,
    frequency_penalty: -1,
    metadata: { order: '17' },
    safety_identifier: 'someone',
    prompt_cache_key: 'thread-1',
  }
  const { body } = await respond(key, asked)
  expect(responseIn(body)).toMatchObject(asked)
})

test('without a limit 2048 tokens are the most, and the header says so', async () => {
  const reply = await respond(key, { input: '[[sandbox: tokens=3000]]' })
  expect(responseIn(reply.body)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    max_output_tokens: 2048,
    usage: { output_tokens: 2048 },
  })
  expect(reply.headers.get('x-max-output-tokens')).toBe('2048')
})

test('a small balance lowers the usual limit, and refuses one that was asked for', async () => {
  // 400 tokens of output at 0.4 USD a million and 1,000 credits a USD.
  await using poor = await sharedWorld({ credits: 0.2 })
  const caller = await poor.key()
  const lowered = await respond(caller, { input: '[[sandbox: tokens=10]]' })
  expect(lowered.status).toBe(200)
  const limit = Number(lowered.headers.get('x-max-output-tokens'))
  expect(limit).toBeGreaterThanOrEqual(256)
  expect(limit).toBeLessThan(2048)
  expectRefusal(await respond(caller, { max_output_tokens: 2048 }), { status: 402 })
})

test('reasoning is null by default; include_reasoning shows it in the block and in the items', async () => {
  const ask = { model: 'sandbox/reasoner', reasoning: { effort: 'high' } }
  const hidden = responseIn((await respond(key, ask)).body)
  expect(hidden['reasoning']).toBeNull()
  expect(hidden['output'].map(({ type }: Json) => type)).toEqual(['message'])
  expect(hidden['usage'].output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
  const shown = responseIn((await respond(key, { ...ask, include_reasoning: true })).body)
  expect(shown['reasoning']).toEqual({
    effort: 'high',
    summary: null,
    status: 'available',
    text: shown['output'][0].content[0].text,
    format: 'text',
    source: 'provider',
  })
  expect(shown['output'].map(({ type }: Json) => type)).toEqual(['reasoning', 'message'])
  const summed = responseIn(
    (await respond(key, { ...ask, reasoning: { effort: 'high', summary: 'auto' } })).body,
  )
  expect(summed['reasoning']).toBeNull()
  expect(summed['output'][0].summary[0].text).toBe(shown['reasoning'].text)
  expect(summed['output'][0]).not.toHaveProperty('content')
})

test('thoughts of an answer that is cut short are available all the same, and a model that has none says so', async () => {
  const thinks = { model: 'sandbox/reasoner', max_output_tokens: 16, include_reasoning: true }
  const cut = responseIn((await respond(key, thinks)).body)
  expect(cut).toMatchObject({ status: 'incomplete', reasoning: { status: 'available', text: /\S/ } })
  const { reasoning } = responseIn((await respond(key, { include_reasoning: true })).body)
  expect(reasoning).toMatchObject({ status: 'unavailable', text: '' })
})

test('a refusal of the model is whole and told as one', async () => {
  const body = responseIn((await respond(key, { input: '[[sandbox: refuse]]' })).body)
  expect(body).toMatchObject({ status: 'completed', output_text: '' })
  expect(body['output'][0].content[0]).toMatchObject({ type: 'refusal', refusal: /\S/ })
})

test('json_schema output is JSON of that schema, json_object is JSON', async () => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
  const format = { type: 'json_schema', name: 'person', schema }
  const person = responseIn((await respond(key, { text: { format } })).body)
  expect(JSON.parse(person['output_text'])).toEqual({ age: expect.any(Number) })
  expect(person['text'].format).toEqual({ ...format, description: null, strict: true })
  const any = await respond(key, { text: { format: { type: 'json_object' } } })
  expect(JSON.parse(any.body.output_text)).toBeTypeOf('object')
})

describe('tools', () => {
  const clock = { type: 'function', name: 'get_time', parameters: {} }
  const callsOf = async (ask: Json): Promise<Json[]> =>
    responseIn((await respond(key, { tools: [weather, clock], ...ask })).body)['output'].filter(
      ({ type }: Json) => type === 'function_call',
    )

  test('a call has an id of its own beside its call_id, and arguments that are JSON', async () => {
    const calls = await callsOf({ input: 'weather in Paris and in Tehran' })
    expect(calls.map((call) => JSON.parse(call['arguments']).city)).toEqual(['Paris', 'Tehran'])
    for (const call of calls) {
      expect(call).toMatchObject({ name: 'get_weather', status: 'completed' })
      expect(call['call_id']).not.toBe(call['id'])
    }
  })

  test.each<[unknown, string[]]>([
    ['none', []],
    ['required', ['get_weather']],
    [{ type: 'function', name: 'get_time' }, ['get_time']],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_time' }] },
      ['get_time'],
    ],
    [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_time' }] }, []],
  ])('the choice %j calls %j', async (choice, names) => {
    const calls = await callsOf({ input: 'weather in Paris', tool_choice: choice })
    expect(calls.map(({ name }) => name)).toEqual(names)
  })

  test('functions inside namespaces are called and come back with their namespace', async () => {
    const space = (name: string) => ({ type: 'namespace', name, description: name, tools: [weather] })
    const asked = { tools: [space('north'), space('south')], input: 'get_weather in Paris' }
    const reply = await respond(key, { ...asked, tool_choice: 'required' })
    const [call] = responseIn(reply.body)['output']
    expect(call).toMatchObject({ name: 'get_weather', namespace: 'north' })
    const south = { type: 'function', name: 'get_weather', namespace: 'south' }
    const [other] = responseIn((await respond(key, { ...asked, tool_choice: south })).body)['output']
    expect(other).toMatchObject({ name: 'get_weather', namespace: 'south' })
  })

  test('tools of other kinds are left out and named', async () => {
    const tools = [
      { type: 'custom', name: 'patch' },
      weather,
      { type: 'local_shell' },
      { type: 'namespace', name: 'crm', tools: [clock, { type: 'custom', name: 'x' }] },
      { type: 'mcp', server_label: 's' },
    ]
    const reply = await respond(key, { tools, input: 'weather in Paris' })
    expect(reply.headers.get('x-ignored-fields')).toBe('tools.0, tools.2, tools.3.tools.1, tools.4')
    const body = responseIn(reply.body)
    expect(body['tools'].map(({ name }: Json) => name)).toEqual(['get_weather', 'get_time'])
    expect(body['output'][0]).toMatchObject({ type: 'function_call', name: 'get_weather' })
  })
})

const user = { role: 'user', content: 'hello' }
const call = (id: string) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: id,
  name: 'get_weather',
  arguments: '{"city":"Paris"}',
  status: 'completed',
})
const output = (id: string, content: unknown = '21 °C') => ({
  type: 'function_call_output',
  call_id: id,
  output: content,
})

/** Everything that an input may be. */
const inputs: [string, unknown][] = [
  ['a string', 'hello'],
  ['a message without type', [user]],
  ['a message with type', [{ type: 'message', ...user }]],
  [
    'the four roles',
    ['system', 'developer', 'user', 'assistant'].map((role) => ({ role, content: 'hi' })).concat(user),
  ],
  [
    'parts',
    [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi' },
          { type: 'input_text', text: 'you' },
        ],
      },
    ],
  ],
  [
    'an assistant message as it came',
    [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [
          { type: 'output_text', text: 'a', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      user,
    ],
  ],
  [
    'calls with outputs',
    [user, call('a'), call('b'), output('a'), output('b', [{ type: 'input_text', text: 'x' }])],
  ],
  [
    'reasoning items',
    [
      user,
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'sealed',
      },
      { type: 'reasoning', summary: [], encrypted_content: null },
      { role: 'assistant', content: 'a' },
      user,
    ],
  ],
  ['items of other tools', [user, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, user]],
]

test.each(inputs)('the input may be %s', async (_, input) => {
  const reply = await respond(key, { input })
  expect(reply.text).toContain('"status":"completed"')
  responseIn(reply.body)
})

test('a string, a message and parts are the same question', async () => {
  const [first, ...others] = await Promise.all(
    ['hello', [user], [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }]].map((input) =>
      respond(key, { input }),
    ),
  )
  for (const other of others) expect(lasting(other.body)).toEqual(lasting(first!.body))
})

test('fields of the field are tolerated; those without effect are named', async () => {
  const reply = await respond(key, {
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'a',
    client_metadata: { a: 'b' },
    metadata: {},
    user: 'someone',
    truncation: 'auto',
    store: false,
    service_tier: 'flex',
    background: false,
    previous_response_id: null,
    reasoning: null,
    text: null,
  })
  expect(reply.status).toBe(200)
  const ignored = reply.headers.get('x-ignored-fields')?.split(', ')
  expect(ignored).toEqual(expect.arrayContaining(['client_metadata', 'service_tier']))
  for (const used of ['include', 'metadata', 'user', 'store', 'input']) expect(ignored).not.toContain(used)
})

test('conflicting efforts, unsupported ones, and what rests on stored answers have codes and words of their own', async () => {
  const both = { model: 'sandbox/reasoner', reasoning: { effort: 'low' }, reasoning_effort: 'high' }
  const refused = [
    [both, 'REASONING_EFFORT_CONFLICT', 'reasoning.effort'],
    [{ reasoning_effort: 'low' }, 'REASONING_NOT_SUPPORTED', 'reasoning_effort'],
    [{ web_search: true }, 'HOSTED_TOOL_NOT_CONFIGURED', 'web_search'],
  ] as const
  for (const [body, code, param] of refused)
    expectRefusal(await respond(key, body), { status: 400, code, param })
  const stored = await respond(key, { previous_response_id: 'resp_1' }, { 'accept-language': 'fa' })
  expect(stored.body.error.message).toMatch(/نگه داشته نمی‌شوند/)
})

test('an unknown model and a body that is too large are refused as on chat', async () => {
  expectRefusal(await respond(key, { model: 'no/such' }), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    param: 'model',
  })
  const large = await respond(key, { padding: 'x'.repeat(4 * 1024 * 1024) })
  expectRefusal(large, { status: 413, code: 'BODY_TOO_LARGE' })
})

test('an upstream that fails before it says anything gets the status it deserves, also on a stream', async () => {
  for (const stream of [false, true]) {
    const reply = await respond(key, { stream, input: '[[sandbox: fault=overloaded]]' })
    expect(reply).toMatchObject({ status: 529, body: { error: { code: 'UPSTREAM_OVERLOADED' } } })
  }
})

test('an answer is charged to the micro-credit, and its receipt explains it', async () => {
  await world.settled()
  const before = await world.balance()
  for (const stream of [false, true]) {
    const reply = await respond(key, { stream }, { 'x-customer-id': 'customer-17' })
    await world.settled()
    const { body } = await key.receipt(reply.headers.get('x-request-id')!)
    expect(body).toMatchObject({ state: 'completed', endpoint: path, customer_id: 'customer-17' })
    expect(BigInt(body.microcredits)).toBeGreaterThan(0n)
    const after = await world.balance()
    expect(before.available - after.available).toBe(BigInt(body.microcredits))
    before.available = after.available
  }
})
