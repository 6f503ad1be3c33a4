import { afterAll, beforeAll, expect, test } from 'vitest'
import { tablesWith } from '../../cloud/clouds/filled.ts'
import { answering, onceTested } from '../../cloud/functions/scene.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { openSite, type Site } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { siteBody } from '../../sites/published.ts'

const stack = new AsyncDisposableStack()
let site: Site
let servers: ServerProcess[]

beforeAll(async () => {
  site = stack.use(await openSite())
  servers = await Promise.all([site.start(), site.start()])
})
afterAll(() => stack.disposeAsync())

const create = (client: Client, name: string) => client.post('/v1/cloud', { name, plan: 'starter' })
const remove = (client: Client, id: string, confirm: string) =>
  client.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm }))
const codes = (replies: readonly { status: number; body: { error?: { code: string } } }[]) =>
  new Set(replies.map(({ status, body }) => `${status} ${body.error?.code}`))

test('two processes at the limit of clouds: a project gets exactly three, also while others are deleted', async () => {
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const race = () =>
    Promise.all(Array.from({ length: 16 }, (_, nth) => create(clients[nth % 2]!, `cloud ${nth}`)))
  const replies = await race()
  const made = replies.filter(({ status }) => status === 201)
  expect(made).toHaveLength(3)
  expect(codes(replies.filter(({ status }) => status !== 201))).toEqual(new Set(['403 CLOUD_LIMIT']))
  const [{ id, name }] = made.map(({ body }) => body)
  expect((await remove(clients[0]!, id, name)).status).toBe(200)
  expect((await race()).filter(({ status }) => status === 201)).toHaveLength(1)
})

test('creations with one idempotency key at two processes make one cloud', async () => {
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const send = (client: Client) =>
    client.post('/v1/cloud', { name: 'once', plan: 'starter' }, { 'idempotency-key': 'once' })
  const replies = await Promise.all(Array.from({ length: 8 }, (_, nth) => send(clients[nth % 2]!)))
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
  expect((await clients[0]!.get('/v1/cloud')).body.data).toHaveLength(1)
})

test('what is done to a cloud while another process deletes it is done or refused, and nothing of it is left', async () => {
  const person = await site.person()
  const [one, other] = servers.map((server) => site.client(server, person)) as [Client, Client]
  const { id } = (await create(one, 'contested')).body
  const changes = [
    ...Array.from({ length: 6 }, (_, nth) =>
      one.post('/v1/sites', { ...siteBody(`site ${nth}`), cloud_id: id }),
    ),
    ...Array.from({ length: 6 }, () => other.post(`/v1/cloud/${id}/keys`, { kind: 'service' })),
    remove(other, id, 'contested'),
    remove(one, id, 'contested'),
  ]
  for (const { status, text } of await Promise.all(changes))
    expect([200, 201, 202, 404, 409, 429], text).toContain(status)
  for (const client of [one, other])
    await until(async () => (await client.get(`/v1/cloud/${id}`)).status === 404)
  expect(await tablesWith(site, id)).toEqual([])
})

test.runIf(await hasJail())(
  'what runs of a cloud at one process ends when another one deletes it',
  async () => {
    const person = await site.person()
    const [one, other] = servers.map((server) => site.client(server, person)) as [Client, Client]
    const { id, ref } = (await create(one, 'running')).body
    const code = { name: 'f', code: answering('here'), verify_jwt: false }
    expect((await onceTested(() => one.post(`/v1/cloud/${id}/functions`, code))).status).toBe(201)
    const running = async ({ url }: ServerProcess) =>
      Number(/^kherad_function_processes (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0)
    for (const server of servers) {
      const call = () => fetch(`${server.appsUrl}/_cloud/${ref}/functions/v1/f`).then((reply) => reply.text())
      await until(async () => (await call()) === 'here')
      await until(async () => (await running(server)) === 1)
    }
    expect((await remove(other, id, 'running')).status).toBe(200)
    // By themselves they end after a minute.
    for (const server of servers) await until(async () => (await running(server)) === 0)
  },
)

test('a key that is rotated at one process is refused at the other, and the new one accepted, within moments', async () => {
  const person = await site.person()
  const [one, other] = servers.map((server) => site.client(server, person)) as [Client, Client]
  const { id, ref } = (await create(one, 'rotated')).body
  const at = (key: string) =>
    fetch(`${servers[1]!.appsUrl}/_cloud/${ref}/rest/v1/nothing`, { headers: { apikey: key } }).then(
      ({ status }) => status,
    )
  const publicKey = (await other.get(`/v1/cloud/${id}/connection`)).body.public_key
  await until(async () => (await at(publicKey)) === 404)
  const fresh = (await one.post(`/v1/cloud/${id}/keys`, { kind: 'public' })).body.secret
  await until(async () => (await at(publicKey)) === 401)
  expect(await at(fresh)).toBe(404)
})

test('an export that is imported at two processes at once is there once', async () => {
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const { id } = (await create(clients[0]!, 'imported')).body
  const lines = [
    { type: 'cloud', version: 1, name: 'x', exported_at: '2026-01-01T00:00:00Z' },
    ...['a', 'b', 'c'].map((name) => ({ type: 'collection', name, public_read: true })),
    { type: 'end', lines: 5 },
  ]
  const replies = await Promise.all(
    Array.from({ length: 6 }, async (_, nth) => {
      const form = new FormData()
      form.set('export', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'x.jsonl')
      const { url, secret } = clients[nth % 2]!
      const headers = { authorization: `Bearer ${secret}` }
      const reply = await fetch(`${url}/v1/cloud/${id}/import`, { method: 'POST', headers, body: form })
      return { status: reply.status, body: (await reply.json()) as { error?: { code: string } } }
    }),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of replies)
    if (status !== 200) expect(body.error?.code).toMatch(/^CLOUD_(IMPORTING|NOT_EMPTY)$/)
  expect((await clients[1]!.get(`/v1/cloud/${id}`)).body.usage.collections.used).toBe(3)
})
