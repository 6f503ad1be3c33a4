/** Packages of accounts, and dedicated clouds that use them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '#app'
import { cloud } from '#cloud/cloud-routes'
import {
  beginMoveAttempt,
  type CloudKey,
  continueProvisioning,
  endPackage,
  freezeCloud,
  givePackage,
  giveUpMove,
  moveOf,
  renewPackage,
  setReadOnly,
  suspendUnpaid,
} from '#cloud/clouds'
import { addAwakeTime, awakeMsOfMonth, recordMeasurement, requireAwakeTime } from '#cloud/databases'
import { Failure } from '#platform/errors'
import type { Job, JobRun } from '#platform/jobs'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

const clock = new MovableClock()
let world: World
beforeAll(async () => {
  world = await boot({ clock, config: packagesText, roles: { api: true, worker: false } })
  // Whether there is room says the machine, which may have no jail.
  world.app.databases.requireRoom = async () => undefined
})
afterAll(() => world[Symbol.asyncDispose]())

const dayMs = 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

interface Person {
  account: string
  client: Client
}
const person = async (): Promise<Person> => world.stranger()

const give = async ({ account }: Person, offer = 'small', paidUntil: Date | null = null) =>
  (await givePackage(world.app, { accountId: account, packageId: undefined, offer, paidUntil }))!

const body = (more: object = {}) => ({ name: 'فروشگاه', plan: 'dedicated', ...more })
const create = ({ client }: Person, more: object = {}) => client.post('/v1/cloud', body(more))
const refusal = async (
  reply: Promise<{ status: number; body: { error: { code: string; param?: string } } }>,
) => {
  const { status, body } = await reply
  return [status, body.error?.code, ...(body.error?.param ? [body.error.param] : [])]
}
test('what is offered is listed with every limit, and with how many packages the account has free', async () => {
  const owner = await person()
  const packages = async (language = 'fa') =>
    (await owner.client.get('/v1/cloud', { 'accept-language': language })).body.packages
  const [starter, small, large, ...more] = await packages()
  expect(more).toEqual([])
  expect(starter).toMatchObject({
    plan: 'starter',
    package: null,
    available: true,
    free: null,
    per_project: 3,
  })
  expect(small).toMatchObject({
    ...{ plan: 'dedicated', package: 'small', name: 'کوچک', available: false, free: 0, per_project: null },
    limits: { disk_bytes: 5e9, awake_hours: 744, memory_bytes: 268_435_456, connections: 20, users: 100_000 },
  })
  expect(small.limits).not.toHaveProperty('collections')
  expect(large).toMatchObject({
    ...{ package: 'large', name: 'بزرگ', note: 'برای فروشگاه‌ها.' },
    limits: {
      ...{ disk_bytes: 2e10, memory_bytes: 536_870_912, connections: 40, awake_hours: 100, functions: 200 },
      ...{ secrets: 150, users: 500_000, files: 7, file_bytes: 1_000, file_total_bytes: 2_000 },
      ...{ daily_egress_bytes: 5_000, daily_function_calls: 3, daily_mails: 4 },
    },
  })
  await give(owner, 'large')
  await give(owner, 'large', new Date(clock.nowMs()))
  expect((await packages('en'))[2]).toMatchObject({
    name: 'Large',
    available: true,
    free: 1,
    note: 'For shops.',
  })
})

test('a package whose databases would never wake on this machine refuses the start, in words that say how to fix it', async () => {
  const ofBytes = (memory: number) =>
    `clouds:\n  packages:\n    - id: huge\n      name: { fa: بزرگ, en: Huge }\n      memory_bytes: ${memory}\n`
  const refusalOf = (memory: number) =>
    boot({ config: ofBytes(memory) }).catch((error: Error) => error.message)
  const [, named] = /leaves (\d+) bytes/.exec(String(await refusalOf(2 ** 40)))!
  const most = Number(named)
  expect(await refusalOf(most + 1)).toMatch(/"huge".*memory_percent \(25\)/)
  await (await boot({ config: ofBytes(most) }))[Symbol.asyncDispose]()
  const elsewhere = 'databases: { local: false }\n'
  await (await boot({ config: ofBytes(most + 1) + elsewhere }))[Symbol.asyncDispose]()
})

test('without a package a dedicated cloud is refused, with one that is unpaid or used too, and nothing is written', async () => {
  const owner = await person()
  const other = await person()
  await give(other)
  expect(await refusal(create(owner))).toEqual([403, 'PACKAGE_REQUIRED', 'plan'])
  const given = await give(owner, 'small', new Date(clock.nowMs()))
  expect(await refusal(create(owner))).toEqual([402, 'PACKAGE_UNPAID'])
  expect(await refusal(create(owner, { package: 'large' }))).toEqual([403, 'PACKAGE_REQUIRED', 'package'])
  await endPackage(world.app, given.package_id)
  expect(await refusal(create(owner))).toEqual([403, 'PACKAGE_REQUIRED', 'plan'])
  expect((await owner.client.get('/v1/cloud')).body.data).toEqual([])
})

test('a package that the configuration has no more opens nothing', async () => {
  const owner = await person()
  await give(owner, 'gone')
  expect(await refusal(create(owner))).toEqual([403, 'PACKAGE_REQUIRED', 'plan'])
})

test('it is paid for until the moment that was agreed, and not at that moment', async () => {
  const owner = await person()
  await give(owner, 'small', new Date(clock.nowMs() + 1))
  const [, small] = (await owner.client.get('/v1/cloud')).body.packages
  expect(small).toMatchObject({ available: true, free: 1 })
  clock.moveMs(1)
  expect(await refusal(create(owner))).toEqual([402, 'PACKAGE_UNPAID'])
})

test('a second cloud finds the package used, and a repeat with its key the answer of the first', async () => {
  const owner = await person()
  await give(owner)
  const once = () => owner.client.post('/v1/cloud', body(), { 'idempotency-key': 'one' })
  const made = await once()
  expect([made.status, made.body.status, made.body.plan, made.body.package]).toEqual([
    ...[202, 'provisioning', 'dedicated', 'small'],
  ])
  expect(await refusal(create(owner))).toEqual([402, 'PACKAGE_USED_UP'])
  expect((await once()).text).toBe(made.text)
  expect(await refusal(owner.client.get(`/v1/cloud/${made.body.id}/connection`))).toEqual([
    409,
    'CLOUD_NOT_READY',
  ])
  await give(owner, 'large')
  expect((await create(owner, { package: 'large' })).body.package).toBe('large')
})

/** A dedicated cloud without its database: nobody does background work here. */
async function dedicated(owner: Person, offer = 'small', paidUntil: Date | null = null) {
  const given = await give(owner, offer, paidUntil)
  const { id, ref } = (await create(owner, { package: offer })).body
  const key = { accountId: owner.account, cloudId: id as string }
  const live = async () => (await world.app.clouds.find(ref))!
  const shown = async () => (await owner.client.get(`/v1/cloud/${id}`)).body
  return { id: id as string, packageId: given.package_id, key, live, shown }
}

