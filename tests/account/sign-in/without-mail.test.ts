/** Without a mail channel nothing that needs one is begun, and each refusal says what is missing; people come by links that the operator hands over. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOperator, invite, resetPerson } from '#account/invitations'
import { hasProven, personById, setMember } from '#account/people'
import type { Seen } from '../../harness/client.ts'
import { newEmail, password, Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.open({ mail: false, people: 'people:\n  sign_up: open\n' })
  await scene.known()
})
afterAll(() => scene[Symbol.asyncDispose]())

const refusal = (seen: Seen): string => seen.body.error.code

test('the methods say so, and open sign-up is by invitation alone', async () => {
  const { body } = await scene.browser().get('/v1/sign-in/methods')
  expect(body).toMatchObject({ password: true, code: false, mail: false, sign_up: 'invitation', openid: [] })
})

describe('refused for known and unknown addresses alike, before anything is written:', () => {
  test.each([
    ['a code', '/v1/sign-in/code', {}],
    ['a forgotten password', '/v1/recovery', {}],
    ['a sign-up', '/v1/sign-up', { display_name: 'سارا', locale: 'fa' }],
  ])('%s', async (_, path, more) => {
    const { email } = await scene.known()
    const replies = [email, newEmail()].map((one) => scene.browser().post(path, { email: one, ...more }))
    for (const reply of await Promise.all(replies)) {
      expect(reply.status).toBe(503)
      expect(refusal(reply)).toBe('MAIL_UNAVAILABLE')
      expect(reply.body.error.message).toContain('KHERAD_BASE_URL')
    }
    expect(await scene.count('select from people.codes')).toBe(0)
    expect(await scene.count("select from people.links where purpose = 'password_reset'")).toBe(0)
  })

  test('a code for a step-up, while a password steps up as always', async () => {
    const { email } = await scene.known()
    const browser = scene.browser()
    await browser.signIn(email)
    expect(refusal(await browser.post('/v1/step-up/code', undefined))).toBe('MAIL_UNAVAILABLE')
    expect((await browser.post('/v1/step-up/password', { password })).status).toBe(200)
  })
})

test('an invitation that is handed over as a link makes a member, and proves no address', async () => {
  const { app, account } = scene.world
  const owner = await scene.known()
  const email = newEmail()
  const now = new Date(scene.clock.nowMs())
  const token = await app.db.tx(async (tx) => {
    await setMember(
      tx,
      { accountId: account, personId: owner.personId, role: 'owner', projectIds: null },
      now,
    )
    const offer = {
      accountId: account,
      accountName: 'test',
      email,
      role: 'viewer',
      projectIds: null,
    } as const
    return (await invite(app, tx, { ...offer, inviter: owner, locale: 'fa' }, now)).token
  })
  const browser = scene.browser()
  const read = await browser.post('/v1/links/read', { token })
  expect(read.body).toMatchObject({
    purpose: 'invitation',
    needs: 'named_person',
    invitation: { account_name: 'test', inviter_name: 'سارا', role: 'viewer' },
  })
  const person = { display_name: 'نیما', locale: 'fa' }
  const reply = await browser.post('/v1/links/redeem', { token, person, password })
  expect(reply.body, reply.text).toMatchObject({
    status: 'signed_in',
    person: { email, display_name: 'نیما' },
  })
  expect(await hasProven(app.db, reply.body.person.id, email)).toBe(false)
  expect((await scene.browser().signIn(email)).status).toBe(200)
  const again = await scene.browser().post('/v1/links/redeem', { token, person, password })
  expect(again.status).toBe(404)
})

/** What a browser is told that reads or redeems a link. */
const read = (token: string) => scene.browser().post('/v1/links/read', { token })
const redeem = (token: string, more: object = {}, browser = scene.browser()) =>
  browser.post('/v1/links/redeem', { token, ...more })
const tokenIn = (link: string) => link.slice(link.indexOf('#') + 1)

test('the link to become an operator says whom it is for, waits for what it needs, and makes one operator', async () => {
  const { app } = scene.world
  const email = newEmail()
  const added = await app.db.tx((tx) =>
    addOperator(app, tx, { email, locale: 'fa' }, new Date(scene.clock.nowMs())),
  )
  const token = tokenIn((added as { link: string }).link)
  expect((await read(token)).body).toMatchObject({
    ...{ purpose: 'operator', needs: 'named_person', email_masked: `${email[0]}…@example.org` },
    expires_at: new Date(scene.clock.nowMs() + 7 * 86_400_000).toISOString(),
  })
  const person = { display_name: 'نیما', locale: 'fa' }
  for (const [param, given] of [
    ['password', { person }],
    ['person', { password }],
  ] as const)
    expect((await redeem(token, given)).body.error).toMatchObject({ code: 'INVALID_REQUEST', param })
  // The address is that of the link, whatever is typed.
  const both = await Promise.all(
    [1, 2].map(() => redeem(token, { person: { ...person, email: newEmail() }, password })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
  const { body } = both.find(({ status }) => status === 200)!
  expect(body).toMatchObject({ status: 'signed_in', person: { email, is_operator: true } })
  for (const reply of [await read(token), await redeem(token, { person, password })])
    expect(refusal(reply)).toBe('LINK_INVALID')
})

test('the link for a new password says whom it is for, ends every session when it is redeemed, and ends itself after a day', async () => {
  const { app } = scene.world
  const sara = await scene.known()
  const open = scene.browser()
  await open.signIn(sara.email)
  const linked = async () =>
    tokenIn(await app.db.tx((tx) => resetPerson(app, tx, sara, new Date(scene.clock.nowMs()))))
  const late = await linked()
  scene.clock.moveMs(86_400_000)
  expect(refusal(await read(late))).toBe('LINK_INVALID')
  const replaced = await linked()
  const token = await linked()
  expect(refusal(await redeem(replaced, { password })), 'a newer one takes its place').toBe('LINK_INVALID')
  expect((await read(token)).body).toMatchObject({ purpose: 'operator_reset', needs: 'password' })
  expect((await open.get('/v1/me')).status).toBe(200)
  expect((await redeem(token)).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'password' })
  expect(refusal(await redeem(token, { password: 'qwertyuiop' }))).toBe('PASSWORD_WEAK')
  const fresh = 'گذرواژه‌ای دیگر و درازتر'
  const reset = await redeem(token, { password: fresh })
  expect(reset.body, reset.text).toMatchObject({ status: 'signed_in', person: { id: sara.personId } })
  expect(refusal(await open.get('/v1/me'))).toBe('NOT_SIGNED_IN')
  for (const [given, status] of [
    [password, 401],
    [fresh, 200],
  ] as const)
    expect((await scene.browser().signIn(sara.email, given)).status).toBe(status)
  expect(refusal(await redeem(token, { password: fresh }))).toBe('LINK_INVALID')
  expect((await personById(app.db, sara.personId))?.isOperator).toBe(false)
})
