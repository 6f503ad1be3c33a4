/** Whose word counts about where a request came from. */
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'

/** The proxies in front of this server, by their addresses. Nobody is one who is not named. */
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
    // A range of all addresses would let every visitor say who he is.
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

/** A request as the visitor sent it, before any proxy. */
export interface VisitorAddress {
  /** The text of `Host`; undefined where none came. */
  host: string | undefined
  secure: boolean
  /** Empty where the connection is gone. */
  clientAddress: string
}

/** What a trusted proxy says of its visitor, otherwise what the connection itself says. */
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

/** Each proxy appends the address of its peer: the last one that is no proxy of ours is the visitor; what stands before it, he may have made up. */
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

/** The proxy next to us writes the last value; those before it may be the visitor's. */
const nearest = (header: string | string[] | undefined): string | undefined =>
  valuesOf(header).at(-1) || undefined

const valuesOf = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((value) => value.split(',').map((one) => one.trim()))

/** The address of the other end of a connection; empty once it is gone. */
export const peerOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string =>
  plainAddress(remoteAddress ?? '')

/** Without brackets, port and zone; an IPv4 address that came over IPv6 as itself. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  return bare.split('%', 1)[0]!.replace(/^::ffff:(?=\d{1,3}\.)/i, '')
}
