/** What fails on our own side: the store, the database, and workers that meet over one video. */
import { expect, test } from 'vitest'
import { openVideo } from '#media/video'
import { startWorkers } from '#platform/jobs'
import { jobs } from '../../../src/capabilities.ts'
import { fakeS3 } from '../../harness/fake-s3.ts'
import { until } from '../../harness/until.ts'
import { videoFixture } from '../../harness/video-upstream.ts'
import type { World } from '../../harness/world.ts'
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
} from '../../media/videos/video-world.ts'

const videoWorkers = jobs.filter(({ name }) => name.startsWith('videos.'))

/** As PostgreSQL says it to every connection when it stops. */
const away = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })

/** The next `times` transactions fail, after they have done their work and before they are committed. */
function failTransactions({ app }: World, times: number): { readonly left: number } {
  const { db } = app
  const { tx } = db
  const state = { left: times }
  db.tx = ((work: Parameters<typeof tx>[0]) => {
    if (state.left === 0) return tx.call(db, work)
    // Counted as it begins: recurring work has transactions beside those of the video.
    state.left -= 1
    return tx.call(db, async (inner) => {
      await work(inner)
      throw away()
    })
  }) as typeof tx
  return state
}

test('a store that hangs: the video waits in the data folder, is served from there, and is charged', async () => {
  await using s3 = await fakeS3()
  await using at = await bootVideos({
    rest: s3.config,
    timing: { storeMs: 1_000, storeWaitingMs: 3_600_000 },
  })
  const { world, vendor } = at
  vendor.plan({ states: ['processing'] })
  const job = await order(world)
  await until(async () => (await rowOf(world, job.id)).ticket)
  s3.failNext(...Array(4).fill('hang'))
  vendor.jobs[0]!.states = ['completed']
  const done = await ended(at, job)
  expect(done).toMatchObject({ status: 'completed', microcredits: price })
  const [file] = await world.app.db.query<{ spooled_on: string | null }>(
    { text: 'select spooled_on from files.files where file_id = $1' },
    [done.video!.fileId],
  )
  expect(file!.spooled_on).not.toBeNull()
  const content = (await openVideo(world.app, { accountId: world.account, projectId: world.project }, job))!
  const bytes = Buffer.concat(await Array.fromAsync((await content.open())!))
  expect(bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
  await expectOver(world)
})

test.each([
  ['before its order', 429],
  ['after its order', undefined],
])(
  'a database that goes away at every commit of a video %s: ordered once, charged once',
  async (_, fault) => {
    await using at = await bootVideos()
    const { world, vendor, clock } = at
    vendor.plan({ states: ['queued', 'completed'] })
    if (fault) vendor.fail('submit', fault)
    const job = await order(world)
    if (fault) await until(async () => (await rowOf(world, job.id)).rounds === 1)
    const outages = failTransactions(world, 8)
    // A look that failed is tried again after a minute of this clock.
    await untilMoved(clock, () => outages.left === 0, 2_000)
    const done = await ended(at, job)
    expect(done).toMatchObject({ status: 'completed', microcredits: price })
    expect(vendor.jobs).toHaveLength(1)
    const files = await world.app.db.query({ text: 'select from files.files' }, [])
    expect(files).toHaveLength(1)
    expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
    await expectOver(world)
  },
)

test('many workers and pollers on one database: every video ordered once, looked at by one, settled once', async () => {
  await using at = await bootVideos({ rest: 'studio: { quota_mb: 50000, videos_running: 20 }' })
  const { world, vendor } = at
  // Lanes of their own, as further processes have them.
  await using _second = startWorkers({ app: world.app, jobs: videoWorkers })
  await using _third = startWorkers({ app: world.app, jobs: videoWorkers })
  vendor.plan({ states: ['queued', 'processing', 'completed'] })
  const ordered = await Promise.all(Array.from({ length: 12 }, () => order(world)))
  const isOver = async () => (await world.balance()).held === 0n
  await untilLooked(at, isOver, { stepMs: 500, timeoutMs: 150_000 })
  for (const job of ordered) {
    expect(await find(world, job)).toMatchObject({ status: 'completed', microcredits: price })
    expect((await receiptOf(world, job)).charged).toBe(price)
  }
  expect(vendor.jobs).toHaveLength(12)
  expect(vendor.jobs.map(({ looks }) => looks)).toEqual(Array(12).fill(3))
  const events = await world.app.db.query(
    { text: `select from events.outbox where type = 'video.completed'` },
    [],
  )
  expect(events).toHaveLength(12)
  expect(await world.balance()).toEqual({ available: credits - 12n * price, held: 0n })
  await expectOver(world)
})

test('a double poll finds one end: two looks at a finished job fetch and settle it once', async () => {
  await using at = await bootVideos()
  const { world, vendor } = at
  vendor.plan({ states: ['processing'] })
  const job = await order(world)
  await until(async () => (await rowOf(world, job.id)).ticket)
  vendor.jobs[0]!.states = ['completed']
  const due = () =>
    world.app.db.query(
      { text: 'update videos.jobs set next_at = $2 where job_id = $1 and ended_at is null' },
      [job.id, new Date(0)],
    )
  // It is made due again and again, whatever a poller or a fetch has just said.
  await untilMoved(at.clock, async () => {
    await due()
    return !(await find(world, job))!.pending
  })
  expect(vendor.jobs[0]!.looks).toBeGreaterThan(0)
  expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
  const files = await world.app.db.query({ text: 'select from files.files' }, [])
  expect(files).toHaveLength(1)
  await expectOver(world)
})

test("a video whose time is over while its bytes come is free, and its bytes are nobody's", async () => {
  await using at = await bootVideos()
  const { world, vendor, clock } = at
  vendor.fail('content', 'stalled')
  vendor.plan({ states: ['completed'] })
  const job = await order(world)
  await untilMoved(clock, () => vendor.calls.some((call) => vendor.legOf(call) === 'content'))
  clock.moveMs(45 * 60_000)
  const done = await ended(at, job)
  expect(done).toMatchObject({ status: 'failed', error: { code: 'TIMED_OUT' }, microcredits: 0n })
  expect(await world.app.db.query({ text: 'select from files.files' }, [])).toEqual([])
  await expectOver(world, { loss: price })
})

test('a poller that was lost with its process keeps no other work from running that was lost with it', async () => {
  await using at = await bootVideos({ roles: { api: true, worker: false } })
  const { world, vendor } = at
  const job = await order(world)
  // The poller begins first, and runs as long as the video is open.
  await world.app.db.query(
    {
      text: `update jobs.queue set vanished = 1,
        run_at = case when name = 'videos.poll' then now() else now() + interval '1 second' end where name like 'videos.%'`,
    },
    [],
  )
  await using _workers = startWorkers({ app: world.app, jobs: videoWorkers })
  await until(() => vendor.jobs.length === 1)
  expect(await ended(at, job)).toMatchObject({ status: 'completed', microcredits: price })
  await expectOver(world)
})
