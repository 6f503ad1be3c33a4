import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { suspendCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import { hostRequest } from '../../harness/host-request.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'
import { type AppArea, type AppCall, functionsArea, serveAreas } from './area-server.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.cloud()
})
afterAll(() => world[Symbol.asyncDispose]())

const refused: AppArea['failureReply'] = (failure, { language }) => ({
  status: failure.status,
  body: { code: failure.code, language },
})
/** Answers what it is told to. */
const areaOf = (handle: AppArea['handle'], more: Partial<AppArea> = {}): AppArea => ({
  ...{ prefix: '/echo', name: 'echo', handle, failureReply: refused },
  ...more,
})
const keyed = () => ({ apikey: cloud.publicKey })

const codeOf = async (reply: Response): Promise<string> =>
  ((await reply.json()) as { error: { code: string } }).error.code

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'

test('pages of any origin may call a cloud with the headers of its clients and their own, without cookies; the platform itself lets none in', async () => {
  const asked = {
    origin: 'https://a.example',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,apikey,x-client-info,prefer,x-upsert,x-mine',
  }
  const preflight = await fetch(`${cloud.pathUrl}/rest/v1/x`, { method: 'OPTIONS', headers: asked })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ')
  expect(allowed).toEqual(
    expect.arrayContaining([
      ...asked['access-control-request-headers'].split(','),
      ...['content-type', 'accept-profile', 'content-profile', 'range', 'x-supabase-api-version'],
      ...['x-region', 'idempotency-key'],
    ]),
  )
  const refusal = await fetch(`${cloud.pathUrl}/files`, { headers: { origin: asked.origin } })
  expect(refusal.status).toBe(401)
  expect(refusal.headers.get('access-control-allow-origin')).toBe('*')
  const exposed = refusal.headers.get('access-control-expose-headers')!.split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['content-range', 'x-supabase-api-version', 'x-relay-error', 'x-request-id']),
  )
  const { origin } = asked
  const elsewhere = [`${world.url}/v1/cloud`, `${world.url}/app-links/${cloud.ref}/x`, `${world.appsUrl}/`]
  for (const address of elsewhere)
    for (const init of [{ method: 'OPTIONS', headers: asked }, { headers: { origin } }]) {
      const reply = await fetch(address, init)
      expect([address, reply.headers.get('access-control-allow-origin')]).toEqual([address, null])
    }
})

test('a preflight that asks for headers without end is answered by a bounded list of well-formed names', async () => {
  const names = [...Array.from({ length: 1_500 }, (_, at) => `x-${at}`), 'bad name', 'x\u00e9']
  const reply = await fetch(`${cloud.pathUrl}/rest/v1/x`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': names.join(','),
    },
  })
  const allowed = reply.headers.get('access-control-allow-headers')!
  expect(allowed.length).toBeLessThan(3_000)
  expect(allowed).not.toContain('bad name')
})

test('without a key of this very cloud nothing is answered, whichever other credential is sent', async () => {
  const other = await world.cloud('other')
  for (const headers of [
    {},
    { apikey: '' },
    { apikey: other.publicKey },
    { apikey: `${cloud.publicKey}x` },
    { apikey: 'x'.repeat(9_000) },
    { authorization: `Bearer ${cloud.publicKey}` },
    { authorization: `Bearer ${await cloud.serviceKey()}` },
    { apikey: other.publicKey, authorization: `Bearer ${cloud.publicKey}` },
  ] as Record<string, string>[]) {
    const reply = await fetch(`${cloud.pathUrl}/files`, { headers: { ...headers, 'accept-language': 'fa' } })
    expect(reply.status).toBe(401)
    const { error } = (await reply.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('CLOUD_KEY_INVALID')
    expect(error.message).toMatch(/کلید عمومی/)
  }
})

test('the service key opens all from a server, and is refused where a browser sends it, as the key or beside it', async () => {
  const service = await cloud.serviceKey()
  const files = (headers: Record<string, string>) => fetch(`${cloud.pathUrl}/files`, { headers })
  expect((await files({ apikey: service })).status).toBe(200)
  expect((await files({ apikey: service, authorization: `Bearer ${service}` })).status).toBe(200)
  expect((await files({ ...keyed(), authorization: `bearer ${service}` })).status).toBe(200)
  for (const shown of [{ origin: 'null' }, { origin: 'https://a.example' }, { 'user-agent': browser }]) {
    for (const headers of [{ apikey: service }, { ...keyed(), authorization: `Bearer ${service}` }]) {
      const reply = await files({ ...headers, ...shown } as Record<string, string>)
      expect(reply.status).toBe(403)
      expect(await reply.json()).toMatchObject({ error: { code: 'CLOUD_SERVICE_KEY_EXPOSED' } })
    }
    // The public key may be anywhere.
    const reply = await files({ ...keyed(), ...shown } as Record<string, string>)
    expect(await reply.json()).toMatchObject({ error: { code: 'APP_FILE_SIGN_IN_NEEDED' } })
  }
})

test('a cloud answers by its host and by its path; another ref, path or method has a sentence in JSON', async () => {
  const byHost = await hostRequest(world.appsUrl, new URL(cloud.url).host, {
    path: '/files',
    headers: keyed(),
  })
  expect(byHost.status).toBe(401)
  expect(JSON.parse(byHost.text).error.code).toBe('APP_FILE_SIGN_IN_NEEDED')
  const strange = await fetch(`${world.appsUrl}/_cloud/${'a'.repeat(20)}/files`, { headers: keyed() })
  expect([strange.status, await codeOf(strange)]).toEqual([404, 'HOST_NOT_FOUND'])
  for (const path of ['/', '/graphql/v1', '/filesx', '/rest', '/rest/v2/x', '/pg-meta/default/query']) {
    const reply = await fetch(cloud.pathUrl + path, { headers: keyed() })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ error: { code: 'CLOUD_PATH_NOT_FOUND' } })
  }
  const method = await fetch(`${cloud.pathUrl}/files`, { method: 'PROPFIND', headers: keyed() })
  expect([method.status, await codeOf(method)]).toEqual([405, 'METHOD_NOT_ALLOWED'])
})

