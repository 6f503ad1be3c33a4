/** Ports and domains of the second listener: which values the start accepts and which it refuses. */
import { expect, test } from 'vitest'
import { loadConfig, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { apps } from './settings.ts'

const load = (variables: Record<string, string> = {}) => loadConfig([apps], readEnv(variables))

/** Returns both sentences of the refusal. */
function refusal(variables: Record<string, string>): { en: string; fa: string } {
  try {
    load(variables)
  } catch (error) {
    if (error instanceof StartRefused) return { en: error.message, fa: error.fa ?? '' }
    throw error
  }
  throw new Error(`${JSON.stringify(variables)} was taken`)
}

test('without a word the port is the one above that of the API, and the domains are this machine’s own', () => {
  expect(load().apps).toEqual({
    listens: true,
    port: 8081,
    portNamed: false,
    domain: undefined,
    cloudDomain: undefined,
    sharedPort: false,
  })
  expect(load({ KHERAD_PORT: '0' }).apps).toMatchObject({ port: 0, portNamed: false })
  expect(load({ KHERAD_PORT: '65534' }).apps.port).toBe(65_535)
  // The highest port has none above it, so the one below is used.
  expect(load({ KHERAD_PORT: '65535' }).apps.port).toBe(65_534)
})

test('a port is taken within its bounds, and off is none', () => {
  for (const typed of ['0', '1', '65535'])
    expect(load({ KHERAD_APPS_PORT: typed }).apps).toMatchObject({ port: Number(typed), portNamed: true })
  expect(load({ KHERAD_APPS_PORT: 'off' }).apps).toMatchObject({ listens: false, portNamed: false })
  for (const typed of ['65536', '-1', '80.5', 'on', '۸۰۸۱'])
    expect(refusal({ KHERAD_APPS_PORT: typed }).en).toMatch(/^KHERAD_APPS_PORT is .*: write a port number/)
})

test('one port for both needs a domain and a base URL, by which they are told apart', () => {
  const shared = {
    KHERAD_APPS_PORT: '8080',
    KHERAD_APPS_DOMAIN: 'apps.example',
    KHERAD_BASE_URL: 'https://ai.example.org',
  }
  expect(load(shared).apps.sharedPort).toBe(true)
  for (const missing of ['KHERAD_APPS_DOMAIN', 'KHERAD_BASE_URL']) {
    const { en, fa } = refusal({ ...shared, [missing]: '' })
    expect(en).toMatch(
      /^KHERAD_APPS_PORT is the port of the API: .*set KHERAD_APPS_DOMAIN and KHERAD_BASE_URL too/,
    )
    expect(fa).toMatch(/^KHERAD_APPS_PORT همان درگاه API است/)
  }
  // When the system chooses both ports, they differ.
  expect(load({ KHERAD_PORT: '0', KHERAD_APPS_PORT: '0' }).apps.sharedPort).toBe(false)
})

test.each(['KHERAD_APPS_DOMAIN', 'KHERAD_CLOUD_DOMAIN'])(
  '%s is a domain: small letters, Punycode, no dot at its end',
  (name) => {
    const read = (typed: string) => {
      const { domain, cloudDomain } = load({ [name]: typed }).apps
      return name === 'KHERAD_APPS_DOMAIN' ? domain : cloudDomain
    }
    expect(read('Apps.Example.NET.')).toBe('apps.example.net')
    expect(read('سایت.ایران')).toBe('xn--mgbgz72d.xn--mgba3a4f16a')
    expect(read('localhost')).toBe('localhost')
    const maxLengthDomain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(61)}`
    expect(read(maxLengthDomain)).toBe(maxLengthDomain)
    for (const typed of [
      'https://apps.example.net',
      'apps.example.net:8081',
      'apps.example.net/x',
      '*.apps.example.net',
      '.apps.example.net',
      'apps..example.net',
      '-apps.example.net',
      'apps_x.example.net',
      'net',
      '192.0.2.1',
      '[::1]',
      'a@b.example',
      `${maxLengthDomain}c`,
    ]) {
      const { en, fa } = refusal({ [name]: typed })
      expect(en, typed).toMatch(new RegExp(`^${name} is .*: write the name of a domain`))
      expect(fa, typed).toMatch(/نام دامنه‌ای/)
    }
  },
)

test.each([
  ['the same', 'ai.example.org'],
  ['the same in other letters', 'AI.Example.org.'],
  ['above it', 'example.org'],
  ['below it', 'apps.ai.example.org'],
])('a domain that is %s as the host of the base URL is refused', (_, domain) => {
  for (const name of ['KHERAD_APPS_DOMAIN', 'KHERAD_CLOUD_DOMAIN']) {
    const { en, fa } = refusal({ KHERAD_BASE_URL: 'https://ai.example.org', [name]: domain })
    expect(en).toMatch(
      new RegExp(`^${name} is .*the host of KHERAD_BASE_URL \\(ai\\.example\\.org\\), above or below it`),
    )
    expect(fa).toMatch(new RegExp(`^${name} .*KHERAD_BASE_URL`))
  }
  const beside = { KHERAD_BASE_URL: 'https://ai.example.org', KHERAD_APPS_DOMAIN: 'apps.example.org' }
  expect(load(beside).apps.domain).toBe('apps.example.org')
  expect(load({ ...beside, KHERAD_APPS_DOMAIN: 'xai.example.org' }).apps.domain).toBe('xai.example.org')
})

test('without a configured base URL its address counts', () => {
  expect(refusal({ KHERAD_HOST: 'localhost', KHERAD_APPS_DOMAIN: 'localhost' }).en).toContain('(localhost)')
  expect(refusal({ KHERAD_HOST: 'kherad.lan', KHERAD_APPS_DOMAIN: 'apps.kherad.lan' }).en).toContain(
    '(kherad.lan)',
  )
})

test.each([
  ['apps.example', 'apps.example'],
  ['apps.example', 'cloud.apps.example'],
  ['apps.cloud.example', 'cloud.example'],
])('the domains %s of sites and %s of clouds are refused together', (domain, cloudDomain) => {
  const { en } = refusal({ KHERAD_APPS_DOMAIN: domain, KHERAD_CLOUD_DOMAIN: cloudDomain })
  expect(en).toMatch(/^KHERAD_CLOUD_DOMAIN is .*KHERAD_APPS_DOMAIN/)
})
