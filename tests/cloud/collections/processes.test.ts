import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSite, type Site } from '../../crash/site.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { isNotDone, untilDone } from '../sent-again.ts'

const stack = new AsyncDisposableStack()
let site: Site
let servers: ServerProcess[]
let clients: Client[]
let start: () => Promise<ServerProcess>
/** How many rows, bytes and collections a cloud may have here. */
const limits = { rows: 60, row_bytes: 4_000, collections: 5 }

beforeAll(async () => {
  site = stack.use(await openSite())
  const config = `clouds: { clouds_per_project: 10, rows: ${limits.rows}, row_bytes: ${limits.row_bytes}, collections: ${limits.collections} }`
  const env = { KHERAD_LOG_LEVEL: 'warn', KHERAD_DATA: site.dataDir }
  start = async () => stack.use(await startProcess({ databaseUrl: site.databaseUrl, config, env }))
  servers = await Promise.all([start(), start()])
  const person = await site.person()
  clients = servers.map((server) => site.client(server, person))
})
afterAll(() => stack.disposeAsync())

interface Cloud {
  id: string
  key: string
  /** Of the app, at each process. */
  urls: string[]
}

async function newCloud(at = servers): Promise<Cloud> {
  const { body } = await clients[0]!.post('/v1/cloud', { name: 'race', plan: 'starter' })
  const { body: key } = await clients[0]!.post(`/v1/cloud/${body.id}/keys`, { kind: 'service' })
  const urls = at.map(({ appsUrl }) => `${appsUrl}/_cloud/${body.ref}/rest/v1`)
  const rows = { action: 'create_collection', name: 'rows' }
  const made = await untilDone(() => clients[0]!.post(`/v1/cloud/${body.id}/database`, rows))
  expect(made.status, made.text).toBe(200)
  return { id: body.id, key: key.secret, urls }
}

