import { appendFile, mkdir, readFile, utimes } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CloudDatabases, type OpenDatabase, withRoleSession } from '#cloud/databases'
import { CloudSql } from '#cloud/sql'
import { Failure } from '#platform/errors'
import { Claims } from '../../../src/cloud/databases/local/claims.ts'
import { type LocalDatabase, layoutOf } from '../../../src/cloud/databases/local/layout.ts'
import type { LocalContext } from '../../../src/cloud/databases/local/local.ts'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { LocalDatabases } from '../../../src/cloud/databases/local/manager.ts'
import { sweepDrafts } from '../../../src/cloud/databases/local/remove.ts'
import { serverPid } from '../../../src/cloud/databases/local/wake.ts'
import type { DatabaseSize, Measurement } from '../../../src/cloud/databases/size.ts'
import { cancel, estimateRows, takeSample } from '../../../src/cloud/databases/watch/sessions.ts'
import { databasesIn, databaseUser, openLocalContext } from '../../cloud/dedicated/local-databases.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const mebibyte = 1024 * 1024

type One = LocalDatabase
const [first, second]: One[] = ['a', 'b'].map((letter) => ({ ref: letter.repeat(20), user: databaseUser }))

let context: LocalContext & AsyncDisposable
beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  await Promise.all([makeDatabase(context, first!), makeDatabase(context, second!)])
})
afterAll(async () => {
  if (canRun) await context[Symbol.asyncDispose]()
})

/** As one process of the service has them; `memory`: what all may take. */
function open(
  size: Partial<DatabaseSize> = {},
  memoryBytes = 1_000 * mebibyte,
  more: Partial<LocalContext> = {},
  {
    requireTime = async () => {},
    reportEveryMs,
  }: { requireTime?: () => Promise<void>; reportEveryMs?: number } = {},
) {
  const claims = new Claims(context.root, { tools: context.tools, limitBytes: memoryBytes })
  const measured: Measurement[] = []
  const intervals: { fromMs: number; toMs: number }[] = []
  const databases = new LocalDatabases<One>(
    { ...context, claims, ...more },
    {
      idleMs: 60_000,
      reportEveryMs,
      sizes: {
        sizeOf: async () => ({
          memoryBytes: 64 * mebibyte,
          diskBytes: 40 * mebibyte,
          connections: 3,
          ...size,
        }),
        requireTime,
        recordMeasurement: (_, measurement) => void measured.push(measurement),
        recordAwakeTime: async (_, interval) => void intervals.push(interval),
      },
    },
  )
  const dispose = async () => {
    await databases[Symbol.asyncDispose]()
    await claims[Symbol.asyncDispose]()
  }
  return { databases, measured, intervals, [Symbol.asyncDispose]: dispose }
}

const statement = (open: OpenDatabase, text: string, role: 'postgres' | 'authenticator' = 'postgres') =>
  open.pool(role).query(text)
const failure = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
const anyCloud = { accountId: 'a', cloudId: 'c' }
const sqlOf = (use: CloudDatabases['use']) => new CloudSql({ use }, { readMs: 10_000, writeMs: 10_000 })
/** As developers send them. */
const scriptsOn =
  ({ databases }: Pick<ReturnType<typeof open>, 'databases'>) =>
  (query: string) =>
    sqlOf((_, work) => databases.use(first!, work)).write(anyCloud, query)
const isAwake = async (database: One) => (await serverPid(layoutOf(context.root, database))) !== undefined

