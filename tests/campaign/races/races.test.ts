/** Two processes of one service: limits are exact and what acts once acts once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomBase62 } from '#platform/ids'
import { withinOneDay } from '../../cloud/one-day.ts'
import { newAddress, password } from '../../cloud/users/app.ts'
import { Client } from '../../harness/client.ts'
import { hostRequest } from '../../harness/host-request.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const stack = new AsyncDisposableStack()
let mails: MailServer
let servers: ServerProcess[]
let client: Client
const domain = 'clouds.example.net'
const limits = { users: 10, mails: 8 }

beforeAll(async () => {
  const database = stack.use(await cloneDatabase())
  mails = stack.use(await MailServer.start())
  const bootstrapKey = `khr_${randomBase62(43)}`
  const secret = randomBase62(43)
  const start = async () =>
    stack.use(
      await startProcess({
        databaseUrl: database.url,
        bootstrapKey,
        config: `${mails.config}clouds:\n  clouds_per_project: 10\n  users: ${limits.users}\n  daily_mails: ${limits.mails}\n`,
        env: {
          KHERAD_LOG_LEVEL: 'warn',
          KHERAD_SECRET: secret,
          // Both are one service to the outside, whose address stands in every token.
          KHERAD_BASE_URL: 'https://api.example.org',
          KHERAD_CLOUD_DOMAIN: domain,
        },
      }),
    )
  // The first one makes the key that both are called with.
  servers = [await start(), await start()]
  client = new Client(servers[0]!.url, bootstrapKey, '')
})
afterAll(() => stack.disposeAsync())

interface At {
  url: string
  host: string
  key: string
}

/** A request to the cloud's own host, at one of the processes. Sent again where it has waited too long for the database, as it says. */
async function ask(at: At, method: string, path: string, given: { body?: object; token?: string } = {}) {
  return until(async () => {
    const answer = await askOnce(at, method, path, given)
    return answer.status === 429 && answer.headers['retry-after'] === '1' ? undefined : answer
  })
}

