/** The token of a session is replaced once its person may do something else. */
import { expect, test } from 'vitest'
import { invite } from '#account/invitations'
import { rotateSession, sessionsOf, setOperator } from '#account/people'
import { uuidv7 } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { Browser, type Member, newMember, newPerson } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import { patch } from './people.ts'

const now = ({ app }: World): Date => new Date(app.clock.nowMs())
const codeAt = async (browser: Browser): Promise<string | number> => {
  const { status, body } = await browser.get('/v1/models')
  return status === 200 ? 200 : body.error.code
}
const refused = (browser: Browser) => expect.poll(() => codeAt(browser)).toBe('NOT_SIGNED_IN')

/** Another browser, with some of the cookies. */
function browserWith(world: World, cookies: Iterable<[string, string]>): Browser {
  const browser = new Browser(world.url, world.app.sessions.installation, world.project)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

/** Makes the session one that this browser opened a minute ago. */
async function openedBefore(world: World, member: Member): Promise<void> {
  const browser = 'b'.repeat(43)
  member.cookies.set(member.nameOf('browser'), browser)
  await world.app.db.query(
    { text: `update people.members set changed_at = changed_at - interval '1 minute' where person_id = $1` },
    [member.personId],
  )
  await world.app.db.query(
    {
      text: `update people.sessions set device_hash = $2, created_at = created_at - interval '1 minute' where session_id = $1`,
    },
    [member.sessionId, sha256(browser)],
  )
}

/** The token of an invitation for somebody who has signed in before, whose link takes a session. */
async function invitationOf(world: World, { personId }: Member): Promise<string> {
  const { app, account: accountId } = world
  const email = `${uuidv7()}@example.org`
  await newPerson(world, { email })
  const inviter = { personId, displayName: 'Mina' }
  const of = { accountId, accountName: 'a', role: 'viewer', projectIds: null, locale: 'en' } as const
  return (await app.db.tx((tx) => invite(app, tx, { ...of, email, inviter }, now(world)))).token
}

/** Ends the seconds in which the former token is taken; the change of the other column announces it. */
const endGrace = (world: World, { sessionId }: Member) =>
  world.app.db.query(
    {
      text: `update people.sessions set former_until = $2, stepped_up_at = stepped_up_at where session_id = $1`,
    },
    [sessionId, new Date(world.app.clock.nowMs() - 1)],
  )

test('a session gets a new token once the role of its person changes, in the browser that opened it; a stolen one is worth nothing from then on', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const sara = await newMember(world, 'viewer')
  await openedBefore(world, sara)
  const name = sara.nameOf('session')
  const stolen = sara.cookies.get(name)!
  const thief = browserWith(world, [[name, stolen]])
  expect([await codeAt(sara), await codeAt(thief)]).toEqual([200, 200])
  expect(sara.cookies.get(name)).toBe(stolen)
  const raised = await patch(owner, `/v1/members/${sara.personId}`, { role: 'admin' })
  expect(raised.status, raised.text).toBe(200)
  // Whoever has the token alone gets neither the new role nor the new token.
  await refused(thief)
  expect(thief.cookies.get(name)).toBe(stolen)
  const token = await invitationOf(world, owner)
  const redeemed = async (browser: Browser) =>
    (await browser.post('/v1/links/redeem', { token })).body.error.code
  expect(await redeemed(browserWith(world, [[name, stolen]]))).toBe('NOT_SIGNED_IN')
  expect(await redeemed(browserWith(world, sara.cookies))).toBe('INVITATION_FOR_ANOTHER')
  // Of tabs that call at once one gets the token, and all are answered.
  const tabs = Array.from({ length: 4 }, () => browserWith(world, sara.cookies))
  expect(await Promise.all(tabs.map(codeAt))).toEqual([200, 200, 200, 200])
  const tokens = tabs.map((tab) => tab.cookies.get(name)!).filter((token) => token !== stolen)
  expect(tokens).toHaveLength(1)
  const late = browserWith(world, sara.cookies)
  sara.cookies.set(name, tokens[0]!)
  expect((await sara.get('/v1/invitations')).status).toBe(200)
  expect(sara.cookies.get(name), 'one change is one new token').toBe(tokens[0])
  // What was on its way is answered for some seconds, in this browser alone.
  expect([await codeAt(late), await codeAt(thief)]).toEqual([200, 'NOT_SIGNED_IN'])
  await endGrace(world, sara)
  await refused(late)
  expect([await codeAt(thief), await codeAt(sara)]).toEqual(['NOT_SIGNED_IN', 200])
})

test('a request that may pay, whose answer may be late, leaves the new token to the next one', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const sara = await newMember(world, 'viewer')
  await openedBefore(world, sara)
  const name = sara.nameOf('session')
  const former = sara.cookies.get(name)
  const thief = browserWith(world, [[name, former!]])
  expect((await patch(owner, `/v1/members/${sara.personId}`, { role: 'developer' })).status).toBe(200)
  await refused(thief)
  const call = (browser: Browser) =>
    browser.post('/v1/chat/completions', {
      model: 'sandbox/fast',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'hello' }],
    })
  expect([(await call(sara)).status, (await call(thief)).status]).toEqual([200, 401])
  expect(sara.cookies.get(name)).toBe(former)
  expect(await codeAt(sara)).toBe(200)
  expect(sara.cookies.get(name)).not.toBe(former)
})

test('no former token is left by a new password, or by the end of the session', async () => {
  await using world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const name = owner.nameOf('session')
  const renewed = async (): Promise<[Member, Browser]> => {
    const sara = await newMember(world, 'viewer')
    await openedBefore(world, sara)
    const late = browserWith(world, sara.cookies)
    expect((await patch(owner, `/v1/members/${sara.personId}`, { role: 'developer' })).status).toBe(200)
    await expect
      .poll(async () => (await codeAt(sara)) === 200 && sara.cookies.get(name))
      .not.toBe(late.cookies.get(name))
    expect(await codeAt(late)).toBe(200)
    return [sara, late]
  }
  const [sara, late] = await renewed()
  sara.cookies.set(name, await world.app.db.tx((tx) => rotateSession(tx, sara.sessionId, now(world))))
  await refused(late)
  expect(await codeAt(sara)).toBe(200)
  const [reza, other] = await renewed()
  expect((await other.post('/v1/sign-out', {})).status).toBe(200)
  await refused(reza)
})

test('a new operator gets a new token too, and to sign out at that moment leaves no cookie', async () => {
  await using world = await sharedWorld()
  const sara = await newMember(world, 'owner')
  await openedBefore(world, sara)
  const name = sara.nameOf('session')
  const before = sara.cookies.get(name)
  const setTo = (isOperator: boolean) =>
    world.app.db.tx((tx) => setOperator(tx, sara.personId, isOperator, now(world)))
  await setTo(true)
  await expect.poll(async () => (await sara.get('/v1/me')).body.is_operator).toBe(true)
  expect(sara.cookies.get(name)).not.toBe(before)
  await setTo(false)
  await expect.poll(async () => (await sara.get('/v1/me')).body.is_operator).toBe(false)
  await setTo(true)
  expect((await sara.post('/v1/sign-out', {})).status).toBe(200)
  expect(sara.cookies.has(name)).toBe(false)
  expect(await sessionsOf(world.app.db, sara.personId, now(world))).toEqual([])
})
