/** A video of every vendor's wire, from `POST /v1/studio/video` to its bytes, with what can go wrong on the way. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import {
  fakeVideoUpstream,
  type VideoFault,
  type VideoJob,
  type VideoUpstream,
  type VideoWire,
  videoFixture,
} from '../../harness/video-upstream.ts'
import { boot, MovableClock } from '../../harness/world.ts'
import { lossOf, untilMoved } from '../../media/videos/video-world.ts'

const dialectOf = { openrouter: 'openrouter', gemini: 'gemini', interactions: 'gemini', fal: 'fal' } as const
const wires: readonly VideoWire[] = ['openrouter', 'gemini', 'interactions', 'fal']
const secret = 'upstream-secret-of-the-vendor'
const home = 'https://kherad.example'

const configOf = (wire: VideoWire, url: string) => `
providers:
  - { id: films, base_url: ${url}, api_key: ${secret}, dialects: [${dialectOf[wire]}] }
models:
  - id: test/film
    kind: video
    deployments: [{ provider: films, model: owner/app }]
    video:
      combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: always }]
      references: { guide: 2, frames: 2 }
    pricing: { per_second: 0.1 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

async function bootWire(wire: VideoWire) {
  await using stack = new AsyncDisposableStack()
  const vendor = stack.use(await fakeVideoUpstream(wire))
  const clock = new MovableClock()
  const world = stack.use(
    await boot({
      config: configOf(wire, vendor.url),
      env: { KHERAD_BASE_URL: home },
      net: vendor.net,
      credits: 10_000,
      clock,
      timing: { dueTickMs: 20 },
    }),
  )
  const key = await world.key()
  const order = async (more: Record<string, unknown> = {}) => {
    const reply = await key.post('/v1/studio/video', { model: 'test/film', prompt: 'گربه', ...more })
    expect(reply.status, reply.text).toBe(202)
    const { id, providerJobId } = reply.body
    return { id, providerJobId }
  }
  const status = async (pair: object) => (await key.post('/v1/studio/video/status', pair)).body
  const moved = stack.move()
  return {
    world,
    vendor,
    clock,
    order,
    status,
    over: (pair: object, stepMs = 500) =>
      untilMoved(clock, async () => ((now) => (now.pending ? undefined : now))(await status(pair)), stepMs),
    bytes: async (pair: object) => {
      const reply = await key.raw('POST', '/v1/studio/video/content', JSON.stringify(pair))
      return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) }
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Posts the vendor's webhook to the address that the order named. */
async function notify(vendor: VideoUpstream, job: VideoJob, url: string, state?: 'completed' | 'failed') {
  const address = job.callbackUrl!
  expect(address.startsWith(`${home}/v1/hooks/films/`)).toBe(true)
  return fetch(address.replace(home, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(vendor.webhook(job, state)),
  })
}

const price = 400_000_000n

describe.each(wires)('a video of the wire %s', (wire) => {
  let at: Awaited<ReturnType<typeof bootWire>>
  beforeAll(async () => {
    at = await bootWire(wire)
  })
  afterAll(() => at[Symbol.asyncDispose]())
  beforeEach(() => at.vendor.plan({}))

  /** What one order comes to: its last status, and what it cost the caller. */
  async function ordered(stepMs?: number) {
    const before = await at.world.balance()
    const jobs = at.vendor.jobs.length
    const pair = await at.order()
    const last = await at.over(pair, stepMs)
    const after = await at.world.balance()
    expect(after.held).toBe(0n)
    return { pair, last, charged: before.available - after.available, jobs: at.vendor.jobs.length - jobs }
  }
  const failed = (code: string, jobs: number) => ({
    last: { status: 'failed', error: { code } },
    charged: 0n,
    jobs,
  })

  test('is ordered once, stored, charged and read, and its key went to nobody else', async () => {
    const { pair, ...order } = await ordered()
    expect(order).toMatchObject({
      last: { status: 'completed', video: { width: 1280, height: 720, hasAudio: true }, credits: 400 },
      charged: price,
      jobs: 1,
    })
    const { status, bytes } = await at.bytes(pair)
    expect(status).toBe(200)
    expect(bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
    const elsewhere = at.vendor.linked.map(({ path, headers }) => [path, headers])
    expect(JSON.stringify(elsewhere)).not.toContain(secret)
  })

  test('whose content is refused is free, at the order and afterwards', async () => {
    at.vendor.fail('submit', 'refused')
    expect(await ordered()).toMatchObject(failed('CONTENT_REFUSED', 0))
    at.vendor.plan({ states: ['processing', 'refused'] })
    expect(await ordered()).toMatchObject(failed('CONTENT_REFUSED', 1))
    expect(await lossOf(at.world)).toBe(0n)
  })

  test('that fails, or whose order is refused, is free', async () => {
    at.vendor.plan({ states: ['failed'] })
    expect(await ordered()).toMatchObject(failed('UPSTREAM_FAILED', 1))
    for (const status of [401, 404]) {
      at.vendor.fail('submit', status)
      expect(await ordered()).toMatchObject({ last: { status: 'failed' }, charged: 0n, jobs: 0 })
    }
    expect(await lossOf(at.world)).toBe(0n)
  })

  test.each<[string, VideoFault[]]>([
    ['looks', ['lost', 'malformed', 429, 500, 503]],
    ['bytes', ['lost', 'truncated']],
    ['bytes', ['wrong', 'empty']],
    ['bytes', ['loop', 404, 500]],
  ])('whose %s come to %j is looked at and fetched again', async (leg, faults) => {
    for (const fault of faults)
      at.vendor.fail(leg === 'looks' ? 'look' : 'content', fault, fault === 'loop' ? 4 : 1)
    const { pair, ...order } = await ordered()
    expect(order).toMatchObject({ last: { status: 'completed' }, charged: price, jobs: 1 })
    expect((await at.bytes(pair)).bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
  })

  test('that nobody knows any more is free', async () => {
    at.vendor.plan({ states: ['queued', 'gone'] })
    // Nothing is fetched, which would take time of the machine: two minutes go by in long steps.
    expect(await ordered(5_000)).toMatchObject(failed('UPSTREAM_FAILED', 1))
  })
})

describe.each(['openrouter', 'fal'] as const)('a webhook of the wire %s', (wire) => {
  test('wakes the look at its job, and names that of an order whose answer was lost', async () => {
    await using at = await bootWire(wire)
    at.vendor.plan({ states: ['processing', 'completed'] })
    const pair = await at.order()
    await untilMoved(at.clock, () => at.vendor.jobs[0]?.looks === 1, 1_000)
    // Nothing but the webhook moves this along: the clock stands.
    await until(async () => {
      expect((await notify(at.vendor, at.vendor.jobs[0]!, at.world.url)).status).toBeLessThan(300)
      return !(await at.status(pair)).pending
    })
    expect(await at.status(pair)).toMatchObject({ status: 'completed' })

    at.vendor.plan({ states: ['completed'] })
    at.vendor.fail('submit', 'lost')
    const lost = await at.order()
    await until(() => at.vendor.jobs.length === 2)
    const notified = async () => {
      await notify(at.vendor, at.vendor.jobs[1]!, at.world.url)
      return !(await at.status(lost)).pending
    }
    await untilMoved(at.clock, notified, 1_000)
    expect(await at.status(lost)).toMatchObject({ status: 'completed', credits: 400 })
    expect(at.vendor.jobs).toHaveLength(2)
  })
})
