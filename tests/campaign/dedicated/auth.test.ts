/** Sign-in of app users on the database of their own cloud, as an unchanged client has it (docs/decisions/cloud/app-users.md). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { ask, newAddress, newClient, password } from '../../cloud/users/app.ts'
import { until } from '../../harness/until.ts'
import { boot, dedicatedConfig, type TestCloud, type World } from '../../harness/world.ts'

const it = test.runIf(await hasJail())
let world: World
let cloud: TestCloud
beforeAll(async () => {
  if (!(await hasJail())) return
  world = await boot({ config: dedicatedConfig })
  cloud = await world.dedicatedCloud()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Statements of the app's developer. */
const sql = (text: string, values: unknown[] = []) =>
  world.app.databases.use(key(), async (open) => (await open.pool('postgres').query(text, values)).rows)
const key = () => ({ accountId: world.account, cloudId: cloud.id })

it('sign-up, sign-in, refresh, change and sign-out are those of a Starter cloud', async () => {
  const [client, email] = [newClient(cloud), newAddress()]
  const up = await client.auth.signUp({ email, password, options: { data: { name: 'مینا' } } })
  expect(up.error).toBeNull()
  expect(up.data.user).toMatchObject({
    email,
    user_metadata: { name: 'مینا' },
    app_metadata: { provider: 'email' },
  })
  const [row] = await sql('select * from auth.users where email = $1', [email])
  expect(row).toMatchObject({
    id: up.data.user!.id,
    raw_user_meta_data: { name: 'مینا' },
    encrypted_password: null,
  })
  const wrong = await client.auth.signInWithPassword({ email, password: 'not it at all' })
  expect(wrong.error?.code).toBe('invalid_credentials')
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  const refreshed = await client.auth.refreshSession()
  expect(refreshed.error).toBeNull()
  expect((await client.auth.updateUser({ data: { name: 'رضا' }, password: 'another-one' })).error).toBeNull()
  expect((await client.auth.getUser()).data.user?.user_metadata).toEqual({ name: 'رضا' })
  const token = refreshed.data.session!.access_token
  expect((await client.auth.signOut()).error).toBeNull()
  expect((await ask(cloud, 'GET', '/user', { token })).status).toBe(401)
  expect((await client.auth.signInWithPassword({ email, password: 'another-one' })).error).toBeNull()
})

it('numbers in metadata keep every digit in PostgreSQL and in the claims that code of the app reads', async () => {
  const digits = '2512292042121000001'
  const [email, data] = [newAddress(), { id: JSON.rawJSON(digits) }]
  const up = await ask(cloud, 'POST', '/signup', { body: { email, password, data } })
  expect(up.text).toContain(`"user_metadata":{"id":${digits}}`)
  await sql(`create function public.own_id() returns text language sql stable
    as $$ select auth.jwt() -> 'user_metadata' ->> 'id' $$`)
  const called = await fetch(`${cloud.pathUrl}/rest/v1/rpc/own_id`, {
    method: 'POST',
    headers: { apikey: cloud.publicKey, authorization: `Bearer ${up.body.access_token}` },
  })
  expect(await called.text()).toBe(`"${digits}"`)
  expect(
    await sql(`select raw_user_meta_data ->> 'id' as id from auth.users where email = $1`, [email]),
  ).toEqual([{ id: digits }])
})

