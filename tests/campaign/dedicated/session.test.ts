/** One connection for all requests, so that each comes behind the one before it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DatabaseCaller } from '#cloud/databases'
import type { BatchAnswers } from '#cloud/tables'
import { onTables } from '#cloud/tables'
import { inDatabase, type SessionOptions } from '../../../src/cloud/tables/session.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { type CloudDatabase, openCloudDatabase } from './cloud-database.ts'

const canRun = await hasJail()
let database: CloudDatabase

const leave = `
  perform leave_table(), pg_advisory_lock(7);
  execute 'declare held cursor with hold for select 1';
  execute 'listen overheard';
  execute 'prepare kept as select 1';
  perform set_config('request.jwt.claims', '{"sub":"somebody else"}', false), set_config('search_path', 'elsewhere', false),
    set_config('default_transaction_read_only', 'on', false), set_config('app.remembered', 'x', false),
    set_config('statement_timeout', '1', false), set_config('role', 'service_role', false);`

const schema = `
create table notes (id int primary key, body text);
grant all on notes to anon;
create function leave_table() returns void language plpgsql security definer as $$
  begin create temp table notes (id int, body text); end $$;
create function leave_all() returns void language plpgsql as $$ begin ${leave} end $$;
create function forget_plans() returns void language plpgsql as $$ begin execute 'deallocate all'; end $$;
create function write_anyway() returns void language plpgsql security definer as $$
  begin perform set_config('transaction_read_only', 'off', true); insert into notes values (99, 'x'); end $$;
create function write_as_owner() returns void language plpgsql security definer as $$
  begin insert into notes values (98, 'x'); end $$;
create function replace_plans() returns void language plpgsql as $$
  declare plan text;
  begin
    for plan in select name from pg_prepared_statements where statement like '%transaction_read_only%' loop
      execute format('deallocate %I', plan);
      execute format('prepare %I(text, text, text, text, text, text, bigint) as select set_config(''role'', $1, true), $2, $3, $4, $5, $6, $7', plan);
    end loop;
  end $$;
create function never_end() returns void language plpgsql as $$
  begin loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop; end $$;
`

beforeAll(async () => {
  if (!canRun) return
  database = await openCloudDatabase({ connections: 1 })
  await database.sql(schema)
})
afterAll(() => database?.[Symbol.asyncDispose]())

const anon: DatabaseCaller = {
  role: 'anon',
  claims: '{"role":"anon"}',
  method: 'GET',
  path: '/notes',
  headers: '{}',
}
const writing = { isReadOnly: false }

/** As one request. */
const ask = (
  text: string,
  options: Omit<SessionOptions, 'schemaVersion'> = writing,
  caller = anon,
): Promise<BatchAnswers> => onTables(database.open, caller, () => [{ text, values: [] }], options)
const codeOf = (text: string, options = writing): Promise<string> =>
  ask(text, options).then(
    () => 'done',
    (error: { report?: { sqlState: string }; message: string }) => error.report?.sqlState ?? error.message,
  )

const state = `select current_user, session_user, current_setting('request.jwt.claims', true), current_setting('search_path'),
  current_setting('statement_timeout'), current_setting('transaction_read_only'), nullif(current_setting('app.remembered', true), ''),
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), (select count(*) from pg_cursors where name <> ''),
  (select count(*) from pg_listening_channels()), (select count(*) from pg_class where relnamespace = pg_my_temp_schema())`
const clean = [
  ...['anon', 'authenticator', '{"role":"anon"}', 'public, extensions', '8s', 'off', null],
  ...['0', '0', '0', '0'],
]

test.runIf(canRun)(
  'what a function sets, locks or opens for the session is gone for the next request',
  async () => {
    // Without protection it stays.
    const client = await database.open.pool('authenticator').connect()
    try {
      await client.query('set role anon')
      await client.query('select public.leave_all()')
      const { rows } = await client
        .query('set statement_timeout = 0; select current_user as role')
        .then((all) => (all as unknown as { rows: { role: string }[] }[])[1]!)
      expect(rows).toEqual([{ role: 'service_role' }])
    } finally {
      client.release(true)
    }

    await ask('select 1')
    expect((await ask(state))[0]![0]).toEqual(clean)
    await ask('select public.leave_all()')
    expect((await ask(state))[0]![0]).toEqual(clean)
  },
)

