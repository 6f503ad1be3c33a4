/** Leads and handoffs of an agent: each is reported once, whether or not the answer succeeds. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { chunk, cut, stall, stream } from '../harness/upstream.ts'
import { explained, requestIdOf, shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'
import { call, says } from '../text/scripted-answer.ts'
import { heard } from '../text/tools-world.ts'
import { agentOf, answers, eventsOf, path, run } from './agents-world.ts'

let it: UpstreamWorld
let key: Client
let agent: string
beforeAll(async () => {
  it = await shareOnUpstream()
  key = it.key
  agent = await agentOf(key, { name: 'فروشگاه', instructions: 'Be kind.' })
})
afterAll(() => it[Symbol.asyncDispose]())

const consent = 'اجازه می‌دهید شماره‌تان را نگه داریم تا تماس بگیریم؟'
const contact = {
  name: 'سارا امینی',
  phone: '۰۹۱۲ ۳۴۵ ۶۷۸۹',
  email: 'Sara@Example.com',
  note: 'Wants a quote.',
  consent_text: consent,
  consent_given: true,
}
const captures = (id = 'c1', more: Record<string, unknown> = {}) =>
  call(id, 'capture_lead', { ...contact, ...more })
const handsOff = (id = 'c2', more: Record<string, unknown> = {}) =>
  call(id, 'request_handoff', { reason: 'Asked for a human.', summary: 'Sara wants a quote.', ...more })

/** What the model was told came of its calls, in its last question. */
const results = () => heard(it.upstream.calls.at(-1)!).filter((line) => line.startsWith('result'))

test('a lead is reported with the consent that it rests on, and durable before the model hears of it', async () => {
  const leads = () =>
    it.world.app.db.query({ text: `select 1 from events.outbox where type = 'agent.lead'` }, [])
  const earlier = await leads()
  let eventsBefore: unknown[] = []
  it.upstream.calls.length = 0
  it.upstream.reply(async (upstreamCall) => {
    if (it.upstream.calls.length === 1)
      return says('chat', { text: 'One moment.', calls: [captures()] }, upstreamCall)
    eventsBefore = await leads()
    return says('chat', { text: 'We will call you.' }, upstreamCall)
  })
  const reply = await run(
    key,
    agent,
    { input: 'Call me!' },
    { 'x-customer-id': 'c-1', 'x-reference-id': 'r-1' },
  )
  expect(reply.status, reply.text).toBe(200)
  expect(eventsBefore).toHaveLength(earlier.length + 1)
  expect(results()).toEqual(['result c1: The contact is kept.'])
  expect(reply.body).toMatchObject({
    output_text: 'One moment.We will call you.',
    agent_events: ['agent.lead'],
  })
  expect(reply.body.output.map(({ type }: { type: string }) => type)).toEqual(['message', 'message'])

  const runId = requestIdOf(reply)
  const [event, ...more] = await eventsOf(it.world, runId)
  expect(more).toEqual([])
  expect(event).toEqual({
    type: 'agent.lead',
    project_id: it.world.project,
    once_key: `agent.lead:${runId}:1`,
    data: {
      agent_id: agent.slice(path.length + 1),
      agent_name: 'فروشگاه',
      project_id: it.world.project,
      run_id: runId,
      customer_id: 'c-1',
      reference_id: 'r-1',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      lead: {
        name: 'سارا امینی',
        phone: '09123456789',
        email: 'Sara@example.com',
        company: null,
        note: 'Wants a quote.',
      },
      consent: { text: consent, given: true },
    },
  })
})

