/**
 * The sandbox's videos over HTTP, through the real queue: what was ordered comes and is paid exactly, and whatever is ordered to go wrong ends
 * free of charge, with nothing open.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { boot } from '../../harness/world.ts'
import { picture } from '../../media/sandbox-films.ts'
import { bootVideos, hasLeft, untilFetched, type VideoWorld } from '../../media/videos/video-world.ts'

let at: VideoWorld
let key: Client
beforeAll(async () => {
  at = await bootVideos()
  key = await at.world.key()
})
afterAll(() => at[Symbol.asyncDispose]())

const route = '/v1/studio/video'

interface Pair {
  id: string
  providerJobId: string
}

async function accepted(client: Client, more: Record<string, unknown>): Promise<Pair> {
  const plain = { model: 'sandbox/video', duration: 1, resolution: '480p', aspectRatio: '16:9' }
  const reply = await client.post(route, { ...plain, ...more })
  expect(reply.status, reply.text).toBe(202)
  const { id, providerJobId } = reply.body
  return { id, providerJobId }
}

async function stateOf(client: Client, pair: Pair): Promise<Seen['body'] | undefined> {
  const seen = await client.post(`${route}/status`, pair)
  expect(seen.status, seen.text).toBe(200)
  return seen.body.pending ? undefined : seen.body
}

async function contentOf(client: Client, pair: Pair): Promise<Buffer> {
  const reply = await client.raw('POST', `${route}/content`, JSON.stringify(pair))
  expect(reply.headers.get('content-type')).toBe('video/mp4')
  return Buffer.from(await reply.arrayBuffer())
}

/** Ordered, and carried to its end while the clock runs ahead: by small steps, since a video is made in the machine's own time. */
async function ended(
  prompt: string,
  more: Record<string, unknown> = {},
  stepMs = 100,
): Promise<Seen['body'] & { pair: Pair }> {
  const pair = await accepted(key, { prompt, ...more })
  if (stepMs > 1_000) await hasLeft(at.world, pair.id)
  const state = await untilFetched(at, () => stateOf(key, pair), stepMs)
  return { ...state, pair }
}

const orders = (text: string): string => `موج‌های دریا [[sandbox: ${text}]]`

test('in 2 to 10 s of a clock that nobody moves it is there, plays, and costs what the table says', async () => {
  await using world = await boot({ credits: 1_000 })
  const client = await world.key()
  const begun = performance.now()
  const pair = await accepted(client, { prompt: 'موج‌های دریا', duration: 3, generateAudio: true })
  const state = await until(() => stateOf(client, pair))
  expect(state, JSON.stringify(state)).toMatchObject({
    status: 'completed',
    video: { width: 854, height: 480, durationSeconds: 3, hasAudio: true },
  })
  expect(performance.now() - begun).toBeGreaterThan(2_000)
  const receipt = (await client.receipt(state!.requestId)).body
  expect(receipt).toMatchObject({ endpoint: route, details: { files: [state!.video.fileId] } })
  const usd = 3 * 0.003
  expect(state!.execution.costUsd).toBeCloseTo(usd, 6)
  await expectPlays(await contentOf(client, pair))
})

async function expectPlays(bytes: Buffer): Promise<void> {
  expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')
  if (!hasFfmpeg) return
  const folder = await mkdtemp(path.join(tmpdir(), 'video-'))
  const file = path.join(folder, 'film.mp4')
  await writeFile(file, bytes)
  expect(ffmpeg(['-v', 'warning', '-xerror', '-i', file, '-f', 'null', '-']).messages).toBe('')
  await rm(folder, { recursive: true })
}

test('frames wait in the store and are the first and the last picture', async () => {
  const references = await Promise.all(
    ['#c02020', '#2020c0'].map(async (colour) => {
      const { data } = await picture(colour)
      return { dataUrl: `data:image/png;base64,${Buffer.from(data!).toString('base64')}` }
    }),
  )
  const one = await ended(orders('work_ms=0'), { references, referenceMode: 'frames' })
  expect(one).toMatchObject({ status: 'completed' })
  const [bytes, plain] = [
    await contentOf(key, one.pair),
    await contentOf(key, (await ended(orders('work_ms=0'))).pair),
  ]
  await expectPlays(bytes)
  expect(bytes.equals(plain)).toBe(false)
})

describe('what is ordered to go wrong', () => {
  /** Pauses between fetches are of the machine's time; a job that is never done, or whose order was lost, waits for this clock alone. */
  const stepOf = (orders: string): number => {
    if (orders.includes('bytes=')) return 100
    return orders === 'job=stuck' ? 20_000 : 5_000
  }
  const failing: [string, string, string][] = [
    ['a reply that is lost', 'fault=reset', 'UPSTREAM_FAILED'],
    ['a submission that is refused', 'fault=invalid_request', 'UPSTREAM_FAILED'],
    ['a refused prompt', 'refuse', 'CONTENT_REFUSED'],
    ['a job that is refused once it is done', 'refuse after=1 work_ms=0', 'CONTENT_REFUSED'],
    ['a job that fails', 'fault=unavailable after=1 work_ms=0', 'UPSTREAM_FAILED'],
    ['a job that vanishes', 'job=vanished', 'UPSTREAM_FAILED'],
    ['a job that is never done', 'job=stuck', 'TIMED_OUT'],
    ['a page in place of the bytes', 'bytes=wrong work_ms=0', 'UPSTREAM_FAILED'],
    ['bytes that end early', 'bytes=cut work_ms=0', 'UPSTREAM_FAILED'],
  ] // biome-ignore format: a table
  test.each(failing)('%s fails free of charge', async (_, order, code) => {
    const before = await at.world.balance()
    const state = await ended(orders(order), {}, stepOf(order))
    expect(state, JSON.stringify(state)).toMatchObject({ status: 'failed', error: { code }, credits: 0 })
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
  })

  test('looks that fail for a while lose nothing', async () => {
    expect(await ended(orders('job=away work_ms=700'))).toMatchObject({ status: 'completed' })
  })

  test('what came in place of the order is told as it is, and costs no more', async () => {
    const before = await at.world.balance()
    const small = await ended(orders('bytes=small seconds=2 work_ms=0 cost_microusd=9000000'))
    expect(small).toMatchObject({
      status: 'completed',
      video: { width: 428, height: 240, durationSeconds: 2, hasAudio: true },
    })
    const mute = await ended(orders('bytes=mute work_ms=0'), { generateAudio: true })
    expect(mute).toMatchObject({ status: 'completed', video: { width: 854, hasAudio: false } })
    await at.world.settled()
    const after = await at.world.balance()
    // 0.003 USD each, at 1,000 credits a dollar.
    expect(before.available - after.available).toBe(6_000_000n)
  })
})
