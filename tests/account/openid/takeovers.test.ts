/** Attacks on signing in with a provider, each of which some program has let through. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProviderBrowser } from '../../harness/openid-provider.ts'
import { newBrowser, newPerson } from '../../harness/session.ts'
import { answerOf, begin, finish, type OpenIdWorld, openIdWorld, rolesOf, unique } from './world.ts'

let it: OpenIdWorld
beforeAll(async () => {
  it = await openIdWorld()
  await newPerson(it.world)
})
afterAll(() => it[Symbol.asyncDispose]())

const identities = async (): Promise<number> =>
  (await sql<{ count: number }>`select count(*)::int from people.identities`.execute(it.world.app.db.kysely))
    .rows[0]!.count

/** The page's address after a sign-in at the real provider, not yet handed in. */
async function comeBack(browser = newBrowser(it.world), provider = 'open'): Promise<URL> {
  const address = await begin(browser, provider)
  return new URL(await new ProviderBrowser().signIn(address, unique('someone')))
}

test('an address is handed in once, and only in the browser that began', async () => {
  const browser = newBrowser(it.world)
  const back = await comeBack(browser)
  const thief = newBrowser(it.world)
  await begin(thief, 'open')
  expect((await finish(thief, back.href)).body.error).toMatchObject({ code: 'OPENID_ANSWER_INVALID' })
  // The thief has not used it up.
  expect((await finish(browser, back.href)).status).toBe(200)
  expect((await finish(browser, back.href)).body.error.code).toBe('OPENID_ANSWER_INVALID')
})

test.each<[string, (back: URL) => string]>([
  ['a state of nobody', (back) => changed(back, 'state', 'x'.repeat(43))],
  ['no state', (back) => changed(back, 'state', undefined)],
  ['two states', (back) => `${back.href}&state=${back.searchParams.get('state')}`],
  ['no code', (back) => changed(back, 'code', undefined)],
  ['a code of nobody', (back) => changed(back, 'code', 'made-up')],
  [
    'no issuer, although the provider announces that it names itself',
    (back) => changed(back, 'iss', undefined),
  ],
  ['the issuer of another provider', (back) => changed(back, 'iss', it.scripted.issuer)],
  ['the page of another provider', (back) => back.href.replace('/openid/open', '/openid/scripted-open')],
  [
    'the page of another entry of the same issuer',
    (back) => back.href.replace('/openid/open', '/openid/real'),
  ],
  ['a page of another origin', (back) => back.href.replace('127.0.0.1', 'localhost')],
  ['no address at all', () => 'state'],
])('%s is refused, and nobody is signed in', async (_, change) => {
  const browser = newBrowser(it.world)
  const before = await identities()
  const reply = await finish(browser, change(await comeBack(browser)))
  expect(reply.status, reply.text).toBe(400)
  expect(reply.body.error.code).toBe('OPENID_ANSWER_INVALID')
  expect(browser.cookies.has(browser.nameOf('session'))).toBe(false)
  expect(await identities()).toBe(before)
})

function changed(back: URL, name: string, value: string | undefined): string {
  const url = new URL(back)
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url.href
}

test('a state of one provider is worth nothing at another one, and its code is sent to nobody', async () => {
  const browser = newBrowser(it.world)
  const honest = await comeBack(browser, 'open')
  // The attacker's provider began a ceremony, and sends the browser to the honest one with its own state.
  const own = new URL(await begin(browser, 'scripted-open'))
  it.scripted.forms.length = 0
  const mixed = changed(honest, 'state', own.searchParams.get('state')!)
  expect((await finish(browser, mixed)).body.error.code).toBe('OPENID_ANSWER_INVALID')
  expect(it.scripted.forms).toEqual([])
})

test.each<[string, Partial<OpenIdWorld['scripted']>, Record<string, unknown>]>([
  ['signed by another key', { signature: 'other' }, {}],
  ['not signed (alg none)', { signature: 'none' }, {}],
  ['signed by the secret of the client', { signature: 'secret' }, {}],
  ['for another client', {}, { aud: 'somebody-else' }],
  ['for several clients without azp', {}, { aud: ['scripted-open', 'x'] }],
  ['issued to another client', {}, { azp: 'somebody-else' }],
  ['expired', {}, { exp: 1 }],
  ['without an end', {}, { exp: undefined }],
  ['of another sign-in (nonce)', {}, { nonce: 'other' }],
  ['without nonce', {}, { nonce: undefined }],
  ['of another issuer', {}, { iss: 'https://evil.example' }],
  ['without subject', {}, { sub: undefined }],
  ['with a subject that is too long', {}, { sub: 'a'.repeat(256) }],
  ['with a subject of other characters', {}, { sub: 'a\u0000b' }],
  ['of another subject than the UserInfo endpoint names', { userInfo: { sub: 'other' } }, {}],
])('a token %s is refused', async (_, script, claims) => {
  const browser = newBrowser(it.world)
  const before = await identities()
  const address = await begin(browser, 'scripted-open')
  const all = { sub: unique('token'), ...claims }
  Object.assign(it.scripted, { signature: 'right', userInfo: { sub: all.sub }, claims: all }, script)
  const reply = await finish(browser, it.scripted.answer(address))
  it.scripted.signature = 'right'
  expect(reply.body.error.code).toBe('OPENID_ANSWER_INVALID')
  expect(await identities()).toBe(before)
})

test('the same subject at two issuers is two people', async () => {
  const login = unique('same')
  const { reply } = await answerOf(it, { sub: login })
  const browser = newBrowser(it.world)
  const back = await new ProviderBrowser().signIn(await begin(browser, 'open'), login)
  const other = await finish(browser, back)
  expect(other.status).toBe(200)
  expect(other.body.person.id).not.toBe(reply.body.person.id)
})

