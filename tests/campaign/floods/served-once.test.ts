/** Routes without a key: they cost the server next to nothing, and metrics can be closed. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { requestOf, Wire } from '../../contract/wire.ts'
import { boot, type World } from '../../harness/world.ts'

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** As it comes over the line: fetch would unpack it. */
async function get(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http')
  return new Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>(
    (resolve, reject) => {
      request(`${world.url}${path}`, { headers }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () =>
          resolve({
            status: reply.statusCode!,
            headers: reply.headers as Record<string, string>,
            bytes: Buffer.concat(chunks),
          }),
        )
      })
        .on('error', reject)
        .end()
    },
  )
}

describe.each(['/docs?lang=en', '/docs?lang=fa', '/openapi.json'])('%s', (path) => {
  test('is compressed for who takes that, and the same to the byte', async () => {
    const plain = await get(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0.1, gzip;q=0.9', 'gzip', gunzipSync],
      ['*', 'br', brotliDecompressSync],
      ['br;q=0, *', 'gzip', gunzipSync],
    ] as const) {
      const reply = await get(path, { 'accept-encoding': accepted })
      expect(reply.headers['content-encoding'], accepted).toBe(encoding)
      expect(reply.bytes.length).toBeLessThan(plain.bytes.length / 4)
      expect(Number(reply.headers['content-length'])).toBe(reply.bytes.length)
      expect(unpack(reply.bytes).equals(plain.bytes)).toBe(true)
      expect(reply.headers['vary']).toContain('accept-encoding')
    }
    for (const accepted of ['', 'identity', 'deflate', 'br;q=0, gzip;q=0', 'brr'])
      expect((await get(path, { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
  })

  test('is not sent again to who has it', async () => {
    const tags = new Set<string>()
    for (const accepted of ['br', 'gzip', 'identity']) {
      const first = await get(path, { 'accept-encoding': accepted })
      const etag = first.headers['etag']!
      tags.add(etag)
      const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': `"x", W/${etag}` })
      expect(again.status).toBe(304)
      expect(again.bytes.length).toBe(0)
      expect(again.headers).toMatchObject({ etag, vary: first.headers['vary'] })
      expect((await get(path, { 'accept-encoding': accepted, 'if-none-match': '"x"' })).status).toBe(200)
    }
    expect(tags.size).toBe(3)
  })

  test('is made once: two hundred more cost the processor less than making it twice would', async () => {
    const spent = async (count: number): Promise<number> => {
      const before = process.cpuUsage()
      for (let nth = 0; nth < count; nth++) await get(path, { 'accept-encoding': 'br' })
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000 / count
    }
    await get(path)
    // Making the page takes 33 to 113 ms each time; the figure here is for client and server together.
    expect(await spent(200)).toBeLessThan(10)
  })
})

test('JSON answers, refusals and bare refusals of the socket say that their type is not to be guessed', async () => {
  const key = await world.key()
  const replies = [
    await key.get('/v1/balance'),
    await key.chat({}),
    await key.chat({ n: 2 }),
    await key.get('/nothing'),
    await key.get('/v1/models/%ff'),
    await key.get('/v1/balance', { authorization: 'x' }),
    await key.get('/openapi.json'),
  ]
  await using wire = await Wire.open(world.url)
  await wire.write('rubbish\r\n\r\n')
  replies.push(await wire.next())
  for (const { headers, text } of replies)
    expect(headers.get('x-content-type-options'), text.slice(0, 80)).toBe('nosniff')
})

describe('two lines of one header that decides something are refused', () => {
  test.each(['Host', 'Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key', 'Origin'])(
    '%s',
    async (name) => {
      const key = await world.key()
      const given: Record<string, string> = { host: 'a', authorization: `Bearer ${key.secret}` }
      const value = given[name.toLowerCase()] ?? 'application/json'
      const lines = { ...given, [name.toLowerCase()]: value }
      const head = Object.entries(lines).map(([one, text]) => `${one}: ${text}\r\n`)
      for (const second of [`${name}: ${value}`, `${name.toUpperCase()}: another`]) {
        await using wire = await Wire.open(world.url)
        await wire.write(`GET /v1/balance HTTP/1.1\r\n${head.join('')}${second}\r\n\r\n`)
        expectRefusal(await wire.next(), {
          status: 400,
          code: 'INVALID_REQUEST',
          param: second.split(':')[0]!,
        })
      }
      await using good = await Wire.open(world.url)
      await good.write(requestOf('GET', '/v1/balance', { ...lines, 'accept-language': 'fa' }))
      expect((await good.next()).status).toBe(200)
    },
  )

  test('other headers may come in as many lines as they like', async () => {
    const key = await world.key()
    await using wire = await Wire.open(world.url)
    const head = `host: a\r\nauthorization: Bearer ${key.secret}\r\naccept: a\r\naccept: b\r\n`
    await wire.write(`GET /v1/balance HTTP/1.1\r\n${head}\r\n`)
    expect((await wire.next()).status).toBe(200)
  })
})

describe('metrics', () => {
  test('with a token are for who shows it', async () => {
    await using closed = await boot({ config: 'metrics: { token: a-token-of-the-scraper }\n' })
    const key = await closed.key()
    for (const authorization of ['', 'Bearer a-token-of-the-scrape', `Bearer ${key.secret}`])
      expectRefusal(await key.get('/metrics', { authorization }), {
        status: 401,
        code: 'METRICS_TOKEN_REQUIRED',
      })
    const read = await key.get('/metrics', { authorization: 'Bearer a-token-of-the-scraper' })
    expect(read.status).toBe(200)
    expect(read.text).toContain('kherad_http_requests_total')
    // A token that is too short to be one is refused at the start, and not repeated.
    await expect(boot({ config: 'metrics: { token: short }\n' })).rejects.toThrow(/metrics\.token/)
  })

  test('with a port of their own are there, and nowhere else', async () => {
    await using apart = await boot({ config: 'metrics: { port: 0, host: 127.0.0.1 }\n' })
    const key = await apart.key()
    expectRefusal(await key.get('/metrics'), { status: 404, code: 'ROUTE_NOT_FOUND' })
    const { url } = apart.kherad.metricsServer!
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('kherad_body_bytes_in_flight')
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    expect((await fetch(`${url}/v1/models`)).status).toBe(404)
  })
})
