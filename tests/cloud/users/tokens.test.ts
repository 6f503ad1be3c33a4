/** Tokens of app users: what is forged, expired, of another cloud or for another purpose opens nothing. */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockUser, verifyAccessToken } from '#cloud/app-users'
import { openSigningKey } from '#cloud/clouds'
import { boot, MovableClock, type TestCloud, type World } from '../../harness/world.ts'
import { ask, newAddress, newClient, password } from './app.ts'

let world: World
let one: TestCloud
let other: TestCloud
let service: string
const clock = new MovableClock()
beforeAll(async () => {
  world = await boot({ clock })
  one = await world.newCloud('one')
  other = await world.newCloud('other')
  service = await one.serviceKey()
})
afterAll(() => world[Symbol.asyncDispose]())

async function signedUp(cloud = one) {
  const email = newAddress()
  const { data } = await newClient(cloud).auth.signUp({ email, password })
  return { email, id: data.user!.id, session: data.session! }
}

const read = (token: string, cloud = one) => ask(cloud, 'GET', '/user', { token })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))

/** Signed with this key, whatever the header says. */
function es256(header: object, claims: object, key: KeyObject): string {
  const signed = `${part(header)}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

const keyOf = async (cloud: TestCloud) => {
  const live = await world.app.clouds.find(cloud.ref)
  return { live: live!, ...(await openSigningKey(world.app, live!)) }
}

describe('an access token is refused', () => {
  test('with alg none, in every spelling', async () => {
    const { session } = await signedUp()
    const [header, claims] = partsOf(session.access_token)
    for (const alg of ['none', 'None', 'NONE', '', null])
      for (const end of ['', session.access_token.split('.')[2]]) {
        const { status, body } = await read(`${part({ ...header, alg })}.${part(claims)}.${end}`)
        expect({ alg, status, code: body.code }).toEqual({ alg, status: 401, code: 'bad_jwt' })
      }
  })

  test('signed by HMAC with the public key, in all its forms', async () => {
    const { session } = await signedUp()
    const [header, claims] = partsOf(session.access_token)
    const { live } = await keyOf(one)
    const jwk = live.signingKeys[0]!.publicJwk
    const key = createPublicKey({ key: jwk as never, format: 'jwk' })
    const forms = [
      JSON.stringify(jwk),
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      Buffer.from(jwk['x']!, 'base64url'),
    ]
    for (const form of forms) {
      const signed = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`
      const signature = createHmac('sha256', form).update(signed).digest('base64url')
      expect((await read(`${signed}.${signature}`)).status).toBe(401)
    }
  })

  test('signed by a key that its header brings along, or of another cloud under the kid of this one', async () => {
    const { session } = await signedUp()
    const [header, claims] = partsOf(session.access_token)
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = own.publicKey.export({ format: 'jwk' })
    const theirs = await keyOf(other)
    for (const forged of [
      es256({ ...header, jwk }, claims, own.privateKey),
      es256({ ...header, jku: 'https://evil.example/jwks.json' }, claims, own.privateKey),
      es256(header, claims, own.privateKey),
      es256(header, claims, theirs.privateKey),
      es256({ ...header, kid: theirs.kid }, claims, theirs.privateKey),
      es256({ ...header, kid: undefined }, claims, theirs.privateKey),
      es256({ ...header, kid: '../../etc/passwd' }, claims, own.privateKey),
      es256({ ...header, kid: ['a'] }, claims, own.privateKey),
    ])
      expect((await read(forged)).status).toBe(401)
  })

  test('of another cloud, and here one of this cloud by its own key whose claims or header are not those of access', async () => {
    const theirs = await signedUp(other)
    expect((await read(theirs.session.access_token)).status).toBe(401)
    expect((await read(theirs.session.access_token, other)).status).toBe(200)
    const { session } = await signedUp()
    const [header, claims] = partsOf(session.access_token)
    const { privateKey } = await keyOf(one)
    // The same claims signed again are valid: so it is the changed one that is refused.
    expect((await read(es256(header, claims, privateKey))).status).toBe(200)
    const changes: [string, unknown][] = [
      ['iss', `${other.url}/auth/v1`],
      ['aud', 'anon'],
      ['aud', ['authenticated']],
      ['ref', other.ref],
      ['purpose', 'refresh'],
      ['purpose', undefined],
      ['role', 'service_role'],
      ['sub', 'x'],
      ['sub', '00000000-0000-4000-8000-000000000000'],
      ['session_id', undefined],
      ['session_id', '00000000-0000-7000-8000-000000000000'],
      ['exp', undefined],
      ['exp', '9999999999'],
    ]
    for (const [name, value] of changes)
      expect([
        name,
        value,
        (await read(es256(header, { ...claims, [name]: value }, privateKey))).status,
      ]).toEqual([name, value, 401])
    const { kid } = await keyOf(other)
    for (const more of [
      ...['none', 'HS256', 'ES384', 'es256', undefined].map((alg) => ({ alg })),
      ...[kid, undefined, [header.kid]].map((one) => ({ kid: one })),
      { crit: ['x'] },
    ])
      expect([more, (await read(es256({ ...header, ...more }, claims, privateKey))).status]).toEqual([
        more,
        401,
      ])
  })

  test('with one bit of it changed, cut, doubled, or in another spelling of the same bytes', async () => {
    const { session } = await signedUp()
    const token = session.access_token
    const [head, body, signature] = token.split('.') as [string, string, string]
    const flipped = Buffer.from(signature, 'base64url')
    flipped[0]! ^= 1
    const zero = Buffer.alloc(64).toString('base64url')
    for (const wrong of [
      `${head}.${body}.${flipped.toString('base64url')}`,
      `${head}.${body}.${zero}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${token}.`,
      `${token}=`,
      `${token.slice(0, -1)}`,
      `${token}${token}`,
      '...',
      'a.b.c',
      'x'.repeat(7_000),
    ])
      expect([wrong.slice(0, 20), (await read(wrong)).status]).toEqual([wrong.slice(0, 20), 401])
  })

  test('in the second in which it expires, and not before', async () => {
    const { session } = await signedUp()
    const { exp } = partsOf(session.access_token)[1]
    clock.moveMs(exp * 1000 - 1 - clock.nowMs())
    expect((await read(session.access_token)).status).toBe(200)
    clock.moveMs(1)
    expect(await read(session.access_token)).toMatchObject({ status: 401, body: { code: 'bad_jwt' } })
  })

  test('of a user who is blocked or deleted, at once', async () => {
    const [blocked, deleted] = [await signedUp(), await signedUp()]
    expect((await read(blocked.session.access_token)).status).toBe(200)
    expect((await read(deleted.session.access_token)).status).toBe(200)
    const path = `/v1/cloud/${one.id}/users`
    expect((await one.client.post(`${path}/${blocked.id}/block`, undefined)).body.blocked).toBe(true)
    expect((await one.client.request('DELETE', `${path}/${deleted.id}`)).body.deleted).toBe(true)
    expect((await read(blocked.session.access_token)).status).toBe(401)
    expect((await read(deleted.session.access_token)).status).toBe(401)
    const refused = await newClient(one).auth.signInWithPassword({ email: blocked.email, password })
    expect(refused.error).toMatchObject({ code: 'user_banned', status: 403 })
    const refresh = { refresh_token: blocked.session.refresh_token }
    expect((await newClient(one).auth.refreshSession(refresh)).error).not.toBeNull()
    await one.client.post(`${path}/${blocked.id}/unblock`, undefined)
    expect(
      (await newClient(one).auth.signInWithPassword({ email: blocked.email, password })).error,
    ).toBeNull()
  })

  test('never for having been signed by the key that was rotated in', async () => {
    const cloud = await world.newCloud('rotated')
    const before = await signedUp(cloud)
    const rotated = await cloud.client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'signing' })
    expect(rotated.status).toBe(201)
    const after = await newClient(cloud).auth.signInWithPassword({ email: before.email, password })
    const kids = [before.session, after.data.session!].map(({ access_token }) => partsOf(access_token)[0].kid)
    expect(kids[0]).not.toBe(kids[1])
    expect((await read(after.data.session!.access_token, cloud)).status).toBe(200)
    const keys = await ask(cloud, 'GET', '/.well-known/jwks.json')
    expect(keys.body.keys.map(({ kid }: { kid: string }) => kid)).toContain(kids[1])
  })
})

