/** Who answers on the second listener: told by the host, whatever is written there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Wire } from '../../contract/wire.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { boot, type World } from '../../harness/world.ts'
import { namedHandler } from './named-handler.ts'

const shop = namedHandler('first', ['shop.localhost', 'xn--mgbh0fb.example'])
const blog = namedHandler('second', ['blog.localhost'])
let world: World
beforeAll(async () => {
  world = await boot({ hostHandlers: () => [shop, blog] })
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = (host: string, path = '/', headers: Record<string, string> = {}) =>
  hostRequest(world.appsUrl, host, { path, headers })

/** The status of what is answered to these bytes, and what it says. */
async function answerTo(head: string) {
  await using wire = await Wire.open(world.appsUrl)
  await wire.write(`${head}\r\n\r\n`)
  return await wire.next()
}

describe('hosts', () => {
  test('each is answered by the handler that has it, and one that nobody has by 404', async () => {
    expect((await ask('shop.localhost', '/a?b=c')).text).toBe('first shop.localhost /a?b=c')
    expect((await ask('blog.localhost')).text).toBe('second blog.localhost /')
    for (const host of [
      'other.localhost',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'a.shop.localhost',
      'example.org',
    ]) {
      const unknown = await ask(host)
      expect(unknown.status, host).toBe(404)
      expect(JSON.parse(unknown.text).error.code, host).toBe('HOST_NOT_FOUND')
    }
  })

  test('the case of letters, the port and the dot of the root do not count, and Punycode is a name', async () => {
    for (const host of ['SHOP.LocalHost', 'shop.localhost.', 'shop.localhost.:80', 'shop.localhost:65535'])
      expect((await ask(host)).text, host).toBe('first shop.localhost /')
    expect((await ask('xn--mgbh0fb.example')).text).toBe('first xn--mgbh0fb.example /')
  })

  test('a page for people says in Persian and English that there is nothing, and runs nothing of the address', async () => {
    const reply = await ask('a"<b>.localhost', '/', { accept: 'text/html' })
    expect(reply.status).toBe(400)
    const { status, text, headers } = await ask('gone.localhost', '/<script>', { accept: 'text/html,*/*' })
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toMatch(
      /<html lang="fa" dir="rtl">[\s\S]*چیزی نیست[\s\S]*There is nothing at gone\.localhost/,
    )
    expect(text).not.toContain('<script')
    for (const accept of ['text/html;q=0', 'application/json, text/html;q=0.9']) {
      const program = await ask('gone.localhost', '/', { accept })
      expect(JSON.parse(program.text).error.code, accept).toBe('HOST_NOT_FOUND')
    }
  })

  test('HEAD of a host that nobody has ends after its headers', async () => {
    const { status, text } = await hostRequest(world.appsUrl, 'gone.localhost', { method: 'HEAD' })
    expect({ status, text }).toEqual({ status: 404, text: '' })
  })

  test('no route of the API answers here, with a key or without', async () => {
    const key = await world.key()
    const authorization = `Bearer ${key.secret}`
    for (const path of ['/v1/models', '/health/live', '/metrics', '/docs', '/openapi.json'])
      for (const host of ['localhost', '127.0.0.1', 'other.localhost'])
        expect((await ask(host, path, { authorization })).status, `${host}${path}`).toBe(404)
  })
})

describe('a Host that is none', () => {
  test.each([
    ['two of them', 'GET / HTTP/1.1\r\nHost: shop.localhost\r\nHost: blog.localhost'],
    ['the same twice', 'GET / HTTP/1.1\r\nHost: shop.localhost\r\nhost: shop.localhost'],
    ['none', 'GET / HTTP/1.1\r\nAccept: */*'],
    ['none, of an older client', 'GET / HTTP/1.0'],
    ['an empty one', 'GET / HTTP/1.1\r\nHost:'],
    ['two in one', 'GET / HTTP/1.1\r\nHost: shop.localhost, blog.localhost'],
    ['userinfo', 'GET / HTTP/1.1\r\nHost: shop.localhost@blog.localhost'],
    ['a path', 'GET / HTTP/1.1\r\nHost: shop.localhost/x'],
    ['a percent sign', 'GET / HTTP/1.1\r\nHost: shop%2elocalhost'],
    ['a space', 'GET / HTTP/1.1\r\nHost: shop .localhost'],
    ['letters outside ASCII', 'GET / HTTP/1.1\r\nHost: sh\u00f6p.localhost'],
    ['an empty label', 'GET / HTTP/1.1\r\nHost: shop..localhost'],
    ['two dots at its end', 'GET / HTTP/1.1\r\nHost: shop.localhost..'],
    ['a port that is none', 'GET / HTTP/1.1\r\nHost: shop.localhost:99999'],
    ['a port of letters', 'GET / HTTP/1.1\r\nHost: shop.localhost:http'],
    ['IPv6 without brackets', 'GET / HTTP/1.1\r\nHost: ::1'],
    ['IPv6 with a zone', 'GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]'],
    ['a name of 254 characters', `GET / HTTP/1.1\r\nHost: ${'a.'.repeat(126)}aa`],
    ['a label of 64 characters', `GET / HTTP/1.1\r\nHost: ${'a'.repeat(64)}.localhost`],
  ])('%s is 400', async (_, head) => {
    const reply = await answerTo(head)
    expect(reply.status).toBe(400)
    expect(reply.body.error.code).toBe('INVALID_REQUEST')
    expect(reply.headers.get('connection')).toBe('close')
  })

  test('the longest name and the longest label are hosts that nobody has', async () => {
    for (const host of [`${'a.'.repeat(126)}a`, `${'a'.repeat(63)}.localhost`])
      expect((await answerTo(`GET / HTTP/1.1\r\nHost: ${host}`)).status).toBe(404)
  })

  test('one of a megabyte is 431, and the server answers the next visitor', async () => {
    await using wire = await Wire.open(world.appsUrl)
    void wire.write(`GET / HTTP/1.1\r\nHost: ${'a'.repeat(1_048_576)}\r\n\r\n`)
    expect((await wire.next()).status).toBe(431)
    expect((await ask('shop.localhost')).status).toBe(200)
  })
})

