/** Attacks by SQL: each works on an unprotected PostgreSQL, and fails through the route. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CloudSql } from '#cloud/sql'
import { type DedicatedCloud, dedicatedCloud, dedicatedWorld } from '../../cloud/dedicated/dedicated-world.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import { startUnprotected, type Unprotected } from './unprotected.ts'

const canRun = await hasJail()
const check = test.runIf(canRun)
let world: World
let cloud: DedicatedCloud
let open: Unprotected
let admin: pg.Client

const prepared = `
  create table target (n int);
  create sequence numbers;
  create function write_as_owner() returns int language sql security definer as 'insert into target values (1) returning n';
  create procedure commit_and_write() language plpgsql as $$ begin commit; insert into target values (1); commit; end $$;
  create view writing as select write_as_owner()`

beforeAll(async () => {
  if (!canRun) return
  world = await dedicatedWorld()
  cloud = await dedicatedCloud(world)
  open = await startUnprotected()
  admin = await open.connect()
  await admin.query(prepared)
  expect((await cloud.write(prepared)).status).toBe(200)
})
afterAll(async () => {
  if (!canRun) return
  await open[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Everything that a statement could have left behind. */
const traces = `select (select count(*) from public.target)::int as rows, (select last_value + is_called::int from public.numbers)::int as number,
  (select count(*) from pg_catalog.pg_class)::int as relations, (select count(*) from pg_catalog.pg_roles)::int as roles,
  (select count(*) from pg_catalog.pg_largeobject_metadata)::int as objects, (select count(*) from pg_catalog.pg_proc)::int as functions,
  (select count(*) from pg_catalog.pg_locks where locktype = 'advisory' and objid = 4711)::int as locks,
  (select count(*) from pg_catalog.pg_db_role_setting)::int as settings, (select count(*) from pg_catalog.pg_description)::int as comments,
  pg_catalog.pg_relation_filenode('public.target')::int as file`
const tracesHere = (): Promise<unknown> =>
  world.app.databases.use({ accountId: world.account, cloudId: cloud.id }, (db) =>
    db
      .pool('postgres')
      .query(traces)
      .then(({ rows }) => rows[0]),
  )
const codeOf = async (reply: ReturnType<DedicatedCloud['read']>): Promise<string> => {
  const { status, body } = await reply
  if (status === 200) return 'ran'
  return body.error.details?.sqlstate ?? body.error.code
}

/** What each attack on reading answers here; `ran`: it ran, and nothing is left of it. */
const readings: [guard: string, attack: string, answer: string][] = [
  ['begin read only', 'commit; insert into target values (1)', 'SQL_REFUSED'],
  ['begin read only', 'commit; begin; insert into target values (1); commit', 'SQL_REFUSED'],
  ['begin read only', 'set transaction read write; insert into target values (1); commit', 'SQL_REFUSED'],
  [
    'set default_transaction_read_only = on',
    'do $$ begin set default_transaction_read_only = off; commit; insert into target values (1); end $$',
    '2D000',
  ],
  ['', 'insert into target values (1)', '25006'],
  ['', 'with w as (insert into target values (1) returning n) select * from w', '25006'],
  ['', 'explain analyze insert into target values (1)', '25006'],
  ['', 'select write_as_owner()', '25006'],
  ['', 'select * from writing', '25006'],
  ['', 'call commit_and_write()', '2D000'],
  ['', 'do $$ begin insert into target values (1); end $$', '25006'],
  ['', 'create table made (n int)', '25006'],
  ['', 'create temp table made_too (n int)', '25006'],
  ['', 'select 1 as n into another', '25006'],
  ['', "select nextval('numbers')", '42501'],
  ['', "select setval('numbers', 77)", '42501'],
  ['', "select lo_from_bytea(0, 'x')", '25006'],
  ['', 'select lo_create(0)', '25006'],
  ['', "comment on table target is 'x'", '25006'],
  ['', 'truncate target', '25006'],
  ['', 'alter role current_user set statement_timeout = 0', '25006'],
  ['', 'select pg_advisory_lock(4711)', 'ran'],
]

