/** Tables of a dedicated cloud as an unchanged supabase-js reads them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setReadOnly } from '#cloud/clouds'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { type App, type AppWorld, bootApp } from '../../cloud/supabase-js/app.ts'
import type { Client } from '../../cloud/supabase-js/people.ts'

const canRun = await hasJail()

let all: AppWorld
let app: App
let client: Client
beforeAll(async () => {
  if (!canRun) return
  all = await bootApp({ plan: 'dedicated' })
  app = all.apps.path
  client = app.client()
  await sql(`
    create table teams (id int primary key, name text not null);
    create table people (id int primary key, name text not null, team_id int references teams, address jsonb, tags text[] default '{}', seen tsrange);
    create table messages (id int primary key, sender_id int references people, receiver_id int references people, body text, secret text);
    create table labels (id int primary key, name text);
    create table people_labels (person_id int references people, label_id int references labels, primary key (person_id, label_id));
    create view members as select p.id, p.name as label, p.team_id as team from people p where p.id < 100;
    create view "odd {view" as select (select max(id) from teams) as top, m.label as "a (b} :resno 7", m.team as "te{am)", m.id
      from (select * from members) m where exists (select id from labels);
    create function initial(people) returns text stable language sql as $$ select left($1.name, 1) $$;
    create function sent(people) returns setof messages stable language sql as $$ select * from messages where sender_id = $1.id $$;
    create function main_team(people) returns setof teams rows 1 stable language sql as $$ select * from teams where id = $1.team_id $$;
    insert into teams values (1, 'یک'), (2, 'two');
    insert into people values (1, 'سارا', 1, '{"city":"Tehran","phones":["1","2"]}', '{a,b}', '[2026-01-01,2026-02-01)'), (2, 'Bo', 2, null, '{b}', null), (3, 'Cy, "C"', null, null, '{}', null);
    insert into messages values (1, 1, 2, 'hello there', 'x'), (2, 2, 1, 'and you?', 'y'), (3, 1, 1, 'note', 'z');
    insert into labels values (1, 'old'), (2, 'new');
    insert into people_labels values (1, 1), (1, 2), (2, 2);
    alter table messages enable row level security;
    create policy own on messages for select to anon using (id < 3);
    revoke all on labels from anon;
    grant select (id, name) on labels to anon;`)
})
afterAll(() => all?.[Symbol.asyncDispose]())

async function sql(query: string): Promise<void> {
  const { cloud } = all
  const body = { query, read_only: false, confirm_write: true }
  const reply = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, body)
  expect(reply.status, reply.text).toBe(200)
}

interface Raw {
  status: number
  body: { code?: string; message?: string; details?: unknown; hint?: string | null }
  headers: Headers
  text: string
}

async function raw(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const { cloud } = all
  const reply = await fetch(`${cloud.pathUrl}/rest/v1/${path}`, {
    method,
    headers: { apikey: cloud.publicKey, ...headers },
  })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json') && text !== ''
  return { status: reply.status, headers: reply.headers, text, body: isJson ? JSON.parse(text) : {} }
}

test.runIf(canRun)(
  'rows come with those that are related to them, by foreign keys, tables between, views and functions',
  async () => {
    const asked: [string, string, unknown][] = [
      // A definition with a query in its columns, one in its tables, and names that look like parts of it.
      [
        'odd {view',
        'top,teams(name)',
        [
          { top: 2, teams: { name: 'یک' } },
          { top: 2, teams: { name: 'two' } },
          { top: 2, teams: null },
        ],
      ],
      [
        'people',
        'name,teams(name)',
        [
          { name: 'سارا', teams: { name: 'یک' } },
          { name: 'Bo', teams: { name: 'two' } },
          { name: 'Cy, "C"', teams: null },
        ],
      ],
      [
        'people',
        'id,labels(name)',
        [
          { id: 1, labels: [{ name: 'old' }, { name: 'new' }] },
          { id: 2, labels: [{ name: 'new' }] },
          { id: 3, labels: [] },
        ],
      ],
      [
        'people',
        'id,teams!inner(id)',
        [
          { id: 1, teams: { id: 1 } },
          { id: 2, teams: { id: 2 } },
        ],
      ],
      [
        'people',
        'id,labels!inner(id)',
        [
          { id: 1, labels: [{ id: 1 }, { id: 2 }] },
          { id: 2, labels: [{ id: 2 }] },
        ],
      ],
      [
        'people',
        'id,...teams(team:name)',
        [
          { id: 1, team: 'یک' },
          { id: 2, team: 'two' },
          { id: 3, team: null },
        ],
      ],
      [
        'people',
        'id,received:messages!receiver_id(id)',
        [
          { id: 1, received: [{ id: 2 }] },
          { id: 2, received: [{ id: 1 }] },
          { id: 3, received: [] },
        ],
      ],
      [
        'people',
        'id,messages!messages_sender_id_fkey(people!receiver_id(name))',
        [
          { id: 1, messages: [{ people: { name: 'Bo' } }] },
          { id: 2, messages: [{ people: { name: 'سارا' } }] },
          { id: 3, messages: [] },
        ],
      ],
      [
        'members',
        'label,teams(name)',
        [
          { label: 'سارا', teams: { name: 'یک' } },
          { label: 'Bo', teams: { name: 'two' } },
          { label: 'Cy, "C"', teams: null },
        ],
      ],
      [
        'teams',
        'id,members(label)',
        [
          { id: 1, members: [{ label: 'سارا' }] },
          { id: 2, members: [{ label: 'Bo' }] },
        ],
      ],
      [
        'members',
        'id,labels(id)',
        [
          { id: 1, labels: [{ id: 1 }, { id: 2 }] },
          { id: 2, labels: [{ id: 2 }] },
          { id: 3, labels: [] },
        ],
      ],
      [
        'people',
        'initial,sent(id),main_team(name)',
        [
          { initial: 'س', sent: [{ id: 1 }], main_team: { name: 'یک' } },
          { initial: 'B', sent: [{ id: 2 }], main_team: { name: 'two' } },
          { initial: 'C', sent: [], main_team: null },
        ],
      ],
      [
        'messages',
        'id,sender_id(name)',
        [
          { id: 1, sender_id: { name: 'سارا' } },
          { id: 2, sender_id: { name: 'Bo' } },
        ],
      ],
    ]
    for (const [table, select, expected] of asked) {
      const { data, error } = await client.from(table).select(select).order('id')
      expect([select, error, data]).toEqual([select, null, expected])
    }
  },
)

test.runIf(canRun)(
  'embedded rows are filtered, ordered and limited by themselves, and decide about the row around them where they are inner',
  async () => {
    const ordered = await client
      .from('people')
      .select('id,labels(id)')
      .order('id')
      .order('id', { referencedTable: 'labels', ascending: false })
      .limit(1, { referencedTable: 'labels' })
      .limit(2)
    expect(ordered.data).toEqual([
      { id: 1, labels: [{ id: 2 }] },
      { id: 2, labels: [{ id: 2 }] },
    ])
    const filtered = await client.from('people').select('id,labels!inner(name)').eq('labels.name', 'old')
    expect(filtered.data).toEqual([{ id: 1, labels: [{ name: 'old' }] }])
    const either = await client
      .from('people')
      .select('id,labels(name)')
      .or('name.eq.old,name.eq.none', { referencedTable: 'labels' })
      .order('id')
    expect(either.data?.map(({ labels }) => labels)).toEqual([[{ name: 'old' }], [], []])
    const without = await client.from('people').select('id,teams()').is('teams', null)
    expect(without.data).toEqual([{ id: 3 }])
    const byTeam = await client
      .from('people')
      .select('id,teams(name)')
      .order('teams(name)', { ascending: false, nullsFirst: false })
    expect(byTeam.data?.map(({ id }) => id)).toEqual([1, 2, 3])
  },
)

test.runIf(canRun)('filters are those of the client', async () => {
  type People = ReturnType<typeof people>
  const people = () => client.from('people').select('id').order('id')
  const ids = async (narrow: (query: People) => People) => {
    const { data, error } = await narrow(people())
    expect(error).toBeNull()
    return data?.map(({ id }) => id)
  }
  expect(await ids((q) => q.eq('name', 'سارا'))).toEqual([1])
  expect(await ids((q) => q.neq('id', 2))).toEqual([1, 3])
  expect(await ids((q) => q.gt('id', 1).lte('id', 2))).toEqual([2])
  expect(await ids((q) => q.like('name', '%o'))).toEqual([2])
  expect(await ids((q) => q.ilike('name', 'b%'))).toEqual([2])
  expect(await ids((q) => q.likeAnyOf('name', ['B%', 'C%']))).toEqual([2, 3])
  expect(await ids((q) => q.is('team_id', null))).toEqual([3])
  expect(await ids((q) => q.in('name', ['Bo', 'Cy, "C"', 'a\\b']))).toEqual([2, 3])
  expect(await ids((q) => q.contains('tags', ['b']))).toEqual([1, 2])
  expect(await ids((q) => q.containedBy('tags', ['b', 'c']))).toEqual([2, 3])
  expect(await ids((q) => q.overlaps('tags', ['a', 'z']))).toEqual([1])
  expect(await ids((q) => q.contains('address', { city: 'Tehran' }))).toEqual([1])
  expect(await ids((q) => q.rangeLt('seen', '[2026-03-01,2026-04-01)'))).toEqual([1])
  expect(await ids((q) => q.rangeAdjacent('seen', '[2026-02-01,2026-04-01)'))).toEqual([1])
  expect(await ids((q) => q.textSearch('name', "'bo'", { config: 'english' }))).toEqual([2])
  expect(await ids((q) => q.not('id', 'in', '(1,2)'))).toEqual([3])
  expect(await ids((q) => q.or('id.eq.1,and(id.gt.1,name.like.C*)'))).toEqual([1, 3])
  expect(await ids((q) => q.eq('address->>city', 'Tehran'))).toEqual([1])
  expect(await ids((q) => q.eq('initial', 'B'))).toEqual([2])
  expect(await ids((q) => q.regexMatch('name', '^[A-Z]o$'))).toEqual([2])
  expect(await ids((q) => q.match({ id: 1, name: 'سارا' }))).toEqual([1])
})

test.runIf(canRun)(
  'pages, counts, single rows, CSV and rows without nulls are as the client expects them',
  async () => {
    const page = await client.from('people').select('id', { count: 'exact' }).order('id').range(1, 1)
    expect([page.status, page.count, page.data]).toEqual([206, 3, [{ id: 2 }]])
    const head = await client.from('people').select('*', { count: 'exact', head: true })
    expect([head.count, head.data]).toEqual([3, null])
    for (const count of ['planned', 'estimated'] as const)
      expect((await client.from('people').select('id', { count })).count).toEqual(expect.any(Number))
    expect((await client.from('people').select('id').eq('id', 2).single()).data).toEqual({ id: 2 })
    const none = await client.from('people').select('id').eq('id', 9).single()
    expect([none.status, none.error?.code]).toEqual([406, 'PGRST116'])
    expect((await client.from('people').select('id').eq('id', 9).maybeSingle()).data).toBeNull()
    expect((await client.from('people').select('id,name').order('id').csv()).data).toBe(
      'id,name\n1,سارا\n2,Bo\n3,"Cy, ""C"""',
    )
    expect((await client.from('people').select('id,team_id').eq('id', 3).stripNulls()).data).toEqual([
      { id: 3 },
    ])
    const behind = await raw('people?select=id&offset=9', { prefer: 'count=exact' })
    expect([behind.status, behind.body.code]).toEqual([416, 'PGRST103'])
    const ranged = await raw('people?select=id&order=id', { range: '1-5', 'range-unit': 'items' })
    expect([ranged.text, ranged.headers.get('content-range')]).toEqual(['[{"id":2},{"id":3}]', '1-2/*'])
    expect((await raw('people?select=id', { range: '5-1' })).status).toBe(416)
  },
)

test.runIf(canRun)('a page has a thousand rows at most, of each table in it', async () => {
  await sql(`create table many (id int primary key, one_id int references teams);
    insert into many select n, 1 from generate_series(1, 1500) n`)
  const rows = await client.from('many').select('id').limit(5000)
  expect(rows.data).toHaveLength(1_000)
  const team = await client.from('teams').select('many(id)').eq('id', 1).single()
  expect(team.data?.many).toHaveLength(1_000)
  expect(
    (await client.from('many').select('id', { count: 'estimated', head: true })).count,
  ).toBeGreaterThanOrEqual(1_001)
})

test.runIf(canRun)('what cannot be is refused in the words that the client knows', async () => {
  const refused = async (path: string, headers?: Record<string, string>) => {
    const { status, body } = await raw(path, headers)
    return [status, body.code]
  }
  expect(await refused('nothing')).toEqual([404, 'PGRST205'])
  expect(await refused('people?select=nothing')).toEqual([400, '42703'])
  expect(await refused('people?nothing=eq.1')).toEqual([400, '42703'])
  expect(await refused('people?select=id,nothing(id)')).toEqual([400, 'PGRST200'])
  expect(await refused('people?id=5')).toEqual([400, 'PGRST100'])
  expect(await refused('people?id=eq.x')).toEqual([400, '22P02'])
  expect(await refused('people?labels.id=eq.1')).toEqual([400, 'PGRST108'])
  expect(await refused('people?select=id,labels(id)&order=labels(id)')).toEqual([400, 'PGRST118'])
  expect(await refused('people?select=id.sum()')).toEqual([400, 'PGRST123'])
  expect(await refused('people?select=id::nothing')).toEqual([400, '42704'])
  expect(await refused('people', { 'accept-profile': 'auth' })).toEqual([406, 'PGRST106'])
  expect(await refused('people', { accept: 'application/vnd.pgrst.plan+json' })).toEqual([406, 'PGRST107'])
  expect(await refused('people', { prefer: 'handling=strict, what=ever' })).toEqual([400, 'PGRST122'])
  // Columns that the role may not read.
  await sql('alter table labels add hidden text')
  expect(await refused('labels?select=hidden')).toEqual([401, '42501'])
  const several = await raw('messages?select=id,people(name)')
  expect([several.status, several.body.code, several.body.details]).toEqual([
    300,
    'PGRST201',
    [
      {
        cardinality: 'many-to-one',
        embedding: 'messages with people',
        relationship: 'messages_receiver_id_fkey using messages(receiver_id) and people(id)',
      },
      {
        cardinality: 'many-to-one',
        embedding: 'messages with people',
        relationship: 'messages_sender_id_fkey using messages(sender_id) and people(id)',
      },
    ],
  ])
  expect(several.body.hint).toContain("'people!messages_receiver_id_fkey'")
})

test.runIf(canRun)('views of another schema have its relationships, and nothing of it is shown', async () => {
  await sql(`
    create schema private;
    create table private.authors (id int primary key, name text);
    create table private.books (id int primary key, title text, author_id int references private.authors);
    create table private.genres (id int primary key, name text);
    create table private.book_genres (book_id int references private.books, genre_id int references private.genres, primary key (book_id, genre_id));
    create materialized view private.known_authors as select id, name from private.authors;
    create table sales (id int primary key, book_id int references private.books, sold int);
    create view authors with (security_invoker = false) as select id as author, name from private.authors;
    create view known as select id, name from private.known_authors;
    create view books as select id, title, author_id from private.books;
    create view genres as select * from private.genres;
    create view book_genres as select * from private.book_genres;
    insert into private.authors values (1, 'فردوسی'), (2, 'سعدی');
    insert into private.books values (1, 'شاهنامه', 1), (2, 'گلستان', 2), (3, 'بوستان', 2);
    insert into private.genres values (1, 'شعر'), (2, 'نثر');
    insert into private.book_genres values (1, 1), (2, 1), (2, 2), (3, 1);
    insert into sales values (1, 2, 10);
    refresh materialized view private.known_authors;`)
  const asked: [string, string, unknown][] = [
    ['books', 'title,authors(name)', [{ title: 'شاهنامه', authors: { name: 'فردوسی' } }]],
    ['books', 'title,known(name)', [{ title: 'شاهنامه', known: { name: 'فردوسی' } }]],
    ['books', 'id,genres(name)', [{ id: 1, genres: [{ name: 'شعر' }] }]],
    ['books', 'id,book_genres(genres(id))', [{ id: 1, book_genres: [{ genres: { id: 1 } }] }]],
    [
      'sales',
      'sold,books(title,authors(name))',
      [{ sold: 10, books: { title: 'گلستان', authors: { name: 'سعدی' } } }],
    ],
    ['genres', 'name,books!inner(id)', [{ name: 'شعر', books: [{ id: 1 }, { id: 2 }, { id: 3 }] }]],
  ]
  for (const [table, select, expected] of asked) {
    const { data, error } = await client.from(table).select(select).order('id').limit(1)
    expect([select, error, data]).toEqual([select, null, expected])
  }
  const { data } = await client.from('authors').select('author,books(title)').eq('author', 2)
  expect(data).toEqual([{ author: 2, books: [{ title: 'گلستان' }, { title: 'بوستان' }] }])
  // A row is written, merged and put by the key that its view shows.
  expect((await client.from('books').upsert({ id: 3, title: 'بوستانِ سعدی' }).select('title')).data).toEqual([
    { title: 'بوستانِ سعدی' },
  ])
  expect((await raw('books?select=id,private_books(id)')).body.code).toBe('PGRST200')
  expect((await raw('private.books')).status).toBe(404)
  await sql('drop view book_genres')
  const across = await raw('books?select=id,genres(name)')
  expect([across.status, across.body.code]).toEqual([400, 'PGRST200'])
})

test.runIf(canRun)(
  'a table that is not there is refused with a similar one that the caller may use',
  async () => {
    await sql('create table hidden_teams (id int); revoke all on hidden_teams from anon')
    const hint = async (name: string) => (await raw(name)).body
    expect(await hint('team')).toMatchObject({
      code: 'PGRST205',
      message: "Could not find the table 'public.team' in the schema cache",
      hint: "Perhaps you meant the table 'public.teams'",
    })
    expect(String((await hint('hidden_team')).hint)).not.toContain('hidden')
    expect((await hint('zzzzzz')).hint).toBeNull()
    const { error } = await client.from('mesages').insert({ id: 9 })
    expect(error).toMatchObject({ code: 'PGRST205', hint: "Perhaps you meant the table 'public.messages'" })
    expect((await hint(`${'x'.repeat(5_000)}`)).hint).toBeNull()
    const embedded = async (target: string) => (await hint(`novels?select=id,${target}(*)`)).hint
    await sql('create table writers (id int primary key)')
    await sql('create table novels (id int primary key, writer int references writers)')
    expect(await embedded('writerss')).toBe("Perhaps you meant 'writers' instead of 'writerss'.")
    expect(await embedded('zzzzzz')).toBe('Add a foreign key between the two tables.')
  },
)

test.runIf(canRun)('times are those of the zone that a request prefers', async () => {
  await sql(`create table moments (at timestamptz primary key); insert into moments values ('2026-03-20T20:30:00Z');
    create function midnight() returns timestamptz language sql stable as $$ select '2026-03-21 00:00'::timestamptz $$`)
  const zoned = async (prefer: string, path = 'moments?select=at') => {
    const { status, text, headers } = await raw(path, { prefer })
    return [status, text, headers.get('preference-applied')]
  }
  const [utc, tehran] = ['[{"at":"2026-03-20T20:30:00+00:00"}]', '[{"at":"2026-03-21T00:00:00+03:30"}]']
  expect(await zoned('timezone=Asia/Tehran')).toEqual([200, tehran, 'timezone=Asia/Tehran'])
  expect(await zoned('handling=strict, timezone=Asia/Tehran')).toEqual([
    ...[200, tehran, 'handling=strict, timezone=Asia/Tehran'],
  ])
  // The next request of the same connection has its own again.
  expect(await zoned('')).toEqual([200, utc, null])
  // What is read is read in it, too.
  expect(await zoned('timezone=Asia/Tehran', 'moments?select=at&at=eq.2026-03-21T00:00:00')).toEqual([
    ...[200, tehran, 'timezone=Asia/Tehran'],
  ])
  expect((await raw('rpc/midnight', { prefer: 'timezone=Asia/Tehran' })).text).toBe(
    '"2026-03-21T00:00:00+03:30"',
  )
  for (const unknown of [
    'timezone=Jupiter/Red_Spot',
    'timezone=asia/tehran',
    "timezone='; drop",
    'timezone=',
  ])
    expect(await zoned(unknown)).toEqual([200, utc, null])
  const { status, body } = await raw('moments', { prefer: 'handling=strict, timezone=Jupiter/Red_Spot' })
  expect([status, body.code, body.details]).toEqual([
    ...[400, 'PGRST122', 'Invalid preferences: timezone=Jupiter/Red_Spot'],
  ])
})

test.runIf(canRun)('a request after a change of tables sees it, whoever has changed them', async () => {
  expect((await raw('fresh')).status).toBe(404)
  await sql('create table fresh (id int primary key); insert into fresh values (1)')
  expect((await raw('fresh')).text).toBe('[{"id":1}]')
  await sql('alter table fresh add team_id int references teams default 1')
  expect((await raw('fresh?select=id,teams(name)')).text).toBe('[{"id":1,"teams":{"name":"یک"}}]')
  await sql('alter table fresh rename id to number')
  expect((await raw('fresh?select=number')).text).toBe('[{"number":1}]')
  expect((await raw('fresh?select=id')).body.code).toBe('42703')
  // A type that is another one: what was prepared for the old one is not used.
  expect((await raw('fresh?number=eq.1&select=number')).text).toBe('[{"number":1}]')
  await sql('alter table fresh alter number type text')
  expect((await raw('fresh?number=eq.1&select=number')).text).toBe('[{"number":"1"}]')
  await sql('drop table fresh')
  expect((await raw('fresh')).status).toBe(404)
})

test.runIf(canRun)('a cloud whose disk is full is read, and says why nothing is written', async () => {
  await sql(`create table kept (id int primary key); insert into kept values (1);
    create function keep_more() returns int language sql security definer as $$ insert into kept values (2) returning id $$`)
  const { world, cloud } = all
  const key = { accountId: world.account, cloudId: cloud.id }
  await setReadOnly(world.app, key, true)
  await world.app.clouds.refresh(key)
  try {
    expect((await raw('kept')).text).toBe('[{"id":1}]')
    for (const refused of [
      await client.from('kept').insert({ id: 3 }),
      await client.from('kept').delete().eq('id', 1),
      await client.rpc('keep_more'),
    ])
      expect([refused.status, refused.error?.code, refused.error?.hint]).toEqual([
        405,
        '25006',
        expect.any(String),
      ])
  } finally {
    await setReadOnly(world.app, key, false)
    await world.app.clouds.refresh(key)
  }
  expect((await client.rpc('keep_more')).data).toBe(2)
})

test.runIf(canRun)('the description names what whoever asks may use', async () => {
  await sql('create table closed (id int); revoke all on closed from anon')
  const { body, headers } = await raw('')
  const { paths, definitions } = body as unknown as {
    paths: Record<string, object>
    definitions: Record<string, { properties: object }>
  }
  expect(headers.get('content-type')).toContain('application/openapi+json')
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/people', '/teams', '/rpc/initial']))
  expect(paths).not.toHaveProperty('/closed')
  expect(definitions['people']?.properties).toMatchObject({
    id: { type: 'integer', format: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  })
})
