/** Takeovers by addresses: whoever has stolen a session or reads a mailbox keeps nothing, and the owner gets everything back. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOperator, invite, renewFirstLink, resetPerson } from '#account/invitations'
import { markUnproven, memberships, personById, setMember, setOperator } from '#account/people'
import type { Seen } from '../../harness/client.ts'
import { newEmail, password, Scene, totpOf, type Visitor } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const refusal = (seen: Seen): string => seen.body.error?.code
const fresh = 'یک گذرواژهٔ تازه و بلند'

/** A person who has signed in a second after they came. */
async function signedIn(options: { unproven?: boolean } = {}) {
  const person = await scene.known()
  if (options.unproven) await scene.world.app.db.tx((tx) => markUnproven(tx, person.personId))
  scene.clock.moveMs(1_000)
  const browser = scene.browser()
  expect((await browser.signIn(person.email)).status).toBe(200)
  return { ...person, browser }
}

/** Changes the address, by a code that is mailed to the new one. */
async function moveTo(browser: Visitor, email: string, mails = 1): Promise<void> {
  expect((await browser.post('/v1/me/email', { email })).status).toBe(202)
  const code = await scene.codeTo(email, mails)
  const reply = await browser.post('/v1/me/email/confirm', { email, code })
  expect(reply.body, reply.text).toMatchObject({ email })
}

const redeem = (token: string): Promise<Seen> => scene.browser().post('/v1/links/redeem', { token })

const operations = async (
  personId: string,
): Promise<{ operation: string; before: unknown; after: unknown }[]> =>
  scene.world.app.db.query(
    { text: 'select operation, before, after from audit.entries where target_id = $1 order by entry_id' },
    [personId],
  )

const letters = async (email: string): Promise<string[]> =>
  (
    await scene.world.app.db.query<{ kind: string }>(
      { text: 'select kind from people.mails where address = $1 order by created_at, mail_id' },
      [email],
    )
  ).map(({ kind }) => kind)

describe('a change of address by a thief', () => {
  test.each([
    ['first', ['owner', 'thief']],
    ['last', ['thief', 'owner']],
  ])(
    'is undone by the owner, who comes %s, whatever links the thief has for addresses between',
    async (_, order) => {
      const { browser, email: own, personId } = await signedIn()
      const [second, third] = [newEmail(), newEmail()]
      await moveTo(browser, second)
      await moveTo(browser, third)
      const tokens: Record<string, string> = {
        owner: await scene.tokenTo(own, 2),
        thief: await scene.tokenTo(second, 2),
      }
      for (const who of order) await redeem(tokens[who]!)
      expect((await personById(scene.world.app.db, personId))?.email).toBe(own)
      expect((await scene.browser().signIn(own)).status).toBe(200)
      for (const other of [second, third]) expect((await scene.browser().signIn(other)).status).toBe(401)
      const left = 'select from people.addresses where person_id = $1'
      expect(await scene.count(left, [personId])).toBe(1)
      expect(refusal(await redeem(tokens.thief!))).toBe('LINK_INVALID')
    },
  )

  test('takes with it, when it is undone, what was set since: password, second factor, known browser; and every address hears of it', async () => {
    const { browser, email: own, personId } = await signedIn()
    const stolen = newEmail()
    await moveTo(browser, stolen)
    const token = await scene.tokenTo(own)
    await browser.request('PUT', '/v1/me/password', JSON.stringify({ password: fresh }))
    await scene.addTotp((await personById(scene.world.app.db, personId))!)
    const thief = scene.browser()
    expect((await thief.signIn(stolen, fresh)).body.status).toBe('second_factor')
    const reply = await redeem(token)
    expect(reply.status, reply.text).toBe(200)
    for (const given of [fresh, password])
      expect(refusal(await scene.browser().signIn(own, given))).toBe('WRONG_CREDENTIALS')
    for (const table of ['factors', 'recovery_codes'])
      expect(await scene.count(`select from people.${table} where person_id = $1`, [personId]), table).toBe(0)
    const undone = (await operations(personId)).find(({ operation }) => operation === 'links.redeem')
    expect(undone).toMatchObject({
      after: { purpose: 'email_undo', dropped: { ways: ['password', expect.stringMatching(/^totp: /)] } },
    })
    for (const address of [own, stolen]) expect(await letters(address)).toContain('email_restored')
    // The owner comes in by the mailbox, and nothing more is asked.
    const owner = scene.browser()
    await owner.post('/v1/sign-in/code', { email: own })
    const code = await scene.codeTo(own, (await letters(own)).length)
    const entered = await owner.post('/v1/sign-in/code/confirm', { email: own, code })
    expect(entered.body).toMatchObject({ status: 'signed_in', person: { id: personId, email: own } })
  })

  test('leaves what was set before it, when it is undone', async () => {
    const { browser, email: own, ...person } = await signedIn()
    const { secret } = await scene.addTotp({ ...person, email: own })
    scene.clock.moveMs(60_000)
    await browser.post('/v1/step-up/totp', { code: totpOf(secret, scene.clock.nowMs()) })
    await moveTo(browser, newEmail())
    expect((await redeem(await scene.tokenTo(own, 2))).status).toBe(200)
    expect((await scene.browser().signIn(own)).body).toMatchObject({
      status: 'second_factor',
      factors: ['totp', 'recovery_code'],
    })
  })
})