it('where memory is short the one that nobody uses makes way, and while all are used there is no room', async () => {
  await using ours = open({}, 64 * mebibyte)
  await using theirs = open({}, 64 * mebibyte)
  await ours.databases.use(first!, async (db) => {
    await statement(db, 'select 1')
    await expect(theirs.databases.use(second!, async () => 'in')).rejects.toMatchObject({
      code: 'DATABASE_NO_ROOM',
      more: { retryAfterMs: expect.any(Number) },
    })
  })
  const inTheirs = () =>
    theirs.databases.use(second!, async (db) => (await statement(db, 'select 1')).rowCount)
  expect(await withRoom(inTheirs)).toBe(1)
  expect([await isAwake(first!), await isAwake(second!)]).toEqual([false, true])
  // It wakes again where the other one is idle, in another process, too.
  const inOurs = () => ours.databases.use(first!, async (db) => (await statement(db, 'select 1')).rowCount)
  expect(await withRoom(inOurs)).toBe(1)
  expect([await isAwake(first!), await isAwake(second!)]).toEqual([true, false])
})

/** As clients do: a database that takes long to stop makes way at the next try. Half of the minute after which it would sleep by itself. */
const withRoom = <Result>(use: () => Promise<Result>) =>
  until(
    () =>
      use().catch((error: { code?: string }) => {
        if (error.code !== 'DATABASE_NO_ROOM') throw error
        return undefined
      }),
    30_000,
  )

it('a database that may have more memory than all of them together is refused as one that never wakes, and makes nobody else leave', async () => {
  await using process = open({ memoryBytes: 64 * mebibyte + 1 }, 64 * mebibyte)
  await expect(process.databases.use(first!, async () => 'in')).rejects.toMatchObject({
    ...{ code: 'DATABASE_TOO_LARGE', detail: { bytes: 64 * mebibyte + 1, max: 64 * mebibyte } },
  })
  await using fitting = open({ memoryBytes: 64 * mebibyte }, 64 * mebibyte)
  expect(await fitting.databases.use(first!, async () => 'in')).toBe('in')
})

it('one statement that fills the disk is ended at a tenth beyond its part, and the neighbour goes on', async () => {
  await using process = open()
  await process.databases.use(second!, (db) => statement(db, 'create table if not exists beside (n int)'))
  await process.databases.use(first!, async (db) => {
    await statement(db, 'create table filled (data text)')
    const fill = `insert into filled select repeat(md5(n::text), 30) from (select generate_series(1, 3000000) as n) as s`
    const filling = failure(statement(db, fill))
    const neighbour = process.databases.use(second!, (open) =>
      statement(open, 'insert into beside values (1) returning n'),
    )
    expect((await neighbour).rowCount).toBe(1)
    expect(await filling).toBe('57P01')
    await until(async () => process.measured.some(({ isFull }) => isFull))
    // What makes room goes on: it is not ended for what is there already.
    await scriptsOn(process)('truncate filled')
    await statement(db, 'vacuum filled')
    await until(async () => process.measured.at(-1)?.isFull === false)
    await statement(db, 'drop table filled')
  })
})

it('many short scripts end at the disk as well: from there on only what deletes is taken, and everybody reads', async () => {
  await using process = open()
  const sql = scriptsOn(process)
  await sql('create table lines (n int, data text); grant select, insert on lines to anon')
  const fill = `insert into lines select n, repeat(md5(n::text), 30) from generate_series(1, 4000) as n`
  let refused: unknown
  for (let nth = 0; nth < 40 && !refused; nth++)
    refused = await sql(fill).then(
      () => undefined,
      (error) => error,
    )
  expect(refused).toMatchObject({ code: 'CLOUD_READ_ONLY' })
  const bytes = (): Promise<number> =>
    process.databases.use(first!, async (db) => {
      const { rows } = await db
        .pool('watcher')
        .query('select pg_database_size(current_database())::float8 as bytes')
      return rows[0].bytes
    })
  expect(await bytes()).toBeLessThan(44 * mebibyte)
  for (const query of [
    'select 1',
    'with gone as (delete from lines returning n) select * from gone',
    'delete from lines; insert into lines values (1)',
  ])
    await expect(sql(query)).rejects.toMatchObject({ code: 'CLOUD_READ_ONLY' })
  // Requests of the app's roles, without waiting for what the platform writes down.
  const asAnon = (text: string) =>
    process.databases.use(first!, (db) =>
      withRoleSession(
        db,
        { role: 'anon', claims: '{}', method: 'POST', path: '/lines', headers: '{}' },
        { isReadOnly: false },
        async ({ client, setup }) => {
          await client.query('begin')
          await client.query(setup.text, [...setup.values])
          const { rows } = await client.query(text)
          await client.query('commit')
          return rows
        },
      ),
    )
  expect(await failure(asAnon('insert into lines values (1)'))).toBe('25006')
  expect(await asAnon('select n from lines limit 1')).toHaveLength(1)
  await sql('delete from lines where n > 3000')
  await sql('vacuum lines')
  await sql('truncate lines; drop table lines')
  expect((await sql('select 1')).rowCount).toBe(1)
})

