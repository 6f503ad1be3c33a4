/** Clouds deleted, suspended and limited by the operator. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '#app'
import { cloud as cloudCapability } from '#cloud/cloud-routes'
import { hashOfKey, resumeCloud, setCloudLimits, suspendCloud } from '#cloud/clouds'
import { uuidv7 } from '#platform/ids'
import type { Job } from '#platform/jobs'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { siteBody } from '../../sites/published.ts'
import { answering, deploy, textOf } from '../functions/scene.ts'
import { hasJail } from '../jail/needs-jail.ts'
import { cloudTables, fill, recount, tablesWith } from './filled.ts'

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())

const remove = ({ client, id }: TestCloud, confirm: string) =>
  client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm }))
const gone = (cloud: TestCloud) =>
  until(async () => (await cloud.client.get(`/v1/cloud/${cloud.id}`)).status === 404)
const query = <Row>(text: string, values: unknown[] = []) => world.app.db.query<Row>({ text }, values)

test('deletion leaves no row in any table that has a cloud_id, no byte and no site', async () => {
  const cloud = await world.newCloud('فروشگاه')
  await cloud.serviceKey()
  const site = await cloud.client.post('/v1/sites', { ...siteBody('of-cloud'), cloud_id: cloud.id })
  expect(site.status, site.text).toBe(202)
  const key = await fill(world.app, world.account, cloud.id)
  await world.app.storage.put(key, Buffer.from('bytes of an app'))
  // Where a database lies is filled in by those that have one (dedicated/).
  const filled = (await cloudTables(world.app)).filter((name) => name !== 'databases.databases')
  expect(await tablesWith(world.app, cloud.id)).toEqual(filled)
  expect((await remove(cloud, 'فروشگاه')).body).toMatchObject({ id: cloud.id, status: 'deleting' })
  await gone(cloud)
  expect(await tablesWith(world.app, cloud.id)).toEqual([])
  expect(await world.app.storage.get(key)).toBeUndefined()
  expect((await cloud.client.get(`/v1/sites/${site.body.id}`)).status).toBe(404)
  expect(world.app.clouds.has(cloud.ref)).toBe(false)
  expect(await world.app.clouds.find(cloud.ref)).toBeUndefined()
})

test.runIf(await hasJail())(
  'what runs of a cloud ends when it is suspended, and when it is deleted',
  async () => {
    const cloud = await world.newCloud('running')
    const running = async () =>
      Number(/^kherad_function_processes (\d+)/m.exec(await world.app.metrics.text())?.[1] ?? 0)
    await deploy(cloud, 'hello', answering('hello'))
    const call = async () => {
      expect(await textOf(cloud, 'hello')).toBe('hello')
      await until(async () => (await running()) === 1)
    }
    await call()
    const key = { accountId: world.account, cloudId: cloud.id }
    await suspendCloud(world.app, key, null)
    // By themselves they end after a minute.
    await until(async () => (await running()) === 0)
    await resumeCloud(world.app, key)
    await until(async () => (await world.app.clouds.find(cloud.ref))?.state === 'ready')
    await call()
    await remove(cloud, 'running')
    await until(async () => (await running()) === 0)
    await gone(cloud)
  },
)

test('a cloud of many rows and users is deleted in portions, so that no statement takes long', async () => {
  const cloud = await world.newCloud('large')
  await fill(world.app, world.account, cloud.id)
  const own = [world.account, cloud.id]
  await query(
    `insert into collections.rows select $1, $2, $2, gen_random_uuid(), null, '{}', 2, now(), now() from generate_series(1, 2500)`,
    own,
  )
  await query(
    `insert into app_users.users (account_id, cloud_id, user_id, created_at, updated_at)
      select $1, $2, gen_random_uuid(), now(), now() from generate_series(1, 250)`,
    own,
  )
  await recount(world.app, cloud.id)
  // Every statement that deletes says how much it took.
  await query('create table clouds.deleted (name text, many bigint)')
  await query(`create function clouds.note_deleted() returns trigger language plpgsql as $$ begin
      insert into clouds.deleted select tg_table_name, count(*) from gone; return null; end $$`)
  for (const table of ['collections.rows', 'app_users.users'])
    await query(
      `create trigger note after delete on ${table} referencing old table as gone for each statement execute function clouds.note_deleted()`,
    )
  await remove(cloud, 'large')
  await gone(cloud)
  expect(await tablesWith(world.app, cloud.id)).toEqual([])
  const deleted = `select name, sum(many)::int as sum, max(many)::int as most from clouds.deleted group by 1 order by 1`
  expect(await query(deleted)).toEqual([
    { name: 'rows', sum: 2_501, most: 1_000 },
    { name: 'users', sum: 251, most: 200 },
  ])
})

test('a deletion that was set aside ends when the sweep has deleted its cloud', async () => {
  const cloudId = uuidv7()
  const enqueued = 'select from jobs.queue where singleton_key = $1'
  const deleteJob = cloudCapability.jobs.find(({ name }) => name === 'clouds.delete')!
  await world.app.db.tx(async (tx) => {
    const job = { accountId: world.account, data: { cloudId }, singletonKey: cloudId }
    await world.app.jobs.enqueue(tx, deleteJob as Job<{ cloudId: string }, App>, job)
    await sql`update jobs.queue set vanished = 2 where singleton_key = ${cloudId}`.execute(tx)
  })
  await until(async () => (await query(enqueued, [cloudId])).length === 0)
})

test('without its exact name nothing is deleted', async () => {
  const cloud = await world.newCloud('نام')
  for (const confirm of ['', 'نام ', 'other', cloud.id]) {
    const { status, body } = await remove(cloud, confirm)
    expect([status, body.error.param]).toEqual([400, 'confirm'])
  }
  expect((await cloud.client.get(`/v1/cloud/${cloud.id}`)).body.status).toBe('ready')
})

test('a cloud that is being deleted takes nothing more, and says so', async () => {
  const cloud = await world.newCloud('ending')
  // No job comes between.
  await query(`update clouds.clouds set state = 'deleting' where cloud_id = $1`, [cloud.id])
  const at = `/v1/cloud/${cloud.id}`
  expect((await cloud.client.get(at)).body.status).toBe('deleting')
  const retried = await cloud.client.post(`${at}/retry`, {})
  expect([retried.status, retried.body.error.code]).toEqual([409, 'CLOUD_DELETING'])
  expect((await remove(cloud, 'ending')).body.error.code).toBe('CLOUD_DELETING')
  expect((await cloud.client.get(`${at}/connection`)).status).toBe(404)
  expect((await cloud.client.post(`${at}/keys`, { kind: 'service' })).status).toBe(404)
  const site = await cloud.client.post('/v1/sites', { ...siteBody('late'), cloud_id: cloud.id })
  expect([site.status, site.body.error.code, site.body.error.param]).toEqual([
    404,
    'CLOUD_NOT_FOUND',
    'cloud_id',
  ])
})

test('the app of a cloud that is being deleted is refused in the process that was asked at once', async () => {
  const cloud = await world.newCloud('at once')
  expect((await world.app.clouds.find(cloud.ref))?.keys.has(hashOfKey(cloud.publicKey))).toBe(true)
  await remove(cloud, 'at once')
  expect((await world.app.clouds.find(cloud.ref))?.state ?? 'gone').toMatch(/deleting|gone/)
})

/** What every route of a cloud but its reading, deletion and retry answers, asked as its documentation does. */
async function refusalsOf({ client, id }: TestCloud): Promise<[operation: string, code: string][]> {
  const always = new Set(['cloud.read', 'cloud.delete', 'cloud.retry'])
  const found: [string, string][] = []
  for (const { method, path, operation, body, upload } of cloudCapability.routes) {
    if (!path.startsWith('/v1/cloud/{id}') || always.has(operation)) continue
    const form = new FormData()
    form.set('export', new Blob(['x']), 'x.jsonl')
    const json = JSON.stringify((body as { examples?: unknown[] } | undefined)?.examples?.[0])
    const reply = await fetch(`${client.url}${path.replace('{id}', id).replace(/\{\w+\}/, id)}`, {
      method,
      headers: {
        authorization: `Bearer ${client.secret}`,
        ...(!upload && { 'content-type': 'application/json' }),
      },
      ...(upload ? { body: form } : body && { body: json }),
    })
    const answer = (await reply.json()) as { error?: { code: string } }
    found.push([operation, `${reply.status} ${answer.error?.code}`])
  }
  return found
}

