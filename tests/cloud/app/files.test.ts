import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { storeAppFile } from '#cloud/app-files'
import { limitsOf, setCloudLimits } from '#cloud/clouds'
import { sandboxPolicy } from '#platform/apps'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { TestCloud, World } from '../../harness/world.ts'
import { visit } from '../../sites/visitor.ts'
import { type SignedUp, signUp } from './sign-up.ts'

const mebibyte = 1024 * 1024

let world: World
let cloud: TestCloud
let user: SignedUp
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.newCloud()
  user = await signUp(cloud)
})
afterAll(() => world[Symbol.asyncDispose]())

const keyOf = ({ id }: TestCloud) => ({ accountId: world.account, cloudId: id })

interface Shown {
  id: string
  name: string
  bytes: number
  error: { code: string; message: string; param?: string }
}

async function store(
  bytes: Uint8Array | string,
  { name = 'a.bin', by = user, in: where = cloud }: { name?: string; by?: SignedUp; in?: TestCloud } = {},
): Promise<{ status: number; body: Shown }> {
  const content_base64 = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64')
  return send(where, { name, content_base64 }, by)
}

async function send(where: TestCloud, json: unknown, by: SignedUp = user) {
  const body = typeof json === 'string' ? json : JSON.stringify(json)
  const headers = { ...by.headers, 'content-type': 'application/json' }
  const reply = await fetch(`${where.pathUrl}/files`, { method: 'POST', headers, body })
  return { status: reply.status, body: (await reply.json()) as Shown }
}

const get = (path: string, { by = user, in: where = cloud, headers = {}, method = 'GET' } = {}) =>
  fetch(`${where.pathUrl}/files${path}`, { method, headers: { ...by.headers, ...headers } })