it('the trigger that everybody copies makes a profile in the transaction of the sign-up, and the profile goes with its user', async () => {
  await sql(
    `create table public.profiles (id uuid primary key references auth.users on delete cascade, name text, provider text)`,
  )
  await sql(`create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
      insert into public.profiles (id, name, provider) values (new.id, new.raw_user_meta_data ->> 'full_name', new.raw_app_meta_data ->> 'provider');
      return new;
    end $$`)
  await sql(
    `create trigger on_auth_user_created after insert on auth.users for each row execute procedure public.handle_new_user()`,
  )
  const email = newAddress()
  const { data } = await newClient(cloud).auth.signUp({
    email,
    password,
    options: { data: { full_name: 'مینا' } },
  })
  const id = data.user!.id
  expect(await sql('select * from profiles')).toEqual([{ id, name: 'مینا', provider: 'email' }])
  const admin = newClient(cloud, { key: await cloud.serviceKey() }).auth.admin
  expect((await admin.deleteUser(id)).error).toBeNull()
  expect(await sql('select * from profiles')).toEqual([])
  await sql('drop table profiles')
  await sql('drop function handle_new_user() cascade')
})

it('where a trigger or a reference refuses, the app is told in the database’s words, nothing is changed, and the platform has not failed', async () => {
  await sql(`create function only_example() returns trigger language plpgsql as $$
    begin if new.email not like '%@example.com' then raise exception 'Only example.com may sign up, %', repeat('x', 10000); end if; return new; end $$`)
  await sql(
    'create trigger only_example before insert on auth.users for each row execute function only_example()',
  )
  const refused = await newClient(cloud).auth.signUp({ email: 'somebody@example.org', password })
  expect(refused.error).toMatchObject({ status: 422, code: 'unexpected_failure' })
  expect(refused.error!.message).toContain('Only example.com may sign up')
  expect(refused.error!.message.length).toBeLessThan(600)
  expect(await sql(`select from auth.users where email = 'somebody@example.org'`)).toEqual([])
  await sql('drop function only_example() cascade')
  const { data } = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  await sql(`create table orders (who uuid references auth.users)`)
  await sql('insert into orders values ($1)', [data.user!.id])
  const admin = newClient(cloud, { key: await cloud.serviceKey() }).auth.admin
  expect((await admin.deleteUser(data.user!.id)).error).toMatchObject({ status: 422 })
  const kept = await cloud.client.request('DELETE', `/v1/cloud/${cloud.id}/users/${data.user!.id}`)
  expect([kept.status, kept.body.error.code]).toEqual([422, 'APP_USER_TRIGGER_FAILED'])
  await sql(
    'create function late() returns trigger language plpgsql as $$ begin raise exception $e$ too late $e$; end $$',
  )
  await sql(
    'create constraint trigger late after insert on auth.users deferrable initially deferred for each row execute function late()',
  )
  const late = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  expect(late.error).toMatchObject({ status: 422, code: 'unexpected_failure' })
  await sql('drop function late() cascade')
  await sql('drop table orders')
  expect((await admin.deleteUser(data.user!.id)).error).toBeNull()
})

it('whatever code of the app does within a sign-up, the refusal is a clear one and no failure of the platform', async () => {
  await sql(`create function bad() returns trigger language plpgsql as $$ begin
    if new.email like 'assert%' then assert false, 'not like this'; end if;
    if new.email like 'loud%' then loop raise notice '%', repeat('x', 100000); end loop; end if;
    if new.email like 'gone%' then delete from auth.users where id = new.id; end if;
    if new.email like 'deep%' then execute 'select ' || repeat('(', 20000) || '1' || repeat(')', 20000); end if;
    return new; end $$`)
  await sql('create trigger bad after insert on auth.users for each row execute function bad()')
  const said: Record<string, string> = {}
  for (const name of ['assert', 'loud', 'gone', 'deep']) {
    const { error } = await newClient(cloud).auth.signUp({ email: `${name}-${newAddress()}`, password })
    expect(error).toMatchObject({ status: 422, code: 'unexpected_failure' })
    said[name] = error!.message
  }
  expect(said['assert']).toContain('not like this')
  expect(said['loud']).toMatch(/more than \d+ MiB/)
  expect(said['deep']).toMatch(/stack depth|memory exhausted/)
  await sql('drop function bad() cascade')
})

