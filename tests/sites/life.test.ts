/** What becomes of a site: going back, deletion, takedown, versions and contents that are kept no longer, publications that fail. */
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deletePendingBlobs } from '#platform/storage'
import { readManifest, restore, sweepSites, takeDown } from '#sites/hosting'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
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
const hourMs = 3_600_000
const dayMs = 24 * hourMs
let world: World

beforeAll(async () => {
  world = await boot({ clock, config: 'sites: { kept_versions: 2 }' })
})
afterAll(() => world[Symbol.asyncDispose]())

/** A key of a project of its own, with the account of the world. */
const owner = async (): Promise<Client> => world.key({ project: await world.newProject() })
const siteKey = (siteId: string) => ({ accountId: world.account, siteId })
const versionsOf = (site: { versions: { version: number }[] }): number[] =>
  site.versions.map(({ version }) => version)
const read = async (key: Client, id: string) => (await key.get(`/v1/sites/${id}`)).body

/** Versions that are kept no longer are deleted right after the change that replaced them. */
const kept = (key: Client, id: string, versions: number[]) =>
  until(async () => String(versionsOf(await read(key, id))) === String(versions))

/** As the recurring jobs do it. */
async function sweep(): Promise<void> {
  await sweepSites(world.app, new AbortController().signal)
  while ((await deletePendingBlobs(world.app)) > 0);
}

/** Sweeps until nothing of the account is stored: what a sweep of the background is in the midst of, this one passes over. */
const sweptClean = (accountId: string): Promise<boolean> =>
  until(async () => {
    await sweep()
    return (await stored(accountId)).length === 0
  })

/** Names of all bytes of the account's sites in the store. */
async function stored(accountId = world.account): Promise<string[]> {
  const folder = path.join(world.app.config.dataDir, 'files', 'sites', accountId)
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return found.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name))
}

