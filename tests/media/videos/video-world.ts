/** A world with a vendor of videos, whose jobs are ordered at the door of `media/video` and carried on by real workers. */
import { expect } from 'vitest'
import type { App } from '#app'
import type { VideoModel } from '#core/models'
import {
  findVideo,
  planVideo,
  type SubmitVideoOptions,
  submitVideo,
  type VideoJob,
  type VideoSpec,
  videoJobs,
} from '#media/video'
import { uuidv7 } from '#platform/ids'
import { startWorkers } from '#platform/jobs'
import { jobs } from '../../../src/capabilities.ts'
import { startMs, until } from '../../harness/until.ts'
import { fakeVideoUpstream, type VideoUpstream } from '../../harness/video-upstream.ts'
import { boot, MovableClock, type World, type WorldOptions } from '../../harness/world.ts'

/** 0.1 USD a second with sound, at 1,000 credits a dollar; silent ones for half. */
export const videoConfig = (url: string, more = '') => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [openrouter] }
models:
  - id: test/film
    kind: video
    deployments: [{ provider: fake, model: google/veo-3.1 }]
    video: ${film}
    pricing: ${filmPrice}
  - id: test/trusted
    kind: video
    deployments: [{ provider: fake, model: google/veo-3.1 }]
    video: ${film}
    pricing: { per_second: 0.1, trust_cost: usd }
  - id: test/delivered
    kind: video
    deployments: [{ provider: fake, model: google/veo-3.1 }]
    video: ${film}
    pricing: { per_second: 0.1, per_video: 0.05, billed: delivered }
  - id: test/second
    kind: video
    deployments: [{ provider: fake, model: second/film }]
    video: ${film}
    pricing: { per_second: 0.2 }
  - id: test/first
    kind: video
    deployments: [{ provider: fake, model: first/film }]
    fallbacks: [test/second]
    video: ${film}
    pricing: { per_second: 0.1 }
