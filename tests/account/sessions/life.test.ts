/** How sessions end, what they pay with, and what is left of a person who leaves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyRows } from '#account/identity'
import {
  endSession,
  endSessions,
  openSession,
  removeMember,
  rotateSession,
  sessionsOf,
  setMember,
  stepUp,
} from '#account/people'
import { peopleSweepJob } from '#account/people-sweep'
import { revokeKey, setAccountState, setKey } from '#platform/auth'
import type { Tx } from '#platform/db'
import { microcreditsPerCredit, setCaps } from '#platform/ledger'
import { type Kherad, startKherad } from '../../../src/server.ts'
import { dataOf } from '../../harness/client.ts'
import { readUntil } from '../../harness/read-until.ts'
import { Browser, type Member, newMember, newPerson } from '../../harness/session.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../harness/upstream.ts'
import { boot, MovableClock, silent, upstreamConfig, type World } from '../../harness/world.ts'
import { ask, create as createWork, ended as endedWork, openStage } from '../../work/work-world.ts'

const clock = new MovableClock()
const stage = openStage()
let open: AsyncDisposableStack
let upstream: FakeUpstream
let world: World
let other: Kherad
beforeAll(async () => {
  open = new AsyncDisposableStack()
  upstream = open.use(await fakeUpstream())
  world = open.use(
    await boot({ clock, config: upstreamConfig(upstream.url, {}), pipelines: stage.pipelines }),
  )
  // Another process over the same database.
  const config = { ...world.app.config, port: 0, roles: { api: true, worker: false, voice: false } }
  other = open.use(await startKherad({ config, clock, log: silent }))
})
afterAll(() => open.disposeAsync())

const now = () => new Date(clock.nowMs())
const tx = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => other.app.db.tx(work)
const probe = '/v1/models'
const codeAt = async (browser: Browser, path = probe): Promise<string | number> => {
  const { status, body } = await browser.get(path)
  return status === 200 ? 200 : body.error.code
}
const refused = (browser: Browser) => expect.poll(() => codeAt(browser)).toBe('NOT_SIGNED_IN')
const hiddenKeyOf = async ({ personId }: Member): Promise<string> => {
  const [row] = await world.app.db.query<{ key_id: string }>(
    { text: `select key_id from auth.keys where person_id = $1 and kind = 'session'` },
    [personId],
  )
  return row!.key_id
}
const said = json(200, {
  choices: [{ index: 0, message: { role: 'assistant', content: 'One.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})

describe('a session', () => {
  test('that somebody else chose is none: only tokens of this server are sessions, and each sign-in has a new one', async () => {
    const sara = await newMember(world, 'owner')
    const chosen = new Browser(world.url, world.app.sessions.installation, world.project)
    for (const token of [`khb_${'a'.repeat(49)}`, 'x', '', sara.sessionId, sara.personId]) {
      chosen.cookies.set(chosen.nameOf('session'), token)
      expect(await codeAt(chosen)).toBe('NOT_SIGNED_IN')
    }
    const { personId } = sara
    const first = await tx((tx) => openSession(tx, { personId, method: 'code' }, now()))
    const second = await tx((tx) => openSession(tx, { personId, method: 'code' }, now()))
    expect(first.token).not.toBe(second.token)
  })

  test('that was stolen is worth nothing once its token was changed, and the person stays signed in', async () => {
    const sara = await newMember(world, 'owner')
    const thief = new Browser(world.url, world.app.sessions.installation, world.project)
    for (const [name, value] of sara.cookies) thief.cookies.set(name, value)
    expect(await codeAt(thief)).toBe(200)
    const token = await tx((tx) => rotateSession(tx, sara.sessionId, now()))
    sara.cookies.set(sara.nameOf('session'), token)
    await refused(thief)
    expect(await codeAt(sara)).toBe(200)
  })

  test('ends when it is revoked, in every process; the others of the person go on until all are ended', async () => {
    const sara = await newMember(world, 'owner')
    const { personId } = sara
    const second = await newPerson(world)
    const opened = await tx((tx) => openSession(tx, { personId, method: 'code' }, now()))
    second.cookies.set(second.nameOf('session'), opened.token)
    second.project = world.project
    expect([await codeAt(sara), await codeAt(second)]).toEqual([200, 200])
    expect((await sessionsOf(world.app.db, personId, now())).map(({ method }) => method).sort()).toEqual([
      'code',
      'password',
    ])
    expect(await tx((tx) => endSession(tx, second.personId, sara.sessionId, now()))).toBe(false)
    expect(await tx((tx) => endSession(tx, personId, sara.sessionId, now()))).toBe(true)
    await refused(sara)
    expect(await codeAt(second)).toBe(200)
    expect(await tx((tx) => endSessions(tx, personId, { except: opened.sessionId }, now()))).toBe(0)
    expect(await tx((tx) => endSessions(tx, personId, {}, now()))).toBe(1)
    await refused(second)
  })

  test('ends with its person, and all of a person stay bounded in number', async () => {
    const sara = await newMember(world, 'developer')
    const { personId } = sara
    expect(await codeAt(sara)).toBe(200)
    await world.app.db.query(
      {
        text: `insert into people.sessions (session_id, person_id, hash, method, created_at, last_used_at, expires_at)
          select gen_random_uuid(), person_id, sha256(n::text::bytea), method, created_at, last_used_at + n * interval '1 ms', expires_at
          from people.sessions, generate_series(1, 105) n where person_id = $1`,
      },
      [personId],
    )
    await tx((tx) => openSession(tx, { personId, method: 'code' }, new Date(clock.nowMs() + 1_000)))
    expect(await sessionsOf(world.app.db, personId, now())).toHaveLength(100)
    await world.app.db.query({ text: 'update people.people set deleted_at = now() where person_id = $1' }, [
      personId,
    ])
    await refused(sara)
  })

  test('ends after 30 days without use and 90 days in any case, at the exact moment; use is written down', async () => {
    const dayMs = 86_400_000
    const idle = await newMember(world, 'viewer')
    const busy = await newMember(world, 'viewer')
    expect([await codeAt(idle), await codeAt(busy)]).toEqual([200, 200])
    clock.moveMs(29 * dayMs)
    expect(await codeAt(busy)).toBe(200)
    clock.moveMs(dayMs - 1)
    expect(await codeAt(busy)).toBe(200)
    const usedLast = async ({ personId }: Member) =>
      (await sessionsOf(world.app.db, personId, now())).map(({ lastUsedAt }) => lastUsedAt.getTime())
    await expect.poll(() => usedLast(busy)).toEqual([clock.nowMs()])
    clock.moveMs(1)
    expect(await codeAt(idle)).toBe('NOT_SIGNED_IN')
    clock.moveMs(29 * dayMs)
    expect(await codeAt(busy)).toBe(200)
    clock.moveMs(29 * dayMs)
    expect(await codeAt(busy)).toBe(200)
    clock.moveMs(2 * dayMs - 1)
    expect(await codeAt(busy)).toBe(200)
    clock.moveMs(1)
    expect(await codeAt(busy)).toBe('NOT_SIGNED_IN')
    clock.moveMs(dayMs + 1)
    await peopleSweepJob.handle({ app: world.app, signal: new AbortController().signal } as never)
    const { rowCount } = await world.app.db.pool.query(
      'select 1 from people.sessions where person_id = any($1)',
      [[idle.personId, busy.personId]],
    )
    expect(rowCount).toBe(0)
  })

  test('of one server signs nobody out of another on the same host', async () => {
    const sara = await newMember(world, 'viewer')
    const there = new Browser(other.server.url, other.app.sessions.installation, world.project)
    const { token } = await tx((tx) => openSession(tx, { personId: sara.personId, method: 'code' }, now()))
    // Cookies know no ports, so both servers get both.
    sara.cookies.set(there.nameOf('session'), token)
    for (const [name, value] of sara.cookies) there.cookies.set(name, value)
    expect([await codeAt(sara), await codeAt(there)]).toEqual([200, 200])
    await tx((tx) => endSession(tx, sara.personId, sara.sessionId, now()))
    await refused(sara)
    expect(await codeAt(there)).toBe(200)
  })

  test('reaches no further than its account: suspended, it is refused', async () => {
    const { account, project } = await world.stranger()
    const sara = await newMember(world, 'owner', { account, project })
    expect(await codeAt(sara)).toBe(200)
    await tx((tx) => setAccountState(tx, account, 'suspended'))
    await expect.poll(() => codeAt(sara)).toBe('ACCOUNT_SUSPENDED')
  })
})

describe('the key by which a session pays', () => {
  test('names the person in usage and receipts, and its cap is that of the member in the project', async () => {
    upstream.reply(() => said)
    const sara = await newMember(world, 'developer', { displayName: 'سارا' })
    const reply = await sara.chat({ model: 'test/model', max_tokens: 50 })
    expect(reply.status, reply.text).toBe(200)
    await world.settled()
    const person = { id: sara.personId, name: 'سارا' }
    const id = reply.headers.get('x-request-id')!
    expect((await (await world.key()).receipt(id)).body).toMatchObject({ person, state: 'completed' })
    const { data } = (await sara.get('/v1/usage')).body
    const keyId = await hiddenKeyOf(sara)
    expect(data).toContainEqual(expect.objectContaining({ key_id: keyId, person }))
    await tx((tx) => setCaps(tx, world.account, 'key', keyId, { monthCap: microcreditsPerCredit / 1_000n }))
    expect((await sara.chat({ model: 'test/model', max_tokens: 50 })).status).toBe(402)
    // Whoever leaves and comes back has not got a new cap.
    await tx((tx) => removeMember(tx, world.account, sara.personId, now()))
    await tx((tx) =>
      setMember(
        tx,
        { accountId: world.account, personId: sara.personId, role: 'admin', projectIds: null },
        now(),
      ),
    )
    await expect.poll(async () => (await sara.chat({ model: 'test/model', max_tokens: 50 })).status).toBe(402)
    expect(await hiddenKeyOf(sara)).toBe(keyId)
  })

  test('is made by what may pay, and never by what only reads', async () => {
    const sara = await newMember(world, 'developer')
    const read = async (path: string) => {
      const seen = await sara.get(path)
      expect(seen.status, seen.text).toBe(200)
      return seen.body
    }
    await read('/v1/models')
    await read('/v1/usage')
    expect((await read('/v1/balance')).budgets).toEqual([])
    expect((await read('/v1/requests/lookup?idempotency_key=mine')).data).toEqual([])
    const keys = () =>
      world.app.db.query({ text: 'select from auth.keys where person_id = $1' }, [sara.personId])
    expect(await keys()).toHaveLength(0)
    expect((await sara.chat({ model: 'sandbox/fast', max_tokens: 5 })).status).toBe(200)
    await world.settled()
    expect(await keys()).toHaveLength(1)
  })

  test('stands in no list, has no secret, and is neither changed nor revoked like a key', async () => {
    const sara = await newMember(world, 'owner')
    expect((await sara.chat({ model: 'sandbox/fast', max_tokens: 5 })).status).toBe(200)
    const keyId = await hiddenKeyOf(sara)
    expect((await keyRows(world.app.db, now())).map(({ key_id }) => key_id)).not.toContain(keyId)
    expect(await tx((tx) => revokeKey(tx, keyId, now()))).toBeUndefined()
    expect(await tx((tx) => setKey(tx, keyId, { models: ['none'] }))).toBeUndefined()
    expect(await codeAt(sara)).toBe(200)
  })
})

/** A person who reads a stream that does not end by itself. */
async function reading(role: 'developer' | 'owner', kherad: Kherad = world.kherad) {
  const person = await newMember(world, role)
  const browser = new Browser(kherad.server.url, kherad.app.sessions.installation, world.project)
  browser.cookies.set(browser.nameOf('session'), [...person.cookies.values()][0]!)
  const body = JSON.stringify({
    model: 'sandbox/fast',
    stream: true,
    messages: [{ role: 'user', content: '[[sandbox: token_ms=20 tokens=2000]]' }],
  })
  const reply = await browser.raw('POST', '/v1/chat/completions', body)
  expect(reply.status).toBe(200)
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  await readUntil(reader, 'data: ')
  return { person, reader, requestId: reply.headers.get('x-request-id')! }
}

