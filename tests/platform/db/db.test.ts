import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type Db, isDatabaseAway, openDb } from '#platform/db'
import { exactText } from '#platform/json'
import { cloneDatabase, withDatabase } from '../../harness/postgres.ts'
import { ask, until } from './cluster-world.ts'

const backends = (url: string, query: string) =>
  ask<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where datname = current_database() and (${query})`,
  )
const terminateOthers = (url: string) =>
  ask(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )

test('columns become the values that keep their meaning', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const text = `select 9007199254740993::int8 as big, '{1,null,9007199254740993}'::int8[] as bigs, 1.10::numeric as price,
    '2026-11-20 10:00Z'::timestamptz as at, '2026-11-20'::date as day, '{"a":[1]}'::jsonb as data,
    '{"a":[2512292042121000001]}'::jsonb as exact, '[1e400]'::json as list`
  expect(await db.query({ name: 'columns', text }, [])).toEqual([
    {
      big: 9007199254740993n,
      bigs: [1n, null, 9007199254740993n],
      price: '1.10',
      at: new Date('2026-11-20T10:00:00Z'),
      day: '2026-11-20',
      data: { a: [1] },
      exact: { a: [2512292042121000000] },
      list: [Number.POSITIVE_INFINITY],
    },
  ])
  const [row] = await db.query<{ exact: object; list: object }>({ text }, [])
  expect(exactText(row!.exact)).toBe('{"a":[2512292042121000001]}')
  expect(exactText(row!.list)).toBe('[1e400]')
  const large = `[${'"x",'.repeat(300_000)}9007199254740993]`
  const [{ json }] = (await db.query<{ json: unknown[] }>({ text: 'select $1::json as json' }, [large])) as [
    { json: unknown[] },
  ]
  expect(json).toHaveLength(300_001)
  expect(
    await db.query({ text: 'select $1::int8 as big, $2::int8[] as bigs' }, [2n ** 60n, [2n ** 61n]]),
  ).toEqual([{ big: 2n ** 60n, bigs: [2n ** 61n] }])
})

test('a transaction commits whole or not at all, and throws what ended it', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const write = db.kysely
    .insertInto('platform.migrations')
    .values({ number: 9001, name: 'n', sha256: 's', applied_at: new Date() })
  const rows = () => ask(database.url, 'select number from platform.migrations where number = 9001')
  const reason = new Error('no')
  await expect(
    db.tx(async (tx) => {
      await tx.executeQuery(write.compile())
      throw reason
    }),
  ).rejects.toBe(reason)
  expect(await rows()).toEqual([])
  await db.tx((tx) => tx.executeQuery(write.compile()))
  expect(await rows()).toEqual([{ number: 9001 }])
})

test('connections cut while idle, in a query and in a transaction count as "away" and leave the pool usable', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  await db.query({ text: 'select 1' }, [])
  await terminateOthers(database.url)
  await until(() => db.pool.totalCount === 0)

  const cutQuery = db.query({ text: 'select pg_sleep(20)' }, []).catch((error: unknown) => error)
  await until(async () => (await backends(database.url, "query like 'select pg_sleep%'")).length > 0)
  await terminateOthers(database.url)
  expect(isDatabaseAway(await cutQuery)).toBe(true)

  const cutTransaction = db
    .tx(async (tx) => {
      await tx.selectFrom('platform.migrations').selectAll().execute()
      await terminateOthers(database.url)
      await tx.selectFrom('platform.migrations').selectAll().execute()
    })
    .catch((error: unknown) => error)
  expect(isDatabaseAway(await cutTransaction)).toBe(true)
  expect(await db.query({ text: 'select 1 as one' }, [])).toEqual([{ one: 1 }])
})

test('after it is disposed no connection is left', async () => {
  await using database = await cloneDatabase()
  for (const used of [
    async (db: Db) => db.query({ text: 'select 1' }, []),
    async (db: Db) => db.tx(async () => undefined),
  ]) {
    await using db = await openDb({ url: database.url })
    await used(db)
  }
  await until(async () => (await backends(database.url, 'pid <> pg_backend_pid()')).length === 0)
})

test('a listener that waits for a silent database ends when told to, without waiting on', async () => {
  await using database = await cloneDatabase()
  await using proxy = await silenceableProxy(new URL(database.url))
  await using db = await openDb({ url: proxy.url })
  const waiting = proxy.silence()
  const listening = db.listen(['any'], { message() {}, up() {}, down() {} })
  const unanswered = await waiting
  await listening[Symbol.asyncDispose]()
  // Its own patience of 5 s would have ended the connection before it ended the wait.
  expect(unanswered.readyState).toBe('open')
})

/** Stands before the database at a TCP port; once silenced, it accepts connections and answers nothing. */
async function silenceableProxy(
  target: URL,
): Promise<AsyncDisposable & { url: string; silence(): Promise<Socket> }> {
  const folder = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const sockets = new Set<Socket>()
  let silenced: ((socket: Socket) => void) | undefined
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (silenced) return silenced(socket)
    const onward = connect(folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: target.hostname, port })
    sockets.add(onward.on('error', () => undefined))
    socket.pipe(onward).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(target)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    silence: () =>
      new Promise((resolve) => {
        silenced = resolve
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a refused statement does not count as "away"', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const refused = await db.query({ text: 'select nonsense' }, []).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Error)
  expect(isDatabaseAway(refused)).toBe(false)
})

test('a database that cannot be used is refused in one sentence without its password', async () => {
  await using database = await cloneDatabase()
  await expect(openDb({ url: 'postgres://user:secret@127.0.0.1:1/none' })).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/none does not answer \((?!.*secret).*\): start it/,
  )
  await expect(openDb({ url: withDatabase(database.url, 'nowhere') })).rejects.toThrow(
    /refused the connection \(database "nowhere" does not exist\): check/,
  )
})

test('listening survives a cut connection, and says when it may have missed something', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const warnings: string[] = []
  const listening = db.listen(['kherad_test', 'Other'], {
    message: (channel, payload) => warnings.push(`${channel}:${payload}`),
    up: () => warnings.push('up'),
    down: () => warnings.push('down'),
  })
  await until(() => warnings.includes('up'))
  await ask(database.url, "notify kherad_test, 'one'")
  await until(() => warnings.includes('kherad_test:one'))
  await terminateOthers(database.url)
  await until(() => warnings.filter((item) => item === 'up').length === 2)
  await ask(database.url, `notify "Other", 'دو'`)
  await until(() => warnings.includes('Other:دو'))
  await listening[Symbol.asyncDispose]()
  expect(warnings).toEqual(['up', 'kherad_test:one', 'down', 'up', 'Other:دو'])
  await until(async () => (await backends(database.url, "query like 'listen%'")).length === 0)
})

test('all listeners share one connection: each hears its channels, one that comes later too, and one that has left nothing', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const heard: string[] = []
  const listen = (name: string, channels: string[]): AsyncDisposable =>
    db.listen(channels, {
      message: (channel, payload) => heard.push(`${name} ${channel}:${payload}`),
      up: () => heard.push(`${name} up`),
      down: () => heard.push(`${name} down`),
    })
  const listening = () => backends(database.url, "query like 'listen%' or query = 'select 1'")
  const one = listen('one', ['first', 'common'])
  await until(() => heard.includes('one up'))
  const other = listen('other', ['common'])
  await until(() => heard.includes('other up'))
  expect(await listening()).toHaveLength(1)
  await ask(database.url, "notify first, 'x'; notify common, 'y'")
  await until(() => heard.includes('other common:y'))
  expect(heard).toEqual(['one up', 'other up', 'one first:x', 'one common:y', 'other common:y'])
  await terminateOthers(database.url)
  await until(() => heard.filter((item) => item.endsWith(' up')).length === 4)
  expect(heard.slice(5, 7)).toEqual(['one down', 'other down'])
  await one[Symbol.asyncDispose]()
  await ask(database.url, "notify first, 'x'; notify common, 'z'")
  await until(() => heard.includes('other common:z'))
  expect(heard.slice(9)).toEqual(['other common:z'])
  await other[Symbol.asyncDispose]()
  await until(async () => (await listening()).length === 0)
  // Whoever comes after all have left is heard on a new one.
  await using _next = listen('next', ['common'])
  await until(() => heard.includes('next up'))
})
