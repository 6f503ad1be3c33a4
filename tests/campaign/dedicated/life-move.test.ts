/** Starter clouds that get a database of their own. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { sentAgain } from '../../cloud/dedicated/dedicated-world.ts'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'

const canRun = await hasJail()
let world: World
beforeAll(async () => {
  if (canRun) world = await boot({ config: packagesText })
})
afterAll(async () => {
  if (canRun) await world[Symbol.asyncDispose]()
})

const give = () =>
  givePackage(world.app, { accountId: world.account, packageId: undefined, offer: 'small', paidUntil: null })

const rows = <Row extends object>(key: { accountId: string; cloudId: string }, text: string) =>
  world.app.databases.use(key, async (open) => (await open.pool('postgres').query<Row>(text)).rows)

test.runIf(canRun)(
  'a moved app goes on with its address, keys, users, sessions, files and rows, by the same rules of who may what',
  async () => {
    const cloud = await world.newCloud('کتاب‌ها')
    const { client, id } = cloud
    await cloud.changeAuth({ disable_signup: false })
    const act = (json: object) => client.post(`/v1/cloud/${id}/database`, json)
    const make = (name: string, publicRead: boolean) =>
      act({ action: 'create_collection', name, public_read: publicRead })
    expect((await make('todos', false)).status).toBe(200)
    expect((await make('posts', true)).status).toBe(200)
    expect((await make('empty', false)).status).toBe(200)
    const app = () => createClient(cloud.pathUrl, cloud.publicKey, { auth: { persistSession: false } })
    const sara = app()
    const signed = await sara.auth.signUp({ email: 'sara@example.com', password: 'correct horse' })
    expect(signed.error).toBe(null)
    const userId = signed.data.user!.id
    const long = 'نام'.repeat(30)
    const data = {
      ...{
        title: 'نان',
        done: false,
        rank: 1,
        price: 2.5,
        tags: ['a', { b: null }],
        mixed: 1,
        data: { x: 1 },
      },
      ...{ nothing: null, 'a"b': 'quoted', [long]: 'long' },
    }
    const first = await sara.from('todos').insert(data).select().single()
    expect(first.error).toBe(null)
    const second = await sara.from('todos').insert({ title: 'شیر', mixed: 'text' }).select().single()
    expect((await sara.from('posts').insert({ text: 'سلام' })).error).toBe(null)
    await act({
      action: 'insert',
      table: 'posts',
      data: { text: 'ours', big: 12345678901234567890123n.toString() },
    })
    const session = (await sara.auth.getSession()).data.session!
    const headers = { apikey: cloud.publicKey, authorization: `Bearer ${session.access_token}` }
    const file = await fetch(`${cloud.pathUrl}/files`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a.txt', content_base64: 'YWJj' }),
    }).then((reply) => reply.json() as Promise<{ id: string }>)

    expect(await refusalOf(client.post(`/v1/cloud/${id}/move`, {}))).toEqual([403, 'PACKAGE_REQUIRED'])
    await give()
    const moved = await client.post(`/v1/cloud/${id}/move`, {}, { 'idempotency-key': 'move' })
    expect([moved.status, moved.body.plan], moved.text).toEqual([202, 'starter'])
    const shown = async () => (await client.get(`/v1/cloud/${id}`)).body
    await until(async () => (await shown()).plan === 'dedicated')
    expect((await client.post(`/v1/cloud/${id}/move`, {}, { 'idempotency-key': 'move' })).text).toBe(
      moved.text,
    )
    expect(await refusalOf(client.post(`/v1/cloud/${id}/move`, {}))).toEqual([409, 'CLOUD_DEDICATED'])
    expect(await shown()).toMatchObject({ package: 'small', move: null, status: 'ready', ref: cloud.ref })

    const key = { accountId: world.account, cloudId: id }
    const [todo, other] = await rows<Record<string, unknown>>(key, 'select * from todos order by created_at')
    expect(todo).toMatchObject({
      id: first.data.id,
      owner_id: userId,
      title: 'نان',
      done: false,
      rank: '1',
      price: '2.5',
    })
    expect(todo).toMatchObject({
      mixed: 1,
      tags: ['a', { b: null }],
      data: { x: 1 },
      'a"b': 'quoted',
      nothing: null,
    })
    expect(todo!['other_members']).toEqual({ [long]: 'long' })
    expect(other).toMatchObject({ id: second.data.id, mixed: 'text', done: null, other_members: null })
    expect((todo!['created_at'] as Date).toISOString()).toBe(new Date(first.data.created_at).toISOString())
    const types = await rows<{ name: string; type: string }>(
      key,
      `select column_name as name, data_type as type from information_schema.columns where table_name = 'todos'`,
    )
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toMatchObject({
      ...{ id: 'uuid', owner_id: 'uuid', title: 'text', done: 'boolean', rank: 'numeric', mixed: 'jsonb' },
      ...{ tags: 'jsonb', created_at: 'timestamp with time zone' },
    })
    expect(await rows(key, 'select * from empty')).toEqual([])

    await until(async () => (await world.app.db.query({ text: 'select from clouds.moves' }, [])).length === 0)
    for (const table of [
      'collections.rows',
      'collections.collections',
      'app_users.users',
      'app_users.sessions',
    ])
      expect(
        await world.app.db.query({ text: `select from ${table} where cloud_id = $1` }, [id]),
        table,
      ).toEqual([])
    expect((await shown()).usage).toMatchObject({ users: { used: 1 }, files: { used: 1 } })

    const seen = (role: string, sub: string | undefined, text: string) =>
      world.app.databases.use(key, (open) =>
        open.db('authenticator').tx(async (tx) => {
          const claims = JSON.stringify({ sub, role })
          await sql`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true)`.execute(
            tx,
          )
          return (await sql.raw<{ n: number }>(text).execute(tx)).rows
        }),
      )
    const stranger = '01890000-0000-7000-8000-000000000001'
    const counted = async (role: string, sub: string | undefined, table: string) =>
      (await seen(role, sub, `select count(*)::int as n from public.${table}`))[0]!.n
    expect(await counted('authenticated', userId, 'todos')).toBe(2)
    expect(await counted('authenticated', stranger, 'todos')).toBe(0)
    expect(await counted('anon', undefined, 'todos')).toBe(0)
    expect(await counted('anon', undefined, 'posts')).toBe(2)
    expect(await counted('service_role', undefined, 'todos')).toBe(2)
    const changed = (sub: string) =>
      seen(
        'authenticated',
        sub,
        `update public.posts set text = 'x' returning (updated_at > created_at)::int as n`,
      )
    expect(await changed(stranger)).toEqual([])
    expect(await changed(userId)).toEqual([{ n: 1 }])
    const made = await seen(
      'authenticated',
      userId,
      `insert into public.todos (title) values ('x') returning (owner_id = '${userId}')::int as n`,
    )
    expect(made).toEqual([{ n: 1 }])
    await expect(
      seen('authenticated', stranger, `insert into public.todos (title, owner_id) values ('x', '${userId}')`),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(
      seen('anon', undefined, `insert into public.posts (text) values ('x')`),
    ).rejects.toMatchObject({ code: '42501' })

    const refreshed = await sara.auth.refreshSession()
    expect(refreshed.error).toBe(null)
    expect(refreshed.data.user!.id).toBe(userId)
    const again = await app().auth.signInWithPassword({
      email: 'sara@example.com',
      password: 'correct horse',
    })
    expect(again.data.user?.id).toBe(userId)
    const read = await fetch(`${cloud.pathUrl}/files/${file.id}`, { headers })
    expect([read.status, await read.text()]).toEqual([200, 'abc'])
  },
)

test.runIf(canRun)(
  'a move that fails leaves nothing behind, and a later one takes all that there is by then',
  async () => {
    const cloud = await world.newCloud('fails')
    const { client, id } = cloud
    const query = <Row>(text: string, values: unknown[] = []) => world.app.db.query<Row>({ text }, values)
    const act = (json: object) => client.post(`/v1/cloud/${id}/database`, json)
    await act({ action: 'create_collection', name: 'todos' })
    await act({ action: 'insert', table: 'todos', data: { n: 1 } })
    await give()
    await query(
      `create function clouds.fails() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`,
    )
    await query(
      `create trigger fails before update on clouds.clouds for each row when (new.plan <> old.plan) execute function clouds.fails()`,
    )
    expect((await client.post(`/v1/cloud/${id}/move`, {})).status).toBe(202)
    const record = async () =>
      (await query<{ ref: string }>('select ref from databases.databases where cloud_id = $1', [id]))[0]
    const shown = async () => (await client.get(`/v1/cloud/${id}`)).body
    const ref = await until(async () => (await record())?.ref)
    await query('update clouds.moves set attempts = 4')
    await until(async () => {
      await query(`update jobs.queue set run_at = now() where name = 'clouds.move' and process_id is null`)
      await query(`select pg_notify('jobs', 'clouds.move')`)
      return (await shown()).move === 'failed'
    })
    expect(await record()).toBe(undefined)
    const folder = path.join(world.app.config.dataDir, 'databases')
    expect((await readdir(folder)).filter((name) => name.startsWith(ref))).toEqual([])
    await act({ action: 'insert', table: 'todos', data: { n: 2 } })
    await query('drop trigger fails on clouds.clouds')
    expect((await client.post(`/v1/cloud/${id}/move`, {})).status).toBe(202)
    await until(async () => (await shown()).plan === 'dedicated')
    const { body } = await sentAgain(() => act({ query: 'select n::int as n from todos order by n' }))
    expect(body.rows).toEqual([[1], [2]])
    expect((await record())!.ref).not.toBe(ref)
  },
)

const refusalOf = async (reply: Promise<{ status: number; body: { error?: { code: string } } }>) => {
  const { status, body } = await reply
  return [status, body.error?.code]
}