/** Sent again, as clients do, where a busy machine did nothing of it. */
const write = (cloud: Cloud, nth: number, method: string, path: string, body?: unknown) =>
  until(async () => {
    const reply = await fetch(`${cloud.urls[nth % 2]}${path}`, {
      method,
      headers: {
        apikey: cloud.key,
        'content-type': 'application/json',
        ...(path.includes('select=') && { prefer: 'return=representation' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    return isNotDone(text) ? undefined : { status: reply.status, text }
  })

/** The counts of a cloud, having seen that they are what its rows are. */
async function recounted({ id }: Cloud): Promise<{ rows: number; bytes: number }> {
  const [row] = await site.db.query<Record<'rows' | 'bytes' | 'counted' | 'measured', bigint>>(
    {
      text: `select c.rows, c.bytes, count(r.row_id) as counted, coalesce(sum(octet_length(r.data::text)), 0)::bigint as measured
        from collections.counts c left join collections.rows r on r.cloud_id = c.cloud_id where c.cloud_id = $1 group by c.rows, c.bytes`,
    },
    [id],
  )
  expect({ rows: row!.rows, bytes: row!.bytes }).toEqual({ rows: row!.counted, bytes: row!.measured })
  return { rows: Number(row!.rows), bytes: Number(row!.bytes) }
}

const times = <Result>(count: number, work: (nth: number) => Result): Result[] =>
  Array.from({ length: count }, (_, nth) => work(nth))

/** Rows whose insertion is answered whole travel in groups, others each in a transaction of its own. */
const ways = ['/rows', '/rows?select=id']

test('two processes at the limit of rows: exactly as many are written, alone and several at once', async () => {
  const cloud = await newCloud()
  const insert = (nth: number, body: unknown = {}) => write(cloud, nth, 'POST', ways[nth % 3 ? 0 : 1]!, body)
  const sent = times(70, (nth) => insert(nth, nth % 5 ? { n: nth } : [{ n: 1 }, { n: 2 }]))
  const refused = (await Promise.all(sent)).filter(({ status }) => status !== 201)
  const full = { status: 403, text: expect.stringContaining('ROW_LIMIT') }
  expect(refused.length).toBeGreaterThan(10)
  expect(refused).toEqual(refused.map(() => full))
  // The last one that was refused may have been two.
  if ((await recounted(cloud)).rows === limits.rows - 1) expect((await insert(0)).status).toBe(201)
  for (const way of ways) {
    expect(await write(cloud, 0, 'POST', way, {})).toEqual(full)
    const [{ id }] = JSON.parse((await write(cloud, 0, 'GET', '/rows?select=id&limit=1')).text)
    expect((await write(cloud, 0, 'DELETE', `/rows?id=eq.${id}`)).status).toBe(204)
    expect(await write(cloud, 0, 'POST', way, [{}, {}])).toEqual(full)
    expect((await write(cloud, 1, 'POST', way, {})).status).toBe(201)
    expect(await write(cloud, 1, 'POST', way, {})).toEqual(full)
    expect((await recounted(cloud)).rows).toBe(limits.rows)
  }
})

test('two processes at the limit of bytes: inserts and updates never pass it, to the byte', async () => {
  const cloud = await newCloud()
  const hundred = { a: 'x'.repeat(100 - '{"a": ""}'.length) }
  const ids = times(10, (nth) => `018f0000-0000-7000-8000-00000000000${nth}`)
  await write(
    cloud,
    0,
    'POST',
    '/rows',
    ids.map((id) => ({ id, n: 1 })),
  )
  const sent = times(80, (nth) => {
    if (nth % 4 === 0)
      return write(cloud, nth / 4, 'PATCH', `/rows?id=eq.${ids[nth % 10]}`, { b: 'y'.repeat(50) })
    return write(cloud, nth, 'POST', '/rows', hundred)
  })
  const replies = await Promise.all(sent)
  expect(replies.some(({ text }) => text.includes('ROW_BYTES_LIMIT'))).toBe(true)
  const { bytes } = await recounted(cloud)
  expect(bytes).toBeLessThanOrEqual(limits.row_bytes)
  expect(bytes).toBeGreaterThan(limits.row_bytes - 100)
  const rest = limits.row_bytes - bytes
  const fill = (length: number, way = ways[0]!) =>
    write(cloud, 0, 'POST', way, { a: 'x'.repeat(length - '{"a": ""}'.length) })
  if (rest > 10) {
    for (const way of ways) expect((await fill(rest + 1, way)).status).toBe(403)
    expect((await fill(rest)).status).toBe(201)
    expect((await recounted(cloud)).bytes).toBe(limits.row_bytes)
  }
})

test('two processes at the limit of collections: exactly as many are made, and one of a name', async () => {
  const cloud = await newCloud()
  const make = (nth: number, name: string): Promise<Seen> =>
    untilDone(() =>
      clients[nth % 2]!.post(`/v1/cloud/${cloud.id}/database`, { action: 'create_collection', name }),
    )
  const same = await Promise.all(times(6, (nth) => make(nth, 'same')))
  expect(same.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  const replies = await Promise.all(times(12, (nth) => make(nth, `c${nth}`)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(limits.collections - 2)
  const others = replies.filter(({ status }) => status !== 200)
  expect(new Set(others.map(({ body }) => body.error.code))).toEqual(new Set(['COLLECTION_LIMIT']))
})

test('a collection that is deleted while rows are written leaves neither rows nor counts', async () => {
  const cloud = await newCloud()
  const writes = times(40, (nth) => write(cloud, nth, 'POST', '/rows', { n: nth }))
  const gone = await untilDone(() => clients[1]!.request('DELETE', `/v1/cloud/${cloud.id}/collections/rows`))
  expect(gone.status).toBe(200)
  for (const { status } of await Promise.all(writes)) expect([201, 404]).toContain(status)
  expect(await recounted(cloud)).toEqual({ rows: 0, bytes: 0 })
  expect((await write(cloud, 0, 'POST', '/rows', {})).status).toBe(404)
  const again = { action: 'create_collection', name: 'rows' }
  const made = await untilDone(() => clients[1]!.post(`/v1/cloud/${cloud.id}/database`, again))
  expect(made.status, made.text).toBe(200)
  expect((await write(cloud, 0, 'POST', '/rows', {})).status).toBe(201)
})

test('a process that is killed while it writes loses no row that it answered for, and counts stay what rows are', async () => {
  const mortal = await start()
  const cloud = await newCloud([servers[0]!, mortal])
  /** Those whose insertion was answered with success. */
  const answered = new Set<string>()
  let isKilled = false
  const work = async (nth: number): Promise<void> => {
    for (let round = 0; ; round++) {
      const id = `018f0000-0000-7000-8000-${String(nth * 1000 + round).padStart(12, '0')}`
      const made = await write(cloud, 1, 'POST', '/rows', { id, round })
      if (made.status === 201) answered.add(id)
      await write(cloud, 1, 'PATCH', `/rows?id=eq.${id}`, { more: 'x'.repeat(round) })
      // Leaves room for the others, until enough are there. A deletion may be done and not answered.
      if (round % 3 === 2 && !isKilled && answered.delete(id))
        await write(cloud, 1, 'DELETE', `/rows?id=eq.${id}`)
      if (answered.size <= 20) continue
      isKilled = true
      await mortal.kill()
    }
  }
  await Promise.allSettled(times(8, work))
  await recounted(cloud)
  const there = await site.db.query<{ row_id: string }>(
    { text: 'select row_id from collections.rows where cloud_id = $1' },
    [cloud.id],
  )
  const ids = new Set(there.map(({ row_id }) => row_id))
  expect([...answered].filter((id) => !ids.has(id))).toEqual([])
  expect(answered.size).toBeGreaterThan(20)
})
