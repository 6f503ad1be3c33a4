/**
 * A reasoning budget is never dropped silently: it is sent as a number, sent as the equivalent effort, or refused
 * (docs/decisions/text/reasoning.md).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { agentOf, run } from '../work/agents-world.ts'
import { create, ended, row } from './batches-world.ts'
import { says } from './scripted-answer.ts'

const wires = ['chat', 'responses', 'messages'] as const
type Wire = (typeof wires)[number]

let upstream: FakeUpstream
let world: World
let key: Client
beforeAll(async () => {
  upstream = await fakeUpstream()
  const provider = (id: string, wire: Wire, more = '') =>
    `  - { id: ${id}, base_url: ${upstream.url}, api_key: k, dialects: [${wire}]${more} }`
  const model = (id: string, providers: string[], more = '') =>
    `  - { id: on/${id}, kind: text, context_length: 128000, max_output_tokens: 32000, input_modalities: [text], features: [tools, reasoning], pricing: { input_per_million: 1, output_per_million: 1 }${more}, deployments: [${providers
      .map((of) => `{ provider: ${of}, model: m }`)
      .join(', ')}] }`
  const efforts = (...names: string[]) => `, reasoning: { supported_efforts: [${names.join(', ')}] }`
  const three = efforts('low', 'medium', 'high')
  const providers = [
    ...wires.map((wire) => provider(wire, wire)),
    provider('chat-number', 'chat', ', takes_reasoning_budget: true'),
    provider('responses-number', 'responses', ', takes_reasoning_budget: true'),
    provider('messages-effort', 'messages', ', takes_reasoning_budget: false'),
  ]
  const models = [
    ...wires.map((wire) => model(wire, [wire], three)),
    model('chat-number', ['chat-number']),
    model('responses-number', ['responses-number']),
    model('messages-effort', ['messages-effort'], three),
    model('two', ['messages', 'chat'], three),
    model('tops', ['chat'], efforts('high', 'max')),
    model('mute', ['chat']),
    model('half', ['messages', 'chat']),
    model('short', ['chat-number'], ', fallbacks: [on/mute, on/tops]'),
  ]
  const config = `providers:\n${providers.join('\n')}\nmodels:\n${models.join('\n')}\ndefaults: { text_model: on/chat }\n`
  world = await sharedWorld({ config, credits: 10_000 })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** The wire of a call by what it was sent to. */
const wireOf = (path: string): Wire =>
  path.endsWith('/responses') ? 'responses' : path.endsWith('/messages') ? 'messages' : 'chat'

type Json = Record<string, unknown>
const wished: Record<Wire, (budget: number, limit?: number) => Json> = {
  chat: (budget, limit = 20_000) => ({ max_tokens: limit, reasoning: { max_tokens: budget } }),
  responses: (budget, limit = 20_000) => ({ max_output_tokens: limit, reasoning: { max_tokens: budget } }),
  messages: (budget, limit = 20_000) => ({
    max_tokens: limit,
    thinking: { type: 'enabled', budget_tokens: budget },
  }),
}
const paramOf = {
  chat: 'reasoning.max_tokens',
  responses: 'reasoning.max_tokens',
  messages: 'thinking.budget_tokens',
}
const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }
const asked = {
  chat: { messages: [{ role: 'user', content: 'hi' }] },
  responses: { input: 'hi' },
  messages: { max_tokens: 20_000, messages: [{ role: 'user', content: 'hi' }] },
}
const version = { 'anthropic-version': '2023-06-01' }

const send = (wire: Wire, model: string, body: Json): Promise<Seen> =>
  key.post(paths[wire], { ...asked[wire], model: `on/${model}`, ...body }, version)

/** What the upstream was told, and what the caller. */
async function ask(wire: Wire, model: string, body: Json) {
  const first = upstream.calls.length
  upstream.reply((call) => says(wireOf(call.path), { text: 'x' }, call))
  const reply = await send(wire, model, body)
  expect(reply.status, reply.text).toBe(200)
  const sent = (await upstream.call(first)).body as Json
  const of = (name: string) => reply.headers.get(name)
  return {
    sent,
    reported: {
      mapped: of('x-mapped-fields'),
      clamped: of('x-clamped-fields'),
      ignored: of('x-ignored-fields'),
    },
  }
}
const nothing = { mapped: null, clamped: null, ignored: null }