test('the code is redeemed with the verifier of this sign-in, and the address asks for a code with S256', async () => {
  const browser = newBrowser(it.world)
  const address = await begin(browser, 'scripted-open')
  const { searchParams } = new URL(address)
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid email profile groups',
  })
  Object.assign(it.scripted, { claims: { sub: 'pkce' }, userInfo: { sub: 'pkce' } })
  await finish(browser, it.scripted.answer(address))
  const verifier = it.scripted.forms.at(-1)!.get('code_verifier')!
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier))
  expect(Buffer.from(digest).toString('base64url')).toBe(searchParams.get('code_challenge'))
})

test('groups that the provider leaves out neither make nor end a membership', async () => {
  const sub = unique('overage')
  const left = {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.example' } },
  }
  const personId = (await answerOf(it, { sub, groups: ['eng'] })).reply.body.person.id
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'developer' })
  await answerOf(it, { sub, ...left })
  expect(await rolesOf(it, personId)).toEqual({ [it.account]: 'developer' })
  await answerOf(it, { sub })
  expect(await rolesOf(it, personId)).toEqual({})
  await answerOf(it, { sub, ...left })
  expect(await rolesOf(it, personId)).toEqual({})
})

test('a sign-in steps nobody up; a provider does so only with a time that is recent, and for its own person', async () => {
  const sub = unique('fresh')
  const { browser } = await answerOf(it, { sub })
  expect((await browser.post('/v1/me/identities/real', {})).body.error.code).toBe('STEP_UP_REQUIRED')
  const stepUp = async (claims: Record<string, unknown>) => {
    const { url } = (await browser.post('/v1/step-up/openid/scripted-open', {})).body
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    Object.assign(it.scripted, { claims, userInfo: { sub: claims['sub'] } })
    return (await finish(browser, it.scripted.answer(url))).body
  }
  const now = Math.floor(it.clock.nowMs() / 1_000)
  for (const time of [undefined, now - 601, now + 120, String(now)])
    expect((await stepUp({ sub, auth_time: time })).error.code).toMatch(
      /OPENID_NOT_FRESH|OPENID_ANSWER_INVALID/,
    )
  const other = unique('somebody-else')
  expect((await stepUp({ sub: other, auth_time: now })).error.code).toBe('OPENID_NOT_ALLOWED')
  expect((await browser.post('/v1/me/identities/real', {})).status).toBe(403)
  expect(await stepUp({ sub, auth_time: now - 599 })).toEqual({ status: 'stepped_up' })
  expect((await browser.post('/v1/me/identities/real', {})).status).toBe(200)
})

test('a provider that is away is 503 and nothing else fails; one that answers too much is away too', async () => {
  const browser = newBrowser(it.world)
  for (let time = 0; time < 2; time++) {
    const reply = await browser.post('/v1/sign-in/openid/away', {})
    expect(reply.status).toBe(503)
    expect(reply.body.error).toMatchObject({ code: 'OPENID_FAILED' })
  }
  expect((await browser.post('/v1/sign-in/openid/open', {})).status).toBe(200)
  const address = await begin(browser, 'scripted-open')
  Object.assign(it.scripted, { claims: { sub: 'big' }, userInfo: { sub: 'big', more: 'x'.repeat(600_000) } })
  expect((await finish(browser, it.scripted.answer(address))).body.error.code).toBe('OPENID_FAILED')
  it.scripted.userInfo = {}
  const again = await begin(browser, 'scripted-open')
  it.scripted.status = 500
  const reply = await finish(browser, it.scripted.answer(again))
  it.scripted.status = 200
  expect(reply.body.error.code).toBe('OPENID_FAILED')
})

test('a refusal of the provider is said as one, and ends the attempt', async () => {
  const browser = newBrowser(it.world)
  const address = await begin(browser, 'scripted-open')
  const back = it.scripted.answer(address, { code: undefined, error: 'access_denied' })
  const reply = await finish(browser, back)
  expect(reply.status).toBe(400)
  expect(reply.body.error.message).toContain('did not let you in')
  expect((await finish(browser, it.scripted.answer(address))).body.error.code).toBe('OPENID_ANSWER_INVALID')
})

test.each([
  '//evil.example',
  '/\\evil.example',
  'https:evil.example',
  '/%2f%2fevil.example',
  '/.//evil',
  '/\t/evil',
])('a page to return to at %j is refused before anything begins', async (path) => {
  const reply = await newBrowser(it.world).post('/v1/sign-in/openid/open', { return_to: path })
  expect(reply.status).toBe(400)
  expect(reply.body.error).toMatchObject({ code: 'INVALID_REQUEST' })
})

test('pages of other origins begin and end nothing, and an unknown provider is missing', async () => {
  const browser = newBrowser(it.world)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  expect((await browser.post('/v1/sign-in/openid/open', {}, foreign)).status).toBe(403)
  expect((await browser.post('/v1/sign-in/openid/finish', { url: 'x' }, foreign)).status).toBe(403)
  const person = await newPerson(it.world)
  for (const path of ['/v1/sign-in/openid/gone', '/v1/step-up/openid/gone', '/v1/me/identities/gone'])
    expect((await person.post(path, {})).status).toBe(404)
  expect((await browser.post('/v1/me/identities/open', {})).status).toBe(401)
})

test('after ten minutes an answer comes too late', async () => {
  const browser = newBrowser(it.world)
  const [first, second] = [await comeBack(browser), await comeBack(browser)]
  it.clock.moveMs(10 * 60_000 - 1)
  expect((await finish(browser, first.href)).status).toBe(200)
  it.clock.moveMs(1)
  expect((await finish(browser, second.href)).body.error.code).toBe('OPENID_ANSWER_INVALID')
})
