import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bounds, guarded, openSite, openWire, refused } from './sites.ts'

const client = guarded()

/** Writes until nobody takes it any more. */
function pour(response: ServerResponse, chunk: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

test('a body that never ends is cut off at its bound', async () => {
  await using site = await openSite((_, response) => pour(response, Buffer.alloc(64 * 1024)))
  await expect(client.fetch(site.url, bounds)).rejects.toMatchObject(refused('too_large'))
})

test('a body may have as many bytes as its bound and not one more', async () => {
  await using site = await openSite(({ url }, response) => {
    const body = Buffer.alloc(url === '/fits' ? 1_000 : 1_001)
    for (const byte of body) response.write(Buffer.of(byte))
    response.end()
  })
  const ask = { ...bounds, maxBytes: 1_000 }
  expect((await client.fetch(`${site.url}/fits`, ask)).body).toHaveLength(1_000)
  await expect(client.fetch(`${site.url}/over`, ask)).rejects.toMatchObject(refused('too_large'))
})

test('a body that announces too much is refused before it comes', async () => {
  await using wire = await openWire((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000001\r\n\r\n')
  })
  await expect(client.fetch(wire.url, bounds)).rejects.toMatchObject(refused('too_large'))
})

test('HEAD describes a large body without being refused for it', async () => {
  await using site = await openSite((_, response) => response.writeHead(200, { 'content-length': 9e9 }).end())
  const reply = await client.fetch(site.url, { ...bounds, method: 'HEAD' })
  expect(reply).toMatchObject({ status: 200, headers: { 'content-length': '9000000000' } })
})

test('fetches with one budget read no more than it, all together', async () => {
  await using site = await openSite((_, response) => response.end(Buffer.alloc(1_000)))
  const budget = { left: 2_500 }
  const all = await Promise.allSettled([1, 2, 3].map(() => client.fetch(site.url, { ...bounds, budget })))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(all.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused('too_large') })
})