check(
  'nothing that is read writes: each way works on a connection that trusts it, and not here',
  async () => {
    const answers: typeof readings = []
    const harmless: string[] = []
    for (const [guard, attack] of readings) {
      const plain = await open.connect()
      const { pid } = (await plain.query('select pg_backend_pid() as pid')).rows[0]
      const before = await admin.query(traces)
      if (guard !== '') await plain.query(guard)
      await plain.query(attack).catch((error) => error)
      const after = await admin.query(traces)
      if (JSON.stringify(after.rows) === JSON.stringify(before.rows)) harmless.push(attack)
      await plain.end()
      // What was temporary goes with the backend, which may outlive its connection.
      await until(async () => {
        const { rows } = await admin.query('select from pg_catalog.pg_stat_activity where pid = $1', [pid])
        return rows.length === 0
      })
      const here = await tracesHere()
      const { status, body } = await cloud.read(attack, { confirm_write: true })
      answers.push([
        guard,
        attack,
        status === 200 ? 'ran' : (body.error.details?.sqlstate ?? body.error.code),
      ])
      expect([attack, await tracesHere()]).toEqual([attack, here])
    }
    expect(harmless).toEqual([])
    expect(answers).toEqual(readings)
  },
)

check('a statement cannot make its transaction a writing one', async () => {
  const plain = await open.connect()
  await plain.query('begin read only')
  await plain.query('set transaction read write')
  await plain.query('insert into target values (1)')
  await plain.query('rollback')
  // As the first statement PostgreSQL takes it: here it never is the first.
  expect(await codeOf(cloud.read("select set_config('transaction_read_only', 'off', true)"))).toBe('25001')
  expect(await codeOf(cloud.read("select set_config('transaction_read_only', 'off', false)"))).toBe('25001')
})

/** What the owner of the tables must not do, and what PostgreSQL answers: it is not permitted, or is not there at all. */
const privileges: Record<string, string> = {
  "copy (select 1) to program 'cat >/dev/null'": '42501',
  "copy target from program 'echo 1'": '42501',
  "copy (select 1) to '/dev/null'": '42501',
  "create table lines (t text); copy lines from '/etc/passwd'": '42501',
  "select pg_read_file('/etc/passwd')": '42501',
  "select pg_read_binary_file('PG_VERSION')": '42501',
  "select pg_ls_dir('.')": '42501',
  "select pg_stat_file('PG_VERSION')": '42501',
  'select * from pg_ls_waldir()': '42501',
  "select lo_import('/etc/passwd')": '42501',
  "do $$ declare o oid := lo_from_bytea(0, 'x'); begin perform lo_export(o, '/dev/null'); end $$": '42501',
  'create extension dblink': '0A000',
  'create extension postgres_fdw': '0A000',
  'create extension file_fdw': '0A000',
  'create extension pg_buffercache': '0A000',
  "create function c() returns language_handler language c as '$libdir/plpgsql', 'plpgsql_call_handler'":
    '42501',
  "create function internal() returns int language internal as 'pg_backend_pid'": '42501',
  "load 'auto_explain'": '42501',
  'create role another superuser': '42501',
  'create role another': '42501',
  'alter role current_user superuser': '42501',
  'alter role current_user replication': '42501',
  'alter role current_user bypassrls': '42501',
  'create database another': '42501',
  'alter system set work_mem = 4096': '42501',
  'alter database postgres connection limit 1': '42501',
  'alter database postgres set work_mem = 4096': '42501',
  "create function e() returns event_trigger language plpgsql as 'begin end'; create event trigger e on ddl_command_start execute function e()":
    '42501',
  "select pg_create_physical_replication_slot('s')": '42501',
  "select pg_logical_emit_message(false, 'x', 'y')": '42501',
  'create publication everything for all tables': '42501',
  'set session_replication_role = replica': '42501',
  'set log_min_messages = debug5': '42501',
  'set session authorization pg_monitor': '42501',
  'set role pg_read_server_files': '42501',
  'grant pg_read_server_files to current_user': '42501',
  'select pg_reload_conf()': '42501',
  'select pg_rotate_logfile()': '42501',
  'select pg_switch_wal()': '42501',
  "select pg_create_restore_point('x')": '42501',
  'select pg_log_backend_memory_contexts(pg_backend_pid())': '42501',
  'select rolpassword from pg_authid': '42501',
  'select * from pg_hba_file_rules': '42501',
  'select * from pg_file_settings': '42501',
  "update pg_proc set proname = proname where proname = 'now'": '42501',
  "create function pg_catalog.mine() returns int language sql as 'select 1'": '42501',
}

