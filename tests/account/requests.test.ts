import { expect, test } from 'vitest'
import { setMember } from '#account/people'
import { uuidv7 } from '#platform/ids'
import type { Client, Seen } from '../harness/client.ts'
import { newManagementKey, newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

const ask = (client: Client, headers: Record<string, string> = {}, model = 'sandbox/fast'): Promise<Seen> =>
  client.chat({ model, max_tokens: 50, messages: [{ role: 'user', content: 'سلام' }] }, headers)

const idOf = (reply: Seen): string => reply.headers.get('x-request-id')!
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')
const list = (client: Client, query: Record<string, string> = {}): Promise<Seen> =>
  client.get(`/v1/requests?${new URLSearchParams(query)}`)
const idsOf = ({ body }: Seen): string[] => body.data.map((row: { id: string }) => row.id)

/** The ids of all pages. */
async function pagesOf(client: Client, query: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const reply = await list(client, { ...query, ...(after !== undefined && { after }) })
    expect(reply.status).toBe(200)
    ids.push(...idsOf(reply))
    if (!reply.body.has_more) return ids
    after = reply.body.next_after
  }
}

/** Another project of the account with calls of its own, and a member who may see it alone. */
async function twoProjects(world: World) {
  const other = await world.newProject()
  const [here, there] = [await world.key(), await world.key({ project: other })]
  const headers = { 'x-customer-id': 'acme', 'x-reference-id': 'june', 'idempotency-key': 'one' }
  const [mine, theirs] = [idOf(await ask(here, headers)), idOf(await ask(there, headers))]
  await world.settled()
  const owner = await newMember(world, 'admin')
  const limited = await newMember(world, 'viewer', { projects: [other], project: other })
  return { other, here, there, mine, theirs, owner, limited }
}

test('every filter selects the calls that have its value, and an unknown value none', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const [one, two] = [await world.key(), await world.key()]
  await ask(one, { 'x-customer-id': 'acme', 'x-reference-id': 'june', 'idempotency-key': 'order-1' })
  await ask(two, { 'x-customer-id': 'other' })
  await ask(two, { 'x-reference-id': 'june' }, 'sandbox/reasoner')
  await one.post('/v1/embeddings', { model: 'sandbox/embedding', input: 'سلام' })
  await ask(one, {}, 'sandbox/fast')
  await world.settled()
  const { data } = (await list(one)).body
  expect(data).toHaveLength(5)
  type Row = Record<string, string | number>
  const expected = (matches: (row: Row) => boolean) => data.filter(matches).map((row: Row) => row['id'])
  const cost = Number(data[0].microcredits)
  const filters: [Record<string, string>, (row: Row) => boolean][] = [
    [{ model: 'sandbox/reasoner' }, (row) => row['model'] === 'sandbox/reasoner'],
    [{ key_id: data[0].key_id }, (row) => row['key_id'] === data[0].key_id],
    [{ customer_id: 'acme' }, (row) => row['customer_id'] === 'acme'],
    [{ reference_id: 'june' }, (row) => row['reference_id'] === 'june'],
    [{ endpoint: '/v1/embeddings' }, (row) => row['endpoint'] === '/v1/embeddings'],
    [{ state: 'completed' }, (row) => row['state'] === 'completed'],
    [{ state: 'failed' }, () => false],
    [{ state: 'running' }, () => false],
    [{ status_code: '200' }, (row) => row['status_code'] === 200],
    [{ status_code: '503' }, () => false],
    [{ min_microcredits: String(cost) }, (row) => Number(row['microcredits']) >= cost],
    [{ min_microcredits: String(cost + 1) }, (row) => Number(row['microcredits']) > cost],
    [{ max_microcredits: String(cost) }, (row) => Number(row['microcredits']) <= cost],
    [{ max_microcredits: String(cost - 1) }, (row) => Number(row['microcredits']) < cost],
    [{ idempotency_key: 'order-1' }, (row) => row['idempotency_key'] === 'order-1'],
    [{ from: data[2].created_at }, (row) => row['created_at']! >= data[2].created_at],
    [{ to: data[2].created_at }, (row) => row['created_at']! < data[2].created_at],
    [{ person_id: uuidv7() }, () => false],
    [{ customer_id: "' or true --" }, () => false],
  ]
  for (const [at, [first, matchesFirst]] of filters.entries())
    for (const [second, matchesSecond] of filters.slice(at)) {
      const query = { ...first, ...second }
      if (Object.keys(query).length < 2 && first !== second) continue
      const found = await list(one, query)
      expect(idsOf(found), JSON.stringify(query)).toEqual(
        expected((row) => matchesFirst(row) && matchesSecond(row)),
      )
    }
})

