import { expect, test } from 'vitest'
import '#platform/http'
import { domainOf } from './domain.ts'

const own = ['kherad.example.com', 'kherad-apps.net']

test.each([
  ['Shop.Example.COM.', 'shop.example.com'],
  ['  shop.example.com ', 'shop.example.com'],
  ['فروشگاه.ایران', 'xn--mgbtj4c7ad63e.xn--mgba3a4f16a'],
  ['xn--mgbtj4c7ad63e.xn--mgba3a4f16a', 'xn--mgbtj4c7ad63e.xn--mgba3a4f16a'],
  ['example.com', 'example.com'],
  ['notkherad.example.com', 'notkherad.example.com'],
])('%s is claimed as %s', (typed, domain) => expect(domainOf(typed, own)).toBe(domain))

test.each([
  ...[
    '',
    'example',
    'https://example.com',
    'example.com/x',
    'example.com:80',
    '*.example.com',
    '1.2.3.4',
    '::1',
    '[::1]',
  ],
  ...[
    '0x7f.1',
    '2130706433',
    'a..b',
    '-a.com',
    'a b.com',
    'localhost',
    'shop.localhost',
    'shop.internal',
    'x.local',
  ],
  ...[
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
    'a'.repeat(1_000_000),
    'exa\u0000mple.com',
    'user@example.com',
  ],
])('%s is no domain that can be claimed', (typed) => {
  expect(() => domainOf(typed, own)).toThrow()
})

test.each([
  'kherad.example.com',
  'KHERAD.example.com.',
  'login.kherad.example.com',
  'kherad-apps.net',
  'a.b.kherad-apps.net',
])('nobody claims %s, which is the platform’s', (typed) => {
  expect(() => domainOf(typed, own)).toThrow()
})
