/** Backups of the databases of dedicated clouds over HTTP: made, kept, restored, deleted. */

import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { dueClouds } from '../../../src/cloud/backups/store.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { newClient } from '../../cloud/users/app.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, packagesConfig, type TestCloud, type World } from '../../harness/world.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Begins at the next noon of UTC: where a test moves it on by minutes, no night comes that it does not ask for. */
const clock = new MovableClock(Math.ceil(Date.now() / dayMs + 0.5) * dayMs - dayMs / 2)
let world: World
let cloud: TestCloud

beforeAll(async () => {
  if (!canRun) return
  world = await boot({ clock, config: `${packagesConfig}backups:\n  asked_per_cloud: 3\n` })
  cloud = await world.dedicatedCloud('نوبت‌ها')
  await sql('create table kept (n int primary key); insert into kept values (1)')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const sql = (text: string, { id } = cloud) =>
  world.app.databases.use({ accountId: world.account, cloudId: id }, async (open) => {
    const { rows } = await open.pool('postgres').query(text)
    return rows as Record<string, unknown>[]
  })

const pathOf = (rest = '', { id } = cloud) => `/v1/cloud/${id}/backups${rest}`

const settled = (id: string) =>
  until(async () => {
    const { status, body } = await cloud.client.get(pathOf(`/${id}`))
    return status === 200 && body.status !== 'queued' ? body : undefined
  })

const backUp = async () => {
  clock.moveMs(1)
  const asked = await cloud.client.post(pathOf(), {})
  expect(asked.status, asked.text).toBe(202)
  return settled(asked.body.id)
}

const list = (of = cloud) =>
  until(async () => {
    const { status, body } = await of.client.get(pathOf('', of))
    return status === 200 ? body : undefined
  })

const restored = (of = cloud) =>
  until(async () => {
    const { restore } = await list(of)
    return restore?.status !== 'queued' ? restore : undefined
  })

const restore = async (id: string, body: Record<string, unknown> = {}) => {
  clock.moveMs(1)
  const asked = await cloud.client.post(pathOf(`/${id}/restore`), { confirm: 'نوبت‌ها', ...body })
  expect(asked.status, asked.text).toBe(202)
  return asked.body
}

const remove = (id: string) => cloud.client.request('DELETE', pathOf(`/${id}`))

const stored = async () => {
  const folder = path.join(world.app.config.dataDir, 'files')
  return (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && entry.parentPath.includes('databases'))
    .map(({ parentPath, name }) => path.join(parentPath, name))
}

const query = (text: string, values: unknown[] = []) => world.app.db.query({ text }, values)

/** The pause before the next attempt of a job that failed is over. */
async function again(name: string): Promise<void> {
  await query('update jobs.queue set run_at = now() where name = $1 and process_id is null', [name])
  await query(`notify jobs, '${name}'`)
}

/** The next attempt of a job that failed is made when the test says so: at five seconds each a slow machine would come to the last of them. */
const notYetAgain = (name: string) =>
  until(async () => {
    const text = `update jobs.queue set run_at = now() + interval '1 hour' where name = $1 and process_id is null returning job_id`
    return (await query(text, [name])).length > 0
  })

/** Resolves when the job of the night has run, and all that it has queued. */
async function night(): Promise<void> {
  const id = randomUUID()
  const platform = '00000000-0000-0000-0000-000000000000'
  await query(
    `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, $2, 'databases.nightly', 'null', now())`,
    [platform, id],
  )
  await query(`notify jobs, 'databases.nightly'`)
  await until(async () => (await query('select from jobs.queue where job_id = $1', [id])).length === 0)
  await until(async () => (await query(`select from databases.backups where state = 'queued'`)).length === 0)
}

it('what was written after a backup is gone once it is restored in place, and only whoever says the name restores it', async () => {
  const made = await backUp()
  expect(made).toMatchObject({ kind: 'asked', status: 'ready', error: null })
  expect(made.bytes).toBeLessThan(made.database_bytes / 4)
  expect(await stored()).toHaveLength(1)
  await sql('insert into kept values (2)')
  const refused = await cloud.client.post(pathOf(`/${made.id}/restore`), { confirm: 'نوبت' })
  expect(refused.status).toBe(400)
  expect(refused.body.error.param).toBe('confirm')
  await restore(made.id)
  expect(await restored()).toMatchObject({ status: 'done', backup_id: made.id, cloud_id: cloud.id })
  expect(await sql('select n from kept')).toEqual([{ n: 1 }])
  await remove(made.id)
  expect(await stored()).toEqual([])
})

it('bytes of a store that are not those that were written are refused, and the database stays as it is', async () => {
  const made = await backUp()
  await sql('insert into kept values (3)')
  const [file] = await stored()
  const bytes = await readFile(file!)
  const inTheMiddle = Math.floor(bytes.length / 2)
  const changed = Buffer.from(bytes)
  changed[inTheMiddle]! ^= 1
  // One whose tar cannot be read: unpacking it fails before its hash is known.
  const tar = zstdDecompressSync(bytes)
  tar[148]! ^= 1
  const unreadable = zstdCompressSync(tar)
  const padded = Buffer.concat([unreadable, Buffer.alloc(Math.max(0, bytes.length - unreadable.length))])
  for (const others of [changed, padded]) {
    await writeFile(file!, others)
    await restore(made.id)
    expect(await restored()).toMatchObject({ status: 'failed', error: { code: 'damaged' } })
    expect(await sql('select n from kept order by n')).toEqual([{ n: 1 }, { n: 3 }])
  }
  // A store whose answer ends too early is asked again.
  await writeFile(file!, bytes.subarray(0, inTheMiddle))
  await restore(made.id)
  await until(async () => {
    const text = 'select from databases.restores where attempts > 0 and state = $1'
    return (await world.app.db.query({ text }, ['queued'])).length > 0
  })
  await notYetAgain('databases.restore')
  expect(await sql('select n from kept order by n')).toEqual([{ n: 1 }, { n: 3 }])
  await writeFile(file!, bytes)
  await until(async () => {
    await again('databases.restore')
    return (await list()).restore.status !== 'queued'
  })
  expect(await restored()).toMatchObject({ status: 'done' })
  expect(await sql('select n from kept')).toEqual([{ n: 1 }])
  await remove(made.id)
})

it('a backup becomes the database of a new cloud, which takes a package and has its users', async () => {
  const person = { email: 'sara@example.com', password: 'گذرواژهٔ بلند' }
  expect((await newClient(cloud).auth.signUp(person)).error).toBe(null)
  const made = await backUp()
  for (const name of ['', 'a\u0000b', 'x'.repeat(41)]) {
    const body = { confirm: 'نوبت‌ها', into: 'new', package: name }
    const refused = await cloud.client.post(pathOf(`/${made.id}/restore`), body)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'package'])
  }
  const none = await cloud.client.post(pathOf(`/${made.id}/restore`), { confirm: 'نوبت‌ها', into: 'new' })
  expect(none.body.error.code).toBe('PACKAGE_USED_UP')
  await givePackage(world.app, {
    ...{ accountId: world.account, packageId: undefined, offer: 'small', paidUntil: null },
  })
  const { cloud_id: id } = await restore(made.id, { into: 'new', name: 'دومی' })
  const second = { ...cloud, id }
  expect(await restored(second)).toMatchObject({ status: 'done' })
  expect(await sql('select n from kept', second)).toEqual([{ n: 1 }])
  const { body } = await cloud.client.get(`/v1/cloud/${id}/connection`)
  const pathUrl = `${world.appsUrl}/_cloud/${body.ref}`
  const app = newClient({ pathUrl, publicKey: body.public_key })
  expect((await app.auth.signInWithPassword(person)).error).toBe(null)
  expect((await app.auth.getUser()).data.user?.email).toBe(person.email)
  await sql('insert into kept values (9)', second)
  expect(await sql('select n from kept')).toEqual([{ n: 1 }])
  await remove(made.id)
  await cloud.client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: 'دومی' }))
  await until(async () => (await cloud.client.get(`/v1/cloud/${id}`)).status === 404)
})

