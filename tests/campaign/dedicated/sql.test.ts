/** SQL of developers on the database of a dedicated cloud: what reading and writing answer, and what they refuse. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DedicatedCloud, dedicatedCloud, dedicatedWorld } from '../../cloud/dedicated/dedicated-world.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { newClient } from '../../cloud/users/app.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'

const canRun = await hasJail()
const check = test.runIf(canRun)
let world: World
let cloud: DedicatedCloud
beforeAll(async () => {
  if (!canRun) return
  world = await dedicatedWorld()
  cloud = await dedicatedCloud(world)
})
afterAll(async () => {
  if (canRun) await world[Symbol.asyncDispose]()
})

/** Status, code and details of a refusal. */
const refused = async (reply: ReturnType<DedicatedCloud['read']>) => {
  const { status, body } = await reply
  return [status, body.error?.code, body.error?.details]
}
const rowsOf = async (query: string) => (await cloud.read(query)).body.rows

check('a script makes tables with Persian names and rows, and its last statement is answered', async () => {
  const made = await cloud.write(`
    -- یک توضیح؛ با ; و '
    create table "کارها" (شناسه bigint primary key generated always as identity, عنوان text not null);
    insert into کارها (عنوان) values ('علي و علی'), ('می‌روم ۱۲۳') returning *;`)
  expect([made.status, made.body]).toEqual([
    200,
    {
      object: 'sql_result',
      columns: [
        { name: 'شناسه', type: 'bigint' },
        { name: 'عنوان', type: 'text' },
      ],
      rows: [
        ['1', 'علي و علی'],
        ['2', 'می‌روم ۱۲۳'],
      ],
      row_count: 2,
      command: 'INSERT',
      statements: 2,
      truncated: false,
    },
  ])
  expect(await rowsOf('select عنوان from کارها order by شناسه')).toEqual([['علي و علی'], ['می‌روم ۱۲۳']])
})

check('values keep every digit and every letter', async () => {
  const { body } =
    await cloud.read(`select 9007199254740993::bigint, 0.10::numeric(20,2), 1.5::float8, 'NaN'::float8,
    true, null::text, date '2026-01-02', '\\x00ff'::bytea, interval '1 day', 2147483647,
    '{"الف": [1.000000000000000000001, null]}'::json, array[[1,2],[3,null]], array['a,b','x"y\\z',null,'NULL',''],
    array[9007199254740993::bigint], '[2:3]={7,8}'::int[], 1 as a, 2 as a`)
  expect(body.rows[0]).toEqual([
    ...['9007199254740993', '0.10', 1.5, 'NaN', true, null, '2026-01-02', '\\x00ff', '1 day', 2147483647],
    { الف: [1, null] },
    ...[
      [
        [1, 2],
        [3, null],
      ],
      ['a,b', 'x"y\\z', null, 'NULL', ''],
    ],
    ...[['9007199254740993'], [7, 8], 1, 2],
  ])
  expect(body.columns.slice(0, 2)).toEqual([
    { name: 'int8', type: 'bigint' },
    { name: 'numeric', type: 'numeric(20,2)' },
  ])
  expect((await cloud.read(`select '{"n": 1.000000000000000000001}'::json`)).text).toContain(
    '[[{"n": 1.000000000000000000001}]]',
  )
})

check('an answer has 1,000 rows and 1 MB at most, and says where there was more', async () => {
  const counted = async (query: string) => {
    const { body } = await cloud.read(query)
    return [body.rows.length, body.row_count, body.truncated]
  }
  expect(await counted('select * from generate_series(1, 1000)')).toEqual([1000, 1000, false])
  expect(await counted('select * from generate_series(1, 1001)')).toEqual([1000, null, true])
  // Columns and one row: [{"name":"r","type":"text"}] and ["…"] with its comma.
  const fits = 1_000_000 - 28 - 5
  expect(await counted(`select repeat('x', ${fits}) as r`)).toEqual([1, 1, false])
  expect(await counted(`select repeat('x', ${fits + 1}) as r`)).toEqual([0, 1, true])
  expect(await counted("select repeat('ی', 100000) from generate_series(1, 1000)")).toEqual([4, null, true])
  expect(await refused(cloud.read("select repeat('x', 20000000)"))).toEqual([
    400,
    'SQL_ANSWER_TOO_LARGE',
    undefined,
  ])
})

