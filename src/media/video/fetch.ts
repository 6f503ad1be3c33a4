/** Fetches the bytes of a finished video, proves that they are a video, stores them, and settles. */
import { CreationReservation, dropBytes } from '#core/files'
import { type ProbedVideo, VideoError } from '#core/media'
import { UpstreamError, type UpstreamFault } from '#core/spec'
import type { JobDelay } from '#platform/jobs'
import { type SpoolFile, TooLargeError } from '#platform/spool'
import { sourceOf } from '#platform/storage'
import { creationOf, maxVideoBytes, maxVideoMs } from './accept.ts'
import { fetchingJob, type VideoApp, type VideoFetchApp } from './app.ts'
import { orderAgain } from './ordered.ts'
import { leftMsOf, untilCeiling } from './overdue.ts'
import { completeVideo, failVideo } from './settle.ts'
import { changeVideo, keyOf, lockOpen, readVideo, type VideoRow } from './store.ts'

/** The most fetches at a time: each may bring 200 MB to the disk. */
const limits = { perAccount: 8, perProcess: 4 }
/** How often bytes are fetched that come incomplete, or are no video. */
const maxFetches = 4
/** The longest pause before an upstream that does not give the bytes is tried again, until the ceiling of the job: it has been paid. */
const maxPauseMs = 60_000
/** The first pause in both cases, in ticks; each further one takes twice as long. */
const firstPauseTicks = 4
/** After this many lost probes, a further one is taken for a fault of the bytes. */
const maxProbesLost = 2
/** The pause before the store, the disk or the processes of this server are tried again, until the ceiling of the job. */
const ownPauseMs = 15_000
/** The longest time of one fetch. */
const maxFetchMs = 10 * 60_000
/** After this time the poller checks whether the job that fetches still exists. */
const checkMs = 60_000

export const fetchJob = fetchingJob<{ jobId: string }>({
  name: 'videos.fetch',
  writes: ['database', 'wal', 'files', 'spool'],
  limits: () => limits,
  async handle({ app, accountId, data, stopping, signal }) {
    if (stopping.aborted) return { laterMs: 0 }
    const row = await readVideo(app.db, { accountId, jobId: data.jobId })
    if (row?.status !== 'fetching') return undefined
    return fetchVideo(app, row, signal)
  },
  // The job is set aside after two processes have died over these bytes.
  async setAside({ app, accountId, data }) {
    const key = { accountId, jobId: data.jobId }
    await failVideo(app, key, { code: 'INTERNAL', mayBeBilled: true }, isFetching)
    return undefined
  },
})

const isFetching = ({ status }: VideoRow): boolean => status === 'fetching'

async function fetchVideo(
  app: VideoFetchApp,
  row: VideoRow,
  stop: AbortSignal,
): Promise<JobDelay | undefined> {
  const leftMs = leftMsOf(app, row)
  // The poller ends the job.
  if (leftMs <= 0) return undefined
  const signal = AbortSignal.any([stop, AbortSignal.timeout(Math.min(maxFetchMs, leftMs))])
  try {
    await using file = await app.spool.write(bytesOf(app, row, signal), { maxBytes: maxVideoBytes })
    const probed = await app.videoProbe.probe(file.path, { accountId: row.account_id, signal })
    await storeVideo(app, row, file, probed)
    return undefined
  } catch (error) {
    if (stop.aborted) throw error
    return handleFetchFailure(app, row, error)
  }
}

function bytesOf(app: VideoApp, row: VideoRow, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const upstream = app.inference.upstreamOf(row.provider!)
  const provider = upstream?.orders.video
  if (!provider)
    throw new UpstreamError('unavailable', { detail: 'this provider is not configured any more' })
  return provider.fetch({
    ticket: { id: row.ticket! },
    order: orderAgain(app, keyOf(row)),
    upstreamModel: row.upstream_model!,
    signal,
    timeouts: { ...upstream.timeouts, totalMs: maxFetchMs },
  })
}

async function storeVideo(app: VideoApp, row: VideoRow, file: SpoolFile, probed: ProbedVideo): Promise<void> {
  const room = CreationReservation.of(app.files, creationOf(row))
  const staged = await room.stage({ bytes: sourceOf(file), mediaType: probed.mediaType })
  const isCommitted = await completeVideo(app, keyOf(row), staged, probed)
  // The job has ended meanwhile: by another worker, or at its ceiling. Committed bytes are not dropped by this.
  if (!isCommitted) await dropBytes(app.files, row.account_id, staged.row.file_id)
}

/** Handles a failed fetch: faulty bytes are fetched again a few times; a fault of the upstream or of this server is waited out. */
async function handleFetchFailure(
  app: VideoApp,
  row: VideoRow,
  error: unknown,
): Promise<JobDelay | undefined> {
  const place = faultOriginOf(error, row)
  app.log.warn({ err: error, video: row.job_id, place }, 'a video could not be fetched')
  if (place === 'bytes' && (error instanceof TooLargeError || row.fetches + 1 >= maxFetches)) {
    await failVideo(app, keyOf(row), { code: 'UPSTREAM_FAILED', mayBeBilled: true }, isFetching)
    return undefined
  }
  const laterMs = pauseMs(app, row, place, error)
  await app.db.tx(async (tx) => {
    if (!(await lockOpen(tx, keyOf(row), isFetching))) return
    await changeVideo(tx, keyOf(row), {
      ...(place === 'bytes' ? { fetches: row.fetches + 1 } : { missing: row.missing + 1 }),
      next_at: untilCeiling(row, app.clock.nowMs() + laterMs + checkMs),
    })
  })
  return { laterMs }
}

type FaultOrigin = 'bytes' | 'upstream' | 'here'

/** The faults that mean that the upstream has sent faulty bytes. */
const ofBytes: ReadonlySet<UpstreamFault> = new Set(['cut', 'malformed'])

function faultOriginOf(error: unknown, row: VideoRow): FaultOrigin {
  if (error instanceof TooLargeError) return 'bytes'
  if (error instanceof UpstreamError) return ofBytes.has(error.fault) ? 'bytes' : 'upstream'
  if (isTimeout(error)) return 'upstream'
  if (!(error instanceof VideoError) || error.fault === 'busy') return 'here'
  return error.fault === 'lost' && row.missing < maxProbesLost ? 'here' : 'bytes'
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError'

function pauseMs(
  { config }: Pick<VideoApp, 'config'>,
  row: VideoRow,
  place: FaultOrigin,
  error: unknown,
): number {
  const firstMs = firstPauseTicks * config.timing.dueTickMs
  if (place === 'here') return ownPauseMs
  if (place === 'bytes') return firstMs * 2 ** row.fetches
  const askedMs = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0
  const growingMs = Math.min(maxPauseMs, firstMs * 2 ** row.missing)
  return Math.min(maxVideoMs, Math.max(growingMs, askedMs))
}
