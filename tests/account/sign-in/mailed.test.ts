/** Sign-in with a mailed code, and forgotten passwords: bound to the browser, used once, alike for known and unknown people. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Seen } from '../../harness/client.ts'
import { newEmail, password, Scene, type Visitor } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const shown = ({ status, headers, text }: Seen) => ({ status, headers: [...headers.keys()].sort(), text })
const refusal = (seen: Seen): string => seen.body.error.code

const request = (browser: Visitor, email: string): Promise<Seen> =>
  browser.post('/v1/sign-in/code', { email })
const confirm = (browser: Visitor, email: string, code: string): Promise<Seen> =>
  browser.post('/v1/sign-in/code/confirm', { email, code })

/** Another code than the given one. */
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a mailed code', () => {
  test('signs in once, in the browser that asked for it, whatever digits it is typed with', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    expect((await request(browser, sara.email)).body).toEqual({ status: 'accepted', minutes: 5 })
    const code = await scene.codeTo(sara.email)
    const typed = ` ${code.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!)}`
    expect((await confirm(browser, sara.email, typed)).body).toMatchObject({ status: 'signed_in' })
    expect(browser.session).toBeDefined()
    expect(refusal(await confirm(browser, sara.email, code))).toBe('WRONG_CODE')
  })

  test('is worth nothing in another browser, which cannot use up its tries either', async () => {
    const sara = await scene.known()
    const [own, other] = [scene.browser(), scene.browser()]
    await request(own, sara.email)
    const code = await scene.codeTo(sara.email)
    for (let tries = 0; tries < 6; tries++)
      expect(refusal(await confirm(other, sara.email, code))).toBe('WRONG_CODE')
    expect(other.session).toBeUndefined()
    // Nor does a code that somebody asks for elsewhere take the place of this one.
    await request(other, sara.email)
    await scene.codeTo(sara.email, 2)
    expect((await confirm(own, sara.email, code)).status).toBe(200)
  })

  test('allows five tries and five minutes', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    await request(browser, sara.email)
    const code = await scene.codeTo(sara.email)
    for (let tries = 0; tries < 5; tries++)
      expect((await confirm(browser, sara.email, wrong(code))).status).toBe(401)
    expect(refusal(await confirm(browser, sara.email, code))).toBe('WRONG_CODE')
    await request(browser, sara.email)
    const next = await scene.codeTo(sara.email, 2)
    scene.clock.moveMs(5 * 60_000)
    expect(refusal(await confirm(browser, sara.email, next))).toBe('WRONG_CODE')
  })

  test('is worth nothing once the address is somebody else’s', async () => {
    const [former, next] = [await scene.known(), await scene.known()]
    const browser = scene.browser()
    await request(browser, former.email)
    const code = await scene.codeTo(former.email)
    const { db } = scene.world.app
    await db.query({ text: 'delete from people.addresses where email = $1' }, [next.email])
    const moved = 'update people.addresses set person_id = $2 where email = $1'
    await db.query({ text: moved }, [former.email, next.personId])
    expect(refusal(await confirm(browser, former.email, code))).toBe('WRONG_CODE')
  })

  test('has one winner of two who give it at once', async () => {
    const sara = await scene.known()
    const browser = scene.browser()
    await request(browser, sara.email)
    const code = await scene.codeTo(sara.email)
    const replies = await Promise.all([1, 2].map(() => confirm(browser, sara.email, code)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  test('is asked for and given alike at an address that nobody has, to which nothing is mailed', async () => {
    const sara = await scene.known()
    const stranger = newEmail()
    const [one, two] = [scene.browser(), scene.browser()]
    expect(shown(await request(two, stranger))).toEqual(shown(await request(one, sara.email)))
    await scene.codeTo(sara.email)
    const [known, unknown] = [await confirm(one, sara.email, 'x'), await confirm(two, stranger, 'x')]
    expect(refusal(known)).toBe('WRONG_CODE')
    expect({ ...unknown.body.error, request_id: '' }).toEqual({ ...known.body.error, request_id: '' })
    expect(scene.mails.to(stranger)).toEqual([])
    expect(await scene.count(`select from people.mails where address = $1`, [stranger])).toBe(0)
  })

  test('is followed by the second factor', async () => {
    const sara = await scene.known()
    await scene.addTotp(sara)
    const browser = scene.browser()
    await request(browser, sara.email)
    // The letter about the new factor came first.
    await scene.mails.mailTo(sara.email, 2)
    const mail = scene.mails.to(sara.email).find(({ text }) => /\b\d{6}\b/.test(text))!
    const reply = await confirm(browser, sara.email, /\b\d{6}\b/.exec(mail.text)![0])
    expect(reply.body).toMatchObject({ status: 'second_factor' })
    expect(browser.session).toBeUndefined()
  })

  test('is mailed three times an hour to strangers, from however many networks; then still to a new browser in a network of the person, and to a known one', async () => {
    const sara = await scene.known()
    const home = '10.9.9.9'
    const own = scene.browser()
    for (const browser of [own, scene.browser(home)]) await browser.signIn(sara.email)
    // The letter about the second browser.
    await scene.mails.mailTo(sara.email)
    for (let times = 0; times < 5; times++)
      expect((await request(scene.browser(), sara.email)).status).toBe(202)
    await scene.mails.mailTo(sara.email, 4)
    for (const browser of [scene.browser(home), own]) {
      const mails = scene.mails.to(sara.email).length
      expect((await request(browser, sara.email)).status).toBe(202)
      const entered = await confirm(browser, sara.email, await scene.codeTo(sara.email, mails + 1))
      expect(entered.status, entered.text).toBe(200)
      if (browser !== own) await scene.mails.mailTo(sara.email, mails + 2)
    }
    expect(await scene.count('select from people.mails where address = $1', [sara.email])).toBe(7)
  })

  test('is refused to a network after three requests of its own for an address, whether or not somebody has it', async () => {
    const { email } = await scene.known()
    const refusals = []
    for (const address of [email, newEmail()]) {
      const network = `10.8.${refusals.length}.1`
      for (let times = 0; times < 3; times++) await request(scene.browser(network), address)
      const refused = await request(scene.browser(network), address)
      expect(refusal(refused)).toBe('TOO_MANY_ATTEMPTS')
      refusals.push(shown({ ...refused, text: '' }))
      expect((await request(scene.browser(), address)).status).toBe(202)
    }
    expect(refusals[1]).toEqual(refusals[0])
  })

  test('drops what was set before anybody had proven the address', async () => {
    const squatter = await scene.known()
    await scene.world.app.db.pool.query('update people.addresses set proven_at = null where email = $1', [
      squatter.email,
    ])
    const theirs = scene.browser()
    await theirs.signIn(squatter.email)
    const own = scene.browser()
    await request(own, squatter.email)
    const reply = await confirm(own, squatter.email, await scene.codeTo(squatter.email))
    expect(reply.body.person).toMatchObject({ id: squatter.personId, has_password: false })
    expect((await theirs.signIn(squatter.email)).status).toBe(401)
    expect(refusal(await theirs.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
  })
})

describe('a forgotten password', () => {
  const forget = (email: string, browser = scene.browser()): Promise<Seen> =>
    browser.post('/v1/recovery', { email })
  const fresh = 'یک گذرواژهٔ تازه و بلند'

  test('is replaced by the link of a mail, once: every session ends, and all addresses are told', async () => {
    const sara = await scene.known()
    const open = scene.browser()
    await open.signIn(sara.email)
    expect((await forget(sara.email)).body).toEqual({ status: 'accepted', minutes: 30 })
    const token = await scene.tokenTo(sara.email)
    const browser = scene.browser()
    expect((await browser.post('/v1/links/read', { token })).body).toMatchObject({
      purpose: 'password_reset',
      needs: 'password',
      email_masked: 'p…@example.org',
    })
    const reply = await browser.post('/v1/recovery/confirm', { token, password: fresh })
    expect(reply.body).toMatchObject({ status: 'signed_in', person: { has_password: true } })
    expect(refusal(await open.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
    expect((await scene.browser().signIn(sara.email)).status).toBe(401)
    expect((await scene.browser().signIn(sara.email, fresh)).status).toBe(200)
    const again = await scene.browser().post('/v1/recovery/confirm', { token, password })
    expect(refusal(again)).toBe('LINK_INVALID')
    const told = `select from people.mails where address = $1 and kind = 'password_changed'`
    expect(await scene.count(told, [sara.email])).toBe(1)
    const rows = `select from audit.entries where operation = 'recovery.confirm' and actor_id = $1`
    expect(await scene.count(rows, [sara.personId])).toBe(1)
  })

  test('skips no second factor', async () => {
    const sara = await scene.known()
    const { recoveryCodes } = await scene.addTotp(sara)
    await forget(sara.email)
    await scene.mails.mailTo(sara.email, 2)
    const mail = scene.mails.to(sara.email).find(({ text }) => text.includes('#'))!
    const [, token] = /#([\w-]+)/.exec(mail.text)!
    const browser = scene.browser()
    const reply = await browser.post('/v1/recovery/confirm', { token, password: fresh })
    expect(reply.body).toMatchObject({ status: 'second_factor' })
    expect(browser.session).toBeUndefined()
    const give = { recovery_code: recoveryCodes[0] }
    expect((await browser.post('/v1/sign-in/second-factor', give)).status).toBe(200)
  })

  test('is answered alike at an address that nobody has', async () => {
    const sara = await scene.known()
    const stranger = newEmail()
    expect(shown(await forget(stranger))).toEqual(shown(await forget(sara.email)))
    await scene.tokenTo(sara.email)
    expect(await scene.count(`select from people.mails where address = $1`, [stranger])).toBe(0)
  })

  test('keeps its link while the new one is too weak, and for two who use it at once one wins', async () => {
    const sara = await scene.known()
    await forget(sara.email)
    const token = await scene.tokenTo(sara.email)
    const redeem = (given: string) => scene.browser().post('/v1/recovery/confirm', { token, password: given })
    expect(refusal(await redeem('qwertyuiop'))).toBe('PASSWORD_WEAK')
    const replies = await Promise.all([redeem(fresh), redeem(`${fresh} دیگر`)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  test('has a link for thirty minutes; a new password ends it, and a link that was never made is none', async () => {
    const sara = await scene.known()
    const first = scene.browser()
    await first.signIn(sara.email)
    await forget(sara.email)
    const token = await scene.tokenTo(sara.email)
    expect((await first.request('PUT', '/v1/me/password', JSON.stringify({ password: fresh }))).status).toBe(
      200,
    )
    const redeem = (given: string) => scene.browser().post('/v1/recovery/confirm', { token: given, password })
    expect(refusal(await redeem(token))).toBe('LINK_INVALID')
    await forget(sara.email)
    const late = await scene.tokenTo(sara.email, 3)
    scene.clock.moveMs(30 * 60_000)
    expect(refusal(await redeem(late))).toBe('LINK_INVALID')
    expect(refusal(await redeem('a'.repeat(43)))).toBe('LINK_INVALID')
  })
})
