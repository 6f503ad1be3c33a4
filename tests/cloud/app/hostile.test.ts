/** Floods and greed of strangers and app users: what they may hold is bounded, and everybody else is served. */
import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'
import { type Answer, ask, newAddress, password } from '../users/app.ts'
import { type AppCall, realtimeArea } from './area-server.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.cloud()
  await cloud.changeAuth({ anonymous_sign_ins: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const signUp = async (of = cloud) =>
  (await ask(of, 'POST', '/signup', { body: { email: newAddress(), password } })).body
const refresh = (token: string, of = cloud) =>
  ask(of, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })

/** Holds the row that every refresh of a session waits for, until it is disposed. */
async function hold(userId: string): Promise<AsyncDisposable> {
  const [held, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = world.app.db.tx(async (tx) => {
    await tx.selectFrom('app_users.sessions').selectAll().where('user_id', '=', userId).forUpdate().execute()
    isHeld.resolve()
    await held.promise
  })
  await isHeld.promise
  return {
    async [Symbol.asyncDispose]() {
      held.resolve()
      await holding
    },
  }
}

async function waitingForRows(): Promise<number> {
  const [row] = await world.app.db.query<{ waiting: number }>(
    {
      text: `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    },
    [],
  )
  return row!.waiting
}

test('requests of a cloud that wait for one row leave connections for everybody else', async () => {
  const [session, other] = [await signUp(), await world.cloud('other')]
  const of = await signUp(other)
  const asked: Promise<Answer>[] = []
  {
    await using _row = await hold(session.user.id)
    // As clients do where they have waited for too long.
    const refreshed = () =>
      until(async () => {
        const answer = await refresh(session.refresh_token)
        return answer.status === 429 ? undefined : answer
      })
    for (let count = 0; count < 30; count++) asked.push(refreshed())
    await until(async () => (await waitingForRows()) >= 3)
    await until(async () => (await fetch(`${world.url}/health/ready`)).ok)
    expect((await refresh(of.refresh_token, other)).status).toBe(200)
  }
  const answers = await Promise.all(asked)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
})

test('whose request would wait behind two hundred of the same cloud is told so at once, in the words of its clients', async () => {
  const session = await signUp()
  const asked: Promise<Answer>[] = []
  const refused: (Answer & { afterMs: number })[] = []
  {
    await using _row = await hold(session.user.id)
    for (let count = 0; count < 210; count++) {
      const beganMs = performance.now()
      asked.push(
        refresh(session.refresh_token).then((answer) => {
          const afterMs = performance.now() - beganMs
          if (answer.status === 429) refused.push({ ...answer, afterMs })
          return answer
        }),
      )
    }
    // Three are under way, 200 wait.
    await until(() => refused.length >= 7)
  }
  expect(refused[0]!.body).toMatchObject({
    code: 'over_request_rate_limit',
    message: expect.stringContaining('database'),
  })
  expect(refused[0]!.headers.get('retry-after')).toBe('1')
  await Promise.all(asked)
  expect(refused.length).toBeGreaterThanOrEqual(7)
  // On a machine that stands still some of those that wait do so longer than the five seconds that they may.
  expect(refused.filter(({ afterMs }) => afterMs < 4_990).length).toBeLessThanOrEqual(7)
})

const attempts = (kind: string, of: string, count: number) =>
  world.app.db.query(
    {
      text: `insert into app_users.attempts (account_id, cloud_id, subject_hash, attempts, window_ends_at)
        values ($1, $2, sha256(convert_to($3, 'UTF8') || decode('00', 'hex') || convert_to($4, 'UTF8')), $5, now() + interval '10 minutes')
        on conflict (account_id, cloud_id, subject_hash) do update set attempts = excluded.attempts`,
    },
    [world.account, cloud.id, kind, of, count],
  )

test('a network that has tried too often leaves no trace at one address after another', async () => {
  const counted = async (): Promise<number> => {
    const rows = await world.app.db.query({ text: 'select 1 from app_users.attempts where cloud_id = $1' }, [
      cloud.id,
    ])
    return rows.length
  }
  await attempts('sign_in_network', '127.0.0.1', 300)
  const before = await counted()
  for (let tried = 0; tried < 5; tried++) {
    const reply = await ask(cloud, 'POST', '/token?grant_type=password', {
      body: { email: newAddress(), password },
    })
    expect([reply.status, reply.body.code]).toEqual([429, 'over_request_rate_limit'])
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500)
  }
  expect(await counted()).toBe(before)
  await attempts('sign_in_network', '127.0.0.1', 0)
})

test('a user changes the password twenty times an hour, and everything else without end', async () => {
  const { access_token: token, user } = await signUp()
  const change = (body: object) => ask(cloud, 'PUT', '/user', { token, body })
  await attempts('password_change', user.id, 19)
  expect((await change({ password: 'the twentieth' })).status).toBe(200)
  const refused = await change({ password: 'one more' })
  expect([refused.status, refused.body.code]).toEqual([429, 'over_request_rate_limit'])
  expect((await change({ data: { name: 'مینا' } })).status).toBe(200)
})

const openLine = () =>
  new WebSocket(`${cloud.pathUrl.replace('http', 'ws')}/realtime/v1/websocket?apikey=${cloud.publicKey}`)

test.each([
  ['messages', 'message', (line: WebSocket) => line.send('["1","1","t","heartbeat",{}]')],
  ['pings', 'pong', (line: WebSocket) => line.ping()],
] as const)('a line that sends more than a hundred %s is cut', async (_what, answer, send) => {
  const line = openLine()
  await once(line, 'open')
  for (let sent = 0; sent < 100; sent++) {
    send(line)
    await once(line, answer)
  }
  send(line)
  await once(line, 'close')
})

/** A line whose other end does nothing. */
function stuckLine() {
  const line = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    isCut: false,
    send(text: string) {
      line.bufferedAmount += text.length
    },
    terminate() {
      line.isCut = true
      line.emit('close')
    },
  })
  return line
}

const openSocket = (cloudId: string) =>
  realtimeArea.handle({ cloud: { cloudId }, path: '/websocket', isUpgrade: true, language: 'fa' } as AppCall)

test('a line that does not read its answers is cut before they fill the memory', async () => {
  const line = stuckLine()
  const { socket } = await openSocket('stuck')
  socket!.run(line as unknown as WebSocket)
  const join = Buffer.from(JSON.stringify(['1', '1', 'x'.repeat(1_000), 'phx_join', {}]))
  // As they come at once: none is answered before all are there.
  for (let sent = 0; sent < 100 && !line.isCut; sent++) line.emit('message', join, false)
  await expect.poll(() => line.isCut).toBe(true)
  expect(line.bufferedAmount).toBeGreaterThan(16 * 1024)
  expect(line.bufferedAmount).toBeLessThan(64 * 1024)
})

test('one cloud has five hundred lines at once, and the others have theirs', async () => {
  const lines = Array.from({ length: 501 }, stuckLine)
  // All are let in before the first is open.
  const admitted = await Promise.all(lines.map(() => openSocket('greedy')))
  for (const [at, { socket }] of admitted.entries()) socket!.run(lines[at] as unknown as WebSocket)
  expect(lines.map(({ isCut }) => isCut)).toEqual([...Array<boolean>(500).fill(false), true])
  await expect(openSocket('greedy')).rejects.toMatchObject({ code: 'CLOUD_REALTIME_UNAVAILABLE' })
  expect(await openSocket('modest')).toMatchObject({ status: 101 })
  lines[0]!.emit('close')
  expect(await openSocket('greedy')).toMatchObject({ status: 101 })
  for (const line of lines) line.emit('close')
})
