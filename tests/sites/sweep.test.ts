/** The sweep of contents against publications that want the same contents at that moment. */

import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deletePendingBlobs } from '#platform/storage'
import { readManifest, sweepSites } from '#sites/hosting'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { file, page, pausedPublishing, publish, remove, settled, siteBody } from './published.ts'

const clock = new MovableClock()
const hourMs = 3_600_000
let world: World

beforeAll(async () => {
  world = await boot({ clock })
})
afterAll(() => world[Symbol.asyncDispose]())

/** As the recurring jobs do it. */
async function sweep(): Promise<void> {
  await sweepSites(world.app, new AbortController().signal)
  while ((await deletePendingBlobs(world.app)) > 0);
}

/** Sweeps until these bytes are gone: what a sweep of the background is in the midst of, this one passes over. */
const sweptAway = (key: string, sweeping: () => Promise<unknown>): Promise<boolean> =>
  until(async () => {
    await sweeping()
    return (await world.app.storage.get(key)) === undefined
  })

const shared = file('shared.css', 'p { color: teal }'.repeat(500))
const hashOf = ({ content }: { content: string }) =>
  createHash('sha256').update(content, 'base64').digest('hex')

/** Holds rows until this is disposed. */
async function holding(statement: string, values: unknown[] = []): Promise<AsyncDisposable> {
  const client = await world.app.db.pool.connect()
  await client.query('begin')
  await client.query(statement, values)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

const waitsFor = (words: string): Promise<unknown> => {
  const text = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`
  return until(async () => (await world.app.db.query({ text }, [`%${words}%`]))[0])
}

/** Of an account, or of all. */
const keysOf = async (sha256: string, account: string | null = null): Promise<string[]> => {
  const text = `select storage_key from sites.blobs where sha256 = decode($1, 'hex') and ($2::uuid is null or account_id = $2)`
  return (await world.app.db.query<{ storage_key: string }>({ text }, [sha256, account])).map(
    ({ storage_key }) => storage_key,
  )
}

/** Every file of the version that visitors get is there, with the bytes that its hash promises, compressed or not. */
async function expectWhole(key: Client, accountId: string, siteId: string): Promise<void> {
  const { live } = (await key.get(`/v1/sites/${siteId}`)).body
  const manifest = await readManifest(world.app.db, { accountId, siteId, version: live.version })
  for (const one of manifest!.files.values()) {
    const bytes = await buffer((await world.app.storage.get(one.storageKey))!)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(one.sha256)
    for (const variant of [one.brotli, one.gzip])
      if (variant)
        expect((await buffer((await world.app.storage.get(variant.storageKey))!)).length).toBe(variant.bytes)
  }
}

/** Somebody with a site, and a content that only a deleted site had. */
async function abandoned(): Promise<{ key: Client; account: string; id: string }> {
  const { account, client: key } = await world.stranger()
  const { id } = await publish(key, siteBody('lasting'))
  const gone = await publish(key, siteBody('gone', { files: [page('gone'), shared] }))
  await remove(key, gone.id, 'gone')
  return { key, account, id }
}

test('a content that no version has is deleted an hour later and no sooner, and one that another site has is kept', async () => {
  const { account, client: key } = await world.stranger()
  const files = [page('same'), shared]
  const one = await publish(key, siteBody('one', { files }))
  const two = await publish(key, siteBody('two', { files }))
  const before = await keysOf(hashOf(shared), account)
  expect(before, 'stored once in the account').toHaveLength(1)
  await remove(key, one.id, 'one')
  clock.moveMs(hourMs + 1)
  await sweep()
  await expectWhole(key, account, two.id)
  await remove(key, two.id, 'two')
  clock.moveMs(hourMs)
  await sweep()
  expect(await keysOf(hashOf(shared), account)).toEqual(before)
  clock.moveMs(1)
  await sweptAway(before[0]!, sweep)
  expect(await keysOf(hashOf(shared), account)).toEqual([])
})

test('the contents of other accounts are nobody else’s, though they are equal', async () => {
  const owners = await Promise.all([world.stranger(), world.stranger()])
  for (const { client } of owners) await publish(client, siteBody('same', { files: [page('same'), shared] }))
  const keys = await Promise.all(owners.map(({ account }) => keysOf(hashOf(shared), account)))
  expect(keys.map(({ length }) => length)).toEqual([1, 1])
  expect(keys[0]).not.toEqual(keys[1])
})

test('a sweep that comes while a publication names an abandoned content passes it over', async () => {
  const { key, account, id } = await abandoned()
  {
    await using _files = await holding('lock table sites.files in share mode')
    expect(
      (await key.post(`/v1/sites/${id}`, siteBody('lasting', { files: [page('new'), shared] }))).status,
    ).toBe(202)
    await waitsFor('insert into sites.files')
    clock.moveMs(2 * hourMs)
    await sweep()
  }
  expect(await settled(key, id)).toMatchObject({ status: 'ready', version: 2 })
  await sweep()
  clock.moveMs(2 * hourMs)
  await sweep()
  await expectWhole(key, account, id)
})

test('a publication that finds a content gone which it had counted on writes it anew', async () => {
  const { key, account, id } = await abandoned()
  const [before] = await keysOf(hashOf(shared), account)
  {
    await using stack = new AsyncDisposableStack()
    const paused = await pausedPublishing(world)
    expect(
      (await key.post(`/v1/sites/${id}`, siteBody('lasting', { files: [page('new'), shared] }))).status,
    ).toBe(202)
    await waitsFor('unused_since')
    stack.use(await holding('select from sites.sites where site_id = $1 for update', [id]))
    await paused[Symbol.asyncDispose]()
    // It knows by now that the account has this content, and has stored the other.
    await waitsFor('for no key update')
    clock.moveMs(2 * hourMs)
    await sweptAway(before!, async () => {
      await sweepSites(world.app, new AbortController().signal)
      await deletePendingBlobs(world.app, [before!])
    })
  }
  expect(await settled(key, id)).toMatchObject({ status: 'ready', version: 2 })
  await expectWhole(key, account, id)
  expect(await keysOf(hashOf(shared), account)).not.toContain(before)
})

test('two publications that bring the same new content at once store it once, and both have it', async () => {
  const { account, client: key } = await world.stranger()
  const sites = [await publish(key, siteBody('a')), await publish(key, siteBody('b'))]
  {
    await using _paused = await pausedPublishing(world)
    for (const { id, name } of sites)
      expect(
        (await key.post(`/v1/sites/${id}`, siteBody(name, { files: [page('new'), shared] }))).status,
      ).toBe(202)
    await waitsFor('unused_since')
  }
  for (const { id } of sites) {
    expect(await settled(key, id)).toMatchObject({ status: 'ready', version: 2 })
    await expectWhole(key, account, id)
  }
  const keys = await world.app.db.query({ text: 'select from sites.blobs where account_id = $1' }, [account])
  expect(keys).toHaveLength(4)
})

test('a publication that a later one overtakes becomes ready and not live', async () => {
  const { key, account, id } = await abandoned()
  clock.moveMs(1_000)
  {
    const contents = 'select from sites.blobs where account_id = $1 and unused_since is not null for update'
    await using _held = await holding(contents, [account])
    // It waits for the contents that this test holds, and the next one needs none of them.
    expect(
      (await key.post(`/v1/sites/${id}`, siteBody('lasting', { files: [page('two'), shared] }))).status,
    ).toBe(202)
    await waitsFor('unused_since')
    expect((await key.post(`/v1/sites/${id}`, siteBody('lasting', { files: [page('three')] }))).status).toBe(
      202,
    )
    await until(async () => (await key.get(`/v1/sites/${id}`)).body.live.version === 3)
  }
  const site = await settled(key, id)
  expect(site).toMatchObject({ status: 'ready', version: 3, live: { version: 3 } })
  expect(site.versions[1]).toMatchObject({ version: 2, status: 'ready', live: false, published_at: null })
})
