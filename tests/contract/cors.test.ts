/** CORS: keys that list origins answer pages of those origins; no other key sends CORS headers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOrigin, revokeKey, setAccountState, setKey } from '#platform/auth'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { expectRefusal } from './refusal.ts'

const page = 'https://app.example.com'
const other = 'https://other.example.com'
const chatPath = '/v1/chat/completions'

let world: World
let clock: MovableClock
beforeAll(async () => {
  clock = new MovableClock()
  world = await boot({ clock })
})
afterAll(async () => await world[Symbol.asyncDispose]())

const setOrigins = (key: Client, origins: readonly string[] | null) =>
  world.app.db.tx((tx) => setKey(tx, key.keyId, { origins }))

/** As a browser sends it: without a key. */
const preflight = (origin: string, path = chatPath, method = 'POST') =>
  fetch(`${world.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,x-stainless-os',
    },
  })
const isAnswered = async (origin: string): Promise<boolean> => (await preflight(origin)).status === 204

test('a preflight is answered for the origins of all keys that live, and for no other', async () => {
  // Pages of this test alone: other keys may list the others.
  const [page, other] = ['https://first.example.com', 'https://second.example.com']
  const [one, two] = [await world.key(), await world.key()]
  expect(await isAnswered(page)).toBe(false)
  await setOrigins(one, [page])
  await setOrigins(two, [other, page])
  await until(() => isAnswered(other))
  const reply = await preflight(page)
  expect(reply.status).toBe(204)
  const { headers } = reply
  expect(headers.get('access-control-allow-origin')).toBe(page)
  expect(headers.get('access-control-allow-methods')).toBe('POST')
  expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-os')
  expect(headers.get('vary')).toContain('Origin')
  expect((await preflight(page, '/v1/files/x', 'DELETE')).headers.get('access-control-allow-methods')).toBe(
    'GET, HEAD, DELETE',
  )
  // What no key lists, what is no preflight, and what is no path.
  const stranger = await preflight('https://evil.example')
  expect(stranger.status).toBe(405)
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
  const bare = await fetch(`${world.url}${chatPath}`, { method: 'OPTIONS', headers: { origin: page } })
  expect(bare.status).toBe(405)
  expect((await preflight(page, '/v1/nothing')).status).toBe(404)
  // The last key that lists it is revoked.
  await world.app.db.tx((tx) => revokeKey(tx, two.keyId, new Date(clock.nowMs())))
  await until(async () => !(await isAnswered(other)))
  expect(await isAnswered(page)).toBe(true)
  await setOrigins(one, null)
  await until(async () => !(await isAnswered(page)))
})

test('an origin is no longer answered once its key has ended or its account is suspended', async () => {
  const ending = 'https://ending.example.com'
  const key = await world.key({ expiresAt: new Date(clock.nowMs() + 60_000) })
  await setOrigins(key, [ending])
  await until(() => isAnswered(ending))
  clock.moveMs(60_001)
  expect(await isAnswered(ending)).toBe(false)
  const lasting = await world.key()
  await setOrigins(lasting, [ending])
  await until(() => isAnswered(ending))
  await world.app.db.tx((tx) => setAccountState(tx, world.account, 'suspended'))
  await until(async () => !(await isAnswered(ending)))
  await world.app.db.tx((tx) => setAccountState(tx, world.account, 'active'))
  await until(() => isAnswered(ending))
})

test('a request of a page is answered by a key that lists its origin, and may be read, whole and streamed', async () => {
  const key = await world.key()
  await setOrigins(key, [page])
  await until(async () => (await key.get('/v1/balance', { origin: page })).headers.has('vary'))
  for (const reply of [
    await key.get('/v1/balance', { origin: page }),
    await key.chat({}, { origin: page }),
    await key.chat({ stream: true }, { origin: page }),
    await key.chat({ n: 2 }, { origin: page }),
  ]) {
    expect(reply.headers.get('access-control-allow-origin'), reply.text.slice(0, 100)).toBe(page)
    expect(reply.headers.get('vary')).toContain('Origin')
    const exposed = reply.headers.get('access-control-expose-headers')!.toLowerCase().split(', ')
    for (const name of [
      'x-request-id',
      'x-credits',
      'x-microcredits',
      'idempotent-replayed',
      'retry-after',
      'x-max-output-tokens',
      'x-clamped-fields',
      'x-ignored-fields',
    ])
      expect(exposed).toContain(name)
  }
  // A server that uses the same key sends no Origin and sees no difference.
  const plain = await key.get('/v1/balance')
  expect(plain.status).toBe(200)
  expect(plain.headers.get('access-control-allow-origin')).toBeNull()
})

test('a key refuses every origin that it does not list, also one that another key lists, before anything is spent', async () => {
  const [one, two] = [await world.key(), await world.key()]
  await setOrigins(one, [page])
  await setOrigins(two, [other])
  await until(async () => (await one.get('/v1/balance', { origin: other })).status === 403)
  await world.settled()
  const before = await world.balance()
  for (const origin of [
    other,
    'https://evil.example',
    'null',
    `${page}.evil.example`,
    'http://app.example.com',
  ])
    for (const language of ['en', 'fa']) {
      const reply = await one.chat({}, { origin, 'accept-language': language })
      expectRefusal(reply, { status: 403, code: 'ORIGIN_NOT_ALLOWED' })
      expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    }
  expect(await world.balance()).toEqual(before)
})

test('a key without a list is as it always was, whatever Origin comes', async () => {
  const key = await world.key()
  for (const origin of [page, 'https://anything.example', 'null']) {
    const reply = await key.chat({}, { origin })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(reply.headers.get('access-control-expose-headers')).toBeNull()
  }
})

test('a page whose key is wrong may read that it is', async () => {
  const key = await world.key()
  await setOrigins(key, [page])
  await until(() => isAnswered(page))
  const refused = await key.get('/v1/balance', { origin: page, authorization: 'Bearer khr_wrong' })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('access-control-allow-origin')).toBe(page)
  const stranger = await key.get('/v1/balance', { origin: 'https://evil.example', authorization: 'x' })
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
})

test.each([
  ['https://app.example.com', 'https://app.example.com'],
  [' HTTPS://App.Example.com/ ', 'https://app.example.com'],
  ['https://app.example.com:443', 'https://app.example.com'],
  ['http://localhost:5173', 'http://localhost:5173'],
  ['tauri://localhost', 'tauri://localhost'],
  ['https://مثال.ایران', 'https://xn--mgbh0fb.xn--mgba3a4f16a'],
  ['*', undefined],
  ['null', undefined],
  ['app.example.com', undefined],
  ['https://app.example.com/path', undefined],
  ['https://user@app.example.com', undefined],
  ['https://', undefined],
  [`https://${'a'.repeat(250)}.com`, undefined],
])('%s is kept as browsers write it: %s', (typed, normalized) => {
  expect(readOrigin(typed)).toBe(normalized)
})
