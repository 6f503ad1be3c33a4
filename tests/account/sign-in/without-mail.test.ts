/** Without a mail channel nothing that needs one is begun, and each refusal says what is missing; people come by links that the operator hands over. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invite } from '#account/invitations'
import { hasProven, setMember } from '#account/people'
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
