/** Agents, hosted tools and what a call says by itself: the text model is scripted, hearing and speaking are the sandbox's. */
import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openEngine } from '../../core/tools/asking.ts'
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import {
  chunk,
  done,
  type FakeUpstream,
  fakeUpstream,
  stream,
  type UpstreamCall,
} from '../../harness/upstream.ts'
import { boot, type World } from '../../harness/world.ts'
import { connect, type Refused, type SocketCall } from '../../voice/socket-call.ts'
import { add, create, read } from '../../work/knowledge-world.ts'

let world: World
let key: Client
let texts: FakeUpstream
let search: Awaited<ReturnType<typeof openEngine>>
let finds: RequestListener

const findings =
  (content: string): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        results: [0, 1, 2, 3].map((at) => ({ url: `https://example.ir/${at}`, title: 'خبر', content })),
      }),
    )

const configOf = (text: string, engine: string) => `providers:
  - { id: words, base_url: ${text}, api_key: k, dialects: [chat] }
models:
  - id: words/one
    deployments: [{ provider: words, model: gpt-x }]
    context_length: 64000
    max_output_tokens: 4000
    features: [tools]
    pricing: { input_per_million: 1, output_per_million: 2 }
defaults: { embedding_model: sandbox/embedding }
tools:
  web_search: { vendor: searxng, base_url: ${engine}, price_per_search_usd: 0.002 }
voice: { capacity: 8, calls_per_key: 8 }
`

beforeAll(async () => {
  texts = await fakeUpstream()
  search = await openEngine((request, response) => finds(request, response))
  world = await boot({ config: configOf(texts.url, search.url), credits: 100_000 })
  key = await world.key()
})
beforeEach(() => {
  texts.reset()
  texts.calls.length = 0
  finds = findings('هوای تهران آفتابی است')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  for (const one of [texts, search]) await one[Symbol.asyncDispose]()
})

const words = (text: string) => stream([chunk({ content: text }), chunk({}, 'stop'), done])
const calls = (name: string, input: object) => {
  const tool = { index: 0, id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(input) } }
  return stream([chunk({ tool_calls: [tool] }), chunk({}, 'tool_calls'), done])
}
const agentOf = async (more: object = {}): Promise<string> =>
  (
    await key.post('/v1/agents', {
      name: 'پشتیبان',
      instructions: 'فقط کوتاه پاسخ بده.',
      model: 'words/one',
      ...more,
    })
  ).body.id

async function ask(call: SocketCall, text: string, session: object = { output_modalities: ['text'] }) {
  const from = call.events.length
  call.send({ type: 'session.update', session: { type: 'realtime', ...session } })
  const content = [{ type: 'input_text', text }]
  call.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  call.send({ type: 'response.create' })
  return (await call.event('response.done', from)).response
}
const messagesOf = ({ body }: UpstreamCall) => body?.['messages'] as { role: string; content: unknown }[]
const receiptOf = async (call: SocketCall) => {
  call.close()
  await call.closed
  const { data } = await until(async () => {
    const { body } = await key.get('/v1/realtime/calls?limit=1')
    return body.data[0].status === 'ended' ? body : undefined
  })
  return { record: data[0], receipt: (await key.receipt(data[0].request_id)).body }
}
const refused = (query: string, by = key): Promise<Refused> =>
  connect(world, by.secret, { query }).then(
    () => Promise.reject(new Error('it was not refused')),
    (error: Refused) => error,
  )

