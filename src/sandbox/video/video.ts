import {
  UpstreamError,
  type VideoCall,
  type VideoLook,
  type VideoProgress,
  type VideoProvider,
} from '#core/spec'
import type { VideoOrder } from '#core/turn'
import { type Directives, readDirectives } from '../directives.ts'
import { faultOf, raise } from '../faults.ts'
import { Pacer, realClock } from '../pace.ts'
import { makeVideo } from './film.ts'
import { WorkSlots } from './places.ts'
import { aspectRatios, maxSeconds, resolutions, sizeOf } from './size.ts'
import { readTicket, ticketOf, type VideoTicketState } from './ticket.ts'

/** The most videos that are made at once: each takes a core for a second or two, and 250 MB meanwhile at 1080p. */
const filmsAtOnce = 1

/**
 * A vendor of videos without a memory: the ticket of a job says all that a look at it needs, and the bytes are made when they are fetched, from the
 * order, which the caller gives again. Faults are ordered by directives (`directives.ts`). `nowMs` counts since 1970.
 */
export function sandboxVideos({ nowMs = Date.now }: { nowMs?: () => number } = {}): VideoProvider {
  const places = new WorkSlots(filmsAtOnce)
  return {
    submit: async (call) => ({ id: await submit(call, nowMs) }),
    look: async (call) => progressOf(jobOf(call), nowMs()),
    fetch: (call) => fetch(call, { places, nowMs }),
  }
}

async function submit(call: VideoCall, nowMs: () => number): Promise<string> {
  const { order, upstreamModel, signal, timeouts } = call
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?video(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no video model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { directives } = readDirectives(order.prompt)
  await refuseUnsupportedOrder(order)
  const { fault, on } = directives
  const hasFault = fault !== undefined && (on === undefined || on === upstreamModel)
  const faultAfter = directives.after ?? (fault === 'cut' || fault === 'stall' ? 2 : 0)
  const pacerTimeouts = { ...timeouts, firstTokenMs: timeouts.totalMs }
  const pacer = new Pacer(directives, pacerTimeouts, { signal, clock: realClock, run: { paused: undefined } })
  if (hasFault && faultAfter === 0) await raise(fault, directives, pacer)
  if (directives.refuse && faultAfter === 0) throw refusal(false)
  await pacer.next()
  return ticketOf({
    ...jobFor(order, directives),
    startedMs: nowMs(),
    ...(hasFault && { fault, faultAfter }),
    ...(directives.refuse && { fault: 'content_refused', faultAfter }),
  })
}

function jobFor(order: VideoOrder, directives: Directives): Omit<VideoTicketState, 'startedMs'> {
  const { bytes, job, costMicrousd, tokenMs } = directives
  const seconds = Math.min(60, Math.max(1, directives.seconds ?? order.seconds))
  const full = sizeOf(order)
  const halved = (side: number): number => 2 * Math.round(side / 4)
  const size = bytes === 'small' ? { width: halved(full.width), height: halved(full.height) } : full
  return {
    workMs: directives.workMs ?? defaultWorkMs(order, full),
    seconds,
    ...size,
    withAudio: order.withAudio === true && bytes !== 'mute',
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(order.referenceMode && { mode: order.referenceMode }),
    ...(bytes && { bytes }),
    ...(job && { job }),
    ...(costMicrousd !== undefined && { costMicrousd }),
    ...(tokenMs !== undefined && { tokenMs }),
  }
}

const shortestMs = 2_000
const maxMs = 10_000

function defaultWorkMs(
  { seconds }: VideoOrder,
  { width, height }: { width: number; height: number },
): number {
  const share = (seconds * width * height) / (maxSeconds * 1920 * 1080)
  return Math.round(shortestMs + (maxMs - shortestMs) * Math.min(1, share))
}

function refusal(executed: boolean): UpstreamError {
  const detail = 'The sandbox was ordered to refuse.'
  return new UpstreamError('content_refused', { status: 400, executed, detail })
}

/** Refuses what the model's card does not have, and pictures that cannot be decoded. */
async function refuseUnsupportedOrder({
  resolution,
  aspectRatio,
  seconds,
  references,
}: VideoOrder): Promise<void> {
  const refuse = (param: string, cause?: unknown) => {
    const detail = `The sandbox cannot make a video of this ${param}.`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param, detail, cause })
  }
  if (!resolutions.includes(resolution)) refuse('resolution')
  if (!aspectRatios.includes(aspectRatio)) refuse('aspectRatio')
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds) refuse('duration')
  if (references.length === 0) return
  const { default: sharp } = await import('sharp')
  const all = references.map(async ({ data }) => await sharp(data ?? new Uint8Array()).metadata())
  await Promise.all(all).catch((cause: unknown) => refuse('references', cause))
}