describe('the target of a request', () => {
  test('may name its host too, if that is the host; then the handler sees the path alone', async () => {
    for (const [target, seen] of [
      ['http://shop.localhost/a/b?c=http://x.example/', '/a/b?c=http://x.example/'],
      ['HTTP://SHOP.localhost.:81', '/'],
      ['https://shop.localhost?q', '/?q'],
    ])
      expect((await answerTo(`GET ${target} HTTP/1.1\r\nHost: shop.localhost`)).text).toBe(
        `first shop.localhost ${seen}`,
      )
  })

  test.each([
    'http://blog.localhost/',
    'http://shop.localhost@blog.localhost/',
    'http://shop.localhost:99999/',
    'http:///',
    'http://shop.localhost%2f/',
  ])('%s of another host or none is 400', async (target) => {
    expect((await answerTo(`GET ${target} HTTP/1.1\r\nHost: shop.localhost`)).status).toBe(400)
  })

  test('that is no path is 400', async () => {
    for (const line of ['OPTIONS *', 'GET *', 'GET shop.localhost:80'])
      expect((await answerTo(`${line} HTTP/1.1\r\nHost: shop.localhost`)).status, line).toBe(400)
  })

  test('of CONNECT opens nothing', async () => {
    await using wire = await Wire.open(world.appsUrl)
    await wire.write('CONNECT shop.localhost:80 HTTP/1.1\r\nHost: shop.localhost\r\n\r\n')
    await wire.write('GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n')
    await expect.poll(() => wire.ended).toBe(true)
    expect(wire.waiting).toBe(0)
  })
})

describe('a second request hidden in a first', () => {
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: blog.localhost\r\n\r\n'

  test.each([
    [
      'a length and chunks',
      `Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['a list of lengths', `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`],
    ['a signed length', `Content-Length: +0\r\n\r\n${hidden}`],
    ['chunks that are not last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['an encoding that is none', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks behind a space', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a header in a folded line', `X: a\r\n Content-Length: 5\r\n\r\n${hidden}`],
    ['a bare line feed', `X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a size of a chunk that is none', `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`],
  ])('by %s is never answered', async (_, rest) => {
    const before = blog.requests.length
    await using wire = await Wire.open(world.appsUrl)
    await wire.write(`POST / HTTP/1.1\r\nHost: shop.localhost\r\n${rest}`)
    await expect.poll(() => wire.ended).toBe(true)
    expect(blog.requests.length).toBe(before)
  })

  test('an upgrade to HTTP/2 or a WebSocket is answered as any request', async () => {
    for (const upgrade of ['h2c', 'websocket'])
      expect(
        (
          await answerTo(
            `GET / HTTP/1.1\r\nHost: shop.localhost\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}`,
          )
        ).text,
      ).toBe('first shop.localhost /')
  })
})

test('requests are counted by who answered them', async () => {
  const counted = async (handler: string) =>
    Number(
      new RegExp(`kherad_apps_requests_total\\{handler="${handler}"\\} (\\d+)`).exec(
        await (await fetch(`${world.url}/metrics`)).text(),
      )?.[1] ?? 0,
    )
  const before = { first: await counted('first'), none: await counted('none') }
  await ask('shop.localhost')
  await ask('nobody.localhost')
  expect({ first: await counted('first'), none: await counted('none') }).toEqual({
    first: before.first + 1,
    none: before.none + 1,
  })
})
