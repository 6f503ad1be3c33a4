import { expect, test } from 'vitest'
import { goesDirect } from './bypass.ts'

const direct = (url: string, ...rules: string[]) => goesDirect(new URL(url), rules)

test('this machine is asked directly without any rule, by each of its spellings', () => {
  for (const host of [
    'localhost',
    'api.localhost',
    'LOCALHOST.',
    '127.0.0.1',
    '127.9.9.9',
    '0x7f.1',
    '[::1]',
    '[::ffff:7f00:1]',
  ])
    expect(direct(`https://${host}/`), host).toBe(true)
  for (const host of ['example.com', '128.0.0.1', 'localhost.example.com', '[2001:db8::1]'])
    expect(direct(`https://${host}/`), host).toBe(false)
})

test.each([
  [
    'a domain holds itself and what is below it',
    'example.com',
    ['example.com', 'a.b.example.com', 'EXAMPLE.com.'],
    ['notexample.com', 'example.com.ir'],
  ],
  ['with a dot or a star before it too', '.example.com', ['example.com', 'a.example.com'], ['aexample.com']],
  ['with a star', '*.example.com', ['example.com', 'a.example.com'], ['example.org']],
  ['a domain of Persian letters', 'نمونه.ایران', ['نمونه.ایران', 'الف.نمونه.ایران'], ['example.ir']],
  [
    'a port holds for itself alone',
    'example.com:8443',
    ['example.com:8443', 'a.example.com:8443'],
    ['example.com', 'example.com:443'],
  ],
  ['the port of the protocol counts', 'example.com:443', ['example.com'], ['example.com:8443']],
  ['an address', '10.1.2.3', ['10.1.2.3', '0x0a.1.2.3', '167838211'], ['10.1.2.4', 'a.10.1.2.3.example']],
  ['a network', '10.0.0.0/8', ['10.200.3.4'], ['11.0.0.1', 'ten.example']],
  [
    'the beginning of an address',
    '192.168.*',
    ['192.168.3.4'],
    ['192.169.0.1', '[fd00::1]', '192.168.a.test'],
  ],
  ['the beginning with a star for each part', '10.1.*.*', ['10.1.3.4'], ['10.10.0.1']],
  ['a network of IPv6', 'fd12:3456::/32', ['[fd12:3456::9]'], ['[fd12:3457::9]', '10.0.0.1']],
  ['an address of IPv6, with and without brackets', 'fd00::1', ['[fd00::1]', '[fd00:0::1]'], ['[fd00::2]']],
  ['an address of IPv6 with a port', '[fd00::1]:8443', ['[fd00::1]:8443'], ['[fd00::1]']],
  ['a star holds all', '*', ['example.com', '1.2.3.4', '[2001:db8::1]'], []],
])('NO_PROXY: %s', (_name, rule, held, free) => {
  for (const host of held) expect(direct(`https://${host}/v1`, 'other.test', rule), host).toBe(true)
  for (const host of free) expect(direct(`https://${host}/v1`, 'other.test', rule), host).toBe(false)
})
