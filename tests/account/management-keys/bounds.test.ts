/** Management keys at and beyond each of their bounds. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeMember, setMember } from '#account/people'
import { createProject, managementRights, setAccountState, setPlan } from '#platform/auth'
import type { Tx } from '#platform/db'
import { isOfPeople, type Route } from '#platform/http'
import { rightNames } from '../../../console/pages/management-keys/rights.ts'
import { routes } from '../../../src/capabilities.ts'
import { type Kherad, startKherad } from '../../../src/server.ts'
import { Client, type Seen } from '../../harness/client.ts'
import { type Member, newManagementKey, newMember } from '../../harness/session.ts'
import { until } from '../../harness/until.ts'
import { boot, MovableClock, silent, type World } from '../../harness/world.ts'
import { answeredAcross, auditRows, codeOf, patch, remove, stepDown } from '../people/people.ts'

const clock = new MovableClock()
let open: AsyncDisposableStack
let world: World
let other: Kherad
let owner: Member
beforeAll(async () => {
  open = new AsyncDisposableStack()
  world = open.use(await boot({ clock, env: { KHERAD_TRUSTED_PROXIES: '127.0.0.1' } }))
  // Another process over the same database.
  const config = { ...world.app.config, port: 0, roles: { api: true, worker: false, voice: false } }
  other = open.use(await startKherad({ config, clock, log: silent }))
  owner = await newMember(world, 'owner')
})
afterAll(() => open.disposeAsync())

const dayMs = 86_400_000
const inMs = (ms: number) => new Date(clock.nowMs() + ms)
const tx = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => world.app.db.tx(work)
const body = (more: object = {}) => ({
  name: 'program',
  permissions: ['keys:read', 'keys:write'],
  key_scopes: ['models:read'],
  expires_at: inMs(dayMs).toISOString(),
  ...more,
})
/** The same key at the other process. */
const elsewhere = ({ secret, keyId }: Client) => new Client(other.server.url, secret, keyId)
const newProject = async (): Promise<string> =>
  (await tx((one) => createProject(one, { accountId: world.account, name: 'two' }, inMs(0)))).project_id

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'
const asks = routes.filter(({ scope, host }) => scope !== 'public' && host === undefined)
/** A request that comes no further than the rights: its body is no JSON. */
const ask = (route: Route, client: Client): Promise<Seen> =>
  client.request(
    route.method,
    route.path.replace(/\{\w+\}/g, missing),
    ['POST', 'PUT', 'PATCH'].includes(route.method) ? 'not json' : undefined,
    route.socket && { origin: new URL(client.url).origin },
  )

