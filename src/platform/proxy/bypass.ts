import { BlockList, isIP } from 'node:net'

/**
 * Whether requests to an address go directly: to this machine always, to others by the rules of NO_PROXY as curl and Go read them. A rule is `*`, a
 * domain (itself and all below it, with or without `.` or `*.` before it), an address, the beginning of one (`10.1.*`) or a network (`10.0.0.0/8`),
 * each with or without a port. Networks contain only addresses: no name is looked up for them.
 */
export function goesDirect(url: URL, rules: readonly string[]): boolean {
  const host = plainHost(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return isLoopback(host) || rules.some((rule) => matchesRule(readRule(rule), host, port))
}

interface Rule {
  host: string
  port: string | undefined
}

/** The rule, with its port separated. */
function readRule(text: string): Rule {
  const rule = text.trim().toLowerCase()
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(rule)
  if (bracketed) return { host: bracketed[1]!, port: bracketed[2] }
  const named = /^([^:]+):(\d+)$/.exec(rule)
  return named ? { host: named[1]!, port: named[2] } : { host: rule, port: undefined }
}

function matchesRule({ host: rule, port: only }: Rule, host: string, port: string): boolean {
  if (only !== undefined && only !== port) return false
  if (rule === '*') return true
  const isAddress = isIP(host) !== 0
  if (rule.includes('/')) return isAddress && networkOf(rule)?.check(host, familyOf(host)) === true
  if (/^(?:\d{1,3}\.){1,3}\*/.test(rule))
    return isIP(host) === 4 && host.startsWith(rule.slice(0, rule.indexOf('*')))
  if (isIP(rule) !== 0) return isAddress && sameAddress(rule, host)
  const domain = nameOf(rule.replace(/^\*?\./, ''))
  return !isAddress && (host === domain || host.endsWith(`.${domain}`))
}

/** The domain in Punycode if it is internationalised, as in addresses. */
const nameOf = (domain: string): string => plainHost(URL.parse(`http://${domain}`)?.hostname ?? domain)

const plainHost = (hostname: string): string => hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')

function networkOf(text: string): BlockList | undefined {
  const [address = '', bits = '', ...more] = text.split('/')
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  if (more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > maxBits) return undefined
  const network = new BlockList()
  network.addSubnet(address, Number(bits), familyOf(address))
  return network
}

function sameAddress(rule: string, host: string): boolean {
  const one = new BlockList()
  one.addAddress(rule, familyOf(rule))
  return one.check(host, familyOf(host))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** An IPv4-mapped IPv6 address counts as its IPv4 address. */
const isLoopback = (host: string): boolean =>
  isIP(host) !== 0
    ? loopback.check(host, familyOf(host))
    : host === 'localhost' || host.endsWith('.localhost')
