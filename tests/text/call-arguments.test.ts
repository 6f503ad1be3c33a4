/** What models write for the arguments of a tool: nested without an end, no object, no JSON; and calls that are announced and never come. */
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Seen } from '../harness/client.ts'
import { json, type Script, type Step, stream, type UpstreamCall } from '../harness/upstream.ts'
import { chunksOf, explained, recover, requestIdOf, weather as weatherOfChat } from './chat-world.ts'
import {
  assistant,
  message,
  path,
  toolResult,
  user,
  version,
  weather as weatherOfMessages,
} from './messages-world.ts'
import { framed } from './responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'
import { call, type SpokenWire, says } from './scripted-answer.ts'

const wires = ['chat', 'messages', 'responses'] as const

/** Stands for the arguments in a script. */
const mark = { city: '@' }
const marks = [JSON.stringify(JSON.stringify(mark)).slice(1, -1), JSON.stringify(mark)]

/**
 * An answer that calls the tool with this text, which is a string or the object itself, as the wire has it; `isBare`: never as a string, as servers
 * with JSON-native tools send it.
 */
function calls(wire: SpokenWire, text: string, asked: UpstreamCall, { isBare = false } = {}): Script {
  const written = JSON.stringify(text).slice(1, -1)
  const filled = (line: string) =>
    line
      .replace(isBare ? `"${marks[0]}"` : marks[0]!, () => (isBare ? text : written))
      .replace(marks[1]!, () => text)
  const script = says(wire, { calls: [call('call_1', 'get_weather', mark)] }, asked)
  if (script.kind === 'json') return json(200, filled(JSON.stringify(script.body)))
  if (script.kind !== 'stream') throw new Error('an answer is whole or streamed')
  const line = (step: Step) => (typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`)
  return stream(script.steps.map((step) => filled(line(step))))
}

const ask = (by: SpokenWire, { key }: ResponsesWorld, isStreamed: boolean): Promise<Seen> => {
  if (by === 'chat') return key.chat({ stream: isStreamed, tools: [weatherOfChat] })
  if (by === 'messages') return message(key, { stream: isStreamed, tools: [weatherOfMessages] })
  return respond(key, { stream: isStreamed, tools: [weather] })
}

/** The arguments that the caller reads of the only call, and how the answer says that it ended. */
function read(by: SpokenWire, { text, body }: Seen, isStreamed: boolean): { input: unknown; end: string } {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
  const joined = (pieces: unknown[]) => pieces.filter((piece) => typeof piece === 'string').join('')
  if (by === 'chat') {
    const { message: said, finish_reason: end } = isStreamed
      ? { ...chunksOf(text).at(-1)?.choices[0] }
      : body.choices[0]
    const deltas = events.flatMap(
      ({ choices }) => choices[0]?.delta.tool_calls?.[0]?.function.arguments ?? [],
    )
    return { input: isStreamed ? joined(deltas) : said.tool_calls?.[0].function.arguments, end }
  }
  if (by === 'messages') {
    if (!isStreamed) return { input: body.content.at(-1)?.input, end: body.stop_reason }
    const end = events.find(({ type }) => type === 'message_delta').delta.stop_reason
    const partial = joined(events.map(({ delta }) => delta?.partial_json))
    return { input: partial === '' ? {} : JSON.parse(partial), end }
  }
  const final = isStreamed ? framed(text).at(-1)?.['response'] : body
  return {
    input: final.output.find(({ type }: { type: string }) => type === 'function_call')?.arguments,
    end: final.status,
  }
}

const levels = 20_000
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const deep = nested(levels)
const deepList = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`

/** Odd texts, and the object that stands for each where the wire has objects alone. */
const odd: [string, unknown][] = [
  ['"Yazd"', { value: 'Yazd' }],
  ['["Yazd"]', { value: ['Yazd'] }],
  ['12', { value: 12 }],
  ['null', {}],
  ['"{\\"city\\":\\"Yazd\\"}"', { city: 'Yazd' }],
]

/** More than a call may show of itself and be free. */
const long = 'x'.repeat(2_000)
const digits = '2512292042121000001'

describe.each(wires)('an upstream of the wire %s', (wire) => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires(wire)
  })
  afterEach(() => at.upstream.reset())
  afterAll(() => at[Symbol.asyncDispose]())

  test.each(wires)(
    'arguments 20,000 deep are its fault for a caller of %s: no words of ours, nothing charged',
    async (by) => {
      const before = await at.world.balance()
      for (const isStreamed of [false, true]) {
        at.upstream.reply((asked) => calls(wire, isStreamed ? deep : deepList, asked))
        const reply = await ask(by, at, isStreamed)
        expect(reply.text).toContain('UPSTREAM_FAILED')
        if (!isStreamed) expect(reply.status).toBe(502)
        const receipt = await explained(at.key, requestIdOf(reply))
        expect(receipt.microcredits).toBe('0')
        expect(receipt.details.attempts.every(({ outcome }) => outcome === 'malformed')).toBe(true)
      }
      expect(await at.world.balance()).toEqual(before)
      // A model that writes nonsense is no outage of its server.
      at.upstream.reply((asked) => calls(wire, '{"city":"Yazd"}', asked))
      const reply = await ask(by, at, false)
      expect(reply.status, reply.text).toBe(200)
    },
  )

  test.each(wires)('arguments that are no object reach a caller of %s as its wire has them', async (by) => {
    for (const [text, object] of odd)
      for (const isStreamed of [false, true]) {
        at.upstream.reply((asked) => calls(wire, text, asked))
        const reply = await ask(by, at, isStreamed)
        expect(reply.status, reply.text).toBe(200)
        const { input } = read(by, reply, isStreamed)
        if (by === 'messages') expect(input).toEqual(object)
        else expect(typeof input).toBe('string')
      }
  })

  test.each(wires)('a number alone keeps every digit for a caller of %s', async (by) => {
    for (const isStreamed of [false, true]) {
      at.upstream.reply((asked) => calls(wire, digits, asked, { isBare: !isStreamed }))
      const reply = await ask(by, at, isStreamed)
      expect(reply.status, reply.text).toBe(200)
      const object = isStreamed ? `{\\"value\\":${digits}}` : `{"value":${digits}}`
      expect(reply.text).toContain(by === 'messages' ? object : `"${digits}"`)
    }
  })

  test.each(wires)(
    'a whole answer costs a caller of %s nothing, however late its arguments are too deep',
    async (by) => {
      at.upstream.reply((asked) => calls(wire, `{"a":"${long}","b":${deepList}}`, asked))
      const reply = await ask(by, at, false)
      expect(reply.status).toBe(502)
      expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe('0')
    },
  )

  test.each(wires)('a text of an object that is too deep stays a text for a caller of %s', async (by) => {
    const inner = nested(101)
    // The text in a whole message of this wire is read as the arguments themselves, which are refused as the upstream's fault.
    for (const isStreamed of wire === 'messages' ? [true] : [false, true]) {
      at.upstream.reply((asked) => calls(wire, JSON.stringify(inner), asked))
      const reply = await ask(by, at, isStreamed)
      expect(reply.status, reply.text).toBe(200)
      const { input } = read(by, reply, isStreamed)
      expect(by === 'messages' ? input : JSON.parse(String(input))).toEqual(
        by === 'messages' ? { value: inner } : inner,
      )
    }
  })

  test.each(wires)('an end for a call that never came is a normal end for a caller of %s', async (by) => {
    const ends = { chat: 'stop', messages: 'end_turn', responses: 'completed' }
    for (const isStreamed of [false, true]) {
      at.upstream.reply((asked) => announces(wire, asked))
      const reply = await ask(by, at, isStreamed)
      expect(reply.status, reply.text).toBe(200)
      expect(read(by, reply, isStreamed).end).toBe(ends[by])
    }
  })
})