check('a script that selects much runs to its end, and answers the first rows', async () => {
  const { body } =
    await cloud.write(`create table much (n int); create function note(n int) returns int language sql
      as 'insert into much values (n) returning n';
    select note(n) from generate_series(1, 2500) n`)
  expect([body.rows.length, body.row_count, body.truncated]).toEqual([1000, 2500, true])
  expect(await rowsOf('select count(*) from much')).toEqual([['2500']])
})

check('what PostgreSQL says of a mistake comes in its words, with line and column', async () => {
  const [status, code, details] = await refused(cloud.read("select 'ی😀',\n  نبود\nfrom (select 1 as a) s"))
  expect([status, code, details]).toEqual([
    400,
    'SQL_FAILED',
    { sqlstate: '42703', message: 'column "نبود" does not exist', line: 2, column: 3 },
  ])
  expect(await refused(cloud.write("create table lost (n int);\n\n  select 'ی😀', nothing"))).toEqual([
    400,
    'SQL_FAILED',
    { sqlstate: '42703', message: 'column "nothing" does not exist', line: 3, column: 16 },
  ])
  expect(await rowsOf("select to_regclass('lost')")).toEqual([[null]])
  const { body } = await cloud.client.post(
    `/v1/cloud/${cloud.id}/database`,
    { query: 'select 1/0' },
    { 'accept-language': 'fa' },
  )
  expect(body.error.message).toContain('PostgreSQL می‌گوید: division by zero [22012] چیزی تغییر نکرد.')
  const [, , { message }] = await refused(
    cloud.read("do $$ begin raise exception '%', repeat('x', 100000); end $$"),
  )
  expect(message).toHaveLength(2_001)
})

check('writing needs both words, and reading stays reading beside confirm_write', async () => {
  const path = `/v1/cloud/${cloud.id}/database`
  const query = 'create table never (n int)'
  for (const more of [{ read_only: false }, { read_only: false, confirm_write: false }])
    expect(await refused(cloud.client.post(path, { query, ...more }))).toEqual([
      400,
      'CONFIRM_WRITE_REQUIRED',
      undefined,
    ])
  for (const more of [{}, { confirm_write: true }, { read_only: true, confirm_write: true }]) {
    const [status, code, details] = await refused(cloud.client.post(path, { query, ...more }))
    expect([status, code, details.sqlstate]).toEqual([400, 'SQL_FAILED', '25006'])
  }
  expect(await rowsOf("select to_regclass('never')")).toEqual([[null]])
})

check('a script with transaction control or commands of psql is refused before it runs', async () => {
  const refusals: Record<string, unknown> = {}
  for (const last of [
    'COMMIT',
    'begin',
    'start transaction',
    '/* a /* b */ */ rollback',
    'abort',
    'end',
    'savepoint s',
    'release s',
    "prepare transaction 'x'",
    'set transaction read only',
    'set local transaction isolation level serializable',
    'copy t from stdin',
    '\\d',
    "select 'open",
    'select $a$ open $b$',
    '/* open',
    'select "open',
  ]) {
    const { status, body } = await cloud.write(`create table control (n int); ${last}`)
    refusals[last] = [status, body.error?.code, body.error?.details?.line]
  }
  expect(Object.values(refusals)).toEqual(Object.keys(refusals).map(() => [400, 'SQL_REFUSED', 1]))
  for (const empty of [' ', ' ; -- nothing', '/* */'])
    expect((await refused(cloud.write(empty))).slice(0, 2)).toEqual([400, 'SQL_REFUSED'])
  expect(await rowsOf("select to_regclass('control')")).toEqual([[null]])
})