test.runIf(canRun)(
  'a request that fails leaves the connection as it was, and its plans are found or made anew',
  async () => {
    for (let count = 0; count < 3; count++) {
      expect(await codeOf('select 1 / (length(current_user) - 4)')).toBe('22012')
      expect(await codeOf('select from nowhere')).toBe('42P01')
      expect((await ask(state))[0]![0]).toEqual(clean)
    }
    await ask('select public.forget_plans()')
    expect((await ask(state))[0]![0]).toEqual(clean)
  },
)

test.runIf(canRun)('a request that only reads writes nothing, whoever its functions run as', async () => {
  const reading = { isReadOnly: true }
  expect(await codeOf("insert into notes values (1, 'x')", reading)).toBe('25006')
  expect(await codeOf('select public.write_as_owner()', reading)).toBe('25006')
  expect(await codeOf('select public.write_anyway()', reading)).toBe('25001')
  expect((await ask('select count(*) from public.notes'))[0]![0]).toEqual(['0'])
  // The same functions write where it is allowed.
  expect(await codeOf('select public.write_as_owner()')).toBe('done')
  expect((await ask('delete from public.notes returning id'))[0]).toEqual([['98']])
})

test.runIf(canRun)('what a function prepares in place of ours is not what runs', async () => {
  const reading = { isReadOnly: true }
  await ask('select public.replace_plans()', reading)
  expect(await codeOf("insert into notes values (97, 'x')", reading)).toBe('25006')
  expect((await ask('select count(*) from public.notes'))[0]![0]).toEqual(['0'])
})

test.runIf(canRun)('whoever asks becomes one of the three roles and no other', async () => {
  for (const role of ['postgres', 'auth_admin', 'watcher', 'kherad', 'app_reader'])
    await expect(ask('select current_user', writing, { ...anon, role: role as 'anon' })).rejects.toThrow()
  expect(await codeOf("select set_config('role', 'auth_admin', true)")).toBe('42501')
})

test.runIf(canRun)('a function that does not let itself be cancelled is ended with its session', async () => {
  const bounded = { isReadOnly: false, maxMs: 50 }
  expect(await codeOf('select public.never_end()', bounded)).toBe('57014')
  expect((await ask(state))[0]![0]).toEqual(clean)
})

test.runIf(canRun)('what is undone after its answer was seen was not there', async () => {
  const text = "insert into public.notes values (5, 'x') returning id"
  expect(await ask(text, { isReadOnly: false, shouldRollBack: () => true })).toEqual([[['5']]])
  expect((await ask('select count(*) from public.notes'))[0]![0]).toEqual(['0'])
  await ask(text, { isReadOnly: false, shouldRollBack: () => false })
  expect((await ask('select id from public.notes'))[0]).toEqual([['5']])
  expect(await codeOf(text)).toBe('23505')
  await expect(
    ask(text.replace('5', '6'), {
      isReadOnly: false,
      shouldRollBack: () => {
        throw new Error('no')
      },
    }),
  ).rejects.toThrow('no')
  expect((await ask('select id from public.notes'))[0]).toEqual([['5']])
})

test.runIf(canRun)('a table that a function makes for itself is no change of the schema', async () => {
  const version = async () => (await ask('select version from kherad.schema_version'))[0]![0]![0]!
  const before = await version()
  await ask('select public.leave_table()')
  expect(await version()).toBe(before)
  await database.sql('create table made (id int)')
  const made = await version()
  await database.sql('drop table made')
  expect([Number(before) < Number(made), Number(made) < Number(await version())]).toEqual([true, true])
})

test.runIf(canRun)('statements of an older schema run nowhere', async () => {
  await database.sql('create table more (id int)')
  const { rows } = await database.open
    .pool('watcher')
    .query('select version::text from kherad.schema_version')
  const before = rows[0].version as string
  const statements = [{ text: "insert into public.notes values (7, 'x')", values: [] }]
  await database.sql('alter table more add name text')
  await expect(
    inDatabase(database.open, anon, statements, { isReadOnly: false, schemaVersion: before }),
  ).rejects.toMatchObject({ name: 'SchemaChanged' })
  expect((await ask('select id from public.notes where id = 7'))[0]).toEqual([])
})
