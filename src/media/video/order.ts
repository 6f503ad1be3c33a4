/**
 * Orders a video at most once. The row records that an upstream is about to be called before it is called: after a crash in between, or a lost
 * answer, the order is ambiguous, is never sent again, and waits for the vendor's webhook.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type VideoModel, videoModels } from '#core/models'
import { requireActivePayer } from '#core/paid'
import type { Attempt, OrderRun } from '#core/routing'
import { UpstreamError, type VideoCall, type VideoProvider, type VideoTicket } from '#core/spec'
import { steadyClock, systemClock } from '#platform/clock'
import { isDatabaseAway, type Tx } from '#platform/db'
import { Failure, fail, isTemporary } from '#platform/errors'
import { sha256 } from '#platform/secrets'
import type { TraceContext } from '#platform/trace'
import type { VideoApp, VideoOrderApp } from './app.ts'
import { cancelJob } from './cancel.ts'
import { candidatesFor, type VideoCandidate } from './candidates.ts'
import { planOf } from './ordered.ts'
import { untilCeiling } from './overdue.ts'
import type { VideoErrorCode } from './phrases.ts'
import { pricedSettings } from './plan.ts'
import { wakePoller } from './poll.ts'
import { failVideo } from './settle.ts'
import { startJob, startNext } from './start.ts'
import { changeVideo, keyOf, lockOpen, lockVideo, type VideoRow } from './store.ts'

/** How long an order whose answer was lost waits for its webhook. */
export const ambiguousMs = 10 * 60_000
/** The time until the first look at a job. */
const firstLookMs = 2_000
/** How often a job is put back because every upstream was too busy, and the shortest and longest wait. */
const maxRounds = 5
const firstRoundMs = 5_000
const maxRoundMs = 60_000

interface OrderContext {
  app: VideoOrderApp
  row: VideoRow
  /** Aborts when this process begins to stop. */
  stopping: AbortSignal
  trace: TraceContext
}

/** Takes the row through its order; resolves when the outcome is written. The row belongs to this process (`takeNext`). */
export async function orderVideo(
  app: VideoOrderApp,
  row: VideoRow,
  { stopping, trace }: Pick<OrderContext, 'stopping' | 'trace'>,
): Promise<void> {
  const context = { app, row, stopping, trace }
  // A stop waits for the answer to a request that was sent: without it the order would be ambiguous, and its price lost.
  using _ = app.ledger.storing(row.receipt_id)
  let run: OrderRun<VideoCandidate, VideoTicket> | undefined
  try {
    const candidates = await candidatesOf(app, row)
    run = startOrder(context, candidates)
    // In a stop this process begins no other call; another process takes the order. A call that was sent may still be answered.
    const leave = () => run!.leave(true)
    stopping.addEventListener('abort', leave, { once: true })
    if (stopping.aborted) leave()
    try {
      await recordSubmitted(context, run, await run.fill())
    } finally {
      stopping.removeEventListener('abort', leave)
    }
  } catch (error) {
    await recordNotSubmitted(context, run, error)
  }
}

/** The candidates that may fill the order now: the key still pays for it, and the models still exist. */
async function candidatesOf(app: VideoOrderApp, row: VideoRow): Promise<VideoCandidate[]> {
  const { models: allowed } = await app.keys.callerOf(row.account_id, row.key_id)
  if (allowed?.has(row.model) === false) fail('MODEL_NOT_ALLOWED', { model: row.model })
  const model = app.models.find(row.model)
  if (model?.kind !== 'video') return fail('MODEL_NOT_FOUND', { model: row.model })
  return candidatesFor(app, allowed, model, await planOf(app, row, model))
}

function startOrder(
  context: OrderContext,
  candidates: VideoCandidate[],
): OrderRun<VideoCandidate, VideoTicket> {
  const { app, row, trace } = context
  let run: OrderRun<VideoCandidate, VideoTicket>
  const ask = async (provider: VideoProvider, call: VideoCall): Promise<VideoTicket> => {
    const callbackUrl = await recordUpstreamCall(context, run)
    return provider.submit({ ...call, ...(callbackUrl !== undefined && { callbackUrl }) })
  }
  run = app.inference.startOrder<VideoCandidate, VideoTicket>({
    kind: { kind: 'video', callProvider: ask as never, mayRepeat: videoModels.mayRepeat },
    candidates,
    background: true,
    receivedMs: row.created_at.getTime(),
    beganMs: app.clock.nowMs(),
    requestId: row.receipt_id,
    earlierAttempts: row.attempts.length,
    traceparent: trace.span?.traceparent,
    mayCall: (model) => requireActivePayer(app, { accountId: row.account_id, keyId: row.key_id }, model),
  })
  return run
}