it('a DELETE by which code of the app writes is taken once', async () => {
  await using process = open()
  const sql = scriptsOn(process)
  await sql(`create table few as select n from generate_series(1, 100) as n; create table lines (n int, data text);
    create function more() returns trigger language plpgsql as $$ begin
      insert into lines select n, repeat(md5(n::text), 30) from generate_series(1, 2000) as n; return old; end $$;
    create trigger more after delete on few for each statement execute function more()`)
  const fill = `insert into lines select n, repeat(md5(n::text), 30) from generate_series(1, 2000) as n`
  for (let nth = 0; nth < 80; nth++) if ((await failure(sql(fill))) === 'CLOUD_READ_ONLY') break
  await sql('delete from few where n = 1')
  expect(await failure(sql('delete from few'))).toBe('CLOUD_READ_ONLY')
  await sql('drop table lines; drop table few; drop function more()')
  expect((await sql('select 1')).rowCount).toBe(1)
})

it('a function of the app that PostgreSQL calls by itself, to analyze a table, is seen and can be ended', async () => {
  const settings = path.join(layoutOf(context.root, second!).data, 'postgresql.auto.conf')
  await appendFile(settings, 'autovacuum_naptime = 1\n')
  await using process = open()
  await process.databases.use(second!, async (db) => {
    const watcher = db.pool('watcher')
    // Its own sessions are those of "postgres".
    await statement(
      db,
      `create function slow(n int) returns int immutable language plpgsql as $$ begin
        if session_user <> 'postgres' then perform pg_sleep(600); end if; return n; end $$;
      create table slowly (n int) with (autovacuum_analyze_threshold = 0, autovacuum_analyze_scale_factor = 0);
      create index on slowly (slow(n)); insert into slowly values (1), (2)`,
    )
    const analyzing = async () =>
      (await takeSample(watcher, true)).sessions.filter(({ role }) => role === 'autoanalyze')
    // It may look at a table of PostgreSQL's own first, for a moment.
    const seen = await until(async () =>
      (await analyzing()).find(({ transactionMs }) => transactionMs > 1_000),
    )
    expect(seen).toMatchObject({ isIdle: false, writes: expect.any(Boolean) })
    await cancel(watcher, [seen.pid])
    await until(async () => !(await analyzing()).some(({ pid }) => pid === seen.pid))
    await statement(db, 'drop table slowly; drop function slow')
  })
})

it('rows are counted as they come and go, of tables that nobody has analyzed too', async () => {
  await using process = open({})
  await process.databases.use(first!, async (db) => {
    const watcher = db.pool('watcher')
    const before = await estimateRows(watcher)
    await statement(db, 'create table three as select generate_series(1, 3) as n')
    await until(async () => (await estimateRows(watcher)) === before + 3)
    await statement(db, 'delete from three where n = 1')
    await until(async () => (await estimateRows(watcher)) === before + 2)
    await statement(db, 'drop table three')
    await until(async () => (await estimateRows(watcher)) === before)
  })
})

