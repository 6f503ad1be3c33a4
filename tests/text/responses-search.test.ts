/** Hosted tools on the responses wire: items, events, annotations, choices, bounds and charges. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { json } from '../core/tools/asking.ts'
import { cut, stream } from '../harness/upstream.ts'
import { explained, quantitiesOf, requestIdOf } from './chat-world.ts'
import { eventsIn, type Json, lasting, responseIn } from './responses-oracle.ts'
import { respond, weather } from './responses-world.ts'
import { call, type ScriptedAnswer, says } from './scripted-answer.ts'
import { bootSearching, pages, type SearchWorld, searchFee } from './search-world.ts'

const search = { type: 'web_search' }
const searching = (query: string, id = 'call_1'): ScriptedAnswer => ({
  calls: [call(id, 'web_search', { query })],
})
const cited = `The rate is 61,200 tomans. [${pages.news.title}](${pages.news.url}) So it is.`

/** The same question whole and streamed; both are held against the wire, and are one answer. */
async function both(
  at: SearchWorld,
  ask: Json,
  ...answers: ScriptedAnswer[]
): Promise<{ body: Json; events: Json[] }> {
  at.answers(...answers)
  const whole = await respond(at.key, ask)
  expect(whole.status, whole.text).toBe(200)
  at.answers(...answers)
  const events = eventsIn((await respond(at.key, { ...ask, stream: true })).text)
  expect(lasting(responseIn(events.at(-1)?.['response']))).toEqual(lasting(responseIn(whole.body)))
  return { body: whole.body, events }
}

const kinds = (output: Json[]): string[] => output.map(({ type }) => type)
const typesOf = (events: Json[]): string[] => [...new Set(events.map(({ type }) => type))]