/** How many statements with these words wait for a lock. */
const waitingFor = async (words: string): Promise<number> => {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`
  return (await world.app.db.query({ text }, [`%${words}%`])).length
}

test('going back without a version leads to the one that was live before, and with one to any that is kept', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('one'))
  expect(refusalOf(await rollBack(key, id))).toEqual([409, 'SITE_NOTHING_BEFORE', undefined])
  await publish(key, siteBody('two'), id)
  await publish(key, siteBody('three'), id)
  const back = await rollBack(key, id)
  expect([back.status, back.text]).toEqual([200, expect.any(String)])
  expect(back.body).toMatchObject({ status: 'ready', version: 3, live: { version: 2 } })
  expect((await rollBack(key, id, {})).body.live.version).toBe(1)
  expect(refusalOf(await rollBack(key, id))).toEqual([409, 'SITE_NOTHING_BEFORE', undefined])
  expect((await rollBack(key, id, { version: 3 })).body.live.version).toBe(3)
  expect(refusalOf(await rollBack(key, id, { version: 3 }))).toEqual([409, 'SITE_VERSION_LIVE', 'version'])
  expect(refusalOf(await rollBack(key, id, { version: 4 }))).toEqual([
    404,
    'SITE_VERSION_NOT_FOUND',
    'version',
  ])
  expect(await publish(key, siteBody('four'), id)).toMatchObject({ live: { version: 4 } })
})

test('a repeated request to go back goes back once', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('one'))
  await publish(key, siteBody('two'), id)
  await publish(key, siteBody('three'), id)
  const claim = { 'idempotency-key': 'back-1' }
  const replies = [1, 2].map(() => key.request('POST', `/v1/sites/${id}/rollback`, '{}', claim))
  for (const { status } of await Promise.all(replies)) expect([200, 409]).toContain(status)
  expect((await key.request('POST', `/v1/sites/${id}/rollback`, '{}', claim)).body.live.version).toBe(2)
  expect((await read(key, id)).live.version).toBe(2)
})

test('whoever goes back while a version is being published does not see it live, and can make it so', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('one'))
  await publish(key, siteBody('two'), id)
  {
    await using _paused = await pausedPublishing(world)
    expect((await key.post(`/v1/sites/${id}`, siteBody('three'))).status).toBe(202)
    expect(refusalOf(await rollBack(key, id, { version: 3 }))).toEqual([
      409,
      'SITE_VERSION_NOT_READY',
      'version',
    ])
    expect((await rollBack(key, id)).body).toMatchObject({ status: 'publishing', live: { version: 1 } })
  }
  expect(await settled(key, id)).toMatchObject({ status: 'ready', version: 3, live: { version: 1 } })
  expect((await rollBack(key, id, { version: 3 })).body.live.version).toBe(3)
})

test('of publications under way at once the one that was accepted last is live in the end', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('one'))
  {
    await using _paused = await pausedPublishing(world)
    for (const name of ['two', 'three', 'four'])
      expect((await key.post(`/v1/sites/${id}`, siteBody(name))).status).toBe(202)
  }
  expect(await settled(key, id)).toMatchObject({ version: 4, live: { version: 4 } })
})

test('the newest versions are kept, replaced ones for seven days, and never more than twenty', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('v'))
  for (let version = 2; version <= 4; version++) await publish(key, siteBody('v'), id)
  const [, , second, first] = (await read(key, id)).versions
  for (const one of [second, first])
    expect(Date.parse(one.expires_at) - Date.parse(one.published_at)).toBeGreaterThanOrEqual(7 * dayMs)
  clock.moveMs(7 * dayMs - 1)
  await sweep()
  await kept(key, id, [4, 3, 2, 1])
  clock.moveMs(60_000)
  await sweep()
  await kept(key, id, [4, 3])
  for (let version = 5; version <= 23; version++) await publish(key, siteBody('v'), id)
  await kept(
    key,
    id,
    Array.from({ length: 20 }, (_, nth) => 23 - nth),
  )
  await rollBack(key, id, { version: 10 })
  clock.moveMs(8 * dayMs)
  await sweep()
  await kept(key, id, [23, 22, 10])
})

test('a file of a kept version is published again by its hash alone', async () => {
  const key = await owner()
  const text = 'body { color: teal }'.repeat(100)
  const { id } = await publish(key, siteBody('styled', { files: [page('styled'), file('style.css', text)] }))
  const files = (await key.get(`/v1/sites/${id}/files`)).body.data
  const known = files.map(({ path: name, sha256 }: Record<string, string>) => ({ path: name, sha256 }))
  const moved = known.map((one: { path: string }) =>
    one.path === 'style.css' ? { ...one, path: 'css/style.css' } : one,
  )
  const site = await publish(key, siteBody('styled', { files: moved }), id)
  expect(site).toMatchObject({
    version: 2,
    files: 2,
    bytes: text.length + Buffer.from(page('styled').content, 'base64').length,
  })
  const manifest = await readManifest(world.app.db, { ...siteKey(id), version: 2 })
  expect([...manifest!.files.keys()]).toEqual(['css/style.css', 'index.html'])
  expect(manifest!.files.get('css/style.css')).toMatchObject({
    mediaType: expect.stringMatching('^text/css'),
    bytes: text.length,
    brotli: {},
  })
  const other = await owner()
  const stolen = await publish(other, siteBody('other'))
  const refused = await other.post(
    `/v1/sites/${stolen.id}`,
    siteBody('other', { files: [page('x'), moved.at(0)] }),
  )
  expect(refused.status, 'of another site').toBe(400)
})

test('deletion wants the exact name, and then nothing of the site is left', async () => {
  const { account, client: key } = await world.stranger()
  const { id, slug } = await publish(
    key,
    siteBody('to be deleted', { files: [page('x'), file('a.css', 'a{}'.repeat(999))] }),
  )
  await publish(key, siteBody('to be deleted'), id)
  for (const confirm of ['To be deleted', 'to be deleted ', ''])
    expect(refusalOf(await remove(key, id, confirm))).toEqual([400, 'INVALID_REQUEST', 'confirm'])
  expect(refusalOf(await key.request('DELETE', `/v1/sites/${id}`, '{}'))).toEqual([
    400,
    'INVALID_REQUEST',
    'confirm',
  ])
  expect((await read(key, id)).version).toBe(2)
  expect(await stored(account)).not.toEqual([])
  const gone = await remove(key, id, 'to be deleted')
  expect([gone.status, gone.body]).toEqual([
    200,
    { object: 'site', id, name: 'to be deleted', status: 'deleting' },
  ])
  expect(refusalOf(await key.get(`/v1/sites/${id}`))).toEqual([404, 'SITE_NOT_FOUND', 'id'])
  expect(refusalOf(await remove(key, id, 'to be deleted'))).toEqual([404, 'SITE_NOT_FOUND', 'id'])
  await until(async () => world.app.sites.find(`${slug}.localhost`) === undefined)
  clock.moveMs(hourMs + 1)
  await sweptClean(account)
  const rows = await world.app.db.query({ text: 'select from sites.blobs where account_id = $1' }, [account])
  expect(rows).toEqual([])
})

test('a site that is deleted while it is being published leaves nothing behind', async () => {
  const { account, client: key } = await world.stranger()
  const { id } = await publish(key, siteBody('hasty'))
  let removed: ReturnType<typeof remove> | undefined
  {
    await using _paused = await pausedPublishing(world)
    expect((await key.post(`/v1/sites/${id}`, siteBody('hasty again'))).status).toBe(202)
    // Else the deletion could be first, and the publication would find no site.
    await until(async () => (await waitingFor('set unused_since = $')) === 1)
    // It waits for the same lock as the publication, and has the site to itself meanwhile.
    const removal = remove(key, id, 'hasty again')
    await until(async () => (await waitingFor('set unused_since = $')) === 2)
    removed = removal
  }
  expect((await removed)?.status).toBe(200)
  await until(
    async () =>
      (await world.app.db.query({ text: 'select from jobs.queue where account_id = $1' }, [account]))
        .length === 0,
  )
  clock.moveMs(hourMs + 1)
  await sweptClean(account)
})

test('the slug of a deleted site is closed to other accounts for 90 days, and its own may have it at once', async () => {
  const key = await owner()
  const { client: stranger } = await world.stranger()
  const wanted = siteBody('renowned', { slug: 'renowned' })
  const first = await publish(key, wanted)
  await remove(key, first.id, 'renowned')
  expect(refusalOf(await stranger.post('/v1/sites', wanted))).toEqual([409, 'SLUG_TAKEN', 'slug'])
  const again = await publish(await owner(), wanted)
  await remove(await world.key(), again.id, 'renowned')
  const { project_id } = (
    await world.app.db.query<{ project_id: string }>(
      { text: 'select project_id from sites.sites where site_id = $1' },
      [again.id],
    )
  )[0]!
  await remove(await world.key({ project: project_id }), again.id, 'renowned')
  clock.moveMs(90 * dayMs - 1)
  expect(refusalOf(await stranger.post('/v1/sites', wanted))).toEqual([409, 'SLUG_TAKEN', 'slug'])
  clock.moveMs(1)
  expect(await publish(stranger, wanted)).toMatchObject({ slug: 'renowned' })
})

test('nothing is published to a site that was taken down, and its slug is closed to its own account too', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('phish', { slug: 'phishing-page' }))
  await publish(key, siteBody('phish'), id)
  {
    await using _paused = await pausedPublishing(world)
    expect((await key.post(`/v1/sites/${id}`, siteBody('phish'))).status).toBe(202)
    await takeDown(world.app, siteKey(id), 'reported')
  }
  expect(await settled(key, id)).toMatchObject({
    status: 'failed',
    error: { code: 'taken_down' },
    taken_down: true,
    url: null,
    live: { version: 2 },
  })
  expect(refusalOf(await key.post(`/v1/sites/${id}`, siteBody('phish')))).toEqual([
    403,
    'SITE_TAKEN_DOWN',
    undefined,
  ])
  expect(refusalOf(await rollBack(key, id))).toEqual([403, 'SITE_TAKEN_DOWN', undefined])
  await restore(world.app, siteKey(id))
  expect(await publish(key, siteBody('phish'), id)).toMatchObject({
    taken_down: false,
    live: { version: 4 },
    error: null,
  })
  await takeDown(world.app, siteKey(id), null)
  expect((await remove(key, id, 'phish')).status).toBe(200)
  const again = siteBody('phish', { slug: 'phishing-page' })
  expect(refusalOf(await key.post('/v1/sites', again))).toEqual([409, 'SLUG_TAKEN', 'slug'])
  clock.moveMs(90 * dayMs)
  await publish(key, again)
})

/** What is done to a publication that waits in the queue, by the code with which it fails then. */
const spoilers: Record<string, (siteId: string) => Promise<unknown>> = {
  lost: async (siteId) => {
    const text = 'select pack_key from sites.versions where site_id = $1 and version = 2'
    const [row] = await world.app.db.query<{ pack_key: string }>({ text }, [siteId])
    await rm(path.join(world.app.config.dataDir, 'files', row!.pack_key))
  },
  given_up: (siteId) =>
    world.app.db.query(
      { text: 'update sites.versions set attempts = 8 where site_id = $1 and version = 2' },
      [siteId],
    ),
}

test.each(Object.keys(spoilers))(
  'a publication that fails for good says why until the next one, and the version before is served on: %s',
  async (code) => {
    const key = await owner()
    const { id } = await publish(key, siteBody('stable'))
    const other = await publish(key, siteBody('other'))
    {
      await using _paused = await pausedPublishing(world)
      // Two at a time of one account: the third waits until these are ready.
      for (const name of ['two', 'three'])
        expect((await key.post(`/v1/sites/${other.id}`, siteBody(name))).status).toBe(202)
      await until(async () => (await waitingFor('update sites.blobs set unused_since')) === 2)
      expect(
        (await key.post(`/v1/sites/${id}`, siteBody('stable', { files: [page('in vain')] }))).status,
      ).toBe(202)
      await spoilers[code]!(id)
    }
    const failed = await settled(key, id)
    expect(failed).toMatchObject({
      status: 'failed',
      url: null,
      error: { code },
      version: 2,
      live: { version: 1 },
    })
    const inPersian = await key.get(`/v1/sites/${id}`, { 'accept-language': 'fa' })
    expect(inPersian.body.error.message).toContain('دوباره منتشر کنید')
    await publish(key, siteBody('stable'), id)
    await kept(key, id, [3, 1])
  },
)

test('a site of an app back-end is shown and deleted through it', async () => {
  const key = await owner()
  const { id } = await publish(key, siteBody('of a cloud'))
  const cloud = '01890000-0000-7000-8000-00000000000c'
  const refused = await key.post('/v1/sites', siteBody('x', { cloud_id: cloud }))
  expect(refusalOf(refused)).toEqual([404, 'CLOUD_NOT_FOUND', 'cloud_id'])
  const through = `/v1/cloud/${cloud}/sites/${id}`
  expect(refusalOf(await key.get(through))).toEqual([404, 'SITE_NOT_FOUND', 'siteId'])
  // There are no app back-ends yet.
  await world.app.db.query({ text: 'update sites.sites set cloud_id = $1 where site_id = $2' }, [cloud, id])
  expect((await key.get(through)).body).toMatchObject({ id, cloud_id: cloud })
  expect((await key.get(`/v1/sites?cloud_id=${cloud}`)).body.data).toHaveLength(1)
  expect(refusalOf(await remove(key, id, 'of a cloud'))).toEqual([409, 'SITE_OF_CLOUD', undefined])
  const confirm = JSON.stringify({ confirm: 'of a cloud' })
  const { client: stranger } = await world.stranger()
  expect(refusalOf(await stranger.request('DELETE', through, confirm))).toEqual([
    404,
    'SITE_NOT_FOUND',
    'siteId',
  ])
  expect((await key.request('DELETE', through, confirm)).body.status).toBe('deleting')
})
