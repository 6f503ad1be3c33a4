/**
 * Every fault of a vendor of videos: one order at most, charged exactly or not at all, the file there or the hold and the room released, and
 * what a vendor may bill for nothing is the platform's loss.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handleVendorWebhook, openVideo, type VideoJob } from '#media/video'
import { until } from '../../harness/until.ts'
import { stream } from '../../harness/upstream.ts'
import { type VideoFault, type VideoUpstream, videoFixture } from '../../harness/video-upstream.ts'
import {
  bootVideos,
  credits,
  ended,
  expectOver,
  find,
  hasLeft,
  lossOf,
  order,
  price,
  receiptOf,
  rowOf,
  shareVideos,
  untilLooked,
  untilMoved,
  type VideoWorld,
} from '../../media/videos/video-world.ts'

const minuteMs = 60_000
/** Pauses between fetches are of the machine's time: this clock must not reach the ceiling of a job meanwhile. */
const fetchStepMs = 100
/** The longest pause between two looks of the poller, or two fetches that the clock waits for. */
const longStepMs = 15_000
const address = { env: { KHERAD_BASE_URL: 'https://kherad.example' } }

async function expectFree(
  at: VideoWorld,
  job: VideoJob,
  code: string,
  loss = 0n,
  stepMs = 5_000,
): Promise<VideoJob> {
  const { world } = at
  await hasLeft(world, job.id)
  const done = await ended(at, job, stepMs)
  expect(done).toMatchObject({ status: 'failed', error: { code }, microcredits: 0n, pending: false })
  expect(await world.balance()).toEqual({ available: credits, held: 0n })
  expect(await receiptOf(world, job)).toMatchObject({
    state: 'failed',
    charged: 0n,
    detail: { error_code: code, outcome: 'failed' },
  })
  await expectOver(world, { loss })
  return done
}

let videos: Awaited<ReturnType<typeof shareVideos>>
beforeAll(async () => {
  videos = await shareVideos(address)
})
afterAll(() => videos[Symbol.asyncDispose]())

describe('the submission', () => {
  test('lost: never sent again, to no fallback either, failed and free after ten minutes, its price the loss of the platform', async () => {
    const at = await videos.fresh()
    const { world, vendor, clock } = at
    vendor.fail('submit', 'lost')
    const job = await order(world, { model: 'test/first' })
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    clock.moveMs(10 * minuteMs - 1_000)
    expect(await find(world, job)).toMatchObject({ status: 'queued', pending: true })
    await expectFree(at, job, 'UPSTREAM_FAILED', price)
    expect(vendor.jobs).toHaveLength(1)
  })

  test('lost, and a webhook names the job: it is taken over once the vendor knows it, and charged', async () => {
    const at = await videos.fresh()
    const { world, vendor } = at
    vendor.fail('submit', 'lost')
    const job = await order(world)
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    expect(await nudge(world, vendor)).toBe(true)
    expect(await ended(at, job)).toMatchObject({ status: 'completed', microcredits: price })
    expect(vendor.jobs).toHaveLength(1)
    await expectOver(world)
  })

  test('lost, and the webhook comes before the answer is known to be lost', async () => {
    await using at = await bootVideos(address)
    const { world, vendor } = at
    vendor.fail('submit', 'hang')
    const job = await order(world)
    const sent = (await vendor.call(0)).body!
    expect(sent['callback_url']).toBe(vendor.jobs[0]!.callbackUrl)
    expect(await nudge(world, vendor)).toBe(true)
    expect((await rowOf(world, job.id)).claimed_ticket).toBe(vendor.jobs[0]!.id)
    await vendor[Symbol.asyncDispose]()
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    await expectFree(at, job, 'UPSTREAM_FAILED', price)
  })

  test('lost, and a webhook names a job that the vendor does not know: it is not taken over', async () => {
    const at = await videos.fresh()
    const { world, vendor } = at
    vendor.fail('submit', 'lost')
    const job = await order(world)
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    const body = { type: 'video.generation.completed', data: { id: 'gen-of-somebody' } }
    expect(await nudge(world, vendor, { body })).toBe(true)
    await until(() => vendor.calls.some(({ path }) => path.includes('gen-of-somebody')))
    await expectFree(at, job, 'UPSTREAM_FAILED', price)
  })

  test('lost, and the webhook comes after the end: an alarm, no second loss, no charge', async () => {
    const at = await videos.fresh()
    const { world, vendor } = at
    vendor.fail('submit', 'lost')
    const job = await order(world)
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    await expectFree(at, job, 'UPSTREAM_FAILED', price)
    expect(await nudge(world, vendor)).toBe(true)
    expect(await world.app.metrics.text()).toMatch(/kherad_videos_lost_total\{what="late"\} 1/)
    expect(await find(world, job)).toMatchObject({ status: 'failed', microcredits: 0n })
    await expectOver(world, { loss: price })
  })

  test('unavailable before any work: the fallback makes it, at its own price, under the same id', async () => {
    const at = await videos.fresh()
    const { world, vendor } = at
    vendor.fail('submit', 503)
    const job = await order(world, { model: 'test/first' })
    const done = await ended(at, job)
    expect(done).toMatchObject({ status: 'completed', providerJobId: job.providerJobId })
    const models = vendor.calls.filter(({ method }) => method === 'POST').map(({ body }) => body!['model'])
    expect(vendor.jobs).toHaveLength(1)
    expect(models.at(-1)).toBe(vendor.jobs[0]!.order['model'])
    expect(done.microcredits).toBe(done.model === 'test/second' ? 2n * price : price)
    await expectOver(world)
  })
})

