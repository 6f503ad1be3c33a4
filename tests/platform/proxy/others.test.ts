/** All other outgoing requests: search, local models, traces, the blob store, and addresses that users name. */
import { createServer, type Server } from 'node:http'
import { get } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { discover } from '#core/models'
import { readEnv } from '#platform/config'
import { openLog } from '#platform/log'
import { openAgent, openOutbound } from '#platform/proxy'
import { openStorage } from '#platform/storage'
import { openTracing } from '#platform/trace'
import { openSearch } from '#providers/search'
import { loadConfig } from '#settings'
import { openNet } from '../../../src/connect.ts'
import { openEngine } from '../../core/tools/asking.ts'
import { privateAuthority } from '../../harness/certificate.ts'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { fakeHttpProxy, tlsFront } from '../../harness/proxy.ts'
import { until } from '../../harness/until.ts'
import { bounds, openSite } from '../net/sites.ts'
import { otlpCollector } from '../observability/watched.ts'
import { login, openProxy, openVendor, vendorHost } from './proxy-world.ts'

const portOf = (url: string): number => Number(new URL(url).port)

/** What the environment and the file say, as a start has it. */
function settings(env: Record<string, string>, file?: string) {
  const config = loadConfig(readEnv(env), file)
  return { config, outbound: openOutbound(config) }
}

const host = 'inner.proxied.test'

test.each(['http', 'socks5'] as const)('a search engine is asked through the proxy (%s)', async (kind) => {
  await using engine = await openEngine((_request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end('{"results":[{"url":"https://a.test","title":"A","content":"b"}]}'),
  )
  await using proxy = await openProxy(kind, { login, routes: () => portOf(engine.url) })
  const { config, outbound } = settings({ ALL_PROXY: proxy.url, SEARXNG_URL: `http://${host}` })
  const { webSearch } = config.tools
  await using search = openSearch(webSearch!, outbound.egressTo(webSearch!.baseUrl))
  const found = await search.search({
    query: 'x',
    count: 3,
    onlyHosts: [],
    notHosts: [],
    signal: AbortSignal.timeout(60_000),
  } as never)
  expect(found).toMatchObject([{ url: 'https://a.test' }])
  expect(proxy.asked).toEqual([`${host}:80`])
})

test.each(['http', 'socks5'] as const)(
  'an Ollama on another machine is found through the proxy (%s)',
  async (kind) => {
    const ollama: Server = createServer((request, response) => {
      const isList = request.url === '/api/tags'
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(isList ? { models: [{ name: 'm:1' }] } : { capabilities: ['completion'] }))
    })
    await new Promise<void>((resolve) => ollama.listen(0, '127.0.0.1', resolve))
    const { port } = ollama.address() as AddressInfo
    await using proxy = await openProxy(kind, { routes: () => port })
    const { config, outbound } = settings({ HTTP_PROXY: proxy.url, OLLAMA_HOST: `http://${host}:11434` })
    const found = await discover(config.vendors, outbound)
    expect(found.models.map(({ id }) => id)).toEqual(['ollama/m:1'])
    expect(new Set(proxy.asked)).toEqual(new Set([`${host}:11434`]))
    ollama.closeAllConnections()
    ollama.close()
  },
)

test.each([
  ['http', 'http'],
  ['socks5', 'http'],
  ['http', 'https'],
  ['socks5', 'https'],
] as const)('spans go through the proxy (%s) to a collector of %s', async (kind, scheme) => {
  await using vendor = await openVendor()
  await using collector = await otlpCollector()
  const authority = privateAuthority()
  await using front = await tlsFront(authority.issue(host), portOf(collector.url))
  const port = scheme === 'https' ? front.port : portOf(collector.url)
  await using proxy = await openProxy(kind, { login, routes: () => port })
  const { writeFile } = await import('node:fs/promises')
  await writeFile(vendor.caFile, authority.cert)
  const endpoint = `${scheme}://${host}:4318`
  const { outbound } = settings({ ALL_PROXY: proxy.url }, `tls: { ca_file: "${vendor.caFile}" }`)
  const tracing = await openTracing({ endpoint, egress: outbound.egressTo(endpoint), log: openLog('silent') })
  tracing.work('told', {}).end()
  await tracing[Symbol.asyncDispose]()
  expect(collector.spans().map(({ name }) => name)).toEqual(['told'])
  expect(proxy.asked).toEqual([`${host}:4318`])
})