test('an agent answers by its instructions and knowledge, which is a step of the receipt, and goes on when it is deleted', async () => {
  const knowledge_id = await create(key, { instructions: 'از دانش خودت بگو.' })
  const source = await add(key, knowledge_id, {
    type: 'text',
    title: 'ساعت کار',
    text: 'فروشگاه تا ساعت نه شب باز است.',
  })
  await read(key, knowledge_id, source.body.id)
  await key.post(`/v1/knowledge/${knowledge_id}/embed`, undefined)
  await until(async () => {
    const { body } = await key.get(`/v1/knowledge/${knowledge_id}/sources/${source.body.id}`)
    return body.vectors?.state === 'ready'
  })
  const agent_id = await agentOf({ knowledge_id })
  const secret = (await key.post('/v1/realtime/client_secrets', { agent_id })).body
  expect(JSON.stringify(secret.session)).not.toContain('کوتاه پاسخ')
  await using call = await connect(world, secret.value, { query: '?model=gpt-realtime' })
  texts.replyOnce(words('تا نه شب.'), words('خواهش می‌کنم.'))
  const response = await ask(call, 'فروشگاه تا کی باز است؟')
  expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
  expect((await key.request('DELETE', `/v1/agents/${agent_id}`)).status).toBe(200)
  expect((await ask(call, 'سپاس')).status).toBe('completed')
  const [first, second] = texts.calls.map(messagesOf)
  expect(first![0]).toMatchObject({ role: 'system', content: expect.stringContaining('فقط کوتاه پاسخ بده.') })
  expect(first![0]!.content).toContain('از دانش خودت بگو.')
  expect(JSON.stringify(first!.at(-1))).toContain('فروشگاه تا ساعت نه شب باز است.')
  expect(second![0]!.content).toContain('فقط کوتاه پاسخ بده.')
  const { record, receipt } = await receiptOf(call)
  expect(record).toMatchObject({ agent_id, model: 'words/one' })
  const { steps } = receipt.details
  expect(steps).toEqual(
    expect.arrayContaining([expect.objectContaining({ step: 'embedding', model: 'sandbox/embedding' })]),
  )
  const sum = steps.reduce((all: number, { microcredits }: { microcredits: number }) => all + microcredits, 0)
  expect(receipt.microcredits).toBe(String(sum))
})

test('what another project has made, what does work and what another model answers is refused before anything is held', async () => {
  const agent = await agentOf()
  const other = await world.key({ project: await world.newProject() })
  expect(await refused(`?agent_id=${agent}`, other)).toMatchObject({
    status: 404,
    body: { error: { param: 'agent_id' } },
  })
  const strange = await key.post('/v1/realtime/client_secrets', {
    agent_id: '01890000-0000-7000-8000-000000000000',
  })
  expect(strange.status).toBe(404)
  const work = await agentOf({ kind: 'research' })
  expect(await refused(`?agent_id=${work}`)).toMatchObject({
    status: 400,
    body: { error: { param: 'agent_id' } },
  })
  expect(await refused(`?agent_id=${agent}&model=sandbox/fast`)).toMatchObject({
    status: 400,
    body: { error: { param: 'model' } },
  })
  const voice = await world.key({ scopes: ['audio:write'] })
  expect(await refused(`?agent_id=${agent}`, voice)).toMatchObject({ status: 403 })
  await (await connect(world, key.secret, { query: `?agent_id=${agent}&model=words/one` }))[
    Symbol.asyncDispose
  ]()
})

test('a tool of an agent and a function of the client stand side by side, and only the latter is called at the client', async () => {
  await using call = await connect(world, key.secret, { query: `?agent_id=${await agentOf()}` })
  const functions = [
    { type: 'function', name: 'request_handoff', parameters: { type: 'object', properties: {} } },
  ]
  texts.replyOnce(
    calls('kherad_request_handoff', { reason: 'خواست', summary: 'با انسان' }),
    words('همکارم می‌آید.'),
    calls('request_handoff', {}),
  )
  const session = { output_modalities: ['text'], tools: functions }
  const { output } = await ask(call, 'با انسان حرف می‌زنم', session)
  expect(output).toMatchObject([
    {
      type: 'mcp_call',
      server_label: 'kherad',
      name: 'kherad_request_handoff',
      output: 'A person was asked to take over.',
    },
    { type: 'message' },
  ])
  expect(call.types()).toEqual(
    expect.arrayContaining(['response.mcp_call.in_progress', 'response.mcp_call.completed']),
  )
  expect(call.types()).not.toContain('response.function_call_arguments.done')
  expect((await ask(call, 'دوباره', session)).output).toMatchObject([
    { type: 'function_call', name: 'request_handoff' },
  ])
  // Later turns know what a tool gave.
  expect(JSON.stringify(texts.calls[2]!.body)).toContain('A person was asked to take over.')
})

