/** Signing in with a real provider of OpenID Connect, by its own forms. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAudit } from '#account/audit'
import { invite } from '#account/invitations'
import { setMember } from '#account/people'
import { platformAccount } from '#platform/jobs'
import { onOneConnection } from '../../harness/one-connection.ts'
import { ProviderBrowser } from '../../harness/openid-provider.ts'
import { newBrowser, newPerson } from '../../harness/session.ts'
import { until } from '../../harness/until.ts'
import { begin, finish, link, type OpenIdWorld, openIdWorld, rolesOf, signIn, unique } from './world.ts'

let it: OpenIdWorld
beforeAll(async () => {
  it = await openIdWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

/** Somebody at the provider, whose address it has proven unless the claims say otherwise. */
async function somebody(name: string, claims: Record<string, unknown> = {}): Promise<string> {
  const login = unique(name)
  await it.real.setClaims(login, { email: `${login}@example.org`, email_verified: true, ...claims })
  return login
}

const roleIn = (value: unknown): unknown => (value as { role?: string } | null)?.role

const counted = async (table: 'people' | 'identities'): Promise<number> =>
  (
    await sql<{ count: number }>`select count(*)::int from ${sql.table(`people.${table}`)}`.execute(
      it.world.app.db.kysely,
    )
  ).rows[0]!.count

test('nobody comes in by a provider, not even invited, until the link of the operator has made the first person', async () => {
  const login = await somebody('early')
  expect(await counted('people')).toBe(0)
  expect((await signIn(it, login)).reply.body.error.code).toBe('OPENID_NOT_ALLOWED')
  expect(await counted('people')).toBe(0)
  await newPerson(it.world)
  expect((await signIn(it, login)).reply.status).toBe(200)
})

test('whoever the operator lets in becomes a person with the proven address, and is known the next time', async () => {
  const login = await somebody('sara', { name: 'Sara <b>' })
  const first = await signIn(it, login, { body: { return_to: '/keys?a=b' } })
  expect(first.reply.status, first.reply.text).toBe(200)
  expect(first.reply.body).toMatchObject({
    status: 'signed_in',
    return_to: '/keys?a=b',
    person: { email: `${login}@example.org`, display_name: 'Sara b', is_operator: false },
  })
  expect((await first.browser.get('/v1/me/identities')).body.data).toMatchObject([
    { provider: 'open', name: 'The open one', email: `${login}@example.org`, available: true },
  ])
  const second = await signIn(it, login)
  expect(second.reply.body.person.id).toBe(first.reply.body.person.id)
})

test('whoever enters has no account of their own unless sign-up is open; then it is that of a sign-up, once for a proven address', async () => {
  const { app } = it.world
  const accountsOf = async (login: string, provider = 'open') => {
    const { browser, reply } = await signIn(it, login, { provider })
    expect(reply.status, reply.text).toBe(200)
    const accounts = (await browser.get('/v1/me/accounts')).body.data
    browser.project = accounts[0]?.projects[0]?.id
    return {
      browser,
      accounts,
      credits: accounts[0] && (await browser.get('/v1/account')).body.balance_credits,
    }
  }
  const before = await somebody('before')
  expect((await accountsOf(before)).accounts).toEqual([])
  const settings = { ...app.config.people }
  Object.assign(app.config.people, {
    ...{ signUp: 'open', plan: 'standard', welcomeMicrocredits: 30_000_000n, dailyMicrocredits: 90_000_000n },
  })
  try {
    const first = await somebody('first', { name: 'Nima' })
    const own = await accountsOf(first)
    expect(own.accounts).toMatchObject([
      { name: 'Account of Nima', role: 'owner', projects: [{ name: 'First project' }] },
    ])
    expect(own.credits).toBe(30)
    expect((await accountsOf(first)).accounts, 'the next sign-in opens no other one').toHaveLength(1)
    // The same mailbox, an address that nobody has proven, somebody whom the claims make a member, and who was there before.
    const alias = await somebody('alias', { email: `${first}+again@example.org` })
    expect((await accountsOf(alias)).credits).toBe(0)
    const unproven = await somebody('unproven', { email_verified: false })
    expect((await accountsOf(unproven)).accounts).toEqual([])
    const member = await somebody('member', { groups: ['eng'] })
    expect((await accountsOf(member)).accounts).toMatchObject([{ id: it.account, role: 'developer' }])
    expect((await accountsOf(before)).accounts).toEqual([])
  } finally {
    Object.assign(app.config.people, settings)
  }
})