/** Writes to the row which upstream is about to be called, and returns the address of the vendor's webhook, if this server has a public one. */
async function recordUpstreamCall(
  { app, row }: OrderContext,
  { attempts, candidate }: OrderRun<VideoCandidate, VideoTicket>,
): Promise<string | undefined> {
  const { deployment, provider } = attempts.at(-1)!
  const token = randomBytes(16).toString('base64url')
  const price = videoModels.worstCase(
    candidate.model,
    app.config.defaults,
    pricedSettings(candidate.model, candidate.order),
  )
  const change = {
    attempts: [...row.attempts, ...attempts],
    answered_model: candidate.model.id,
    deployment,
    provider,
    upstream_model: upstreamModelOf(candidate.model, deployment),
    // The caller pays at most what was held.
    ordered: price < row.held ? price : row.held,
    hook_hash: sha256(token),
  }
  let isMine = false
  try {
    isMine = await app.db.tx((tx) =>
      changeOwnedRow(tx, row, ({ ambiguous_until: until }) => until === null, change),
    )
  } catch (cause) {
    // The failure is this server's own; no upstream is to blame.
    throw new UpstreamError('aborted', { executed: false, cause })
  }
  // Another process took this one for dead.
  if (!isMine) throw new UpstreamError('aborted', { executed: false })
  const { baseUrl, baseUrlNamed } = app.config
  return baseUrlNamed ? `${baseUrl}/v1/hooks/${provider}/${row.job_id}/${token}` : undefined
}

const upstreamModelOf = ({ deployments }: VideoModel, id: string): string =>
  deployments.find((one) => one.id === id)!.model

/** Changes the row while it belongs to this order. */
async function changeOwnedRow(
  tx: Tx,
  { takes, ...row }: VideoRow,
  holds: (row: VideoRow) => boolean,
  change: Partial<VideoRow>,
): Promise<boolean> {
  const key = keyOf(row)
  const isMine = (now: VideoRow) => now.status === 'submitting' && now.takes === takes && holds(now)
  if (!(await lockOpen(tx, key, isMine))) return false
  await changeVideo(tx, key, change)
  return true
}

const always = (): boolean => true

/**
 * Writes the job that the vendor has named. If another process took this one for dead meanwhile, the row is left alone, and the lost job is reported
 * and cancelled.
 */
async function recordSubmitted(
  { app, row }: OrderContext,
  run: OrderRun<VideoCandidate, VideoTicket>,
  { id }: VideoTicket,
): Promise<void> {
  const now = new Date(app.clock.nowMs())
  const change = {
    status: 'submitted' as const,
    ticket: id,
    claimed_ticket: null,
    ambiguous_until: null,
    attempts: [...row.attempts, ...run.attempts],
    submitted_at: now,
    next_at: new Date(now.getTime() + firstLookMs),
  }
  const isWritten = await persistWithRetry(app, () =>
    app.db.tx(async (tx) => {
      const isMine = await changeOwnedRow(tx, row, always, change)
      if (isMine) await wakePoller(app, tx)
      // The commit may have succeeded although its answer was lost.
      return isMine || (await lockVideo(tx, keyOf(row)))?.ticket === id
    }),
  )
  if (isWritten) return
  reportLateVideo(app, row, id)
  const { provider } = run.attempts.at(-1)!
  const upstreamModel = upstreamModelOf(run.candidate.model, run.attempts.at(-1)!.deployment)
  await cancelJob(app, { provider, ticket: id, upstream_model: upstreamModel })
}

/** Reports a job of an order that was given up; its loss is already recorded. */
export function reportLateVideo(
  { metrics, log }: Pick<VideoApp, 'metrics' | 'log'>,
  row: VideoRow,
  ticket: string,
): void {
  metrics.videosLost.inc({ what: 'late' })
  log.error(
    { receipt: row.receipt_id, video: row.job_id, deployment: row.deployment, upstream_id: ticket },
    'a video that was given up has turned up at its upstream; it was settled as free for the caller',
  )
}

async function recordNotSubmitted(
  { app, row }: OrderContext,
  run: OrderRun<VideoCandidate, VideoTicket> | undefined,
  error: unknown,
): Promise<void> {
  const attempts = [...row.attempts, ...(run?.attempts ?? [])]
  const lost = run?.failures.find(mayHaveBegun)
  if (lost || (run && !(error instanceof UpstreamError))) {
    await setAmbiguous(app, row, attempts)
    return
  }
  const waitMs = requeueWaitMs(row, error)
  if (waitMs !== undefined) return requeue(app, row, attempts, waitMs)
  if (!(error instanceof Failure || error instanceof UpstreamError))
    app.log.error({ err: error, video: row.job_id }, 'a video could not be ordered')
  await persistWithRetry(app, () =>
    failVideo(
      app,
      keyOf(row),
      { code: codeOf(error), attempts, mayBeBilled: false },
      ({ status, takes }) => status === 'submitting' && takes === row.takes,
    ),
  )
}

/** The faults that are an answer: whatever the upstream did, no job came of it. */
const definiteFaults: ReadonlySet<UpstreamError['fault']> = new Set([
  'content_refused',
  'invalid_request',
  'context_overflow',
  'authentication',
  'not_found',
  'not_allowed',
  'rate_limited',
])

const mayHaveBegun = ({ executed, fault }: UpstreamError): boolean => executed && !definiteFaults.has(fault)

