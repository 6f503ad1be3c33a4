/**
 * An upstream's usage report is a claim: an impossible one is reduced to what is possible, raises an alarm, and is recorded on the receipt.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Seen } from '../harness/client.ts'
import { chunk, cut, done, json, type Script, type Step, stream } from '../harness/upstream.ts'
import { type Explained, explained, requestIdOf } from '../text/chat-world.ts'
import { message, upstreamMessage, user } from '../text/messages-world.ts'
import { bootOnWires, type ResponsesWorld, respond } from '../text/responses-world.ts'

const wires = ['chat', 'messages', 'responses'] as const
type Wire = (typeof wires)[number]
const window = 128_000
const limit = 50
/** What «hello» can be at most: its five bytes, the frame around it, and 4,096 for the template. */
const possible = 5 + 64 + 32 + 4_096

const worlds = new Map<Wire, ResponsesWorld>()
beforeAll(async () => {
  for (const wire of wires) worlds.set(wire, await bootOnWires(wire, { credits: 10_000_000 }))
})
afterAll(async () => {
  for (const world of worlds.values()) await world[Symbol.asyncDispose]()
})

/** What a wire's upstream says: text and figures in its own words. */
interface Says {
  text?: string
  input: unknown
  output: unknown
  cached?: unknown
  cacheWrite?: unknown
  reasoning?: unknown
}

const chatUsage = ({ input, output, cached = 0, cacheWrite = 0, reasoning = 0 }: Says) => ({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
  completion_tokens_details: { reasoning_tokens: reasoning },
})
const messagesUsage = ({ input, output, cached = 0, cacheWrite = 0, reasoning = 0 }: Says) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: cacheWrite,
  output_tokens_details: { thinking_tokens: reasoning },
})
const responsesUsage = ({ input, output, cached = 0, cacheWrite = 0, reasoning = 0 }: Says) => ({
  input_tokens: input,
  output_tokens: output,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
  output_tokens_details: { reasoning_tokens: reasoning },
})
const sse = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const item = (text: string) => ({
  id: 'msg_up',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})

const whole: Record<Wire, (says: Says) => Script> = {
  chat: (says) => {
    const choice = {
      index: 0,
      message: { role: 'assistant', content: says.text ?? 'hi' },
      finish_reason: 'stop',
    }
    return json(200, { id: 'up', object: 'chat.completion', choices: [choice], usage: chatUsage(says) })
  },
  messages: (says) =>
    json(200, upstreamMessage([{ type: 'text', text: says.text ?? 'hi' }], { usage: messagesUsage(says) })),
  responses: (says) =>
    json(200, {
      id: 'resp_up',
      object: 'response',
      status: 'completed',
      output: [item(says.text ?? 'hi')],
      usage: responsesUsage(says),
    }),
}

/** `pieces` as deltas, then the end with its figures. */
const streamed: Record<Wire, (says: Says, pieces?: readonly string[]) => Script> = {
  chat: (says, pieces = [says.text ?? 'hi']) =>
    stream([
      ...pieces.map((content) => chunk({ content })),
      chunk({}, 'stop'),
      { choices: [], usage: chatUsage(says) },
      done,
    ]),
  messages: (says, pieces = [says.text ?? 'hi']) =>
    stream([
      sse({
        type: 'message_start',
        message: { ...upstreamMessage([]), usage: messagesUsage({ ...says, output: 1 }) },
      } as never),
      sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
      ...pieces.map((text) =>
        sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
      ),
      sse({ type: 'content_block_stop', index: 0 } as never),
      sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messagesUsage(says) } as never),
      sse({ type: 'message_stop' }),
    ]),
  responses: (says, pieces = [says.text ?? 'hi']) => {
    const at = { item_id: 'msg_up', output_index: 0, content_index: 0 }
    const response = { id: 'resp_up', object: 'response', output: [] }
    return stream([
      sse({ type: 'response.created', response: { ...response, status: 'in_progress' } } as never),
      sse({
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item(''), status: 'in_progress', content: [] },
      } as never),
      ...pieces.map((delta) => sse({ type: 'response.output_text.delta', ...at, delta } as never)),
      sse({ type: 'response.output_item.done', output_index: 0, item: item(pieces.join('')) } as never),
      sse({
        type: 'response.completed',
        response: {
          ...response,
          status: 'completed',
          output: [item(pieces.join(''))],
          usage: responsesUsage(says),
        },
      } as never),
    ])
  },
}

type Receipt = Explained & {
  details: Explained['details'] & {
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
    claims?: any[]
    attempts: { overran?: boolean }[]
  }
}