it('with too little left on the disk of the machine nobody writes, and everybody reads', async () => {
  await using process = open({}, 1_000 * mebibyte, { leastFree: 1 })
  await process.databases.use(first!, async (db) => {
    const writing = failure(statement(db, 'create table late as select 1 as n from pg_sleep(60)'))
    expect(await writing).toBe('57P01')
    expect((await statement(db, 'select pg_sleep(1)')).rowCount).toBe(1)
    const sql = (query: string) => failure(sqlOf((_, work) => work(db)).write(anyCloud, query))
    for (const query of ['delete from late', 'create table late (n int)', 'vacuum'])
      expect(await sql(query)).toBe('CLOUD_READ_ONLY')
    await until(async () => (await sql('drop table if exists late')) === 'done')
  })
})

it('what makes room on a disk that is short goes on however long it takes, unless it writes', async () => {
  const truncated = (table: string, body: string) => `create table ${table} (n int);
    create function on_${table}() returns trigger language plpgsql as $$ begin ${body}; return null; end $$;
    create trigger slowly after truncate on ${table} execute function on_${table}()`
  {
    await using process = open()
    await scriptsOn(process)(truncated('emptied', 'perform pg_sleep(1)'))
    await scriptsOn(process)(
      truncated(
        'filled',
        `perform pg_sleep(0.5);
        insert into emptied select n from generate_series(1, 300000) n; perform pg_sleep(5)`,
      ),
    )
  }
  await using process = open({}, 1_000 * mebibyte, { leastFree: 1 })
  await process.databases.use(first!, async () => {
    // Over several looks of the watch.
    expect(await failure(scriptsOn(process)('truncate emptied'))).toBe('done')
    expect(await failure(scriptsOn(process)('truncate filled'))).toBe('SQL_DATABASE_LOST')
    await scriptsOn(process)('drop table emptied, filled')
  })
})

it('all processes of a database together take no more than its memory, and the server goes on', async () => {
  await using process = open({ memoryBytes: 64 * mebibyte })
  await process.databases.use(first!, async (db) => {
    await db.pool('watcher').query('select 1')
    const before = await serverPid(layoutOf(context.root, first!))
    // Each is within what one process may take, as it holds its text once; both together are beyond what the database may.
    const hungry = `select length(held.text) from (select repeat(left(random()::text, 1), 30000000) as text, pg_sleep(60) offset 0) held`
    const running = [failure(statement(db, hungry)), failure(statement(db, hungry))]
    expect(await Promise.race(running)).toBe('57P01')
    await db
      .pool('watcher')
      .query(`select pg_cancel_backend(pid) from pg_stat_activity where usename = 'postgres'`)
    await Promise.all(running)
    expect(await failure(statement(db, `select length(repeat('x', 80000000))`))).toBe('53200')
    expect((await statement(db, 'select 1')).rowCount).toBe(1)
    expect(await serverPid(layoutOf(context.root, first!))).toBe(before)
  })
})

it('ten thousand requests at once open no more connections than the package has, and whoever waits too long is told', async () => {
  await using process = open({ connections: 3 })
  await process.databases.use(first!, async (db) => {
    const pool = db.pool('authenticator')
    const held = await Promise.all([1, 2, 3].map(() => pool.connect()))
    const waiting = Promise.all(Array.from({ length: 10_000 }, () => failure(pool.query('select 1'))))
    const { rows } = await db
      .pool('watcher')
      .query(`select count(*)::int as n from pg_stat_activity where usename = 'authenticator'`)
    expect(rows).toEqual([{ n: 3 }])
    expect(new Set(await waiting)).toEqual(new Set(['DATABASE_BUSY']))
    for (const client of held) client.release()
    expect(await failure(pool.query('select 1'))).toBe('done')
  })
})

