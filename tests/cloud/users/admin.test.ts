/** What developers do with the users of their apps: by the service key, and by the key of their project. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteUsersOf, exportUsers, importUsers } from '#cloud/app-users'
import { setCloudLimits } from '#cloud/clouds'
import { boot, MovableClock, type TestCloud, type World } from '../../harness/world.ts'
import { ask, newAddress, newClient, password } from './app.ts'

let world: World
let cloud: TestCloud
let service: string
const clock = new MovableClock()
beforeAll(async () => {
  world = await boot({ clock })
  cloud = await world.cloud()
  service = await cloud.serviceKey()
})
afterAll(() => world[Symbol.asyncDispose]())

const admin = () => newClient(cloud, { key: service }).auth.admin
const live = async ({ ref }: TestCloud) => (await world.app.clouds.find(ref))!

test('an unchanged client with the service key makes, reads, changes, blocks, lists and deletes users', async () => {
  const email = newAddress()
  const made = await admin().createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { name: 'رضا' },
    app_metadata: { role: 'editor' },
  })
  expect(made.error).toBeNull()
  const { id } = made.data.user!
  expect(made.data.user).toMatchObject({
    email,
    app_metadata: { provider: 'email', role: 'editor' },
    user_metadata: { name: 'رضا' },
  })
  const session = (await newClient(cloud).auth.signInWithPassword({ email, password })).data.session!
  expect(session.user.app_metadata).toMatchObject({ role: 'editor' })
  expect((await admin().getUserById(id)).data.user?.email).toBe(email)
  const next = newAddress()
  const changed = await admin().updateUserById(id, {
    email: next,
    password: 'second-one',
    app_metadata: { role: null },
  })
  expect(changed.data.user).toMatchObject({ id, email: next, app_metadata: { provider: 'email' } })
  expect(changed.data.user?.app_metadata).not.toHaveProperty('role')
  expect((await ask(cloud, 'GET', '/user', { token: session.access_token })).status).toBe(401)
  const banned = await admin().updateUserById(id, { ban_duration: '1h30m' })
  expect(Date.parse((banned.data.user as { banned_until?: string }).banned_until!)).toBe(
    clock.nowMs() + 5_400_000,
  )
  const signIn = () => newClient(cloud).auth.signInWithPassword({ email: next, password: 'second-one' })
  expect((await signIn()).error).toMatchObject({ code: 'user_banned' })
  clock.moveMs(5_400_000)
  expect((await signIn()).error).toBeNull()
  const { data } = await admin().listUsers({ page: 1, perPage: 1 })
  expect(data.users).toHaveLength(1)
  expect((data as { total: number }).total).toBeGreaterThan(0)
  expect((await admin().deleteUser(id)).error).toBeNull()
  expect((await admin().getUserById(id)).error).toMatchObject({ code: 'user_not_found', status: 404 })
})

test('links of every kind are made for whoever sends mails otherwise, and act as those that are mailed', async () => {
  const email = newAddress()
  await admin().createUser({ email, password, email_confirm: true })
  const types = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_new'] as const
  for (const type of types) {
    const isNew = type === 'signup' || type === 'invite'
    const address = isNew ? newAddress() : email
    const { data, error } = await admin().generateLink({
      type,
      email: address,
      password,
      newEmail: newAddress(),
    } as never)
    expect([type, error]).toEqual([type, null])
    const { action_link, hashed_token, email_otp, verification_type } = data.properties!
    expect(action_link).toBe(`${world.app.config.baseUrl}/app-links/${cloud.ref}/${hashed_token}`)
    expect(email_otp).toMatch(/^\d{6}$/)
    const verified = await newClient(cloud).auth.verifyOtp({
      type: verification_type as 'email',
      token_hash: hashed_token,
    })
    expect([type, verified.error]).toEqual([type, null])
    expect(verified.data.session).not.toBeNull()
  }
})

test('a link and its code act until their hour is over, and not then', async () => {
  const own = await world.newCloud()
  const { data } = await newClient(own).auth.signUp({ email: newAddress(), password })
  const { id, email } = data.user!
  const verify = (body: object) => ask(own, 'POST', '/verify', { body })
  for (const type of ['recovery', 'magiclink']) {
    const make = async () => {
      const { body } = await own.client.post(`/v1/cloud/${own.id}/users/${id}/links`, { type })
      expect(Date.parse(body.expires_at) - clock.nowMs()).toBe(60 * 60 * 1000)
      return body
    }
    for (const way of ['link', 'code']) {
      const wordsOf = ({ token_hash, code }: { token_hash: string; code: string }) =>
        way === 'link' ? { type, token_hash } : { type, email, token: code }
      const inTime = await make()
      clock.moveMs(60 * 60 * 1000 - 1)
      expect([type, way, (await verify(wordsOf(inTime))).status]).toEqual([type, way, 200])
      const late = await make()
      clock.moveMs(60 * 60 * 1000)
      const { status, body } = await verify(wordsOf(late))
      expect([type, way, status, body.code]).toEqual([type, way, 403, 'otp_expired'])
      expect((await fetch(late.url.replace(world.app.config.baseUrl, world.url))).status).toBe(404)
    }
  }
})

test('the service key ends the sessions of a token', async () => {
  const email = newAddress()
  const { data } = await newClient(cloud).auth.signUp({ email, password })
  const { error } = await admin().signOut(data.session!.access_token, 'global')
  expect(error).toBeNull()
  expect((await ask(cloud, 'GET', '/user', { token: data.session!.access_token })).status).toBe(401)
})

test('nobody but the service key administers: not the public key, not a user', async () => {
  const { data } = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  const calls = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', `/admin/users/${data.user!.id}`],
    ['PUT', `/admin/users/${data.user!.id}`],
    ['DELETE', `/admin/users/${data.user!.id}`],
    ['POST', '/admin/generate_link'],
    ['POST', '/invite'],
  ] as const
  for (const [method, path] of calls)
    for (const token of [undefined, data.session!.access_token]) {
      const body = method === 'GET' ? undefined : {}
      const reply = await ask(cloud, method, path, {
        ...(token !== undefined && { token }),
        ...(body && { body }),
      })
      expect({ method, path, status: reply.status, code: reply.body.code }).toEqual({
        ...{ method, path },
        status: 403,
        code: 'not_admin',
      })
    }
  // Beside the service key a user's session is that user's.
  const beside = await ask(cloud, 'GET', '/admin/users', { key: service, token: data.session!.access_token })
  expect(beside.status).toBe(403)
})

test('what is not offered says so in a sentence, and with a code that clients know', async () => {
  const { data } = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  const token = data.session!.access_token
  const id = data.user!.id
  const refused: [string, string, string, object?][] = [
    ['POST', '/signup', 'phone_provider_disabled', { phone: '+989120000000', password }],
    ['POST', '/otp', 'phone_provider_disabled', { phone: '+989120000000' }],
    ['POST', '/verify', 'phone_provider_disabled', { phone: '+989120000000', token: '1', type: 'sms' }],
    ['POST', '/resend', 'phone_provider_disabled', { phone: '+989120000000', type: 'sms' }],
    ['PUT', '/user', 'phone_provider_disabled', { phone: '+989120000000' }],
    ['POST', '/token?grant_type=id_token', 'oauth_provider_not_supported', { provider: 'google' }],
    ['POST', '/token?grant_type=web3', 'web3_provider_disabled', { chain: 'ethereum' }],
    ['GET', '/authorize?provider=github', 'oauth_provider_not_supported'],
    ['GET', '/user/identities/authorize?provider=github', 'oauth_provider_not_supported'],
    ['DELETE', `/user/identities/${id}`, 'oauth_provider_not_supported'],
    ['POST', '/sso', 'saml_provider_disabled', { domain: 'example.com' }],
    ['POST', '/factors', 'mfa_totp_enroll_not_enabled', {}],
    ['POST', `/factors/${id}/challenge`, 'mfa_totp_enroll_not_enabled', {}],
    ['POST', `/factors/${id}/verify`, 'mfa_totp_enroll_not_enabled', {}],
    ['DELETE', `/factors/${id}`, 'mfa_totp_enroll_not_enabled'],
    ['POST', '/passkeys/registration/options', 'passkey_disabled', {}],
    ['GET', '/passkeys', 'passkey_disabled'],
    ['GET', '/oauth/authorizations/x', 'provider_disabled'],
    ['GET', '/user/oauth/grants', 'provider_disabled'],
    ['GET', '/admin/oauth/clients', 'provider_disabled'],
    ['GET', '/admin/custom-providers', 'provider_disabled'],
    ['GET', `/admin/users/${id}/factors`, 'mfa_totp_enroll_not_enabled'],
    ['GET', `/admin/users/${id}/passkeys`, 'passkey_disabled'],
    ['POST', '/recover', 'email_provider_disabled', { email: newAddress() }],
    ['POST', '/otp', 'email_provider_disabled', { email: newAddress() }],
    ['POST', '/resend', 'email_provider_disabled', { email: newAddress(), type: 'signup' }],
    ['GET', '/reauthenticate', 'email_provider_disabled'],
  ]
  for (const [method, path, code, body] of refused) {
    const reply = await ask(cloud, method, path, { token, ...(body && { body }) })
    expect([method, path, reply.status, reply.body.code]).toEqual([method, path, 422, code])
    expect(reply.body.message.length).toBeGreaterThan(30)
  }
  const persian = await ask(cloud, 'POST', '/sso', { body: {}, headers: { 'accept-language': 'fa' } })
  expect(persian.body.message).toMatch(/[\u0600-\u06ff]/)
})

test('a developer reads, blocks, unblocks and deletes users, and makes a link where no mails are sent', async () => {
  const own = await world.newCloud()
  const { data } = await newClient(own).auth.signUp({ email: newAddress(), password })
  const { id, email } = data.user!
  const path = `/v1/cloud/${own.id}/users`
  await own.changeAuth({ anonymous_sign_ins: true })
  await newClient(own).auth.signInAnonymously()
  const list = await own.client.get(`${path}?limit=1`)
  expect(list.body).toMatchObject({ has_more: true, data: [{ object: 'cloud.user' }] })
  const rest = await own.client.get(`${path}?limit=1&after_id=${list.body.last_id}`)
  expect(rest.body.has_more).toBe(false)
  expect(new Set([list.body.last_id, rest.body.last_id]).size).toBe(2)
  const found = await own.client.get(`${path}?email=${encodeURIComponent(email!.toUpperCase())}`)
  expect(found.body.data.map((user: { id: string }) => user.id)).toEqual([id])
  expect((await own.client.get(`${path}/${id}`)).body).toMatchObject({ id, email, blocked: false })
  const link = await own.client.post(`${path}/${id}/links`, { type: 'recovery' })
  expect(link.body).toMatchObject({ type: 'recovery', redirect_to: 'https://app.example.org/' })
  const verified = await newClient(own).auth.verifyOtp({ type: 'recovery', token_hash: link.body.token_hash })
  expect(verified.data.user?.id).toBe(id)
  expect((await own.client.request('DELETE', `${path}/${id}`)).body).toEqual({
    ...{ object: 'cloud.user', id, deleted: true },
  })
  expect((await own.client.get(`${path}/${id}`)).status).toBe(404)
})

test('users of others look missing, and reading them needs the scope to write', async () => {
  const stranger = await world.stranger()
  const { data } = await newClient(cloud).auth.signUp({ email: newAddress(), password })
  const paths = [
    `/v1/cloud/${cloud.id}/users`,
    `/v1/cloud/${cloud.id}/users/${data.user!.id}`,
    `/v1/cloud/${cloud.id}/auth`,
  ]
  for (const path of paths) expect((await stranger.client.get(path)).status).toBe(404)
  const other = await world.newCloud()
  const ofOther = await other.client.get(`/v1/cloud/${other.id}/users/${data.user!.id}`)
  expect(ofOther.body.error.code).toBe('APP_USER_NOT_FOUND')
  const reader = await world.key({ scopes: ['cloud:read'] })
  expect((await reader.get(paths[0]!)).status).toBe(403)
  expect((await reader.get(paths[2]!)).body).toMatchObject({
    mail: 'not_configured',
    email_confirmation: false,
  })
})

test.each([
  ['no address', { site_url: 'app.example.com' }],
  ['another protocol', { site_url: 'javascript:alert(1)' }],
  ['a password', { site_url: 'https://a:b@app.example.com' }],
  ['no site_url', { disable_signup: true }],
  ['an additional one that is none', { site_url: 'https://a.example.com', additional_redirect_urls: ['x'] }],
  [
    '21 additional ones',
    { site_url: 'https://a.example.com', additional_redirect_urls: Array(21).fill('https://b.example.com') },
  ],
])('settings of sign-in with %s are refused', async (_what, body) => {
  const reply = await cloud.client.request('PATCH', `/v1/cloud/${cloud.id}/auth`, JSON.stringify(body))
  expect(reply.status).toBe(400)
})

test('numbers in metadata keep every digit for the app, in tokens, links, exports and PostgreSQL', async () => {
  const digits = '2512292042121000001'
  const exact = `{"id":${digits},"more":[{"a":0.12345678901234567890123}]}`
  const big = JSON.rawJSON(digits)
  const data = { id: big, more: [{ a: JSON.rawJSON('0.12345678901234567890123') }] }
  const email = newAddress()
  const own = { email, password }
  const made = await ask(cloud, 'POST', '/admin/users', {
    body: { ...own, email_confirm: true, user_metadata: data, app_metadata: { team: big } },
    key: service,
  })
  expect(made.text).toContain(`"user_metadata":${exact}`)
  const path = `/admin/users/${made.body.id}`
  const changed = await ask(cloud, 'PUT', path, { body: { user_metadata: { b: 1 } }, key: service })
  expect(changed.text).toContain(`"user_metadata":{"b":1,${exact.slice(1)}`)
  const signedIn = await ask(cloud, 'POST', '/token?grant_type=password', { body: own })
  expect(signedIn.text).toContain(`"team":${digits}`)
  const token = signedIn.body.access_token
  expect(Buffer.from(token.split('.')[1], 'base64url').toString()).toContain(
    `"user_metadata":{"b":1,"id":${digits}`,
  )
  const more = await ask(cloud, 'PUT', '/user', { body: { data: { own: big, more: null } }, token })
  for (const { text } of [more, await ask(cloud, 'GET', '/user', { token })])
    expect(text).toContain(`"user_metadata":{"b":1,"id":${digits},"own":${digits}}`)
  expect((await ask(cloud, 'GET', '/admin/users', { key: service })).text).toContain(`"own":${digits}`)

  const linked = { type: 'signup', email: newAddress(), password, data: { id: big } }
  const link = await ask(cloud, 'POST', '/admin/generate_link', { body: linked, key: service })
  const used = { type: 'signup', token_hash: link.body.hashed_token }
  expect((await ask(cloud, 'POST', '/verify', { body: used })).text).toContain(
    `"user_metadata":{"id":${digits}}`,
  )

  const users = await Array.fromAsync(exportUsers(world.app, await live(cloud)))
  const into = await world.newCloud()
  const to = await live(into)
  const leaving = users.filter((user) => [email, linked.email].includes(user.email!))
  await world.app.db.tx((tx) => importUsers(tx, to, leaving, { max: 10, now: new Date(clock.nowMs()) }))
  const { rows } = await world.app.db.pool.query(
    `select user_metadata->>'id' as id, app_metadata->>'team' as team from app_users.users
      where email = any($1) order by cloud_id = $2, email = $3`,
    [[email, linked.email], to.cloudId, email],
  )
  const both = [
    { id: digits, team: null },
    { id: digits, team: digits },
  ]
  expect(rows).toEqual([...both, ...both])
  const long = (number: string) =>
    ask(cloud, 'PUT', '/user', { body: { data: { long: JSON.rawJSON(number) } }, token })
  expect((await long('1e2000')).status).toBe(200)
  expect((await long('1e4000')).status).toBe(400)
  expect((await long('1e200000')).status).toBe(400)
})

test('users leave with their passwords’ hashes and come into another cloud; sessions stay behind', async () => {
  const [from, into] = [await world.newCloud(), await world.newCloud()]
  const email = newAddress()
  const { data } = await newClient(from).auth.signUp({ email, password, options: { data: { a: 1 } } })
  const exported = await Array.fromAsync(exportUsers(world.app, await live(from)))
  expect(exported).toHaveLength(1)
  expect(JSON.stringify(exported)).not.toContain(password)
  const to = await live(into)
  await world.app.db.tx((tx) =>
    importUsers(tx, to, JSON.parse(JSON.stringify(exported)), { max: 10, now: new Date(clock.nowMs()) }),
  )
  const signedIn = await newClient(into).auth.signInWithPassword({ email, password })
  expect(signedIn.data.user).toMatchObject({ id: data.user!.id, user_metadata: { a: 1 } })
  const refresh = { refresh_token: data.session!.refresh_token }
  expect((await newClient(into).auth.refreshSession(refresh)).error).not.toBeNull()
  const costly = exported[0]!.password_hash!.replace('m=19456', 'm=999999')
  const wrong = [{ ...exported[0]!, id: crypto.randomUUID(), email: newAddress(), password_hash: costly }]
  const importing = world.app.db.tx((tx) => importUsers(tx, to, wrong, { max: 10, now: new Date() }))
  await expect(importing).rejects.toMatchObject({ code: 'APP_USER_INVALID' })
})

test('all users of a cloud are deleted in portions, and room is free again', async () => {
  const own = await world.newCloud()
  const key = await live(own)
  await world.app.db.query(
    {
      text: `insert into app_users.users (account_id, cloud_id, user_id, created_at, updated_at)
        select $1, $2, gen_random_uuid(), now(), now() from generate_series(1, 250)`,
    },
    [key.accountId, key.cloudId],
  )
  await world.app.db.query(
    { text: 'insert into app_users.counts (account_id, cloud_id, users) values ($1, $2, 250)' },
    [key.accountId, key.cloudId],
  )
  expect(await deleteUsersOf(world.app, key)).toBe(false)
  expect(await deleteUsersOf(world.app, key)).toBe(false)
  // Only who finds nothing says that nothing is left.
  expect(await deleteUsersOf(world.app, key)).toBe(true)
  const left = await world.app.db.query<{ users: bigint }>(
    { text: 'select users from app_users.counts where account_id = $1 and cloud_id = $2' },
    [key.accountId, key.cloudId],
  )
  expect(left).toEqual([{ users: 0n }])
})

test('a cloud takes as many users as its limit says, and one more after a deletion', async () => {
  const own = await world.newCloud()
  await setCloudLimits(world.app, await live(own), { users: 2 })
  await expect.poll(async () => (await live(own)).limits.users).toBe(2)
  await own.changeAuth({ anonymous_sign_ins: true })
  const first = await newClient(own).auth.signUp({ email: newAddress(), password })
  expect((await newClient(own).auth.signInAnonymously()).error).toBeNull()
  const third = await newClient(own).auth.signUp({ email: newAddress(), password })
  expect(third.error).toMatchObject({ code: 'user_limit_reached', status: 403 })
  await own.client.request('DELETE', `/v1/cloud/${own.id}/users/${first.data.user!.id}`)
  expect((await newClient(own).auth.signUp({ email: newAddress(), password })).error).toBeNull()
})
