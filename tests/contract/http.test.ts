/** HTTP conventions on every route, and clients that violate them (decisions §4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServer } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'
import { expectRefusal } from './refusal.ts'
import { requestOf, Wire } from './wire.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** When no earlier call is under way any more. */
async function settledBalance() {
  await world.settled()
  return world.balance()
}

const chatPath = '/v1/chat/completions'
const headers = () => ({ authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' })
const hello = '{"messages":[{"role":"user","content":"hello"}]}'
const post = (body: string | Uint8Array, more: Record<string, string> = {}) =>
  requestOf('POST', chatPath, { ...headers(), ...more }, body)

describe('paths and methods', () => {
  test('an unknown path is 404 with and without a key', async () => {
    for (const path of [
      '/',
      '/v1',
      '/v2/models',
      '/v1/nothing',
      '/v1/chat',
      '/v1/requests/lookup/more',
      '/favicon.ico',
      '/v1/../etc/passwd',
      '//',
    ]) {
      expectRefusal(
        await key.get(path, { authorization: '' }),
        { status: 404, code: 'ROUTE_NOT_FOUND' },
        path,
      )
    }
  })

  test('a known path with another method is 405, and Allow says which ones it takes', async () => {
    for (const [method, path, allow] of [
      ['GET', chatPath, 'POST'],
      ['POST', '/v1/balance', 'GET, HEAD'],
      ['DELETE', '/v1/models/sandbox/fast', 'GET, HEAD'],
      ['PUT', '/v1/models', 'GET, HEAD'],
      ['OPTIONS', chatPath, 'POST'],
    ] as const) {
      const reply = await key.request(method, path)
      expectRefusal(reply, { status: 405, code: 'METHOD_NOT_ALLOWED' }, `${method} ${path}`)
      expect(reply.headers.get('allow')).toBe(allow)
    }
  })

  test('a Content-Type that is none is 400 on known and unknown paths, where a method may have a body', async () => {
    const sent = async (method: string, path: string, type: string) => {
      await using wire = await Wire.open(world.url)
      // A body that no header announces would be the beginning of the next request.
      const body = method === 'GET' ? '' : '{}'
      await wire.write(requestOf(method, path, { ...headers(), 'content-type': type }, body))
      return await wire.next()
    }
    for (const path of [chatPath, '/v1/nothing', '/']) {
      for (const type of ['json', 'application/', '/json', 'a b/c', 'text/plain charset=utf-8'])
        expectRefusal(
          await sent('POST', path, type),
          { status: 400, code: 'INVALID_REQUEST' },
          `${type} ${path}`,
        )
    }
    for (const [method, type] of [
      ['GET', 'json'],
      ['POST', 'text/plain; charset=utf-8'],
      ['POST', ' application/json '],
    ] as const)
      expectRefusal(await sent(method, '/v1/nothing', type), { status: 404, code: 'ROUTE_NOT_FOUND' }, type)
  })

  test('HEAD answers as GET without its body', async () => {
    const get = await key.get('/v1/models')
    const head = await key.raw('HEAD', '/v1/models')
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect((await fetch(`${world.url}/v1/models`, { method: 'HEAD' })).status).toBe(401)
    expect((await fetch(`${world.url}/health/live`, { method: 'HEAD' })).status).toBe(200)
  })

  test('a slash at the end changes nothing', async () => {
    expect((await key.get('/v1/balance/')).status).toBe(200)
    expect((await key.get('/v1/models/')).body.object).toBe('list')
    expect((await key.post(`${chatPath}/`, JSON.parse(hello))).status).toBe(200)
  })

  test('the name of a model may come with its slash escaped or not', async () => {
    for (const name of ['sandbox/fast', 'sandbox%2Ffast', 'sandbox%2ffast', '%73andbox/fast']) {
      expect((await key.get(`/v1/models/${name}`)).body.id, name).toBe('sandbox/fast')
    }
  })

  test('an escape that is none is refused, not a fault', async () => {
    for (const path of ['/v1/models/%ZZ', '/v1/models/%', '/v1/models/%ff', '/v1/requests/%E0%A4%A']) {
      const reply = await key.get(path)
      expect(reply.status, path).toBeGreaterThanOrEqual(400)
      expectRefusal(reply, { status: reply.status, param: reply.body.error.param }, path)
      expect(reply.status, path).toBeLessThan(500)
    }
  })

  test('the lookup takes only its own query', async () => {
    expect((await key.get('/v1/requests/lookup?idempotency_key=a')).status).toBe(200)
    expectRefusal(await key.get('/v1/requests/lookup?idempotency_key=a&more=1'), {
      status: 400,
      code: 'UNKNOWN_FIELD',
      param: 'more',
    })
    expectRefusal(await key.get('/v1/requests/lookup'), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'idempotency_key',
    })
    for (const value of ['', 'a%20b', 'a'.repeat(129), '%D8%B3', 'a&idempotency_key=b']) {
      expectRefusal(
        await key.get(`/v1/requests/lookup?idempotency_key=${value}`),
        { status: 400, code: 'INVALID_REQUEST', param: 'idempotency_key' },
        value,
      )
    }
    expect((await key.get(`/v1/requests/lookup?idempotency_key=${'a'.repeat(128)}`)).status).toBe(200)
  })

  test('every answer carries its id in both headers', async () => {
    for (const reply of [
      await key.get('/v1/balance'),
      await key.chat({}),
      await key.chat({ stream: true }),
      await key.get('/health/live'),
      await key.get('/docs'),
      await key.get('/nothing'),
    ]) {
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'))
    }
  })
})

describe('the language of a refusal', () => {
  const persian = /[\u0600-\u06FF]/
  test.each([
    [undefined, false],
    ['fa', true],
    ['fa-IR,fa;q=0.9,en;q=0.8', true],
    ['en-US,en;q=0.9,fa;q=0.8', false],
    ['en;q=0.5, fa;q=0.6', true],
    ['FA', true],
    ['fa;q=0, en;q=0.1', false],
    ['fa;q=0', false],
    ['de, fa;q=0.3', true],
    ['*', false],
    ['fast-food', false],
    [';;;,,fa;q=abc', true],
  ])('Accept-Language %s', async (language, isPersian) => {
    const reply = await key.get('/v1/nothing', language === undefined ? {} : { 'accept-language': language })
    expect(persian.test(reply.body.error.message)).toBe(isPersian)
  })

  test('the reason of a refused field is told in Persian too', async () => {
    for (const body of [
      { temperature: 3 },
      { messages: [] },
      { messages: undefined },
      { model: 'm'.repeat(201) },
      { n: 2 },
      { messages: [{ role: 'x' }] },
      { stream: 5 },
      { tool_choice: 'required' },
    ]) {
      const { error } = (await key.chat(body, { 'accept-language': 'fa' })).body
      expect(error.message.replace(error.param, ''), error.message).not.toMatch(
        /\b(must|should|is required|has|are|asks)\b/,
      )
      expect(error.message).toMatch(persian)
    }
  })
})

/** Chats whose client was gone before an answer. */
const leftClients = async (): Promise<number> =>
  Number(
    /kherad_http_requests_total\{operation="chat.complete",status="499"\} (\d+)/.exec(
      (await key.get('/metrics')).text,
    )?.[1] ?? 0,
  )

describe('clients that do not keep the rules', () => {
  test('headers of more than 16 KB are 431, however many, however they come', async () => {
    const flood = [
      `GET /v1/balance HTTP/1.1\r\nhost: test\r\nx-flood: ${'a'.repeat(20_000)}\r\n\r\n`,
      `GET /v1/balance HTTP/1.1\r\nhost: test\r\n${'x-a: b\r\n'.repeat(10_000)}\r\n`,
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: test\r\n\r\n`,
      `GET /v1/balance HTTP/1.1\r\nhost: test\r\nx-flood: ${'a'.repeat(8_000_000)}`,
    ]
    for (const text of flood) {
      await using wire = await Wire.open(world.url)
      void wire.write(text)
      expectRefusal(await wire.next(), { status: 431, code: 'HEADERS_TOO_LARGE' }, text.slice(0, 60))
      await until(() => wire.ended)
    }
    expect((await key.get('/v1/balance')).status).toBe(200)
  })

  test('thousands of small headers are read to the last one', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(
      `GET /v1/balance HTTP/1.1\r\nhost: test\r\n${'a:b\r\n'.repeat(3_000)}authorization: Bearer ${key.secret}\r\n\r\n`,
    )
    expect((await wire.next()).status).toBe(200)
  })

  test.each([
    ['rubbish', 'hello, is this the service?\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a1030300', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a colon', 'GET /v1/balance HTTP/1.1\r\nhost test\r\n\r\n'],
    [
      'two lengths',
      `POST ${chatPath} HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
    ],
    [
      'a length and chunks',
      `POST ${chatPath} HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a negative length', `POST ${chatPath} HTTP/1.1\r\nhost: test\r\ncontent-length: -5\r\n\r\n`],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n'],
  ])('what is no HTTP is 400 with our body, then the connection ends: %s', async (_what, bytes) => {
    await using wire = await Wire.open(world.url)
    await wire.write(bytes)
    const reply = await wire.next()
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: reply.body.error.param })
    await until(() => wire.ended)
  })

  test('chunks that break off in the middle are refused and run nothing', async () => {
    await using wire = await Wire.open(world.url)
    const lines = Object.entries({ host: 'test', ...headers(), 'transfer-encoding': 'chunked' }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    await wire.write(`POST ${chatPath} HTTP/1.1\r\n${lines.join('')}\r\n5\r\n{"mes\r\nzz\r\n`)
    expectRefusal(await wire.next(), { status: 400, code: 'INVALID_REQUEST' })
    await until(() => wire.ended)
  })

  test('pipelined requests are answered one after another, in their order', async () => {
    await using wire = await Wire.open(world.url)
    const all = ['/health/live', '/v1/balance', '/nothing', '/v1/models'].map((path) =>
      requestOf('GET', path, headers()),
    )
    await wire.write(Buffer.concat([...all, post(hello), requestOf('GET', '/health/live', {})]))
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await wire.next()).status)
    expect(statuses).toEqual([200, 200, 404, 200, 200, 200])
  })

  test('rubbish behind a good request does not put a refusal in the place of its answer', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(Buffer.concat([post(hello), Buffer.from('\x00\x01rubbish\r\n\r\n')]))
    await until(() => wire.ended)
    if (wire.waiting > 0) expect((await wire.next()).status).toBe(200)
    await world.settled()
  })

  test('an expectation that is not known is ignored', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(post(hello, { expect: 'the unexpected' }))
    expect((await wire.next()).status).toBe(200)
  })

  test('HTTP/1.0 is answered, and the connection ends', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(`GET /v1/balance HTTP/1.0\r\nauthorization: Bearer ${key.secret}\r\n\r\n`)
    expect((await wire.next()).status).toBe(200)
    await until(() => wire.ended)
  })

  test('a client that disconnects in the middle of its body is nobody’s fault and costs nothing', async () => {
    const before = await settledBalance()
    const earlier = await leftClients()
    const left = await Wire.open(world.url)
    await left.write(post(hello, { 'content-length': '1000' }))
    await left[Symbol.asyncDispose]()
    await until(async () => (await leftClients()) > earlier)
    expect(await world.balance()).toEqual(before)
  })
})