test('nobody enters whom nobody has let in, and nothing is left of the attempt', async () => {
  const login = await somebody('stranger')
  const before = await counted('people')
  const { reply, browser } = await signIn(it, login, { provider: 'real' })
  expect(reply.body.error).toMatchObject({ code: 'OPENID_NOT_ALLOWED' })
  expect(browser.cookies.has(browser.nameOf('session'))).toBe(false)
  expect(await counted('people')).toBe(before)
})

test.each([false, 'true', 'false', 1, undefined])(
  'an address that is marked by %j is not proven: the person has none, and it finds nobody',
  async (mark) => {
    const victim = await newPerson(it.world)
    const { rows } = await sql<{ email: string }>`select email from people.addresses
      where person_id = ${victim.personId}`.execute(it.world.app.db.kysely)
    const login = await somebody('nobody', { email: rows[0]!.email, email_verified: mark })
    const { reply } = await signIn(it, login)
    expect(reply.body.person).toMatchObject({ email: null })
    expect(reply.body.person.id).not.toBe(victim.personId)
  },
)

test('a proven address of a known person signs nobody in as that person: the sentence says how to link', async () => {
  const login = unique('known')
  const email = `${login}@example.org`
  await newPerson(it.world, { email })
  await it.real.setClaims(login, { email: email.toUpperCase(), email_verified: true })
  const before = await counted('identities')
  for (const provider of ['real', 'open']) {
    const { reply } = await signIn(it, login, { provider })
    expect(reply.status).toBe(409)
    expect(reply.body.error.code).toBe('OPENID_LINK_REQUIRED')
    expect(reply.body.error.message).toContain('link')
  }
  expect(await counted('identities')).toBe(before)
})

test('an invitation lets in whose address the provider has proven, and nobody else; who comes in anyway comes in without it', async () => {
  const { app, account: accountId } = it.world
  const login = await somebody('invited')
  const email = `${login}@example.org`
  const { token } = await app.db.tx((tx) =>
    invite(
      app,
      tx,
      {
        accountId,
        accountName: 'Test',
        email,
        role: 'viewer',
        projectIds: null,
        inviter: undefined,
        locale: 'en',
      },
      new Date(app.clock.nowMs()),
    ),
  )
  const body = { invitation: token }
  const others = [await somebody('other'), await somebody('unproven', { email, email_verified: false })]
  for (const other of others)
    expect((await signIn(it, other, { provider: 'real', body })).reply.body.error.code).toBe(
      'OPENID_NOT_ALLOWED',
    )
  for (const other of others) {
    const { reply } = await signIn(it, other, { provider: 'open', body })
    expect(reply.status, reply.text).toBe(200)
    expect(await rolesOf(it, reply.body.person.id)).toEqual({})
  }
  // The rows of the sign-in are locked while the invitation is read: that asks for no second connection.
  const { reply } = await onOneConnection(it.world, () => signIn(it, login, { provider: 'real', body }))
  expect(reply.status, reply.text).toBe(200)
  expect(await rolesOf(it, reply.body.person.id)).toEqual({ [accountId]: 'viewer' })
})

test('a person who comes in by a provider drops the sign-up that somebody else began with the address', async () => {
  const login = await somebody('squatted')
  const email = `${login}@example.org`
  const now = new Date(it.clock.nowMs())
  await sql`insert into people.codes (purpose, email, browser_hash, code_hash, created_at, expires_at)
    values ('sign_up', ${email}, '\\x00', '\\x00', ${now}, ${new Date(now.getTime() + 60_000)})`.execute(
    it.world.app.db.kysely,
  )
  expect((await signIn(it, login)).reply.status).toBe(200)
  const { rows } = await sql`select from people.codes where email = ${email}`.execute(it.world.app.db.kysely)
  expect(rows).toEqual([])
})

