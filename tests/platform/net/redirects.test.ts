import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { selfSigned } from '../../harness/certificate.ts'
import { bounds, guarded, openSite, refused } from './sites.ts'

const client = guarded()
const follow = { ...bounds, maxRedirects: 3 }

/** `/to/302?<address>` redirects there; everything else is the end. */
const redirecting: RequestListener = ({ url = '' }, response) => {
  const [, status, location] = /^\/to\/(\d+)\?(.*)$/.exec(url) ?? []
  if (status) response.writeHead(Number(status), { location: decodeURIComponent(location!) }).end()
  else response.end('the end')
}
const to = (location: string, status = 302) => `/to/${status}?${encodeURIComponent(location)}`

test('without leave a redirect is an answer like any other', async () => {
  await using site = await openSite(redirecting)
  const reply = await client.fetch(site.url + to('/next'), bounds)
  expect(reply).toMatchObject({ status: 302, redirects: 0, headers: { location: '/next' } })
  expect(site.seen).toHaveLength(1)
})

test('as many redirects are followed as are allowed, and not one more', async () => {
  await using site = await openSite(redirecting)
  const three = to(to(to('/end')))
  const reply = await client.fetch(site.url + three, follow)
  expect(reply).toMatchObject({ status: 200, redirects: 3, url: `${site.url}/end` })
  await expect(client.fetch(site.url + to(three), follow)).rejects.toMatchObject(refused('bad_redirect'))
  expect(site.seen).toHaveLength(8)
})

test.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  '//192.168.1.1/',
])('a redirect to %s is judged like a first address', async (location) => {
  await using site = await openSite(redirecting)
  await expect(client.fetch(site.url + to(to(location)), follow)).rejects.toMatchObject(
    refused('address_not_public'),
  )
})

test.each([
  'http://user:password@127.0.0.1/',
  'file:///etc/passwd',
  'http://127.0.0.1:25/',
  'http://[',
  'gopher://a/',
])('a redirect to %s leads nowhere', async (location) => {
  await using site = await openSite(redirecting)
  await expect(client.fetch(site.url + to(location), follow)).rejects.toMatchObject(refused('bad_redirect'))
})

test('a redirect without an address leads nowhere', async () => {
  await using site = await openSite((_, response) => response.writeHead(302).end())
  await expect(client.fetch(site.url, follow)).rejects.toMatchObject(refused('bad_redirect'))
  expect(site.seen).toHaveLength(1)
})

test('from https:// down to http:// it goes only where http:// was allowed', async () => {
  const tls = selfSigned('safe.example.test')
  await using plain = await openSite(redirecting)
  await using safe = await openSite(redirecting, tls)
  const inside = guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
  const url = `https://safe.example.test:${safe.port}${to(`${plain.url}/end`)}`
  await expect(inside.fetch(url, { ...follow, protocols: ['https:'] })).rejects.toMatchObject(
    refused('bad_redirect'),
  )
  expect(plain.seen).toHaveLength(0)
  expect(await inside.fetch(url, follow)).toMatchObject({ status: 200, url: `${plain.url}/end` })
})

test('to another origin go no keys, signatures or cookies, whatever they are called; within one they stay', async () => {
  await using other = await openSite(redirecting)
  await using site = await openSite(redirecting)
  const headers = {
    Authorization: 'Bearer a',
    cookie: 'b=c',
    'X-Service-Signature': 'v1=d',
    'proxy-authorization': 'e',
    'accept-language': 'fa',
  }
  await client.fetch(site.url + to(to(`${other.url}/end`)), { ...follow, headers })
  expect(site.seen.map((request) => request.headers['authorization'])).toEqual(['Bearer a', 'Bearer a'])
  expect(other.seen[0]?.headers).toEqual({
    'accept-language': 'fa',
    'accept-encoding': 'gzip, br',
    accept: '*/*',
    'user-agent': 'kherad',
    host: `127.0.0.1:${other.port}`,
    connection: 'keep-alive',
  })
})

test.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'body'],
  [308, 'POST', 'body'],
])('after %i a POST goes on as %s', async (status, method, body) => {
  await using site = await openSite(redirecting)
  await client.fetch(site.url + to('/end', status), {
    ...follow,
    method: 'POST',
    body: 'body',
    headers: { 'content-type': 'text/plain' },
  })
  expect(site.seen[1]).toMatchObject({ method, body })
  expect('content-type' in site.seen[1]!.headers).toBe(body !== '')
})

test('a body is never sent to an origin that it was not meant for', async () => {
  await using other = await openSite(redirecting)
  await using site = await openSite(redirecting)
  const ask = { ...follow, method: 'POST' as const, body: 'secret' }
  await expect(client.fetch(site.url + to(other.url, 307), ask)).rejects.toMatchObject(
    refused('bad_redirect'),
  )
  expect(other.seen).toHaveLength(0)
})

test('the body of a redirect is not read, however long', async () => {
  await using site = await openSite(({ url }, response) => {
    if (url === '/end') response.end('the end')
    else response.writeHead(302, { location: '/end' }).end(Buffer.alloc(1_000_001))
  })
  expect((await client.fetch(site.url, follow)).body.toString()).toBe('the end')
})

test('the time is that of all hops together', async () => {
  await using site = await openSite((_, response) => {
    setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 20)
  })
  await expect(
    client.fetch(site.url, { ...bounds, maxRedirects: 10_000, timeoutMs: 300 }),
  ).rejects.toMatchObject(refused('timeout'))
})
