import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openWebRtc } from '#platform/webrtc'
import { freePort } from '../../harness/free-port.ts'

const openAt = (ports: readonly [number, number]) =>
  openWebRtc({ listen: ['127.0.0.1'], publicIps: [], ports, tcp: true })

/** Two ports one behind the other that nobody has. */
async function freePair(): Promise<[number, number]> {
  for (;;) {
    const [first, second] = [await freePort(), await freePort()]
    if (second === first + 1) return [first, second]
  }
}

async function takeUdp(port: number): Promise<AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())) }
}

async function takeTcp(port: number): Promise<AsyncDisposable> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) }
}

test.each([
  ['UDP', takeUdp],
  ['TCP', takeTcp],
])(
  'a port whose %s another program has is left alone, and the next of the range is taken',
  async (_of, take) => {
    const [first, second] = await freePair()
    await using _taken = await take(first)
    await using rtc = await openAt([first, second])
    expect(rtc.port).toBe(second)
  },
)

test('where all of the range are taken it says so, and holds none of them', async () => {
  const [first, second] = await freePair()
  await using rtc = await openAt([first, first])
  {
    await using _taken = await takeTcp(second)
    await expect(openAt([first, second])).rejects.toMatchObject({ code: 'EADDRINUSE' })
  }
  await using _udp = await takeUdp(second)
  await using _tcp = await takeTcp(second)
  expect(rtc.port).toBe(first)
})
