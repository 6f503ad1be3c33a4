/** The proxy that other tests rely on: what is lost, doubled and overtaken is known beforehand, and TCP is left alone. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openShapingProxy, type ShapingProxyOptions } from '../harness/shaping-proxy.ts'
import { until } from '../harness/until.ts'

test('one seed loses, doubles and reorders the same datagrams each time, and another seed others', async () => {
  const shaping = { toServer: { loss: 0.2, repeated: 0.2, reordered: 0.2 } }
  const first = await numbersThrough({ seed: 7, ...shaping })
  expect(await numbersThrough({ seed: 7, ...shaping })).toEqual(first)
  expect(await numbersThrough({ seed: 8, ...shaping })).not.toEqual(first)
  expect(first.counts.lost).toBeGreaterThan(10)
  expect(first.counts.repeated).toBeGreaterThan(5)
  expect(first.isInOrder).toBe(false)
})

test('the server sees clients at the address of the proxy, and at another port after a change of paths', async () => {
  await using server = await boundSocket('127.0.0.1')
  const { address, port } = server.socket.address()
  await using proxy = await openShapingProxy({ target: { address, port } })
  expect(proxy.port).toBe(port)
  await using client = await boundSocket('127.0.0.1')
  const seen: { address: string; port: number }[] = []
  server.socket.on('message', (datagram, from) => {
    seen.push(from)
    server.socket.send(datagram, from.port, from.address)
  })
  const echo = async (): Promise<[Buffer, { address: string; port: number }]> => {
    const came = once(client.socket, 'message')
    client.socket.send('hello', proxy.port, proxy.address)
    return (await came) as [Buffer, { address: string; port: number }]
  }
  const [text, from] = await echo()
  expect([text.toString(), from.address, from.port]).toEqual(['hello', proxy.address, proxy.port])
  proxy.changePaths()
  await echo()
  expect(seen.map((one) => one.address)).toEqual([proxy.address, proxy.address])
  expect(seen[0]!.port).not.toBe(seen[1]!.port)
})

test('TCP goes through a line on which every datagram is lost', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const dead = { loss: 1 }
  await using proxy = await openShapingProxy({
    target: { address: '127.0.0.1', port },
    toServer: dead,
    toClient: dead,
  })
  const socket = connect(proxy.port, proxy.address)
  socket.end('whole')
  const chunks = await socket.toArray()
  expect(Buffer.concat(chunks).toString()).toBe('whole')
  expect(proxy.connections).toBe(1)
  server.close()
})

async function numbersThrough(options: Omit<ShapingProxyOptions, 'target'>) {
  await using server = await boundSocket('127.0.0.1')
  const arrived: number[] = []
  server.socket.on('message', (datagram) => arrived.push(datagram[0]!))
  // One that is held goes out behind the next one, however late that comes.
  await using proxy = await openShapingProxy({ target: server.socket.address(), heldMs: 3_000, ...options })
  await using client = await boundSocket('127.0.0.1')
  for (let number = 0; number < 100; number++)
    client.socket.send(Buffer.of(number), proxy.port, proxy.address)
  const counts = proxy.counts.toServer
  await until(() => counts.all === 100 && arrived.length === 100 - counts.lost + counts.repeated)
  return { numbers: arrived.toSorted((a, b) => a - b), isInOrder: isSorted(arrived), counts }
}

const isSorted = (numbers: number[]): boolean =>
  numbers.every((number, index) => index === 0 || numbers[index - 1]! <= number)

async function boundSocket(address: string): Promise<{ socket: Socket } & AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  return { socket, [Symbol.asyncDispose]: async () => void socket.close() }
}