it('a backup is restored where the package has room for its database, and the disk of the machine', async () => {
  const made = await backUp()
  const mebibyte = 1024 * 1024
  const update = (text: string, values: unknown[]) => world.app.db.query({ text }, values)
  // A tenth more than the package has, and the log.
  const most = Math.floor(100 * mebibyte * 1.1) + 512 * mebibyte
  await update('update clouds.clouds set limits = $1 where cloud_id = $2', [
    { disk_bytes: 100 * mebibyte },
    cloud.id,
  ])
  const sized = (bytes: number) =>
    update('update databases.backups set database_bytes = $1 where backup_id = $2', [bytes, made.id])
  const asked = () => cloud.client.post(pathOf(`/${made.id}/restore`), { confirm: 'نوبت‌ها' })
  await sized(most + 1)
  const refused = await asked()
  expect([refused.status, refused.body.error.code]).toEqual([403, 'BACKUP_TOO_LARGE'])
  // More than any disk has.
  await update(`update clouds.clouds set limits = '{"disk_bytes": 9e15}' where cloud_id = $1`, [cloud.id])
  await sized(9e15)
  const noRoom = await asked()
  expect([noRoom.status, noRoom.body.error.code]).toEqual([503, 'DATABASE_NO_ROOM'])
  expect(noRoom.headers.get('retry-after')).toBe('60')
  await update('update clouds.clouds set limits = $1 where cloud_id = $2', [
    { disk_bytes: 100 * mebibyte },
    cloud.id,
  ])
  await sized(most)
  await restore(made.id)
  expect(await restored()).toMatchObject({ status: 'done' })
  await update(`update clouds.clouds set limits = '{}' where cloud_id = $1`, [cloud.id])
  await remove(made.id)
})