test('a handoff is reported with why, what was said and how urgent it is, once in a run', async () => {
  answers(
    it,
    { calls: [handsOff('a', { urgency: 'high' })] },
    { calls: [handsOff('b', { reason: 'Again.' }), handsOff('c', { summary: 'And again.' })] },
    { text: 'Somebody is coming.' },
  )
  const reply = await run(key, agent)
  expect(reply.body).toMatchObject({ output_text: 'Somebody is coming.', agent_events: ['agent.handoff'] })
  expect(results()).toHaveLength(3)
  for (const line of results()) expect(line).toMatch(/: A person was asked to take over\.$/)
  const runId = requestIdOf(reply)
  expect(await eventsOf(it.world, runId)).toMatchObject([
    {
      type: 'agent.handoff',
      once_key: `agent.handoff:${runId}:1`,
      data: {
        run_id: runId,
        customer_id: null,
        handoff: { reason: 'Asked for a human.', summary: 'Sara wants a quote.', urgency: 'high' },
      },
    },
  ])
})

test('several things of one step are all told, and the same lead twice is one', async () => {
  answers(
    it,
    { calls: [captures('a'), handsOff('b'), captures('c'), captures('d', { name: 'Other' })] },
    { text: 'Done.' },
  )
  const reply = await run(key, agent)
  const event = await eventsOf(it.world, requestIdOf(reply))
  expect(event.map(({ type, data }) => [type, data.lead?.name])).toEqual([
    ['agent.handoff', undefined],
    ['agent.lead', 'سارا امینی'],
    ['agent.lead', 'Other'],
  ])
  expect(reply.body.agent_events.toSorted()).toEqual(['agent.handoff', 'agent.lead', 'agent.lead'])
})

test.each([
  [
    'without consent',
    captures('a', { consent_given: false }),
    /^result a: Error \(invalid_tool_input\): .*consent/,
  ],
  ['without a way to reach anybody', captures('a', { phone: undefined, email: '' }), /phone or email/],
  ['with a number that is none', captures('a', { phone: '12' }), /telephone number/],
  ['with an address that is none', captures('a', { email: 'sara' }), /e-mail address/],
  ['in a handoff without a summary', handsOff('a', { summary: ' ' }), /reason and summary/],
])('%s nothing is reported, and the model learns what to fix', async (_, wrong, about) => {
  answers(it, { calls: [wrong] }, { text: 'Sorry.' })
  const reply = await run(key, agent)
  expect(results()).toEqual([expect.stringMatching(about)])
  expect(await eventsOf(it.world, requestIdOf(reply))).toEqual([])
  expect(reply.body.agent_events).toEqual([])
})

test('a model that wants its tools without end is stopped after five steps and answers', async () => {
  answers(
    it,
    ...Array.from({ length: 6 }, (_, index) => ({ calls: [captures(`c${index}`, { name: `n${index}` })] })),
  )
  const reply = await run(key, agent)
  expect(it.upstream.calls).toHaveLength(6)
  expect(it.upstream.calls.at(-1)!.body!['tool_choice']).toBe('none')
  expect(await eventsOf(it.world, requestIdOf(reply))).toHaveLength(5)
})

test('one receipt holds all steps of a run, to the micro-credit', async () => {
  answers(
    it,
    { calls: [captures()], tokens: { input: 100, output: 20 } },
    { calls: [handsOff()], tokens: { input: 150, output: 30 } },
    { text: 'Done.', tokens: { input: 200, output: 7 } },
  )
  await it.world.settled()
  const before = await it.world.balance()
  const reply = await run(key, agent)
  expect(reply.body.usage).toMatchObject({ input_tokens: 450, output_tokens: 57 })
  const receipt = await explained(key, requestIdOf(reply))
  expect(receipt.microcredits).toBe(String(450n * 1_000n + 57n * 2_000n))
  expect(receipt.details).toMatchObject({
    steps: 3,
    tools: [
      { tool: 'agent:capture_lead', uses: 1, failed: 0, microcredits: 0 },
      { tool: 'agent:request_handoff', uses: 1, failed: 0, microcredits: 0 },
    ],
  })
  // Nothing of what was said stands on it.
  expect(JSON.stringify(receipt)).not.toContain('Sara')
  await it.world.settled()
  expect(await it.world.balance()).toEqual({
    available: before.available - BigInt(receipt.microcredits),
    held: 0n,
  })
})

