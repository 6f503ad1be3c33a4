/** Lost second factors: removed three days after an owner has asked for it, told to the person at once, and stopped by any sign of life. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { factorJobs } from '#account/factors'
import { removeMember } from '#account/people'
import { done, refused } from '../../cli/command-line.ts'
import { onOneConnection } from '../../harness/one-connection.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import {
  addApp,
  addPasskey,
  auditOf,
  beginSignIn,
  codeOf,
  type Holder,
  lettersTo,
  newHolder,
  signInByPasskey,
  strangeBrowser,
} from './people.ts'

let world: World
let owner: Holder
beforeAll(async () => {
  world = await sharedWorld()
  owner = await newHolder(world, 'owner')
})
afterAll(() => world[Symbol.asyncDispose]())

const pathOf = ({ personId }: Holder): string => `/v1/members/${personId}/factor-reset`
const request = (member: Holder, by: Holder = owner) => by.post(pathOf(member), {})
const pending = async (member: Holder) => (await member.get('/v1/me/factors')).body.reset

/** Brings the time of the removal to this distance from now, by the clock of the database. */
const makeDue = (member: Holder, seconds: number) =>
  world.app.db.query(
    {
      text: `update people.factor_resets set due_at = platform.now() + make_interval(secs => $2) where person_id = $1`,
    },
    [member.personId, seconds],
  )

async function runJob(): Promise<void> {
  const job = factorJobs.find(({ name }) => name === 'factors.reset')!
  await job.handle({ app: world.app, signal: new AbortController().signal } as never)
}

const removeMemberOf = ({ personId }: Holder) =>
  world.app.db.tx((tx) => removeMember(tx, world.account, personId, new Date(world.app.clock.nowMs())))

/** The token of the link in the newest letter of this kind. */
async function tokenOf({ personId }: Holder): Promise<string> {
  const [mail] = await world.app.db.query<{ mail_id: string; data_sealed: string }>(
    {
      text: `select mail_id, data_sealed from people.mails
        where person_id = $1 and kind = 'factor_reset_requested' order by mail_id desc limit 1`,
    },
    [personId],
  )
  const letter = JSON.parse(await world.app.secrets.open(mail!.data_sealed, `people.mails ${mail!.mail_id}`))
  return new URL(letter.data.cancelLink).hash.slice(1)
}

test('an owner has the factors of a member removed in 72 hours by the clock of the database, and every proven address hears of it at once', async () => {
  const sara = await newHolder(world)
  await addApp(world, sara)
  await world.app.db.query(
    {
      text: `insert into people.addresses (email, person_id, is_primary, proven_at, retires_at)
        values ($1, $2, false, now(), now() + interval '7 days')`,
    },
    [`old-${sara.email}`, sara.personId],
  )
  const asked = await onOneConnection(world, () => request(sara))
  expect(asked.status, asked.text).toBe(201)
  const { requested_at: from, due_at: to } = asked.body
  expect(Date.parse(to) - Date.parse(from)).toBe(72 * 60 * 60_000)
  const letters = (await lettersTo(world, sara.personId)).filter((kind) => kind === 'factor_reset_requested')
  expect(letters).toHaveLength(2)
  expect(await pending(sara)).toEqual(asked.body)
  const dueSeen = async () => (await owner.get(`/v1/members/${sara.personId}`)).body.factor_reset_due_at
  expect(await dueSeen(), 'owners see what they can stop').toBe(to)
  const again = await request(sara)
  expect([again.status, again.body]).toEqual([200, asked.body])
  expect((await owner.request('DELETE', pathOf(sara))).status).toBe(200)
  expect([await pending(sara), await dueSeen()]).toEqual([null, null])
  expect((await owner.request('DELETE', pathOf(sara))).status).toBe(404)
  expect(await auditOf(world, sara.personId)).toEqual([
    'members.requestFactorReset',
    'members.requestFactorReset',
    'members.cancelFactorReset',
  ])
})

test('nobody but an owner of an account of the person can ask for it, and who has no factor has none to lose', async () => {
  const sara = await newHolder(world)
  expect((await request(sara)).body.error.code).toBe('NO_SECOND_FACTOR')
  await addApp(world, sara)
  for (const role of ['admin', 'developer', 'viewer'] as const) {
    const reply = await request(sara, await newHolder(world, role))
    expect([reply.status, reply.body.error.code], role).toEqual([403, 'INSUFFICIENT_ROLE'])
  }
  await using other = await sharedWorld()
  const foreign = await request(sara, await newHolder(other, 'owner'))
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'NOT_FOUND'])
  expect(await pending(sara)).toBeNull()
})