describe('the bounds of a management key', () => {
  test('each permission opens its routes and no other one, and what is closed stays closed whatever a key names', async () => {
    const all = await newManagementKey(world, { maker: owner })
    for (const route of asks.filter(({ managementKeys }) => managementKeys === undefined)) {
      const seen = await ask(route, all)
      const code = isOfPeople(route) ? 'SESSION_REQUIRED' : 'PROJECT_KEY_REQUIRED'
      expect([route.operation, ...codeOf(seen)]).toEqual([route.operation, 403, code])
    }
    const opened = asks.filter(({ managementKeys }) => managementKeys !== undefined)
    expect(new Set(opened.map(({ scope }) => scope))).toEqual(new Set(managementRights))
    for (const lacking of managementRights) {
      const permissions = managementRights.filter((one) => one !== lacking)
      const without = await newManagementKey(world, { maker: owner, permissions })
      const only = await newManagementKey(world, { maker: owner, permissions: [lacking] })
      for (const route of opened.filter(({ scope }) => scope === lacking)) {
        const [status, code] = codeOf(await ask(route, without))
        expect([route.operation, status, code]).toEqual([
          ...[route.operation, 403, 'MANAGEMENT_PERMISSION_REQUIRED'],
        ])
        expect(codeOf(await ask(route, only))[0], route.operation).not.toBe(403)
      }
      for (const right of managementRights.filter((one) => one !== lacking)) {
        const route = opened.find(({ scope }) => scope === right)!
        expect(codeOf(await ask(route, only))[1], route.operation).toBe('MANAGEMENT_PERMISSION_REQUIRED')
      }
    }
  })

  test('nothing about people, sign-in, money paid or management keys is open to it', () => {
    const opened = asks.flatMap(({ managementKeys, operation }) => (managementKeys ? [operation] : []))
    const closed = /^(me|members|invitations|factors|passkeys|step_up|openid|operator|management_keys)\./
    expect(opened.filter((operation) => closed.test(operation))).toEqual([])
    // The pages of the console have words for every permission, and for no other.
    expect([...rightNames].sort()).toEqual([...managementRights].sort())
    expect(
      opened.filter((operation) => operation.endsWith('.delete') && !operation.startsWith('webhooks')),
    ).toEqual([])
  })

  test('it sees requests and usage of its whole account and of no other, in exports too', async () => {
    const [here, there] = [await world.key(), await world.key({ project: await newProject() })]
    const stranger = await world.stranger(10)
    const ask = async (client: Client) => {
      const reply = await client.chat(
        { model: 'sandbox/fast', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
        { 'x-customer-id': `customer-of-${client.keyId}` },
      )
      expect(reply.status, reply.text).toBe(200)
      return reply.headers.get('x-request-id')!
    }
    const own = [await ask(here), await ask(there)]
    const foreign = await ask(stranger.client)
    await world.settled()
    const key = await newManagementKey(world, { maker: owner, permissions: ['usage:read'] })
    const theirs = `customer-of-${stranger.client.keyId}`
    const usage = '/v1/account/usage'
    for (const path of [
      ...['/v1/requests?project_id=all', '/v1/requests/export?project_id=all&format=csv'],
      ...[
        `${usage}?project_id=all&group_by=customer`,
        `${usage}/export?project_id=all&group_by=customer&format=csv`,
      ],
    ]) {
      const { status, text } = await key.get(path)
      expect([path, status]).toEqual([path, 200])
      for (const client of [here, there]) expect(text, path).toContain(`customer-of-${client.keyId}`)
      for (const hidden of [foreign, theirs, stranger.client.keyId]) expect(text, path).not.toContain(hidden)
      // Nor by a filter that names what is there alone.
      for (const filter of [`customer_id=${theirs}`, `key_id=${stranger.client.keyId}`]) {
        const seen = await key.get(`${path}&${filter}`)
        expect([filter, seen.status]).toEqual([filter, 200])
        expect(seen.text).not.toMatch(/customer-of|microcredits":"[1-9]/)
      }
    }
    for (const id of own) expect((await key.receipt(id)).body).toMatchObject({ id })
    expect(codeOf(await key.get(`/v1/requests/${foreign}`))).toEqual([404, 'NOT_FOUND'])
    for (const path of [
      '/v1/requests?',
      '/v1/requests/export?format=csv&',
      `${usage}?`,
      `${usage}/export?format=csv&`,
    ])
      expect(codeOf(await key.get(`${path}project_id=${stranger.project}`))).toEqual([404, 'NOT_FOUND'])
    for (const [method, path] of [
      ['POST', '/v1/me/exports'],
      ['GET', '/v1/me/exports'],
      ['POST', '/v1/account/deletion'],
      ['DELETE', '/v1/account/deletion'],
    ] as const)
      expect(codeOf(await key.request(method, path, method === 'POST' ? '{}' : undefined))).toEqual([
        ...[403, 'SESSION_REQUIRED'],
      ])
  })

  test('it ends at its very second, in every process', async () => {
    const key = await newManagementKey(world, { maker: owner, expiresAt: inMs(10_000) })
    for (const at of [key, elsewhere(key)]) expect((await at.get('/v1/account')).status).toBe(200)
    clock.moveMs(9_999)
    for (const at of [key, elsewhere(key)]) expect((await at.get('/v1/account')).status).toBe(200)
    clock.moveMs(1)
    for (const at of [key, elsewhere(key)])
      expect(codeOf(await at.get('/v1/account'))).toEqual([401, 'INVALID_API_KEY'])
    expect((await owner.get(`/v1/management-keys/${key.keyId}`)).body.state).toBe('expired')
  })

  test('its addresses are those of the client, by what a trusted proxy saw and nobody before it said', async () => {
    const addresses = ['203.0.113.64/26', '2001:db8:1::/48', '127.0.0.1/32']
    const key = await newManagementKey(world, { maker: owner, addresses })
    const from = async (forwarded: string) =>
      (await key.get('/v1/account', forwarded === '' ? {} : { 'x-forwarded-for': forwarded })).status
    const inside = [
      '',
      '203.0.113.64',
      '203.0.113.127',
      '2001:db8:1::',
      '2001:db8:1:ffff:ffff:ffff:ffff:ffff',
    ]
    const mapped = ['::ffff:203.0.113.65', '::ffff:cb00:7141', '[2001:db8:1::7]:443', '203.0.113.99:5123']
    for (const address of [...inside, ...mapped])
      expect([address, await from(address)]).toEqual([address, 200])
    const outside = [
      '203.0.113.63',
      '203.0.113.128',
      '2001:db8:0:ffff::',
      '2001:db8:2::',
      '::ffff:203.0.113.63',
    ]
    // Whoever is outside writes what he likes before the address that the proxy adds.
    const forged = ['203.0.113.65, 198.51.100.9', '127.0.0.1, 198.51.100.9', '203.0.113.65,2001:db8:2::1']
    for (const address of [...outside, ...forged]) {
      const refused = await key.get('/v1/account', { 'x-forwarded-for': address })
      expect([address, ...codeOf(refused)]).toEqual([address, 403, 'ADDRESS_NOT_ALLOWED'])
    }
    const { text } = await key.get('/v1/members', { 'x-forwarded-for': '198.51.100.9' })
    expect(text).toContain('ADDRESS_NOT_ALLOWED')
    expect(text).toContain('198.51.100.9')
  })

  test('a header that no trusted proxy sent says nothing of where it comes from', async () => {
    const key = await newManagementKey(world, { maker: owner, addresses: ['203.0.113.7'] })
    const config = { ...world.app.config, port: 0, trustedProxies: world.app.config.trustedProxies }
    const { TrustedProxies } = await import('#platform/http/settings')
    const proxies = new TrustedProxies([])
    await using bare = await startKherad({
      config: { ...config, trustedProxies: proxies },
      clock,
      log: silent,
    })
    const direct = new Client(bare.server.url, key.secret, key.keyId)
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }])
      expect(codeOf(await direct.get('/v1/account', headers as Record<string, string>))).toEqual([
        403,
        'ADDRESS_NOT_ALLOWED',
      ])
  })

  test('a project of another account is missing, and one of several has to be named where one is needed', async () => {
    const key = await newManagementKey(world, { maker: owner })
    const stranger = await world.stranger()
    const second = await newProject()
    for (const path of ['/v1/account', '/v1/keys', '/v1/usage', '/v1/balance', '/v1/webhooks']) {
      const seen = await key.get(path, { 'x-kherad-project': stranger.project })
      expect([path, seen.status, seen.body.error.param]).toEqual([path, 404, 'X-Kherad-Project'])
      expect((await key.get(path, { 'x-kherad-project': second })).status, path).toBe(200)
    }
    for (const path of ['/v1/usage', '/v1/webhooks'])
      expect(codeOf(await key.get(path))).toEqual([400, 'PROJECT_REQUIRED'])
    for (const path of ['/v1/account', '/v1/keys', '/v1/projects', '/v1/balance', '/v1/audit'])
      expect((await key.get(path)).status, path).toBe(200)
    // Without the permission it learns not even which projects there are.
    const without = await newManagementKey(world, { maker: owner, permissions: ['audit:read'] })
    for (const project of [undefined, stranger.project, second]) {
      const refused = await without.get('/v1/usage', project ? { 'x-kherad-project': project } : {})
      expect([project, ...codeOf(refused)]).toEqual([project, 403, 'MANAGEMENT_PERMISSION_REQUIRED'])
    }
    const made = await key.post(
      '/v1/keys',
      { name: 'k', scopes: ['models:read'] },
      { 'x-kherad-project': second },
    )
    expect([made.status, made.body.project_id]).toEqual([201, second])
    const theirs = stranger.client.keyId
    for (const seen of [await key.get(`/v1/keys/${theirs}`), await remove(key, `/v1/keys/${theirs}`)])
      expect(codeOf(seen)).toEqual([404, 'NOT_FOUND'])
    const foreign = await patch(key, `/v1/projects/${stranger.project}`, { name: 'x' })
    expect(codeOf(foreign)).toEqual([404, 'NOT_FOUND'])
  })

  test('a suspended account stops it; one without a plan may still be managed, and calls nothing', async () => {
    const { account } = await world.stranger()
    const maker = await newMember(world, 'owner', { account })
    const key = await newManagementKey(world, { account, maker })
    const code = async (path: string) => codeOf(await key.get(path))
    await tx((one) => setAccountState(one, account, 'suspended'))
    await until(async () => (await code('/v1/account'))[1] === 'ACCOUNT_SUSPENDED')
    await tx((one) => setAccountState(one, account, 'active'))
    await tx((one) => setPlan(one, account, 'none'))
    await until(async () => (await code('/v1/models'))[1] === 'PLAN_REQUIRED')
    expect(await code('/v1/account')).toEqual([200, undefined])
  })
})