describe.each(wires)('a budget of %s', (wire) => {
  const param = paramOf[wire]

  test.each([false, true])(
    'over chat becomes the effort that stands for it, and is told (streamed: %s)',
    async (stream) => {
      const { sent, reported } = await ask(wire, 'chat', { ...wished[wire](4_096), stream })
      expect(sent).toMatchObject({ reasoning_effort: 'medium' })
      expect(JSON.stringify(sent)).not.toContain('4096')
      expect(reported).toEqual({ ...nothing, mapped: `${param}=effort:medium` })
    },
  )

  test.each([false, true])(
    'over responses becomes the effort that stands for it, and is told (streamed: %s)',
    async (stream) => {
      const { sent, reported } = await ask(wire, 'responses', { ...wished[wire](4_096), stream })
      expect(sent).toMatchObject({ reasoning: { effort: 'medium' } })
      expect(JSON.stringify(sent)).not.toContain('4096')
      expect(reported).toEqual({ ...nothing, mapped: `${param}=effort:medium` })
    },
  )

  test.each([false, true])('over messages is the number (streamed: %s)', async (stream) => {
    const { sent, reported } = await ask(wire, 'messages', { ...wished[wire](4_096), stream })
    expect(sent).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 4_096 } })
    expect(reported).toEqual(nothing)
  })

  test('over chat and responses that take a number is the number, and no effort beside it', async () => {
    for (const model of ['chat-number', 'responses-number']) {
      const { sent, reported } = await ask(wire, model, wished[wire](4_096))
      expect(sent).toMatchObject({ reasoning: { max_tokens: 4_096 } })
      expect(sent).not.toHaveProperty('reasoning_effort')
      expect(sent['reasoning']).not.toHaveProperty('effort')
      expect(reported).toEqual(nothing)
    }
  })

  test('of another wire to a messages upstream that takes none is an effort', async () => {
    const { sent, reported } = await ask(wire, 'messages-effort', wished[wire](4_096))
    const own = wire === 'messages'
    expect(sent['thinking']).toMatchObject(own ? { budget_tokens: 4_096 } : { type: 'adaptive' })
    expect(sent['output_config']).toEqual(own ? undefined : { effort: 'medium' })
    expect(reported).toEqual({ ...nothing, mapped: own ? null : `${param}=effort:medium` })
  })

  test('is reported as mapped where one of the deployments takes an effort only', async () => {
    const { reported } = await ask(wire, 'two', wished[wire](4_096))
    expect(reported).toEqual({ ...nothing, mapped: `${param}=effort:medium` })
  })

  test('is refused where nothing can be told of it: no efforts, no thinking, or one deployment of two that is deaf', async () => {
    const refused = async (model: string) =>
      expectRefusal(await key.post(paths[wire], { ...asked[wire], model, ...wished[wire](4_096) }, version), {
        status: 400,
        code: 'REASONING_NOT_SUPPORTED',
        param,
      })
    for (const model of ['on/mute', 'on/half', 'sandbox/fast']) await refused(model)
  })

  test('must leave room for the answer: less than a limit that is named, by one at least', async () => {
    const { sent } = await ask(wire, 'messages', wished[wire](2_047, 2_048))
    expect(sent).toMatchObject({ max_tokens: 2_048, thinking: { budget_tokens: 2_047 } })
    for (const budget of [2_048, 2_049])
      expectRefusal(await send(wire, 'messages', wished[wire](budget, 2_048)), {
        status: 400,
        code: 'INVALID_REQUEST',
        param,
      })
  })

  test('counts as thinking in the sandbox', async () => {
    const thought = async (budget: number) => {
      const reply = await key.post(
        paths[wire],
        { ...asked[wire], model: 'sandbox/reasoner', ...wished[wire](budget) },
        version,
      )
      expect(reply.status, reply.text).toBe(200)
      expect(reply.headers.get('x-mapped-fields')).toBeNull()
      const { usage } = reply.body
      return (
        usage.completion_tokens_details?.reasoning_tokens ??
        usage.output_tokens_details?.reasoning_tokens ??
        usage.output_tokens
      )
    }
    expect(await thought(1_024)).toBeGreaterThan(0)
    if (wire !== 'messages') expect(await thought(3)).toBe(3)
  })
})

test.each([
  [1, 'low'],
  [1_023, 'low'],
  [1_024, 'low'],
  [4_095, 'low'],
  [4_096, 'medium'],
  [16_383, 'medium'],
  [16_384, 'high'],
  [32_000, 'high'],
])('of low, medium and high %i tokens are %s', async (budget, effort) => {
  const { sent } = await ask('chat', 'chat', wished.chat(budget, 32_768))
  expect(sent['reasoning_effort']).toBe(effort)
})

test('where every effort is above the budget the lowest is taken, and none above high ever for its own sake', async () => {
  for (const budget of [1, 32_000]) {
    const { reported, sent } = await ask('chat', 'tops', wished.chat(budget, 32_768))
    expect(sent['reasoning_effort']).toBe('high')
    expect(reported.mapped).toBe('reasoning.max_tokens=effort:high')
  }
})