/** What a stream of Messages makes of an object that breaks: the member in which it breaks is null, and the whole text goes with it. */
const brokenObjects: [string, Record<string, unknown>][] = [
  ['{"city":"Ya', { city: null }],
  ['{"city":1', { city: null }],
  ['{"city":1}{"city":2}', { city: 1 }],
  ['{"city":1} trailing', { city: 1 }],
  ['{"city":01}', { city: null }],
  ['{city:1}', {}],
  ['{"city":"x\ny"}', { city: null }],
  ['{"city":1,"day":[{"a":"tomo', { city: 1, day: null }],
]
const noObjects: [string, Record<string, unknown>][] = [
  ['[1', {}],
  ['"Yazd', {}],
]

describe.each(['chat', 'messages'] as const)(
  'arguments that break, from an upstream of the wire %s',
  (wire) => {
    let at: ResponsesWorld
    let client: Anthropic
    beforeAll(async () => {
      at = await shareOnWires(wire)
      client = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret, maxRetries: 0 })
    })
    afterAll(() => at[Symbol.asyncDispose]())

    test("reach the vendor's client as an object that says so, whole and streamed", async () => {
      const question = {
        max_tokens: 100,
        messages: [{ role: 'user' as const, content: 'hi' }],
        model: 'test/model',
      }
      for (const [text, members] of [...brokenObjects, ...noObjects]) {
        at.upstream.reply((asked) => calls(wire, text, asked))
        const streamed = await client.messages
          .stream({ ...question, tools: [weatherOfMessages] })
          .finalMessage()
        const isTold = members['city'] !== 1 || 'day' in members
        expect(streamed.content.at(-1)).toMatchObject({
          type: 'tool_use',
          input: { ...members, ...(isTold && { INVALID_JSON: text }) },
        })
        // A whole message of this wire has an object by itself.
        if (wire === 'messages') continue
        const whole = await client.messages.create({ ...question, tools: [weatherOfMessages] })
        expect(whole.content.at(-1)).toMatchObject({ type: 'tool_use', input: { INVALID_JSON: text } })
      }
    })

    test.each(['chat', 'responses'] as const)('reach a caller of %s as they are', async (by) => {
      for (const [text] of [...brokenObjects, ...noObjects])
        for (const isStreamed of wire === 'messages' ? [true] : [false, true]) {
          at.upstream.reply((asked) => calls(wire, text, asked))
          const reply = await ask(by, at, isStreamed)
          expect(reply.status, reply.text).toBe(200)
          expect(read(by, reply, isStreamed).input).toBe(text)
        }
    })
  },
)

