/** Settings of outgoing requests: proxies from the environment, and additional trusted roots. */
import { isIP } from 'node:net'
import { Type } from 'typebox'
import {
  type ConfigNode,
  fileSection,
  readingRules,
  refusals,
  refuseConfig,
  type Sentence,
  variableSection,
} from '#platform/config'
import { type CaConfig, caFile } from './certificates.ts'

export type { CaConfig }

declare module '#platform/config' {
  interface Settings {
    /** Proxies from the environment. */
    proxies: ProxiesConfig
    /** Additional trusted roots, for all outgoing requests. */
    tls: { ca?: CaConfig }
  }
}

/** A proxy for requests. */
export interface ProxyConfig {
  /** The protocol; with each of them the proxy resolves names. */
  protocol: 'http' | 'https' | 'socks5'
  /** The host: a name, or an address without the brackets of IPv6. */
  host: string
  port: number
  username?: string
  password?: string
}

/** Proxies by the protocol of the target, and the targets that bypass them (the rules of NO_PROXY, as typed). */
export interface ProxiesConfig {
  http?: ProxyConfig
  https?: ProxyConfig
  direct: string[]
}

const kinds: Readonly<Record<string, { protocol: ProxyConfig['protocol']; port: number }>> = {
  'http:': { protocol: 'http', port: 80 },
  'https:': { protocol: 'https', port: 443 },
  // By either spelling of SOCKS, names go to the proxy: if other services need a proxy, names resolved on this machine are often wrong.
  'socks:': { protocol: 'socks5', port: 1080 }, // desktops set this protocol, whose version programs must guess
  'socks5:': { protocol: 'socks5', port: 1080 },
  'socks5h:': { protocol: 'socks5', port: 1080 },
}

/** SOCKS limits user and password to 255 bytes each. */
const maxLoginLength = 255

const expected: Sentence = {
  en: 'the address of a proxy, such as http://user:password@proxy.example:3128, https://… or socks5://…',
  fa: 'نشانی پراکسی، مانند http://user:password@proxy.example:3128 یا https://… یا socks5://…',
}

const orDirect = { en: `${expected.en}, or direct`, fa: `${expected.fa}، یا direct` }

/** The member `proxy` of an entry; `direct` bypasses the proxy of the environment. */
export const proxySetting = Type.Optional(
  Type.Unsafe<ProxyConfig | 'direct'>({
    type: 'string',
    ...readingRules({ secret: true, expected: orDirect, convert: readProxy }),
  }),
)

function readProxy(text: string, node: ConfigNode): ProxyConfig | 'direct' {
  return text === 'direct' ? 'direct' : (parse(text) ?? node.refuseSecretValue(orDirect))
}

/** The member `tls` of an entry, or of the file. */
export const tlsSetting = Type.Object({ ca_file: Type.Optional(caFile) })

export const tls = fileSection({
  name: 'tls',
  schema: Type.Object(tlsSetting.properties, { default: {} }),
  read: ({ ca_file }) => (ca_file ? { ca: ca_file } : {}),
})

const proxyAbout = (addresses: string) => ({
  en: `The proxy of requests to ${addresses} addresses, by either spelling; small wins, as in curl.`,
  fa: `پراکسی درخواست‌ها به نشانی‌های ${addresses}، با هر دو املا؛ مانند curl حرف‌های کوچک مقدم‌اند.`,
})

const directAbout = {
  en: 'Hosts and networks that are asked directly all the same.',
  fa: 'میزبان‌ها و شبکه‌هایی که با این همه مستقیم پرسیده می‌شوند.',
}

/** The usual proxy variables. They are set for other programs too, so variables that are not needed are not read. */
export const proxies = variableSection({
  name: 'proxies',
  variables: [
    { name: 'HTTPS_PROXY', about: proxyAbout('https://'), secret: true },
    { name: 'https_proxy', about: proxyAbout('https://'), secret: true },
    { name: 'HTTP_PROXY', about: proxyAbout('http://'), secret: true },
    { name: 'http_proxy', about: proxyAbout('http://'), secret: true },
    { name: 'ALL_PROXY', about: proxyAbout('http:// / https://'), secret: true },
    { name: 'all_proxy', about: proxyAbout('http:// / https://'), secret: true },
    { name: 'NO_PROXY', about: directAbout },
    { name: 'no_proxy', about: directAbout },
  ],
  read: (variable) => {
    const either = (...names: Parameters<typeof variable>[0][]): NamedValue | undefined =>
      names.flatMap((name) => {
        const value = variable(name)
        return value === undefined ? [] : [{ name, value }]
      })[0]
    const all = either('all_proxy', 'ALL_PROXY')
    const http = fromVariable(either('http_proxy', 'HTTP_PROXY') ?? all)
    const https = fromVariable(either('https_proxy', 'HTTPS_PROXY') ?? all)
    return {
      ...(http && { http }),
      ...(https && { https }),
      direct: http || https ? readDirect(either('no_proxy', 'NO_PROXY')) : [],
    }
  },
})

/** A variable that has several names: the name that is set, and its value. */
interface NamedValue {
  name: string
  value: string
}

/** The value may contain a password, so the message does not repeat it. */
function fromVariable(typed: NamedValue | undefined): ProxyConfig | undefined {
  return typed && (parse(typed.value) ?? refuseConfig(refusals.unusable(typed.name, expected)))
}

/** Parses an address; undefined if it is invalid. Without a protocol it means HTTP, as is usual. */
function parse(text: string): ProxyConfig | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const kind = url ? kinds[url.protocol] : undefined
  if (!url || !kind || url.hostname === '' || url.search !== '' || url.hash !== '') return undefined
  if (url.pathname !== '' && url.pathname !== '/') return undefined
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined) return undefined
  return {
    protocol: kind.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || kind.port),
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  }
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return Buffer.byteLength(plain) <= maxLoginLength ? plain : undefined
  } catch {
    return undefined
  }
}

/** The rules of NO_PROXY that this program understands; other programs may understand the rest. */
const readDirect = (typed: NamedValue | undefined): string[] =>
  typed?.value.split(/[\s,]+/).filter((rule) => rule !== '' && isRule(rule)) ?? []

/** Whether NO_PROXY may contain the text; `platform/proxy` reads it. */
function isRule(text: string): boolean {
  if (isNetwork(text)) return true // tested first, since the colons of IPv6 look like those of a port
  const [, bracketed, after] = /^\[([^\]]*)\](.*)$/.exec(text) ?? []
  const [host = '', port = ''] =
    bracketed === undefined && isIP(text) === 0 ? text.split(':') : [bracketed ?? text, after?.slice(1)]
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) return false
  if (!host.includes('/'))
    return host === '*' || isIP(host) !== 0 || isPrefix(host) || /^(\*?\.)?[^*:/[\]]+$/.test(host)
  return isNetwork(host)
}

/** The beginning of an address: `192.168.*`, `10.*.*.*`. */
const isPrefix = (text: string): boolean => /^(?:\d{1,3}\.){1,3}\*(?:\.\*){0,2}$/.test(text)

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const maxBits = { 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits
}
