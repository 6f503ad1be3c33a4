/** Disks that are really full, one at a time: what must be stored is refused before it costs anything, and it heals by itself. */
import { spawnSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Job, type JobsApp, jobsOf, startWorkers } from '#platform/jobs'
import { Client, type Seen } from '../harness/client.ts'
import { formOf } from '../harness/form.ts'
import { startProcess } from '../harness/processes.ts'
import { fillDisk, smallDisk } from '../harness/small-disk.ts'
import { startMs, until } from '../harness/until.ts'
import { fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig } from '../harness/world.ts'
import { bootOnImages, drawn, halves } from '../media/images-world.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { ask, bootWork, create, ended, input, keep, whole } from '../work/work-world.ts'
import { expectRefusal } from './refusal.ts'

const job = jobsOf<JobsApp>()
const noDisk = 'this user may mount no disk'

/** A data folder of which one folder lies on a disk of its own. */
async function folderOn(place: string, name: string) {
  const folder = await temporaryFolder('full-disk-')
  const dataDir = path.join(folder.path, 'data')
  await mkdir(dataDir)
  await symlink(place, path.join(dataDir, name))
  return { dataDir, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

const ready = async (url: string): Promise<Seen> => new Client(url, '', '').get('/health/ready')
const isShort = (url: string) => async () => (await ready(url)).status === 503
const isFine = (url: string) => async () => (await ready(url)).status === 200

/** As any program sends it again, and as no other: in the wire's own words. */
function expectFull(seen: Seen, code: 'STORAGE_FULL' | 'SPOOL_FULL', about: string): void {
  expectRefusal(seen, { status: 503, code }, about)
  expect([seen.headers.get('retry-after'), seen.headers.get('x-should-retry')], about).toEqual(['30', null])
}

const upload = (key: Client, bytes = 1_000): Promise<Seen> => {
  const rows = Buffer.from(`a,b\n${'1,2\n'.repeat(bytes / 4)}`)
  const { body, headers } = formOf({ bytes: rows, name: 'a.csv', type: 'text/csv' })
  return key.request('POST', '/v1/files', body, headers)
}

test('where the disk of stored files is full nothing is ordered that must be stored, reads go on, and it heals by itself', async ({
  skip,
}) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'files')
  await using at = await bootOnImages({ env: { KHERAD_DATA: folder.dataDir } })
  const { key, upstream, world } = at
  upstream.reply(drawn)
  const stored = await upload(key)
  expect(stored.status, stored.text).toBe(201)
  const made = await key.post('/v1/images', { model: 'test/painter', prompt: 'a cat' })
  expect(made.status, made.text.slice(0, 300)).toBe(200)
  await world.settled()
  const [before, calls] = [await world.balance(), upstream.calls.length]

  const filler = path.join(disk.path, 'filler')
  await fillDisk(filler)
  await until(isShort(world.url))
  const told = await ready(world.url)
  expectRefusal(told, { status: 503, code: 'NOT_READY' })
  expect(told.body.error.details).toEqual({ problems: ['disk_full'] })
  expect(told.body.error.message).toMatch(
    /^This server is not ready: The disk of stored files has only \d+ MB free and needs 64 MB/,
  )
  expect(told.text).not.toContain(folder.dataDir)

  const picture = { model: 'test/painter', prompt: 'a cat' }
  const reference = `data:image/png;base64,${(await halves(128, 128)).toString('base64')}`
  const orders: [string, unknown][] = [
    ['/v1/images', picture],
    ['/v1/images/generations', picture],
    ['/v1/images/edits', { ...picture, images: [{ image_url: reference }] }],
    ['/v1/studio/image', { prompt: 'a cat' }],
    ['/v1/studio/video', { prompt: 'a cat', model: 'sandbox/video' }],
    ['/v1/studio/audio', { text: 'hello', model: 'sandbox/speech' }],
    ['/v1/videos', { prompt: 'a cat', model: 'sandbox/video' }],
    ['/v1/work', { kind: 'report', task: 'write', budget_credits: 10 }],
    ['/v1/responses', { model: 'test/painter', input: 'a cat' }],
  ]
  for (const [route, body] of orders) {
    const headers = { 'idempotency-key': `full${route}` }
    expectFull(await key.post(route, body, headers), 'STORAGE_FULL', route)
  }
  expectFull(await upload(key), 'STORAGE_FULL', 'upload')
  expect([await world.balance(), upstream.calls.length]).toEqual([before, calls])

  const reads = ['/v1/models', '/v1/files', `/v1/files/${stored.body.id}`, `/v1/requests/${idOf(made)}`]
  for (const read of reads) expect((await key.get(read)).status, read).toBe(200)
  // What stores nothing there goes on too.
  const chat = await key.chat({ model: 'sandbox/fast' })
  expect(chat.status, chat.text).toBe(200)
  const deleted = await key.request('DELETE', `/v1/files/${stored.body.id}`)
  expect(deleted.status, deleted.text).toBeLessThan(300)

  await rm(filler)
  await until(isFine(world.url))
  // The key of a refusal is not burnt.
  const again = await key.post('/v1/images', picture, { 'idempotency-key': 'full/v1/images' })
  expect(again.status, again.text.slice(0, 300)).toBe(200)
  expect((await upload(key)).status).toBe(201)
})