test('a replay reports nothing again', async () => {
  answers(it, { calls: [captures(), handsOff()] }, { text: 'Done.' })
  const headers = { 'idempotency-key': 'told-1' }
  const first = await run(key, agent, {}, headers)
  const again = await run(key, agent, {}, headers)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect(await eventsOf(it.world, requestIdOf(first))).toHaveLength(2)
  expect(await eventsOf(it.world, requestIdOf(again))).toHaveLength(2)
  expect(it.upstream.calls).toHaveLength(2)
})

test('of repeats at the same time one runs, and what it reports is reported once', async () => {
  const countOf = async () =>
    (await it.world.app.db.query({ text: `select 1 from events.outbox where type = 'agent.lead'` }, []))
      .length
  const before = await countOf()
  answers(it, { calls: [captures()] }, { text: 'Done.' })
  const headers = { 'idempotency-key': 'told-2' }
  const replies = await Promise.all(Array.from({ length: 8 }, () => run(key, agent, {}, headers)))
  const answered = replies.filter(({ status }) => status === 200)
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1)
  for (const reply of replies)
    if (reply.status !== 200) expectRefusal(reply, { status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
  expect((await countOf()) - before).toBe(1)
  expect(it.upstream.calls).toHaveLength(2)
})

test('what was reported stays reported when the stream breaks after it', async () => {
  it.upstream.calls.length = 0
  it.upstream.reply((upstreamCall) =>
    it.upstream.calls.length === 1
      ? says('chat', { text: 'Wait.', calls: [captures()] }, upstreamCall)
      : stream([chunk({ content: 'half' }), cut]),
  )
  const reply = await run(key, agent, { stream: true })
  expect(reply.text).toContain('event: response.failed')
  expect(reply.text).toContain('"agent_events":["agent.lead"]')
  expect(await eventsOf(it.world, requestIdOf(reply))).toHaveLength(1)
  await it.world.settled()
})

test('what was reported stays reported when the caller leaves', async () => {
  it.upstream.calls.length = 0
  it.upstream.reply((upstreamCall) =>
    it.upstream.calls.length === 1
      ? says('chat', { text: 'One moment please.', calls: [captures()] }, upstreamCall)
      : stream([stall]),
  )
  const leaving = new AbortController()
  const body = JSON.stringify({ input: 'Call me', stream: true })
  const response = await key.raw('POST', `${agent}/runs`, body, {}, leaving.signal)
  await until(() => it.upstream.calls.length === 2)
  leaving.abort()
  const receipt = await explained(key, requestIdOf(response))
  expect(receipt.details.outcome).toBe('client_left')
  expect(await eventsOf(it.world, requestIdOf(response))).toHaveLength(1)
})

test('a call that the model did not finish is none', async () => {
  it.upstream.calls.length = 0
  const half = {
    index: 0,
    id: 'c',
    type: 'function',
    function: { name: 'capture_lead', arguments: '{"name":' },
  }
  it.upstream.reply(() => stream([chunk({ content: 'Wait.' }), chunk({ tool_calls: [half] }), cut]))
  const reply = await run(key, agent, { stream: true })
  expect(reply.text).toContain('event: response.failed')
  expect(await eventsOf(it.world, requestIdOf(reply))).toEqual([])
  await it.world.settled()
})

test('a sandbox model captures a lead and asks for a person by itself', async () => {
  await using world = await sharedWorld({ config: '' })
  const client = await world.key()
  const helper = await agentOf(client)
  const input = 'request_handoff please, and capture_lead: sara@example.com, 0912 345 6789'
  for (const more of [{}, { stream: true }]) {
    const reply = await run(client, helper, { input, ...more })
    expect(reply.status).toBe(200)
    const event = await eventsOf(world, requestIdOf(reply))
    expect(event.map(({ type }) => type).sort()).toEqual(['agent.handoff', 'agent.lead'])
    expect(event.find(({ type }) => type === 'agent.lead')!.data.lead).toMatchObject({
      email: 'sara@example.com',
      phone: '09123456789',
    })
  }
})
