import { BlockList, isIP } from 'node:net'

/**
 * IPv4 ranges without public servers: the IANA special-purpose registry (RFC 6890 and successors), multicast and reserved ranges. The two
 * globally reachable anycast addresses of 192.0.0.0/24 serve no pages, so the whole block is excluded.
 */
const special4 = rangesOf([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with most hosting providers' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/**
 * All IPv6 space that IANA has allocated for hosts. It excludes loopback, mapped and compatible IPv4, unique local, link-local and multicast
 * addresses.
 */
const globalUnicast6 = rangesOf(['2000::/3'])

const special6 = rangesOf([
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: leads to any IPv4 address
  '3fff::/20', // documentation
])

/** A NAT64 address leads to the IPv4 address in its last 32 bits (RFC 6052); IPv6-only hosts reach most of the web this way. */
const nat64 = rangesOf(['64:ff9b::/96'])

/** Metadata services of hosting providers, which hand out secrets. Some addresses look public, some are in networks that an operator may allow. */
const metadata = rangesOf([
  '169.254.169.254/32', // AWS, GCP, Azure, Oracle, DigitalOcean, Hetzner
  '169.254.170.2/32', // AWS ECS
  '169.254.170.23/32', // AWS EKS
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's wire server
  '192.0.0.192/32', // Oracle
  'fd00:ec2::254/128', // AWS
  'fd00:ec2::23/128', // AWS EKS
  'fd20:ce::254/128', // GCP
  'fd00:42::42/128', // Scaleway
])

/** The addresses inside CIDRs such as `10.0.0.0/8` and `fd12:3456::/32`. Throws for a text that is not a CIDR. */
export function rangesOf(cidrs: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const cidr of cidrs) {
    const [, address = '', prefix = 'none'] = /^([^/%]+)\/(\d+)$/.exec(cidr) ?? []
    ranges.addSubnet(address, Number(prefix), familyOf(address))
  }
  return ranges
}

/** Whether the ranges hold the address. An IPv4-mapped IPv6 address counts as the IPv4 address that it leads to. */
export const containsAddress = (ranges: BlockList, address: string): boolean =>
  isIP(address) !== 0 && !hasZone(address) && ranges.check(address, familyOf(address))

/** Whether a hosting provider's metadata service answers at the address, directly or through NAT64. */
export const isMetadata = (address: string): boolean =>
  containsAddress(metadata, address) ||
  (containsAddress(nat64, address) && containsAddress(metadata, lastIpv4Of(address)))

/**
 * Whether the address belongs to the public internet. IPv4 must be written as four plain decimals; every other spelling, every name, IPv6 with a zone
 * and every address that is unassigned or not meant for public hosts gives false.
 */
export function isGloballyRoutable(address: string): boolean {
  if (isMetadata(address)) return false
  if (isIP(address) === 4) return !containsAddress(special4, address)
  if (containsAddress(nat64, address)) return isGloballyRoutable(lastIpv4Of(address))
  return containsAddress(globalUnicast6, address) && !containsAddress(special6, address)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}

/** Whether an IPv6 address has a zone, such as `fe80::1%eth0`. */
const hasZone = (address: string): boolean => address.includes('%')

/** The last 32 bits of an IPv6 address as dotted decimals; URL writes every IPv6 address in hexadecimal groups. */
function lastIpv4Of(address: string): string {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2)
  return groups
    .map((group) => Number.parseInt(group || '0', 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}
