/** The life of a video from its order to its file: what is written, charged, told and kept. */
import { expect, test } from 'vitest'
import { openVideo } from '#engine/video'
import { videoFixture } from '../harness/video-upstream.ts'
import { bootVideos, credits, ended, expectOver, find, order, price, receiptOf } from './video-world.ts'

test('a video is ordered once, looked at, fetched, stored and charged, without anybody asking', async () => {
  await using at = await bootVideos()
  const { world, vendor } = at
  const job = await order(world)
  expect(job).toMatchObject({ status: 'queued', pending: true, progress: null, reservedMicrocredits: price })
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
  expect(await find(world, { ...job, providerJobId: 'pj_another' })).toBeUndefined()
  await expectOver(world)
})
