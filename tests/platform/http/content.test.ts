import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure, fail } from '#platform/errors'
import { type ContentSpec, content, type HttpApp, type Route } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { until } from '../../harness/until.ts'
import { open, route, type Served, serve } from './served.ts'

const bytes = randomBytes(300_000)
const etag = '"v1"'
const base: Omit<ContentSpec, 'open'> = {
  mediaType: 'audio/wav',
  bytes: bytes.length,
  etag,
  headers: { 'cache-control': 'private, no-cache' },
  contentHeaders: { 'content-disposition': 'inline' },
}

/** What the live streams of these tests were asked for, and whether they were ended. */
const live = { pulled: 0, ended: 0 }

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      live.pulled += 1
      yield Buffer.alloc(64 * 1024)
    }
  } finally {
    live.ended += 1
  }
}

const gate = Promise.withResolvers<void>()
async function* twoSounds(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('first')
  await gate.promise
  yield Buffer.from('second')
}

async function* broken(after: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < after; n += 1) yield Buffer.from('some')
  fail('INVALID_REQUEST', { why: { en: 'no sound came.', fa: 'صدایی نیامد.' } })
}

const bytesRoute = (
  name: string,
  spec: ContentSpec,
  more: Pick<Partial<Route<HttpApp>>, 'ranges' | 'errors' | 'cors'> = {},
): Route<HttpApp> =>
  route({
    ...open,
    method: 'GET',
    path: `/${name}`,
    operation: `test.${name}`,
    reply: { 200: 'audio/wav' },
    errors: [],
    ...more,
    handle: () => content(spec),
  })

