/** Answers that are pushed: JSON or events, slow clients, clients that leave, silence, failures. */
import { once } from 'node:events'
import net from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '#platform/errors'
import { type HttpApp, type PushedAnswer, type PushOut, pushReply, type Route } from '#platform/http'
import { until } from '../../harness/until.ts'
import { open, route, type Served, serve } from './served.ts'

const Reply = Type.Object({ reply: Type.String() }, { additionalProperties: false })
const eventType = 'text/event-stream; charset=utf-8'

/** An answer whose steps a test takes. */
class Steered implements PushedAnswer {
  out!: PushOut
  readonly calls: string[] = []
  readonly onStart: (out: PushOut) => void
  constructor(onStart: (out: PushOut) => void = () => undefined) {
    this.onStart = onStart
  }
  start(out: PushOut): void {
    this.out = out
    this.calls.push('start')
    this.onStart(out)
  }
  drained(): void {
    this.calls.push('drained')
  }
  onClientGone(): void {
    this.calls.push('left')
  }
}

/** What the next request gets. */
let next: (gone: () => AbortSignal) => PushedAnswer | Promise<PushedAnswer>

const spec = {
  ...open,
  path: '/pushed',
  reply: { 200: Reply },
  streams: true,
  errors: ['NOT_FOUND' as const],
}
const routes: Route<HttpApp>[] = [
  route({
    ...spec,
    method: 'GET',
    operation: 'test.pushed',
    handle: async (context) => {
      context.setHeader('x-own', 'yes')
      return pushReply(await next(() => context.gone), ': silent\n\n')
    },
  }),
  route({
    ...spec,
    method: 'POST',
    body: Reply,
    operation: 'test.pushedBody',
    handle: async (context) => pushReply(await next(() => context.gone)),
  }),
]

let served: Served
beforeAll(async () => {
  served = await serve(() => routes, { timing: { streamHeartbeatMs: 50 } })
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
})

const answering = (answer: Steered): Steered => {
  next = () => answer
  return answer
}

async function connected(): Promise<net.Socket> {
  const socket = net.connect(served.server.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

const getRequest = 'GET /pushed HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

async function metric(name: string): Promise<number> {
  const text = await served.world.app.metrics.text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1])
}

test('headers and the first events leave in one write, and events are framed', async () => {
  const answer = answering(
    new Steered((out) => {
      out.open()
      out.event('1')
      out.event('2', 'named', '7')
      out.flush()
    }),
  )
  const socket = await connected()
  socket.write(getRequest)
  const [first] = (await once(socket, 'data')) as [Buffer]
  expect(first.toString()).toContain('x-own: yes')
  expect(first.toString()).toContain('data: 1\n\nevent: named\nid: 7\ndata: 2\n\n')
  socket.destroy()
  answer.out.end()
})

test('a stream ends with what was not flushed yet, and is counted while it is open', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const reply = fetch(`${served.url}/pushed`)
  await until(async () => (await metric('kherad_open_streams')) === 1)
  answer.out.event('last')
  answer.out.end()
  answer.out.event('too late')
  answer.out.end()
  expect((await reply).headers.get('content-type')).toBe(eventType)
  expect((await (await reply).text()).replaceAll(': silent\n\n', '')).toBe('data: last\n\n')
  expect(await metric('kherad_open_streams')).toBe(0)
})

test('JSON in place of a stream is checked as every answer', async () => {
  const answer = answering(new Steered())
  const replied = fetch(`${served.url}/pushed`)
  await until(() => answer.calls.length === 1)
  answer.out.json('{"reply":"yes"}')
  const reply = await replied
  expect([reply.status, reply.headers.get('content-type'), await reply.json()]).toEqual([
    200,
    'application/json; charset=utf-8',
    { reply: 'yes' },
  ])
  answering(new Steered((out) => out.json('{"wrong":1}')))
  await (await fetch(`${served.url}/pushed`)).text()
  expect(served.violations.splice(0)).toEqual([expect.stringContaining('test.pushed: reply 200')])
})

