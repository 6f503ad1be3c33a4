/** Clouds whose processes are killed or paused: each is whole or not there at all, and what is deleted goes to its end. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '#platform/ids'
import { fill, recount, tablesWith } from '../../cloud/clouds/filled.ts'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Site, severalStartsMs } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import { startMs, until } from '../../harness/until.ts'
import { settled, siteBody } from '../../sites/published.ts'

const stack = new AsyncDisposableStack()
let site: Site

beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

afterEach(() => site.killAll())

/** The last one that was started. */
async function kill(): Promise<void> {
  await site.newest.kill()
  await site.endWaiting()
}

const run = <Row>(text: string, values: unknown[] = []) => site.db.query<Row>({ text }, values)

/** Resolves when a statement with these words waits for a lock. Jobs that failed before do not wait for their time. */
const waitsFor = (words: string): Promise<unknown> => {
  let looks = 0
  return until(async () => {
    if (looks++ % 20 === 0) {
      await run(
        `update jobs.queue set run_at = now() where name = 'clouds.provision' and process_id is null and run_at > now()`,
      )
      await run(`notify jobs, 'clouds.provision'`)
    }
    return site.isWaiting(words)
  }, startMs)
}

const create = (client: Client) =>
  client.post('/v1/cloud', { name: 'killed', plan: 'starter' }, { 'idempotency-key': 'one' })

const cloudsOf = async (client: Client) => (await client.get('/v1/cloud')).body.data
const signingKeysOf = (id: string) => run('select from clouds.signing_keys where cloud_id = $1', [id])

/** Tables of the first statement of the transaction, and of the last but one. */
const creationSteps = ['clouds.refs', 'clouds.signing_keys']

test('killed at the beginning and at the end of its creation, and before the answer: there is no cloud, or one whole cloud, and a repeat makes no second one', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const client = () => site.client(site.newest, person)
  await site.start()
  for (const table of creationSteps) {
    await using _held = await site.holding(`lock table ${table} in share mode`)
    const [schema, name] = table.split('.')
    const call = expect(create(client()), table).rejects.toThrow()
    await waitsFor(`insert into "${schema}"."${name}"`)
    await kill()
    await call
    await site.start()
    expect(await cloudsOf(client()), table).toEqual([])
  }
  for (const table of [...creationSteps, 'clouds.clouds', 'clouds.keys'])
    expect(await run(`select from ${table} where account_id = $1`, [person.account]), table).toEqual([])
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await site.start(proxy.url)
  let committed: Promise<void>
  let call: Promise<unknown>
  {
    await using _held = await site.holding('lock table clouds.signing_keys in share mode')
    call = expect(create(client())).rejects.toThrow()
    await waitsFor('insert into "clouds"."signing_keys"')
    committed = proxy.withholdReply(/commit/, 'insert into "clouds"."signing_keys"')
  }
  await committed
  await site.newest.kill()
  await call
  await site.start()
  const repeat = await create(client())
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(await cloudsOf(client())).toMatchObject([{ id: repeat.body.id, status: 'ready' }])
  expect(await signingKeysOf(repeat.body.id)).toHaveLength(1)
  expect((await client().get(`/v1/cloud/${repeat.body.id}/connection`)).body.public_key).toMatch(/^khp_/)
})

