import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { brokerWorld, fetchOver } from '../../cloud/broker/egress.ts'
import { until } from '../../harness/until.ts'
import { openSite, openWire } from '../../platform/net/sites.ts'

const head = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`
const own = ['x-kherad-protocol: http', 'x-kherad-invocation: first']

const unreachable = [
  '169.254.169.254',
  '[fd00:ec2::254]',
  '[64:ff9b::a9fe:a9fe]',
  '127.0.0.1',
  'localhost',
  'localhost.',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.0.1',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[fe80::1]',
  '[fd00::1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
]

test('no spelling of an address of this machine, of a private network or of metadata is connected to', async () => {
  await using world = await brokerWorld({ net: { allowedCidrs: [] }, limits: { perCall: 100 } })
  for (const host of unreachable)
    for (const protocol of ['http', 'https']) {
      // The socket's own client would spell the host anew.
      const reply = await world.raw(
        head([
          `GET / HTTP/1.1`,
          `Host: ${host}`,
          `x-kherad-protocol: ${protocol}`,
          own[1]!,
          'Connection: close',
        ]),
      )
      expect(reply, host).toMatch(/^HTTP\/1\.1 403 /)
      expect(reply, host).toContain('x-kherad-refusal: FUNCTION_FETCH_REFUSED')
    }
})

test.each([22, 25, 81, 3000, 5432, 6379, 8080, 65_535])(
  'port %i is refused before its name is resolved',
  async (port) => {
    const asked: string[] = []
    const lookup = async (host: string) => {
      asked.push(host)
      return [{ address: '8.8.8.8', family: 4 }]
    }
    await using world = await brokerWorld({ net: { lookup } })
    const reply = await world.fetch(`http://a.example.test:${port}/`)
    expect([400, 403]).toContain(reply.status)
    expect(reply.refused).toMatch(/^FUNCTION_FETCH_(REFUSED|INVALID)$/)
    expect(asked).toEqual([])
  },
)

test('ports 80 and 443 are let through with both protocols', async () => {
  const asked: string[] = []
  const lookup = async (host: string) => {
    asked.push(host)
    return [{ address: '10.0.0.1', family: 4 }]
  }
  await using world = await brokerWorld({ net: { lookup } })
  const spellings = ['http://a.test/', 'http://a.test:443/', 'https://a.test/', 'https://a.test:80/']
  for (const url of spellings) expect((await world.fetch(url)).refused).toBe('FUNCTION_FETCH_REFUSED')
  expect(asked).toHaveLength(4)
})

test('a name that changes its mind is resolved once for each request, and its second answer leads nowhere', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  const answers = ['127.0.0.1', '10.0.0.5']
  const lookup = async () => [{ address: answers.shift()!, family: 4 }]
  await using world = await brokerWorld({ net: { lookup, streamPorts: [site.port] } })
  const url = `http://rebinding.test:${site.port}/`
  expect(await world.fetch(url)).toMatchObject({ status: 200, text: 'fine' })
  expect(site.seen[0]!.headers['host']).toBe(`rebinding.test:${site.port}`)
  expect((await world.fetch(url)).refused).toBe('FUNCTION_FETCH_REFUSED')
  expect(answers).toEqual([])
})

test('a redirect is passed on and not followed: its address comes here as a request of its own', async () => {
  await using site = await openSite((_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  )
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const reply = await world.fetch(site.url)
  expect(reply).toMatchObject({ status: 302, refused: undefined })
  expect(reply.headers.location).toBe('http://169.254.169.254/latest/meta-data')
  expect((await world.fetch(reply.headers.location!)).refused).toBe('FUNCTION_FETCH_REFUSED')
})

test('the host that is checked is the host that is sent, and only one is taken', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { perCall: 100 } })
  const host = `127.0.0.1:${site.port}`
  const bad: string[][] = [
    ['GET / HTTP/1.1', ...own],
    ['GET / HTTP/1.1', 'Host:', ...own],
    ['GET / HTTP/1.1', `Host: ${host}`, 'Host: other.test', ...own],
    ['GET / HTTP/1.1', `Host: ${host}, other.test`, ...own],
    ['GET / HTTP/1.1', `Host: u:p@${host}`, ...own],
    ['GET / HTTP/1.1', `Host: ${host}/x`, ...own],
    ['GET / HTTP/1.1', `Host: ${host}#`, ...own],
    ['GET / HTTP/1.1', `Host: ${host}\\@other.test`, ...own],
    ['GET / HTTP/1.1', `Host: ${host}`],
    ['GET / HTTP/1.1', `Host: ${host}`, 'x-kherad-protocol: file'],
    ['GET / HTTP/1.1', `Host: ${host}`, ...own, 'x-kherad-protocol: https'],
    [`GET http://${host}/ HTTP/1.1`, `Host: other.test`, ...own],
    [`GET http://${host}/ HTTP/1.1`, `Host: ${host}`, ...own],
    ['OPTIONS * HTTP/1.1', `Host: ${host}`, ...own],
  ]
  for (const lines of bad) {
    const reply = await world.raw(head([...lines, 'Connection: close']))
    expect(reply, lines.join('|')).toMatch(/^HTTP\/1\.1 400 /)
  }
  expect(site.seen).toEqual([])
  const reply = await world.fetch(`${site.url}/`, {
    headers: {
      'x-forwarded-host': 'inner.test',
      'x-forwarded-for': '127.0.0.1',
      forwarded: 'for=127.0.0.1',
      'x-real-ip': '127.0.0.1',
    },
  })
  expect(reply.status).toBe(200)
  const { headers } = site.seen[0]!
  expect(headers['host']).toBe(host)
  expect(Object.keys(headers).filter((name) => /forward|real-ip/.test(name))).toEqual([])
})