test('the signing keys are read without a key and hold no private half', async () => {
  const response = await fetch(`${one.pathUrl}/auth/v1/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { keys: object[] }
  expect(Object.keys(keys[0]!).sort()).toEqual([
    'alg',
    'crv',
    'ext',
    'key_ops',
    'kid',
    'kty',
    'use',
    'x',
    'y',
  ])
})

describe('no token stands for another', () => {
  const kinds = [
    'access',
    'refresh',
    'recovery',
    'magiclink',
    'signup',
    'email_change',
    'public',
    'service',
  ] as const
  type Kind = (typeof kinds)[number]

  /** Where each is taken; which others are tried there. */
  const doors: Record<string, { takes: Kind[]; open(token: string): Promise<number> }> = {
    bearer: { takes: ['access'], open: async (token) => (await read(token)).status },
    refresh: {
      takes: ['refresh'],
      open: async (token) =>
        (await ask(one, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } }))
          .status,
    },
    pkce: {
      takes: [],
      open: async (token) =>
        (
          await ask(one, 'POST', '/token?grant_type=pkce', {
            body: { auth_code: token, code_verifier: 'x'.repeat(43) },
          })
        ).status,
    },
    ...Object.fromEntries(
      (['recovery', 'magiclink', 'signup', 'email_change', 'invite'] as const).map((type) => [
        `verify ${type}`,
        {
          takes: [type].filter((kind) => kind !== 'invite') as Kind[],
          open: async (token: string) =>
            (await ask(one, 'POST', '/verify', { body: { type, token_hash: token } })).status,
        },
      ]),
    ),
    apikey: {
      takes: ['public', 'service'],
      open: async (token) => (await ask(one, 'GET', '/settings', { key: token })).status,
    },
  }

  const admin = (path: string, body: object) => ask(one, 'POST', path, { key: service, body })
  async function make(kind: Kind): Promise<string> {
    const { email, session } = await signedUp()
    if (kind === 'access') return session.access_token
    if (kind === 'refresh') return session.refresh_token
    if (kind === 'public') return one.publicKey
    if (kind === 'service') return service
    const type = kind === 'email_change' ? 'email_change_new' : kind
    const fresh = kind === 'signup' ? newAddress() : email
    const made = await admin('/admin/generate_link', {
      type,
      email: fresh,
      new_email: newAddress(),
      password,
    })
    expect(made.status).toBe(200)
    return made.body.hashed_token
  }

  test.each(kinds)('a token of kind %s opens its own door and no other', async (kind) => {
    const token = await make(kind)
    // Its own door comes last: a token that acts once would be refused at the others for that alone.
    const ordered = Object.entries(doors).toSorted(
      ([, one], [, two]) => Number(one.takes.includes(kind)) - Number(two.takes.includes(kind)),
    )
    for (const [door, { takes, open }] of ordered) {
      const status = await open(token)
      const isRefused = status >= 400 && status < 500
      expect([door, takes.includes(kind) ? status : isRefused]).toEqual([
        door,
        takes.includes(kind) ? 200 : true,
      ])
    }
  })
})

test('the project’s own key opens nothing at the address of a cloud', async () => {
  const { secret } = await world.key()
  expect((await ask(one, 'GET', '/settings', { key: secret })).status).toBe(401)
})

test('a session that ended in another process is refused here', async () => {
  const { id, session } = await signedUp()
  const live = (await world.app.clouds.find(one.ref))!
  await verifyAccessToken(world.app, live, session.access_token)
  // As another process would: without the call that makes this one forget.
  const elsewhere = { ...world.app, appUsers: { ...world.app.appUsers, forget: () => undefined } }
  await blockUser(elsewhere as never, live, id)
  await expect
    .poll(() =>
      verifyAccessToken(world.app, live, session.access_token).catch((error: { code: string }) => error.code),
    )
    .toBe('APP_USER_SESSION_ENDED')
})