check('nothing of the machine, of the server or of other roles is within reach of a script', async () => {
  const answers: Record<string, string> = {}
  for (const attack of Object.keys(privileges)) {
    const plain = await open.connect()
    const isAlone = /^(create database|alter system)/.test(attack)
    await plain.query(isAlone ? attack : `begin; ${attack}; rollback`)
    await plain.end()
    answers[attack] = await codeOf(cloud.write(attack))
  }
  expect(answers).toEqual(privileges)
})

/** Of the schemas that are ours, and of other roles. */
const ours = [
  'set role kherad',
  'set role auth_admin',
  'set role watcher',
  'set session authorization kherad',
  'alter role kherad login',
  'alter role app_reader set default_transaction_read_only = off',
  'alter role watcher nologin',
  'alter role backup password null',
  'grant kherad to postgres',
  'grant service_role to postgres',
  'alter event trigger kherad_changes disable',
  'drop event trigger kherad_refused',
  'drop function kherad.count_change()',
  'drop schema kherad cascade',
  'drop schema auth cascade',
  'create or replace function auth.uid() returns uuid language sql as $$ select null::uuid $$',
  'create table auth.mine (n int)',
  'create table storage.mine (n int)',
  'create table extensions.mine (n int)',
  'alter function write_as_owner() owner to auth_admin',
  'alter table target owner to kherad',
  'alter schema public owner to kherad',
  'reassign owned by auth_admin to postgres',
  'alter default privileges for role auth_admin grant all on tables to postgres',
  "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'watcher'",
  "select pg_cancel_backend(pid) from pg_stat_activity where usename = 'watcher'",
  'drop database template1',
  'alter role postgres rename to kherad2',
  'drop role anon',
]

check('roles and schemas of the platform cannot be taken over', async () => {
  const answers: Record<string, string> = {}
  for (const attack of ours) answers[attack] = await codeOf(cloud.write(attack))
  // A grant that grants nothing is only warned of.
  const access = async () => (await cloud.read('select array_agg(datacl::text) from pg_database')).body.rows
  const before = await access()
  await cloud.write(
    'grant connect, create on database postgres to public; grant connect on database template1 to public',
  )
  expect(await access()).toEqual(before)
  expect(Object.entries(answers).filter(([, code]) => !['42501', '0A000', '2BP01'].includes(code))).toEqual(
    [],
  )
})

/** With timeouts of half a second for reading and writing. */
async function inHalfASecond(work: () => Promise<void>): Promise<void> {
  const { sql } = world.app
  world.app.sql = new CloudSql(world.app.databases, { readMs: 500, writeMs: 500 })
  await work().finally(() => {
    world.app.sql = sql
  })
}

/** What was refused to wait for has ended in the database, too. */
const nothingRuns = (): Promise<unknown> => {
  const running = `select count(*)::int from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() and backend_type = 'client backend'`
  return until(async () => (await cloud.read(running)).body.rows[0][0] === 0)
}

