/** Publishing over the API: what is accepted, shown, gone back to and deleted, and by whom. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import {
  file,
  page,
  pausedPublishing,
  publish,
  refusalOf,
  remove,
  rollBack,
  settled,
  siteBody,
} from './published.ts'

const clock = new MovableClock()
let world: World

beforeAll(async () => {
  world = await boot({ clock, config: 'sites: { kept_versions: 2, sites_per_project: 3 }' })
})
afterAll(() => world[Symbol.asyncDispose]())

/** A key of a project of its own, so that no test counts the sites of another. */
const owner = async (): Promise<Client> => world.key({ project: await world.newProject() })
const versionsOf = (site: { versions: { version: number }[] }): number[] =>
  site.versions.map(({ version }) => version)

test('a site is accepted while it is being published, and has its address when it is ready', async () => {
  const key = await owner()
  const accepted = await key.post('/v1/sites', siteBody('کافهٔ ما', { spa: true, slug: 'our-cafe' }))
  expect([accepted.status, accepted.text]).toEqual([202, expect.any(String)])
  expect(accepted.body).toMatchObject({
    object: 'site',
    name: 'کافهٔ ما',
    slug: 'our-cafe',
    status: 'publishing',
    url: null,
    live: null,
    version: 1,
    spa: true,
    files: 1,
    error: null,
    cloud_id: null,
    taken_down: false,
  })
  const site = await settled(key, accepted.body.id)
  expect(site).toMatchObject({
    status: 'ready',
    domain: 'our-cafe.localhost',
    live: { version: 1, url: site.url },
  })
  expect(new URL(site.url).hostname).toBe('our-cafe.localhost')
  expect(new URL(site.live.preview_url).hostname).toMatch(/^preview-[a-z2-7]{26}\.localhost$/)
  expect(site.versions).toMatchObject([
    { version: 1, status: 'ready', live: true, preview_url: site.live.preview_url },
  ])
  expect(site.usage).toMatchObject({
    requests: 0,
    bytes: 0,
    max_requests: 1_000_000,
    max_bytes: 10_000_000_000,
  })
  const { versions: _, usage: __, ...listed } = site
  expect((await key.get('/v1/sites')).body.data).toEqual([listed])
})

test('while a new version is being published the old one is live, and then the new one is', async () => {
  const key = await owner()
  const first = await publish(key, siteBody('old'))
  {
    await using _paused = await pausedPublishing(world)
    const next = siteBody('new name', { files: [page('a'), file('b.txt', 'b')] })
    const accepted = await key.post(`/v1/sites/${first.id}`, next)
    expect([accepted.status, accepted.body]).toMatchObject([
      202,
      { status: 'publishing', url: null, version: 2 },
    ])
    const { body } = await key.get(`/v1/sites/${first.id}`)
    expect(body).toMatchObject({ ...accepted.body, live: { version: 1, url: first.url } })
    expect((await key.get(`/v1/sites/${first.id}/files`)).body.data).toHaveLength(1)
  }
  const second = await settled(key, first.id)
  expect(second).toMatchObject({
    name: 'new name',
    version: 2,
    files: 2,
    live: { version: 2 },
    slug: first.slug,
    url: first.url,
  })
  expect(versionsOf(second)).toEqual([2, 1])
  const files = await key.get(`/v1/sites/${first.id}/files`)
  expect(files.body.data).toMatchObject([
    { path: 'b.txt', bytes: 1, sha256: createHash('sha256').update('b').digest('hex') },
    { path: 'index.html' },
  ])
  expect((await key.get(`/v1/sites/${first.id}/files?version=1`)).body.data).toHaveLength(1)
  expect(refusalOf(await key.get(`/v1/sites/${first.id}/files?version=9`))).toEqual([
    404,
    'SITE_VERSION_NOT_FOUND',
    'version',
  ])
})

test('of the same new version sent three times at once under one idempotency key one is published', async () => {
  const key = await owner()
  const first = await key.post('/v1/sites', siteBody('once'))
  const next = await Promise.all(
    [1, 2, 3].map(() =>
      key.post(`/v1/sites/${first.body.id}`, siteBody('once'), { 'idempotency-key': 'release-2' }),
    ),
  )
  const accepted = next.filter(({ status }) => status === 202)
  expect(new Set(accepted.map(({ text }) => text)).size).toBe(1)
  expect(await settled(key, first.body.id)).toMatchObject({ version: 2 })
})

