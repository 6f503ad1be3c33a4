/** A vendor that is reached through a proxy alone: its name exists there, and its certificate is of a private authority. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Certified, privateAuthority } from '../../harness/certificate.ts'
import type { Client } from '../../harness/client.ts'
import {
  type FakeProxy,
  type FakeProxyOptions,
  fakeHttpProxy,
  fakeSocksProxy,
  tlsFront,
} from '../../harness/proxy.ts'
import { type FakeUpstream, fakeUpstream } from '../../harness/upstream.ts'
import { boot, type World, type WorldOptions } from '../../harness/world.ts'

export const vendorHost = 'vendor.proxied.test'
export const login = { user: 'kherad', password: 'p@ss: word/۱' }
const authority = privateAuthority()
export const proxyTls: Certified = authority.issue('localhost')

export type Kind = 'http' | 'https' | 'socks5'

export const openProxy = (kind: Kind, options: FakeProxyOptions): Promise<FakeProxy> =>
  kind === 'socks5'
    ? fakeSocksProxy(options)
    : fakeHttpProxy({ ...options, ...(kind === 'https' && { tls: proxyTls }) })

export interface Vendor extends AsyncDisposable {
  upstream: FakeUpstream
  /** Of its HTTPS. */
  port: number
  /** Below the name that the proxy knows. */
  url: string
  /** The roots that its certificate hangs from. */
  caFile: string
  /** For the proxy. */
  routes: (target: string) => number | undefined
}

/** Its HTTPS, and its plain HTTP at port 80. */
export async function openVendor(): Promise<Vendor> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-proxy-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const caFile = path.join(folder, 'ca.pem')
  await writeFile(caFile, authority.cert)
  const upstream = stack.use(await fakeUpstream())
  const plainPort = Number(new URL(upstream.url).port)
  const front = stack.use(await tlsFront(authority.issue(vendorHost), plainPort))
  const open = stack.move()
  return {
    upstream,
    port: front.port,
    url: `https://${vendorHost}/v1`,
    caFile,
    routes: (target) => ({ [`${vendorHost}:443`]: front.port, [`${vendorHost}:80`]: plainPort })[target],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Whoever answers is not called silent, however long this machine does something else. */
const patient =
  '{ connect_ms: 20000, first_byte_ms: 60000, first_token_ms: 60000, idle_ms: 60000, total_ms: 90000 }'

export interface ProxiedOptions {
  vendor: Vendor
  /** Of the provider, beside its address. */
  provider?: string
  url?: string
  timeouts?: string
  /** A second upstream that is reached directly, after the vendor. */
  spare?: FakeUpstream
  rest?: string
  world?: Omit<WorldOptions, 'config'>
}

/** The model `test/model` of the vendor. */
export async function bootProxied(
  options: ProxiedOptions,
): Promise<AsyncDisposable & { world: World; key: Client }> {
  const { vendor, provider = '', url = vendor.url, timeouts = patient, spare, rest = '' } = options
  const world = await boot({
    ...options.world,
    config: `
tls: { ca_file: "${vendor.caFile}" }
providers:
  - { id: vendor, base_url: "${url}", api_key: vendor-secret-key, timeouts: ${timeouts}${provider} }
${spare ? `  - { id: spare, base_url: "${spare.url}" }` : ''}
models:
  - id: test/model
    deployments:
      - { provider: vendor, model: upstream-model }
${spare ? '      - { provider: spare, model: upstream-model, priority: 1 }' : ''}
    context_length: 128000
    max_output_tokens: 4096
    pricing: { input_per_million: 1, output_per_million: 2 }
${rest}
`,
  })
  return { world, key: await world.key(), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}
