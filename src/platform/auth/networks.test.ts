import { expect, test } from 'vitest'
import { Networks, readNetwork } from './networks.ts'

test('networks are written in one way, and what is no bound is refused', () => {
  const written = Object.entries({
    '203.0.113.7': '203.0.113.7/32',
    ' 10.1.2.3/8 ': '10.0.0.0/8',
    '0.0.0.0/1': '0.0.0.0/1',
    '2001:DB8:0:0::5/33': '2001:db8::/33',
    '2001:db8::7': '2001:db8::7/128',
    '::1': '::1/128',
  })
  for (const [typed, shown] of written) expect(readNetwork(typed), typed).toBe(shown)
  const refused = [
    '',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::ffff:10.0.0.0/104',
    '::ffff:a00:1',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.1:80',
    'example.org',
    '۱۰.0.0.1',
    '10.0.0.0/8 ,',
    '*',
  ]
  for (const typed of refused) expect(readNetwork(typed), typed).toBeUndefined()
})

test('a list has the first and the last address of its networks, and none beside them', () => {
  const list = new Networks(['203.0.113.64/26', '2001:db8:1::/48', '198.51.100.7/32'])
  for (const address of [
    '203.0.113.64',
    '203.0.113.127',
    '198.51.100.7',
    '2001:db8:1::',
    '2001:db8:1:ffff:ffff:ffff:ffff:ffff',
  ])
    expect(list.has(address), address).toBe(true)
  for (const address of [
    '203.0.113.63',
    '203.0.113.128',
    '198.51.100.6',
    '198.51.100.8',
    '2001:db8::ffff',
    '2001:db8:2::',
    '',
    'unknown',
  ])
    expect(list.has(address), address).toBe(false)
  // IPv4 inside IPv6, in both of its forms; and an IPv6 address whose last bits are those of a listed IPv4 address.
  expect(
    ['::ffff:203.0.113.65', '::ffff:cb00:7141', '::ffff:203.0.113.63', '::203.0.113.65'].map((one) =>
      list.has(one),
    ),
  ).toEqual([true, true, false, false])
  expect(new Networks([]).has('192.0.2.1')).toBe(true)
})
