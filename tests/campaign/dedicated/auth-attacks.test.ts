/**
 * Whoever develops an app has triggers on auth.users, so their code runs within our statements. Each attack is made on two databases: one whose
 * functions are as they would be without care, where it succeeds, and one as we make them.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FreshPool } from '../../../src/cloud/databases/fresh-pool.ts'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { type AwakeDatabase, wake } from '../../../src/cloud/databases/local/wake.ts'
import { databaseOf, openLocalContext, runAsSuperuser } from '../../cloud/dedicated/local-databases.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)

interface Side {
  awake: AwakeDatabase
  /** What the platform connects by. */
  auth: pg.Pool
  developer: pg.Client
}
let context: Awaited<ReturnType<typeof openLocalContext>>
let careless: Side
let careful: Side

beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  const both = [open('carelesscarelesscare', true), open('carefulcarefulcarefu', false)] as const
  ;[careless, careful] = await Promise.all(both)
})
afterAll(async () => {
  for (const { auth, developer, awake } of [careless, careful].filter(Boolean)) {
    await auth.end()
    await developer.end()
    await awake.leave()
  }
  await context?.[Symbol.asyncDispose]()
})

async function open(ref: string, isCareless: boolean): Promise<Side> {
  const database = databaseOf(ref)
  await makeDatabase(context, database)
  if (isCareless) {
    const file = path.join(context.root, 'careless.sql')
    await writeFile(file, await carelessSql())
    await runAsSuperuser(context, database, file)
  }
  const awake = await wake(context, database)
  const at = (role: string) => {
    const { socketFolder, ...address } = awake.address(role)
    return { ...address, host: socketFolder }
  }
  const auth = new (isCareless ? pg.Pool : FreshPool)({ ...at('auth_admin'), max: 1 })
  const developer = new pg.Client(at('postgres'))
  await developer.connect()
  auth.on('error', () => undefined)
  developer.on('error', () => undefined)
  await auth.query('select app_users.adopt($1, $2, null)', [account, cloud])
  await addUser(auth)
  await developer.query(thief)
  return { awake, auth, developer }
}

