import { type Timeouts, UpstreamError } from '#core/spec'
import { type Deadline, deadlines } from '#platform/clock'

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
 * The timeouts of one upstream call: one for its current phase, one for the call in total. `expire` is called at most once. In the phase
 * `idle` only the time spent waiting for the upstream counts, not the time of a slow reader. If this process was too busy to read in time,
 * bytes that have arrived meanwhile are read before the upstream is considered idle.
 */
export class CallTimers {
  readonly #expire: (error: UpstreamError) => void
  readonly #total: Deadline
  /** The timer of the current phase. */
  readonly #clock: Deadline
  #limitMs: number
  #suspended = false
  /** True if the last read was progress. */
  #moved = true
  /** Counts the events that restart a timer. */
  #turns = 0
  phase: Phase = 'connect'

  constructor(timeouts: Timeouts, expire: (error: UpstreamError) => void) {
    this.#expire = expire
    this.#total = deadlines.in(timeouts.totalMs, () => this.#giveUp('total', timeouts.totalMs))
    this.#limitMs = timeouts.connectMs
    this.#clock = deadlines.in(timeouts.connectMs, () => this.#ring())
  }

  /** Starts the timer of `phase` and stops the previous one. */
  enter(phase: Phase, limitMs: number): void {
    this.phase = phase
    this.#turns++
    this.#limitMs = limitMs
    this.#clock.restart(limitMs)
  }

  /** Records that something was read. If it was progress, the wait for more begins again. */
  read(isProgress: boolean): void {
    this.#moved = isProgress
    if (!isProgress || this.phase !== 'idle') return
    this.#turns++
    this.#clock.restart()
  }

  /** Called when the reader is behind: from here on the time is not the upstream's. */
  suspend(): void {
    this.#suspended = true
  }

  /** Called when the reader is ready again. */
  proceed(): void {
    this.#suspended = false
    this.read(this.#moved)
  }

  /** Stops every timer. */
  end(): void {
    this.#turns++
    this.#clock.cancel()
    this.#total.cancel()
  }

  #ring(): void {
    const turn = this.#turns
    // The event loop runs timers before sockets; this runs after both.
    setImmediate(() => {
      if (turn === this.#turns) this.#judge()
    })
  }

  #judge(): void {
    // The reader was slow: the timer restarts, and expires if the upstream then stays idle.
    if (this.phase === 'idle' && this.#suspended) this.#clock.restart()
    else this.#giveUp(this.phase, this.#limitMs)
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
