/** How the body of a publication comes in: by way of the disk, within its bound, and nothing of it stays. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServer } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { requestOf, Wire } from '../contract/wire.ts'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'

/** Of the standard limits: `publicationBytes`. */
const bodyLimit = 32_000_000
const sites = '/v1/sites'

let world: World
let key: Client
beforeAll(async () => {
  // Each publication of a test is a site of its own.
  world = await boot({ config: 'sites: { sites_per_project: 1000, files: 500 }' })
  key = await world.key()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const file = (at: string, content: string | Buffer = at) => ({
  path: at,
  content: Buffer.from(content as string).toString('base64'),
  encoding: 'base64',
})
const index = file('index.html', '<h1>سلام</h1>')
const body = (more: object = {}) => ({ name: 'a site', confirm_public: true, files: [index], ...more })

/** What stands in the spool of this world. */
async function spooled(of = world): Promise<string[]> {
  const folder = path.resolve(of.app.config.dataDir, 'spool')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
const nothingSpooled = (of = world) => until(async () => (await spooled(of)).length === 0)

/** Whoever has published something has it ready, and nothing of it is in the way of the next test. */
async function ready(id: string, of = key): Promise<Record<string, unknown>> {
  return until(async () => {
    const { body: site } = await of.get(`${sites}/${id}`)
    return site.status === 'publishing' ? undefined : site
  })
}

/** A publication with so many bytes of white space at its end. */
function padded(bytes: number): Buffer {
  const padding = Buffer.alloc(bytes, ' ')
  padding.write(JSON.stringify(body()))
  return padding
}

const authorized = (headers: Record<string, string> = {}) => ({
  authorization: `Bearer ${key.secret}`,
  'content-type': 'application/json',
  ...headers,
})

describe('the bound of the body', () => {
  test('is met exactly, and beyond it the answer is 413 on a connection that serves the next request', async () => {
    await using wire = await Wire.open(world.url)
    await wire.write(requestOf('POST', sites, authorized(), padded(bodyLimit)))
    const accepted = await wire.next()
    expect(accepted.status, accepted.text).toBe(202)
    await wire.write(requestOf('POST', sites, authorized(), padded(bodyLimit + 1)))
    expectRefusal(await wire.next(), { status: 413, code: 'BODY_TOO_LARGE' })
    await wire.write(requestOf('GET', `${sites}/${accepted.body.id}`, authorized()))
    expect((await wire.next()).status).toBe(200)
    await ready(accepted.body.id)
    await nothingSpooled()
  })

  test('counts what comes without a length too, and nothing beyond it is written', async () => {
    await using wire = await Wire.open(world.url)
    const head = Object.entries({ host: 'test', ...authorized(), 'transfer-encoding': 'chunked' })
    await wire.write(
      `POST ${sites} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    const chunk = Buffer.alloc(1_000_000, ' ')
    for (let sent = 0; sent < 33; sent++)
      await wire.write(
        Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
      )
    // Before the end of the body, what came of it is gone.
    await nothingSpooled()
    await wire.write('0\r\n\r\n')
    expectRefusal(await wire.next(), { status: 413, code: 'BODY_TOO_LARGE' })
    await wire.write(requestOf('POST', sites, authorized(), JSON.stringify(body())))
    const accepted = await wire.next()
    expect(accepted.status, accepted.text).toBe(202)
    await ready(accepted.body.id)
  })

  test('follows the limits that the operator has set', async () => {
    const config = 'sites: { files: 1, total_bytes: 1000, file_bytes: 1000 }'
    await using small = await boot({ config })
    const client = await small.key()
    const of = (bytes: number) => padded(bytes).toString()
    expect((await client.request('POST', sites, of(9_400))).status).toBe(202)
    expectRefusal(await client.request('POST', sites, of(9_401)), { status: 413, code: 'BODY_TOO_LARGE' })
    const files = [file('index.html', 'x'.repeat(1_001))]
    expectRefusal(await client.post(sites, body({ files })), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'files.0.content',
    })
  })
})

describe('what is refused leaves nothing behind', () => {
  test.each([
    ['no JSON', '{', { status: 400, code: 'INVALID_JSON' }],
    ['no body', '', { status: 400, code: 'INVALID_JSON' }],
    ['no object', '[]', { status: 400, code: 'INVALID_REQUEST' }],
    ['nothing confirmed', { confirm_public: 1 }, { status: 400, code: 'CONFIRM_PUBLIC_REQUIRED', param: 'confirm_public' }],
    ['a wrong path', { files: [index, file('../x')] }, { status: 400, code: 'INVALID_REQUEST', param: 'files.1.path' }],
    ['a wrong content', { files: [{ ...index, content: 'QQ' }] }, { status: 400, code: 'INVALID_REQUEST', param: 'files.0.content' }],
    ['a hash of nothing', { files: [index, { path: 'a', sha256: '0'.repeat(64) }] }, { status: 400, code: 'SITE_FILE_NOT_KEPT', param: 'files.1.sha256' }],
  ])('%s', async (_, more, refusal) => {
    const text = typeof more === 'string' ? more : JSON.stringify(body(more))
    const seen = await key.request('POST', sites, text, { 'accept-language': 'fa' })
    expectRefusal(seen, refusal)
    expect(seen.body.error.message).toMatch(/[\u0600-\u06ff]/)
    await nothingSpooled()
  }) // biome-ignore format: a table

  test('a compressed body, which is not unpacked', async () => {
    const seen = await key.request('POST', sites, JSON.stringify(body()), { 'content-encoding': 'gzip' })
    expectRefusal(seen, { status: 400, code: 'INVALID_REQUEST', param: 'Content-Encoding' })
    await nothingSpooled()
  })

  test('a caller without the scope, whose body is not even written', async () => {
    const reader = await world.key({ scopes: ['cloud:read'] })
    await using wire = await Wire.open(world.url)
    const headers = {
      ...authorized(),
      authorization: `Bearer ${reader.secret}`,
      'content-length': '20000000',
    }
    await wire.write(requestOf('POST', sites, headers, JSON.stringify(body())))
    expectRefusal(await wire.next(), { status: 403, code: 'INSUFFICIENT_SCOPE' })
    expect(await spooled()).toEqual([])
  })

  test('a sender who leaves in the middle', async () => {
    const wire = await Wire.open(world.url)
    await wire.write(
      requestOf('POST', sites, authorized({ 'content-length': '20000000' }), ' '.repeat(5_000_000)),
    )
    await until(async () => (await spooled()).length === 1)
    await wire[Symbol.asyncDispose]()
    await nothingSpooled()
  })

  test('a spool without room, which says when to come back', async () => {
    await using small = await boot({ config: 'files: { spool_mb: 1 }' })
    const client = await small.key()
    await using wire = await Wire.open(small.url)
    const headers = authorized({ authorization: `Bearer ${client.secret}` })
    await wire.write(requestOf('POST', sites, headers, padded(1_200_000)))
    const full = await wire.next()
    expectRefusal(full, { status: 503, code: 'SPOOL_FULL' })
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
    await nothingSpooled(small)
    await wire.write(requestOf('POST', sites, headers, JSON.stringify(body())))
    expect((await wire.next()).status).toBe(202)
  })
})

test('a repeat under the same Idempotency-Key is the same bytes: then it is answered again, else it is a conflict', async () => {
  const text = JSON.stringify(body({ name: 'once' }))
  const headers = { 'Idempotency-Key': 'version 1' }
  const first = await key.request('POST', sites, text, headers)
  expect(first.status, first.text).toBe(202)
  const again = await key.request('POST', sites, text, headers)
  expect([again.status, again.text]).toEqual([202, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expectRefusal(await key.request('POST', sites, `${text} `, headers), {
    status: 409,
    code: 'IDEMPOTENCY_CONFLICT',
  })
  await ready(first.body.id)
  const { body: list } = await key.get(`${sites}?limit=100`)
  expect(list.data.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1)
  await nothingSpooled()
})

test('a body may take as long as an upload, and not only as long as any other request', async () => {
  await using server = await openServer({
    app: world.app,
    routes,
    host: '127.0.0.1',
    port: 0,
    timeouts: { headersMs: 60_000, requestMs: 2_000, uploadMs: 60_000, checkMs: 50 },
  })
  const text = JSON.stringify(body())
  const half = async (path: string) => {
    const wire = await Wire.open(server.url)
    const headers = authorized({ 'content-length': String(Buffer.byteLength(text)) })
    await wire.write(requestOf('POST', path, headers, text.slice(0, 10)))
    return wire
  }
  await using slow = await half(sites)
  // One that began later is over its time.
  await using other = await half('/v1/chat/completions')
  expectRefusal(await other.next(), { status: 408, code: 'REQUEST_TIMEOUT' })
  await slow.write(text.slice(10))
  const accepted = await slow.next()
  expect(accepted.status, accepted.text).toBe(202)
  await ready(accepted.body.id)
})

describe('as many as the operator allows are checked at once', () => {
  /** Holds every look at what is kept, until it is disposed of. */
  async function heldLooks(): Promise<AsyncDisposable> {
    const held = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const locking = world.app.db.tx(async (tx) => {
      await sql`lock table sites.files in access exclusive mode`.execute(tx)
      held.resolve()
      await over.promise
    })
    await Promise.race([held.promise, locking])
    return {
      async [Symbol.asyncDispose]() {
        over.resolve()
        await locking
      },
    }
  }

  /** How many wait for a look at what is kept; in the databases of other tests the table has the same number. */
  async function looking(): Promise<number> {
    const { rows } = await sql<{ count: string }>`select count(*) from pg_locks
      where database = (select oid from pg_database where datname = current_database()) and relation = 'sites.files'::regclass and not granted`.execute(
      world.app.db.kysely,
    )
    return Number(rows[0]!.count)
  }

  test('a further one gets 429 and when to come back, and is checked after them', async () => {
    const { body: site } = await key.post(sites, body({ name: 'kept' }))
    await ready(site.id)
    const { body: files } = await key.get(`${sites}/${site.id}/files`)
    const changed = body({ name: 'kept', files: [{ path: 'index.html', sha256: files.data[0].sha256 }] })
    await using looks = await heldLooks()
    const two = [key.post(`${sites}/${site.id}`, changed), key.post(`${sites}/${site.id}`, changed)]
    await until(async () => (await looking()) === 2)
    const busy = await key.post(sites, body())
    expectRefusal(busy, { status: 429, code: 'PUBLICATIONS_BUSY' })
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0)
    await looks[Symbol.asyncDispose]()
    for (const seen of await Promise.all(two)) expect(seen.status, seen.text).toBe(202)
    const next = await key.post(sites, body())
    expect(next.status, next.text).toBe(202)
    await ready(next.body.id)
    await ready(site.id)
    await nothingSpooled()
  })
})

test('the reference shows the shape of a body that no schema has read', async () => {
  const { body: document } = await key.get('/openapi.json')
  const { requestBody, responses } = document.paths[sites].post
  expect(requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/SiteBody' })
  expect(responses[503].description).toContain('SPOOL_FULL')
  expect(responses[503].description).not.toContain('TOO_MUCH_IN_FLIGHT')
  expect(responses[429].description).toContain('PUBLICATIONS_BUSY')
})
