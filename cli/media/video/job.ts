/** A video under way: ordered once, waited for as long as it takes, and fetched. */
import { setTimeout as pause } from 'node:timers/promises'
import { type BilingualText, CommandRefused, refuse, type Session } from '../../command.ts'
import { piecesOf, plain, readBytes, readJson, request, type Server, ServerRefused } from '../../server.ts'
import { idempotencyHeaders, isWorthRepeating, type Order, withRepeatHint } from '../studio/order.ts'
import { studioPhrases } from '../studio/phrases.ts'
import { videoPhrases as words } from './phrases.ts'

export interface VideoJob {
  id: string
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'expired'
  model: string
  progress?: number
  queue_position?: number
  seconds: string
  size: string
  file_id?: string
  request_id: string
  error?: string
  error_code?: string
  usage?: { microcredits: string }
}

/** The largest video that a server keeps, with room. */
const maxVideoBytes = 512 * 1024 * 1024
const maxRecordBytes = 64 * 1024
const firstPauseMs = 1_000
const maxPauseMs = 15_000
const growth = 1.25

/** Orders the video with an idempotency key; returns its id. Throws what the server refuses, with the key where a repeat is of use. */
export async function orderVideo(session: Session, server: Server, order: Order): Promise<string> {
  const { language } = session
  const stopped = new CommandRefused('INTERRUPTED', studioPhrases.interrupted(), 1)
  session.whenStopped(withRepeatHint(stopped, order, language))
  const until = AbortSignal.timeout(order.timeoutSeconds * 1_000)
  const sent = { body: order.body, headers: idempotencyHeaders(order), until }
  const accepted = await request(server, 'POST', order.path, sent, (reply) => recordIn(reply)).catch(
    (error: unknown) => {
      throw error instanceof CommandRefused && isWorthRepeating(error)
        ? withRepeatHint(error, order, language)
        : error
    },
  )
  const { id, reservedCredits } = accepted as { id?: unknown; reservedCredits?: unknown }
  if (typeof id !== 'string' || typeof reservedCredits !== 'number')
    return refuse('NOT_KHERAD', studioPhrases.badAnswer())
  session.notify(words.accepted(plain(id), reservedCredits)[language])
  return plain(id)
}

/** Waits until the video is made and saves its bytes as they come. Every refusal that it throws names the job, if there is one. */
export async function awaitVideo(
  session: Session,
  server: Server,
  {
    id,
    timeoutSeconds,
    save,
  }: {
    id: string
    timeoutSeconds: number
    save: (pieces: AsyncIterable<Uint8Array>) => Promise<string>
  },
): Promise<{ job: VideoJob; saved: string }> {
  session.whenStopped(withResumeHint(new CommandRefused('INTERRUPTED', words.interrupted(), 1), id))
  const until = AbortSignal.timeout(timeoutSeconds * 1_000)
  using progress = showProgress(session)
  try {
    const job = await pollUntilEnd(server, id, until, (state) => progress.show(state))
    if (job.status !== 'completed') {
      const { error = job.status, error_code: code = 'VIDEO_FAILED' } = job
      throw new CommandRefused(plain(code), words.failed(plain(error)), 1, {
        job: id,
        request_id: plain(job.request_id),
      })
    }
    const path = `/v1/videos/${encodeURIComponent(id)}/content`
    const saved = await request(server, 'GET', path, { until }, (reply) =>
      save(piecesOf(reply, maxVideoBytes, (sofar) => progress.show(sofar))),
    )
    return { job, saved }
  } catch (error) {
    if (until.aborted && !session.stopping.aborted)
      throw withResumeHint(new CommandRefused('TIMED_OUT', words.timedOut(timeoutSeconds), 1), id)
    // The video may be made all the same, and is paid once.
    throw isWorthWaiting(error) ? withResumeHint(error, id) : error
  }
}

/** Whether waiting again is of use: not for a failed video, whose error names its job already, nor for one that is not there. */
const isWorthWaiting = (error: unknown): error is CommandRefused =>
  error instanceof CommandRefused &&
  error.more['job'] === undefined &&
  !(error instanceof ServerRefused && (error.status === 404 || error.status === 410))

/** The same refusal, with the id by which the video can be waited for again. */
function withResumeHint({ code, sentence, more }: CommandRefused, job: string): CommandRefused {
  const again = words.waitAgain(job)
  const said = { fa: `${sentence.fa} ${again.fa}`, en: `${sentence.en} ${again.en}` }
  return new CommandRefused(code, said, 1, { ...more, job })
}

async function pollUntilEnd(
  server: Server,
  id: string,
  until: AbortSignal,
  show: (job: VideoJob) => void,
): Promise<VideoJob> {
  const signal = AbortSignal.any([server.stopping, until])
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * growth)) {
    const path = `/v1/videos/${encodeURIComponent(id)}`
    const job = (await request(server, 'GET', path, { until }, recordIn)) as Partial<VideoJob>
    if (typeof job.status !== 'string' || typeof job.id !== 'string')
      return refuse('NOT_KHERAD', studioPhrases.badAnswer())
    if (job.status !== 'pending' && job.status !== 'in_progress') return job as VideoJob
    show(job as VideoJob)
    await pause(pauseMs, undefined, { signal })
  }
}

async function recordIn(reply: Response): Promise<object> {
  const record = readJson((await readBytes(reply, maxRecordBytes)).toString())
  if (typeof record !== 'object' || record === null) return refuse('NOT_KHERAD', studioPhrases.badAnswer())
  return record
}

const progressMs = 1_000

/** Shows the state of the job and its seconds on a terminal, until it is disposed. */
function showProgress(session: Session): Disposable & { show(state: VideoJob | number): void } {
  const fromMs = session.clock.nowMs()
  let state: VideoJob | number | undefined
  const line = (seconds: number): BilingualText => {
    if (typeof state === 'number') return words.loading(seconds, state)
    return state?.status === 'in_progress'
      ? words.making(seconds, state.progress)
      : words.waiting(seconds, state?.queue_position)
  }
  const timer = setInterval(() => {
    session.status(line(Math.floor((session.clock.nowMs() - fromMs) / 1_000))[session.language])
  }, progressMs)
  return {
    show: (now) => {
      state = now
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      session.status()
    },
  }
}
