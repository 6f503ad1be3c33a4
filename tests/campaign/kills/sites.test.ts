/** Publications whose processes are killed or paused: visitors get the old version or the new one, whole, and nothing is left lying about. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site, severalStartsMs } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { file, settled, siteBody } from '../../sites/published.ts'
import { visit } from '../../sites/visitor.ts'

const stack = new AsyncDisposableStack()
let site: Site

beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

afterEach(() => site.killAll())

/** Says on every one of its pages which version it is. */
const bodyOf = (slug: string, version: number) => {
  const text = `<title>version ${version}</title>${'<p>سلام</p>'.repeat(500)}`
  const files = [
    file('index.html', text),
    file('about.html', `about ${text}`),
    file('same.css', 'a{}'.repeat(999)),
  ]
  return siteBody(slug, version === 1 ? { slug, files } : { files })
}

interface Published {
  person: Person
  id: string
  slug: string
}

/** A site with one version, of somebody new. */
async function publishFirst(server: ServerProcess, slug: string): Promise<Published> {
  const person = await site.person()
  const { status, text, body } = await site.client(server, person).post('/v1/sites', bodyOf(slug, 1))
  expect(status, text).toBe(202)
  await settled(site.client(server, person), body.id)
  return { person, id: body.id, slug }
}

const publishSecond = (client: Client, { id, slug }: Published) =>
  client.post(`/v1/sites/${id}`, bodyOf(slug, 2), { 'idempotency-key': 'second' })

/** Which version a visitor gets; both pages of it. */
async function versionSeen(server: ServerProcess, { slug }: Published): Promise<number> {
  const address = `http://${slug}.localhost:${new URL(server.appsUrl).port}`
  const pages = await Promise.all(['/', '/about'].map((at) => visit(address, at)))
  const [one, other] = pages.map(({ text }) => Number(/version (\d)/.exec(text)?.[1]))
  assert(one === other && one !== undefined, 'a visitor sees one version')
  return one
}

const queueIsEmpty = () =>
  until(
    async () =>
      (await site.db.query({ text: `select from jobs.queue where name = 'sites.publish'` }, [])).length === 0,
  )

/** Every version that is ready has all its files with their bytes, and every byte in the store has an owner, or is about to be deleted. */
async function expectWhole({ person }: Published): Promise<void> {
  const rows = await site.db.query<{ version: number; files: number; listed: bigint; keys: string[] }>(
    {
      text: `select v.version, v.files, count(*) as listed, array_agg(b.storage_key) || array_agg(b.brotli_key) || array_agg(b.gzip_key) as keys
        from sites.versions v join sites.files f using (account_id, site_id, version) join sites.blobs b using (account_id, sha256)
        where v.account_id = $1 and v.status = 'ready' group by v.version, v.files`,
    },
    [person.account],
  )
  const folder = path.join(site.dataDir, 'files')
  const found = await readdir(path.join(folder, 'sites', person.account), {
    recursive: true,
    withFileTypes: true,
  })
  const stored = new Set(
    found
      .filter((one) => one.isFile())
      .map((one) => path.relative(folder, path.join(one.parentPath, one.name))),
  )
  for (const { files, listed, keys } of rows) {
    expect(Number(listed)).toBe(files)
    for (const key of keys) if (key !== null) expect(stored).toContain(key)
  }
  const pending = await site.db.query<{ key: string }>({ text: 'select key from storage.pending_blobs' }, [])
  const owned = new Set([...rows.flatMap(({ keys }) => keys), ...pending.map(({ key }) => key)])
  expect([...stored].filter((key) => !owned.has(key))).toEqual([])
}

