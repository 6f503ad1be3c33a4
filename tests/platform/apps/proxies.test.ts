/** Whose word counts about where a visitor came from, and who may ask which hosts exist. */
import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Wire } from '../../contract/wire.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { boot, type World } from '../../harness/world.ts'
import { namedHandler } from './named-handler.ts'

const names = ['shop.localhost', 'blog.localhost', 'www.example.org']
const plain = namedHandler('sites', names)
const proxied = namedHandler('sites', names)
let direct: World
let behind: World
beforeAll(async () => {
  direct = await boot({ hostHandlers: () => [plain] })
  behind = await boot({
    env: { KHERAD_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8 2001:db8::/32' },
    hostHandlers: () => [proxied],
  })
})
afterAll(async () => {
  await direct[Symbol.asyncDispose]()
  await behind[Symbol.asyncDispose]()
})

/** How the handler sees a visitor with these headers. */
async function seen(world: World, headers: OutgoingHttpHeaders) {
  await hostRequest(world.appsUrl, 'shop.localhost', { headers })
  const { host, clientAddress, secure } = (world === direct ? plain : proxied).requests.at(-1)!
  return { host, clientAddress, secure }
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg=='

const forwarded = {
  'x-forwarded-host': 'blog.localhost',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.7',
}

describe('forwarded headers', () => {
  test('count from nobody who is not named', async () => {
    expect(await seen(direct, forwarded)).toEqual({
      host: 'shop.localhost',
      clientAddress: '127.0.0.1',
      secure: false,
    })
  })

  test('count from a proxy that is named', async () => {
    expect(await seen(behind, forwarded)).toEqual({
      host: 'blog.localhost',
      clientAddress: '203.0.113.7',
      secure: true,
    })
    expect(await seen(behind, {})).toEqual({
      host: 'shop.localhost',
      clientAddress: '127.0.0.1',
      secure: false,
    })
  })

  test('of several proxies: the visitor is the last address that is none of ours; he cannot invent one', async () => {
    for (const [header, client] of [
      ['1.1.1.1, 203.0.113.7', '203.0.113.7'],
      ['1.1.1.1, 203.0.113.7, 10.1.2.3, 2001:db8::9', '203.0.113.7'],
      ['[2a00::1]:4711', '2a00::1'],
      ['203.0.113.7:4711', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['10.1.2.3', '10.1.2.3'],
      ['1.1.1.1, unknown, 10.1.2.3', '10.1.2.3'],
      ['unknown', '127.0.0.1'],
      ['', '127.0.0.1'],
    ] as const)
      expect((await seen(behind, { 'x-forwarded-for': header })).clientAddress, header).toBe(client)
  })

  test('that were there before the proxy added its own are not believed', async () => {
    expect(
      await seen(behind, {
        'x-forwarded-host': 'evil.example, blog.localhost',
        'x-forwarded-proto': 'https, http',
      }),
    ).toMatchObject({ host: 'blog.localhost', secure: false })
    for (const host of ['a@b', '', 'shop..localhost', 'shop.localhost, ev il']) {
      const { status } = await hostRequest(behind.appsUrl, 'shop.localhost', {
        headers: { 'x-forwarded-host': host },
      })
      // An empty header is none; a host that is none is refused, not replaced by a guess.
      expect(status, host).toBe(host === '' ? 200 : 400)
    }
  })

  test('change addresses in the answers of the API only from a proxy that is named', async () => {
    for (const [world, begins] of [
      [direct, `${direct.url}/`],
      [behind, 'https://blog.localhost/'],
    ] as const) {
      const key = await world.key()
      const stored = await key.post('/v1/files', { data: png })
      const { status, body, text } = await key.post(`/v1/files/${stored.body.id}/links`, {}, forwarded)
      expect(status, text).toBe(201)
      expect(body.url.startsWith(begins), body.url).toBe(true)
    }
  })
})

test('the API answers at no host of sites and clouds, on its own port neither', async () => {
  await using world = await boot({
    env: {
      KHERAD_BASE_URL: 'https://ai.example.org',
      KHERAD_APPS_DOMAIN: 'apps.example',
      KHERAD_CLOUD_DOMAIN: 'cloud.example',
    },
  })
  const { secret } = await world.key()
  const path = '/v1/models'
  const headers = { authorization: `Bearer ${secret}` }
  for (const host of ['a.apps.example', 'A.B.Apps.example.', 'apps.example', 'ref.cloud.example'])
    expect((await hostRequest(world.url, host, { path, headers })).status, host).toBe(404)
  for (const host of ['ai.example.org', '127.0.0.1', 'myapps.example', 'kherad'])
    expect((await hostRequest(world.url, host, { path, headers })).status, host).toBe(200)
})

describe('the question for which hosts a certificate may be obtained', () => {
  const ask = (domain: string, headers: OutgoingHttpHeaders = {}, host = '127.0.0.1') =>
    hostRequest(direct.appsUrl, host, { path: `/_ask?domain=${domain}`, headers })

  test('is answered yes for a host of something that exists, and no for all others', async () => {
    for (const domain of ['shop.localhost', 'WWW.example.org', 'www.example.org.'])
      expect((await ask(domain)).status, domain).toBe(200)
    for (const domain of [
      'other.localhost',
      'example.org',
      'a.www.example.org',
      'localhost',
      '127.0.0.1',
      '',
      'www.example.org:443',
      'x@www.example.org',
      'www.example.org&domain=www.example.org',
      '%00',
    ])
      expect((await ask(domain)).status, domain).toBe(404)
    expect((await hostRequest(direct.appsUrl, '127.0.0.1', { path: '/_ask' })).status).toBe(404)
  })

  test('is for this machine alone: no visitor reaches it through a proxy, by whatever host', async () => {
    const code = async (reply: ReturnType<typeof ask>) => JSON.parse((await reply).text).error?.code
    for (const host of ['localhost', '[::1]', '127.0.0.1', '127.8.8.8'])
      expect((await ask('shop.localhost', {}, host)).status, host).toBe(200)
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'forwarded',
      'via',
      'x-real-ip',
    ])
      expect(await code(ask('shop.localhost', { [header]: '127.0.0.1' })), header).toBe('HOST_NOT_FOUND')
    for (const host of ['other.localhost', 'ai.example.org', '192.168.1.5'])
      expect(await code(ask('shop.localhost', {}, host)), host).toBe('HOST_NOT_FOUND')
    // A site with such a path keeps it.
    expect((await ask('other.localhost', {}, 'shop.localhost')).text).toContain('sites shop.localhost /_ask')
  })

  test('changes nothing and is nothing but a question', async () => {
    const reply = await hostRequest(direct.appsUrl, '127.0.0.1', {
      method: 'POST',
      path: '/_ask?domain=shop.localhost',
    })
    expect(reply.status).toBe(404)
    const head = await hostRequest(direct.appsUrl, '127.0.0.1', {
      method: 'HEAD',
      path: '/_ask?domain=shop.localhost',
    })
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    await using wire = await Wire.open(direct.appsUrl)
    await wire.write(`GET /_ask?domain=${'a'.repeat(2_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    expect((await wire.next()).status).toBe(404)
  })
})
