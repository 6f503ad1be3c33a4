/** Runs one kind of job in this process: claims while there is room, executes, and sleeps until notified. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'
import { Failure, isTemporary } from '#platform/errors'
import { type Span, TraceContext } from '#platform/trace'
import type { JobsApp } from './app.ts'
import type { JobResults } from './job-results.ts'
import type { Job, JobDelay, JobRun } from './jobs.ts'
import * as store from './store.ts'

/** A job that fails this often is parked. */
const maxFailures = 10
const firstRetryMs = 1_000
const maxRetryMs = 10 * 60 * 1000
/** After this many processes in a row died during a job, it is not given to another. */
const maxVanished = 2
/** The pause after a job met an unavailable database, which does not count as a failure. */
const awayMs = 1_000
const maxClaimPauseMs = 2_000

export interface LaneOptions<App extends JobsApp> {
  app: App
  processId: string
  results: JobResults
  /** Called when a job whose earlier process had died has ended or made progress: another such job, of any kind, may then be claimed. */
  suspectLeft: () => void
  /** Aborts when no more jobs may be claimed. */
  stopping: AbortSignal
  /** Aborts when running handlers must end. */
  cut: AbortSignal
}

export class Lane<App extends JobsApp> {
  readonly job: Job<never, App>
  readonly #options: LaneOptions<App>
  readonly #limits: { perAccount: number; perProcess: number }
  readonly #running = new Map<string, Promise<void>>()
  readonly #claiming: Promise<void>
  #woken = Promise.withResolvers<void>()

  constructor(job: Job<never, App>, options: LaneOptions<App>) {
    this.job = job
    this.#options = options
    this.#limits = job.limits(options.app.config)
    options.stopping.addEventListener('abort', () => this.wake(), { once: true })
    this.#claiming = this.#claimUntilStopped()
  }

  wake(): void {
    this.#woken.resolve()
  }

  /** Resolves when nothing is claimed and nothing runs; only after `stopping`. */
  async end(): Promise<void> {
    await this.#claiming
    await Promise.all(this.#running.values())
  }

  async #claimUntilStopped(): Promise<void> {
    const { stopping } = this.#options
    while (!stopping.aborted) {
      await this.#woken.promise
      // The promise is renewed before the claim, so that a wake during the claim leads to another claim.
      this.#woken = Promise.withResolvers()
      await this.#claimAll()
    }
  }

  /** Claims until there is no room, or no job is due. */
  async #claimAll(): Promise<void> {
    const { stopping, app } = this.#options
    let pauseMs = 0
    while (!stopping.aborted) {
      try {
        const claimed = await this.#claim()
        for (const queued of claimed) this.#start(queued)
        pauseMs = 0
        if (claimed.length === 0) return
      } catch (error) {
        app.log.warn({ err: error, job: this.job.name }, 'jobs could not be claimed; it is tried again')
        pauseMs = Math.min(pauseMs * 2 + 100, maxClaimPauseMs)
        await pause(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
      }
    }
  }

  async #claim(): Promise<store.QueuedJob[]> {
    const max = this.#limits.perProcess - this.#running.size
    // The queue is polled every two seconds, so the lane continues by itself once the disk has room.
    if (max <= 0 || this.#options.app.space.lacking(this.job.writes ?? []) !== undefined) return []
    return store.claim(this.#options.app.db, {
      name: this.job.name,
      processId: this.#options.processId,
      busy: [...this.#running.keys()],
      perAccount: this.#limits.perAccount,
      max,
    })
  }