/** The same functions, but as their caller, without a reset and without pg_temp at the end of their path; and no command is refused. */
async function carelessSql(): Promise<string> {
  const text = await readFile(path.resolve('src/cloud/databases/schema/auth.sql'), 'utf8')
  const functions = text.match(/create function app_users\.\w+_row\([\s\S]*?\$\$;\n\n/g)!
  expect(functions).toHaveLength(3)
  const changed = functions.map((one) =>
    one
      .replace('create function', 'create or replace function')
      .replace('security definer', 'security invoker')
      .replaceAll('reset all;', 'null;'),
  )
  const paths = [
    'function app_users.update_user()',
    'function app_users.row_of(app_users.users)',
    'role auth_admin',
  ]
  const bare = paths.map((one) => `alter ${one} set search_path = pg_catalog;\n\n`)
  return `${changed.join('')}${bare.join('')}drop event trigger kherad_refused;\n\n`
}

const account = '00000000-0000-4000-8000-000000000001'
const cloud = '00000000-0000-4000-8000-000000000002'
let users = 0
const addUser = (auth: pg.Pool | pg.PoolClient) =>
  auth.query(
    `insert into app_users.users (account_id, cloud_id, user_id, email, password_hash, is_anonymous, user_metadata, app_metadata, created_at, updated_at)
      values ($1, $2, gen_random_uuid(), $3, 'a hash', false, '{}', '{}', now(), now())`,
    [account, cloud, `person-${++users}@example.com`],
  )

/** Whoever runs it takes what it may read. */
const thief = `
  grant usage on schema public to public;
  create table loot (what text, got text);
  grant insert on loot to public;
  create function steal(what text) returns boolean language plpgsql as $$
    declare hash text;
    begin
      select password_hash into hash from app_users.secrets limit 1;
      insert into public.loot values (what, hash);
      return true;
    exception when others then return true;
    end $$;`

/** A trigger function of the developer. */
const trigger = (body: string, timing = 'trigger attack after insert') => `
  create function attack() returns trigger language plpgsql as $$
    begin begin ${body} exception when others then null; end; return new; end $$;
  create ${timing} on auth.users ${timing.startsWith('constraint') ? 'deferrable initially deferred' : ''} for each row execute function attack();`

/** An operator that our statements mean where the search path is another. */
const operator = `
  create function same(one uuid, other uuid) returns boolean language plpgsql as $$
    begin perform public.steal('operator'); return one operator(pg_catalog.=) other; end $$;
  create operator public.= (leftarg = uuid, rightarg = uuid, function = same);`
const anotherPath = `perform set_config('search_path', 'public, pg_catalog', false);`
const lookUp = (auth: pg.Pool | pg.PoolClient) =>
  auth.query('select 1 from app_users.secrets where user_id = $1::uuid', [account])

async function inTransaction(auth: pg.Pool, work: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await auth.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

const attacks: Record<string, { sql: string; work?: (auth: pg.Pool) => Promise<unknown> }> = {
  'a trigger reads': { sql: trigger(`perform public.steal('it');`) },
  'a trigger before the row reads': {
    sql: trigger(`perform public.steal('it');`, 'trigger attack before insert'),
  },
  'a trigger of the statement reads': {
    sql: `create function attack() returns trigger language plpgsql as $$ begin perform public.steal('it'); return null; end $$;
      create trigger attack after insert on auth.users execute function attack();`,
  },
  'a trigger takes the role of the session': {
    sql: trigger(`execute 'set role auth_admin'; perform public.steal('it');`),
  },
  'a trigger leaves its role': {
    sql: trigger(`execute 'reset role'; perform public.steal('it');`),
  },
  'a trigger takes the session': {
    sql: trigger(`execute 'set session authorization default'; perform public.steal('it');`),
  },
  'a trigger waits for the commit': {
    sql: trigger(`perform public.steal('it');`, 'constraint trigger attack after insert'),
  },
  'a trigger waits for the commit and takes the role of the session': {
    sql: trigger(
      `execute 'set role auth_admin'; perform public.steal('it');`,
      'constraint trigger attack after insert',
    ),
  },
  'a trigger gives our operators another meaning in its transaction': {
    sql: operator + trigger(anotherPath),
    work: (auth) =>
      inTransaction(auth, async (client) => {
        await addUser(client)
        await lookUp(client)
      }),
  },
  'a trigger gives our operators another meaning after the commit': {
    sql: operator + trigger(anotherPath, 'constraint trigger attack after insert'),
    work: async (auth) => {
      await addUser(auth)
      await lookUp(auth)
    },
  },
  'a table that the user’s row is copied to does so at the commit': {
    sql: `${operator}
      create table profiles (id uuid);
      create function late() returns trigger language plpgsql as $$ begin ${anotherPath} return new; end $$;
      create constraint trigger late after insert on profiles deferrable initially deferred for each row execute function late();
      create function attack() returns trigger language plpgsql security definer as $$
        begin insert into public.profiles values (new.id); return new; end $$;
      create trigger attack after insert on auth.users for each row execute function attack();`,
    work: async (auth) => {
      await addUser(auth)
      await lookUp(auth)
    },
  },
  'a trigger puts another text in the place of a prepared statement': {
    sql: trigger(`execute 'deallocate all'; execute 'prepare ours as select public.steal(''it'')';`),
    work: async (auth) => {
      const ours = { name: 'ours', text: 'select true' }
      await auth.query(ours)
      await addUser(auth)
      await auth.query(ours).catch(() => undefined)
    },
  },
  // A schema of temporary objects that a path does not name is the first of it for types, before pg_catalog.
  'a trigger puts a type of its own in front of ours': {
    sql: `create function trap(pg_catalog.text) returns boolean language plpgsql as $$ begin return public.steal('type'); end $$;
      create function attack() returns trigger language plpgsql security definer as $$
        begin execute 'create domain pg_temp.text as pg_catalog.text check (public.trap(value))'; return new; end $$;
      create trigger attack after insert on auth.users for each row execute function attack();`,
    work: (auth) =>
      inTransaction(auth, async (client) => {
        await addUser(client)
        await client.query(`update app_users.users set user_metadata = '{"a": 1}' where email = $1`, [
          `person-${users}@example.com`,
        ])
      }),
  },
  'the check of a foreign key converts': {
    sql: `create type likeness as enum ('one');
      create function attack(likeness) returns uuid language plpgsql as $$ begin perform public.steal('it'); return (select id from auth.users limit 1); end $$;
      create cast (likeness as uuid) with function attack(likeness) as implicit;
      create table refers (who likeness references auth.users (id));
      insert into refers values ('one');`,
  },
}

/** What was taken; all that the attack has made is gone afterwards. */
async function lootOf({ auth, developer }: Side, { sql, work = addUser }: (typeof attacks)[string]) {
  await developer.query('begin')
  await developer.query(sql).then(
    () => developer.query('commit'),
    () => developer.query('rollback'),
  )
  try {
    await work(auth)
    const { rows } = await developer.query('delete from loot returning got')
    return rows.map(({ got }) => got as string)
  } finally {
    await developer.query(`
      drop table if exists profiles, refers;
      drop function if exists attack() cascade;
      drop function if exists late() cascade;
      drop function if exists trap(text) cascade;
      drop function if exists same(uuid, uuid) cascade;`)
  }
}

for (const [name, attack] of Object.entries(attacks))
  it(`no hash is seen where ${name}`, async () => {
    expect(await lootOf(careless, attack)).toContain('a hash')
    expect(await lootOf(careful, attack)).toEqual([])
  })

const codeOf = (client: pg.Client, text: string): Promise<string> =>
  client.query(text).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

it('auth.users is the developer’s to refer to and to have triggers on, and nothing more', async () => {
  const { developer } = careful
  const refused = [
    'select * from app_users.users',
    'select * from app_users.secrets',
    'select * from app_users.sessions',
    'select * from app_users.one_time_tokens',
    `insert into auth.users (id) values (gen_random_uuid())`,
    `update auth.users set email = 'x'`,
    'delete from auth.users',
    'truncate auth.users',
    'do $$ begin lock table auth.users in exclusive mode; end $$',
    'alter table auth.users add column x int',
    'alter table auth.users disable trigger all',
    'alter table auth.users enable row level security',
    'alter table auth.users owner to postgres',
    `alter table auth.users alter column role set default 'x'`,
    'create policy p on auth.users using (true)',
    'create index on auth.users (lower(email))',
    'create rule r as on insert to auth.users do nothing',
    'create statistics on id, email from auth.users',
    'create table mine () inherits (auth.users)',
    'create table auth.mine (id int)',
    'create function auth.mine() returns int language sql as $$ select 1 $$',
    `select app_users.adopt(gen_random_uuid(), gen_random_uuid(), null)`,
    `select app_users.delete_row(gen_random_uuid())`,
    'alter function app_users.delete_row(uuid) security invoker',
    'grant supabase_auth_admin to postgres',
    'set role supabase_auth_admin',
    'set role auth_admin',
    'alter role auth_admin set search_path = public',
    'alter role supabase_auth_admin login',
    'drop owned by postgres',
    'create cast (text as uuid) with inout as implicit',
  ]
  const codes: Record<string, string> = {}
  for (const text of refused) codes[text] = await codeOf(developer, text)
  expect(Object.entries(codes).filter(([, code]) => code !== '42501')).toEqual([])
  // It is no error, but gives nothing.
  await developer.query('grant select on auth.users to anon')
  const { rows } = await developer.query(
    `select r, has_schema_privilege(r, 'app_users', 'usage') as secrets, has_table_privilege(r, 'auth.users', 'select') as users
      from unnest(array['anon', 'authenticated', 'service_role', 'authenticator', 'app_reader', 'supabase_auth_admin', 'storage_admin', 'watcher']) r`,
  )
  expect(rows.filter(({ secrets }) => secrets)).toEqual([])
  expect(rows.filter(({ users }) => users).map(({ r }) => r)).toEqual(['app_reader', 'supabase_auth_admin'])
})

it('a trigger cannot take sign-in away from its app', async () => {
  const { auth, developer } = careful
  const commands = [
    'drop owned by supabase_auth_admin',
    'drop function app_users.insert_row(auth.users)',
    'alter function app_users.insert_row(auth.users) security invoker',
    'alter table auth.users disable trigger all',
    'drop table auth.users cascade',
  ]
  const body = commands.map(
    (one) =>
      `begin execute '${one}'; insert into public.loot values ('${one}'); exception when others then null; end;`,
  )
  await developer.query(trigger(body.join('\n')))
  await addUser(auth)
  expect((await developer.query('select what from loot')).rows).toEqual([])
  await developer.query('drop function attack() cascade')
  await addUser(auth)
})
