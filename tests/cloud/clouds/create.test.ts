/** Clouds created, shown and given keys. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

const clock = new MovableClock()
let world: World
beforeAll(async () => {
  world = await boot({ clock })
})
afterAll(() => world[Symbol.asyncDispose]())

const body = (name = 'فروشگاه') => ({ name, plan: 'starter' })
/** Each test has a project of its own, since a project has three clouds. */
const newClient = async () => world.key({ project: await world.newProject() })

test('a Starter cloud is ready when it is answered, and its app finds it at once', async () => {
  const client = await newClient()
  const made = await client.post('/v1/cloud', body())
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    object: 'cloud',
    name: 'فروشگاه',
    plan: 'starter',
    status: 'ready',
    error: null,
  })
  expect(made.body.ref).toMatch(/^[a-z]{20}$/)
  expect(world.app.clouds.has(made.body.ref)).toBe(true)
  const live = (await world.app.clouds.find(made.body.ref))!
  expect(live.state).toBe('ready')
  expect(live.signingKeys).toMatchObject([{ publicJwk: { kty: 'EC', crv: 'P-256' } }])
  expect(live.signingKeys[0]!.publicJwk).not.toHaveProperty('d')
})

test('a repeated creation with its key makes one cloud and answers the same bytes', async () => {
  const client = await newClient()
  const send = () => client.post('/v1/cloud', body(), { 'idempotency-key': 'one' })
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
  expect((await client.get('/v1/cloud')).body.data).toHaveLength(1)
})

test('the list says what can be created, with every limit of it', async () => {
  const client = await newClient()
  await client.post('/v1/cloud', body('a'))
  const { body: list } = await client.get('/v1/cloud')
  expect(list.data).toMatchObject([{ name: 'a' }])
  expect(list.packages).toMatchObject([
    {
      plan: 'starter',
      available: true,
      credits: 0,
      per_project: 3,
      limits: {
        collections: 20,
        rows: 10_000,
        row_bytes: 26_214_400,
        users: 1_000,
        functions: 20,
        secrets: 20,
        daily_egress_bytes: 1e9,
        daily_function_calls: 100_000,
      },
    },
  ])
})

test('a fourth cloud of a project is refused, and one more is possible when one is gone', async () => {
  const client = await newClient()
  for (const name of ['1', '2', '3']) expect((await client.post('/v1/cloud', body(name))).status).toBe(201)
  const refused = await client.post('/v1/cloud', body('4'))
  expect([refused.status, refused.body.error.code]).toEqual([403, 'CLOUD_LIMIT'])
  const [{ id, name }] = (await client.get('/v1/cloud')).body.data
  await client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: name }))
  expect((await client.post('/v1/cloud', body('4'))).status).toBe(201)
})

test('what Starter does not have is refused in a sentence: dedicated, and a package', async () => {
  const client = await newClient()
  const codeOf = async (json: object) => {
    const { status, body } = await client.post('/v1/cloud', json)
    return [status, body.error.code, body.error.param]
  }
  expect(await codeOf({ name: 'x', plan: 'dedicated' })).toEqual([403, 'PACKAGE_REQUIRED', 'plan'])
  expect(await codeOf({ ...body(), package: 'small' })).toEqual([400, 'INVALID_REQUEST', 'package'])
  expect((await client.post('/v1/cloud', body('x'.repeat(100)))).status).toBe(201)
})

test('a cloud shows what it uses of each limit', async () => {
  const cloud = await world.cloud('usage')
  const { usage, limits } = (await cloud.client.get(`/v1/cloud/${cloud.id}`)).body
  expect(usage.day).toBe(new Date(clock.nowMs()).toISOString().slice(0, 10))
  for (const [name, max] of Object.entries(limits).filter(([name]) => name !== 'file_bytes'))
    expect([name, usage[name]]).toEqual([name, { used: 0, max }])
})

