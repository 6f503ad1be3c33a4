import { expect, test } from 'vitest'
import { loadConfig, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { openid } from './settings.ts'

const account = '0198a3de-0000-7000-8000-000000000001'
const entry = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://id.acme.example/realms/staff',
  client_id: 'kherad',
  client_secret: `"\${ACME_SECRET}"`,
}

const fileOf = (more: Record<string, string> = {}): string =>
  `openid:\n  - ${Object.entries({ ...entry, ...more })
    .filter(([, value]) => value !== '-')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n    ')}\n`

const read = (file: string, env: Record<string, string> = {}) =>
  loadConfig(
    [openid],
    readEnv({ KHERAD_BASE_URL: 'https://ai.example', ACME_SECRET: 'hidden', ...env }),
    file,
  ).openid

function refusal(file: string, env?: Record<string, string>): string {
  try {
    read(file, env)
  } catch (error) {
    if (error instanceof StartRefused) return error.message
    throw error
  }
  throw new Error('Nothing was refused.')
}

test('without the section nobody signs in by OpenID Connect, and no base URL is needed', () => {
  expect(loadConfig([openid], readEnv({}), 'openid: []').openid).toEqual([])
  expect(loadConfig([openid], readEnv({})).openid).toEqual([])
})

test('an entry is read with its secret from the environment', () => {
  const rule = `[{ claim: groups, value: eng, account: ${account}, role: developer }]`
  expect(read(fileOf({ memberships: rule, scopes: '[email, groups]' }))).toMatchObject([
    {
      id: 'acme',
      issuer: 'https://id.acme.example/realms/staff',
      clientSecret: 'hidden',
      create: false,
      scopes: ['openid', 'email', 'groups'],
      tenant: undefined,
      memberships: [
        { claim: 'groups', value: 'eng', accountId: account, role: 'developer', projectIds: null },
      ],
    },
  ])
})

test('an issuer keeps the slash at its end, because tokens are compared with it', () => {
  expect(read(fileOf({ issuer: 'https://acme.auth.example/' }))[0]!.issuer).toBe('https://acme.auth.example/')
})

const tenant = '11111111-2222-3333-4444-555555555555'

test.each(['common', 'organizations', 'consumers', `"{tenantid}"`])(
  'an issuer of all tenants (%s) needs the tenant, which takes its place',
  (name) => {
    const issuer = `https://login.microsoftonline.com/${name}/v2.0`.replace(/(.*)"(.*)"(.*)/, '"$1$2$3"')
    expect(refusal(fileOf({ issuer }))).toMatch(/^kherad\.config\.yaml:\d+: openid\[0\]\.tenant is missing: /)
    expect(refusal(fileOf({ issuer, tenant: 'acme.onmicrosoft.com' }))).toMatch(
      /openid\[0\]\.tenant is .*UUID/,
    )
    expect(read(fileOf({ issuer, tenant: tenant.toUpperCase() }))[0]).toMatchObject({
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      tenant: { claim: 'tid', value: tenant },
    })
  },
)

test('an entry for Google may name the organisation, any other issuer has one tenant', () => {
  expect(read(fileOf({ issuer: 'https://accounts.google.com', tenant: 'Acme.example' }))[0]).toMatchObject({
    tenant: { claim: 'hd', value: 'acme.example' },
  })
  expect(refusal(fileOf({ tenant: 'acme.example' }))).toMatch(/openid\[0\]\.tenant names a tenant, but/)
})

test.each([
  ['id', '-', /openid\[0\]\.id is missing/],
  ['name', '-', /openid\[0\]\.name is missing/],
  ['issuer', '-', /openid\[0\]\.issuer is missing/],
  ['client_id', '-', /openid\[0\]\.client_id is missing/],
  ['client_secret', '-', /openid\[0\]\.client_secret is missing/],
  ['id', 'Acme Inc', /openid\[0\]\.id is "Acme Inc": write a name/],
  ['issuer', 'http://id.acme.example', /openid\[0\]\.issuer is .*https:/],
  ['issuer', 'https://me:pw@id.acme.example', /openid\[0\]\.issuer is/],
  ['issuer', 'https://id.acme.example/?a=b', /openid\[0\]\.issuer is/],
  ['issuer', 'id.acme.example', /openid\[0\]\.issuer is/],
  ['client_secret', `"\${NOT_SET}"`, /client_secret uses \$\{NOT_SET\}, which is not set/],
  ['secret', 'x', /openid\[0\]\.secret is not a known entry/],
  ['create', 'maybe', /openid\[0\]\.create is "maybe": write true or false/],
])('a wrong %s (%s) is refused with file and line', (name, value, sentence) => {
  const message = refusal(fileOf({ [name]: value }))
  expect(message).toMatch(/^kherad\.config\.yaml:\d+: /)
  expect(message).toMatch(sentence)
})

test.each(['owner', 'operator'])('no claim makes an %s', (role) => {
  const rule = `[{ claim: groups, value: eng, account: ${account}, role: ${role} }]`
  expect(refusal(fileOf({ memberships: rule }))).toMatch(
    new RegExp(`openid\\[0\\]\\.memberships\\[0\\]\\.role is ${role}, which no claim may give: write admin`),
  )
})

test('two entries of one name are refused', () => {
  expect(refusal(fileOf() + fileOf().slice('openid:\n'.length))).toMatch(/openid\[1\]\.id repeats acme/)
})

test('the section needs the public address, by HTTPS unless it is this machine', () => {
  const env = { KHERAD_BASE_URL: '' }
  expect(refusal(fileOf(), env)).toMatch(/^kherad\.config\.yaml:\d+: openid needs KHERAD_BASE_URL/)
  expect(refusal(fileOf(), { KHERAD_BASE_URL: 'http://ai.example' })).toMatch(/begins with https:/)
  expect(read(fileOf(), { KHERAD_BASE_URL: 'http://localhost:8080' })).toHaveLength(1)
})