check('semicolons and words within strings, names, comments and bodies part nothing', async () => {
  const { status, text, body } = await cloud.write(`
    create function parts(text) returns text language plpgsql as $body$ begin; -- commit;
      return $1 || 'a;b'; end $body$;
    create or replace function parts2(n int) returns int begin atomic; select case when n > 0 then 1 else 2 end; select 3; end;
    create table "semi;colon" ("commit;" text default E'it\\'s; commit');
    insert into "semi;colon" default values; /* ; commit; */ -- ; commit
    create rule two as on insert to "semi;colon" do also (select 1; select 2);
    select "commit;", parts2(1), $$;$$, $q$ $$;$$ $q$ from "semi;colon"`)
  // PL/pgSQL knows no "begin;": the body reached it whole.
  expect([status, body.error?.details?.sqlstate], text).toEqual([400, '42601'])
  const whole = await cloud.write(`
    create or replace function parts2(n int) returns int begin atomic; select case when n > 0 then 1 else 2 end; select 3; end;
    create table "semi;colon" ("commit;" text default E'it\\'s; commit');
    insert into "semi;colon" default values; /* ; commit; */ -- ; commit
    create rule two as on insert to "semi;colon" do also (select 1; select 2);
    select "commit;", parts2(1), $$;$$, $q$ $$;$$ $q$, 'a''; commit; ''' from "semi;colon"`)
  expect(whole.body).toMatchObject({
    rows: [["it's; commit", 3, ';', ' $$;$$ ', "a'; commit; '"]],
    statements: 5,
  })
})

check('what cannot run in a transaction runs alone, and only alone', async () => {
  await cloud.write('create table alone (n int)')
  for (const query of [
    'vacuum alone',
    'create index concurrently alone_n on alone (n)',
    'reindex table concurrently alone;',
  ])
    expect([(await cloud.write(query)).status, query]).toEqual([200, query])
  const [status, code, details] = await refused(cloud.write('insert into alone values (1); vacuum alone'))
  expect([status, code, details.sqlstate]).toEqual([400, 'SQL_FAILED', '25001'])
  expect(await rowsOf('select count(*) from alone')).toEqual([['0']])
  await cloud.write('insert into alone values (1), (1)')
  const failed = await cloud.write('create unique index concurrently twice on alone (n)')
  expect([failed.status, failed.body.error.details.sqlstate]).toEqual([400, '23505'])
  expect(failed.body.error.message).toContain('check what is left of it')
})

check('a write with a key happens once, and is answered again to the byte', async () => {
  await cloud.write('create table once (n int)')
  const headers = { 'idempotency-key': 'once' }
  const [first, second] = [
    await cloud.write('insert into once values (1) returning n', headers),
    await cloud.write('insert into once values (1) returning n', headers),
  ]
  expect([first.status, second.text]).toEqual([200, first.text])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await rowsOf('select count(*) from once')).toEqual([['1']])
  // What was rolled back may be sent again under its key.
  const again = { 'idempotency-key': 'again' }
  expect((await cloud.write('insert into later values (1)', again)).status).toBe(400)
  await cloud.write('create table later (n int)')
  expect((await cloud.write('insert into later values (1)', again)).status).toBe(200)
})

check('a write whose answer was lost is never repeated, nor one that is under way', async () => {
  await cloud.write('create table lost_answer (n int)')
  const { sql } = world.app
  const headers = { 'idempotency-key': 'lost' }
  const query = 'insert into lost_answer values (1)'
  // The process ends between the commit and the answer: nothing after it runs.
  let committed = () => {}
  const reached = new Promise<void>((resolve) => {
    committed = resolve
  })
  const write: typeof sql.write = async (...given) => {
    await sql.write(...given)
    committed()
    return new Promise(() => {})
  }
  world.app.sql = Object.assign(Object.create(sql), { write })
  const cut = new AbortController()
  const path = `${world.url}/v1/cloud/${cloud.id}/database`
  const sent = fetch(path, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${cloud.client.secret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, read_only: false, confirm_write: true }),
    signal: cut.signal,
  }).catch(() => undefined)
  await reached
  cut.abort()
  await sent
  world.app.sql = sql
  expect((await refused(cloud.write(query, headers))).slice(0, 2)).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
  expect(await rowsOf('select count(*) from lost_answer')).toEqual([['1']])
})