const opened: unknown[] = []
let silent: Readable
let served: Served
beforeAll(async () => {
  served = await serve(({ app }) => [
    bytesRoute(
      'parts',
      {
        ...base,
        open: async (range) => {
          opened.push(range)
          return (await app.storage.get('sounds/one', range))!
        },
      },
      { ranges: true },
    ),
    bytesRoute('file', { ...base, open: () => bytes }),
    bytesRoute('misnamed', { ...base, contentHeaders: { 'content-disposition': 'سلام' }, open: endless }),
    bytesRoute('misnamed-bytes', {
      ...base,
      contentHeaders: { 'content-disposition': 'سلام' },
      open: () => bytes,
    }),
    bytesRoute('less', { ...base, open: () => bytes.subarray(1) }),
    bytesRoute(
      'varied',
      { ...base, headers: { vary: 'Accept-Language' }, open: () => bytes },
      { cors: () => true },
    ),
    bytesRoute('whole', { ...base, open: () => bytes }),
    bytesRoute('live', { mediaType: 'audio/wav', open: twoSounds }, { ranges: true }),
    bytesRoute('endless', { mediaType: 'audio/wav', open: endless }),
    bytesRoute('silent', { mediaType: 'audio/wav', open: () => (silent = new Readable({ read() {} })) }),
    bytesRoute('early', { mediaType: 'audio/wav', open: () => broken(0) }, { errors: ['INVALID_REQUEST'] }),
    bytesRoute('late', { mediaType: 'audio/wav', open: () => broken(2) }),
    bytesRoute('short', { ...base, open: () => Readable.from([bytes.subarray(1)]) }),
    bytesRoute('long', { ...base, open: () => Readable.from([bytes, bytes]) }),
  ])
  await served.world.app.storage.put('sounds/one', bytes)
})
afterAll(async () => {
  expect(served.violations).toEqual([])
  await served[Symbol.asyncDispose]()
})

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${served.url}/${name}`, { method, headers })
const bodyOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())

describe('a stored file', () => {
  test('goes out whole with its length, tag and the news that parts may be had', async () => {
    const reply = await get('parts')
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '300000',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': 'inline',
      etag,
    })
    expect(await bodyOf(reply)).toEqual(bytes)
  })

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=299999-', 299_999, 299_999],
    ['bytes=-10', 299_990, 299_999],
    ['bytes=100-199', 100, 199],
  ])('%s is that part of it, and no more is read', async (range, start, end) => {
    opened.length = 0
    const reply = await get('parts', { range, 'if-range': etag })
    expect(reply.status).toBe(206)
    expect(reply.headers.get('content-range')).toBe(`bytes ${start}-${end}/300000`)
    expect(reply.headers.get('content-length')).toBe(String(end - start + 1))
    expect(await bodyOf(reply)).toEqual(bytes.subarray(start, end + 1))
    expect(opened).toEqual([{ start, end }])
  })

  test('a part beyond its end is 416 with its length, and nothing of the file stands on the refusal', async () => {
    const reply = await get('parts', { range: 'bytes=300000-' })
    expect(reply.status).toBe(416)
    expect(reply.headers.get('content-range')).toBe('bytes */300000')
    expect(reply.headers.get('etag')).toBeNull()
    expect(((await reply.json()) as never)['error']['code']).toBe('RANGE_NOT_SATISFIABLE')
  })

  test('another version, several parts and nonsense are the whole', async () => {
    for (const headers of [
      { range: 'bytes=0-1', 'if-range': '"v0"' },
      { range: 'bytes=0-1,5-6' },
      { range: 'x' },
    ])
      expect((await get('parts', headers as Record<string, string>)).status).toBe(200)
  })

  test('who has it gets 304, and HEAD its headers; neither opens it', async () => {
    opened.length = 0
    const known = await get('parts', { 'if-none-match': etag, range: 'bytes=0-1' })
    expect([known.status, known.headers.get('etag'), known.headers.get('content-disposition')]).toEqual([
      304,
      etag,
      null,
    ])
    const head = await get('parts', { range: 'bytes=0-9' }, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([206, '10'])
    expect((await get('parts', { 'if-none-match': etag }, 'HEAD')).status).toBe(304)
    expect(opened).toEqual([])
  })

  test('bytes in memory go out whole, and never fewer or more than were promised', async () => {
    expect(await bodyOf(await get('file'))).toEqual(bytes)
    expect((await get('less')).status).toBe(500)
  })

  test('what the answer varies by is added to what chose its page', async () => {
    const { headers } = await get('varied', { origin: 'https://a.test' })
    expect([headers.get('vary'), headers.get('access-control-allow-origin')]).toEqual([
      'Origin, Accept-Language',
      'https://a.test',
    ])
  })

  test.each(['misnamed', 'misnamed-bytes'])(
    'a header that cannot be sent is 500 in our own words, and no endless wait: %s',
    async (name) => {
      const { ended } = live
      const reply = await get(name)
      expect(reply.status).toBe(500)
      expect(((await reply.json()) as never)['error']['code']).toBe('INTERNAL')
      if (name === 'misnamed') await until(async () => live.ended === ended + 1)
    },
  )

  test('a route without ranges answers the whole and promises nothing else', async () => {
    const reply = await get('whole', { range: 'bytes=0-1' })
    expect([reply.status, reply.headers.get('accept-ranges')]).toEqual([200, null])
    expect(await bodyOf(reply)).toEqual(bytes)
  })

  test('a source that is too short ends in a cut connection, never in a good end; of one too long nothing more goes out', async () => {
    await expect(get('short').then(bodyOf)).rejects.toThrow()
    expect(await bodyOf(await get('long'))).toEqual(bytes)
  })
})

test('parts come from an S3-compatible store as they come from the disk', async () => {
  await using s3 = await fakeS3()
  await using it = await serve(
    ({ app }) => [
      bytesRoute(
        'parts',
        { ...base, open: async (range) => (await app.storage.get('sounds/one', range))! },
        { ranges: true },
      ),
    ],
    { config: s3.config },
  )
  await it.world.app.storage.put('sounds/one', bytes)
  const reply = await fetch(`${it.url}/parts`, { headers: { range: 'bytes=5-9' } })
  expect(reply.status).toBe(206)
  expect(await bodyOf(reply)).toEqual(bytes.subarray(5, 10))
  expect(await bodyOf(await fetch(`${it.url}/parts`))).toEqual(bytes)
})

describe('a stream that is made as it is sent', () => {
  test('arrives as it comes, in chunks and without parts', async () => {
    const reply = await get('live', { range: 'bytes=0-1' })
    expect([reply.status, reply.headers.get('content-length'), reply.headers.get('accept-ranges')]).toEqual([
      200,
      null,
      null,
    ])
    const reader = reply.body!.getReader()
    expect(String(Buffer.from((await reader.read()).value!))).toBe('first')
    gate.resolve()
    expect(String(Buffer.from((await reader.read()).value!))).toBe('second')
    expect((await reader.read()).done).toBe(true)
  })

  test('fails in words before its first byte, and by a cut connection after it', async () => {
    const early = await get('early')
    expect(early.status).toBe(400)
    expect(((await early.json()) as never)['error']['code']).toBe('INVALID_REQUEST')
    await expect(get('late').then(bodyOf)).rejects.toThrow()
  })

  test('HEAD starts nothing', async () => {
    const before = live.pulled
    expect((await get('endless', {}, 'HEAD')).status).toBe(200)
    expect(live.pulled).toBe(before)
  })

  test('is made no faster than it is taken, and ends when its reader leaves', async () => {
    const { pulled, ended } = live
    const socket = connect(served.server.port, '127.0.0.1')
    socket.write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'readable')
    let before = -1
    await until(async () => {
      const still = live.pulled === before
      before = live.pulled
      return still
    })
    // What fits into the buffers of two sockets, and not a byte more.
    expect(live.pulled - pulled).toBeLessThan(300)
    expect(live.ended).toBe(ended)
    socket.destroy()
    await until(async () => live.ended === ended + 1)
  })

  test('a source that says nothing is ended too when its reader leaves', async () => {
    const socket = connect(served.server.port, '127.0.0.1')
    socket.write('GET /silent HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(async () => silent !== undefined)
    socket.destroy()
    await until(async () => silent.destroyed)
  })
})

test('the document names the part and its refusal from the one declaration', () => {
  const made = openApiOf([bytesRoute('parts', { ...base, open: () => bytes }, { ranges: true })], 'http://x')
  const { responses } = (made as never)['paths']['/parts']['get'] as { responses: Record<string, unknown> }
  expect(responses['206']).toEqual(responses['200'])
  expect(responses['416']).toMatchObject({ description: 'RANGE_NOT_SATISFIABLE' })
  expect(new Failure('RANGE_NOT_SATISFIABLE', { bytes: 3 }, {}).status).toBe(416)
})
