/** When a cookie counts: for pages of our own origin alone, and never beside a key. */
import { once } from 'node:events'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { endSession, openSession } from '#account/people'
import { browserHashOf, endedSessionCookie, requirePerson, sessionCookie, socketStream } from '#platform/http'
import { sha256 } from '#platform/secrets'
import { Browser, type Member, newMember, newPerson } from '../../harness/session.ts'
import { open, route, type Served, serve, socketRoute } from '../../platform/http/served.ts'

const Reply = Type.Object({ caller: Type.String(), project: Type.String() })
const keyHeader = { scheme: 'x', header: 'x-api-key', description: 'A key.' }
const keyProtocol = { scheme: 'p', header: 'sec-websocket-protocol', prefix: 'key.', description: 'A key.' }
const base = { ...open, reply: { 200: Reply }, errors: [] as never[] } as const
const spend = { ...base, scope: 'responses:write', keySources: [keyHeader] } as const

const seen = ({ caller }: { caller: { kind: string; projectId: string } }) => ({
  caller: caller.kind,
  project: caller.projectId,
})

const routes = [
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
    route({ ...spend, method, path: '/spend', operation: `test.spend${method}`, handle: seen }),
  ),
  route({
    ...spend,
    method: 'POST',
    path: '/form',
    operation: 'test.form',
    upload: { fields: Type.Object({}), files: { file: 1 }, maxBytes: 1_000, isOptional: true },
    handle: seen,
  }),
  route({ ...base, method: 'GET', path: '/me', scope: 'person', operation: 'test.me', handle: seen }),
  route({
    ...base,
    method: 'POST',
    path: '/members',
    scope: 'members:write',
    stepUp: true,
    operation: 'test.members',
    handle: seen,
  }),
  route({
    ...base,
    method: 'GET',
    path: '/keysonly',
    scope: 'any',
    credentials: ['key'],
    operation: 'test.keys',
    handle: seen,
  }),
  route({
    ...base,
    method: 'POST',
    path: '/enter',
    operation: 'test.enter',
    fromOwnPage: true,
    async handle(context) {
      const sara = people.newest!
      const { token } = await served.world.app.db.tx((tx) =>
        openSession(tx, { personId: sara.personId, method: 'code' }, new Date()),
      )
      sessionCookie(context, token)
      return { caller: browserHashOf(context).toString('hex'), project: '' }
    },
  }),
  route({
    ...base,
    method: 'POST',
    path: '/leave',
    scope: 'person',
    operation: 'test.leave',
    async handle(context) {
      const { personId, sessionId } = requirePerson(context)
      await served.world.app.db.tx((tx) => endSession(tx, personId, sessionId, new Date()))
      endedSessionCookie(context)
      return { caller: '', project: '' }
    },
  }),
  socketRoute({
    ...open,
    path: '/talk',
    scope: 'responses:write',
    operation: 'test.talk',
    keySources: [keyProtocol],
    protocols: ['talk'],
    errors: [],
    handle: ({ caller }) =>
      socketStream(async (socket) => {
        await socket.send(caller.kind)
        for await (const _ of socket.messages);
      }),
  }),
]

const people: { newest?: Member } = {}
let served: Served
let sara: Member
let origin: string
beforeAll(async () => {
  served = await serve(() => routes as never)
  sara = await at(await newMember(served.world, 'owner'))
  people.newest = sara
  ;({ origin } = new URL(served.url))
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  expect(served.violations).toEqual([])
})

/** The same person at the server of these routes, whose cookie bears another port. */
async function at(member: Member): Promise<Member> {
  const here = new Browser(served.url, served.world.app.sessions.installation, member.project)
  here.cookies.set(here.nameOf('session'), [...member.cookies.values()][0]!)
  return Object.assign(here, { personId: member.personId, sessionId: member.sessionId })
}

const outcome = async (
  method: string,
  headers: Record<string, string>,
  { path = '/spend', browser = sara as Browser, body = method === 'GET' ? undefined : '{}' } = {},
): Promise<string> => {
  const { status, body: answer } = await browser.request(method, path, body, headers)
  return status === 200 ? answer.caller : answer.error.code
}

const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE']
const none = { origin: '', 'sec-fetch-site': '' }