test('a request whose end two readers could see at different places is refused whole', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const start = ['POST / HTTP/1.1', `Host: 127.0.0.1:${site.port}`, ...own]
  const smuggled = `0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\n\r\n`
  for (const lines of [
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: xchunked'],
    ['Content-Length: +5'],
    ['Content-Length: 5 5'],
    ['Transfer-Encoding : chunked'],
    ['X-A: 1\n\nGET /smuggled HTTP/1.1'],
  ]) {
    const reply = await world.raw(head([...start, ...lines]) + smuggled)
    expect(reply, lines.join('|')).toMatch(/^HTTP\/1\.1 400 /)
    expect(reply.match(/HTTP\/1\.1 \d/g), lines.join('|')).toHaveLength(1)
  }
  expect(site.seen).toEqual([])
})

test('headers of one connection, of our own and those that the connection names do not leave', async () => {
  await using site = await openSite((_, response) =>
    response
      .writeHead(200, {
        'x-kherad-refusal': 'FORGED',
        'x-kherad-call': '1.a',
        connection: 'x-hop',
        'x-hop': '1',
      })
      .end('fine'),
  )
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const reply = await world.fetch(site.url, {
    headers: {
      connection: 'x-named, keep-alive',
      'x-named': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic a',
      'x-kherad-call': '0.forged',
      'x-kherad-other': '1',
      'cf-connecting-ip': '127.0.0.1',
      'x-kept': '1',
    },
  })
  const sent = site.seen[0]!.headers
  expect(Object.keys(sent).toSorted()).toEqual(['connection', 'host', 'user-agent', 'x-kept'])
  expect(sent['connection']).toBe('close')
  expect(Object.keys(reply.headers).filter((name) => /kherad|hop/.test(name))).toEqual([])
})

