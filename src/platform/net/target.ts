import { isIP } from 'node:net'
import { FetchRefused } from './refused.ts'

export type Protocol = 'https:' | 'http:'

const maxUrlLength = 8_192

/**
 * Blocked ports: those of the Fetch standard, whose protocols could be abused by the text of an HTTP request, then those of two data stores; 0 is
 * invalid.
 */
const badPorts = new Set(
  [
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139',
    '143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049',
    '3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080',
    '6379 11211',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Returns the normalized address: parsed by the URL standard, which turns every spelling of an IPv4 host (decimal, octal, hexadecimal, full-width,
 * shortened) into dotted decimals; without a trailing dot and without a fragment. Throws `FetchRefused`.
 */
export function readTarget(text: string, protocols: readonly Protocol[], base?: URL): URL {
  const url = text.length <= maxUrlLength ? URL.parse(text, base?.href) : null
  if (!url) throw new FetchRefused('bad_url', base?.hostname ?? '')
  if (!protocols.some((protocol) => protocol === url.protocol))
    throw new FetchRefused('protocol', url.hostname)
  if (url.username !== '' || url.password !== '' || badPorts.has(url.port))
    throw new FetchRefused('bad_url', url.hostname)
  // Certificates and SNI contain names without the trailing dot.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  url.hash = ''
  return url
}

/** The host to connect to: a name, or an address without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname

export const isAddress = (host: string): boolean => isIP(host) !== 0

const insideZones = ['arpa', 'home', 'internal', 'intranet', 'lan', 'local', 'localdomain', 'localhost']

/**
 * True for a name that only an internal network resolves, such as metadata services of hosting providers: failing to resolve it here proves nothing.
 */
export function isInternalName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  return !isAddress(host) && (labels.length === 1 || insideZones.includes(labels.at(-1)!))
}

/** Names that are never in the public DNS: IANA's special-use domain names (RFC 6761), and ICANN's `internal`. */
const neverPublic = new Set([
  'alt',
  'arpa',
  'example',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
])

/** True for a name that could be registered. */
export function mayBePublic(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  return !isAddress(host) && labels.length > 1 && !neverPublic.has(labels.at(-1)!)
}
