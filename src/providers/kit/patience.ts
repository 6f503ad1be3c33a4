import { type Timeouts, UpstreamError } from '#providers/spec'

export type Phase = 'connect' | 'firstByte' | 'firstToken' | 'idle' | 'ending'

const said: Record<Phase | 'total', string> = {
  connect: 'no connection',
  firstByte: 'no answer',
  firstToken: 'no first token',
  idle: 'silence in the middle of the answer',
  ending: 'no end after the finish',
  total: 'no end of the answer',
}

/**
 * The clocks of one upstream call: one for the phase it is in, one for the whole. `expire` is called at most once.
 * In the phase `idle` only the time spent waiting for the upstream counts, never the time a slow reader keeps us. Where this process
 * was too busy to look in time, what has come meanwhile is read before anybody is called silent.
 */
export class Patience {
  readonly #expire: (error: UpstreamError) => void
  readonly #whole: NodeJS.Timeout
  #clock: NodeJS.Timeout | undefined
  #waiting = true
  /** Counts what puts a clock back. */
  #turns = 0
  phase: Phase = 'connect'

  constructor(timeouts: Timeouts, expire: (error: UpstreamError) => void) {
    this.#expire = expire
    this.#whole = setTimeout(() => this.#giveUp('total', timeouts.totalMs), timeouts.totalMs)
    this.enter('connect', timeouts.connectMs)
  }

  /** Starts the clock of `phase`, in place of the one before. */
  enter(phase: Phase, limitMs: number): void {
    this.phase = phase
    this.#turns++
    clearTimeout(this.#clock)
    this.#clock = setTimeout(() => this.#ring(limitMs), limitMs)
  }

  /** Before waiting for bytes. `moved` says that something of worth has come since the last wait. */
  wait(moved: boolean): void {
    this.#waiting = true
    if (!moved || this.phase !== 'idle') return
    this.#turns++
    this.#clock?.refresh()
  }

  /** Bytes are here: what follows is our own time and the reader's. */
  arrived(): void {
    this.#waiting = false
  }

  /** Stops every clock. */
  end(): void {
    this.#turns++
    clearTimeout(this.#clock)
    clearTimeout(this.#whole)
  }

  #ring(limitMs: number): void {
    const turn = this.#turns
    // Timers come before sockets: this is after them.
    setImmediate(() => {
      if (turn === this.#turns) this.#judge(limitMs)
    })
  }

  #judge(limitMs: number): void {
    // The reader kept us; the clock starts anew, and rings for true if the upstream then stays silent.
    if (this.phase === 'idle' && !this.#waiting) this.#clock?.refresh()
    else this.#giveUp(this.phase, limitMs)
  }

  #giveUp(what: Phase | 'total', limitMs: number): void {
    this.end()
    this.#expire(
      new UpstreamError('timeout', {
        executed: what !== 'connect',
        detail: `${said[what]} within ${limitMs} ms`,
      }),
    )
  }
}
