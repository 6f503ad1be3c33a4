/** What strangers of each other share nothing of: users of one app, and apps of one platform. */
import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, MovableClock, type TestCloud, type World } from '../harness/world.ts'
import { type SignedUp, signUp } from './app/sign-up.ts'
import { sentAgain } from './sent-again.ts'

let world: World
const clock = new MovableClock(Date.parse('2026-11-27T12:00:00Z'))
let one: TestCloud
let two: TestCloud
let a: SignedUp
let b: SignedUp
let c: SignedUp
beforeAll(async () => {
  world = await boot({ clock })
  one = await withRows()
  two = await withRows()
  a = await signUp(one)
  b = await signUp(one)
  c = await signUp(two)
  for (const [cloud, user] of [
    [one, a],
    [one, b],
    [two, c],
  ] as const) {
    await ask(cloud, user, 'POST', '/rest/v1/notes', { text: `secret of ${user.id}` })
    await ask(cloud, user, 'POST', '/files', {
      name: user.id,
      content_base64: Buffer.from(user.id).toString('base64'),
    })
  }
})
afterAll(() => world[Symbol.asyncDispose]())

async function withRows(): Promise<TestCloud> {
  const cloud = await world.newCloud('tenancy')
  const made = await cloud.client.post(`/v1/cloud/${cloud.id}/database`, {
    action: 'create_collection',
    name: 'notes',
  })
  expect(made.status, made.text).toBeLessThan(300)
  return cloud
}

interface Reply {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they were answered.
  body: any
}

