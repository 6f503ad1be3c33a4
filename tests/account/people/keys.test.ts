import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { permissionsOf, setMember } from '#account/people'
import { createProject, scopes } from '#platform/auth'
import { setCaps } from '#platform/ledger'
import { Client, type Seen } from '../../harness/client.ts'
import { newMember, newPerson } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import { answeredAcross, auditRows, codeOf, patch, remove, stepDown } from './people.ts'

const probe = { name: 'probe', scopes: ['models:read'] }

async function project(world: World): Promise<string> {
  const now = new Date(world.app.clock.nowMs())
  return (await world.app.db.tx((tx) => createProject(tx, { accountId: world.account, name: 'two' }, now)))
    .project_id
}

describe('a key', () => {
  test('is made in the project of the request, works at once, and shows its secret once', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const made = await owner.post('/v1/keys', {
      ...probe,
      scopes: ['models:read', 'responses:write'],
      models: ['sandbox/fast'],
      origins: ['https://App.example.com/'],
      expires_at: '2099-01-01T00:00:00Z',
      cap_credits: 50,
      month_cap_credits: 5,
      rate_per_minute: 60,
      concurrency: 2,
      keep_days: 0,
      responses_max_output_tokens: 100,
    })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      project_id: world.project,
      state: 'active',
      origins: ['https://app.example.com'],
      models: ['sandbox/fast'],
      ...{ cap_credits: 50, month_cap_credits: 5, rate_per_minute: 60, concurrency: 2, keep_days: 0 },
      made_by: { person_id: owner.personId, is_member: true },
      last_used_on: null,
    })
    const { secret, id } = made.body
    const key = new Client(world.url, secret, id)
    const chat = await key.chat({ model: 'sandbox/fast', max_tokens: 5 })
    expect(chat.status, chat.text).toBe(200)
    await world.settled()
    const seen = await owner.get(`/v1/keys/${id}`)
    expect(seen.body.secret).toBeUndefined()
    expect(seen.text).not.toContain(secret)
    expect(seen.body.hint).toBe(secret.slice(-4))
    expect(seen.body.last_used_on).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(seen.body.month_spent_credits).toBeGreaterThan(0)
    const rows = await auditRows(world, 'keys.create')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ actor_kind: 'person', actor_id: owner.personId, target_id: id })
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('belongs to whoever is signed in, whatever a body says of accounts, projects and people', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const other = await world.stranger()
    const victim = await newPerson(world)
    const forged = {
      person_id: victim.personId,
      user_id: victim.personId,
      made_by: victim.personId,
      account_id: other.account,
      project_id: other.project,
    }
    for (const [name, value] of Object.entries(forged)) {
      const refused = await owner.post('/v1/keys', { ...probe, [name]: value })
      expect([name, refused.status, refused.body.error.code]).toEqual([name, 400, 'UNKNOWN_FIELD'])
    }
    const elsewhere = await owner.post('/v1/keys', probe, { 'x-kherad-project': other.project })
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, 'NOT_FOUND'])
    const none = await victim.post('/v1/keys', probe, { 'x-kherad-project': world.project })
    expect(none.status).toBe(404)
  })

  test('gets no scope that its maker’s role lacks, nor a permission of people', async () => {
    await using world = await sharedWorld()
    const developer = await newMember(world, 'developer')
    for (const scope of ['keys:write', 'members:write', 'account:write', 'nonsense']) {
      const refused = await developer.post('/v1/keys', { ...probe, scopes: [scope] })
      expect([scope, refused.status, refused.body.error.code]).toEqual([scope, 400, 'INVALID_REQUEST'])
      expect(refused.body.error.param).toBe('scopes.0')
    }
    const all = await developer.post('/v1/keys', { ...probe, scopes })
    expect(all.status, all.text).toBe(201)
    expect(scopes.every((scope) => permissionsOf('developer').has(scope))).toBe(true)
    // A viewer's and a bookkeeper's role makes no keys at all.
    for (const role of ['viewer', 'billing'] as const) {
      const refused = await (await newMember(world, role)).post('/v1/keys', probe)
      expect([role, refused.status, refused.body.error.code]).toEqual([role, 403, 'INSUFFICIENT_ROLE'])
    }
  })

  test('is refused where it names a model, an origin or a time that cannot be', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const cases = [
      [{ models: ['no/such'] }, 404, 'MODEL_NOT_FOUND', 'models.0'],
      [{ models: [] }, 400, 'INVALID_REQUEST', 'models'],
      [{ origins: ['*'] }, 400, 'INVALID_REQUEST', 'origins.0'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST', 'expires_at'],
      [{ expires_at: '' }, 400, 'INVALID_REQUEST', 'expires_at'],
      [{ expires_at: '9999-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST', 'expires_at'],
      [{ name: '   ' }, 400, 'INVALID_REQUEST', 'name'],
      [{ name: 'a\u0000b' }, 400, 'INVALID_REQUEST', 'name'],
      [{ cap_credits: -1 }, 400, 'INVALID_REQUEST', 'cap_credits'],
      [{ cap_credits: 1.5 }, 400, 'INVALID_REQUEST', 'cap_credits'],
      [{ scopes: [] }, 400, 'INVALID_REQUEST', 'scopes'],
    ] as const
    for (const [more, status, code, param] of cases) {
      const refused = await owner.post('/v1/keys', { ...probe, ...more })
      expect([more, refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
        more,
        status,
        code,
        param,
      ])
    }
  })

  test('made twice under one Idempotency-Key is one key, with the same secret', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const headers = { 'idempotency-key': randomUUID() }
    const [one, two] = await Promise.all([
      owner.post('/v1/keys', probe, headers),
      owner.post('/v1/keys', probe, headers),
    ])
    const again = await owner.post('/v1/keys', probe, headers)
    expect(again.status, again.text).toBe(201)
    const secrets = [one, two, again].filter(({ status }) => status === 201).map(({ body }) => body.secret)
    expect(new Set(secrets).size).toBe(1)
    const list = await owner.get('/v1/keys')
    expect(list.body.data).toHaveLength(1)
    const conflict = await owner.post('/v1/keys', { ...probe, name: 'other' }, headers)
    expect(conflict.status).toBe(409)
    expect(await auditRows(world, 'keys.create')).toHaveLength(1)
  })

  test('is changed and revoked within a second for its callers, and a revoked one stays so', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const made = await owner.post('/v1/keys', { ...probe, scopes: ['models:read', 'responses:write'] })
    const path = `/v1/keys/${made.body.id}`
    const key = new Client(world.url, made.body.secret, made.body.id)
    expect((await key.get('/v1/models')).status).toBe(200)
    const narrowed = await patch(owner, path, {
      scopes: ['responses:write'],
      name: ' shop ',
      month_cap_credits: 7,
    })
    expect(narrowed.status, narrowed.text).toBe(200)
    expect(narrowed.body).toMatchObject({ name: 'shop', scopes: ['responses:write'], month_cap_credits: 7 })
    await until(async () => (await key.get('/v1/models')).status === 403)
    const lifted = await patch(owner, path, { month_cap_credits: null })
    expect(lifted.body.month_cap_credits).toBeNull()
    expect((await patch(owner, path, {})).body.error.code).toBe('INVALID_REQUEST')
    const revoked = await remove(owner, path)
    expect(revoked.body).toMatchObject({ state: 'revoked' })
    await until(async () => (await key.get('/v1/models')).status === 401)
    expect((await remove(owner, path)).body.revoked_at).toBe(revoked.body.revoked_at)
    const late = await patch(owner, path, { name: 'again' })
    expect([late.status, late.body.error.code]).toEqual([409, 'KEY_REVOKED'])
    expect((await owner.get('/v1/keys?state=active')).body.data).toHaveLength(0)
    expect((await owner.get('/v1/keys?state=ended')).body.data).toHaveLength(1)
    const [change] = await auditRows(world, 'keys.change')
    expect(change).toMatchObject({ before: { name: 'probe' } })
    expect(await auditRows(world, 'keys.revoke')).toHaveLength(2)
  })

  test('has limits that a developer lowers and never raises or lifts', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const developer = await newMember(world, 'developer')
    const path = `/v1/keys/${(await developer.post('/v1/keys', { ...probe, cap_credits: 9 })).body.id}`
    const limits = ['cap_credits', 'month_cap_credits', 'rate_per_minute', 'concurrency']
    for (const limit of limits) {
      expect((await patch(owner, path, { [limit]: 5 })).status).toBe(200)
      for (const value of [6, null])
        expect(codeOf(await patch(developer, path, { [limit]: value }))).toEqual([403, 'INSUFFICIENT_ROLE'])
      for (const value of [5, 4]) expect((await patch(developer, path, { [limit]: value })).status).toBe(200)
    }
    expect((await patch(developer, path, { name: 'x' })).body).toMatchObject({ name: 'x', cap_credits: 4 })
    expect((await patch(owner, path, { cap_credits: null })).status).toBe(200)
  })

  test('asks for a recent factor, and no API key reaches the routes of keys', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const made = await owner.post('/v1/keys', probe)
    const path = `/v1/keys/${made.body.id}`
    await stepDown(world, owner)
    for (const refused of [
      await owner.post('/v1/keys', probe),
      await patch(owner, path, { name: 'a' }),
      await remove(owner, path),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([403, 'STEP_UP_REQUIRED'])
    expect((await owner.get(path)).status).toBe(200)
    const key = await world.key()
    for (const refused of [await key.get('/v1/keys'), await key.post('/v1/keys', probe)])
      expect([refused.status, refused.body.error.code]).toEqual([403, 'SESSION_REQUIRED'])
  })
})

