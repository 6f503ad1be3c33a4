import { createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, chunk, cut, done, stream } from '../harness/upstream.ts'
import {
  type Chunk,
  chunksOf,
  contentOf,
  shareOnUpstream,
  type UpstreamWorld,
  weather,
} from './chat-world.ts'

let at: UpstreamWorld
beforeAll(async () => {
  at = await shareOnUpstream()
})
afterAll(() => at[Symbol.asyncDispose]())

const words = (text: string) => [{ role: 'user', content: text }]

/** The same questions to a model over HTTP and to the one in this process: what a caller sees has one shape. */
const asks: [string, Record<string, unknown>][] = [
  ['text of an upstream', { model: 'test/model' }],
  ['text of the sandbox', { model: 'sandbox/fast' }],
  [
    'tool calls of the sandbox',
    {
      model: 'sandbox/fast',
      tools: [weather],
      messages: words('weather in Paris and in Tehran and in Berlin'),
    },
  ],
  ['hidden reasoning', { model: 'sandbox/reasoner', reasoning_effort: 'low' }],
  ['shown reasoning', { model: 'sandbox/reasoner', reasoning_effort: 'low', include_reasoning: true }],
  ['a refusal', { model: 'sandbox/fast', messages: words('[[sandbox: refuse]]') }],
  ['an answer that is cut by its limit', { model: 'sandbox/fast', max_tokens: 2 }],
]

describe.each(asks)('a stream of %s', (_, ask) => {
  let withUsage: Chunk[]
  let without: Chunk[]
  beforeAll(async () => {
    const plain = await at.key.chat({ ...ask, stream: true })
    expect(plain.status).toBe(200)
    without = chunksOf(plain.text)
    withUsage = chunksOf(
      (await at.key.chat({ ...ask, stream: true, stream_options: { include_usage: true } })).text,
    )
  })

  test('gives the role in its first delta and in no other', () => {
    const [first, ...others] = without
    expect(first?.choices[0]?.delta['role']).toBe('assistant')
    for (const { choices } of others) expect(choices[0]?.delta).not.toHaveProperty('role')
  })

  test('keeps id, created and model in all its chunks', () => {
    const heads = withUsage.map(({ id, object, created, model }) => ({ id, object, created, model }))
    for (const head of heads) expect(head).toEqual(heads[0])
    expect(heads[0]).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: ask['model'],
    })
  })

  test('has one choice a chunk and exactly one finish reason, in the last of them', () => {
    expect(without.every(({ choices }) => choices.length === 1 && choices[0]?.index === 0)).toBe(true)
    const reasons = without.map(({ choices }) => choices[0]?.finish_reason)
    expect(reasons.filter((reason) => reason !== null)).toHaveLength(1)
    expect(reasons.at(-1)).not.toBeNull()
  })

  test('reports usage in a chunk of its own before the end if and only if that was asked', () => {
    for (const one of without) expect(one).not.toHaveProperty('usage')
    expect(withUsage.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), prompt_tokens_details: {}, completion_tokens_details: {} },
    })
    for (const one of withUsage.slice(0, -1)) expect(one.usage).toBeNull()
  })

  test('has neither a null system_fingerprint nor an error', () => {
    for (const one of withUsage) {
      expect(one).not.toHaveProperty('system_fingerprint')
      expect(one).not.toHaveProperty('error')
    }
  })

  test('says what the whole answer says', async () => {
    const { body } = await at.key.chat(ask)
    const { message, finish_reason: reason } = body.choices[0]
    expect(without.at(-1)?.choices[0]?.finish_reason).toBe(reason)
    expect(contentOf(without)).toBe(message.content ?? '')
    expect(withUsage.at(-1)?.usage).toEqual(body.usage)
  })
})