describe('the job', () => {
  test.each([
    ['failed', 'UPSTREAM_FAILED'],
    ['cancelled', 'UPSTREAM_FAILED'],
    ['expired', 'UPSTREAM_FAILED'],
  ] as const)('%s: free for everybody', async (state, code) => {
    const at = await videos.fresh()
    at.vendor.plan({ states: ['processing', state] })
    await expectFree(at, await order(at.world), code)
  })

  test('vanished: three looks over two minutes, then failed and free, with its loss', async () => {
    const at = await videos.fresh()
    const { world, vendor, clock } = at
    vendor.plan({ states: ['queued', 'gone'] })
    const job = await order(world)
    await untilLooked(at, async () => (await rowOf(world, job.id)).missing >= 3, { stepMs: 500 })
    const since = (await rowOf(world, job.id)).missing_since.getTime()
    expect(clock.nowMs() - since).toBeLessThan(2 * minuteMs)
    expect(await find(world, job)).toMatchObject({ pending: true })
    await expectFree(at, job, 'UPSTREAM_FAILED', price)
    expect(clock.nowMs() - since).toBeGreaterThanOrEqual(2 * minuteMs)
  })

  test('unknown for a moment only: it goes on', async () => {
    const at = await videos.fresh()
    at.vendor.fail('look', 404, 2)
    const job = await order(at.world)
    expect(await ended(at, job)).toMatchObject({ status: 'completed', microcredits: price })
  })

  test('never done: timed out after 45 minutes of its acceptance, free, with its loss', async () => {
    const at = await videos.fresh()
    const { world, vendor, clock } = at
    vendor.plan({ states: ['processing'] })
    const job = await order(world)
    await until(() => vendor.jobs.length === 1)
    await untilMoved(clock, () => vendor.jobs[0]!.looks > 2)
    clock.moveMs(job.createdAt.getTime() + 45 * minuteMs - 20_000 - clock.nowMs())
    expect(await find(world, job)).toMatchObject({ pending: true })
    await expectFree(at, job, 'TIMED_OUT', price)
  })
})

describe('the bytes', () => {
  test.each<[VideoFault]>([[500], [404]])(
    '%s for good: asked for until 45 minutes after its acceptance, then free, with its loss',
    async (fault) => {
      const at = await videos.fresh()
      const { vendor, clock } = at
      vendor.fail('content', fault, 100)
      const job = await order(at.world)
      const fetches = () => vendor.calls.filter((call) => vendor.legOf(call) === 'content').length
      await untilMoved(clock, () => fetches() > 4, fetchStepMs)
      expect(await find(at.world, job)).toMatchObject({ pending: true })
      // Its time goes on while it is fetched.
      await untilMoved(clock, async () => (await find(at.world, job))?.pending === false, longStepMs)
      await expectFree(at, job, 'TIMED_OUT', price)
    },
  )

  test('more than 200 MB: not fetched again', async () => {
    const at = await videos.fresh()
    const megabyte = Buffer.alloc(1024 * 1024)
    at.vendor.fail('content', stream(Array(202).fill(megabyte), { 'content-type': 'video/mp4' }))
    await expectFree(at, await order(at.world), 'UPSTREAM_FAILED', price, fetchStepMs)
    expect(at.vendor.calls.filter((call) => at.vendor.legOf(call) === 'content')).toHaveLength(1)
  })

  test('cut without a declared length: told by the bytes themselves', async () => {
    const at = await videos.fresh()
    const whole = videoFixture('720p-4s-sound')
    at.vendor.plan({ video: whole.subarray(0, whole.length - 500) })
    await expectFree(at, await order(at.world), 'UPSTREAM_FAILED', price, fetchStepMs)
  })
})

