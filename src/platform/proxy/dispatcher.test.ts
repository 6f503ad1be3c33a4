import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../../tests/harness/until.ts'
import { OriginPool } from './dispatcher.ts'

let server: Server
/** The connections that came, since the test began. */
let sockets: Socket[]
beforeAll(async () => {
  server = createServer((_, response) => response.end('answer'))
  server.on('connection', (socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
beforeEach(() => {
  sockets = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Until what the server did has come. */
const arrival = (): Promise<void> => pause(20)
const openPool = (port = (server.address() as AddressInfo).port): OriginPool =>
  new OriginPool(`http://127.0.0.1:${port}`, { connectMs: 5_000, pool: { pipelining: 1 } })
async function ask({ dispatcher }: OriginPool): Promise<string> {
  const { body } = await dispatcher.request({ path: '/', method: 'GET' })
  return await body.text()
}

test('a request takes the connection that was opened ahead; where one is idle, none is opened', async () => {
  await using pool = openPool()
  await Promise.all([pool.warm(), pool.warm()])
  await pool.warm()
  await until(() => sockets.length === 1)
  expect(sockets[0]!.bytesRead).toBe(0)
  expect(await ask(pool)).toBe('answer')
  await arrival()
  await pool.warm()
  expect(await ask(pool)).toBe('answer')
  expect(sockets).toHaveLength(1)
})

test('a request that comes while the connection opens waits for it; another one opens its own', async () => {
  await using pool = openPool()
  const warm = pool.warm()
  expect(await Promise.all([ask(pool), ask(pool)])).toEqual(['answer', 'answer'])
  await warm
  expect(sockets).toHaveLength(2)
})

test('a connection that the other side has closed, or has written to, is not used', async () => {
  for (const end of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n'),
  ]) {
    sockets = []
    await using pool = openPool()
    await pool.warm()
    await until(() => sockets.length === 1)
    const closed = once(sockets[0]!, 'close')
    end(sockets[0]!)
    await closed
    await arrival()
    expect(await ask(pool)).toBe('answer')
    expect(sockets).toHaveLength(2)
  }
})

test('where nobody listens the request fails, and not what is opened ahead; with the pool its connection ends', async () => {
  await using away = openPool(9)
  await away.warm()
  await expect(ask(away)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const pool = openPool()
  await pool.warm()
  await until(() => sockets.length === 1)
  const closed = once(sockets[0]!, 'close')
  await pool[Symbol.asyncDispose]()
  await closed
  await pool.warm()
  expect(sockets).toHaveLength(1)
})