test('a file comes back byte for byte, as an attachment under its Persian name that no cache of others keeps', async () => {
  const bytes = randomBytes(70_000)
  const name = 'گزارش می‌ماه «نهایی» (1).pdf'
  const stored = await store(bytes, { name })
  expect([stored.status, stored.body]).toMatchObject([201, { name, bytes: bytes.length }])
  const reply = await get(`/${stored.body.id}`)
  expect(reply.status).toBe(200)
  expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
  const disposition = reply.headers.get('content-disposition')!
  expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''/)
  expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe(name)
  expect(disposition.split("UTF-8''")[1]).not.toMatch(/[()' ]/)
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  expect(reply.headers.get('content-type')).toBe('application/pdf')
  expect(reply.headers.get('cache-control')).toMatch(/^private/)
  expect(reply.headers.get('content-length')).toBe(String(bytes.length))
  const head = await get(`/${stored.body.id}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  const etag = reply.headers.get('etag')!
  expect((await get(`/${stored.body.id}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('a part of a file can be asked for', async () => {
  const { body } = await store(new TextEncoder().encode('0123456789'))
  const part = await get(`/${body.id}`, { headers: { range: 'bytes=2-4' } })
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
    206,
    '234',
    'bytes 2-4/10',
  ])
  const beyond = await get(`/${body.id}`, { headers: { range: 'bytes=10-' } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
})

test('what a browser would run as a page leaves as text, a drawing in a sandbox', async () => {
  for (const [name, type, policy] of [
    ['x.html', 'text/plain; charset=utf-8', null],
    ['x.xhtml', 'text/plain; charset=utf-8', null],
    ['x.svg', 'image/svg+xml', sandboxPolicy],
  ] as const) {
    const { body } = await store(new TextEncoder().encode('<script>1</script>'), { name })
    const { headers } = await get(`/${body.id}`)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-security-policy')).toBe(policy)
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
  }
})

test('the name that a file is saved under cannot be turned around to show another ending', async () => {
  const name = 'می\u200cماه \u202egnp.exe'
  const { body } = await store(new Uint8Array(), { name })
  expect(body.name).toBe(name)
  const disposition = (await get(`/${body.id}`)).headers.get('content-disposition')!
  expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe('می\u200cماه gnp.exe')
})

test('an empty file is one, and names are labels: several files may bear the same, whatever is in it', async () => {
  for (const name of ['same', 'same', '../../etc/passwd', 'a/b\\c', '"\r\nx: y']) {
    const stored = await store(new Uint8Array(), { name })
    expect([stored.status, stored.body.name]).toEqual([201, name])
    const reply = await get(`/${stored.body.id}`)
    expect([reply.status, await reply.text(), reply.headers.get('x')]).toEqual([200, '', null])
  }
})

test('a file of exactly one MiB is kept, and one byte more is refused before anything is stored', async () => {
  const where = await world.newCloud()
  const by = await signUp(where)
  expect((await store(randomBytes(mebibyte), { by, in: where })).status).toBe(201)
  const refused = await store(randomBytes(mebibyte + 1), { by, in: where })
  expect([refused.status, refused.body.error.code]).toEqual([413, 'APP_FILE_TOO_LARGE'])
  const larger = await store(randomBytes(3 * mebibyte), { by, in: where })
  expect([larger.status, larger.body.error.code]).toEqual([413, 'BODY_TOO_LARGE'])
  expect(await countsOf(where)).toEqual({ files: 1, bytes: mebibyte })
  // Some programs write slashes so.
  const slashes = Buffer.alloc(mebibyte, 0xff)
  const text = JSON.stringify({ name: 'b', content_base64: slashes.toString('base64').slice(0, 40_000) })
  expect((await send(where, text.replaceAll('/', '\\/'), by)).status).toBe(201)
})

test('what is no Base64, no name, or more than is asked for is refused with its place', async () => {
  const before = await countsOf(cloud)
  for (const content of ['QUJ', 'QUJD\n', 'QU JD', 'QUJ-', 'QUJ=D===', '=', 'سلام', 'Q===']) {
    const { status, body } = await store(content)
    expect([content, status, body.error.param]).toEqual([content, 400, 'content_base64'])
  }
  for (const [json, param] of [
    [{ name: 'a' }, 'content_base64'],
    [{ content_base64: '' }, 'name'],
    [{ name: '', content_base64: '' }, 'name'],
    [{ name: 'ن'.repeat(256), content_base64: '' }, 'name'],
    [{ name: 'a\u0000b', content_base64: '' }, 'name'],
    [{ name: 'a', content_base64: 5 }, 'content_base64'],
    [{ name: 'a', content_base64: '', user_id: 'b' }, 'user_id'],
  ] as [unknown, string][]) {
    const { status, body } = await send(cloud, json)
    expect([status, body.error.param]).toEqual([400, param])
  }
  expect((await send(cloud, 'null')).status).toBe(400)
  expect((await send(cloud, '{"name":')).body.error.code).toBe('INVALID_JSON')
  expect(await countsOf(cloud)).toEqual(before)
  expect((await send(cloud, { name: 'ن'.repeat(255), content_base64: '' })).status).toBe(201)
})

const countsOf = async ({ id }: TestCloud): Promise<{ files: number; bytes: number }> => {
  const [row] = await world.app.db.query<{ files: bigint; bytes: bigint }>(
    { text: 'select files, bytes from app_files.counts where cloud_id = $1' },
    [id],
  )
  return { files: Number(row!.files), bytes: Number(row!.bytes) }
}
const blobsOf = async ({ id }: TestCloud): Promise<{ rows: number; pending: number }> => {
  const [row] = await world.app.db.query<{ rows: bigint; pending: bigint }>(
    {
      text: `select (select count(*) from app_files.files where cloud_id = $1) as rows,
        (select count(*) from storage.pending_blobs where key like '%' || $1::text || '%') as pending`,
    },
    [id],
  )
  return { rows: Number(row!.rows), pending: Number(row!.pending) }
}

test('all files of a cloud have ten MiB exactly, however many requests of two processes come at once, and what is refused leaves no bytes', async () => {
  const where = await world.newCloud()
  const by = await signUp(where)
  const limits = limitsOf(world.app.config.clouds)
  const file = {
    ...keyOf(where),
    userId: by.id,
    name: 'a',
    mediaType: 'text/plain',
    bytes: randomBytes(mebibyte),
  }
  // The second process: the same call on the same database, without what the first keeps in memory.
  const answers = await Promise.allSettled([
    ...Array.from({ length: 8 }, () => store(file.bytes, { by, in: where }).then(({ status }) => status)),
    ...Array.from({ length: 8 }, () => storeAppFile(world.app, file, limits).then(() => 201)),
  ])
  const stored = answers.filter((one) => one.status === 'fulfilled' && one.value === 201)
  expect(stored).toHaveLength(10)
  expect(await countsOf(where)).toEqual({ files: 10, bytes: 10 * mebibyte })
  expect(await blobsOf(where)).toEqual({ rows: 10, pending: 0 })
  const full = await store(new Uint8Array(1), { by, in: where })
  expect([full.status, full.body.error.code]).toEqual([403, 'APP_FILES_FULL'])
  expect((await store(new Uint8Array(), { by, in: where })).status).toBe(201)
  const { data } = (await (await get('', { by, in: where })).json()) as { data: Shown[] }
  expect((await get(`/${data.at(-1)!.id}`, { by, in: where, method: 'DELETE' })).status).toBe(200)
  expect((await store(randomBytes(mebibyte), { by, in: where })).status).toBe(201)
  expect((await store(new Uint8Array(1), { by, in: where })).status).toBe(403)
})

test('a limit of the operator counts at once, also for the number of files', async () => {
  const where = await world.newCloud()
  const by = await signUp(where)
  await setCloudLimits(world.app, keyOf(where), { files: 2, file_bytes: 3 })
  const put = async (bytes: string) => (await store(Buffer.from(bytes), { by, in: where })).status
  expect([await put('abc'), await put('abcd'), await put('ab'), await put('a')]).toEqual([201, 413, 201, 403])
})

test('a list has the files of its user alone, newest first, in pages', async () => {
  const where = await world.newCloud()
  const [one, other] = [await signUp(where), await signUp(where)]
  const ids: string[] = []
  for (const name of ['a', 'b', 'c'])
    ids.unshift((await store(Buffer.from(name), { name, by: one, in: where })).body.id)
  const { body: others } = await store(Buffer.from('x'), { by: other, in: where })
  const list = async (query: string, by: SignedUp) =>
    (await (await get(query, { by, in: where })).json()) as {
      data: Shown[]
      has_more: boolean
      last_id: string
    }
  expect((await list('', one)).data.map(({ id }) => id)).toEqual(ids)
  const first = await list('?limit=2', one)
  expect([first.data.map(({ id }) => id), first.has_more]).toEqual([ids.slice(0, 2), true])
  const rest = await list(`?limit=2&after_id=${first.last_id}`, one)
  expect([rest.data.map(({ id }) => id), rest.has_more]).toEqual([ids.slice(2), false])
  expect((await list('', other)).data.map(({ id }) => id)).toEqual([others.id])
  for (const query of ['?limit=0', '?limit=1001', '?after_id=x', '?order=name'])
    expect((await get(query, { by: one, in: where })).status).toBe(400)
  const service = await where.serviceKey()
  const asService = { id: '', token: '', headers: { apikey: service } }
  const all = (await list('', asService)).data as (Shown & { user_id: string })[]
  expect(all.map(({ user_id }) => user_id)).toEqual([other.id, one.id, one.id, one.id])
  expect((await get(`/${others.id}`, { by: asService, in: where })).status).toBe(200)
  const ownerless = await store(Buffer.from('x'), { by: asService, in: where })
  expect([ownerless.status, ownerless.body.error.code]).toEqual([403, 'APP_FILE_OWNER_NEEDED'])
})

test('a file that is deleted is gone with its bytes, and deleting it again is a 404', async () => {
  const where = await world.newCloud()
  const by = await signUp(where)
  const { body } = await store(randomBytes(1_000), { by, in: where })
  const [row] = await world.app.db.query<{ storage_key: string }>(
    { text: 'select storage_key from app_files.files where file_id = $1' },
    [body.id],
  )
  expect(await world.app.storage.get(row!.storage_key)).toBeDefined()
  const removed = await get(`/${body.id}`, { by, in: where, method: 'DELETE' })
  expect([removed.status, await removed.json()]).toEqual([200, { id: body.id, deleted: true }])
  expect(await world.app.storage.get(row!.storage_key)).toBeUndefined()
  expect(await countsOf(where)).toEqual({ files: 0, bytes: 0 })
  expect((await get(`/${body.id}`, { by, in: where, method: 'DELETE' })).status).toBe(404)
  expect((await get(`/${body.id}`, { by, in: where })).status).toBe(404)
})

test('the files of a user who is deleted are gone with their bytes, and those of others stay', async () => {
  const where = await world.newCloud()
  const [one, other] = [await signUp(where), await signUp(where)]
  for (const by of [one, one, other]) expect((await store('QUJD', { by, in: where })).status).toBe(201)
  const keysOf = async ({ id }: SignedUp): Promise<string[]> => {
    const text = 'select storage_key from app_files.files where user_id = $1'
    return (await world.app.db.query<{ storage_key: string }>({ text }, [id])).map((row) => row.storage_key)
  }
  const [keys, kept] = [await keysOf(one), await keysOf(other)]
  expect(keys).toHaveLength(2)
  const deleted = await where.client.request('DELETE', `/v1/cloud/${where.id}/users/${one.id}`)
  expect(deleted.status).toBe(200)
  expect(await countsOf(where)).toEqual({ files: 1, bytes: 3 })
  expect(await blobsOf(where)).toEqual({ rows: 1, pending: 0 })
  for (const key of keys) expect(await world.app.storage.get(key)).toBeUndefined()
  expect(await world.app.storage.get(kept[0]!)).toBeDefined()
})

test('while a cloud is being deleted no file comes into it', async () => {
  const where = await world.newCloud()
  const by = await signUp(where)
  await world.app.db.query({ text: "update clouds.clouds set state = 'deleting' where cloud_id = $1" }, [
    where.id,
  ])
  const { status } = await store(Buffer.from('x'), { by, in: where })
  expect(status).toBe(404)
  expect(await blobsOf(where)).toEqual({ rows: 0, pending: 0 })
})

test('paths, methods and ids that are none have a sentence', async () => {
  for (const path of ['/x', '/00000000-0000-7000-8000-000000000000', '/%00', `/${'a'.repeat(5_000)}`])
    expect([path.slice(0, 9), (await get(path)).status]).toEqual([path.slice(0, 9), 404])
  expect((await get('/a/b')).status).toBe(404)
  expect((await get('', { method: 'DELETE' })).status).toBe(405)
  expect((await get('/x', { method: 'PUT' })).status).toBe(405)
  const odd = await visit(cloud.pathUrl, `${new URL(cloud.pathUrl).pathname}/files/%zz`, {
    headers: user.headers,
  })
  expect(odd.status).toBe(404)
})

test('the developer sees what files there are and whose, not what is in them; buckets need what Starter has not', async () => {
  const path = `/v1/cloud/${cloud.id}/storage`
  const { body: stored } = await store('QUJD', { name: 'پنهان' })
  const { body } = await cloud.client.get(`${path}?limit=1`)
  expect(body.data).toMatchObject([{ id: stored.id, user_id: user.id, name: 'پنهان', bytes: 3 }])
  expect(JSON.stringify(body)).not.toContain('QUJD')
  expect(JSON.stringify(body)).not.toContain('storage_key')
  const bucket = await cloud.client.post(path, { name: 'pictures' })
  expect([bucket.status, bucket.body.error.code]).toEqual([403, 'CLOUD_BUCKETS_UNAVAILABLE'])
  expect((await cloud.client.post(path, { name: 'a', file_size_limit: 52_428_801 })).status).toBe(400)
  const stranger = await world.stranger()
  expect((await stranger.client.get(path)).status).toBe(404)
  expect((await stranger.client.post(path, { name: 'pictures' })).status).toBe(404)
})

test('a full disk is said in a sentence, and leaves neither a file nor its count', async () => {
  const before = (await (await get('')).json()) as unknown
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const write = vi.spyOn(world.app.storage, 'put').mockRejectedValueOnce(full)
  const refused = await store(randomBytes(10))
  write.mockRestore()
  expect([refused.status, refused.body.error.code]).toEqual([503, 'SPOOL_FULL'])
  expect(await (await get('')).json()).toEqual(before)
  expect((await store(randomBytes(10))).status).toBe(201)
})