it('a trigger waits for the columns that it names: a sign-in changes no address', async () => {
  await sql('create table changes (what text)')
  await sql(
    `create function note() returns trigger language plpgsql security definer as $$ begin insert into public.changes values (tg_argv[0]); return new; end $$`,
  )
  for (const column of ['email', 'raw_user_meta_data', 'last_sign_in_at'])
    await sql(
      `create trigger note_${column} after update of ${column} on auth.users for each row execute function note('${column}')`,
    )
  const [client, email] = [newClient(cloud), newAddress()]
  await client.auth.signUp({ email, password })
  await client.auth.updateUser({ data: { a: 1 } })
  await client.auth.updateUser({ email: newAddress() })
  expect(await sql('select what from changes')).toEqual([
    { what: 'last_sign_in_at' },
    { what: 'raw_user_meta_data' },
    { what: 'email' },
  ])
  await sql('drop function note() cascade')
  await sql('drop table changes')
})

it('a user that the service key makes is as the trigger before it wants it, within bounds', async () => {
  const admin = newClient(cloud, { key: await cloud.serviceKey() }).auth.admin
  await sql(`create function fill() returns trigger language plpgsql as $$ begin
    new.raw_app_meta_data := new.raw_app_meta_data || '{"plan": "free"}'; return new; end $$`)
  await sql('create trigger fill before insert on auth.users for each row execute function fill()')
  const made = await admin.createUser({ email: newAddress(), password, app_metadata: { team: 'الف' } })
  expect(made.data.user?.app_metadata).toEqual({
    provider: 'email',
    providers: ['email'],
    plan: 'free',
    team: 'الف',
  })
  await sql(`create or replace function fill() returns trigger language plpgsql as $$ begin
    new.raw_user_meta_data := jsonb_build_object('x', repeat('x', 1000000)); return new; end $$`)
  expect((await admin.createUser({ email: newAddress() })).error).toMatchObject({
    code: 'unexpected_failure',
  })
  // One list is the value of a member, which makes the object around it the first of these levels.
  const nested = async (levels: number) => {
    await sql(`create or replace function fill() returns trigger language plpgsql as $$ begin
      new.raw_user_meta_data := jsonb_build_object('x', (repeat('[', ${levels - 1}) || '1' || repeat(']', ${levels - 1}))::jsonb); return new; end $$`)
    return admin.createUser({ email: newAddress() })
  }
  expect((await nested(100)).error).toBeNull()
  for (const levels of [101, 6_000])
    expect((await nested(levels)).error).toMatchObject({ code: 'unexpected_failure', status: 422 })
  await sql(
    `create or replace function fill() returns trigger language plpgsql as $$ begin new.encrypted_password := 'x'; return new; end $$`,
  )
  expect((await admin.createUser({ email: newAddress() })).error).toMatchObject({
    code: 'unexpected_failure',
  })
  for (const nobody of ['return null', 'new.id := gen_random_uuid(); return new']) {
    await sql(
      `create or replace function fill() returns trigger language plpgsql as $$ begin ${nobody}; end $$`,
    )
    expect((await admin.createUser({ email: newAddress() })).error).toMatchObject({
      code: 'unexpected_failure',
    })
  }
  await sql(`create or replace function fill() returns trigger language plpgsql as $$ begin
    new.raw_user_meta_data := jsonb_build_object('x', repeat('x', 250000)); new.raw_app_meta_data := new.raw_user_meta_data; return new; end $$`)
  const large: Awaited<ReturnType<typeof admin.createUser>>[] = []
  for (let nth = 0; nth < 18; nth++) large.push(await admin.createUser({ email: newAddress() }))
  expect(large.map(({ error }) => error)).toEqual(large.map(() => null))
  // A page of all of them would be more than is received.
  expect((await admin.listUsers({ page: 1, perPage: 1_000 })).error).toMatchObject({
    ...{ status: 422, code: 'unexpected_failure' },
    message: expect.stringContaining('ask for less at once'),
  })
  const users = (limit: number) => cloud.client.get(`/v1/cloud/${cloud.id}/users?limit=${limit}`)
  const refused = await users(100)
  expect([refused.status, refused.body.error.code]).toEqual([422, 'APP_USER_TRIGGER_FAILED'])
  expect((await users(10)).body.data).toHaveLength(10)
  expect((await admin.listUsers({ page: 1, perPage: 10 })).data.users).toHaveLength(10)
  await sql('drop function fill() cascade')
  for (const { data } of large) await admin.deleteUser(data.user!.id)
  const { data } = await admin.listUsers()
  const [{ n }] = await sql('select count(*)::int as n from auth.users')
  expect('total' in data && data.total).toBe(n)
  const settings = await cloud.client.get(`/v1/cloud/${cloud.id}/auth`)
  expect(settings.body.users.used).toBe(n)
})