test('a host that no URL can have is the fault of who names it, at the path of a cloud too', async () => {
  for (const host of ['999999999999', '4294967296', '0x1ffffffff']) {
    const path = `/_cloud/${cloud.ref}/rest/v1/`
    const reply = await hostRequest(world.appsUrl, host, { path, headers: keyed() })
    expect([reply.status, JSON.parse(reply.text).error?.param], host).toEqual([400, 'Host'])
  }
})

test('a cloud that is suspended, not ready or being deleted says so, before any key is looked at', async () => {
  const states: [string, number, string][] = [
    ["state = 'provisioning'", 409, 'CLOUD_NOT_READY'],
    ["state = 'failed'", 409, 'CLOUD_NOT_READY'],
    ["state = 'deleting'", 404, 'HOST_NOT_FOUND'],
  ]
  const other = await world.cloud('states')
  const change = async (set: string) => {
    await world.app.db.query({ text: `update clouds.clouds set ${set} where cloud_id = $1` }, [other.id])
    await world.app.clouds.refresh({ accountId: world.account, cloudId: other.id })
  }
  const asked = async () => {
    const reply = await fetch(`${other.pathUrl}/files`)
    return [reply.status, await codeOf(reply)]
  }
  for (const [set, status, code] of states) {
    await change(set)
    expect(await asked()).toEqual([status, code])
  }
  await change("state = 'ready'")
  expect(await asked()).toEqual([401, 'CLOUD_KEY_INVALID'])
  await suspendCloud(world.app, { accountId: world.account, cloudId: other.id }, 'a reason')
  await until(async () => (await asked())[1] === 'CLOUD_SUSPENDED')
  expect(await asked()).toEqual([403, 'CLOUD_SUSPENDED'])
})

const limit = 1_000
const jsonOf = (bytes: number): string => JSON.stringify('a'.repeat(bytes - 2))
const inPieces = (text: string): ReadableStream =>
  Readable.toWeb(Readable.from(text.match(/.{1,300}/gs)!)) as never

test('a body is read up to its very limit, whether its length is declared or not, and is nothing else than JSON', async () => {
  const read: AppArea['handle'] = async (call: AppCall) => ({ status: 200, body: [await call.json(limit)] })
  await using server = await serveAreas(world, cloud, [areaOf(read)])
  const post = async (body: RequestInit['body'], headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...keyed(), ...headers }, body, duplex: 'half' }
    const reply = await fetch(`${server.url}/echo`, init as RequestInit)
    return [reply.status, ((await reply.json()) as { code?: string }).code] as const
  }
  expect(await post(jsonOf(limit))).toEqual([200, undefined])
  expect(await post(inPieces(jsonOf(limit)))).toEqual([200, undefined])
  expect(await post(jsonOf(limit + 1))).toEqual([413, 'BODY_TOO_LARGE'])
  expect(await post(inPieces(jsonOf(limit + 1)))).toEqual([413, 'BODY_TOO_LARGE'])
  expect(await post(undefined)).toEqual([200, undefined])
  expect(await post('{"a":')).toEqual([400, 'INVALID_JSON'])
  expect(await post('['.repeat(limit))).toEqual([400, 'INVALID_JSON'])
  expect(await post(new Uint8Array([0x22, 0xff, 0x22]))).toEqual([400, 'INVALID_JSON'])
  for (const type of ['application/json; charset=utf-8', 'application/vnd.pgrst.object+json', 'text/plain'])
    expect(await post('1', { 'content-type': type })).toEqual([200, undefined])
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', 'image/png'])
    expect(await post('1', { 'content-type': type })).toEqual([400, 'INVALID_REQUEST'])
  expect(await post('1', { 'content-encoding': 'gzip' })).toEqual([400, 'INVALID_REQUEST'])
})