/** Nothing of databases is here for as long as `work` takes: whatever is asked of them is refused for now. */
async function withoutRoom(work: () => Promise<void>): Promise<void> {
  const { databases } = world.app
  const { make, requireRoom } = databases
  const refuse = async () => {
    throw new Failure('DATABASE_NO_ROOM', {}, { retryAfterMs: 7_000 })
  }
  Object.assign(databases, { make: refuse, requireRoom: refuse })
  await work().finally(() => Object.assign(databases, { make, requireRoom }))
}

const attempts = 7
const moveJob = cloud.jobs.find(({ name }) => name === 'clouds.move') as Job<{ cloudId: string }, App>
const progress = { stopping: new AbortController().signal, progressed: async () => undefined }
const continueMove = ({ accountId, cloudId }: CloudKey) =>
  moveJob.handle({ ...progress, app: world.app, accountId, data: { cloudId } } as JobRun<
    { cloudId: string },
    App
  >)

test('a cloud waits for room for its database for as long as there is none, and no attempt of it is counted', async () => {
  const { key, shown } = await dedicated(await person())
  await withoutRoom(async () => {
    for (let nth = 0; nth < attempts; nth++)
      expect(await continueProvisioning(world.app, key)).toEqual({ laterMs: 7_000 })
  })
  expect(await shown()).toMatchObject({ status: 'provisioning' })
  const { make } = world.app.databases
  world.app.databases.make = async () => undefined
  await continueProvisioning(world.app, key).finally(() => {
    world.app.databases.make = make
  })
  expect(await shown()).toMatchObject({ status: 'ready' })
})

