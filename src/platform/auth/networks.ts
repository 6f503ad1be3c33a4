/** Networks of addresses, as people write them in lists: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
import { isIP } from 'node:net'

interface Address {
  /** 32 for IPv4, 128 for IPv6. */
  bits: 32 | 128
  value: bigint
}

interface Network extends Address {
  prefix: number
}

/**
 * Returns a network in CIDR form as lists show it, without the bits after its prefix: `10.1.2.3/8` is `10.0.0.0/8`. `undefined` for text that is none,
 * for a network of all addresses, which would be no bound, and for IPv4 inside IPv6, which is written as IPv4.
 */
export function readNetwork(typed: string): string | undefined {
  const network = networkOf(typed.trim())
  return network && `${textOf(network)}/${network.prefix}`
}

/** A list of networks, as `readNetwork` returns them. An empty list has every address. */
export class Networks {
  readonly #networks: readonly Network[]

  /** Throws for a text that is no network. */
  constructor(texts: readonly string[]) {
    this.#networks = texts.map((text) => {
      const network = networkOf(text)
      if (!network) throw new RangeError(text)
      return network
    })
  }

  /** Whether the list has the address; an IPv4 address inside an IPv6 one counts as IPv4, and what is no address is in no network. */
  has(text: string): boolean {
    if (this.#networks.length === 0) return true
    const address = addressOf(text)
    return address !== undefined && this.#networks.some((network) => contains(network, address))
  }
}

const contains = ({ bits, prefix, value }: Network, address: Address): boolean =>
  address.bits === bits && (address.value ^ value) >> BigInt(bits - prefix) === 0n

function networkOf(text: string): Network | undefined {
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = addressOf(given)
  if (!address || (address.bits === 32 && isIP(given) === 6)) return undefined
  const { bits, value } = address
  const prefix = length === undefined ? bits : Number(length)
  if (prefix < 1 || prefix > bits) return undefined
  const rest = BigInt(bits - prefix)
  return { bits, prefix, value: (value >> rest) << rest }
}

/** The address of a text without port, brackets and zone; undefined for any other text. */
function addressOf(text: string): Address | undefined {
  const family = isIP(text)
  if (family === 4)
    return { bits: 32, value: text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) }
  if (family !== 6 || text.includes('%')) return undefined
  const value = groupsOf(text).reduce((sum, group) => sum * 65_536n + BigInt(group), 0n)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value }
}

/** The eight groups of an IPv6 address. The parser of URLs writes each form of it in one way, in hexadecimal groups. */
function groupsOf(text: string): number[] {
  const written = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const [head, tail] = written.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const groups = [...head!, ...(tail ? Array(8 - head!.length - tail.length).fill('0') : []), ...(tail ?? [])]
  return groups.map((group) => Number.parseInt(group, 16))
}

function textOf({ bits, value }: Address): string {
  const size = bits === 32 ? 8n : 16n
  const parts = Array.from({ length: bits / Number(size) }, (_, at) => {
    const shift = BigInt(bits) - size * BigInt(at + 1)
    return (value >> shift) & ((1n << size) - 1n)
  })
  if (bits === 32) return parts.join('.')
  const groups = parts.map((part) => part.toString(16)).join(':')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}
