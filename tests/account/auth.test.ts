import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { isScope, revokeKey, scopes, setAccountState } from '#platform/auth'
import { isOfPeople } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { Client } from '../harness/client.ts'
import { startProcess } from '../harness/processes.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'

const denied = { status: 401, code: 'INVALID_API_KEY' }
const probe = '/v1/models'

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['only the scheme', 'Bearer'],
  ['another scheme', 'Basic a2hlcmFkOnB3'],
  ['no scheme', 'khr_0123456789012345678901234567890123456789'],
  ['another vendor’s key', 'Bearer sk-0123456789012345678901234567890123456789'],
  ['a short key', 'Bearer khr_short'],
  ['an unknown key', 'Bearer khr_0123456789012345678901234567890123456789'],
  ['an endless key', `Bearer khr_${'a'.repeat(5000)}`],
  [
    'two keys',
    'Bearer khr_0123456789012345678901234567890123456789 khr_0123456789012345678901234567890123456789',
  ],
  ['a key in other letters', 'Bearer khr_کلید۰۱۲۳۴۵۶۷۸۹۰۱۲۳۴۵۶۷۸۹۰۱۲۳۴۵۶۷۸۹'],
])('%s is 401 on every route that needs a key', async (_what, authorization) => {
  await using world = await sharedWorld()
  for (const route of routes) {
    const { method, path, scope } = route
    if (scope === 'public') continue
    // Where only people may ask, a request without any key is told to sign in.
    const code = authorization === undefined && isOfPeople(route) ? 'NOT_SIGNED_IN' : denied.code
    const header =
      authorization === undefined ? undefined : Buffer.from(authorization, 'utf8').toString('latin1')
    const url = world.url + path.replace(/\{\w+\}/, '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90')
    const response = await fetch(url, {
      method,
      headers: { ...(header !== undefined && { authorization: header }), 'content-type': 'application/json' },
      ...(method === 'POST' && { body: '{"messages":[{"role":"user","content":"a"}]}' }),
    })
    const text = await response.text()
    expectRefusal(
      { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
      { ...denied, code },
      `${method} ${path}`,
    )
  }
})

test('the name of the scheme may be written in any case', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  for (const authorization of [
    `Bearer ${key.secret}`,
    `bearer ${key.secret}`,
    `BEARER ${key.secret}`,
    `Bearer   ${key.secret} `,
  ]) {
    expect((await key.get(probe, { authorization })).status, authorization).toBe(200)
  }
  expectRefusal(await key.get(probe, { authorization: `Bearer ${key.secret.toUpperCase()}` }), denied)
})

test('x-api-key opens the routes of messages and models, and no others', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const direct = (path: string, secret = key.secret) =>
    fetch(world.url + path, { headers: { 'x-api-key': secret } })
  for (const path of [
    '/v1/models',
    '/v1/models/sandbox/fast',
    '/v1/models/sandbox%2Ffast',
    '/v1/messages/batches',
  ])
    expect((await direct(path)).status, path).toBe(200)
  expect((await direct('/v1/models', `${key.secret}x`)).status).toBe(401)
  for (const path of ['/v1/balance', '/v1/agents', '/v1/work'])
    expect((await direct(path)).status, path).toBe(401)
})

test('a revoked key is refused within a second, by another running process too', async () => {
  await using world = await boot()
  await using other = await startProcess({
    databaseUrl: world.app.config.databaseUrl as string,
    env: { KHERAD_LOG_LEVEL: 'silent' },
  })
  const key = await world.key()
  const there = new Client(other.url, key.secret, key.keyId)
  const neighbour = await world.key()
  for (const client of [key, there, neighbour]) expect((await client.get(probe)).status).toBe(200)

  await world.app.db.tx((tx) => revokeKey(tx, key.keyId, new Date()))
  for (const client of [key, there]) {
    const reply = await until(async () => {
      const seen = await client.get(probe)
      return seen.status === 200 ? undefined : seen
    })
    expectRefusal(reply, denied)
  }
  expectRefusal(await key.chat({}), denied)
  expect((await neighbour.get(probe)).status).toBe(200)
})

test('a key is good until the moment it expires and not after', async () => {
  const clock = new MovableClock()
  await using world = await boot({ clock })
  const key = await world.key({ expiresAt: new Date(clock.nowMs() + 60_000) })
  expect((await key.get(probe)).status).toBe(200)
  clock.moveMs(59_999)
  expect((await key.get(probe)).status).toBe(200)
  clock.moveMs(1)
  expectRefusal(await key.get(probe), denied)
  expectRefusal(await (await world.key({ expiresAt: new Date(clock.nowMs()) })).get(probe), denied)
})

