import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Role, setMember } from '#account/people'
import { createProject } from '#platform/auth'
import { type Member, newMember } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import { answeredAcross, auditRows, codeOf, leave, mailsTo, patch, remove, stepDown } from './people.ts'

const roles: Role[] = ['owner', 'admin', 'developer', 'billing', 'viewer']

async function projectOf(world: World): Promise<string> {
  const now = new Date(world.app.clock.nowMs())
  const options = { accountId: world.account, name: 'two' }
  return (await world.app.db.tx((tx) => createProject(tx, options, now))).project_id
}

describe('members', () => {
  test('are listed with role, projects, second factor and spending to whoever may see them', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner', { displayName: 'Mina' })
    const developer = await newMember(world, 'developer', { projects: [world.project] })
    expect((await developer.chat({ model: 'sandbox/fast', max_tokens: 5 })).status).toBe(200)
    await world.settled()
    const { body } = await developer.get('/v1/members')
    expect(body.data).toMatchObject([
      {
        person_id: owner.personId,
        display_name: 'Mina',
        role: 'owner',
        project_ids: null,
        is_you: false,
        spending: [],
      },
      {
        person_id: developer.personId,
        role: 'developer',
        project_ids: [world.project],
        has_second_factor: false,
        is_you: true,
        spending: [{ project_id: world.project, month_cap_credits: null }],
      },
    ])
    expect(body.data[1].spending[0].month_spent_credits).toBeGreaterThan(0)
    const billing = await newMember(world, 'billing')
    expect(codeOf(await billing.get('/v1/members'))).toEqual([403, 'INSUFFICIENT_ROLE'])
    const outside = await newMember(world, 'owner', await world.stranger())
    expect((await outside.get('/v1/members')).body.data).toHaveLength(1)
    expect(codeOf(await patch(outside, `/v1/members/${developer.personId}`, { role: 'viewer' }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(codeOf(await remove(outside, `/v1/members/${developer.personId}`))).toEqual([404, 'NOT_FOUND'])
  })

  test('show addresses and second factors of others to whoever may change members, and to nobody else', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner', { email: `mina-${world.account}@example.org` })
    const viewer = await newMember(world, 'viewer')
    const seenBy = async (who: typeof owner) =>
      (await who.get('/v1/members')).body.data.map(
        (one: { email: string | null; has_second_factor: unknown }) => [
          one.email !== null,
          one.has_second_factor,
        ],
      )
    expect(await seenBy(owner)).toEqual([
      [true, false],
      [true, false],
    ])
    expect(await seenBy(viewer)).toEqual([
      [false, null],
      [true, false],
    ])
    expect((await owner.post('/v1/invitations', { email: 'reza@example.org', role: 'viewer' })).status).toBe(
      201,
    )
    const invited = async (who: typeof owner) => (await who.get('/v1/invitations')).body.data[0].email
    expect([await invited(owner), await invited(viewer)]).toEqual(['reza@example.org', 'r…@example.org'])
    const found = async (who: typeof owner) =>
      (await who.get(`/v1/members?q=mina-${world.account}`)).body.data.length
    expect([await found(owner), await found(viewer)], 'no address is guessed by a search').toEqual([1, 0])
  })

  test('see of projects, spending and people only what they share with others', async () => {
    await using world = await sharedWorld()
    const second = await projectOf(world)
    const owner = await newMember(world, 'owner', { displayName: 'Mina' })
    const both = await newMember(world, 'developer', { projects: [world.project, second] })
    const beside = await newMember(world, 'developer', { projects: [second] })
    const limited = await newMember(world, 'admin', { projects: [world.project] })
    const caps = [world.project, second].map((project_id) => ({ project_id, month_cap_credits: 7 }))
    expect((await patch(owner, `/v1/members/${both.personId}`, { month_caps: caps })).status).toBe(200)
    const { data } = (await limited.get('/v1/members')).body
    expect(data).toMatchObject([
      { person_id: owner.personId, project_ids: null, spending: [] },
      {
        person_id: both.personId,
        project_ids: [world.project],
        spending: [{ project_id: world.project, month_cap_credits: 7 }],
      },
      { person_id: limited.personId, project_ids: [world.project] },
    ])
    expect(data[1].spending).toHaveLength(1)
    expect((await limited.get(`/v1/members/${both.personId}`)).body).toEqual(data[1])
    const path = `/v1/members/${beside.personId}`
    for (const hidden of [
      await limited.get(path),
      await patch(limited, path, { role: 'viewer' }),
      await remove(limited, path),
    ])
      expect(codeOf(hidden)).toEqual([404, 'NOT_FOUND'])
    const inviting = async (email: string, project_ids: string[] | null) =>
      (await owner.post('/v1/invitations', { email, role: 'viewer', project_ids })).body.id
    const everywhere = await inviting('all@example.org', null)
    const shared = await inviting('both@example.org', [world.project, second])
    const hidden = await inviting('two@example.org', [second])
    expect((await limited.get('/v1/invitations')).body.data).toMatchObject([
      { id: shared, project_ids: [world.project] },
      { id: everywhere, project_ids: null },
    ])
    expect(codeOf(await remove(limited, `/v1/invitations/${hidden}`))).toEqual([404, 'NOT_FOUND'])
    expect(codeOf(await limited.post(`/v1/invitations/${hidden}/resend`, {}))).toEqual([404, 'NOT_FOUND'])
    expect(codeOf(await remove(limited, `/v1/invitations/${shared}`))).toEqual([403, 'ROLE_TOO_HIGH'])
    // Nor by an invitation in its place.
    for (const email of ['all@example.org', 'both@example.org', 'two@example.org']) {
      const less = { email, role: 'viewer', project_ids: [world.project] }
      expect(codeOf(await limited.post('/v1/invitations', less))).toEqual([403, 'ROLE_TOO_HIGH'])
    }
    expect((await owner.get('/v1/invitations')).body.data).toHaveLength(3)
    expect((await remove(owner, `/v1/invitations/${hidden}`)).status).toBe(200)
    const inState = async (state: string) =>
      (await owner.get(`/v1/invitations?state=${state}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await inState('open')).toEqual([shared, everywhere])
    expect([await inState('revoked'), await inState('accepted'), await inState('expired')]).toEqual([
      [hidden],
      [],
      [],
    ])
  })

  test('are listed in pages of a stable order, and found by a part of the name however it is typed', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner', { displayName: 'Mina' })
    const names = ['علي كريمي', 'می‌نا ۱۲', 'Zoe', 'علی', 'خانۀ مُحمّد']
    const ids = [owner.personId]
    for (const displayName of names) ids.push((await newMember(world, 'viewer', { displayName })).personId)
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { status, body } = await owner.get(`/v1/members?limit=2${after}`)
      expect(status).toBe(200)
      seen.push(...body.data.map((one: { person_id: string }) => one.person_id))
      expect(body.last_id).toBe(seen.at(-1))
      if (!body.has_more) break
      after = `&after_id=${body.last_id}`
    }
    expect(seen).toEqual(ids)
    const found = async (q: string) =>
      (await owner.get(`/v1/members?q=${encodeURIComponent(q)}`)).body.data.map(
        (one: { display_name: string }) => one.display_name,
      )
    expect(await found('علی')).toEqual(['علي كريمي', 'علی'])
    for (const typed of ['مینا 12', 'مینا ١٢']) expect(await found(typed)).toEqual(['می‌نا ۱۲'])
    for (const typed of ['خانه محمد', 'خانة محمد', '\u2068خانه مـحمد\u2069', ' محمد ', '\ufea7انه'])
      expect(await found(typed), typed).toEqual(['خانۀ مُحمّد'])
    for (const typed of ['ZO', 'ＺＯ']) expect(await found(typed), typed).toEqual(['Zoe'])
    expect(await found('%')).toEqual([])
    for (const query of ['limit=101', 'limit=0', 'q=', 'q=%00', `q=${'x'.repeat(101)}`, 'after_id=x'])
      expect((await owner.get(`/v1/members?${query}`)).status).toBe(400)
  })

  test('are changed by owners and admins alone, and owners by owners alone', async () => {
    await using world = await sharedWorld()
    const by = Object.fromEntries(
      await Promise.all(roles.map(async (role) => [role, await newMember(world, role)] as const)),
    )
    const path = (role: Role) => `/v1/members/${by[role]!.personId}`
    for (const role of ['developer', 'billing', 'viewer'] as const)
      for (const refused of [
        await patch(by[role]!, path('viewer'), { role: 'admin' }),
        await patch(by[role]!, path(role), { role: 'owner' }),
        await remove(by[role]!, path('owner')),
      ])
        expect([role, ...codeOf(refused)]).toEqual([role, 403, 'INSUFFICIENT_ROLE'])
    const admin = by['admin']!
    for (const refused of [
      await patch(admin, path('owner'), { role: 'viewer' }),
      await remove(admin, path('owner')),
      await patch(admin, path('viewer'), { role: 'owner' }),
      await patch(admin, path('admin'), { role: 'owner' }),
    ])
      expect(codeOf(refused)).toEqual([403, 'ROLE_TOO_HIGH'])
    const raised = await patch(admin, path('viewer'), { role: 'developer' })
    expect([raised.status, raised.body.role]).toEqual([200, 'developer'])
    const owner = by['owner']!
    expect((await patch(owner, path('admin'), { role: 'owner' })).body.role).toBe('owner')
    const [row] = await auditRows(world, 'members.change')
    expect(row).toMatchObject({
      actor_id: admin.personId,
      target_id: by['viewer']!.personId,
      before: { role: 'viewer' },
      after: { role: 'developer' },
    })
    await stepDown(world, owner)
    for (const refused of [
      await patch(owner, path('viewer'), { role: 'viewer' }),
      await remove(owner, path('viewer')),
    ])
      expect(codeOf(refused)).toEqual([403, 'STEP_UP_REQUIRED'])
  })

  test('who are limited to projects reach nobody and nothing beyond them', async () => {
    await using world = await sharedWorld()
    const second = await projectOf(world)
    await newMember(world, 'owner')
    const limited = await newMember(world, 'admin', { projects: [world.project] })
    const inside = await newMember(world, 'developer', { projects: [world.project] })
    const wide = await newMember(world, 'developer')
    for (const [who, change] of [
      [wide, { role: 'viewer' }],
      [inside, { project_ids: null }],
      [inside, { project_ids: [world.project, second] }],
      [limited, { project_ids: null }],
    ] as const)
      expect(codeOf(await patch(limited, `/v1/members/${who.personId}`, change))).toEqual([
        403,
        'ROLE_TOO_HIGH',
      ])
    expect(codeOf(await remove(limited, `/v1/members/${wide.personId}`))).toEqual([403, 'ROLE_TOO_HIGH'])
    const lowered = await patch(limited, `/v1/members/${inside.personId}`, { role: 'viewer' })
    expect(lowered.status, lowered.text).toBe(200)
    const invited = await limited.post('/v1/invitations', { email: 'wide@example.org', role: 'developer' })
    expect(codeOf(invited)).toEqual([403, 'ROLE_TOO_HIGH'])
    const other = await world.stranger()
    const owner = await newMember(world, 'owner')
    for (const project_ids of [[other.project], [world.project, other.project], []])
      expect((await patch(owner, `/v1/members/${inside.personId}`, { project_ids })).body.error.code).toBe(
        'INVALID_REQUEST',
      )
    const ofOwner = await patch(owner, `/v1/members/${inside.personId}`, {
      role: 'owner',
      project_ids: [second],
    })
    expect(codeOf(ofOwner)).toEqual([400, 'INVALID_REQUEST'])
    const upper = await patch(owner, `/v1/members/${inside.personId}`, {
      project_ids: [second.toUpperCase()],
    })
    expect(upper.body.project_ids).toEqual([second])
  })

  test('lose what a lower role may not do at once, on requests that follow', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const developer = await newMember(world, 'developer')
    expect((await developer.chat({ model: 'sandbox/fast', max_tokens: 5 })).status).toBe(200)
    await patch(owner, `/v1/members/${developer.personId}`, { role: 'viewer' })
    await until(async () => (await developer.chat({ model: 'sandbox/fast', max_tokens: 5 })).status === 403)
    expect((await developer.get('/v1/keys')).status).toBe(200)
    await patch(owner, `/v1/members/${developer.personId}`, { role: 'developer' })
    await until(async () => (await developer.chat({ model: 'sandbox/fast', max_tokens: 5 })).status === 200)
    await world.settled()
    await remove(owner, `/v1/members/${developer.personId}`)
    await until(async () => (await developer.get('/v1/models')).status === 404)
    expect(await mailsTo(world, developer.personId)).toEqual(['removed_from_account'])
  })

  test('spend by sessions up to their cap in a project, and a new role does not lift it', async () => {
    await using world = await sharedWorld()
    const second = await projectOf(world)
    const owner = await newMember(world, 'owner')
    const developer = await newMember(world, 'developer')
    const path = `/v1/members/${developer.personId}`
    const capped = await patch(owner, path, {
      month_caps: [{ project_id: world.project, month_cap_credits: 0 }],
    })
    expect(capped.body.spending).toMatchObject([{ project_id: world.project, month_cap_credits: 0 }])
    const ask = { model: 'sandbox/fast', max_tokens: 5 }
    expect(codeOf(await developer.chat(ask))).toEqual([402, 'BUDGET_EXCEEDED'])
    expect((await developer.chat(ask, { 'x-kherad-project': second })).status).toBe(200)
    expect((await owner.chat(ask)).status).toBe(200)
    for (const change of [
      { role: 'viewer' },
      { role: 'developer' },
      { project_ids: [second] },
      { project_ids: null },
    ])
      expect((await patch(owner, path, change)).status).toBe(200)
    await until(async () => (await developer.chat(ask)).status !== 404)
    expect(codeOf(await developer.chat(ask))).toEqual([402, 'BUDGET_EXCEEDED'])
    // Nor do a departure and a return.
    await remove(owner, path)
    const back = {
      accountId: world.account,
      personId: developer.personId,
      role: 'developer',
      projectIds: null,
    } as const
    await world.app.db.tx((tx) => setMember(tx, back, new Date(world.app.clock.nowMs())))
    await until(async () => (await developer.chat(ask)).status !== 404)
    expect(codeOf(await developer.chat(ask))).toEqual([402, 'BUDGET_EXCEEDED'])
    const lifted = await patch(owner, path, {
      month_caps: [{ project_id: world.project, month_cap_credits: null }],
    })
    expect(lifted.status).toBe(200)
    expect((await developer.chat(ask)).status).toBe(200)
    const other = await world.stranger()
    const foreign = await patch(owner, path, {
      month_caps: [{ project_id: other.project, month_cap_credits: 1 }],
    })
    expect(codeOf(foreign)).toEqual([400, 'INVALID_REQUEST'])
    const [row] = await auditRows(world, 'members.change')
    expect(row).toMatchObject({
      before: { month_caps: [{ project_id: world.project, month_cap_credits: null }] },
      after: { month_caps: [{ project_id: world.project, month_cap_credits: 0 }] },
    })
    const [, lowered] = await auditRows(world, 'members.change')
    expect(lowered!.after, 'caps that stay are no change').toEqual({ role: 'viewer', project_ids: null })
  })
})

describe('a cap that is being set', () => {
  test('stops no payment of the account while the change waits for what it reads', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const developer = await newMember(world, 'developer')
    const ask = { model: 'sandbox/fast', max_tokens: 5 }
    expect((await developer.chat(ask)).status).toBe(200)
    await world.settled()
    let paid: number | undefined
    const changed = await answeredAcross(
      world,
      (tx) => sql`lock table people.factors in access exclusive mode`.execute(tx),
      () =>
        patch(owner, `/v1/members/${developer.personId}`, {
          month_caps: [{ project_id: world.project, month_cap_credits: 7 }],
        }),
      async () => {
        paid = (await developer.chat(ask)).status
        await world.settled()
      },
    )
    expect(paid).toBe(200)
    expect(changed.body.spending).toMatchObject([{ month_cap_credits: 7 }])
  })
})

describe('the last owner', () => {
  test('is neither removed nor lowered, cannot leave, and cannot be deleted', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    await newMember(world, 'admin')
    for (const refused of [
      await remove(owner, `/v1/members/${owner.personId}`),
      await patch(owner, `/v1/members/${owner.personId}`, { role: 'admin' }),
      await remove(owner, `/v1/me/accounts/${world.account}`),
    ])
      expect(codeOf(refused)).toEqual([409, 'LAST_OWNER'])
    expect(codeOf(await leave(owner))).toEqual([409, 'SOLE_OWNER'])
    expect((await owner.get('/v1/me')).status).toBe(200)
    expect(await auditRows(world, 'me.')).toEqual([])
  })

  test.each([
    ['leave', (owner: Member, account: string) => remove(owner, `/v1/me/accounts/${account}`)],
    ['delete themselves', (owner: Member) => leave(owner)],
  ])('is one of two owners who %s at once', async (_what, end) => {
    await using world = await sharedWorld()
    const owners = await Promise.all([newMember(world, 'owner'), newMember(world, 'owner')])
    const seen = await Promise.all(owners.map((owner) => end(owner, world.account)))
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 409])
    const [left] = await world.app.db.query<{ count: bigint }>(
      {
        text: `select count(*) from people.members join people.people using (person_id)
          where account_id = $1 and role = 'owner' and deletion_due_at is null`,
      },
      [world.account],
    )
    expect(left!.count).toBe(1n)
  })

  test('is one of two owners who remove, or lower, each other at once', async () => {
    await using world = await sharedWorld()
    const [one, two] = await Promise.all([newMember(world, 'owner'), newMember(world, 'owner')])
    const seen = await Promise.all([
      remove(one, `/v1/members/${two.personId}`),
      patch(two, `/v1/members/${one.personId}`, { role: 'viewer' }),
    ])
    const ok = seen.filter(({ status }) => status === 200)
    expect(ok).toHaveLength(1)
    const refused = seen.find(({ status }) => status !== 200)!
    // The one who came second has lost the right, or the account.
    expect([403, 404]).toContain(refused.status)
  })
})
