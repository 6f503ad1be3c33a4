import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { readUntil } from '../harness/read-until.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { chunk, fakeUpstream, json, stall, stream } from '../harness/upstream.ts'
import { upstreamConfig } from '../harness/world.ts'
import { bootOnUpstream, explained, requestIdOf, type UpstreamWorld } from '../text/chat-world.ts'
import { says } from '../text/scripted-answer.ts'
import { agentOf, answers, path, run } from './agents-world.ts'
import { added, create, remove } from './knowledge-world.ts'
import { ended, openStage } from './work-world.ts'

const perInput = 1_000n
const perOutput = 2_000n

const stage = openStage()
let it: UpstreamWorld
let key: Client
let agent: string
beforeAll(async () => {
  it = await bootOnUpstream({ pipelines: stage.pipelines })
  key = it.key
  agent = await agentOf(key, { instructions: 'Be brief.' })
})
afterAll(() => it[Symbol.asyncDispose]())

const balance = async () => {
  await it.world.settled()
  return it.world.balance()
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
const eventsOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
const idOf = (agentPath: string) => agentPath.slice(path.length + 1)

describe('an answer', () => {
  test('is a response of the Responses wire that says whose it is, and keeps the instructions to itself', async () => {
    answers(it, { text: 'At nine.' })
    const reply = await run(key, agent, { input: 'When do you open?' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({
      id: `resp_${requestIdOf(reply).replaceAll('-', '')}`,
      object: 'response',
      status: 'completed',
      model: 'test/model',
      output_text: 'At nine.',
      output: [{ type: 'message', role: 'assistant' }],
      instructions: null,
      tools: [],
      reasoning: null,
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      agent_id: idOf(agent),
      agent_events: [],
    })
    expect(it.upstream.calls).toHaveLength(1)
    const { messages, tools } = it.upstream.calls[0]!.body as {
      messages: unknown
      tools: { function: { name: string } }[]
    }
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'When do you open?' },
    ])
    expect(tools.map((tool) => tool.function.name)).toEqual(['capture_lead', 'request_handoff'])
  })

  test('comes as the standard events of the wire, when it is streamed', async () => {
    answers(it, { text: 'At nine, every day.' })
    const reply = await run(key, agent, { stream: true })
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsOf(reply.text)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]).toMatchObject({
      type: 'response.created',
      response: { agent_id: idOf(agent), instructions: null },
    })
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe('At nine, every day.')
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { output_text: 'At nine, every day.', agent_id: idOf(agent), agent_events: [] },
    })
    expect(reply.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('rests on what its knowledge has, which is quoted and cited; once it is deleted the run says so, and nobody is asked', async () => {
    const knowledge = await create(key, { name: 'Handbook', instructions: 'Answer from the handbook.' })
    await added(key, knowledge, {
      type: 'text',
      title: 'Hours',
      text: 'The shop opens at nine every morning.',
    })
    const knowing = await agentOf(key, { instructions: 'Be brief.', knowledge_id: knowledge })
    answers(it, { text: 'At nine [1].' })
    const reply = await run(key, knowing, { input: 'When does the shop open?' })
    expect(reply.body.output_text).toBe('At nine [1].')
    const asked = () => (it.upstream.calls[0]!.body as { messages: { content: string }[] }).messages
    expect(asked()[0]!.content).toBe('Be brief.\n\nAnswer from the handbook.')
    expect(JSON.stringify(asked()[1])).toContain('The shop opens at nine every morning.')
    expect(reply.body.output[0].content[0].annotations).toMatchObject([
      { type: 'url_citation', title: 'Hours' },
    ])

    await remove(key, knowledge)
    const before = it.upstream.calls.length
    for (const headers of [{}, { prefer: 'respond-async' }]) {
      const gone = await run(key, knowing, { input: 'When does the shop open?' }, headers)
      expectRefusal(gone, { status: 404, code: 'KNOWLEDGE_NOT_FOUND', param: 'knowledge_id' })
    }
    expect(it.upstream.calls).toHaveLength(before)
  })

  test('shows what the model thinks to who asks for it', async () => {
    const thinks = json(200, {
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    it.upstream.replyOnce(thinks)
    const hidden = await run(key, agent, { reasoning_effort: 'low' })
    expect(hidden.body.reasoning).toBeNull()
    expect(it.upstream.calls.at(-1)!.body).toMatchObject({ reasoning_effort: 'low' })
    it.upstream.replyOnce(thinks)
    const shown = await run(key, agent, { include_reasoning: true, reasoning: { effort: 'high' } })
    expect(shown.body.reasoning).toMatchObject({
      status: 'available',
      text: 'Hm.',
      source: 'provider',
      effort: 'high',
    })
  })

  test('is of the agent as it is now', async () => {
    const changing = await agentOf(key, { instructions: 'Say yes.' })
    await key.request('PATCH', changing, JSON.stringify({ instructions: '' }))
    answers(it, { text: 'no' })
    await run(key, changing)
    expect(it.upstream.calls[0]!.body!['messages']).toEqual([{ role: 'user', content: 'hello there' }])
  })

  test('takes input of 1 to 12,000 characters', async () => {
    answers(it)
    expect((await run(key, agent, { input: '?' })).status).toBe(200)
    expect((await run(key, agent, { input: '🙂'.repeat(12_000) })).status).toBe(200)
  })

  test('of a model without tools, by an upstream of the same wire, says whose it is and no instructions either', async () => {
    await using upstream = await fakeUpstream()
    const config = upstreamConfig(upstream.url)
      .replace('[chat]', '[responses]')
      .replace('[tools, json_schema, reasoning]', '[reasoning]')
    await using world = await sharedWorld({ config })
    const client = await world.key()
    upstream.reply((call) => says('responses', { text: 'plain' }, call))
    const plain = await agentOf(client, { instructions: 'Secret.' })
    const whole = await run(client, plain)
    expect(whole.body).toMatchObject({
      output_text: 'plain',
      instructions: null,
      agent_id: idOf(plain),
      agent_events: [],
    })
    const streamed = eventsOf((await run(client, plain, { stream: true })).text)
    expect(streamed[0].response).toMatchObject({ instructions: null, agent_id: idOf(plain) })
    expect(streamed.at(-1)).toMatchObject({ type: 'response.completed', response: { agent_id: idOf(plain) } })
    expect(upstream.calls.every(({ body }) => body!['tools'] === undefined)).toBe(true)
  })
})

describe('refused before anything is held', () => {
  const wrong: [string, Record<string, unknown>, { code: string; param: string }][] = [
    [
      'two efforts that disagree',
      { reasoning_effort: 'low', reasoning: { effort: 'high' } },
      { code: 'REASONING_EFFORT_CONFLICT', param: 'reasoning.effort' },
    ],
    [
      'an effort that there is not',
      { reasoning_effort: 'most' },
      { code: 'REASONING_NOT_SUPPORTED', param: 'reasoning_effort' },
    ],
    [
      'an effort that there is not, the other way',
      { reasoning: { effort: 'most' } },
      { code: 'REASONING_NOT_SUPPORTED', param: 'reasoning.effort' },
    ],
  ]
  test.each(wrong)('%s', async (_, body, refusal) => {
    const before = await balance()
    answers(it)
    const reply = await run(key, agent, body, { 'idempotency-key': 'never burnt' })
    expectRefusal(reply, { status: 400, ...refusal })
    expect(it.upstream.calls).toHaveLength(0)
    expect(await balance()).toEqual(before)
  })

  test('a run that cannot be paid, by the account or by the key', async () => {
    answers(it)
    const { client } = await it.world.stranger(0.01)
    const poor = await agentOf(client)
    expectRefusal(await run(client, poor), { status: 402, code: 'INSUFFICIENT_CREDITS' })
    const capped = await it.world.key({ caps: { monthCap: 1n } })
    expectRefusal(await run(capped, agent), { status: 402, code: 'BUDGET_EXCEEDED' })
    expect(it.upstream.calls).toHaveLength(0)
  })
})

describe('money', () => {
  test('a run costs what its model used to the micro-credit, and its receipt says for whom', async () => {
    answers(it, { text: 'yes', tokens: { input: 321, output: 45 } })
    const before = await balance()
    const reply = await run(key, agent, {}, { 'x-customer-id': 'c-1', 'x-reference-id': 'r-1' })
    const receipt = await explained(key, requestIdOf(reply))
    const charge = 321n * perInput + 45n * perOutput
    expect(receipt).toMatchObject({
      endpoint: '/v1/agents/runs',
      state: 'completed',
      microcredits: String(charge),
      customer_id: 'c-1',
      reference_id: 'r-1',
      details: { outcome: 'completed', tools: [] },
    })
    expect(await balance()).toEqual({ available: before.available - charge, held: 0n })
  })

  test('a model that fails costs nothing, and the caller may try again under the same key', async () => {
    const before = await balance()
    it.upstream.reply(() => json(503, { error: { message: 'not now' } }))
    const headers = { 'idempotency-key': 'after a failure' }
    expect((await run(key, agent, {}, headers)).status).toBeGreaterThanOrEqual(500)
    expect(await balance()).toEqual(before)
    answers(it, { text: 'now' })
    const again = await run(key, agent, {}, headers)
    expect(again.body.output_text, again.text).toBe('now')
  })

  test('a caller who disconnects in the middle of a stream pays for what was written until then, and nothing stays held', async () => {
    const before = await balance()
    it.upstream.replyOnce(stream([chunk({ content: 'one' }), chunk({ content: ' two' }), stall]))
    const leaving = new AbortController()
    const body = JSON.stringify({ input: 'count', stream: true })
    const response = await key.raw('POST', `${agent}/runs`, body, {}, leaving.signal)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await readUntil(reader, ' two')
    leaving.abort()
    const receipt = await explained(key, requestIdOf(response))
    expect(receipt).toMatchObject({
      status_code: 499,
      details: { outcome: 'client_left', usage_source: 'estimated' },
    })
    const { input, output } = receipt.details.tokens as { input: number; output: number }
    expect(output).toBe(2)
    const charge = BigInt(input) * perInput + BigInt(output) * perOutput
    expect(receipt.microcredits).toBe(String(charge))
    expect(await balance()).toEqual({ available: before.available - charge, held: 0n })
  })

  test('a stream that breaks says so and is no success', async () => {
    it.upstream.replyOnce(stream([chunk({ content: 'half' }), 'data: {"error":{"message":"gone"}}\n\n']))
    const events = eventsOf((await run(key, agent, { stream: true })).text)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', agent_id: idOf(agent) },
    })
    await it.world.settled()
  })
})