/** Resolves with how the stream ended. */
async function endOf(reader: ReadableStreamDefaultReader<string>): Promise<'cut' | 'whole'> {
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return dataOf(text).includes('[DONE]') ? 'whole' : 'cut'
      text += value
    }
  } catch {
    return 'cut'
  }
}

describe('a running stream', () => {
  const ways: [string, (person: Member) => Promise<unknown>][] = [
    ['the person is removed', ({ personId }) => tx((tx) => removeMember(tx, world.account, personId, now()))],
    [
      'the role no longer permits it',
      ({ personId }) =>
        tx((tx) =>
          setMember(tx, { accountId: world.account, personId, role: 'viewer', projectIds: null }, now()),
        ),
    ],
    [
      'the project is no longer the person’s',
      ({ personId }) =>
        tx((tx) =>
          setMember(tx, { accountId: world.account, personId, role: 'developer', projectIds: [] }, now()),
        ),
    ],
    ['the session is revoked', ({ personId }) => tx((tx) => endSessions(tx, personId, {}, now()))],
    [
      'the person is deleted',
      ({ personId }) =>
        world.app.db.query({ text: 'update people.people set deleted_at = now() where person_id = $1' }, [
          personId,
        ]),
    ],
  ]
  test.each(ways)(
    'ends in every process when %s, and is settled as one whose reader left',
    async (_, leave) => {
      const here = await reading('developer')
      const there = await reading('developer', other)
      await Promise.all([here, there].map(({ person }) => leave(person)))
      expect(await Promise.all([here, there].map(({ reader }) => endOf(reader)))).toEqual(['cut', 'cut'])
      await world.settled()
      const key = await world.key()
      for (const { requestId } of [here, there]) {
        const { body } = await key.receipt(requestId)
        expect(body).toMatchObject({ pending: false, ambiguous: false, status_code: 499 })
        expect(Number(body.microcredits)).toBeGreaterThan(0)
      }
    },
  )

  test('ends although its session ended while no process could hear of it', async () => {
    const { person, reader } = await reading('developer', other)
    await world.app.db.query(
      {
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'kherad' and (query ilike 'listen %' or query = 'select 1')`,
      },
      [],
    )
    await tx((tx) => endSessions(tx, person.personId, {}, now()))
    expect(await endOf(reader)).toBe('cut')
    await world.settled()
  })

  test('goes on when the person gets more rights, steps up, or has a new token', async () => {
    const { person, reader } = await reading('developer')
    const setting = { accountId: world.account, personId: person.personId, projectIds: null } as const
    await tx((tx) => setMember(tx, { ...setting, role: 'admin' }, now()))
    await tx((tx) => stepUp(tx, person.sessionId, now()))
    await tx((tx) => rotateSession(tx, person.sessionId, now()))
    await refused(person)
    const text = await readUntil(reader, 'data: ')
    expect(text).not.toContain('[DONE]')
    await reader.cancel()
  })
})

test('durable work of a person who has left goes on and belongs to the project, but nothing new begins', async () => {
  const sara = await newMember(world, 'developer')
  upstream.reply(() => said)
  const input = 'Two steps, and the person leaves between them.'
  stage.play(
    input,
    async (context) => {
      await ask(context, 'one')
      await tx((tx) => removeMember(tx, world.account, sara.personId, now()))
      await ask(context, 'two')
      return undefined
    },
    { asks: [{ count: 2, promptBytes: 400, maxOutputTokens: 100 }] },
  )
  const made = await createWork(sara, { input })
  expect(made.status, made.text).toBe(202)
  const ended = await endedWork(await world.key(), made.body.id)
  expect(ended).toMatchObject({ status: 'succeeded' })
  await expect.poll(() => codeAt(sara)).toBe('NOT_FOUND')
  const keyId = await hiddenKeyOf(sara)
  await expect(world.app.keys.presentCallerOf(world.account, keyId)).rejects.toMatchObject({
    code: 'INVALID_API_KEY',
  })
})

test('the last owner can neither leave nor become less, even where two owners remove each other at once', async () => {
  const { account } = await world.stranger()
  const [ada, bea] = [
    await newMember(world, 'owner', { account }),
    await newMember(world, 'owner', { account }),
  ]
  const removals = await Promise.allSettled(
    [ada, bea].map(({ personId }) => tx((tx) => removeMember(tx, account, personId, now()))),
  )
  expect(removals.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const left = removals[0]!.status === 'rejected' ? ada : bea
  const setting = { accountId: account, personId: left.personId, projectIds: null } as const
  await expect(tx((tx) => setMember(tx, { ...setting, role: 'admin' }, now()))).rejects.toMatchObject({
    code: 'LAST_OWNER',
  })
  expect((await newMember(world, 'admin', { account })).personId).not.toBe(left.personId)
})