const busyFaults: ReadonlySet<UpstreamError['fault']> = new Set(['rate_limited', 'overloaded'])

/** How long the order waits, if it can be made later: for busy upstreams, and for this server's database and store. */
function requeueWaitMs(row: VideoRow, error: unknown): number | undefined {
  const { rounds } = row
  if (error instanceof UpstreamError) {
    if (error.fault === 'aborted' && error.cause === undefined) return 0
    if (error.fault === 'aborted') return requeueWaitMs(row, error.cause)
    if (!busyFaults.has(error.fault) || rounds >= maxRounds) return undefined
    return Math.min(maxRoundMs, Math.max(firstRoundMs * 2 ** rounds, error.retryAfterMs ?? 0))
  }
  if (error instanceof Failure) return isTemporary(error) ? firstRoundMs : undefined
  return rounds < maxRounds ? firstRoundMs * 2 ** rounds : undefined
}

const configChangeCodes: ReadonlySet<string> = new Set(['MODEL_NOT_FOUND', 'VIDEO_SETTING_NOT_SUPPORTED'])

export function codeOf(error: unknown): VideoErrorCode {
  // The configuration has changed since the order was accepted.
  if (error instanceof Failure && configChangeCodes.has(error.code)) return 'UPSTREAM_FAILED'
  if (error instanceof Failure) return 'PAYER_REFUSED'
  if (!(error instanceof UpstreamError)) return 'INTERNAL'
  if (error.fault === 'not_allowed') return 'PAYER_REFUSED'
  return error.fault === 'content_refused' ? 'CONTENT_REFUSED' : 'UPSTREAM_FAILED'
}

/** Puts the row back into the queue, since nothing was ordered; it is the next of its project again after the wait. */
async function requeue(
  app: VideoApp,
  row: VideoRow,
  attempts: readonly Attempt[],
  waitMs: number,
): Promise<void> {
  const atMs = app.clock.nowMs() + waitMs
  const change = {
    ...unorderedFields,
    status: 'queued' as const,
    attempts,
    rounds: waitMs > 0 ? row.rounds + 1 : row.rounds,
    wait_until: new Date(atMs),
    next_at: untilCeiling(row, atMs),
  }
  await persistWithRetry(app, () =>
    app.db.tx(async (tx) => {
      if (!(await changeOwnedRow(tx, row, always, change))) return
      await app.jobs.enqueue(tx, startJob, {
        accountId: row.account_id,
        data: { projectId: row.project_id },
        // The queue uses the system's time, from which the app's time may differ.
        startAfter: new Date(systemClock.nowMs() + waitMs),
      })
    }),
  )
}

/** The fields of a row that are empty while nothing is ordered. */
export const unorderedFields = {
  owner: null,
  answered_model: null,
  deployment: null,
  provider: null,
  upstream_model: null,
  ordered: null,
  hook_hash: null,
  // The order may have been taken for lost meanwhile.
  ambiguous_until: null,
  claimed_ticket: null,
} satisfies Partial<VideoRow>

/** Marks an order that may exist although nobody knows its id: its webhook may name it. */
export async function setAmbiguous(
  app: VideoApp,
  row: Pick<VideoRow, 'account_id' | 'job_id' | 'takes' | 'created_at'>,
  attempts?: readonly Attempt[],
): Promise<void> {
  const now = new Date(app.clock.nowMs())
  const until = untilCeiling(row, now.getTime() + ambiguousMs)
  const key = keyOf(row)
  const isNew = await persistWithRetry(app, () =>
    app.db.tx(async (tx) => {
      const isOpen = ({ status, takes, ambiguous_until: before }: VideoRow) =>
        status === 'submitting' && takes === row.takes && before === null
      const open = await lockOpen(tx, key, isOpen)
      if (!open) return false
      await changeVideo(tx, key, {
        ambiguous_until: until,
        // The webhook may have come before the answer was known to be lost.
        next_at: open.claimed_ticket === null ? until : now,
        ...(attempts && { attempts }),
      })
      // It holds no place any more, since nobody may ever know how it ends.
      await startNext(app, tx, open)
      return true
    }),
  )
  if (!isNew) return
  app.metrics.videosLost.inc({ what: 'ambiguous' })
  app.log.error(
    { video: row.job_id },
    'the answer to the order of a video was lost; its webhook is waited for',
  )
}

const databaseRetryMs = 500
/** As long as the hold of any call lives; then the ceiling of the job ends it. */
const maxDatabaseAwayMs = 10 * 60_000

/** Writes what happened outside, and retries while the database is away. */
async function persistWithRetry<Value>(
  { log }: Pick<VideoApp, 'log'>,
  write: () => Promise<Value>,
): Promise<Value> {
  const untilMs = steadyClock.nowMs() + maxDatabaseAwayMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isDatabaseAway(error) || steadyClock.nowMs() > untilMs) throw error
      log.warn({ err: error }, 'what came of a video is written when the database is back')
      await pause(databaseRetryMs)
    }
  }
}
