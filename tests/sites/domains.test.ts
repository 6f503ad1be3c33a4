/** Domains of their own: who may claim one, who has it, and when it is lost. A name server is asked over the network, by real questions. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDueDomains } from '#sites/hosting'
import type { Client } from '../harness/client.ts'
import { type NameServer, nameServer } from '../harness/dns.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let dns: NameServer
let world: World
const clock = new MovableClock()

beforeAll(async () => {
  dns = await nameServer()
  world = await boot({
    clock,
    // Only a test looks at domains that are due.
    roles: { api: true, worker: false },
    env: { KHERAD_BASE_URL: 'https://kherad.example.com', KHERAD_APPS_DOMAIN: 'sites-of-acme.com' },
    config: `net: { dns_servers: ['${dns.address}'] }\nsites: { domains_per_site: 3, sites_per_project: 100 }`,
  })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const index = { path: 'index.html', content: btoa('<title>x</title>'), encoding: 'base64' }

interface Owner {
  key: Client
  id: string
  slug: string
}

let sites = 0
const ownerOfSite = async (owner?: Client): Promise<Owner> => {
  const key = owner ?? (await world.key({ project: await world.newProject() }))
  const slug = `shop-no-${++sites}`
  const made = await key.post('/v1/sites', { name: 'فروشگاه', slug, confirm_public: true, files: [index] })
  expect(made.status, made.text).toBe(202)
  return { key, id: made.body.id, slug }
}

const claim = ({ key, id }: Owner, domain: string) => key.post(`/v1/sites/${id}/domains`, { domain })
const check = ({ key, id }: Owner, domain: string) => key.post(`/v1/sites/${id}/domains/${domain}/check`, {})
const state = async ({ key, id }: Owner): Promise<string[]> =>
  (await key.get(`/v1/sites/${id}/domains`)).body.data.map((one: { state: string }) => one.state)
const found = (host: string) => world.kherad.app.sites.find(host)

/** Claims the domain, writes its record and has it checked. */
async function prove(owner: Owner, domain: string) {
  const claimed = await claim(owner, domain)
  expect(claimed.status, claimed.text).toBe(201)
  const { name, value } = claimed.body.record
  dns.set(name, ['v=spf1 -all', value])
  const checked = await check(owner, domain)
  expect(checked.status, checked.text).toBe(200)
  return { checked, name, value }
}

test('a domain is claimed with a TXT record, proven by it, and leads to the site from then on', async () => {
  const owner = await ownerOfSite()
  const claimed = await claim(owner, 'Shop.Example.org.')
  expect(claimed.body).toEqual({
    object: 'site.domain',
    domain: 'shop.example.org',
    display: 'shop.example.org',
    state: 'pending',
    record: {
      type: 'TXT',
      name: '_kherad.shop.example.org',
      value: expect.stringMatching(/^kherad-site=[0-9a-f]{40}$/),
    },
    target: `${owner.slug}.sites-of-acme.com`,
    proven_at: null,
    checked_at: null,
    missing_since: null,
    created_at: expect.any(String),
  })
  expect((await claim(owner, 'shop.example.org')).body).toEqual(claimed.body)
  expect((await check(owner, 'shop.example.org')).body).toMatchObject({ state: 'pending' })
  expect(found('shop.example.org')).toBeUndefined()
  clock.moveMs(10_000)
  dns.set('_kherad.shop.example.org', [claimed.body.record.value])
  expect((await check(owner, 'shop.example.org')).body).toMatchObject({
    state: 'proven',
    missing_since: null,
  })
  await until(() => found('shop.example.org')?.siteId === owner.id)
})

test('a Persian domain is claimed in its own letters and asked for in ASCII', async () => {
  const owner = await ownerOfSite()
  const { checked } = await prove(owner, 'فروشگاه.ایران')
  expect(checked.body).toMatchObject({
    domain: 'xn--mgbtj4c7ad63e.xn--mgba3a4f16a',
    display: 'فروشگاه.ایران',
    state: 'proven',
  })
  const deleted = await owner.key.request(
    'DELETE',
    `/v1/sites/${owner.id}/domains/${encodeURIComponent('فروشگاه.ایران')}`,
  )
  expect(deleted.body).toMatchObject({ deleted: true })
  await until(() => found('xn--mgbtj4c7ad63e.xn--mgba3a4f16a') === undefined)
})

test('the token of one site proves nothing for another, nor for another account', async () => {
  const [first, second] = [await ownerOfSite(), await ownerOfSite()]
  const { value } = (await claim(first, 'own.example.net')).body.record
  await claim(second, 'own.example.net')
  dns.set('_kherad.own.example.net', [value])
  expect((await check(second, 'own.example.net')).body).toMatchObject({ state: 'pending' })
  expect((await check(first, 'own.example.net')).body).toMatchObject({ state: 'proven' })
})

test('a proven domain goes to another site only when the record of the first is gone', async () => {
  const [first, second] = [await ownerOfSite(), await ownerOfSite()]
  const { name, value } = await prove(first, 'moved.example.net')
  const claimed = await claim(second, 'moved.example.net')
  dns.set(name, [value, claimed.body.record.value])
  const refused = await check(second, 'moved.example.net')
  expect([refused.status, refused.body.error.code]).toEqual([409, 'DOMAIN_TAKEN'])
  await until(() => found('moved.example.net')?.siteId === first.id)
  clock.moveMs(10_000)
  dns.set(name, [claimed.body.record.value])
  expect((await check(second, 'moved.example.net')).body).toMatchObject({ state: 'proven' })
  expect(await state(first)).toEqual(['lost'])
  await until(() => found('moved.example.net')?.siteId === second.id)
})

