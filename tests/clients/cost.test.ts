/** The cost that an answer reports through the official clients, and its receipt. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { answer, chunk, done, json, type Script, stream } from '../harness/upstream.ts'
import { explained, shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'

let at: UpstreamWorld
beforeAll(async () => {
  at = await shareOnUpstream({ credits: 1_000 })
})
afterEach(() => at.upstream.reply(answer()))
afterAll(() => at[Symbol.asyncDispose]())

interface Reported {
  id: string
  credits: unknown
  microcredits: unknown
}
interface Wire {
  single(key: Client, idempotencyKey?: string): Promise<Reported & { headers: Headers }>
  streamed(key: Client): Promise<Reported>
}

const prompt = 'two words'
const limit = 50
const openai = (key: Client): OpenAI =>
  new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: key.secret, maxRetries: 0 })
const anthropic = (key: Client): Anthropic =>
  new Anthropic({ baseURL: at.world.url, apiKey: null, authToken: key.secret, maxRetries: 0 })
const headersOf = (idempotencyKey?: string) => ({
  headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
})
const costIn = (usage: unknown): Pick<Reported, 'credits' | 'microcredits'> => {
  const { credits, microcredits } = usage as Reported
  return { credits, microcredits }
}

const chat: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'test/model',
  max_tokens: limit,
  messages: [{ role: 'user', content: prompt }],
}
const input = { model: 'test/model', max_output_tokens: limit, input: prompt }
const message: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'test/model',
  max_tokens: limit,
  messages: [{ role: 'user', content: prompt }],
}

const wires: Record<string, Wire> = {
  'chat completions': {
    async single(key, idempotencyKey) {
      const asked = openai(key).chat.completions.create(chat, headersOf(idempotencyKey))
      const { data, response } = await asked.withResponse()
      return { id: response.headers.get('x-request-id')!, headers: response.headers, ...costIn(data.usage) }
    },
    async streamed(key) {
      const asked = openai(key).chat.completions.create({
        ...chat,
        stream: true,
        stream_options: { include_usage: true },
      })
      const { data, response } = await asked.withResponse()
      const reported = (await Array.fromAsync(data)).flatMap(({ usage }) => (usage ? [usage] : []))
      expect(reported).toHaveLength(1)
      return { id: response.headers.get('x-request-id')!, ...costIn(reported[0]) }
    },
  },
  responses: {
    async single(key, idempotencyKey) {
      const asked = openai(key).responses.create(input, headersOf(idempotencyKey))
      const { data, response } = await asked.withResponse()
      return { id: response.headers.get('x-request-id')!, headers: response.headers, ...costIn(data.usage) }
    },
    async streamed(key) {
      const response = await openai(key).responses.stream(input).finalResponse()
      const id = response.id.replace(/^resp_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return { id, ...costIn(response.usage) }
    },
  },
  messages: {
    async single(key, idempotencyKey) {
      const asked = anthropic(key).messages.create(message, headersOf(idempotencyKey))
      const { data, response } = await asked.withResponse()
      return { id: response.headers.get('x-request-id')!, headers: response.headers, ...costIn(data.usage) }
    },
    async streamed(key) {
      const asked = anthropic(key).messages.create({ ...message, stream: true })
      const { data, response } = await asked.withResponse()
      const reported = (await Array.fromAsync(data)).flatMap((event) =>
        event.type === 'message_delta' ? [event.usage] : [],
      )
      expect(reported).toHaveLength(1)
      return { id: response.headers.get('x-request-id')!, ...costIn(reported[0]) }
    },
  },
}

/** An answer whose prompt was many more tokens than any estimate of its two words, and fewer than its bytes and the template can be. */
const longPrompt = (tokens: number, streams: boolean): Script => {
  const usage = { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 }
  const counted = { data: JSON.stringify({ choices: [], usage }) }
  return streams
    ? stream([chunk({ content: 'hi' }), chunk({}, 'stop'), `data: ${counted.data}\n\n`, done])
    : json(200, {
        id: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage,
      })
}
const tokens = 4_000
const itsCost = 4_002_000n

const exact = ({ credits, microcredits }: Omit<Reported, 'id'>, charged: string): void => {
  expect({ credits, microcredits }).toEqual({ credits: Number(charged) / 1e6, microcredits: charged })
}
const inHeaders = (headers: Headers, charged: string): void => {
  expect([headers.get('x-credits'), headers.get('x-microcredits')]).toEqual([
    (Number(charged) / 1e6).toFixed(6),
    charged,
  ])
}

