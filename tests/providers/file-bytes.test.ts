/** Large files of upstreams: how they are read, to the byte, and by readers that are slow or leave. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileBytes, type LinkedFileNet, linkedBytes, UpstreamClient } from '#providers/kit'
import { selfSigned } from '../harness/certificate.ts'
import { until } from '../harness/until.ts'
import { cut, type FakeUpstream, fakeUpstream, json, type Script, stream } from '../harness/upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { patient } from './asking.ts'

const tls = selfSigned('files.example.test')
let own: FakeUpstream
let linked: FakeUpstream
beforeAll(async () => {
  own = await fakeUpstream()
  linked = await fakeUpstream(0, tls)
})
afterAll(async () => {
  await own[Symbol.asyncDispose]()
  await linked[Symbol.asyncDispose]()
})

const links: LinkedFileNet = {
  net: guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] }),
}
const address = () => `https://files.example.test:${new URL(linked.url).port}/file`
const { signal } = new AbortController()
const options = { signal, timeouts: patient, maxBytes: 1_000, accept: 'video/*' }

async function* fromOwn(more: Partial<typeof options> = {}) {
  await using client = new UpstreamClient({ baseUrl: own.url, apiKey: 'a-key-of-the-vendor' })
  yield* fileBytes(client, links, { ...options, ...more, path: '/file' })
}
const fromLink = (more: Partial<typeof options> = {}) =>
  linkedBytes(address(), links, { ...options, ...more })

async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe.each([
  ['its own address', fromOwn, () => own],
  ['a link', fromLink, () => linked],
] as const)('a file behind %s', (_, open, server) => {
  const type = { 'content-type': 'video/mp4' }

  test('has exactly as many bytes as are allowed, and no more, whether or not it says so', async () => {
    for (const headers of [type, { ...type, 'content-length': '1000' }]) {
      server().reply(stream([Buffer.alloc(1_000, 7)], headers))
      expect((await read(open())).equals(Buffer.alloc(1_000, 7))).toBe(true)
    }
    for (const headers of [type, { ...type, 'content-length': '1001' }]) {
      server().reply(stream([Buffer.alloc(1_001)], headers))
      await expect(read(open())).rejects.toMatchObject({ fault: 'malformed' })
    }
  })

  test('is asked for by its type, and by nothing more where it is a link', async () => {
    const from = server().calls.length
    server().reply(stream([Buffer.alloc(1)], type))
    await read(open())
    const { headers } = server().calls[from]!
    expect(headers['accept']).toBe('video/*')
    expect(headers['authorization']).toBe(server() === own ? 'Bearer a-key-of-the-vendor' : undefined)
  })

  test('that is empty is empty', async () => {
    server().reply(json(200, '', type))
    expect(await read(open())).toHaveLength(0)
  })

  test('that breaks off is told after its last byte', async () => {
    server().reply(stream([Buffer.alloc(10, 1), cut], type))
    const reading = open()[Symbol.asyncIterator]()
    expect((await reading.next()).value).toHaveLength(10)
    await expect(reading.next()).rejects.toMatchObject({ fault: 'cut' })
    expect(await reading.next()).toMatchObject({ done: true })
  })

  test('that was aborted before is not asked for', async () => {
    const from = server().calls.length
    await expect(read(open({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ fault: 'aborted' })
    expect(server().calls).toHaveLength(from)
  })

  test('has a slow reader whose time is not that of the server', async () => {
    server().reply(stream([Buffer.alloc(100, 1), () => turn(), Buffer.alloc(100, 2)], type))
    const patience = { ...patient, idleMs: 500 }
    let bytes = 0
    for await (const chunk of open({ timeouts: patience })) {
      bytes += chunk.length
      // Longer than the silence that is allowed: the clock stands while nothing is asked for.
      const sinceMs = performance.now()
      if (bytes <= 100) await until(async () => performance.now() - sinceMs > 700)
    }
    expect(bytes).toBe(200)
  })
})

describe('redirects', () => {
  const away = (location: string): Script => json(302, '', { location })

  test('within the origin may be relative, and are followed three times', async () => {
    own.replyOnce(away('file?2'), away('/v1/file?3'), away(new URL('/other/file', own.url).href))
    own.reply(stream([Buffer.alloc(5, 9)], { 'content-type': 'video/mp4' }))
    const from = own.calls.length
    expect(await read(fromOwn())).toHaveLength(5)
    expect(own.calls.slice(from).map(({ path }) => path)).toEqual([
      '/v1/file',
      '/v1/file?2',
      '/v1/file?3',
      '/other/file',
    ])
    own.replyOnce(away('1'), away('2'), away('3'), away('4'))
    await expect(read(fromOwn())).rejects.toMatchObject({
      fault: 'malformed',
      detail: 'redirects without an end',
    })
  })

  test('to another port are to another origin', async () => {
    own.replyOnce(away(address()))
    linked.reply(stream([Buffer.alloc(5, 9)], { 'content-type': 'video/mp4' }))
    const from = linked.calls.length
    expect(await read(fromOwn())).toHaveLength(5)
    expect(linked.calls[from]!.headers).not.toHaveProperty('authorization')
  })

  test('of a link are followed by the guarded client, which judges each', async () => {
    linked.replyOnce(away('https://127.0.0.1.example.test/'), away('http://files.example.test/'))
    linked.reply(away(address()))
    await expect(read(fromLink())).rejects.toMatchObject({
      fault: expect.stringMatching(/^(malformed|reset)$/),
    })
    await expect(read(fromLink())).rejects.toMatchObject({ fault: 'malformed' })
    await expect(read(fromLink())).rejects.toMatchObject({ fault: 'malformed' })
  })
})

describe('a reader that takes nothing holds the server up', () => {
  /** Writes without an end as long as it may. */
  const openTap = async () => {
    const state = { sent: 0, isBlocked: false, response: undefined as ServerResponse | undefined }
    const chunk = Buffer.alloc(64 * 1024)
    const pour = (): void => {
      while (state.response!.write(chunk)) state.sent += chunk.length
      state.sent += chunk.length
      state.isBlocked = true
    }
    const server: Server = createServer((_, response) => {
      state.response = response
      response.writeHead(200, { 'content-type': 'video/mp4' })
      response.on('drain', () => {
        state.isBlocked = false
        pour()
      })
      pour()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      state,
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        server.close()
      },
    }
  }

  test('until it goes on, and its leaving closes the connection', async () => {
    await using tap = await openTap()
    await using client = new UpstreamClient({ baseUrl: tap.baseUrl })
    const maxBytes = 1024 * 1024 * 1024
    for await (const chunk of fileBytes(client, links, { ...options, maxBytes, path: '/file' })) {
      expect(chunk.length).toBeGreaterThan(0)
      await until(async () => {
        const before = tap.state.sent
        for (let turns = 0; turns < 20; turns += 1) await turn()
        return tap.state.isBlocked && tap.state.sent === before
      })
      // What the buffers of both sockets hold, and a quarter of a mebibyte here.
      expect(tap.state.sent).toBeLessThan(64 * 1024 * 1024)
      break
    }
    await until(async () => tap.state.response!.destroyed)
  })
})
