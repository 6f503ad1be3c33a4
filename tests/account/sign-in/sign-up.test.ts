/** Sign-up: a person begins to exist when the address is proven in the browser that began it, with an account and its first credits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invite, renewFirstLink } from '#account/invitations'
import { memberships, personByEmail, setMember } from '#account/people'
import type { Seen } from '../../harness/client.ts'
import { newEmail, password, Scene, type Visitor } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open({ people: 'people:\n  sign_up: open\n  credits: 50\n  daily_credits: 120\n' })
})
afterAll(() => scene[Symbol.asyncDispose]())

const refusal = (seen: Seen): string => seen.body.error.code
const shown = ({ status, headers, text }: Seen) => ({ status, headers: [...headers.keys()].sort(), text })

const request = (browser: Visitor, email: string, more: object = { password }): Promise<Seen> =>
  browser.post('/v1/sign-up', { email, display_name: 'سارا', locale: 'fa', ...more })
const confirm = (browser: Visitor, email: string, code: string): Promise<Seen> =>
  browser.post('/v1/sign-up/confirm', { email, code })

async function signUp(email = newEmail(), browser = scene.browser()): Promise<Seen> {
  expect((await request(browser, email)).status).toBe(202)
  return confirm(browser, email, await scene.codeTo(email))
}

/** The accounts of a person, with their whole credits. */
async function accountsOf(email: string) {
  const { app } = scene.world
  const person = (await personByEmail(app.db, email))!
  const found = await memberships(app.db, person.personId)
  return Promise.all(
    found.map(async ({ accountId, role, accountName }) => {
      const { balance } = await app.ledger.balance(accountId)
      return { role, accountName, credits: Number(balance / 1_000_000n) }
    }),
  )
}

test('nobody can sign up while no person exists, whatever the settings say', async () => {
  const methods = await scene.browser().get('/v1/sign-in/methods')
  expect(methods.body.sign_up).toBe('closed')
  const refused = await request(scene.browser(), newEmail())
  expect(refused.status).toBe(403)
  expect(refusal(refused)).toBe('SIGN_UP_CLOSED')
  expect(refused.body.error.message).toContain('kherad operator link')
})

