/** Checks how requests leave this machine: the proxies are tried, and the private authorities that are trusted are read. */
import { X509Certificate } from 'node:crypto'
import { isRemote, type ProviderConfig } from '#core/models'
import type { Config } from '#platform/config'
import {
  type CaConfig,
  type Outbound,
  type ProxyConfig,
  ProxyFailed,
  redactedProxy,
  tryProxy,
} from '#platform/proxy'
import { broken, type DoctorCheck, ok, reasonOf, runCheck } from './check.ts'
import { providerPhrases as words } from './provider-phrases.ts'

const timeoutMs = 5_000

interface OutboundOptions {
  config: Config
  providers: readonly ProviderConfig[]
  outbound: Outbound
}

/** One check for each proxy that something goes through, and one for each file of trusted authorities. */
export async function checkOutbound(options: OutboundOptions): Promise<DoctorCheck[]> {
  const proxies = new Map<string, { proxy: ProxyConfig; users: string[]; outbound: Outbound }>()
  for (const [user, proxy] of usersOf(options)) {
    const key = JSON.stringify(proxy)
    const known = proxies.get(key) ?? { proxy, users: [], outbound: options.outbound }
    known.users.push(user)
    proxies.set(key, known)
  }
  const certificates = [options.config.tls.ca, ...options.config.providers.map(({ ca }) => ca)]
  const files = new Map(certificates.flatMap((ca) => (ca ? [[ca.file, ca] as const] : [])))
  return [...(await Promise.all([...proxies.values()].map(checkProxy))), ...[...files.values()].map(checkCa)]
}

/** The names of those that go through a proxy, each with its proxy. */
function usersOf({ config, providers, outbound }: OutboundOptions): [user: string, proxy: ProxyConfig][] {
  const { tools, storage, tracing, net } = config
  const others: [string, string | undefined][] = [
    ['web_search', tools.webSearch?.baseUrl],
    ['storage.s3', storage.s3?.endpoint],
    ['OTLP', tracing?.endpoint],
    ['net', net.usesProxy ? 'https://public.example' : undefined],
  ]
  const used: [string, ProxyConfig | undefined][] = [
    ...providers
      .filter(isRemote)
      .map((entry): [string, ProxyConfig | undefined] => [
        entry.id,
        outbound.egressTo(entry.baseUrl, entry).proxy,
      ]),
    ...others.map(([name, url]): [string, ProxyConfig | undefined] => [
      name,
      url ? outbound.egressTo(url).proxy : undefined,
    ]),
  ]
  return used.flatMap(([user, proxy]) => (proxy ? [[user, proxy]] : []))
}

const checkProxy = ({
  proxy,
  users,
  outbound,
}: {
  proxy: ProxyConfig
  users: string[]
  outbound: Outbound
}): Promise<DoctorCheck> => {
  const name = `proxy ${redactedProxy(proxy)}`
  return runCheck(name, async () => {
    const signal = AbortSignal.timeout(timeoutMs)
    const { trust } = outbound.egressTo(
      `https://${proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host}`,
    )
    try {
      await tryProxy(proxy, { trust, signal })
      return ok(name, words.proxy(users.join(', ')))
    } catch (error) {
      if (signal.aborted) return broken(name, words.providerSlow(timeoutMs / 1000))
      return broken(name, error instanceof ProxyFailed ? words.proxyBroken(error.message) : reasonOf(error))
    }
  })
}

function checkCa({ file, pem }: CaConfig): DoctorCheck {
  const name = `certificates ${file}`
  const all = pem.split(/(?<=-----END CERTIFICATE-----)\s*/).filter((one) => one !== '')
  const ends = all.map((one) => new X509Certificate(one).validToDate.getTime())
  const first = new Date(Math.min(...ends))
  const day = first.toISOString().slice(0, 10)
  return first.getTime() < Date.now()
    ? broken(name, words.certificatesOver(day))
    : ok(name, words.certificates(all.length, day))
}