it('whatever code of an app says, 16 MiB of it are taken for one request, and the next one is answered', async () => {
  await using process = open()
  await process.databases.use(first!, async (db) => {
    const say = (bytes: number, times: number) =>
      failure(
        statement(
          db,
          `do $$ begin for i in 1..${times} loop raise notice '%', repeat('x', ${bytes}); end loop; end $$`,
          'authenticator',
        ),
      )
    // All that stands around a notice is less than 1,000 bytes.
    for (let nth = 0; nth < 3; nth++) expect(await say(mebibyte - 1_000, 16)).toBe('done')
    expect(await say(mebibyte, 17)).toBe('54000')
    expect(await say(1_000, 20_000)).toBe('54000')
    expect((await statement(db, 'select 1', 'authenticator')).rowCount).toBe(1)
  })
})

it('nothing of a session of a developer is there for the next one', async () => {
  await using process = open()
  await process.databases.use(first!, async (db) => {
    const state = `select current_setting('x.y', true) as setting, current_setting('statement_timeout') as timeout,
      (select count(*)::int from pg_prepared_statements) as prepared, (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`
    for (const role of ['postgres', 'app_reader'] as const) {
      const { rows: clean } = await db.pool(role).query(state)
      await db.pool(role).query(`set x.y = 'left'; set statement_timeout = 1234; select pg_advisory_lock(5)`)
      await db.pool(role).query(`prepare mine as select 1`)
      expect((await db.pool(role).query(state)).rows).toEqual(clean)
    }
  })
})

it('the time in which it is awake is counted once, whatever processes use it', async () => {
  const began = Date.now()
  const [ours, theirs] = [open(), open()]
  await Promise.all([ours, theirs].map(({ databases }) => databases.use(first!, async () => 'used')))
  await Promise.all([ours[Symbol.asyncDispose](), theirs[Symbol.asyncDispose]()])
  const ended = Date.now()
  const intervals = [...ours.intervals, ...theirs.intervals].sort((a, b) => a.fromMs - b.fromMs)
  expect(intervals.length).toBe(2)
  expect(intervals[0]!.toMs).toBe(intervals[1]!.fromMs)
  expect(intervals[0]!.fromMs).toBeGreaterThanOrEqual(began)
  expect(intervals[1]!.toMs).toBeLessThanOrEqual(ended)
})

it('once its hours are used nobody new gets a database that is awake, whoever is in it goes on, and then it sleeps', async () => {
  let isUsed = false
  const requireTime = async (): Promise<void> => {
    if (isUsed) throw new Failure('DATABASE_HOURS_USED', { max: 1 }, { retryAfterMs: 1 })
  }
  await using ours = open({}, undefined, {}, { requireTime, reportEveryMs: 10 })
  const refused = () =>
    ours.databases.use(first!, async () => 'in').catch(({ code }: { code: string }) => code)
  expect(await refused()).toBe('in')
  await ours.databases.use(first!, async (db) => {
    await statement(db, 'select 1')
    isUsed = true
    await until(async () => (await refused()) === 'DATABASE_HOURS_USED')
    expect((await statement(db, 'select 1')).rowCount).toBe(1)
  })
  await until(async () => !(await isAwake(first!)))
  isUsed = false
  await until(async () => (await refused()) === 'in')
  // Nobody is in it.
  isUsed = true
  await until(async () => !(await isAwake(first!)))
})

it('what a killed maker has left is cleared away, and what is being made is not', async () => {
  const [old, fresh] = ['0123456789ab', 'ba9876543210'].map((id) =>
    layoutOf(context.root, { ref: `${'c'.repeat(20)}.${id}` }),
  )
  for (const { folder } of [old!, fresh!]) await mkdir(folder)
  const longAgo = (Date.now() - 2 * 60 * 60 * 1000) / 1000
  await utimes(old!.folder, longAgo, longAgo)
  await sweepDrafts(context)
  const left = await databasesIn(context.root)
  expect(left.filter((name) => name.startsWith('c'))).toEqual([`${'c'.repeat(20)}.ba9876543210`])
  expect(await readFile(layoutOf(context.root, first!).passwd, 'utf8')).toContain('postgres')
})
