import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readDepth } from '#cloud/functions'
import { until } from '../../harness/until.ts'
import { openSite } from '../../platform/net/sites.ts'
import { brokerWorld, fetchOver } from './egress.ts'

test('a call may send twenty requests, and its twenty-first is refused; the next call begins anew', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  for (let sent = 1; sent <= 20; sent++) expect((await world.fetch(site.url)).status, `${sent}`).toBe(200)
  expect(await world.fetch(site.url)).toMatchObject({ status: 429, refused: 'FUNCTION_FETCH_LIMIT' })
  world.egress.begin('second', 0)
  expect((await world.fetch(site.url, { call: 'second' })).status).toBe(200)
})

test('what a call sends after its answer still counts for it', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { perCall: 2 } })
  expect((await world.fetch(site.url)).status).toBe(200)
  world.first.end()
  expect((await world.fetch(site.url)).status).toBe(200)
  expect((await world.fetch(site.url)).refused).toBe('FUNCTION_FETCH_LIMIT')
})

test('code that hides which call it is shares one count, and is as deep as the deepest that runs', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({
    limits: { perCall: 2 },
    inside: { api: { at: new URL(site.url), origins: ['https://ai.example.test'] } },
  })
  world.egress.begin('deep', 5)
  const url = 'https://ai.example.test/v1/models'
  expect((await world.fetch(url, { call: null })).status).toBe(200)
  expect((await world.fetch(url, { call: 'invented' })).status).toBe(200)
  expect((await world.fetch(url, { call: 'invented-too' })).refused).toBe('FUNCTION_FETCH_LIMIT')
  const depths = site.seen.map(({ headers }) =>
    readDepth(headers['x-kherad-call'] as string, () => Buffer.alloc(32, 7)),
  )
  expect(depths).toEqual([6, 6])
  expect((await world.fetch(url)).status).toBe(200)
  expect(site.seen[2]!.headers['x-kherad-call']).toMatch(/^1\./)
})

test('no more requests of a cloud are under way at once than it may have; the others wait and are sent in their order', async () => {
  const held: (() => void)[] = []
  await using site = await openSite((_, response) => void held.push(() => response.end('fine')))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, limits: { atOnce: 2 } })
  const asked = ['a', 'b', 'c', 'd'].map((name) => world.fetch(`${site.url}/${name}`))
  await until(() => held.length === 2)
  const left = new AbortController()
  const leaves = world.fetch(`${site.url}/left`, { signal: left.signal }).catch(() => 'left')
  await until(() => world.first.open === 5)
  left.abort()
  expect(await leaves).toBe('left')
  for (let answered = 0; answered < 4; answered++) {
    await until(() => held.length > answered)
    held[answered]!()
  }
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(site.seen.map(({ url }) => url).toSorted()).toEqual(['/a', '/b', '/c', '/d'])
})

test('time in which a call waits for others is told, once for all that it waits for at once', async () => {
  const held: (() => void)[] = []
  await using site = await openSite((_, response) => void held.push(() => response.end('fine')))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  expect(world.first.waitedMs()).toBe(0)
  const beganMs = performance.now()
  const both = Promise.all([world.fetch(site.url), world.fetch(site.url)])
  await until(() => held.length === 2)
  expect(world.first.open).toBe(2)
  expect(world.first.waitedMs()).toBeGreaterThan(0)
  for (const answer of held) answer()
  await both
  await until(() => world.first.open === 0)
  const waitedMs = world.first.waitedMs()
  expect(waitedMs).toBeLessThanOrEqual(performance.now() - beganMs)
  expect(world.first.waitedMs()).toBe(waitedMs)
})