${more}
defaults: { credits_per_usd: 1000, markup: 1.0 }
`
const film = `{ combinations: [{ resolution: 720p, durations: [4, 8], aspect_ratios: ["16:9", "9:16"], audio: optional }], references: { guide: 3, frames: 2 }, seed: true }`
const filmPrice = `{ rows: [{ audio: true, per_second: 0.1 }, { audio: false, per_second: 0.05 }] }`

/** Of four seconds of `test/film`, in micro-credits. */
export const price = 400_000_000n
export const credits = 10_000n * 1_000_000n

export interface VideoWorld extends AsyncDisposable {
  world: World
  vendor: VideoUpstream
  clock: MovableClock
}

export async function bootVideos(options: WorldOptions & { rest?: string } = {}): Promise<VideoWorld> {
  await using stack = new AsyncDisposableStack()
  const vendor = stack.use(await fakeVideoUpstream('openrouter'))
  const clock = new MovableClock()
  const { rest, timing, ...others } = options
  const world = stack.use(
    await boot({
      config: videoConfig(vendor.url, rest),
      credits: 10_000,
      clock,
      timing: { dueTickMs: 20, ...timing },
      ...others,
    }),
  )
  if (!hasWorkers) stack.use(startWorkers({ app: world.app, jobs: videoJobs as never }))
  const moved = stack.move()
  return { world, vendor, clock, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/**
 * One server and one vendor for many tests, one after another, whose clock goes on. Each call gives an account of its own, a vendor of whose
 * jobs and requests only those since then are seen, and no fault that was ordered before.
 */
export async function shareVideos(options: Parameters<typeof bootVideos>[0]) {
  const shared = await bootVideos(options)
  return {
    fresh: () => freshVideos(shared),
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  }
}

async function freshVideos({ world, vendor, clock }: VideoWorld): Promise<VideoWorld> {
  const { account, project } = await world.stranger(Number(credits / 1_000_000n))
  const [jobs, calls] = [vendor.jobs.length, vendor.calls.length]
  vendor.recover()
  vendor.plan({})
  return {
    clock,
    [Symbol.asyncDispose]: async () => {},
    world: Object.create(world, { account: { value: account }, project: { value: project } }) as World,
    vendor: {
      url: vendor.url,
      net: vendor.net,
      linked: vendor.linked,
      get jobs() {
        return vendor.jobs.slice(jobs)
      },
      get calls() {
        return vendor.calls.slice(calls)
      },
      plan: (next) => vendor.plan(next),
      fail: (leg, fault, times) => vendor.fail(leg, fault, times),
      recover: () => vendor.recover(),
      legOf: vendor.legOf,
      notify: (job, state) => vendor.notify(job, state),
      webhook: (job, state) => vendor.webhook(job, state),
      call: (position) => vendor.call(calls + position),
      arrival: (leg) => vendor.arrival(leg),
      // It is ended with the server.
      [Symbol.asyncDispose]: async () => {},
    },
  }
}

const hasWorkers = jobs.some(({ name }) => name === videoJobs[0]!.name)

export interface Ordered extends Partial<Omit<SubmitVideoOptions, 'model'>> {
  model?: string
  wish?: Partial<VideoSpec>
  keyId?: string
}

/** Orders a video as a route does. */
export async function order(world: World, { model = 'test/film', wish, keyId, ...more }: Ordered = {}) {
  const { app } = world
  const caller = more.caller ?? (await app.keys.callerOf(world.account, keyId ?? (await world.key()).keyId))
  const found = app.models.find(model) as VideoModel
  const planned = planVideo(found, { prompt: 'گربه‌ای روی بام', ...wish }, (setting) => setting)
  const { job } = await submitVideo(app, {
    caller,
    requestId: uuidv7(app.clock.nowMs()),
    endpoint: '/v1/studio/video',
    model: found,
    order: planned,
    replyOf: ({ id, providerJobId }) => JSON.stringify({ id, providerJobId }),
    ...more,
  })
  return job
}

export const find = (world: World, { id, providerJobId }: Pick<VideoJob, 'id' | 'providerJobId'>) =>
  findVideo(world.app, { accountId: world.account, projectId: world.project }, { id, providerJobId })

/** The row of the job. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const rowOf = async ({ app }: { app: Pick<App, 'db'> }, id: string): Promise<any> =>
  (await app.db.query({ text: 'select * from videos.jobs where job_id = $1' }, [id]))[0]

/** Moves the clock in steps until the condition holds. */
export async function untilMoved<T>(clock: MovableClock, condition: () => T | Promise<T>, stepMs = 1_000) {
  return until(async () => {
    const found = await condition()
    if (!found) clock.moveMs(stepMs)
    return found
  })
}

/** While bytes are fetched the clock stands: up to four programs open them, one after another, which takes real time. */
export const untilFetched = <T>(
  { world, clock }: VideoWorld,
  condition: () => T | Promise<T>,
  stepMs = 1_000,
) =>
  until(async () => {
    const found = await condition()
    const text = `select from videos.jobs where status = 'fetching'`
    if (!found && (await world.app.db.query({ text }, [])).length === 0) clock.moveMs(stepMs)
    return found
  }, startMs)

/** The same for one video: the clock stands while its bytes are fetched. */
export const ended = ({ world, clock }: VideoWorld, job: VideoJob, stepMs = 1_000): Promise<VideoJob> =>
  until(async () => {
    const now = (await find(world, job))!
    if (!now.pending) return now
    if ((await rowOf(world, job.id)).status !== 'fetching') clock.moveMs(stepMs)
    return undefined
  }, startMs)

/** The order has left, and what came of it is written down: until then long steps of the clock would take it for one that came too late. */
export const hasLeft = (world: World, id: string): Promise<unknown> =>
  until(async () => {
    const { ticket, ambiguous_until, ended_at } = await rowOf(world, id)
    return ticket ?? ambiguous_until ?? ended_at
  })

/** Some poller looks at a job of a vendor now. A look has a minute of the clock, however slow the machine is. */
export async function isLooking({ app }: World): Promise<boolean> {
  const leased = await app.db.query(
    { text: `select from videos.jobs where status in ('submitted', 'processing') and next_at > $1` },
    [new Date(app.clock.nowMs() + 30_000)],
  )
  return leased.length > 0
}

/** The same as `untilMoved`, where each look is to be had once: while one is under way the clock stands. */
export const untilLooked = <T>(
  { world, clock }: VideoWorld,
  condition: () => T | Promise<T>,
  { stepMs = 1_000, timeoutMs = 60_000 } = {},
) =>
  until(async () => {
    const found = await condition()
    if (!found && !(await isLooking(world))) clock.moveMs(stepMs)
    return found
  }, timeoutMs)

export const lossOf = async (world: World): Promise<bigint> => {
  const rows = await world.app.db.query<{ amount: bigint }>(
    { text: `select amount from ledger.entries where account_id = $1 and book = 'loss'` },
    [world.account],
  )
  return -rows.reduce((sum, { amount }) => sum + amount, 0n)
}

export const receiptOf = async (world: World, job: VideoJob) =>
  (await world.app.ledger.receipt(world.account, world.project, job.requestId))!

/** Nothing of the job is open any more: no hold, no room, no picture, and the loss is what it says. */
export async function expectOver(world: World, { loss = 0n }: { loss?: bigint } = {}): Promise<void> {
  expect(await lossOf(world)).toBe(loss)
  const { db } = world.app
  expect(await db.query({ text: 'select from ledger.holds' }, [])).toEqual([])
  expect(await db.query({ text: 'select from files.reservations' }, [])).toEqual([])
  expect(await db.query({ text: 'select from videos.jobs where prompt is not null' }, [])).toEqual([])
}
