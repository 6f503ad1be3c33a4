/** Confirmation, recovery, links and codes, where mails are sent. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MailServer } from '../../harness/mail-server.ts'
import { boot, MovableClock, type TestCloud, type World } from '../../harness/world.ts'
import { publish, siteBody } from '../../sites/published.ts'
import { ask, newAddress, newClient, password } from './app.ts'

let world: World
let mails: MailServer
const clock = new MovableClock(Date.UTC(2026, 10, 26, 3))
const refused = 'refused@example.com'
beforeAll(async () => {
  mails = await MailServer.start({ refuses: (address) => address === refused })
  world = await boot({ clock, config: mails.config, env: { KHERAD_BASE_URL: 'http://api.example.org' } })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await mails[Symbol.asyncDispose]()
})

const site = 'https://app.example.com'

async function newCloud(settings: object = {}): Promise<TestCloud> {
  const cloud = await world.newCloud('app')
  await change(cloud, { site_url: site, ...settings })
  return cloud
}

async function change(cloud: TestCloud, settings: object) {
  const reply = await cloud.client.request('PATCH', `/v1/cloud/${cloud.id}/auth`, JSON.stringify(settings))
  expect(reply.status).toBe(200)
  return reply
}

/** The link of a mail, at the server of the test. */
const linkIn = (text: string): string =>
  /http:\/\/api\.example\.org(\/app-links\/\S+)/.exec(text)![1]!.replace(/^/, world.url)
const codeIn = (text: string): string => /کد: (\d{6})/.exec(text)![1]!

const open = (url: string, method = 'GET') => fetch(url, { method, redirect: 'manual' })
const press = (url: string) => fetch(url, { method: 'POST', body: new FormData(), redirect: 'manual' })
const fragmentOf = (reply: Response) =>
  new URLSearchParams(new URL(reply.headers.get('location')!).hash.slice(1))