test('a page of our own origin acts by the cookie, with the browser’s word and, on plain http, by Origin alone', async () => {
  for (const method of ['GET', ...unsafe]) expect(await outcome(method, {}), method).toBe('session')
  for (const method of unsafe) expect(await outcome(method, { 'sec-fetch-site': '' }), method).toBe('session')
  expect(await outcome('GET', none)).toBe('session')
  expect(await outcome('GET', { origin, 'sec-fetch-site': '' })).toBe('session')
  expect(await outcome('GET', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })).toBe('session')
})

test('whatever another origin’s page lets the browser send, its cookie counts for nothing', async () => {
  const foreign = [
    'https://evil.example',
    'null',
    origin.replace('127.0.0.1', 'localhost'),
    origin.replace('http:', 'https:'),
    'http://127.0.0.1:1',
    `${origin}/`,
  ]
  for (const method of ['GET', ...unsafe]) {
    for (const site of ['cross-site', 'same-site'])
      for (const from of ['', origin, foreign[0]!])
        expect(await outcome(method, { origin: from, 'sec-fetch-site': site }), `${method} ${site}`).toBe(
          'CROSS_SITE_REQUEST',
        )
    for (const from of foreign)
      for (const site of ['', 'same-origin', 'none'])
        expect(await outcome(method, { origin: from, 'sec-fetch-site': site }), `${method} ${from}`).toBe(
          'CROSS_SITE_REQUEST',
        )
  }
  // What is no document, and what changes something without an Origin.
  expect(await outcome('GET', { 'sec-fetch-site': 'none' })).toBe('CROSS_SITE_REQUEST')
  expect(await outcome('GET', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'image' })).toBe(
    'CROSS_SITE_REQUEST',
  )
  for (const method of unsafe)
    for (const site of ['', 'same-origin', 'none'])
      expect(await outcome(method, { origin: '', 'sec-fetch-site': site }), `${method} ${site}`).toBe(
        'CROSS_SITE_REQUEST',
      )
})

test('what an HTML form can send counts only together with the header of a project', async () => {
  const form = 'multipart/form-data; boundary=b'
  const body = '--b--\r\n'
  const alone = { 'content-type': form, 'x-kherad-project': '' }
  expect(await outcome('POST', alone, { path: '/form', body })).toBe('CROSS_SITE_REQUEST')
  expect(await outcome('POST', { 'content-type': form }, { path: '/form', body })).toBe('session')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'Text/Plain; charset=utf-8'])
    expect(await outcome('POST', { 'content-type': type, 'x-kherad-project': '' }), type).toBe(
      'CROSS_SITE_REQUEST',
    )
  expect(await outcome('POST', { 'x-kherad-project': '' })).toBe('session')
})

test('no answer lets a page send cookies from elsewhere', async () => {
  for (const headers of [{}, { origin: 'https://evil.example' }]) {
    const reply = await sara.get('/spend', headers)
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  }
  expect((await sara.get('/spend')).headers.get('cache-control')).toBe('private, no-cache')
})

test('a key is judged alone wherever the route takes one, valid or not, and the cookie beside it counts for nothing', async () => {
  const { secret } = await served.world.key()
  const narrow = (await served.world.key({ scopes: ['models:read'] })).secret
  for (const method of ['GET', 'POST']) {
    expect(await outcome(method, { authorization: `Bearer ${secret}` })).toBe('key')
    expect(await outcome(method, { 'x-api-key': secret })).toBe('key')
    for (const name of ['authorization', 'x-api-key']) {
      const prefix = name === 'authorization' ? 'Bearer ' : ''
      expect(await outcome(method, { [name]: `${prefix}khr_wrong` })).toBe('INVALID_API_KEY')
      expect(await outcome(method, { [name]: 'Basic x' })).toBe('INVALID_API_KEY')
      expect(await outcome(method, { [name]: `${prefix}${narrow}` })).toBe('INSUFFICIENT_SCOPE')
    }
  }
  const members = { path: '/members' }
  expect(await outcome('POST', { authorization: `Bearer ${secret}` }, members)).toBe('SESSION_REQUIRED')
  expect(await outcome('GET', { authorization: `Bearer ${secret}` }, { path: '/me' })).toBe(
    'SESSION_REQUIRED',
  )
  // Another project in the header is nothing to a key.
  expect(await outcome('GET', { authorization: `Bearer ${secret}`, 'x-kherad-project': 'x' })).toBe('key')
})