describe('403', () => {
  test('a key without the scope of a route is told which one it lacks, before its body is looked at', async () => {
    await using world = await sharedWorld()
    const needed = new Set(routes.map(({ scope }) => scope).filter(isScope))
    for (const scope of needed) {
      const only = await world.key({ scopes: [scope] })
      for (const route of routes.filter((one) => one.scope === scope)) {
        const without = await world.key({
          scopes: scopes.filter((one) => one !== scope && one !== route.orScope),
        })
        const path = route.path.replace(/\{\w+\}/, 'x')
        const body = route.method === 'POST' ? 'not json' : undefined
        const reply = await without.request(route.method, path, body)
        expectRefusal(reply, { status: 403, code: 'INSUFFICIENT_SCOPE' }, `${route.method} ${path}`)
        expect(reply.body.error.message).toContain(scope)
        expect([401, 403], `${route.method} ${path}`).not.toContain(
          (await only.request(route.method, path, body)).status,
        )
      }
    }
    for (const { method, path, orScope } of routes.filter((one) => one.orScope)) {
      const instead = await world.key({ scopes: [orScope!] })
      const body = method === 'POST' ? 'not json' : undefined
      expect([401, 403]).not.toContain((await instead.request(method, path, body)).status)
    }
    expectRefusal(await (await world.key({ scopes: [] })).get(probe), {
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
    })
  })

  test('what is read, written, run or published of a cloud needs the scope that says so', () => {
    const scopeOf = (method: string, path: string): string => {
      if (path.includes('/sites')) return method === 'GET' ? 'cloud:read' : 'cloud:hosting'
      if (/\/functions(?:\/|$)/.test(path) && !(method === 'GET' && path.endsWith('/functions')))
        return 'cloud:functions'
      const isPrivate = /\/(?:users|keys|links|export)(?:\/|$)/.test(path)
      return method === 'GET' && !isPrivate ? 'cloud:read' : 'cloud:write'
    }
    const found = routes.filter(({ path }) => /^\/v1\/(?:cloud|sites)(?:\/|$)/.test(path))
    expect(found.length).toBeGreaterThan(35)
    for (const { method, path, scope } of found)
      expect(`${method} ${path} ${scope}`).toBe(`${method} ${path} ${scopeOf(method, path)}`)
  })

  test('a suspended account is refused within a second and served again when it is active', async () => {
    await using world = await sharedWorld()
    const key = await world.key()
    const before = await world.balance()
    expect((await key.get(probe)).status).toBe(200)
    await world.app.db.tx((tx) => setAccountState(tx, world.account, 'suspended'))
    const reply = await until(async () => {
      const seen = await key.get(probe)
      return seen.status === 200 ? undefined : seen
    })
    expectRefusal(reply, { status: 403, code: 'ACCOUNT_SUSPENDED' })
    expectRefusal(await key.chat({}), { status: 403, code: 'ACCOUNT_SUSPENDED' })
    expectRefusal(await (await world.key()).chat({}), { status: 403, code: 'ACCOUNT_SUSPENDED' })
    expect(await world.balance()).toEqual(before)
    await world.app.db.tx((tx) => setAccountState(tx, world.account, 'active'))
    await until(async () => (await key.get(probe)).status === 200)
  })

  test('a model outside the key’s list is refused, the default one too, and nothing is held', async () => {
    await using world = await sharedWorld()
    const key = await world.key({ models: ['sandbox/omni'] })
    const before = await world.balance()
    expectRefusal(await key.chat({ model: 'sandbox/fast' }), {
      status: 403,
      code: 'MODEL_NOT_ALLOWED',
      param: 'model',
    })
    expectRefusal(await key.chat({}), { status: 403, code: 'MODEL_NOT_ALLOWED', param: 'model' })
    expect(await world.balance()).toEqual(before)
    expect((await key.chat({ model: 'sandbox/omni' })).status).toBe(200)
  })
})

