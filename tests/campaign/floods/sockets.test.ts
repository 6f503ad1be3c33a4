import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket as NetSocket } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { App } from '#app'
import { fail } from '#platform/errors'
import { content, type Socket, socketStream } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { open, route, type Served, serve, socketRoute } from '../../platform/http/served.ts'

const Query = Type.Object({ name: Type.String({ maxLength: 10 }) }, { additionalProperties: false })
const Reply = Type.Object({ received: Type.String() })

const echo = async (socket: Socket): Promise<void> => {
  for await (const message of socket.messages) await socket.send(message)
}

/** What the slow reader has taken, and what lets it go on. */
const slow = { taken: 0, gate: Promise.withResolvers<void>() }

/** Turns of the event loop, and in which of them messages of one route were handled. */
const loop = { turn: 0, isCounted: false, handled: [] as number[], costMs: 0 }

/** Until it is stopped. */
function countTurns(): void {
  loop.turn += 1
  if (loop.isCounted) setImmediate(countTurns)
}

function useProcessor(ms: number): void {
  const { user, system } = process.threadCpuUsage()
  for (;;) {
    const now = process.threadCpuUsage()
    if (now.user + now.system - user - system >= 1_000 * ms) return
  }
}

/** What the handlers of one route have taken and given back. */
const counted = { taken: 0, given: 0, gate: Promise.withResolvers<void>() }

const base = { ...open, scope: 'responses:write', errors: [] as never[] } as const
const routes = [
  socketRoute({
    ...base,
    path: '/echo/{id}',
    operation: 'test.echo',
    params: Type.Object({ id: Type.String({ maxLength: 5 }) }),
    query: Query,
    protocols: ['v2', 'v1'],
    bounds: { messageBytes: 1_000, messagesPerSecond: 10, perKey: 2 },
    errors: ['NOT_FOUND'],
    handle({ params, query }) {
      if (params.id === 'gone') fail('NOT_FOUND', {})
      return socketStream(async (socket) => {
        await socket.send(`hello ${query.name} ${params.id}`)
        await echo(socket)
      })
    },
  }),
  socketRoute({
    ...base,
    path: '/idle',
    operation: 'test.idle',
    bounds: { idleMs: 1_000 },
    handle: () => socketStream(echo),
  }),
  socketRoute({
    ...base,
    path: '/broken',
    operation: 'test.broken',
    handle: () =>
      socketStream(async () => {
        throw new Error('secret')
      }),
  }),
  socketRoute({
    ...base,
    path: '/slow',
    operation: 'test.slow',
    bounds: { messagesPerSecond: 1_000 },
    handle: () =>
      socketStream(async ({ messages }) => {
        for await (const _ of messages) {
          slow.taken += 1
          await slow.gate.promise
        }
      }),
  }),
  socketRoute({
    ...base,
    path: '/costly',
    operation: 'test.costly',
    handle: () =>
      socketStream(async ({ messages }) => {
        for await (const _ of messages) {
          useProcessor(loop.costMs)
          loop.handled.push(loop.turn)
        }
      }),
  }),
  socketRoute({
    ...base,
    scope: 'public',
    path: '/pages',
    operation: 'test.pages',
    cors: ({ origin }) => origin === 'https://own.test',
    handle: () => socketStream(echo),
  }),
  socketRoute({
    ...base,
    path: '/call',
    operation: 'test.call',
    handle: () =>
      socketStream(async (socket) => {
        socket.stopping.addEventListener('abort', () => void socket.send('the server stops'))
        for await (const message of socket.messages) {
          if (message === 'goodbye') return
          await socket.send(message)
        }
      }),
  }),
  socketRoute({
    ...base,
    path: '/counted',
    operation: 'test.counted',
    bounds: { perKey: 1 },
    async handle() {
      counted.taken += 1
      await counted.gate.promise
      return socketStream(
        async (socket) => {
          await echo(socket)
          counted.given += 1
        },
        () => {
          counted.given += 1
        },
      )
    },
  }),
  // Takes no message, and waits for its client to leave.
  socketRoute({
    ...base,
    path: '/deaf',
    operation: 'test.deaf',
    bounds: { idleMs: 1_000, keyCheckMs: 50 },
    handle: () =>
      socketStream(
        ({ gone }) =>
          new Promise((resolve) => gone.addEventListener('abort', () => resolve(), { once: true })),
      ),
  }),
  ...['/one', '/two'].map((path) =>
    socketRoute({
      ...base,
      scope: 'public',
      path,
      operation: `test.public${path}`,
      bounds: { perKey: 1 },
      handle: () => socketStream(echo),
    }),
  ),
  route({
    ...open,
    method: 'GET',
    path: '/endless',
    operation: 'test.endless',
    reply: { 200: 'audio/wav' },
    errors: [],
    handle: () =>
      content({
        mediaType: 'audio/wav',
        async *open() {
          for (;;) yield Buffer.alloc(64 * 1024)
        },
      }),
  }),
  ...['/browsers', '/browsers/broken'].map((path) =>
    socketRoute({
      ...base,
      path,
      operation: `test${path.replaceAll('/', '.')}`,
      protocols: ['spoken'],
      keySources: [
        {
          scheme: 'testKey',
          header: 'sec-websocket-protocol',
          prefix: 'test-key.',
          description: 'test-key. and the key.',
        },
      ],
      handle: () =>
        socketStream(async (socket) => {
          if (path.endsWith('broken')) throw new Error('broken')
          await echo(socket)
        }),
    }),
  ),
  route({
    ...open,
    method: 'GET',
    path: '/plain',
    operation: 'test.plain',
    reply: { 200: Reply },
    errors: [],
    handle: () => ({ received: 'plain' }),
  }),
]

