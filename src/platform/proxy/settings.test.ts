import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig } from '#settings'

const folder = mkdtempSync(path.join(tmpdir(), 'kherad-tls-'))
const load = (file: string | undefined, variables: Record<string, string> = {}) =>
  loadConfig(readEnv({ KHERAD_CONFIG: path.join(folder, 'kherad.config.yaml'), ...variables }), file)
const provider = (more: string) => `providers:\n  - id: a\n    base_url: https://a.test/v1\n    ${more}\n`

function refusal(file: string | undefined, variables?: Record<string, string>): { en: string; fa: string } {
  try {
    load(file, variables)
  } catch (error) {
    if (error instanceof StartRefused) return { en: error.message, fa: error.fa ?? '' }
    throw error
  }
  throw new Error('the start was not refused')
}

test('proxies of the environment are read by protocol, the small spelling and the more exact name first', () => {
  expect(load(undefined).proxies).toEqual({ direct: [] })
  const { proxies } = load(undefined, {
    ALL_PROXY: 'socks5h://s.test',
    HTTP_PROXY: 'p.test:3128',
    HTTPS_PROXY: 'http://wrong.test',
    https_proxy: 'https://us%20er:p%40ss@[fd00::1]:8443/',
    no_proxy: 'a.test, .b.test 10.0.0.0/8,[::1]:80,',
  })
  expect(proxies).toEqual({
    http: { protocol: 'http', host: 'p.test', port: 3128 },
    https: { protocol: 'https', host: 'fd00::1', port: 8443, username: 'us er', password: 'p@ss' },
    direct: ['a.test', '.b.test', '10.0.0.0/8', '[::1]:80'],
  })
  expect(load(undefined, { ALL_PROXY: 'socks5h://s.test' }).proxies).toMatchObject({
    http: { protocol: 'socks5', host: 's.test', port: 1080 },
    https: { protocol: 'socks5', host: 's.test', port: 1080 },
  })
})

test('a provider has a proxy of its own, or none', () => {
  const read = (more: string, variables?: Record<string, string>) =>
    load(provider(more), variables).providers[0]?.proxy
  expect(read('proxy: direct')).toBe('direct')
  expect(read(`proxy: "\${OUT}"`, { OUT: 'socks5://u@s.test:9' })).toEqual({
    protocol: 'socks5',
    host: 's.test',
    port: 9,
    username: 'u',
  })
})

test.each([
  'ftp://u:secret-word@p.test',
  'socks4://u:secret-word@p.test',
  'http://u:secret-word@',
  'http://u:secret-word@p.test/path',
  'http://u:secret-word@p.test:99999',
  'http://u:secret-word%zz@p.test',
  `http://u:secret-word${'x'.repeat(250)}@p.test`,
])('a proxy that is none stops the start, and its password is not repeated: %s', (url) => {
  const byEntry = refusal(provider(`proxy: "${url}"`))
  expect(byEntry.en).toMatch(
    /^kherad\.config\.yaml:4: providers\[0\]\.proxy is not usable: write the address of a proxy, .*, or direct\.$/,
  )
  const byVariable = refusal(undefined, { https_proxy: url })
  expect(byVariable.en).toMatch(/^https_proxy is not usable: write the address of a proxy/)
  expect(Object.values(byEntry).concat(Object.values(byVariable)).join()).not.toContain('secret-word')
})

test.each(['10.0.0.0/33', 'a.test/8', 'a.test:99999', 'a*b.test', 'http://a.test', '[::1'])(
  'a word of NO_PROXY that other programs may understand is left out and stops no start: %s',
  (word) => {
    const variables = { HTTPS_PROXY: 'p.test', NO_PROXY: `ok.test,${word},.more.test` }
    expect(load(undefined, variables).proxies.direct).toEqual(['ok.test', '.more.test'])
  },
)

test('networks of IPv6 and beginnings of addresses are rules of NO_PROXY, which counts only beside a proxy', () => {
  const rules = ['2001:db8::/32', 'fdab:cdef::/32', '192.168.*', '127.0.0.*', '10.*.*.*']
  const NO_PROXY = rules.join(',')
  expect(load(undefined, { HTTP_PROXY: 'p.test', NO_PROXY }).proxies.direct).toEqual(rules)
  expect(load(undefined, { NO_PROXY }).proxies).toEqual({ direct: [] })
})

test('ALL_PROXY of a desktop is SOCKS5, and is not read where both others are set', () => {
  const socks = { protocol: 'socks5', host: '127.0.0.1', port: 1080 }
  expect(load(undefined, { ALL_PROXY: 'socks://127.0.0.1:1080/' }).proxies).toEqual({
    http: socks,
    https: socks,
    direct: [],
  })
  const both = { HTTP_PROXY: 'p.test', HTTPS_PROXY: 'p.test' }
  expect(load(undefined, { ...both, all_proxy: 'socks4://127.0.0.1:1080/' }).proxies.http?.host).toBe(
    'p.test',
  )
  expect(refusal(undefined, { HTTP_PROXY: 'p.test', all_proxy: 'socks4://127.0.0.1:1080/' }).en).toContain(
    'all_proxy',
  )
})

test('users’ links leave through a proxy only where it says so', () => {
  expect(load('net: { allow_cidrs: [] }').net.usesProxy).toBe(false)
  expect(load('net: { use_proxy: true }').net.usesProxy).toBe(true)
})

test('a file of certificates that is away, empty or broken stops the start with its line and how to fix it', () => {
  const away = refusal('tls:\n  ca_file: nowhere.pem')
  expect(away.en).toBe(
    `kherad.config.yaml:2: tls.ca_file names ${path.join(folder, 'nowhere.pem')}, which cannot be read (ENOENT): correct the path, or give this user the right to read it.`,
  )
  expect(away.fa).toContain('خوانده نمی‌شود')
  writeFileSync(
    path.join(folder, 'key.pem'),
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  )
  writeFileSync(
    path.join(folder, 'bad.pem'),
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  )
  for (const file of ['key.pem', 'bad.pem'])
    expect(refusal(provider(`tls: { ca_file: ${file} }`)).en).toMatch(
      /^kherad\.config\.yaml:4: providers\[0\]\.tls\.ca_file names .*, which holds no certificates that can be read: write them there in PEM/,
    )
})