test('a sign-up waits for its confirmation; the link does nothing until its button is pressed, then signs in, once', async () => {
  const cloud = await newCloud()
  const [client, email] = [newClient(cloud), newAddress()]
  const { data, error } = await client.auth.signUp({
    email,
    password,
    options: { data: { name: 'مینا' }, emailRedirectTo: `${site}/welcome?from=mail` },
  })
  expect(error).toBeNull()
  expect(data.session).toBeNull()
  expect(data.user).toMatchObject({ email, user_metadata: { name: 'مینا' } })
  const early = await client.auth.signInWithPassword({ email, password })
  expect(early.error).toMatchObject({ code: 'email_not_confirmed' })
  const mail = await mails.mailTo(email)
  const link = linkIn(mail.text)
  // Scanners of mails open every link, some more than once.
  for (const method of ['GET', 'HEAD', 'GET']) expect((await open(link, method)).status).toBe(200)
  expect((await client.auth.signInWithPassword({ email, password })).error?.code).toBe('email_not_confirmed')
  const pressed = await press(link)
  expect(pressed.status).toBe(303)
  expect(pressed.headers.get('location')).toMatch(/^https:\/\/app\.example\.com\/welcome\?from=mail#/)
  const session = fragmentOf(pressed)
  expect(session.get('type')).toBe('signup')
  const user = await ask(cloud, 'GET', '/user', { token: session.get('access_token')! })
  expect(user.body).toMatchObject({ id: data.user!.id, email, user_metadata: { name: 'مینا' } })
  expect((await press(link)).status).toBe(404)
  expect((await open(link)).status).toBe(404)
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
})

test('the page of a link is the platform’s alone: no script, in no frame, from no cache, and its address goes nowhere', async () => {
  const cloud = await newCloud()
  const email = newAddress()
  await newClient(cloud).auth.signUp({ email, password })
  const page = await open(linkIn((await mails.mailTo(email)).text))
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const html = await page.text()
  expect(html).not.toContain('<script')
  expect(html).toContain('<bdi dir="ltr">app.example.com</bdi>')
})

test('a sign-up with an address that has an account is answered as any other, and its owner is told', async () => {
  const cloud = await newCloud()
  const [email, unknown] = [newAddress(), newAddress()]
  await newClient(cloud).auth.signUp({ email, password })
  await press(linkIn((await mails.mailTo(email)).text))
  const signUp = (address: string) =>
    ask(cloud, 'POST', '/signup', { body: { email: address, password: 'another-one', data: { a: 1 } } })
  const [taken, again, fresh, freshAgain] = [
    await signUp(email),
    await signUp(email),
    await signUp(unknown),
    await signUp(unknown),
  ]
  const shape = ({ status, body }: typeof taken) => ({
    status,
    names: Object.keys(body),
    body: { ...body, id: '', email: '', identities: body.identities.map(() => '') },
  })
  expect(shape(taken)).toEqual(shape(fresh))
  expect(again.body.id).toBe(taken.body.id)
  expect(freshAgain.body.id).toBe(fresh.body.id)
  expect(taken.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect((await mails.mailTo(email, 2)).text).toContain('an account already')
  const old = await newClient(cloud).auth.signInWithPassword({ email, password: 'another-one' })
  expect(old.error?.code).toBe('invalid_credentials')
})

test('each link sets the password it was asked with: who signs up with another’s address cannot set it for them', async () => {
  const cloud = await newCloud()
  const email = newAddress()
  await newClient(cloud).auth.signUp({ email, password: 'of-the-thief', options: { data: { who: 'thief' } } })
  await mails.mailTo(email)
  await newClient(cloud).auth.signUp({ email, password: 'of-the-owner', options: { data: { who: 'owner' } } })
  const mail = await mails.mailTo(email, 2)
  expect((await press(linkIn(mail.text))).status).toBe(303)
  const thief = await newClient(cloud).auth.signInWithPassword({ email, password: 'of-the-thief' })
  expect(thief.error?.code).toBe('invalid_credentials')
  const owner = await newClient(cloud).auth.signInWithPassword({ email, password: 'of-the-owner' })
  expect(owner.data.user?.user_metadata).toEqual({ who: 'owner' })
  const first = mails.to(email)[0]!
  expect((await press(linkIn(first.text))).status).toBe(404)
})

test('whoever signs in by mail to an address that a stranger signed up with is not left with the stranger’s password', async () => {
  const cloud = await newCloud()
  const email = newAddress()
  await newClient(cloud).auth.signUp({ email, password: 'of-the-thief' })
  await mails.mailTo(email)
  await newClient(cloud).auth.signInWithOtp({ email })
  const { error } = await newClient(cloud).auth.verifyOtp({
    email,
    token: codeIn((await mails.mailTo(email, 2)).text),
    type: 'email',
  })
  expect(error).toBeNull()
  const thief = await newClient(cloud).auth.signInWithPassword({ email, password: 'of-the-thief' })
  expect(thief.error?.code).toBe('invalid_credentials')
})

/** A user who is confirmed. */
async function member(cloud: TestCloud) {
  const [client, email] = [newClient(cloud), newAddress()]
  const { data } = await client.auth.signUp({ email, password })
  const mail = await mails.mailTo(email)
  const { error } = await client.auth.verifyOtp({ email, token: codeIn(mail.text), type: 'signup' })
  expect(error).toBeNull()
  return { client, email, id: data.user!.id }
}

test('a forgotten password: the mail’s link leads to a page of the app, which sets another', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  const client = newClient(cloud)
  expect((await client.auth.resetPasswordForEmail(email, { redirectTo: `${site}/reset` })).error).toBeNull()
  const pressed = await press(linkIn((await mails.mailTo(email, 2)).text))
  const session = fragmentOf(pressed)
  expect(session.get('type')).toBe('recovery')
  await client.auth.setSession({
    access_token: session.get('access_token')!,
    refresh_token: session.get('refresh_token')!,
  })
  expect((await client.auth.updateUser({ password: 'new-password' })).error).toBeNull()
  expect((await newClient(cloud).auth.signInWithPassword({ email, password })).error).not.toBeNull()
  expect(
    (await newClient(cloud).auth.signInWithPassword({ email, password: 'new-password' })).error,
  ).toBeNull()
})

test('with PKCE the link gives a code that is worth nothing without the page that asked', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  const client = newClient(cloud, { flowType: 'pkce' })
  await client.auth.signInWithOtp({ email, options: { emailRedirectTo: `${site}/in` } })
  const pressed = await press(linkIn((await mails.mailTo(email, 2)).text))
  const location = new URL(pressed.headers.get('location')!)
  expect(location.hash).toBe('')
  const code = location.searchParams.get('code')!
  const thief = await ask(cloud, 'POST', '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(64) },
  })
  expect(thief.body.code).toBe('bad_code_verifier')
  const { data, error } = await client.auth.exchangeCodeForSession(code)
  expect(error).toBeNull()
  expect(data.user?.email).toBe(email)
  expect(
    (
      await ask(cloud, 'POST', '/token?grant_type=pkce', {
        body: { auth_code: code, code_verifier: 'x'.repeat(64) },
      })
    ).body.code,
  ).toBe('otp_expired')
})