check('collections and SQL are not mixed up', async () => {
  const path = `/v1/cloud/${cloud.id}/database`
  const { status, body } = await cloud.client.post(path, { action: 'list', table: 'a' })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'PLAN_MISMATCH', 'action'])
  expect((await cloud.client.post(path, {})).body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    param: 'query',
  })
  const dropped = await cloud.client.request('DELETE', `/v1/cloud/${cloud.id}/collections/a`)
  expect(dropped.body.error.code).toBe('PLAN_MISMATCH')
  const other = await world.stranger()
  expect((await other.client.post(path, { query: 'select 1' })).status).toBe(404)
  const reader = await world.key({ scopes: ['cloud:read'] })
  expect((await reader.post(path, { query: 'select 1' })).status).toBe(403)
})

check(
  'an export of a Starter cloud is not put into a dedicated one, and nothing of it is stored',
  async () => {
    const lines = [
      { type: 'cloud', version: 1, name: 'x', exported_at: new Date(0).toISOString() },
      { type: 'collection', name: 'imported', public_read: true },
      { type: 'end', lines: 3 },
    ]
    const form = new FormData()
    form.set('export', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'x.jsonl')
    const reply = await fetch(`${cloud.client.url}/v1/cloud/${cloud.id}/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${cloud.client.secret}` },
      body: form,
    })
    const { error } = (await reply.json()) as { error?: { code: string; param: string } }
    expect([reply.status, error?.code, error?.param]).toEqual([400, 'PLAN_MISMATCH', 'id'])
    const stored = 'select from collections.collections where cloud_id = $1'
    expect(await world.app.db.query({ text: stored }, [cloud.id])).toEqual([])
  },
)

check('40,000 characters are run, and not one more', async () => {
  const text = (length: number) => `select 1 --${'ی'.repeat(length - 11)}`
  expect((await cloud.read(text(40_000))).status).toBe(200)
  expect((await cloud.read(text(40_001))).status).toBe(400)
  const nul = await cloud.read('select 1\0')
  expect([nul.status, nul.body.error.code]).toEqual([400, 'SQL_REFUSED'])
})

check(
  'tables are listed with columns, keys, policies and sizes, and functions with what they take',
  async () => {
    const own = await dedicatedCloud(world, 'فهرست')
    await own.write(`create schema shop;
    create table shop."سفارش‌ها" (id bigint generated always as identity primary key, "مبلغ" numeric(12,2) not null default 0,
      double numeric generated always as ("مبلغ" * 2) stored, unique ("مبلغ", id));
    create table lines (id int primary key, order_id bigint references shop."سفارش‌ها" (id), tags text[]);
    alter table lines enable row level security;
    create policy own_lines on lines for update to authenticated, anon using (id > 0) with check (id > 1);
    create view shown as select id from lines;
    create function total(of bigint, more numeric default 1.5) returns setof numeric language sql security definer as 'select 1.0';
    insert into lines select n from generate_series(1, 500) n; analyze lines`)
    const { status, body } = await own.client.get(`/v1/cloud/${own.id}/database`)
    expect(status).toBe(200)
    const named = (name: string) => body.tables.find((table: { name: string }) => table.name === name)
    expect(body.tables.map((table: { name: string }) => table.name)).toEqual(['lines', 'shown', 'سفارش‌ها'])
    expect(named('سفارش‌ها')).toMatchObject({
      schema: 'shop',
      row_estimate: null,
      columns: [
        { name: 'id', type: 'bigint', nullable: false, default: null, generated: 'identity' },
        { name: 'مبلغ', type: 'numeric(12,2)', nullable: false, default: '0', generated: null },
        { name: 'double', generated: 'stored', default: null },
      ],
      keys: [
        { kind: 'primary', columns: ['id'] },
        { kind: 'unique', columns: ['مبلغ', 'id'] },
      ],
    })
    expect(named('lines')).toMatchObject({
      row_security: true,
      row_estimate: 500,
      keys: [
        { kind: 'primary' },
        {
          kind: 'foreign',
          columns: ['order_id'],
          references: { schema: 'shop', table: 'سفارش‌ها', columns: ['id'] },
        },
      ],
      policies: [
        {
          name: 'own_lines',
          command: 'update',
          roles: ['anon', 'authenticated'],
          using: '(id > 0)',
          check: '(id > 1)',
        },
      ],
    })
    expect(named('lines').bytes).toBeGreaterThan(16_000)
    expect(named('shown')).toMatchObject({ kind: 'view', keys: [], policies: [] })
    expect(body.functions).toEqual([
      {
        ...{
          schema: 'public',
          name: 'total',
          kind: 'function',
          arguments: 'of bigint, more numeric DEFAULT 1.5',
        },
        ...{ returns: 'SETOF numeric', language: 'sql', security_definer: true },
      },
    ])
    expect([body.truncated, body.bytes > 1_000_000]).toEqual([false, true])
    // What the app names like PostgreSQL's own is not called, and thousands of tables fit into a bounded answer.
    await own.write(`create function public.format_type(oid, int) returns text language plpgsql as $$ begin raise 'called'; end $$;
    alter role postgres set search_path = public, pg_catalog;
    do $$ begin for n in 1..1001 loop execute format('create table many_%s (a int, b int, c int)', n); end loop; end $$`)
    const many = await own.client.get(`/v1/cloud/${own.id}/database`)
    expect([many.status, many.body.tables.length, many.body.truncated]).toEqual([200, 1_000, true])
    expect(many.text.length).toBeLessThan(1_000_000)
  },
)