function jobOf({ ticket }: Pick<VideoLook, 'ticket'>): VideoTicketState {
  const job = readTicket(ticket.id)
  if (job && job.job !== 'vanished') return job
  const detail = 'The sandbox knows no such job.'
  throw new UpstreamError('not_found', { status: 404, executed: false, detail })
}

/** The share of its time that a job waits in the queue, in per cent. */
const queuedPercent = 10

function progressOf(job: VideoTicketState, nowMs: number): VideoProgress {
  const { startedMs, workMs, fault, costMicrousd } = job
  const elapsedMs = Math.max(0, nowMs - startedMs)
  const isDone = elapsedMs >= workMs && job.job !== 'stuck'
  if (!isDone && job.job === 'away')
    throw new UpstreamError('unavailable', { status: 503, detail: 'The sandbox was ordered to be away.' })
  if (!isDone) {
    const progress = Math.min(99, Math.floor((100 * elapsedMs) / Math.max(1, workMs)))
    return progress < queuedPercent ? { status: 'queued', position: 1 } : { status: 'processing', progress }
  }
  if (fault !== undefined && job.faultAfter === 1)
    return fault === 'stall'
      ? { status: 'processing', progress: 99 }
      : { status: 'failed', fault: fault === 'content_refused' ? refusal(true) : faultOf(fault) }
  return { status: 'completed', ...(costMicrousd !== undefined && { costUsd: costMicrousd / 1e6 }) }
}

const pieceBytes = 64 * 1024
const page = Buffer.from('<!DOCTYPE html><title>502 Bad Gateway</title>')

async function* fetch(
  call: VideoLook,
  { places, nowMs }: { places: WorkSlots; nowMs: () => number },
): AsyncGenerator<Uint8Array> {
  const job = jobOf(call)
  if (progressOf(job, nowMs()).status !== 'completed') {
    const detail = 'The sandbox has not made this video.'
    throw new UpstreamError('invalid_request', { status: 409, detail })
  }
  if (job.bytes === 'wrong') return yield page
  const { signal, timeouts } = call
  const bytes = await videoFor(job, call, places)
  const pace = { firstTokenMs: 0, tokenMs: job.tokenMs ?? 0 }
  const pacer = new Pacer(pace, timeouts, { signal, clock: realClock, run: { paused: undefined } })
  const { fault, faultAfter = 0 } = job
  const end = Math.floor(bytes.length * (job.bytes === 'cut' ? 0.6 : 1))
  for (let at = 0; at < end; at += pieceBytes) {
    if (fault !== undefined && faultAfter >= 2 && at * 2 >= bytes.length) await raise(fault, {}, pacer)
    await pacer.next()
    yield bytes.subarray(at, Math.min(end, at + pieceBytes))
  }
  // A video of one piece is over before the fault is due at its half.
  if (fault !== undefined && faultAfter >= 2) await raise(fault, {}, pacer)
}

async function videoFor(job: VideoTicketState, call: VideoLook, places: WorkSlots): Promise<Uint8Array> {
  const { signal } = call
  try {
    using _place = await places.enter(signal)
    const order = await orderOf(call)
    const references = order.references.flatMap(({ data }) => (data ? [data] : []))
    return await makeVideo(
      {
        prompt: readDirectives(order.prompt).text,
        seed: job.seed,
        seconds: job.seconds,
        size: job,
        withAudio: job.withAudio,
        guides: job.mode === 'guide' ? references : [],
        frames: job.mode === 'frames' ? references.slice(0, 2) : [],
      },
      signal,
    )
  } catch (cause) {
    throw signal.aborted ? new UpstreamError('aborted', { cause }) : cause
  }
}

function orderOf({ order }: VideoLook): Promise<VideoOrder> {
  if (order) return order()
  const detail = 'The sandbox keeps no order: it has to be given again.'
  throw new UpstreamError('invalid_request', { detail })
}