/** Resolves when it waits for its next attempt. */
async function tried(): Promise<void> {
  await query(`update jobs.queue set run_at = now() where name = 'databases.restore'`)
  await query(`notify jobs, 'databases.restore'`)
  const waiting = `select from jobs.queue where name = 'databases.restore' and run_at > now() + interval '30 s'`
  await until(async () => (await query(waiting)).length > 0 || (await list()).restore.status !== 'queued')
}

it('a restore that finds no room on the disk waits ten minutes for it, has then failed beside the old data, and with room the next one succeeds', async () => {
  const made = await backUp()
  await sql('insert into kept values (8)')
  const before = await sql('select n from kept order by n')
  const sized = (bytes: number) =>
    query('update databases.backups set database_bytes = $1 where backup_id = $2', [bytes, made.id])
  // More than any disk has. Had it been so before, the restore would not have been accepted.
  await sized(9e15)
  const id = randomUUID()
  await query(
    `insert into databases.restores (account_id, cloud_id, restore_id, from_cloud_id, backup_id, state, created_at)
      values ($1, $2, $3, $2, $4, 'queued', $5)`,
    [world.account, cloud.id, id, made.id, new Date(clock.nowMs())],
  )
  await query(
    `insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at)
      values ($1, $2, 'databases.restore', $3, $4, now())`,
    [world.account, id, { cloudId: cloud.id, restoreId: id }, id],
  )
  clock.moveMs(10 * minuteMs - 1)
  await tried()
  expect((await list()).restore).toMatchObject({ status: 'queued' })
  clock.moveMs(1)
  await tried()
  expect((await list()).restore).toMatchObject({ status: 'failed', error: { code: 'no_room' } })
  expect(await sql('select n from kept order by n')).toEqual(before)
  await sized(made.database_bytes)
  await restore(made.id)
  expect(await restored()).toMatchObject({ status: 'done' })
  expect(await sql('select n from kept')).toHaveLength(before.length - 1)
  await remove(made.id)
})