test('claims make a member, change the role, and end the membership with its sessions at the next sign-in', async () => {
  const login = await somebody('member', { groups: ['all', 'eng'] })
  const first = await signIn(it, login)
  const { id: personId } = first.reply.body.person
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'developer' })
  first.browser.project = it.project
  expect((await first.browser.get('/v1/models')).status).toBe(200)

  it.clock.moveMs(1)
  await it.real.setClaims(login, { groups: ['ops'] })
  await signIn(it, login)
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'admin' })

  it.clock.moveMs(1)
  await it.real.setClaims(login, {})
  await signIn(it, login)
  expect(await rolesOf(it, personId)).toEqual({})
  await until(async () => (await first.browser.get('/v1/models')).status === 404)
  const { rows } = await listAudit(it.world.app.db, { accountId: it.account }, { limit: 20 })
  expect(
    rows
      .filter(({ operation, target_id }) => operation === 'members.claims' && target_id === personId)
      .map(({ before, after }) => [roleIn(before), roleIn(after)])
      .reverse(),
  ).toEqual([
    [undefined, 'developer'],
    ['developer', 'admin'],
    ['admin', undefined],
  ])
})

test('a membership that stands by itself, and an owner, are not touched by claims', async () => {
  const { db } = it.world.app
  const login = await somebody('owner', { groups: ['eng'] })
  const personId = (await signIn(it, login)).reply.body.person.id
  const now = new Date(it.clock.nowMs())
  const given = { accountId: it.account, personId, projectIds: null } as const
  await db.tx((tx) => setMember(tx, { ...given, role: 'owner', providerId: 'open' }, now))
  await it.real.setClaims(login, {})
  await signIn(it, login)
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'owner' })
  // Somebody else is the owner from now on, and this person a member by hand.
  const heir = await newPerson(it.world)
  await db.tx((tx) => setMember(tx, { ...given, personId: heir.personId, role: 'owner' }, now))
  await db.tx((tx) => setMember(tx, { ...given, role: 'viewer' }, now))
  for (const groups of [['ops'], []]) {
    await it.real.setClaims(login, { groups })
    await signIn(it, login)
    expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'viewer' })
  }
})

test('an authenticator app is asked for after the provider, and the provider alone opens no session then', async () => {
  const login = await somebody('careful')
  const personId = (await signIn(it, login)).reply.body.person.id
  const now = new Date(it.clock.nowMs())
  await sql`insert into people.factors (person_id, factor_id, kind, name, secret_sealed, created_at, confirmed_at)
    values (${personId}, gen_random_uuid(), 'totp', 'app', 'sealed', ${now}, ${now})`.execute(
    it.world.app.db.kysely,
  )
  const { reply, browser } = await signIn(it, login)
  expect(reply.body).toMatchObject({ status: 'second_factor', factors: ['totp'] })
  expect(browser.cookies.has(browser.nameOf('session'))).toBe(false)
  expect(browser.cookies.has(browser.nameOf('challenge'))).toBe(true)
})

test('the last way in stays, and unlinking ends what its claims have made', async () => {
  const login = await somebody('only', { groups: ['eng'] })
  const { browser, reply } = await signIn(it, login)
  const personId = reply.body.person.id
  const unlinking = () => browser.request('DELETE', '/v1/me/identities/open')
  expect((await unlinking()).body.error.code).toBe('STEP_UP_REQUIRED')
  const begun = await browser.post('/v1/step-up/openid/open', { return_to: '/account' })
  const back = await new ProviderBrowser().signIn(begun.body.url, login)
  expect((await finish(browser, back)).body).toEqual({ status: 'stepped_up', return_to: '/account' })
  const { rows: steps } = await sql<{ after: unknown }>`select after from audit.entries
    where actor_id = ${personId} and operation = 'openid.stepUp'`.execute(it.world.app.db.kysely)
  expect(steps).toEqual([{ after: { factor: 'openid', provider: 'open' } }])
  expect((await unlinking()).body.error.code).toBe('LAST_WAY_IN')
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'developer' })
  await sql`update people.people set password_hash = 'some' where person_id = ${personId}`.execute(
    it.world.app.db.kysely,
  )
  expect((await unlinking()).status).toBe(200)
  expect(await rolesOf(it, personId)).toEqual({})
  const { rows } = await sql`select account_id, before from audit.entries
    where operation = 'openid.unlink' and actor_id = ${personId} and account_id <> ${platformAccount}`.execute(
    it.world.app.db.kysely,
  )
  const before = { role: 'developer', project_ids: null, provider: 'open' }
  expect(rows, 'the account sees who went').toEqual([{ account_id: it.account, before }])
})

