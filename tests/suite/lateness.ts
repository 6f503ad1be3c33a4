import type { Gap } from './stand-stills.ts'

/** Moments of one instant: of the clock that no correction moves, and of the wall, in milliseconds. */
export interface Instant {
  steadyMs: number
  wallMs: number
}

/** Finds the gaps of somebody who means to wake at fixed moments. */
export class Lateness {
  readonly #stepMs: number
  readonly #longerThanMs: number
  #last: Instant
  #dueMs: number

  constructor(start: Instant, stepMs: number, longerThanMs: number) {
    this.#stepMs = stepMs
    this.#longerThanMs = longerThanMs
    this.#last = start
    this.#dueMs = start.steadyMs + stepMs
  }

  /** When to wake next, on the steady clock: a whole number of steps after the start, so that no lateness adds up. */
  get dueMs(): number {
    return this.#dueMs
  }

  /**
   * Takes the moment of a wake; answers the gap before it, if there was one. The steady clock stops in a virtual machine that is suspended, and
   * the wall goes on, so each is compared with what the sleep was to take, and the longer lateness counts. A wall that is set back is none.
   */
  wake(now: Instant): Gap | undefined {
    const sleepMs = this.#dueMs - this.#last.steadyMs
    const passedMs = Math.max(now.steadyMs - this.#last.steadyMs, now.wallMs - this.#last.wallMs)
    this.#last = now
    while (this.#dueMs <= now.steadyMs) this.#dueMs += this.#stepMs
    const lateMs = passedMs - sleepMs
    return lateMs > this.#longerThanMs ? { fromMs: now.wallMs - lateMs, toMs: now.wallMs } : undefined
  }
}
