/** Videos whose order, job or bytes come late: nothing is ordered twice, given up early, or left open beyond its time. */
import { describe, expect, test } from 'vitest'
import { VideoError } from '#engine/media'
import { json } from '../harness/upstream.ts'
import type { VideoFault } from '../harness/video-upstream.ts'
import {
  bootVideos,
  ended,
  expectOver,
  order,
  price,
  rowOf,
  untilMoved,
  type VideoWorld,
} from './video-world.ts'

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
