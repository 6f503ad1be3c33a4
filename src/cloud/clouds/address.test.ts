/** Addresses of clouds and sites, with and without domains, behind a proxy and without one. */
import { expect, test } from 'vitest'
import { apps } from '#platform/apps/settings'
import { loadConfig, readEnv } from '#platform/config'
import { siteUrl } from '#sites/hosting'
import { cloudPathForm, cloudUrl } from './address.ts'

test.each([
  [{}, 'http://a.localhost:8081', 'http://b.localhost:8081'],
  [{ KHERAD_BASE_URL: 'https://ai.example.org' }, 'http://a.localhost:8081', 'http://b.localhost:8081'],
  [
    {
      KHERAD_BASE_URL: 'https://ai.example.org',
      KHERAD_APPS_DOMAIN: 'apps.example',
      KHERAD_CLOUD_DOMAIN: 'cloud.example',
    },
    'https://a.apps.example',
    'https://b.cloud.example',
  ],
  [
    { KHERAD_BASE_URL: 'https://ai.example.org:8443', KHERAD_APPS_DOMAIN: 'apps.example' },
    'https://a.apps.example:8443',
    'http://b.localhost:8081',
  ],
  // Without a proxy the URL has the port of the second listener.
  [
    {
      KHERAD_BASE_URL: 'http://kherad.lan:8080',
      KHERAD_APPS_DOMAIN: 'apps.lan',
      KHERAD_CLOUD_DOMAIN: 'cloud.lan',
    },
    'http://a.apps.lan:8081',
    'http://b.cloud.lan:8081',
  ],
  [
    { KHERAD_BASE_URL: 'http://kherad.lan:8080', KHERAD_APPS_PORT: '8080', KHERAD_APPS_DOMAIN: 'apps.lan' },
    'http://a.apps.lan:8080',
    'http://b.localhost:8080',
  ],
  [
    { KHERAD_BASE_URL: 'http://kherad.lan', KHERAD_APPS_DOMAIN: 'apps.lan' },
    'http://a.apps.lan',
    'http://b.localhost:8081',
  ],
] as const)('with %o a site is %s and a cloud %s', (variables, site, cloud) => {
  const config = loadConfig([apps], readEnv(variables as Record<string, string>))
  expect(siteUrl(config, 'a')).toBe(site)
  expect(cloudUrl(config, 'b')).toBe(cloud)
})

test('a cloud has an address in the path form only where clouds have no domain', () => {
  const load = (variables: Record<string, string>) => loadConfig([apps], readEnv(variables))
  const form = cloudPathForm(load({ KHERAD_APPS_DOMAIN: 'apps.example' }))
  expect([form?.prefix, form?.hostOf('b')]).toEqual(['/_cloud', 'b.localhost'])
  expect(cloudPathForm(load({ KHERAD_CLOUD_DOMAIN: 'cloud.example' }))).toBeUndefined()
})
