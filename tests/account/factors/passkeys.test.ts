/** Passkeys: made by their person, used to sign in and to step up, and worth nothing in the hands of anybody else. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SoftAuthenticator } from '../../harness/authenticator.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import {
  addPasskey,
  auditOf,
  lettersTo,
  localhost,
  newHolder,
  signInByPasskey,
  strangeBrowser,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const setPassword = (personId: string, hash: string | null) =>
  sql`update people.people set password_hash = ${hash} where person_id = ${personId}`.execute(
    world.app.db.kysely,
  )

describe('a passkey', () => {
  test('is added by its person, who gets recovery codes with the first factor and a letter, and signs in as both factors', async () => {
    const sara = await newHolder(world)
    const added = await addPasskey(sara)
    expect(added.status, added.text).toBe(201)
    expect(added.body.factor).toMatchObject({ kind: 'passkey', name: 'Laptop', backed_up: false })
    expect(added.body.recovery_codes).toHaveLength(10)
    expect(await lettersTo(world, sara.personId)).toEqual(['factor_added'])
    expect(await auditOf(world, added.body.factor.id)).toEqual(['passkeys.add'])

    const browser = strangeBrowser(world)
    const signedIn = await signInByPasskey(browser, sara.authenticator)
    expect(signedIn.status, signedIn.text).toBe(200)
    expect(signedIn.body).toMatchObject({ status: 'signed_in', person: { id: sara.personId } })
    const overview = await browser.get('/v1/me/factors')
    expect(overview.body).toMatchObject({ data: [{ id: added.body.factor.id }], recovery_codes_left: 10 })
  })

  test('that is the last way in stays, of two that are removed at once too, until there is a password', async () => {
    const sara = await newHolder(world)
    await setPassword(sara.personId, null)
    const ids: string[] = []
    for (const authenticator of [sara.authenticator, new SoftAuthenticator(localhost(world))])
      ids.push((await addPasskey(sara, authenticator)).body.factor.id)
    const removals = await Promise.all(ids.map((id) => sara.request('DELETE', `/v1/me/factors/${id}`)))
    expect(removals.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = removals.find(({ status }) => status === 409)!
    expect(refused.body.error.code).toBe('LAST_WAY_IN')
    const { data, recovery_codes_left: left } = (await sara.get('/v1/me/factors')).body
    expect({ count: data.length, left }).toEqual({ count: 1, left: 10 })
    expect(await lettersTo(world, sara.personId), 'nothing is told of what was refused').toEqual([
      'factor_added',
      'factor_added',
      'factor_removed',
    ])

    await setPassword(sara.personId, 'some')
    expect((await sara.request('DELETE', `/v1/me/factors/${data[0].id}`)).status).toBe(200)
  })

  test('of a second person in the same authenticator is another one, and one authenticator holds one for each person', async () => {
    const sara = await newHolder(world)
    const omid = await newHolder(world)
    expect((await addPasskey(sara)).status).toBe(201)
    expect((await addPasskey(omid, sara.authenticator)).status).toBe(201)
    const options = await sara.post('/v1/me/passkeys/options', {})
    expect(() => sara.authenticator.create(options.body)).toThrow('InvalidStateError')
  })

  test('steps up the session of its own person only, and one of another person looks like none', async () => {
    const sara = await newHolder(world)
    const omid = await newHolder(world)
    await addPasskey(sara)
    await addPasskey(omid)
    const options = await sara.post('/v1/step-up/passkey/options', {})
    expect(options.body.allowCredentials).toHaveLength(1)
    const foreign = await sara.post('/v1/step-up/passkey', {
      response: omid.authenticator.get({ ...options.body, allowCredentials: [] }),
    })
    const again = await sara.post('/v1/step-up/passkey/options', {})
    const unknown = await sara.post('/v1/step-up/passkey', {
      response: { ...sara.authenticator.get(again.body), id: 'AAAA', rawId: 'AAAA' },
    })
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'FACTOR_INVALID'])
    expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...unknown.body.error, request_id: '' })

    const last = await sara.post('/v1/step-up/passkey/options', {})
    const own = await sara.post('/v1/step-up/passkey', { response: sara.authenticator.get(last.body) })
    expect(own.status, own.text).toBe(200)
    expect(await auditOf(world, sara.sessionId)).toEqual(['step_up.passkey'])
  })

  test('whose counter goes back was copied: it is refused, its person is told, and it goes on where it stood', async () => {
    const sara = await newHolder(world)
    const id = (await addPasskey(sara)).body.factor.id
    const browser = strangeBrowser(world)
    const signIn = async (counter: number) => {
      const { body } = await browser.post('/v1/sign-in/passkey/options', {})
      return browser.post('/v1/sign-in/passkey', { response: sara.authenticator.get(body, { counter }) })
    }
    expect((await signIn(7)).status).toBe(200)
    expect((await signIn(7)).body.error.code).toBe('FACTOR_INVALID')
    expect((await signIn(3)).body.error.code).toBe('FACTOR_INVALID')
    expect(await lettersTo(world, sara.personId)).toContain('passkey_copied')
    expect(await auditOf(world, id)).toEqual(['passkeys.add', 'factors.copied', 'factors.copied'])
    expect((await signIn(8)).status).toBe(200)
  })

  test('that is kept in a cloud never counts, and is used again and again', async () => {
    const sara = await newHolder(world)
    const synced = new SoftAuthenticator(localhost(world), { isSynced: true })
    expect((await addPasskey(sara, synced)).body.factor.backed_up).toBe(true)
    for (let time = 0; time < 2; time++)
      expect((await signInByPasskey(strangeBrowser(world), synced)).status).toBe(200)
  })
})

describe('an answer of a passkey', () => {
  test('is taken once, also of requests at the same time', async () => {
    const sara = await newHolder(world)
    await addPasskey(sara)
    const browser = strangeBrowser(world)
    const options = await browser.post('/v1/sign-in/passkey/options', {})
    const response = sara.authenticator.get(options.body)
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => browser.post('/v1/sign-in/passkey', { response })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
  })

  test('is worth nothing in another browser, and is not used up there', async () => {
    const sara = await newHolder(world)
    await addPasskey(sara)
    const browser = strangeBrowser(world)
    const thief = strangeBrowser(world)
    await thief.post('/v1/sign-in/passkey/options', {})
    const options = await browser.post('/v1/sign-in/passkey/options', {})
    const response = sara.authenticator.get(options.body)
    const stolen = await thief.post('/v1/sign-in/passkey', { response })
    expect([stolen.status, stolen.body.error.code]).toEqual([400, 'FACTOR_INVALID'])
    expect((await thief.get('/v1/me/factors')).status).toBe(401)
    expect((await browser.post('/v1/sign-in/passkey', { response })).status).toBe(200)
  })

  test('that was asked for a step-up or a new passkey signs nobody in', async () => {
    const sara = await newHolder(world)
    await addPasskey(sara)
    for (const path of ['/v1/step-up/passkey/options', '/v1/me/passkeys/options']) {
      const { challenge } = (await sara.post(path, {})).body
      const response = sara.authenticator.get({ challenge, rpId: 'localhost' })
      expect((await sara.post('/v1/sign-in/passkey', { response })).body.error.code, path).toBe(
        'FACTOR_INVALID',
      )
    }
  })

  test('from a page of another origin, for another site, without verification, or by another person’s name is refused', async () => {
    const sara = await newHolder(world)
    const omid = await newHolder(world)
    await addPasskey(sara)
    await addPasskey(omid)
    const nameOfOmid = omid.authenticator.get({ challenge: 'x', rpId: 'localhost' }).response.userHandle
    const browser = strangeBrowser(world)
    const deviations = [
      { origin: 'http://localhost:1' },
      { origin: 'https://evil.example.org' },
      { rpId: 'evil.example.org' },
      { userVerified: false },
      { crossOrigin: true },
      { type: 'webauthn.create' },
      { userHandle: nameOfOmid },
      { userHandle: '' },
    ]
    for (const deviation of deviations) {
      const options = await browser.post('/v1/sign-in/passkey/options', {})
      const response = sara.authenticator.get(options.body, deviation)
      const reply = await browser.post('/v1/sign-in/passkey', { response })
      expect([reply.status, reply.body.error.code], JSON.stringify(deviation)).toEqual([
        400,
        'FACTOR_INVALID',
      ])
    }
    expect((await browser.get('/v1/me/factors')).status).toBe(401)
  })

  test('to a page of another origin is not even read', async () => {
    const browser = strangeBrowser(world)
    const reply = await browser.post(
      '/v1/sign-in/passkey/options',
      {},
      { origin: 'https://evil.example.org' },
    )
    expect([reply.status, reply.body.error.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
  })

  test('of a ceremony that is too old is refused', async () => {
    const sara = await newHolder(world)
    await addPasskey(sara)
    const browser = strangeBrowser(world)
    const options = await browser.post('/v1/sign-in/passkey/options', {})
    const end = (ms: number) =>
      world.app.db.query(
        { text: `update people.ceremonies set expires_at = $1 where purpose = 'passkey_sign_in'` },
        [new Date(world.app.clock.nowMs() + ms)],
      )
    const response = sara.authenticator.get(options.body)
    await end(0)
    expect((await browser.post('/v1/sign-in/passkey', { response })).body.error.code).toBe('FACTOR_INVALID')
    await end(60_000)
    expect((await browser.post('/v1/sign-in/passkey', { response })).status).toBe(200)
  })
})

test('at an IP address there are no passkeys, and the refusal says what to open instead', async () => {
  const sara = await newHolder(world)
  const atAddress = strangeBrowser(world)
  Object.assign(atAddress, { url: world.url })
  const reply = await atAddress.post('/v1/sign-in/passkey/options', {})
  expect([reply.status, reply.body.error.code]).toEqual([409, 'PASSKEY_UNAVAILABLE'])
  expect(reply.body.error.message).toContain(localhost(world))
  const overview = await sara.get('/v1/me/factors')
  expect(overview.body.passkeys).toEqual({ available: true, why: null })
})
