/** Who may do what with rows of a dedicated cloud: by policies as people copy them, for whoever is signed in by real sessions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppClient, bootApp, type DedicatedApp } from '../../cloud/dedicated/dedicated-app.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'

const canRun = await hasJail()

const schema = `
create table notes (id int primary key, owner uuid not null default auth.uid(), title text);
create table comments (id int primary key, note_id int references notes on delete cascade, owner uuid not null default auth.uid(), body text);
alter table notes enable row level security;
alter table comments enable row level security;
create policy "own notes" on notes for all to authenticated using ((select auth.uid()) = owner) with check ((select auth.uid()) = owner);
create policy "comments are read by who is signed in" on comments for select using (auth.role() = 'authenticated');
create policy "own comments" on comments for insert to authenticated with check (auth.uid() = owner);
create function my_notes() returns setof notes language sql stable as 'select * from notes order by id';
create function all_notes() returns bigint language sql stable security definer set search_path = '' as 'select count(*) from public.notes';
create function take(id int) returns setof notes language sql as 'update notes set title = title || ''!'' where notes.id = take.id returning *';
`

interface Callers {
  anon: AppClient
  a: AppClient
  b: AppClient
  service: AppClient
}
type Who = keyof Callers
const everyone: readonly Who[] = ['anon', 'a', 'b', 'service']

let app: DedicatedApp
let callers: Callers
let ids: { a: string; b: string }

beforeAll(async () => {
  if (!canRun) return
  app = await bootApp(schema)
  const [a, b] = [await app.person(), await app.person()]
  callers = { anon: app.anon, service: app.service, a: a.client, b: b.client }
  ids = { a: a.id, b: b.id }
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** Two notes of A, one of B, and comments on both. */
async function fill(): Promise<void> {
  await app.sql(`truncate notes, comments;
    insert into notes values (1, '${ids.a}', 'a1'), (2, '${ids.a}', 'a2'), (3, '${ids.b}', 'b3');
    insert into comments values (1, 1, '${ids.b}', 'of b'), (2, 3, '${ids.a}', 'of a')`)
}