test.each(['chat', 'responses'] as const)(
  'on %s a budget and an effort contradict each other',
  async (wire) => {
    const refused = (body: Json) =>
      send(wire, 'messages', body).then((reply) =>
        expectRefusal(reply, {
          status: 400,
          code: 'REASONING_BUDGET_CONFLICT',
          param: 'reasoning.max_tokens',
        }),
      )
    await refused({ reasoning: { max_tokens: 2_000, effort: 'low' } })
    await refused({ reasoning: { max_tokens: 2_000 }, reasoning_effort: 'low' })
    if (wire === 'chat') await refused({ reasoning: { max_tokens: 2_000, enabled: false } })
    for (const max_tokens of [0, 32_769, 1.5, 'many'])
      expectRefusal(await send(wire, 'messages', { reasoning: { max_tokens } }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'reasoning.max_tokens',
      })
    const { reported } = await ask(wire, 'messages', { reasoning: { max_tokens: null, effort: 'low' } })
    expect(reported).toEqual(nothing)
  },
)

test('on messages both are lawful: an upstream hears what it has words for, and the caller which of them it does not', async () => {
  const both = { ...wished.messages(2_000), output_config: { effort: 'high' } }
  expect(await ask('messages', 'messages', both)).toMatchObject({
    sent: { thinking: { budget_tokens: 2_000 }, output_config: { effort: 'high' } },
    reported: nothing,
  })
  expect(await ask('messages', 'chat', both)).toMatchObject({
    sent: { reasoning_effort: 'high' },
    reported: { ...nothing, ignored: 'thinking.budget_tokens' },
  })
  expect(await ask('messages', 'responses', both)).toMatchObject({
    sent: { reasoning: { effort: 'high' } },
    reported: { ...nothing, ignored: 'thinking.budget_tokens' },
  })
})

test('an effort for a model that has none is reported as ignored, unless an upstream of the wire gets the body as it is', async () => {
  const effort = { output_config: { effort: 'high' } }
  expect((await ask('messages', 'mute', effort)).reported).toEqual({
    ...nothing,
    ignored: 'output_config.effort',
  })
  expect((await ask('messages', 'half', effort)).reported).toEqual(nothing)
})

test('a limit that nobody named, and the least that Anthropic’s wire takes, change the number and are reported', async () => {
  const small = await ask('chat', 'messages', { max_tokens: 5_000, reasoning: { max_tokens: 10 } })
  expect(small.sent).toMatchObject({ thinking: { budget_tokens: 1_024 } })
  expect(small.reported).toEqual({ ...nothing, clamped: 'reasoning.max_tokens=1024' })
  // 2,048 tokens, the default of Responses.
  const large = await ask('responses', 'responses-number', { reasoning: { max_tokens: 9_000 } })
  expect(large.sent).toMatchObject({ max_output_tokens: 2_048, reasoning: { max_tokens: 2_047 } })
  expect(large.reported).toEqual({ ...nothing, clamped: 'reasoning.max_tokens=2047' })
})

test('a forced call of a tool leaves no room for a budget on Anthropic’s wire, and that is reported', async () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const { sent, reported } = await ask('chat', 'messages', {
    ...wished.chat(2_000),
    tools: [tool],
    tool_choice: 'required',
  })
  expect(sent).not.toHaveProperty('thinking')
  expect(reported).toEqual({ ...nothing, ignored: 'reasoning.max_tokens' })
})

test('a fallback is asked in its own efforts, and one that could not be told is passed over', async () => {
  const first = upstream.calls.length
  upstream.reply((call) =>
    upstream.calls.length - first === 1
      ? json(401, { error: { message: 'no such key' } })
      : says(wireOf(call.path), { text: 'x' }, call),
  )
  const reply = await send('chat', 'short', wished.chat(2_000))
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.model).toBe('on/tops')
  expect((await upstream.call(first)).body).toMatchObject({ reasoning: { max_tokens: 2_000 } })
  expect((await upstream.call(first + 1)).body).toMatchObject({ reasoning_effort: 'high' })
})

test('rows of a batch are told at its creation and answered so; agents take efforts alone', async () => {
  const first = upstream.calls.length
  upstream.reply((call) => says(wireOf(call.path), { text: 'x' }, call))
  const batch = await create(key, [row('a'), row('b', { model: 'on/chat', ...wished.messages(4_096) })])
  expect(batch.status, batch.text).toBe(200)
  expect(batch.headers.get('x-mapped-fields')).toBe('requests.1.params.thinking.budget_tokens=effort:medium')
  await ended(key, batch.body.id)
  const efforts = upstream.calls.slice(first).map(({ body }) => body?.['reasoning_effort'])
  expect(efforts.toSorted()).toEqual(['medium', undefined])
  expectRefusal(await create(key, [row('a', { model: 'on/mute', ...wished.messages(4_096) })]), {
    status: 400,
    code: 'REASONING_NOT_SUPPORTED',
    param: 'requests.0.params.thinking.budget_tokens',
  })
  const agent = await agentOf(key)
  expectRefusal(await run(key, agent, { reasoning: { effort: 'low', max_tokens: 2_000 } }), {
    status: 400,
    code: 'UNKNOWN_FIELD',
    param: 'reasoning.max_tokens',
  })
})
