/** Work that is repeated for a lease: heartbeats, renewals, and the sweeps after those that lapsed. */
import type { Clock } from './clock.ts'

export interface Repetition {
  readonly name: string
  readonly everyMs: number
  /** Runs the work if its interval has passed by the steady clock; resolves when it is done. By itself it runs by a timer. */
  runIfDue(): Promise<void>
  /** Begins no further run, from this call on; resolves when the one under way has ended. */
  stop(): Promise<void>
}

export class Repetitions {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work` at this interval, never concurrently, as long as the process lives. `work` handles its own errors. It does not keep the process
   * alive.
   */
  every(everyMs: number, name: string, work: () => Promise<unknown>): Repetition {
    return new Repeated(everyMs, name, { work, clock: this.#clock })
  }
}

class Repeated implements Repetition {
  readonly name: string
  readonly everyMs: number
  readonly #work: () => Promise<unknown>
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #begunMs: number
  #running: Promise<void> | undefined

  constructor(
    everyMs: number,
    name: string,
    { work, clock }: { work: () => Promise<unknown>; clock: Clock },
  ) {
    this.everyMs = everyMs
    this.name = name
    this.#work = work
    this.#clock = clock
    this.#begunMs = clock.nowMs()
    this.#timer = setInterval(() => void this.#begin(), everyMs).unref()
  }

  async runIfDue(): Promise<void> {
    // One that began before the clock was moved does not count for what is due after it.
    await this.#running
    if (this.#clock.nowMs() - this.#begunMs >= this.everyMs) await this.#begin()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  #begin(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  async #run(): Promise<void> {
    this.#begunMs = this.#clock.nowMs()
    try {
      await this.#work()
    } finally {
      this.#running = undefined
    }
  }
}