test('no filter shows a member of some projects, or a key, a call of another project', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const { other, here, there, mine, theirs, owner, limited } = await twoProjects(world)
  const [seen, keyOfMine] = [
    idsOf(await list(limited, { project_id: 'all' })),
    (await list(here)).body.data[0],
  ]
  expect(seen).toEqual([theirs])
  expect(idsOf(await list(owner, { project_id: 'all' }))).toEqual([theirs, mine])
  expect(idsOf(await list(owner))).toEqual([mine])
  expect(idsOf(await list(owner, { project_id: other }))).toEqual([theirs])
  for (const query of [
    { model: 'sandbox/fast' },
    { customer_id: 'acme' },
    { reference_id: 'june' },
    { endpoint: '/v1/chat/completions' },
    { state: 'completed' },
    { status_code: '200' },
    { min_microcredits: '0' },
    { idempotency_key: 'one' },
    { from: '2020-01-01' },
  ]) {
    expect(idsOf(await list(limited, { project_id: 'all', ...query })), JSON.stringify(query)).toEqual([
      theirs,
    ])
    expect(idsOf(await list(there, { project_id: 'all', ...query })), JSON.stringify(query)).toEqual([theirs])
    expect(idsOf(await list(owner, { project_id: 'all', ...query })), JSON.stringify(query)).toHaveLength(2)
  }
  // Nor by a filter whose value only the other project has, in the list, its export, and sums.
  const asked = await owner.post(
    '/v1/chat/completions',
    { model: 'sandbox/fast', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
    { 'x-customer-id': 'hidden', 'idempotency-key': 'hidden' },
  )
  expect(asked.status, asked.text).toBe(200)
  await world.settled()
  for (const query of [
    { key_id: keyOfMine.key_id },
    { person_id: owner.personId },
    { customer_id: 'hidden' },
    { customer_id: 'hidden', key_id: keyOfMine.key_id },
  ])
    for (const projectId of ['all', other]) {
      const params = new URLSearchParams({ project_id: projectId, ...query })
      for (const client of [limited, there]) {
        expect(idsOf(await list(client, { project_id: projectId, ...query })), String(params)).toEqual([])
        for (const path of ['/v1/requests/export', '/v1/account/usage/export']) {
          const { status, text } = await client.get(`${path}?${params}&format=csv`)
          expect([path, status, text.trim().split('\n').length]).toEqual([path, 200, 1])
        }
        const { totals, data } = (await client.get(`/v1/account/usage?${params}&group_by=person,key`)).body
        expect([totals.requests, totals.microcredits, data]).toEqual([0, '0', []])
      }
    }
  expect(idsOf(await list(owner, { project_id: 'all', person_id: owner.personId }))).toEqual([idOf(asked)])
  for (const client of [limited, there]) {
    const refused = await list(client, { project_id: world.project })
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      404,
      'NOT_FOUND',
      'project_id',
    ])
    expect((await client.receipt(mine)).status).toBe(404)
    expect((await client.receipt(theirs)).body).toMatchObject({ id: theirs, project_id: other })
  }
  expect((await owner.receipt(theirs)).body).toMatchObject({ id: theirs, project_id: other })
  expect((await list(owner, { project_id: uuidv7() })).status).toBe(404)
  const csv = await limited.get('/v1/requests/export?project_id=all&format=csv')
  expect([csv.text.includes(theirs), csv.text.includes(mine)]).toEqual([true, false])
  // Whoever was limited a moment ago sees no more from then on.
  await world.app.db.tx((tx) =>
    setMember(
      tx,
      { accountId: world.account, personId: owner.personId, role: 'admin', projectIds: [other] },
      new Date(),
    ),
  )
  owner.project = other
  expect(idsOf(await list(owner, { project_id: 'all' }))).toEqual([theirs])
})

test('a member of more projects than are searched one by one sees the calls of all', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const projects = [world.project]
  while (projects.length < 17) projects.push(await world.newProject())
  const id = idOf(await ask(await world.key({ project: projects.at(-1)! })))
  await world.settled()
  const member = await newMember(world, 'viewer', { projects })
  expect(idsOf(await list(member, { project_id: 'all' }))).toEqual([id])
})

