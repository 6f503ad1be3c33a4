/** Timeouts are kept, callers disconnect in between, and nothing keeps running afterwards. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { deadlines } from '#platform/clock'
import { bootConduct, type ConductOptions, callForReceipt, outcomesOf } from '../../conduct/conduct-world.ts'
import { soon, until } from '../../harness/until.ts'
import { answer, chunk, fakeUpstream, json, silence, stall, stream } from '../../harness/upstream.ts'
import { boot, MovableClock, upstreamConfig } from '../../harness/world.ts'
import { explained, requestIdOf } from '../../text/chat-world.ts'

const alone: ConductOptions['models'] = [{ id: 'test/model', deployments: [{ on: 'primary' }] }]
const inTurn = (...names: string[]): ConductOptions['models'] => [
  { id: 'test/model', deployments: names.map((on, priority) => ({ on, priority })) },
]
const path = '/v1/chat/completions'
const question = (stream: boolean): string =>
  JSON.stringify({ model: 'test/model', stream, messages: [{ role: 'user', content: 'hello' }] })
const waitASecond = json(429, {}, { 'retry-after-ms': '1000' })

describe.concurrent('the time', () => {
  test('of the whole journey is bounded, however many are silent on the way', async () => {
    // Each takes four of the eleven seconds, however long this machine takes for them.
    const clock = new MovableClock()
    await using at = await bootConduct({
      clock,
      models: inTurn('first', 'second', 'third', 'fourth'),
      timeouts: { first_byte_ms: 4_000, total_ms: 11_000 },
      timing: { streamOpenMs: 60_000 },
    })
    for (const name of ['first', 'second', 'third', 'fourth'])
      at.on(name).reply(() => {
        clock.moveMs(4_000)
        return silence
      })
    const got = await at.ask('test/model', true)
    expect(got).toMatchObject({ status: 504, error: { code: 'UPSTREAM_TIMEOUT' } })
    expect(outcomesOf(got)).toEqual(['timeout', 'timeout', 'timeout'])
    // The third gets only what the first two have left.
    expect(got.receipt.details.attempts[2]?.detail).toBe('no end of the answer within 3000 ms')
    expect(got.tookMs).toBeGreaterThanOrEqual(10_990)
    expect(got.tookMs).toBeLessThan(11_000 + soon)
    await at.isWellAgain('test/model')
  })

  test('is not waited out where a pause would pass the end of it', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({ clock, models: alone, timeouts: { total_ms: 30_000 } })
    at.on('primary').reply(() => {
      clock.moveMs(27_500)
      return json(503, '', { 'retry-after': '3' })
    })
    const got = await at.ask('test/model', false)
    expect(got.status).toBe(502)
    // Whoever had waited would have asked once more.
    expect(outcomesOf(got)).toEqual(['unavailable'])
  })

  test('of an answer that trickles for ever ends with an error after its total', async () => {
    await using at = await bootConduct({ models: alone, timeouts: { total_ms: 5_000 } })
    const slowly = () => pause(20)
    const trickle = Array.from({ length: 2_000 }, () => [chunk({ content: '.' }), slowly]).flat()
    at.on('primary').reply(stream(trickle))
    const got = await at.ask('test/model', true)
    expect(got).toMatchObject({ status: 200, error: { code: 'UPSTREAM_TIMEOUT' }, finish: undefined })
    expect(got.content.length).toBeGreaterThan(2)
    expect(got.tookMs).toBeGreaterThanOrEqual(4_990)
    await at.isWellAgain('test/model')
  })

  test('to the first token and between tokens are distinguished', async () => {
    await using at = await bootConduct({
      models: inTurn('slow', 'stalls'),
      timeouts: (name) => (name === 'slow' ? { first_token_ms: 200 } : { idle_ms: 500 }),
    })
    at.on('slow').reply(stream([chunk({ role: 'assistant' }), stall]))
    at.on('stalls').reply(stream([chunk({ content: 'one' }), stall]))
    const got = await at.ask('test/model', true)
    expect(got).toMatchObject({ content: 'one', error: { code: 'UPSTREAM_TIMEOUT' } })
    const attempts = got.receipt.details.attempts as unknown as Record<string, unknown>[]
    expect(attempts[0]).toMatchObject({ detail: 'no first token within 200 ms' })
    expect(attempts[1]).toMatchObject({ detail: 'silence in the middle of the answer within 500 ms' })
    expect(got.tookMs).toBeGreaterThanOrEqual(690)
  })

  test('to connect is kept where a host takes no connection, and the next deployment answers', async () => {
    await using backup = await fakeUpstream()
    await using deaf = await deafHost()
    const config = upstreamConfig(deaf.url, {
      provider: `    timeouts: { connect_ms: 300 }\n  - { id: backup, base_url: "${backup.url}" }`,
    }).replace('upstream-model }', 'upstream-model }\n      - { provider: backup, model: m, priority: 1 }')
    await using world = await boot({ config })
    const got = await callForReceipt(await world.key(), { stream: true })
    expect(got).toMatchObject({ status: 200, error: undefined })
    expect(outcomesOf(got)).toEqual(['timeout', 'answered'])
    expect(got.receipt.details.attempts[0]).toMatchObject({ detail: 'no connection within 300 ms' })
    expect(got.tookMs).toBeGreaterThanOrEqual(300)
  })

  test('of a refused connection is short: three tries, then the fallback; and back again once it listens', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({
      clock,
      models: [
        { id: 'test/model', deployments: [{ on: 'primary' }], fallbacks: ['test/backup'] },
        { id: 'test/backup', deployments: [{ on: 'backup' }] },
      ],
    })
    const port = Number(new URL(at.on('primary').url).port)
    await at.on('primary')[Symbol.asyncDispose]()
    for (const streamed of [false, true]) {
      const got = await at.ask('test/model', streamed)
      expect(got).toMatchObject({ status: 200, models: ['test/backup'] })
      expect(outcomesOf(got).slice(0, 2)).toEqual(['connect', 'connect'])
    }
    // The fifth failure has opened the breaker, so nobody else is kept waiting.
    expect(outcomesOf(await at.ask('test/model', false))).toEqual(['answered'])
    await using _again = await fakeUpstream(port)
    clock.moveMs(5_000)
    await until(async () => (await at.ask('test/model', true)).models[0] === 'test/model')
  })
})

/** Pauses of three seconds begin and never end: only a caller who leaves ends what waits for them. */
function endlessPauses(): Disposable {
  const begin = deadlines.in.bind(deadlines)
  const never = { restart: () => undefined, cancel: () => undefined }
  const isPause = (ms: number): boolean => ms > 3_000 && ms <= 3_100
  return vi.spyOn(deadlines, 'in').mockImplementation((ms, ring) => (isPause(ms) ? never : begin(ms, ring)))
}