describe('the end of a management key', () => {
  test('a revoked one is refused by every process, and a change that waits for its end is not made', async () => {
    const made = await owner.post('/v1/management-keys', body())
    expect(made.status, made.text).toBe(201)
    const key = new Client(world.url, made.body.secret, made.body.id)
    for (const at of [key, elsewhere(key)]) expect((await at.get('/v1/keys')).status).toBe(200)
    const late = await answeredAcross(
      world,
      (one) =>
        one
          .updateTable('auth.management_keys')
          .set({ revoked_at: inMs(0) })
          .where('key_id', '=', key.keyId)
          .execute(),
      () =>
        key.post(
          '/v1/keys',
          { name: 'late', scopes: ['models:read'] },
          { 'x-kherad-project': world.project },
        ),
    )
    expect(codeOf(late)).toEqual([401, 'INVALID_API_KEY'])
    for (const at of [key, elsewhere(key)])
      await until(async () => codeOf(await at.get('/v1/keys'))[1] === 'INVALID_API_KEY')
    expect((await owner.get('/v1/keys?limit=100')).text).not.toContain('"late"')

    const other = await newManagementKey(world, { maker: owner })
    const project = { 'x-kherad-project': world.project }
    const hook = { url: 'https://93.184.215.14/late', events: ['batch.completed'] }
    const lateHook = await answeredAcross(
      world,
      (one) =>
        one
          .updateTable('auth.management_keys')
          .set({ revoked_at: inMs(0) })
          .where('key_id', '=', other.keyId)
          .execute(),
      () => other.post('/v1/webhooks', hook, project),
    )
    expect(codeOf(lateHook)).toEqual([401, 'INVALID_API_KEY'])
    expect((await owner.get('/v1/webhooks')).text).not.toContain('/late')
  })

  const endings: [string, (personId: string) => Promise<unknown>][] = [
    ['leaves the account', (personId) => tx((one) => removeMember(one, world.account, personId, inMs(0)))],
    ...(['developer', 'billing', 'viewer'] as const).map(
      (role): [string, (personId: string) => Promise<unknown>] => [
        `becomes ${role}`,
        (personId) =>
          tx((one) =>
            setMember(one, { accountId: world.account, personId, role, projectIds: null }, inMs(0)),
          ),
      ],
    ),
    [
      'is limited to a project',
      (personId) =>
        tx((one) =>
          setMember(
            one,
            { accountId: world.account, personId, role: 'admin', projectIds: [world.project] },
            inMs(0),
          ),
        ),
    ],
  ]
  test.each(endings)(
    'it ends in every process once its maker %s, and does not come back with the role',
    async (_how, end) => {
      const maker = await newMember(world, 'admin')
      const key = await newManagementKey(world, { maker })
      for (const at of [key, elsewhere(key)]) expect((await at.get('/v1/account')).status).toBe(200)
      await end(maker.personId)
      for (const at of [key, elsewhere(key)])
        await until(async () => codeOf(await at.get('/v1/account'))[1] === 'INVALID_API_KEY')
      const { personId } = maker
      await tx((one) =>
        setMember(one, { accountId: world.account, personId, role: 'owner', projectIds: null }, inMs(0)),
      )
      expect(codeOf(await key.get('/v1/account'))).toEqual([401, 'INVALID_API_KEY'])
      const seen = (await owner.get(`/v1/management-keys/${key.keyId}`)).body
      expect([seen.state, seen.ended_with_maker]).toEqual(['revoked', true])
    },
  )

  test('it stays while its maker goes from owner to admin, and the keys that it made stay when it ends', async () => {
    const maker = await newMember(world, 'owner')
    const key = await newManagementKey(world, { maker })
    const header = { 'x-kherad-project': world.project }
    const made = await key.post('/v1/keys', { name: 'customer', scopes: ['models:read'] }, header)
    const { personId } = maker
    await tx((one) =>
      setMember(one, { accountId: world.account, personId, role: 'admin', projectIds: null }, inMs(0)),
    )
    expect((await key.get('/v1/account')).status).toBe(200)
    expect((await remove(owner, `/v1/management-keys/${key.keyId}`)).body).toMatchObject({ made_keys: 1 })
    const customer = new Client(world.url, made.body.secret, made.body.id)
    expect((await customer.get('/v1/models')).status).toBe(200)
    const ended = await remove(owner, `/v1/management-keys/${key.keyId}?made_keys=revoke`)
    expect(ended.body).toMatchObject({ state: 'revoked', made_keys: 0 })
    await until(async () => codeOf(await customer.get('/v1/models'))[1] === 'INVALID_API_KEY')
    const rows = await auditRows(world, 'management_keys.revoke')
    expect(rows.at(-1)).toMatchObject({ target_id: key.keyId, after: { revoked_keys: [made.body.id] } })
  })
})

