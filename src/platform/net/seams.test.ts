/** Changes between two steps of one fetch, which a real server cannot produce on demand. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openWire, refused } from '../../../tests/platform/net/sites.ts'
import { openAddressPolicy } from './address-policy.ts'
import { exchange } from './exchange.ts'
import { openSocket } from './open-socket.ts'

const { signal } = new AbortController()
const addresses = [{ address: '127.0.0.1', family: 4 }]

test('a socket that reached another address than the judged ones is closed before a byte is sent', async () => {
  await using wire = await openWire(() => {})
  const admits = (address: string) => address !== '127.0.0.1'
  await expect(openSocket(new URL(wire.url), { addresses, admits, signal })).rejects.toMatchObject(
    refused('address_not_public'),
  )
  await expect.poll(() => wire.connections.size).toBe(0)
  expect(wire.received()).toBe(0)
})

test('a socket that is closed before it is used is not replaced by another', async () => {
  let connections = 0
  await using wire = await openWire(() => {
    connections += 1
  })
  const url = new URL(wire.url)
  const socket = await openSocket(url, { addresses, admits: () => true, signal })
  socket.destroy()
  await once(socket, 'close')
  const step = { url, method: 'GET', headers: {} } as const
  await expect(
    exchange(socket, step, { maxBytes: 1_000, readsRedirects: true, signal }),
  ).rejects.toMatchObject(refused('connect'))
  expect(connections).toBe(1)
})

test('the public addresses of this very machine are admitted only where they are allowed', () => {
  const own = () => ['185.143.233.120', '2a00:1450::1']
  const lookup = () => expect.unreachable()
  const closed = openAddressPolicy([], lookup, own)
  const open = openAddressPolicy(['185.143.233.0/24', '2a00:1450::/32'], lookup, own)
  for (const address of own()) {
    expect(closed.admits(address)).toBe(false)
    expect(open.admits(address)).toBe(true)
  }
  expect(closed.admits('185.143.233.121')).toBe(true)
})
