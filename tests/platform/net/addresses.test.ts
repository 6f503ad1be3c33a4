import { lookup as resolve } from 'node:dns/promises'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { openGuardedClient } from '#platform/net'
import { bounds, guarded, openSite, openWire, refused } from './sites.ts'

const ok = (_: unknown, response: { end: (text: string) => void }) => response.end('fine')

describe('without an allowed network', () => {
  const client = openGuardedClient({ allowedCidrs: [] })

  test.each([
    '127.0.0.1',
    'localhost',
    'localhost.',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])('a server on this machine does not hear of %s', async (host) => {
    await using wire = await openWire(() => {})
    await expect(client.fetch(`http://${host}:${wire.port}/`, bounds)).rejects.toMatchObject(
      refused('address_not_public'),
    )
    expect(wire.connections.size).toBe(0)
  })

  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  test.each(own.map(({ address }) => address))('nor of its own address %s', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address
    await expect(client.fetch(`http://${host}/`, bounds)).rejects.toMatchObject(refused('address_not_public'))
  })
})

test.each([
  '169.254.169.254',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '[64:ff9b::a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
])('metadata at %s is out of reach even where its network is allowed', async (host) => {
  const client = guarded({ allowedCidrs: ['169.254.0.0/16', 'fc00::/7', '100.64.0.0/10', '64:ff9b::/96'] })
  await expect(client.fetch(`http://${host}/`, bounds)).rejects.toMatchObject(refused('address_not_public'))
})

test('an allowed network is reached, its neighbour is not', async () => {
  await using site = await openSite(ok)
  const client = guarded({ allowedCidrs: ['127.0.0.1/32'] })
  const reply = await client.fetch(site.url, bounds)
  expect(reply).toMatchObject({ status: 200, redirects: 0, url: `${site.url}/` })
  expect(reply.body.toString()).toBe('fine')
  await expect(client.fetch(`http://127.0.0.2:${site.port}/`, bounds)).rejects.toMatchObject(
    refused('address_not_public'),
  )
})

test('a network is allowed in its own family only: not spelled as the other, not by a range of the other', async () => {
  await using wire = await openWire(() => {})
  for (const [cidr, host] of [
    ['127.0.0.0/8', '[::ffff:127.0.0.1]'],
    ['::/7', '127.0.0.1'],
  ] as const) {
    const asked = guarded({ allowedCidrs: [cidr] }).fetch(`http://${host}:${wire.port}/`, bounds)
    await expect(asked).rejects.toMatchObject(refused('address_not_public'))
  }
  expect(wire.connections.size).toBe(0)
})

test('a network that is no CIDR is refused at once', () => {
  expect(() => guarded({ allowedCidrs: ['10.0.0.0'] })).toThrow()
})

test('a name is resolved once for each request, so that a second answer cannot lead elsewhere', async () => {
  await using site = await openSite(ok)
  const answers = ['127.0.0.1', '10.0.0.5']
  const asked: string[] = []
  const client = guarded({
    lookup: async (host) => {
      asked.push(host)
      return [{ address: answers.shift()!, family: 4 }]
    },
  })
  const url = `http://rebinding.example.test:${site.port}/`
  expect((await client.fetch(url, bounds)).body.toString()).toBe('fine')
  expect(asked).toEqual(['rebinding.example.test'])
  expect(site.seen[0]?.headers['host']).toBe(`rebinding.example.test:${site.port}`)
  await expect(client.fetch(url, bounds)).rejects.toMatchObject(refused('address_not_public'))
  expect(asked).toHaveLength(2)
})

test('a name that rebinds between two hops of one request is caught at the second', async () => {
  await using site = await openSite((_, response) => response.writeHead(302, { location: '/next' }).end())
  const answers = ['127.0.0.1', '10.0.0.5']
  const client = guarded({ lookup: async () => [{ address: answers.shift()!, family: 4 }] })
  const url = `http://rebinding.example.test:${site.port}/`
  await expect(client.fetch(url, { ...bounds, maxRedirects: 3 })).rejects.toMatchObject(
    refused('address_not_public'),
  )
  expect(site.seen).toHaveLength(1)
})

test.each([
  ['first', ['10.0.0.5', '127.0.0.1']],
  ['last', ['127.0.0.1', '10.0.0.5']],
])('a name with one private address is refused whole, also when it comes %s', async (_, addresses) => {
  await using wire = await openWire(() => {})
  const client = guarded({ lookup: async () => addresses.map((address) => ({ address, family: 4 })) })
  await expect(client.fetch(`http://two.example.test:${wire.port}/`, bounds)).rejects.toMatchObject(
    refused('address_not_public'),
  )
  expect(wire.connections.size).toBe(0)
})

test('of several good addresses one that answers is found', async () => {
  await using site = await openSite(ok)
  const addresses = ['127.0.0.9', '127.0.0.1']
  const client = guarded({ lookup: async () => addresses.map((address) => ({ address, family: 4 })) })
  const reply = await client.fetch(`http://two.example.test:${site.port}/`, bounds)
  expect(reply.status).toBe(200)
})

test('a name that does not exist, and one without an address, are refused as unknown', async () => {
  const absent = guarded({ lookup: () => resolve('absent.invalid', { all: true }) })
  await expect(absent.fetch('https://absent.invalid/', bounds)).rejects.toMatchObject(refused('dns'))
  const empty = guarded({ lookup: async () => [] })
  await expect(empty.fetch('https://empty.example.test/', bounds)).rejects.toMatchObject(refused('dns'))
})

test('a port that nobody listens on is a failure to connect', async () => {
  const wire = await openWire(() => {})
  await wire[Symbol.asyncDispose]()
  await expect(guarded().fetch(wire.url, bounds)).rejects.toMatchObject(refused('connect'))
})

test('http:// is refused where it was not asked for, before anything is resolved', async () => {
  const client = guarded({ lookup: () => expect.unreachable() })
  const { protocols: _, ...httpsOnly } = bounds
  await expect(client.fetch('http://a.example.test/', httpsOnly)).rejects.toMatchObject(refused('protocol'))
})

test('a refusal says why in both languages, and its message keeps the path to itself', async () => {
  const error = await guarded()
    .fetch('http://10.1.2.3/signed?token=secret', bounds)
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({ why: { en: expect.stringContaining('allow_cidrs'), fa: expect.any(String) } })
  expect(String(error)).toBe('FetchRefused: address_not_public (10.1.2.3)')
})

test('a request of which the server is gone ends its connection', async () => {
  await using wire = await openWire((socket) => {
    void once(socket, 'data').then(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
  })
  expect((await guarded().fetch(wire.url, bounds)).body.toString()).toBe('ok')
  await expect.poll(() => wire.connections.size).toBe(0)
})
