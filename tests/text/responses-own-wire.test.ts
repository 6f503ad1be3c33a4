/** An upstream of the same wire: its output is passed on, and our fields replace its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cut, done, json, type Step, stream } from '../harness/upstream.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { framed, type Json } from './responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await shareOnWires('responses')
})
afterAll(() => at[Symbol.asyncDispose]())

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, audio: 0 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29,
  cost: 1,
}
const charged = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0, audio: 0 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29,
}
const thought = {
  id: 'rs_up',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'hm' }],
  content: [{ type: 'reasoning_text', text: 'hm hm' }],
  encrypted_content: 'sealed==',
}
const upstreamBody = {
  id: 'msg_up',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'final_answer',
  content: [
    {
      type: 'output_text',
      text: 'hi',
      annotations: [{ type: 'file_citation', index: 0, file_id: 'f' }],
      logprobs: [],
      glow: 1,
    },
  ],
}
const response = { id: 'resp_up', object: 'response', model: 'upstream-model-2026', store: true, wonder: [1] }
const whole = {
  ...response,
  status: 'completed',
  output: [thought, upstreamBody],
  usage,
  reasoning: { effort: 'low' },
}

const place = { item_id: 'rs_up', output_index: 0 }
const text = { item_id: 'msg_up', output_index: 1, content_index: 0 }
const written: Json[] = [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { ...thought, summary: [], content: [] } },
  {
    type: 'response.reasoning_summary_part.added',
    ...place,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  {
    type: 'response.reasoning_summary_text.delta',
    ...place,
    summary_index: 0,
    delta: 'hm',
    obfuscation: 'x',
  },
  { type: 'response.reasoning_summary_text.done', ...place, summary_index: 0, text: 'hm' },
  { type: 'response.reasoning_text.delta', ...place, content_index: 0, delta: 'hm hm' },
  { type: 'response.output_item.done', output_index: 0, item: thought },
  { type: 'response.output_item.added', output_index: 1, item: { ...upstreamBody, content: [] } },
  { type: 'response.content_part.added', ...text, part: { type: 'output_text', text: '' } },
  { type: 'response.output_text.delta', ...text, delta: 'hi', logprobs: [], glow: 1 },
  { type: 'response.strange_tool.sparkle', output_index: 1, spark: 'yes' },
  { type: 'response.output_text.done', ...text, text: 'hi', logprobs: [] },
  { type: 'response.output_item.done', output_index: 1, item: upstreamBody },
]
const numbered = (events: Json[]): Step[] =>
  events.map((event, number) => ({ ...event, sequence_number: number + 5 }))
const end = { type: 'response.completed', response: whole, glow: 1 }

/** The events that a caller gets, asked so. */
async function streamed(ask: Json = {}, events = [...written, end]): Promise<Json[]> {
  at.upstream.replyOnce(stream([...numbered(events), done]))
  return framed((await respond(at.key, { stream: true, ...ask })).text)
}
const bare = ({ sequence_number: _number, ...event }: Json): Json => event
const shown = { reasoning: { summary: 'auto' }, include_reasoning: true }