test('headers of 16 KB pass and larger ones are refused, in either direction', async () => {
  let answerBytes = 100
  await using site = await openSite((_, response) =>
    response.writeHead(200, { 'x-a': 'a'.repeat(answerBytes) }).end('fine'),
  )
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  expect((await world.fetch(site.url, { headers: { 'x-a': 'a'.repeat(15_000) } })).status).toBe(200)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x-${at}`, '1']))
  expect((await world.fetch(site.url, { headers: many })).status).toBe(200)
  expect((await world.fetch(site.url, { headers: { 'x-a': 'a'.repeat(17_000) } })).refused).toBe(
    'FUNCTION_FETCH_INVALID',
  )
  answerBytes = 17_000
  expect((await world.fetch(site.url)).refused).toBe('FUNCTION_FETCH_FAILED')
  expect(site.seen).toHaveLength(3)
})

test('an answer that never ends is cut at the limit of bytes, so that nobody takes it for whole, and its source is left', async () => {
  await using wire = await openWire((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `2710\r\n${'a'.repeat(10_000)}\r\n`
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', more)
    more()
  })
  await using world = await brokerWorld({
    net: { streamPorts: [wire.port] },
    limits: { bodyBytes: 1_000_000 },
  })
  await expect(world.fetch(wire.url)).rejects.toThrow(/aborted|hang up/)
  await until(() => wire.connections.size === 0)
})

test.each([
  [1_000, 200],
  [1_001, 413],
])('a body of %i bytes where 1,000 are the limit: %i, with a length and without', async (bytes, status) => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { bodyBytes: 1_000 } })
  const body = 'a'.repeat(bytes)
  expect((await world.fetch(site.url, { method: 'POST', body })).status).toBe(status)
  expect((await world.fetch(site.url, { method: 'POST', body: Readable.from([body]) })).status).toBe(status)
})

test.each([
  [1_000, 200, 'aaaa'],
  [1_001, 413, 'FUNCTION_FETCH_TOO_LARGE'],
])('an answer that states %i bytes where 1,000 are the limit: %i', async (bytes, status, text) => {
  await using site = await openSite((_, response) =>
    response.writeHead(200, { 'content-length': bytes }).end('a'.repeat(bytes)),
  )
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { bodyBytes: 1_000 } })
  const reply = await world.fetch(site.url)
  expect(reply.status).toBe(status)
  expect(reply.text).toContain(text)
})

test('a function that sends its headers letter by letter loses its connection, others do not', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { headersMs: 1_500 } })
  const slow = connect(world.egress.socketPath)
  slow.on('error', () => {})
  let received = ''
  slow.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  const closed = once(slow, 'close')
  slow.write('GET / HTTP/1.1\r\nHost: a')
  expect((await world.fetch(site.url)).status).toBe(200)
  await closed
  expect(received).toMatch(/^HTTP\/1\.1 400 /)
})

test('a server that is silent within its answer, or before it, ends in a refusal and not in a function that hangs', async () => {
  await using silentWithin = await openWire((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')
  })
  await using silentBefore = await openWire(() => {})
  const streamPorts = [silentWithin.port, silentBefore.port]
  await using world = await brokerWorld({
    net: { streamPorts },
    limits: { idleMs: 500, totalMs: 3_000, headersMs: 3_000 },
  })
  // Once more where this process stood still until the time was over: then it had not seen that the answer had begun.
  const cut = () =>
    world.fetch(silentWithin.url).then(
      ({ status }) => void expect(status).toBe(504),
      (error: Error) => error.message,
    )
  expect(await until(cut)).toMatch(/aborted|hang up/)
  const reply = await world.fetch(silentBefore.url)
  expect(reply).toMatchObject({ status: 504, refused: 'FUNCTION_FETCH_TIMEOUT' })
  await until(() => silentBefore.connections.size === 0 && silentWithin.connections.size === 0)
})

test('an upgrade to a WebSocket and a connection of TCP are refused in a sentence', async () => {
  await using world = await brokerWorld()
  const reply = await fetchOver(world.egress.socketPath, 'http://a.test/', {
    headers: { connection: 'Upgrade', upgrade: 'websocket' },
  })
  expect(reply).toMatchObject({ status: 501, refused: 'FUNCTION_FETCH_UNSUPPORTED' })
  expect(reply.text).toContain('WebSockets')
  const tunnel = await world.raw(head(['CONNECT 10.0.0.1:22 HTTP/1.1', 'Host: 10.0.0.1:22']))
  expect(tunnel).toMatch(/^HTTP\/1\.1 501 /)
  expect(tunnel).toContain('TCP')
})

test('ten thousand requests at once: as many as a call may send arrive, the rest is refused, and a neighbour is served', async () => {
  let arrived = 0
  await using site = await openSite((_, response) => {
    arrived++
    response.end('fine')
  })
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const gone = new AbortController()
  const counts: Record<string, number> = {}
  const flood = Array.from({ length: 10_000 }, async () => {
    const reply = await world.fetch(site.url, { signal: gone.signal }).catch(() => undefined)
    const kind = String(reply?.refused ?? reply?.status ?? 'closed')
    counts[kind] = (counts[kind] ?? 0) + 1
  })
  await until(() => (counts['200'] ?? 0) === 20 && (counts['FUNCTION_FETCH_LIMIT'] ?? 0) >= 20)
  // A neighbour's requests are answered meanwhile.
  const neighbour = await world.open('neighbour')
  neighbour.begin('theirs', 0)
  expect((await fetchOver(neighbour.socketPath, site.url, { call: 'theirs' })).status).toBe(200)
  gone.abort()
  await Promise.all(flood)
  expect(arrived).toBe(21)
  expect(counts['closed']).toBeGreaterThan(5_000)
})

test('who holds the socket of one cloud is that cloud, whatever the request says of others', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const other = await world.open('other')
  other.begin('theirs', 7)
  const reply = await fetchOver(other.socketPath, site.url, { call: 'first' })
  expect(reply.status).toBe(200)
  expect(world.first.open + world.first.waitedMs()).toBe(0)
  for (const path of [world.egress.socketPath, other.socketPath])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
})