test('a sign-in with an app, a recovery code or a passkey cancels it, and the first factor alone does not', async () => {
  const sara = await newHolder(world)
  const { secret, reply } = await addApp(world, sara)
  await addPasskey(sara)
  const browser = strangeBrowser(world)
  const ways = {
    app: async () => {
      await beginSignIn(browser, sara)
      expect(await pending(sara)).not.toBeNull()
      return browser.post('/v1/sign-in/second-factor', { code: codeOf(world, secret, 1) })
    },
    recovery: async () => {
      await beginSignIn(browser, sara)
      return browser.post('/v1/sign-in/second-factor', { recovery_code: reply.body.recovery_codes[0] })
    },
    passkey: () => signInByPasskey(browser, sara.authenticator),
  }
  for (const [way, signIn] of Object.entries(ways)) {
    expect((await request(sara)).status, way).toBe(201)
    expect((await signIn()).body.status, way).toBe('signed_in')
    expect(await pending(sara), way).toBeNull()
  }
  const kept = (await auditOf(world, sara.personId)).filter((operation) => operation === 'factors.keep')
  expect(kept).toHaveLength(3)
})

test('the link in the letter cancels it, once', async () => {
  const sara = await newHolder(world)
  await addApp(world, sara)
  await request(sara)
  const token = await tokenOf(sara)
  const browser = strangeBrowser(world)
  const read = await browser.post('/v1/links/read', { token })
  expect(read.body, read.text).toMatchObject({ purpose: 'factor_reset_cancel', needs: 'nothing' })
  expect(await pending(sara), 'to read it changes nothing').not.toBeNull()
  const redeemed = await browser.post('/v1/links/redeem', { token })
  expect([redeemed.status, redeemed.body]).toEqual([200, { status: 'done', purpose: 'factor_reset_cancel' }])
  expect(await pending(sara)).toBeNull()
  expect((await browser.post('/v1/links/read', { token })).body.error.code).toBe('LINK_INVALID')
  await request(sara)
  expect((await browser.post('/v1/links/redeem', { token })).body.error.code).toBe('LINK_INVALID')
  expect(await pending(sara)).not.toBeNull()
})

test('it happens when it is due and not before, once, and then the first factor alone signs in', async () => {
  const sara = await newHolder(world)
  await addApp(world, sara)
  await addPasskey(sara)
  await request(sara)
  await makeDue(sara, 60)
  await runJob()
  expect((await sara.get('/v1/me/factors')).body.data).toHaveLength(2)
  await makeDue(sara, 0)
  await Promise.all([runJob(), runJob()])
  expect((await sara.get('/v1/me/factors')).body).toMatchObject({
    data: [],
    recovery_codes_left: 0,
    reset: null,
  })
  const letters = await lettersTo(world, sara.personId)
  expect(letters.filter((kind) => kind === 'factor_removed')).toHaveLength(2)
  expect((await auditOf(world, sara.personId)).filter((one) => one === 'factors.reset')).toHaveLength(1)
  expect((await beginSignIn(strangeBrowser(world), sara)).body.status).toBe('signed_in')
})

test.each([
  ['is no owner any more', removeMemberOf],
  [
    'has deleted themselves',
    (former: Holder) => former.request('DELETE', '/v1/me', JSON.stringify({ confirm: 'Sara' })),
  ],
])('it does not happen if whoever asked for it %s', async (_what, end) => {
  const sara = await newHolder(world)
  await addApp(world, sara)
  const former = await newHolder(world, 'owner')
  await request(sara, former)
  await end(former)
  await makeDue(sara, 0)
  await runJob()
  expect((await sara.get('/v1/me/factors')).body).toMatchObject({ data: [{ kind: 'totp' }], reset: null })
})

test('the operator asks for it on the command line, for whoever has no owner, and takes it back', async () => {
  const sara = await newHolder(world)
  const { databaseUrl, dataDir } = world.app.config
  const env = { DATABASE_URL: databaseUrl as string, KHERAD_DATA: dataDir }
  const command = ['person', 'reset-factors', sara.email]
  expect(await refused(env, ...command)).toMatchObject({ exit: 1, code: 'NO_SECOND_FACTOR' })
  await addApp(world, sara)
  const { due_at: dueAt } = await done(env, ...command)
  expect(await pending(sara)).toMatchObject({ due_at: dueAt })
  expect(await lettersTo(world, sara.personId)).toContain('factor_reset_requested')
  await done(env, ...command, '--cancel')
  expect(await pending(sara)).toBeNull()
  expect(await refused(env, ...command, '--cancel')).toMatchObject({ exit: 1, code: 'NO_FACTOR_RESET' })
  await done(env, ...command)
  await makeDue(sara, 0)
  await runJob()
  expect((await sara.get('/v1/me/factors')).body.data).toEqual([])
  expect(await auditOf(world, sara.personId)).toEqual([
    'people.requestFactorReset',
    'people.cancelFactorReset',
    'people.requestFactorReset',
    'factors.reset',
  ])
})
