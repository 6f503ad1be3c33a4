/** The cost of request bodies: one buffer each, a bound on all of them together, and no blocking of the event loop. */
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { requestOf, Wire } from '../../contract/wire.ts'
import type { Client } from '../../harness/client.ts'
import { collectGarbage } from '../../harness/collect-garbage.ts'
import { until } from '../../harness/until.ts'
import { answer, fakeUpstream } from '../../harness/upstream.ts'
import { boot, upstreamConfig, type World } from '../../harness/world.ts'

const mebibyte = 1024 * 1024
const limited = (bytes: number) => `limits:\n  body_bytes_in_flight: ${bytes}\n`
/** For bodies that are to find no room, and for those that are to find it, however long this machine takes to make some. */
const hasty = { bodyWaitMs: 100 }
const patient = { bodyWaitMs: 120_000 }
const heldBytes = async (key: Client): Promise<number> =>
  Number(/^kherad_body_bytes_in_flight (\d+)$/m.exec((await key.get('/metrics')).text)![1])

/** A picture of one red pixel with so many bytes after its end, as POST /v1/files takes it. */
function pictureOf(bytes: number): string {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
    'base64',
  )
  return JSON.stringify({ data: Buffer.concat([png, Buffer.alloc(bytes)]).toString('base64') })
}
const upload = (key: Client, body: string, headers = {}) => key.request('POST', '/v1/files', body, headers)

/** The beginning of a body of so many bytes that never ends. */
async function halfABody(world: World, key: Client, bytes: number): Promise<Wire> {
  const wire = await Wire.open(world.url)
  const head = requestOf(
    'POST',
    '/v1/files',
    { authorization: `Bearer ${key.secret}`, 'content-length': String(bytes) },
    '',
  )
  await wire.write(head)
  await wire.write('{"data":"')
  return wire
}

test('a body in one-byte chunks costs its bytes, not a buffer for each chunk', async () => {
  await using world = await boot()
  const key = await world.key()
  await using wire = await Wire.open(world.url)
  const lines = { host: 'test', authorization: `Bearer ${key.secret}`, 'transfer-encoding': 'chunked' }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  await wire.write(`POST /v1/files HTTP/1.1\r\n${head.join('')}\r\n`)
  const count = 600_000
  // Sent in parts, so that the test itself holds little.
  const part = Buffer.from('1\r\na\r\n'.repeat(20_000))
  const openBytes = '1\r\n{\r\n1\r\n"\r\n'
  await wire.write(openBytes)
  collectGarbage()
  const before = process.memoryUsage()
  for (let sent = 0; sent < count; sent += 20_000) await wire.write(part)
  await until(async () => (await heldBytes(key)) > count - 16 * 1024)
  collectGarbage()
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  // A buffer for each byte was about 200 MB.
  expect(grown).toBeLessThan(30 * mebibyte)
})