let served: Served
let key: Client
beforeAll(async () => {
  served = await serve(() => routes)
  key = await served.world.key()
})
afterAll(async () => {
  expect(served.violations).toEqual([])
  await served[Symbol.asyncDispose]()
})

const bearer = (by = key) => ({ authorization: `Bearer ${by.secret}` })

function dial(path: string, options: ClientOptions = {}, protocols: string[] = [], at = served.url) {
  const ws = new WebSocket(at.replace('http', 'ws') + path, protocols, { headers: bearer(), ...options })
  const received: (string | Buffer)[] = []
  ws.on('message', (data: Buffer, isBinary) => void received.push(isBinary ? data : String(data)))
  ws.on('error', () => undefined)
  const opened = new Promise<void>((resolve, reject) => ws.once('open', resolve).once('error', reject))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  opened.catch(() => undefined)
  return { ws, received, opened, closed }
}

/** The answer to a request for an upgrade that is refused. */
function refusal(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: never; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const asking = request(`${served.url}${path}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    asking.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) as never })
    })
    asking.on('upgrade', () => reject(new Error('it was upgraded')))
    asking.on('error', reject)
    asking.end()
  })
}

const codeOf = (body: never): string => body['error']['code']
const openSockets = async () => /kherad_open_sockets (\d+)/.exec(await served.world.app.metrics.text())?.[1]

test('messages go both ways, text and bytes, in the protocol that both speak', async () => {
  const { ws, received, opened, closed } = dial('/echo/a?name=b', {}, ['v1', 'v2'])
  await opened
  expect(ws.protocol).toBe('v2')
  ws.send('سلام')
  ws.send(Buffer.from([1, 2, 3]))
  await until(async () => received.length === 3)
  expect(received).toEqual(['hello b a', 'سلام', Buffer.from([1, 2, 3])])
  await until(async () => (await openSockets()) === '1')
  ws.close(1000)
  expect((await closed).code).toBe(1000)
  await until(async () => (await openSockets()) === '0')
})

describe('refused before the upgrade as on every route', () => {
  test.each([
    ['no key', '/echo/a?name=b', { authorization: 'Bearer nobody' }, 401, 'INVALID_API_KEY'],
    ['a query that is wrong', '/echo/a', {}, 400, 'INVALID_REQUEST'],
    ['a parameter that cannot be', '/echo/toolong?name=b', {}, 404, 'NOT_FOUND'],
    ['what the handler refuses', '/echo/gone?name=b', {}, 404, 'NOT_FOUND'],
    ['another version', '/echo/a?name=b', { 'sec-websocket-version': '8' }, 400, 'INVALID_REQUEST'],
    [
      'names of protocols that are none',
      '/idle',
      { 'sec-websocket-protocol': 'v1,,v2' },
      400,
      'INVALID_REQUEST',
    ],
    ['the same protocol twice', '/idle', { 'sec-websocket-protocol': 'v1, v1' }, 400, 'INVALID_REQUEST'],
    ['two of a header', '/echo/a?name=b', { 'x-api-key': ['a', 'b'] }, 400, 'INVALID_REQUEST'],
    ['a page that is kept out', '/pages', { origin: 'https://evil.test' }, 403, 'ORIGIN_NOT_ALLOWED'],
  ])('%s', async (_, path, headers, status, code) => {
    const refused = await refusal(path, { ...bearer(), ...(headers as unknown as Record<string, string>) })
    expect([refused.status, codeOf(refused.body)]).toEqual([status, code])
    expect(refused.headers['connection']).toBe('close')
    expect(refused.headers['x-request-id']).toBeTruthy()
  })

  test('a key without the scope', async () => {
    const other = await served.world.key({ scopes: ['models:read'] })
    expect((await refusal('/echo/a?name=b', bearer(other))).status).toBe(403)
  })

  test('more connections than a key may have, until one is closed', async () => {
    const own = await served.world.key()
    const lines = [0, 1].map(() => dial('/echo/a?name=b', { headers: bearer(own) }))
    await Promise.all(lines.map(({ opened }) => opened))
    const { status, body, headers } = await refusal('/echo/a?name=b', bearer(own))
    expect([status, codeOf(body)]).toEqual([429, 'TOO_MANY_CONNECTIONS'])
    expect(headers['retry-after']).toBe('5')
    lines[0]!.ws.close()
    await until(async () => {
      const again = dial('/echo/a?name=b', { headers: bearer(own) })
      const isOpen = await again.opened.then(
        () => true,
        () => false,
      )
      again.ws.close()
      return isOpen
    })
    lines[1]!.ws.close()
  })

  test('a request that asks for no upgrade', async () => {
    const reply = await fetch(`${served.url}/echo/a?name=b`, { headers: bearer() })
    expect([reply.status, reply.headers.get('upgrade')]).toEqual([426, 'websocket'])
    expect(codeOf((await reply.json()) as never)).toBe('UPGRADE_REQUIRED')
  })
})

test.each([
  ['one that is being answered', 'GET /endless', 200],
  ['a short one', 'GET /plain', 426],
])(
  'an upgrade in a row behind another request is no upgrade, and harms nobody: %s',
  async (_, first, status) => {
    const line = connect(served.server.port, '127.0.0.1')
    line.on('error', () => undefined)
    let text = ''
    line.on('data', (chunk) => {
      text += chunk
      if (text.length > 100_000) line.pause()
    })
    const upgrade = [
      'GET /echo/a?name=b HTTP/1.1',
      'host: x',
      `authorization: ${bearer().authorization}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ]
    line.write(`${first} HTTP/1.1\r\nhost: x\r\n\r\n${upgrade.join('\r\n')}\r\n\r\n`)
    await until(async () => text.includes(`HTTP/1.1 ${status}`))
    expect(text).not.toContain('HTTP/1.1 101')
    line.destroy()
    expect((await fetch(`${served.url}/plain`)).status).toBe(200)
  },
)