test('recovery and links are answered alike for an address that nobody has, also at the limit of its mails', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  const nobody = newAddress()
  await ask(cloud, 'POST', '/signup', { body: { email: nobody, password } })
  const unknown = newAddress()
  await ask(cloud, 'POST', '/recover', { body: { email: unknown } })
  const times = async (address: string) => {
    const said: unknown[] = []
    for (let at = 0; at < 3; at++) {
      const { status, body } = await ask(cloud, 'POST', '/recover', { body: { email: address } })
      said.push({ status, body })
    }
    return said
  }
  const known = await times(email)
  expect(await times(unknown)).toEqual(known)
  expect(known.map((one) => (one as { status: number }).status)).toEqual([200, 200, 429])
  expect(mails.to(unknown)).toHaveLength(0)
  const { body } = await ask(cloud, 'POST', '/otp', { body: { email: newAddress(), create_user: false } })
  expect(body).toEqual({})
})

test('three mails an address and hour, and no more of the cloud a day than the operator says', async () => {
  const cloud = await newCloud()
  const [email] = [newAddress()]
  const otp = (address: string) => ask(cloud, 'POST', '/otp', { body: { email: address } })
  for (let at = 0; at < 3; at++) expect((await otp(email)).status).toBe(200)
  const fourth = await otp(email)
  expect(fourth).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
  expect(fourth.headers.get('retry-after')).toBe('3600')
  clock.moveMs(60 * 60 * 1000)
  expect((await otp(email)).status).toBe(200)
  for (let at = 0; at < 26; at++) expect((await otp(newAddress())).status).toBe(200)
  const over = await otp(newAddress())
  expect(over).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
  clock.moveMs(24 * 60 * 60 * 1000)
  expect((await otp(newAddress())).status).toBe(200)
})

/** Whether a link may lead there: `taken`, or the code of the refusal. */
async function leadTo(cloud: TestCloud, address: string): Promise<string> {
  const { status, body } = await ask(cloud, 'POST', `/otp?redirect_to=${encodeURIComponent(address)}`, {
    body: { email: newAddress() },
  })
  return status === 200 ? 'taken' : body.code
}

test('links lead only to the app’s origin, to what the developer adds, and not beside it', async () => {
  const cloud = await newCloud({
    additional_redirect_urls: ['http://localhost:5173/', 'https://other.example.com/done'],
  })
  for (const taken of [
    `${site}/anything?x=1`,
    'http://localhost:5173/a/b',
    'https://other.example.com/done',
    'https://other.example.com/done/more',
  ])
    expect([taken, await leadTo(cloud, taken)]).toEqual([taken, 'taken'])
  for (const wrong of [
    'https://evil.example.com/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'http://app.example.com/',
    'https://app.example.com:8443/',
    'http://localhost:5174/',
    'https://other.example.com/done-not',
    'https://other.example.com/done/../else',
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example.com',
    '/relative',
    `${site}/${'x'.repeat(2_000)}`,
  ])
    expect([wrong, await leadTo(cloud, wrong)]).toEqual([wrong, 'validation_failed'])
})

test('links lead to sites of this very cloud, and to no other site of its owner', async () => {
  const [cloud, other] = [await newCloud(), await newCloud()]
  const siteOf = async ({ client }: TestCloud, more: object): Promise<string> =>
    (await publish(client, siteBody('app', more))).url
  const own = await siteOf(cloud, { cloud_id: cloud.id })
  expect(await leadTo(cloud, `${own}/welcome`)).toBe('taken')
  const changed = new URL(own)
  changed.port = '9'
  for (const wrong of [
    await siteOf(other, { cloud_id: other.id }),
    await siteOf(cloud, {}),
    changed.href,
    own.replace(/^http:/, 'https:'),
  ])
    expect([wrong, await leadTo(cloud, wrong)]).toEqual([wrong, 'validation_failed'])
})

