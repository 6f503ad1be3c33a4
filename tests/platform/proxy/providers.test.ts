/** Providers behind a proxy: host names, passwords and certificates, and a proxy that fails. */
import { expect, test } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'
import { answer, chunk, fakeUpstream, silence, stall, stream } from '../../harness/upstream.ts'
import { explained, requestIdOf } from '../../text/chat-world.ts'
import { bootProxied, type Kind, login, openProxy, openVendor, vendorHost } from './proxy-world.ts'

const kinds: Kind[] = ['http', 'https', 'socks5']
const asked = { model: 'test/model', max_tokens: 20 }

test.each(kinds)(
  'a vendor whose name only the proxy knows answers through an %s proxy with a password, whole and streamed',
  async (kind) => {
    await using vendor = await openVendor()
    await using proxy = await openProxy(kind, { login, routes: vendor.routes })
    await using at = await bootProxied({ vendor, provider: `, proxy: "${proxy.url}"` })
    vendor.upstream.reply(answer('through the wall'))
    const whole = await at.key.chat(asked)
    expect(whole.status, whole.text).toBe(200)
    expect(whole.body.choices[0].message.content).toBe('through the wall')
    const streamed = await at.key.chat({ ...asked, stream: true })
    expect(streamed.text).toContain('wall')
    // The name itself was asked for, once for both: the connection is kept.
    expect(proxy.asked).toEqual([`${vendorHost}:443`])
    expect(proxy.tunnels.all).toBe(1)
    expect(vendor.upstream.calls[0]!.headers['authorization']).toBe('Bearer vendor-secret-key')
    expect(JSON.stringify(vendor.upstream.calls[0]!.headers)).not.toContain('proxy')
  },
)

test.each([
  ['HTTPS_PROXY', 'http'],
  ['https_proxy', 'socks5'],
  ['ALL_PROXY', 'socks5'],
  ['all_proxy', 'http'],
] as const)('a provider goes through the proxy of %s', async (name, kind) => {
  await using vendor = await openVendor()
  await using proxy = await openProxy(kind, { login, routes: vendor.routes })
  const url = proxy.url.replace('socks5:', 'socks5h:')
  await using at = await bootProxied({ vendor, world: { env: { [name]: url, NO_PROXY: 'elsewhere.test' } } })
  expect((await at.key.chat(asked)).status).toBe(200)
  expect(proxy.asked).toEqual([`${vendorHost}:443`])
})

