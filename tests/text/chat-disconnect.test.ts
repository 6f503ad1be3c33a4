import { once } from 'node:events'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultTimeouts } from '#core/models'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'
import { type Client, dataOf } from '../harness/client.ts'
import { patient } from '../harness/config-text.ts'
import { readUntil } from '../harness/read-until.ts'
import { until } from '../harness/until.ts'
import {
  chunk,
  done,
  type FakeUpstream,
  fakeUpstream,
  silence,
  stall,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { boot } from '../harness/world.ts'
import { bootOnUpstream, explained, requestIdOf, type UpstreamWorld } from './chat-world.ts'
import { says } from './scripted-answer.ts'

const timing = { streamOpenMs: 60, streamHeartbeatMs: 80 }
const perInputToken = 1_000n
const perOutputToken = 2_000n

let cancelling: UpstreamWorld
let draining: UpstreamWorld
let claude: FakeUpstream
beforeAll(async () => {
  claude = await fakeUpstream()
  cancelling = await bootOnUpstream({
    timing,
    provider: `${patient}\n  - { id: claude, base_url: ${claude.url}, api_key: k, dialects: [messages] }`,
    model:
      '  - { id: claude/opus, kind: text, deployments: [{ provider: claude, model: claude-opus-4-8 }], context_length: 128000, max_output_tokens: 4000, input_modalities: [text], features: [tools, reasoning], reasoning: { supported_efforts: [high] }, pricing: { input_per_million: 1.0, output_per_million: 2.0 } }',
  })
  draining = await bootOnUpstream({
    provider: '    on_disconnect: drain',
    timing: { ...timing, streamHeartbeatMs: 60_000 },
  })
})
afterAll(async () => {
  await cancelling[Symbol.asyncDispose]()
  await draining[Symbol.asyncDispose]()
  await claude[Symbol.asyncDispose]()
})

const question = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
const path = '/v1/chat/completions'

/** Asks, reads until `enough` stands in the answer and breaks the connection. */
async function leaveAfter(key: Client, enough: string): Promise<string> {
  const leaving = new AbortController()
  const response = await key.raw('POST', path, question, {}, leaving.signal)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  await readUntil(reader, enough)
  leaving.abort()
  return requestIdOf(response)
}

/** Chats whose connection the server knows to be over, answered or left. */
async function endedChats(key: Client): Promise<number> {
  const { text } = await key.get('/metrics')
  const counts = text.matchAll(/^kherad_http_requests_total{operation="chat.complete".*} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

test('while the upstream is silent the caller gets headers at once and comments all along, and then the whole answer', async () => {
  const { key, upstream } = cancelling
  const release = Promise.withResolvers<void>()
  upstream.replyOnce(stream([release.promise, chunk({ content: 'at last' }), chunk({}, 'stop'), done]))
  const response = await key.raw('POST', path, question)
  expect(response.status).toBe(200)
  let text = ''
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
    text += bytes
    if (text.startsWith(': keepalive\n\n'.repeat(3))) release.resolve()
  }
  expect(text.startsWith(': keepalive\n\n'.repeat(3))).toBe(true)
  expect(dataOf(text).at(-1)).toBe('[DONE]')
  expect(text).toContain('at last')
})

test('the headers do not wait for the first heartbeat', async () => {
  const { key, upstream } = draining
  const release = Promise.withResolvers<void>()
  upstream.replyOnce(stream([release.promise, chunk({ content: 'late' }, 'stop'), done]))
  const response = await key.raw('POST', path, question)
  release.resolve()
  expect(await response.text()).toMatch(/^data: .*late/)
  await draining.world.settled()
})

test('headers that leave before the upstream has answered say that the model goes without reasoning', async () => {
  const { key, world } = cancelling
  const called = { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const step = [
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'ok' },
  ]
  const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }]
  const asked = { model: 'claude/opus', stream: true, reasoning_effort: 'high', tools }
  const headerOf = async (...more: object[]): Promise<string | null> => {
    const release = Promise.withResolvers<void>()
    claude.reply(async (call) => {
      await release.promise
      return says('messages', { text: 'at last' }, call)
    })
    const messages = [{ role: 'user', content: 'hello' }, ...more]
    const { headers, body } = await key.raw('POST', path, JSON.stringify({ ...asked, messages }))
    release.resolve()
    await body!.pipeTo(new WritableStream())
    return headers.get('x-skipped-features')
  }
  expect(await headerOf(...step)).toBe('reasoning')
  expect(await headerOf()).toBeNull()
  await world.settled()
})

