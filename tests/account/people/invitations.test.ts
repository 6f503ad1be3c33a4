import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { acceptInvitation, describeLink, invite, redeemLink } from '#account/invitations'
import {
  deletePerson,
  lockMembers,
  openSession,
  personByEmail,
  proveAddress,
  setMember,
} from '#account/people'
import { uuidv7 } from '#platform/ids'
import { type Member, newBrowser, newMember, newPerson } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import { answeredAcross, auditRows, codeOf, leave, patch, remove } from './people.ts'

const address = () => `${uuidv7()}@example.org`

/** Invites an address by HTTP, and answers the token that only the mail has: it is taken from a second sending of the same row. */
async function invited(world: World, by: Member, email: string, role = 'developer', more = {}) {
  const made = await by.post('/v1/invitations', { email, role, ...more })
  expect(made.status, made.text).toBe(201)
  return { ...made.body, token: await tokenOf(world, email) } as {
    id: string
    token: string
    delivery: string
  }
}

/** The token of the newest letter to an address, as the operator reveals it. */
async function tokenOf(world: World, email: string): Promise<string> {
  const [mail] = await world.app.db.query<{ mail_id: string; data_sealed: string }>(
    {
      text: `select mail_id, data_sealed from people.mails where address = $1 and kind = 'invitation' order by mail_id desc limit 1`,
    },
    [email],
  )
  const sealed = await openMail(world, mail!)
  return /#(khi_\w+)/.exec(sealed)![1]!
}

const openMail = (world: World, mail: { mail_id: string; data_sealed: string }): Promise<string> =>
  world.app.secrets.open(mail.data_sealed, `people.mails ${mail.mail_id}`)

const accept = (who: Member, token: string) => who.post('/v1/invitations/accept', { token })