test('bodies are passed on with back pressure: neither a fast function nor a fast server fills the memory', async () => {
  let sent = 0
  const read: { continue?: () => void } = {}
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    // Nothing is read until the test says so.
    read.continue = () => void request.resume().on('end', () => response.end('fine'))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await using world = await brokerWorld({ net: { streamPorts: [port] }, limits: { bodyBytes: 100_000_000 } })
  const chunk = Buffer.alloc(64 * 1024)
  const most = 800
  const body = Readable.from(
    (function* () {
      for (; sent < most; sent++) yield chunk
    })(),
  )
  const asked = world.fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
  await until(() => read.continue !== undefined)
  let before = -1
  await until(() => {
    const isStill = before === sent
    before = sent
    return isStill
  })
  expect(sent).toBeLessThan(most / 2)
  read.continue!()
  expect((await asked).status).toBe(200)
  expect(sent).toBe(most)
  server.close()
})

test('a caller that leaves ends the request at its target', async () => {
  let closed = false
  await using site = await openSite((_, response) => {
    response.write('begun')
    response.on('close', () => {
      closed = true
    })
  })
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const gone = new AbortController()
  const asked = world.fetch(site.url, { signal: gone.signal }).catch(() => 'left')
  await until(() => site.seen.length === 1 && world.first.open === 1)
  gone.abort()
  expect(await asked).toBe('left')
  await until(() => closed && world.first.open === 0)
})

test('bytes that leave are spent before they leave, and none leave when the day has no more', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  let left = 1_500
  let spent = 0
  const meter = {
    take: async (bytes: number) => {
      if (bytes > left) return false
      left -= bytes
      spent += bytes
      return true
    },
  }
  await using world = await brokerWorld({ net: { streamPorts: [site.port] }, meter })
  expect((await world.fetch(site.url, { method: 'POST', body: 'a'.repeat(1_000) })).status).toBe(200)
  expect(spent).toBeGreaterThan(1_000)
  const over = await world.fetch(site.url, { method: 'POST', body: 'a'.repeat(1_000) })
  expect(over).toMatchObject({ status: 429, refused: 'FUNCTION_EGRESS_LIMIT' })
  left = 0
  expect((await world.fetch(site.url)).refused).toBe('FUNCTION_EGRESS_LIMIT')
  expect(site.seen.filter(({ body }) => body.length === 1_000)).toHaveLength(1)
})

test('the own cloud in both its forms and /v1 lead to the listeners, and nothing else of this machine does', async () => {
  await using api = await openSite((_, response) => response.end('api'))
  await using apps = await openSite((_, response) => response.end('apps'))
  const ref = 'abcdefghijklmnopqrst'
  const spent: number[] = []
  await using world = await brokerWorld({
    net: { allowedCidrs: [] },
    limits: { perCall: 100 },
    meter: { take: async (bytes) => spent.push(bytes) > 0 },
    inside: {
      api: { at: new URL(api.url), origins: ['https://ai.example.test'] },
      apps: { at: new URL(apps.url), pathOrigins: ['http://127.0.0.1:8081'] },
    },
  })
  const inside: Record<string, string> = {
    'https://ai.example.test/v1': 'api',
    'https://ai.example.test/v1/models?a=b': 'api',
    'https://AI.example.test:443/v1/models': 'api',
    [`http://${ref}.localhost:8081/rest/v1/a`]: 'apps',
    [`http://127.0.0.1:8081/_cloud/${ref}/rest/v1/a`]: 'apps',
  }
  for (const [url, text] of Object.entries(inside)) {
    const reply = await world.fetch(url, { headers: { authorization: 'Bearer own', apikey: 'own' } })
    expect(reply, url).toMatchObject({ status: 200, text })
  }
  expect([...api.seen, ...apps.seen].map(({ headers }) => headers['host'])).toEqual([
    'ai.example.test',
    'ai.example.test',
    'ai.example.test',
    `${ref}.localhost:8081`,
    '127.0.0.1:8081',
  ])
  for (const { headers } of [...api.seen, ...apps.seen]) {
    expect(headers).toMatchObject({ authorization: 'Bearer own', apikey: 'own' })
    expect(headers['x-kherad-call']).toMatch(/^1\./)
  }
  expect(spent).toEqual([])
  const nowhere = [
    'https://ai.example.test/',
    'https://ai.example.test/v1x',
    'https://ai.example.test/metrics',
    'http://ai.example.test/v1/models',
    'https://ai.example.test:8443/v1/models',
    'https://ai.example.test./v1/models',
    'https://x.ai.example.test/v1/models',
    'http://other.localhost:8081/rest/v1/a',
    'http://127.0.0.1:8081/_cloud/other/rest/v1/a',
    `http://127.0.0.1:8081/_cloud/${ref}x/a`,
    'http://127.0.0.1:8081/',
    `http://${ref}.localhost:8080/`,
    `${api.url}/v1/models`,
    `${apps.url}/`,
  ]
  for (const url of nowhere) expect((await world.fetch(url)).refused, url).toMatch(/^FUNCTION_FETCH_/)
  // Dots are resolved before the path is judged, as whoever answers could resolve them.
  const climbing = [
    '/v1/../metrics',
    '/v1/%2e%2e/metrics',
    '/v1/.%2e/metrics',
    '/v1/..\\metrics',
    '//v1/models',
  ]
  for (const path of climbing) {
    const reply = await world.raw(
      `GET ${path} HTTP/1.1\r\nHost: ai.example.test\r\nx-kherad-protocol: https\r\nx-kherad-invocation: first\r\nConnection: close\r\n\r\n`,
    )
    expect(reply, path).toMatch(/^HTTP\/1\.1 (4|5)/)
  }
  expect(api.seen).toHaveLength(3)
  expect(apps.seen).toHaveLength(2)
})