test('a server as it is installed never leaves a caller without a sign for more than 15 seconds', () => {
  const { timing: standard } = loadConfig(readEnv({}))
  expect(standard.streamOpenMs).toBeLessThanOrEqual(15_000)
  expect(standard.streamHeartbeatMs).toBeLessThanOrEqual(15_000)
  expect(standard.streamOpenMs).toBeLessThan(defaultTimeouts.firstByteMs)
})

test('cancel: a caller who disconnects stops the upstream at once and pays for what was written until then', async () => {
  const { world, key, upstream } = cancelling
  upstream.replyOnce(stream([chunk({ content: 'one' }), chunk({ content: ' two' }), stall]))
  const id = await leaveAfter(key, ' two')
  await upstream.calls.at(-1)!.whenAborted
  const receipt = await explained(key, id)
  expect(receipt.details).toMatchObject({
    outcome: 'client_left',
    usage_source: 'estimated',
    attempts: [{ outcome: 'aborted' }],
  })
  expect(receipt).toMatchObject({ state: 'failed', status_code: 499 })
  expect(receipt.details).not.toHaveProperty('error_code')
  const { input, output } = receipt.details.tokens as { input: number; output: number }
  expect(output).toBe(2)
  expect(BigInt(receipt.microcredits)).toBe(BigInt(input) * perInputToken + BigInt(output) * perOutputToken)
  await world.settled()
})

test('cancel: a caller who disconnects before the first token stops the upstream too', async () => {
  const { world, key, upstream } = cancelling
  const position = upstream.calls.length
  upstream.replyOnce(silence)
  const leaving = new AbortController()
  const reply = key.raw('POST', path, question, {}, leaving.signal).catch(() => undefined)
  const call = await upstream.call(position)
  leaving.abort()
  await call.whenAborted
  await reply
  await world.settled()
})

test('cancel: a caller who disconnects from an answer that is not streamed stops the upstream, unless an idempotency key can still fetch it', async () => {
  const { world, key, upstream } = cancelling
  const whole = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })
  const release = Promise.withResolvers<void>()
  upstream.replyOnce(
    stream([release.promise]),
    stream([release.promise, chunk({ content: 'kept' }, 'stop'), done]),
  )

  const leave = async (headers: Record<string, string>): Promise<UpstreamCall> => {
    const position = upstream.calls.length
    const leaving = new AbortController()
    const reply = key.raw('POST', path, whole, headers, leaving.signal).catch(() => undefined)
    const call = await upstream.call(position)
    leaving.abort()
    await reply
    return call
  }
  const ended = await endedChats(key)
  const plain = await leave({})
  await plain.whenAborted

  const headers = { 'idempotency-key': 'fetch-me-later' }
  await until(async () => (await endedChats(key)) > ended)
  const keyed = await leave(headers)
  await until(async () => (await endedChats(key)) > ended + 1)
  release.resolve()
  await keyed.whenClosed
  expect(keyed.aborted).toBe(false)
  const again = await until(async () => {
    const reply = await key.request('POST', path, whole, headers)
    return reply.status === 200 ? reply : undefined
  })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body.choices[0].message.content).toBe('kept')
  await world.settled()
})

test('drain: the answer of a caller who disconnected is read to its usage report, and exactly that is charged', async () => {
  const { world, key, upstream } = draining
  await world.settled()
  const before = await world.balance()
  const release = Promise.withResolvers<void>()
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
  upstream.replyOnce(
    stream([
      chunk({ content: 'one' }),
      release.promise,
      chunk({ content: ' two' }),
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage },
      done,
    ]),
  )
  const position = upstream.calls.length
  const ended = await endedChats(key)
  const id = await leaveAfter(key, 'one')
  const call = upstream.calls[position]!
  await until(async () => (await endedChats(key)) > ended)
  release.resolve()
  await call.whenClosed
  expect(call.aborted).toBe(false)
  const receipt = await explained(key, id)
  expect(receipt.details).toMatchObject({
    usage_source: 'upstream',
    finish_reason: 'stop',
    attempts: [{ outcome: 'answered' }],
  })
  const { prompt_tokens: input, completion_tokens: output } = upstream.invoice().calls[position]!
  expect([input, output]).toEqual([11, 7])
  const charge = BigInt(input) * perInputToken + BigInt(output) * perOutputToken
  expect(BigInt(receipt.microcredits)).toBe(charge)
  expect(await world.balance()).toEqual({ available: before.available - charge, held: 0n })
})

test('a server that stops does not wait for connections on which nothing was ever asked', async () => {
  await using world = await boot({ timing: { drainMs: 600_000 } })
  const socket = createConnection({ host: '127.0.0.1', port: world.kherad.server.port })
  await once(socket, 'connect')
  // An answered request proves that the server has accepted the connection before it.
  expect((await (await world.key()).get('/health/live')).status).toBe(200)
  await world.kherad.server[Symbol.asyncDispose]()
  await once(socket, 'close')
})