/** A Starter cloud on its way to a database. */
async function moving() {
  const owner = await person()
  await give(owner)
  const { id } = (await owner.client.post('/v1/cloud', body({ plan: 'starter' }))).body
  const act = (json: object) => owner.client.post(`/v1/cloud/${id}/database`, json)
  await act({ action: 'create_collection', name: 'todos' })
  const begun = await owner.client.post(`/v1/cloud/${id}/move`, {})
  expect(begun.status, begun.text).toBe(202)
  const key = { accountId: owner.account, cloudId: id as string }
  const insert = () => act({ action: 'insert', table: 'todos', data: { n: 1 } })
  return { key, insert, move: async () => (await moveOf(world.app.db.kysely, key))! }
}

test('a move waits for room, too', async () => {
  const { key, move } = await moving()
  await withoutRoom(async () => {
    for (let nth = 0; nth < attempts; nth++) expect(await continueMove(key)).toEqual({ laterMs: 7_000 })
  })
  expect(await move()).toMatchObject({ state: 'moving', attempts: 0 })
})

test('a step of a move that was delayed past its end freezes nothing', async () => {
  const { key, insert, move } = await moving()
  const late = (await beginMoveAttempt(world.app, key))!
  await giveUpMove(world.app, late)
  expect(await move()).toMatchObject({ state: 'undoing' })
  expect(await freezeCloud(world.app, late)).toBe(false)
  const inserted = await insert()
  expect(inserted.status, inserted.text).toBe(200)
})

test('what was accepted is answered to whoever repeats it, also when there is no room any more and the backup is gone', async () => {
  const owner = await person()
  const { id, key } = await dedicated(owner)
  await world.app.db.query({ text: `update clouds.clouds set state = 'ready' where cloud_id = $1` }, [id])
  await world.app.db.query(
    {
      text: `insert into databases.backups (account_id, cloud_id, backup_id, kind, state, created_at, confirmed_at, expires_at)
        values ($1, $2, $2, 'asked', 'ready', now(), now(), now())`,
    },
    [key.accountId, id],
  )
  await give(owner)
  const restore = () =>
    owner.client.post(
      `/v1/cloud/${id}/backups/${id}/restore`,
      { confirm: 'فروشگاه', into: 'new' },
      { 'idempotency-key': 'restored' },
    )
  const create = () => owner.client.post('/v1/cloud', body(), { 'idempotency-key': 'created' })
  const restored = await restore()
  expect(restored.status, restored.text).toBe(202)
  await give(owner)
  const created = await create()
  expect(created.status, created.text).toBe(202)
  // Room in the account, and none for a database.
  await give(owner)
  await world.app.db.query({ text: 'delete from databases.backups where cloud_id = $1' }, [id])
  await withoutRoom(async () => {
    expect((await restore()).text).toBe(restored.text)
    expect((await create()).text).toBe(created.text)
  })
})

test('an app only reads from the moment on at which its package is not paid for, and writes again once it is renewed', async () => {
  const owner = await person()
  const end = new Date(clock.nowMs() + dayMs)
  const { packageId, live, shown } = await dedicated(owner, 'small', end)
  expect(await live()).toMatchObject({ readOnlyWhy: null })
  expect(await shown()).toMatchObject({ read_only: null, paid_until: end.toISOString() })
  clock.moveMs(dayMs - 1)
  expect((await live()).readOnlyWhy).toBeNull()
  clock.moveMs(1)
  expect(await live()).toMatchObject({ readOnlyWhy: 'unpaid' })
  expect(await shown()).toMatchObject({ read_only: 'unpaid' })
  await renewPackage(world.app, packageId, { offer: 'large', paidUntil: null })
  await until(async () => (await live()).readOnlyWhy === null)
  expect((await live()).limits.diskBytes).toBe(2e10)
  expect(await shown()).toMatchObject({ read_only: null, paid_until: null, package: 'large' })
})

test('a full disk makes an app read only and room makes it write again, in every process by the same announcement', async () => {
  const { key, live, shown } = await dedicated(await person())
  await setReadOnly(world.app, key, true)
  await until(async () => (await live()).readOnlyWhy !== null)
  expect(await live()).toMatchObject({ readOnlyWhy: 'disk' })
  expect(await shown()).toMatchObject({ read_only: 'disk' })
  await setReadOnly(world.app, key, false)
  await until(async () => (await live()).readOnlyWhy === null)
})

