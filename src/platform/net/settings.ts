/** The networks that addresses named by users may reach, and whether a proxy is used. A network must not be so wide that it disables the guard. */
import { isIP } from 'node:net'
import { Type } from 'typebox'
import { type ConfigNode, fileSection, readingRules } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Requests to addresses that users name. */
    net: NetConfig
  }
}

export interface NetConfig {
  /** Networks that such requests may reach although they are not public. */
  allowedCidrs: string[]
  /** True if such requests go through the proxy of the environment, too. */
  usesProxy: boolean
  /** Name servers for TXT records; empty: those of the system. */
  dnsServers: string[]
}

/** The allowed lengths of prefixes: the widest networks for private use are 10.0.0.0/8 and fc00::/7. */
const prefixes = { ipv4: [8, 32], ipv6: [7, 128] } as const

const nameServer = {
  en: 'the address of a name server, such as 192.0.2.53 or [2001:db8::53]:5353',
  fa: 'نشانی یک سرور نام، مانند 192.0.2.53 یا [2001:db8::53]:5353',
}

function checkNameServer(text: string, node: ConfigNode): void {
  if (isIP(text) !== 0) return
  // An IPv6 address contains colons itself, so with a port it is written in brackets.
  const [, six, sixPort] = /^\[([0-9a-fA-F:.]+)\](?::(\d{1,5}))?$/.exec(text) ?? []
  const [, four, fourPort] = /^([0-9.]+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(sixPort ?? fourPort ?? 53)
  const isAddress = isIP(six ?? '') === 6 || isIP(four ?? '') === 4
  if (!isAddress || port < 1 || port > 65_535) node.refuseValue(nameServer)
}

const network = {
  en: 'a network with its prefix, such as 10.0.0.0/8 or fd12:3456::/32, of /8 or longer (IPv6: /7)',
  fa: 'شبکه‌ای با پیشوندش، مانند 10.0.0.0/8 یا fd12:3456::/32، با پیشوند 8 یا بلندتر (در IPv6 از 7)',
}

function checkCidr(text: string, node: ConfigNode): void {
  const [address = '', prefix] = text.split('/')
  const [minPrefix, maxPrefix] = prefixes[isIP(address) === 4 ? 'ipv4' : 'ipv6']
  const valid = isIP(address) !== 0 && Number(prefix) >= minPrefix && Number(prefix) <= maxPrefix
  if (!valid) node.refuseValue(network)
}

export const net = fileSection({
  name: 'net',
  schema: Type.Object(
    {
      allow_cidrs: Type.Array(
        Type.String({
          pattern: '^[0-9a-fA-F.:]+/\\d{1,3}$',
          ...readingRules({ expected: network, check: checkCidr }),
        }),
        {
          default: [],
          description: 'Networks that addresses of users may lead into, though they are not public.',
        },
      ),
      use_proxy: Type.Boolean({
        default: false,
        description: 'Requests to addresses of users go through the proxy of the environment too.',
      }),
      dns_servers: Type.Array(
        Type.String({ maxLength: 100, ...readingRules({ expected: nameServer, check: checkNameServer }) }),
        {
          default: [],
          maxItems: 10,
          description: 'Name servers that are asked for the TXT records of domains, instead of the system’s.',
        },
      ),
    },
    { default: {} },
  ),
  read: ({ allow_cidrs, use_proxy, dns_servers }) => ({
    allowedCidrs: allow_cidrs,
    usesProxy: use_proxy,
    dnsServers: dns_servers,
  }),
})