// Not beside others, whose pauses would be endless too.
describe('a caller who disconnects in a pause between attempts', () => {
  test.each([undefined, 'drain'] as const)(
    'ends the journey at once and pays nothing (on_disconnect: %s)',
    async (onDisconnect) => {
      await using at = await bootConduct({
        models: inTurn('primary', 'second'),
        timing: { streamOpenMs: 50 },
        ...(onDisconnect && { onDisconnect }),
      })
      const before = await at.world.balance()
      using _endless = endlessPauses()
      at.on('primary').reply(json(429, {}, { 'retry-after': '3' }))
      const leaving = new AbortController()
      const reply = await at.key.raw('POST', path, question(true), {}, leaving.signal)
      await (await at.on('primary').call(0)).whenClosed
      leaving.abort()
      const receipt = await explained(at.key, requestIdOf(reply))
      expect(receipt).toMatchObject({ status_code: 499, microcredits: '0' })
      expect(receipt.details).toMatchObject({
        outcome: 'client_left',
        attempts: [{ outcome: 'rate_limited' }],
      })
      await at.world.settled()
      expect(await at.world.balance()).toEqual(before)
      expect([at.on('primary').calls.length, at.on('second').calls.length]).toEqual([1, 0])
    },
  )
})

describe.concurrent('a caller who disconnects in a pause between attempts', () => {
  test('gets the answer all the same when an idempotency key can fetch it', async () => {
    await using at = await bootConduct({ models: alone })
    at.on('primary').replyOnce(waitASecond)
    at.on('primary').reply(answer('kept for you'))
    const headers = { 'idempotency-key': 'mine' }
    const leaving = new AbortController()
    const reply = at.key.raw('POST', path, question(false), headers, leaving.signal).catch(() => undefined)
    await (await at.on('primary').call(0)).whenClosed
    leaving.abort()
    await reply
    const again = await until(async () => {
      const seen = await at.key.request('POST', path, question(false), headers)
      return seen.status === 200 ? seen : undefined
    })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body.choices[0].message.content).toBe('kept for you')
    expect(at.on('primary').calls).toHaveLength(2)
  })

  test.each(['fails', 'answers'])(
    'while an answer is read on for its report begins no other call when that one %s',
    async (how) => {
      await using at = await bootConduct({
        models: inTurn('primary', 'second'),
        onDisconnect: 'drain',
      })
      const release = Promise.withResolvers<void>()
      at.on('primary').reply(async () => {
        await release.promise
        return how === 'fails' ? json(500, '') : answer('unread')
      })
      const leaving = new AbortController()
      const reply = at.key.raw('POST', path, question(true), {}, leaving.signal).catch(() => undefined)
      const call = await at.on('primary').call(0)
      leaving.abort()
      await reply
      await until(async () =>
        (await at.key.get('/metrics')).text.match(/operation="chat.complete"[^\n]*"499"/),
      )
      release.resolve()
      await call.whenClosed
      await at.world.settled()
      expect(call.aborted).toBe(false)
      expect([at.on('primary').calls.length, at.on('second').calls.length]).toEqual([1, 0])
    },
  )
})

/** A listening address whose queue is full and whose process is stopped, so that no connection is ever made. */
async function deafHost(): Promise<AsyncDisposable & { url: string }> {
  const script =
    "const s=require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(String(line))
  child.kill('SIGSTOP')
  const filling: Socket[] = []
  // The kernel goes on taking connections until the queue is full; from then on one more hangs.
  for (let full = false; !full; ) {
    const socket = connect(port, '127.0.0.1')
    filling.push(socket)
    socket.on('error', () => undefined)
    await Promise.race([once(socket, 'connect'), pause(2_000)])
    // Where this process was too busy to see it, the connection is made all the same.
    await turn()
    full = socket.connecting
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      for (const socket of filling) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