describe('once the operator is there', () => {
  beforeAll(async () => {
    const { app } = scene.world
    const link = await app.db.tx((tx) => renewFirstLink(app, tx, new Date(scene.clock.nowMs())))
    const token = /#(.+)/.exec(link!)![1]
    const browser = scene.browser()
    const read = await browser.post('/v1/links/read', { token })
    expect(read.body).toMatchObject({ purpose: 'first_operator', needs: 'new_person', email_masked: null })
    const person = { display_name: 'گرداننده', locale: 'fa', email: newEmail() }
    const missing = await browser.post('/v1/links/redeem', { token, password })
    expect(missing.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'person' })
    const weak = await browser.post('/v1/links/redeem', { token, person, password: 'qwertyuiop' })
    expect(refusal(weak)).toBe('PASSWORD_WEAK')
    const reply = await browser.post('/v1/links/redeem', { token, person, password })
    expect(reply.body).toMatchObject({ status: 'signed_in', person: { is_operator: true } })
    expect(browser.session).toBeDefined()
    const again = await scene.browser().post('/v1/links/redeem', { token, person, password })
    expect(refusal(again)).toBe('LINK_INVALID')
  })

  test('a proven address becomes a person who owns an account with a project and the first credits', async () => {
    const email = newEmail()
    const browser = scene.browser()
    expect((await request(browser, email)).body).toEqual({ status: 'accepted', minutes: 10 })
    expect(await personByEmail(scene.world.app.db, email)).toBeUndefined()
    const reply = await confirm(browser, email, await scene.codeTo(email))
    expect(reply.body, reply.text).toMatchObject({
      status: 'signed_in',
      person: { email, display_name: 'سارا', has_password: true, is_operator: false },
    })
    expect(await accountsOf(email)).toEqual([{ role: 'owner', accountName: 'حساب سارا', credits: 50 }])
    expect((await browser.get('/v1/models')).status).toBe(200)
    expect((await scene.browser().signIn(email)).status).toBe(200)
  })

  test('first credits go once to a mailbox, and no further than the sum of the day', async () => {
    const [mailbox, later] = [newEmail(), newEmail()]
    await signUp(mailbox)
    expect((await accountsOf(mailbox))[0]!.credits).toBe(50)
    const aliased = mailbox.replace('@', '+again@')
    await signUp(aliased)
    expect((await accountsOf(aliased))[0]!.credits).toBe(0)
    // 50 of the test before and 50 of this one: 20 remain of 120.
    await signUp(later)
    expect((await accountsOf(later))[0]!.credits).toBe(0)
    scene.clock.moveMs(86_400_000)
    const tomorrow = newEmail()
    await signUp(tomorrow)
    expect((await accountsOf(tomorrow))[0]!.credits).toBe(50)
  })

  test('an address that somebody has is answered alike; its owner is told, and nobody becomes a person', async () => {
    const sara = await scene.known()
    const [one, two] = [scene.browser(), scene.browser()]
    expect(shown(await request(one, sara.email))).toEqual(shown(await request(two, newEmail())))
    const { text } = await scene.mails.mailTo(sara.email)
    expect(text).not.toMatch(/\b\d{6}\b/)
    expect(refusal(await confirm(one, sara.email, '000000'))).toBe('WRONG_CODE')
  })

  test('a code from another browser confirms nothing, and what a squatter typed is gone once the address is proven', async () => {
    const email = newEmail()
    const [squatter, owner] = [scene.browser(), scene.browser()]
    await request(squatter, email, { password: 'گذرواژهٔ غاصب نشانی' })
    const first = await scene.codeTo(email)
    expect(refusal(await confirm(owner, email, first))).toBe('WRONG_CODE')
    await request(owner, email, {})
    expect((await confirm(owner, email, await scene.codeTo(email, 2))).status).toBe(200)
    expect(await scene.count(`select from people.codes where email = $1`, [email])).toBe(0)
    expect(refusal(await confirm(squatter, email, first))).toBe('WRONG_CODE')
    expect((await squatter.signIn(email, 'گذرواژهٔ غاصب نشانی')).status).toBe(401)
  })

  test('two who confirm at once make one person', async () => {
    const email = newEmail()
    const browser = scene.browser()
    await request(browser, email)
    const code = await scene.codeTo(email)
    const replies = await Promise.all([1, 2].map(() => confirm(browser, email, code)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
    expect(await accountsOf(email)).toHaveLength(1)
  })

  test('a network opens twenty accounts in a day, and the twenty-first leaves nothing behind', async () => {
    const { db } = scene.world.app
    const accounts = () => scene.count('select from auth.accounts')
    for (let opened = 0; opened < 20; opened++) {
      const browser = scene.browser('203.0.113.7')
      const email = newEmail()
      await request(browser, email, {})
      expect((await confirm(browser, email, await scene.codeTo(email))).status).toBe(200)
    }
    const before = await accounts()
    const [browser, email] = [scene.browser('203.0.113.7'), newEmail()]
    await request(browser, email, {})
    const refused = await confirm(browser, email, await scene.codeTo(email))
    expect(refused.status).toBe(429)
    expect(refusal(refused)).toBe('TOO_MANY_ACCOUNTS')
    expect(await accounts()).toBe(before)
    expect(await personByEmail(db, email)).toBeUndefined()
    expect((await signUp(newEmail(), scene.browser('203.0.113.8'))).status).toBe(200)
  })

  test('by invitation, or closed, as the settings say: nobody else becomes a person', async () => {
    const { people } = scene.world.app.config
    try {
      for (const [signUp, why] of [
        ['invitation', 'by invitation'],
        ['closed', 'takes no new people'],
      ] as const) {
        Object.assign(people, { signUp })
        expect((await scene.browser().get('/v1/sign-in/methods')).body.sign_up).toBe(signUp)
        const refused = await request(scene.browser(), newEmail())
        expect(refusal(refused)).toBe('SIGN_UP_CLOSED')
        expect(refused.body.error.message).toContain(why)
      }
    } finally {
      Object.assign(people, { signUp: 'open' })
    }
  })

  test('an invitation makes a member in place of an account, for its own address alone and once', async () => {
    const { app, account } = scene.world
    const owner = await scene.known()
    const now = new Date(scene.clock.nowMs())
    await app.db.tx((tx) =>
      setMember(tx, { accountId: account, personId: owner.personId, role: 'owner', projectIds: null }, now),
    )
    const email = newEmail()
    const offer = {
      accountId: account,
      accountName: 'test',
      email,
      role: 'developer',
      projectIds: null,
    } as const
    await app.db.tx((tx) => invite(app, tx, { ...offer, inviter: owner, locale: 'fa' }, now))
    const invitation = await scene.tokenTo(email)
    // Strangers who sign up with the address, with or without a letter, keep nobody out who is invited.
    for (let times = 0; times < 4; times++) await request(scene.browser(), email, {})
    await scene.mails.mailTo(email, 4)
    const other = await request(scene.browser(), newEmail(), { invitation })
    expect(refusal(other)).toBe('INVITATION_FOR_ANOTHER')
    expect(refusal(await request(scene.browser(), email, { invitation: 'khi_nothing' }))).toBe(
      'INVITATION_INVALID',
    )
    const browser = scene.browser()
    expect((await request(browser, email, { invitation, password })).status).toBe(202)
    expect((await confirm(browser, email, await scene.codeTo(email, 5))).status).toBe(200)
    expect(await accountsOf(email)).toMatchObject([{ role: 'developer', accountName: 'test' }])
    expect(refusal(await request(scene.browser(), email, { invitation }))).toBe('INVITATION_INVALID')
  })
})

test('an address can be used three times an hour for a sign-up, from wherever, known or unknown alike', async () => {
  const { email } = await scene.known()
  for (const address of [email, newEmail()]) {
    for (let times = 0; times < 3; times++)
      expect((await request(scene.browser(), address, {})).status).toBe(202)
    expect(refusal(await request(scene.browser(), address, {}))).toBe('TOO_MANY_ATTEMPTS')
  }
})
