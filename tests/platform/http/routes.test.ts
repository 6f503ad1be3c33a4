/** What a route may declare beyond path and scope: its host, the browser pages that may read it, its credentials, PUT. */

import { Validator } from '@seriousme/openapi-schema-validator'
import { Type } from 'typebox'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeyRing } from '#platform/auth'
import { fail } from '#platform/errors'
import type { HttpApp, Route } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import { open, route, type Served, serve } from './served.ts'

const Reply = Type.Object({ reply: Type.String() }, { additionalProperties: false })
const Slug = Type.Object({ slug: Type.String({ maxLength: 63 }) })
const SlugAndName = Type.Object({ slug: Type.String(), name: Type.String({ maxLength: 20 }) })
const sites = '{slug}.sites.test'

const named = (name: string, more: Partial<Route<HttpApp>>): Route<HttpApp> =>
  route({
    ...open,
    method: 'GET',
    path: '/page',
    operation: `test.${name}`,
    reply: { 200: Reply },
    errors: ['NOT_FOUND'],
    handle: () => ({ reply: name }),
    ...(more as object),
  })

const routes: Route<HttpApp>[] = [
  named('everywhere', {}),
  named('own', { path: '/only-here' }),
  route({
    ...open,
    method: 'GET',
    host: sites,
    path: '/page',
    operation: 'test.site',
    params: Slug,
    reply: { 200: Reply },
    errors: [],
    handle: ({ params }) => ({ reply: params.slug }),
  }),
  route({
    ...open,
    method: 'GET',
    host: sites,
    path: '/files/{name}',
    operation: 'test.siteFile',
    cors: ({ params, origin }) => {
      if (params['name']!.length > 20) throw new Error('a parameter that was not checked')
      return origin === `https://${params['slug']}.${params['name']}.test`
    },
    params: SlugAndName,
    reply: { 200: Reply },
    errors: [],
    handle: ({ params }) => ({ reply: `${params.slug} ${params.name}` }),
  }),
  route({
    ...open,
    method: 'GET',
    host: '{siteName}.Sites.test',
    path: '/named-otherwise',
    operation: 'test.siteNamed',
    params: Type.Object({ siteName: Type.String() }),
    reply: { 200: Reply },
    errors: [],
    handle: ({ params }) => ({ reply: params.siteName }),
  }),
  named('reserved', { host: 'api.sites.test' }),
  named('anybody', { path: '/any', cors: 'any' }),
  named('nobody', { path: '/none', cors: 'none', scope: 'any' }),
  named('refused', { path: '/refused', cors: 'any', handle: () => fail('NOT_FOUND', {}) }),
  named('keysOnly', { path: '/keys', scope: 'any' }),
  named('people', { path: '/people', scope: 'any', credentials: ['key', 'device'] }),
  route({
    ...open,
    method: 'PUT',
    path: '/things/{name}',
    operation: 'test.put',
    params: Type.Object({ name: Type.String() }),
    body: Reply,
    reply: { 200: Reply },
    errors: [],
    handle: ({ params, body }) => ({ reply: `${params.name} ${body.reply}` }),
  }),
]

let served: Served
const agent = new Agent()
beforeAll(async () => {
  served = await serve(() => routes)
})
afterAll(async () => {
  expect(served.violations).toEqual([])
  await agent.close()
  await served[Symbol.asyncDispose]()
})

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const {
    statusCode,
    headers: named,
    body,
  } = await request(served.url + path, {
    method: method as 'GET',
    headers,
    dispatcher: agent,
  })
  const text = await body.text()
  return { status: statusCode, headers: named, body: text && JSON.parse(text) }
}

describe('a host of its own', () => {
  test.each([
    ['a.sites.test', 'a'],
    ['A-1.Sites.Test:8080', 'a-1'],
    ['a.sites.test.', 'a'],
    ['api.sites.test', 'reserved'],
    ['other.test', 'everywhere'],
    ['sites.test', 'everywhere'],
    ['a.b.sites.test', 'everywhere'],
    ['-.sites.test', 'everywhere'],
  ])('%s is answered by %s', async (host, reply) => {
    const { status, body } = await ask('/page', { host })
    expect([status, body.reply]).toEqual([200, reply])
  })

  test('knows no path of another, neither for its routes nor for its refusals', async () => {
    for (const [host, path, method, status] of [
      ['a.sites.test', '/only-here', 'GET', 404],
      ['a.sites.test', '/keys', 'GET', 404],
      ['other.test', '/files/x', 'GET', 404],
      ['a.sites.test', '/files/x', 'DELETE', 405],
      ['other.test', '/files/x', 'DELETE', 404],
    ] as const)
      expect((await ask(path, { host }, method)).status, `${method} ${host}${path}`).toBe(status)
    expect((await ask('/files/x', { host: 'a.sites.test' })).body.reply).toBe('a x')
    expect((await ask('/page', { host: 'a.sites.test' }, 'HEAD')).status).toBe(200)
  })

  test('may be written by each route with names and letters of its own', async () => {
    const host = 'a.sites.test'
    expect((await ask('/named-otherwise', { host })).body.reply).toBe('a')
    expect((await ask('/page', { host })).body.reply).toBe('a')
  })
})

