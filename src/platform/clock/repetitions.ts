/** Work that is repeated for the sake of leases: heartbeats, renewals, and sweeps after leases that lapsed. */
import type { Clock } from './clock.ts'

export interface Repetition {
  readonly name: string
  readonly everyMs: number
  /** Runs the work if its interval has passed by the steady clock; resolves when it is done. Without this call a timer runs the work. */
  runIfDue(): Promise<void>
  /** Prevents further runs from this call on; resolves when the current run has ended. */
  stop(): Promise<void>
}

export class Repetitions {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work` at this interval, never concurrently, as long as the process lives. `work` handles its own errors. The timer does not keep the
   * process alive.
   */
  every(everyMs: number, name: string, work: () => Promise<unknown>): Repetition {
    return new TimerRepetition(everyMs, name, { work, clock: this.#clock })
  }
}

class TimerRepetition implements Repetition {
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
    // A run that began before a test moved the clock does not count for work that is due after the move.
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
