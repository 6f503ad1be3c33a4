/** Sign-in with passwords: alike for known and unknown people, bounded against guessing, and followed by the second factor. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockPerson, setPassword } from '#account/people'
import { countPersonAttempt, type PersonAttempt, uncountPersonAttempt } from '#account/sign-in'
import type { Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { newEmail, password, Scene, totpOf } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** What a client sees of an answer, without what differs in every answer. */
const shown = ({ status, headers, body }: Seen) => ({
  status,
  headers: [...headers.keys()].sort(),
  body: JSON.parse(JSON.stringify(body).replaceAll(body.request_id ?? '-', '…')),
})

const code = (seen: Seen): string => seen.body.error.code

describe('a password', () => {
  test('opens a session, which is audited', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    const reply = await browser.signIn(`  ${sara.email.toUpperCase()} `)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({
      status: 'signed_in',
      person: { id: sara.personId, email: sara.email, has_password: true },
    })
    expect(reply.headers.getSetCookie().join()).toMatch(/HttpOnly/)
    const rows = `select from audit.entries where operation = 'sign_in' and actor_id = $1 and target_kind = 'session'`
    expect(await scene.count(rows, [sara.personId])).toBe(1)
    expect((await browser.post('/v1/sign-out', undefined)).body).toEqual({ status: 'signed_out' })
    expect(browser.session).toBeUndefined()
  })

  test('that is wrong, and an address that nobody has, get the same answer for the same work', async () => {
    const sara = await scene.known()
    const { passwords } = scene.world.app
    let hashes = 0
    const matches = passwords.matches
    passwords.matches = (...given) => {
      hashes++
      return matches(...given)
    }
    try {
      const wrong = await scene.browser().signIn(sara.email, 'no such password')
      const unknown = await scene.browser().signIn(newEmail(), 'no such password')
      expect(wrong.status).toBe(401)
      expect(code(wrong)).toBe('WRONG_CREDENTIALS')
      expect(shown(unknown)).toEqual(shown(wrong))
      expect(hashes).toBe(2)
    } finally {
      passwords.matches = matches
    }
  })

  test('gives a new token, whatever session the browser brought', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    const planted = `khb_${'a'.repeat(49)}`
    browser.cookies.set(browser.nameOf('session'), planted)
    expect((await browser.signIn(sara.email)).status).toBe(200)
    const first = browser.session
    expect(first).not.toBe(planted)
    expect((await browser.signIn(sara.email)).status).toBe(200)
    expect(browser.session).not.toBe(first)
  })

  test('is taken from pages of our own origin alone', async () => {
    const sara = await scene.known()
    const body = JSON.stringify({ email: sara.email, password })
    const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const reply = await scene.browser().request('POST', '/v1/sign-in/password', body, headers)
    expect(code(reply)).toBe('CROSS_SITE_REQUEST')
    expect(reply.headers.getSetCookie()).toEqual([])
  })

  test('in a new browser is told to the person; in the first one, and in a known one, it is not', async () => {
    const sara = await scene.known()
    const first = scene.browser()
    await first.signIn(sara.email)
    await first.signIn(sara.email)
    expect(scene.mails.to(sara.email)).toEqual([])
    await scene.browser().signIn(sara.email)
    const { headers } = await scene.mails.mailTo(sara.email)
    expect(headers.get('to')).toBe(sara.email)
    expect(scene.mails.to(sara.email)).toHaveLength(1)
  })
})

test('a password that is replaced while it is compared signs nobody in', async () => {
  const sara = await scene.known()
  const { db, passwords } = scene.world.app
  const fresh = await passwords.hash('tests', 'گذرواژه‌ای دیگر و درازتر')
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const entering = await db.tx(async (tx) => {
    await lockPerson(tx, sara.personId)
    const reply = scene.browser().signIn(sara.email)
    await until(async () => (await scene.count(waiting)) > 0)
    await setPassword(tx, sara.personId, fresh, new Date(scene.clock.nowMs()))
    return { reply }
  })
  expect(code(await entering.reply)).toBe('WRONG_CREDENTIALS')
})

