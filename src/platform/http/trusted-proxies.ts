/** Where a request came from, and which proxies are trusted to say so. */
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'

/** The proxies in front of this server, by their addresses. An address that is not listed is no trusted proxy. */
export class TrustedProxies {
  readonly #ranges = { 4: new BlockList(), 6: new BlockList() }
  readonly #isEmpty: boolean

  /** Throws for a text that is neither an address nor a CIDR. */
  constructor(ranges: readonly string[]) {
    this.#isEmpty = ranges.length === 0
    for (const range of ranges) this.#add(range)
  }

  #add(range: string): void {
    const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(range) ?? []
    const family = isIP(address)
    if (family !== 4 && family !== 6) throw new RangeError(range)
    // A range of all addresses would let every visitor choose his own address.
    const length = bits === undefined ? { 4: 32, 6: 128 }[family] : Number(bits)
    if (length === 0) throw new RangeError(range)
    this.#ranges[family].addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
  }

  has(address: string): boolean {
    const family = isIP(address)
    if (this.#isEmpty || (family !== 4 && family !== 6)) return false
    return this.#ranges[family].check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** The address, host and protocol of a request as the visitor sent it, before any proxy. */
export interface VisitorAddress {
  /** The text of `Host`; undefined if the request has none. */
  host: string | undefined
  secure: boolean
  /** The visitor's address; empty if the connection is gone. */
  clientAddress: string
}

/** What a trusted proxy reports about its visitor, otherwise what the connection itself shows. */
export function visitorOf(
  { headers, peer }: { headers: IncomingHttpHeaders; peer: string },
  proxies: TrustedProxies,
): VisitorAddress {
  if (!proxies.has(peer)) return { host: headers.host, secure: false, clientAddress: peer }
  return {
    host: nearest(headers['x-forwarded-host']) ?? headers.host,
    secure: nearest(headers['x-forwarded-proto'])?.toLowerCase() === 'https',
    clientAddress: clientOf(peer, headers['x-forwarded-for'], proxies),
  }
}

/**
 * The visitor's address. Each proxy appends the address of its peer, so the last address that is no trusted proxy is the visitor's; the visitor may
 * have invented those before it.
 */
function clientOf(peer: string, header: string | string[] | undefined, proxies: TrustedProxies): string {
  let client = peer
  for (const text of valuesOf(header).reverse()) {
    if (!proxies.has(client)) break
    const address = plainAddress(text)
    if (isIP(address) === 0) break
    client = address
  }
  return client
}

/** The last value of a header, which the nearest proxy writes; earlier ones may come from the visitor. */
const nearest = (header: string | string[] | undefined): string | undefined =>
  valuesOf(header).at(-1) || undefined

const valuesOf = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((value) => value.split(',').map((one) => one.trim()))

/** The address of the other end of a connection; empty once it is gone. */
export const peerOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string =>
  plainAddress(remoteAddress ?? '')

/** The address without brackets, port and zone; an IPv4 address inside an IPv6 address is returned as IPv4. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  return bare.split('%', 1)[0]!.replace(/^::ffff:(?=\d{1,3}\.)/i, '')
}