const idOf = (seen: Seen): string => seen.headers.get('x-request-id')!

test('where the disk of files in transit is full uploads are refused as SPOOL_FULL before they are read, and everything else goes on', async ({
  skip,
}) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'spool')
  await using at = await bootOnImages({ env: { KHERAD_DATA: folder.dataDir } })
  const { key, upstream, world } = at
  upstream.reply(drawn)
  const filler = path.join(disk.path, 'filler')
  // Below the floor, and not full: what is under way could still write.
  await writeFile(filler, Buffer.alloc(30 * 1024 * 1024))
  await until(isShort(world.url))
  expect((await ready(world.url)).body.error.message).toMatch(
    /^This server is not ready: The disk of files in transit \(spool\)/,
  )
  expectFull(await upload(key), 'SPOOL_FULL', 'upload')
  const made = await key.post('/v1/images', { model: 'test/painter', prompt: 'a cat' })
  expect(made.status, made.text.slice(0, 300)).toBe(200)
  await rm(filler)
  await until(isFine(world.url))
  expect((await upload(key)).status).toBe(201)
})

test('a disk that fills between two looks refuses an upload as full, and a picture that was ordered is not charged', async ({
  skip,
}) => {
  await using disk = await smallDisk('4m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'files')
  // No floor: nothing is refused before the disk itself refuses it.
  const more = 'disk: { files_free_mb: 0 }'
  await using at = await bootOnImages({ env: { KHERAD_DATA: folder.dataDir }, more })
  const { key, upstream, world } = at
  upstream.reply(drawn)
  const before = await world.balance()
  const filler = path.join(disk.path, 'filler')
  await fillDisk(filler)
  expectFull(await upload(key, 100_000), 'STORAGE_FULL', 'upload')
  const made = await key.post('/v1/images', { model: 'test/painter', prompt: 'a cat' })
  expectRefusal(made, { status: 503, code: 'RESULT_NOT_STORED' })
  await world.settled()
  expect([await world.balance(), upstream.calls.length]).toEqual([before, 1])
  await rm(filler)
  expect((await upload(key)).status).toBe(201)
})

test('a disk that became read only is 503 and no defect of ours, for who stores and for who deletes nothing', async ({
  skip,
}) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'files')
  await using world = await boot({ env: { KHERAD_DATA: folder.dataDir } })
  const key = await world.key()
  const stored = await upload(key)
  const remount = (how: string) => spawnSync('mount', ['-o', `remount,${how}`, disk.path]).status
  expect(remount('ro')).toBe(0)
  const refused = await upload(key)
  expectRefusal(refused, { status: 503, code: 'STORAGE_UNWRITABLE' })
  expect(refused.body.error.details).toEqual({ disk: 'files' })
  expect((await key.get(`/v1/files/${stored.body.id}`)).status).toBe(200)
  expect(remount('rw')).toBe(0)
  expect((await upload(key)).status).toBe(201)
})