describe('whoever guesses', () => {
  test('is stopped after ten tries at one address, the right password included, and may go on after a while', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    for (let tries = 0; tries < 10; tries++)
      expect((await browser.signIn(sara.email, 'a wrong password')).status).toBe(401)
    const stopped = await browser.signIn(sara.email)
    expect(stopped.status).toBe(429)
    expect(code(stopped)).toBe('TOO_MANY_ATTEMPTS')
    expect(Number(stopped.headers.get('retry-after'))).toBeLessThanOrEqual(900)
    scene.clock.moveMs(15 * 60_000)
    expect((await browser.signIn(sara.email)).status).toBe(200)
  })

  test('from many networks locks nobody out of a browser that the person has used', async () => {
    const sara = await scene.known()
    const own = scene.browser()
    await own.signIn(sara.email)
    const attempts = Array.from({ length: 51 }, () => scene.browser().signIn(sara.email, 'a wrong password'))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(50)
    expect((await scene.browser().signIn(sara.email)).status).toBe(429)
    expect((await own.signIn(sara.email)).status).toBe(200)
  })

  test('from a few networks uses up no places of networks that try seldom', async () => {
    const { app } = scene.world
    const [quiet, busy] = ['quiet', 'busy'].map((of): PersonAttempt[] => [
      { kind: 'test_network', of, max: 100, windowMs: 60_000 },
      {
        kind: 'test_server',
        of: '',
        max: 2,
        windowMs: 60_000,
        quiet: { kind: 'test_quiet', max: 4, upTo: 3 },
      },
      { kind: 'test_last', of, max: 100, windowMs: 60_000 },
    ])
    const count = (attempts: PersonAttempt[]) => countPersonAttempt(app, attempts)
    for (let times = 0; times < 5; times++) await count(busy!)
    await expect(count(busy!)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
    await count(quiet!)
    // Right passwords give nobody places of others.
    await uncountPersonAttempt(app, busy!)
    await expect(count(busy!)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
    await expect(count(quiet!)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  })

  test('is counted alike at an address that nobody has', async () => {
    const [browser, email] = [scene.browser(), newEmail()]
    for (let tries = 0; tries < 10; tries++) await browser.signIn(email, 'a wrong password')
    expect(code(await browser.signIn(email))).toBe('TOO_MANY_ATTEMPTS')
  })
})

describe('a second factor', () => {
  test('makes one session of a first one, however many codes are given at once', async () => {
    const sara = await scene.known()
    const { recoveryCodes } = await scene.addTotp(sara)
    const browser = scene.browser()
    await browser.signIn(sara.email)
    const replies = await Promise.all(
      recoveryCodes
        .slice(0, 3)
        .map((recovery_code) => browser.post('/v1/sign-in/second-factor', { recovery_code })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  test('is asked for after the password, and gives no session before', async () => {
    const sara = await scene.known()
    const { secret } = await scene.addTotp(sara)
    const browser = scene.browser()
    const first = await browser.signIn(sara.email)
    expect(first.body).toEqual({ status: 'second_factor', factors: ['totp', 'recovery_code'] })
    expect(browser.session).toBeUndefined()
    expect(code(await browser.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
    scene.clock.moveMs(60_000)
    for (const body of [{}, { code: '1', recovery_code: '1' }])
      expect(code(await browser.post('/v1/sign-in/second-factor', body))).toBe('INVALID_REQUEST')
    const wrong = await browser.post('/v1/sign-in/second-factor', { code: '000000' })
    expect(code(wrong)).toBe('WRONG_CODE')
    const typed = totpOf(secret, scene.clock.nowMs())
    const second = await browser.post('/v1/sign-in/second-factor', { code: typed })
    expect(second.body).toMatchObject({ status: 'signed_in', person: { id: sara.personId } })
    expect(browser.session).toBeDefined()
    expect(browser.cookies.has(browser.nameOf('challenge'))).toBe(false)
  })

  test('of which one code opens one session, also for two who give it at once', async () => {
    const sara = await scene.known()
    const { recoveryCodes } = await scene.addTotp(sara)
    const two = [scene.browser(), scene.browser()]
    for (const browser of two) await browser.signIn(sara.email)
    const give = { recovery_code: recoveryCodes[0] }
    const replies = await Promise.all(two.map((one) => one.post('/v1/sign-in/second-factor', give)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  test('belongs to the browser that gave the first: there is nothing to give in another one', async () => {
    const sara = await scene.known()
    const { recoveryCodes } = await scene.addTotp(sara)
    await scene.browser().signIn(sara.email)
    const other = scene.browser()
    const reply = await other.post('/v1/sign-in/second-factor', { recovery_code: recoveryCodes[0] })
    expect(code(reply)).toBe('SIGN_IN_EXPIRED')
  })

  test('allows five tries, and ten minutes, before the first has to be given again', async () => {
    const sara = await scene.known()
    const { recoveryCodes } = await scene.addTotp(sara)
    const browser = scene.browser()
    await browser.signIn(sara.email)
    for (let tries = 0; tries < 5; tries++)
      expect((await browser.post('/v1/sign-in/second-factor', { code: '000000' })).status).toBe(401)
    const give = { recovery_code: recoveryCodes[0] }
    expect(code(await browser.post('/v1/sign-in/second-factor', give))).toBe('TOO_MANY_ATTEMPTS')
    await browser.signIn(sara.email)
    scene.clock.moveMs(10 * 60_000)
    expect(code(await browser.post('/v1/sign-in/second-factor', give))).toBe('SIGN_IN_EXPIRED')
    await browser.signIn(sara.email)
    expect((await browser.post('/v1/sign-in/second-factor', give)).status).toBe(200)
  })
})