test('tool calls open once with id and name, go on by index, and count from zero', async () => {
  const { text } = await at.key.chat({
    model: 'sandbox/fast',
    stream: true,
    tools: [weather],
    messages: words('weather in Paris and in Tehran and in Berlin'),
  })
  const fragments = chunksOf(text).flatMap(
    ({ choices }) => (choices[0]?.delta['tool_calls'] ?? []) as Record<string, unknown>[],
  )
  const opened = fragments.filter((fragment) => 'id' in fragment)
  expect(opened.map(({ index }) => index)).toEqual([0, 1, 2])
  expect(new Set(opened.map(({ id }) => id)).size).toBe(3)
  for (const one of opened)
    expect(one).toEqual({
      index: expect.any(Number),
      id: expect.any(String),
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    })
  for (const one of fragments.filter((fragment) => !('id' in fragment))) {
    expect(one).toEqual({ index: expect.any(Number), function: { arguments: expect.any(String) } })
  }
  const cities = [0, 1, 2].map((index) =>
    JSON.parse(
      fragments
        .filter((fragment) => fragment['index'] === index)
        .map((fragment) => (fragment['function'] as { arguments: string }).arguments)
        .join(''),
    ),
  )
  expect(cities.map(({ city }) => city)).toEqual(['Paris', 'Tehran', 'Berlin'])
})

test('a stream that breaks ends with one error event and [DONE], and has no finish reason', async () => {
  at.upstream.replyOnce(stream([chunk({ role: 'assistant' }), chunk({ content: 'half of' }), cut]))
  const reply = await at.key.chat({ stream: true, stream_options: { include_usage: true } })
  expect(reply.status).toBe(200)
  const chunks = chunksOf(reply.text)
  expect(chunks.at(-1)).toEqual({
    error: {
      type: 'api_error',
      code: 'UPSTREAM_FAILED',
      message: expect.any(String),
      param: null,
      request_id: reply.headers.get('x-request-id'),
    },
  })
  expect(contentOf(chunks.slice(0, -1))).toBe('half of')
  expect(chunks.slice(0, -1).every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true)
})

test('an upstream that fails before its first token gets the HTTP error it deserves, also on a stream', async () => {
  at.upstream.reply(
    stream([
      chunk({ role: 'assistant', content: '' }),
      { error: { message: 'overloaded', type: 'overloaded_error' } },
    ]),
  )
  const position = at.upstream.calls.length
  const reply = await at.key.chat({ stream: true })
  expect(reply).toMatchObject({
    status: 529,
    body: { error: { code: 'UPSTREAM_OVERLOADED', type: 'overloaded_error' } },
  })
  expect(at.upstream.calls).toHaveLength(position + 3)
  at.upstream.reply(answer())
})

test('a stream has the headers that keep proxies from holding it back', async () => {
  const reply = await at.key.chat({ stream: true }, { 'accept-encoding': 'gzip, br' })
  expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(reply.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(reply.headers.get('x-accel-buffering')).toBe('no')
  expect(reply.headers.has('content-encoding')).toBe(false)
  expect(reply.headers.get('x-request-id')).toBe(reply.headers.get('request-id'))
  expect(reply.headers.get('x-request-id')?.length).toBe(36)
})

test('every event leaves in one write, alone or with others: network chunks begin and end with an event', async () => {
  const long = 'ی'.repeat(40_000)
  at.upstream.replyOnce(
    stream([chunk({ content: 'a' }), chunk({ content: long }), chunk({ content: 'b' }, 'stop'), done]),
  )
  const chunks = await rawChunks(at.world.url, at.key.secret, { messages: words('hello'), stream: true })
  for (const one of chunks) expect(one).toMatch(/^(?:data: [^\n]*\n\n)+$/)
  const events = chunks.flatMap((one) => one.split('\n\n').slice(0, -1))
  expect(events).toHaveLength(5)
  expect(events[1]).toContain(long)
})

/** The chunks of the chunked transfer coding (RFC 9112 section 7.1) as they were framed by the server. */
async function rawChunks(url: string, secret: string, body: unknown): Promise<string[]> {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  const text = JSON.stringify(body)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${secret}\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
  const received: Buffer[] = []
  for await (const bytes of socket) received.push(bytes as Buffer)
  const whole = Buffer.concat(received)
  expect(whole.toString('latin1', 0, 12)).toBe('HTTP/1.1 200')
  const chunks: string[] = []
  let position = whole.indexOf('\r\n\r\n') + 4
  for (;;) {
    const lineEnd = whole.indexOf('\r\n', position)
    const size = Number.parseInt(whole.toString('latin1', position, lineEnd), 16)
    if (size === 0) return chunks
    chunks.push(whole.toString('utf8', lineEnd + 2, lineEnd + 2 + size))
    position = lineEnd + 2 + size + 2
  }
}