describe('slow clients', () => {
  test('a byte at a time is served when it is in time, and others need not wait', async () => {
    await using wire = await Wire.open(world.url)
    for (const byte of post(hello)) {
      await wire.write(new Uint8Array([byte]))
      if (byte === 0x7b) expect((await key.get('/health/live')).status).toBe(200)
    }
    expect((await wire.next()).status).toBe(200)
  })

  test('one that stops in its headers or in its body gets 408 and is let go; others are served meanwhile', async () => {
    await using server = await openServer({
      app: world.app,
      routes,
      host: '127.0.0.1',
      port: 0,
      timeouts: { headersMs: 3_000, requestMs: 3_000, uploadMs: 60_000, checkMs: 50 },
    })
    const before = await settledBalance()
    const leftBefore = await leftClients()
    const whole = post(hello)
    for (const sent of [whole.subarray(0, 40), whole.subarray(0, whole.length - 5)]) {
      await using wire = await Wire.open(server.url)
      await wire.write(sent)
      expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
      expectRefusal(await wire.next(), { status: 408, code: 'REQUEST_TIMEOUT' })
      // What comes too late must not complete a request that has been refused.
      await wire.write(whole.subarray(sent.length))
      await until(() => wire.ended)
      if (sent.length > 40) await until(async () => (await leftClients()) > leftBefore)
    }
    expect(await world.balance()).toEqual(before)
  })
})

describe('whether to try again', () => {
  test('a refusal for lack of credits says that repeating does not help', async () => {
    await using poor = await sharedWorld({ credits: 0 })
    const reply = await (await poor.key()).chat({})
    expectRefusal(reply, { status: 402, code: 'INSUFFICIENT_CREDITS' })
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(reply.headers.get('retry-after')).toBeNull()
  })

  test('a conflict of idempotency keys says so too', async () => {
    const options = { 'idempotency-key': 'try-again' }
    expect((await key.chat({}, options)).status).toBe(200)
    const reply = await key.chat({ seed: 1 }, options)
    expectRefusal(reply, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    expect(reply.headers.get('x-should-retry')).toBe('false')
  })
})
