/** The life of a video from its order to its file: what is written, charged, told and kept. */
import { expect, test } from 'vitest'
import { openVideo } from '#media/video'
import { until } from '../../harness/until.ts'
import { videoFixture } from '../../harness/video-upstream.ts'
import {
  bootVideos,
  credits,
  ended,
  expectOver,
  find,
  order,
  price,
  receiptOf,
  rowOf,
  untilLooked,
  untilMoved,
} from './video-world.ts'

test('a video is ordered once, looked at, fetched, stored and charged, without anybody asking', async () => {
  await using at = await bootVideos()
  const { world, vendor } = at
  const job = await order(world)
  expect(job).toMatchObject({ status: 'queued', pending: true, progress: null, reservedMicrocredits: price })
  // Its looks are counted.
  await untilLooked(
    at,
    async () => (await rowOf(world, job.id)).status === 'fetching' || !(await find(world, job))!.pending,
  )
  const done = await ended(at, job)
  expect(done).toMatchObject({
    id: job.id,
    providerJobId: job.providerJobId,
    status: 'completed',
    progress: 100,
    microcredits: price,
    reservedMicrocredits: 0n,
    pending: false,
    video: { width: 1280, height: 720, hasAudio: true },
  })
  expect(vendor.jobs).toHaveLength(1)
  const owner = { accountId: world.account, projectId: world.project }
  const content = (await openVideo(world.app, owner, { id: job.id }))!
  const bytes = Buffer.concat(await Array.fromAsync((await content.open())!))
  expect(bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
  expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
  const receipt = await receiptOf(world, job)
  expect(receipt).toMatchObject({
    state: 'completed',
    charged: price,
    detail: { outcome: 'completed', files: [done.video!.fileId] },
  })
  expect(JSON.stringify(receipt.detail)).not.toContain('گربه')
  expect(await find(world, { ...job, providerJobId: 'pj_another' })).toBeUndefined()
  const events = await world.app.db.query(
    { text: `select type, project_id, data from events.outbox where type like 'video.%'` },
    [],
  )
  expect(events).toMatchObject([
    {
      type: 'video.completed',
      project_id: world.project,
      data: { id: job.id, status: 'completed', file_id: done.video!.fileId, request_id: job.requestId },
    },
  ])
  const metrics = await world.app.metrics.text()
  expect(metrics).toContain('kherad_videos_total{outcome="completed"} 1')
  expect(metrics).toContain('kherad_video_looks_total{provider="fake",outcome="found"} 3')
  await expectOver(world)
})

test('looks come after two seconds and more and more seldom, at last every fifteen', async () => {
  await using at = await bootVideos()
  const { world, vendor, clock } = at
  vendor.plan({ states: ['processing'] })
  const job = await order(world)
  await until(async () => (await rowOf(world, job.id)).ticket)
  const waits: number[] = []
  for (let looks = 0; looks < 12; looks++) {
    const { next_at: at } = await until(async () => {
      const row = await rowOf(world, job.id)
      return row.looks === looks ? row : undefined
    })
    waits.push(at.getTime() - clock.nowMs())
    clock.moveMs(waits.at(-1)!)
  }
  expect(waits).toEqual([
    2_000, 2_000, 2_600, 3_380, 4_394, 5_712, 7_426, 9_654, 12_550, 15_000, 15_000, 15_000,
  ])
  vendor.jobs[0]!.states = ['failed']
  await ended(at, job)
})

test('a job is told for a month after its file is gone', async () => {
  await using at = await bootVideos()
  const { world, clock } = at
  const job = await order(world)
  await ended(at, job)
  const dayMs = 24 * 3_600_000
  clock.moveMs(59 * dayMs)
  expect(await find(world, job)).toMatchObject({ status: 'completed', error: { code: 'EXPIRED' } })
  await untilMoved(clock, async () => (await find(world, job)) === undefined, dayMs)
})
