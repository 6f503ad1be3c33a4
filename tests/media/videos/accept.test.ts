/** What is accepted, what is refused before any credits are held, and how many videos of a project go on at once. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openVideo } from '#media/video'
import { uuidv7 } from '#platform/ids'
import { ClaimTaken } from '#platform/ledger'
import { until } from '../../harness/until.ts'
import { filesOfStore } from './store-files.ts'
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
  untilMoved,
} from './video-world.ts'

const storage = (quotaMb: number, more = '') => `studio: { quota_mb: ${quotaMb}${more} }`

test('the hold is that of the dearest who may make it, and a repeat under the key is answered by the same 202', async () => {
  await using at = await bootVideos()
  const { world, vendor } = at
  const { keyId } = await world.key()
  const claim = { key: 'order-1', fingerprint: 'same' }
  const job = await order(world, { model: 'test/first', keyId, claim })
  expect((await receiptOf(world, job)).held).toBe(2n * price)
  const repeats = await Promise.allSettled(
    [1, 2, 3].map(() => order(world, { model: 'test/first', keyId, claim })),
  )
  for (const repeat of repeats)
    expect(repeat).toMatchObject({ status: 'rejected', reason: new ClaimTaken(job.requestId) })
  expect((await ended(at, job)).status).toBe('completed')
  const earlier = await world.app.ledger.earlierReceipt(world.account, job.requestId, 24 * 3_600_000)
  expect(JSON.parse(earlier!.reply!)).toEqual({ id: job.id, providerJobId: job.providerJobId })
  expect(vendor.jobs).toHaveLength(1)
  await expectOver(world)
})

test('a video dearer than one call may be is refused before the hold; one of exactly the ceiling is not', async () => {
  await using at = await bootVideos({ rest: storage(5_000, ', max_credits_per_call: 400') })
  const { world } = at
  await expect(order(world, { wish: { seconds: 8 } })).rejects.toMatchObject({
    code: 'VIDEO_TOO_EXPENSIVE',
    status: 400,
    detail: { credits: 800, maxCredits: 400 },
  })
  expect(await world.balance()).toEqual({ available: credits, held: 0n })
  await ended(at, await order(world))
})

test('a full store, an empty account and a full queue refuse a video, and leave nothing behind', async () => {
  await using at = await bootVideos({ rest: storage(399), credits: 500 })
  const { world, vendor } = at
  vendor.plan({ states: ['processing'] })
  const picture = { data: randomBytes(10_000), mediaType: 'image/png' }
  const held = await order(world, { wish: { references: [picture] } })
  // 200 MB are reserved of 399.
  const refused = order(world, { wish: { references: [picture], withAudio: false, seconds: 4 } })
  await expect(refused).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
  await until(async () => (await rowOf(world, held.id)).ticket)
  expect(await filesOfStore(world)).toHaveLength(1)
  expect((await world.balance()).held).toBe(price)
  vendor.jobs[0]!.states = ['completed']
  expect((await ended(at, held)).status).toBe('completed')
  await expectOver(world)
  await using full = await bootVideos({ rest: storage(399) })
  full.vendor.plan({ states: ['processing', 'failed'] })
  const first = await order(full.world)
  await expect(order(full.world)).rejects.toMatchObject({ code: 'FILES_QUOTA_EXCEEDED', status: 403 })
  expect((await full.world.balance()).held).toBe(price)
  await ended(full, first)
  // A video that was not made gives its room back.
  await ended(full, await order(full.world))
  await expectOver(full.world)
})

test('three of a project are made at once, the others in their order, and one too many is refused', async () => {
  await using at = await bootVideos({ rest: storage(50_000, ', videos_queued: 4') })
  const { world, vendor, clock } = at
  vendor.plan({ states: ['processing'] })
  const { keyId } = await world.key()
  const jobs: Awaited<ReturnType<typeof order>>[] = []
  for (let place = 0; place < 7; place++) {
    clock.moveMs(1)
    jobs.push(await order(world, { keyId, wish: { seed: place } }))
  }
  await expect(order(world, { keyId })).rejects.toMatchObject({ code: 'VIDEO_QUEUE_FULL', status: 429 })
  const elsewhere = await world.newProject()
  const stranger = await world.key({ project: elsewhere })
  await order(world, { keyId: stranger.keyId, wish: { seed: 99 } })
  await until(() => vendor.jobs.length === 4)
  expect(await find(world, jobs[6]!)).toMatchObject({ status: 'queued', queuePosition: 3 })
  for (let done = 0; done < 7; done++) {
    // The oldest that is made ends; the next in the queue takes its place. Those that begin beside each other arrive in any order.
    const mine = vendor.jobs
      .filter(({ order: { seed } }) => seed !== 99)
      .toSorted((a, b) => Number(a.order['seed']) - Number(b.order['seed']))
    expect(mine.map(({ order: { seed } }) => seed)).toEqual(
      Array.from({ length: Math.min(7, 3 + done) }, (_, place) => place),
    )
    mine[done]!.states = ['completed']
    await ended(at, jobs[done]!, 500)
    await until(() => vendor.jobs.length === Math.min(8, 5 + done))
  }
  vendor.jobs.find(({ order: { seed } }) => seed === 99)!.states = ['failed']
  await untilMoved(clock, async () => (await world.balance()).held === 0n)
  await expectOver(world)
})

test('many at once: never more than the project may have, and every one has its own hold', async () => {
  await using at = await bootVideos({ rest: storage(50_000, ', videos_queued: 2') })
  const { world, vendor, clock } = at
  vendor.plan({ states: ['processing'] })
  const { keyId } = await world.key()
  const orders = await Promise.allSettled(Array.from({ length: 16 }, () => order(world, { keyId })))
  expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  expect((await world.balance()).held).toBe(5n * price)
  await until(() => vendor.jobs.length === 3)
  const open = await world.app.db.query({ text: `select from videos.jobs where status <> 'queued'` }, [])
  expect(open).toHaveLength(3)
  for (const job of vendor.jobs) job.states = ['failed']
  vendor.plan({ states: ['failed'] })
  await untilMoved(clock, async () => (await world.balance()).held === 0n)
  expect(vendor.jobs).toHaveLength(5)
  await expectOver(world)
})

test('a key that was revoked pays for no video that has not left, and for each that has', async () => {
  await using at = await bootVideos({ rest: storage(50_000, ', videos_running: 1') })
  const { world, vendor } = at
  vendor.plan({ states: ['processing'] })
  const { keyId } = await world.key()
  const left = await order(world, { keyId })
  at.clock.moveMs(1)
  const waiting = await order(world, { keyId })
  await until(async () => (await rowOf(world, left.id)).ticket)
  await world.app.db.query({ text: 'update auth.keys set revoked_at = now() where key_id = $1' }, [keyId])
  vendor.jobs[0]!.states = ['completed']
  expect(await ended(at, left)).toMatchObject({ status: 'completed', microcredits: price })
  expect(await ended(at, waiting)).toMatchObject({ status: 'failed', error: { code: 'PAYER_REFUSED' } })
  expect(vendor.jobs).toHaveLength(1)
  expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
  await expectOver(world)
})

test('reference pictures leave in their order, and are in the store only while they are needed', async () => {
  await using at = await bootVideos()
  const { world, vendor } = at
  const pictures = [1, 2].map((fill) => ({ data: Buffer.alloc(1_000, fill), mediaType: 'image/png' }))
  const job = await order(world, { wish: { references: pictures, referenceMode: 'frames' } })
  expect((await ended(at, job)).status).toBe('completed')
  const sent = vendor.jobs[0]!.order['frame_images'] as { image_url: { url: string }; frame_type: string }[]
  expect(sent.map(({ frame_type: type }) => type)).toEqual(['first_frame', 'last_frame'])
  expect(sent.map(({ image_url: { url } }) => url)).toEqual(
    pictures.map(({ data }) => `data:image/png;base64,${data.toString('base64')}`),
  )
  const pending = await world.app.db.query<{ key: string }>(
    { text: `select key from storage.pending_blobs where key like 'videos/%'` },
    [],
  )
  expect(pending).toHaveLength(2)
  await expectOver(world)
})

test('deleted by its owner or past its time the video is gone, and its status says so', async () => {
  await using at = await bootVideos()
  const { world, clock } = at
  const owner = { accountId: world.account, projectId: world.project }
  const job = await order(world, { requestId: uuidv7(clock.nowMs()) })
  const done = await ended(at, job)
  const content = (await openVideo(world.app, owner, job))!
  const part = Buffer.concat(await Array.fromAsync((await content.open({ start: 4, end: 7 }))!))
  expect(part.toString()).toBe('ftyp')
  expect(content).toMatchObject({ mediaType: 'video/mp4', bytes: done.video!.sizeBytes })
  clock.moveMs(30 * 24 * 3_600_000)
  await expect(openVideo(world.app, owner, job)).rejects.toMatchObject({ code: 'VIDEO_EXPIRED', status: 410 })
  const gone = (await find(world, job))!
  expect(gone).toMatchObject({ status: 'completed', error: { code: 'EXPIRED' }, microcredits: price })
  expect(gone.video!.fileId).toBeUndefined()
})
