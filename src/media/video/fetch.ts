/** Fetches the bytes of a finished video, proves that they are one, stores them, and settles. */
import type { App } from '#app'
import { CreationRoom, dropBytes } from '#core/files'
import { type ProbedVideo, VideoError } from '#core/media'
import { UpstreamError, type UpstreamFault } from '#core/spec'
import { job, type Later } from '#platform/jobs'
import { type SpoolFile, TooLarge } from '#platform/spool'
import { sourceOf } from '#platform/storage'
import { creationOf, maxVideoBytes, maxVideoMs } from './accept.ts'
import { orderAgain } from './ordered.ts'
import { leftMsOf, untilCeiling } from './overdue.ts'
import { completeVideo, failVideo } from './settle.ts'
import { changeVideo, keyOf, lockOpen, readVideo, type VideoRow } from './store.ts'

/** Each of them may bring 200 MB to the disk. */
const limits = { perAccount: 8, perProcess: 4 }
/** How often bytes are fetched that do not come whole, or are none of a video. */
const maxFetches = 4
/** An upstream that does not give them is asked until the ceiling of the job: it has been paid. */
const maxPauseMs = 60_000
/** Of the first pause in both cases; each further one takes twice as long. */
const firstPauseTicks = 4
/** So often a process that ended over the bytes is no fault of theirs. */
const maxProbesLost = 2
/** Pause before our own store, disk or processes are tried again, until the ceiling of the job. */
const ownPauseMs = 15_000
/** One fetch. */
const maxFetchMs = 10 * 60_000
/** For the poller: by then the job that fetches is looked for. */
const checkMs = 60_000

export const fetchJob = job<{ jobId: string }>({
  name: 'videos.fetch',
  writes: ['database', 'wal', 'files', 'spool'],
  limits: () => limits,
  async handle({ app, accountId, data, stopping, signal }) {
    if (stopping.aborted) return { laterMs: 0 }
    const row = await readVideo(app.db, { accountId, jobId: data.jobId })
    if (row?.status !== 'fetching') return undefined
    return fetchVideo(app, row, signal)
  },
  // Two processes have died over these bytes.
  async setAside({ app, accountId, data }) {
    const key = { accountId, jobId: data.jobId }
    await failVideo(app, key, { code: 'INTERNAL', mayBeBilled: true }, isFetching)
    return undefined
  },
})

const isFetching = ({ status }: VideoRow): boolean => status === 'fetching'

async function fetchVideo(app: App, row: VideoRow, stop: AbortSignal): Promise<Later | undefined> {
  const leftMs = leftMsOf(app, row)
  // The poller ends it.
  if (leftMs <= 0) return undefined
  const signal = AbortSignal.any([stop, AbortSignal.timeout(Math.min(maxFetchMs, leftMs))])
  try {
    await using file = await app.spool.write(bytesOf(app, row, signal), { maxBytes: maxVideoBytes })
    const probed = await app.videoProbe.probe(file.path, { accountId: row.account_id, signal })
    await store(app, row, file, probed)
    return undefined
  } catch (error) {
    if (stop.aborted) throw error
    return failed(app, row, error)
  }
}

function bytesOf(app: App, row: VideoRow, signal: AbortSignal): AsyncIterable<Uint8Array> {
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

async function store(app: App, row: VideoRow, file: SpoolFile, probed: ProbedVideo): Promise<void> {
  const room = CreationRoom.of(app, creationOf(row))
  const staged = await room.stage({ bytes: sourceOf(file), mediaType: probed.mediaType })
  const isCommitted = await completeVideo(app, keyOf(row), staged, probed)
  // It has ended meanwhile: by another worker, or by its ceiling. Bytes that were committed are not dropped by this.
  if (!isCommitted) await dropBytes(app, row.account_id, staged.row.file_id)
}

/** What went wrong: with the bytes, which are fetched a few times; at the upstream or here, which is waited for. */
async function failed(app: App, row: VideoRow, error: unknown): Promise<Later | undefined> {
  const place = placeOf(error, row)
  app.log.warn({ err: error, video: row.job_id, place }, 'a video could not be fetched')
  if (place === 'bytes' && (error instanceof TooLarge || row.fetches + 1 >= maxFetches)) {
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

type Place = 'bytes' | 'upstream' | 'here'

/** Faults of an upstream that has answered with the bytes. */
const ofBytes: ReadonlySet<UpstreamFault> = new Set(['cut', 'malformed'])

function placeOf(error: unknown, row: VideoRow): Place {
  if (error instanceof TooLarge) return 'bytes'
  if (error instanceof UpstreamError) return ofBytes.has(error.fault) ? 'bytes' : 'upstream'
  if (isTimeout(error)) return 'upstream'
  if (!(error instanceof VideoError) || error.fault === 'busy') return 'here'
  return error.fault === 'lost' && row.missing < maxProbesLost ? 'here' : 'bytes'
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError'

function pauseMs({ config }: App, row: VideoRow, place: Place, error: unknown): number {
  const firstMs = firstPauseTicks * config.timing.dueTickMs
  if (place === 'here') return ownPauseMs
  if (place === 'bytes') return firstMs * 2 ** row.fetches
  const askedMs = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0
  const growingMs = Math.min(maxPauseMs, firstMs * 2 ** row.missing)
  return Math.min(maxVideoMs, Math.max(growingMs, askedMs))
}