describe('all bodies together have a bound', () => {
  test('beyond it a body is 503 with the time to come back, its connection is kept, and small requests are served', async () => {
    await using world = await boot({ config: limited(4 * mebibyte), timing: hasty })
    const key = await world.key({})
    await using half = await halfABody(world, key, 3 * mebibyte)
    // It is no slow one that would lose its place.
    await half.write('x'.repeat(2 * mebibyte))
    await until(async () => (await heldBytes(key)) > 2 * mebibyte)
    await using wire = await Wire.open(world.url)
    const headers = { authorization: `Bearer ${key.secret}`, 'accept-language': 'fa' }
    await wire.write(requestOf('POST', '/v1/files', headers, pictureOf(1.5 * mebibyte)))
    const refused = await wire.next()
    expectRefusal(refused, { status: 503, code: 'TOO_MUCH_IN_FLIGHT' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.body.error.message).toMatch(/[\u0600-\u06FF]/)
    expect((await key.chat({})).status).toBe(200)
    // What was held is free when its sender is gone.
    await half[Symbol.asyncDispose]()
    await until(async () => (await heldBytes(key)) === 0)
    await wire.write(requestOf('POST', '/v1/files', headers, pictureOf(1.5 * mebibyte)))
    expect((await wire.next()).status).toBe(201)
    await until(async () => (await heldBytes(key)) === 0)
  })

  test('a body waits a moment for room, and gets it as soon as another is over', async () => {
    await using world = await boot({ config: limited(4 * mebibyte), timing: patient })
    const key = await world.key({})
    await using half = await halfABody(world, key, 3 * mebibyte)
    await half.write('x'.repeat(2 * mebibyte))
    await until(async () => (await heldBytes(key)) > 2 * mebibyte)
    await using wire = await Wire.open(world.url)
    const headers = { authorization: `Bearer ${key.secret}` }
    const sending = wire.write(requestOf('POST', '/v1/files', headers, pictureOf(1.5 * mebibyte)))
    // One that leaves while it waits leaves nothing behind.
    const impatient = await halfABody(world, key, 2 * mebibyte)
    await impatient[Symbol.asyncDispose]()
    await half[Symbol.asyncDispose]()
    await sending
    expect((await wire.next()).status).toBe(201)
    await until(async () => (await heldBytes(key)) === 0)
  })

  test('a caller who disconnects while a whole small body of theirs waits for room leaves nothing behind', async () => {
    await using world = await boot({ config: limited(4 * mebibyte), timing: patient })
    const key = await world.key({})
    await using half = await halfABody(world, key, 4 * mebibyte)
    await half.write('x'.repeat(2 * mebibyte))
    await until(async () => (await heldBytes(key)) > 3 * mebibyte)
    for (let leaver = 0; leaver < 3; leaver++) {
      const wire = await Wire.open(world.url)
      const headers = { authorization: `Bearer ${key.secret}` }
      await wire.write(requestOf('POST', '/v1/files', headers, pictureOf(40_000)))
      await wire[Symbol.asyncDispose]()
    }
    await half[Symbol.asyncDispose]()
    await until(async () => (await heldBytes(key)) === 0)
  })

  test('a body counts until its request is over, not until it is read', async () => {
    await using upstream = await fakeUpstream()
    const config = `${upstreamConfig(upstream.url)}\n${limited(2 * mebibyte)}`
    await using world = await boot({ config, timing: hasty })
    const key = await world.key()
    const held = Promise.withResolvers<void>()
    upstream.reply(async () => {
      await held.promise
      return answer()
    })
    const long = {
      messages: [{ role: 'user', content: 'x'.repeat(150_000) }],
      pad: 'x'.repeat(1.3 * mebibyte),
    }
    const first = key.chat(long)
    await until(() => upstream.calls.length === 1)
    expect(await heldBytes(key)).toBeGreaterThan(mebibyte)
    expectRefusal(await key.chat(long), { status: 503, code: 'TOO_MUCH_IN_FLIGHT' })
    held.resolve()
    expect((await first).status).toBe(200)
    await until(async () => (await heldBytes(key)) === 0)
  })

  test('one body is always taken, however small the bound', async () => {
    await using world = await boot({ config: limited(1), timing: patient })
    const key = await world.key()
    expect((await upload(key, pictureOf(2 * mebibyte))).status).toBe(201)
    // Refused bodies and bodies that are too large leave nothing behind either.
    expectRefusal(await upload(key, pictureOf(22 * mebibyte)), { status: 413, code: 'BODY_TOO_LARGE' })
    expectRefusal(await upload(key, `{"data":${' '.repeat(2 * mebibyte)}`), {
      status: 400,
      code: 'INVALID_JSON',
    })
    await until(async () => (await heldBytes(key)) === 0)
    expect((await upload(key, pictureOf(mebibyte))).status).toBe(201)
  })
})

test('an upload of 27 MB, with a key to repeat it by, holds the event loop no longer than a slice here and there', async () => {
  await using world = await boot()
  const key = await world.key()
  const body = pictureOf(20 * mebibyte - 100)
  const send = () => upload(key, body, { 'idempotency-key': 'large' })
  // Processor time that this thread took between two turns of its loop, the client of this test included: no clock of a busy machine, and
  // no thread beside it, such as those of the garbage collector.
  let maxMs = 0
  let wholeMs = 0
  let last = process.threadCpuUsage()
  let isOver = false
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    const turnMs = (user + system) / 1000
    maxMs = Math.max(maxMs, turnMs)
    wholeMs += turnMs
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const first = await send()
  isOver = true
  expect(first.status).toBe(201)
  expect(first.body.bytes).toBeGreaterThan(20_000_000)
  // In one go (parsing, checking, hashing twice, decoding) it was half of the whole; in slices the longest turn is a tenth.
  expect(maxMs, `of ${wholeMs} ms`).toBeLessThan(wholeMs / 3)
  expect((await send()).headers.get('idempotent-replayed')).toBe('true')
})

describe('a body of many members', () => {
  test('is refused in words where it holds more values than anybody sends', async () => {
    await using world = await boot()
    const key = await world.key()
    const dense = `{"messages":[{"role":"user","content":"hi"}],"pad":[${'[],'.repeat(1_200_000)}1]}`
    expectRefusal(await key.request('POST', '/v1/chat/completions', dense), {
      status: 400,
      code: 'INVALID_JSON',
    })
    const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, 1]))
    expectRefusal(await key.chat({ pad: wide }), { status: 400, code: 'INVALID_JSON' })
  })

  test('that is wrong far inside names the place among all of them', async () => {
    await using world = await boot()
    const key = await world.key()
    const message = (content: unknown) => ({ role: 'user', content })
    const messages = Array.from({ length: 900 }, () => message('x'.repeat(1_500)))
    messages[700] = message(5)
    const reply = await key.chat({ messages })
    expect(reply.body.error.param).toMatch(/^messages\.700\.content/)
    const other = await key.chat({ messages, tools: 5 })
    expect(other.body.error.param).toBe('tools')
    expectRefusal(
      await key.chat({ messages: Array.from({ length: 1_001 }, () => message('x'.repeat(1_500))) }),
      {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'messages',
      },
    )
  })
})