test('contacts that people leave in one call are each kept once, with the consent, and belong to the call', async () => {
  const agent_id = await agentOf()
  await using call = await connect(world, key.secret, { query: `?agent_id=${agent_id}` })
  const consent = { consent_text: 'شماره‌تان را نگه داریم؟', consent_given: true }
  const lead = (phone: string) => calls('capture_lead', { name: 'سارا', phone, ...consent })
  for (const phone of ['۰۹۱۲۳۴۵۶۷۸۹', '۰۹۱۲۳۴۵۶۷۸۹', '02188776655']) {
    texts.replyOnce(lead(phone), words('یادداشت شد.'))
    expect((await ask(call, 'شماره‌ام را بنویس')).output).toMatchObject([
      { type: 'mcp_call', name: 'capture_lead', output: 'The contact is kept.' },
      { type: 'message' },
    ])
  }
  const text = `select data from events.outbox where type = 'agent.lead' order by once_key`
  const told = await world.app.db.query<{ data: object }>({ text }, [])
  const { record } = await receiptOf(call)
  const of = (phone: string) => ({
    data: {
      agent_id,
      run_id: record.request_id,
      lead: { phone },
      consent: { text: consent.consent_text },
    },
  })
  expect(told).toMatchObject([of('09123456789'), of('02188776655')])
})

test('a search that takes long is spoken over, its result is cut for the client, and its fee is charged', async () => {
  const gate = Promise.withResolvers<void>()
  finds = (request, response) =>
    void gate.promise.then(() => findings('ب'.repeat(200_000))(request, response))
  await using call = await connect(world, key.secret, { query: '?model=words/one' })
  texts.replyOnce(calls('web_search', { query: 'هوا' }), words('آفتابی است.'))
  const tools = [
    { type: 'web_search', filters: { allowed_domains: ['example.ir'] } },
    { type: 'kherad:bash', x: 1 },
    { type: 'mcp' },
  ]
  const answered = ask(call, 'هوای تهران چطور است؟', { tools })
  await until(() => call.sound().length > 0)
  expect(texts.calls).toHaveLength(1)
  gate.resolve()
  const { output } = await answered
  const { session } = await call.event('session.updated')
  expect(session.tools).toMatchObject([
    { type: 'kherad:web_search', allowed_domains: ['example.ir'] },
    { type: 'kherad:bash' },
  ])
  expect(session.kherad.ignored).toEqual(['session.tools.1.x', 'session.tools.2'])
  const used = output.find(({ type }: { type: string }) => type === 'mcp_call')
  expect(used.output.length).toBe(4_000)
  const whole = JSON.stringify(texts.calls[1]!.body).length
  expect(whole).toBeGreaterThan(6_000)
  expect(whole).toBeLessThan(60_000)
  const said = output.find(({ type }: { type: string }) => type === 'message').content[0].transcript
  expect(said).toBe('یک لحظه، دارم نگاه می‌کنم. آفتابی است.')
  const { receipt } = await receiptOf(call)
  const text = receipt.details.steps.find(({ step }: { step: string }) => step === 'text')
  expect(text.quantities.searches).toBe(1)
  expect(text.microcredits).toBeGreaterThan(2_000)
})

test('a model that never stops using tools is stopped, and answers with what it has', async () => {
  await using call = await connect(world, key.secret, { query: '?model=words/one' })
  texts.reply(({ body }) =>
    body?.['tool_choice'] === 'none' ? words('همین.') : calls('web_search', { query: 'x' }),
  )
  const { output, status } = await ask(call, 'بگرد', {
    output_modalities: ['text'],
    tools: [{ type: 'web_search' }],
  })
  expect(status).toBe('completed')
  expect(texts.calls).toHaveLength(6)
  expect(output.filter(({ type }: { type: string }) => type === 'mcp_call')).toHaveLength(5)
  expect(output.filter(({ error }: { error?: object }) => error)).toHaveLength(2)
})

test('a caller whose balance bears no further turn is told so in an event and aloud, which is a step of the receipt and no answer', async () => {
  await world.settled()
  const first = await connect(world, key.secret, { query: '?model=words/one' })
  const worst = (await world.balance()).held
  await receiptOf(first)
  const poor = await world.key({ caps: { cap: worst + worst / 2n } })
  await using call = await connect(world, poor.secret, { query: '?model=words/one' })
  await call.event('session.created')
  await world.app.realtime.tick()
  expect(await call.event('kherad.credits')).toMatchObject({ warning: true })
  expect((await call.event('response.created')).response.metadata).toEqual({ 'kherad.notice': 'credits' })
  expect((await call.event('response.done')).response.status).toBe('completed')
  expect(call.sound().length).toBeGreaterThan(24_000)
  await world.app.realtime.tick()
  expect(call.types().filter((type) => type === 'response.created')).toHaveLength(1)
  expect(texts.calls).toEqual([])
  const { record, receipt } = await receiptOf(call)
  expect(record).toMatchObject({ reason: 'client', turns: 0 })
  expect(receipt.details.steps).toMatchObject([{ step: 'speech' }])
})
