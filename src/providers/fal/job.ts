/** Waits for one request in fal's queue. */

import { type ImageCall, UpstreamError, type UpstreamFault } from '#core/spec'
import { deadlines } from '#platform/clock'
import { jobBytes, type UpstreamClient } from '#providers/kit'
import { cancelJob, jobPath, jobState } from './queue.ts'

/** How long to wait before the first look, and at most before each further one. */
export interface PollPace {
  firstMs: number
  maxMs: number
}

const growth = 1.5
/** The most looks that may fail one after the other. Looks cost nothing, and what was submitted is paid. */
const maxFaults = 5
const passingFaults: ReadonlySet<UpstreamFault> = new Set([
  'connect',
  'reset',
  'timeout',
  'rate_limited',
  'overloaded',
  'unavailable',
  'cut',
  'malformed',
])

export class FalJob {
  readonly #client: UpstreamClient
  readonly #call: ImageCall
  readonly #pace: PollPace
  readonly #path: string
  readonly #beganMs: number
  #waitMs: number
  #isCompleted = false

  constructor(
    client: UpstreamClient,
    call: ImageCall,
    more: { id: string; beganMs: number; pace: PollPace },
  ) {
    this.#client = client
    this.#call = call
    this.#pace = more.pace
    this.#beganMs = more.beganMs
    this.#waitMs = more.pace.firstMs
    this.#path = jobPath(call.upstreamModel, more.id)
  }

  get leftMs(): number {
    return Math.floor(this.#call.timeouts.totalMs - (performance.now() - this.#beganMs))
  }

  /**
   * Returns the result, once it is there. Throws `UpstreamError`, always with `executed: true`; a job that nobody waits for any more is cancelled
   * first.
   */
  async result(maxBytes: number): Promise<unknown> {
    try {
      while (!this.#isCompleted) {
        await this.#wait()
        const state = jobState(await this.#look(`${this.#path}/status`, jobBytes), this.#client.secrets)
        if (state.status === 'failed') throw state.fault
        this.#isCompleted = state.status === 'completed'
      }
      return await this.#look(this.#path, maxBytes)
    } catch (error) {
      if (!this.#isCompleted) await cancelJob(this.#client, this.#path)
      throw error instanceof UpstreamError ? afterWork(error) : error
    }
  }

  /** Looks again after a passing fault, at the pace of the looks. */
  async #look(path: string, maxBytes: number): Promise<unknown> {
    const { signal, timeouts } = this.#call
    for (let faults = 1; ; faults += 1)
      try {
        const totalMs = Math.max(1, this.leftMs)
        return await this.#client.json({ path, signal, timeouts: { ...timeouts, totalMs } }, maxBytes)
      } catch (error) {
        const isPassing = error instanceof UpstreamError && passingFaults.has(error.fault)
        if (!isPassing || faults === maxFaults || this.leftMs <= 0) throw error
        await this.#wait()
      }
  }

  async #wait(): Promise<void> {
    await pause(Math.min(this.#waitMs, Math.max(1, this.leftMs)), this.#call.signal)
    this.#waitMs = Math.min(this.#waitMs * growth, this.#pace.maxMs)
    if (this.#call.signal.aborted) throw new UpstreamError('aborted')
    if (this.leftMs <= 0) throw new UpstreamError('timeout', { detail: 'no end of the job in time' })
  }
}

/** The same fault, as that of a submitted job: the model may refuse after it has worked. */
const afterWork = (error: UpstreamError): UpstreamError =>
  new UpstreamError(error.fault, {
    executed: true,
    cause: error,
    ...(error.status !== undefined && { status: error.status }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(error.detail !== undefined && { detail: error.detail }),
    ...(error.inside !== undefined && { inside: error.inside }),
    ...(error.param !== undefined && { param: error.param }),
  })

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end)
      deadline.cancel()
      resolve()
    }
    const deadline = deadlines.in(ms, end)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