describe.each(Object.entries(wires))('%s', (_, wire) => {
  test('a whole answer reports its cost in usage and headers, a repeat reports the same, and so does the receipt', async () => {
    const name = crypto.randomUUID()
    const first = await wire.single(at.key, name)
    const { microcredits } = await explained(at.key, first.id)
    expect(BigInt(microcredits)).toBeGreaterThan(0n)
    exact(first, microcredits)
    inHeaders(first.headers, microcredits)
    const again = await wire.single(at.key, name)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.id).toBe(first.id)
    exact(again, microcredits)
    inHeaders(again.headers, microcredits)
  })

  test('a stream reports its cost in the last event that bears usage', async () => {
    const reported = await wire.streamed(at.key)
    const { microcredits, reserved_microcredits: held, details } = await explained(at.key, reported.id)
    expect(BigInt(microcredits)).toBeGreaterThan(0n)
    exact(reported, microcredits)
    // Within the hold, nothing is raised and nothing waited for.
    expect(details.hold_raised_from).toBeUndefined()
    expect(BigInt(held)).toBeGreaterThan(BigInt(microcredits))
  })

  describe.each([true, false])('beyond its hold, streamed: %s', (streams) => {
    const ask = async (key: Client, idempotencyKey?: string) => {
      at.upstream.reply(longPrompt(tokens, streams))
      return streams ? wire.streamed(key) : wire.single(key, idempotencyKey)
    }

    test('an answer reports all of its cost where that is free, and the receipt from where the hold was raised', async () => {
      const reported = await ask(at.key)
      const { charge, microcredits, details } = await explained(at.key, reported.id)
      expect(microcredits).toBe(String(itsCost))
      expect(charge).toMatchObject({
        ...{ sum_microcredits: microcredits, adjustment: { kind: 'raised', microcredits: '0' } },
      })
      exact(reported, microcredits)
      expect(BigInt(details.hold_raised_from!)).toBeLessThan(itsCost)
    })

    test('an answer reports what the balance had left, which is what it is charged', async () => {
      const poor = await at.world.stranger(2)
      const reported = await ask(poor.client, streams ? undefined : 'once')
      const { microcredits } = await explained(poor.client, reported.id)
      expect(microcredits).toBe('2000000')
      exact(reported, microcredits)
      expect(await at.world.app.ledger.balance(poor.account)).toEqual({ balance: 0n, held: 0n })
      if (streams) return
      const again = await wire.single(poor.client, 'once')
      exact(again, microcredits)
      inHeaders(again.headers, microcredits)
    })

    test('an answer reports what the cap of its key had left, which is what it is charged', async () => {
      const capped = await at.world.key({ caps: { cap: 1_500_000n } })
      const reported = await ask(capped)
      const { microcredits } = await explained(capped, reported.id)
      expect(microcredits).toBe('1500000')
      exact(reported, microcredits)
    })
  })
})

test('several answers at once that run past their holds report what each is charged, to the last credit of the account', async () => {
  const poor = await at.world.stranger(12)
  // All of them are held before the first is answered.
  const first = at.upstream.calls.length
  at.upstream.reply(async () => {
    await at.upstream.call(first + 3)
    return longPrompt(tokens, false)
  })
  const reported = await Promise.all(
    Array.from({ length: 4 }, () => wires['chat completions']!.single(poor.client)),
  )
  const receipts = await Promise.all(reported.map(({ id }) => explained(poor.client, id)))
  for (const [index, { microcredits }] of receipts.entries()) exact(reported[index]!, microcredits)
  const charged = receipts.reduce((sum, { microcredits }) => sum + BigInt(microcredits), 0n)
  expect(await at.world.app.ledger.balance(poor.account)).toEqual({
    balance: 12_000_000n - charged,
    held: 0n,
  })
  expect(charged).toBe(12_000_000n)
})

test('an answer of several steps with hosted tools reports the sum of them', async () => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'datetime', arguments: '{}' },
  }
  const step = (more: object, finish: string) =>
    json(200, {
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...more }, finish_reason: finish }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  at.upstream.replyOnce(step({ tool_calls: [call] }, 'tool_calls'), step({ content: 'noon' }, 'stop'))
  const reply = await at.key.post('/v1/responses', { ...input, tools: [{ type: 'kherad:datetime' }] })
  const { microcredits, details } = await explained(at.key, reply.headers.get('x-request-id')!)
  expect(details.attempts).toHaveLength(2)
  expect(microcredits).toBe(String(2 * (10 * 1_000 + 5 * 2_000)))
  exact(reply.body.usage, microcredits)
  inHeaders(reply.headers, microcredits)
})

test('a chat stream without include_usage reports no usage, and none of its chunks a cost', async () => {
  const reply = await at.key.chat({ stream: true })
  expect(reply.text).not.toMatch(/credits/)
  expect(reply.headers.has('x-credits')).toBe(false)
})

test('a picture through Responses reports its price in usage and headers, whole, streamed and repeated', async () => {
  const drawing = { model: 'sandbox/image', input: 'a cat' }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  for (let round = 0; round < 2; round++) {
    const reply = await at.key.post('/v1/responses', drawing, headers)
    const { microcredits } = await explained(at.key, reply.headers.get('x-request-id')!)
    exact(reply.body.usage, microcredits)
    inHeaders(reply.headers, microcredits)
  }
  const streamed = await at.key.post('/v1/responses', { ...drawing, stream: true })
  const last = JSON.parse(/event: response.completed\ndata: (.*)/.exec(streamed.text)![1]!)
  exact(last.response.usage, (await explained(at.key, streamed.headers.get('x-request-id')!)).microcredits)
})

test('the helper of Messages streams puts its answer together though usage has members that it does not know', async () => {
  const final = await anthropic(at.key).messages.stream(message).finalMessage()
  expect(final.content).toHaveLength(1)
  expect(final.usage.output_tokens).toBeGreaterThan(0)
})

test('what no model was paid for bears no cost, neither at first nor repeated', async () => {
  const agent = { name: 'helper', model: 'test/model' }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  for (let round = 0; round < 2; round++) {
    const reply = await at.key.post('/v1/agents', agent, headers)
    expect(reply.status).toBe(201)
    expect(reply.headers.has('x-microcredits')).toBe(false)
  }
})
