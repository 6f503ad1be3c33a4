import { expect, test } from 'vitest'
import { redactedProxy } from './redacted.ts'

const proxy = { protocol: 'http', host: 'p.test', port: 3128 } as const

test('a proxy is shown without its password, and without a token that stands alone as its user', () => {
  expect(redactedProxy(proxy)).toBe('http://p.test:3128')
  expect(redactedProxy({ ...proxy, username: 'kherad', password: 'secret' })).toBe(
    'http://kherad:***@p.test:3128',
  )
  expect(redactedProxy({ ...proxy, username: 'secret-token' })).toBe('http://***@p.test:3128')
  expect(redactedProxy({ ...proxy, protocol: 'socks5', host: 'fd00::1', username: 't' })).toBe(
    'socks5://***@[fd00::1]:3128',
  )
})