describe('what the vendor says it cost', () => {
  test.each([
    ['less than the table', 0.123456, 123_456_000n],
    ['nothing', 0, price],
    ['a hundred times the table', 40, price],
    ['more than there are numbers', 1e300, price],
    ['less than nothing', -1, price],
  ])('%s', async (_, cost, charged) => {
    const at = await videos.fresh()
    const { world, vendor } = at
    vendor.plan({ cost })
    const done = await ended(at, await order(world, { model: 'test/trusted' }))
    expect(done).toMatchObject({ status: 'completed', microcredits: charged })
    const { detail } = await receiptOf(world, done)
    expect(detail!['claims'] !== undefined).toBe(cost > 1 || cost === 0)
    await expectOver(world)
  })
})

test.each([
  ['test/film', 800_000_000n],
  ['test/delivered', 450_000_000n],
])('a video of %s that is shorter than ordered is charged as its entry says', async (model, charged) => {
  const at = await videos.fresh()
  at.vendor.plan({ video: videoFixture('720p-4s-sound') })
  const done = await ended(at, await order(at.world, { model, wish: { seconds: 8 } }))
  expect(done).toMatchObject({ status: 'completed', microcredits: charged, settings: { seconds: 8 } })
  expect(done.video!.durationSeconds).toBeCloseTo(4, 1)
})

test('an impatient reader gets 409, and a failed video is refused in words', async () => {
  const at = await videos.fresh()
  const { world, vendor } = at
  vendor.plan({ states: ['processing', 'failed'] })
  const job = await order(world)
  const owner = { accountId: world.account, projectId: world.project }
  await expect(openVideo(world.app, owner, job)).rejects.toMatchObject({
    code: 'VIDEO_NOT_READY',
    status: 409,
    more: { retryAfterMs: 5_000 },
  })
  await ended(at, job)
  await expect(openVideo(world.app, owner, job)).rejects.toMatchObject({ code: 'VIDEO_FAILED' })
  expect(await openVideo(world.app, { ...owner, projectId: job.id }, job)).toBeUndefined()
})

test('a webhook wakes the poller: no step is waited for', async () => {
  const at = await videos.fresh()
  const { world, vendor } = at
  vendor.plan({ states: ['completed'] })
  const job = await order(world)
  await until(async () => (await rowOf(world, job.id)).ticket)
  // The clock stands still: nothing but the webhook makes it due.
  expect(await nudge(world, vendor)).toBe(true)
  await until(async () => !(await find(world, job))!.pending)
  expect(await find(world, job)).toMatchObject({ status: 'completed' })
})

test('a webhook with another token, job or provider is none, and changes nothing', async () => {
  const at = await videos.fresh()
  const { world, vendor } = at
  vendor.fail('submit', 'lost')
  const job = await order(world)
  await until(async () => (await rowOf(world, job.id)).ambiguous_until)
  const before = await rowOf(world, job.id)
  expect(before.hook_hash).toHaveLength(32)
  expect(await nudge(world, vendor, { token: 'A'.repeat(22) })).toBe(false)
  expect(await nudge(world, vendor, { token: '' })).toBe(false)
  expect(await nudge(world, vendor, { provider: 'other' })).toBe(false)
  expect(await nudge(world, vendor, { jobId: job.requestId })).toBe(false)
  expect(await nudge(world, vendor, { jobId: 'none' })).toBe(false)
  expect(await rowOf(world, job.id)).toEqual(before)
  await expectFree(at, job, 'UPSTREAM_FAILED', price)
  expect(await lossOf(world)).toBe(price)
})

/** The webhook of the last order, as the vendor sends it, or with something else in it. */
function nudge(
  { app }: VideoWorld['world'],
  vendor: VideoUpstream,
  more: { token?: string; provider?: string; jobId?: string; body?: unknown } = {},
): Promise<boolean> {
  const ordered = vendor.jobs.at(-1)!
  const [provider, jobId, token] = new URL(ordered.callbackUrl!).pathname.split('/').slice(3) as [
    string,
    string,
    string,
  ]
  const { states } = ordered
  const body = vendor.webhook(ordered, states.at(-1))
  return handleVendorWebhook(app, { provider, jobId, token, body, ...more })
}