type Outcome = number | string | number[] | object | null
/** What each caller gets: ids of rows, or the code of the refusal. */
const matrix: [
  what: string,
  work: (
    client: AppClient,
    who: Who,
  ) => PromiseLike<{ data: unknown; error: { code?: string } | null; count?: number | null }>,
  outcomes: Record<Who, Outcome>,
][] = [
  [
    'select',
    (c) => c.from('notes').select('id').order('id'),
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  [
    'select of another one’s row by its id',
    (c) => c.from('notes').select('id').eq('id', 3),
    { anon: [], a: [], b: [3], service: [3] },
  ],
  [
    'count',
    (c) => c.from('notes').select('*', { count: 'exact', head: true }),
    { anon: 0, a: 2, b: 1, service: 3 },
  ],
  [
    'insert of a row of their own',
    (c) => c.from('notes').insert({ id: 9, title: 'new' }).select('id'),
    // The service key has no user: the column takes no null.
    { anon: '42501', a: [9], b: [9], service: '23502' },
  ],
  [
    'insert of a row of another one',
    (c) => c.from('notes').insert({ id: 9, owner: ids.b, title: 'new' }).select('id'),
    { anon: '42501', a: '42501', b: [9], service: [9] },
  ],
  [
    'insert that is not answered',
    (c) => c.from('comments').insert({ id: 9, note_id: null, body: 'x' }),
    { anon: '42501', a: null, b: null, service: '23502' },
  ],
  [
    'update of all rows',
    (c) => c.from('notes').update({ title: 'x' }).gt('id', 0).select('id').order('id'),
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  [
    'update that gives a row away',
    (c) => c.from('notes').update({ owner: ids.b }).eq('id', 1).select('id'),
    { anon: [], a: '42501', b: [], service: [1] },
  ],
  [
    'upsert over a row of A',
    (c, who) =>
      c
        .from('notes')
        .upsert({ id: 1, owner: who === 'b' ? ids.b : ids.a, title: 'y' })
        .select('id'),
    { anon: '42501', a: [1], b: '42501', service: [1] },
  ],
  [
    'delete of all rows',
    (c) => c.from('notes').delete().gt('id', 0).select('id').order('id'),
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  [
    'delete of some rows in order',
    (c) => c.from('notes').delete().order('id').limit(1).select('id'),
    { anon: [], a: [1], b: [3], service: [1] },
  ],
  [
    'embedded rows of a table with other policies',
    (c) => c.from('notes').select('id, comments(id)').order('id'),
    {
      anon: [],
      a: [
        { id: 1, comments: [{ id: 1 }] },
        { id: 2, comments: [] },
      ],
      b: [{ id: 3, comments: [{ id: 2 }] }],
      service: [
        { id: 1, comments: [{ id: 1 }] },
        { id: 2, comments: [] },
        { id: 3, comments: [{ id: 2 }] },
      ],
    },
  ],
  [
    'embedded rows that policies hide',
    (c) => c.from('comments').select('id, notes(title)').order('id'),
    {
      anon: [],
      a: [
        { id: 1, notes: { title: 'a1' } },
        { id: 2, notes: null },
      ],
      b: [
        { id: 1, notes: null },
        { id: 2, notes: { title: 'b3' } },
      ],
      service: [
        { id: 1, notes: { title: 'a1' } },
        { id: 2, notes: { title: 'b3' } },
      ],
    },
  ],
  [
    'filter by a column of embedded rows that policies hide',
    (c) => c.from('comments').select('id, notes!inner(id)').eq('notes.title', 'a1'),
    { anon: [], a: [{ id: 1, notes: { id: 1 } }], b: [], service: [{ id: 1, notes: { id: 1 } }] },
  ],
  [
    'order by such a column',
    (c) => c.from('comments').select('id').order('id').limit(5),
    { anon: [], a: [1, 2], b: [1, 2], service: [1, 2] },
  ],
  [
    'one row or none',
    (c) => c.from('notes').select('id').eq('id', 1).maybeSingle(),
    { anon: null, a: { id: 1 }, b: null, service: { id: 1 } },
  ],
  [
    'exactly one row',
    (c) => c.from('notes').select('id').eq('id', 1).single(),
    { anon: 'PGRST116', a: { id: 1 }, b: 'PGRST116', service: { id: 1 } },
  ],
  [
    'count of what an update changes',
    (c) => c.from('notes').update({ title: 'x' }, { count: 'exact' }).gt('id', 0),
    { anon: 0, a: 2, b: 1, service: 3 },
  ],
  [
    'count of what a delete deletes',
    (c) => c.from('notes').delete({ count: 'exact' }).gt('id', 0),
    { anon: 0, a: 2, b: 1, service: 3 },
  ],
  [
    'update of a table that may only be read and inserted into',
    (c) => c.from('comments').update({ body: 'x' }).gt('id', 0).select('id').order('id'),
    { anon: [], a: [], b: [], service: [1, 2] },
  ],
  [
    'delete from such a table',
    (c) => c.from('comments').delete().gt('id', 0).select('id').order('id'),
    { anon: [], a: [], b: [], service: [1, 2] },
  ],
  [
    'insert of many rows of which one is of another one',
    (c) =>
      c
        .from('notes')
        .insert([
          { id: 8, owner: ids.a, title: 'x' },
          { id: 9, owner: ids.b, title: 'y' },
        ])
        .select('id'),
    { anon: '42501', a: '42501', b: '42501', service: [8, 9] },
  ],
  [
    'upsert that leaves what is there',
    (c) =>
      c.from('notes').upsert({ id: 3, owner: ids.b, title: 'y' }, { ignoreDuplicates: true }).select('id'),
    { anon: '42501', a: '42501', b: [], service: [] },
  ],
  [
    'number of embedded rows',
    (c) => c.from('notes').select('id, comments(count)').order('id').limit(1),
    {
      anon: [],
      a: [{ id: 1, comments: [{ count: 1 }] }],
      b: [{ id: 3, comments: [{ count: 1 }] }],
      service: [{ id: 1, comments: [{ count: 1 }] }],
    },
  ],
  [
    'embedded rows of what was changed',
    (c) => c.from('notes').update({ title: 'x' }).eq('id', 1).select('title, comments(body)'),
    {
      anon: [],
      a: [{ title: 'x', comments: [{ body: 'of b' }] }],
      b: [],
      service: [{ title: 'x', comments: [{ body: 'of b' }] }],
    },
  ],
  [
    'embedded rows of embedded rows',
    (c) => c.from('comments').select('body, notes(title, comments(body))').eq('id', 1),
    {
      anon: [],
      a: [{ body: 'of b', notes: { title: 'a1', comments: [{ body: 'of b' }] } }],
      b: [{ body: 'of b', notes: null }],
      service: [{ body: 'of b', notes: { title: 'a1', comments: [{ body: 'of b' }] } }],
    },
  ],
  [
    'embedded rows of what a function returns',
    (c) => c.rpc('my_notes').select('id, comments(id)').limit(1),
    {
      anon: [],
      a: [{ id: 1, comments: [{ id: 1 }] }],
      b: [{ id: 3, comments: [{ id: 2 }] }],
      service: [{ id: 1, comments: [{ id: 1 }] }],
    },
  ],
  [
    'count of what a function returns',
    (c) => c.rpc('my_notes', {}, { count: 'exact', head: true, get: true }),
    { anon: 0, a: 2, b: 1, service: 3 },
  ],
  [
    'function that returns rows',
    (c) => c.rpc('my_notes').select('id'),
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  ['function that runs as its owner', (c) => c.rpc('all_notes'), { anon: 3, a: 3, b: 3, service: 3 }],
  [
    'function that writes',
    (c) => c.rpc('take', { id: 1 }).select('id'),
    { anon: [], a: [1], b: [], service: [1] },
  ],
]

describe.runIf(canRun)(
  'anonymous, user A, user B and the service key get what the policies give them',
  () => {
    for (const [what, work, outcomes] of matrix)
      test(what, async () => {
        const found: Partial<Record<Who, Outcome>> = {}
        for (const who of everyone) {
          await fill()
          const { data, error, count } = await work(callers[who], who)
          const rows = Array.isArray(data) ? data : undefined
          const isPlain = rows?.every((row) => Object.keys(row).join() === 'id')
          found[who] =
            error?.code ?? count ?? (rows ? (isPlain ? rows.map(({ id }) => id) : rows) : (data as Outcome))
        }
        expect(found).toEqual(outcomes)
      })
  },
)

test.runIf(canRun)(
  'a refusal of policies is 401 for whoever may sign in yet, and 403 for whoever has',
  async () => {
    await fill()
    const row = { id: 8, owner: ids.a, title: 'x' }
    const anon = await callers.anon.from('notes').insert(row)
    expect([anon.status, anon.error?.message]).toEqual([
      401,
      'new row violates row-level security policy for table "notes"',
    ])
    const b = await callers.b.from('notes').insert(row)
    expect([b.status, b.error?.code]).toEqual([403, '42501'])
  },
)

test.runIf(canRun)(
  'neither a header, a claim in a body nor a parameter makes somebody another one',
  async () => {
    await fill()
    const { token } = await app.person()
    for (const headers of [
      { role: 'service_role' },
      { 'request.jwt.claims': JSON.stringify({ sub: ids.a, role: 'service_role' }) },
      { 'x-role': 'service_role', prefer: 'role=service_role' },
    ] as Record<string, string>[]) {
      const reply = await app.ask('/rest/v1/notes?select=id', { token, headers })
      expect([reply.status, await reply.json()]).toEqual([200, []])
    }
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ sub: ids.a, role: 'service_role' })).toString('base64url')}.`
    expect((await app.ask('/rest/v1/notes', { token: unsigned })).status).toBe(401)
  },
)

/** Policies as guides print them: what they say, what each caller then sees of three rows (two of A, one of B). */
const copied: [what: string, policies: string, sees: Record<Who, number[]>][] = [
  ['no policy', '', { anon: [], a: [], b: [], service: [1, 2, 3] }],
  [
    'everybody reads',
    `create policy "Public profiles are visible to everyone." on profiles for select to anon using ( true );
     create policy "and who is signed in" on profiles for select to authenticated using ( true );`,
    { anon: [1, 2, 3], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'who is signed in reads',
    `create policy "Profiles are viewable by authenticated users" on profiles for select to authenticated using ( true );`,
    { anon: [], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'only their own, wrapped in a select',
    `create policy "User can see their own profile only." on profiles for select using ( (select auth.uid()) = user_id );`,
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  [
    'only their own, null said',
    `create policy "p" on profiles for select using ( auth.uid() is not null and auth.uid() = user_id );`,
    { anon: [], a: [1, 2], b: [3], service: [1, 2, 3] },
  ],
  [
    'a role in the app’s metadata',
    `create policy "Admins" on profiles for select to authenticated using ( ((select auth.jwt()) -> 'app_metadata' ->> 'role') = 'admin' );`,
    { anon: [], a: [], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'a team in the app’s metadata',
    `create policy "User is in team" on profiles for select to authenticated using ( (select auth.jwt() -> 'app_metadata' -> 'teams') ? id::text );`,
    { anon: [], a: [], b: [1, 3], service: [1, 2, 3] },
  ],
  [
    'a function that runs as its owner',
    `create schema if not exists private; grant usage on schema private to anon, authenticated;
     create function private.has_good_role() returns boolean language plpgsql security definer as $$ begin
       return exists ( select 1 from roles_table where (select auth.uid()) = user_id and role = 'good_role' ); end; $$;
     create policy "rls" on profiles to authenticated using ( (select private.has_good_role()) );`,
    { anon: [], a: [1, 2, 3], b: [], service: [1, 2, 3] },
  ],
  [
    'a restrictive policy beside another',
    `create policy "all" on profiles for select using ( true );
     create policy "not anonymous" on profiles as restrictive for select to anon using ( id < 2 );`,
    { anon: [1], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'a team, through a table of members',
    `create policy "Team members see each other" on profiles for select to authenticated
       using ( id in ( select profile_id from team_profiles join team_members using (team_id) where team_members.user_id = (select auth.uid()) ) );`,
    { anon: [], a: [2, 3], b: [3], service: [1, 2, 3] },
  ],
  [
    'a second factor, which nobody has here',
    `create policy "all" on profiles for select to authenticated using ( true );
     create policy "Restrict access" on profiles as restrictive to authenticated using ( (select auth.jwt() ->> 'aal') = 'aal2' );`,
    { anon: [], a: [], b: [], service: [1, 2, 3] },
  ],
  [
    'a second factor of those who have set one up',
    `create policy "all" on profiles for select to authenticated using ( true );
     create policy "Who has a factor uses it" on profiles as restrictive to authenticated using (
       array[(select auth.jwt() ->> 'aal')] <@ (
         select case when count(id) > 0 then array['aal2'] else array['aal1', 'aal2'] end as aal
         from auth.mfa_factors where (select auth.uid()) = user_id and status = 'verified' ) );`,
    { anon: [], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'insert, update and delete of their own alone, read by all',
    `create policy "r" on profiles for select using ( true );
     create policy "i" on profiles for insert to authenticated with check ( (select auth.uid()) = user_id );
     create policy "u" on profiles for update to authenticated using ( (select auth.uid()) = user_id ) with check ( (select auth.uid()) = user_id );
     create policy "d" on profiles for delete to authenticated using ( (select auth.uid()) = user_id );`,
    { anon: [1, 2, 3], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
  [
    'by auth.role() and auth.email()',
    `create policy "role" on profiles for select using ( auth.role() = 'authenticated' and auth.email() like 'person-%' );`,
    { anon: [], a: [1, 2, 3], b: [1, 2, 3], service: [1, 2, 3] },
  ],
]

test.runIf(canRun)('policies that people copy from guides do here what they do there', async () => {
  const admin = await callers.service.auth.admin.updateUserById(ids.b, {
    app_metadata: { role: 'admin', teams: ['1', '3'] },
  })
  expect(admin.error).toBe(null)
  expect((await callers.b.auth.refreshSession()).error).toBe(null)
  await app.sql(`
    create table profiles (id int primary key, user_id uuid references auth.users (id) on delete cascade, name text);
    create view public_names with (security_invoker = true) as select id, name from profiles;
    create view leaking_names as select id, name from profiles;
    create table roles_table (user_id uuid references auth.users on delete cascade, role text);
    alter table profiles enable row level security; alter table roles_table enable row level security;
    insert into profiles values (1, '${ids.a}', 'x'), (2, '${ids.a}', 'y'), (3, '${ids.b}', 'z');
    insert into roles_table values ('${ids.a}', 'good_role');
    create table team_members (team_id int, user_id uuid references auth.users on delete cascade, primary key (team_id, user_id));
    create table team_profiles (team_id int, profile_id int references profiles, primary key (team_id, profile_id));
    insert into team_members values (1, '${ids.a}'), (2, '${ids.a}'), (2, '${ids.b}');
    insert into team_profiles values (1, 2), (2, 3);`)
  for (const [what, policies, sees] of copied) {
    await app.sql(policies)
    for (const who of everyone) {
      const { data, error } = await callers[who].from('profiles').select('id').order('id')
      expect([what, who, error, data?.map(({ id }) => id)]).toEqual([what, who, null, sees[who]])
      const view = await callers[who].from('public_names').select('id').order('id')
      expect([what, who, view.error, view.data?.map(({ id }) => id)]).toEqual([what, who, null, sees[who]])
    }
    const { rows } = await app.sql(`select policyname as name from pg_policies where tablename = 'profiles'`)
    await app.sql(rows.map(({ name }) => `drop policy "${name}" on profiles;`).join(''))
  }
  // A view without security_invoker shows what its owner sees, here as there.
  const leaking = await callers.anon.from('leaking_names').select('id')
  expect(leaking.data).toHaveLength(3)
})

test.runIf(canRun)(
  'a trigger that guides hang on auth.users makes a profile for whoever signs up',
  async () => {
    await app.sql(`
    create table members (id uuid references auth.users on delete cascade primary key, name text);
    alter table members enable row level security;
    create policy "own" on members for select using ((select auth.uid()) = id);
    create function public.handle_new_user() returns trigger set search_path = '' as $$ begin
      insert into public.members (id, name) values (new.id, new.raw_user_meta_data ->> 'name'); return new; end; $$ language plpgsql security definer;
    create trigger on_auth_user_created after insert on auth.users for each row execute procedure public.handle_new_user();`)
    const { id, client } = await app.person()
    const { data } = await client.from('members').select('id')
    expect(data).toEqual([{ id }])
    const removed = await app.service.auth.admin.deleteUser(id)
    expect(removed.error).toBe(null)
    expect((await app.service.from('members').select('id')).data).toEqual([])
  },
)