describe.each(['chat', 'responses', 'messages'] as const)('by an upstream of %s', (wire) => {
  let at: SearchWorld
  beforeAll(async () => {
    at = await bootSearching({ wire })
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test('a search is an item before the message that it informed, with annotations of exactly four fields', async () => {
    const { body, events } = await both(
      at,
      { tools: [search], include: ['web_search_call.action.sources'] },
      searching('نرخ دلار'),
      { text: cited },
    )
    expect(body['output']).toMatchObject([
      {
        type: 'web_search_call',
        status: 'completed',
        action: {
          type: 'search',
          query: 'نرخ دلار',
          queries: ['نرخ دلار'],
          sources: [
            { type: 'url', url: pages.news.url },
            { type: 'url', url: pages.blog.url },
          ],
        },
      },
      { type: 'message', content: [{ text: cited }] },
    ])
    const mark = `[${pages.news.title}](${pages.news.url})`
    const annotation = {
      type: 'url_citation',
      start_index: cited.indexOf(mark),
      end_index: cited.indexOf(mark) + mark.length,
      url: pages.news.url,
      title: pages.news.title,
    }
    expect(body['output'][1].content[0].annotations).toEqual([annotation])
    const added = events.filter(({ type }) => type === 'response.output_text.annotation.added')
    expect(added).toMatchObject([{ output_index: 1, content_index: 0, annotation_index: 0, annotation }])
    expect(body['tools']).toEqual([search])
    expect(at.asked.at(-1)?.query).toMatchObject({ q: 'نرخ دلار' })
  })

  test('what was said between searches are messages of their own, each with places of its own', async () => {
    const { body } = await both(
      at,
      { tools: [search] },
      { text: 'Let me look.', ...searching('one') },
      { text: `First [here](${pages.news.url}).`, ...searching('two', 'call_2') },
      { text: `Last [there](${pages.blog.url}).` },
    )
    expect(kinds(body['output'])).toEqual([
      'message',
      'web_search_call',
      'message',
      'web_search_call',
      'message',
    ])
    const places = body['output']
      .filter(({ type }: Json) => type === 'message')
      .map(({ content }: Json) => content[0].annotations.map(({ start_index: at }: Json) => at))
    expect(places).toEqual([[], [6], [5]])
    expect(body['output_text']).toContain('Let me look.First [here]')
  })

  test('searches of one step stand side by side, and so do the calls of own tools that end the answer', async () => {
    const calls = [
      call('call_1', 'web_search', { query: 'a' }),
      call('call_2', 'get_weather', { city: 'Paris' }),
      call('call_3', 'web_search', { query: 'b' }),
    ]
    const { body } = await both(at, { tools: [weather, search] }, { calls })
    const items = body['output'].map(({ type, action, name }: Json) => [type, action?.query ?? name])
    expect(items).toEqual([
      ['function_call', 'get_weather'],
      ['web_search_call', 'a'],
      ['web_search_call', 'b'],
    ])
    expect(body['status']).toBe('completed')
    const output = { type: 'function_call_output', call_id: 'call_2', output: '21 °C' }
    const next = {
      tools: [weather, search],
      input: [{ role: 'user', content: 'x' }, ...body['output'], output],
    }
    const { body: answer } = await both(at, next, { text: '21 degrees' })
    expect(answer['output_text']).toBe('21 degrees')
  })
})

let at: SearchWorld
beforeAll(async () => {
  at = await bootSearching()
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.finds(json({ results: Object.values(pages) })))

describe('who asks for it', () => {
  test.each(['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'])(
    'by the type %s',
    async (type) => {
      const { body } = await both(at, { tools: [{ type }] }, searching('x'), { text: 'y' })
      expect(kinds(body['output'])).toEqual(['web_search_call', 'message'])
      expect(body['tools']).toEqual([{ type }])
    },
  )

  test('by web_search: true hears of it by response.tool too, and nobody else does', async () => {
    const plain = await both(at, { tools: [search] }, searching('x'), { text: 'y' })
    expect(typesOf(plain.events)).not.toContain('response.tool')
    const { body, events } = await both(at, { web_search: true }, searching('x'), { text: 'y' })
    expect(kinds(body['output'])).toEqual(['web_search_call', 'message'])
    const toolEvents = events.filter(({ type }) => type === 'response.tool')
    const shared = { item_id: expect.stringMatching(/^ws_/), output_index: 0, tool: 'web_search' }
    const results = Object.values(pages).map(({ url, title }) => ({ url, title }))
    expect(toolEvents).toMatchObject([
      { ...shared, status: 'in_progress', input: { query: 'x' } },
      { ...shared, status: 'completed', input: { query: 'x' }, results },
    ])
    expect(typesOf(events)).toEqual(expect.arrayContaining(typesOf(plain.events)))
  })

  test('by both at once searches once, under the rules of the tool', async () => {
    const filters = { allowed_domains: ['example.com'] }
    const ask = {
      web_search: true,
      tools: [{ ...search, filters }],
      include: ['web_search_call.action.sources'],
    }
    const { body } = await both(at, ask, searching('x'), { text: 'y' })
    expect(body['output'][0].action.sources).toEqual([{ type: 'url', url: pages.blog.url }])
    const sent = (await at.upstream.call(at.upstream.calls.length - 2)).body as Json
    expect(sent['tools'].map(({ function: definition }: Json) => definition.name)).toEqual(['web_search'])
  })

  test('beside a function of the same name gets both, distinguished', async () => {
    const own = { type: 'function', name: 'web_search', parameters: { type: 'object', properties: {} } }
    const { body } = await both(
      at,
      { tools: [own, search] },
      { calls: [call('call_1', 'kherad_web_search', { query: 'x' })] },
      { calls: [call('call_2', 'web_search', {})] },
    )
    expect(kinds(body['output'])).toEqual(['web_search_call', 'function_call'])
    expect(body['output'][1]).toMatchObject({ name: 'web_search', call_id: 'call_2' })
  })

  test('by a sandbox model, which searches when the question says so', async () => {
    const reply = await respond(at.key, {
      model: 'sandbox/fast',
      web_search: true,
      input: 'use web_search for the rate',
    })
    expect(kinds(responseIn(reply.body)['output'])).toEqual(['web_search_call', 'message'])
  })

  test('gets no tool where it forbids tools, and the forced one where it names one', async () => {
    const sentWith = async (ask: Json): Promise<Json> => {
      at.answers({ text: 'y' })
      const position = at.upstream.calls.length
      expect(await respond(at.key, { tools: [weather, search], ...ask })).toMatchObject({ status: 200 })
      return (await at.upstream.call(position)).body as Json
    }
    const named = (sent: Json) => sent['tools']?.map(({ function: definition }: Json) => definition.name)
    expect(named(await sentWith({ tool_choice: 'none' }))).toEqual(['get_weather'])
    const forced = await sentWith({ tool_choice: { type: 'web_search' } })
    expect(forced['tool_choice']).toEqual({ type: 'function', function: { name: 'web_search' } })
    const allowed = await sentWith({
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search_preview' }] },
    })
    expect(named(allowed)).toEqual(['web_search'])
    expect(allowed['tool_choice']).toBe('required')
    const others = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] }
    expect(named(await sentWith({ tool_choice: others }))).toEqual(['get_weather'])
  })
})

describe('what comes of a search', () => {
  test('that the engine does not answer is an item that failed, without completed, and is not paid', async () => {
    at.finds((_, response) => response.writeHead(500).end())
    at.answers(searching('x'), { text: 'I could not look it up.' })
    const reply = await respond(at.key, { web_search: true, stream: true })
    const events = eventsIn(reply.text)
    expect(events.at(-1)?.['response'].output).toMatchObject([
      { type: 'web_search_call', status: 'failed' },
      { type: 'message', status: 'completed' },
    ])
    expect(typesOf(events)).not.toContain('response.web_search_call.completed')
    expect(events.findLast(({ type }) => type === 'response.tool')).toMatchObject({
      status: 'failed',
      results: [],
      error_code: 'unavailable',
    })
    const { details } = await explained(at.key, requestIdOf(reply))
    expect(details).toMatchObject({ tools: [{ tool: 'web_search', uses: 1, failed: 1, microcredits: 0 }] })
    expect(await quantitiesOf(at.world, requestIdOf(reply))).toBeNull()
  })

  test('that finds nothing is whole, with no sources, and so is one with an input that is none', async () => {
    at.finds(json({ results: [] }))
    const ask = { tools: [search], include: ['web_search_call.action.sources'] }
    const nothing = await both(at, ask, searching('x'), { text: 'Nothing.' })
    expect(nothing.body['output'][0]).toMatchObject({ status: 'completed', action: { sources: [] } })
    const odd = await both(at, ask, { calls: [call('call_1', 'web_search', { q: 1 })] }, { text: 'Nothing.' })
    expect(odd.body['output'][0]).toMatchObject({ status: 'failed', action: { query: '' } })
  })

  test('is paid with every step of the model, to the micro-credit', async () => {
    await at.world.settled()
    const before = await at.world.balance()
    at.answers(
      { ...searching('x'), tokens: { input: 100, output: 10 } },
      { text: cited, tokens: { input: 900, output: 30 } },
    )
    const reply = await respond(at.key, { web_search: true })
    expect(reply.body.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 40, total_tokens: 1_040 })
    const receipt = await explained(at.key, requestIdOf(reply))
    const charged = 1_000n * 1_000n + 40n * 2_000n + searchFee
    expect(receipt.microcredits).toBe(String(charged))
    expect(receipt.details).toMatchObject({
      tools: [{ tool: 'web_search', uses: 1, failed: 0, microcredits: Number(searchFee) }],
    })
    const after = await at.world.balance()
    expect(before.available - after.available).toBe(charged)
  })

  test('is counted on the receipt and in the usage of the day, where tokens stay what they are', async () => {
    at.answers({ calls: ['a', 'b'].map((query) => call(query, 'web_search', { query })) }, searching('c'), {
      text: cited,
    })
    const reply = await respond(at.key, { web_search: true }, { 'X-Reference-ID': 'counted' })
    await at.world.settled()
    expect(await quantitiesOf(at.world, requestIdOf(reply))).toEqual({ searches: 3 })
    const days = await at.world.app.db.query(
      { text: `select quantities from ledger.usage_days where reference_id = 'counted'` },
      [],
    )
    expect(days).toEqual([{ quantities: { searches: 3 } }])
    at.answers({ text: 'Nothing was looked up.' })
    const plain = await respond(at.key, { web_search: true })
    await at.world.settled()
    expect(await quantitiesOf(at.world, requestIdOf(plain))).toBeNull()
  })

  test('of five steps is the last: then the model answers without tools', async () => {
    const steps = Array.from({ length: 5 }, (_, step) => searching(`q${step}`, `call_${step}`))
    const { body } = await both(at, { tools: [search] }, ...steps, { text: 'Enough.' })
    expect(kinds(body['output'])).toEqual([...Array(5).fill('web_search_call'), 'message'])
    expect(body).toMatchObject({ status: 'completed', incomplete_details: null, output_text: 'Enough.' })
    const last = (await at.upstream.call(at.upstream.calls.length - 1)).body as Json
    expect(last['tool_choice']).toBe('none')
  })

  test('beyond max_tool_calls is not run: the model is informed, and the item shows it', async () => {
    const asked = at.asked.length
    const { body } = await both(
      at,
      { tools: [search], max_tool_calls: 1 },
      searching('one'),
      searching('two', 'call_2'),
      { text: 'y' },
    )
    expect(body['max_tool_calls']).toBe(1)
    expect(body['output'].map(({ status }: Json) => status)).toEqual(['completed', 'failed', 'completed'])
    expect(at.asked.length - asked).toBe(2)
  })

  test('counts against max_tool_calls together with the other tools', async () => {
    const steps = [
      { calls: [call('call_0', 'datetime', { action: 'now' })] },
      { calls: [call('call_1', 'web_search', { query: 'a' }), call('call_2', 'web_search', { query: 'b' })] },
    ]
    const ask = { tools: [search, { type: 'kherad:datetime' }], max_tool_calls: 2 }
    const { body } = await both(at, ask, ...steps, { text: 'y' })
    expect(body['output'].map(({ status }: Json) => status)).toEqual(['completed', 'failed', 'completed'])
  })

  test('before an upstream dies stays, and what it had cost is charged', async () => {
    let step = 0
    at.upstream.reply((asked) => (step++ === 0 ? says('chat', searching('x'), asked) : stream([cut])))
    const reply = await respond(at.key, { tools: [search], stream: true })
    const last = eventsIn(reply.text).at(-1)
    expect(last).toMatchObject({
      type: 'response.failed',
      response: { output: [{ type: 'web_search_call', status: 'completed' }] },
    })
    const { details } = await explained(at.key, requestIdOf(reply))
    expect(details).toMatchObject({ tools: [{ uses: 1, microcredits: Number(searchFee) }] })
  })
})

