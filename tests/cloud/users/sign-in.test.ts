/** Sign-up, sign-in, sessions and the own account, where no mails are sent. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, MovableClock, type TestCloud, type World } from '../../harness/world.ts'
import { ask, newAddress, newClient, password } from './app.ts'

let world: World
let cloud: TestCloud
const clock = new MovableClock()
beforeAll(async () => {
  world = await boot({ clock })
  cloud = await world.cloud()
})
afterAll(() => world[Symbol.asyncDispose]())

const signUp = async (email = newAddress(), on: TestCloud = cloud) => {
  const client = newClient(on)
  const { data, error } = await client.auth.signUp({ email, password, options: { data: { name: 'مینا' } } })
  expect(error).toBeNull()
  return { client, email, session: data.session!, user: data.user! }
}

test('an unchanged client signs up, is signed in at once where no mails are sent, and reads and checks who it is', async () => {
  const { client, email, session, user } = await signUp()
  expect(user).toMatchObject({
    email,
    role: 'authenticated',
    aud: 'authenticated',
    is_anonymous: false,
    user_metadata: { name: 'مینا' },
    app_metadata: { provider: 'email', providers: ['email'] },
  })
  expect(user.email_confirmed_at).toBeTruthy()
  expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
  expect((await client.auth.getUser()).data.user?.id).toBe(user.id)
  const { data, error } = await client.auth.getClaims()
  expect(error).toBeNull()
  expect(data!.header.alg).toBe('ES256')
  expect(data!.claims).toMatchObject({
    iss: `${cloud.url}/auth/v1`,
    aud: 'authenticated',
    sub: user.id,
    ref: cloud.ref,
    purpose: 'access',
    role: 'authenticated',
  })
  expect((await client.auth.getUserIdentities()).data?.identities[0]?.provider).toBe('email')
})

test('the address is the same in capitals, with blanks around and Persian digits; the password by either keyboard', async () => {
  const { email } = await signUp()
  const odd = `\u200f ${email.toUpperCase().replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)} `
  const { data, error } = await newClient(cloud).auth.signInWithPassword({
    email: odd,
    password: password.replace('۱۲۳', '123'),
  })
  expect(error).toBeNull()
  expect(data.user?.email).toBe(email)
})

test('a wrong password and an unknown address get the same answer', async () => {
  const { email } = await signUp()
  const wrong = await ask(cloud, 'POST', '/token?grant_type=password', {
    body: { email, password: 'wrong-one' },
  })
  const unknown = await ask(cloud, 'POST', '/token?grant_type=password', {
    body: { email: newAddress(), password },
  })
  expect(wrong.status).toBe(400)
  expect(wrong.body).toEqual({ code: 'invalid_credentials', message: 'Address or password is wrong.' })
  expect(unknown.body).toEqual(wrong.body)
  expect(unknown.status).toBe(wrong.status)
  expect(wrong.headers.get('x-supabase-api-version')).toBe('2024-01-01')
})

test('a client of before the version header reads the older shape of an error', async () => {
  const old = await ask(cloud, 'POST', '/token?grant_type=password', {
    body: { email: newAddress(), password },
    headers: { 'x-supabase-api-version': '' },
  })
  expect(old.body).toEqual({
    code: 400,
    error_code: 'invalid_credentials',
    msg: 'Address or password is wrong.',
  })
})

test('an address that is taken is said to be where no mails are sent', async () => {
  const { email } = await signUp()
  const { error } = await newClient(cloud).auth.signUp({ email, password })
  expect(error).toMatchObject({ code: 'user_already_exists', status: 422 })
})

test('somebody without an address signs in where the developer allows it, and becomes a user with one', async () => {
  const client = newClient(cloud)
  expect((await client.auth.signInAnonymously()).error).toMatchObject({
    ...{ code: 'anonymous_provider_disabled', status: 422 },
  })
  const offered = async () => (await ask(cloud, 'GET', '/settings')).body.external.anonymous_users
  expect(await offered()).toBe(false)
  await cloud.changeAuth({ anonymous_sign_ins: true })
  expect(await offered()).toBe(true)
  const { data } = await client.auth.signInAnonymously({ options: { data: { theme: 'dark' } } })
  expect(data.user).toMatchObject({ is_anonymous: true, user_metadata: { theme: 'dark' }, identities: [] })
  const email = newAddress()
  const changed = await client.auth.updateUser({ email, password })
  expect(changed.error).toBeNull()
  expect(changed.data.user).toMatchObject({ id: data.user!.id, email, is_anonymous: false })
  const again = await newClient(cloud).auth.signInWithPassword({ email, password })
  expect(again.data.user?.id).toBe(data.user!.id)
})

test('a refresh token has one successor: used again within ten seconds it has the same, later it ends the session', async () => {
  const { client, session } = await signUp()
  const first = await client.auth.refreshSession({ refresh_token: session.refresh_token })
  const again = await newClient(cloud).auth.refreshSession({ refresh_token: session.refresh_token })
  expect(first.error ?? again.error).toBeNull()
  expect(again.data.session!.refresh_token).toBe(first.data.session!.refresh_token)
  // Its successor was used meanwhile; whoever lost that answer still gets the same one.
  await newClient(cloud).auth.refreshSession({ refresh_token: first.data.session!.refresh_token })
  clock.moveMs(9_999)
  const third = await newClient(cloud).auth.refreshSession({ refresh_token: session.refresh_token })
  expect(third.data.session!.refresh_token).toBe(first.data.session!.refresh_token)
  clock.moveMs(1)
  const late = await newClient(cloud).auth.refreshSession({ refresh_token: session.refresh_token })
  expect(late.error).toMatchObject({ code: 'refresh_token_already_used' })
  const newest = await newClient(cloud).auth.refreshSession({
    refresh_token: third.data.session!.refresh_token,
  })
  expect(newest.error).toMatchObject({ code: 'refresh_token_not_found' })
  const user = await ask(cloud, 'GET', '/user', { token: third.data.session!.access_token })
  expect(user).toMatchObject({ status: 401, body: { code: 'session_not_found' } })
})

test('signing out ends this session, all others, or all: their tokens are refused at once', async () => {
  const { client, email, session } = await signUp()
  const elsewhere = newClient(cloud)
  const other = (await elsewhere.auth.signInWithPassword({ email, password })).data.session!
  const read = async (token: string) => (await ask(cloud, 'GET', '/user', { token })).status
  // Both are known to be alive, so that what is remembered must be forgotten.
  expect([await read(session.access_token), await read(other.access_token)]).toEqual([200, 200])
  expect((await client.auth.signOut({ scope: 'others' })).error).toBeNull()
  expect([await read(session.access_token), await read(other.access_token)]).toEqual([200, 401])
  const third = (await elsewhere.auth.signInWithPassword({ email, password })).data.session!
  await elsewhere.auth.signOut({ scope: 'local' })
  expect([await read(session.access_token), await read(third.access_token)]).toEqual([200, 401])
  await client.auth.signOut()
  expect(await read(session.access_token)).toBe(401)
  const refreshed = await newClient(cloud).auth.refreshSession({ refresh_token: session.refresh_token })
  expect(refreshed.error).toMatchObject({ code: 'refresh_token_not_found' })
})

test('a user changes metadata and password, never role or app_metadata; a new password ends all other sessions', async () => {
  const { client, email, session } = await signUp()
  const other = (await newClient(cloud).auth.signInWithPassword({ email, password })).data.session!
  const changed = await ask(cloud, 'PUT', '/user', {
    token: session.access_token,
    body: {
      data: { name: null, age: 3 },
      role: 'service_role',
      app_metadata: { admin: true },
      is_anonymous: true,
      banned_until: null,
    },
  })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({
    role: 'authenticated',
    is_anonymous: false,
    user_metadata: { age: 3 },
  })
  expect(changed.body.user_metadata).toEqual({ age: 3 })
  expect(changed.body.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
  const same = await client.auth.updateUser({ password })
  expect(same.error).toMatchObject({ code: 'same_password' })
  expect((await client.auth.updateUser({ password: 'another-one' })).error).toBeNull()
  expect((await ask(cloud, 'GET', '/user', { token: other.access_token })).status).toBe(401)
  expect((await ask(cloud, 'GET', '/user', { token: session.access_token })).status).toBe(200)
  const old = await newClient(cloud).auth.signInWithPassword({ email, password })
  expect(old.error?.code).toBe('invalid_credentials')
})

test('sign-up metadata cannot set what only the developer may set', async () => {
  const { body } = await ask(cloud, 'POST', '/signup', {
    body: { email: newAddress(), password, role: 'service_role', app_metadata: { admin: true }, id: '1' },
  })
  expect(body.user).toMatchObject({ role: 'authenticated' })
  expect(body.user.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
})

test('an app that takes no new users says so, and lets the others sign in', async () => {
  const closed = await world.newCloud('closed')
  const { email } = await signUp(newAddress(), closed)
  const patch = { site_url: 'https://app.example.com', disable_signup: true }
  const set = await closed.client.request('PATCH', `/v1/cloud/${closed.id}/auth`, JSON.stringify(patch))
  expect(set.body).toMatchObject({ site_url: 'https://app.example.com/', disable_signup: true })
  const { error } = await newClient(closed).auth.signUp({ email: newAddress(), password })
  expect(error).toMatchObject({ code: 'signup_disabled' })
  expect((await newClient(closed).auth.signInAnonymously()).error).toMatchObject({ code: 'signup_disabled' })
  expect((await newClient(closed).auth.signInWithPassword({ email, password })).error).toBeNull()
  // The contract's default: left out, it is false.
  const reset = await closed.client.request(
    'PATCH',
    `/v1/cloud/${closed.id}/auth`,
    JSON.stringify({ site_url: 'https://app.example.com' }),
  )
  expect(reset.body.disable_signup).toBe(false)
  expect((await newClient(closed).auth.signUp({ email: newAddress(), password })).error).toBeNull()
})

test.each([
  ['five characters', '12345', false],
  ['six characters', '123456', true],
  ['six characters beyond the basic plane', '😀😁😂🤣😃😄', true],
  ['256 bytes', 'x'.repeat(256), true],
  ['257 bytes', 'x'.repeat(257), false],
  ['128 Persian letters', 'گ'.repeat(128), true],
  ['129 Persian letters', 'گ'.repeat(129), false],
  ['as many characters as a body holds', 'x'.repeat(60_000), false],
])('a password of %s', async (_what, given, isTaken) => {
  const email = newAddress()
  const { error } = await newClient(cloud).auth.signUp({ email, password: given })
  if (!isTaken) return expect(error).toMatchObject({ code: 'weak_password', reasons: ['length'] })
  expect(error).toBeNull()
  expect((await newClient(cloud).auth.signInWithPassword({ email, password: given })).error).toBeNull()
})

test.each([
  'no-at.example.com',
  'two@@example.com',
  'a@b',
  '.dot@example.com',
  'dot..dot@example.com',
  'line\r\nBcc: other@example.com@example.com',
  'a@example.com\r\nBcc: other@example.com',
  'a@example.com, other@example.com',
  'Name <a@example.com>',
  'a@[127.0.0.1]',
  'a@127.0.0.1',
  'a@exa mple.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(61)}`,
  'نام@example.com',
  '@'.repeat(60_000),
])('what is no address is refused (%#)', async (email) => {
  const { status, body } = await ask(cloud, 'POST', '/signup', { body: { email, password } })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'email_address_invalid' })
})

test('an address of 254 characters, and one with a domain in its own letters', async () => {
  const longest = `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(60)}`
  expect(longest).toHaveLength(254)
  for (const email of [longest, 'a@نمونه.ایران'])
    expect((await newClient(cloud).auth.signUp({ email, password })).error).toBeNull()
})

const atDepth = (depth: number): unknown => (depth === 0 ? 1 : { a: atDepth(depth - 1) })

test.each([
  ['exactly 3 KB', { a: 'x'.repeat(3 * 1024 - 8) }, 200],
  ['a byte more', { a: 'x'.repeat(3 * 1024 - 7) }, 400],
  ['eight levels', atDepth(8), 200],
  ['nine levels', atDepth(9), 400],
  ['a list', [1], 400],
  ['the character 0', { a: 'x\0' }, 400],
  ['the character 0 in a name', { 'x\0': 1 }, 400],
  ['half a character', { a: '\ud800' }, 400],
  ['a name of objects', JSON.parse('{"__proto__":{"admin":true}}'), 200],
])('metadata of %s', async (_what, data, status) => {
  const answer = await ask(cloud, 'POST', '/signup', { body: { email: newAddress(), password, data } })
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body.code).toBe('validation_failed')
  else expect(answer.body.user.user_metadata).toEqual(data)
})

test('what is no JSON, no object or of another type is refused and never a failure of the server', async () => {
  const bodies = [
    '{',
    '[]',
    '"x"',
    '1',
    'null',
    '{"email":1,"password":"123456"}',
    '{"email":{},"password":[]}',
  ]
  for (const path of [
    '/signup',
    '/token?grant_type=password',
    '/token?grant_type=refresh_token',
    '/verify',
    '/otp',
  ])
    for (const body of bodies) {
      const { status, body: said } = await ask(cloud, 'POST', path, { body })
      // Nothing at all is somebody without an address who signs in.
      if (path === '/signup' && body === 'null') continue
      expect({ path, body, status }).toMatchObject({
        status: expect.toSatisfy((one) => one >= 400 && one < 500),
      })
      expect(typeof said.code).toBe('string')
    }
  const large = await ask(cloud, 'POST', '/signup', { body: `{"email":"${'x'.repeat(70_000)}"}` })
  expect(large.status).toBe(413)
})