test('an address that is taken off the list gets no session of a link that was mailed before', async () => {
  const cloud = await newCloud({ additional_redirect_urls: ['https://old.example.com/'] })
  const email = newAddress()
  await ask(cloud, 'POST', '/otp?redirect_to=https%3A%2F%2Fold.example.com%2F', { body: { email } })
  const link = linkIn((await mails.mailTo(email)).text)
  await change(cloud, { site_url: site, additional_redirect_urls: [] })
  expect((await press(link)).headers.get('location')).toMatch(/^https:\/\/app\.example\.com\/#/)
})

test('a link that would sign in of an app without an address says so at each opening and press, and stays good', async () => {
  const cloud = await world.newCloud('app')
  const email = newAddress()
  await ask(cloud, 'POST', '/otp', { body: { email } })
  const link = linkIn((await mails.mailTo(email)).text)
  for (const reply of [await open(link), await press(link), await open(link)]) {
    expect(reply.status).toBe(409)
    expect(reply.headers.get('location')).toBeNull()
    expect(await reply.text()).not.toContain('<form')
  }
  await change(cloud, { site_url: site })
  expect(fragmentOf(await press(link)).get('access_token')).toBeTruthy()
})

test('a new address is confirmed by a mail to it, and the old one is told', async () => {
  const cloud = await newCloud()
  const { client, email, id } = await member(cloud)
  const next = newAddress()
  const { data } = await client.auth.updateUser({ email: next })
  expect(data.user).toMatchObject({ email, new_email: next })
  expect((await mails.mailTo(email, 2)).text).toContain('another address')
  const { error } = await newClient(cloud).auth.verifyOtp({
    email: next,
    token: codeIn((await mails.mailTo(next)).text),
    type: 'email_change',
  })
  expect(error).toBeNull()
  const user = (await client.auth.getUser()).data.user
  expect(user).toMatchObject({ id, email: next })
  expect((await newClient(cloud).auth.signInWithPassword({ email, password })).error).not.toBeNull()
})

test('a new address that is another’s is answered the same, and never becomes the user’s', async () => {
  const cloud = await newCloud()
  const [one, other] = [await member(cloud), await member(cloud)]
  const { data, error } = await one.client.auth.updateUser({ email: other.email })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email: one.email, new_email: other.email })
  expect((await mails.mailTo(other.email, 2)).text).not.toMatch(/\d{6}/)
})

test('whether an address has an account cannot be told by the time of an answer', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  const least = 50
  for (const address of [email, newAddress()])
    for (const [path, body] of [
      ['/recover', {}],
      ['/otp', { create_user: false }],
      ['/verify', { type: 'email', token: '000000' }],
      ['/signup', { password }],
    ] as const) {
      const began = performance.now()
      await ask(cloud, 'POST', path, { body: { email: address, ...body } })
      // Timers of Node may be a millisecond early.
      expect(performance.now() - began, path).toBeGreaterThan(least - 2)
    }
})

test('a form on the page of somebody else signs nobody in', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  await ask(cloud, 'POST', '/otp', { body: { email } })
  const link = linkIn((await mails.mailTo(email, 2)).text)
  const from = (site: string) =>
    fetch(link, {
      method: 'POST',
      body: new FormData(),
      redirect: 'manual',
      headers: { 'sec-fetch-site': site },
    })
  for (const site of ['cross-site', 'same-site']) {
    const reply = await from(site)
    expect([reply.status, reply.headers.get('location')]).toEqual([200, null])
    expect(await reply.text()).toContain('<button>')
  }
  expect((await from('same-origin')).status).toBe(303)
})