test('what is used of each limit is counted as that, and of the day what was used in it', async () => {
  const cloud = await world.cloud('counted', await newClient())
  const used = async () => (await cloud.client.get(`/v1/cloud/${cloud.id}`)).body.usage
  const { day } = await used()
  const own = [world.account, cloud.id]
  const run = (text: string, more: unknown[] = []) => world.app.db.query({ text }, [...own, ...more])
  await run(
    `insert into collections.collections (account_id, cloud_id, collection_id, name, created_at) values ($1, $2, $2, 'c', now())`,
  )
  await run(
    `insert into functions.functions select $1, $2, 'f' || n, 1, 1, true, now(), now() from generate_series(1, 2) n`,
  )
  await run(
    `insert into functions.secrets select $1, $2, 'S' || n, '', now(), now() from generate_series(1, 3) n`,
  )
  const mails = `insert into app_users.mails (account_id, cloud_id, mail_id, address, created_at)
    select $1, $2, gen_random_uuid(), 'a', $3::date + interval '1 hour' from generate_series(1, $4)`
  const days = `insert into clouds.usage_days values ($1, $2, $3, $4, $5)
    on conflict (account_id, cloud_id, day) do update set function_calls = $4, egress_bytes = $5`
  const before = new Date(Date.parse(day) - 1).toISOString().slice(0, 10)
  await run(mails, [day, 4])
  await run(mails, [before, 20])
  await run(days, [day, 5, 6])
  await run(days, [before, 70, 80])
  for (const [table, columns, ...amounts] of [
    ['collections', 'rows, bytes', 7, 8],
    ['app_files', 'files, bytes', 9, 10],
    ['app_users', 'users', 11],
  ] as const) {
    await run(`delete from ${table}.counts where account_id = $1 and cloud_id = $2`)
    await run(`insert into ${table}.counts (account_id, cloud_id, ${columns}) values ($1, $2, ${amounts})`)
  }
  const found = Object.entries((await used()) as Record<string, { used?: number }>)
  expect(Object.fromEntries(found.map(([name, { used: amount }]) => [name, amount]))).toEqual({
    ...{ day: undefined, collections: 1, functions: 2, secrets: 3, daily_mails: 4 },
    ...{ daily_function_calls: 5, daily_egress_bytes: 6, rows: 7, row_bytes: 8 },
    ...{ files: 9, file_total_bytes: 10, users: 11, sites: 0 },
  })
})

test('a ready cloud is not provisioned again', async () => {
  const cloud = await world.cloud('retry')
  const { status, body } = await cloud.client.post(`/v1/cloud/${cloud.id}/retry`, {})
  expect([status, body.error.code]).toEqual([409, 'CLOUD_READY'])
})

test('the connection names every address and never a service key', async () => {
  const client = await newClient()
  const cloud = await world.cloud('connection', client)
  const service = await cloud.serviceKey()
  const { body, text } = await client.get(`/v1/cloud/${cloud.id}/connection`)
  expect(body).toEqual({
    object: 'cloud.connection',
    id: cloud.id,
    ref: cloud.ref,
    service_url: cloud.url,
    public_key: cloud.publicKey,
    auth_url: `${cloud.url}/auth/v1`,
    rest_url: `${cloud.url}/rest/v1`,
    storage_url: `${cloud.url}/storage/v1`,
    functions_url: `${cloud.url}/functions/v1`,
    files_url: `${cloud.url}/files`,
  })
  expect(text).not.toContain(service)
  expect((await client.get(`/v1/cloud/${cloud.id}/keys`)).text).not.toContain(service)
})

/** What is accepted as `apikey` now. */
const accepted = async (ref: string) => [...((await world.app.clouds.find(ref))?.keys.values() ?? [])].sort()

test('a rotated key ends at once, or when its grace period is over', async () => {
  const client = await newClient()
  const cloud = await world.cloud('rotation', client)
  const keys = `/v1/cloud/${cloud.id}/keys`
  expect(cloud.publicKey).toMatch(/^khp_[0-9A-Za-z]{49}$/)
  expect(await cloud.serviceKey()).toMatch(/^khs_[0-9A-Za-z]{49}$/)
  await cloud.serviceKey()
  expect(await accepted(cloud.ref)).toEqual(['public', 'service'])
  const fresh = await client.post(keys, { kind: 'public', grace_seconds: 60 })
  expect(fresh.status).toBe(201)
  expect((await client.get(`/v1/cloud/${cloud.id}/connection`)).body.public_key).toBe(fresh.body.secret)
  expect(await accepted(cloud.ref)).toEqual(['public', 'public', 'service'])
  clock.moveMs(59_999)
  expect(await accepted(cloud.ref)).toEqual(['public', 'public', 'service'])
  clock.moveMs(1)
  expect(await accepted(cloud.ref)).toEqual(['public', 'service'])
  const shown = (await client.get(keys)).body.data.map(({ kind }: { kind: string }) => kind).sort()
  expect(shown).toEqual(['public', 'service', 'signing'])
})