async function ask(
  by: Wire,
  at: ResponsesWorld,
  isStreamed: boolean,
): Promise<{ reply: Seen; receipt: Receipt }> {
  const options = { stream: isStreamed }
  const reply =
    by === 'chat'
      ? await at.key.chat({
          max_tokens: limit,
          ...options,
          ...(isStreamed && { stream_options: { include_usage: true } }),
        })
      : by === 'messages'
        ? await message(at.key, { max_tokens: limit, ...options })
        : await respond(at.key, { max_output_tokens: limit, ...options })
  expect(reply.status, reply.text).toBe(200)
  return { reply, receipt: (await explained(at.key, requestIdOf(reply))) as Receipt }
}

/** The figures that the caller gets. */
function figuresOf(by: Wire, reply: Seen, isStreamed: boolean): { input: number; output: number } {
  const events = isStreamed
    ? reply.text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)))
    : [reply.body]
  const usages = events.flatMap((event) => event.usage ?? event.response?.usage ?? [])
  const usage = usages.at(-1)
  return by === 'chat'
    ? { input: usage.prompt_tokens, output: usage.completion_tokens }
    : { input: usage.input_tokens, output: usage.output_tokens }
}

const alarms = async (at: ResponsesWorld, what: string): Promise<number> => {
  const text = await (await fetch(`${at.world.url}/metrics`)).text()
  const line = text
    .split('\n')
    .find((one) => one.startsWith('kherad_upstream_disbelieved_total') && one.includes(`what="${what}"`))
  return Number(line?.split(' ').at(-1) ?? 0)
}

describe.each(wires)('an upstream of the wire %s that lies', (wire) => {
  describe.each([false, true])('streamed: %s', (isStreamed) => {
    const say = (says: Says) => {
      const at = worlds.get(wire)!
      at.upstream.reply((isStreamed ? streamed : whole)[wire](says))
      return at
    }

    test('about its prompt: what can be is charged, claim and belief stand on the receipt, and it is alarmed', async () => {
      const at = say({ input: 300_000_000, output: 3 })
      const before = await alarms(at, 'input')
      const { reply, receipt } = await ask(wire, at, isStreamed)
      expect(receipt.details.tokens).toMatchObject({ input: possible, output: 3 })
      expect(BigInt(receipt.microcredits)).toBe(BigInt(possible) * 1_000n + 3n * 2_000n)
      expect(receipt.details.claims).toMatchObject([
        { deployment: 'fake/upstream-model', claimed: { input: 300_000_000 }, believed: { input: possible } },
      ])
      expect(figuresOf(wire, reply, isStreamed)).toMatchObject({ output: 3 })
      expect(await alarms(at, 'input')).toBe(before + 1)
    })

    test('about an answer beyond the limit that was sent, reasoning and all', async () => {
      const at = say({ input: 4, output: 9_999_999, reasoning: 9_999_990 })
      const before = await alarms(at, 'output')
      const { reply, receipt } = await ask(wire, at, isStreamed)
      expect(receipt.details.tokens).toMatchObject({ input: 4, output: limit, reasoning: limit })
      expect(receipt.details.claims).toMatchObject([
        { claimed: { output: 9_999_999 }, believed: { output: limit } },
      ])
      expect(figuresOf(wire, reply, isStreamed)).toMatchObject({ output: limit })
      expect(await alarms(at, 'output')).toBe(before + 1)
    })

    test('about what its cache gave and took', async () => {
      const at = say({ input: 7, output: 3, cached: 5e11, cacheWrite: 5e11 })
      const { receipt } = await ask(wire, at, isStreamed)
      const tokens = receipt.details.tokens!
      expect(tokens['input']).toBeLessThanOrEqual(possible)
      expect(tokens['cachedInput']! + tokens['cacheWriteInput']!).toBeLessThanOrEqual(tokens['input']!)
      expect(BigInt(receipt.microcredits)).toBeLessThanOrEqual(BigInt(possible) * 1_000n + 6_000n)
    })

    test.each([
      ['negative', -5],
      ['a text', '12'],
      ['nothing', null],
      ['endless', 1e308],
      ['a list', [7]],
      ['a fraction', 2.5],
    ])('figures that are %s never charge more than can be, and end the call in peace', async (_, figure) => {
      const at = say({ input: figure, output: figure, cached: figure, cacheWrite: figure, reasoning: figure })
      const { receipt } = await ask(wire, at, isStreamed)
      expect(receipt.state).toBe('completed')
      const { input, output } = receipt.details.tokens as { input: number; output: number }
      expect(Number.isInteger(input) && Number.isInteger(output)).toBe(true)
      expect(input).toBeLessThanOrEqual(possible)
      expect(output).toBeLessThanOrEqual(limit)
      // Neither the prompt nor the answer is free.
      expect(Math.min(input, output)).toBeGreaterThan(0)
    })

    test('about one of both, as zero: it is estimated, claim and belief stand on the receipt, and the other counts', async () => {
      const free = say({ input: 0, output: 3 })
      const before = await alarms(free, 'input')
      const asked = await ask(wire, free, isStreamed)
      expect(asked.receipt.details.claims).toMatchObject([{ claimed: { input: 0 }, believed: { output: 3 } }])
      expect(asked.receipt.details.tokens!['input']).toBeGreaterThan(20)
      expect(figuresOf(wire, asked.reply, isStreamed)['input']).toBe(asked.receipt.details.tokens!['input'])
      expect(await alarms(free, 'input')).toBe(before + 1)
      const written = say({ text: 'It is written in forty bytes and is paid', input: 9, output: 0 })
      const answered = await ask(wire, written, isStreamed)
      expect(answered.receipt.details.tokens).toMatchObject({ input: 9, output: 10 })
      expect(figuresOf(wire, answered.reply, isStreamed)).toMatchObject({ input: 9, output: 10 })
    })

    test('honest figures are charged as they are: reasoning that nobody sees, and as much of a prompt as can be', async () => {
      const at = say({ input: possible, output: limit, reasoning: limit - 1 })
      const { receipt } = await ask(wire, at, isStreamed)
      expect(receipt.details.tokens).toMatchObject({ input: possible, output: limit, reasoning: limit - 1 })
      expect(receipt.details.claims).toBeUndefined()
    })
  })
})