check('a statement that never ends is ended, whatever it sets and catches', async () => {
  const plain = await open.connect()
  await plain.query('set statement_timeout = 100')
  // Both outlive a timeout of the session.
  await plain.query('set statement_timeout = 0; select pg_sleep(0.2)')
  await plain.query(`do $$ begin perform set_config('statement_timeout', '100', true); perform pg_sleep(1);
    exception when query_canceled then perform pg_sleep(0.2); end $$`)
  await inHalfASecond(async () => {
    const stubborn = `do $$ begin loop begin perform pg_sleep(10); exception when query_canceled then null; end; end loop; end $$`
    for (const query of [
      "select set_config('statement_timeout', '0', false), pg_sleep(60)",
      'select count(*) from generate_series(1, 1000000000000) n',
      'with recursive r as (select 1 union all select 1 from r) select count(*) from r',
      stubborn,
    ])
      expect([query, await codeOf(cloud.read(query))]).toEqual([query, 'SQL_TIMEOUT'])
    for (const query of [
      'set statement_timeout = 0; select pg_sleep(60)',
      stubborn,
      'lock target; select pg_sleep(60)',
    ])
      expect([query, await codeOf(cloud.write(query))]).toEqual([query, 'SQL_TIMEOUT'])
  })
  await nothingRuns()
  expect(await codeOf(cloud.write('insert into target values (1)'))).toBe('ran')
})

const joined = (count: number): string =>
  `select count(*) from ${Array.from({ length: count }, (_, nth) => `target t${nth}`).join(', ')}`
const deep = (open: string, close: string, count = 4_000): string =>
  `select ${open.repeat(count)}1${close.repeat(count)}`
/** Short texts that take a processor or the stack for as long as they like. */
const bombs: [guard: string, attack: string][] = [
  ['', joined(300)],
  ['', joined(1_000)],
  // Every order of the joins is tried.
  ['set geqo = off; set from_collapse_limit = 100', joined(60)],
  [
    '',
    "select count(*) from generate_series(1, 100000) n where repeat('ab', 2000) || n ~ '(a|b)*(a|b)*c\\1'",
  ],
  [
    '',
    "select count(*) from generate_series(1, 100000) n where to_tsvector('simple', repeat('a ', 10000) || n) @@ 'b'",
  ],
  [
    '',
    "select count(to_tsquery('simple', repeat('(a <-> ', 3000) || n || repeat(')', 3000))) from generate_series(1, 1000) n",
  ],
]
/** Those that fail by themselves, on whatever connection. */
const fizzling: Record<string, string> = {
  "select 'a' ~ '((((a{1,99}){1,99}){1,99}){1,99})'": '2201B',
  [deep('(select ', ')')]: '42601',
}

check('what takes a processor to plan or to match is ended in time, and the database goes on', async () => {
  // They go on until they are stopped.
  const stopped = bombs.map(async ([guard, attack]) => {
    const plain = await open.connect()
    await plain.query(`${guard || 'select 1'}; set statement_timeout = 600`)
    return plain.query(attack).then(
      () => 'ran',
      ({ code }) => code,
    )
  })
  expect(await Promise.all(stopped)).toEqual(bombs.map(() => '57014'))
  const started = 'select pg_postmaster_start_time()'
  const before = (await cloud.read(started)).body.rows
  await inHalfASecond(async () => {
    const answers: string[] = []
    // As many at once as have places: none of them waits for another.
    for (let nth = 0; nth < bombs.length; nth += 2)
      answers.push(
        ...(await Promise.all(
          bombs
            .slice(nth, nth + 2)
            .map(([guard, attack]) =>
              codeOf(guard ? cloud.write(`${guard}; ${attack}`) : cloud.read(attack)),
            ),
        )),
      )
    // Planning takes memory, too: whichever bound is reached first.
    expect(answers.filter((answer) => answer !== 'SQL_TIMEOUT' && answer !== '53200')).toEqual([])
  })
  for (const [attack, code] of Object.entries(fizzling))
    expect([attack.slice(0, 60), await codeOf(cloud.read(attack))]).toEqual([attack.slice(0, 60), code])
  await nothingRuns()
  expect((await cloud.read(started)).body.rows).toEqual(before)
})

