import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import { until } from '../harness/until.ts'
import {
  bootWebhooks,
  connect,
  connected,
  deliveries,
  delivery,
  happen,
  path,
  type WebhooksWorld,
} from './webhooks-world.ts'

let at: WebhooksWorld
beforeAll(async () => {
  at = await bootWebhooks()
})
afterAll(() => at[Symbol.asyncDispose]())

/** Another project of the same account, where nothing stands yet. */
const elsewhere = async () => {
  const project = await at.world.newProject()
  return { project, key: await at.world.key({ project }) }
}
/** As the contract lists them. */
const eventTypes = [
  'batch.completed',
  'batch.cancelled',
  'agent.lead',
  'agent.handoff',
  'budget.threshold',
  'video.completed',
  'video.failed',
  'realtime.ended',
]

test('a connection is shown whole, and its secret only when it is made', async () => {
  const { key } = await elsewhere()
  const made = await connect(key, at.receiver.url('shown'), eventTypes)
  expect(made.status, made.text).toBe(201)
  const { secret, ...rest } = made.body
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(rest).toEqual({
    id: expect.any(String),
    url: at.receiver.url('shown'),
    events: eventTypes,
    enabled: true,
    disabled_reason: null,
    paused_until: null,
    created_at: expect.any(String),
    updated_at: rest.created_at,
  })
  const again = await key.get(`${path}/${rest.id}`)
  expect(again.body).toEqual(rest)
  expect((await key.get(path)).body).toEqual({ data: [rest] })
  const changed = await key.request('PATCH', `${path}/${rest.id}`, JSON.stringify({ enabled: false }))
  expect(changed.body).toEqual({ ...rest, enabled: false, updated_at: expect.any(String) })
})

test('no secret stands readable in the database, not even in an answer that is kept for a repeat', async () => {
  const { key } = await elsewhere()
  const made = await connect(key, at.receiver.url('sealed'), ['agent.lead'], { 'idempotency-key': 'once' })
  const { id, secret } = made.body
  const rotated = await key.post(`${path}/${id}/rotate-secret`, undefined, { 'idempotency-key': 'twice' })
  expect(rotated.status, rotated.text).toBe(200)
  const again = await connect(key, at.receiver.url('sealed'), ['agent.lead'], { 'idempotency-key': 'once' })
  expect(again.text).toBe(made.text)
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('x-request-id')).toBe(made.headers.get('x-request-id'))
  const rotatedAgain = await key.post(`${path}/${id}/rotate-secret`, undefined, {
    'idempotency-key': 'twice',
  })
  expect(rotatedAgain.text).toBe(rotated.text)
  const other = await connect(key, at.receiver.url('other'), ['agent.lead'], { 'idempotency-key': 'once' })
  expectRefusal(other, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  expect((await key.get(path)).body.data).toHaveLength(1)

  const stored = await at.world.app.db.query<{ text: string }>(
    {
      text: 'select c::text as text from webhooks.connections c union all select r::text from ledger.replies r',
    },
    [],
  )
  for (const one of [secret, rotated.body.secret])
    for (const { text } of stored) expect(text).not.toContain(one.slice('whsec_'.length, -1))
})

test('a change of nothing, and one to an address that is not public, are refused', async () => {
  const { id } = await connected(at, 'unchanged')
  const patch = (body: unknown) => at.key.request('PATCH', `${path}/${id}`, JSON.stringify(body))
  expectRefusal(await patch({}), { status: 400, code: 'INVALID_REQUEST' })
  const param = 'url'
  expectRefusal(await patch({ url: 'https://10.0.0.1/' }), { status: 400, code: 'INVALID_REQUEST', param })
  // No event of which a connection is told.
  const ping = { url: at.receiver.url('ping'), events: ['ping'] }
  const refused = { status: 400, code: 'INVALID_REQUEST', param: 'events.0' }
  expectRefusal(await at.key.post(path, ping), refused)
  await at.key.request('DELETE', `${path}/${id}`)
})

test('a url of 2,048 characters is taken', async () => {
  const { key } = await elsewhere()
  const url = at.receiver.url('a'.repeat(2048 - at.receiver.url('').length))
  expect((await connect(key, url)).status).toBe(201)
})

describe('an address that is not on the public internet is refused in every spelling', () => {
  test.each([
    'http://hook.test/',
    'ftp://hook.test/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'hook.test',
    '//hook.test/',
    'https://',
    'https://user:word@hook.test/',
    'https://hook.test:0/',
    'https://hook.test:22/',
    'https://hook.test:6379/',
    'https://localhost/',
    'https://localhost./',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[ff02::1]/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://198.18.0.1/',
    'https://192.0.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://inside.test/',
    'https://both.test/',
    'https://unknown.test/',
    'https://intranet/',
    'https://intranet./',
    'https://hooks.internal/',
    'https://printer.local/',
    'https://router.home.arpa./',
    'https://a.localhost/',
  ])('%s', async (url) => {
    const refused = await connect(at.key, url)
    expectRefusal(refused, { status: 400, code: 'INVALID_REQUEST', param: 'url' })
  })
})

test('a public name that cannot be found now is taken, and judged when something is sent there', async () => {
  const { key } = await elsewhere()
  const made = await connect(key, 'https://not-yet.example.com/hook')
  expect(made.status, made.text).toBe(201)
  expect((await key.request('POST', `${path}/${made.body.id}/test`, '{}')).status).toBe(202)
  const failed = await delivery(key, made.body.id, ({ status }) => status === 'failed')
  expect(failed).toMatchObject({ http_status: null, error: 'dns' })
})