test('the cloud of an ended package reads for seven days, is suspended then, and stands again once it is renewed', async () => {
  const owner = await person()
  const { packageId, live, shown } = await dedicated(owner)
  await endPackage(world.app, packageId)
  await until(async () => (await live()).readOnlyWhy !== null)
  clock.moveMs(7 * dayMs)
  await suspendUnpaid(world.app, 10)
  expect((await shown()).status).not.toBe('suspended')
  clock.moveMs(1)
  await suspendUnpaid(world.app, 10)
  expect(await shown()).toMatchObject({
    status: 'suspended',
    suspended_reason: expect.stringContaining('package'),
  })
  await until(async () => (await live()).state === 'suspended')
  await renewPackage(world.app, packageId, { offer: undefined, paidUntil: null })
  expect(await shown()).toMatchObject({ suspended_reason: null, read_only: null })
  await until(async () => (await live()).state !== 'suspended')
})

test('what the operator has suspended stays so when a package is renewed', async () => {
  const owner = await person()
  const { id, packageId, shown } = await dedicated(owner)
  await world.app.db.query(
    { text: `update clouds.clouds set suspended_at = now(), suspended_reason = 'spam' where cloud_id = $1` },
    [id],
  )
  await renewPackage(world.app, packageId, { offer: undefined, paidUntil: null })
  expect(await shown()).toMatchObject({ status: 'suspended', suspended_reason: 'spam' })
})

test('hours awake are added to the days and months that they lie in, exactly, however many add them', async () => {
  const { key, shown } = await dedicated(await person(), 'large')
  const monthMs = Date.UTC(2027, 1)
  const used = (ms: number) => awakeMsOfMonth(world.app.db, key, ms)
  await Promise.all(
    Array.from({ length: 20 }, (_, nth) =>
      addAwakeTime(world.app, key, { fromMs: monthMs - 10 - nth, toMs: monthMs + 30 + nth }),
    ),
  )
  expect(await used(monthMs - 1)).toBe(20 * 10 + 190)
  expect(await used(monthMs)).toBe(20 * 30 + 190)
  await addAwakeTime(world.app, key, { fromMs: clock.nowMs() - 1, toMs: clock.nowMs() })
  expect((await shown()).usage.awake_hours).toEqual({ used: 1, max: 100 })
})

test('a database wakes until the hours of its package are used, and again with the next month', async () => {
  const { key, live } = await dedicated(await person(), 'large')
  const { limits } = await live()
  const now = new Date(clock.nowMs())
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  clock.moveMs(nextMonth + 10 * dayMs - clock.nowMs())
  const add = (ms: number) =>
    addAwakeTime(world.app, key, { fromMs: clock.nowMs() - ms, toMs: clock.nowMs() })
  await add(100 * hourMs - 1)
  await requireAwakeTime(world.app, key, limits)
  await add(1)
  await expect(requireAwakeTime(world.app, key, limits)).rejects.toMatchObject({
    code: 'DATABASE_HOURS_USED',
  })
  clock.moveMs(31 * dayMs)
  await requireAwakeTime(world.app, key, limits)
})

test('disk and rows are shown as they were measured last', async () => {
  const { id, key, shown } = await dedicated(await person())
  await world.app.db.query(
    {
      text: `insert into databases.databases (account_id, cloud_id, ref, provider, place, created_at) values ($1, $2, 'a', 'local', 'here', now())`,
    },
    [key.accountId, id],
  )
  await recordMeasurement(world.app, key, { diskBytes: 45_000_000, rows: 12 })
  expect((await shown()).usage).toMatchObject({
    disk_bytes: { used: 45_000_000, max: 5e9 },
    rows: { used: 12 },
  })
})

test('limits that the operator sets for one cloud stand in place of those of its package', async () => {
  const { id, live, shown } = await dedicated(await person())
  await world.app.db.query(
    { text: `update clouds.clouds set limits = '{"disk_bytes": 7, "users": 8}' where cloud_id = $1` },
    [id],
  )
  expect((await shown()).limits).toMatchObject({ disk_bytes: 7, users: 8, connections: 20 })
  await world.app.clouds.refresh((await live()) as never)
  expect((await live()).limits).toMatchObject({ diskBytes: 7, users: 8, connections: 20 })
})