it('a token that is none, or an attempt too many, wakes no database; a session does', async () => {
  const email = newAddress()
  const { data } = await newClient(cloud).auth.signUp({ email, password })
  const token = data.session!.access_token
  await world.app.databases.stop(key())
  const wakesNow = async (work: () => Promise<unknown>) => {
    const use = vi.spyOn(world.app.databases, 'use')
    await work()
    const { length } = use.mock.calls
    use.mockRestore()
    return length > 0
  }
  // Twice, since the sweep of expired sessions, which the sign-up has asked for, may come beside one of them.
  const wakes = async (work: () => Promise<unknown>) => (await wakesNow(work)) && (await wakesNow(work))
  const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  expect(await wakes(() => ask(cloud, 'GET', '/user', { token: forged }))).toBe(false)
  expect(await wakes(() => ask(cloud, 'GET', '/settings'))).toBe(false)
  expect(await wakes(() => ask(cloud, 'GET', '/.well-known/jwks.json'))).toBe(false)
  expect(await wakes(() => cloud.client.get(`/v1/cloud/${cloud.id}/auth`))).toBe(false)
  expect(await wakes(() => cloud.client.get(`/v1/cloud/${cloud.id}`))).toBe(false)
  const refresh = () =>
    ask(cloud, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: 'x'.repeat(48) } })
  expect(await wakes(refresh)).toBe(false)
  const { admin } = newClient(cloud, { key: await cloud.serviceKey() }).auth
  const { data: link } = await admin.generateLink({ type: 'magiclink', email })
  const mailed = link.properties!.hashed_token
  await world.app.databases.stop(key())
  const verify = (hash: string) => () =>
    ask(cloud, 'POST', '/verify', { body: { type: 'magiclink', token_hash: hash } })
  const page = (hash: string) => () =>
    fetch(`${world.url}/app-links/${cloud.ref}/${encodeURIComponent(hash)}`)
  const near = `${mailed.slice(0, -2)}${mailed.endsWith('AA') ? 'BB' : 'AA'}`
  for (const guess of ['x'.repeat(43), near, 'پ'.repeat(43)])
    for (const asks of [verify(guess), page(guess)])
      expect([guess, await wakes(asks)]).toEqual([guess, false])
  expect(await wakes(page(mailed))).toBe(true)
  for (let n = 0; n < 10; n++)
    await ask(cloud, 'POST', '/token?grant_type=password', { body: { email, password: 'wrong-one' } })
  await world.app.databases.stop(key())
  const tooMany = () => ask(cloud, 'POST', '/token?grant_type=password', { body: { email, password } })
  expect(await wakes(tooMany)).toBe(false)
  expect(await wakes(() => ask(cloud, 'GET', '/user', { token }))).toBe(true)
  expect((await ask(cloud, 'GET', '/user', { token })).body.email).toBe(email)
})

