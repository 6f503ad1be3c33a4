/** Secrets that functions read and nobody is shown. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploy, secretsOf, textOf } from '../../cloud/functions/scene.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await boot()
  cloud = await world.newCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

const set = (name: unknown, value: unknown, headers: Record<string, string> = {}, of = cloud) =>
  of.client.post(secretsOf(of), { name, value }, headers)

const reading = (names: string[]) => `export default { fetch(request, env) {
  return Response.json(${JSON.stringify(names)}.map((name) => [env[name] ?? null, Deno.env.get(name) ?? null, globalThis.process?.env?.[name] ?? null])) } }`

test('a secret is read by functions from its answer on, replaced and deleted likewise, and never shown', async () => {
  await deploy(cloud, 'read', reading(['PAYMENT_KEY']))
  const value = async () => JSON.parse(await textOf(cloud, 'read'))[0]
  expect((await value()).slice(0, 2)).toEqual([null, null])
  const made = await set('PAYMENT_KEY', 'راز «یک»\n"دو"')
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ object: 'cloud.secret', name: 'PAYMENT_KEY' })
  expect(made.text).not.toContain('راز')
  expect((await value()).slice(0, 2)).toEqual(['راز «یک»\n"دو"', 'راز «یک»\n"دو"'])
  expect((await set('PAYMENT_KEY', 'another')).status).toBe(200)
  expect((await value()).slice(0, 2)).toEqual(['another', 'another'])
  const list = await cloud.client.get(secretsOf(cloud))
  expect(list.body.data).toMatchObject([{ name: 'PAYMENT_KEY' }])
  expect(list.text).not.toContain('another')
  const { rows } = await world.app.db.pool.query('select value_sealed from functions.secrets')
  expect(JSON.stringify(rows)).not.toContain('another')
  const at = `${secretsOf(cloud)}/PAYMENT_KEY`
  expect((await cloud.client.request('DELETE', at)).body).toMatchObject({ deleted: true })
  expect((await value()).slice(0, 2)).toEqual([null, null])
  const again = await cloud.client.request('DELETE', at)
  expect([again.status, again.body.error.code]).toEqual([404, 'FUNCTION_SECRET_NOT_FOUND'])
})

test('functions find their cloud and its public key, and no service key unless they are given one', async () => {
  const names = ['SUPABASE_URL', 'SUPABASE_ANON_KEY', 'KHERAD_BASE_URL', 'SUPABASE_SERVICE_ROLE_KEY']
  await deploy(cloud, 'own', reading(names))
  const given = async () => JSON.parse(await textOf(cloud, 'own')).map(([value]: [string | null]) => value)
  expect(await given()).toEqual([cloud.url, cloud.publicKey, world.app.config.baseUrl, null])
  const key = await cloud.serviceKey()
  expect((await set('SUPABASE_SERVICE_ROLE_KEY', key)).status).toBe(201)
  expect((await given())[3]).toBe(key)
})

test.each([
  'SUPABASE_URL',
  'SUPABASE_X',
  'KHERAD_X',
  'lower',
  '1A',
  '_A',
  'A-B',
  'A B',
  '',
  'A'.repeat(65),
  'نام',
  7,
])('a name that is not free is refused: %j', async (name) => {
  const reply = await set(name, 'x')
  expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([
    ...[400, 'INVALID_REQUEST', 'name'],
  ])
})

test('a value has 1 to 10,000 characters, whichever they are', async () => {
  const name = `A${'_9Z'.repeat(21)}`
  expect(name).toHaveLength(64)
  await deploy(cloud, 'length', `Deno.serve(() => new Response([...Deno.env.get('${name}')].length))`)
  for (const filling of ['a', 'س', '🌸', '"', '\u0001', '\n']) {
    expect((await set(name, filling.repeat(10_000))).status).toBeLessThan(300)
    expect(await textOf(cloud, 'length')).toBe('10000')
  }
  for (const value of ['', 'a'.repeat(10_001), 'a\0', 7, null]) {
    const reply = await set(name, value)
    expect([reply.status, reply.body.error.param]).toEqual([400, 'value'])
  }
})

test('a new public key, and the deletion of one, reach functions at once', async () => {
  const own = await world.newCloud()
  await deploy(own, 'key', "Deno.serve(() => new Response(Deno.env.get('SUPABASE_ANON_KEY')))")
  expect(await textOf(own, 'key')).toBe(own.publicKey)
  const made = await own.client.post(`/v1/cloud/${own.id}/keys`, { kind: 'public', grace_seconds: 3_600 })
  expect(made.status, made.text).toBe(201)
  // Asked with the earlier key, which is accepted for an hour.
  expect(await textOf(own, 'key')).toBe(made.body.secret)
  const gone = await own.client.request('DELETE', `/v1/cloud/${own.id}/keys/${made.body.id}`)
  expect(gone.status, gone.text).toBe(200)
  expect(await textOf(own, 'key')).toBe(own.publicKey)
})

test('a cloud has twenty secrets; whoever has them all may still replace one', async () => {
  const own = await world.newCloud()
  for (let nth = 1; nth <= 20; nth++) expect((await set(`S${nth}`, 'x', {}, own)).status).toBe(201)
  const beyond = await set('S21', 'x', {}, own)
  expect([beyond.status, beyond.body.error.code]).toEqual([403, 'FUNCTION_SECRET_LIMIT'])
  expect((await set('S20', 'y', {}, own)).status).toBe(200)
  expect((await own.client.get(secretsOf(own))).body.data).toHaveLength(20)
})

test('a name with the character 0 is none of a function, nor of a secret', async () => {
  const functions = `/v1/cloud/${cloud.id}/functions`
  for (const [method, path, code] of [
    ['GET', `${functions}/a%00b`, 'FUNCTION_NOT_FOUND'],
    ['DELETE', `${functions}/a%00b`, 'FUNCTION_NOT_FOUND'],
    ['POST', `${functions}/a%00b/rollback`, 'FUNCTION_NOT_FOUND'],
    ['GET', `${functions}/a%00b/logs`, 'FUNCTION_NOT_FOUND'],
    ['DELETE', `${secretsOf(cloud)}/a%00b`, 'FUNCTION_SECRET_NOT_FOUND'],
  ] as const) {
    const { status, body } = await cloud.client.request(method, path, method === 'POST' ? '{}' : undefined)
    expect([method, path, status, body.error?.code]).toEqual([method, path, 404, code])
  }
})

test('what the database refuses for a full disk is 503 with Retry-After, nothing of it stays, and the same request works once there is room', async () => {
  const statement = (text: string) => world.app.db.query({ text }, [])
  await statement(`create function public.full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
  await statement(`create trigger full_disk before insert on functions.secrets
    for each row execute function public.full_disk()`)
  const refused = await set('LATE', 'x')
  await statement('drop trigger full_disk on functions.secrets')
  expect([refused.status, refused.body.error.code]).toEqual([503, 'STORAGE_FULL'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await set('LATE', 'x')).status).toBe(201)
})