test('of two that prove a domain at the same moment one has it', async () => {
  const owners = await Promise.all([ownerOfSite(), ownerOfSite()])
  const claims = await Promise.all(owners.map((owner) => claim(owner, 'race.example.net')))
  dns.set(
    '_kherad.race.example.net',
    claims.map(({ body }) => body.record.value),
  )
  const checks = await Promise.all(owners.map((owner) => check(owner, 'race.example.net')))
  expect(checks.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a record that disappears is looked for each hour, and after a day the domain is lost', async () => {
  const owner = await ownerOfSite()
  const { name, value } = await prove(owner, 'fading.example.net')
  const round = () => checkDueDomains(world.kherad.app, new AbortController().signal)
  dns.set(name, undefined)
  clock.moveMs(dayMs)
  await round()
  expect(await state(owner)).toEqual(['proven'])
  clock.moveMs(hourMs)
  dns.set(name, [value])
  await round()
  expect((await owner.key.get(`/v1/sites/${owner.id}/domains`)).body.data[0]).toMatchObject({
    state: 'proven',
    missing_since: null,
  })
  dns.set(name, undefined)
  for (let hour = 0; hour < 26 && (await state(owner))[0] === 'proven'; hour++) {
    clock.moveMs(hour === 0 ? dayMs : hourMs)
    await round()
  }
  expect(await state(owner)).toEqual(['lost'])
  await until(() => found('fading.example.net') === undefined)
  const askedBefore = dns.asked.length
  clock.moveMs(30 * dayMs)
  await round()
  expect(dns.asked.slice(askedBefore)).not.toContain(name)
})

test('name servers that do not answer take a domain from nobody, and give it to nobody', async () => {
  const [owner, other] = [await ownerOfSite(), await ownerOfSite()]
  await prove(owner, 'stable.example.net')
  await claim(other, 'stable.example.net')
  dns.fails = true
  try {
    for (let day = 0; day < 3; day++) {
      clock.moveMs(dayMs)
      await checkDueDomains(world.kherad.app, new AbortController().signal)
    }
    clock.moveMs(10_000)
    expect((await check(other, 'stable.example.net')).body).toMatchObject({ state: 'pending' })
  } finally {
    dns.fails = false
  }
  expect(await state(owner)).toEqual(['proven'])
})

test('names of the platform, of its sites and what is no public domain cannot be claimed', async () => {
  const owner = await ownerOfSite()
  const own = [
    'kherad.example.com',
    'login.kherad.example.com',
    'sites-of-acme.com',
    `${owner.slug}.sites-of-acme.com`,
  ]
  for (const domain of [
    ...own,
    'localhost',
    '127.0.0.1',
    'https://example.net',
    'example',
    'a'.repeat(1_000),
  ]) {
    const refused = await claim(owner, domain)
    expect([refused.status, refused.body.error.param], domain).toEqual([400, 'domain'])
  }
  expect((await claim(owner, 'a'.repeat(1_001))).status).toBe(400)
})

test('a site has as many domains as the operator allows, also of parallel claims', async () => {
  const owner = await ownerOfSite()
  const claims = await Promise.all(Array.from({ length: 6 }, (_, n) => claim(owner, `many-${n}.example.net`)))
  expect(claims.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403])
  const refused = claims.find(({ status }) => status === 403)
  expect(refused?.body.error).toMatchObject({ code: 'TOO_MANY_DOMAINS' })
})

test('a domain is looked for at most once in ten seconds on request', async () => {
  const owner = await ownerOfSite()
  await claim(owner, 'often.example.net')
  const checks = await Promise.all(Array.from({ length: 5 }, () => check(owner, 'often.example.net')))
  expect(checks.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429])
  const refused = checks.find(({ status }) => status === 429)
  expect(refused?.body.error.code).toBe('TOO_MANY_CHECKS')
})

test('the domains of another project look missing', async () => {
  const [owner, stranger] = [await ownerOfSite(), await ownerOfSite()]
  await claim(owner, 'private.example.net')
  const seen = { ...owner, key: stranger.key }
  expect((await claim(seen, 'x.example.net')).status).toBe(404)
  expect((await check(seen, 'private.example.net')).status).toBe(404)
  expect((await stranger.key.get(`/v1/sites/${owner.id}/domains`)).status).toBe(404)
  const deleted = await stranger.key.request('DELETE', `/v1/sites/${owner.id}/domains/private.example.net`)
  expect(deleted.status).toBe(404)
  expect((await check(owner, 'never-claimed.example.net')).status).toBe(404)
})

test('a domain is lost with its site, and another account may have it', async () => {
  const [owner, next] = [await ownerOfSite(), await ownerOfSite()]
  const { name } = await prove(owner, 'left.example.net')
  const gone = await owner.key.request(
    'DELETE',
    `/v1/sites/${owner.id}`,
    JSON.stringify({ confirm: 'فروشگاه' }),
  )
  expect(gone.status, gone.text).toBe(200)
  await until(() => found('left.example.net') === undefined)
  dns.set(name, undefined)
  const { checked } = await prove(next, 'left.example.net')
  expect(checked.body).toMatchObject({ state: 'proven' })
})
