/** One look at a job, according to its state. */
import { UpstreamError, type VideoProgress } from '#core/spec'
import type { Tx } from '#platform/db'
import type { VideoApp } from './app.ts'
import { fetchJob } from './fetch.ts'
import { codeOf, setAmbiguous, unorderedFields } from './order.ts'
import { orderAgain } from './ordered.ts'
import { untilCeiling } from './overdue.ts'
import { failVideo } from './settle.ts'
import { startJob, startNext } from './start.ts'
import {
  changeVideo,
  type DueVideo,
  isLost,
  keyOf,
  type LookResult,
  lockOpen,
  type VideoRow,
} from './store.ts'
import { lookTimeouts, nextLookMs } from './timeouts.ts'

/** The changes of a job that goes on. */
export type LookUpdate = LookResult

/** The time between two looks at a job that a webhook has named, but that its vendor does not know. */
const claimMs = 15_000
/** A vendor that knows no such job is believed after this many looks, over this much time. */
const maxMissing = 3
const missingMs = 2 * 60_000
/** The most processes that may die over one order before an upstream was called. */
const maxTakes = 3

/** Looks at a job and returns the changes to write if it goes on; every other outcome is written here. */
export async function lookAt(
  app: VideoApp,
  due: DueVideo,
  signal: AbortSignal,
): Promise<LookUpdate | undefined> {
  switch (due.status) {
    case 'queued':
      return requeueStart(app, due)
    case 'submitting':
      return due.ambiguous_until ? lookAtClaim(app, due, signal) : lookAtOwner(app, due)
    case 'submitted':
    case 'processing':
      return lookAtVendor(app, due, signal)
    case 'fetching':
      return app.db.tx((tx) => enqueueFetch(app, tx, due)) as Promise<undefined>
    default:
      return undefined
  }
}

const enqueueFetch = ({ jobs }: Pick<VideoApp, 'jobs'>, tx: Tx, due: DueVideo): Promise<void> =>
  jobs.enqueue(tx, fetchJob, {
    accountId: due.account_id,
    data: { jobId: due.job_id },
    singletonKey: due.job_id,
  })

/** Puts the start job into the queue again: the one that should have begun the video is gone, or waits. */
async function requeueStart(
  app: VideoApp,
  { account_id: accountId, project_id: projectId }: DueVideo,
): Promise<undefined> {
  await app.db.tx((tx) =>
    app.jobs.enqueue(tx, startJob, { accountId, data: { projectId }, singletonKey: `again ${projectId}` }),
  )
  return undefined
}

/** Handles a job whose submitting process may have died, before or after it called an upstream. */
async function lookAtOwner(app: VideoApp, due: DueVideo): Promise<undefined> {
  if (due.owner_lives) return undefined
  if (due.deployment !== null) {
    await setAmbiguous(app, due)
    return undefined
  }
  const isSame = ({ status, takes, deployment }: VideoRow) =>
    status === 'submitting' && takes === due.takes && deployment === null
  if (due.takes >= maxTakes) {
    await failVideo(app, keyOf(due), { code: 'INTERNAL', mayBeBilled: false }, isSame)
    return undefined
  }
  await app.db.tx(async (tx) => {
    if (!(await lockOpen(tx, keyOf(due), isSame))) return
    await changeVideo(tx, keyOf(due), { ...unorderedFields, status: 'queued' })
    await app.jobs.enqueue(tx, startJob, {
      accountId: due.account_id,
      data: { projectId: due.project_id },
    })
  })
  return undefined
}

/** Handles an order that may exist at the vendor: a job that a webhook has named is taken for this order's only once the vendor knows it. */
async function lookAtClaim(app: VideoApp, due: DueVideo, signal: AbortSignal): Promise<undefined> {
  const { claimed_ticket: claimed } = due
  if (claimed !== null && (await isKnownToVendor(app, { ...due, ticket: claimed }, signal))) {
    await adoptTicket(app, due, claimed)
    return undefined
  }
  if (due.ambiguous_until!.getTime() <= app.clock.nowMs()) {
    await failVideo(
      app,
      keyOf(due),
      { code: 'UPSTREAM_FAILED', mayBeBilled: true },
      ({ status, takes, ambiguous_until: until }) =>
        status === 'submitting' && takes === due.takes && until !== null,
    )
    return undefined
  }
  await app.db.tx(async (tx) => {
    const isSame = ({ status, next_at: at }: VideoRow) =>
      status === 'submitting' && at.getTime() === due.next_at.getTime()
    if (!(await lockOpen(tx, keyOf(due), isSame))) return
    const nextMs = claimed === null ? due.ambiguous_until!.getTime() : app.clock.nowMs() + claimMs
    await changeVideo(tx, keyOf(due), {
      next_at: new Date(Math.min(nextMs, due.ambiguous_until!.getTime())),
    })
  })
  return undefined
}

async function isKnownToVendor(app: VideoApp, due: DueVideo, signal: AbortSignal): Promise<boolean> {
  try {
    await queryVendor(app, due, signal)
    return true
  } catch (error) {
    if (error instanceof UpstreamError) return false
    throw error
  }
}