describe('an invitation', () => {
  test('makes whoever has proven its address a member, once', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner', { displayName: 'Mina' })
    const email = address()
    const guest = await newPerson(world, { email })
    const { token, id } = await invited(world, owner, email, 'developer', {
      project_ids: [world.project],
    })
    const accepted = await accept(guest, token)
    expect(accepted.body).toEqual({
      account_id: world.account,
      account_name: expect.any(String),
      role: 'developer',
    })
    const mine = await guest.get('/v1/me/accounts')
    expect(mine.body.data).toMatchObject([
      { id: world.account, role: 'developer', is_limited: true, projects: [{ id: world.project }] },
    ])
    expect(mine.body.data[0].rights).toContain('keys:write')
    expect(mine.body.data[0].rights).not.toContain('members:write')
    expect(codeOf(await accept(guest, token))).toEqual([404, 'INVITATION_INVALID'])
    const list = await owner.get('/v1/invitations')
    expect(list.body.data).toMatchObject([{ id, state: 'accepted', invited_by: { display_name: 'Mina' } }])
    expect(list.text).not.toContain(token)
    const rows = await auditRows(world, 'invitations.')
    expect(rows.map(({ operation, actor_id }) => [operation, actor_id])).toEqual([
      ['invitations.create', owner.personId],
      ['invitations.accept', guest.personId],
    ])
    // However the address is spelled.
    for (const spelled of [email, email.toUpperCase(), ` ${email}\u200f`]) {
      const again = await owner.post('/v1/invitations', { email: spelled, role: 'viewer' })
      expect(codeOf(again)).toEqual([409, 'ALREADY_MEMBER'])
    }
  })

  test('is worth nothing to anybody else, however they came by its link', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const { token } = await invited(world, owner, email, 'owner')
    const thief = await newPerson(world)
    expect(codeOf(await accept(thief, token))).toEqual([403, 'INVITATION_FOR_ANOTHER'])
    expect(codeOf(await newBrowser(world).post('/v1/invitations/accept', { token }))).toEqual([
      401,
      'NOT_SIGNED_IN',
    ])
    expect(codeOf(await (await world.key()).post('/v1/invitations/accept', { token }))).toEqual([
      403,
      'SESSION_REQUIRED',
    ])
    // GHSA-fmh4-wcc4-5jm3: somebody who only claims the address, which nobody has proven.
    const claims = await newPerson(world, { email })
    await world.app.db.query({ text: 'update people.addresses set proven_at = null where email = $1' }, [
      email,
    ])
    expect(codeOf(await accept(claims, token))).toEqual([403, 'INVITATION_FOR_ANOTHER'])
    await world.app.db.query({ text: 'update people.addresses set proven_at = now() where email = $1' }, [
      email,
    ])
    expect((await accept(claims, token)).status).toBe(200)
  })

  test('is accepted once, also by two sessions at once', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const guest = await newPerson(world, { email })
    const { token } = await invited(world, owner, email)
    const seen = await Promise.all(Array.from({ length: 6 }, () => accept(guest, token)))
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
    expect(await auditRows(world, 'invitations.accept')).toHaveLength(1)
  })

  test('is accepted or revoked without a deadlock while the members of its account change, and by nobody who is just being deleted', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const guest = await newPerson(world, { email })
    for (const [request, status] of [
      [(token: string) => accept(guest, token), 404],
      [(_token: string, id: string) => remove(owner, `/v1/invitations/${id}`), 200],
    ] as const) {
      const { token, id } = await invited(world, owner, email)
      const seen = await answeredAcross(
        world,
        (tx) => lockMembers(tx, world.account),
        () => request(token, id),
        (tx) => sql`update people.invitations set revoked_at = now() where invitation_id = ${id}`.execute(tx),
      )
      expect(seen.status, seen.text).toBe(status)
    }
    const { token } = await invited(world, owner, email)
    const now = new Date(world.app.clock.nowMs())
    const late = await answeredAcross(
      world,
      (tx) => deletePerson(tx, guest.personId, now),
      () => accept(guest, token),
    )
    expect(codeOf(late)).toEqual([401, 'NOT_SIGNED_IN'])
    const { body } = await owner.get('/v1/members')
    expect(body.data).toHaveLength(1)
  })

  test('is void once its inviter has left, was lowered, or may no longer give so much', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const guest = await newPerson(world, { email: address() })
    const email = (await guest.get('/v1/me')).body.email
    const ends: [string, (admin: Member) => Promise<unknown>][] = [
      ['removed', (admin) => remove(owner, `/v1/members/${admin.personId}`)],
      ['left', (admin) => remove(admin, `/v1/me/accounts/${world.account}`)],
      ['deleted', (admin) => leave(admin)],
      ['lowered', (admin) => patch(owner, `/v1/members/${admin.personId}`, { role: 'viewer' })],
      ['limited', (admin) => patch(owner, `/v1/members/${admin.personId}`, { project_ids: [world.project] })],
    ]
    for (const [what, end] of ends) {
      const admin = await newMember(world, 'admin')
      const { token } = await invited(world, admin, email)
      await end(admin)
      expect([what, ...codeOf(await accept(guest, token))]).toEqual([what, 404, 'INVITATION_INVALID'])
      if (what === 'deleted') continue
      // The right comes back, as by a provider's claims, and the invitation does not.
      const again = {
        accountId: world.account,
        personId: admin.personId,
        role: 'admin',
        projectIds: null,
      } as const
      await world.app.db.tx((tx) => setMember(tx, again, new Date(world.app.clock.nowMs())))
      expect([what, ...codeOf(await accept(guest, token))]).toEqual([what, 404, 'INVITATION_INVALID'])
    }
    // A role that is read only when the invitation is accepted: the database says that the inviter is no member.
    const admin = await newMember(world, 'admin')
    const { token } = await invited(world, admin, email)
    await world.app.db.query({ text: 'delete from people.members where person_id = $1' }, [admin.personId])
    expect(codeOf(await accept(guest, token))).toEqual([404, 'INVITATION_INVALID'])
  })

  test('gives no more than its inviter has, and only members who may invite do so', async () => {
    await using world = await sharedWorld()
    await newMember(world, 'owner')
    const admin = await newMember(world, 'admin')
    expect(codeOf(await admin.post('/v1/invitations', { email: address(), role: 'owner' }))).toEqual([
      403,
      'ROLE_TOO_HIGH',
    ])
    for (const role of ['developer', 'billing', 'viewer'] as const) {
      const member = await newMember(world, role)
      expect(codeOf(await member.post('/v1/invitations', { email: address(), role: 'viewer' }))).toEqual([
        403,
        'INSUFFICIENT_ROLE',
      ])
    }
    for (const email of ['nobody', 'a@b', 'a@b.org\r\nBcc: c@d.org', 'a@b.org,c@d.org', '<a@b.org>']) {
      const refused = await admin.post('/v1/invitations', { email, role: 'viewer' })
      expect([email, ...codeOf(refused)]).toEqual([email, 400, 'INVALID_REQUEST'])
    }
    const other = await world.stranger()
    const foreign = await admin.post('/v1/invitations', {
      email: address(),
      role: 'viewer',
      project_ids: [other.project],
    })
    expect(codeOf(foreign)).toEqual([400, 'INVALID_REQUEST'])
  })

  test('ends when it is revoked, sent again, replaced, or a week old', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const guest = await newPerson(world, { email })
    const first = await invited(world, owner, email)
    const second = await invited(world, owner, email, 'viewer')
    expect(codeOf(await accept(guest, first.token))).toEqual([404, 'INVITATION_INVALID'])
    const resent = await owner.post(`/v1/invitations/${second.id}/resend`, {})
    expect([resent.status, resent.body.delivery]).toEqual([200, 'operator'])
    expect(codeOf(await accept(guest, second.token))).toEqual([404, 'INVITATION_INVALID'])
    const third = await tokenOf(world, email)
    const revoked = await remove(owner, `/v1/invitations/${second.id}`)
    expect(revoked.body.state).toBe('revoked')
    expect(codeOf(await accept(guest, third))).toEqual([404, 'INVITATION_INVALID'])
    expect((await remove(owner, `/v1/invitations/${second.id}`)).status).toBe(200)
    expect(codeOf(await owner.post(`/v1/invitations/${second.id}/resend`, {}))).toEqual([
      404,
      'INVITATION_INVALID',
    ])
    const fourth = await invited(world, owner, email)
    const move = (text: string) =>
      world.app.db.query(
        { text: `update people.invitations set expires_at = ${text} where invitation_id = $1` },
        [fourth.id],
      )
    await move(`now() - interval '1 second'`)
    expect(codeOf(await accept(guest, fourth.token))).toEqual([404, 'INVITATION_INVALID'])
    expect((await owner.get('/v1/invitations?limit=1')).body.data).toMatchObject([
      { id: fourth.id, state: 'expired' },
    ])
    await move(`now() + interval '5 minutes'`)
    expect((await accept(guest, fourth.token)).status).toBe(200)
    const days = (new Date(resent.body.expires_at).getTime() - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThan(7.1)
  })

  test('belongs to its account: others see, send and revoke none of it', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const { id } = await invited(world, owner, address())
    const outside = await newMember(world, 'owner', await world.stranger())
    expect((await outside.get('/v1/invitations')).body.data).toEqual([])
    expect(codeOf(await outside.post(`/v1/invitations/${id}/resend`, {}))).toEqual([404, 'NOT_FOUND'])
    expect(codeOf(await remove(outside, `/v1/invitations/${id}`))).toEqual([404, 'NOT_FOUND'])
    const ofOwner = await invited(world, owner, address(), 'owner')
    const admin = await newMember(world, 'admin')
    expect(codeOf(await remove(admin, `/v1/invitations/${ofOwner.id}`))).toEqual([403, 'ROLE_TOO_HIGH'])
    expect(codeOf(await admin.post(`/v1/invitations/${ofOwner.id}/resend`, {}))).toEqual([
      403,
      'ROLE_TOO_HIGH',
    ])
  })

  test('takes nothing from a member who has more', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const guest = await newPerson(world, { email })
    const { token } = await invited(world, owner, email, 'viewer', { project_ids: [world.project] })
    const now = new Date(world.app.clock.nowMs())
    const admin = {
      accountId: world.account,
      personId: guest.personId,
      role: 'admin',
      projectIds: null,
    } as const
    await world.app.db.tx((tx) => setMember(tx, admin, now))
    expect((await accept(guest, token)).body.role).toBe('admin')
    expect((await guest.get('/v1/me/accounts')).body.data).toMatchObject([
      { role: 'admin', is_limited: false },
    ])
  })

  test('of an account are twenty a day, repeated ones included, exactly, also at once', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const emails = Array.from({ length: 19 }, address)
    const seen = await Promise.all(
      emails.map((email) => owner.post('/v1/invitations', { email, role: 'viewer' })),
    )
    expect(seen.map(({ status }) => status)).toEqual(emails.map(() => 201))
    const id = seen[0]!.body.id
    expect((await owner.post(`/v1/invitations/${id}/resend`, {})).status).toBe(200)
    const refused = await owner.post('/v1/invitations', { email: address(), role: 'viewer' })
    expect(codeOf(refused)).toEqual([429, 'TOO_MANY_INVITATIONS'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect(codeOf(await owner.post(`/v1/invitations/${id}/resend`, {}))).toEqual([
      429,
      'TOO_MANY_INVITATIONS',
    ])
    expect((await owner.get('/v1/invitations?limit=100')).body.data).toHaveLength(19)
    const other = await newMember(world, 'owner', await world.stranger())
    expect((await other.post('/v1/invitations', { email: address(), role: 'viewer' })).status).toBe(201)
  })

  test('with an Idempotency-Key is sent once', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const headers = { 'idempotency-key': uuidv7() }
    const first = await owner.post('/v1/invitations', { email, role: 'viewer' }, headers)
    const again = await owner.post('/v1/invitations', { email, role: 'viewer' }, headers)
    expect(again.text).toBe(first.text)
    expect((await owner.get('/v1/invitations')).body.data).toHaveLength(1)
    const mails = await world.app.db.query({ text: 'select from people.mails where address = $1' }, [email])
    expect(mails).toHaveLength(1)
  })

  test('from the operator’s command line needs no inviter', async () => {
    await using world = await sharedWorld()
    const guest = await newPerson(world, { email: address() })
    const email = (await guest.get('/v1/me')).body.email
    const now = new Date(world.app.clock.nowMs())
    const options = {
      accountId: world.account,
      accountName: 'a',
      email,
      role: 'owner',
      projectIds: null,
      inviter: undefined,
      locale: 'fa',
    } as const
    const { token } = await world.app.db.tx((tx) => invite(world.app, tx, options, now))
    await world.app.db.tx((tx) => acceptInvitation(tx, { token, personId: guest.personId }, {}, now))
    expect((await guest.get('/v1/me/accounts')).body.data).toMatchObject([{ role: 'owner' }])
  })

  test('makes no person by its link where there is mail, and where there is none one whose address whoever proves it takes', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const { token } = await invited(world, owner, email)
    const { app } = world
    const now = new Date(app.clock.nowMs())
    const newPersonOf = { displayName: 'Squatter', locale: 'en', passwordHash: 'hash' } as const
    const withMail = { ...app, config: { ...app.config, mail: {} as never, baseUrlNamed: true } }
    expect((await describeLink(withMail, token, now))?.needs).toBe('session')
    const redeem = (by: typeof app) =>
      app.db.tx((tx) => redeemLink(by, tx, { token, newPerson: newPersonOf }, {}, now))
    expect(await redeem(withMail)).toBeUndefined()
    expect((await describeLink(app, token, now))?.needs).toBe('named_person')
    const { person } = (await redeem(app))!
    expect(person.email).toBe(email)
    const { sessionId } = await app.db.tx((tx) =>
      openSession(tx, { personId: person.personId, method: 'link' }, now),
    )
    expect(
      await app.db.tx((tx) => proveAddress(tx, { personId: person.personId, email }, now)),
    ).toMatchObject({
      password: true,
    })
    expect(await personByEmail(app.db, email)).toMatchObject({
      hasPassword: false,
      personId: person.personId,
    })
    const left = await app.db.query({ text: 'select from people.sessions where session_id = $1' }, [
      sessionId,
    ])
    expect(left).toEqual([])
    // What is proven stays proven: the next proof drops nothing.
    expect(
      await app.db.tx((tx) => proveAddress(tx, { personId: person.personId, email }, now)),
    ).toBeUndefined()
  })

  test('of the operator is void once another one went out or there is an owner', async () => {
    await using world = await sharedWorld()
    const now = new Date(world.app.clock.nowMs())
    const inviteOwner = async (email: string) => {
      const grant = { role: 'owner', projectIds: null, inviter: undefined, locale: 'fa' } as const
      const options = { accountId: world.account, accountName: 'x', email, ...grant }
      return (await world.app.db.tx((tx) => invite(world.app, tx, options, now))).token
    }
    const [mistyped, right] = [address(), address()]
    const [thief, guest] = [
      await newPerson(world, { email: mistyped }),
      await newPerson(world, { email: right }),
    ]
    const first = await inviteOwner(mistyped)
    const second = await inviteOwner(right)
    expect(codeOf(await accept(thief, first))).toEqual([404, 'INVITATION_INVALID'])
    await newMember(world, 'owner')
    expect(codeOf(await accept(guest, second))).toEqual([404, 'INVITATION_INVALID'])
  })

  test('leaves a membership by claims with its provider, unless it gives a higher role', async () => {
    await using world = await sharedWorld()
    const owner = await newMember(world, 'owner')
    const email = address()
    const guest = await newPerson(world, { email })
    const now = new Date(world.app.clock.nowMs())
    const member = { accountId: world.account, personId: guest.personId, providerId: 'acme' }
    const { token } = await invited(world, owner, email, 'viewer')
    const { token: higher } = await invited(world, owner, `second-${email}`, 'developer')
    await world.app.db.tx((tx) =>
      setMember(tx, { ...member, role: 'viewer', projectIds: [world.project] }, now),
    )
    const seen = async () =>
      (await owner.get('/v1/members')).body.data.find(
        ({ person_id }: { person_id: string }) => person_id === guest.personId,
      )
    expect((await accept(guest, token)).status).toBe(200)
    expect(await seen()).toMatchObject({ role: 'viewer', project_ids: null, provider_id: 'acme' })
    await world.app.db.query({ text: 'update people.invitations set email = $1 where email = $2' }, [
      email,
      `second-${email}`,
    ])
    expect((await accept(guest, higher)).status).toBe(200)
    expect(await seen()).toMatchObject({ role: 'developer', provider_id: null })
  })
})