check('what takes too much memory, disk or stack fails alone, and the database goes on', async () => {
  const started = async () => (await cloud.read('select pg_postmaster_start_time()')).body.rows[0][0]
  const before = await started()
  const long = "select length(repeat('x', 300000000)) as length"
  expect((await (await open.connect()).query(long)).rows).toEqual([{ length: 300_000_000 }])
  for (const [query, answer] of [
    [long, '53200'],
    ["select array_length(array_agg(repeat('x', 1000)), 1) from generate_series(1, 1000000)", '53200'],
    [
      "select count(*) from (select n, repeat('x', 1000) from generate_series(1, 1000000) n order by 2, 1) s",
      '53400',
    ],
    [`select ${'1+'.repeat(15_000)}1`, '54001'],
  ] as const)
    expect([query.slice(0, 60), await codeOf(cloud.read(query))]).toEqual([query.slice(0, 60), answer])
  expect(await started()).toBe(before)
  // A session may give itself as much as it wants; the machine gives it no more.
  const hungry = `set work_mem = '2GB'; select count(*) from (select distinct repeat('x', 500) || n from generate_series(1, 3000000) n) s`
  expect(await codeOf(cloud.write(hungry))).toBe('53200')
  expect(await codeOf(cloud.read('select 1'))).toBe('ran')
})

check(
  'a session leaves nothing to the next: no lock, no setting, no prepared statement, no temporary table',
  async () => {
    const plain = await open.connect()
    await plain.query('begin; select pg_advisory_lock(4711); set search_path = nowhere; rollback')
    const other = await open.connect()
    expect((await other.query('select pg_try_advisory_lock(4711) as free')).rows).toEqual([{ free: false }])
    await plain.query(
      'select pg_advisory_unlock(4711); set role pg_monitor; prepare p as select 1; create temp table mine (n int)',
    )
    expect((await plain.query('select current_user as me')).rows).toEqual([{ me: 'pg_monitor' }])

    await cloud.read('select pg_advisory_lock(4711)')
    await cloud.write(
      'set search_path = nowhere; set work_mem = 64; prepare p as select 1; create temp table mine (n int); listen ears; select pg_advisory_lock(4711)',
    )
    const state = `select pg_try_advisory_lock(4711), current_setting('search_path') = 'nowhere', current_setting('work_mem') = '64kB',
    (select count(*) from pg_prepared_statements)::int, to_regclass('mine'), (select count(*) from pg_listening_channels())::int`
    expect((await cloud.read(state)).body.rows).toEqual([[true, false, false, 0, null, 0]])
    expect((await cloud.write(state)).body.rows).toEqual([[true, false, false, 0, null, 0]])
  },
)

check('floods of requests, notices and notifications take a few connections and no more', async () => {
  const flood = Array.from({ length: 100 }, () =>
    cloud.read('select count(*)::int from pg_stat_activity, pg_sleep(0.3)'),
  )
  const replies = await Promise.all(flood)
  const statuses = new Set(replies.map(({ status }) => status))
  expect([...statuses].sort()).toEqual([200, 429])
  const most = Math.max(...replies.filter(({ status }) => status === 200).map(({ body }) => body.rows[0][0]))
  expect(most).toBeLessThan(20)
  const noisy = "do $$ begin loop raise notice '%', repeat('x', 10000); end loop; end $$"
  expect(await codeOf(cloud.read(noisy))).toBe('SQL_ANSWER_TOO_LARGE')
  expect(await codeOf(cloud.write(noisy))).toBe('SQL_ANSWER_TOO_LARGE')
  const notify = "select pg_notify('kherad_schema', n::text) from generate_series(1, 20000) n"
  expect(await codeOf(cloud.write(notify))).toBe('ran')
  expect(await codeOf(cloud.write(`listen kherad_schema; ${notify}`))).toBe('ran')
  expect(await codeOf(cloud.read('select 1'))).toBe('ran')
})
