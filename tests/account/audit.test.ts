import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#account/audit'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { type Member, newMember, newPerson } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

let world: World
let owner: Member
let key: Client
beforeAll(async () => {
  world = await sharedWorld()
  owner = await newMember(world, 'owner', { displayName: 'سارا' })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const hook = (path = '/') => ({ url: `https://93.184.215.14${path}`, events: ['batch.completed'] })

/** Writes a row as the code of an operation does. */
const write = (entry: Partial<Parameters<typeof audit>[1]>, now = new Date()) =>
  world.app.db.tx((tx) =>
    audit(
      tx,
      { accountId: world.account, actor: { kind: 'system', id: null }, operation: 'test.write', ...entry },
      now,
    ),
  )

const operationsOf = async (who: Client, query = '') => {
  const seen = await who.get(`/v1/audit?limit=100${query}`)
  expect(seen.status, seen.text).toBe(200)
  return seen.body.data.map(({ operation }: { operation: string }) => operation)
}

test('a change by a person and one by a key name both, with what was before and after, and the request', async () => {
  const project = await world.newProject()
  const sara = await newMember(world, 'admin', { displayName: 'مریم', project })
  const made = await sara.post('/v1/webhooks', hook('/secret-path?token=1'))
  expect(made.status, made.text).toBe(201)
  const target = { kind: 'webhook', id: made.body.id, name: null }
  const other = await world.key({ project })
  const patch = JSON.stringify({ enabled: false })
  const changed = await other.request('PATCH', `/v1/webhooks/${made.body.id}`, patch, {
    'user-agent': 'deploy-bot/7',
  })
  expect(changed.status, changed.text).toBe(200)
  const { body } = await owner.get(`/v1/audit?operation=webhooks.&limit=2`)
  const url = 'https://93.184.215.14/…'
  expect(body.data).toEqual([
    {
      ...{ object: 'audit.entry', id: expect.any(String), at: expect.any(String), project_id: project },
      actor: { kind: 'key', id: other.keyId, name: 'test', deleted: false },
      ...{ operation: 'webhooks.change', target },
      before: { url, events: ['batch.completed'], enabled: true },
      after: { url, events: ['batch.completed'], enabled: false },
      request_id: changed.headers.get('x-request-id'),
      client: 'deploy-bot/7',
    },
    {
      ...{ object: 'audit.entry', id: expect.any(String), at: expect.any(String), project_id: project },
      actor: { kind: 'person', id: sara.personId, name: 'مریم', deleted: false },
      ...{ operation: 'webhooks.create', target, before: null },
      after: { url, events: ['batch.completed'], enabled: true },
      request_id: made.headers.get('x-request-id'),
      client: null,
    },
  ])
  expect(JSON.stringify(body)).not.toContain('secret-path')
  expect(JSON.stringify(body)).not.toContain(made.body.secret)
})

test('twenty requests at once with one idempotency key write one row, as they make one connection', async () => {
  const project = await world.newProject()
  const client = await world.key({ project })
  const send = () =>
    client.request('POST', '/v1/webhooks', JSON.stringify(hook()), { 'idempotency-key': 'one row' })
  const seen = await Promise.all(Array.from({ length: 20 }, send))
  expect(new Set(seen.map(({ status }) => status)).has(201)).toBe(true)
  expect((await send()).status).toBe(201)
  const { body } = await owner.get(`/v1/audit?actor_id=${client.keyId}`)
  expect(body.data.map(({ operation }: { operation: string }) => operation)).toEqual(['webhooks.create'])
})

test('a refused change writes no row, although it was written before the refusal', async () => {
  const id = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'
  await world.app.db
    .tx(async (tx) => {
      const actor = { kind: 'system', id: null } as const
      await audit(tx, { accountId: world.account, actor, operation: 'test.refused' }, new Date())
      throw new Error('refused')
    })
    .catch(() => undefined)
  const missing = { status: 404, code: 'NOT_FOUND', param: 'id' }
  expectRefusal(await key.request('DELETE', `/v1/webhooks/${id}`), missing)
  expect(await operationsOf(owner, '&operation=test.refused')).toEqual([])
})

test('rows are never changed nor deleted, by whatever statement', async () => {
  await write({ operation: 'test.append' })
  for (const text of [
    `update audit.entries set operation = 'x' where operation = 'test.append'`,
    `delete from audit.entries where operation = 'test.append'`,
    'truncate audit.entries',
  ])
    await expect(world.app.db.query({ text }, [])).rejects.toThrow('append-only')
  expect(await operationsOf(owner, '&operation=test.append')).toEqual(['test.append'])
})

test('a secret that code hands over by its name ends the transaction, and the row is at most 8 KB of each value', async () => {
  await expect(write({ after: { settings: { password: 'x' } } })).rejects.toThrow('no secrets')
  await write({ operation: 'test.large', after: { text: 'خ'.repeat(100_000) }, client: 'c'.repeat(5_000) })
  const { body } = await owner.get('/v1/audit?operation=test.large')
  expect(body.data[0].after.text).toBe(`${'خ'.repeat(999)}…`)
  expect(body.data[0].client).toHaveLength(200)
})

test('pages go from new to old without a gap, whatever the filter', async () => {
  const hour = 3_600_000
  const start = Date.parse('2026-02-01T00:00:00Z')
  for (let nth = 0; nth < 5; nth++)
    await write(
      { operation: `paging.${nth % 2 ? 'odd' : 'even'}`, target: { kind: 'n', id: `${nth}` } },
      new Date(start + nth * hour),
    )
  const read = async (query: string) => {
    const found: string[] = []
    for (let after = ''; ; ) {
      const { body } = await owner.get(`/v1/audit?operation=paging.&limit=2${query}${after}`)
      found.push(...body.data.map(({ target }: { target: { id: string } }) => target.id))
      if (!body.has_more) return found.join('')
      after = `&after_id=${body.last_id}`
    }
  }
  expect(await read('')).toBe('43210')
  expect(await read('&from=2026-02-01T01:00:00Z')).toBe('4321')
  expect(await read('&to=2026-02-01T03:00:00Z'), 'a moment is before its end').toBe('210')
  expect(await read('&from=2026-02-01T01:00:00%2B00:00&to=2026-02-01T01:00:00.001Z')).toBe('1')
  expect(await read('&actor_kind=key')).toBe('')
  expect(await read('&target_id=3')).toBe('3')
  expect(await read('&target_id=4&to=2026-02-01T03:00:00Z')).toBe('')
  expect(await operationsOf(owner, '&operation=paging.o')).toEqual(['paging.odd', 'paging.odd'])
  expect(await operationsOf(owner, '&operation=aging.')).toEqual([])
})

test('owners and admins read all, billing what is about money, and nobody else anything', async () => {
  for (const operation of ['credits.grant', 'account.caps', 'payments.topup', 'account.plan', 'creditsx'])
    await write({ operation })
  const money = ['payments.topup', 'account.caps', 'credits.grant']
  const billing = await newMember(world, 'billing')
  expect((await operationsOf(billing)).filter((one: string) => !money.includes(one))).toEqual([])
  expect((await operationsOf(billing)).slice(0, 3)).toEqual(money)
  expect(await operationsOf(billing, '&operation=account.plan')).toEqual([])
  expect(await operationsOf(await newMember(world, 'admin'), '&operation=account.plan')).toEqual([
    'account.plan',
  ])
  for (const role of ['developer', 'viewer'] as const)
    expectRefusal(await (await newMember(world, role)).get('/v1/audit'), {
      status: 403,
      code: 'INSUFFICIENT_ROLE',
    })
  expectRefusal(await key.get('/v1/audit'), { status: 403, code: 'SESSION_REQUIRED' })
})

test('a member of some projects reads the rows of these alone', async () => {
  const mine = await world.newProject()
  await write({ operation: 'projects.mine', projectId: mine })
  await write({ operation: 'projects.other', projectId: world.project })
  await write({ operation: 'projects.none' })
  const limited = await newMember(world, 'admin', { projects: [mine], project: mine })
  expect(await operationsOf(limited)).toEqual(['projects.mine'])
})

test('no account reads rows of another, by whatever filter', async () => {
  const stranger = await world.stranger()
  await write({ accountId: stranger.account, operation: 'stranger.write' })
  const other = await newMember(world, 'owner', { account: stranger.account, project: stranger.project })
  expect(await operationsOf(other)).toEqual(['stranger.write'])
  expect(await operationsOf(owner, '&operation=stranger.')).toEqual([])
  other.project = world.project
  const missing = { status: 404, code: 'NOT_FOUND', param: 'X-Kherad-Project' }
  expectRefusal(await other.get('/v1/audit'), missing)
})

test('a row names a key and a project of its own account, and neither a key of another one nor what is no id', async () => {
  const stranger = await world.stranger()
  const foreign = (
    await world.app.db.query<{ key_id: string }>(
      { text: 'select key_id from auth.keys where account_id = $1 limit 1' },
      [stranger.account],
    )
  )[0]!.key_id
  for (const id of [key.keyId, foreign, 'no-id'])
    await write({ operation: 'named.key', target: { kind: 'key', id } })
  const namesOf = async (operation: string) =>
    (await owner.get(`/v1/audit?operation=${operation}`)).body.data.map(
      ({ target }: { target: { name: string | null } }) => target.name,
    )
  expect(await namesOf('named.key')).toEqual([null, null, 'test'])
  for (const id of [world.project, stranger.project])
    await write({ operation: 'named.project', target: { kind: 'project', id } })
  expect(await namesOf('named.project')).toEqual([null, 'test'])
})

test('people who are gone keep their id in the log, and no name', async () => {
  const gone = await newMember(world, 'developer', { displayName: 'Gone Person' })
  await write({ operation: 'gone.write', actor: { kind: 'person', id: gone.personId } })
  await write({ operation: 'gone.removed', target: { kind: 'person', id: gone.personId } })
  const text = `update people.people set display_name = '-', deleted_at = now() where person_id = $1`
  await world.app.db.query({ text }, [gone.personId])
  const read = (language: string) =>
    owner.request('GET', '/v1/audit?operation=gone.', undefined, { 'accept-language': language })
  const { body } = await read('fa')
  expect(body.data[1].actor).toEqual({ kind: 'person', id: gone.personId, name: 'حذف‌شده', deleted: true })
  expect(body.data[0].target).toEqual({ kind: 'person', id: gone.personId, name: 'حذف‌شده' })
  expect((await read('en')).body.data[1].actor.name).toBe('deleted')
})

test('operators read what belongs to no account, and nobody else does', async () => {
  await write({ accountId: null, operation: 'installation.test' })
  await write({ operation: 'account.test' })
  const operator = await newPerson(world, { isOperator: true })
  const seen = await operator.get('/v1/operator/audit?limit=100')
  expect(seen.status, seen.text).toBe(200)
  const operations = seen.body.data.map(({ operation }: { operation: string }) => operation)
  expect(operations).toContain('installation.test')
  expect(operations).not.toContain('account.test')
  expect(await operationsOf(owner, '&operation=installation.')).toEqual([])
  expectRefusal(await owner.get('/v1/operator/audit'), { status: 403, code: 'OPERATOR_REQUIRED' })
  expectRefusal(await key.get('/v1/operator/audit'), { status: 403, code: 'SESSION_REQUIRED' })
})

test('a moment that no calendar has is refused by the name of its field', async () => {
  for (const query of ['from=2026-02-01', 'to=2026-01-32T00:00:00Z', 'from=2026-02-01T25:00:00Z']) {
    const refusal = { status: 400, code: 'INVALID_REQUEST', param: query.split('=')[0]! }
    expectRefusal(await owner.get(`/v1/audit?${query}`), refusal)
  }
})