test('a failure before the stream is open is an error answer; after it the connection is cut', async () => {
  answering(new Steered((out) => out.fail(new Failure('NOT_FOUND', {}, {}))))
  const refused = await fetch(`${served.url}/pushed`)
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    'NOT_FOUND',
  ])
  answering(
    new Steered(() => {
      throw new Error('a defect')
    }),
  )
  expect((await fetch(`${served.url}/pushed`)).status).toBe(500)
  const answer = answering(new Steered((out) => out.open()))
  const cut = await fetch(`${served.url}/pushed`)
  answer.out.fail(new Error('a defect'))
  await expect(cut.text()).rejects.toThrow()
  expect(await metric('kherad_open_streams')).toBe(0)
})

test('a client that reads slowly stops the flow, and the answer goes on when it has read', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const socket = await connected()
  socket.pause()
  socket.write(getRequest)
  await until(() => answer.calls.length === 1)
  const filler = 'x'.repeat(65_536)
  let sent = 1
  answer.out.event(filler)
  for (; answer.out.flush(); sent++) answer.out.event(filler)
  expect(answer.calls).toEqual(['start'])
  const text = textOf(socket)
  await until(() => answer.calls.includes('drained'))
  expect(answer.out.flush()).toBe(true)
  answer.out.end()
  expect((await text).split(`data: ${filler}`).length - 1).toBe(sent)
  expect(answer.calls).toEqual(['start', 'drained'])
})

test('a client that leaves is reported once, at the latest right after the start', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const controller = new AbortController()
  await fetch(`${served.url}/pushed`, { signal: controller.signal })
  controller.abort()
  await until(() => answer.calls.includes('left'))
  answer.out.event('unheard')
  expect(answer.out.flush()).toBe(true)
  answer.out.end()
  expect(answer.calls).toEqual(['start', 'left'])

  const late = new Steered()
  const admitted = Promise.withResolvers<void>()
  next = async (gone) => {
    const left = once(gone(), 'abort')
    admitted.resolve()
    await left
    return late
  }
  const socket = await connected()
  socket.write(getRequest)
  await admitted.promise
  socket.destroy()
  await until(() => late.calls.length === 2)
  expect(late.calls).toEqual(['left', 'start'])
  late.out.fail(new Error('nobody hears it'))
})

test('a silent stream sends its heartbeat, which opens it too', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const reply = await fetch(`${served.url}/pushed`)
  const reader = reply.body!.getReader()
  const { value } = await reader.read()
  expect(Buffer.from(value!).toString()).toBe(': silent\n\n')
  answer.out.cut()
  // Of a machine that stood still, another one may have come before the cut.
  const toTheEnd = async () => {
    while (!(await reader.read()).done);
  }
  await expect(toTheEnd()).rejects.toThrow()
})

test('HEAD gets the headers of the stream, and its connection serves the next request', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const socket = await connected()
  socket.write('HEAD /pushed HTTP/1.1\r\nhost: x\r\n\r\n')
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(head.toString()).toContain(eventType)
  expect(answer.calls).toEqual(['start', 'left'])
  answer.out.end()
  answering(new Steered((out) => out.json('{"reply":"next"}')))
  socket.write(getRequest)
  expect(await textOf(socket)).toContain('{"reply":"next"}')
})

test('the memory of the body is reserved until the answer ends', async () => {
  const answer = answering(new Steered((out) => out.open()))
  const body = JSON.stringify({ reply: 'x'.repeat(100_000) })
  const reply = await fetch(`${served.url}/pushed`, { method: 'POST', body })
  expect(await metric('kherad_body_bytes_in_flight')).toBeGreaterThan(50_000)
  answer.out.end()
  await reply.text()
  await until(async () => (await metric('kherad_body_bytes_in_flight')) === 0)
})