describe('the database', () => {
  /** A way to the database that can be cut. */
  async function cuttable(databaseUrl: string) {
    const real = new URL(databaseUrl)
    const open = new Set<Socket>()
    let whole = true
    const server = createServer((inner) => {
      if (!whole) return void inner.destroy()
      const folder = real.searchParams.get('host')
      const outer = folder?.startsWith('/')
        ? connect(`${folder}/.s.PGSQL.${real.searchParams.get('port') ?? (real.port || 5432)}`)
        : connect(Number(real.port || 5432), real.hostname)
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        open.add(from)
        from.on('error', () => to.destroy()).on('close', () => to.destroy())
        from.pipe(to)
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(databaseUrl)
    url.searchParams.delete('host')
    url.searchParams.delete('port')
    url.hostname = '127.0.0.1'
    url.port = String((server.address() as { port: number }).port)
    const cut = (): void => {
      whole = false
      for (const socket of open) socket.destroy()
      open.clear()
    }
    return {
      url: url.href,
      cut,
      mend() {
        whole = true
      },
      async [Symbol.asyncDispose]() {
        cut()
        server.close()
      },
    }
  }

  test('while it is away every key gets 503 with a time to come back and none 401; back again, all is well without a restart', async () => {
    await using world = await boot()
    await using way = await cuttable(world.app.config.databaseUrl as string)
    await using server = await startProcess({ databaseUrl: way.url, env: { KHERAD_LOG_LEVEL: 'silent' } })
    const known = await world.key()
    const fresh = await world.key()
    const [cached, unseen] = [known, fresh].map(
      ({ secret, keyId }) => new Client(server.url, secret, keyId),
    ) as [Client, Client]
    expect((await cached.get(probe)).status).toBe(200)

    way.cut()
    const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE' }
    // A key that is known may be served until the loss is noticed; then nobody can say whether it is still good.
    await until(async () => (await cached.get(probe)).status === 503)
    for (const reply of [
      await cached.get(probe),
      await unseen.get(probe),
      await unseen.chat({}),
      await cached.get('/v1/balance'),
      await cached.get('/health/ready'),
    ]) {
      expectRefusal(reply, unavailable)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(reply.headers.get('retry-after-ms'))).toBeGreaterThan(0)
      expect(reply.headers.get('x-should-retry')).not.toBe('false')
    }
    expect((await cached.get('/health/live')).status).toBe(200)
    // What cannot be a key is still refused as such.
    expectRefusal(await cached.get(probe, { authorization: 'Bearer nothing' }), denied)

    way.mend()
    for (const key of [cached, unseen]) await until(async () => (await key.get(probe)).status === 200)
    expect(
      (
        await until(async () => {
          const reply = await unseen.chat({})
          return reply.status === 200 ? reply : undefined
        })
      ).status,
    ).toBe(200)
    await world.settled()
    expect(server.child.exitCode).toBeNull()
  })

  test('closed by its operator it is away as well, and opened again all is well', async () => {
    await using world = await boot()
    const key = await world.key()
    const database = new URL(world.app.config.databaseUrl as string).pathname.slice(1)
    const admin = new pg.Client(inject('postgres').adminUrl)
    await admin.connect()
    try {
      await admin.query(`alter database ${database} allow_connections false`)
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        database,
      ])
      await until(async () => (await key.get(probe)).status === 503)
      expectRefusal(await key.chat({}), { status: 503, code: 'SERVICE_UNAVAILABLE' })
      expectRefusal(await key.get('/v1/balance'), { status: 503, code: 'SERVICE_UNAVAILABLE' })
    } finally {
      await admin.query(`alter database ${database} allow_connections true`)
      await admin.end()
    }
    await until(async () => (await key.chat({})).status === 200)
  })

  test('is not asked about a key that is known', async () => {
    await using world = await boot()
    const known = await world.key()
    const unseen = await world.key()
    // Remembered from the first request on which the key ring was listening.
    await until(async () => (await askedAbout(world, () => known.get(probe))) === 0)
    const client = await world.app.db.pool.connect()
    try {
      await client.query('begin; lock table auth.keys, auth.accounts, auth.projects in access exclusive mode')
      for (let i = 0; i < 20; i++) expect((await known.get(probe)).status).toBe(200)
      expect((await known.chat({})).status).toBe(200)
      // The lock does bite: a key that is not known has to wait for it.
      const waiting = unseen.get(probe)
      await until(
        async () =>
          (
            await world.app.db.query(
              {
                text: "select 1 from pg_locks where database = (select oid from pg_database where datname = current_database()) and not granted and relation = 'auth.keys'::regclass",
              },
              [],
            )
          ).length > 0,
      )
      await client.query('rollback')
      expect((await waiting).status).toBe(200)
    } finally {
      client.release()
    }
  })

  /** How many statements of the process went to the database during `call`. */
  async function askedAbout(world: World, call: () => Promise<unknown>): Promise<number> {
    const { pool } = world.app.db
    const query = pool.query
    let asked = 0
    const counting = (...parameters: unknown[]): unknown => {
      if (JSON.stringify(parameters[0]).includes('auth.keys')) asked++
      return Reflect.apply(query, pool, parameters)
    }
    Object.assign(pool, { query: counting })
    try {
      await call()
      return asked
    } finally {
      Object.assign(pool, { query })
    }
  }
})
