import { type Timeouts, UpstreamError } from '#providers/spec'

export type Phase = 'connect' | 'firstByte' | 'firstToken' | 'idle' | 'ending'

const timeoutDetails: Record<Phase | 'total', string> = {
  connect: 'no connection',
  firstByte: 'no answer',
  firstToken: 'no first token',
  idle: 'silence in the middle of the answer',
  ending: 'no end after the finish',
  total: 'no end of the answer',
}

/**
 * The timeouts of one upstream call: one for its current phase, one for the whole call. `expire` is called at most once.
 * In the phase `idle` only the time spent waiting for the upstream counts, never the time that a slow reader takes. Where this process
 * was too busy to look in time, bytes that have come meanwhile are read before the upstream is called silent.
 */
export class CallTimers {
  readonly #expire: (error: UpstreamError) => void
  readonly #total: NodeJS.Timeout
  #clock: NodeJS.Timeout | undefined
  #waiting = true
  /** Counts the events that restart a timer. */
  #turns = 0
  phase: Phase = 'connect'

  constructor(timeouts: Timeouts, expire: (error: UpstreamError) => void) {
    this.#expire = expire
    this.#total = setTimeout(() => this.#giveUp('total', timeouts.totalMs), timeouts.totalMs)
    this.enter('connect', timeouts.connectMs)
  }

  /** Starts the timer of `phase`, in place of the previous one. */
  enter(phase: Phase, limitMs: number): void {
    this.phase = phase
    this.#turns++
    clearTimeout(this.#clock)
    this.#clock = setTimeout(() => this.#ring(limitMs), limitMs)
  }

  /** Before waiting for bytes. `moved`: there was progress since the last wait. */
  wait(moved: boolean): void {
    this.#waiting = true
    if (!moved || this.phase !== 'idle') return
    this.#turns++
    this.#clock?.refresh()
  }

  /** Bytes have arrived: the time until the next `wait` is ours and the reader's, and is not counted. */
  arrived(): void {
    this.#waiting = false
  }

  /** Stops every timer. */
  end(): void {
    this.#turns++
    clearTimeout(this.#clock)
    clearTimeout(this.#total)
  }

  #ring(limitMs: number): void {
    const turn = this.#turns
    // Timers come before sockets: this is after them.
    setImmediate(() => {
      if (turn === this.#turns) this.#judge(limitMs)
    })
  }

  #judge(limitMs: number): void {
    // The reader was slow; the timer starts again, and expires if the upstream then stays silent.
    if (this.phase === 'idle' && !this.#waiting) this.#clock?.refresh()
    else this.#giveUp(this.phase, limitMs)
  }

  #giveUp(what: Phase | 'total', limitMs: number): void {
    this.end()
    this.#expire(
      new UpstreamError('timeout', {
        executed: what !== 'connect',
        detail: `${timeoutDetails[what]} within ${limitMs} ms`,
      }),
    )
  }
}