it('a backup that its store has no room for has failed and leaves no bytes, and a store that fails while one is restored leaves the old data', async () => {
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const put = vi.spyOn(world.app.storage, 'putUnsized').mockImplementation(async (_key, source) => {
    for await (const _part of source) break
    throw full
  })
  const asked = await cloud.client.post(pathOf(), {})
  await until(async () => {
    await again('databases.backup')
    return (await cloud.client.get(pathOf(`/${asked.body.id}`))).body.status !== 'queued'
  })
  put.mockRestore()
  expect((await settled(asked.body.id)).error).toMatchObject({ code: 'given_up' })
  expect(await stored()).toEqual([])
  const made = await backUp()
  expect(made.status).toBe('ready')
  await sql('insert into kept values (9)')
  const before = await sql('select n from kept order by n')
  const get = vi.spyOn(world.app.storage, 'get').mockRejectedValue(new Error('the store is away'))
  await restore(made.id)
  await until(async () => {
    await again('databases.restore')
    return (await list()).restore.status !== 'queued'
  })
  get.mockRestore()
  expect(await restored()).toMatchObject({ status: 'failed', error: { code: 'given_up' } })
  expect(await sql('select n from kept order by n')).toEqual(before)
  await restore(made.id)
  expect(await restored()).toMatchObject({ status: 'done' })
  expect(await sql('select n from kept')).toHaveLength(before.length - 1)
  await remove(made.id)
})