test('a refusal is in the language that the function asks for, and every answer is counted', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port], allowedCidrs: ['127.0.0.1/32'] } })
  const persian = await world.fetch('http://10.0.0.1/', { headers: { 'accept-language': 'fa' } })
  expect(JSON.parse(persian.text).error).toMatchObject({
    code: 'FUNCTION_FETCH_REFUSED',
    message: expect.stringContaining('تابع'),
  })
  expect((await world.fetch(site.url)).status).toBe(200)
  const scraped = await world.metrics.text()
  expect(scraped).toContain('kherad_function_fetches_total{target="outside",result="answered"} 1')
  expect(scraped).toContain('kherad_open_function_fetches 0')
})

test('a second broker of the same machine takes over the socket that a killed one has left', async () => {
  await using site = await openSite((_, response) => response.end('fine'))
  await using world = await brokerWorld({ net: { streamPorts: [site.port] } })
  const again = await world.open('abcdefghijklmnopqrst')
  again.begin('again', 0)
  expect((await fetchOver(again.socketPath, site.url, { call: 'again' })).status).toBe(200)
})

test('work of a call goes on in the background, four requests of it at most, after its end too, until its time is over', async () => {
  await using world = await brokerWorld()
  const seen: string[] = []
  world.first.onBackground({ begun: () => void seen.push('begun'), ended: () => void seen.push('ended') })
  const begin = async (call = 'first'): Promise<IncomingMessage> => {
    const own = { host: 'background.invalid', 'x-kherad-protocol': 'http', 'x-kherad-invocation': call }
    const options = { socketPath: world.egress.socketPath, headers: { ...own, 'x-kherad-background': '1' } }
    const [answer] = await once(request({ ...options, agent: false }).end(), 'response')
    return answer
  }
  const first = await begin()
  expect([first.statusCode, world.first.hasBackground]).toEqual([200, true])
  first.destroy()
  await until(() => !world.first.hasBackground)
  world.first.end()
  const all = [await begin(), await begin(), await begin(), await begin()]
  expect(all.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  expect((await begin()).statusCode).toBe(409)
  // It is no request: it counts for nothing, and the call's own time goes on.
  expect([world.first.open, world.first.waitedMs()]).toEqual([0, 0])
  world.first.stop()
  for (const answer of all) expect(await text(answer)).toBe('')
  expect([seen, world.first.hasBackground]).toEqual([['begun', 'ended', 'begun', 'ended'], false])
  for (const call of ['first', 'unknown']) expect((await begin(call)).statusCode).toBe(409)
})
