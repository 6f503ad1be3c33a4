/** Authenticator apps and recovery codes: asked for after every other first factor, each code once, and nothing is open before. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSecondFactor } from '#account/factors'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import {
  addApp,
  addPasskey,
  auditOf,
  beginSignIn,
  codeOf,
  type Holder,
  lettersTo,
  newHolder,
  signInByPasskey,
  strangeBrowser,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('an authenticator app', () => {
  test('is no factor before its first code, brings ten recovery codes, and draws its QR code without a request', async () => {
    const sara = await newHolder(world)
    const { body: begun, status } = await sara.post('/v1/me/factors/totp', { name: 'Phone' })
    expect(status).toBe(201)
    expect(begun.uri).toContain(`secret=${begun.secret}`)
    expect(begun.qr.path).toMatch(/^(M\d+ \d+h\d+v1h-\d+z)+$/)
    expect((await sara.get('/v1/me/factors')).body).toMatchObject({ data: [], recovery_codes_left: 0 })

    const confirm = `/v1/me/factors/${begun.id}/confirm`
    const wrong = await sara.post(confirm, { code: '000 000' })
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'WRONG_CODE'])
    const persian = codeOf(world, begun.secret).replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)
    const right = await sara.post(confirm, { code: `${persian.slice(0, 3)} ${persian.slice(3)}` })
    expect(right.status, right.text).toBe(200)
    expect(right.body.recovery_codes).toHaveLength(10)
    expect((await sara.post(confirm, { code: codeOf(world, begun.secret, 1) })).status).toBe(404)
    expect(await lettersTo(world, sara.personId)).toEqual(['factor_added'])
    expect(await auditOf(world, begun.id)).toEqual(['factors.beginTotp', 'factors.confirmTotp'])
    const stored = await world.app.db.query<{ secret: string }>(
      { text: 'select secret_sealed as secret from people.factors where factor_id = $1' },
      [begun.id],
    )
    expect(stored[0]!.secret).toMatch(/^sealed:1:/)
  })

  test('of another person looks missing, and every change needs a factor that was given lately', async () => {
    const sara = await newHolder(world)
    const omid = await newHolder(world)
    const { body } = await sara.post('/v1/me/factors/totp', {})
    const missing = '0198c0de-0000-7000-8000-000000000001'
    for (const id of [body.id, missing]) {
      const replies = [
        await omid.post(`/v1/me/factors/${id}/confirm`, { code: codeOf(world, body.secret) }),
        await omid.request('PATCH', `/v1/me/factors/${id}`, '{"name":"Mine"}'),
        await omid.request('DELETE', `/v1/me/factors/${id}`),
      ]
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404])
    }
    await world.app.db.query(
      { text: 'update people.sessions set stepped_up_at = null where session_id = $1' },
      [sara.sessionId],
    )
    await until(
      async () => (await sara.post('/v1/me/factors/totp', {})).body.error?.code === 'STEP_UP_REQUIRED',
    )
    for (const path of [
      '/v1/me/recovery-codes',
      '/v1/me/passkeys/options',
      `/v1/me/factors/${body.id}/confirm`,
    ])
      expect((await sara.post(path, { code: '123456' })).body.error.code, path).toBe('STEP_UP_REQUIRED')
    expect((await sara.get('/v1/me/factors')).status).toBe(200)
  })

  test('is renamed and removed, and the recovery codes go with the last factor', async () => {
    const sara = await newHolder(world)
    const { reply } = await addApp(world, sara)
    const path = `/v1/me/factors/${reply.body.factor.id}`
    expect((await sara.request('PATCH', path, '{"name":"Old phone"}')).body.name).toBe('Old phone')
    expect((await sara.request('DELETE', path)).body).toEqual({ id: reply.body.factor.id, deleted: true })
    expect((await sara.get('/v1/me/factors')).body).toMatchObject({ data: [], recovery_codes_left: 0 })
    expect(await lettersTo(world, sara.personId)).toEqual(['factor_added', 'factor_removed'])
    expect((await sara.post('/v1/me/recovery-codes', {})).body.error.code).toBe('NO_SECOND_FACTOR')
  })

  test('is one of at most twenty', async () => {
    const sara = await newHolder(world)
    await world.app.db.query(
      {
        text: `insert into people.factors (person_id, factor_id, kind, name, credential_id, public_key, counter, created_at, confirmed_at)
          select $1, gen_random_uuid(), 'passkey', 'Key', gen_random_uuid(), '', 0, now(), now() from generate_series(1, 19)`,
      },
      [sara.personId],
    )
    expect((await addPasskeyAnew(sara)).status).toBe(201)
    const refused = await sara.post('/v1/me/factors/totp', {})
    expect([refused.status, refused.body.error.code]).toEqual([403, 'TOO_MANY_FACTORS'])
    expect((await addPasskeyAnew(sara)).body.error.code).toBe('TOO_MANY_FACTORS')
  })
})

describe('a second factor', () => {
  test('is asked for after the password, and the cookie of its challenge opens nothing else', async () => {
    const sara = await newHolder(world)
    const { secret } = await addApp(world, sara)
    const browser = strangeBrowser(world)
    const first = await beginSignIn(browser, sara)
    expect(first.body).toEqual({ status: 'second_factor', factors: ['totp', 'recovery_code'] })
    expect(browser.cookies.has(browser.nameOf('session'))).toBe(false)

    // The challenge is no session, wherever a session is read, also if a client puts it there.
    const token = browser.cookies.get(browser.nameOf('challenge'))!
    browser.cookies.set(browser.nameOf('session'), token)
    for (const path of ['/v1/me/factors', '/v1/models'])
      expect((await browser.get(path)).status, path).toBe(401)
    const bearer = await browser.get('/v1/models', { authorization: `Bearer ${token}`, cookie: '' })
    expect(bearer.status).toBe(401)
    expect((await browser.post('/v1/me/factors/totp', {})).status).toBe(401)
    browser.cookies.delete(browser.nameOf('session'))

    const done = await browser.post('/v1/sign-in/second-factor', { code: codeOf(world, secret, 1) })
    expect(done.body).toMatchObject({ status: 'signed_in', person: { id: sara.personId } })
    expect((await browser.get('/v1/me/factors')).status).toBe(200)
  })

  test('is a code that counts once: not again, and not one from before it', async () => {
    const sara = await newHolder(world)
    const { secret } = await addApp(world, sara)
    const browser = strangeBrowser(world)
    const give = async (code: string) => {
      await beginSignIn(browser, sara)
      return (await browser.post('/v1/sign-in/second-factor', { code })).status
    }
    expect(await give(codeOf(world, secret, 1))).toBe(200)
    expect(await give(codeOf(world, secret, 1))).toBe(401)
    expect(await give(codeOf(world, secret))).toBe(401)
  })

  test('may be a recovery code, each once, and new ones end those before', async () => {
    const sara = await newHolder(world)
    const { reply } = await addApp(world, sara)
    const [first, second] = reply.body.recovery_codes
    const browser = strangeBrowser(world)
    const give = async (recovery_code: string) => {
      await beginSignIn(browser, sara)
      return (await browser.post('/v1/sign-in/second-factor', { recovery_code })).status
    }
    expect([await give(first.toUpperCase()), await give(first)]).toEqual([200, 401])
    expect((await sara.get('/v1/me/factors')).body.recovery_codes_left).toBe(9)
    const anew = await sara.post('/v1/me/recovery-codes', {})
    expect(anew.body.recovery_codes).toHaveLength(10)
    expect([await give(second), await give(anew.body.recovery_codes[0])]).toEqual([401, 200])
  })

  test('of another person is none: neither app nor recovery code', async () => {
    const sara = await newHolder(world)
    const omid = await newHolder(world)
    await addApp(world, sara)
    const { secret, reply } = await addApp(world, omid)
    const browser = strangeBrowser(world)
    await beginSignIn(browser, sara)
    const give = async (body: object) => (await browser.post('/v1/sign-in/second-factor', body)).status
    expect(await give({ code: codeOf(world, secret, 1) })).toBe(401)
    expect(await give({ recovery_code: reply.body.recovery_codes[0] })).toBe(401)
  })

  test('is not asked for after a passkey, which has verified its person', async () => {
    const sara = await newHolder(world)
    await addApp(world, sara)
    await addPasskey(sara)
    const browser = strangeBrowser(world)
    expect((await beginSignIn(browser, sara)).body.factors).toEqual(['totp', 'passkey', 'recovery_code'])
    expect((await signInByPasskey(browser, sara.authenticator)).body.status).toBe('signed_in')
  })
})

test('of requests at the same time one uses a code, and one a recovery code', async () => {
  const sara = await newHolder(world)
  const { secret, reply } = await addApp(world, sara)
  const now = new Date(world.app.clock.nowMs())
  const atOnce = async (answer: { code: string } | { recoveryCode: string }) => {
    const checked = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.app.db.tx((tx) => checkSecondFactor(world.app, tx, sara.personId, answer, now)),
      ),
    )
    return checked.filter((one) => one !== undefined).length
  }
  expect(await atOnce({ code: codeOf(world, secret, 1) })).toBe(1)
  expect(await atOnce({ recoveryCode: reply.body.recovery_codes[0] })).toBe(1)
})

/** A passkey in an authenticator of its own. */
const addPasskeyAnew = (holder: Holder) => addPasskey(holder, holder.authenticator.anew())
