import { expect, test } from 'vitest'
import { loadConfig, readEnv } from '#platform/config'
import { trustedProxies } from './settings.ts'
import { peerOf, TrustedProxies, visitorOf } from './trusted-proxies.ts'

const read = (typed: string) =>
  loadConfig([trustedProxies], readEnv({ KHERAD_TRUSTED_PROXIES: typed })).trustedProxies

test('a network ends exactly where it ends, in both families, and nobody is one who is not named', () => {
  const proxies = read('10.0.0.0/30,192.0.2.7 2001:db8::/126, ::1')
  for (const address of ['10.0.0.0', '10.0.0.3', '192.0.2.7', '2001:db8::3', '::1'])
    expect(proxies.has(address), address).toBe(true)
  for (const address of [
    '10.0.0.4',
    '9.255.255.255',
    '192.0.2.8',
    '2001:db8::4',
    '::2',
    '127.0.0.1',
    '',
    'x',
  ])
    expect(proxies.has(address), address).toBe(false)
  for (const address of ['127.0.0.1', '::1', '10.0.0.1']) expect(read('').has(address), address).toBe(false)
})

test('an IPv4 peer of a socket of both families is itself', () => {
  expect(peerOf({ remoteAddress: '::ffff:127.0.0.1' })).toBe('127.0.0.1')
  expect(peerOf({ remoteAddress: 'fe80::1%eth0' })).toBe('fe80::1')
  expect(peerOf({ remoteAddress: undefined })).toBe('')
})

test('a chain of ten thousand addresses is read to the visitor, and no further', () => {
  // The visitor may have invented everything before his own address: another address as well as a word.
  const header = `evil, 198.51.100.9, ${'203.0.113.7, '}${Array.from({ length: 10_000 }, () => '10.0.0.1').join(', ')}`
  const { clientAddress } = visitorOf(
    { headers: { 'x-forwarded-for': header }, peer: '10.0.0.1' },
    new TrustedProxies(['10.0.0.0/8']),
  )
  expect(clientAddress).toBe('203.0.113.7')
})

test.each([
  'all',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '::1/129',
  '0.0.0.0/0',
  '::/0',
  '10.0.0',
  'proxy.example',
  '10.0.0.1:80',
  'fe80::1%eth0',
  '[::1]',
])('%s is refused in both languages', (typed) => {
  expect(() => read(`127.0.0.1,${typed}`)).toThrow(
    /^KHERAD_TRUSTED_PROXIES is .*: write addresses and networks/,
  )
})