test('of two ends with one answer one signs in, and two first sign-ins at once make one person', async () => {
  const login = await somebody('racer')
  const browser = newBrowser(it.world)
  const back = await new ProviderBrowser().signIn(await begin(browser, 'open'), login)
  const both = await Promise.all([finish(browser, back), finish(browser, back)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])

  const twin = await somebody('twin')
  const before = await counted('people')
  const twins = await Promise.all([signIn(it, twin), signIn(it, twin)])
  expect(twins.map(({ reply }) => reply.status)).toEqual([200, 200])
  expect(twins[0].reply.body.person.id).toBe(twins[1].reply.body.person.id)
  expect(await counted('people')).toBe(before + 1)
})

test('a provider links only inside a session that has stepped up, and then signs in without create', async () => {
  const login = await somebody('linker')
  const person = await newPerson(it.world)
  it.clock.moveMs(10 * 60_000 + 1)
  expect((await link(person, 'real', login)).body.error.code).toBe('STEP_UP_REQUIRED')
  const recent = await newPerson(it.world, { passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA' })
  expect((await link(recent, 'real', login)).body).toEqual({ status: 'linked', provider: 'real' })
  expect((await signIn(it, login, { provider: 'real' })).reply.body.person.id).toBe(recent.personId)
  const { rows } = await sql`select from people.mails
    where person_id = ${recent.personId} and kind = 'identity_linked'`.execute(it.world.app.db.kysely)
  expect(rows).toHaveLength(1)

  const other = await newPerson(it.world)
  expect((await link(other, 'real', login)).body.error.code).toBe('OPENID_IDENTITY_TAKEN')
  expect((await link(recent, 'real', await somebody('second'))).body.error.code).toBe('OPENID_IDENTITY_TAKEN')

  expect((await other.request('DELETE', '/v1/me/identities/real')).status).toBe(404)
  expect((await recent.request('DELETE', '/v1/me/identities/real')).body).toEqual({
    provider: 'real',
    deleted: true,
  })
  expect((await signIn(it, login, { provider: 'real' })).reply.body.error.code).toBe('OPENID_NOT_ALLOWED')
  const { rows: told } = await sql`select from people.mails
    where person_id = ${recent.personId} and kind = 'identity_unlinked'`.execute(it.world.app.db.kysely)
  expect(told).toHaveLength(1)
})

test('a link that was begun in time is not finished later, nor in the session of somebody else', async () => {
  const login = await somebody('late')
  const person = await newPerson(it.world)
  it.clock.moveMs(6 * 60_000)
  const begun = await person.post('/v1/me/identities/real', {})
  const back = await new ProviderBrowser().signIn(begun.body.url, login)
  it.clock.moveMs(5 * 60_000)
  expect((await finish(person, back)).body.error.code).toBe('STEP_UP_REQUIRED')

  const victim = await newPerson(it.world)
  const again = await victim.post('/v1/me/identities/real', {})
  const answer = await new ProviderBrowser().signIn(again.body.url, login)
  const attacker = await newPerson(it.world)
  victim.cookies.set(victim.nameOf('session'), attacker.cookies.get(attacker.nameOf('session'))!)
  expect((await finish(victim, answer)).body.error.code).toBe('NOT_SIGNED_IN')
})