describe('what a client sends back', () => {
  test('is taken as it came: items of searches, messages with annotations', async () => {
    const { body } = await both(
      at,
      { tools: [search] },
      { text: 'Look.', ...searching('x') },
      { text: cited },
    )
    const user = { role: 'user', content: 'And tomorrow?' }
    const input = [{ role: 'user', content: 'The rate?' }, ...body['output'], user]
    const next = await both(at, { tools: [search], input }, { text: 'Who knows.' })
    expect(next.body['output_text']).toBe('Who knows.')
    const { messages } = (await at.upstream.call(at.upstream.calls.length - 1)).body as Json
    expect(messages.map(({ role }: Json) => role)).toEqual(['user', 'assistant', 'assistant', 'user'])
  })
})

describe('our own tools', () => {
  test('kherad:datetime and kherad:bash leave no item, and part what is said before from what is said after', async () => {
    const { body } = await both(
      at,
      { tools: [{ type: 'kherad:datetime' }, { type: 'kherad:bash' }] },
      { text: 'Let me see.', calls: [call('call_1', 'datetime', { action: 'now' })] },
      { calls: [call('call_2', 'bash', { command: 'echo 7' })] },
      { text: 'It is seven.' },
    )
    expect(body['output'].map(({ content }: Json) => content[0].text)).toEqual([
      'Let me see.',
      'It is seven.',
    ])
    const { messages } = (await at.upstream.call(at.upstream.calls.length - 1)).body as Json
    expect(messages.findLast(({ role }: Json) => role === 'tool').content).toContain('7')
  })

  test('kherad:web_fetch is a page that is opened, and one that cannot be is a failure', async () => {
    const url = 'https://127.0.0.1/secret'
    const { body } = await both(
      at,
      { tools: [{ type: 'kherad:web_fetch' }], input: `Read ${url}` },
      { calls: [call('call_1', 'web_fetch', { url })] },
      { text: 'I could not open it.' },
    )
    expect(body['output'][0]).toMatchObject({
      type: 'web_search_call',
      status: 'failed',
      action: { type: 'open_page', url },
    })
  })

  test('kherad:web_search takes the rules that it has on the messages wire', async () => {
    const tool = { type: 'kherad:web_search', max_uses: 1, blocked_domains: ['news.example.ir'] }
    const { body } = await both(
      at,
      { tools: [tool], include: ['web_search_call.action.sources'] },
      searching('x'),
      { text: 'y' },
    )
    expect(body['output'][0].action.sources).toEqual([{ type: 'url', url: pages.blog.url }])
  })
})

