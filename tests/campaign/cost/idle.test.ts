import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type FoundSite, type Manifest, openSiteAllowances, type SiteFile } from '#sites/hosting'
import { Blobs } from '../../../src/sites/site-routes/serve/blobs.ts'
import { OpenVersions } from '../../../src/sites/site-routes/serve/open-versions.ts'
import { SiteHandler } from '../../../src/sites/site-routes/serve/serve.ts'
import { collectGarbage } from '../../harness/collect-garbage.ts'
import { until } from '../../harness/until.ts'
import { visit } from '../../sites/visitor.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** Sites `0.example`, `1.example` … without a database, each of 500 files of so many bytes. */
async function sitesOf(fileBytes: number) {
  const file = (path: string, storageKey: string): SiteFile => ({
    ...{ path, storageKey, mediaType: 'text/html', bytes: fileBytes },
    sha256: 'ab'.repeat(32),
  })
  const found = new Map<string, FoundSite & { version: number }>()
  const reads = { manifests: 0, blobs: 0, bytes: 0 }
  const handler = new SiteHandler({
    directory: {
      find: (host) => {
        let site = found.get(host)
        if (!site) {
          site = { accountId: 'a', siteId: host, version: 1, isPreview: false, takenDown: false }
          found.set(host, site)
        }
        return site
      },
    },
    versions: new OpenVersions({
      readManifest: async ({ siteId }): Promise<Manifest> => {
        reads.manifests++
        const names = ['index.html', ...Array.from({ length: 499 }, (_, index) => `pages/page-${index}.html`)]
        const files = new Map(names.map((path) => [path, file(path, `${siteId}/${path}`)]))
        return {
          accountId: 'a',
          siteId,
          version: 1,
          readyAt: new Date(0),
          spa: false,
          files,
          redirects: [],
          headers: [],
        }
      },
      readStaleFiles: async () => new Map(),
    }),
    blobs: new Blobs({
      get: async () => {
        reads.blobs++
        return Readable.from(piecesOf(fileBytes, reads))
      },
    }),
    allowances: openSiteAllowances({
      clock: { nowMs: () => Date.now() },
      // Takes whatever is asked for.
      db: { tx: async () => ({ requests: 1_000_000, bytes: 1e12 }) } as never,
      log: silent,
      limitsOf: () => ({ requests: 1e9, bytes: 1e12 }),
    }),
    ...{ clock: { nowMs: () => Date.now() }, log: silent, reportLost: () => undefined },
  })
  const server = createServer((message, response) => {
    const host = message.headers.host!
    handler.handle({
      ...{
        message,
        response,
        host,
        pathPrefix: '',
        clientAddress: '127.0.0.1',
        secure: false,
        timeLimit: undefined,
      },
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    reads,
    get: (host: string, path = '/', headers: Record<string, string> = {}) =>
      visit(`http://127.0.0.1:${port}`, path, { headers: { ...headers, host } }),
    async [Symbol.asyncDispose]() {
      await handler[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

const pieceBytes = 64 * 1024

function* piecesOf(bytes: number, reads: { bytes: number }): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= pieceBytes) {
    const piece = Buffer.alloc(Math.min(left, pieceBytes), 1)
    reads.bytes += piece.length
    yield piece
  }
}

const megabyte = 1024 * 1024
/** The least of several looks: one collection spares what still lies on a stack, and the bytes of buffers are freed beside it. */
async function occupied(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let looks = 0; looks < 5; looks++) {
    collectGarbage()
    await pause(20)
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, heapUsed + arrayBuffers)
  }
  return least
}

test('a thousand sites that were visited and lie idle occupy no more than the bounds of the caches, whatever their files weigh', async () => {
  const grown: number[] = []
  for (const fileBytes of [20_000, 250_000]) {
    await using sites = await sitesOf(fileBytes)
    await sites.get('first.example')
    const before = await occupied()
    for (let at = 0; at < 1_000; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const answer = await sites.get(`${at + index}.example`)
          expect([answer.status, answer.body.length]).toEqual([200, fileBytes])
        }),
      )
    grown.push(((await occupied()) - before) / megabyte)
    expect(sites.reads.manifests).toBe(1_001)
  }
  // 32 MiB of contents and 32 MB of versions; 1,000 sites have 10 GB and 125 GB.
  for (const megabytes of grown) expect(megabytes).toBeLessThan(110)
})

test('however many visitors ask at once for what is not in memory, it is read once', async () => {
  await using sites = await sitesOf(100_000)
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => sites.get('a.example', '/pages/page-7')),
  )
  for (const { status, body } of answers) expect([status, body.length]).toEqual([200, 100_000])
  expect(sites.reads).toEqual({ manifests: 1, blobs: 1, bytes: 100_000 })
})

test('visitors who read nothing hold back what is read for them, and others are served meanwhile', async () => {
  const fileBytes = 40 * megabyte
  await using sites = await sitesOf(fileBytes)
  const stuck = Array.from({ length: 20 }, () => connect(sites.port, '127.0.0.1').pause())
  for (const socket of stuck) socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
  await until(() => sites.reads.blobs === 20)
  const whole = await sites.get('a.example')
  expect(whole.body.length).toBe(fileBytes)
  // What the kernel takes for a connection on this machine is some megabytes.
  expect(sites.reads.bytes - fileBytes).toBeLessThan(20 * 10 * megabyte)
  for (const socket of stuck) socket.destroy()
})
