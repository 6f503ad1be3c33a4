import { describe, expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { isGloballyRoutable, rangesOf } from './routable.ts'
import { hostOf, readTarget } from './target.ts'

/**
 * The first and last address of each range that is not public, and its neighbours outside if those are public. From the IANA special-purpose
 * registries for IPv4 and IPv6, and the address space registries for multicast and unassigned ranges.
 */
const special: [range: string, first: string, last: string, ...neighbours: string[]][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
  ['metadata of Azure', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['::/8, loopback and compatible', '::', 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['::ffff:0:0/96, mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['mapped public', '::ffff:8.8.8.8', '::ffff:808:808'],
  ['64:ff9b:1::/48, local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64, discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::/23, Teredo and protocols', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7::1', '2001:db9::'],
  ['2002::/16, 6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::1', '2003::'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::1', '3fff:1000::'],
  ['all below 2000::/3', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['all above 2000::/3', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::'],
  ['5f00::/16, segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7, unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10, link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10, site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8, multicast', 'ff00::', 'ffff::'],
  ['NAT64 of 10.0.0.0/8', '64:ff9b::10.0.0.0', '64:ff9b::10.255.255.255', '64:ff9b::11.0.0.0'],
  ['NAT64 of 0.0.0.0/8', '64:ff9b::', '64:ff9b::ff:ffff', '64:ff9b::100:0'],
  ['NAT64 of metadata', '64:ff9b::a9fe:a9fe', '64:ff9b::169.254.169.254', '64:ff9b::8.8.8.8'],
]

describe.each(special)('%s', (_range, first, last, ...neighbours) => {
  test.each([first, last])('%s is not public', (address) => expect(isGloballyRoutable(address)).toBe(false))
  if (neighbours.length > 0)
    test.each(neighbours)('%s beside it is', (address) => expect(isGloballyRoutable(address)).toBe(true))
})

test.each(['8.8.8.8', '1.1.1.1', '185.143.233.120', '2606:4700::6810:84e5', '2a00:1450:4001:82f::200e'])(
  '%s is public',
  (address) => expect(isGloballyRoutable(address)).toBe(true),
)

test.each([
  '',
  'localhost',
  'example.com',
  '8.8.8',
  '08.8.8.8',
  '0x8080808',
  '134744072',
  '2606:4700::1%eth0',
  '[2606::1]',
])('what is no plain address is not public: %j', (text) => expect(isGloballyRoutable(text)).toBe(false))

/** An address of one of the private networks that are usual around a server. */
const privateIpv4 = fc
  .constantFrom([10, 8], [127, 8], [0xa9fe, 16], [0xc0a8, 16], [0xac1, 12], [0x191, 10], [0, 8])
  .chain(([base, bits]) =>
    fc.integer({ min: 0, max: 2 ** (32 - bits!) - 1 }).map((rest) => base! * 2 ** (32 - bits!) + rest),
  )

const spellings: Record<string, (address: number) => string> = {
  dotted: (address) => octets(address).join('.'),
  decimal: String,
  hex: (address) => `0x${address.toString(16)}`,
  'hex in capitals': (address) => `0X${address.toString(16).toUpperCase()}`,
  octal: (address) => `0${address.toString(8)}`,
  'octal octets': (address) =>
    octets(address)
      .map((octet) => `0${octet.toString(8)}`)
      .join('.'),
  'padded hex octets': (address) =>
    octets(address)
      .map((octet) => `0x000${octet.toString(16)}`)
      .join('.'),
  'two parts': (address) => `${address >>> 24}.${address & 0xffffff}`,
  'three parts': (address) => `${address >>> 24}.${(address >>> 16) & 255}.${address & 0xffff}`,
  'a dot at the end': (address) => `${octets(address).join('.')}.`,
  'full-width digits': (address) =>
    octets(address)
      .join('.')
      .replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  'percent-encoded': (address) =>
    [...octets(address).join('.')].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  mapped: (address) => `[::ffff:${octets(address).join('.')}]`,
  'mapped in hex': (address) =>
    `[0:0:0:0:0:FFFF:${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}]`,
  compatible: (address) => `[::${octets(address).join('.')}]`,
  NAT64: (address) => `[64:ff9b::${octets(address).join('.')}]`,
  'local NAT64': (address) => `[64:ff9b:1::${octets(address).join('.')}]`,
  '6to4': (address) => `[2002:${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}::1]`,
}

const octets = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255)

test.each(Object.entries(spellings))(
  'a private IPv4 address stays private when spelled as %s',
  (_, spell) => {
    fc.assert(
      fc.property(privateIpv4, (address) => {
        const host = hostOf(readTarget(`https://${spell(address)}/`, ['https:']))
        expect(isGloballyRoutable(host), host).toBe(false)
      }),
      { numRuns: 300 },
    )
  },
)

test('the spellings are those of one address: a public one is public in all that do not wrap it', () => {
  const plain = Object.entries(spellings).filter(([name]) => !/mapped|compatible|local|6to4/.test(name))
  for (const [name, spell] of plain) {
    const host = hostOf(readTarget(`https://${spell(0x08080404)}/`, ['https:']))
    expect(isGloballyRoutable(host), name).toBe(true)
  }
  expect(plain.length).toBeGreaterThan(10)
})

test.each([
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0/8',
  'fd00::/129',
  '10.0.0.0/8/8',
  'localhost/8',
  '',
])('ranges are made of CIDRs only, not of %j', (text) => expect(() => rangesOf([text])).toThrow())

test.each([
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://:password@example.com/',
  'https://example.com:25/',
  'https://example.com:6379/',
  'example.com',
  '//example.com',
  'https://',
  'https://999.1.1.1/',
  'https://[fe80::1%25eth0]/',
])('%s is no address to ask', (text) => {
  expect(() => readTarget(text, ['https:', 'http:'])).toThrow(expect.objectContaining({ reason: 'bad_url' }))
})

test.each(['http://example.com/', 'file:///etc/passwd', 'ftp://example.com/', 'gopher://a/', 'data:,x'])(
  '%s is of another protocol',
  (text) =>
    expect(() => readTarget(text, ['https:'])).toThrow(expect.objectContaining({ reason: 'protocol' })),
)

test('an address has at most 8,192 characters', () => {
  const start = 'https://example.com/'
  const maxLengthUrl = start + 'a'.repeat(8_192 - start.length)
  expect(readTarget(maxLengthUrl, ['https:']).href).toBe(maxLengthUrl)
  expect(() => readTarget(`${maxLengthUrl}a`, ['https:'])).toThrow(
    expect.objectContaining({ reason: 'bad_url' }),
  )
})

test('a name is asked without the dot at its end and without its fragment', () => {
  expect(readTarget('https://Example.COM.:8443/a?b#c', ['https:']).href).toBe('https://example.com:8443/a?b')
})