test('visitors of one public route take no places of another', async () => {
  const [one, two] = ['/one', '/two'].map((path) => dial(path, { headers: {} }))
  await Promise.all([one!.opened, two!.opened])
  expect((await refusal('/one', {})).status).toBe(429)
  for (const { ws } of [one!, two!]) ws.close()
})

test('what a handler took is given back once, also where its line is never opened', async () => {
  const [first, second] = [dial('/counted'), dial('/counted')]
  await until(async () => counted.taken === 2)
  counted.gate.resolve()
  const opened = await Promise.allSettled([first.opened, second.opened])
  expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await until(async () => counted.given === 1)
  for (const { ws } of [first, second]) ws.close()
  await until(async () => counted.given === 2)
})

describe('a line whose handler takes nothing', () => {
  /** More than all buffers hold. */
  async function filled(by: Client) {
    const line = dial('/deaf', { headers: bearer(by) })
    await line.opened
    for (let n = 0; n < 45; n += 1) line.ws.send(Buffer.alloc(60_000))
    return line
  }

  test('ends when its client has left, although nothing of it is read any more', async () => {
    const { ws } = await filled(await served.world.key())
    await until(async () => (await openSockets()) === '1')
    ws.terminate()
    await until(async () => (await openSockets()) === '0')
  })
})

describe('a key that is no longer accepted', () => {
  test.each([
    ['revoked', 'update auth.keys set revoked_at = now() where key_id = $1'],
    ['narrowed', `update auth.keys set scopes = '{models:read}' where key_id = $1`],
  ])('closes its open lines with 1008: %s', async (_, change) => {
    const [own, other] = [await served.world.key(), await served.world.key()]
    const [line, bystander] = [own, other].map((by) => dial('/deaf', { headers: bearer(by) }))
    await Promise.all([line!.opened, bystander!.opened])
    const { db } = served.world.app
    await db.query({ text: change }, [own.keyId])
    await db.query({ text: `select pg_notify('auth_changed', $1)` }, [served.world.account])
    expect(await line!.closed).toEqual({ code: 1008, reason: 'the key is no longer accepted' })
    expect(bystander!.ws.readyState).toBe(WebSocket.OPEN)
    bystander!.ws.close()
    await bystander!.closed
  })
})