test('a repeated rotation with its key answers the same secret and makes no second one', async () => {
  const client = await newClient()
  const cloud = await world.cloud('again', client)
  const send = () =>
    client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'service' }, { 'idempotency-key': 'k' })
  expect((await send()).text).toBe((await send()).text)
})

test('a grace period has seven days at most, and keys of a kind are bounded', async () => {
  const client = await newClient()
  const cloud = await world.cloud('bounds', client)
  const rotate = (grace: number) =>
    client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'service', grace_seconds: grace })
  expect((await rotate(604_801)).status).toBe(400)
  expect((await rotate(-1)).status).toBe(400)
  for (let made = 0; made < 10; made++) expect((await rotate(604_800)).status).toBe(201)
  const refused = await rotate(604_800)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CLOUD_KEY_LIMIT'])
  // Whoever ends those before at once is never stuck.
  expect((await rotate(0)).status).toBe(201)
})

test('a deleted key is accepted no more; one that signs is not deleted, and the missing one is not found', async () => {
  const client = await newClient()
  const cloud = await world.cloud('delete', client)
  await cloud.serviceKey()
  const at = `/v1/cloud/${cloud.id}/keys`
  const { data } = (await client.get(at)).body
  const idOf = (kind: string) => data.find((key: { kind: string }) => key.kind === kind).id
  expect((await client.request('DELETE', `${at}/${idOf('service')}`)).body).toMatchObject({ deleted: true })
  expect(await accepted(cloud.ref)).toEqual(['public'])
  for (const id of [idOf('service'), idOf('signing'), 'x'])
    expect((await client.request('DELETE', `${at}/${id}`)).status).toBe(404)
})

test('a rotated signing key signs from here on; what the one before signed counts for an hour', async () => {
  const client = await newClient()
  const cloud = await world.cloud('signing', client)
  const kids = async () => (await world.app.clouds.find(cloud.ref))!.signingKeys.map(({ kid }) => kid)
  const [first] = await kids()
  const made = await client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'signing' })
  expect(made.body).toMatchObject({ kind: 'signing', secret: null })
  expect(await kids()).toEqual([made.body.id, first])
  clock.moveMs(60 * 60 * 1000)
  expect(await kids()).toEqual([made.body.id])
})

test('private halves of signing keys and service keys stand nowhere in the database', async () => {
  const cloud = await world.cloud('sealed', await newClient())
  const service = await cloud.serviceKey()
  const rows = await world.app.db.query<{ text: string }>(
    {
      text: `select row_to_json(k)::text as text from clouds.keys k union all select row_to_json(s)::text from clouds.signing_keys s`,
    },
    [],
  )
  const text = rows.map((row) => row.text).join('\n')
  expect(text).toContain('sealed:1:')
  expect(text).not.toContain('PRIVATE KEY')
  expect(text).not.toContain(service)
})

test('where a step fails the cloud is accepted, fails with a reason after some attempts, and a retry makes it ready', async () => {
  const { db } = world.app
  const run = (text: string) => db.query({ text }, [])
  await run(
    `create function clouds.refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  )
  await run(
    'create trigger refuse before insert on clouds.signing_keys for each row execute function clouds.refuse()',
  )
  const client = await newClient()
  const made = await client.post('/v1/cloud', body(), { 'idempotency-key': 'slow' })
  expect([made.status, made.body.status]).toEqual([202, 'provisioning'])
  const at = `/v1/cloud/${made.body.id}`
  const early = await client.get(`${at}/connection`)
  expect([early.status, early.body.error.code]).toEqual([409, 'CLOUD_NOT_READY'])
  const again = await client.post('/v1/cloud', body(), { 'idempotency-key': 'slow' })
  expect([again.status, again.text]).toEqual([202, made.text])
  await until(async () => {
    await run(`update jobs.queue set run_at = now() where name = 'clouds.provision' and process_id is null`)
    await run(`notify jobs, 'clouds.provision'`)
    return (await client.get(at)).body.status === 'failed'
  })
  expect((await client.get(at)).body.error).toMatchObject({ code: 'given_up' })
  expect((await client.get(at, { 'accept-language': 'fa' })).body.error.message).toMatch(/دوباره/)
  await run('drop trigger refuse on clouds.signing_keys')
  const retried = await client.post(`${at}/retry`, {})
  expect([retried.status, retried.body.status, retried.body.error]).toEqual([202, 'provisioning', null])
  await until(async () => (await client.get(at)).body.status === 'ready')
  expect((await client.get(`${at}/keys`)).body.data).toHaveLength(2)
})