describe.each(wires)('text that runs past its limit, from an upstream of the wire %s', (wire) => {
  const max = 128 * limit + 64 * 1024
  const ends: Record<Wire, string> = { chat: 'length', messages: 'max_tokens', responses: 'incomplete' }

  /** What the caller reads, and why it says that it ends. */
  function readOf(by: Wire, reply: Seen, isStreamed: boolean): { text: string; end: string } {
    if (!isStreamed) {
      const { body } = reply
      if (by === 'chat') return { text: body.choices[0].message.content, end: body.choices[0].finish_reason }
      if (by === 'messages') return { text: body.content[0].text, end: body.stop_reason }
      expect(body.incomplete_details).toEqual({ reason: 'max_output_tokens' })
      return { text: body.output_text, end: body.status }
    }
    const events = reply.text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)))
    if (by === 'chat')
      return {
        text: events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join(''),
        end: events.findLast(({ choices }) => choices?.[0]?.finish_reason)?.choices[0].finish_reason,
      }
    if (by === 'messages') {
      const opened = events.filter(({ type }) => type === 'content_block_start').length
      expect(events.filter(({ type }) => type === 'content_block_stop')).toHaveLength(opened)
      expect(events.at(-1).type).toBe('message_stop')
      return {
        text: events.map(({ delta }) => delta?.text ?? '').join(''),
        end: events.find(({ type }) => type === 'message_delta').delta.stop_reason,
      }
    }
    const last = events.at(-1).response
    const text = events
      .map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''))
      .join('')
    expect(last.output_text).toBe(text)
    expect(last.incomplete_details).toEqual({ reason: 'max_output_tokens' })
    return { text, end: last.status }
  }

  const megabyte = 'ab '.repeat(333_333)

  test.each(wires)(
    'is cut, and ends as the wire %s of its caller says it; the connection is closed',
    async (by) => {
      const at = worlds.get(wire)!
      at.upstream.calls.length = 0
      // Endless: more is written for as long as somebody reads.
      const begun = (streamed[wire]({ input: 4, output: 3 }, ['ab ']) as { steps: Step[] }).steps
      const delta = begun.findIndex((step) => JSON.stringify(step).includes('ab '))
      const more = begun[delta]!
      at.upstream.reply(stream([...begun.slice(0, delta), ...Array<Step>(60_000).fill(more)]))
      const before = await alarms(at, 'text')
      const { reply, receipt } = await ask(by, at, true)
      const { text, end } = readOf(by, reply, true)
      expect(end).toBe(ends[by])
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(max)
      expect(Buffer.byteLength(text)).toBeGreaterThan(max - 4)
      await at.upstream.calls[0]!.whenClosed
      expect(at.upstream.calls).toHaveLength(1)
      expect(receipt.details.tokens!['output']).toBe(limit)
      expect(receipt.details.attempts).toMatchObject([{ outcome: 'answered', overran: true }])
      expect(await alarms(at, 'text')).toBe(before + 1)
    },
  )

  test.each(wires)(
    'whole, it is cut for the wire %s of its caller, and charged within the limit',
    async (by) => {
      const at = worlds.get(wire)!
      at.upstream.reply(whole[wire]({ text: megabyte, input: 4, output: 333_333 }))
      const { reply, receipt } = await ask(by, at, false)
      const { text, end } = readOf(by, reply, false)
      expect(end).toBe(ends[by])
      expect(Buffer.byteLength(text)).toBe(max)
      expect(receipt.details.tokens!['output']).toBe(limit)
      expect(BigInt(receipt.microcredits)).toBeLessThanOrEqual(BigInt(limit) * 2_000n + 1_000_000n)
    },
  )
})