test('an upgrade that is asked of another route is served as if it had not been', async () => {
  const reply = await refusal('/plain', {})
  expect([reply.status, reply.body]).toEqual([200, { received: 'plain' }])
  expect((await refusal('/nowhere', {})).status).toBe(404)
})

describe('bounds', () => {
  test('a message that is too long ends the line with 1009', async () => {
    const { ws, opened, closed } = dial('/echo/a?name=b')
    await opened
    ws.send('x'.repeat(1_001))
    expect((await closed).code).toBe(1009)
  })

  test('too many messages end it with 1008', async () => {
    const { ws, opened, closed } = dial('/echo/a?name=b')
    await opened
    for (let n = 0; n < 101; n += 1) ws.send('x')
    expect((await closed).code).toBe(1008)
  })

  test('so do pings and pongs, which are answered and read like messages', async () => {
    for (const kind of ['ping', 'pong'] as const) {
      const { ws, opened, closed } = dial('/echo/a?name=b')
      await opened
      // More than ten a second, however slow this machine is.
      for (let n = 0; n < 1_000 && ws.readyState === WebSocket.OPEN; n += 1) {
        ws[kind]()
        // One after another: of many unanswered pings the library cuts the line.
        if (kind === 'ping') await Promise.race([once(ws, 'pong'), closed])
      }
      expect((await closed).code).toBe(1008)
    }
  })

  test('a silent client that lives is kept, a dead one is cut', async () => {
    const alive = dial('/idle')
    const dead = dial('/idle', { autoPong: false })
    await Promise.all([alive.opened, dead.opened])
    expect((await dead.closed).code).toBe(1006)
    expect(alive.ws.readyState).toBe(WebSocket.OPEN)
    alive.ws.close()
  })

  test('a process that stood still itself does not count that as silence of its client', async () => {
    const { ws, opened, closed } = dial('/idle')
    await opened
    for (let n = 0; n < 3; n += 1) {
      // The server and its client are both in this process.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_600)
      await Promise.race([once(ws, 'ping'), closed])
      expect(ws.readyState).toBe(WebSocket.OPEN)
    }
    ws.close()
  })

  test('no more is read than is taken', async () => {
    const { ws, opened, closed } = dial('/slow')
    await opened
    const chunk = Buffer.alloc(60_000)
    for (let n = 0; n < 40; n += 1) ws.send(chunk)
    await until(async () => slow.taken === 1)
    slow.gate.resolve()
    await until(async () => slow.taken === 40)
    ws.close()
    await closed
  })

  test.each([
    [
      'of one line that come at once one is read a turn of the event loop',
      { lines: 1, each: 200, costMs: 0 },
      1,
    ],
    ['of many lines take turns by the processor time that they cost', { lines: 40, each: 1, costMs: 2 }, 4],
  ])('messages %s', async (_, { lines, each, costMs }, maxOfTurn) => {
    const dialled = Array.from({ length: lines }, () => dial('/costly'))
    await Promise.all(dialled.map(({ opened }) => opened))
    Object.assign(loop, { isCounted: true, handled: [], costMs })
    countTurns()
    for (const { ws } of dialled) {
      const { _socket: socket } = ws as unknown as { _socket: NetSocket }
      socket.cork()
      for (let n = 0; n < each; n += 1) ws.send(String(n))
      socket.uncork()
    }
    await until(async () => loop.handled.length === lines * each)
    loop.isCounted = false
    const ofTurns = new Map<number, number>()
    for (const turn of loop.handled) ofTurns.set(turn, (ofTurns.get(turn) ?? 0) + 1)
    expect(Math.max(...ofTurns.values())).toBeLessThanOrEqual(maxOfTurn)
    for (const { ws } of dialled) ws.close()
    await Promise.all(dialled.map(({ closed }) => closed))
  })

  test('what breaks ends it with 1011, and reveals nothing of itself', async () => {
    expect(await dial('/broken').closed).toEqual({ code: 1011, reason: '' })
  })
})

