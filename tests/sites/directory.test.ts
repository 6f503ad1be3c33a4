/** The names of sites in the memory of a process, over a real database. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { type Db, openDb } from '#platform/db'
import { announceSite, openSiteDirectory } from '#sites/hosting'
import { cloneDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const accountId = '019a0000-0000-7000-8000-000000000001'
const siteId = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`
const log = pino({ level: 'silent' })

async function insertSite(db: Db, n: number, slug: string, live: number | null): Promise<void> {
  await db.pool.query(
    `insert into sites.sites (account_id, site_id, project_id, name, slug, live_version, created_at, updated_at)
     values ($1, $2, $1, $3, $3, $4, now(), now())`,
    [accountId, siteId(n), slug, live],
  )
  await db.pool.query('insert into sites.slugs (slug, account_id, site_id) values ($1, $2, $3)', [
    slug,
    accountId,
    siteId(n),
  ])
}

const told = (db: Db, n: number) => db.tx((tx) => announceSite(tx, accountId, siteId(n)))

async function world(before?: (db: Db) => Promise<void>) {
  const stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase())
  const db = stack.use(await openDb({ url }))
  await before?.(db)
  const directory = stack.use(await openSiteDirectory({ db, log, domain: 'sites.example' }))
  return { db, directory, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('sites that exist at the start are found by slug, preview and proven domain, and by nothing else', async () => {
  await using at = await world(async (db) => {
    await insertSite(db, 1, 'shop', 2)
    await db.pool.query(
      `insert into sites.versions (account_id, site_id, version, status, spa, files, bytes, preview, created_at)
       select $1, $2, version, status, false, 1, 1, preview, now() from (values (1, 'ready', 'preview-one'), (2, 'ready', 'preview-two'),
       (3, 'publishing', 'preview-three')) as v (version, status, preview)`,
      [accountId, siteId(1)],
    )
    await db.pool.query(
      `insert into sites.domains (account_id, site_id, domain, token, state, next_check_at, created_at)
       select $1, $2, domain, 't', state, now(), now() from (values ('shop.example', 'proven'), ('not.example', 'pending'),
       ('lost.example', 'lost')) as d (domain, state)`,
      [accountId, siteId(1)],
    )
  })
  const { directory } = at
  const common = { accountId, siteId: siteId(1), takenDown: false }
  expect(directory.find('shop.sites.example')).toEqual({ ...common, version: 2, isPreview: false })
  expect(directory.find('shop.example')).toEqual({ ...common, version: 2, isPreview: false })
  expect(directory.find('preview-one.sites.example')).toEqual({ ...common, version: 1, isPreview: true })
  for (const host of ['preview-three.sites.example', 'not.example', 'lost.example', 'shop', 'sites.example'])
    expect(directory.find(host), host).toBeUndefined()
})

test('what changes is known to every process as soon as it is committed, also a deletion', async () => {
  await using at = await world()
  const { db, directory } = at
  expect(directory.find('new.sites.example')).toBeUndefined()
  await insertSite(db, 1, 'new', null)
  await told(db, 1)
  await until(() => directory.find('new.sites.example') !== undefined)
  expect(directory.find('new.sites.example')?.version).toBeNull()
  await db.pool.query('update sites.sites set live_version = 1, taken_down_at = now()')
  await told(db, 1)
  await until(() => directory.find('new.sites.example')?.takenDown === true)
  await db.pool.query('delete from sites.sites')
  await told(db, 1)
  await until(() => directory.find('new.sites.example') === undefined)
  expect(directory.size).toBe(0)
})

test('whoever is told of a change finds it in the same process, also while others are read', async () => {
  await using at = await world()
  const { db, directory } = at
  for (let n = 1; n <= 20; n++) {
    await insertSite(db, n, `quiet-${n}`, 1)
    await Promise.all([told(db, n), directory.refresh({ accountId, siteId: siteId(n) })])
    expect(directory.find(`quiet-${n}.sites.example`)).toMatchObject({ version: 1 })
  }
  await db.pool.query('delete from sites.sites')
  await directory.refresh({ accountId, siteId: siteId(3) })
  expect(directory.find('quiet-3.sites.example')).toBeUndefined()
})

test('a thousand sites and more are read in portions', async () => {
  await using at = await world(async (db) => {
    await db.pool.query(
      `insert into sites.sites (account_id, site_id, project_id, name, slug, live_version, created_at, updated_at)
       select $1::uuid, ('019a0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, 'n', 'site-' || n, 1, now(), now()
       from generate_series(1, 1201) n`,
      [accountId],
    )
  })
  expect(at.directory.size).toBe(1201)
  expect(at.directory.find('site-1201.sites.example')).toMatchObject({ siteId: siteId(1201) })
})