describe('fields without effect', () => {
  const ignoredFor = async (ask: Json): Promise<string | null> => {
    at.answers({ text: 'y' })
    const reply = await respond(at.key, ask)
    expect(reply.status, reply.text).toBe(200)
    return reply.headers.get('x-ignored-fields')
  }

  test('are named by their place', async () => {
    const tool = {
      ...search,
      search_context_size: 'high',
      user_location: { type: 'approximate', country: 'IR' },
    }
    expect(await ignoredFor({ tools: [weather, tool] })).toBe(
      'tools.1.search_context_size, tools.1.user_location',
    )
    expect(await ignoredFor({ tools: [search, { type: 'web_search_preview' }] })).toBe('tools.1')
    expect(await ignoredFor({ max_tool_calls: 3 })).toBe('max_tool_calls')
  })

  test('a search that may not reach the live web is left out, where no upstream keeps an index', async () => {
    const offline = { ...search, external_web_access: false }
    expect(await ignoredFor({ tools: [weather, offline] })).toBe('tools.1')
    expect(((await at.upstream.call(at.upstream.calls.length - 1)).body as Json)['tools']).toHaveLength(1)
    expect(await ignoredFor({ tools: [{ ...search, external_web_access: true }] })).toBeNull()
  })
})

describe('refused before anything is held', () => {
  test.each<[string, Json, string, string]>([
    [
      'rules that are no domain',
      { tools: [{ ...search, filters: { allowed_domains: ['https://a.b'] } }] },
      'INVALID_REQUEST',
      'tools.0.filters.allowed_domains.0',
    ],
    [
      'rules of ours that are none',
      { tools: [{ type: 'kherad:web_fetch', blocked_domains: ['x y'] }] },
      'INVALID_REQUEST',
      'tools.0.blocked_domains.0',
    ],
    ['no calls at all', { tools: [search], max_tool_calls: 0 }, 'INVALID_REQUEST', 'max_tool_calls'],
    [
      'a choice of what is not there',
      { tools: [weather], tool_choice: search },
      'FEATURE_NOT_SUPPORTED',
      'tool_choice.type',
    ],
    [
      'a search of a type to come',
      { tools: [{ type: 'web_search_2099_01_01' }] },
      'FEATURE_NOT_SUPPORTED',
      'tools.0',
    ],
    [
      'items that only an upstream of the wire can carry',
      {
        web_search: true,
        input: [
          { role: 'user', content: 'x' },
          { type: 'custom_tool_call', call_id: 'a', name: 'p', input: '*' },
        ],
      },
      'FEATURE_NOT_SUPPORTED',
      'input.1',
    ],
  ])('%s', async (_, ask, code, param) => {
    await at.world.settled()
    const before = await at.world.balance()
    expectRefusal(await respond(at.key, ask), { status: 400, code, param })
    expect(await at.world.balance()).toEqual(before)
  })

  test('a search that is not set up, with its place and how to fix it in both languages', async () => {
    await using bare = await bootSearching({ searches: false })
    const before = await bare.world.balance()
    for (const [ask, param] of [
      [{ web_search: true }, 'web_search'],
      [{ tools: [weather, search] }, 'tools.1'],
    ] as const) {
      const reply = await respond(bare.key, ask)
      expectRefusal(reply, { status: 400, code: 'HOSTED_TOOL_NOT_CONFIGURED', param })
      expect(reply.body.error.message).toContain('SEARXNG_URL')
      const persian = await respond(bare.key, ask, { 'accept-language': 'fa' })
      expect(persian.body.error.message).toMatch(/[\u0600-\u06ff]/)
    }
    expect(await bare.world.balance()).toEqual(before)
    expect(bare.upstream.calls).toHaveLength(0)
  })
})

