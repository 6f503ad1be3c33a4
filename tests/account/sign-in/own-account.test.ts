/** What people change of their own sign-in, in an open session: password, address, and a factor that is given again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, personById } from '#account/people'
import type { Seen } from '../../harness/client.ts'
import { onOneConnection } from '../../harness/one-connection.ts'
import { newEmail, password, Scene, totpOf, type Visitor } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const refusal = (seen: Seen): string => seen.body.error.code
const fresh = 'یک گذرواژهٔ تازه و بلند'
const tenMinutesMs = 10 * 60_000

const setPassword = (browser: Visitor, given: string): Promise<Seen> =>
  browser.request('PUT', '/v1/me/password', JSON.stringify({ password: given }))

const personOf = async (personId: string): Promise<Person> =>
  (await personById(scene.world.app.db, personId))!

async function signedIn(): Promise<{ browser: Visitor; email: string; personId: string }> {
  const { email, personId } = await scene.known()
  const browser = scene.browser()
  expect((await browser.signIn(email)).status).toBe(200)
  return { browser, email, personId }
}

describe('a new password', () => {
  test('ends every other session, and this one goes on with a new token', async () => {
    const { browser, email, personId } = await signedIn()
    const other = scene.browser()
    await other.signIn(email)
    const before = browser.session!
    const reply = await setPassword(browser, fresh)
    expect(reply.body).toMatchObject({ id: personId, has_password: true })
    expect(refusal(await other.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
    expect(browser.session).not.toBe(before)
    const stolen = scene.browser()
    stolen.cookies.set(stolen.nameOf('session'), before)
    expect(refusal(await stolen.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
    expect((await scene.browser().signIn(email)).status).toBe(401)
    expect((await browser.post('/v1/sign-out', undefined)).status).toBe(200)
    const rows = `select from audit.entries where operation = 'me.setPassword' and actor_id = $1`
    expect(await scene.count(rows, [personId])).toBe(1)
    const told = `select from people.mails where address = $1 and kind = 'password_changed'`
    expect(await scene.count(told, [email])).toBe(1)
  })

  test('ends a sign-in that has given the old one and waits for its second factor', async () => {
    const { browser, email, personId } = await signedIn()
    const { recoveryCodes } = await scene.addTotp(await personOf(personId))
    const waiting = scene.browser()
    expect((await waiting.signIn(email)).body).toMatchObject({ status: 'second_factor' })
    expect((await setPassword(browser, fresh)).status).toBe(200)
    const give = { recovery_code: recoveryCodes[0] }
    expect(refusal(await waiting.post('/v1/sign-in/second-factor', give))).toBe('SIGN_IN_EXPIRED')
  })

  test('that is weak changes nothing', async () => {
    const { browser, email } = await signedIn()
    for (const weak of ['too short', 'Qwertyuiop', 'x'.repeat(129)])
      expect(refusal(await setPassword(browser, weak))).toBe('PASSWORD_WEAK')
    expect((await scene.browser().signIn(email)).status).toBe(200)
  })
})

describe('a factor that is given again', () => {
  test('is needed after ten minutes, and a password, a mailed code or an authenticator app will do', async () => {
    const { browser, email, personId } = await signedIn()
    scene.clock.moveMs(tenMinutesMs + 1)
    expect(refusal(await setPassword(browser, fresh))).toBe('STEP_UP_REQUIRED')
    expect(refusal(await browser.post('/v1/step-up/password', { password: fresh }))).toBe('WRONG_CREDENTIALS')
    expect((await browser.post('/v1/step-up/password', { password })).status).toBe(200)
    expect((await setPassword(browser, fresh)).status).toBe(200)

    scene.clock.moveMs(tenMinutesMs + 1)
    expect((await browser.post('/v1/step-up/code', undefined)).status).toBe(202)
    const code = await scene.codeTo(email, 2)
    expect(refusal(await browser.post('/v1/step-up/code/confirm', { code: '1' }))).toBe('WRONG_CODE')
    expect((await browser.post('/v1/step-up/code/confirm', { code })).status).toBe(200)
    expect(refusal(await browser.post('/v1/step-up/code/confirm', { code }))).toBe('WRONG_CODE')
    expect((await setPassword(browser, password)).status).toBe(200)

    const { secret } = await scene.addTotp(await personOf(personId))
    scene.clock.moveMs(tenMinutesMs + 1)
    const totp = totpOf(secret, scene.clock.nowMs())
    expect((await browser.post('/v1/step-up/totp', { code: totp })).status).toBe(200)
    expect(refusal(await browser.post('/v1/step-up/totp', { code: totp }))).toBe('WRONG_CODE')
    expect((await setPassword(browser, fresh)).status).toBe(200)
  })

  test('takes no second connection during its transaction, so that many at once do not wait for each other', async () => {
    const { browser, email, personId } = await signedIn()
    expect((await browser.post('/v1/step-up/code', undefined)).status).toBe(202)
    const code = await scene.codeTo(email)
    const first = await onOneConnection(scene.world, async () => [
      (await browser.post('/v1/step-up/password', { password })).status,
      (await browser.post('/v1/step-up/code/confirm', { code })).status,
    ])
    const { secret } = await scene.addTotp(await personOf(personId))
    scene.clock.moveMs(30_000)
    const totp = totpOf(secret, scene.clock.nowMs())
    const second = await onOneConnection(scene.world, () => browser.post('/v1/step-up/totp', { code: totp }))
    expect([...first, second.status]).toEqual([200, 200, 200])
  })

  test('is the second one where the person has one: an app or a recovery code, never a password or a mailed code', async () => {
    const { browser, personId } = await signedIn()
    const { secret, recoveryCodes } = await scene.addTotp(await personOf(personId))
    scene.clock.moveMs(tenMinutesMs + 1)
    const weak = [
      await browser.post('/v1/step-up/password', { password }),
      await browser.post('/v1/step-up/code', undefined),
    ]
    expect(weak.map(refusal)).toEqual(['SECOND_FACTOR_NEEDED', 'SECOND_FACTOR_NEEDED'])
    expect(refusal(await setPassword(browser, fresh))).toBe('STEP_UP_REQUIRED')
    const give = (recovery_code: string) => browser.post('/v1/step-up/totp', { recovery_code })
    expect((await give(recoveryCodes[0]!)).status).toBe(200)
    expect(refusal(await give(recoveryCodes[0]!))).toBe('WRONG_CODE')
    expect((await setPassword(browser, fresh)).status).toBe(200)
    scene.clock.moveMs(tenMinutesMs + 1)
    const code = totpOf(secret, scene.clock.nowMs())
    expect((await browser.post('/v1/step-up/totp', { code })).status).toBe(200)
  })

  test('is asked for anew in every other session once a second factor is added', async () => {
    const { browser, email } = await signedIn()
    const other = scene.browser()
    await other.signIn(email)
    const begun = (await browser.post('/v1/me/factors/totp', {})).body
    const code = totpOf(begun.secret, scene.clock.nowMs())
    expect((await browser.post(`/v1/me/factors/${begun.id}/confirm`, { code })).status).toBe(200)
    expect(refusal(await setPassword(other, fresh))).toBe('STEP_UP_REQUIRED')
    expect((await setPassword(browser, fresh)).status).toBe(200)
  })

  test('is counted with the codes of a sign-in, however many sessions there are', async () => {
    const { browser, email, personId } = await signedIn()
    const { recoveryCodes } = await scene.addTotp(await personOf(personId))
    for (let tries = 0; tries < 50; tries++) {
      if (tries % 10 === 0) scene.clock.moveMs(15 * 60_000)
      expect(refusal(await browser.post('/v1/step-up/totp', { code: '1' }))).toBe('WRONG_CODE')
    }
    scene.clock.moveMs(15 * 60_000)
    const [recovery_code] = recoveryCodes
    expect(refusal(await browser.post('/v1/step-up/totp', { recovery_code }))).toBe('TOO_MANY_ATTEMPTS')
    expect((await browser.signIn(email)).body.status).toBe('second_factor')
    const given = await browser.post('/v1/sign-in/second-factor', { recovery_code })
    expect(refusal(given)).toBe('TOO_MANY_ATTEMPTS')
  })

  test('may be wrong ten times in a session', async () => {
    const { browser } = await signedIn()
    for (let tries = 0; tries < 10; tries++)
      expect((await browser.post('/v1/step-up/code/confirm', { code: '1' })).status).toBe(401)
    expect(refusal(await browser.post('/v1/step-up/password', { password }))).toBe('TOO_MANY_ATTEMPTS')
  })
})

describe('a new address', () => {
  const request = (browser: Visitor, email: string) => browser.post('/v1/me/email', { email })
  const confirm = (browser: Visitor, email: string, code: string) =>
    browser.post('/v1/me/email/confirm', { email, code })

  async function changed(): Promise<{ browser: Visitor; old: string; email: string; personId: string }> {
    const { browser, email: old, personId } = await signedIn()
    // An undo drops what was set since the change, and the clock stands still.
    scene.clock.moveMs(1_000)
    const email = newEmail()
    expect((await request(browser, email)).status).toBe(202)
    const reply = await confirm(browser, email, await scene.codeTo(email))
    expect(reply.body, reply.text).toMatchObject({ id: personId, email })
    return { browser, old, email, personId }
  }

  test('is proven by a code, and is then the one to sign in with; the old one hears of it', async () => {
    const { old, email } = await changed()
    expect((await scene.browser().signIn(old)).status).toBe(401)
    expect((await scene.browser().signIn(email)).status).toBe(200)
    const { text } = await scene.mails.mailWith(old, /\/link#/)
    expect(text).not.toContain(email)
  })

  test('is undone by the link in that letter for seven days, which ends every session', async () => {
    const { browser, old, email } = await changed()
    const token = await scene.tokenTo(old)
    scene.clock.moveMs(7 * 86_400_000 - 1_000)
    const opened = await scene.browser().post('/v1/links/read', { token })
    expect(opened.body).toMatchObject({
      purpose: 'email_undo',
      needs: 'nothing',
      email_masked: 'p…@example.org',
    })
    const [one, two] = await Promise.all(
      [1, 2].map(() => scene.browser().post('/v1/links/redeem', { token })),
    )
    expect([one!.status, two!.status].sort()).toEqual([200, 404])
    expect(refusal(await browser.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
    expect((await scene.browser().signIn(email)).status).toBe(401)
    expect((await scene.browser().signIn(old)).status).toBe(200)
  })

  test('cannot be undone after seven days', async () => {
    const { old } = await changed()
    const token = await scene.tokenTo(old)
    scene.clock.moveMs(7 * 86_400_000)
    expect(refusal(await scene.browser().post('/v1/links/redeem', { token }))).toBe('LINK_INVALID')
  })

  test('after another can be undone to each of those before', async () => {
    const { browser, old, email } = await changed()
    const third = newEmail()
    await request(browser, third)
    expect((await confirm(browser, third, await scene.codeTo(third))).status).toBe(200)
    const token = await scene.tokenTo(old, 2)
    expect((await scene.browser().post('/v1/links/redeem', { token })).status).toBe(200)
    expect((await scene.browser().signIn(old)).status).toBe(200)
    expect((await scene.browser().signIn(third)).status).toBe(401)
    expect((await scene.browser().signIn(email)).status).toBe(401)
  })

  test('that somebody has is answered alike, gets no code and is never taken', async () => {
    const { browser } = await signedIn()
    const other = await scene.known()
    const free = newEmail()
    const [taken, other2] = [await request(browser, other.email), await request(browser, free)]
    expect({ status: taken.status, text: taken.text }).toEqual({ status: other2.status, text: other2.text })
    await scene.codeTo(free)
    expect(scene.mails.to(other.email)).toEqual([])
    expect(refusal(await confirm(browser, other.email, '000000'))).toBe('WRONG_CODE')
    expect((await scene.browser().signIn(other.email)).body.person.id).toBe(other.personId)
  })

  test('that was replaced is kept from others as long as it can be brought back', async () => {
    const { old } = await changed()
    const { browser } = await signedIn()
    await request(browser, old)
    const codes = `select from people.mails where address = $1 and kind = 'email_change_code'`
    expect(await scene.count(codes, [old])).toBe(0)
  })
})