/** Text that ends as if a call followed. */
function announces(wire: SpokenWire, asked: UpstreamCall): Script {
  const script = says(wire, { text: 'no call here' }, asked)
  const told = (value: unknown) =>
    JSON.stringify(value)
      .replace('"finish_reason":"stop"', '"finish_reason":"tool_calls"')
      .replace('end_turn', 'tool_use')
  if (script.kind === 'json') return json(200, told(script.body))
  if (script.kind !== 'stream') throw new Error('an answer is whole or streamed')
  return stream(
    script.steps.map((step) =>
      typeof step === 'string' ? step.replace('end_turn', 'tool_use') : `data: ${told(step)}\n\n`,
    ),
  )
}

test('arguments as deep as they are read go back in a request of Messages, and in a row of a batch; deeper ones are refused', async () => {
  await using at = await shareOnWires('chat')
  const list = `${'['.repeat(90)}${']'.repeat(90)}`
  for (const [text, depth] of [
    [nested(90), 90],
    [list, 91],
  ] as const) {
    at.upstream.reply((asked) => calls('chat', text, asked))
    const { body } = await message(at.key, { tools: [weatherOfMessages] })
    const [used] = body.content
    expect(JSON.stringify(used.input).match(/[{[]/g)).toHaveLength(depth)
    const messages = [user('hello'), assistant([used]), user([toolResult(used.id)])]
    const again = await message(at.key, { messages, tools: [weatherOfMessages] })
    expect(again.status, again.text).toBe(200)
    const params = { model: 'test/model', max_tokens: 9, messages, tools: [weatherOfMessages] }
    const batch = await at.key.post(`${path}/batches`, { requests: [{ custom_id: 'one', params }] }, version)
    expect(batch.status, batch.text).toBe(200)
  }
  at.upstream.reply((asked) => calls('chat', nested(91), asked))
  expect((await message(at.key, { tools: [weatherOfMessages] })).status).toBe(502)
})

describe('a call whose beginning was shown', () => {
  let at: ResponsesWorld
  beforeAll(async () => {
    at = await shareOnWires('chat')
  })
  afterEach(() => recover(at))
  afterAll(() => at[Symbol.asyncDispose]())

  const called = (text: string, index = 0, name = 'get_weather') => ({
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index, id: `call_${index}`, function: { name, arguments: text } }] },
      },
    ],
  })
  const more = (text: string, index = 0) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: text } }] } }],
  })
  const chargeOf = async (reply: Seen) => {
    expect(reply.text).toContain('UPSTREAM_FAILED')
    return Number((await explained(at.key, requestIdOf(reply))).microcredits)
  }
  const pieces = Array.from({ length: 40 }, () => more('{"a":'.repeat(500)))

  test('is free where nothing else was, and breaks before a client would read it', async () => {
    at.upstream.replyOnce(stream([called(''), more('{"a":'.repeat(50)), ...pieces]))
    const reply = await at.key.chat({ stream: true, tools: [weatherOfChat] })
    expect(reply.text).toContain('UPSTREAM_FAILED')
    expect(reply.text.split('{\\"a\\":').length).toBeLessThan(101)
    expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe('0')
  })

  test('is paid where an answer stands in its arguments before they are nested', async () => {
    const letters = `{"a":"${'an answer '.repeat(20)}","b":`
    at.upstream.replyOnce(stream([called(''), more(letters), ...pieces]))
    const reply = await at.key.chat({ stream: true, tools: [weatherOfChat] })
    expect(reply.text).toContain('UPSTREAM_FAILED')
    expect(Number((await explained(at.key, requestIdOf(reply))).microcredits)).toBeGreaterThan(0)
  })

  test('is paid where a text can have left in it', async () => {
    for (const by of wires) {
      at.upstream.replyOnce(stream([called(`{"a":"${long}","b":`), ...pieces]))
      const reply = await ask(by, at, true)
      expect(reply.text).toContain(long)
      expect(await chargeOf(reply)).toBeGreaterThan(0)
    }
  })

  test('is free where its arguments were held: they are no object, or wait for those of another call', async () => {
    at.upstream.replyOnce(stream([called(`["${long}",`), ...pieces]))
    const list = await ask('messages', at, true)
    at.upstream.replyOnce(
      stream([called('{"city":'), called(`{"a":"${long}","b":`, 1), more('{"a":'.repeat(200), 1)]),
    )
    const second = await ask('messages', at, true)
    for (const reply of [list, second]) {
      expect(reply.text).toContain('content_block_start')
      expect(reply.text).not.toContain(long)
      expect(await chargeOf(reply)).toBe(0)
    }
  })

  test('is free where a tool of the service was called, whose arguments nobody is shown', async () => {
    at.upstream.replyOnce(stream([called(`{"action":"${long}","b":`, 0, 'datetime'), ...pieces]))
    const reply = await respond(at.key, { stream: true, tools: [{ type: 'kherad:datetime' }] })
    expect(reply.text).not.toContain(long)
    expect(await chargeOf(reply)).toBe(0)
  })

  test('leaves text before it paid', async () => {
    at.upstream.replyOnce(
      stream([{ choices: [{ index: 0, delta: { content: 'A long answer.' } }] }, called(''), ...pieces]),
    )
    const reply = await at.key.chat({ stream: true, tools: [weatherOfChat] })
    expect(reply.text).toContain('A long answer.')
    expect(Number((await explained(at.key, requestIdOf(reply))).microcredits)).toBeGreaterThan(0)
  })
})