const bomb = Buffer.alloc(10_000_001)
test.each([
  ['gzip', gzipSync(bomb)],
  ['br', brotliCompressSync(bomb)],
])('a %s bomb is refused at the bound of what it unpacks to', async (encoding, packed) => {
  expect(packed.length).toBeLessThan(20_000)
  await using site = await openSite((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(packed),
  )
  await expect(client.fetch(site.url, bounds)).rejects.toMatchObject(refused('too_large'))
})

test('unpacking stops at the bound, so that a bomb takes no memory beyond it', async () => {
  const packed = await packedZeros(400_000_000)
  expect(packed.length).toBeLessThan(bounds.maxBytes)
  await using site = await openSite((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  )
  const before = process.resourceUsage().maxRSS
  await expect(client.fetch(site.url, bounds)).rejects.toMatchObject(refused('too_large'))
  const grownKilobytes = process.resourceUsage().maxRSS - before
  expect(grownKilobytes).toBeLessThan(200_000)
})

/** Packed piece by piece, so that making it takes no memory either. */
async function packedZeros(bytes: number): Promise<Buffer> {
  const piece = Buffer.alloc(1_000_000)
  const pieces = Readable.from(Array.from({ length: bytes / piece.length }, () => piece))
  return buffer(pieces.pipe(createGzip()))
}

test('a packed body is handed over unpacked', async () => {
  await using site = await openSite(({ headers }, response) => {
    const gzip = headers['accept-encoding']?.includes('gzip')
    response.writeHead(200, gzip ? { 'content-encoding': 'gzip' } : {}).end(gzipSync('خرد'))
  })
  expect((await client.fetch(site.url, bounds)).body.toString()).toBe('خرد')
})

test.each([
  ['an encoding that was not asked for', 'deflate', deflateSync('x')],
  ['two encodings over each other', 'gzip, gzip', gzipSync(gzipSync('x'))],
  ['bytes that are not what they are called', 'gzip', Buffer.from('plain')],
  ['a packed body that breaks off', 'gzip', gzipSync('x'.repeat(1_000)).subarray(0, 20)],
  ['a name of every object', 'constructor', Buffer.from('x')],
])('%s cannot be read', async (_, encoding, body) => {
  await using site = await openSite((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  )
  await expect(client.fetch(site.url, bounds)).rejects.toMatchObject(refused('bad_answer'))
})

test.each([
  ['one endless header', 'x: ', 'a'.repeat(4_096)],
  ['endless headers', '', `x-a: ${'b'.repeat(100)}\r\n`],
])('%s is cut off', async (_, start, more) => {
  await using wire = await openWire((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${start}`)
    const pourHeaders = () => {
      while (!socket.destroyed && socket.write(more));
    }
    socket.on('drain', pourHeaders)
    pourHeaders()
  })
  await expect(client.fetch(wire.url, bounds)).rejects.toMatchObject(refused('too_large'))
})

test.each([
  ['what is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
])('%s cannot be read', async (_, text) => {
  await using wire = await openWire((socket) => socket.end(text))
  await expect(client.fetch(wire.url, bounds)).rejects.toMatchObject(refused('bad_answer'))
})

test.each([
  ['before its answer', ''],
  ['in the middle of its headers', 'HTTP/1.1 200 OK\r\nx-a'],
  ['in the middle of its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
])('a host that hangs up %s counts as not reached, and is not asked again', async (_, text) => {
  let connections = 0
  await using wire = await openWire((socket) => {
    connections += 1
    socket.once('data', () => socket.end(text))
  })
  await expect(client.fetch(wire.url, bounds)).rejects.toMatchObject(refused('connect'))
  expect(connections).toBe(1)
})

test.each([
  ['never answers', ''],
  ['never ends its headers', 'HTTP/1.1 200 OK\r\nx-a'],
  ['never ends its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
])('the time is over for a host that %s, and its connection is closed', async (_, text) => {
  await using wire = await openWire((socket) => socket.write(text))
  await expect(client.fetch(wire.url, { ...bounds, timeoutMs: 150 })).rejects.toMatchObject(
    refused('timeout'),
  )
  await expect.poll(() => wire.connections.size).toBe(0)
})

test('a body that trickles is held to the time of the whole, not of each piece', async () => {
  await using wire = await openWire((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const drip = setInterval(() => socket.write('.'), 10)
    socket.on('close', () => clearInterval(drip))
  })
  await expect(client.fetch(wire.url, { ...bounds, timeoutMs: 200 })).rejects.toMatchObject(
    refused('timeout'),
  )
})

test('the time is over for a name server that never answers', async () => {
  const waiting = guarded({ lookup: () => new Promise(() => {}) })
  await expect(
    waiting.fetch('https://slow.example.test/', { ...bounds, timeoutMs: 50 }),
  ).rejects.toMatchObject(refused('timeout'))
})

test('a handshake that never ends is held to the same time', async () => {
  await using wire = await openWire(() => {})
  const url = wire.url.replace('http:', 'https:')
  await expect(client.fetch(url, { ...bounds, timeoutMs: 3_000 })).rejects.toMatchObject(refused('timeout'))
  expect(wire.received()).toBeGreaterThan(0)
})

test('what is called off ends at once, before and in the middle of it', async () => {
  await using wire = await openWire((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nabc'))
  const stop = new AbortController()
  const running = client.fetch(wire.url, { ...bounds, signal: stop.signal })
  await expect.poll(() => wire.received()).toBeGreaterThan(0)
  stop.abort()
  await expect(running).rejects.toMatchObject(refused('aborted'))
  await expect.poll(() => wire.connections.size).toBe(0)
  await expect(client.fetch(wire.url, { ...bounds, signal: stop.signal })).rejects.toMatchObject(
    refused('aborted'),
  )
})

test('a type that was not asked for is refused by its name, before its body', async () => {
  await using wire = await openWire((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\r\n'),
  )
  const ask = (accept: string[], timeoutMs = 300) => client.fetch(wire.url, { ...bounds, accept, timeoutMs })
  await expect(ask(['image/*', 'application/pdf'], bounds.timeoutMs)).rejects.toMatchObject(
    refused('media_type'),
  )
  await expect(ask(['text/*'])).rejects.toMatchObject(refused('timeout'))
  await expect(ask(['text/html'])).rejects.toMatchObject(refused('timeout'))
  await expect(ask(['*/*'])).rejects.toMatchObject(refused('timeout'))
})

test('an answer that is no success is handed over as it is, whatever its type', async () => {
  await using site = await openSite((_, response) =>
    response.writeHead(410, { 'content-type': 'text/html' }).end('gone'),
  )
  const reply = await client.fetch(site.url, { ...bounds, accept: ['image/*'] })
  expect(reply.status).toBe(410)
  expect(reply.body.toString()).toBe('gone')
})

test('method, headers and body arrive as they were given', async () => {
  await using site = await openSite((_, response) => response.writeHead(204).end())
  const headers = { 'X-Service-Signature': 'v1=00', 'content-type': 'application/json' }
  const reply = await client.fetch(`${site.url}/hook?a=b%20c`, {
    ...bounds,
    method: 'POST',
    headers,
    body: '{"id":"evt"}',
  })
  expect(reply).toMatchObject({ status: 204, body: Buffer.alloc(0) })
  expect(site.seen).toEqual([
    {
      method: 'POST',
      url: '/hook?a=b%20c',
      body: '{"id":"evt"}',
      headers: expect.objectContaining({
        'x-service-signature': 'v1=00',
        'content-type': 'application/json',
        'content-length': '12',
        host: `127.0.0.1:${site.port}`,
      }),
    },
  ])
})

test('a Host of its own is refused as a mistake', async () => {
  await expect(
    client.fetch('http://127.0.0.1/', { ...bounds, headers: { Host: 'internal' } }),
  ).rejects.toThrow(TypeError)
})

test.each([
  ['as it is', (bytes: Buffer) => bytes, {}],
  ['gzip', gzipSync, { 'content-encoding': 'gzip' }],
  ['br', brotliCompressSync, { 'content-encoding': 'br' }],
])(
  'a sink takes a body piece by piece, unpacked, and waits as long as it likes: %s',
  async (_, pack, headers) => {
    const bytes = Buffer.alloc(5_000_000, 'شهر,فروش\n')
    await using site = await openSite((_request, response) =>
      response.writeHead(200, headers).end(pack(bytes)),
    )
    const taken: Uint8Array[] = []
    const { body } = await client.fetch(site.url, {
      ...bounds,
      maxBytes: bytes.length,
      sink: async (source) => {
        for await (const piece of source) taken.push(piece)
      },
    })
    expect(body).toHaveLength(0)
    expect(taken.length).toBeGreaterThan(1)
    expect(Buffer.concat(taken).equals(bytes)).toBe(true)
  },
)

test('what a sink is given keeps to the bound, packed and unpacked', async () => {
  await using site = await openSite(({ url }, response) =>
    url === '/packed'
      ? response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_001)))
      : response.end(Buffer.alloc(1_001)),
  )
  const ask = {
    ...bounds,
    maxBytes: 1_000,
    sink: async (source: AsyncIterable<Uint8Array>) => {
      for await (const _piece of source);
    },
  }
  await expect(client.fetch(site.url, ask)).rejects.toMatchObject(refused('too_large'))
  await expect(client.fetch(`${site.url}/packed`, ask)).rejects.toMatchObject(refused('too_large'))
})

test('what is no success, and what is packed wrongly, reaches no sink whole', async () => {
  await using site = await openSite(({ url }, response) =>
    url === '/missing'
      ? response.writeHead(404).end('no such page')
      : response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip'),
  )
  const taken: Uint8Array[] = []
  const sink = async (source: AsyncIterable<Uint8Array>) => {
    for await (const piece of source) taken.push(piece)
  }
  expect(await client.fetch(`${site.url}/missing`, { ...bounds, sink })).toMatchObject({ status: 404 })
  await expect(client.fetch(site.url, { ...bounds, sink })).rejects.toMatchObject(refused('bad_answer'))
  expect(taken).toEqual([])
})