describe('what a management key makes', () => {
  const header = () => ({ 'x-kherad-project': world.project })

  test('is never stronger than the key: no scope beyond its own, and no limit raised without account:write', async () => {
    const key = await newManagementKey(world, {
      maker: owner,
      permissions: ['keys:read', 'keys:write', 'projects:read', 'projects:write'],
      keyScopes: ['models:read', 'responses:write'],
    })
    const beyond = await key.post(
      '/v1/keys',
      { name: 'k', scopes: ['models:read', 'studio:write'] },
      header(),
    )
    expect(codeOf(beyond)).toEqual([403, 'KEY_SCOPE_NOT_GIVEN'])
    const people = await key.post('/v1/keys', { name: 'k', scopes: ['members:write'] }, header())
    expect(codeOf(people)).toEqual([400, 'INVALID_REQUEST'])
    const made = await key.post(
      '/v1/keys',
      { name: 'k', scopes: ['models:read'], month_cap_credits: 5 },
      header(),
    )
    expect(made.body).toMatchObject({
      made_by: null,
      made_by_management_key: { id: key.keyId, name: 'program' },
    })
    const path = `/v1/keys/${made.body.id}`
    expect((await patch(key, path, { scopes: ['responses:write'] })).status).toBe(200)
    expect(codeOf(await patch(key, path, { scopes: ['files:read'] }))).toEqual([403, 'KEY_SCOPE_NOT_GIVEN'])
    for (const raised of [{ month_cap_credits: 6 }, { month_cap_credits: null }])
      expect(codeOf(await patch(key, path, raised))).toEqual([403, 'MANAGEMENT_PERMISSION_REQUIRED'])
    expect((await patch(key, path, { month_cap_credits: 4 })).status).toBe(200)
    // A stronger key is neither prolonged nor opened to pages; it may be revoked.
    const strong = (await owner.post('/v1/keys', { name: 's', scopes: ['studio:write'] })).body
    for (const change of [{ expires_at: null }, { origins: ['https://a.example'] }, { name: 'x' }])
      expect(codeOf(await patch(key, `/v1/keys/${strong.id}`, change))).toEqual([403, 'KEY_SCOPE_NOT_GIVEN'])
    expect((await remove(key, `/v1/keys/${strong.id}`)).body.state).toBe('revoked')
    const project = (await owner.post('/v1/projects', { name: 'capped', month_cap_credits: 10 })).body.id
    for (const change of [{ month_cap_credits: 11 }, { month_cap_credits: null }])
      expect(codeOf(await patch(key, `/v1/projects/${project}`, change))).toEqual([
        403,
        'MANAGEMENT_PERMISSION_REQUIRED',
      ])
    expect((await patch(key, `/v1/projects/${project}`, { month_cap_credits: 9 })).status).toBe(200)
    const caps = await patch(key, '/v1/account/caps', { thresholds_percent: [100] })
    expect(codeOf(caps)).toEqual([403, 'MANAGEMENT_PERMISSION_REQUIRED'])
  })

  test('without scopes to give it only revokes', async () => {
    const key = await newManagementKey(world, { maker: owner, permissions: ['keys:write'], keyScopes: [] })
    const made = await key.post('/v1/keys', { name: 'k', scopes: ['models:read'] }, header())
    expect(codeOf(made)).toEqual([403, 'KEY_SCOPE_NOT_GIVEN'])
    expect(made.body.error.message).toContain('revokes them alone')
    const own = await world.key()
    const renamed = await patch(key, `/v1/keys/${own.keyId}`, { name: 'x' }, { 'accept-language': 'fa' })
    expect(codeOf(renamed)).toEqual([403, 'KEY_SCOPE_NOT_GIVEN'])
    expect(renamed.body.error.message).toContain('تنها باطل می‌کند')
    const narrow = await newManagementKey(world, { maker: owner, keyScopes: ['models:read'] })
    const beyond = await narrow.post('/v1/keys', { name: 'k', scopes: ['files:read'] }, header())
    expect(beyond.body.error.message).toContain('files:read')
    expect((await remove(key, `/v1/keys/${own.keyId}`)).status).toBe(200)
  })

  test('its permission stands for a factor, which people still have to give', async () => {
    const stale = await newMember(world, 'owner')
    await stepDown(world, stale)
    const key = await newManagementKey(world, { maker: stale })
    expect(codeOf(await stale.post('/v1/keys', { name: 'k', scopes: ['models:read'] }))).toEqual([
      403,
      'STEP_UP_REQUIRED',
    ])
    expect((await key.post('/v1/keys', { name: 'k', scopes: ['models:read'] }, header())).status).toBe(201)
    expect(codeOf(await stale.post('/v1/management-keys', body()))).toEqual([403, 'STEP_UP_REQUIRED'])
    for (const seen of [
      await patch(stale, `/v1/management-keys/${key.keyId}`, { name: 'x' }),
      await remove(stale, `/v1/management-keys/${key.keyId}`),
    ])
      expect(codeOf(seen)).toEqual([403, 'STEP_UP_REQUIRED'])
  })

  test('is made once for an idempotency key, also where it names no project, and its rows name the management key', async () => {
    const key = await newManagementKey(world, { maker: owner })
    const idempotency = { 'idempotency-key': randomUUID() }
    const [first, second] = [
      await key.post('/v1/projects', { name: 'once' }, idempotency),
      await key.post('/v1/projects', { name: 'once' }, idempotency),
    ]
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text])
    const [row, ...more] = (await auditRows(world, 'projects.create')).filter(
      ({ actor_id }) => actor_id === key.keyId,
    )
    expect(more).toEqual([])
    expect(row).toMatchObject({ actor_kind: 'management_key', target_id: first.body.id })
    const page = await key.get(`/v1/audit?actor_kind=management_key&actor_id=${key.keyId}`)
    expect(page.body.data[0].actor).toEqual({
      kind: 'management_key',
      id: key.keyId,
      name: 'program',
      deleted: false,
    })
    expect(page.text).not.toContain(key.secret)
    const found = await key.get(
      `/v1/requests?project_id=all&idempotency_key=${idempotency['idempotency-key']}`,
    )
    expect(found.body.data).toMatchObject([{ endpoint: '/v1/projects', key_id: key.keyId }])
  })
})

