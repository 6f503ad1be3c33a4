/** Videos whose order, job or bytes come late: nothing is ordered twice, given up early, or left open beyond its time. */
import { describe, expect, test } from 'vitest'
import { VideoError } from '#core/media'
import type { VideoJob } from '#media/video'
import { uuidv7 } from '#platform/ids'
import { until } from '../../harness/until.ts'
import { json, reset, type Script } from '../../harness/upstream.ts'
import type { VideoFault } from '../../harness/video-upstream.ts'
import {
  bootVideos,
  credits,
  ended,
  expectOver,
  find,
  order,
  price,
  rowOf,
  untilMoved,
  type VideoWorld,
} from '../../media/videos/video-world.ts'

const minuteMs = 60_000
/** Pauses between fetches are of the machine's time: this clock must not reach the ceiling of a job meanwhile. */
const fetchStepMs = 100

const fetchesOf = ({ vendor }: VideoWorld) => vendor.calls.filter((call) => vendor.legOf(call) === 'content')

describe('bytes that are paid and not to be had', () => {
  test.each<[VideoFault]>([[500], [404], [401], ['lost']])(
    '%s five times: they are fetched in the end, and the video is charged',
    async (fault) => {
      await using at = await bootVideos()
      at.vendor.fail('content', fault, 5)
      const job = await order(at.world)
      expect(await ended(at, job, fetchStepMs)).toMatchObject({ status: 'completed', microcredits: price })
      expect(fetchesOf(at)).toHaveLength(6)
      await expectOver(at.world)
    },
  )

  test('an upstream that says when to come again is not asked before', async () => {
    await using at = await bootVideos()
    at.vendor.fail('content', json(503, 'later', { 'retry-after': '1' }))
    const job = await order(at.world)
    expect(await ended(at, job, fetchStepMs)).toMatchObject({ status: 'completed', microcredits: price })
    const [first, second] = fetchesOf(at)
    expect(second!.arrivedMs - first!.arrivedMs).toBeGreaterThanOrEqual(1_000)
  })

  test('a process that ended over them says nothing of them', async () => {
    await using at = await bootVideos()
    const { world, clock } = at
    world.app.videoProbe.probe = () => Promise.reject(new VideoError('lost'))
    const job = await order(world)
    await untilMoved(clock, async () => (await rowOf(world, job.id)).missing === 1, fetchStepMs)
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'fetching', fetches: 0 })
    clock.moveMs(45 * minuteMs)
    expect(await ended(at, job)).toMatchObject({ error: { code: 'TIMED_OUT' }, microcredits: 0n })
    await expectOver(world, { loss: price })
  })
})

describe('an order that is taken for lost while it is under way', () => {
  test('is put back where its vendor had no room after all, made once, and no loss', async () => {
    await using at = await bootVideos()
    const { world, vendor } = at
    const held = Promise.withResolvers<Script>()
    vendor.fail('submit', held.promise)
    const job = await order(world)
    await vendor.call(0)
    await takeForDead(at, job)
    held.resolve(json(429, { error: { code: 429, message: 'no room' } }))
    expect(await ended(at, job)).toMatchObject({ status: 'completed', microcredits: price })
    expect(vendor.jobs).toHaveLength(1)
    expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
    await expectOver(world)
  })
})

/** The poller finds that the process that orders it lives no more. */
async function takeForDead({ world, clock }: VideoWorld, { id }: VideoJob): Promise<void> {
  await world.app.db.query({ text: 'update videos.jobs set owner = $2, next_at = $3 where job_id = $1' }, [
    id,
    uuidv7(clock.nowMs()),
    new Date(0),
  ])
  await until(async () => (await rowOf(world, id)).ambiguous_until)
}

describe('the 45 minutes', () => {
  test('end an order, too, whose answer is lost in their last minutes', async () => {
    await using at = await bootVideos()
    const { world, vendor, clock } = at
    const held = Promise.withResolvers<Script>()
    vendor.fail('submit', held.promise)
    const job = await order(world)
    await vendor.call(0)
    clock.moveMs(40 * minuteMs)
    held.resolve(reset)
    await until(async () => (await rowOf(world, job.id)).ambiguous_until)
    clock.moveMs(5 * minuteMs - 1_000)
    expect(await find(world, job)).toMatchObject({ status: 'queued', pending: true })
    clock.moveMs(1_000)
    // The clock stands: it ends now.
    await until(async () => !(await find(world, job))!.pending)
    expect(await find(world, job)).toMatchObject({ error: { code: 'TIMED_OUT' }, microcredits: 0n })
    await expectOver(world, { loss: price })
  })

  test('leave room for an order: what is taken with less than ten of them is free, and nobody is asked for it', async () => {
    await using at = await bootVideos({ rest: 'studio: { videos_running: 1 }' })
    const { world, vendor, clock } = at
    const held = Promise.withResolvers<Script>()
    vendor.fail('submit', held.promise)
    const first = await order(world)
    await vendor.call(0)
    const second = await order(world)
    clock.moveMs(35 * minuteMs + 1)
    const third = await order(world)
    held.resolve(json(400, { error: { code: 400, message: 'not so' } }))
    await until(async () => !(await find(world, second))!.pending)
    expect(await find(world, first)).toMatchObject({ error: { code: 'UPSTREAM_FAILED' } })
    expect(await find(world, second)).toMatchObject({ error: { code: 'TIMED_OUT' }, microcredits: 0n })
    expect(await ended(at, third)).toMatchObject({ status: 'completed', microcredits: price })
    expect(vendor.jobs).toHaveLength(1)
    await expectOver(world)
  })
})