describe('a server that stops', () => {
  /** A server that has so long to stop, with one open line. */
  async function opened(path: string, drainMs: number) {
    const instead = ({ config }: App) => ({ config: { ...config, timing: { ...config.timing, drainMs } } })
    await using stack = new AsyncDisposableStack()
    const { world, server } = stack.use(await serve(() => routes, { instead }))
    const line = dial(path, { headers: bearer(await world.key()) }, [], server.url)
    await line.opened
    const open = stack.move()
    return { server, line, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  test('tells a handler so, which ends what is under way before its line is closed with 1001', async () => {
    await using at = await opened('/call', 60_000)
    const { ws, received, closed } = at.line
    ws.send('go on')
    await until(async () => received.length === 1)
    const stopping = at.server[Symbol.asyncDispose]()
    await until(async () => received.length === 2)
    ws.send('one more')
    await until(async () => received.length === 3)
    expect(received).toEqual(['go on', 'the server stops', 'one more'])
    expect(ws.readyState).toBe(WebSocket.OPEN)
    ws.send('goodbye')
    expect((await closed).code).toBe(1001)
    await stopping
  })

  test('closes with 1001 whoever has not ended near the end of its time', async () => {
    await using at = await opened('/call', 3_000)
    const startedMs = performance.now()
    const stopping = at.server[Symbol.asyncDispose]()
    expect(await at.line.closed).toEqual({ code: 1001, reason: 'the server is stopping' })
    expect(performance.now() - startedMs).toBeGreaterThan(2_000)
    await stopping
  })

  test('cuts a line whose client answers nothing any more', async () => {
    await using at = await opened('/call', 400)
    at.line.ws.pause()
    await at.server[Symbol.asyncDispose]()
    at.line.ws.resume()
    await at.line.closed
  })
})

describe('a key in a subprotocol, as browsers send it', () => {
  const offer = (...protocols: string[]) => ({ 'sec-websocket-protocol': protocols.join(', ') })
  const secretOf = (by: Client) => `test-key.${by.secret}`

  test('opens the line; what is answered is the subprotocol that is spoken, never the key', async () => {
    const { ws, opened } = dial('/browsers', { headers: {} }, ['spoken', secretOf(key)])
    const upgraded = new Promise<Record<string, unknown>>((resolve) =>
      ws.once('upgrade', ({ headers }) => resolve(headers)),
    )
    await opened
    expect(ws.protocol).toBe('spoken')
    expect(JSON.stringify(await upgraded)).not.toContain(key.secret)
    ws.close()
  })

  test.each([
    ['one that is none', () => offer('spoken', 'test-key.khr_nobody')],
    ['none', () => offer('spoken')],
    ['two of them', () => offer('spoken', secretOf(key), secretOf(key))],
    [
      'a wrong one in Authorization beside it',
      () => ({ ...offer(secretOf(key)), authorization: 'Bearer no' }),
    ],
  ])('is refused with 401: %s', async (_, headers) => {
    const refused = await refusal('/browsers', headers())
    expect([refused.status, codeOf(refused.body)]).toEqual([401, 'INVALID_API_KEY'])
    expect(JSON.stringify([refused.body, refused.headers])).not.toContain(key.secret)
  })

  test('is no key on a route that does not name the place', async () => {
    expect((await refusal('/idle', offer('spoken', secretOf(key)))).status).toBe(401)
  })

  test('reaches no log line', async () => {
    const lines: unknown[] = []
    const keep = (...what: unknown[]) => void lines.push(what)
    const log = { trace: keep, debug: keep, info: keep, warn: keep, error: keep, fatal: keep }
    await using own = await serve(() => routes, { instead: () => ({ log }) })
    const by = await own.world.key()
    for (const path of ['/browsers', '/browsers/broken']) {
      const { opened, ws, closed } = dial(path, { headers: {} }, ['spoken', secretOf(by)], own.url)
      await opened
      ws.close()
      await closed
    }
    await until(async () => lines.length >= 3)
    expect(JSON.stringify(lines)).toContain('test.browsers')
    expect(JSON.stringify(lines)).not.toContain(by.secret)
  })

  test('stands in the document as a security scheme of its own', () => {
    const { paths, components } = openApiOf(routes, 'http://x') as {
      paths: Record<string, Record<string, { security: object[] }>>
      components: { securitySchemes: Record<string, object> }
    }
    expect(components.securitySchemes['testKey']).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'sec-websocket-protocol',
      description: 'test-key. and the key.',
    })
    expect(paths['/browsers']!['get']!.security).toEqual([{ key: [] }, { testKey: [] }, { session: [] }])
  })
})

test('the document has it as a GET that switches protocols', () => {
  const { paths } = openApiOf(routes, 'http://x') as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  expect(Object.keys(paths['/echo/{id}']!)).toEqual(['get'])
  const { responses } = paths['/echo/{id}']!['get']!
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['101', '401', '403', '426', '429']))
  expect(Object.keys(responses)).not.toContain('200')
})
