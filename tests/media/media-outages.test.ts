/** A paid picture outlives what fails between its upstream and its file: the database, a store that hangs, a process without workers. */
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { uploadWaitingFiles } from '#core/files'
import { announceNewBlob, deletePendingBlobs, stageBlob } from '#platform/storage'
import type { Client, Seen } from '../harness/client.ts'
import { type FakeS3, fakeS3 } from '../harness/fake-s3.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World, type WorldOptions } from '../harness/world.ts'

const draw = (key: Client, body: Record<string, unknown> = {}) =>
  key.post('/v1/studio/image', { model: 'sandbox/image', prompt: 'a cat', ...body })

const filesOf = (reply: Seen): string[] => {
  expect(reply.status, reply.text).toBe(200)
  return reply.headers.get('x-file-ids')!.split(', ')
}

const bytesOf = async (key: Client, id: string): Promise<Buffer> =>
  Buffer.from(await (await key.raw('GET', `/v1/files/${id}`)).arrayBuffer())

/** As PostgreSQL says it to every connection when it stops. */
const away = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })

/** The next `times` statements of this name fail as in an outage of the database. */
function failStatements(world: World, name: string, times: number): { readonly left: number } {
  const { db } = world.app
  const { query } = db
  const state = { left: times }
  db.query = ((statement: { name?: string }, values: unknown[]) => {
    if (statement.name !== name || state.left === 0) return query.call(db, statement as never, values)
    state.left -= 1
    return Promise.reject(away())
  }) as typeof query
  return state
}

const pendingIn = (world: World) =>
  world.app.db.query<{ key: string }>({ text: 'select key from storage.pending_blobs' }, [])

test('a database that is away when a paid picture is stored is waited for: the picture is there, and charged', async () => {
  // Of its own: its statements are made to fail, and what is pending is asked of all accounts.
  await using world = await boot()
  const key = await world.key()
  const outage = failStatements(world, 'storage.stage', 3)
  const reply = await draw(key)
  const [id] = filesOf(reply)
  expect(outage.left).toBe(0)
  expect(await bytesOf(key, id!)).toEqual(Buffer.from(reply.body.outputs[0].data, 'base64'))
  await world.settled()
  expect(await pendingIn(world)).toEqual([])
})

test('it is not waited for without end, nor where a caller can send the bytes again', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock })
  const outage = failStatements(world, 'storage.stage', 3)
  await expect(stageBlob(world.app, 'a/b', Buffer.from('x'))).rejects.toThrow('administrator')
  const keys: string[] = []
  const newKey = () => {
    keys.push(`a/${keys.length}`)
    return keys.at(-1)!
  }
  const announced = announceNewBlob(world.app, newKey, clock.nowMs() + 60_000)
  clock.moveMs(61_000)
  await expect(announced).rejects.toThrow('administrator')
  expect([outage.left, keys]).toEqual([1, ['a/0']])
  // A statement that failed may still arrive: the next attempt has a key of its own.
  expect(await announceNewBlob(world.app, newKey, clock.nowMs() + 60_000)).toBe('a/2')
})

async function bootOnS3(s3: FakeS3, options: WorldOptions = {}): Promise<{ world: World; key: Client }> {
  const world = await boot({ config: s3.config, ...options })
  return { world, key: await world.key() }
}

test('a store that hangs is given up once for each picture, and what is paid waits in the data folder', async () => {
  await using s3 = await fakeS3()
  const { world, key } = await bootOnS3(s3, { timing: { storeMs: 5_000, storeWaitingMs: 3_600_000 } })
  await using _world = world
  s3.failNext(...Array(8).fill('hang'))
  const reply = await draw(key, { count: 2 })
  const ids = filesOf(reply)
  expect([ids.length, s3.hung, s3.objects.size]).toEqual([2, 2, 0])
  for (const [at, id] of ids.entries())
    expect(await bytesOf(key, id)).toEqual(Buffer.from(reply.body.outputs[at].data, 'base64'))
})

test.each([
  ['a process that only answers requests', { api: true, worker: false }],
  ['a process that only works', { api: false, worker: true }],
])('what waits in the data folder is stored by %s', async (_, roles) => {
  await using s3 = await fakeS3()
  const { world, key } = await bootOnS3(s3, { timing: { storeWaitingMs: 3_600_000 } })
  await using _world = world
  s3.failNext(...Array(4).fill(503))
  const [id] = filesOf(await draw(key))
  const { config } = world.app
  const bytes = await bytesOf(key, id!)
  await using other = await boot({
    config: s3.config,
    env: { DATABASE_URL: config.databaseUrl!, KHERAD_DATA: config.dataDir },
    roles,
    timing: { storeWaitingMs: 100 },
  })
  await until(async () => s3.objects.size === 1)
  await until(async () => (await pendingIn(other)).length === 0)
  expect(await bytesOf(key, id!)).toEqual(bytes)
  const { waiting } = world.app
  await until(async () => (await Array.fromAsync(waiting!.keysBefore(Number.POSITIVE_INFINITY))).length === 0)
})

test('two processes that store what waits at once leave no key pending, which would have the bytes deleted', async () => {
  await using s3 = await fakeS3()
  const clock = new MovableClock()
  const { world, key } = await bootOnS3(s3, { clock, timing: { storeWaitingMs: 3_600_000 } })
  await using _world = world
  s3.failNext(...Array(4).fill(503))
  const [id] = filesOf(await draw(key))
  const bytes = await bytesOf(key, id!)
  const { app } = world
  const { signal } = new AbortController()
  // The second has seen the row and its bytes, and goes on when the first has ended.
  const first = Promise.withResolvers<void>()
  const { waiting } = app
  const storage = {
    ...waiting!.storage,
    async get(name: string) {
      const found = await waiting!.storage.get(name)
      await first.promise
      return found
    },
  }
  const second = uploadWaitingFiles({ ...app, waiting: { ...waiting!, storage } }, signal)
  await uploadWaitingFiles(app, signal)
  first.resolve()
  await second
  expect(await pendingIn(world)).toEqual([])
  clock.moveMs(2 * 60 * 60 * 1_000)
  await deletePendingBlobs(app)
  expect(s3.objects.size).toBe(1)
  expect(await buffer((await app.storage.get([...s3.objects.keys()][0]!))!)).toEqual(bytes)
})