describe('of keys', () => {
  test('developers see and change those that they made, in their projects alone; the hidden ones of sessions nobody', async () => {
    await using world = await sharedWorld()
    const [owner, developer, viewer] = [
      await newMember(world, 'owner'),
      await newMember(world, 'developer', { projects: [world.project] }),
      await newMember(world, 'viewer'),
    ]
    const second = await project(world)
    const ofOwner = (await owner.post('/v1/keys', probe)).body.id
    const own = (await developer.post('/v1/keys', probe)).body.id
    const far = (await owner.post('/v1/keys', probe, { 'x-kherad-project': second })).body.id
    const ids = async (who: Client, query = '') =>
      (await who.get(`/v1/keys${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids(developer)).toEqual([own])
    expect(await ids(developer, `?project_id=${second}`)).toEqual([])
    expect(await ids(developer, `?made_by=${owner.personId}`)).toEqual([])
    expect(await ids(viewer)).toEqual([far, own, ofOwner])
    expect(await ids(owner, `?project_id=${second}`)).toEqual([far])
    expect(await ids(owner, `?made_by=${developer.personId}`)).toEqual([own])
    for (const id of [ofOwner, far]) {
      expect((await developer.get(`/v1/keys/${id}`)).status).toBe(404)
      expect((await patch(developer, `/v1/keys/${id}`, { name: 'mine' })).status).toBe(404)
      expect((await remove(developer, `/v1/keys/${id}`)).status).toBe(404)
    }
    expect((await developer.post('/v1/keys', probe, { 'x-kherad-project': second })).status).toBe(404)
    // What a session pays with is a key too, and no list shows it.
    expect((await owner.chat({ model: 'sandbox/fast', max_tokens: 5 })).status).toBe(200)
    await world.settled()
    const [hidden] = await world.app.db.query<{ key_id: string }>(
      { text: `select key_id from auth.keys where account_id = $1 and kind = 'session' limit 1` },
      [world.account],
    )
    expect(await ids(owner)).not.toContain(hidden!.key_id)
    for (const refused of [
      await owner.get(`/v1/keys/${hidden!.key_id}`),
      await remove(owner, `/v1/keys/${hidden!.key_id}`),
    ])
      expect(refused.status).toBe(404)
    const stranger = await world.stranger()
    const outside = await newMember(world, 'owner', stranger)
    expect(await ids(outside)).toEqual([stranger.client.keyId])
    expect((await outside.get(`/v1/keys/${own}`)).status).toBe(404)
  })

  test('nothing is made or changed by somebody whose role is lowered or membership ended while the request is on its way', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const key = `/v1/keys/${(await owner.post('/v1/keys', probe)).body.id}`
    const now = new Date(world.app.clock.nowMs())
    const requests: [string, (who: Client) => Promise<Seen>][] = [
      ['make a key', (who) => who.post('/v1/keys', probe)],
      ['make a project', (who) => who.post('/v1/projects', { name: 'two' })],
      ['change a key', (who) => patch(who, key, { month_cap_credits: 9 })],
      ['revoke a key', (who) => remove(who, key)],
      ['change a project', (who) => patch(who, `/v1/projects/${world.project}`, { name: 'x' })],
      ['change the caps', (who) => patch(who, '/v1/account/caps', { month_cap_credits: 9 })],
      ['name the account', (who) => patch(who, '/v1/account', { name: 'x' })],
    ]
    for (const [what, request] of requests) {
      const admin = await newMember(world, 'admin')
      const lowered = {
        accountId: world.account,
        personId: admin.personId,
        role: 'viewer',
        projectIds: null,
      } as const
      const refused = await answeredAcross(
        world,
        (tx) => setMember(tx, lowered, now),
        () => request(admin),
      )
      expect([what, ...codeOf(refused)]).toEqual([what, 403, 'INSUFFICIENT_ROLE'])
    }
    // The bound of keys makes a creation wait, and its maker is removed in that time.
    const admin = await newMember(world, 'admin')
    const late = await answeredAcross(
      world,
      (tx) =>
        sql`select pg_advisory_xact_lock(hashtext('account creations'), hashtext(${world.account}))`.execute(
          tx,
        ),
      () => admin.post('/v1/keys', probe),
      () => remove(owner, `/v1/members/${admin.personId}`),
    )
    expect(codeOf(late)).toEqual([403, 'INSUFFICIENT_ROLE'])
    expect((await owner.get('/v1/keys')).body.data).toHaveLength(1)
  })

  test('those of a member who has left are listed for the owner, and go on until they are revoked', async () => {
    await using world = await sharedWorld()
    const [owner, developer] = [await newMember(world, 'owner'), await newMember(world, 'developer')]
    const made = await developer.post('/v1/keys', probe)
    const left = await remove(owner, `/v1/members/${developer.personId}`)
    expect(left.body).toMatchObject({ removed: true, keys: 1 })
    for (const query of ['left', developer.personId]) {
      const { body } = await owner.get(`/v1/keys?made_by=${query}`)
      expect(body.data).toMatchObject([{ id: made.body.id, made_by: { is_member: false }, state: 'active' }])
    }
    const key = new Client(world.url, made.body.secret, made.body.id)
    expect((await key.get('/v1/models')).status).toBe(200)
    expect((await developer.get('/v1/keys')).status).toBe(404)
    expect((await remove(owner, `/v1/keys/${made.body.id}`)).status).toBe(200)
    await until(async () => (await key.get('/v1/models')).status === 401)
  })

  test('pages follow one another without a gap', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const made: string[] = []
    for (let at = 0; at < 5; at++)
      made.unshift((await owner.post('/v1/keys', { ...probe, name: `k${at}` })).body.id)
    const first = await owner.get('/v1/keys?limit=3')
    expect(first.body.has_more).toBe(true)
    const rest = await owner.get(`/v1/keys?limit=3&after_id=${first.body.last_id}`)
    const ids = [...first.body.data, ...rest.body.data].map(({ id }: { id: string }) => id)
    expect(ids).toEqual(made)
    expect(rest.body.has_more).toBe(false)
  })
})

describe('projects and the account', () => {
  test('owners make and change projects; whoever is limited to some sees those alone and makes none', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const made = await owner.post('/v1/projects', { name: 'shop', month_cap_credits: 10, rate_per_minute: 5 })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({ name: 'shop', month_cap_credits: 10, cap_credits: null })
    const changed = await patch(owner, `/v1/projects/${made.body.id}`, {
      name: 'store',
      keep_days: 3,
      cap_credits: 4,
    })
    expect(changed.body).toMatchObject({ name: 'store', keep_days: 3, cap_credits: 4, month_cap_credits: 10 })
    const limited = await newMember(world, 'admin', { projects: [world.project] })
    const seen = (await limited.get('/v1/projects')).body.data
    expect(seen.map(({ id }: { id: string }) => id)).toEqual([world.project])
    expect((await patch(limited, `/v1/projects/${made.body.id}`, { name: 'x' })).status).toBe(404)
    expect((await limited.post('/v1/projects', { name: 'mine' })).body.error.code).toBe('INSUFFICIENT_ROLE')
    const developer = await newMember(world, 'developer')
    expect((await developer.post('/v1/projects', { name: 'mine' })).body.error.code).toBe('INSUFFICIENT_ROLE')
    expect((await developer.get('/v1/projects')).body.data).toHaveLength(2)
    const other = await world.stranger()
    expect((await patch(owner, `/v1/projects/${other.project}`, { name: 'x' })).status).toBe(404)
    expect(await auditRows(world, 'projects.')).toHaveLength(2)
  })

  test('the account shows balance and caps; who looks after the budgets sets caps and no name', async () => {
    await using world = await sharedWorld({ credits: 100 })
    const [owner, billing, viewer] = [
      await newMember(world, 'owner'),
      await newMember(world, 'billing'),
      await newMember(world, 'viewer'),
    ]
    const seen = await viewer.get('/v1/account')
    expect(seen.body).toMatchObject({
      id: world.account,
      balance_credits: 100,
      balance_microcredits: '100000000',
      thresholds_percent: [50, 80, 100],
    })
    const named = await patch(owner, '/v1/account', { name: ' Acme ' })
    expect(named.body.name).toBe('Acme')
    const capped = await patch(billing, '/v1/account/caps', { month_cap_credits: 0 })
    expect(capped.body).toMatchObject({ month_cap_credits: 0, name: 'Acme' })
    const limited = await newMember(world, 'admin', { projects: [world.project] })
    for (const [who, path, body] of [
      [billing, '/v1/account', { name: 'Mine' }],
      [limited, '/v1/account', { name: 'Mine' }],
      [limited, '/v1/account/caps', { cap_credits: 1 }],
      [viewer, '/v1/account/caps', { cap_credits: 1 }],
    ] as const)
      expect((await patch(who, path, body)).body.error.code).toBe('INSUFFICIENT_ROLE')
    const broke = await owner.chat({ model: 'sandbox/fast', max_tokens: 5 })
    expect([broke.status, broke.body.error.code]).toEqual([402, 'BUDGET_EXCEEDED'])
    const rows = await auditRows(world, 'account.caps')
    expect(rows).toMatchObject([{ before: { month_cap_credits: null }, after: { month_cap_credits: 0 } }])
  })

  test('an account has thresholds of its own, which people of money set and nobody else, until it takes those of the installation', async () => {
    await using world = await sharedWorld()
    const [owner, billing, developer] = [
      await newMember(world, 'owner'),
      await newMember(world, 'billing'),
      await newMember(world, 'developer'),
    ]
    const set = (who: Client, thresholds_percent: unknown) =>
      patch(who, '/v1/account/caps', { thresholds_percent })
    expect((await owner.get('/v1/account')).body).toMatchObject({ has_own_thresholds: false })
    const own = await set(billing, [100, 1, 42])
    expect(own.body).toMatchObject({ thresholds_percent: [1, 42, 100], has_own_thresholds: true })
    for (const refused of [
      [],
      [0],
      [101],
      [50, 50],
      [2.5],
      ['50'],
      50,
      Array.from({ length: 11 }, (_, at) => at + 1),
    ])
      expect(codeOf(await set(owner, refused)), JSON.stringify(refused)).toEqual([400, 'INVALID_REQUEST'])
    expect(codeOf(await set(developer, [10]))).toEqual([403, 'INSUFFICIENT_ROLE'])
    const capped = await patch(owner, '/v1/account/caps', { month_cap_credits: 9 })
    expect(capped.body).toMatchObject({ month_cap_credits: 9, thresholds_percent: [1, 42, 100] })
    const ten = Array.from({ length: 10 }, (_, at) => at + 91)
    expect((await set(owner, ten)).body.thresholds_percent).toEqual(ten)
    const stranger = await newMember(world, 'owner', await world.stranger())
    expect((await stranger.get('/v1/account')).body.thresholds_percent).toEqual([50, 80, 100])
    const back = await set(owner, null)
    expect(back.body).toMatchObject({ thresholds_percent: [50, 80, 100], has_own_thresholds: false })
    const rows = await auditRows(world, 'account.caps')
    expect(rows.map(({ before, after }) => [before, after])).toMatchObject([
      [{ thresholds_percent: null }, { thresholds_percent: [1, 42, 100] }],
      [{ month_cap_credits: null }, { month_cap_credits: 9, thresholds_percent: [1, 42, 100] }],
      [{ thresholds_percent: [1, 42, 100] }, { thresholds_percent: ten }],
      [{ thresholds_percent: ten }, { thresholds_percent: null }],
    ])
  })

  test.each(['account', 'project'] as const)(
    'a cap of the %s that is changed twice at once has rows that follow one another',
    async (scope) => {
      await using world = await sharedWorld()
      const owner = await newMember(world, 'owner')
      const [id, path] =
        scope === 'account'
          ? [world.account, '/v1/account/caps']
          : [world.project, `/v1/projects/${world.project}`]
      const answer = await answeredAcross(
        world,
        (tx) => setCaps(tx, world.account, scope, id, { monthCap: 5_000_000n }),
        () => patch(owner, path, { cap_credits: 7 }),
      )
      expect(answer.body).toMatchObject({ cap_credits: 7, month_cap_credits: 5 })
      const [row] = await auditRows(world, `${scope}`)
      expect(row).toMatchObject({
        before: { cap_credits: null, month_cap_credits: 5 },
        after: { cap_credits: 7, month_cap_credits: 5 },
      })
    },
  )

  test('a change that sets no cap stops no payment, even while it waits', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const answer = await answeredAcross(
      world,
      (tx) => sql`select from ledger.balances where account_id = ${world.account} for update`.execute(tx),
      () => patch(owner, `/v1/projects/${world.project}`, { name: 'renamed' }),
    )
    expect(answer.status).toBe(200)
    expect(answer.body.name).toBe('renamed')
  })

  test('a person in several accounts works in the one whose project the request names', async () => {
    await using world = await sharedWorld()
    const other = await world.stranger()
    const member = await newMember(world, 'viewer')
    const now = new Date(world.app.clock.nowMs())
    await world.app.db.tx((tx) =>
      setMember(
        tx,
        { accountId: other.account, personId: member.personId, role: 'owner', projectIds: null },
        now,
      ),
    )
    expect((await member.get('/v1/account')).body.id).toBe(world.account)
    const there = { 'x-kherad-project': other.project }
    expect((await member.get('/v1/account', there)).body.id).toBe(other.account)
    expect((await member.post('/v1/keys', probe)).body.error.code).toBe('INSUFFICIENT_ROLE')
    expect((await member.post('/v1/keys', probe, there)).status).toBe(201)
    const unnamed = await member.get('/v1/account', { 'x-kherad-project': '' })
    expect([unnamed.status, unnamed.body.error.code]).toEqual([400, 'PROJECT_REQUIRED'])
  })
})