test('killed before a publication is accepted, before it is live and right after: visitors get the old version until the new one is whole, and a repeat makes no second one', {
  timeout: severalStartsMs,
}, async () => {
  const servers: ServerProcess[] = [await site.start()]
  const published = await publishFirst(servers[0]!, 'killed-at-every-step')
  const client = () => site.client(servers.at(-1)!, published.person)
  const next = async (databaseUrl?: string) => void servers.push(await site.successor(databaseUrl))
  const kill = async () => {
    await servers.at(-1)!.kill()
    await site.endWaiting()
  }
  {
    await using _site = await site.holding(
      `select from sites.sites where site_id = '${published.id}' for update`,
    )
    const call = expect(publishSecond(client(), published), 'before it was accepted').rejects.toThrow()
    await site.waitsFor('for no key update')
    await kill()
    await call
  }
  {
    await using _files = await site.holding('lock table sites.files in share mode')
    await next()
    expect(await versionSeen(servers.at(-1)!, published)).toBe(1)
    expect((await client().get(`/v1/sites/${published.id}`)).body.version).toBe(1)
    expect((await publishSecond(client(), published)).status).toBe(202)
    // Its contents are stored, and their rows written in a transaction that never ends.
    await site.waitsFor('insert into sites.files')
    expect(await versionSeen(servers.at(-1)!, published)).toBe(1)
    await kill()
  }
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  {
    let committed: Promise<void>
    {
      await using _files = await site.holding('lock table sites.files in share mode')
      await next(proxy.url)
      await site.waitsFor('insert into sites.files')
      committed = proxy.withholdReply(/commit/, 'insert into sites.files')
    }
    await committed
    await servers.at(-1)!.kill()
  }
  await next()
  await queueIsEmpty()
  expect((await client().get(`/v1/sites/${published.id}`)).body).toMatchObject({
    status: 'ready',
    version: 2,
    live: { version: 2 },
  })
  expect(await versionSeen(servers.at(-1)!, published)).toBe(2)
  const repeat = await publishSecond(client(), published)
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
  expect((await client().get(`/v1/sites/${published.id}`)).body.versions).toHaveLength(2)
  await expectWhole(published)
})

test('a process that stands still for so long that another publishes in its place changes nothing when it goes on', {
  timeout: severalStartsMs,
}, async () => {
  const one = await site.start()
  const published = await publishFirst(one, 'paused-meanwhile')
  {
    await using _blobs = await site.holding('lock table sites.blobs in share mode')
    expect((await publishSecond(site.client(one, published.person), published)).status).toBe(202)
    await site.waitsFor('unused_since')
    one.child.kill('SIGSTOP')
  }
  const other = await site.start()
  await site.endLeases(one)
  const client = site.client(other, published.person)
  expect(await settled(client, published.id)).toMatchObject({ live: { version: 2 } })
  expect((await client.post(`/v1/sites/${published.id}/rollback`, {})).body.live.version).toBe(1)
  one.child.kill('SIGCONT')
  await queueIsEmpty()
  await until(
    async () =>
      (await site.client(one, published.person).get(`/v1/sites/${published.id}`)).body?.live?.version === 1,
  )
  await until(async () => (await versionSeen(one, published).catch(() => undefined)) === 1)
  await expectWhole(published)
})

test('a publication over which two processes died in a row fails, and the version before is served on', {
  timeout: severalStartsMs,
}, async () => {
  const servers = [await site.start()]
  const published = await publishFirst(servers[0]!, 'set-aside')
  // Before its first content is stored, and before its files are listed.
  for (const [table, words] of [
    ['blobs', 'unused_since'],
    ['files', 'insert into sites.files'],
  ] as const) {
    await using _held = await site.holding(`lock table sites.${table} in share mode`)
    if (table === 'files') servers.push(await site.successor())
    else await publishSecond(site.client(servers[0]!, published.person), published)
    await site.waitsFor(words)
    await servers.at(-1)!.kill()
    await site.endWaiting()
  }
  servers.push(await site.successor())
  const last = servers.at(-1)!
  const client = site.client(last, published.person)
  const failed = await settled(client, published.id)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'set_aside' }, live: { version: 1 } })
  expect(await versionSeen(last, published)).toBe(1)
  await expectWhole(published)
})