test('the link of an operator for a new password ends what waits for its second half: first factors, codes, and mailed links', async () => {
  const { email, ...person } = await scene.known()
  const { recoveryCodes } = await scene.addTotp({ ...person, email })
  const [waiting, coded] = [scene.browser(), scene.browser()]
  expect((await waiting.signIn(email)).body.status).toBe('second_factor')
  await coded.post('/v1/sign-in/code', { email })
  const code = await scene.codeTo(email, 2)
  await coded.post('/v1/recovery', { email })
  const mailed = await scene.tokenTo(email, 3)
  const { app } = scene.world
  const now = new Date(scene.clock.nowMs())
  const link = await app.db.tx((tx) => resetPerson(app, tx, { ...person, email }, now))
  const token = link.slice(link.indexOf('#') + 1)
  const reset = await scene.browser().post('/v1/links/redeem', { token, password: fresh })
  expect(reset.body, reset.text).toMatchObject({ status: 'second_factor' })
  const given = await waiting.post('/v1/sign-in/second-factor', { recovery_code: recoveryCodes[0] })
  expect(refusal(given)).toBe('SIGN_IN_EXPIRED')
  expect(refusal(await coded.post('/v1/sign-in/code/confirm', { email, code }))).toBe('WRONG_CODE')
  const recovered = await coded.post('/v1/recovery/confirm', { token: mailed, password })
  expect(refusal(recovered)).toBe('LINK_INVALID')
})