describe('an upstream of the wire with a search of its own', () => {
  let own: SearchWorld
  beforeAll(async () => {
    own = await bootSearching({ wire: 'responses', features: ', web_search' })
  })
  afterAll(() => own[Symbol.asyncDispose]())

  const item = {
    type: 'web_search_call',
    id: 'ws_up',
    status: 'completed',
    action: { type: 'search', query: 'x', sources: [{ type: 'url', url: pages.news.url }] },
  }
  const message = {
    type: 'message',
    id: 'msg_up',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'y', annotations: [], logprobs: [] }],
  }
  const response = {
    id: 'resp_up',
    object: 'response',
    status: 'completed',
    output: [item, message],
    usage: { input_tokens: 9_000, output_tokens: 5, total_tokens: 9_005 },
  }
  const place = { item_id: 'ws_up', output_index: 0 }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', action: { type: 'search' } },
    },
    { type: 'response.web_search_call.searching', ...place },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response },
  ]
  const sent = async (ask: Json) => {
    own.upstream.reply(stream([...events, 'data: [DONE]\n\n']))
    const position = own.upstream.calls.length
    const reply = await respond(own.key, { stream: true, ...ask })
    expect(reply.status, reply.text).toBe(200)
    const { body } = await own.upstream.call(position)
    return { body: body as Json, text: reply.text }
  }

  test('gets the tool as it was written, bounded, and its item comes as it is', async () => {
    const tool = { ...search, search_context_size: 'low', external_web_access: false }
    const { body, text } = await sent({ tools: [weather, tool], tool_choice: search })
    expect(body).toMatchObject({ tools: [weather, tool], tool_choice: search, max_tool_calls: 5 })
    expect(text).toContain(JSON.stringify(item.action))
    expect(text).not.toContain('response.tool"')
    expect(own.asked).toHaveLength(0)
  })

  test('gets it for web_search: true too, which is reported by response.tool', async () => {
    const { body, text } = await sent({ web_search: true, max_tool_calls: 2 })
    expect(body).toMatchObject({ tools: [search], max_tool_calls: 2 })
    expect(body).not.toHaveProperty('web_search')
    const toolEvents = text
      .split('\n')
      .flatMap((line) =>
        line.startsWith('data: {"type":"response.tool"') ? [JSON.parse(line.slice(6))] : [],
      )
    expect(toolEvents).toMatchObject([
      { ...place, tool: 'web_search', status: 'in_progress', input: {} },
      {
        ...place,
        tool: 'web_search',
        status: 'completed',
        input: { query: 'x' },
        results: [{ url: pages.news.url }],
      },
    ])
  })

  test('is promised what its searches may make the model read', async () => {
    const heldFor = async (ask: Json): Promise<bigint> => {
      const { text } = await sent(ask)
      const id = /"id":"resp_([0-9a-f]{32})"/.exec(text)![1]!
      const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      const { reserved_microcredits: reserved, details } = await explained(own.key, dashed)
      return BigInt(String(details.hold_raised_from ?? reserved))
    }
    const plain = await heldFor({})
    expect((await heldFor({ tools: [search], max_tool_calls: 2 })) - plain).toBeGreaterThan(
      3n * 16_000n * 1_000n,
    )
  })

  test('is not sent what was searched here, and is passed over where one of ours is asked for beside it', async () => {
    const ours = {
      type: 'web_search_call',
      id: `ws_${'0'.repeat(36)}`,
      status: 'completed',
      action: item.action,
    }
    const user = { role: 'user', content: 'x' }
    const { body } = await sent({ input: [user, ours, item, user] })
    expect(body['input']).toEqual([user, item, user])
    own.answers({ text: 'y' }, { text: 'y' })
    expect((await respond(own.key, { tools: [search, { type: 'kherad:datetime' }] })).status).toBe(200)
    const { tools } = (await own.upstream.call(own.upstream.calls.length - 1)).body as Json
    expect(tools.map(({ name }: Json) => name)).toEqual(['web_search', 'datetime'])
    const offline = { ...search, external_web_access: false }
    const reply = await respond(own.key, { tools: [offline, { type: 'kherad:datetime' }] })
    expect(reply.headers.get('x-ignored-fields')).toBe('tools.0')
  })
})
