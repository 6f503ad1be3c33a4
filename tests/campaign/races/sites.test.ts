import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSite, type Site } from '../../crash/site.ts'
import type { Client, Seen } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { remove, settled, siteBody } from '../../sites/published.ts'

const stack = new AsyncDisposableStack()
let site: Site
let servers: ServerProcess[]

beforeAll(async () => {
  site = stack.use(await openSite())
  servers = await Promise.all([site.start(), site.start()])
})
afterAll(() => stack.disposeAsync())

/** As a client does that is told to come again: until it is accepted or refused. */
async function untilAnswered(client: Client, body: object): Promise<Seen> {
  for (;;) {
    const reply = await client.post('/v1/sites', body)
    if (reply.status !== 429) return reply
    await pause(50)
  }
}

test('two processes at the cap of sites: exactly as many are made as a project may have', async () => {
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const sent = Array.from({ length: 24 }, (_, nth) =>
    untilAnswered(clients[nth % 2]!, siteBody(`site ${nth}`)),
  )
  const replies = await Promise.all(sent)
  const refused = replies.filter(({ status }) => status !== 202)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(
    new Set(['403 SITE_LIMIT']),
  )
  const made = replies.filter(({ status }) => status === 202)
  expect(made).toHaveLength(10)
  expect((await clients[0]!.get('/v1/sites?limit=100')).body.data).toHaveLength(10)
  for (const { body } of made) expect(await settled(clients[0]!, body.id)).toMatchObject({ status: 'ready' })
})

test('a slug that many claim at once at two processes becomes that of one site', async () => {
  const people = await Promise.all([site.person(), site.person(), site.person()])
  const clients = people.flatMap((person) => servers.map((server) => site.client(server, person)))
  const replies = await Promise.all(
    clients.map((client) => untilAnswered(client, siteBody('x', { slug: 'fought-over' }))),
  )
  const lost = replies.filter(({ status }) => status !== 202)
  expect(new Set(lost.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(
    new Set(['409 SLUG_TAKEN']),
  )
  expect(lost).toHaveLength(clients.length - 1)
})

test('publications, ways back and a deletion of one site at two processes at once leave one whole site or none', async () => {
  const person = await site.person()
  const [one, other] = servers.map((server) => site.client(server, person)) as [Client, Client]
  const { body: first } = await untilAnswered(one, siteBody('contested'))
  await settled(one, first.id)
  const at = `/v1/sites/${first.id}`
  const changes = Array.from({ length: 8 }, (_, nth) => [
    one.post(at, siteBody('contested', { files: siteBody(`v${nth}`).files })),
    other.post(`${at}/rollback`, nth % 2 ? {} : { version: 1 }),
  ]).flat()
  for (const { status } of await Promise.all(changes)) expect([200, 202, 404, 409, 429]).toContain(status)
  const { versions, live } = await settled(other, first.id)
  expect(versions.filter((version: { live: boolean }) => version.live)).toMatchObject([
    { version: live.version, status: 'ready' },
  ])
  const removals = await Promise.all([
    remove(one, first.id, 'contested'),
    remove(other, first.id, 'contested'),
  ])
  expect(removals.map(({ status }) => status).sort()).toEqual([200, 404])
  const rows = await site.db.query({ text: 'select from sites.versions where site_id = $1' }, [first.id])
  expect(rows).toEqual([])
})