describe('people and management keys', () => {
  test('owners and admins of the whole account make them, and see neither secret nor hash again', async () => {
    const made = await owner.post('/v1/management-keys', body({ addresses: ['10.1.2.3/8', '2001:DB8::/32'] }))
    expect(made.body.secret).toMatch(/^khm_[0-9A-Za-z]{49}$/)
    expect(made.body).toMatchObject({
      ...{ state: 'active', addresses: ['10.0.0.0/8', '2001:db8::/32'], last_used_at: null, made_keys: 0 },
      made_by: { person_id: owner.personId },
    })
    const list = await owner.get('/v1/management-keys?limit=100')
    const rows = await auditRows(world, 'management_keys.create')
    const [stored] = await world.app.db.query(
      { text: 'select * from auth.management_keys where key_id = $1' },
      [made.body.id],
    )
    for (const text of [list.text, JSON.stringify(rows), JSON.stringify(stored)])
      expect(text.includes(made.body.secret)).toBe(false)
    expect(list.text).not.toContain('hash')
    const admin = await newMember(world, 'admin')
    expect((await admin.post('/v1/management-keys', body())).status).toBe(201)
    const limited = await newMember(world, 'admin', { projects: [world.project] })
    for (const seen of [
      await limited.post('/v1/management-keys', body()),
      await limited.get('/v1/management-keys'),
    ])
      expect(codeOf(seen)).toEqual([403, 'INSUFFICIENT_ROLE'])
    const stranger = await newMember(world, 'owner', {
      account: (await world.stranger()).account,
      project: undefined,
    })
    for (const seen of [
      await stranger.get(`/v1/management-keys/${made.body.id}`),
      await remove(stranger, `/v1/management-keys/${made.body.id}`),
    ])
      expect(codeOf(seen)).toEqual([404, 'NOT_FOUND'])
  })

  test('bounds of a body hold at their edge', async () => {
    const refused: [object, string][] = [
      [{ permissions: [] }, 'permissions'],
      [{ permissions: ['members:write'] }, 'permissions.0'],
      [{ permissions: ['management_keys:read'] }, 'permissions.0'],
      [{ permissions: ['responses:write'] }, 'permissions.0'],
      [{ key_scopes: ['members:write'] }, 'key_scopes.0'],
      [{ permissions: ['keys:read'] }, 'key_scopes'],
      [{ addresses: ['0.0.0.0/0'] }, 'addresses.0'],
      [{ addresses: ['10.0.0.1', '::ffff:10.0.0.1'] }, 'addresses.1'],
      [{ expires_at: inMs(0).toISOString() }, 'expires_at'],
      [{ expires_at: inMs(366 * dayMs + 1).toISOString() }, 'expires_at'],
      [{ expires_at: '2027-02-31' }, 'expires_at'],
      [{ name: ' ' }, 'name'],
    ]
    for (const [wrong, param] of refused) {
      const seen = await owner.post('/v1/management-keys', body(wrong))
      expect([JSON.stringify(wrong), seen.status, seen.body.error?.param]).toEqual([
        JSON.stringify(wrong),
        400,
        param,
      ])
    }
    const longest = { expires_at: inMs(366 * dayMs).toISOString() }
    expect((await owner.post('/v1/management-keys', body(longest))).status).toBe(201)
    const { id } = (await owner.post('/v1/management-keys', body())).body
    for (const fixed of [
      { expires_at: inMs(dayMs).toISOString() },
      { addresses: [] },
      { permissions: ['keys:read'] },
    ])
      expect(codeOf(await patch(owner, `/v1/management-keys/${id}`, { name: 'x', ...fixed }))).toEqual([
        400,
        'UNKNOWN_FIELD',
      ])
    expect((await patch(owner, `/v1/management-keys/${id}`, { name: 'نو' })).body.name).toBe('نو')
    await remove(owner, `/v1/management-keys/${id}`)
    expect(codeOf(await patch(owner, `/v1/management-keys/${id}`, { name: 'x' }))).toEqual([
      409,
      'MANAGEMENT_KEY_ENDED',
    ])
  })

  test('the last use is noted, at most every five minutes', async () => {
    const key = await newManagementKey(world, { maker: owner })
    const used = async () => (await owner.get(`/v1/management-keys/${key.keyId}`)).body.last_used_at
    const first = inMs(0).toISOString()
    await key.get('/v1/account')
    await until(async () => (await used()) === first)
    clock.moveMs(299_999)
    await key.get('/v1/account')
    expect(await used()).toBe(first)
    clock.moveMs(1)
    const second = inMs(0).toISOString()
    await key.get('/v1/account')
    await until(async () => (await used()) === second)
  })
})