test('queued work waits while a disk is full, and is done once there is room', async ({ skip }) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'files')
  const roles = { api: true, worker: false, voice: false }
  await using world = await boot({ env: { KHERAD_DATA: folder.dataDir }, roles })
  const { app, account } = world
  const done: string[] = []
  const [storing, free] = [['files'] as const, undefined].map((writes) =>
    job<object>({
      name: `tests.${writes ? 'storing' : 'free'}`,
      limits: () => ({ perAccount: 1, perProcess: 1 }),
      ...(writes && { writes }),
      handle: async () => {
        done.push(writes ? 'storing' : 'free')
        return undefined
      },
    }),
  ) as [Job<object, JobsApp>, Job<object, JobsApp>]
  const enqueue = (one: Job<object>) =>
    app.db.tx((tx) => app.jobs.enqueue(tx, one, { accountId: account, data: {} }))
  const filler = path.join(disk.path, 'filler')
  await fillDisk(filler)
  await until(isShort(world.url))
  await enqueue(storing)
  await using _workers = startWorkers({ app, jobs: [storing, free] })
  // Whoever is woken for the one is woken for the other.
  for (const count of [1, 2]) {
    await enqueue(free)
    await until(() => done.length === count)
  }
  expect(done).toEqual(['free', 'free'])
  await rm(filler)
  await until(() => done.length === 3)
  expect(done.at(-1)).toBe('storing')
})

test('a run under way begins no further step on a full disk, and goes on from where it was once there is room', async ({
  skip,
}) => {
  await using disk = await smallDisk('80m')
  if (!disk) return skip(noDisk)
  await using folder = await folderOn(disk.path, 'files')
  await using at = await bootWork({ env: { KHERAD_DATA: folder.dataDir } })
  const { key, upstream, world } = at
  const filler = path.join(disk.path, 'filler')
  let isFilled = false
  at.play(
    input,
    async (context) => {
      await ask(context, 'first')
      if (!isFilled) {
        isFilled = true
        await fillDisk(filler)
        await until(isShort(world.url))
      }
      await ask(context, 'second')
      await keep(context, 'a.md', 'text')
      return whole
    },
    { asks: [{ count: 2, promptBytes: 400, maxOutputTokens: 100 }] },
  )
  const run = (await create(key)).body.id
  await until(async () => (await key.get(`/v1/work/${run}`)).body.status === 'waiting')
  expect(upstream.calls).toHaveLength(1)
  await rm(filler)
  expect(await ended(key, run)).toMatchObject({ status: 'succeeded' })
  // The first step was not asked again.
  expect(upstream.calls).toHaveLength(2)
})

const secret = `khr_${'full'.repeat(12)}`

test('where the disk of PostgreSQL is full every call that must be written says so, reads go on, and it heals by itself', {
  timeout: startMs,
}, async ({ skip }) => {
  await using disk = await smallDisk('500m')
  if (!disk) return skip(noDisk)
  await using upstream = await fakeUpstream()
  await using server = await startProcess({
    databaseUrl: '',
    bootstrapKey: secret,
    config: `${upstreamConfig(upstream.url)}\ndisk: { database_free_mb: 100, wal_free_mb: 90 }`,
    env: { KHERAD_DATA: path.join(disk.path, 'data') },
  })
  const key = new Client(server.url, secret, '')
  const first = await key.chat({ model: 'test/model' })
  expect(first.status, first.text).toBe(200)
  const balance = async () => (await key.get('/v1/balance')).body
  const settled = await until(async () => {
    const seen = await balance()
    return seen.reserved_credits === 0 ? seen : undefined
  })
  const filler = path.join(disk.path, 'filler')
  await fillDisk(filler)
  // All of it lies on one disk, which is one problem; a look while the disk filled may have found only some of it short.
  const told = await until(async () => {
    const { body } = await ready(server.url)
    const isWhole = /The disk of the data folder \(also: the disk of PostgreSQL,.*100 MB/.test(
      body.error?.message,
    )
    return isWhole ? body : undefined
  })
  expect(told.error.details).toEqual({ problems: ['disk_full'] })
  const calls: [string, unknown][] = [
    ['/v1/chat/completions', { model: 'test/model', messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses', { model: 'test/model', input: 'hi' }],
    ['/v1/audio/speech', { model: 'sandbox/speech', input: 'hi', voice: 'alloy' }],
    ['/v1/messages/batches', { requests: [] }],
  ]
  for (const [route, body] of calls) expectFull(await key.post(route, body), 'STORAGE_FULL', route)
  expect(upstream.calls).toHaveLength(1)
  for (const read of ['/v1/models', `/v1/requests/${idOf(first)}`]) {
    const seen = await key.get(read)
    expect(seen.status, seen.text).toBe(200)
  }
  await rm(filler)
  await until(isFine(server.url))
  expect(await balance()).toEqual(settled)
  await until(async () => (await key.chat({ model: 'test/model' })).status === 200)
})