test('a cloud that could not be set up is refused by every route but those that read, delete and retry it', async () => {
  const cloud = await world.newCloud('failed')
  await query(`update clouds.clouds set state = 'failed', error_code = 'given_up' where cloud_id = $1`, [
    cloud.id,
  ])
  expect((await refusalsOf(cloud)).filter(([, code]) => code !== '409 CLOUD_NOT_READY')).toEqual([])
  expect((await cloud.client.post(`/v1/cloud/${cloud.id}/retry`, {})).status).toBe(202)
  await until(async () => (await cloud.client.get(`/v1/cloud/${cloud.id}`)).body.status === 'ready')
})

test('a suspended cloud is refused to its owner and its app until it is resumed; it can be deleted', async () => {
  const cloud = await world.newCloud('suspended')
  const key = { accountId: world.account, cloudId: cloud.id }
  await suspendCloud(world.app, key, 'phishing')
  await until(async () => (await world.app.clouds.find(cloud.ref))?.state === 'suspended')
  const { body: shown } = await cloud.client.get(`/v1/cloud/${cloud.id}`)
  expect([shown.status, shown.suspended_reason]).toEqual(['suspended', 'phishing'])
  const refusals = await refusalsOf(cloud)
  expect(refusals.length).toBeGreaterThan(25)
  expect(refusals.filter(([, code]) => code !== '403 CLOUD_SUSPENDED')).toEqual([])
  await resumeCloud(world.app, key)
  await until(async () => (await world.app.clouds.find(cloud.ref))?.state === 'ready')
  expect((await cloud.client.get(`/v1/cloud/${cloud.id}/connection`)).status).toBe(200)
  await suspendCloud(world.app, key, null)
  expect((await remove(cloud, 'suspended')).status).toBe(200)
  await gone(cloud)
})

test('limits of the operator count for that cloud alone, until they are taken back', async () => {
  const [cloud, other] = [await world.newCloud('limited'), await world.newCloud('other')]
  const key = { accountId: world.account, cloudId: cloud.id }
  const limitsOf = async ({ client, id }: TestCloud) => (await client.get(`/v1/cloud/${id}`)).body.limits
  await setCloudLimits(world.app, key, { rows: 5, users: 7 })
  expect(await limitsOf(cloud)).toMatchObject({ rows: 5, users: 7, secrets: 20 })
  // The server hears of it a moment later: this is what the operator's own process does.
  const served = async () => (await world.app.clouds.find(cloud.ref))?.limits
  await until(async () => (await served())?.rows === 5)
  expect(await served()).toMatchObject({ rows: 5, users: 7 })
  await setCloudLimits(world.app, key, { rows: null })
  expect(await limitsOf(cloud)).toMatchObject({ rows: 10_000, users: 7 })
  expect(await limitsOf(other)).toMatchObject({ rows: 10_000, users: 1_000 })
})
