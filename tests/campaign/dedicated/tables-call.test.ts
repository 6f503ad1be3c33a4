/** Functions of a dedicated cloud's database, called by the unchanged supabase-js and by requests as they stand. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootApp, type DedicatedApp } from '../../cloud/dedicated/dedicated-app.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'

const canRun = await hasJail()

const schema = `
create table teams (id int primary key, name text not null);
create table players (id int primary key, name text not null, team_id int references teams, points int not null default 0);
insert into teams values (1, 'red'), (2, 'blue');
insert into players values (1, 'سارا', 1, 5), (2, 'Bo', 1, 7), (3, 'Cy', 2, 9);
create type pair as (a int, b text);
create function add(a int, b int default 2) returns int language sql immutable as 'select a + b';
create function add(a text, c text) returns text language sql immutable as $$ select a || '+' || c $$;
create function twice(a int) returns int language sql immutable as 'select a * 2';
create function twice(a text) returns text language sql immutable as 'select a || a';
create function up_to(n int) returns setof int language sql immutable as 'select generate_series(1, n)';
create function players_of(team int) returns setof players language sql stable as 'select * from players where team_id = team';
create function best() returns players language sql stable as 'select * from players order by points desc limit 1';
create function table_of(x int) returns table(nr int, "the text" text) language sql immutable as $$ select g, 'n' || g from generate_series(1, x) g $$;
create function one_out(x int, out y int) language sql immutable as 'select x + 1';
create function one_pair() returns pair language sql immutable as $$ select 1, 'x' $$;
create function nothing() returns void language sql as '';
create function no_value() returns text language sql immutable as 'select null::text';
create function count_all(variadic ns int[]) returns int language sql immutable as 'select coalesce(array_length(ns, 1), 0)';
create function whole(jsonb) returns jsonb language sql immutable as $$ select jsonb_build_object('got', $1) $$;
create function whole_text(text) returns text language sql immutable as 'select $1';
create function whole_bytes(bytea) returns int language sql immutable as 'select octet_length($1)';
create function echo(v jsonb, names text[] default '{}') returns jsonb language sql immutable as $$ select jsonb_build_object('v', v, 'names', names) $$;
create function score(player int) returns int language plpgsql as $$ begin
  update players set points = points + 1 where id = player; return (select points from players where id = player); end $$;
create function unlucky(code text) returns void language plpgsql as $$ begin
  raise sqlstate 'PT403' using message = code; end $$;
create function answer_with(headers text, status text) returns int language plpgsql as $$ begin
  perform set_config('response.headers', headers, true); perform set_config('response.status', status, true); return 1; end $$;
create function leave_behind(headers text) returns void language plpgsql as $$ begin
  perform set_config('response.headers', headers, false); perform set_config('response.status', '418', false); end $$;
create function seen() returns json language sql stable as $$ select json_build_object('method', current_setting('request.method'),
  'path', current_setting('request.path'), 'mine', current_setting('request.headers')::json ->> 'x-mine',
  'role', current_user, 'jwt', auth.jwt() ->> 'role') $$;
`

let app: DedicatedApp
beforeAll(async () => {
  if (canRun) app = await bootApp(schema)
})
afterAll(() => app?.[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const rpc = (name: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  app.ask(`/rest/v1/rpc/${name}`, { method: 'POST', body, headers })

test.runIf(canRun)(
  'a function answers a value, values, a row, rows or nothing, as it returns them',
  async () => {
    const answers: [name: string, args: object, data: unknown][] = [
      ['add', { a: 1 }, 3],
      ['add', { a: 1, b: 5 }, 6],
      ['add', { a: 'x', c: 'y' }, 'x+y'],
      ['up_to', { n: 3 }, [1, 2, 3]],
      ['players_of', { team: 2 }, [{ id: 3, name: 'Cy', team_id: 2, points: 9 }]],
      ['best', {}, { id: 3, name: 'Cy', team_id: 2, points: 9 }],
      ['table_of', { x: 1 }, [{ nr: 1, 'the text': 'n1' }]],
      ['one_out', { x: 1 }, { y: 2 }],
      ['one_pair', {}, { a: 1, b: 'x' }],
      ['no_value', {}, null],
      ['count_all', { ns: [1, 2, 3] }, 3],
      ['count_all', {}, 0],
      [
        'echo',
        { v: { 'a"': [1, null] }, names: ['x', 'y,z'] },
        { v: { 'a"': [1, null] }, names: ['x', 'y,z'] },
      ],
    ]
    for (const [name, args, data] of answers) {
      const read = await app.anon.rpc(name, args, { get: name !== 'echo' })
      const called = await app.anon.rpc(name, args)
      if (name !== 'echo') expect([name, read.data, read.error]).toEqual([name, data, null])
      expect([name, called.data, called.error]).toEqual([name, data, null])
    }
    const none = await app.anon.rpc('nothing')
    expect([none.status, none.data]).toEqual([204, null])
  },
)

test.runIf(canRun)(
  'rows of a function are selected, filtered, ordered, counted and embed others',
  async () => {
    const { data, count } = await app.anon
      .rpc('players_of', { team: 1 }, { count: 'exact' })
      .select('name, teams(name)')
      .order('points', { ascending: false })
      .limit(1)
    expect([data, count]).toEqual([[{ name: 'Bo', teams: { name: 'red' } }], 2])
    const filtered = await app.anon
      .rpc('players_of', { team: 1 }, { get: true })
      .select('id')
      .eq('name', 'سارا')
      .single()
    expect(filtered.data).toEqual({ id: 1 })
    const own = await app.anon
      .rpc('table_of', { x: 3 })
      .select('nr')
      .gt('nr', 1)
      .order('nr', { ascending: false })
    expect(own.data).toEqual([{ nr: 3 }, { nr: 2 }])
    const head = await app.anon.rpc('players_of', { team: 1 }, { head: true, count: 'exact' })
    expect([head.status, head.count, head.data]).toEqual([200, 2, null])
    const many = await app.anon.rpc('players_of', { team: 1 }).single()
    expect([many.status, many.error?.code]).toEqual([406, 'PGRST116'])
    const csv = await app.anon.rpc('players_of', { team: 2 }).select('id,name').csv()
    expect(csv.data).toBe('id,name\n3,Cy')
  },
)

test.runIf(canRun)('a body is the whole argument of a function whose parameter has no name', async () => {
  expect(await (await rpc('whole', '[1,{"a":2}]')).json()).toEqual({ got: [1, { a: 2 }] })
  expect(await (await rpc('whole', '{"a":2}')).json()).toEqual({ got: { a: 2 } })
  expect(await (await rpc('whole_text', 'سلام "x"', { 'content-type': 'text/plain' })).json()).toBe(
    'سلام "x"',
  )
  const bytes = new Uint8Array([0, 255, 1, 0])
  expect(await (await rpc('whole_bytes', bytes, { 'content-type': 'application/octet-stream' })).json()).toBe(
    4,
  )
  const form = await rpc('add', 'a=4&b=5', { 'content-type': 'application/x-www-form-urlencoded' })
  expect(await form.json()).toBe(9)
})

test.runIf(canRun)(
  'which function is meant is decided by the names of its arguments, and nothing is guessed',
  async () => {
    const unknown = await app.anon.rpc('add', { a: 1, z: 1 })
    expect([unknown.status, unknown.error?.code]).toEqual([404, 'PGRST202'])
    const missing = await app.anon.rpc('twice', {})
    expect([missing.status, missing.error?.code]).toEqual([404, 'PGRST202'])
    const several = await app.anon.rpc('twice', { a: 1 })
    expect([several.status, several.error?.code]).toEqual([300, 'PGRST203'])
    const none = await app.anon.rpc('no_such_function')
    expect([none.status, none.error?.code]).toEqual([404, 'PGRST202'])
    // Functions of PostgreSQL itself are none of the app's.
    for (const name of [
      'set_config',
      'pg_sleep',
      'pg_read_file',
      'current_setting',
      'uid',
      'pg_catalog.version',
    ])
      expect((await app.anon.rpc(name)).status).toBe(404)
    const trigger = await app.ask('/rest/v1/rpc/add', { method: 'PATCH', body: '{}', headers: json })
    expect([trigger.status, await trigger.json()]).toMatchObject([405, { code: 'PGRST101' }])
  },
)

test.runIf(canRun)('by GET and HEAD nothing is changed, whatever a function does', async () => {
  const read = await app.service.rpc('score', { player: 1 }, { get: true })
  expect([read.status, read.error?.code]).toEqual([405, '25006'])
  const written = await app.service.rpc('score', { player: 1 })
  expect(written.data).toBe(6)
  const tried = await app.ask('/rest/v1/rpc/score', {
    method: 'POST',
    body: '{"player":1}',
    headers: { ...json, prefer: 'tx=rollback' },
    key: app.serviceKey,
  })
  expect(await tried.json()).toBe(7)
  const { data } = await app.anon.from('players').select('points').eq('id', 1).single()
  expect(data).toEqual({ points: 6 })
  const refused = await app.anon.rpc('unlucky', { code: 'not you' })
  expect([refused.status, refused.error]).toEqual([
    403,
    { code: 'PT403', message: 'not you', details: null, hint: null },
  ])
})

test.runIf(canRun)('a function states headers and status of its answer, of this one alone', async () => {
  const say = (headers: unknown, status = '') =>
    rpc(
      'answer_with',
      JSON.stringify({ headers: typeof headers === 'string' ? headers : JSON.stringify(headers), status }),
    )
  const teapot = await say([{ 'X-Mine': 'a b' }, { 'Cache-Control': 'max-age=60' }], '418')
  expect([
    teapot.status,
    teapot.headers.get('x-mine'),
    teapot.headers.get('cache-control'),
    await teapot.json(),
  ]).toEqual([418, 'a b', 'max-age=60', 1])
  // A page of the app is none of ours, and in the path form all clouds share one origin.
  const page = await say([
    { 'content-type': 'text/html' },
    { 'set-cookie': 'a=b' },
    { 'content-length': '1' },
  ])
  expect([page.headers.get('content-type'), page.headers.get('set-cookie'), await page.text()]).toEqual([
    'text/plain; charset=utf-8',
    null,
    '1',
  ])
  const bad: unknown[] = [
    [{ 'x-a': 'b\r\nset-cookie: c=d' }],
    [{ 'x-a\r\nx-b': 'c' }],
    [{ 'x-a': 'ی' }],
    [{ 'x-a': 1 }],
    [{ 'x-a': 'b', 'x-c': 'd' }],
    { 'x-a': 'b' },
    'no json',
    Array.from({ length: 51 }, (_, nth) => ({ [`x-${nth}`]: 'a' })),
    [{ 'x-a': 'a'.repeat(8_000) }],
  ]
  for (const headers of bad) {
    const reply = await say(headers)
    expect([headers, reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
      headers,
      500,
      'PGRST111',
    ])
    expect(reply.headers.get('set-cookie')).toBe(null)
  }
  for (const status of ['99', '600', '100', 'x', '200 OK']) {
    const reply = await say([], status)
    expect([status, reply.status, await reply.json()]).toMatchObject([status, 500, { code: 'PGRST112' }])
  }
  // What is set for the whole session stays on a connection that others get.
  await rpc('leave_behind', JSON.stringify({ headers: '[{"x-left":"behind"}]' }))
  for (let nth = 0; nth < 12; nth++) {
    const next = await rpc('add', '{"a":1}')
    expect([next.status, next.headers.get('x-left')]).toEqual([200, null])
  }
})

test.runIf(canRun)('a function sees who asks, and how', async () => {
  const { client } = await app.person()
  const { data } = await client.rpc('seen').setHeader('x-mine', 'm')
  expect(data).toEqual({
    method: 'POST',
    path: expect.stringContaining('/rpc/seen'),
    mine: 'm',
    role: 'authenticated',
    jwt: 'authenticated',
  })
  const anon = await app.anon.rpc('seen', {}, { get: true })
  expect(anon.data).toMatchObject({ method: 'GET', role: 'anon', jwt: 'anon' })
  const service = await app.service.rpc('seen')
  expect(service.data).toMatchObject({ role: 'service_role', jwt: 'service_role' })
})
