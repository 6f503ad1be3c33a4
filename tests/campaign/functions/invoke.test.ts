/** Functions called by apps: with the client of the field as it is, and by every request that a browser sends. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text as textFrom } from 'node:stream/consumers'
import {
  createClient,
  FunctionRegion,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
  type SupabaseClient,
} from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signUp } from '../../cloud/app/sign-up.ts'
import { answering, call, deploy, secretsOf, textOf } from '../../cloud/functions/scene.ts'
import { withinOneDay } from '../../cloud/one-day.ts'
import { freePort } from '../../harness/free-port.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

let world: World
let cloud: TestCloud
let client: SupabaseClient
beforeAll(async () => {
  const port = await freePort()
  const env = {
    KHERAD_PORT: String(port),
    KHERAD_APPS_PORT: String(await freePort()),
    KHERAD_BASE_URL: `http://127.0.0.1:${port}`,
  }
  world = await boot({ env })
  cloud = await world.newCloud()
  client = clientOf(cloud)
})
afterAll(() => world[Symbol.asyncDispose]())

const clientOf = ({ pathUrl, publicKey }: TestCloud, key = publicKey): SupabaseClient =>
  createClient(pathUrl, key, { auth: { persistSession: false, autoRefreshToken: false } })

/** Answers what it was asked. */
const echo = `export default { async fetch(request) {
  const url = new URL(request.url)
  const bytes = new Uint8Array(await request.arrayBuffer())
  return Response.json({
    method: request.method, path: url.pathname, query: url.search, headers: Object.fromEntries(request.headers),
    body: new TextDecoder().decode(bytes), bytes: bytes.length,
  }, { headers: { 'x-own': 'yes' } })
} }`

