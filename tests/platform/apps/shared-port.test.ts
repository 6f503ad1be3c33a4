/** The API and the second zone on one port, told apart by the host. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppsZone } from '#platform/apps'
import { openServer, socketStream } from '#platform/http'
import { Wire } from '../../contract/wire.ts'
import { freePort } from '../../harness/free-port.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { boot, type World } from '../../harness/world.ts'
import { open, socketRoute } from '../http/served.ts'
import { namedHandler, strangersByPath } from './named-handler.ts'

const sites = namedHandler('sites', ['shop.apps.example', 'www.shop.example'])
const clouds = namedHandler('clouds', ['ref.localhost'], undefined, strangersByPath)
let world: World
beforeAll(async () => {
  const port = String(await freePort())
  world = await boot({
    env: {
      KHERAD_PORT: port,
      KHERAD_APPS_PORT: port,
      KHERAD_APPS_DOMAIN: 'apps.example',
      KHERAD_BASE_URL: 'https://ai.example.org',
    },
    hostHandlers: () => [sites, clouds],
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = (host: string, path: string, headers: Record<string, string> = {}) =>
  hostRequest(world.url, host, { path, headers })

test('sites answer at theirs and the API at that of the base URL and at names of the machine', async () => {
  expect(world.appsUrl).toBe(world.url)
  expect((await ask('shop.apps.example', '/v1/models')).text).toBe('sites shop.apps.example /v1/models')
  expect((await ask('WWW.shop.example.', '/docs')).text).toBe('sites www.shop.example /docs')
  for (const host of ['ai.example.org', 'AI.example.org.', '127.0.0.1', '[::1]', 'localhost', 'kherad'])
    expect((await ask(host, '/health/live')).status, host).toBe(200)
})

test('a host that nobody has is 404 and reaches no route of the API, with a key or without', async () => {
  const { secret } = await world.key()
  for (const host of [
    'other.apps.example',
    'apps.example',
    'evil.example',
    'x.ai.example.org',
    'example.org',
    'a.localhost',
  ])
    for (const path of ['/health/live', '/v1/models', '/_ask?domain=shop.apps.example']) {
      const { status, text } = await ask(host, path, { authorization: `Bearer ${secret}` })
      expect({ status, code: JSON.parse(text).error.code }, `${host}${path}`).toEqual({
        status: 404,
        code: 'HOST_NOT_FOUND',
      })
    }
})

test('a WebSocket of the API opens at its own hosts alone; elsewhere the request is one of the other zone', async () => {
  const echo = socketRoute({
    ...open,
    path: '/echo',
    operation: 'test.echo',
    errors: [],
    handle: () => socketStream(async (socket) => socket.send('open')),
  })
  await using zone = new AppsZone({ app: world.app, handlers: [sites] })
  await using server = await openServer({
    app: world.app,
    routes: [echo],
    host: '127.0.0.1',
    port: 0,
    sharedZone: zone,
  })
  const ask = (host: string) =>
    `GET /echo HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
  await using wire = await Wire.open(server.url)
  // Twice on one connection: it was not handed over.
  for (const _ of [1, 2]) {
    await wire.write(ask('shop.apps.example'))
    expect((await wire.next()).text).toBe('sites shop.apps.example /echo')
  }
  await using own = await Wire.open(server.url)
  await own.write(ask('ai.example.org'))
  expect((await own.next()).status).toBe(101)
})

test('two hosts, or one in the target and one beside it, are refused whichever zone they are of', async () => {
  for (const head of [
    'GET /health/live HTTP/1.1\r\nHost: ai.example.org\r\nHost: shop.apps.example',
    'GET /health/live HTTP/1.1\r\nHost: shop.apps.example\r\nHost: ai.example.org',
    'GET http://shop.apps.example/health/live HTTP/1.1\r\nHost: ai.example.org',
    'GET http://ai.example.org/health/live HTTP/1.1\r\nHost: shop.apps.example',
  ]) {
    await using wire = await Wire.open(world.url)
    await wire.write(`${head}\r\n\r\n`)
    expect((await wire.next()).status, head).toBe(400)
  }
  await using wire = await Wire.open(world.url)
  await wire.write('GET http://ai.example.org/health/live HTTP/1.1\r\nHost: ai.example.org\r\n\r\n')
  expect((await wire.next()).status).toBe(200)
})

test('one connection may carry requests of both zones, each answered by its own', async () => {
  await using wire = await Wire.open(world.url)
  await wire.write(
    'GET /health/live HTTP/1.1\r\nHost: ai.example.org\r\n\r\nGET /a HTTP/1.1\r\nHost: shop.apps.example\r\n\r\n',
  )
  expect((await wire.next()).body).toMatchObject({ status: expect.any(String) })
  expect((await wire.next()).text).toBe('sites shop.apps.example /a')
})

test('clouds have no path on the origin of the API', async () => {
  for (const host of ['ai.example.org', '127.0.0.1'])
    expect(JSON.parse((await ask(host, '/_cloud/ref/')).text).error.code, host).toBe('ROUTE_NOT_FOUND')
  expect((await ask('ref.localhost', '/')).status).toBe(200)
})

test('the proxy’s question is answered to this machine alone', async () => {
  expect((await ask('127.0.0.1', '/_ask?domain=shop.apps.example')).status).toBe(200)
  expect((await ask('127.0.0.1', '/_ask?domain=other.apps.example')).status).toBe(404)
  const visitor = await ask('127.0.0.1', '/_ask?domain=shop.apps.example', {
    'x-forwarded-for': '203.0.113.7',
  })
  expect(JSON.parse(visitor.text).error.code).toBe('ROUTE_NOT_FOUND')
})

test('the end of the server ends both zones: an open answer goes on, then the handlers are closed', async () => {
  const port = String(await freePort())
  const held = Promise.withResolvers<() => void>()
  const slow = namedHandler('sites', ['slow.apps.example'], ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('be')
    held.resolve(() => void response.end('gun'))
  })
  const other = await boot({
    env: {
      KHERAD_PORT: port,
      KHERAD_APPS_PORT: port,
      KHERAD_APPS_DOMAIN: 'apps.example',
      KHERAD_BASE_URL: 'https://ai.example.org',
    },
    hostHandlers: () => [slow],
  })
  const reply = hostRequest(other.url, 'slow.apps.example')
  const finish = await held.promise
  const ended = other[Symbol.asyncDispose]()
  await expect
    .poll(async () =>
      hostRequest(`http://127.0.0.1:${port}`, 'other.apps.example').then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed')
  expect(slow.disposed).toBe(false)
  finish()
  expect((await reply).text).toBe('begun')
  await ended
  expect(slow.disposed).toBe(true)
})