describe('an address that nobody has proven', () => {
  test('is dropped by a change, hears nothing of it, and brings nothing back', async () => {
    const { browser, email: typed, personId } = await signedIn({ unproven: true })
    await scene.browser().signIn(typed)
    await moveTo(browser, newEmail())
    expect(await letters(typed)).toEqual([])
    expect(await scene.count('select from people.addresses where email = $1', [typed])).toBe(0)
    const links = `select from people.links where person_id = $1 and purpose = 'email_undo'`
    expect(await scene.count(links, [personId])).toBe(0)
  })

  test('is proven in the session by its own code, and then guards a second factor, which the mailbox alone does not remove', async () => {
    const { browser, email, personId } = await signedIn({ unproven: true })
    expect(refusal(await browser.post('/v1/me/factors/totp', {}))).toBe('ADDRESS_NOT_PROVEN')
    await moveTo(browser, email)
    const begun = await browser.post('/v1/me/factors/totp', {})
    expect(begun.status, begun.text).toBe(201)
    const code = totpOf(begun.body.secret, scene.clock.nowMs())
    expect((await browser.post(`/v1/me/factors/${begun.body.id}/confirm`, { code })).status).toBe(200)
    const stranger = scene.browser()
    await stranger.post('/v1/sign-in/code', { email })
    const mailed = await scene.codeTo(email, 3)
    const entered = await stranger.post('/v1/sign-in/code/confirm', { email, code: mailed })
    expect(entered.body).toMatchObject({ status: 'second_factor' })
    expect(await scene.count('select from people.factors where person_id = $1', [personId])).toBe(1)
  })

  test('is proven by a mailed code that is given again in the session, which drops nothing', async () => {
    const { browser, email } = await signedIn({ unproven: true })
    expect((await browser.post('/v1/step-up/code', undefined)).status).toBe(202)
    const code = await scene.codeTo(email)
    expect((await browser.post('/v1/step-up/code/confirm', { code })).status).toBe(200)
    expect((await browser.post('/v1/me/factors/totp', {})).status).toBe(201)
    expect((await scene.browser().signIn(email)).status).toBe(200)
  })

  test.each(['code', 'link'])(
    'that is proven from elsewhere by a %s drops what was set before, which is written down and told',
    async (way) => {
      const { email, personId, ...person } = await signedIn({ unproven: true })
      await scene.addTotp({ ...person, personId, email })
      const owner = scene.browser()
      if (way === 'code') {
        await owner.post('/v1/sign-in/code', { email })
        const code = await scene.codeTo(email)
        await owner.post('/v1/sign-in/code/confirm', { email, code })
      } else {
        await owner.post('/v1/recovery', { email })
        await owner.post('/v1/recovery/confirm', { token: await scene.tokenTo(email), password: fresh })
      }
      expect(owner.session).toBeDefined()
      expect(refusal(await scene.browser().signIn(email))).toBe('WRONG_CREDENTIALS')
      expect(await operations(personId)).toContainEqual(
        expect.objectContaining({
          operation: 'people.prove',
          before: { ways: ['password', expect.stringMatching(/^totp: /)], ended_memberships: [] },
        }),
      )
      expect(await letters(email)).toEqual(expect.arrayContaining(['factor_removed', 'new_device']))
    },
  )

  test('that is proven from elsewhere ends the memberships that claims of a dropped identity made, with the invitations that they sent', async () => {
    const { email, personId, ...person } = await signedIn({ unproven: true })
    const { app, account: accountId } = scene.world
    const now = new Date(scene.clock.nowMs())
    await app.db.tx(async (tx) => {
      await sql`insert into people.identities (issuer, subject, person_id, provider_id, linked_at, last_used_at)
        values ('https://id.example.org', ${personId}, ${personId}, 'acme', ${now}, ${now})`.execute(tx)
      await setMember(tx, { accountId, personId, role: 'admin', projectIds: null, providerId: 'acme' }, now)
      const inviter = { ...person, personId, email }
      const offer = { accountId, accountName: 'test', role: 'viewer', projectIds: null } as const
      await invite(app, tx, { ...offer, email: newEmail(), inviter, locale: 'fa' }, now)
    })
    const owner = scene.browser()
    await owner.post('/v1/sign-in/code', { email })
    const code = await scene.codeTo(email)
    expect((await owner.post('/v1/sign-in/code/confirm', { email, code })).status).toBe(200)
    expect(await memberships(app.db, personId)).toEqual([])
    const open = 'select from people.invitations where invited_by = $1 and revoked_at is null'
    expect(await scene.count(open, [personId])).toBe(0)
  })

  /** The operator who came by the printed link and has a second factor, as one may add it before there is mail. */
  async function firstOperator() {
    const { app } = scene.world
    const now = new Date(scene.clock.nowMs())
    const link = await app.db.tx((tx) => renewFirstLink(app, tx, now))
    const email = newEmail()
    const browser = scene.browser()
    const person = { display_name: 'گرداننده', locale: 'fa', email }
    const redemption = { token: link!.slice(link!.indexOf('#') + 1), person, password }
    const { body } = await browser.post('/v1/links/redeem', redemption)
    expect(body).toMatchObject({ status: 'signed_in', person: { email, is_operator: true } })
    const personId: string = body.person.id
    await scene.addTotp((await personById(app.db, personId))!)
    return {
      ...{ browser, email, personId },
      // The next test has a first operator, too.
      [Symbol.asyncDispose]: () =>
        app.db.tx((tx) => setOperator(tx, personId, false, new Date(scene.clock.nowMs()))),
    }
  }

  test('of the first operator is proven in the own session, which keeps password, second factor and every session', async () => {
    await using operator = await firstOperator()
    const { browser, email, personId } = operator
    await moveTo(browser, email)
    expect((await browser.get('/v1/me')).body).toMatchObject({
      email,
      email_proven: true,
      has_password: true,
    })
    const elsewhere = scene.browser()
    expect((await elsewhere.signIn(email)).body).toMatchObject({
      status: 'second_factor',
      factors: ['totp', 'recovery_code'],
    })
    // From now on a mailbox is a first factor, and no more.
    await elsewhere.post('/v1/sign-in/code', { email })
    const code = await scene.codeTo(email, 2)
    const entered = await elsewhere.post('/v1/sign-in/code/confirm', { email, code })
    expect(entered.body).toMatchObject({ status: 'second_factor' })
    expect(await operations(personId)).not.toContainEqual(
      expect.objectContaining({ operation: 'people.prove' }),
    )
  })

  test('of the first operator that is proven from elsewhere drops what was set before, as of everybody else', async () => {
    await using operator = await firstOperator()
    const { browser, email, personId } = operator
    const mailbox = scene.browser()
    await mailbox.post('/v1/sign-in/code', { email })
    const entered = await mailbox.post('/v1/sign-in/code/confirm', { email, code: await scene.codeTo(email) })
    expect(entered.body).toMatchObject({ status: 'signed_in', person: { id: personId, has_password: false } })
    expect(refusal(await browser.get('/v1/me'))).toBe('NOT_SIGNED_IN')
    expect(refusal(await scene.browser().signIn(email))).toBe('WRONG_CREDENTIALS')
    expect(await scene.count('select from people.factors where person_id = $1', [personId])).toBe(0)
    expect(await operations(personId)).toContainEqual(expect.objectContaining({ operation: 'people.prove' }))
  })

  test('makes nobody an operator: a link goes to the address, for whoever has proven it', async () => {
    const { browser, email, personId } = await signedIn({ unproven: true })
    const { app } = scene.world
    const now = new Date(scene.clock.nowMs())
    const added = await app.db.tx((tx) => addOperator(app, tx, { email, locale: 'fa' }, now))
    expect(added).toMatchObject({ outcome: 'invited', delivery: 'mail' })
    expect((await personById(app.db, personId))?.isOperator).toBe(false)
    const token = await scene.tokenTo(email)
    const stranger = (await signedIn()).browser
    const redeemBy = (by: Visitor) => by.post('/v1/links/redeem', { token })
    expect((await stranger.post('/v1/links/read', { token })).body).toMatchObject({
      purpose: 'operator',
      needs: 'session',
    })
    expect(refusal(await redeemBy(scene.browser()))).toBe('NOT_SIGNED_IN')
    for (const one of [stranger, browser]) expect(refusal(await redeemBy(one))).toBe('INVITATION_FOR_ANOTHER')
    await moveTo(browser, email, 2)
    expect((await redeemBy(browser)).body).toEqual({ status: 'done', purpose: 'operator' })
    expect((await browser.get('/v1/me')).body.is_operator).toBe(true)
    expect(refusal(await redeemBy(browser))).toBe('LINK_INVALID')
    await app.db.tx((tx) => setOperator(tx, personId, false, new Date(scene.clock.nowMs())))
  })
})

test('a new sign-in in a browser ends the session that the browser had, and no other', async () => {
  const { browser, email } = await signedIn()
  const other = scene.browser()
  await other.signIn(email)
  const former = scene.browser()
  former.cookies.set(former.nameOf('session'), browser.session!)
  expect((await browser.signIn(email)).status).toBe(200)
  expect(refusal(await former.post('/v1/sign-out', undefined))).toBe('NOT_SIGNED_IN')
  for (const one of [browser, other]) expect((await one.post('/v1/sign-out', undefined)).status).toBe(200)
})