describe('with an Idempotency-Key', () => {
  test('a repeat gets the first answer to the byte and asks no model, also when the agent is changed or gone', async () => {
    const passing = await agentOf(key)
    answers(it, { text: 'once' })
    const headers = { 'idempotency-key': 'run-1' }
    const first = await run(key, passing, {}, headers)
    expect(first.status).toBe(200)
    const before = await balance()
    const expectRepeat = async () => {
      const again = await run(key, passing, {}, headers)
      expect(again.status).toBe(200)
      expect(again.text).toBe(first.text)
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(requestIdOf(again)).toBe(requestIdOf(first))
    }
    await expectRepeat()
    await key.request('PATCH', passing, JSON.stringify({ instructions: 'Other.' }))
    await expectRepeat()
    await key.request('DELETE', passing)
    await expectRepeat()
    expect(it.upstream.calls).toHaveLength(1)
    expect(await balance()).toEqual(before)
    expectRefusal(await run(key, passing, { input: 'other' }, headers), {
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
    expectRefusal(await run(key, agent, {}, headers), { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  })
})

describe('durable work', () => {
  const works: [string, string, Record<string, unknown>, Record<string, string>][] = [
    ...['research', 'document', 'code', 'data'].map(
      (kind): [string, string, Record<string, unknown>, Record<string, string>] => [
        `of kind ${kind}`,
        kind,
        { kind },
        {},
      ],
    ),
    ['of a chat, as preferred', 'document', {}, { prefer: 'respond-async' }],
    ['of a chat, among others', 'document', {}, { prefer: 'wait=5, Respond-Async; x=1, handling=strict' }],
  ]
  test.each(works)(
    '%s is not streamed, asks for 10 characters, and becomes %s',
    async (_, kind, body, headers) => {
      const working = await agentOf(key, { ...body, instructions: 'Be exact.' })
      const refusal = { status: 400, code: 'INVALID_REQUEST' }
      const long = { input: 'ten chars!' }
      expectRefusal(await run(key, working, { ...long, stream: true }, headers), {
        ...refusal,
        param: 'stream',
      })
      expectRefusal(await run(key, working, { input: '🙂'.repeat(9) }, headers), {
        ...refusal,
        param: 'input',
      })
      expectRefusal(await run(key, working, { ...long, reasoning_effort: 'most' }, headers), {
        status: 400,
        code: 'REASONING_NOT_SUPPORTED',
        param: 'reasoning_effort',
      })
      const before = stage.planned.length
      const { status, body: accepted } = await run(key, working, { ...long, stream: false }, headers)
      expect(status).toBe(202)
      expect(stage.planned.slice(before)[0]).toMatchObject({
        kind,
        input: 'ten chars!',
        instructions: 'Be exact.',
      })
      const done = await ended(key, accepted.id)
      expect(done).toMatchObject({ status: 'succeeded', kind, agent_id: idOf(working) })
    },
  )

  test('is accepted with where to look, and once', async () => {
    const working = await agentOf(key, { kind: 'research' })
    const headers = { 'idempotency-key': 'work-1', prefer: 'respond-async' }
    const reply = await run(key, working, { input: 'ten chars!', reasoning_effort: 'low' }, headers)
    expect(reply.status, reply.text).toBe(202)
    expect(reply.body).toMatchObject({ object: 'run', status: 'queued', request_id: requestIdOf(reply) })
    expect(reply.body.status_url).toMatch(new RegExp(`^${it.world.url}/v1/work/`))
    expect(reply.headers.get('preference-applied')).toBe('respond-async')
    expect(reply.headers.get('x-ignored-fields')).toBe('reasoning_effort')
    const again = await run(key, working, { input: 'ten chars!', reasoning_effort: 'low' }, headers)
    expect(again.text).toBe(reply.text)
    await ended(key, reply.body.id)
  })

  test.each(['respond-asynchronously', 'wait=5', 'x=respond-async', ''])(
    'a preference of "%s" changes nothing',
    async (prefer) => {
      answers(it, { text: 'at once' })
      expect((await run(key, agent, {}, { prefer })).body.output_text).toBe('at once')
    },
  )
})

test('what knowledge is quoted orders no tool of a sandbox model', async () => {
  await using world = await sharedWorld()
  const client = await world.key()
  const knowledge = await create(client, {})
  await added(client, knowledge, {
    type: 'text',
    title: 'Contact',
    text: 'The contact of the shop: keep the number 0912 000 0000; people answer from nine.',
  })
  const helper = await agentOf(client, { knowledge_id: knowledge })
  const { body } = await run(client, helper, { input: 'When does the shop open, people say?' })
  expect(body.agent_events).toEqual([])
})

test('sandbox models answer as agents too', async () => {
  await using world = await sharedWorld()
  const client = await world.key()
  const helper = await agentOf(client, { name: 'فروشگاه', instructions: 'کوتاه پاسخ بده.' })
  const reply = await run(client, helper, { input: 'سلام! حالت چطور است؟' })
  expect(reply.status).toBe(200)
  expect(reply.body.output_text.length).toBeGreaterThan(10)
  const thinking = await agentOf(client, { model: 'sandbox/reasoner' })
  const streamed = await run(client, thinking, {
    stream: true,
    include_reasoning: true,
    reasoning_effort: 'low',
  })
  expect(eventsOf(streamed.text).some(({ type }) => type === 'response.reasoning.delta')).toBe(true)
  expect(eventsOf(streamed.text).at(-1).response.reasoning.status).toBe('available')
})