test('JSON of four hundred thousand keys, or nested without end, is refused, and others are answered meanwhile', async () => {
  const most = 8_000_000
  const read: AppArea['handle'] = async (call: AppCall) => ({
    status: 200,
    body: [typeof (await call.json(most))],
  })
  await using server = await serveAreas(world, cloud, [areaOf(read)])
  const post = (body: string) => fetch(`${server.url}/echo`, { method: 'POST', headers: keyed(), body })
  const keys = `{${Array.from({ length: 400_000 }, (_, at) => `"k${at}":1`).join(',')}}`
  for (const body of [keys, '['.repeat(1_500_000), `${'{"a":'.repeat(400_000)}1`]) {
    const reply = await post(body)
    expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'INVALID_JSON' }])
  }
})

test('an answer to HEAD has no body and the length that GET has; a stream leaves as it comes, and ends with its reader', async () => {
  let isDestroyed = false
  const endless = (): Readable => {
    const source = Readable.from(
      (async function* () {
        for (;;) yield Buffer.from('سلام ')
      })(),
    )
    return source.once('close', () => {
      isDestroyed = true
    })
  }
  const handle: AppArea['handle'] = async ({ path, method }) => {
    if (path === '/whole') return { status: 200, body: { greeting: 'سلام' } }
    if (path === '/never') return { status: 200, body: endless() }
    return { status: 200, headers: [['content-type', 'text/plain']], body: Readable.from([method, ' ', 'x']) }
  }
  await using server = await serveAreas(world, cloud, [areaOf(handle)])
  const get = (path: string, method = 'GET') =>
    fetch(`${server.url}/echo${path}`, { method, headers: keyed() })
  const [whole, head] = [await get('/whole'), await get('/whole', 'HEAD')]
  expect(await whole.json()).toEqual({ greeting: 'سلام' })
  expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'))
  expect(await head.text()).toBe('')
  expect(await (await get('/stream')).text()).toBe('GET x')
  const gone = await get('/never')
  await gone.body!.cancel()
  await until(() => isDestroyed)
})

test('what the code of an app did wrong is no failure in the log, and what this service did wrong is', async () => {
  const levels: Record<string, string[]> = { FUNCTION_DEPTH: [], SERVICE_UNAVAILABLE: [] }
  for (const [code, seen] of Object.entries(levels)) {
    const write = (level: string) => () => void seen.push(level)
    const app = { ...world.app, log: { ...world.app.log, info: write('info'), error: write('error') } }
    const handle: AppArea['handle'] = async () =>
      code === 'FUNCTION_DEPTH' ? fail(code, { most: 8 }) : fail('SERVICE_UNAVAILABLE', { why: 'database' })
    const area = areaOf(handle, { faultsOfApps: functionsArea.faultsOfApps! })
    await using server = await serveAreas({ app } as Pick<World, 'app'>, cloud, [area])
    expect((await fetch(`${server.url}/echo/x`, { headers: keyed() })).status).toBeGreaterThanOrEqual(500)
    await until(() => seen.includes('info'))
  }
  expect(levels).toEqual({ FUNCTION_DEPTH: ['info'], SERVICE_UNAVAILABLE: ['error', 'info'] })
})

test('an app that leaves before a stream has ended has left, and is no failure in the log', async () => {
  const source = new PassThrough()
  source.write('x')
  const lines: { level: string; client_left?: boolean }[] = []
  const write = (level: string) => (line: object) => void lines.push({ level, ...line })
  const app = { ...world.app, log: { ...world.app.log, info: write('info'), error: write('error') } }
  const handle: AppArea['handle'] = async () => ({ status: 200, body: source })
  await using server = await serveAreas({ app } as Pick<World, 'app'>, cloud, [areaOf(handle)])
  const reply = await fetch(`${server.url}/echo/never`, { headers: keyed() })
  await reply.body!.cancel()
  await until(() => source.destroyed && lines.length > 0)
  await new Promise(setImmediate)
  expect(lines).toMatchObject([{ level: 'info', client_left: true }])
})