it('a deleted user’s private files go, too, and the session is over', async () => {
  const client = newClient(cloud)
  const { data } = await client.auth.signUp({ email: newAddress(), password })
  const put = await fetch(`${cloud.pathUrl}/files`, {
    method: 'POST',
    headers: {
      apikey: cloud.publicKey,
      authorization: `Bearer ${data.session!.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'a.txt', content_base64: 'YQ==' }),
  })
  expect(put.status).toBe(201)
  const files = async () => (await cloud.client.get(`/v1/cloud/${cloud.id}/storage`)).body.data.length
  expect(await files()).toBe(1)
  const gone = await cloud.client.request('DELETE', `/v1/cloud/${cloud.id}/users/${data.user!.id}`)
  expect(gone.status).toBe(200)
  await until(async () => (await files()) === 0)
  const { access_token: token } = data.session!
  expect((await ask(cloud, 'GET', '/user', { token })).body.code).toBe('session_not_found')
})

it('a cloud that only reads signs its users in and out, and takes no new ones', async () => {
  const [client, email] = [newClient(cloud), newAddress()]
  await client.auth.signUp({ email, password })
  await sql('create table fired (at timestamptz)')
  await sql(
    `create function fire() returns trigger language plpgsql security definer as $$ begin insert into public.fired values (now()); return new; end $$`,
  )
  await sql('create trigger fire after insert or update on auth.users for each row execute function fire()')
  await world.app.db.query({ text: 'update clouds.clouds set read_only_since = now() where cloud_id = $1' }, [
    cloud.id,
  ])
  await world.app.clouds.refresh(key())
  const refused = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  expect(refused.error).toMatchObject({ status: 403, code: 'cloud_read_only' })
  // Who has an account is not told apart.
  expect((await newClient(cloud).auth.signUp({ email, password })).error).toMatchObject({
    code: 'cloud_read_only',
  })
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  expect((await client.auth.refreshSession()).error).toBeNull()
  expect((await client.auth.signOut()).error).toBeNull()
  expect(await sql('select from fired')).toEqual([])
  await world.app.db.query({ text: 'update clouds.clouds set read_only_since = null where cloud_id = $1' }, [
    cloud.id,
  ])
  await world.app.clouds.refresh(key())
  await client.auth.signInWithPassword({ email, password })
  expect(await sql('select from fired')).toHaveLength(1)
  await sql('drop function fire() cascade')
})

it('data of a backup has its users, and no session that was ended since it was taken', async () => {
  const [client, email] = [newClient(cloud), newAddress()]
  const { data } = await client.auth.signUp({ email, password })
  const { access_token: token, refresh_token } = data.session!
  const refresh = () => ask(cloud, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } })
  await world.app.databases.stop(key())
  expect((await ask(cloud, 'GET', '/user', { token })).status).toBe(200)
  // As a restore leaves it: the data is older than the record, and every connection is gone.
  await world.app.db.query(
    {
      text: `insert into databases.restores (account_id, cloud_id, restore_id, from_cloud_id, backup_id, state, created_at)
        values ($1, $2, gen_random_uuid(), $2, gen_random_uuid(), 'done', now())`,
    },
    [world.account, cloud.id],
  )
  await world.app.databases.stop(key())
  expect(await refresh()).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  const [{ n }] = await sql('select count(*)::int as n from auth.users')
  expect((await cloud.client.get(`/v1/cloud/${cloud.id}/auth`)).body.users.used).toBe(n)
})

it('what a database says of which cloud it is makes no token of another one', async () => {
  const own = (text: string, values: unknown[]) =>
    world.app.databases.use(key(), (open) => open.pool('auth_admin').query(text, values))
  const another = randomUUID()
  // The first use of a database by a process puts this right.
  const signUp = () => newClient(cloud).auth.signUp({ email: newAddress(), password })
  await signUp()
  await own('update app_users.cloud set account_id = $1, cloud_id = $1', [another])
  const { data } = await signUp()
  await own('update app_users.cloud set account_id = $1, cloud_id = $2', [world.account, cloud.id])
  const { refresh_token } = data.session!
  const refreshed = await ask(cloud, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } })
  expect(refreshed.status).toBe(200)
})