/** Where the first transaction cannot make it ready, its job does. */
async function createSlowly(client: Client): Promise<string> {
  await run(
    `create or replace function clouds.refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  )
  await run(
    'create or replace trigger refuse before insert on clouds.signing_keys for each row execute function clouds.refuse()',
  )
  const made = await create(client)
  expect([made.status, made.body.status]).toEqual([202, 'provisioning'])
  return made.body.id
}

/** Takes no lock of the table: once that is held, no job gets past it before it is waited for. */
const noLongerRefused = () =>
  run(
    'create or replace function clouds.refuse() returns trigger language plpgsql as $$ begin return new; end $$',
  )

test('killed at every step of its job: provisioning goes on where it was, with one key that signs', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const client = () => site.client(site.newest, person)
  await site.start()
  const id = await createSlowly(client())
  await run(
    `create function clouds.wait() returns trigger language plpgsql as $$ begin if new.state = 'ready' then perform pg_advisory_xact_lock(18); end if; return new; end $$`,
  )
  await run('create trigger wait before update on clouds.clouds for each row execute function clouds.wait()')
  {
    await using _held = await site.holding('lock table clouds.signing_keys in share mode')
    await noLongerRefused()
    await waitsFor('insert into "clouds"."signing_keys"')
    await kill()
  }
  {
    await using _held = await site.holding('select pg_advisory_xact_lock(18)')
    await site.successor()
    await waitsFor('update "clouds"."clouds"')
    expect(await signingKeysOf(id)).toHaveLength(1)
    await kill()
  }
  await site.successor()
  await until(async () => (await client().get(`/v1/cloud/${id}`)).body.status !== 'provisioning')
  // Two processes died over it, so it may have been set aside, which a retry ends.
  if ((await client().get(`/v1/cloud/${id}`)).body.status === 'failed')
    expect((await client().post(`/v1/cloud/${id}/retry`, {})).status).toBe(202)
  await until(async () => (await client().get(`/v1/cloud/${id}`)).body.status === 'ready')
  expect(await signingKeysOf(id)).toHaveLength(1)
  await run('drop trigger wait on clouds.clouds')
})

test('two processes that provision the same cloud give it one key that signs', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const one = await site.start()
  const id = await createSlowly(site.client(one, person))
  {
    await using _held = await site.holding('lock table clouds.signing_keys in share mode')
    await noLongerRefused()
    await waitsFor('insert into "clouds"."signing_keys"')
    // Another process takes the same work while this one is in the middle of it.
    await site.start()
    await run(
      `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, $2, 'clouds.provision', $3, now())`,
      [person.account, uuidv7(), JSON.stringify({ cloudId: id })],
    )
    await run(`notify jobs, 'clouds.provision'`)
    // It waits for the row of the cloud, which the first one has locked.
    await waitsFor('attempts + 1')
  }
  await until(async () => (await run(`select from jobs.queue where name = 'clouds.provision'`)).length === 0)
  expect((await site.client(one, person).get(`/v1/cloud/${id}`)).body.status).toBe('ready')
  expect(await signingKeysOf(id)).toHaveLength(1)
})

/** Each is held up by a lock of its own, and killed there. */
const deletionSteps: [lock: string, words: string][] = [
  ['lock table sites.slugs in share mode', 'update sites.slugs'],
  ['lock table app_files.files in share mode', 'delete from app_files.files'],
  ['lock table collections.rows in share mode', 'delete from collections.rows'],
  ['lock table app_users.users in share mode', 'delete from app_users.users'],
  ['lock table clouds.refs in share mode', 'delete from clouds.refs'],
]

test('killed at every step of its deletion: it goes on where it was, and leaves no row, no byte and no site', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const client = () => site.client(site.newest, person)
  await site.start()
  const { id, ref } = (await create(client())).body
  const published = await client().post('/v1/sites', { ...siteBody('of-killed'), cloud_id: id })
  await settled(client(), published.body.id)
  const prefix = await fill(site, person.account, id)
  const keys = [prefix, `${prefix}-2`, `${prefix}-3`]
  await mkdir(path.dirname(path.join(site.dataDir, 'files', prefix)), { recursive: true })
  for (const key of keys) await writeFile(path.join(site.dataDir, 'files', key), 'bytes of an app')
  await run(
    `insert into app_files.files select account_id, cloud_id, gen_random_uuid(), user_id, name, media_type, bytes, unnest($2::text[]), now()
      from app_files.files where cloud_id = $1`,
    [id, keys.slice(1)],
  )
  await recount(site, id)
  const [first, ...rest] = deletionSteps
  let held = await site.holding(first![0])
  const removed = await client().request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: 'killed' }))
  expect(removed.body.status).toBe('deleting')
  await waitsFor(first![1])
  for (const [lock, words] of rest) {
    await kill()
    await held[Symbol.asyncDispose]()
    held = await site.holding(lock)
    await site.successor()
    expect((await client().get(`/v1/cloud/${id}`)).body.status).toBe('deleting')
    await waitsFor(words)
  }
  await kill()
  await held[Symbol.asyncDispose]()
  await site.successor()
  await until(async () => (await client().get(`/v1/cloud/${id}`)).status === 404)
  expect(await tablesWith(site, id)).toEqual([])
  expect(await run('select from clouds.refs where ref = $1', [ref])).toEqual([])
  const pending = new Set(
    (await run<{ key: string }>('select key from storage.pending_blobs')).map(({ key }) => key),
  )
  for (const key of keys)
    if (existsSync(path.join(site.dataDir, 'files', key))) expect(pending).toContain(key)
})

const importedId = '01890000-0000-7000-8000-000000000001'
/** A row, a user with a file of more than one line, and an end. */
const exported = [
  { type: 'cloud', version: 1, name: 'x', exported_at: '2026-01-01T00:00:00Z' },
  {
    ...{
      type: 'user',
      id: importedId,
      email: 'sara@example.com',
      password_hash: null,
      email_confirmed_at: null,
    },
    ...{ is_anonymous: false, user_metadata: {}, app_metadata: {}, banned_until: null },
    created_at: '2026-01-01T00:00:00Z',
  },
  { type: 'collection', name: 'todos', public_read: true },
  {
    ...{ type: 'row', collection: 'todos', id: importedId, owner_id: importedId, data: { title: 'نان' } },
    ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  },
  {
    ...{ type: 'file', id: importedId, user_id: importedId, name: 'x', media_type: 'text/plain' },
    ...{ created_at: '2026-01-01T00:00:00Z', content_base64: 'YWJj', more: false },
  },
  { type: 'end', lines: 6 },
]

/** What is written first of an import, and last. Each is held up by a lock of its own, and killed there. */
const importSteps: [lock: string, words: string][] = [
  ['lock table collections.rows in share mode', 'insert into collections.rows'],
  ['lock table app_files.files in share mode', 'insert into app_files.files'],
]

test('killed at the beginning and at the end of an import, and before its answer: the cloud is empty or has all of it, and a repeat does what is missing', {
  timeout: severalStartsMs,
}, async () => {
  const person = await site.person()
  const client = () => site.client(site.newest, person)
  await site.start()
  const { id } = (await create(client())).body
  const send = async () => {
    const form = new FormData()
    form.set('export', new Blob([exported.map((line) => JSON.stringify(line)).join('\n')]), 'x.jsonl')
    const { url, secret } = client()
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'import' }
    const reply = await fetch(`${url}/v1/cloud/${id}/import`, { method: 'POST', headers, body: form })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }
  const used = async () => {
    const { usage } = (await client().get(`/v1/cloud/${id}`)).body
    return [usage.users.used, usage.collections.used, usage.rows.used, usage.files.used]
  }
  for (const [lock, words] of importSteps) {
    await using _held = await site.holding(lock)
    const call = expect(send(), words).rejects.toThrow()
    await waitsFor(words)
    await kill()
    await call
    await site.start()
    expect(await used(), words).toEqual([0, 0, 0, 0])
  }
  const staged = `app-files/${person.account}/${id}/%`
  const pending = () => run('select from storage.pending_blobs where key like $1', [staged])
  // The bytes that its processes had stored are deleted when they are due.
  expect(await pending()).toHaveLength(importSteps.length)
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await site.start(proxy.url)
  let committed: Promise<void>
  let call: Promise<unknown>
  {
    await using _held = await site.holding(importSteps[1]![0])
    call = expect(send()).rejects.toThrow()
    await waitsFor(importSteps[1]![1])
    committed = proxy.withholdReply(/commit/, importSteps[1]![1])
  }
  await committed
  await site.newest.kill()
  await call
  await site.start()
  const repeat = await send()
  expect([repeat.status, repeat.headers.get('idempotent-replayed')], repeat.text).toEqual([200, 'true'])
  expect(await used()).toEqual([1, 1, 1, 1])
  expect(await pending()).toHaveLength(importSteps.length)
})
