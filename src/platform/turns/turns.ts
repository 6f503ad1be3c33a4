/**
 * Who of many uses the few connections next: each owner in his turn, never all of them by one, and one at a time by an owner whose
 * statements take long. Who would wait too long is told so at once.
 */
import type { Failure } from '#platform/errors'

interface Waiting {
  /** Whether it counts among the slow ones. */
  start: (isSlow: boolean) => void
  refuse: (error: unknown) => void
  timer: NodeJS.Timeout
}

interface Line {
  running: number
  waiting: Waiting[]
  /** The last statement took long. */
  isSlow: boolean
}

export interface TurnsOptions {
  /** Connections. */
  places: number
  /** Of one owner at once. */
  perOwner: number
  /** An owner whose last statement took longer has one at a time. */
  slowMs: number
  /** So many of such owners at once, of all: their statements would take the processor from everybody else's. */
  slowPlaces: number
  waitingPerOwner: number
  waiting: number
  longestWaitMs: number
  /** What is thrown where too many wait, or one waits too long. */
  busy: () => Failure
}

/** That an owner's last statement took long. */
const rememberedMs = 60_000

export class Turns {
  readonly #options: TurnsOptions
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #running = 0
  #slowRunning = 0
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Runs `work` when it is this owner's turn. Throws `busy`. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lineOf(owner)
    const mustWait = this.#running >= this.#options.places || !this.#hasPlace(line) || line.waiting.length > 0
    const wasSlow = mustWait ? await this.#wait(line) : this.#begin(line)
    const sinceMs = performance.now()
    try {
      return await work()
    } finally {
      if (wasSlow) this.#slowRunning--
      line.isSlow = performance.now() - sinceMs > this.#options.slowMs
      line.running--
      this.#running--
      this.#next()
      if (line.running === 0 && line.waiting.length === 0 && !line.isSlow) this.#lines.delete(owner)
      else if (line.isSlow) this.#forgetLater(owner, line)
    }
  }

  #lineOf(owner: string): Line {
    let line = this.#lines.get(owner)
    if (!line) {
      line = { running: 0, waiting: [], isSlow: false }
      this.#lines.set(owner, line)
    }
    return line
  }

  #hasPlace(line: Line): boolean {
    const { perOwner, slowPlaces } = this.#options
    return line.isSlow ? line.running === 0 && this.#slowRunning < slowPlaces : line.running < perOwner
  }

  #begin(line: Line): boolean {
    line.running++
    this.#running++
    if (line.isSlow) this.#slowRunning++
    return line.isSlow
  }

  #wait(line: Line): Promise<boolean> {
    const { waiting, waitingPerOwner, longestWaitMs, busy } = this.#options
    if (line.waiting.length >= waitingPerOwner || this.#waiting >= waiting) throw busy()
    return new Promise((start, refuse) => {
      const one: Waiting = {
        start,
        refuse,
        timer: setTimeout(() => this.#giveUp(line, one), longestWaitMs),
      }
      line.waiting.push(one)
      this.#waiting++
    })
  }

  #giveUp(line: Line, one: Waiting): void {
    line.waiting.splice(line.waiting.indexOf(one), 1)
    this.#waiting--
    one.refuse(this.#options.busy())
  }

  #next(): void {
    for (const [owner, line] of this.#lines) {
      if (this.#running >= this.#options.places || this.#waiting === 0) return
      if (line.waiting.length === 0 || !this.#hasPlace(line)) continue
      const one = line.waiting.shift()!
      clearTimeout(one.timer)
      this.#waiting--
      const isSlow = this.#begin(line)
      // To the end: the others have their turns first.
      this.#lines.delete(owner)
      this.#lines.set(owner, line)
      one.start(isSlow)
    }
  }

  #forgetLater(owner: string, line: Line): void {
    setTimeout(() => {
      if (line.running === 0 && line.waiting.length === 0 && this.#lines.get(owner) === line)
        this.#lines.delete(owner)
    }, rememberedMs).unref()
  }
}