async function askOnce(at: At, method: string, path: string, given: { body?: object; token?: string }) {
  const { status, headers, text } = await hostRequest(at.url, at.host, {
    method,
    path: `/auth/v1${path}`,
    headers: {
      apikey: at.key,
      'x-supabase-api-version': '2024-01-01',
      ...(given.token !== undefined && { authorization: `Bearer ${given.token}` }),
      ...(given.body && { 'content-type': 'application/json' }),
    },
    ...(given.body && { body: JSON.stringify(given.body) }),
  })
  return { status, headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** A cloud as its app knows it at either process. */
async function newCloud() {
  const made = await client.post('/v1/cloud', { name: 'raced', plan: 'starter' })
  expect(made.status).toBe(201)
  const { id, ref } = made.body
  const { body } = await client.get(`/v1/cloud/${id}/connection`)
  const at = servers.map(
    ({ appsUrl }): At => ({ url: appsUrl, host: `${ref}.${domain}`, key: body.public_key }),
  )
  const settings = { site_url: 'https://app.example.org', anonymous_sign_ins: true }
  expect((await client.request('PATCH', `/v1/cloud/${id}/auth`, JSON.stringify(settings))).status).toBe(200)
  await expect
    .poll(async () => (await ask(at[1]!, 'GET', '/settings')).body.external?.anonymous_users)
    .toBe(true)
  return { id, at }
}

/** As many of them at once, at both in turn. */
const many = <T>(count: number, one: (nth: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => one(nth)))

const codes = (replies: { status: number; body: { code?: string } }[]) =>
  replies.map(({ status, body }) => (status < 300 ? 'ok' : body.code))
const times = (found: unknown[], what: string) => found.filter((one) => one === what).length

test('exactly as many users are made as a cloud may have, and without an address exactly half of them', async () => {
  const { id, at } = await newCloud()
  const anonymous = codes(
    await many(24, (nth) => ask(at[nth % 2]!, 'POST', '/signup', { body: { data: { nth } } })),
  )
  expect([times(anonymous, 'ok'), times(anonymous, 'user_limit_reached')]).toEqual([5, 19])
  const key = (await client.post(`/v1/cloud/${id}/keys`, { kind: 'service' })).body.secret
  await expect.poll(async () => (await ask({ ...at[1]!, key }, 'GET', '/admin/users')).status).toBe(200)
  const add = (nth: number) =>
    ask({ ...at[nth % 2]!, key }, 'POST', '/admin/users', { body: { email: newAddress() } })
  const found = codes(await many(24, add))
  expect([times(found, 'ok'), times(found, 'user_limit_reached')]).toEqual([5, 19])
  const users = await client.get(`/v1/cloud/${id}/users?limit=100`)
  expect(users.body.data).toHaveLength(limits.users)
  expect((await client.get(`/v1/cloud/${id}/auth`)).body.users).toEqual({
    used: limits.users,
    limit: limits.users,
  })
})

test('exactly as many mails are sent as a cloud may send in a day, and three to one address in an hour', async () => {
  const [day, hour] = [await newCloud(), await newCloud()]
  const addresses = Array.from({ length: 20 }, newAddress)
  const otp = (cloud: typeof day, nth: number, email: string) =>
    ask(cloud.at[nth % 2]!, 'POST', '/otp', { body: { email, create_user: true } })
  await withinOneDay()
  const ofDay = codes(await many(20, (nth) => otp(day, nth, addresses[nth]!)))
  expect([times(ofDay, 'ok'), times(ofDay, 'over_email_send_rate_limit')]).toEqual([limits.mails, 12])
  const one = newAddress()
  const ofHour = codes(await many(10, (nth) => otp(hour, nth, one)))
  expect([times(ofHour, 'ok'), times(ofHour, 'over_email_send_rate_limit')]).toEqual([3, 7])
  await mails.mailTo(one, 3)
  await expect
    .poll(() => addresses.filter((address) => mails.to(address).length === 1).length)
    .toBe(limits.mails)
  expect(mails.to(one)).toHaveLength(3)
})

test('an address that signs up many times at once is one user', async () => {
  const { id, at } = await newCloud()
  const email = newAddress()
  const replies = await many(3, (nth) => ask(at[nth % 2]!, 'POST', '/signup', { body: { email, password } }))
  expect(codes(replies)).toEqual(['ok', 'ok', 'ok'])
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
  expect((await client.get(`/v1/cloud/${id}/users`)).body.data).toHaveLength(1)
})

test('a refresh token that many use at once has one successor, and its session lives on', async () => {
  const { at } = await newCloud()
  const refresh = (nth: number, token: string) =>
    ask(at[nth % 2]!, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })
  const replies = await until(async () => {
    const session = (await ask(at[0]!, 'POST', '/signup', { body: {} })).body
    const beganMs = performance.now()
    const replies = await many(12, (nth) => refresh(nth, session.refresh_token))
    // A machine that took longer than ten seconds used it twice and not at once, which ends the session.
    return performance.now() - beganMs < 9_000 ? replies : undefined
  })
  expect(new Set(codes(replies))).toEqual(new Set(['ok']))
  const successors = new Set(replies.map(({ body }) => body.refresh_token))
  expect(successors.size).toBe(1)
  expect((await refresh(1, [...successors][0]!)).status).toBe(200)
})

test('a link that is followed at both processes acts once', async () => {
  const { id, at } = await newCloud()
  const user = (await ask(at[0]!, 'POST', '/signup', { body: { email: newAddress(), password } })).body
  const made = await client.post(`/v1/cloud/${id}/users/${user.id}/links`, { type: 'magiclink' })
  const found = codes(
    await many(8, (nth) =>
      ask(at[nth % 2]!, 'POST', '/verify', { body: { type: 'magiclink', token_hash: made.body.token_hash } }),
    ),
  )
  expect([times(found, 'ok'), times(found, 'otp_expired')]).toEqual([1, 7])
})

test('guesses at once are no more than guesses one after another, and a right one before the limit is let in', async () => {
  const { at } = await newCloud()
  const email = newAddress()
  const guess = (nth: number) =>
    ask(at[nth % 2]!, 'POST', '/token?grant_type=password', { body: { email, password: `guess-${nth}` } })
  const found = codes(await many(24, guess))
  expect([times(found, 'invalid_credentials'), times(found, 'over_request_rate_limit')]).toEqual([10, 14])
  const later = await guess(0)
  expect(later.status).toBe(429)
  expect(Number(later.headers['retry-after'])).toBeGreaterThan(800)
})

test('a user who is blocked at one process is refused at the other', async () => {
  const { id, at } = await newCloud()
  const session = (await ask(at[0]!, 'POST', '/signup', { body: {} })).body
  const read = (nth: number) => ask(at[nth]!, 'GET', '/user', { token: session.access_token })
  expect([(await read(0)).status, (await read(1)).status]).toEqual([200, 200])
  await client.post(`/v1/cloud/${id}/users/${session.user.id}/block`, undefined)
  expect((await read(0)).status).toBe(401)
  await expect.poll(async () => (await read(1)).status).toBe(401)
})