test.each(['http', 'socks5'] as const)(
  'TLS behind a proxy (%s) that never comes about ends within the time for a connection, and its tunnel with it',
  async (kind) => {
    const mute = createTcpServer((socket) => socket.resume())
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    await using proxy = await openProxy(kind, { routes: () => port })
    const { outbound } = settings({ ALL_PROXY: proxy.url })
    const endpoint = `https://${host}:4318`
    const agent = openAgent(endpoint, { ...outbound.egressTo(endpoint), connectMs: 3_000 })
    const asked = get(endpoint, { agent })
    const error = await new Promise<Error>((resolve) => asked.on('error', resolve))
    expect(error.message).toContain('took longer than 3000 ms')
    expect(proxy.tunnels.all).toBe(1)
    await until(() => proxy.tunnels.open === 0)
    agent.destroy()
    mute.close()
  },
)

test.each(['http', 'socks5'] as const)(
  'bytes go to an S3-compatible store through the proxy (%s)',
  async (kind) => {
    await using s3 = await fakeS3()
    await using proxy = await openProxy(kind, { login, routes: () => portOf(s3.url) })
    const { config, outbound } = settings(
      { ALL_PROXY: proxy.url },
      s3.config.replace(s3.url, `http://${host}:9000`),
    )
    await using storage = openStorage({
      folder: '/nowhere',
      ...config.storage,
      egress: (url) => outbound.egressTo(url),
    })
    await storage.put('a/b', Buffer.from('bytes'))
    expect((await buffer((await storage.get('a/b'))!)).toString()).toBe('bytes')
    expect(new Set(proxy.asked)).toEqual(new Set([`${host}:9000`]))
  },
)

test('what users name does not go through the proxy of the environment', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using proxy = await openProxy('http', { routes: () => site.port })
  const { config, outbound } = settings({ ALL_PROXY: proxy.url }, 'net: { allow_cidrs: [127.0.0.0/8] }')
  const net = openNet(config, outbound)
  await expect(net.fetch(`http://${vendorHost}/`, bounds)).rejects.toMatchObject({ reason: 'dns' })
  expect((await net.fetch(site.url, bounds)).body.toString()).toBe('fine')
  expect(proxy.asked).toEqual([])
})

test.each(['http', 'https', 'socks5'] as const)(
  'where the operator says so it does (%s): the name is resolved and judged here, and the proxy is given the address',
  async (kind) => {
    const authority = privateAuthority()
    await using site = await openSite(
      (_, response) => response.end('fine'),
      authority.issue('files.example.test'),
    )
    const { proxyTls } = await import('./proxy-world.ts')
    await using vendor = await openVendor()
    await using proxy = await openProxy(kind, { login, routes: () => site.port })
    const { openGuardedClient } = await import('#platform/net')
    const { readFile, writeFile } = await import('node:fs/promises')
    // The roots of the proxy and of the site.
    await writeFile(vendor.caFile, `${await readFile(vendor.caFile, 'utf8')}\n${authority.cert}`)
    expect(proxyTls.cert).toContain('BEGIN')
    const file = `tls: { ca_file: "${vendor.caFile}" }\nnet: { use_proxy: true }`
    const { config, outbound } = settings({ ALL_PROXY: proxy.url }, file)
    expect(config.net.usesProxy).toBe(true)
    const addresses: Record<string, string> = {
      'files.example.test': '93.184.216.34',
      'inside.example.test': '10.0.0.7',
    }
    const net = openGuardedClient({
      ...config.net,
      lookup: async (name) => [{ address: addresses[name]!, family: 4 }],
      egress: (url) => outbound.egressTo(url),
    })
    expect((await net.fetch('https://files.example.test/a', bounds)).body.toString()).toBe('fine')
    expect(proxy.asked).toEqual(['93.184.216.34:443'])
    await expect(net.fetch('https://inside.example.test/a', bounds)).rejects.toMatchObject({
      reason: 'address_not_public',
    })
    await expect(net.fetch('https://169.254.169.254/a', bounds)).rejects.toMatchObject({
      reason: 'address_not_public',
    })
    await using line = net.keepAliveClient('https://files.example.test/hook', 1)
    expect((await line.post({ headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 100 })).status).toBe(200)
    expect(proxy.asked).toEqual(['93.184.216.34:443', '93.184.216.34:443'])
  },
)

test('a fetch through a proxy that refuses us is refused without a word of the proxy', async () => {
  await using proxy = await fakeHttpProxy({ login, routes: () => undefined })
  const { config, outbound } = settings(
    { ALL_PROXY: proxy.url.replace('kherad', 'nobody') },
    'net: { use_proxy: true }',
  )
  const net = openNet(config, outbound)
  const refused = await net.fetch('https://93.184.216.34/', bounds).catch((error: unknown) => error as never)
  expect(refused).toMatchObject({
    name: 'FetchRefused',
    reason: 'connect',
    message: 'connect (93.184.216.34)',
  })
})