test('a project has as many sites as the operator allows, and a deleted one makes room', async () => {
  const key = await owner()
  const sites = []
  for (const name of ['one', 'two', 'three']) sites.push(await publish(key, siteBody(name)))
  const refused = await key.post('/v1/sites', siteBody('four'))
  expect(refusalOf(refused)).toEqual([403, 'SITE_LIMIT', undefined])
  expect((await remove(key, sites[0].id, 'one')).status).toBe(200)
  await publish(key, siteBody('four'))
})

test('a project has at most five publications under way', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('busy'))
  {
    await using _paused = await pausedPublishing(world)
    for (let nth = 0; nth < 5; nth++)
      expect((await key.post(`/v1/sites/${id}`, siteBody('busy'))).status).toBe(202)
    const refused = await key.post(`/v1/sites/${id}`, siteBody('busy'))
    expect(refusalOf(refused)).toEqual([429, 'SITE_PUBLISHING_LIMIT', undefined])
    expect(refused.headers.get('retry-after')).not.toBeNull()
  }
  expect(await settled(key, id)).toMatchObject({ version: 6, live: { version: 6 } })
})

test('a slug that is taken is refused with one that is free, and a name whose slug is taken gets another', async () => {
  const key = await owner()
  await publish(key, siteBody('wanted', { slug: 'wanted' }))
  const { client: stranger } = await world.stranger()
  const refused = await stranger.post('/v1/sites', siteBody('mine', { slug: 'wanted' }), {
    'accept-language': 'en',
  })
  expect(refusalOf(refused)).toEqual([409, 'SLUG_TAKEN', 'slug'])
  const suggestion = /such as ([a-z0-9-]+)/.exec(refused.body.error.message)![1]!
  expect(await publish(stranger, siteBody('mine', { slug: suggestion }))).toMatchObject({ slug: suggestion })
  const { slug } = await publish(stranger, siteBody('wanted'))
  expect(slug).toMatch(/^wanted-[a-z0-9]{6}$/)
  for (const reserved of ['www', 'xn--abc', 'a--b', 'abcdefghijklmnopqrst', 'preview-x', 'Kherad'])
    expect(refusalOf(await stranger.post('/v1/sites', siteBody('x', { slug: reserved })))).toEqual([
      400,
      'INVALID_REQUEST',
      'slug',
    ])
})

test('a site keeps its slug', async () => {
  const key = await owner()
  const { id, slug } = await publish(key, siteBody('steady', { slug: 'steady-one' }))
  expect(refusalOf(await key.post(`/v1/sites/${id}`, siteBody('steady', { slug: 'other' })))).toEqual([
    400,
    'INVALID_REQUEST',
    'slug',
  ])
  expect(await publish(key, siteBody('steady', { slug }), id)).toMatchObject({ version: 2, slug })
})

test("another project's site looks missing, whatever is asked of it", async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('private matter'))
  const { client: stranger } = await world.stranger()
  for (const other of [await owner(), stranger]) {
    const replies = await Promise.all([
      other.get(`/v1/sites/${id}`),
      other.get(`/v1/sites/${id}/files`),
      other.post(`/v1/sites/${id}`, siteBody('x')),
      rollBack(other, id, {}),
      remove(other, id, 'private matter'),
      other.get('/v1/sites/01890000-0000-7000-8000-000000000000'),
      other.get('/v1/sites/none'),
    ])
    for (const reply of replies) expect(refusalOf(reply)).toEqual([404, 'SITE_NOT_FOUND', 'id'])
    expect((await other.get('/v1/sites')).body.data).toEqual([])
  }
  expect((await key.get(`/v1/sites/${id}`)).body.version).toBe(1)
})

test('scopes: cloud:read shows sites, and only cloud:hosting changes them', async () => {
  const project = await world.newProject()
  const reader = await world.key({ project, scopes: ['cloud:read'] })
  const publisher = await world.key({ project, scopes: ['cloud:hosting'] })
  expect((await reader.post('/v1/sites', siteBody('x'))).status).toBe(403)
  const { body } = await publisher.post('/v1/sites', siteBody('scoped'))
  expect(await settled(reader, body.id)).toMatchObject({ status: 'ready' })
  expect((await publisher.get(`/v1/sites/${body.id}`)).status).toBe(403)
  expect((await rollBack(reader, body.id, {})).status).toBe(403)
  expect((await remove(reader, body.id, 'scoped')).status).toBe(403)
})