async function adoptTicket(app: VideoApp, due: DueVideo, ticket: string): Promise<void> {
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    const isSame = ({ status, takes, claimed_ticket: claimed }: VideoRow) =>
      status === 'submitting' && takes === due.takes && claimed === ticket
    if (!(await lockOpen(tx, keyOf(due), isSame))) return
    await changeVideo(tx, keyOf(due), {
      status: 'submitted',
      ticket,
      claimed_ticket: null,
      ambiguous_until: null,
      submitted_at: now,
      next_at: now,
    })
  })
}

async function queryVendor(app: VideoApp, due: DueVideo, signal: AbortSignal): Promise<VideoProgress> {
  const upstream = app.inference.upstreamOf(due.provider!)
  const provider = upstream?.orders.video
  if (!provider)
    throw new UpstreamError('unavailable', { detail: 'this provider is not configured any more' })
  return provider.look({
    ticket: { id: due.ticket! },
    order: orderAgain(app, keyOf(due)),
    upstreamModel: due.upstream_model!,
    signal,
    timeouts: lookTimeouts(upstream.timeouts),
  })
}

async function lookAtVendor(
  app: VideoApp,
  due: DueVideo,
  signal: AbortSignal,
): Promise<LookUpdate | undefined> {
  const { provider } = due
  try {
    const progress = await queryVendor(app, due, signal)
    app.metrics.videoLooks.inc({ provider: provider!, outcome: 'found' })
    return await applyProgress(app, due, progress)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const isMissing = error.fault === 'not_found'
    app.metrics.videoLooks.inc({ provider: provider!, outcome: isMissing ? 'missing' : 'failed' })
    return isMissing ? recordMissing(app, due) : lookUpdateOf(app, due, {})
  }
}

async function applyProgress(
  app: VideoApp,
  due: DueVideo,
  progress: VideoProgress,
): Promise<LookUpdate | undefined> {
  switch (progress.status) {
    case 'queued':
      return lookUpdateOf(app, due, {
        status: 'submitted',
        queue_position: wholeOf(progress.position),
        missing: 0,
        missing_since: null,
      })
    case 'processing':
      return lookUpdateOf(app, due, {
        status: 'processing',
        progress: percentOf(progress.progress),
        queue_position: null,
        missing: 0,
        missing_since: null,
      })
    case 'failed':
      // Vendors do not bill a failed job.
      await failVideo(app, keyOf(due), { code: codeOf(progress.fault), mayBeBilled: false }, isUnderWay)
      return undefined
    case 'completed':
      await app.db.tx(async (tx) => {
        if (!(await lockOpen(tx, keyOf(due), isUnderWay))) return
        const { costUsd } = progress
        await changeVideo(tx, keyOf(due), {
          status: 'fetching',
          queue_position: null,
          missing: 0,
          missing_since: null,
          ...(costUsd !== undefined && { cost_usd: costUsd }),
          next_at: untilCeiling(due, app.clock.nowMs() + fetchCheckMs),
        })
        await enqueueFetch(app, tx, due)
      })
      return undefined
  }
}

/** After this time the poller checks whether the job that fetches the video still exists. */
const fetchCheckMs = 60_000

const wholeOf = (position: number | undefined): number | null =>
  position !== undefined && Number.isSafeInteger(position) && position >= 0
    ? Math.min(position, 1_000_000)
    : null

const percentOf = (progress: number | undefined): number | null =>
  progress !== undefined && Number.isFinite(progress) ? Math.min(100, Math.max(0, progress)) : null

async function recordMissing(app: VideoApp, due: DueVideo): Promise<LookUpdate | undefined> {
  const nowMs = app.clock.nowMs()
  const missing = due.missing + 1
  const since = due.missing_since ?? new Date(nowMs)
  const update = lookUpdateOf(app, due, { missing: Math.min(missing, maxMissing), missing_since: since })
  if (missing >= maxMissing && nowMs - since.getTime() >= missingMs) {
    await failVideo(app, keyOf(due), { code: 'UPSTREAM_FAILED', mayBeBilled: true }, isUnderWay)
    return undefined
  }
  return isLost(update, nowMs) ? giveUpPlace(app, due, update) : update
}

/** Writes that the vendor does not know the job, which holds no place of the project any more, and begins the next one. A repetition changes nothing. */
async function giveUpPlace(
  app: VideoApp,
  due: DueVideo,
  { missing, missing_since, next_at, taken_until: takenUntil }: LookUpdate,
): Promise<undefined> {
  await app.db.tx(async (tx) => {
    const row = await lockOpen(tx, keyOf(due), isUnderWay)
    if (!row) return
    // A webhook that came meanwhile has changed the time of the next look, and wins.
    const isSame = row.next_at.getTime() === takenUntil.getTime()
    const change = { missing, missing_since, looks: row.looks + 1, ...(isSame && { next_at }) }
    await changeVideo(tx, keyOf(due), change)
    await startNext(app, tx, row)
  })
}

const isUnderWay = ({ status }: VideoRow): boolean => status === 'submitted' || status === 'processing'

function lookUpdateOf(
  { clock }: Pick<VideoApp, 'clock'>,
  due: DueVideo,
  change: Partial<LookResult>,
): LookUpdate {
  return {
    account_id: due.account_id,
    job_id: due.job_id,
    status: due.status as LookResult['status'],
    progress: due.progress,
    queue_position: due.queue_position,
    missing: due.missing,
    missing_since: due.missing_since,
    ...change,
    taken_until: due.next_at,
    next_at: untilCeiling(due, clock.nowMs() + nextLookMs(due.looks)),
  }
}