describe('who may call', () => {
  test('signed-in users and the service key; the public key alone, none and a foreign one may not', async () => {
    await deploy(cloud, 'members', echo, { verify_jwt: true })
    const { error } = await client.functions.invoke('members')
    expect(error).toBeInstanceOf(FunctionsRelayError)
    expect(error.context.status).toBe(401)
    expect(await error.context.json()).toMatchObject({ code: 'FUNCTION_SESSION_REQUIRED' })

    const user = await signUp(cloud)
    const own = clientOf(cloud)
    own.functions.setAuth(user.token)
    const invoked = await own.functions.invoke('members', { body: { سلام: 1 } })
    expect(invoked.error).toBeNull()
    expect(invoked.data).toMatchObject({ method: 'POST', path: '/members', body: '{"سلام":1}' })
    expect(invoked.data.headers.authorization).toBe(`Bearer ${user.token}`)
    expect((await clientOf(cloud, await cloud.serviceKey()).functions.invoke('members')).error).toBeNull()

    const other = await world.newCloud()
    const stranger = await signUp(other)
    const asked = async (headers: Record<string, string>) =>
      (await fetch(`${cloud.pathUrl}/functions/v1/members`, { headers })).status
    expect(await asked({ apikey: cloud.publicKey, authorization: `Bearer ${stranger.token}` })).toBe(401)
    expect(await asked(stranger.headers)).toBe(401)
    expect(await asked({ apikey: other.publicKey })).toBe(401)
    expect(await asked({})).toBe(401)
    expect(await asked({ authorization: `Bearer ${user.token}` })).toBe(401)
  })

  test('everybody, where verify_jwt is off; of other functions whoever has no key learns nothing', async () => {
    await deploy(cloud, 'hook', answering('open'))
    const asked = async (name: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${cloud.pathUrl}/functions/v1/${name}`, { headers })
      return [answer.status, answer.headers.get('x-relay-error')]
    }
    expect(await asked('hook')).toEqual([200, null])
    expect(await asked('hook', { apikey: 'wrong', authorization: 'Bearer wrong' })).toEqual([200, null])
    expect(await asked('missing')).toEqual([401, 'true'])
    expect(await asked('members')).toEqual([401, 'true'])
    expect(await asked('missing', { apikey: cloud.publicKey })).toEqual([404, 'true'])
    expect(await asked('', { apikey: cloud.publicKey })).toEqual([404, 'true'])
  })
})

describe('the client of the field', () => {
  beforeAll(() => deploy(cloud, 'echo', echo))

  test.each([
    ['JSON', { a: [1, 'دو'] }, 'application/json', '{"a":[1,"دو"]}'],
    ['a text', 'متن', 'text/plain', 'متن'],
    ['bytes', new TextEncoder().encode('بایت').buffer, 'application/octet-stream', 'بایت'],
    ['a file', new Blob(['فایل'], { type: 'text/csv' }), 'text/csv', 'فایل'],
  ])('sends %s', async (_kind, body, type, sent) => {
    const { data, error } = await client.functions.invoke('echo', { body })
    expect(error).toBeNull()
    expect([data.headers['content-type'], data.body]).toEqual([type, sent])
  })

  test('sends forms and streams, by every method, to paths below the name, with headers and regions of its own', async () => {
    const form = new FormData()
    form.set('نام', new Blob(['x']), 'a.txt')
    expect((await client.functions.invoke('echo', { body: form })).data.body).toMatch(/filename="a\.txt"/)
    const body = new Blob(['str', 'eam']).stream()
    const streamed = await call(cloud, 'echo', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await streamed.json()).toMatchObject({ body: 'stream' })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const)
      expect((await client.functions.invoke('echo', { method })).data.method).toBe(method)
    const { data } = await client.functions.invoke('echo/%D8%B3/b?x=1&y=%25', {
      ...{ headers: { 'x-mine': '1', 'x-kherad-request': 'forged' }, region: FunctionRegion.EuWest1 },
    })
    expect(data).toMatchObject({ path: '/echo/%D8%B3/b', query: '?x=1&y=%25&forceFunctionRegion=eu-west-1' })
    expect(data.headers).toMatchObject({ 'x-mine': '1', 'x-region': 'eu-west-1' })
    expect(Object.keys(data.headers).filter((name) => name.startsWith('x-kherad-'))).toEqual([])
  })

  test('reads JSON, text, bytes, forms and events as what they are', async () => {
    await deploy(
      cloud,
      'kinds',
      `Deno.serve((request) => {
        const kind = new URL(request.url).searchParams.get('kind')
        const form = new FormData(); form.set('a', 'ب')
        const bodies = { json: Response.json({ a: 'ب' }), text: new Response('ب'), form: new Response(form),
          bytes: new Response(new Uint8Array([0, 255]), { headers: { 'content-type': 'application/octet-stream' } }),
          events: new Response('data: ب\\n\\n', { headers: { 'content-type': 'text/event-stream' } }),
          none: new Response(null, { status: 204 }) }
        return bodies[kind]
      })`,
    )
    const read = async (kind: string) => (await client.functions.invoke(`kinds?kind=${kind}`)).data
    expect(await read('json')).toEqual({ a: 'ب' })
    expect(await read('text')).toBe('ب')
    expect(new Uint8Array(await (await read('bytes')).arrayBuffer())).toEqual(new Uint8Array([0, 255]))
    expect((await read('form')).get('a')).toBe('ب')
    expect(await (await read('events')).text()).toBe('data: ب\n\n')
    expect((await call(cloud, 'kinds?kind=none')).status).toBe(204)
  })

  test('tells refusals of the function, of the platform and of the network from each other', async () => {
    const refusing = `Deno.serve(() => Response.json({ نه: true }, { status: 418, headers: { 'x-own': '1' } }))`
    await deploy(cloud, 'refuses', refusing)
    const { error } = await client.functions.invoke('refuses')
    expect(error).toBeInstanceOf(FunctionsHttpError)
    expect([error.context.status, error.context.headers.get('x-own')]).toEqual([418, '1'])
    expect(await error.context.json()).toEqual({ نه: true })
    expect((await client.functions.invoke('missing')).error).toBeInstanceOf(FunctionsRelayError)
    await deploy(cloud, 'throws', 'Deno.serve(() => { throw new Error("x") })')
    expect((await client.functions.invoke('throws')).error).toBeInstanceOf(FunctionsRelayError)
    const away = createClient('http://127.0.0.1:9', cloud.publicKey, { auth: { persistSession: false } })
    expect((await away.functions.invoke('echo')).error).toBeInstanceOf(FunctionsFetchError)
  })

  test('stops waiting by its timeout and its signal, and the function goes on to answer others', async () => {
    const waiting = `Deno.serve(async (request) => {
      if (request.method === 'POST') await new Promise((resolve) => setTimeout(resolve, 5_000))
      return new Response('here') })`
    await deploy(cloud, 'waits', waiting)
    const late = await client.functions.invoke('waits', { timeout: 100 })
    expect(late.error).toBeInstanceOf(FunctionsFetchError)
    const leaving = new AbortController()
    const left = client.functions.invoke('waits', { signal: leaving.signal })
    leaving.abort()
    expect((await left).error).toBeInstanceOf(FunctionsFetchError)
    expect((await client.functions.invoke('waits', { method: 'GET' })).data).toBe('here')
  })
})

describe('pages of other origins', () => {
  const origin = 'https://shop.example'

  test('may call functions that say nothing of it, and those that answer preflights themselves', async () => {
    await deploy(cloud, 'plain', answering('x'))
    await deploy(
      cloud,
      'own',
      `const cors = { 'Access-Control-Allow-Origin': 'https://only.example', 'Access-Control-Allow-Headers': 'authorization' }
      Deno.serve((request) => request.method === 'OPTIONS' ? new Response('ok', { headers: cors }) : new Response('y', { headers: cors }))`,
    )
    for (const name of ['plain', 'own']) {
      const preflight = await fetch(`${cloud.pathUrl}/functions/v1/${name}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'apikey, authorization, x-client-info, x-mine',
        },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/apikey.*x-mine/)
      const answer = await call(cloud, name, { headers: { origin } })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    }
  })

  test('never get a page of a function: HTML leaves as text', async () => {
    const html = `Deno.serve(() => new Response('<script>1</script>', { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' } }))`
    await deploy(cloud, 'html', html)
    const answer = await call(cloud, 'html')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('bodies', () => {
  const kinds = `Deno.serve(async (request) => {
    const reader = () => request.body.getReader()
    const kind = new URL(request.url).searchParams.get('kind')
    if (kind === 'part') await reader().read()
    if (kind === 'cancelled') await request.body.cancel()
    if (kind === 'throws') throw new Error('unread')
    if (kind === 'null') return new Response(null, { status: 204 })
    if (kind === 'large') return new Response('a'.repeat(900_000))
    if (kind === 'forwarded') return new Response(request.body)
    if (kind === 'length') return Response.json({ length: (await request.clone().bytes()).length })
    return new Response('answered')
  })`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  afterAll(() => agent.destroy())

  /** On one connection, which is kept. */
  const asked = (query: string, method: string, bytes: number) =>
    new Promise<{ status: number; text: string; isReused: boolean }>((resolve, reject) => {
      const { hostname, port, pathname } = new URL(`${cloud.pathUrl}/functions/v1/bodies`)
      const headers = { apikey: cloud.publicKey, 'content-length': bytes }
      const path = `${pathname}?kind=${query}`
      const out = request({ agent, hostname, port, path, method, headers }, (answer) =>
        textFrom(answer).then(
          (text) => resolve({ status: answer.statusCode!, text, isReused: out.reusedSocket }),
          reject,
        ),
      ).on('error', reject)
      out.end(Buffer.alloc(bytes, 'a'))
    })

  test('a body that a function reads not at all or in part is never in the way of its answer, nor of the next call on the connection', async () => {
    await deploy(cloud, 'bodies', kinds)
    await asked('none', 'POST', 0)
    const wanted: Record<string, [number, string]> = {
      ...{ none: [200, 'answered'], part: [200, 'answered'], cancelled: [200, 'answered'], null: [204, ''] },
      throws: [502, expect.stringContaining('it threw an error')],
      large: [200, 'a'.repeat(900_000)],
      forwarded: [200, 'a'.repeat(1_000_000)],
      length: [200, '{"length":1000000}'],
    }
    for (let times = 0; times < 3; times++)
      for (const [kind, [status, text]] of Object.entries(wanted))
        expect([kind, await asked(kind, 'POST', 1_000_000)]).toEqual([kind, { status, text, isReused: true }])
    for (const method of ['GET', 'HEAD', 'DELETE', 'POST'])
      expect(await asked('none', method, 1_000_000)).toEqual({
        ...{ status: 200, text: method === 'HEAD' ? '' : 'answered', isReused: true },
      })
  })

  test('an answer streams while the body still comes', async () => {
    const { hostname, port, pathname } = new URL(`${cloud.pathUrl}/functions/v1/bodies`)
    const headers = { apikey: cloud.publicKey }
    const out = request({ hostname, port, path: `${pathname}?kind=forwarded`, method: 'POST', headers })
    out.write('یک')
    const [answer] = (await once(out, 'response')) as [IncomingMessage]
    const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]()
    expect((await chunks.next()).value).toBe('یک')
    out.write('دو')
    expect((await chunks.next()).value).toBe('دو')
    out.end()
    expect((await chunks.next()).done).toBe(true)
  })

  test('after a body that is too long the connection is used again', async () => {
    expect(await asked('part', 'POST', 1_000_001)).toMatchObject({ status: 413 })
    expect(await asked('none', 'POST', 3_000_000)).toMatchObject({ status: 413, isReused: true })
    expect(await asked('part', 'POST', 10)).toMatchObject({ status: 200, isReused: true })
  })
})

describe('bounds', () => {
  test('a body has up to 1,000,000 bytes, stated or not', async () => {
    const measuring =
      'Deno.serve(async (request) => Response.json({ bytes: (await request.arrayBuffer()).byteLength }))'
    await deploy(cloud, 'measure', measuring)
    const whole = await call(cloud, 'measure', { method: 'POST', body: Buffer.alloc(1_000_000, 'a') })
    expect(await whole.json()).toMatchObject({ bytes: 1_000_000 })
    const beyond = await call(cloud, 'measure', { method: 'POST', body: Buffer.alloc(1_000_001) })
    expect([beyond.status, beyond.headers.get('x-relay-error')]).toEqual([413, 'true'])
    const sent = (bytes: number) =>
      new Promise<[number, string]>((resolve, reject) => {
        const { hostname, port, pathname } = new URL(`${cloud.pathUrl}/functions/v1/measure`)
        const headers = { apikey: cloud.publicKey, 'transfer-encoding': 'chunked' }
        const out = request({ hostname, port, path: pathname, method: 'POST', headers }, (answer) =>
          textFrom(answer).then((text) => resolve([answer.statusCode!, text]), reject),
        ).on('error', reject)
        out.write(Buffer.alloc(bytes - 1, 'a'))
        out.end('b')
      })
    expect((await sent(1_000_000))[0]).toBe(200)
    expect((await sent(1_000_001))[0]).toBe(413)
  })

  test('an answer has up to 1,000,000 bytes; a longer one is never taken for whole', async () => {
    await deploy(
      cloud,
      'large',
      `Deno.serve((request) => {
        const bytes = Number(new URL(request.url).searchParams.get('bytes'))
        const body = 'a'.repeat(bytes)
        const parts = [body.slice(0, 500_000), body.slice(500_000)].map((part) => new TextEncoder().encode(part))
        const stream = new ReadableStream({ pull: (out) => parts.length ? out.enqueue(parts.shift()) : out.close() })
        return new Response(request.method === 'POST' ? stream : body) })`,
    )
    for (const method of ['GET', 'POST']) {
      expect(await textOf(cloud, 'large?bytes=1000000', { method })).toHaveLength(1_000_000)
      const ended = await call(cloud, 'large?bytes=1000001', { method })
        .then(async (answer) => [answer.status, await answer.text()])
        .catch(() => 'cut')
      expect(ended).toEqual(method === 'GET' ? [502, expect.stringContaining('TOO_LARGE')] : 'cut')
    }
  })

  test('a day has so many calls, and then they are refused until it is over', async () => {
    const own = await world.newCloud()
    await deploy(own, 'f', answering('x'))
    await world.app.db.pool.query(
      `update clouds.clouds set limits = '{"daily_function_calls": 2}' where cloud_id = $1`,
      [own.id],
    )
    await world.app.clouds.refresh((await world.app.clouds.find(own.ref))!)
    await withinOneDay()
    const seen = []
    for (let nth = 0; nth < 3; nth++) seen.push((await call(own, 'f')).status)
    expect(seen).toEqual([200, 200, 429])
    const refused = await call(own, 'f')
    expect([refused.headers.get('x-relay-error'), (await refused.json()) as object]).toMatchObject([
      'true',
      { code: 'CLOUD_CALL_LIMIT' },
    ])
  })
})

describe('what functions reach', () => {
  test('their own cloud, as whoever called them', async () => {
    await deploy(
      cloud,
      'profile',
      `import { createClient } from 'jsr:@supabase/supabase-js@2'
      Deno.serve(async (request) => {
        const client = createClient(Deno.env.get('SUPABASE_URL'), Deno.env.get('SUPABASE_ANON_KEY'), {
          global: { headers: { Authorization: request.headers.get('Authorization') } }, auth: { persistSession: false } })
        const { data, error } = await client.auth.getUser(request.headers.get('Authorization').slice(7))
        return Response.json({ id: data?.user?.id, error: error?.message })
      })`,
      { verify_jwt: true },
    )
    const user = await signUp(cloud)
    const own = clientOf(cloud)
    own.functions.setAuth(user.token)
    expect(await own.functions.invoke('profile')).toMatchObject({ data: { id: user.id }, error: null })
  })

  test('models of the platform, with a key of the owner, whose account pays as for any call', async () => {
    const key = await world.key()
    const set = await cloud.client.post(secretsOf(cloud), { name: 'AI_KEY', value: key.secret })
    expect(set.status).toBe(201)
    await deploy(
      cloud,
      'ask',
      `Deno.serve(async () => {
        const answer = await fetch(Deno.env.get('KHERAD_BASE_URL') + '/v1/chat/completions', { method: 'POST',
          headers: { authorization: 'Bearer ' + Deno.env.get('AI_KEY'), 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'sandbox/fast', messages: [{ role: 'user', content: 'سلام' }] }) })
        return Response.json({ status: answer.status, ...(await answer.json()) }) })`,
    )
    const before = await world.balance()
    const answer = JSON.parse(await textOf(cloud, 'ask'))
    expect(answer).toMatchObject({ status: 200, object: 'chat.completion' })
    await world.settled()
    const after = await world.balance()
    const { body } = await key.receipt(answer.id.replace(/^chatcmpl-/, ''))
    expect(after.held).toBe(0n)
    expect(after.available).toBeLessThan(before.available)
    expect(body.usage ?? body).toBeDefined()
  })

  test('each other, eight deep and no deeper', async () => {
    await deploy(
      cloud,
      'deep',
      `Deno.serve(async () => {
        const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/functions/v1/deep')
        const { code, calls = 0 } = await answer.json()
        return Response.json({ code, calls: calls + 1 }, { status: answer.status }) })`,
    )
    const answer = await call(cloud, 'deep')
    expect(answer.status).toBe(508)
    expect(await answer.json()).toEqual({ code: 'FUNCTION_DEPTH', calls: 8 })
  })
})