it('a backup that is deleted with its app back-end while it is restored into another one has failed there, and that one is as it was made', async () => {
  const source = await world.dedicatedCloud('source')
  await sql('create table kept (n int)', source)
  const { body: asked } = await cloud.client.post(pathOf('', source), {})
  const backup = pathOf(`/${asked.id}`, source)
  await until(async () => (await cloud.client.get(backup)).body.status === 'ready')
  await givePackage(world.app, {
    ...{ accountId: world.account, packageId: undefined, offer: 'small', paidUntil: null },
  })
  const { storage } = world.app
  const { promise: deleted, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
  const read = storage.get.bind(storage)
  const get = vi.spyOn(storage, 'get').mockImplementation(async (...of) => {
    begins()
    await deleted
    return read(...of)
  })
  const begin = { confirm: 'source', into: 'new', name: 'target' }
  const { body } = await cloud.client.post(`${backup}/restore`, begin)
  await begun
  await cloud.client.request('DELETE', `/v1/cloud/${source.id}`, JSON.stringify({ confirm: 'source' }))
  await until(async () => (await cloud.client.get(`/v1/cloud/${source.id}`)).status === 404)
  goOn()
  const target = { ...cloud, id: body.cloud_id }
  expect(await restored(target)).toMatchObject({ status: 'failed', error: { code: 'backup_gone' } })
  get.mockRestore()
  expect(await sql(`select to_regclass('kept') as kept`, target)).toEqual([{ kept: null }])
  expect(await stored()).toEqual([])
  const databases = path.join(world.app.config.dataDir, 'databases')
  expect((await readdir(databases)).filter((name) => name.startsWith('restore.'))).toEqual([])
  await cloud.client.request('DELETE', `/v1/cloud/${target.id}`, JSON.stringify({ confirm: 'target' }))
  await until(async () => (await cloud.client.get(`/v1/cloud/${target.id}`)).status === 404)
})

it('at its limits a backup is refused: how many, one at a time, of what there is, of whom it belongs to', async () => {
  const ids = [await backUp(), await backUp(), await backUp()].map(({ id }) => id)
  expect((await cloud.client.post(pathOf(), {})).body.error.code).toBe('BACKUP_LIMIT')
  await remove(ids[0])
  const two = await Promise.all([cloud.client.post(pathOf(), {}), cloud.client.post(pathOf(), {})])
  expect(two.map(({ status }) => status).sort()).toEqual([202, expect.any(Number)])
  expect(two.some(({ body }) => ['BACKUP_RUNNING', 'BACKUP_LIMIT'].includes(body.error?.code))).toBe(true)
  const { client: stranger } = await world.stranger()
  expect((await stranger.get(pathOf())).body.error.code).toBe('CLOUD_NOT_FOUND')
  expect((await cloud.client.get(pathOf(`/${randomUUID()}`))).body.error.code).toBe('BACKUP_NOT_FOUND')
  expect((await cloud.client.get(pathOf('/x'))).body.error.code).toBe('BACKUP_NOT_FOUND')
  const starter = await world.cloud('starter')
  expect((await starter.client.get(pathOf('', starter))).body.error.code).toBe('PLAN_MISMATCH')
  await settled(two.find(({ status }) => status === 202)!.body.id)
  for (const { id } of (await list()).data) await remove(id)
})

it('a database that was changed is backed up at night, one that sleeps unchanged keeps its last one, and each goes after seven days', async () => {
  const at = (await list()).data.length
  expect(at).toBe(0)
  clock.moveMs(dayMs)
  await night()
  const [first] = (await list()).data
  expect(first).toMatchObject({ kind: 'nightly', status: 'ready' })
  // The same night makes no second one.
  await night()
  expect((await list()).data).toHaveLength(1)
  await world.app.databases.stop({ accountId: world.account, cloudId: cloud.id })
  clock.moveMs(dayMs)
  await night()
  const kept = (await list()).data
  expect(kept).toHaveLength(1)
  expect(Date.parse(kept[0].expires_at)).toBe(Date.parse(first.expires_at) + dayMs)
  await sql('insert into kept values (4)')
  await world.app.databases.stop({ accountId: world.account, cloudId: cloud.id })
  clock.moveMs(dayMs)
  await night()
  const [second] = (await list()).data
  expect(second.id).not.toBe(first.id)
  expect(Date.parse(second.expires_at)).toBe(Date.parse(second.finished_at) + 7 * dayMs)
  clock.moveMs(Date.parse(kept[0].expires_at) - clock.nowMs() - 1)
  await night()
  expect((await list()).data.map(({ id }: { id: string }) => id)).toContain(first.id)
  clock.moveMs(1)
  await night()
  expect((await list()).data.map(({ id }: { id: string }) => id)).not.toContain(first.id)
})

it('at night the cloud that waits longest is backed up first, and one whose backup is on its way keeps no other from its turn', async () => {
  await query(
    `insert into databases.backups (account_id, cloud_id, backup_id, kind, state, created_at, confirmed_at, expires_at)
      values ($1, $2, $2, 'asked', 'queued', $3, '2020-01-01', $3)`,
    // Made now, since the job of the night fails one that has waited for long without a job of its own.
    [world.account, cloud.id, new Date(clock.nowMs())],
  )
  const options = { nightStart: new Date(clock.nowMs() + dayMs), spreadSeconds: 1, limit: 1 }
  const due = () => dueClouds(world.app.db, { ...options, now: new Date(clock.nowMs() + 2 * dayMs) })
  expect(await due()).not.toEqual([{ accountId: world.account, cloudId: cloud.id }])
  await query('delete from databases.backups where backup_id = $1', [cloud.id])
  expect((await due()).length).toBe(1)
})

it('a backup that is being restored outlives its week, and what a parked job has left is failed, so that the next one runs', async () => {
  clock.moveMs(1)
  const made = await backUp()
  await query(
    `insert into databases.restores (account_id, cloud_id, restore_id, from_cloud_id, backup_id, state, created_at)
      values ($1, $2, $3, $2, $3, 'queued', $4)`,
    [world.account, cloud.id, made.id, new Date(clock.nowMs() + 8 * dayMs - 10 * minuteMs)],
  )
  await query(
    `insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at, parked_at)
      values ($1, $2, 'databases.restore', '{}', $3, now(), now())`,
    [world.account, made.id, made.id],
  )
  const refused = await cloud.client.post(pathOf(`/${made.id}/restore`), { confirm: 'نوبت‌ها' })
  expect(refused.body.error.code).toBe('RESTORE_RUNNING')
  expect((await remove(made.id)).body.error.code).toBe('RESTORE_RUNNING')
  clock.moveMs(8 * dayMs)
  await query(
    `insert into databases.backups (account_id, cloud_id, backup_id, kind, state, created_at, confirmed_at, expires_at)
      values ($1, $2, $3, 'asked', 'queued', $4, $4, $5)`,
    [
      world.account,
      cloud.id,
      randomUUID(),
      new Date(clock.nowMs() - 10 * minuteMs - 1),
      new Date(clock.nowMs() + dayMs),
    ],
  )
  // Younger than ten minutes by nothing: its job may just begin.
  await night()
  expect((await cloud.client.get(pathOf(`/${made.id}`))).body.status).toBe('ready')
  expect((await list()).restore).toMatchObject({ status: 'queued' })
  expect((await list()).data.map(({ error }: { error: { code: string } | null }) => error?.code)).toContain(
    'given_up',
  )
  clock.moveMs(1)
  await night()
  expect((await list()).restore).toMatchObject({ status: 'failed', error: { code: 'given_up' } })
  // Now nothing holds it.
  await night()
  expect((await cloud.client.get(pathOf(`/${made.id}`))).status).toBe(404)
})

it('whoever repeats an accepted backup gets its answer, also when its database is on a machine that is away', async () => {
  const place = async (name: string) => {
    const text = 'update databases.databases set place = $2 where cloud_id = $1 returning place'
    await world.app.databases.stop({ accountId: world.account, cloudId: cloud.id })
    await world.app.db.query({ text }, [cloud.id, name])
  }
  const [{ place: here }] = (await world.app.db.query(
    { text: 'select place from databases.databases where cloud_id = $1' },
    [cloud.id],
  )) as [{ place: string }]
  clock.moveMs(1)
  const ask = () => cloud.client.post(pathOf(), {}, { 'idempotency-key': 'asked' })
  const asked = await ask()
  await settled(asked.body.id)
  const back = () =>
    cloud.client.post(
      pathOf(`/${asked.body.id}/restore`),
      { confirm: 'نوبت‌ها' },
      { 'idempotency-key': 'back' },
    )
  const begun = await back()
  expect(begun.status, begun.text).toBe(202)
  await restored()
  await place('away')
  expect((await cloud.client.post(pathOf(), {})).body.error.code).toBe('DATABASE_ELSEWHERE')
  expect(await ask()).toMatchObject({ status: 202, text: asked.text })
  expect(await back()).toMatchObject({ status: 202, text: begun.text })
  await place(here)
})

it('the export of a dedicated cloud is its database as SQL, its last line the proof that it is whole', async () => {
  const answer = await cloud.client.get(`/v1/cloud/${cloud.id}/export`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/sql')
  expect(answer.text).toContain('copy public.kept (n) from stdin;\n1\n4\n\\.\n')
  expect(answer.text.endsWith('-- The end: nothing was cut.\n')).toBe(true)
})

it('with a cloud all of its backups are deleted', async () => {
  expect(await stored()).not.toEqual([])
  await cloud.client.request('DELETE', `/v1/cloud/${cloud.id}`, JSON.stringify({ confirm: 'نوبت‌ها' }))
  await until(async () => (await cloud.client.get(`/v1/cloud/${cloud.id}`)).status === 404)
  expect(await stored()).toEqual([])
})
