/** GET /v1/account/usage. */
import { expect, test } from 'vitest'
import { Client } from '../harness/client.ts'
import { testSeed } from '../harness/seed.ts'
import { newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { auditRows, codeOf, patch } from './people/people.ts'
import { expectSameSums, makeCalls } from './usage-proof.ts'

test('usage in every zone, interval and grouping, requests, receipts and the ledger have the same sums, call by call', async () => {
  await using world = await sharedWorld({ credits: 100_000 })
  await expectSameSums(await makeCalls(world, 2_000, testSeed))
})

test('a member who is limited to projects sees no sum, row or name of another, by any filter; a key sees its own project', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const { body: two } = await owner.post('/v1/projects', { name: 'hidden project' })
  const key = await world.key()
  const secret = await owner.post(
    '/v1/keys',
    { name: 'hidden key', scopes: ['responses:write', 'usage:read'] },
    { 'x-kherad-project': two.id },
  )
  const other = new Client(world.url, secret.body.secret, secret.body.id)
  for (const [who, customer] of [
    [key, 'seen'],
    [other, 'hidden customer'],
    [other, 'hidden customer'],
  ] as const)
    expect((await who.chat({ model: 'sandbox/fast' }, { 'x-customer-id': customer })).status).toBe(200)
  await world.settled()
  const limited = await newMember(world, 'developer', { projects: [world.project] })
  const requestsOf = async (who: Client, query: string) => {
    const { status, text, body } = await who.get(`/v1/account/usage?${query}`)
    expect(status, text).toBe(200)
    expect(text).not.toMatch(who === owner || who === other ? /nothing/ : /hidden/)
    return body.totals.requests
  }
  for (const zone of ['Asia/Tehran', 'UTC'])
    for (const [query, all, one, other2] of [
      ['project_id=all', 3, 1, 2],
      ['group_by=project,customer', 3, 1, 2],
      ['group_by=key,customer', 3, 1, 2],
      ['group_by=person,model', 3, 1, 2],
      ['customer_id=hidden%20customer&group_by=customer', 2, 0, 2],
      [`key_id=${other.keyId}&group_by=key`, 2, 0, 2],
      [`person_id=${owner.personId}`, 0, 0, 0],
      ['model=vendor/none', 0, 0, 0],
      ['endpoint=/v1/chat/completions', 3, 1, 2],
    ] as const) {
      const asked = `${query}&time_zone=${zone}`
      const seen = await Promise.all([owner, limited, key, other].map((who) => requestsOf(who, asked)))
      expect([asked, ...seen]).toEqual([asked, all, one, one, other2])
    }
  expect(await requestsOf(owner, `project_id=${two.id}`)).toBe(2)
  const { client: stranger } = await world.stranger()
  for (const who of [limited, key, stranger])
    for (const id of [two.id, 'x', '00000000-0000-0000-0000-000000000000'])
      for (const route of ['usage', 'usage/export']) {
        const { status, body } = await who.get(
          `/v1/account/${route}?format=csv&project_id=${id}`.replace('usage?format=csv&', 'usage?'),
        )
        expect([id, status, body.error.code, body.error.param]).toEqual([id, 404, 'NOT_FOUND', 'project_id'])
      }
  // Calls of a person are those of their own sessions.
  const colleague = await newMember(world, 'developer')
  for (const who of [owner, colleague, colleague])
    expect((await who.chat({ model: 'sandbox/fast' })).status).toBe(200)
  await world.settled()
  for (const [{ personId }, many] of [
    [owner, 1],
    [colleague, 2],
    [limited, 0],
  ] as const)
    for (const zone of ['Asia/Tehran', 'UTC'])
      expect(await requestsOf(owner, `person_id=${personId}&time_zone=${zone}`)).toBe(many)
  const exported = await limited.get('/v1/account/usage/export?format=csv&group_by=project,key')
  expect(exported.status).toBe(200)
  expect(exported.text).not.toContain('hidden')
})

test('a member who is limited to projects sees the balance and the caps of the account, but not what it has spent; everybody else does', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const { body: other } = await owner.post('/v1/projects', { name: 'other' })
  const caps = { month_cap_credits: 10_000, cap_credits: 20_000 }
  expect((await patch(owner, '/v1/account/caps', caps)).status).toBe(200)
  await patch(owner, `/v1/projects/${world.project}`, { cap_credits: 500 })
  const key = await world.key({ project: other.id })
  expect((await key.chat({ model: 'sandbox/fast' })).status).toBe(200)
  await world.settled()
  const limited = await newMember(world, 'developer', { projects: [world.project] })
  const everywhere = await newMember(world, 'developer')
  const budgetsOf = async (who: Client) => {
    const { body } = await who.get('/v1/balance')
    return body.budgets.map((one: Record<string, unknown>) => [
      one['scope'],
      one['period'],
      one['spent_credits'],
    ])
  }
  const inLimited = (await limited.get('/v1/account')).body
  const inAll = (await everywhere.get('/v1/account')).body
  expect(inAll).toMatchObject({ ...caps, spent_credits: 1, month_spent_credits: 1 })
  expect(inLimited).toEqual({ ...inAll, spent_credits: null, month_spent_credits: null })
  expect(await budgetsOf(limited)).toEqual([
    ['account', 'total', null],
    ['account', 'month', null],
    ['project', 'total', 0],
  ])
  const ofAccount = [
    ['account', 'total', 1],
    ['account', 'month', 1],
  ]
  expect((await budgetsOf(everywhere)).slice(0, 2)).toEqual(ofAccount)
  expect((await budgetsOf(key)).slice(0, 2)).toEqual(ofAccount)
})

