/** What was lost, at a vendor or with a process, keeps no other video waiting. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import {
  credits,
  ended,
  find,
  hasLeft,
  lossOf,
  order,
  price,
  rowOf,
  shareVideos,
  untilLooked,
  type VideoWorld,
} from './video-world.ts'

let videos: Awaited<ReturnType<typeof shareVideos>>
beforeAll(async () => {
  videos = await shareVideos({ rest: 'studio: { quota_mb: 50000, videos_running: 1 }' })
})
afterAll(() => videos[Symbol.asyncDispose]())

test('an order whose answer was lost, and a job that its vendor does not know, hold no place: the next one is ordered while they are open', async () => {
  const at = await videos.fresh()
  const { world, vendor, clock } = at
  vendor.fail('submit', 'lost')
  const lost = await order(world)
  await hasLeft(world, lost.id)
  clock.moveMs(1)
  vendor.plan({ states: ['gone'] })
  const gone = await order(world)
  await hasLeft(world, gone.id)
  clock.moveMs(1)
  vendor.plan({})
  const made = await order(world)
  await untilLooked(at, async () => (await rowOf(world, gone.id)).missing >= 3)
  // A vendor may know its job some seconds after the order only: until then it holds its place.
  const { missing_since: since } = await rowOf(world, gone.id)
  expect(clock.nowMs() - since!.getTime()).toBeLessThan(15_000)
  expect([(await rowOf(world, made.id)).status, vendor.jobs.length]).toEqual(['queued', 2])
  const { looks } = await rowOf(world, gone.id)
  clock.moveMs(since!.getTime() + 30_000 - clock.nowMs())
  await untilLooked(at, async () => (await rowOf(world, gone.id)).looks > looks)
  // The clock stands: nothing else that is waited for could begin it.
  await until(() => vendor.jobs.length === 3)
  for (const job of [lost, gone]) expect(await find(world, job)).toMatchObject({ pending: true })
  expect(await ended(at, made)).toMatchObject({ status: 'completed', microcredits: price })
  for (const job of [gone, lost])
    expect(await ended(at, job, 20_000)).toMatchObject({ status: 'failed', microcredits: 0n })
  expect(vendor.jobs).toHaveLength(3)
  expect(await world.balance()).toEqual({ available: credits - price, held: 0n })
  expect(await lossOf(world)).toBe(2n * price)
})

const query = ({ world }: VideoWorld, text: string, values: unknown[] = []) =>
  world.app.db.query({ text }, values)

/** No poller comes by itself. */
const endSchedule = (at: VideoWorld) =>
  query(at, `update jobs.schedules set last_at = 'infinity' where name = 'videos.poll'`)

/** A video that is ordered and looked at, and fails. */
async function expectLooked(at: VideoWorld): Promise<void> {
  const { world, vendor, clock } = at
  vendor.plan({ states: ['failed'] })
  const job = await order(world)
  await hasLeft(world, job.id)
  clock.moveMs(2_000)
  await until(async () => !(await find(world, job))!.pending)
  expect(vendor.jobs.at(-1)!.looks).toBe(1)
}

test('a video that is ordered while the poller ends is looked at by the next one, which is woken by it', async () => {
  const at = await videos.fresh()
  const { world, vendor, clock } = at
  await endSchedule(at)
  vendor.plan({ states: ['processing', 'failed'] })
  const first = await order(world)
  await hasLeft(world, first.id)
  const running = () =>
    query(at, `select from jobs.queue where name = 'videos.poll' and process_id is not null`)
  await until(async () => (await running()).length === 1)
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lock = world.app.db.tx(async (tx) => {
    await sql`select from jobs.queue where name = 'videos.poll' and process_id is not null for update`.execute(
      tx,
    )
    locked.resolve()
    await released.promise
  })
  await locked.promise
  await ended(at, first)
  // The poller has seen that no video is open, and cannot write that it has ended.
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%jobs.settle%'`
  await until(async () => (await query(at, text)).length > 0)
  vendor.plan({ states: ['failed'] })
  const next = await order(world)
  await hasLeft(world, next.id)
  released.resolve()
  await lock
  clock.moveMs(2_000)
  await until(async () => !(await find(world, next))!.pending)
})

test('a poller whose process died a moment ago keeps no video waiting for the lease of that process', async () => {
  const at = await videos.fresh()
  await endSchedule(at)
  await until(async () => (await query(at, `select from jobs.queue where name = 'videos.poll'`)).length === 0)
  const dead = randomUUID()
  await query(
    at,
    `insert into ledger.processes (process_id, beat_at) values ($1, now() + interval '1 hour')`,
    [dead],
  )
  await query(
    at,
    `insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at, process_id)
      values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'videos.poll', 'null', 'recurring', now(), $1)`,
    [dead],
  )
  await expectLooked(at)
  await query(at, 'delete from jobs.queue where process_id = $1', [dead])
  await query(at, 'delete from ledger.processes where process_id = $1', [dead])
})