describe('pages of other origins', () => {
  const page = { origin: 'https://page.test' }
  const preflight = (path: string, headers: Record<string, string>) =>
    ask(path, { 'access-control-request-method': 'GET', ...headers }, 'OPTIONS')

  test('any of them reads a route that says so, its refusals too, and never with credentials', async () => {
    for (const path of ['/any', '/refused']) {
      const { headers } = await ask(path, page)
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    const allowed = await preflight('/any', page)
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(allowed.headers['access-control-allow-methods']).toBe('GET, HEAD')
  })

  test('none reads a route that says so, and by default the keys decide', async () => {
    const listed = await served.world.key()
    await served.world.app.db.query({ text: 'update auth.keys set origins = $1 where key_id = $2' }, [
      [page.origin],
      listed.keyId,
    ])
    const authorization = `Bearer ${listed.secret}`
    const none = await ask('/none', { ...page, authorization })
    expect([none.status, none.headers['access-control-allow-origin']]).toEqual([200, undefined])
    expect((await preflight('/none', page)).status).toBe(405)
    const listing = await ask('/keys', { ...page, authorization })
    expect([listing.status, listing.headers['access-control-allow-origin']]).toEqual([200, page.origin])
    expect((await ask('/none', { origin: 'https://evil.test', authorization })).status).toBe(403)
  })

  test('a function of what stands in host and path lets some in', async () => {
    const host = 'a.sites.test'
    const own = { host, origin: 'https://a.x.test' }
    const read = await ask('/files/x', own)
    expect([read.headers['access-control-allow-origin'], read.headers['vary']]).toEqual([
      own.origin,
      'Origin',
    ])
    expect((await preflight('/files/x', own)).headers['access-control-allow-origin']).toBe(own.origin)
    const wrong = `/files/${'x'.repeat(21)}`
    expect((await ask(wrong, own)).status).toBe(404)
    expect((await preflight(wrong, own)).status).toBe(405)
    const other = { host, origin: 'https://a.y.test' }
    expect((await ask('/files/x', other)).headers['access-control-allow-origin']).toBeUndefined()
    expect((await preflight('/files/x', other)).status).toBe(405)
  })
})

test('a route takes keys, and other credentials only where it names them', async () => {
  const { world } = served
  const caller = await world.app.keys.caller((await world.key()).secret)
  expect(caller.kind).toBe('key')
  const { keys: ring } = world.app
  const keys: KeyRing = {
    cachedCaller: () => undefined,
    caller: async () => ({ ...caller, kind: 'device' }),
    callerOf: (accountId, keyId) => ring.callerOf(accountId, keyId),
    presentCallerOf: (accountId, keyId) => ring.presentCallerOf(accountId, keyId),
    projectOf: (one, id) => ring.projectOf(one, id),
    noteUse: (one) => ring.noteUse(one),
    isListedOrigin: (origin) => ring.isListedOrigin(origin),
    [Symbol.asyncDispose]: async () => undefined,
  }
  await using people = await serve(() => routes, { instead: () => ({ keys }) })
  expect((await fetch(`${people.url}/people`)).status).toBe(200)
  expect((await fetch(`${people.url}/keys`)).status).toBe(401)
})

test('two hosts may have the same path and method: the document has both', async () => {
  const twice = ['x.test', '{slug}.y.test', undefined].map((host, at) =>
    route({
      ...open,
      method: 'GET',
      path: '/same/{name}',
      ...(host !== undefined && { host }),
      operation: `test.same${at}`,
      params: Type.Object({ name: Type.String(), slug: Type.Optional(Type.String()) }),
      reply: { 200: Reply },
      errors: [],
      handle: () => ({ reply: 'x' }),
    }),
  )
  const document = openApiOf(twice, 'http://x') as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  expect(operations.map(({ operationId }) => operationId)).toEqual(['test.same0', 'test.same1', 'test.same2'])
  expect(Object.keys(document.paths)).toEqual([
    '/same/{name}',
    '/same/{name}#test.same1',
    '/same/{name}#test.same2',
  ])
  expect(document.paths['/same/{name}#test.same1']!['get']).toMatchObject({
    servers: [{ url: 'https://{slug}.y.test' }],
    parameters: [{ name: 'name', in: 'path' }],
  })
  const { errors } = await new Validator().validate(structuredClone(document))
  expect(errors ?? []).toEqual([])
})

test('PUT is a method as any other', async () => {
  const reply = await fetch(`${served.url}/things/a`, { method: 'PUT', body: JSON.stringify({ reply: 'b' }) })
  expect([reply.status, await reply.json()]).toEqual([200, { reply: 'a b' }])
  const wrong = await fetch(`${served.url}/things/a`, { method: 'PUT', body: '{}' })
  expect(wrong.status).toBe(400)
  expect((await ask('/things/a', {}, 'GET')).headers['allow']).toBe('PUT')
})

test('the document reports hosts and credentials', () => {
  const { paths } = openApiOf(routes, 'http://x') as { paths: Record<string, Record<string, unknown>> }
  expect(paths['/files/{name}']!['get']).toMatchObject({
    servers: [{ url: `https://${sites}`, variables: { slug: { default: 'slug' } } }],
  })
  expect(paths['/people']!['get']).toMatchObject({ 'x-credentials': ['key', 'device'] })
  expect(paths['/things/{name}']!['put']).toBeDefined()
})