test('without a session: keys are asked for where keys are taken, people where only people are; a route of keys takes no session', async () => {
  const nobody = new Browser(served.url, served.world.app.sessions.installation)
  expect(await outcome('GET', {}, { browser: nobody })).toBe('INVALID_API_KEY')
  expect(await outcome('GET', {}, { browser: nobody, path: '/me' })).toBe('NOT_SIGNED_IN')
  expect(await outcome('POST', {}, { browser: nobody, path: '/members' })).toBe('NOT_SIGNED_IN')
  expect(await outcome('GET', {}, { path: '/keysonly' })).toBe('INVALID_API_KEY')
  nobody.cookies.set(nobody.nameOf('session'), `khb_${'0'.repeat(49)}`)
  for (const path of ['/spend', '/me'])
    expect(await outcome('GET', {}, { browser: nobody, path })).toBe('NOT_SIGNED_IN')
})

/** How a handshake ends: with the kind of the caller, or with the code of the refusal. */
const handshake = (
  headers: Record<string, string>,
  protocols: string[] = [],
  path = '/talk',
): Promise<string> =>
  new Promise((resolve, reject) => {
    const cookie = [...sara.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const line = new WebSocket(`${served.url.replace('http', 'ws')}${path}`, protocols, {
      headers: { cookie, ...headers },
    })
    line.on('message', (data) => {
      resolve(String(data))
      line.close()
    })
    line.on('unexpected-response', (_request, reply) => {
      let text = ''
      reply.on('data', (part) => {
        text += part
      })
      reply.on('end', () => resolve(JSON.parse(text).error.code))
    })
    line.on('error', reject)
  })

test('a WebSocket is opened by the cookie only for a page of our own origin', async () => {
  expect(await handshake({ origin })).toBe('session')
  expect(await handshake({ origin, 'sec-fetch-site': 'same-origin' }, ['talk'])).toBe('session')
  expect(await handshake({})).toBe('CROSS_SITE_REQUEST')
  for (const from of ['https://evil.example', 'null', origin.replace('127.0.0.1', 'localhost')])
    expect(await handshake({ origin: from }), from).toBe('CROSS_SITE_REQUEST')
  for (const site of ['cross-site', 'same-site', 'none'])
    expect(await handshake({ origin, 'sec-fetch-site': site }), site).toBe('CROSS_SITE_REQUEST')
})

test('a WebSocket is closed with 1008 when its session is revoked', async () => {
  const tom = await at(await newMember(served.world, 'developer'))
  const cookie = `${tom.nameOf('session')}=${tom.cookies.get(tom.nameOf('session'))}`
  const project = served.world.project
  const address = `${served.url.replace('http', 'ws')}/talk?project=${project}`
  const line = new WebSocket(address, { headers: { cookie, origin } })
  await once(line, 'message')
  const closed = once(line, 'close')
  await served.world.app.db.tx((tx) => endSession(tx, tom.personId, tom.sessionId, new Date()))
  expect((await closed)[0]).toBe(1008)
})

test('a WebSocket with a key among its subprotocols is judged by the key, and by none if there are two', async () => {
  const { secret } = await served.world.key()
  expect(await handshake({ origin: 'https://evil.example' }, ['talk', `key.${secret}`])).toBe('key')
  expect(await handshake({ origin }, ['talk', 'key.khr_wrong'])).toBe('INVALID_API_KEY')
  expect(await handshake({ origin }, ['talk', `key.${secret}`, 'key.khr_other'])).toBe('INVALID_API_KEY')
})

test('a project is named by the header, or by the query where an element loads something, and only one’s own exists', async () => {
  const { world } = served
  const second = await world.newProject()
  const stranger = await world.stranger()
  const named = (project: string) => ({ 'x-kherad-project': project })
  expect((await sara.get('/spend', named(second))).body).toEqual({ caller: 'session', project: second })
  expect((await sara.get('/spend', named(second.toUpperCase()))).body.project).toBe(second)
  expect((await sara.get(`/spend?project=${second}`, named(''))).body.project).toBe(second)
  expect((await sara.get(`/spend?project=${second}`)).body.project).toBe(world.project)
  expect(await outcome('GET', named(''))).toBe('PROJECT_REQUIRED')
  expect(await outcome('POST', named(''), { path: `/spend?project=${second}` })).toBe('PROJECT_REQUIRED')
  for (const id of [stranger.project, crypto.randomUUID(), 'x', `${second} `.repeat(2), '*'])
    expect(await outcome('GET', named(id)), id).toBe('NOT_FOUND')
  expect(await outcome('GET', named(''), { path: `/spend?project=${second}&project=${second}` })).toBe(
    'NOT_FOUND',
  )
  expect(await handshake({ origin }, [], `/talk?project=${stranger.project}`)).toBe('NOT_FOUND')
  const limited = await at(await newMember(world, 'developer', { projects: [second], project: undefined }))
  expect((await limited.get('/spend')).body.project).toBe(second)
  expect(await outcome('GET', named(world.project), { browser: limited })).toBe('NOT_FOUND')
  const alone = await at(await newPerson(world))
  expect(await outcome('GET', {}, { browser: alone })).toBe('NOT_FOUND')
  expect((await alone.get('/me')).body).toEqual({ caller: 'session', project: '' })
})

test('a role without the right is refused, and a step-up is asked for after 10 minutes', async () => {
  const viewer = await at(await newMember(served.world, 'viewer'))
  expect(await outcome('POST', {}, { browser: viewer })).toBe('INSUFFICIENT_ROLE')
  expect(await outcome('POST', {}, { browser: viewer, path: '/members' })).toBe('INSUFFICIENT_ROLE')
  const admin = await at(await newMember(served.world, 'admin'))
  const members = { browser: admin, path: '/members' }
  expect(await outcome('POST', {}, members)).toBe('session')
  const steppedUp = (ago: string) =>
    served.world.app.db.query(
      { text: `update people.sessions set stepped_up_at = now() - interval '${ago}' where session_id = $1` },
      [admin.sessionId],
    )
  await steppedUp('601 seconds')
  await expect.poll(() => outcome('POST', {}, members)).toBe('STEP_UP_REQUIRED')
  await steppedUp('590 seconds')
  await expect.poll(() => outcome('POST', {}, members)).toBe('session')
})

test('signing in works from our own pages alone, sets a cookie of this host that no script reads, and signing out deletes it', async () => {
  const browser = new Browser(served.url, served.world.app.sessions.installation)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
  ])
    expect(await outcome('POST', headers, { browser, path: '/enter' })).toBe('CROSS_SITE_REQUEST')
  const entered = await browser.post('/enter', {})
  expect(entered.headers.get('set-cookie')).toMatch(
    new RegExp(
      `^kherad-${new URL(served.url).port}-[0-9a-f]{8}=khb_\\w{49}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax`,
    ),
  )
  expect(entered.headers.get('cache-control')).toBe('no-store')
  expect(entered.body.caller).toBe(sha256(browser.cookies.get(browser.nameOf('browser'))!).toString('hex'))
  expect((await browser.post('/enter', {})).body.caller).toBe(entered.body.caller)
  const kept = new Map(browser.cookies)
  expect((await browser.get('/me')).status).toBe(200)
  expect((await browser.post('/leave', {})).status).toBe(200)
  expect([...browser.cookies.keys()]).toEqual([browser.nameOf('browser')])
  for (const [name, value] of kept) browser.cookies.set(name, value)
  await expect.poll(() => outcome('GET', {}, { browser, path: '/me' })).toBe('NOT_SIGNED_IN')
})

test('two cookies of the name count for nothing: one was planted by another host of the domain', async () => {
  const cookie = `${sara.nameOf('session')}=khb_${'a'.repeat(49)}; ${[...sara.cookies].map((pair) => pair.join('=')).join('; ')}`
  expect(await outcome('GET', { cookie })).toBe('INVALID_API_KEY')
  expect(await outcome('GET', { cookie }, { path: '/me' })).toBe('NOT_SIGNED_IN')
})