test('an app that reads nothing holds back what is made for it', async () => {
  let made = 0
  const piece = Buffer.alloc(64 * 1024)
  const handle: AppArea['handle'] = async () => ({
    status: 200,
    body: Readable.from(
      (async function* () {
        for (; made < 4_000; made++) yield piece
      })(),
      { highWaterMark: 1 },
    ),
  })
  await using server = await serveAreas(world, cloud, [areaOf(handle)])
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).pause()
  socket.write(`GET /echo HTTP/1.1\r\nHost: a\r\napikey: ${cloud.publicKey}\r\n\r\n`)
  await until(() => made > 10)
  let before = -1
  await until(() => {
    const stands = made === before
    before = made
    return stands
  })
  expect(made).toBeLessThan(400)
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
})

test('a body of which nobody reads the rest does not keep the next request of its connection waiting', async () => {
  // As a body is on its way to a function, which answers without having read it.
  const handle: AppArea['handle'] = async ({ message }) => {
    if (message.method === 'POST') message.pipe(new PassThrough())
    return { status: 200, body: message.method }
  }
  await using server = await serveAreas(world, cloud, [areaOf(handle)])
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let answers = ''
  socket.on('data', (chunk) => {
    answers += String(chunk)
  })
  const head = (method: string) => `${method} /echo HTTP/1.1\r\nHost: a\r\napikey: ${cloud.publicKey}\r\n`
  const length = 1024 * 1024
  socket.write(`${head('POST')}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}${head('GET')}\r\n`)
  await until(() => answers.includes('"GET"'))
  expect(answers).toContain('"POST"')
  socket.destroy()
})

test('an area that throws what nobody foresaw is answered as our own failure, without a word of its cause', async () => {
  const handle: AppArea['handle'] = async () => {
    throw new Error('secret of the inside')
  }
  await using server = await serveAreas(world, cloud, [areaOf(handle)])
  const reply = await fetch(`${server.url}/echo`, { headers: keyed() })
  expect([reply.status, await reply.json()]).toEqual([500, { code: 'INTERNAL', language: 'en' }])
})

test('on a path that needs no key a wrong one is told to the area, and elsewhere refused', async () => {
  const handle: AppArea['handle'] = async ({ caller }) => ({ status: 200, body: [caller.role] })
  const isOpen: AppArea['isOpen'] = ({ method, path }) => method === 'GET' && path === '/open'
  await using server = await serveAreas(world, cloud, [areaOf(handle, { isOpen })])
  const roleOf = async (path: string, headers = {}) =>
    (await fetch(`${server.url}/echo${path}`, { headers })).json()
  expect(await roleOf('/open')).toEqual(['none'])
  expect(await roleOf('/open', { apikey: 'wrong' })).toEqual(['none'])
  expect(await roleOf('/open', keyed())).toEqual(['anon'])
  expect(await roleOf('/opener')).toMatchObject({ code: 'CLOUD_KEY_INVALID' })
})

test('requests are counted by the part that answered', async () => {
  await fetch(`${cloud.pathUrl}/storage/v1/bucket`, { headers: keyed() })
  await until(async () =>
    (await world.app.metrics.text()).includes('kherad_cloud_requests_total{area="storage",status="400"}'),
  )
})

test('a channel that is joined with members nested thousands deep costs its own line nothing but the answer', async () => {
  const line = new WebSocket(
    `${cloud.pathUrl.replace('http', 'ws')}/realtime/v1/websocket?apikey=${cloud.publicKey}`,
  )
  await once(line, 'open')
  const answered: unknown[] = []
  line.on('message', (data) => answered.push(JSON.parse(String(data))))
  const deep = '['.repeat(8_000) + ']'.repeat(8_000)
  line.send(`[${deep},"1","t","phx_join",{}]`)
  line.send(`{"join_ref":"1","ref":"1","topic":${deep.slice(500, -500)},"event":"phx_join"}`)
  line.send('["1","2","realtime:room","phx_leave",{}]')
  await until(() => answered.length > 0)
  expect(answered).toEqual([['1', '2', 'realtime:room', 'phx_reply', { status: 'ok', response: {} }]])
  line.terminate()
})

test('a collection whose name has the character 0 is none, whichever way it is asked for', async () => {
  const body = '{"a":1}'
  for (const apikey of [cloud.publicKey, await cloud.serviceKey()])
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const sent = method === 'POST' || method === 'PATCH' ? { body } : {}
      const reply = await fetch(`${cloud.pathUrl}/rest/v1/a%00b`, { method, headers: { apikey }, ...sent })
      expect([method, reply.status]).toEqual([method, 404])
    }
})