test('arguments of tools count as text: a call that never ends is cut as length', async () => {
  const at = worlds.get('chat')!
  const call = { index: 0, id: 'call_1', function: { name: 'get_weather', arguments: '{"a":"' } }
  const more = chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(500) } }] })
  at.upstream.reply(stream([chunk({ tool_calls: [call] }), ...Array<Step>(2_000).fill(more)]))
  const reply = await at.key.chat({ max_tokens: limit, stream: true })
  const events = dataOf(reply.text)
    .slice(0, -1)
    .map((text) => JSON.parse(text))
  expect(events.findLast(({ choices }) => choices[0]?.finish_reason).choices[0].finish_reason).toBe('length')
  expect(reply.text.length).toBeLessThan(200_000)
  const receipt = await explained(at.key, requestIdOf(reply))
  expect(receipt.details.tokens!['output']).toBe(limit)
})

test('where no reasoning can be hidden, an answer is believed as far as its bytes go', async () => {
  await using at = await bootOnWires('chat', { credits: 1_000_000 })
  await using plain = await bootOnWires('chat', {
    credits: 1_000_000,
    rest: `  - { id: test/plain, kind: text, deployments: [{ provider: fake, model: plain }], context_length: 20000, max_output_tokens: 9000, input_modalities: [text], features: [tools], pricing: { input_per_million: 1, output_per_million: 2 } }`,
  })
  plain.upstream.reply(whole.chat({ text: 'hi', input: 4, output: 8_000 }))
  const reply = await plain.key.chat({ model: 'test/plain', max_tokens: 9_000 })
  const receipt = (await explained(plain.key, requestIdOf(reply))) as Receipt
  expect(receipt.details.tokens!['output']).toBeLessThanOrEqual(600)
  expect(receipt.details.claims).toMatchObject([{ claimed: { output: 8_000 } }])
  // The same of a model that reasons may be true.
  at.upstream.reply(whole.chat({ text: 'hi', input: 4, output: 8_000 }))
  const reasoned = await at.key.chat({ max_tokens: 9_000 })
  expect((await explained(at.key, requestIdOf(reasoned))).details.tokens!['output']).toBe(8_000)
})

test('an answer that broke off before its tokens were counted has an estimate, and no claim', async () => {
  const at = worlds.get('messages')!
  const usage = messagesUsage({ input: 9, output: 0 })
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const delta = { type: 'text_delta', text: 'It is written in forty bytes and is paid' }
  at.upstream.reply(
    stream([
      sse({ type: 'message_start', message: { ...upstreamMessage([]), usage } } as never),
      sse(block as never),
      sse({ type: 'content_block_delta', index: 0, delta } as never),
      cut,
    ]),
  )
  const before = await alarms(at, 'output')
  const { receipt } = await ask('messages', at, true)
  expect(receipt).toMatchObject({ state: 'failed', details: { usage_source: 'estimated' } })
  expect(receipt.details.tokens).toMatchObject({ input: 9, output: 10 })
  expect(receipt.details.claims).toBeUndefined()
  expect(await alarms(at, 'output')).toBe(before)
})

test("a vendor's own searches read the prompt anew and are believed as far as they were allowed; more of them are not paid", async () => {
  await using at = await bootOnWires('messages', {
    credits: 1_000_000,
    features: 'web_search',
    pricePerSearch: 0.01,
  })
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }]
  const searched = (input: number, searches: number) =>
    json(
      200,
      upstreamMessage([{ type: 'text', text: 'Found.' }], {
        usage: { input_tokens: input, output_tokens: 4, server_tool_use: { web_search_requests: searches } },
      }),
    )
  at.upstream.reply(searched(3 * window, 2))
  const honest = await message(at.key, { max_tokens: limit, tools, messages: [user('search')] })
  const paid = (await explained(at.key, requestIdOf(honest))) as Receipt
  expect(paid.details.tokens).toMatchObject({ input: 3 * window, webSearches: 2 })
  expect(paid.details.claims).toBeUndefined()
  at.upstream.reply(searched(3 * window + 1, 1_000_000))
  const lying = await message(at.key, { max_tokens: limit, tools, messages: [user('search')] })
  const bounded = (await explained(at.key, requestIdOf(lying))) as Receipt
  expect(bounded.details.tokens).toMatchObject({ input: 3 * window, webSearches: 2 })
  expect(bounded.microcredits).toBe(paid.microcredits)
  expect(bounded.details.claims).toMatchObject([
    { claimed: { webSearches: 1_000_000 }, believed: { webSearches: 2 } },
  ])
})