test('what NO_PROXY names and what says direct is not asked for through the proxy of the environment', async () => {
  await using vendor = await openVendor()
  await using proxy = await openProxy('http', { routes: vendor.routes })
  const away = { vendor, timeouts: '{ connect_ms: 20000 }' }
  await using excepted = await bootProxied({
    ...away,
    world: { env: { HTTPS_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8,.proxied.test' } },
  })
  await using direct = await bootProxied({
    ...away,
    provider: ', proxy: direct',
    world: { env: { HTTPS_PROXY: proxy.url } },
  })
  // Without the proxy its name leads nowhere.
  for (const at of [excepted, direct]) expect((await at.key.chat(asked)).status).toBeGreaterThanOrEqual(500)
  expect(proxy.asked).toEqual([])
})

test('an upstream on this machine is asked directly, whatever the environment says', async () => {
  await using vendor = await openVendor()
  await using proxy = await openProxy('http', { routes: vendor.routes })
  const env = { HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url }
  await using at = await bootProxied({ vendor, url: vendor.upstream.url, world: { env } })
  expect((await at.key.chat(asked)).status).toBe(200)
  expect(proxy.asked).toEqual([])
})

test.each(['http', 'https'] as const)(
  'a vendor of plain HTTP is asked by an %s proxy whole, which may allow tunnels to port 443 alone',
  async (kind) => {
    await using vendor = await openVendor()
    await using proxy = await openProxy(kind, { login, routes: vendor.routes })
    const url = `http://${vendorHost}/v1`
    await using at = await bootProxied({ vendor, url, provider: `, proxy: "${proxy.url}"` })
    expect((await at.key.chat(asked)).status).toBe(200)
    expect(proxy.asked).toEqual([`${vendorHost}:80`])
    expect(proxy.tunnels.all).toBe(0)
    expect(vendor.upstream.calls[0]!.headers).toMatchObject({ host: vendorHost })
  },
)

test.each([...kinds, 'plain'] as const)(
  'a wrong password at the proxy (%s) is not tried again, and another deployment answers',
  async (how) => {
    await using vendor = await openVendor()
    await using spare = await fakeUpstream()
    await using proxy = await openProxy(how === 'plain' ? 'http' : how, { login, routes: vendor.routes })
    const provider = `, proxy: "${proxy.url.replace(encodeURIComponent(login.password), 'wrong')}"`
    const url = how === 'plain' ? `http://${vendorHost}/v1` : vendor.url
    await using at = await bootProxied({ vendor, spare, url, provider })
    const reply = await at.key.chat(asked)
    expect(reply.status, reply.text).toBe(200)
    const { details } = await explained(at.key, requestIdOf(reply))
    expect(details.attempts.map(({ deployment, outcome }) => [deployment, outcome])).toEqual([
      ['vendor/upstream-model', 'authentication'],
      ['spare/upstream-model', 'answered'],
    ])
    expect(vendor.upstream.calls).toHaveLength(0)
    expect(proxy.asked.length).toBeLessThanOrEqual(1)
  },
)

test.each(kinds)('where the %s proxy is away another deployment answers', async (kind) => {
  await using vendor = await openVendor()
  await using spare = await fakeUpstream()
  const url = `${kind}://127.0.0.1:${await freePort()}`
  await using at = await bootProxied({ vendor, spare, provider: `, proxy: "${url}"` })
  const reply = await at.key.chat(asked)
  expect(reply.status, reply.text).toBe(200)
  const { details } = await explained(at.key, requestIdOf(reply))
  expect(details.attempts.at(0)?.outcome).toBe('connect')
  expect(details.attempts.at(-1)).toMatchObject({ deployment: 'spare/upstream-model', outcome: 'answered' })
})

test.each(['http', 'socks5'] as const)(
  'an %s proxy that takes connections and says nothing ends with the time for a connection',
  async (kind) => {
    await using vendor = await openVendor()
    await using spare = await fakeUpstream()
    await using proxy = await openProxy(kind, { routes: vendor.routes })
    proxy.silence()
    const timeouts = '{ connect_ms: 300 }'
    await using at = await bootProxied({ vendor, spare, timeouts, provider: `, proxy: "${proxy.url}"` })
    const reply = await at.key.chat(asked)
    expect(reply.status, reply.text).toBe(200)
    const { details } = await explained(at.key, requestIdOf(reply))
    expect(details.attempts.at(0)).toMatchObject({
      outcome: 'timeout',
      detail: 'no connection within 300 ms',
    })
  },
)

test.each(['http', 'socks5'] as const)(
  'a proxy (%s) that finds no way to the vendor counts as no connection',
  async (kind) => {
    await using vendor = await openVendor()
    await using spare = await fakeUpstream()
    await using proxy = await openProxy(kind, { routes: () => undefined })
    await using at = await bootProxied({ vendor, spare, provider: `, proxy: "${proxy.url}"` })
    const { details } = await explained(at.key, requestIdOf(await at.key.chat(asked)))
    // Where the proxy is, is nobody's business but the operator's.
    expect(details.attempts.at(0)).toMatchObject({ outcome: 'connect', detail: 'no way through the proxy' })
  },
)

test.each(kinds)('a caller who disconnects ends the call behind the %s proxy', async (kind) => {
  await using vendor = await openVendor()
  await using proxy = await openProxy(kind, { routes: vendor.routes })
  await using at = await bootProxied({ vendor, provider: `, proxy: "${proxy.url}"` })
  vendor.upstream.reply(stream([chunk({ role: 'assistant', content: 'one' }), stall]))
  const leaving = new AbortController()
  const body = JSON.stringify({ ...asked, stream: true, messages: [{ role: 'user', content: 'hi' }] })
  const reply = await at.key.raw('POST', '/v1/chat/completions', body, {}, leaving.signal)
  await reply.body!.getReader().read()
  leaving.abort()
  await (await vendor.upstream.call(0)).whenAborted
  await until(() => proxy.tunnels.open === 0)
  expect(proxy.tunnels.all).toBe(1)
})

test('an upstream that stays silent behind a proxy ends with its own times', async () => {
  await using vendor = await openVendor()
  await using spare = await fakeUpstream()
  await using proxy = await openProxy('http', { routes: vendor.routes })
  vendor.upstream.reply(silence)
  const timeouts = '{ connect_ms: 20000, first_byte_ms: 300 }'
  await using at = await bootProxied({ vendor, spare, timeouts, provider: `, proxy: "${proxy.url}"` })
  const reply = await at.key.chat({ ...asked, stream: true })
  const { details } = await explained(at.key, requestIdOf(reply))
  expect(details.attempts.map(({ outcome }) => outcome)).toEqual(['timeout', 'answered'])
})

test('a certificate that does not hang from the trusted roots is not believed through a proxy either', async () => {
  await using vendor = await openVendor()
  await using other = await openVendor()
  await using spare = await fakeUpstream()
  const { selfSigned } = await import('../../harness/certificate.ts')
  const { tlsFront } = await import('../../harness/proxy.ts')
  await using liar = await tlsFront(selfSigned(vendorHost), other.port)
  await using proxy = await openProxy('http', { routes: () => liar.port })
  await using at = await bootProxied({ vendor, spare, provider: `, proxy: "${proxy.url}"` })
  const { details } = await explained(at.key, requestIdOf(await at.key.chat(asked)))
  expect(details.attempts.at(0)).toMatchObject({ outcome: 'connect', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})