describe('a stream', () => {
  test('passes unknown fields, items, parts and events on as they came', async () => {
    const events = (await streamed(shown)).map(bare).filter(({ type }) => type !== 'response.reasoning.delta')
    const middle = events.filter(
      (event) => !('response' in event) && event['type'] !== 'response.reasoning.done',
    )
    expect(middle).toEqual(written.slice(1))
    expect(events.at(-1)).toMatchObject({
      glow: 1,
      response: { wonder: [1], output: [thought, upstreamBody] },
    })
  })

  test('has our id, model and figures in every response object, and nothing is stored', async () => {
    const events = await streamed(shown)
    const responses = events.flatMap((event) => event['response'] ?? [])
    expect(responses).toHaveLength(2)
    const [first, last] = responses
    expect(first.id).toMatch(/^resp_[0-9a-f]{32}$/)
    for (const one of responses)
      expect(one).toMatchObject({
        id: first.id,
        model: 'test/model',
        store: false,
        previous_response_id: null,
      })
    expect(first.usage).toBeNull()
    expect(last).toMatchObject({ usage: charged, output_text: 'hi' })
    expect(last.usage).not.toHaveProperty('cost')
    expect(JSON.stringify(events)).not.toMatch(/resp_up|upstream-model/)
  })

  test('shows the summary to who asked for one, the thoughts to who included them, and else neither', async () => {
    const reasoningOf = (events: Json[]) => ({
      types: [...new Set(events.map(({ type }) => type))].filter((type) => type.includes('reasoning')),
      item: events.at(-1)?.['response'].output[0],
      block: events.at(-1)?.['response'].reasoning,
    })
    const { content, ...sealed } = thought
    expect(reasoningOf(await streamed())).toEqual({
      types: [],
      item: { ...sealed, summary: [] },
      block: null,
    })
    const summed = reasoningOf(await streamed({ reasoning: { summary: 'auto' } }))
    expect(summed.types.every((type) => type.startsWith('response.reasoning_summary_'))).toBe(true)
    expect(summed).toMatchObject({ item: sealed, block: null })
    expect(summed.item).not.toHaveProperty('content')
    const all = reasoningOf(await streamed(shown))
    expect(all.types).toContain('response.reasoning.delta')
    expect(all.item).toEqual(thought)
    expect(all.block).toMatchObject({ text: 'hm', format: 'summary', source: 'provider' })
  })

  test('that breaks ends as response.failed with the items that were whole', async () => {
    at.upstream.replyOnce(stream([...numbered(written.slice(0, 10)), cut]))
    const events = framed((await respond(at.key, { stream: true, ...shown })).text)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        id: events[0]?.['response'].id,
        status: 'failed',
        error: { code: 'UPSTREAM_FAILED', message: expect.any(String) },
        output: [thought],
      },
    })
  })

  test('that reached its limit is incomplete', async () => {
    const response = { ...whole, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const events = await streamed({}, [...written, { type: 'response.incomplete', response }])
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage: charged },
    })
  })
})

test('a whole answer is passed on, charged, and ours where it must be', async () => {
  at.upstream.replyOnce(json(200, whole))
  const reply = await respond(at.key, { ...shown, include: ['reasoning.encrypted_content'] })
  expect(reply.body).toMatchObject({
    id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
    model: 'test/model',
    store: false,
    wonder: [1],
    output: [thought, upstreamBody],
    output_text: 'hi',
    usage: charged,
  })
  expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe(String(12_000 + 800 + 18_000))
})

test.each([{ streamed: false }, { streamed: true }])(
  'items that are none, and answers with half their members, neither break nor leave a hold open (streamed: $streamed)',
  async ({ streamed }) => {
    const odd = {
      status: 'completed',
      output: [null, 'x', { type: 'message' }, { type: 'reasoning', summary: 1 }, upstreamBody],
    }
    const events: Json[] = [{ type: 'response.created', response: {} }, { type: 'response.output_item.done' }]
    at.upstream.replyOnce(
      streamed ? stream([...events, { type: 'response.completed', response: odd }, done]) : json(200, odd),
    )
    const reply = await respond(at.key, { stream: streamed, include_reasoning: true })
    expect(reply.status).toBe(200)
    const body = streamed ? framed(reply.text).at(-1)?.['response'] : reply.body
    expect(body).toMatchObject({ object: 'response', output_text: 'hi', tools: [], metadata: {} })
    await at.world.settled()
  },
)

/** The body that the upstream got for this question. */
async function sentFor(body: Json): Promise<Json> {
  const position = at.upstream.calls.length
  at.upstream.replyOnce(json(200, whole))
  const reply = await respond(at.key, body)
  expect(reply.status, reply.text).toBe(200)
  return (await at.upstream.call(position)).body as Json
}