  #start(queued: store.QueuedJob): void {
    const { metrics } = this.#options.app
    const job = this.job.name
    const startedMs = performance.now()
    const done = this.#run(queued)
      .then((ended) => {
        metrics.jobs.inc({ job, outcome: ended.how })
        metrics.jobSeconds.of({ job }).observeSince(startedMs)
        return this.#options.results.add(ended)
      })
      .finally(() => {
        this.#running.delete(queued.job_id)
        if (queued.vanished > 0) this.#options.suspectLeft()
        else this.wake()
      })
    this.#running.set(queued.job_id, done)
  }

  /** The span of a run: https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
  #spanOf({ job_id }: store.QueuedJob): Span | undefined {
    const { name, everyMs } = this.job
    // Recurring work of the platform is not traced.
    if (everyMs !== undefined) return undefined
    return this.#options.app.tracing?.work(`process ${name}`, {
      'messaging.system': 'kherad',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': name,
      'messaging.message.id': job_id,
    })
  }

  async #run(queued: store.QueuedJob): Promise<store.JobResult> {
    const span = this.#spanOf(queued)
    const ended = await this.#handle(queued, new TraceContext(span))
    span?.set({ 'kherad.outcome': ended.how })
    span?.end({ error: ended.how === 'failed' || ended.how === 'parked' ? ended.how : undefined })
    return ended
  }

  async #handle(queued: store.QueuedJob, trace: TraceContext): Promise<store.JobResult> {
    const { app, cut } = this.#options
    const { account_id, job_id, fence, failures } = queued
    const ended = { account_id, job_id, fence, delay_ms: 0 }
    try {
      const later = await this.#work(queued, trace)
      if (later === 'parked') return { ...ended, how: 'parked' }
      return later ? this.#later(ended, later) : { ...ended, how: 'done' }
    } catch (error) {
      if (cut.aborted) return { ...ended, how: 'later' }
      if (isUnavailable(error)) return this.#later(ended, { laterMs: awayMs })
      const parked = failures + 1 >= maxFailures
      app.log.error(
        { err: error, job: this.job.name, job_id, account_id, failures: failures + 1 },
        parked ? 'a job failed for good and is parked' : 'a job failed; it is tried again',
      )
      const delay_ms = retryMs(failures)
      if (!parked) this.#wakeIn(delay_ms)
      return { ...ended, how: parked ? 'parked' : 'failed', delay_ms, error: errorText(error) }
    }
  }

  /** Runs the job, or sets it aside if its processes keep dying. */
  async #work(queued: store.QueuedJob, trace: TraceContext): Promise<JobDelay | 'parked' | undefined> {
    const { vanished, failures } = queued
    if (vanished >= maxVanished || (vanished > 0 && failures >= maxFailures))
      return this.#setAside(queued, trace)
    try {
      const later = await this.job.handle(this.#runOf(queued, trace))
      if (later && vanished > 0) await this.#clearVanished(queued, vanished)
      return later
    } catch (error) {
      const { cut } = this.#options
      if (vanished > 0 && !cut.aborted && !isUnavailable(error)) await this.#clearVanished(queued, 0)
      throw error
    }
  }

  /**
   * This process survived the run, so processes that died before no longer count: a job that merely ran beside the cause is not set aside. They count
   * as failures instead, so that a job that kills its process every other time also ends. A failed run is already counted.
   */
  async #clearVanished(queued: store.QueuedJob, asFailures: number): Promise<void> {
    const { app, processId } = this.#options
    await store
      .clearVanished(app.db, processId, queued, asFailures)
      .catch((error: unknown) =>
        app.log.warn({ err: error, job: this.job.name }, 'a job could not be forgiven its lost processes'),
      )
  }

  async #setAside(queued: store.QueuedJob, trace: TraceContext): Promise<JobDelay | 'parked' | undefined> {
    const { name, setAside, everyMs } = this.job
    const { account_id, job_id, vanished } = queued
    this.#options.app.log.error(
      { job: name, job_id, account_id, vanished },
      'a job whose processes vanished over it is set aside',
    )
    if (setAside) return setAside(this.#runOf(queued, trace))
    return everyMs === undefined ? 'parked' : undefined
  }

  #runOf(queued: store.QueuedJob, trace: TraceContext): JobRun<never, App> {
    const { app, cut, stopping, suspectLeft, processId } = this.#options
    let isSuspect = queued.vanished > 0
    const progressed = async (): Promise<void> => {
      if (!isSuspect) return
      // This is idempotent: a caller whose database was away calls `progressed` again.
      await store.clearVanished(app.db, processId, queued, 0)
      isSuspect = false
      suspectLeft()
    }
    const { account_id: accountId, data } = queued
    return { app, accountId, data: data as never, stopping, signal: cut, trace, progressed }
  }

  #later(ended: Omit<store.JobResult, 'how'>, { laterMs }: JobDelay): store.JobResult {
    this.#wakeIn(laterMs)
    return { ...ended, how: 'later', delay_ms: laterMs }
  }

  #wakeIn(ms: number): void {
    setTimeout(() => this.wake(), ms + 5).unref()
  }
}

/** Exponential backoff with jitter, so that jobs that failed together are not retried together. */
const retryMs = (failures: number): number =>
  Math.round(Math.min(firstRetryMs * 2 ** failures, maxRetryMs) * (0.75 + Math.random() / 2))

/** The platform's own failures are judged by their code, since their cause may be a refused upstream connection. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure ? isTemporary(error) : isDatabaseAway(error)

const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .toWellFormed()
    .replaceAll('\0', '')
    .slice(0, 500)