test('pages have neither gaps nor twins while calls come and settle, and since names each end once', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const key = await world.key()
  const before = [...Array(12)].map(() => ask(key))
  const old = (await Promise.all(before)).map(idOf)
  const { next_since: begin } = (await list(key)).body
  const coming = [...Array(24)].map(() => ask(key))
  const paged = await pagesOf(key, { limit: '3' })
  expect(new Set(paged).size).toBe(paged.length)
  expect(paged).toEqual(expect.arrayContaining(old))
  const came = (await Promise.all(coming)).map(idOf)
  await world.settled()
  expect(new Set(await pagesOf(key, { limit: '5' }))).toEqual(new Set([...old, ...came]))
  const ended: string[] = []
  for (let since = begin as string; ; ) {
    const news = await list(key, { since, limit: '7' })
    ended.push(...idsOf(news))
    since = news.body.next_since
    if (!news.body.has_more) break
  }
  expect(ended).toEqual(expect.arrayContaining(came))
  expect(new Set(ended).size).toBe(ended.length)
})

test('since shows nobody a count of calls, and holds in the account that it was written for alone', async () => {
  await using mine = await sharedWorld({ credits: 100 })
  await using other = await sharedWorld({ credits: 100 })
  const [here, there] = [await mine.key(), await other.key()]
  await Promise.all([ask(here), ask(there)])
  await Promise.all([mine.settled(), other.settled()])
  const since = (await list(here)).body.next_since as string
  expect(since).toMatch(/^[\w-]{22}$/)
  const bytes = Buffer.from(since, 'base64url')
  // A position is written in far fewer bytes than its block: an encoded number would have zeros.
  expect(bytes.includes(Buffer.alloc(4))).toBe(false)
  expect((await list(here, { since })).status).toBe(200)
  expect((await list(await mine.key(), { since })).status).toBe(200)
  for (const made of [
    (await list(there)).body.next_since,
    Buffer.from(bytes.map((byte, at) => (at === 15 ? byte ^ 1 : byte))).toString('base64url'),
    Buffer.alloc(16).toString('base64url'),
    `${since}A`,
    `${since}==`,
    Buffer.from('["12"]').toString('base64url'),
  ]) {
    const reply = await list(here, { since: made })
    expect([reply.status, reply.body.error.code, reply.body.error.param], made).toEqual([
      400,
      'INVALID_REQUEST',
      'since',
    ])
  }
})

test('a free creation with an idempotency key counts alike in the list, its export, and both reports of usage', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const owner = await newMember(world, 'owner')
  const make = (headers?: Record<string, string>) =>
    owner.post('/v1/keys', { name: 'shop', scopes: ['models:read'] }, headers)
  const made = await make({ 'idempotency-key': 'first' })
  expect(made.status).toBe(201)
  expect((await make()).status).toBe(201)
  const { data } = (await list(owner)).body
  expect(data).toMatchObject([
    { id: idOf(made), endpoint: '/v1/keys', model: null, microcredits: '0', status_code: 201 },
  ])
  const table = (await owner.get('/v1/requests/export?format=csv')).text.trim().split('\r\n')
  expect(table).toHaveLength(2)
  for (const usage of [await owner.get('/v1/usage'), await owner.get('/v1/account/usage')])
    expect(usage.body.totals).toMatchObject({ requests: 1, credits: 0 })
})

test('a call names its key, also one of another project and a management key, to those who see the call', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const { there, mine, theirs, owner, limited } = await twoProjects(world)
  const program = await newManagementKey(world, { name: 'terraform' })
  const body = { name: 'made', scopes: ['models:read'] }
  const made = await program.post('/v1/keys', body, {
    'idempotency-key': 'made',
    'x-kherad-project': world.project,
  })
  expect(made.status).toBe(201)
  await world.app.db.query({ text: `update auth.keys set name = 'customer-42' where key_id = $1` }, [
    there.keyId,
  ])
  const namesFor = async (client: Client) => {
    const { data } = (await list(client, { project_id: 'all' })).body
    type Row = { id: string; key_name: string | null; management_key: boolean }
    return new Map(data.map((row: Row) => [row.id, [row.key_name, row.management_key]]))
  }
  const seen = await namesFor(owner)
  expect(seen.get(theirs)).toEqual(['customer-42', false])
  expect(seen.get(idOf(made))).toEqual(['terraform', true])
  expect([...(await namesFor(limited))]).toEqual([[theirs, ['customer-42', false]]])
  expect((await limited.get(`/v1/requests/${mine}`)).status).toBe(404)
  const report = (await owner.get(`/v1/requests/${idOf(made)}`)).body
  expect(report).toMatchObject({ key_name: 'terraform', management_key: true })
  expect((await owner.get('/v1/requests/export?format=csv&project_id=all')).text).toContain('terraform')
  const usage = (await owner.get('/v1/account/usage?group_by=key')).body.data
  expect(usage.map((row: { key_name: string }) => row.key_name)).toEqual(
    expect.arrayContaining(['customer-42', 'terraform']),
  )
})

