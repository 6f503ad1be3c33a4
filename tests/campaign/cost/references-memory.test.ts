/** The memory that the largest references cost a server, measured from outside its process. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { fakeUpstream, json } from '../../harness/upstream.ts'

const secret = `khr_${'reference'.repeat(5)}`
const mebibyte = 1024 * 1024
/** What the contract lets one reference have. */
const maxCharacters = 12_000_000

const config = (url: string, more: string) => `
${more}
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [images, openrouter] }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [64x64], max_references: 8 }
    pricing: { per_image: 0.04 }
  - id: test/film
    kind: video
    deployments: [{ provider: fake, model: film-1 }]
    video:
      combinations: [{ resolution: 480p, durations: [5], aspect_ratios: ["16:9"], audio: never }]
      references: { guide: 8 }
    pricing: { per_second: 0.01 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

/** A picture that nothing makes smaller: with it a reference is as large as it may be, to some thousand bytes. */
const [noiseWidth, noiseHeight] = [1_499, 1_996]
const noise = (): Promise<Buffer> =>
  sharp(randomBytes(noiseWidth * noiseHeight * 3), {
    raw: { width: noiseWidth, height: noiseHeight, channels: 3 },
  })
    .png({ compressionLevel: 0 })
    .toBuffer()

/** The most that a process ever had in memory. */
async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round((Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024) / mebibyte)
}

async function openServer(more = '') {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await cloneDatabase())
  const upstream = stack.use(await fakeUpstream())
  const server = stack.use(
    await startProcess({
      databaseUrl: database.url,
      bootstrapKey: secret,
      config: config(upstream.url, more),
    }),
  )
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  upstream.reply(json(200, { data: [{ b64_json: picture.toString('base64') }] }))
  const open = stack.move()
  const draw = async (body: Buffer, path = '/v1/studio/image') => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const reply = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    })
    await reply.arrayBuffer()
    return reply
  }
  const files = async (): Promise<unknown[]> => {
    const reply = await fetch(`${server.url}/v1/files`, { headers: { authorization: `Bearer ${secret}` } })
    return ((await reply.json()) as { data: unknown[] }).data
  }
  return { upstream, server, picture, draw, files, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** A body with so many references, each of as many characters as the contract allows: a picture with bytes after its end. */
function bodyOf(picture: Buffer, references: number, model = 'test/painter'): Buffer {
  const head = 'data:image/png;base64,'
  const bytes = Buffer.alloc(((maxCharacters - head.length) >> 2) * 3)
  picture.copy(bytes)
  const dataUrl = head + bytes.toString('base64')
  expect(maxCharacters - dataUrl.length).toBeLessThan(4)
  return Buffer.from(
    JSON.stringify({
      model,
      prompt: 'a cat',
      references: Array(references).fill({ dataUrl }),
    }),
  )
}

describe.runIf(process.platform === 'linux')('references of 12,000,000 characters', () => {
  test('two bodies of eight at once stay within 600 MB', async () => {
    await using at = await openServer()
    const picture = await noise()
    const body = bodyOf(picture, 8)
    const replies = await Promise.all([at.draw(body), at.draw(body)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(await peakMegabytes(at.server.child.pid!)).toBeLessThanOrEqual(600)
    // Each of them reached the upstream whole, without what stood behind its end.
    expect(picture.length).toBeGreaterThan(8_990_000)
    expect(picture.length).toBeLessThan(8_999_900)
    for (const { bytes } of at.upstream.calls) expect(bytes.length).toBeGreaterThan(8 * picture.length)
  })

  test('two orders of videos of eight at once stay within 600 MB, and leave written anew', async () => {
    await using at = await openServer()
    at.upstream.reply(({ path }) =>
      path.endsWith('/videos')
        ? json(202, { id: 'film-1', polling_url: '/videos/film-1', status: 'pending' })
        : json(200, { id: 'film-1', polling_url: '/videos/film-1', status: 'in_progress' }),
    )
    const body = bodyOf(at.picture, 8, 'test/film')
    const path = '/v1/studio/video'
    const replies = await Promise.all([at.draw(body, path), at.draw(body, path)])
    expect(replies.map(({ status }) => status)).toEqual([202, 202])
    await until(async () => at.upstream.calls.filter((call) => call.path.endsWith('/videos')).length === 2)
    expect(await peakMegabytes(at.server.child.pid!)).toBeLessThanOrEqual(600)
    // What stood behind the end of each picture stays here.
    for (const { path: to, bytes } of at.upstream.calls)
      if (to.endsWith('/videos')) expect(bytes.length).toBeLessThan(100_000)
  })

  test.each([
    ['eight bodies of one at once are all answered', '', 8],
    [
      'of eight at once those without room are refused with Retry-After, before an order and free',
      'limits: { body_bytes_in_flight: 26000000 }',
      2,
    ],
  ])('%s', async (_, limits, least) => {
    await using at = await openServer(limits)
    const body = bodyOf(await noise(), 1)
    const replies = await Promise.all(Array.from({ length: 8 }, () => at.draw(body)))
    const drawn = replies.filter(({ status }) => status === 200)
    expect(drawn.length).toBeGreaterThanOrEqual(least)
    for (const { status, headers } of replies.filter((reply) => !drawn.includes(reply))) {
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(at.upstream.calls).toHaveLength(drawn.length)
    expect(await at.files()).toHaveLength(drawn.length)
    expect(await peakMegabytes(at.server.child.pid!)).toBeLessThanOrEqual(600)
  })
})
