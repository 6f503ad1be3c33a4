/** Links and codes that act once, handed in by several at once at two processes: one acts, and the others learn that it is over. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestFactorReset } from '#account/factors'
import { addOperator, invite, renewFirstLink, resetPerson } from '#account/invitations'
import { setMember, setOperator } from '#account/people'
import type { Tx } from '#platform/db'
import { type Kherad, startKherad } from '../../../src/server.ts'
import { newEmail, password, Scene, type Visitor } from '../../account/sign-in/scene.ts'
import type { Seen } from '../../harness/client.ts'
import { silent } from '../../harness/world.ts'

let scene: Scene
let other: Kherad
beforeAll(async () => {
  scene = await Scene.open()
  const config = { ...scene.world.app.config, port: 0, roles: { api: true, worker: false, voice: false } }
  other = await startKherad({ config, clock: scene.clock, log: silent })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

const now = () => new Date(scene.clock.nowMs())
const tx = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => scene.world.app.db.tx(work)
const tokenIn = (link: string) => link.slice(link.indexOf('#') + 1)
const fresh = (at: number) => `گذرواژه‌ای تازه و درازتر ${at}`
const redeem = (browser: Visitor, token: string, more: object = {}) =>
  browser.post('/v1/links/redeem', { token, ...more })

/** What is handed in, by a browser of either process; `at` counts the requests. */
type HandIn = (browser: Visitor, at: number) => Promise<Seen>

/** A person who is signed in, and who hands in by the session. */
async function signedIn() {
  const person = await scene.known()
  const browser = scene.browser()
  expect((await browser.signIn(person.email)).status).toBe(200)
  const asPerson = (one: Visitor): Visitor => {
    for (const [name, value] of browser.cookies) one.cookies.set(name, value)
    return one
  }
  return { person, browser, asPerson }
}

const ways: Record<string, () => Promise<HandIn>> = {
  async 'of the first operator'() {
    await scene.world.app.db.query({ text: 'update people.people set is_operator = false' }, [])
    const token = tokenIn((await tx((tx) => renewFirstLink(scene.world.app, tx, now())))!)
    const person = () => ({ display_name: 'گرداننده', locale: 'fa', email: newEmail() })
    return (browser) => redeem(browser, token, { person: person(), password })
  },
  async 'of an operator'() {
    const { person, asPerson } = await signedIn()
    await tx((tx) => setOperator(tx, person.personId, false, now()))
    const email = newEmail()
    const added = await tx((tx) => addOperator(scene.world.app, tx, { email, locale: 'fa' }, now()))
    const token = tokenIn((added as { link: string }).link)
    // The person has proven the address of the link.
    await scene.world.app.db.query({ text: 'update people.addresses set email = $1 where person_id = $2' }, [
      ...[email, person.personId],
    ])
    return (browser) => redeem(asPerson(browser), token)
  },
  async 'for a new password, of the operator'() {
    const sara = await scene.known()
    const token = tokenIn(await tx((tx) => resetPerson(scene.world.app, tx, sara, now())))
    return (browser, at) => redeem(browser, token, { password: fresh(at) })
  },
  async 'for a new password, in a letter'() {
    const { email } = await scene.known()
    await scene.browser().post('/v1/recovery', { email })
    const token = await scene.tokenTo(email)
    return (browser, at) => browser.post('/v1/recovery/confirm', { token, password: fresh(at) })
  },
  async 'that keeps second factors'() {
    const sara = await scene.known()
    await scene.addTotp(sara)
    await tx((tx) => requestFactorReset(scene.world.app, tx, sara, null, now()))
    const token = await scene.tokenTo(sara.email, 2)
    return (browser) => redeem(browser, token)
  },
  async 'of an invitation'() {
    const { person, asPerson } = await signedIn()
    const { app, account: accountId } = scene.world
    const owner = await scene.known()
    const token = await tx(async (tx) => {
      const setting = { accountId, personId: owner.personId, role: 'owner', projectIds: null } as const
      await setMember(tx, setting, now())
      const offer = { accountId, accountName: 'test', role: 'viewer', projectIds: null } as const
      const sent = { ...offer, email: person.email, inviter: owner, locale: 'fa' } as const
      return (await invite(app, tx, sent, now())).token
    })
    return (browser) => redeem(asPerson(browser), token)
  },
  async 'that is mailed to sign in, given in one browser'() {
    const { email } = await scene.known()
    const asked = scene.browser()
    await asked.post('/v1/sign-in/code', { email })
    const code = await scene.codeTo(email)
    return (browser) => {
      for (const [name, value] of asked.cookies) browser.cookies.set(name, value)
      return browser.post('/v1/sign-in/code/confirm', { email, code })
    }
  },
}

test.each(Object.keys(ways))(
  'a link or a code %s acts once, however many hand it in at two processes',
  async (way) => {
    for (let round = 0; round < 5; round++) {
      const handIn = await ways[way]!()
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          handIn(scene.browser(undefined, at % 2 === 0 ? scene.world : other.server), at),
        ),
      )
      const statuses = replies.map(({ status }) => status).sort()
      expect(
        statuses.filter((status) => status === 200),
        replies.map(({ text }) => text).join('\n'),
      ).toHaveLength(1)
      const codes = replies.filter(({ status }) => status !== 200).map(({ body }) => body.error.code)
      for (const code of codes) expect(['LINK_INVALID', 'INVITATION_INVALID', 'WRONG_CODE']).toContain(code)
    }
  },
)