test('what is no day, zone, range, grouping or place is refused with its name, and costs nothing', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  for (const [query, param] of [
    ['from=2026-02-31', 'from'],
    ['from=1405-09-09', 'from'],
    [`from=${encodeURIComponent('۲۰۲۶-۱۱-۳۰')}`, 'from'],
    ['to=2026-11-30T00:00:00Z', 'to'],
    ['from=2026-11-30&to=2026-11-29', 'to'],
    ['from=2015-01-01&to=2025-12-31', 'to'],
    ['from=', 'from'],
    ['time_zone=Tehran', 'time_zone'],
    ['time_zone=%2B03:30', 'time_zone'],
    ['interval=hour', 'interval'],
    ['calendar=lunar', 'calendar'],
    ['group_by=model,model', 'group_by'],
    ['group_by=model,key,project', 'group_by'],
    ['group_by=Model', 'group_by'],
    ['group_by=reference', 'group_by'],
    ['model=%00', 'model'],
    ['model=', 'model'],
    [`customer_id=${'x'.repeat(121)}`, 'customer_id'],
    ['key_id=1', 'key_id'],
    ['limit=1001', 'limit'],
    ['limit=0', 'limit'],
    ['after=x', 'after'],
    [`after=${cursor('1e9', '2026-11-30')}`, 'after'],
    [`interval=day&from=2026-11-01&to=2026-11-30&after=${cursor('1', '2026-12-01')}`, 'after'],
    [`from=2026-11-01&to=2026-11-30&after=${cursor('1', '2026-11-01', 'x')}`, 'after'],
    [`group_by=key&from=2026-11-01&to=2026-11-30&after=${cursor('1', '2026-11-01', 'x')}`, 'after'],
    ['order=name', 'order'],
    ['from=2026-11-01&from=2026-11-02', 'from'],
  ]) {
    const { status, body } = await key.get(`/v1/account/usage?${query}`)
    expect([query, status, body.error?.param]).toEqual([query, 400, param])
  }
  // The bounds themselves are taken.
  for (const query of [
    'from=2015-01-01&to=2025-12-13',
    'limit=1000',
    'limit=1',
    `customer_id=${'x'.repeat(120)}`,
    'from=2199-12-31&to=2199-12-31',
    `model=${encodeURIComponent("'; drop table x --")}`,
  ]) {
    const { status, body } = await key.get(`/v1/account/usage?${query}`)
    expect([query, status, body.data]).toEqual([query, 200, []])
  }
  for (const query of ['', 'format=pdf', 'format=csv&limit=3']) {
    const { status } = await key.get(`/v1/account/usage/export?${query}`)
    expect([query, status]).toEqual([query, 400])
  }
})

test('the zone of an account divides its days unless a query names another; it is changed by whoever may name the account, and audited', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  expect((await owner.get('/v1/account')).body.time_zone).toBe('Asia/Tehran')
  const changed = await patch(owner, '/v1/account', { time_zone: 'Asia/Kathmandu' })
  expect([changed.status, changed.body?.time_zone], changed.text).toEqual([200, 'Asia/Kathmandu'])
  expect((await owner.get('/v1/account/usage')).body.time_zone).toBe('Asia/Kathmandu')
  expect((await owner.get('/v1/account/usage?time_zone=Iran')).body.time_zone).toBe('Iran')
  const [row] = await auditRows(world, 'account.change')
  expect([row!.before, row!.after]).toMatchObject([
    { time_zone: 'Asia/Tehran' },
    { time_zone: 'Asia/Kathmandu' },
  ])
  expect(codeOf(await patch(owner, '/v1/account', {}))).toEqual([400, 'INVALID_REQUEST'])
  for (const zone of ['Tehran', '+03:30', 'x'.repeat(61)]) {
    const { status, body } = await patch(owner, '/v1/account', { time_zone: zone })
    expect([zone, status, body.error.param]).toEqual([zone, 400, 'time_zone'])
  }
  for (const [role, projects] of [
    ['billing', null],
    ['viewer', null],
    ['admin', [world.project]],
  ] as const) {
    const member = await newMember(world, role, { projects: projects && [...projects] })
    expect(codeOf(await patch(member, '/v1/account', { time_zone: 'UTC' }))).toEqual([
      403,
      'INSUFFICIENT_ROLE',
    ])
  }
})

test('rows come dearest first where that is asked for, and pages have each once', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  for (const [customer, words] of [
    ['a', 1],
    ['b', 400],
    ['c', 100],
    ['d', 1],
  ] as const)
    await key.chat(
      { model: 'sandbox/fast', messages: [{ role: 'user', content: 'word '.repeat(words) }] },
      { 'x-customer-id': customer },
    )
  await world.settled()
  const names: string[] = []
  // Pages that repeat rows would not end.
  for (let after = ''; names.length <= 4; ) {
    const { body } = await key.get(`/v1/account/usage?group_by=customer&order=cost&limit=1${after}`)
    names.push(...body.data.map((row: { customer_id: string }) => row.customer_id))
    if (!body.has_more) break
    after = `&after=${body.next_after}`
  }
  expect(names).toEqual(['b', 'c', 'a', 'd'])
})