check(
  'at its disk an app reads and its owner deletes: whatever writes more is refused, by tables, files, sign-up and SQL alike',
  async () => {
    const full = await world.dedicatedCloud('پر')
    const mebibyte = 1024 * 1024
    const key = { accountId: world.account, cloudId: full.id }
    await world.app.db.query({ text: 'update clouds.clouds set limits = $1 where cloud_id = $2' }, [
      { disk_bytes: 40 * mebibyte },
      full.id,
    ])
    await world.app.databases.stop(key)
    const write = (query: string) =>
      full.client.post(`/v1/cloud/${full.id}/database`, { query, read_only: false, confirm_write: true })
    const code = async (query: string) => (await write(query)).body.error?.code
    // Most of it by statements that look at the disk before: what single requests write between two looks must stay below a mebibyte.
    await write(`create table lines (n int generated always as identity, data bytea storage external);
      insert into lines (data) select decode(repeat('00', 1000000), 'hex') from generate_series(1, 24)`)
    const app = newClient(full, { key: await full.serviceKey() })
    await app.storage.createBucket('pictures')
    // Each is short; what one writes before the next look is no more than a request can hold.
    const line = { data: `\\x${randomBytes(100_000).toString('hex')}` }
    const insert = () => app.from('lines').insert(line)
    let last = await insert()
    for (let nth = 0; nth < 200 && !last.error; nth++) last = await insert()
    expect([last.error?.code, last.error?.hint]).toEqual(['25006', expect.stringContaining('disk')])
    expect((await app.from('lines').select('n').limit(1)).data).toHaveLength(1)
    expect((await app.storage.from('pictures').upload('a.txt', 'a')).error?.message).toContain('disk')
    const person = { email: 'sara@example.com', password: 'گذرواژهٔ بلند' }
    expect((await newClient(full).auth.signUp(person)).error?.message).toContain('disk')
    expect(await code('insert into lines (data) values (null)')).toBe('CLOUD_READ_ONLY')
    expect(await code('create table more (n int)')).toBe('CLOUD_READ_ONLY')
    expect(await code('delete from lines where n > 1; select 1')).toBe('CLOUD_READ_ONLY')
    const { body } = await full.client.post(`/v1/cloud/${full.id}/database`, { query: 'select 1 from lines' })
    expect(body.row_count).toBeGreaterThan(1)
    for (const query of [
      'delete from lines where n > 3',
      'vacuum lines',
      'truncate lines',
      'drop table lines',
    ])
      expect(await code(query), query).toBeUndefined()
    await until(async () => (await code('create table lines (n int, data bytea)')) === undefined)
    await until(async () => !(await insert()).error)
    // One request that fills it is ended, and is told the same.
    await write(`alter table lines alter data set storage external;
    create function grow() returns void language plpgsql as $$ begin
      for n in 1..100 loop
        insert into lines (data) values (decode(repeat(md5(n::text), 120000), 'hex')); perform pg_sleep(0.05);
      end loop; end $$`)
    const grown = await app.rpc('grow')
    expect([grown.error?.code, grown.error?.hint]).toEqual(['25006', expect.stringContaining('disk')])
    expect(await code('select grow()')).toBe('CLOUD_READ_ONLY')
  },
)