test('a wrong code is counted: after five the right one no longer acts', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  await ask(cloud, 'POST', '/otp', { body: { email } })
  const code = codeIn((await mails.mailTo(email, 2)).text)
  const enter = (token: string) =>
    ask(cloud, 'POST', '/verify', { body: { email, token, type: 'magiclink' } })
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  for (let at = 0; at < 5; at++) expect((await enter(wrong)).body.code).toBe('otp_expired')
  expect((await enter(code)).body.code).toBe('otp_expired')
})

test('a code is typed with the digits of any keyboard', async () => {
  const cloud = await newCloud()
  const { email } = await member(cloud)
  await ask(cloud, 'POST', '/otp', { body: { email } })
  const code = codeIn((await mails.mailTo(email, 2)).text)
  const persian = code.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)
  // As it is read aloud, and as it is pasted from a line of Persian.
  const token = `\u200f${persian.slice(0, 3)}-${persian.slice(3)} \u200c`
  expect((await ask(cloud, 'POST', '/verify', { body: { email, token, type: 'email' } })).status).toBe(200)
})

test('a code for a change of the own account is asked for, mailed, and checked where it is given', async () => {
  const cloud = await newCloud()
  const { client, email } = await member(cloud)
  expect((await client.auth.reauthenticate()).error).toBeNull()
  const nonce = codeIn((await mails.mailTo(email, 2)).text)
  const wrong = await client.auth.updateUser({
    password: 'next-password',
    nonce: nonce === '000000' ? '1' : '000000',
  })
  expect(wrong.error).toMatchObject({ code: 'reauthentication_not_valid' })
  expect((await client.auth.updateUser({ password: 'next-password', nonce })).error).toBeNull()
  const spent = await client.auth.updateUser({ password: 'third-password', nonce })
  expect(spent.error).toMatchObject({ code: 'reauthentication_not_valid' })
})

test('the confirmation is sent again, and an address without an account gets the same answer', async () => {
  const cloud = await newCloud()
  const [client, email] = [newClient(cloud), newAddress()]
  await client.auth.signUp({ email, password })
  await mails.mailTo(email)
  expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull()
  const mail = await mails.mailTo(email, 2)
  expect((await client.auth.resend({ type: 'signup', email: newAddress() })).error).toBeNull()
  expect((await client.auth.verifyOtp({ email, token: codeIn(mail.text), type: 'signup' })).error).toBeNull()
  expect((await newClient(cloud).auth.signInWithPassword({ email, password })).error).toBeNull()
})

test('a mail has Persian from the right and English, as text and as a page, and one recipient', async () => {
  const cloud = await newCloud()
  const email = newAddress()
  await newClient(cloud).auth.resetPasswordForEmail(email)
  await newClient(cloud).auth.signUp({ email, password })
  const mail = await mails.mailTo(email)
  expect(mail.to).toEqual([email])
  expect(mail.from).toBe('no-reply@example.org')
  expect(mail.headers.get('to')).toBe(email)
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  expect(mail.html).toMatch(/<td lang="fa" dir="rtl"/)
  expect(mail.html).toMatch(/<td lang="en" dir="ltr"/)
  expect(mail.text).toMatch(/تأیید[\s\S]+Confirm|ثبت‌نام[\s\S]+Somebody signed up/)
  // What the tenant or the user has written stands nowhere in it.
  expect(mail.raw).not.toContain('app.example.com')
})

test('a mail that the server cannot take now is sent again; one it refuses for good is not', async () => {
  const cloud = await newCloud()
  const email = newAddress()
  mails.failures.push('451 busy')
  await newClient(cloud).auth.signInWithOtp({ email })
  await mails.mailTo(email)
  expect(mails.failures).toHaveLength(0)
  await newClient(cloud).auth.signInWithOtp({ email: refused })
  await world.settled()
  expect(mails.to(refused)).toHaveLength(0)
})

test('an invitation, by the service key, is accepted by its link', async () => {
  const cloud = await newCloud()
  const admin = newClient(cloud, { key: await cloud.serviceKey() })
  const email = newAddress()
  const { data, error } = await admin.auth.admin.inviteUserByEmail(email, {
    data: { team: 1 },
    redirectTo: `${site}/join`,
  })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email, user_metadata: { team: 1 } })
  const pressed = await press(linkIn((await mails.mailTo(email)).text))
  expect(fragmentOf(pressed).get('type')).toBe('invite')
})