test('a project has ten connections and no eleventh, even when twenty are made at once', async () => {
  const { key } = await elsewhere()
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      connect(key, at.receiver.url(`crowd-${n}`), ['agent.lead'], { 'idempotency-key': `crowd-${n}` }),
    ),
  )
  expect(all.filter(({ status }) => status === 201)).toHaveLength(10)
  for (const one of all.filter(({ status }) => status !== 201))
    expectRefusal(one, { status: 403, code: 'TOO_MANY_WEBHOOKS' })
  expect((await key.get(path)).body.data).toHaveLength(10)
  // A repeat of one of the ten is answered as before; a refused one did not burn its key.
  const [taken, refused] = [
    all.findIndex(({ status }) => status === 201),
    all.findIndex(({ status }) => status !== 201),
  ]
  const repeat = (n: number) =>
    connect(key, at.receiver.url(`crowd-${n}`), ['agent.lead'], { 'idempotency-key': `crowd-${n}` })
  expect((await repeat(taken)).text).toBe(all[taken]!.text)
  expect((await key.request('DELETE', `${path}/${all[taken]!.body.id}`)).status).toBe(200)
  expect((await repeat(refused)).status).toBe(201)
  expectRefusal(await connect(key, at.receiver.url('eleventh')), { status: 403, code: 'TOO_MANY_WEBHOOKS' })
})

test('a report has nothing of another project’s or account’s, by whichever filter', async () => {
  const { id } = await connected(at, 'mine')
  await happen(at)
  const { id: deliveryId } = await delivery(at.key, id, ({ status }) => status === 'delivered')
  const { key } = await elsewhere()
  const { client } = await at.world.stranger()
  for (const who of [key, client]) {
    expect(await deliveries(who, { webhook_id: id })).toEqual([])
    expect(await deliveries(who, { after_id: deliveryId })).toEqual([])
  }
  await at.key.request('DELETE', `${path}/${id}`)
})

test('the report is newest first, in pages, and can be narrowed', async () => {
  const { project, key } = await elsewhere()
  const here = { ...at, key }
  const { id } = await connected(here, 'paged', 'agent.lead', 'agent.handoff')
  for (let n = 0; n < 5; n++) await happen(at, 1, n === 3 ? 'agent.handoff' : 'agent.lead', project)
  await until(async () => (await deliveries(key, { status: 'delivered' })).length === 5)
  const all = await deliveries(key)
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  )
  const pages: string[] = []
  let query = `limit=2`
  for (;;) {
    const { body } = await key.get(`${path}/deliveries?${query}`)
    pages.push(...body.data.map(({ id }: { id: string }) => id))
    expect(body.last_id).toBe(pages.at(-1))
    if (!body.has_more) break
    query = `limit=2&after_id=${body.last_id}`
  }
  expect(pages).toEqual(all.map(({ id }) => id))
  expect(await deliveries(key, { event: 'agent.handoff' })).toHaveLength(1)
  expect(await deliveries(key, { status: 'failed' })).toEqual([])
  expect(await deliveries(key, { webhook_id: id })).toHaveLength(5)
  expect(await deliveries(key, { event_id: all[0].event_id })).toEqual([all[0]])
})

test('an account’s event reaches all its projects, a project’s only its own, and no other account', async () => {
  const { project, key } = await elsewhere()
  const mine = await connected(at, 'budget', 'budget.threshold')
  const theirs = await connected({ ...at, key }, 'budget', 'budget.threshold')
  const { account, client } = await at.world.stranger()
  const strange = (await connect(client, at.receiver.url('strange'), ['budget.threshold'])).body
  expect(account).not.toBe(at.world.account)
  const put = (projectId: string | null, scope: string) =>
    at.world.app.db.query(
      {
        text: `insert into events.outbox (account_id, project_id, type, data) values ($1, $2, 'budget.threshold', $3)`,
      },
      [at.world.account, projectId, JSON.stringify({ scope })],
    )
  await put(null, 'account')
  await put(project, 'project')
  await put(null, 'key')
  await until(
    async () => (await deliveries(key, { webhook_id: theirs.id, status: 'delivered' })).length === 2,
  )
  await delivery(at.key, mine.id, ({ status }) => status === 'delivered')
  expect(await deliveries(at.key, { webhook_id: mine.id })).toHaveLength(1)
  expect(await deliveries(client, { webhook_id: strange.id })).toEqual([])
  const wide = at.receiver.got('budget').map(({ body }) => JSON.parse(body))
  expect(wide.map(({ project_id, data }) => [project_id, data.scope]).toSorted()).toEqual(
    [
      [null, 'account'],
      [null, 'account'],
      [project, 'project'],
    ].toSorted(),
  )
  for (const { id } of [mine, theirs]) await at.key.request('DELETE', `${path}/${id}`)
})

test('a repeat gets the answer of the first, whatever would refuse it by now', async () => {
  const { key } = await elsewhere()
  const headers = { 'idempotency-key': 'rotate' }
  const made = await connect(key, at.receiver.url('repeated'), ['agent.lead'], { 'idempotency-key': 'make' })
  const rotate = () => key.request('POST', `${path}/${made.body.id}/rotate-secret`, undefined, headers)
  const rotated = await rotate()
  await key.request('DELETE', `${path}/${made.body.id}`)
  expect((await rotate()).text).toBe(rotated.text)
  const again = await connect(key, at.receiver.url('repeated'), ['agent.lead'], { 'idempotency-key': 'make' })
  expect(again.text).toBe(made.text)
  expect((await key.get(path)).body.data).toEqual([])
  // The same key with another body is a conflict, even where that body would be refused.
  const other = await connect(key, 'https://10.0.0.1/', ['agent.lead'], { 'idempotency-key': 'make' })
  expectRefusal(other, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
})