test('input, tools and settings go as the caller wrote them, without what is ours', async () => {
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi', glow: 1 }] },
    { ...thought, content: undefined },
    { ...upstreamBody, phase: 'commentary' },
    { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*' },
  ]
  const asked = {
    input,
    instructions: 'Be brief.',
    tools: [{ ...weather, defer_loading: true }],
    include: ['reasoning.encrypted_content'],
    text: { verbosity: 'low' },
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
  }
  const sent = await sentFor({
    ...asked,
    reasoning: { mode: 'pro' },
    reasoning_effort: 'low',
    include_reasoning: true,
    service_tier: 'priority',
  })
  expect(sent).toMatchObject({
    ...JSON.parse(JSON.stringify(asked)),
    model: 'upstream-model',
    store: false,
    max_output_tokens: 2048,
    reasoning: { effort: 'low', summary: 'auto' },
  })
  expect(sent['reasoning']).not.toHaveProperty('mode')
  for (const field of ['include_reasoning', 'reasoning_effort', 'service_tier', 'web_search'])
    expect(sent).not.toHaveProperty(field)
})

test('a schema that says nothing of strictness is strict upstream as in the response', async () => {
  const format = { type: 'json_schema', name: 'answer', schema: { type: 'object' } }
  const { text } = await sentFor({ text: { format, verbosity: 'low' } })
  expect(text).toEqual({ format: { ...format, strict: true }, verbosity: 'low' })
})

test('reasoning that this upstream cannot open is not sent to it', async () => {
  const foreign = `kherad.messages.${Buffer.from('{"signature":"s","text":"t"}').toString('base64url')}`
  const reasoning = (more: Json) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more })
  const user = { role: 'user', content: 'hi' }
  const { input } = await sentFor({
    input: [
      reasoning({ encrypted_content: foreign }),
      reasoning({}),
      reasoning({ encrypted_content: 'own' }),
      user,
    ],
  })
  expect(input).toEqual([reasoning({ encrypted_content: 'own' }), user])
})

test('functions inside namespaces have names of their own upstream, and their namespace again in the answer', async () => {
  const space = (name: string) => ({ type: 'namespace', name, description: name, tools: [weather] })
  const call = { type: 'function_call', id: 'fc_up', call_id: 'call_1', arguments: '{}', status: 'completed' }
  const south = { ...call, name: 'get_weather', namespace: 'south' }
  at.upstream.replyOnce(json(200, { ...whole, output: [{ ...call, name: 'south__get_weather' }] }))
  const position = at.upstream.calls.length
  const { body } = await respond(at.key, {
    tools: [space('north'), space('south')],
    tool_choice: { type: 'function', name: 'get_weather', namespace: 'south' },
    input: [
      { role: 'user', content: 'hi' },
      south,
      { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    ],
  })
  const sent = (await at.upstream.call(position)).body as Json
  expect(sent['tools']).toEqual([weather, { ...weather, name: 'south__get_weather' }])
  expect(sent['tool_choice']).toEqual({ type: 'function', name: 'south__get_weather' })
  expect(sent['input'][1]).toEqual({ ...call, name: 'south__get_weather' })
  expect(body.output).toEqual([south])
})

test('the hold covers every tool that goes upstream, also those that the choice leaves out', async () => {
  const wide = { ...weather, name: 'wide', description: 'x'.repeat(10_000) }
  const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] }
  const heldFor = async (choice: unknown): Promise<bigint> => {
    at.upstream.replyOnce(json(200, whole))
    const reply = await respond(at.key, { tools: [weather, wide], tool_choice: choice })
    return BigInt((await explained(at.key, requestIdOf(reply))).reserved_microcredits)
  }
  expect(await heldFor(allowed)).toBeGreaterThanOrEqual(await heldFor('auto'))
})