test('attempts that failed and the steps of a call are counted apart', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const key = await world.key()
  await ask(key)
  await world.settled()
  const countsOf = async (detail: object) => {
    const text = `update ledger.settlements set detail = ((detail::jsonb - '{attempts,steps,more}'::text[]) || $2::jsonb)::json where account_id = $1`
    await world.app.db.query({ text }, [world.account, JSON.stringify(detail)])
    const { attempts, failed_attempts: failed, steps } = (await list(key)).body.data[0]
    return [attempts, failed, steps]
  }
  const [answered, cut, left] = [{ outcome: 'answered' }, { outcome: 'cut' }, { outcome: 'aborted' }]
  expect(await countsOf({ attempts: [answered] })).toEqual([1, 0, null])
  expect(await countsOf({ attempts: [cut, answered, left] })).toEqual([3, 1, null])
  expect(await countsOf({ attempts: [answered, answered], steps: 2 })).toEqual([2, 0, 2])
  const steps = [{ step: '1' }, { step: '2' }]
  expect(await countsOf({ attempts: [answered], steps, more: [{ step: 'turn', steps: 7 }] })).toEqual([
    1, 0, 9,
  ])
  expect(await countsOf({ steps: [] })).toEqual([null, null, 0])
})

test('ids of customers, references and models come back as they were sent, and find their call', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const key = await world.key()
  for (const text of [
    '<script>alert(1)</script>',
    '\u202eabc\u2066خرد\u2069',
    'ی'.repeat(120),
    '=HYPERLINK("http://x")',
    'a%00\'"\\',
  ]) {
    const id = idOf(await ask(key, { 'x-customer-id': asHeader(text), 'x-reference-id': asHeader(text) }))
    await world.settled()
    for (const query of [{ customer_id: text }, { reference_id: text }]) {
      const { data } = (await list(key, query)).body
      expect(data).toHaveLength(1)
      expect(data[0]).toMatchObject({ id, customer_id: text, reference_id: text })
    }
  }
})

test('what no list can mean is refused with its parameter', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const refused = {
    from: [
      '2026-02-31',
      '۲۰۲۶-۱۱-۳۰',
      '1405/09/09',
      'yesterday',
      '2026-11-30T25:00:00Z',
      '',
      '9'.repeat(10_000),
    ],
    to: ['2026-13-01', '2026-11-30T08:00'],
    time_zone: ['+03:30', 'Asia/Nowhere', ''],
    model: ['', 'x'.repeat(201), '\0'],
    key_id: ['1', ''],
    person_id: ['x'],
    project_id: ['', 'none', '*'],
    customer_id: ['', 'x'.repeat(121)],
    state: ['done', ''],
    status_code: ['99', '600', '1e30', '۲۰۰'],
    min_microcredits: ['-1', '1.5', '1e3', '9'.repeat(19), ''],
    limit: ['0', '101', '1e9'],
    after: [
      ...['x', 'W10', ''],
      ...['2026-99-99', '2026-02-31', '0000-01-01'].map((day) =>
        Buffer.from(JSON.stringify([`${day}T00:00:00.000000Z`, uuidv7()])).toString('base64url'),
      ),
    ],
    since: ['x', Buffer.from('["9999999999999999999"]').toString('base64url')],
  }
  for (const [param, values] of Object.entries(refused))
    for (const value of values) {
      const reply = await list(key, { [param]: value })
      expect([reply.status, reply.body.error.param], `${param}=${value.slice(0, 50)}`).toEqual([400, param])
    }
  const twice = await key.get('/v1/requests?model=a&model=b')
  expect(twice.status).toBe(400)
  expect((await key.get('/v1/requests?modell=a')).body.error.code).toBe('UNKNOWN_FIELD')
})

test('a day of the filter is one of the account, or of the zone that is named', async () => {
  await using world = await sharedWorld({ credits: 100 })
  const key = await world.key()
  const id = idOf(await ask(key))
  await world.settled()
  const began = Date.parse((await key.receipt(id)).body.created_at)
  for (const [zone, offsetHours] of [
    ['', 3.5],
    ['Pacific/Kiritimati', 14],
    ['Etc/GMT+12', -12],
  ] as const) {
    const day = new Date(began + offsetHours * 3_600_000).toISOString().slice(0, 10)
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    const named: Record<string, string> = zone === '' ? {} : { time_zone: zone }
    expect(idsOf(await list(key, { from: day, to: day, ...named }))).toEqual([id])
    expect(idsOf(await list(key, { from: next, ...named }))).toEqual([])
  }
})