async function ask(
  cloud: TestCloud,
  { headers }: Pick<SignedUp, 'headers'>,
  method: string,
  path: string,
  json?: unknown,
): Promise<Reply> {
  const reply = await sentAgain(fetch)(cloud.pathUrl + path, {
    method,
    headers: {
      ...headers,
      prefer: 'return=representation',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  }
}
const bearing = ({ publicKey }: TestCloud, token: string) => ({
  headers: { apikey: publicKey, authorization: `Bearer ${token}` },
})
const fileOf = async (cloud: TestCloud, user: SignedUp): Promise<string> =>
  (await ask(cloud, user, 'GET', '/files')).body.data[0].id
const rowOf = async (cloud: TestCloud, user: SignedUp): Promise<string> =>
  (await ask(cloud, user, 'GET', '/rest/v1/notes')).body[0].id

test('each user sees her own rows and files and nobody else’s, whatever she asks for', async () => {
  for (const [cloud, user] of [
    [one, a],
    [one, b],
    [two, c],
  ] as const) {
    for (const path of [
      '/rest/v1/notes',
      '/rest/v1/notes?text=like.secret*',
      `/rest/v1/notes?or=(owner_id.neq.${user.id},text.not.is.null)`,
    ]) {
      const { body } = await ask(cloud, user, 'GET', path)
      expect(body.map(({ text }: { text: string }) => text)).toEqual([`secret of ${user.id}`])
    }
    const { body } = await ask(cloud, user, 'GET', '/files')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual([user.id])
  }
})

test('another user’s row and file are not there to read, to change or to delete', async () => {
  const [row, file] = [await rowOf(one, b), await fileOf(one, b)]
  for (const [cloud, user] of [
    [one, a],
    [two, c],
  ] as const) {
    expect((await ask(cloud, user, 'GET', `/rest/v1/notes?id=eq.${row}`)).body).toEqual([])
    expect((await ask(cloud, user, 'PATCH', `/rest/v1/notes?id=eq.${row}`, { text: 'taken' })).body).toEqual(
      [],
    )
    expect((await ask(cloud, user, 'DELETE', `/rest/v1/notes?id=eq.${row}`)).body).toEqual([])
    for (const method of ['GET', 'DELETE'])
      expect((await ask(cloud, user, method, `/files/${file}`)).status).toBe(404)
    const forged = await ask(cloud, user, 'POST', '/rest/v1/notes', { text: 'x', owner_id: b.id })
    expect(forged.status).toBeGreaterThanOrEqual(400)
  }
  expect((await ask(one, b, 'GET', `/rest/v1/notes?id=eq.${row}`)).body[0].text).toBe(`secret of ${b.id}`)
  expect((await ask(one, b, 'GET', `/files/${file}`)).text).toBe(b.id)
})

test('the public key alone reads no private row, and opens, lists and stores no file', async () => {
  const file = await fileOf(one, a)
  for (const headers of [{ apikey: one.publicKey }, bearing(one, one.publicKey).headers]) {
    expect((await ask(one, { headers }, 'GET', '/rest/v1/notes')).body).toEqual([])
    for (const [method, path] of [
      ['GET', `/files/${file}`],
      ['GET', '/files'],
      ['DELETE', `/files/${file}`],
    ] as const)
      expect((await ask(one, { headers }, method, path)).status).toBe(401)
    const stored = await ask(one, { headers }, 'POST', '/files', { name: 'x', content_base64: '' })
    expect(stored.status).toBe(401)
  }
})

test('the service key of a cloud, which sees all of it, sees nothing of another one of the same account', async () => {
  const [row, file] = [await rowOf(one, b), await fileOf(one, b)]
  const service = { headers: { apikey: await two.serviceKey() } }
  expect((await ask(two, service, 'GET', '/rest/v1/notes')).body).toMatchObject([{ owner_id: c.id }])
  expect((await ask(two, service, 'GET', '/files')).body.data).toMatchObject([{ user_id: c.id }])
  expect((await ask(two, service, 'PATCH', `/rest/v1/notes?id=eq.${row}`, { text: 'taken' })).body).toEqual(
    [],
  )
  expect((await ask(two, service, 'DELETE', `/rest/v1/notes?id=eq.${row}`)).body).toEqual([])
  for (const method of ['GET', 'DELETE'])
    expect((await ask(two, service, method, `/files/${file}`)).status).toBe(404)
  for (const method of ['GET', 'DELETE'])
    expect((await ask(two, service, method, `/auth/v1/admin/users/${b.id}`)).status).toBe(404)
  for (const path of ['/rest/v1/notes', '/files', '/auth/v1/admin/users'])
    expect((await ask(one, service, 'GET', path)).status).toBe(401)
  expect((await ask(one, b, 'GET', `/rest/v1/notes?id=eq.${row}`)).body[0].text).toBe(`secret of ${b.id}`)
  expect((await ask(one, b, 'GET', `/files/${file}`)).text).toBe(b.id)
})

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

/** Tokens that somebody made without the key of the cloud: from one that it did sign, with all that another one says. */
function forgeries(token: string, wanted: string): Record<string, string> {
  const [head, body, signature] = token.split('.') as [string, string, string]
  const header = decode(head)
  const claims = decode(wanted.split('.')[1]!)
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (head: object, payload: object, by: (text: string) => string) => {
    const text = `${encode(head)}.${encode(payload)}`
    return `${text}.${by(text)}`
  }
  const es256 = (text: string) =>
    sign('sha256', Buffer.from(text), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    )
  const jwk = own.publicKey.export({ format: 'jwk' })
  const hmac = (secret: string) => (text: string) =>
    createHmac('sha256', secret).update(text).digest('base64url')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    'another user in the same signature': `${head}.${encode(claims)}.${signature}`,
    'a role that is not hers': `${head}.${encode({ ...decode(body), role: 'service_role' })}.${signature}`,
    'alg none': signed({ ...header, alg: 'none' }, claims, () => ''),
    'alg None without kid': signed({ alg: 'None' }, claims, () => ''),
    'no signature': `${head}.${encode(claims)}.`,
    'signed by a key of her own': signed(header, claims, es256),
    'a key of her own within': signed({ ...header, jwk, jku: 'https://a.example/jwks' }, claims, es256),
    'HS256 with the public key as its secret': signed(
      { ...header, alg: 'HS256' },
      claims,
      hmac(one.publicKey),
    ),
    'HS256 with the kid as its secret': signed({ ...header, alg: 'HS256' }, claims, hmac(header.kid)),
    RS256: signed({ ...header, alg: 'RS256' }, claims, (text) =>
      createSign('sha256').update(text).sign(rsa.privateKey, 'base64url'),
    ),
    'zeros for a signature': `${head}.${encode(claims)}.${Buffer.alloc(64).toString('base64url')}`,
    'padding behind': `${token}=`,
    'a fourth part': `${token}.x`,
    'nothing of a token': 'null',
    'thousands of letters': `${head}.${'a'.repeat(7_000)}.${signature}`,
  }
}

test('no forged token opens rows or files, of whichever kind it is', async () => {
  const file = await fileOf(one, b)
  for (const [kind, token] of Object.entries(forgeries(a.token, b.token)))
    for (const path of ['/rest/v1/notes', '/files', `/files/${file}`, '/auth/v1/user']) {
      const { status, text } = await ask(one, bearing(one, token), 'GET', path)
      expect([kind, path, status]).toEqual([
        kind,
        path,
        path.startsWith('/auth') ? expect.toBeOneOf([401, 403]) : 401,
      ])
      expect(text).not.toContain(b.id)
    }
})

test('a token of another cloud, and one that has expired, open nothing, also with the right key beside it', async () => {
  const foreign = [
    await ask(one, bearing(one, c.token), 'GET', '/rest/v1/notes'),
    await ask(two, bearing(two, a.token), 'GET', '/files'),
  ]
  expect(foreign.map(({ status }) => status)).toEqual([401, 401])
  expect(
    (
      await ask(
        one,
        { headers: { apikey: two.publicKey, authorization: `Bearer ${a.token}` } },
        'GET',
        '/files',
      )
    ).status,
  ).toBe(401)
  const { exp, iat } = decode(a.token.split('.')[1]!)
  clock.moveMs((exp - iat) * 1_000 - 1_000)
  expect((await ask(one, a, 'GET', '/files')).status).toBe(200)
  clock.moveMs(1_000)
  expect((await ask(one, a, 'GET', '/files')).status).toBe(401)
  expect((await ask(one, a, 'GET', '/rest/v1/notes')).status).toBe(401)
  clock.moveMs(-(exp - iat) * 1_000)
})

test('a session that was ended opens nothing from then on', async () => {
  const user = await signUp(one)
  expect((await ask(one, user, 'GET', '/files')).status).toBe(200)
  expect((await ask(one, user, 'POST', '/auth/v1/logout?scope=global')).status).toBe(204)
  expect((await ask(one, user, 'GET', '/files')).status).toBe(401)
  expect((await ask(one, user, 'GET', '/rest/v1/notes')).status).toBe(401)
})
